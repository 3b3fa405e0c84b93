package io.tocsin.jobs.wan;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.wan.InterfaceHistory;
import io.tocsin.correlation.wan.LinkRules;
import io.tocsin.correlation.wan.LinkState;
import io.tocsin.correlation.wan.LinkUpdate;
import io.tocsin.correlation.wan.LoadSample;
import io.tocsin.correlation.wan.Probe;
import io.tocsin.correlation.wan.SyslogHistory;
import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.wan.v1.WanEpisode;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ListState;
import org.apache.flink.api.common.state.ListStateDescriptor;
import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

/**
 * Holds what concerns the links of one device until its time has come, puts it into the order of
 * event time, and asks {@link LinkRules}. No rule stands here.
 *
 * <p>A probe's time has come when every probe that was sent before it is answered or lost: its
 * timeout after it was sent. One timer a second and device takes all that is due, so that ten
 * thousand links are ten thousand elements of a list and not of a queue of timers.
 *
 * <p>State: what is not due yet of devices with links, a few seconds of it; {@link LinkState} for
 * each link and one {@link InterfaceHistory} for each interface that a link leaves through, until
 * {@link LinkRules} forgets the link; one {@link SyslogHistory} while the device has links.
 */
final class LinksFunction extends KeyedProcessFunction<String, Event, LinkUpdate> {
  /** Counter: probes that came when their link had gone on. They are archived all the same. */
  static final String LATE_PROBES_TOTAL = "late_probes_total";

  private static final long TICK_MILLIS = 1_000;
  private static final long SWEEP_MILLIS = 600_000;
  private static final Comparator<Event> IN_ORDER =
      Comparator.comparingLong(LinksFunction::happenedAt).thenComparing(Event::getEventId);

  private final WanSettings settings;
  private transient LinkRules rules;
  private transient Counter lateProbes;
  private transient ListState<Event> pending;
  private transient MapState<String, LinkState> links;
  private transient MapState<String, InterfaceHistory> interfaces;
  private transient ValueState<SyslogHistory> syslog;

  /** Interfaces read in this call of onTimer: links share them, and reading is not free. */
  private transient Map<String, InterfaceHistory> thisTick;

  LinksFunction(WanSettings settings) {
    this.settings = settings;
  }

  @Override
  public void open(OpenContext context) {
    rules = new LinkRules(settings);
    thisTick = new HashMap<>();
    lateProbes = getRuntimeContext().getMetricGroup().counter(LATE_PROBES_TOTAL);
    pending =
        getRuntimeContext()
            .getListState(
                new ListStateDescriptor<>("pending", ProtobufTypeInfo.forMessage(Event.class)));
    links =
        getRuntimeContext()
            .getMapState(
                new MapStateDescriptor<>(
                    "links", Types.STRING, TypeInformation.of(LinkState.class)));
    interfaces =
        getRuntimeContext()
            .getMapState(
                new MapStateDescriptor<>(
                    "interfaces", Types.STRING, TypeInformation.of(InterfaceHistory.class)));
    syslog =
        getRuntimeContext()
            .getState(
                new ValueStateDescriptor<>("syslog", TypeInformation.of(SyslogHistory.class)));
  }

  @Override
  public void processElement(Event event, Context context, Collector<LinkUpdate> out)
      throws Exception {
    if (!concernsALink(event)) {
      return;
    }
    pending.add(event);
    context.timerService().registerEventTimeTimer(dueMillis(event));
  }

  /**
   * Most devices have no link, and all of them send syslog. What comes before the first probe of a
   * device's first link is lost to that link, which has no baseline yet either.
   */
  private boolean concernsALink(Event event) throws Exception {
    return event.hasLinkProbe() || !links.isEmpty() || pending.get().iterator().hasNext();
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<LinkUpdate> out)
      throws Exception {
    thisTick.clear();
    List<Event> due = takeDue(timestampMillis);
    due.sort(IN_ORDER);
    SyslogHistory lines = syslog.value() == null ? new SyslogHistory() : syslog.value();
    for (Event event : due) {
      switch (event.getBodyCase()) {
        case LINK_PROBE -> onProbe(event, lines, context, out);
        case INTERFACE_COUNTERS -> onPoll(event, lines, out);
        case SYSLOG -> lines.add(event);
        default -> throw new IllegalStateException("no part of this job: " + event.getBodyCase());
      }
    }
    if (timestampMillis % SWEEP_MILLIS == 0) {
      sweep(timestampMillis, context, out);
    }
    syslog.update(links.isEmpty() || lines.lines.isEmpty() ? null : lines);
  }

  private List<Event> takeDue(long timestampMillis) throws Exception {
    List<Event> due = new ArrayList<>();
    List<Event> rest = new ArrayList<>();
    for (Event event : pending.get()) {
      (dueMillis(event) <= timestampMillis ? due : rest).add(event);
    }
    pending.update(rest);
    return due;
  }

  private void onProbe(
      Event event, SyslogHistory lines, OnTimerContext context, Collector<LinkUpdate> out)
      throws Exception {
    Probe probe = Probe.of(event);
    LinkState link = links.get(probe.linkId());
    if (rules.isLate(link, probe)) {
      lateProbes.inc();
      return;
    }
    if (link != null && !leadsTheSameWay(link, probe)) {
      out.collect(LinkUpdate.removed(link));
      forgetInterface(link);
    }
    boolean isNew = link == null || !leadsTheSameWay(link, probe);
    InterfaceHistory polls = historyOf(probe.interfaceName());
    Step<LinkState, WanEpisode> step = rules.onProbe(link, probe, polls, lines);
    links.put(probe.linkId(), step.state());
    if (isNew) {
      polls.links.add(probe.linkId());
      interfaces.put(probe.interfaceName(), polls);
      out.collect(LinkUpdate.exists(step.state()));
      sweepAfter(context.timestamp(), context);
    }
    emit(step, out);
  }

  private static boolean leadsTheSameWay(LinkState link, Probe probe) {
    return link.remoteSite.equals(probe.remoteSite())
        && link.interfaceName.equals(probe.interfaceName());
  }

  private InterfaceHistory historyOf(String interfaceName) throws Exception {
    InterfaceHistory polls = thisTick.get(interfaceName);
    if (polls == null) {
      polls =
          interfaces.contains(interfaceName)
              ? interfaces.get(interfaceName)
              : new InterfaceHistory();
      thisTick.put(interfaceName, polls);
    }
    return polls;
  }

  private void onPoll(Event event, SyslogHistory lines, Collector<LinkUpdate> out)
      throws Exception {
    String name = event.getInterfaceCounters().getInterface();
    InterfaceHistory polls = historyOf(name);
    if (polls.links.isEmpty()) {
      return;
    }
    polls.add(LoadSample.of(event));
    interfaces.put(name, polls);
    for (String linkId : polls.links) {
      LinkState link = links.get(linkId);
      if (link != null && !link.episodes.isEmpty()) {
        emit(rules.onPoll(link, polls, lines), out);
        links.put(linkId, link);
      }
    }
  }

  private void sweep(long timestampMillis, OnTimerContext context, Collector<LinkUpdate> out)
      throws Exception {
    List<LinkState> forgotten = new ArrayList<>();
    for (LinkState link : links.values()) {
      Step<LinkState, WanEpisode> step = rules.onTimer(link, Nanos.ofMillis(timestampMillis));
      if (step.state() == null) {
        emit(step, out);
        forgotten.add(link);
      }
    }
    for (LinkState link : forgotten) {
      out.collect(LinkUpdate.removed(link));
      links.remove(link.linkId);
      forgetInterface(link);
    }
    if (!links.isEmpty()) {
      sweepAfter(timestampMillis, context);
    }
  }

  private void forgetInterface(LinkState link) throws Exception {
    InterfaceHistory polls = historyOf(link.interfaceName);
    polls.links.remove(link.linkId);
    if (polls.links.isEmpty()) {
      interfaces.remove(link.interfaceName);
    } else {
      interfaces.put(link.interfaceName, polls);
    }
  }

  private static void sweepAfter(long timestampMillis, OnTimerContext context) {
    long next = (Math.floorDiv(timestampMillis, SWEEP_MILLIS) + 1) * SWEEP_MILLIS;
    context.timerService().registerEventTimeTimer(next);
  }

  private static void emit(Step<LinkState, WanEpisode> step, Collector<LinkUpdate> out) {
    for (WanEpisode episode : step.decisions()) {
      out.collect(LinkUpdate.of(episode));
    }
  }

  /** The tick at which an event's turn has come. */
  private static long dueMillis(Event event) {
    long millis = happenedAt(event) / Nanos.PER_MILLI + event.getLinkProbe().getTimeoutMs();
    return (Math.floorDiv(millis, TICK_MILLIS) + 1) * TICK_MILLIS;
  }

  /** By the agent's clock: a device's own clock must not hold anything back. */
  private static long happenedAt(Event event) {
    long eventTime = event.getEventTimeUnixNanos();
    long receivedAt = event.getReceivedAtUnixNanos();
    boolean isAgents = !event.hasSyslog() && Long.compareUnsigned(eventTime, receivedAt) <= 0;
    return isAgents ? eventTime : receivedAt;
  }
}

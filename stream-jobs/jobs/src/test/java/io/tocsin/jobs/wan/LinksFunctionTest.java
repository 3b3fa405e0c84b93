package io.tocsin.jobs.wan;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.tocsin.correlation.wan.Episode;
import io.tocsin.correlation.wan.InterfaceHistory;
import io.tocsin.correlation.wan.LinkState;
import io.tocsin.correlation.wan.LinkUpdate;
import io.tocsin.correlation.wan.RemoteSite;
import io.tocsin.correlation.wan.SyslogHistory;
import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.KeptState;
import io.tocsin.jobs.KeyedHarness;
import io.tocsin.testsupport.TestEvents;
import io.tocsin.wan.v1.WanEpisode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.types.PojoTestUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Order, state and timers of the operator; the rules have their own tests. */
class LinksFunctionTest {
  private static final long SECONDS_OF_DISORDER = 3;

  /** Events of the story before the state that is kept: in the middle of an episode. */
  private static final int KEPT_EVENTS = 155;

  private KeyedOneInputStreamOperatorTestHarness<String, Event, LinkUpdate> harness;

  @BeforeEach
  void open() throws Exception {
    harness = newHarness();
    harness.open();
  }

  private static KeyedOneInputStreamOperatorTestHarness<String, Event, LinkUpdate> newHarness()
      throws Exception {
    return KeyedHarness.of(
        new LinksFunction(WanSettings.defaults()),
        Event::getDevice,
        TypeInformation.of(LinkUpdate.class));
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }

  @Test
  void stateIsKeptFieldByFieldWithoutKryo() {
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(LinkState.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(Episode.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(InterfaceHistory.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(SyslogHistory.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(RemoteSite.class);
    PojoTestUtils.assertSerializedAsPojoWithoutKryo(LinkUpdate.class);
  }

  /**
   * Two minutes as usual, half a minute slow with a poll, half a minute down, a minute as usual.
   */
  static List<Event> story() {
    List<Event> events = new ArrayList<>();
    for (int second = 1; second <= 240; second++) {
      var time = NOON.plusSeconds(second);
      boolean isSlow = second > 120 && second <= 150;
      boolean isDown = second > 150 && second <= 180;
      events.add(
          isDown
              ? TestEvents.lostProbe(second, time)
              : TestEvents.probe(second, time, (isSlow ? 90 : 30) + second % 3));
      if (second % 10 == 0) {
        Event poll = TestEvents.interfaceCounters(1_000 + second, time);
        Event.Builder changed = poll.toBuilder().setDevice("edge-1");
        changed
            .getInterfaceCountersBuilder()
            .setOutLoad(isSlow ? 0.99 : 0.1)
            .setOutDiscardsPerSecond(isSlow ? 30 : 0);
        events.add(changed.build());
      }
    }
    return events;
  }

  @Test
  void episodesAreToldWithTheCauseOfTheInterface() throws Exception {
    for (Event event : story()) {
      send(event);
    }

    assertThat(told())
        .containsExactly(
            "LATENCY OPEN UNEXPLAINED",
            "LATENCY OPEN EGRESS_SATURATED",
            "LATENCY CLOSED EGRESS_SATURATED",
            "DOWN OPEN UNEXPLAINED",
            "DOWN CLOSED UNEXPLAINED");
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 20, 300, 4_000, 50_000})
  void everyOrderWithinTheAllowedLatenessTellsTheSame(long seed) throws Exception {
    Random random = new Random(seed);
    List<Event> inOrder = story();
    List<Event> shuffled = new ArrayList<>();
    for (int from = 0; from < inOrder.size(); from += (int) SECONDS_OF_DISORDER) {
      List<Event> some =
          inOrder.subList(from, (int) Math.min(from + SECONDS_OF_DISORDER, inOrder.size()));
      List<Event> mixed = new ArrayList<>(some);
      Collections.shuffle(mixed, random);
      shuffled.addAll(mixed);
    }
    for (Event event : inOrder) {
      send(event);
    }
    harness.processWatermark(millis(300));
    List<WanEpisode> expected = episodes();
    close();
    open();

    for (Event event : shuffled) {
      send(event);
      if (random.nextInt(10) == 0) {
        send(event);
      }
    }
    harness.processWatermark(millis(300));

    assertThat(episodes()).isEqualTo(expected).hasSizeGreaterThan(3);
  }

  @Test
  void lostProbeThatIsToldAfterItsTimeoutIsInTime() throws Exception {
    List<Event> events = story();
    events.sort(
        (a, b) ->
            Long.compare(
                a.getEventTimeUnixNanos() + (a.getLinkProbe().getLost() ? 900_000_000 : 0),
                b.getEventTimeUnixNanos() + (b.getLinkProbe().getLost() ? 900_000_000 : 0)));
    for (Event event : events) {
      send(event);
    }

    assertThat(told()).contains("DOWN OPEN UNEXPLAINED", "DOWN CLOSED UNEXPLAINED");
  }

  @Test
  void silentAgentIsNoLinkDown() throws Exception {
    for (Event event : story().subList(0, 100)) {
      send(event);
    }

    // Heartbeats of other agents move the watermark on.
    harness.processWatermark(millis(1_800));

    assertThat(episodes()).isEmpty();
  }

  @Test
  void stateSurvivesARestoreInTheMiddleOfAnEpisode() throws Exception {
    List<Event> events = story();
    for (Event event : events.subList(0, 145)) {
      send(event);
    }
    restore(harness.snapshot(1, 1));

    for (Event event : events.subList(145, events.size())) {
      send(event);
    }

    assertThat(told()).contains("LATENCY CLOSED EGRESS_SATURATED", "DOWN CLOSED UNEXPLAINED");
  }

  /** A link that is slow, one that is down, polls, a line of syslog, and probes that wait. */
  @Test
  void stateOfVersion1IsStillRead() throws Exception {
    restore(KeptState.of("wan-links-v1.bin", this::aSlowLinkAndOneThatIsDown));

    for (Event event : story().subList(KEPT_EVENTS, story().size())) {
      send(event);
      if (event.hasLinkProbe()) {
        long sequence = event.getLinkProbe().getSequence();
        send(ofAnotherDevice(TestEvents.probe(sequence, instantOf(event), 30 + sequence % 3)));
      }
    }

    assertThat(episodes())
        .filteredOn(episode -> episode.getState() == WanEpisode.State.STATE_CLOSED)
        .extracting(
            episode -> episode.getDevice() + " " + episode.getKind(),
            WanEpisode::getStartedAtUnixNanos)
        .containsExactlyInAnyOrder(
            tuple("edge-1 KIND_LATENCY", unixNanos(NOON.plusSeconds(121))),
            tuple("edge-1 KIND_DOWN", unixNanos(NOON.plusSeconds(151))),
            tuple("edge-2 KIND_DOWN", unixNanos(NOON.plusSeconds(111))));
    assertThat(told()).contains("LATENCY CLOSED EGRESS_SATURATED");
    assertThat(episodes())
        .filteredOn(episode -> episode.getDevice().equals("edge-2"))
        .allSatisfy(episode -> assertThat(episode.getEvidenceList()).hasSize(1));
  }

  private OperatorSubtaskState aSlowLinkAndOneThatIsDown() throws Exception {
    Event.Builder line = TestEvents.syslog(5_000, NOON.plusSeconds(110)).toBuilder();
    line.setDevice("edge-2").getSyslogBuilder().setMessage("OSPF adjacency to dc2 lost");
    for (Event event : story().subList(0, KEPT_EVENTS)) {
      send(event);
      if (event.hasLinkProbe()) {
        long sequence = event.getLinkProbe().getSequence();
        Event lost = TestEvents.lostProbe(sequence, instantOf(event));
        send(ofAnotherDevice(sequence > 110 ? lost : event));
      }
      if (event.getLinkProbe().getSequence() == 110) {
        send(line.build());
      }
    }
    return harness.snapshot(1, 1);
  }

  private static Event ofAnotherDevice(Event probe) {
    Event.Builder other = probe.toBuilder().setDevice("edge-2");
    other.getLinkProbeBuilder().setLinkId("dc1-dc2-other");
    return other.build();
  }

  private static Instant instantOf(Event event) {
    return Instant.EPOCH.plusNanos(event.getEventTimeUnixNanos());
  }

  private void restore(OperatorSubtaskState state) throws Exception {
    close();
    harness = newHarness();
    harness.initializeState(state);
    harness.open();
  }

  @Test
  void stateAndTimersEndEmptyWhenALinkIsHeardOfNoMore() throws Exception {
    for (Event event : story().subList(0, 180)) {
      send(event);
    }

    harness.processWatermark(millis(2 * 3_600));

    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
    LinkUpdate last = harness.extractOutputValues().get(harness.extractOutputValues().size() - 1);
    assertThat(last.isRemoved()).isTrue();
    assertThat(told()).last().isEqualTo("DOWN CLOSED UNEXPLAINED");
  }

  @Test
  void whatADeviceWithoutLinksSaysIsNotEvenKeptForATick() throws Exception {
    Event.Builder line = TestEvents.syslog(2, NOON).toBuilder();
    line.getSyslogBuilder().setMessage("OSPF adjacency to dc2 lost");

    send(TestEvents.interfaceCounters(1, NOON));
    send(line.build());

    assertThat(harness.numKeyedStateEntries()).isZero();
    assertThat(harness.numEventTimeTimers()).isZero();
  }

  private void send(Event event) throws Exception {
    harness.processElement(event, event.getReceivedAtUnixNanos() / 1_000_000);
    harness.processWatermark(
        event.getReceivedAtUnixNanos() / 1_000_000 - SECONDS_OF_DISORDER * 1_000);
  }

  private static long millis(int second) {
    return NOON.plusSeconds(second).toEpochMilli();
  }

  private List<WanEpisode> episodes() throws Exception {
    List<WanEpisode> episodes = new ArrayList<>();
    for (LinkUpdate news : harness.extractOutputValues()) {
      if (news.episode().length > 0) {
        episodes.add(WanEpisode.parseFrom(news.episode()));
      }
    }
    return episodes;
  }

  private List<String> told() throws Exception {
    return episodes().stream()
        .map(episode -> episode.getKind() + " " + episode.getState() + " " + episode.getCause())
        .map(text -> text.replaceAll("KIND_|STATE_|CAUSE_", ""))
        .toList();
  }
}

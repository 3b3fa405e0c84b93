package io.tocsin.jobs.registrations;

import io.tocsin.correlation.registrations.Complaints;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.RegistrationRules;
import io.tocsin.correlation.registrations.RegistrationStep;
import io.tocsin.correlation.registrations.TrackedClient;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.Registration;
import java.io.IOException;
import java.time.Duration;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.metrics.Counter;
import org.apache.flink.streaming.api.TimerService;
import org.apache.flink.streaming.api.functions.co.KeyedCoProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Loads what is known of a MAC, asks {@link RegistrationRules}, saves the answer. No rule stands
 * here. Transitions are the output, {@link #OBSERVATIONS} go beside it.
 *
 * <p>A client that is silent for the time that the rules were told is forgotten by a timer; the
 * access of a MAC is kept while it is registered, so its number is that of the register.
 */
final class RegistrationFunction
    extends KeyedCoProcessFunction<String, Event, Device, Registration> {
  /** What the findings are made of. */
  static final OutputTag<Observation> OBSERVATIONS =
      new OutputTag<>("observations", TypeInformation.of(Observation.class));

  /** Counter: messages that came after the allowed lateness. */
  static final String LATE_MESSAGES_TOTAL = "late_messages_total";

  private static final int[] FAMILIES = {4, 6};
  private static final long NANOS_PER_MILLI = 1_000_000;

  private final Duration lateness;
  private final Duration repeatWindow;
  private final Duration forgetAfter;
  private transient RegistrationRules rules;
  private transient ValueState<TrackedClient> ipv4Client;
  private transient ValueState<TrackedClient> ipv6Client;
  private transient ValueState<Access> access;
  private transient Counter lateMessages;

  RegistrationFunction(Duration lateness, Duration repeatWindow, Duration forgetAfter) {
    this.lateness = lateness;
    this.repeatWindow = repeatWindow;
    this.forgetAfter = forgetAfter;
  }

  @Override
  public void open(OpenContext context) {
    rules = new RegistrationRules(lateness, repeatWindow, forgetAfter);
    ipv4Client = client("ipv4-client");
    ipv6Client = client("ipv6-client");
    access =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("access", TypeInformation.of(Access.class)));
    lateMessages = getRuntimeContext().getMetricGroup().counter(LATE_MESSAGES_TOTAL);
  }

  private ValueState<TrackedClient> client(String name) {
    return getRuntimeContext()
        .getState(new ValueStateDescriptor<>(name, TypeInformation.of(TrackedClient.class)));
  }

  @Override
  public void processElement1(Event event, Context context, Collector<Registration> out)
      throws IOException {
    if (event.getDhcp().getMac().isEmpty()) {
      Complaints.of(event).forEach(observed -> context.output(OBSERVATIONS, observed));
      return;
    }
    ValueState<TrackedClient> client = clientOf(RegistrationRules.familyOf(event));
    RegistrationStep step = rules.onMessage(client.value(), presentAccess(), event);
    step.observations().forEach(observed -> context.output(OBSERVATIONS, observed));
    follow(step, client, context.timerService(), out);
  }

  @Override
  public void processElement2(Device device, Context context, Collector<Registration> out)
      throws IOException {
    Access before = presentAccess();
    Access now = accessOf(device);
    if (now == Access.ACCESS_BLOCKED) {
      access.clear();
    } else {
      access.update(now);
    }
    if (before == now) {
      return;
    }
    for (int family : FAMILIES) {
      ValueState<TrackedClient> client = clientOf(family);
      RegistrationStep step =
          rules.onAccess(
              device.getMac(), family, client.value(), now, device.getImportedAtUnixNanos());
      follow(step, client, context.timerService(), out);
    }
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Registration> out)
      throws IOException {
    for (int family : FAMILIES) {
      ValueState<TrackedClient> client = clientOf(family);
      RegistrationStep step =
          rules.onTimer(
              context.getCurrentKey(),
              family,
              client.value(),
              presentAccess(),
              timestampMillis * NANOS_PER_MILLI);
      step.observations().forEach(observed -> context.output(OBSERVATIONS, observed));
      follow(step, client, context.timerService(), out);
    }
  }

  private ValueState<TrackedClient> clientOf(int family) {
    return family == 6 ? ipv6Client : ipv4Client;
  }

  /** Whoever is not registered is blocked; so is one whose access is newer than this build. */
  private static Access accessOf(Device device) {
    return switch (device.getAccess()) {
      case ACCESS_ALLOWED, ACCESS_QUARANTINED -> device.getAccess();
      default -> Access.ACCESS_BLOCKED;
    };
  }

  private Access presentAccess() throws IOException {
    Access known = access.value();
    return known == null ? Access.ACCESS_BLOCKED : known;
  }

  private void follow(
      RegistrationStep step,
      ValueState<TrackedClient> client,
      TimerService timers,
      Collector<Registration> out)
      throws IOException {
    client.update(step.state());
    step.decisions().forEach(out::collect);
    if (step.isTooLate()) {
      lateMessages.inc();
    }
    // Rounded up, so that the timer is not early.
    step.nextTimerUnixNanos()
        .ifPresent(nanos -> timers.registerEventTimeTimer(-Math.floorDiv(-nanos, NANOS_PER_MILLI)));
  }
}

package io.tocsin.jobs.registrations;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.registrations.ClientDecision;
import io.tocsin.correlation.registrations.ClientDecision.Forgotten;
import io.tocsin.correlation.registrations.ClientDecision.Transition;
import io.tocsin.correlation.registrations.Complaints;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.RegistrationRules;
import io.tocsin.correlation.registrations.TrackedClient;
import io.tocsin.events.v1.Event;
import io.tocsin.jobs.TimedValue;
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

  private final Duration lateness;
  private final Duration repeatWindow;
  private final Duration forgetAfter;
  private transient RegistrationRules rules;
  private transient TimedValue<TrackedClient> ipv4Client;
  private transient TimedValue<TrackedClient> ipv6Client;
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
    ipv4Client = TimedValue.oneOfSeveral(getRuntimeContext(), "ipv4-client", TrackedClient.class);
    ipv6Client = TimedValue.oneOfSeveral(getRuntimeContext(), "ipv6-client", TrackedClient.class);
    access =
        getRuntimeContext()
            .getState(new ValueStateDescriptor<>("access", TypeInformation.of(Access.class)));
    lateMessages = getRuntimeContext().getMetricGroup().counter(LATE_MESSAGES_TOTAL);
  }

  @Override
  public void processElement1(Event event, Context context, Collector<Registration> out)
      throws IOException {
    if (event.getDhcp().getMac().isEmpty()) {
      Complaints.of(event).forEach(observed -> context.output(OBSERVATIONS, observed));
      return;
    }
    TimedValue<TrackedClient> client = clientOf(RegistrationRules.familyOf(event));
    follow(rules.onMessage(client.value(), presentAccess(), event), client, context, out);
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
      TimedValue<TrackedClient> client = clientOf(family);
      follow(
          rules.onAccess(
              device.getMac(), family, client.value(), now, device.getImportedAtUnixNanos()),
          client,
          context,
          out);
    }
  }

  @Override
  public void onTimer(long timestampMillis, OnTimerContext context, Collector<Registration> out)
      throws IOException {
    for (int family : FAMILIES) {
      TimedValue<TrackedClient> client = clientOf(family);
      TrackedClient due = client.due(timestampMillis);
      if (due != null) {
        long now = Nanos.ofMillis(timestampMillis);
        follow(
            rules.onTimer(context.getCurrentKey(), family, due, presentAccess(), now),
            client,
            context,
            out);
      }
    }
  }

  private TimedValue<TrackedClient> clientOf(int family) {
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
      Step<TrackedClient, ClientDecision> step,
      TimedValue<TrackedClient> client,
      Context context,
      Collector<Registration> out)
      throws IOException {
    for (ClientDecision decision : step.decisions()) {
      if (decision instanceof Transition transition) {
        out.collect(transition.registration());
      } else if (decision instanceof Forgotten forgotten) {
        out.collect(forgotten.registration());
      } else if (decision instanceof Observation observation) {
        context.output(OBSERVATIONS, observation);
      } else {
        lateMessages.inc();
      }
    }
    client.save(step, context.timerService());
  }
}

package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.correlation.alerts.StormGroup.Opening;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Makes one alert of many that open at once and share their source, their site or their check's
 * class, in this order. A check's class is its name up to the first space or one of {@code .:/([}.
 *
 * <p>Only openings that nothing else explains count, and an alert belongs to one storm at most.
 */
final class Storms {
  private static final String CLASS_ENDS = " .:/([";

  private final StormLimits limits;
  private final GateState state;

  Storms(StormLimits limits, GateState state) {
    this.limits = limits;
    this.state = state;
  }

  /** A group that an alert belongs to. */
  private record Membership(String kind, String value) {
    String key() {
      return kind + "=" + value;
    }
  }

  private static List<Membership> groupsOf(Alert alert) {
    List<Membership> groups = new ArrayList<>();
    groups.add(new Membership("source", alert.getSource()));
    groups.add(new Membership("site", alert.getSite()));
    groups.add(new Membership("check", classOf(alert.getCheck())));
    groups.removeIf(group -> group.value().isEmpty());
    return groups;
  }

  static String classOf(String check) {
    for (int i = 0; i < check.length(); i++) {
      if (CLASS_ENDS.indexOf(check.charAt(i)) >= 0) {
        return check.substring(0, i);
      }
    }
    return check;
  }

  /**
   * What a storm that begins asks for: its reason, and the alerts that opened before it was one.
   */
  record Beginning(Reason reason, List<String> members) {}

  /**
   * Counts an opening that nothing explains.
   *
   * @return the storm that it belongs to; with the members that the storm has from its beginning,
   *     the alert itself not among them
   */
  Optional<Beginning> onOpened(Alert alert, long now, GateStep step) {
    for (Membership membership : groupsOf(alert)) {
      StormGroup group =
          Optional.ofNullable(state.group(membership.key()))
              .orElse(StormGroup.EMPTY)
              .opening(alert.getFingerprint(), now, limits);
      step.wakeAt(limits.tickAfter(now));
      if (group.storm() != null && group.recent().size() > limits.few()) {
        Storm joined = group.storm().joinedBy(alert, now, limits.few());
        put(membership.key(), group, news(joined, now, step));
        return Optional.of(new Beginning(reason(membership), List.of()));
      }
      if (group.storm() == null && group.recent().size() > limits.opens()) {
        group = group.without(group.recent().stream().filter(this::isInStorm).toList());
      }
      if (group.storm() == null && group.recent().size() > limits.opens()) {
        return Optional.of(begin(membership, group, alert, now, step));
      }
      state.putGroup(membership.key(), group);
    }
    return Optional.empty();
  }

  private static Reason reason(Membership membership) {
    return Reason.storm(membership.key(), Storm.fingerprint(membership.kind(), membership.value()));
  }

  private boolean isInStorm(Opening opening) {
    GatedAlert alert = state.alert(opening.fingerprint());
    return alert != null && alert.storm().isPresent();
  }

  private Beginning begin(
      Membership membership, StormGroup group, Alert newest, long now, GateStep step) {
    Storm storm =
        Storm.of(
            membership.kind(), membership.value(), group.recent().get(0).atUnixNanos(), newest);
    List<String> others = new ArrayList<>();
    for (Opening opening : group.recent()) {
      if (opening.fingerprint().equals(newest.getFingerprint())) {
        continue;
      }
      others.add(opening.fingerprint());
      GatedAlert member = state.alert(opening.fingerprint());
      storm =
          member != null && member.isActive()
              ? storm.joinedBy(member.own(), opening.atUnixNanos(), limits.few())
              : storm.joinedByOneThatIsOver();
    }
    storm = storm.joinedBy(newest, now, limits.few());
    put(membership.key(), group, tell(storm, AlertTransition.ALERT_TRANSITION_OPENED, now, step));
    return new Beginning(reason(membership), others);
  }

  /** A member of a storm that lasts is active again: it is no new one. */
  void onReopened(Reason storm, long now, GateStep step) {
    onOpenMembers(storm, 1, now, step);
  }

  /** A member is over. */
  void onClosed(Reason storm, long now, GateStep step) {
    onOpenMembers(storm, -1, now, step);
  }

  private void onOpenMembers(Reason reason, int change, long now, GateStep step) {
    StormGroup group = state.group(reason.name());
    if (group == null || group.storm() == null) {
      throw new IllegalStateException("an alert belongs to " + reason + ", which is over");
    }
    Storm storm =
        group.storm().withOpenMembers(group.storm().openMembers() + change, now, limits.few());
    put(reason.name(), group, news(storm, now, step));
    step.wakeAt(limits.tickAfter(now));
  }

  /**
   * Ends storms that have been small for a window, tells news that are due, and forgets groups in
   * which nothing opened for a window.
   *
   * @return names of the storms that are over, with their last alert, which the gate tells when
   *     their members have been told
   */
  Map<String, Alert> onTick(long now, GateStep step) {
    Map<String, Alert> over = new TreeMap<>();
    for (String key : state.groups()) {
      StormGroup group = state.group(key).since(now - limits.windowNanos());
      Storm storm = group.storm();
      if (storm != null && storm.fewSinceUnixNanos() <= now - limits.windowNanos()) {
        over.put(key, storm.told(AlertTransition.ALERT_TRANSITION_RESOLVED, now).own());
        storm = null;
      } else if (storm != null
          && storm.members() != storm.toldMembers()
          && group.recent().isEmpty()) {
        storm = tell(storm, AlertTransition.ALERT_TRANSITION_MEMBERS_CHANGED, now, step);
      }
      if (storm == null && group.recent().isEmpty()) {
        state.removeGroup(key);
      } else {
        put(key, group, storm);
        // A storm of many waits for its members, not for time.
        if (!group.recent().isEmpty() || storm.fewSinceUnixNanos() != Long.MAX_VALUE) {
          step.wakeAt(limits.tickAfter(now));
        }
      }
    }
    return over;
  }

  /** Tells of its members when they have doubled, and at most once an interval otherwise. */
  private Storm news(Storm storm, long now, GateStep step) {
    boolean isDue =
        storm.members() >= 2 * storm.toldMembers()
            || now - storm.toldAtUnixNanos() >= limits.tellIntervalNanos();
    return isDue ? tell(storm, AlertTransition.ALERT_TRANSITION_MEMBERS_CHANGED, now, step) : storm;
  }

  private static Storm tell(Storm storm, AlertTransition transition, long now, GateStep step) {
    Storm told = storm.told(transition, now);
    step.tell(told.own());
    return told;
  }

  private void put(String key, StormGroup group, Storm storm) {
    state.putGroup(key, group.with(storm));
  }
}

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

  /**
   * So many windows an opening may be read late, from a partition that was slow, and still count.
   */
  private static final int LATE_WINDOWS = 2;

  private final StormLimits limits;
  private final GateState state;
  private final DueGroups due = new DueGroups();

  Storms(StormLimits limits, GateState state) {
    this.limits = limits;
    this.state = state;
    state
        .groups()
        .forEach(key -> due.at(state.group(key).changesAt(limits, rememberedNanos()), key));
  }

  private long rememberedNanos() {
    return (1 + LATE_WINDOWS) * limits.windowNanos();
  }

  private void put(String key, StormGroup group) {
    state.putGroup(key, group);
    due.at(group.changesAt(limits, rememberedNanos()), key);
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
   * @param now when it opened, by the agents' clock
   * @param clock event time the stream has reached
   * @return the storm that it belongs to; with the members that the storm has from its beginning,
   *     the alert itself not among them
   */
  Optional<Beginning> onOpened(Alert alert, long now, long clock, GateLog log) {
    for (Membership membership : groupsOf(alert)) {
      StormGroup group =
          Optional.ofNullable(state.group(membership.key()))
              .orElse(StormGroup.EMPTY)
              .opening(alert.getFingerprint(), now, Math.max(now, clock));
      log.wakeAt(limits.tickAfter(now));
      List<Opening> together = group.together(now, limits);
      if (group.storm() != null && together.size() > limits.few()) {
        group.storm().join(alert, now, limits.few());
        emitIfDue(group.storm(), now, log);
        put(membership.key(), group.newest(limits));
        return Optional.of(new Beginning(reason(membership), List.of()));
      }
      if (group.storm() == null && together.size() > limits.opens()) {
        group = group.without(together.stream().filter(this::isInStorm).toList());
        together = group.together(now, limits);
      }
      if (group.storm() == null && together.size() > limits.opens()) {
        return Optional.of(begin(membership, group.with(together), alert, now, log));
      }
      put(membership.key(), group.newest(limits));
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
      Membership membership, StormGroup group, Alert newest, long now, GateLog log) {
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
      if (member != null && member.isActive()) {
        storm.join(member.own(), opening.atUnixNanos(), limits.few());
      } else {
        storm.joinOver();
      }
    }
    storm.join(newest, now, limits.few());
    log.emit(storm.transition(AlertTransition.ALERT_TRANSITION_OPENED, now));
    put(membership.key(), group.with(storm));
    return new Beginning(reason(membership), others);
  }

  /** A member of a storm that lasts is active again: it is no new one. */
  void onReopened(Reason storm, long now, GateLog log) {
    onOpenMembers(storm, 1, now, log);
  }

  /** A member is over. */
  void onClosed(Reason storm, long now, GateLog log) {
    onOpenMembers(storm, -1, now, log);
  }

  private void onOpenMembers(Reason reason, int change, long now, GateLog log) {
    StormGroup group = state.group(reason.name());
    if (group == null || group.storm() == null) {
      throw new IllegalStateException("an alert belongs to " + reason + ", which is over");
    }
    Storm storm = group.storm();
    storm.setOpenMembers(storm.openMembers + change, now, limits.few());
    emitIfDue(storm, now, log);
    put(reason.name(), group);
    log.wakeAt(limits.tickAfter(now));
  }

  /**
   * Ends storms that have been small for a window, emits what is due, and forgets groups in which
   * nothing opened for so long that nothing late can join it.
   *
   * @return names of the storms that are over, with their last alert, which the gate emits after
   *     those of their members
   */
  Map<String, Alert> onTick(long now, GateLog log) {
    Map<String, Alert> over = new TreeMap<>();
    for (String key : due.take(now)) {
      StormGroup group = state.group(key).readSince(now - rememberedNanos());
      boolean isCalm = group.readSince(now - limits.windowNanos()).recent().isEmpty();
      Storm storm = group.storm();
      if (storm != null && storm.fewSinceUnixNanos <= now - limits.windowNanos()) {
        over.put(key, storm.transition(AlertTransition.ALERT_TRANSITION_RESOLVED, now));
        storm = null;
      } else if (storm != null && storm.members() != storm.emittedMembers && isCalm) {
        log.emit(storm.transition(AlertTransition.ALERT_TRANSITION_MEMBERS_CHANGED, now));
      }
      if (storm == null && group.recent().isEmpty()) {
        state.removeGroup(key);
      } else {
        put(key, group.with(storm));
      }
    }
    if (!due.isEmpty()) {
      log.wakeAt(limits.tickAfter(Math.max(now, due.first() - 1)));
    }
    return over;
  }

  /** The storm that an alert of the topic is, while it lasts; null for anything else. */
  Alert held(Alert told) {
    StormGroup group = state.group(groupOf(told));
    return group == null || group.storm() == null ? null : group.storm().own();
  }

  /** The storm of a fingerprint that lasts, null where there is none. */
  Alert active(String fingerprint) {
    for (String key : state.groups()) {
      Storm storm = state.group(key).storm();
      if (storm != null && storm.own().getFingerprint().equals(fingerprint)) {
        return storm.own();
      }
    }
    return null;
  }

  /** The next version of a storm that lasts. */
  Alert next(Alert lasting, AlertTransition transition, long now) {
    String key = groupOf(lasting);
    StormGroup group = state.group(key);
    Alert next = group.storm().transition(transition, now);
    put(key, group);
    return next;
  }

  /** Tells a storm that lasts with a version above the one that the topic has. */
  void tellAgain(Alert told, long now, GateLog log) {
    long version = Math.max(now, told.getVersion() + 1);
    log.emit(next(told, AlertTransition.ALERT_TRANSITION_MEMBERS_CHANGED, version));
  }

  /** Whether an alert of the topic is a storm. */
  static boolean isStorm(Alert told) {
    return told.getFingerprintFieldsMap().containsKey("storm");
  }

  /** Key of the group whose storm an alert of the topic is; of no group for anything else. */
  private static String groupOf(Alert told) {
    Map<String, String> fields = told.getFingerprintFieldsMap();
    String kind = fields.getOrDefault("storm", "");
    return new Membership(kind, fields.getOrDefault(kind, "")).key();
  }

  /** Emits its members when they have doubled, and at most once an interval otherwise. */
  private void emitIfDue(Storm storm, long now, GateLog log) {
    if (storm.members() >= 2 * storm.emittedMembers
        || now - storm.emittedAtUnixNanos >= limits.tellIntervalNanos()) {
      log.emit(storm.transition(AlertTransition.ALERT_TRANSITION_MEMBERS_CHANGED, now));
    }
  }
}

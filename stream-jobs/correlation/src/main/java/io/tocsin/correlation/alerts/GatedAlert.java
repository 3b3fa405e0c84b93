package io.tocsin.correlation.alerts;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.HeldBack;
import io.tocsin.correlation.alerts.Reason.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What the gate remembers of one alert, as long as it is active or belongs to a storm that lasts.
 *
 * @param alert bytes of the alert as the alert rules have it, whatever explains it; empty for the
 *     member of a storm that was over before the storm was seen
 * @param isActive whether it has not ended
 * @param reasons why it pages nobody; empty for an alert that pages
 * @param version last one that was emitted
 */
public record GatedAlert(byte[] alert, boolean isActive, List<Reason> reasons, long version) {
  private static final byte[] NOTHING = {};

  /** Reasons that are told. */
  private static final int TOLD_REASONS = 8;

  static boolean isActive(Alert alert) {
    return alert.getState() == AlertState.ALERT_STATE_OPEN
        || alert.getState() == AlertState.ALERT_STATE_FLAPPING;
  }

  /** An alert as the alert rules have it now, explained as before. */
  static GatedAlert of(Alert alert, GatedAlert before) {
    boolean isNew = before == null;
    return new GatedAlert(
        dated(alert, before).toByteArray(),
        isActive(alert),
        isNew ? List.of() : before.reasons,
        isNew ? alert.getVersion() : Math.max(alert.getVersion(), before.version + 1));
  }

  /** With when it opened, last became worse and was held back, which its transitions do not say. */
  private static Alert dated(Alert alert, GatedAlert before) {
    Alert.Builder dated = alert.toBuilder().clearHeldBack();
    if (before == null || !before.isActive) {
      dated.setOpenedAtUnixNanos(alert.getVersion()).setWorseSinceUnixNanos(alert.getVersion());
      if (before != null) {
        dated.addAllHeldBack(heldBack(before.reasons, List.of(), alert.getVersion()));
      }
      return dated.build();
    }
    Alert earlier = before.own();
    boolean isWorse = alert.getSeverityValue() > earlier.getSeverityValue();
    return dated
        .setOpenedAtUnixNanos(earlier.getOpenedAtUnixNanos())
        .setWorseSinceUnixNanos(isWorse ? alert.getVersion() : earlier.getWorseSinceUnixNanos())
        .addAllHeldBack(earlier.getHeldBackList())
        .build();
  }

  /** What is told of reasons: one that was there before keeps its time. */
  private static List<HeldBack> heldBack(List<Reason> reasons, List<HeldBack> before, long now) {
    return reasons.stream()
        .limit(TOLD_REASONS)
        .map(
            reason ->
                HeldBack.newBuilder()
                    .setCause(reason.cause())
                    .setName(reason.name())
                    .setSinceUnixNanos(
                        before.stream()
                            .filter(reason::isToldBy)
                            .mapToLong(HeldBack::getSinceUnixNanos)
                            .findFirst()
                            .orElse(now))
                    .build())
        .toList();
  }

  static GatedAlert overBeforeItsStorm(Reason storm) {
    return new GatedAlert(NOTHING, false, List.of(storm), 0);
  }

  /** With other reasons; those that begin do so now. */
  GatedAlert explainedBy(List<Reason> others, long nowUnixNanos) {
    if (others.equals(reasons)) {
      return this;
    }
    Alert own = own();
    List<HeldBack> told = heldBack(others, own.getHeldBackList(), nowUnixNanos);
    byte[] explained = own.toBuilder().clearHeldBack().addAllHeldBack(told).build().toByteArray();
    return new GatedAlert(explained, isActive, List.copyOf(others), version);
  }

  GatedAlert nextVersion() {
    return nextVersionAfter(version);
  }

  GatedAlert nextVersionAfter(long other) {
    return new GatedAlert(alert, isActive, reasons, Math.max(version, other) + 1);
  }

  Optional<Reason> storm() {
    return reasons.stream().filter(reason -> reason.kind() == Kind.STORM).findFirst();
  }

  /** Reasons that policies give, then the storm that it belongs to. */
  List<Reason> withPolicies(List<Reason> policies) {
    List<Reason> all = new ArrayList<>(policies);
    storm().ifPresent(all::add);
    return all;
  }

  List<Reason> withoutStorm() {
    return reasons.stream().filter(reason -> reason.kind() != Kind.STORM).toList();
  }

  boolean isSuppressed() {
    return isActive && !reasons.isEmpty();
  }

  String cause() {
    return reasons.isEmpty() ? "" : reasons.get(0).cause();
  }

  private String stormId() {
    return storm().map(reason -> reason.explainedBy().get(0)).orElse("");
  }

  /** The alert as the alert rules have it. */
  Alert own() {
    try {
      return Alert.parseFrom(alert);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the state of the gate holds bytes that are no alert", e);
    }
  }

  /** The alert as it is emitted. */
  Alert toAlert() {
    return toAlert(own());
  }

  /** The alert as it is emitted, with a transition that the gate adds. */
  Alert toAlert(AlertTransition transition) {
    return toAlert(own().toBuilder().setTransition(transition).build());
  }

  private Alert toAlert(Alert own) {
    return own.toBuilder()
        .setState(isSuppressed() ? AlertState.ALERT_STATE_SUPPRESSED : own.getState())
        .setVersion(version)
        .setStormId(stormId())
        .setCause(cause())
        .build();
  }
}

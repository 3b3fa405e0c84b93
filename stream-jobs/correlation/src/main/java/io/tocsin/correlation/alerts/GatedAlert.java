package io.tocsin.correlation.alerts;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
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

  /** With when it opened and last became worse, which its transitions do not say. */
  private static Alert dated(Alert alert, GatedAlert before) {
    if (before == null || !before.isActive) {
      return alert.toBuilder()
          .setOpenedAtUnixNanos(alert.getVersion())
          .setWorseSinceUnixNanos(alert.getVersion())
          .build();
    }
    Alert earlier = before.own();
    boolean isWorse = alert.getSeverityValue() > earlier.getSeverityValue();
    return alert.toBuilder()
        .setOpenedAtUnixNanos(earlier.getOpenedAtUnixNanos())
        .setWorseSinceUnixNanos(isWorse ? alert.getVersion() : earlier.getWorseSinceUnixNanos())
        .build();
  }

  static GatedAlert overBeforeItsStorm(Reason storm) {
    return new GatedAlert(NOTHING, false, List.of(storm), 0);
  }

  GatedAlert explainedBy(List<Reason> others) {
    return new GatedAlert(alert, isActive, List.copyOf(others), version);
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

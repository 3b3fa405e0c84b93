package io.tocsin.correlation.alerts;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Many alerts that opened at once, emitted as one: with the worst severity, and the site and the
 * labels that all of them share. Times are Unix nanoseconds by the agents' clock.
 */
public final class Storm {
  private static final int NAMED_MEMBERS = 5;

  /** Who says that there is a storm of a site or a check; one of a source is that source's. */
  static final String OWN_SOURCE = "tocsin";

  /** Bytes of its alert. */
  public byte[] alert = {};

  /** Some members, for people. */
  public List<String> firstNames = new ArrayList<>();

  /** Members that are still active. */
  public int openMembers;

  /** Members when it was emitted last. */
  public int emittedMembers;

  /** When it was emitted last. */
  public long emittedAtUnixNanos;

  /** Since when few of them have been active; {@link Long#MAX_VALUE} while they are many. */
  public long fewSinceUnixNanos = Long.MAX_VALUE;

  /** For Flink, which makes it by its fields. */
  public Storm() {}

  /**
   * A storm without members.
   *
   * @param kind what its members share: {@code source}, {@code site} or {@code check}
   * @param value of it
   * @param startedAt first opening
   * @param like one of its members
   */
  static Storm of(String kind, String value, long startedAt, Alert like) {
    Alert alert =
        Alert.newBuilder()
            .setFingerprint(fingerprint(kind, value))
            .putAllFingerprintFields(fields(kind, value))
            .setState(AlertState.ALERT_STATE_OPEN)
            .setSeverity(like.getSeverity())
            .setSource(kind.equals("source") ? value : OWN_SOURCE)
            .setCheck("storm")
            .setRunbook("storm")
            .setSite(like.getSite())
            .putAllLabels(like.getLabelsMap())
            .setFirstSeenUnixNanos(startedAt)
            .setLastSeenUnixNanos(startedAt)
            .setOpenedAtUnixNanos(startedAt)
            .setWorseSinceUnixNanos(startedAt)
            .build();
    Storm storm = new Storm();
    storm.alert = alert.toByteArray();
    storm.emittedAtUnixNanos = startedAt;
    return storm;
  }

  static String fingerprint(String kind, String value) {
    return Fingerprint.of(fields(kind, value));
  }

  private static Map<String, String> fields(String kind, String value) {
    return Map.of("storm", kind, kind, value);
  }

  /** One more member, which is active. */
  void join(Alert member, long now, int few) {
    Alert before = own();
    Map<String, String> shared = new HashMap<>(before.getLabelsMap());
    shared.entrySet().retainAll(member.getLabelsMap().entrySet());
    if (firstNames.size() < NAMED_MEMBERS) {
      firstNames.add((member.getDevice() + " " + member.getCheck()).strip());
    }
    Alert.Builder next =
        before.toBuilder()
            .clearLabels()
            .putAllLabels(shared)
            .setLastSeenUnixNanos(Math.max(before.getLastSeenUnixNanos(), now))
            .setMemberCount(before.getMemberCount() + 1)
            .setUpdateCount(before.getUpdateCount() + 1)
            .setEventId(member.getEventId());
    if (before.getRaisedByCount() < Occurrence.MOST_EVENTS && !member.getEventId().isEmpty()) {
      next.addRaisedBy(member.getEventId());
    }
    if (member.getSeverityValue() > before.getSeverityValue()) {
      next.setSeverity(member.getSeverity()).setWorseSinceUnixNanos(now);
    }
    if (!member.getSite().equals(before.getSite())) {
      next.clearSite();
    }
    alert = next.build().toByteArray();
    setOpenMembers(openMembers + 1, now, few);
  }

  /** One more member, which is over already. */
  void joinOver() {
    Alert before = own();
    alert =
        before.toBuilder()
            .setMemberCount(before.getMemberCount() + 1)
            .setUpdateCount(before.getUpdateCount() + 1)
            .build()
            .toByteArray();
  }

  void setOpenMembers(int count, long now, int few) {
    fewSinceUnixNanos = count > few ? Long.MAX_VALUE : Math.min(fewSinceUnixNanos, now);
    openMembers = count;
  }

  /** The next version of its alert, with what is known now. */
  Alert transition(AlertTransition transition, long now) {
    Alert before = own();
    Alert.Builder next =
        before.toBuilder()
            .setTransition(transition)
            .setVersion(Math.max(before.getVersion() + 1, now))
            .setSummary(summary(before));
    if (transition == AlertTransition.ALERT_TRANSITION_RESOLVED) {
      next.setState(AlertState.ALERT_STATE_RESOLVED)
          .setResolvedAtUnixNanos(Math.max(now, before.getLastSeenUnixNanos()));
    }
    Alert emitted = next.build();
    alert = emitted.toByteArray();
    emittedMembers = before.getMemberCount();
    emittedAtUnixNanos = now;
    return emitted;
  }

  private String summary(Alert alert) {
    String kind = alert.getFingerprintFieldsOrThrow("storm");
    int others = alert.getMemberCount() - firstNames.size();
    return String.format(
        Locale.ROOT,
        "storm: %d alerts of %s %s, %d still open: %s%s",
        alert.getMemberCount(),
        kind,
        alert.getFingerprintFieldsOrThrow(kind),
        openMembers,
        String.join(", ", firstNames),
        others > 0 ? " and " + others + " more" : "");
  }

  int members() {
    return own().getMemberCount();
  }

  /** The storm as an alert, as it was emitted last. */
  Alert own() {
    try {
      return Alert.parseFrom(alert);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the state of a storm holds bytes that are no alert", e);
    }
  }
}

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
 * Many alerts that opened at once, told as one: with the worst severity, and the site and the
 * labels that all of them share. Times are Unix nanoseconds by the agents' clock.
 *
 * @param alert bytes of the alert that is told of it
 * @param firstNames of some members, for people
 * @param openMembers members that are still active
 * @param toldMembers members when it was told last
 * @param toldAtUnixNanos when it was told last
 * @param fewSinceUnixNanos since when few of them have been active; {@link Long#MAX_VALUE} while
 *     they are many
 */
public record Storm(
    byte[] alert,
    List<String> firstNames,
    int openMembers,
    int toldMembers,
    long toldAtUnixNanos,
    long fewSinceUnixNanos) {
  private static final int NAMED_MEMBERS = 5;

  /** Who says that there is a storm of a site or a check; one of a source is that source's. */
  private static final String OWN_SOURCE = "tocsin";

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
            .build();
    return new Storm(alert.toByteArray(), List.of(), 0, 0, startedAt, Long.MAX_VALUE);
  }

  static String fingerprint(String kind, String value) {
    return Fingerprint.of(fields(kind, value));
  }

  private static Map<String, String> fields(String kind, String value) {
    return Map.of("storm", kind, kind, value);
  }

  /** One more member, which is active. */
  Storm joinedBy(Alert member, long now, int few) {
    Alert before = own();
    Map<String, String> shared = new HashMap<>(before.getLabelsMap());
    shared.entrySet().retainAll(member.getLabelsMap().entrySet());
    List<String> names = new ArrayList<>(firstNames);
    if (names.size() < NAMED_MEMBERS) {
      names.add((member.getDevice() + " " + member.getCheck()).strip());
    }
    Alert.Builder next =
        before.toBuilder()
            .clearLabels()
            .putAllLabels(shared)
            .setLastSeenUnixNanos(Math.max(before.getLastSeenUnixNanos(), now))
            .setMemberCount(before.getMemberCount() + 1)
            .setUpdateCount(before.getUpdateCount() + 1)
            .setEventId(member.getEventId());
    if (member.getSeverityValue() > before.getSeverityValue()) {
      next.setSeverity(member.getSeverity());
    }
    if (!member.getSite().equals(before.getSite())) {
      next.clearSite();
    }
    return with(next.build(), names).withOpenMembers(openMembers + 1, now, few);
  }

  /** One more member, which is over already. */
  Storm joinedByOneThatIsOver() {
    Alert before = own();
    return with(
        before.toBuilder()
            .setMemberCount(before.getMemberCount() + 1)
            .setUpdateCount(before.getUpdateCount() + 1)
            .build(),
        firstNames);
  }

  private Storm with(Alert next, List<String> names) {
    return new Storm(
        next.toByteArray(), names, openMembers, toldMembers, toldAtUnixNanos, fewSinceUnixNanos);
  }

  Storm withOpenMembers(int count, long now, int few) {
    long fewSince = count > few ? Long.MAX_VALUE : Math.min(fewSinceUnixNanos, now);
    return new Storm(alert, firstNames, count, toldMembers, toldAtUnixNanos, fewSince);
  }

  /** Tells of it: the next version, with what is known now. */
  Storm told(AlertTransition transition, long now) {
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
    return new Storm(
        next.build().toByteArray(),
        firstNames,
        openMembers,
        before.getMemberCount(),
        now,
        fewSinceUnixNanos);
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

  /** The storm as an alert, as it was told last. */
  Alert own() {
    try {
      return Alert.parseFrom(alert);
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("the state of a storm holds bytes that are no alert", e);
    }
  }
}

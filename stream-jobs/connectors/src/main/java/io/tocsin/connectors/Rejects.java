package io.tocsin.connectors;

import com.google.protobuf.ByteString;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.LeaseLatency;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.rejects.v1.Reason;
import io.tocsin.rejects.v1.Reject;
import io.tocsin.rejects.v1.Stage;
import io.tocsin.wan.v1.WanEpisode;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.TimeUnit;

/**
 * Makes events with a reject as their body from what the jobs cannot take. Every event made here
 * fits table {@code rejects} and stays there: values that would not fit are dropped, because
 * nothing comes after a reject, and a time of receipt that retention would take at once becomes the
 * present.
 */
public final class Rejects {
  private static final int IPV6_BYTES = 16;

  /** No clock that was ever set says a time before Tocsin was written. */
  private static final long EARLIEST_UNIX_NANOS = unixNanos("2026-01-01T00:00:00Z");

  /** Before the end of a DateTime of 32 bits, by which retention counts. */
  private static final long LATEST_UNIX_NANOS = unixNanos("2100-01-01T00:00:00Z");

  private Rejects() {}

  /**
   * For a Kafka record that is not its topic's message, in the archive. Its place in Kafka is its
   * id, so reading it again gives the same one.
   *
   * @param record whose key is the device by Tocsin's convention
   * @param detail one sentence for a person
   */
  public static Event undecodable(TopicRecord record, String detail) {
    // Saturates, so that no timestamp becomes one that the table cannot hold.
    long unixNanos = TimeUnit.MILLISECONDS.toNanos(Math.max(0, record.timestampMillis()));
    byte[] value = record.value();
    return Event.newBuilder()
        .setEventId(record.place())
        .setReceivedAtUnixNanos(receivedAt(unixNanos))
        .setEventTimeUnixNanos(unixNanos)
        .setDevice(new String(record.key(), StandardCharsets.UTF_8))
        .setRaw(ByteString.copyFrom(value))
        .setReject(reject(Stage.STAGE_ARCHIVE, Reason.REASON_UNDECODABLE, value.length, detail))
        .build();
  }

  /**
   * For an event whose values do not fit its table, in the archive. It keeps its identity and its
   * bytes.
   */
  public static Event invalid(Event event, String detail) {
    Event.Builder reject =
        event.toBuilder()
            .setReceivedAtUnixNanos(receivedAt(event.getReceivedAtUnixNanos()))
            .setEventTimeUnixNanos(Math.max(0, event.getEventTimeUnixNanos()))
            .setReject(
                reject(
                    Stage.STAGE_ARCHIVE,
                    Reason.REASON_INVALID_VALUE,
                    event.getRaw().size(),
                    detail));
    if (event.getSourceIp().size() != IPV6_BYTES) {
      reject.clearSourceIp();
    }
    return reject.build();
  }

  /**
   * For an alert of the alerts job whose values do not fit table {@code alert_history}; the bytes
   * are those of the alert.
   */
  public static Event invalid(Alert alert, String detail) {
    return ofRow(
            alert.getEventId(),
            alert.getLastSeenUnixNanos(),
            alert.toByteString(),
            Stage.STAGE_ALERTS,
            detail)
        .setDevice(alert.getDevice())
        .setSite(alert.getSite())
        .build();
  }

  /**
   * For a transition of a registration whose values do not fit table {@code registration_history}.
   */
  public static Event invalid(Registration registration, String detail) {
    return ofRow(
            registration.getEventId(),
            registration.getChangedAtUnixNanos(),
            registration.toByteString(),
            Stage.STAGE_REGISTRATIONS,
            detail)
        .setDevice(registration.getMac())
        .setSite(registration.getSite())
        .build();
  }

  /** For a transition of an episode whose values do not fit table {@code wan_episodes}. */
  public static Event invalid(WanEpisode episode, String detail) {
    return ofRow(
            episode.getEventId(),
            episode.getChangedAtUnixNanos(),
            episode.toByteString(),
            Stage.STAGE_WAN,
            detail)
        .setDevice(episode.getDevice())
        .setSite(episode.getSite())
        .build();
  }

  /** For an answer of a DHCP server whose values do not fit table {@code lease_latencies}. */
  public static Event invalid(LeaseLatency answer, String detail) {
    return ofRow(
            answer.getEventId(),
            answer.getEventTimeUnixNanos(),
            answer.toByteString(),
            Stage.STAGE_REGISTRATIONS,
            detail)
        .setDevice(answer.getMac())
        .setSite(answer.getSite())
        .build();
  }

  /**
   * For what a correlation told and whose values do not fit its table; device and site are still to
   * be set.
   *
   * @param eventId event that caused the row
   * @param unixNanos event time of the row
   * @param bytes what the row was to be made of
   * @param stage job that made it
   * @param detail one sentence for a person
   */
  private static Event.Builder ofRow(
      String eventId, long unixNanos, ByteString bytes, Stage stage, String detail) {
    return Event.newBuilder()
        .setEventId(eventId)
        .setEventTimeUnixNanos(Math.max(0, unixNanos))
        .setReceivedAtUnixNanos(receivedAt(unixNanos))
        .setRaw(bytes)
        .setReject(reject(stage, Reason.REASON_INVALID_VALUE, bytes.size(), detail));
  }

  private static long unixNanos(String instant) {
    return TimeUnit.SECONDS.toNanos(Instant.parse(instant).getEpochSecond());
  }

  private static long receivedAt(long unixNanos) {
    return unixNanos >= EARLIEST_UNIX_NANOS && unixNanos < LATEST_UNIX_NANOS
        ? unixNanos
        : TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  private static Reject reject(Stage stage, Reason reason, int originalBytes, String detail) {
    return Reject.newBuilder()
        .setStage(stage)
        .setReason(reason)
        .setDetail(detail)
        .setOriginalBytes(originalBytes)
        .build();
  }
}

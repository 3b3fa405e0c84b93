package io.tocsin.integration;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.protobuf.ByteString;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Event.BodyCase;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What many events hold, so that it can be compared without holding it: computed here from Kafka
 * and by ClickHouse from its table, two ways that share no code.
 *
 * @param rows number of events
 * @param distinctIds number of different event ids
 * @param checksum sum of the first eight bytes of MD5 over id, bytes as received, and for syslog
 *     the message; modulo 2^64, hexadecimal
 */
record Content(long rows, long distinctIds, String checksum) {
  /** Table of each kind of event. */
  static final Map<BodyCase, String> TABLES =
      Map.of(
          BodyCase.SYSLOG, "tocsin.syslog",
          BodyCase.SEQUENCE_GAP, "tocsin.sequence_gaps",
          BodyCase.ALERT_UPDATE, "tocsin.alert_updates",
          BodyCase.DHCP, "tocsin.dhcp",
          BodyCase.AGENT_STATS, "tocsin.agent_stats",
          BodyCase.REJECT, "tocsin.rejects");

  private static final Content NONE = new Content(0, 0, "0");

  /** What topics hold of the events that were received until then, by kind of event. */
  static Map<BodyCase, Content> ofTopics(Topics topics, List<String> names, Instant until) {
    long untilNanos = nanos(until);
    Map<BodyCase, Sum> sums = new EnumMap<>(BodyCase.class);
    for (String name : names) {
      topics.forEach(
          name,
          Event.parser(),
          event -> {
            if (event.getReceivedAtUnixNanos() <= untilNanos) {
              sums.computeIfAbsent(event.getBodyCase(), kind -> new Sum()).add(event);
            }
          });
    }
    Map<BodyCase, Content> contents = new EnumMap<>(BodyCase.class);
    TABLES.keySet().forEach(kind -> contents.put(kind, NONE));
    sums.forEach((kind, sum) -> contents.put(kind, sum.content()));
    return contents;
  }

  /** What the table of a kind of event holds of those that were received until then. */
  static Content ofTable(ClickHouseClient clickHouse, BodyCase kind, Instant until) {
    String message = kind == BodyCase.SYSLOG ? ", message" : "";
    JsonNode row =
        clickHouse
            .rows(
                "SELECT count(), uniqExact(event_id), lower(hex(sum(reinterpretAsUInt64(substring(MD5(concat(event_id, raw%s)), 1, 8)))))"
                        .formatted(message)
                    + " FROM %s WHERE received_at <= fromUnixTimestamp64Nano(toInt64(%d))"
                        .formatted(TABLES.get(kind), nanos(until)))
            .path(0);
    String checksum = row.path(2).asText().replaceFirst("^0+(?=.)", "");
    return new Content(row.path(0).asLong(), row.path(1).asLong(), checksum);
  }

  private static long nanos(Instant time) {
    return ChronoUnit.NANOS.between(Instant.EPOCH, time);
  }

  /** Adds up events of one kind. */
  private static final class Sum {
    private final MessageDigest md5 = md5();
    private long[] idHashes = new long[1 << 10];
    private int rows;
    private long checksum;

    void add(Event event) {
      if (rows == idHashes.length) {
        idHashes = Arrays.copyOf(idHashes, 2 * rows);
      }
      byte[] id = event.getEventIdBytes().toByteArray();
      idHashes[rows++] = first8Bytes(md5.digest(id));
      md5.update(id);
      update(event.getRaw());
      if (event.hasSyslog()) {
        md5.update(event.getSyslog().getMessage().getBytes(StandardCharsets.UTF_8));
      }
      checksum += first8Bytes(md5.digest());
    }

    private void update(ByteString bytes) {
      bytes.asReadOnlyByteBufferList().forEach(md5::update);
    }

    Content content() {
      Arrays.sort(idHashes, 0, rows);
      long repeated = IntStream.range(1, rows).filter(i -> idHashes[i] == idHashes[i - 1]).count();
      return new Content(rows, rows - repeated, Long.toHexString(checksum));
    }

    private static long first8Bytes(byte[] digest) {
      return ByteBuffer.wrap(digest).order(ByteOrder.LITTLE_ENDIAN).getLong();
    }

    private static MessageDigest md5() {
      try {
        return MessageDigest.getInstance("MD5");
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e);
      }
    }
  }
}

package io.tocsin.integration;

import com.google.protobuf.ByteString;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Syslog;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringSerializer;

/**
 * Fills {@code events-syslog-v1} with events as the agent would make them of RFC 5424 lines of
 * about 200 bytes from 50 devices, without an agent.
 */
final class SyslogFill {
  private static final int DEVICES = 50;
  private static final long BOOT_ID = 0x18e9c5a5e4f10000L;
  private static final byte[] SOURCE_IP = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff, 127, 0, 0, 1
  };
  private static final String[] WORDS = {
    "queue", "latency", "retry", "peer", "session", "timeout", "buffer", "route", "prefix", "port",
    "vlan", "lease", "probe", "link", "frame", "packet", "carrier", "window", "segment", "token"
  };
  private static final int WORDS_OF_A_LINE = 15;

  private SyslogFill() {}

  /** Publishes so many events and returns when all are acknowledged. */
  static void fill(String bootstrapServers, int events) {
    Map<String, Object> properties =
        Map.of(
            ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
            bootstrapServers,
            ProducerConfig.LINGER_MS_CONFIG,
            5,
            ProducerConfig.COMPRESSION_TYPE_CONFIG,
            "lz4");
    Random random = new Random(1);
    long nowNanos = ChronoUnit.NANOS.between(Instant.EPOCH, Instant.now());
    try (KafkaProducer<String, byte[]> producer =
        new KafkaProducer<>(properties, new StringSerializer(), new ByteArraySerializer())) {
      for (int sequence = 1; sequence <= events; sequence++) {
        Event event = event(sequence, nowNanos + 50_000L * sequence, random);
        producer.send(
            new ProducerRecord<>("events-syslog-v1", event.getDevice(), event.toByteArray()));
      }
    }
  }

  private static Event event(int sequence, long timeNanos, Random random) {
    String device = "gen-%04d".formatted(sequence % DEVICES + 1);
    int sequenceId = sequence / DEVICES + 1;
    StringBuilder message = new StringBuilder("seq=%06d".formatted(sequence));
    for (int word = 0; word < WORDS_OF_A_LINE; word++) {
      message.append(' ').append(WORDS[random.nextInt(WORDS.length)]);
    }
    String raw =
        "<30>1 2026-11-20T12:00:00.000000Z %s dhcpd 4711 - [meta sequenceId=\"%d\"] %s"
            .formatted(device, sequenceId, message);
    return Event.newBuilder()
        .setEventId("bench-" + Long.toHexString(BOOT_ID) + "-" + sequence)
        .setAgentId("bench")
        .setBootId(BOOT_ID)
        .setSequence(sequence)
        .setListener("syslog-udp")
        .setReceivedAtUnixNanos(timeNanos)
        .setEventTimeUnixNanos(timeNanos - 1_000_000)
        .setSourceIp(ByteString.copyFrom(SOURCE_IP))
        .setSourcePort(40_000)
        .setDevice(device)
        .setRaw(ByteString.copyFromUtf8(raw))
        .setSyslog(
            Syslog.newBuilder()
                .setFacility(3)
                .setSeverity(6)
                .setAppName("dhcpd")
                .setProcId("4711")
                .putStructuredData("meta.sequenceId", Integer.toString(sequenceId))
                .setMessage(message.toString())
                .setSequence(sequenceId))
        .build();
  }
}

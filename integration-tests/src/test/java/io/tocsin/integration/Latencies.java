package io.tocsin.integration;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.registrations.v1.Registration;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How long marks took to one place: the first arrival of each counts. */
final class Latencies {
  /** Over the rows. */
  static final String HEADING =
      "%-40s %7s %7s %8s %8s %8s %8s %8s"
          .formatted("ms", "sent", "arrived", "p50", "p95", "p99", "max", "aim p99");

  private final String name;
  private final int aimMillis;
  private final Marks marks;
  private final Map<String, Duration> taken = new ConcurrentHashMap<>();

  /**
   * No arrivals yet.
   *
   * @param name for people
   * @param aimMillis what the 99th percentile should not exceed
   */
  Latencies(String name, int aimMillis, Marks marks) {
    this.name = name;
    this.aimMillis = aimMillis;
    this.marks = marks;
  }

  /** Somebody has seen a device or MAC at a time. */
  void arrived(String mark, Instant time) {
    Instant sent = marks.sentAt(mark);
    if (sent != null) {
      taken.putIfAbsent(mark, Duration.between(sent, time));
    }
  }

  void alertArrived(byte[] record, Instant time) throws IOException {
    arrived(Alert.parseFrom(record).getDevice(), time);
  }

  void leaseArrived(byte[] record, Instant time) throws IOException {
    arrived(Registration.parseFrom(record).getMac(), time);
  }

  /** Whether all marks have arrived. */
  boolean complete() {
    return taken.size() == marks.measured();
  }

  /** A line of the table. */
  String row() {
    double[] sorted =
        taken.values().stream().mapToDouble(time -> time.toNanos() / 1e6).sorted().toArray();
    return String.format(
        Locale.ROOT,
        "%-40s %7d %7d %8.0f %8.0f %8.0f %8.0f %8d",
        name,
        marks.measured(),
        sorted.length,
        percentile(sorted, 0.50),
        percentile(sorted, 0.95),
        percentile(sorted, 0.99),
        percentile(sorted, 1),
        aimMillis);
  }

  /** The smallest value that so large a part does not exceed; not a number where there is none. */
  private static double percentile(double[] sorted, double part) {
    return sorted.length == 0
        ? Double.NaN
        : sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
  }
}

package io.tocsin.integration;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** How long marks took to one place: the first arrival of each counts. */
final class Latencies {
  /** Over the rows. */
  static final String HEADING =
      "%-46s %7s %7s %8s %8s %8s %8s %8s"
          .formatted("ms", "sent", "arrived", "p50", "p95", "p99", "max", "aim p99");

  private static final double SLOWEST = 0.99;
  private static final List<Double> PARTS = List.of(0.50, 0.95, SLOWEST, 1.0);

  private final String name;
  private final String aimMillis;
  private final Marks marks;
  private final Map<String, Duration> taken = new ConcurrentHashMap<>();

  /**
   * No arrivals yet, at a place on the way.
   *
   * @param name for people
   */
  Latencies(String name, Marks marks) {
    this(name, "", marks);
  }

  /**
   * No arrivals yet.
   *
   * @param name for people
   * @param aimMillis what the 99th percentile should not exceed
   */
  Latencies(String name, int aimMillis, Marks marks) {
    this(name, Integer.toString(aimMillis), marks);
  }

  private Latencies(String name, String aimMillis, Marks marks) {
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

  /** Whether all marks of a kind have arrived. */
  boolean complete() {
    return taken.size() == marks.measured();
  }

  /**
   * The longest of the marks that were sent between two times, in seconds; not a number where none
   * of them has arrived.
   */
  double longestSeconds(Instant from, Instant until) {
    return taken.entrySet().stream()
        .filter(mark -> !marks.sentAt(mark.getKey()).isBefore(from))
        .filter(mark -> marks.sentAt(mark.getKey()).isBefore(until))
        .mapToDouble(mark -> millis(mark.getValue()) / 1e3)
        .max()
        .orElse(Double.NaN);
  }

  /** A line of the table. */
  String row() {
    return row(PARTS.stream().map(this::percentile).toList(), marks.measured(), taken.size());
  }

  /**
   * Prints the table of several runs over the same way: of each figure the median.
   *
   * @param runs of each its places, in the order of the way
   */
  static void printMedians(List<List<Latencies>> runs) {
    System.out.println(HEADING);
    for (int each = 0; each < runs.get(0).size(); each++) {
      int place = each;
      System.out.println(medians(runs.stream().map(run -> run.get(place)).toList()));
    }
  }

  private static String medians(List<Latencies> runs) {
    List<Double> figures =
        PARTS.stream()
            .map(part -> median(runs.stream().mapToDouble(run -> run.percentile(part)).toArray()))
            .toList();
    Latencies last = runs.get(runs.size() - 1);
    return last.row(figures, last.marks.measured(), last.taken.size());
  }

  /**
   * Where the slowest hundredth of the marks waited: how long each took from one place to the next,
   * on the average.
   *
   * @param places in the order of the way; the last one says which are the slowest
   */
  static String slowest(List<Latencies> places) {
    Latencies end = places.get(places.size() - 1);
    double from = end.percentile(SLOWEST);
    List<String> slowest =
        end.taken.entrySet().stream()
            .filter(mark -> millis(mark.getValue()) >= from)
            .map(Map.Entry::getKey)
            .sorted(Comparator.naturalOrder())
            .toList();
    StringBuilder text = new StringBuilder("of the slowest hundredth");
    double before = 0;
    for (Latencies place : places) {
      double reached = place.mean(slowest);
      text.append(String.format(Locale.ROOT, "; %s +%.0f", place.name, reached - before));
      before = reached;
    }
    return text.toString();
  }

  private double mean(List<String> some) {
    return some.stream()
        .filter(taken::containsKey)
        .mapToDouble(mark -> millis(taken.get(mark)))
        .average()
        .orElse(Double.NaN);
  }

  private String row(List<Double> figures, int sent, int arrived) {
    StringBuilder row = new StringBuilder("%-46s %7d %7d".formatted(name, sent, arrived));
    figures.forEach(figure -> row.append(String.format(Locale.ROOT, " %8.0f", figure)));
    return row.append(" %8s".formatted(aimMillis)).toString();
  }

  /** The smallest value that so large a part does not exceed; not a number where there is none. */
  private double percentile(double part) {
    double[] sorted = taken.values().stream().mapToDouble(Latencies::millis).sorted().toArray();
    return sorted.length == 0
        ? Double.NaN
        : sorted[Math.max(0, (int) Math.ceil(part * sorted.length) - 1)];
  }

  private static double median(double[] figures) {
    Arrays.sort(figures);
    return figures[figures.length / 2];
  }

  private static double millis(Duration duration) {
    return duration.toNanos() / 1e6;
  }
}

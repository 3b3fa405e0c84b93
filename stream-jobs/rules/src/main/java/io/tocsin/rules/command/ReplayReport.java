package io.tocsin.rules.command;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Struct;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.Nanos;
import io.tocsin.model.EnumWords;
import io.tocsin.rules.replay.Difference;
import io.tocsin.rules.replay.Identity;
import io.tocsin.rules.replay.Page;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What a replay found.
 *
 * @param from first time that was compared
 * @param to end of it
 * @param events that were played, those of the warm-up too
 * @param pagesBefore pages by the rules that it was compared with
 * @param pagesAfter pages by the changed ones
 * @param differences pages that are others
 * @param merged alerts that another identity would make one
 * @param split alerts that it would make several
 * @param unknowns what could not be known
 */
record ReplayReport(
    Instant from,
    Instant to,
    long events,
    long pagesBefore,
    long pagesAfter,
    List<Difference> differences,
    List<Identity.Group> merged,
    List<Identity.Group> split,
    List<String> unknowns) {
  private static final String ROW = "%-20s  %-17s  %-13s  %-40s  %s%n";

  boolean hasDifferences() {
    return !differences.isEmpty() || !merged.isEmpty() || !split.isEmpty();
  }

  /** "3 pages would be others: 12 before, 11 with the changed rules." */
  String headline() {
    String others =
        differences.isEmpty()
            ? "no page would be another one"
            : differences.size() + " pages would be others";
    return String.format(
        Locale.ROOT,
        "%s: %,d now, %,d with the changed rules, of %,d events",
        others,
        pagesBefore,
        pagesAfter,
        events);
  }

  /** How many are of which kind: "2 gone, 1 new". */
  String counts() {
    Map<Difference.Kind, Long> counts =
        differences.stream()
            .flatMap(each -> each.kinds().stream())
            .collect(Collectors.groupingBy(kind -> kind, TreeMap::new, Collectors.counting()));
    return counts.entrySet().stream()
        .map(entry -> entry.getValue() + " " + word(entry.getKey()))
        .collect(Collectors.joining(", "));
  }

  static String word(Difference.Kind kind) {
    return switch (kind) {
      case SEVERITY -> "other severity";
      case GROUPING -> "other grouping";
      default -> kind.name().toLowerCase(Locale.ROOT);
    };
  }

  static String kinds(Difference difference) {
    return difference.kinds().stream().map(ReplayReport::word).collect(Collectors.joining(", "));
  }

  static String time(Page page) {
    return Nanos.toInstant(page.beganAtUnixNanos()).truncatedTo(ChronoUnit.SECONDS).toString();
  }

  static String severity(Page page) {
    return EnumWords.isSpecified(page.worst()) ? EnumWords.wordOf(page.worst()) : "indeterminate";
  }

  /** What people call the alert: who says so, about what. */
  static String name(Page page) {
    Alert alert = page.alert();
    return List.of(alert.getSource(), alert.getDevice(), alert.getCheck()).stream()
        .filter(word -> !word.isEmpty())
        .collect(Collectors.joining(" "));
  }

  String table() {
    StringBuilder text = new StringBuilder();
    text.append(from).append(" to ").append(to).append('\n').append(headline()).append('\n');
    if (!differences.isEmpty()) {
      text.append(counts()).append("\n\n");
      text.append(String.format(ROW, "TIME", "CHANGE", "SEVERITY", "ALERT", "WHY"));
      for (Difference each : differences) {
        Page page = each.page();
        text.append(
            Terminal.plain(
                String.format(
                    ROW,
                    time(page),
                    kinds(each),
                    severity(page),
                    name(page),
                    String.join("; ", each.reasons()))));
      }
    }
    groups(text, "alerts that would be one:", merged);
    groups(text, "alerts that would be several:", split);
    text.append("\nNot known:\n");
    unknowns.forEach(each -> text.append("  ").append(Terminal.plain(each)).append('\n'));
    return text.toString();
  }

  private static void groups(StringBuilder text, String title, List<Identity.Group> groups) {
    if (groups.isEmpty()) {
      return;
    }
    text.append('\n').append(groups.size()).append(' ').append(title).append('\n');
    for (Identity.Group group : groups) {
      text.append("  ").append(Terminal.plain(group.one().toString())).append('\n');
      group
          .several()
          .forEach(
              each -> text.append("    ").append(Terminal.plain(each.toString())).append('\n'));
    }
  }

  String json() {
    Struct report =
        Struct.newBuilder()
            .putFields("from", text(from.toString()))
            .putFields("to", text(to.toString()))
            .putFields("events", number(events))
            .putFields("pages_before", number(pagesBefore))
            .putFields("pages_after", number(pagesAfter))
            .putFields("differences", list(differences, ReplayReport::json))
            .putFields("merged", list(merged, ReplayReport::json))
            .putFields("split", list(split, ReplayReport::json))
            .putFields("unknowns", list(unknowns, ReplayReport::text))
            .build();
    try {
      return JsonFormat.printer().print(report) + "\n";
    } catch (InvalidProtocolBufferException e) {
      throw new IllegalStateException("a Struct has no Any that could fail to print", e);
    }
  }

  private static Value json(Difference each) {
    Struct.Builder fields =
        Struct.newBuilder()
            .putFields(
                "kinds",
                list(List.copyOf(each.kinds()), kind -> text(kind.name().toLowerCase(Locale.ROOT))))
            .putFields("fingerprint", text(each.page().alert().getFingerprint()))
            .putFields("source", text(each.page().alert().getSource()))
            .putFields("device", text(each.page().alert().getDevice()))
            .putFields("check", text(each.page().alert().getCheck()))
            .putFields("reasons", list(each.reasons(), ReplayReport::text));
    if (each.before() != null) {
      fields.putFields("before", json(each.before()));
    }
    if (each.after() != null) {
      fields.putFields("after", json(each.after()));
    }
    return Value.newBuilder().setStructValue(fields).build();
  }

  private static Value json(Page page) {
    Struct.Builder fields =
        Struct.newBuilder()
            .putFields("began_at", text(Nanos.toInstant(page.beganAtUnixNanos()).toString()))
            .putFields("severity", text(severity(page)))
            .putFields("summary", text(page.alert().getSummary()));
    if (page.endedAtUnixNanos() != Page.LASTS) {
      fields.putFields("ended_at", text(Nanos.toInstant(page.endedAtUnixNanos()).toString()));
    }
    return Value.newBuilder().setStructValue(fields).build();
  }

  private static Value json(Identity.Group group) {
    return Value.newBuilder()
        .setStructValue(
            Struct.newBuilder()
                .putFields("one", json(group.one()))
                .putFields("several", list(group.several(), ReplayReport::json)))
        .build();
  }

  private static Value json(Map<String, String> map) {
    Struct.Builder fields = Struct.newBuilder();
    map.forEach((name, value) -> fields.putFields(name, text(value)));
    return Value.newBuilder().setStructValue(fields).build();
  }

  private static Value text(String text) {
    return Value.newBuilder().setStringValue(text).build();
  }

  private static Value number(long number) {
    return Value.newBuilder().setNumberValue(number).build();
  }

  private static <T> Value list(List<T> items, java.util.function.Function<T, Value> json) {
    ListValue.Builder values = ListValue.newBuilder();
    items.forEach(each -> values.addValues(json.apply(each)));
    return Value.newBuilder().setListValue(values).build();
  }
}

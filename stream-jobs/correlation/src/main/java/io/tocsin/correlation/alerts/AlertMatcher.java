package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.correlation.text.Glob;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Which alerts are meant: those whose every named field has one of the values given for it. A
 * {@code *} in a value stands for any characters, none included.
 *
 * <p>Fields are {@code source}, {@code device}, {@code check}, {@code site}, {@code rule}, and
 * {@code labels.NAME}; a label that an alert lacks is empty.
 */
public final class AlertMatcher {
  private static final Set<String> FIELDS = Set.of("source", "device", "check", "site", "rule");
  private static final String LABEL_PREFIX = "labels.";

  private final Map<String, List<Glob>> patterns = new TreeMap<>();

  /**
   * A matcher.
   *
   * @param fields name to the values that are meant
   * @throws IllegalArgumentException where no field is named, one is unknown, or has no value
   */
  public AlertMatcher(Map<String, List<String>> fields) {
    if (fields.isEmpty()) {
      throw new IllegalArgumentException(
          "no field is named, and every alert would be meant: name one; '*' means any value");
    }
    fields.forEach((name, values) -> patterns.put(checked(name), anyOf(name, values)));
  }

  private static String checked(String name) {
    if (FIELDS.contains(name)
        || name.startsWith(LABEL_PREFIX) && name.length() > LABEL_PREFIX.length()) {
      return name;
    }
    throw new IllegalArgumentException(
        "field '" + name + "' is unknown: give source, device, check, site, rule or labels.NAME");
  }

  private static List<Glob> anyOf(String name, List<String> values) {
    if (values.isEmpty()) {
      throw new IllegalArgumentException("field '" + name + "' has no value: give one or more");
    }
    return values.stream().map(Glob::of).toList();
  }

  /** Tells whether an alert is meant. */
  public boolean matches(Alert alert) {
    return patterns.entrySet().stream()
        .allMatch(
            field -> {
              String value = valueOf(alert, field.getKey());
              return field.getValue().stream().anyMatch(glob -> glob.matches(value));
            });
  }

  /** The fields whose values are all without a star, each value once: to find matchers by them. */
  Map<String, List<String>> exactValues() {
    Map<String, List<String>> exact = new TreeMap<>();
    patterns.forEach(
        (field, globs) -> {
          if (globs.stream().allMatch(glob -> glob.pieces().size() == 1)) {
            exact.put(field, globs.stream().map(Glob::toString).distinct().toList());
          }
        });
    return exact;
  }

  /** What an alert says of a field. */
  static String valueOf(Alert alert, String name) {
    return switch (name) {
      case "source" -> alert.getSource();
      case "device" -> alert.getDevice();
      case "check" -> alert.getCheck();
      case "site" -> alert.getSite();
      case "rule" -> alert.getRule();
      default -> alert.getLabelsOrDefault(name.substring(LABEL_PREFIX.length()), "");
    };
  }

  /** As people read it: {@code check disk, device d1 or d2}. */
  String words() {
    List<String> words = new ArrayList<>();
    patterns.forEach(
        (field, globs) ->
            words.add(
                field
                    + " "
                    + globs.stream().map(Glob::toString).collect(Collectors.joining(" or "))));
    return String.join(", ", words);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AlertMatcher matcher && patterns.equals(matcher.patterns);
  }

  @Override
  public int hashCode() {
    return patterns.hashCode();
  }

  @Override
  public String toString() {
    return patterns.toString();
  }
}

package io.tocsin.connectors.alertmanager;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.HeldBack;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Why a page is as it is, in two lines: what raised it, and what it is and was held back by. */
final class PageReasons {
  private static final long NANOS_PER_SECOND = 1_000_000_000;

  private PageReasons() {}

  /** Puts {@code raised_by}, {@code key} and {@code held_back}; empty where there is none. */
  static void annotate(Alert alert, Map<String, String> annotations) {
    annotations.put("raised_by", raisedBy(alert));
    annotations.put("key", key(alert));
    annotations.put("held_back", heldBack(alert));
  }

  /** The rule with its version, and the first and the newest event. */
  private static String raisedBy(Alert alert) {
    List<String> events = alert.getRaisedByList();
    if (events.isEmpty()) {
      return "";
    }
    String rule = alert.getRule().isEmpty() ? alert.getSource() : "rule " + alert.getRule();
    String version =
        alert.hasRulePushedAtUnixNanos()
            ? " as pushed at " + second(alert.getRulePushedAtUnixNanos())
            : "";
    String newest = events.size() == 1 ? "" : " to " + events.get(events.size() - 1);
    return rule + version + ": event " + events.get(0) + newest;
  }

  private static String key(Alert alert) {
    return new TreeMap<>(alert.getFingerprintFieldsMap())
        .entrySet().stream()
            .map(field -> field.getKey() + "=" + field.getValue())
            .collect(Collectors.joining(" "));
  }

  private static String heldBack(Alert alert) {
    return alert.getHeldBackList().stream()
        .map(PageReasons::heldBack)
        .collect(Collectors.joining(", "));
  }

  /** {@code dependency cores since 2026-11-20T12:00:00Z}. */
  private static String heldBack(HeldBack held) {
    String kind = held.getCause().replaceFirst(":.*", "");
    return kind + " " + held.getName() + " since " + second(held.getSinceUnixNanos());
  }

  private static Instant second(long unixNanos) {
    return Instant.ofEpochSecond(Math.floorDiv(unixNanos, NANOS_PER_SECOND));
  }
}

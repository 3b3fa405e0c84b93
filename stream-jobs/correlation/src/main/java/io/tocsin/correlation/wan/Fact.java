package io.tocsin.correlation.wan;

import io.tocsin.wan.v1.Evidence;

/**
 * One piece of evidence; the fields of {@link Evidence}, as state.
 *
 * @param name what it is
 * @param value the figure, 0 for text
 * @param unit of the figure, empty for text
 * @param text empty for a figure
 * @param eventId of the event that carried it, empty where it was computed from several
 * @param observedAtUnixNanos when it was observed
 */
public record Fact(
    String name, double value, String unit, String text, String eventId, long observedAtUnixNanos) {

  static Fact figure(String name, double value, String unit, String eventId, long atUnixNanos) {
    return new Fact(name, value, unit, "", eventId, atUnixNanos);
  }

  static Fact text(String name, String text, String eventId, long atUnixNanos) {
    return new Fact(name, 0, "", text, eventId, atUnixNanos);
  }

  Evidence toEvidence() {
    return Evidence.newBuilder()
        .setName(name)
        .setValue(value)
        .setUnit(unit)
        .setText(text)
        .setEventId(eventId)
        .setObservedAtUnixNanos(observedAtUnixNanos)
        .build();
  }
}

package io.tocsin.rules.match;

import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/**
 * A polled gauge.
 *
 * @param names one of them must be the gauge's configured name
 * @param instance must be found in the gauge's instance
 * @param isShareOfLimit judge value / limit, 0 to 1, and leave gauges without a limit alone
 * @param threshold judges it
 */
public record GaugeMatch(
    Set<String> names, TextPattern instance, boolean isShareOfLimit, Threshold threshold)
    implements MeasureMatch {
  private static final Set<String> OWN_FIELDS =
      Set.of("gauge", "instance", "value", "limit", "unit", "percent");

  @Override
  public Set<String> fields() {
    Set<String> fields = new TreeSet<>(OWN_FIELDS);
    fields.addAll(instance.fields());
    return fields;
  }

  @Override
  public OptionalDouble figure(Event event, Map<String, String> fields) {
    Gauge gauge = event.getGauge();
    boolean hasFigure = !isShareOfLimit || gauge.hasLimit() && gauge.getLimit() > 0;
    if (!hasFigure
        || !names.contains(gauge.getName())
        || !instance.find(gauge.getInstance(), fields)) {
      return OptionalDouble.empty();
    }
    double figure = isShareOfLimit ? gauge.getValue() / gauge.getLimit() : gauge.getValue();
    Figures.put(fields, figure);
    fields.put("gauge", gauge.getName());
    fields.put("instance", gauge.getInstance());
    fields.put("value", Figures.text(gauge.getValue()));
    fields.put("limit", gauge.hasLimit() ? Figures.text(gauge.getLimit()) : "");
    fields.put("unit", gauge.getUnit());
    return OptionalDouble.of(figure);
  }
}

package io.tocsin.rules.match;

import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.LinkProbe;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/**
 * Probes of a link. What probes say together (baselines, loss, causes) is the wan job's; this is
 * for plain limits.
 *
 * @param figure which figure of the probe
 * @param link must be found in the link's name
 * @param threshold judges it
 */
public record ProbeMatch(Figure figure, TextPattern link, Threshold threshold)
    implements MeasureMatch {
  private static final Set<String> OWN_FIELDS =
      Set.of("link", "target", "remote_site", "value", "percent");

  /** Figures of one probe. */
  public enum Figure {
    /** Round-trip time, milliseconds; a lost probe has none. */
    RTT_MS,
    /** 1 for a lost probe, 0 for an answered one. */
    LOST
  }

  @Override
  public Set<String> fields() {
    Set<String> fields = new TreeSet<>(OWN_FIELDS);
    fields.addAll(link.fields());
    return fields;
  }

  @Override
  public OptionalDouble figure(Event event, Map<String, String> fields) {
    LinkProbe probe = event.getLinkProbe();
    boolean hasFigure = figure == Figure.LOST || probe.hasRttMs();
    if (!hasFigure || !link.find(probe.getLinkId(), fields)) {
      return OptionalDouble.empty();
    }
    double value = figure == Figure.RTT_MS ? probe.getRttMs() : probe.getLost() ? 1 : 0;
    fields.put("link", probe.getLinkId());
    fields.put("target", probe.getTarget());
    fields.put("remote_site", probe.getRemoteSite());
    Figures.put(fields, value);
    return OptionalDouble.of(value);
  }
}

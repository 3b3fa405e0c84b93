package io.tocsin.correlation.alerts;

import java.io.Serializable;
import java.time.Duration;
import java.util.Map;

/**
 * Silence after which an alert of a monitor expires.
 *
 * @param usual where nothing else is said of its source
 * @param bySource of sources that refresh more often, or less
 */
public record UpdateExpiry(Duration usual, Map<String, Duration> bySource) implements Serializable {

  /** The same for every source. */
  public static UpdateExpiry of(Duration usual) {
    return new UpdateExpiry(usual, Map.of());
  }

  Duration ofSource(String source) {
    return bySource.getOrDefault(source, usual);
  }
}

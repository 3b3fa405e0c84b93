package io.tocsin.correlation.alerts;

import io.tocsin.correlation.TimedState;
import java.util.HashMap;
import java.util.Map;

/**
 * A share of the alerts of one room of sources, as many as {@link SourceLimitRules} have room for.
 */
public final class SourceAlerts extends TimedState {
  /**
   * When each is forgotten at the latest, Unix nanoseconds, by the first half of its fingerprint.
   */
  public Map<Long, Long> forgottenAtUnixNanos = new HashMap<>();

  /** When it was told that there is no room, Unix nanoseconds; 0 before the first time. */
  public long toldAtUnixNanos;

  /** For Flink, which makes it by its fields. */
  public SourceAlerts() {}
}

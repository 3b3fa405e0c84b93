package io.tocsin.correlation.findings;

import io.tocsin.correlation.TimedState;
import java.util.HashMap;
import java.util.Map;

/** Some of the clocks that are out, {@link ClockRules#MOST_CLOCKS} at most. */
public final class WrongClocks extends TimedState {
  /** By site and name. */
  public Map<String, WrongClock> clocks = new HashMap<>();

  /** For Flink, which makes it by its fields. */
  public WrongClocks() {}
}

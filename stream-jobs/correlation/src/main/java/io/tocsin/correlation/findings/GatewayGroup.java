package io.tocsin.correlation.findings;

import io.tocsin.correlation.TimedState;
import java.util.HashMap;
import java.util.Map;

/**
 * The routers of one gateway group and what each said last, at most {@link
 * GatewayRules#MOST_ROUTERS}. A router says what it is once and then nothing for months, so a group
 * is forgotten after more than a year of silence.
 */
public final class GatewayGroup extends TimedState {
  /** Place of the group. */
  public String site = "";

  /** Protocol, interface and number. */
  public String group = "";

  /**
   * Whether each router is active, by its name. In no order: Flink brings every map of a state back
   * as a hash map.
   */
  public Map<String, Boolean> isActive = new HashMap<>();

  /** When each router claimed so, Unix nanoseconds. */
  public Map<String, Long> claimedAtUnixNanos = new HashMap<>();

  /** Number of active routers that the alert was raised with, -1 while there is none. */
  public int raisedWith = -1;

  /** When the alert was raised last, Unix nanoseconds. */
  public long raisedAtUnixNanos;

  /** Device that the alert was raised for. */
  public String raisedFor = "";

  /** For Flink, which makes it by its fields. */
  public GatewayGroup() {}
}

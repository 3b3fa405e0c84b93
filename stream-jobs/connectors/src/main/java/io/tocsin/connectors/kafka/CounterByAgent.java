package io.tocsin.connectors.kafka;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;

/** One counter for each of the first thousand agents, and one for all others. */
final class CounterByAgent {
  private static final int MOST_AGENTS = 1_000;

  private final MetricGroup metrics;
  private final String name;
  private final Map<String, Counter> counters = new HashMap<>();

  CounterByAgent(MetricGroup metrics, String name) {
    this.metrics = metrics;
    this.name = name;
  }

  Counter of(String agentId) {
    Counter counter = counters.get(agentId);
    if (counter != null) {
      return counter;
    }
    boolean hasRoom = counters.size() < MOST_AGENTS;
    return counters.computeIfAbsent(
        hasRoom ? agentId : "others", key -> metrics.addGroup("agent", key).counter(name));
  }
}

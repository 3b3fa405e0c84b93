package io.tocsin.correlation.alerts;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a gate remembers, in memory. */
final class MemoryGateState implements GateState {
  private final Map<String, GatedAlert> alerts = new TreeMap<>();
  private final Map<String, StormGroup> groups = new TreeMap<>();

  @Override
  public GatedAlert alert(String fingerprint) {
    return alerts.get(fingerprint);
  }

  @Override
  public void putAlert(String fingerprint, GatedAlert alert) {
    alerts.put(fingerprint, alert);
  }

  @Override
  public void removeAlert(String fingerprint) {
    alerts.remove(fingerprint);
  }

  @Override
  public Iterable<Map.Entry<String, GatedAlert>> alerts() {
    return alerts.entrySet();
  }

  @Override
  public StormGroup group(String key) {
    return groups.get(key);
  }

  @Override
  public void putGroup(String key, StormGroup group) {
    groups.put(key, group);
  }

  @Override
  public void removeGroup(String key) {
    groups.remove(key);
  }

  @Override
  public List<String> groups() {
    return List.copyOf(groups.keySet());
  }

  boolean isEmpty() {
    return alerts.isEmpty() && groups.isEmpty();
  }
}

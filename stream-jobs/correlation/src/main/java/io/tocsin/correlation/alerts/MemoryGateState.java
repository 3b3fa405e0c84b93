package io.tocsin.correlation.alerts;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a gate remembers, in memory: for a replay, which is over before it would need a disk. */
public final class MemoryGateState implements GateState {
  private final Map<String, GatedAlert> alerts = new TreeMap<>();
  private final Map<String, StormGroup> groups = new TreeMap<>();
  private final Map<String, Stray> strays = new TreeMap<>();
  private final Map<String, Acknowledged> acknowledged = new TreeMap<>();
  private long clockUnixNanos = Long.MIN_VALUE;
  private long treeVersion = Long.MIN_VALUE;

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

  @Override
  public Iterable<Map.Entry<String, Stray>> strays() {
    return strays.entrySet();
  }

  @Override
  public void putStray(String fingerprint, Stray stray) {
    strays.put(fingerprint, stray);
  }

  @Override
  public void removeStray(String fingerprint) {
    strays.remove(fingerprint);
  }

  @Override
  public Acknowledged acknowledged(String fingerprint) {
    return acknowledged.get(fingerprint);
  }

  @Override
  public void putAcknowledged(String fingerprint, Acknowledged said) {
    acknowledged.put(fingerprint, said);
  }

  @Override
  public void removeAcknowledged(String fingerprint) {
    acknowledged.remove(fingerprint);
  }

  @Override
  public Iterable<Map.Entry<String, Acknowledged>> acknowledged() {
    return acknowledged.entrySet();
  }

  @Override
  public long clockUnixNanos() {
    return clockUnixNanos;
  }

  @Override
  public void putClockUnixNanos(long unixNanos) {
    clockUnixNanos = unixNanos;
  }

  @Override
  public long treeVersion() {
    return treeVersion;
  }

  @Override
  public void putTreeVersion(long version) {
    treeVersion = version;
  }

  /** Whether nothing is remembered. */
  public boolean isEmpty() {
    return alerts.isEmpty() && groups.isEmpty() && strays.isEmpty() && acknowledged.isEmpty();
  }
}

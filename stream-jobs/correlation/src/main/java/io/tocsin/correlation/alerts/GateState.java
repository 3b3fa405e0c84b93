package io.tocsin.correlation.alerts;

import java.util.List;
import java.util.Map;

/**
 * What the {@link Gate} remembers, by key, so that it need not fit into memory. Whoever implements
 * it stores; the gate decides.
 */
public interface GateState {
  /**
   * An alert that is active or belongs to a storm, null where there is none of this fingerprint.
   */
  GatedAlert alert(String fingerprint);

  /** Remembers an alert. */
  void putAlert(String fingerprint, GatedAlert alert);

  /** Forgets an alert. */
  void removeAlert(String fingerprint);

  /** All of them; nothing may be changed while they are read. */
  Iterable<Map.Entry<String, GatedAlert>> alerts();

  /** The openings of a group, null where there were none of late. */
  StormGroup group(String key);

  /** Remembers a group. */
  void putGroup(String key, StormGroup group);

  /** Forgets a group. */
  void removeGroup(String key);

  /** Keys of all groups. */
  List<String> groups();

  /** What the topic says otherwise, by fingerprint; nothing may be changed while they are read. */
  Iterable<Map.Entry<String, Stray>> strays();

  /** Remembers that the topic says otherwise. */
  void putStray(String fingerprint, Stray stray);

  /** Forgets it. */
  void removeStray(String fingerprint);

  /** What people have said of an alert, null where they said nothing. */
  Acknowledged acknowledged(String fingerprint);

  /** Remembers what they have said. */
  void putAcknowledged(String fingerprint, Acknowledged acknowledged);

  /** Forgets it. */
  void removeAcknowledged(String fingerprint);

  /** All of it; nothing may be changed while it is read. */
  Iterable<Map.Entry<String, Acknowledged>> acknowledged();

  /** Event time that the stream had reached; {@link Long#MIN_VALUE} at first. */
  long clockUnixNanos();

  /** Remembers the event time that the stream has reached. */
  void putClockUnixNanos(long unixNanos);

  /** Newest version of an alert of a tree; {@link Long#MIN_VALUE} at first. */
  long treeVersion();

  /** Remembers it, so that the next one is newer. */
  void putTreeVersion(long version);
}

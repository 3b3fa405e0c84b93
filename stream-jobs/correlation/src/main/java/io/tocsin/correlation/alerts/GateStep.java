package io.tocsin.correlation.alerts;

import io.tocsin.alerts.v1.Alert;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What the gate answers: transitions to tell, in order, and times at which it wants to be called.
 */
public final class GateStep {
  private final List<Alert> decisions = new ArrayList<>();
  private final SortedSet<Long> timers = new TreeSet<>();

  void tell(Alert alert) {
    decisions.add(alert);
  }

  void wakeAt(long unixNanos) {
    timers.add(unixNanos);
  }

  /** Transitions to tell, in order. */
  public List<Alert> decisions() {
    return Collections.unmodifiableList(decisions);
  }

  /** Event times at which the gate wants to be called, Unix nanoseconds; past ones as well. */
  public SortedSet<Long> timers() {
    return Collections.unmodifiableSortedSet(timers);
  }
}

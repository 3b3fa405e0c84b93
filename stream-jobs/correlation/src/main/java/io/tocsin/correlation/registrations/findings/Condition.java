package io.tocsin.correlation.registrations.findings;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.events.v1.Event;
import java.util.List;
import java.util.function.Supplier;

/**
 * Whether a finding is raised. It is emitted when it is raised, again each minute while it holds,
 * and when it has not held for a while.
 */
public final class Condition {
  private static final long REPEAT_NANOS = 60 * Nanos.PER_SECOND;

  /** Whether the newest update raised it. */
  public boolean isRaised;

  /** When the condition held last. */
  public long heldAtUnixNanos;

  /** When it was emitted last. */
  public long emittedAtUnixNanos;

  /** It does not hold. */
  public Condition() {}

  /** Whether something is to be emitted now. */
  boolean isDue(boolean holds, long now, long calmNanos) {
    return holds
        ? !isRaised || now - emittedAtUnixNanos >= REPEAT_NANOS
        : isRaised && now - heldAtUnixNanos >= calmNanos;
  }

  /** Emits what is due. */
  void follow(
      boolean holds, long now, long calmNanos, Supplier<Finding> finding, List<Event> decisions) {
    if (!isDue(holds, now, calmNanos)) {
      heldAtUnixNanos = holds ? Math.max(heldAtUnixNanos, now) : heldAtUnixNanos;
    } else if (holds) {
      raise(now, finding, decisions);
    } else {
      isRaised = false;
      heldAtUnixNanos = 0;
      emittedAtUnixNanos = 0;
      decisions.add(finding.get().clear(now));
    }
  }

  /** Emits that it holds, whenever that was emitted last. */
  void raise(long now, Supplier<Finding> finding, List<Event> decisions) {
    isRaised = true;
    heldAtUnixNanos = Math.max(heldAtUnixNanos, now);
    emittedAtUnixNanos = now;
    decisions.add(finding.get().raise(now));
  }
}

package io.tocsin.correlation.registrations.findings;

/**
 * Whether a finding is raised. It is told when it is raised, again each minute while it holds, and
 * when it has not held for a while.
 *
 * @param isRaised whether the newest word was "raised"
 * @param heldAtUnixNanos when the condition held last
 * @param toldAtUnixNanos when it was told last
 */
public record Condition(boolean isRaised, long heldAtUnixNanos, long toldAtUnixNanos) {
  static final Condition CALM = new Condition(false, 0, 0);

  private static final long REPEAT_NANOS = 60_000_000_000L;

  /** What is to be told. */
  enum Word {
    NOTHING,
    RAISE,
    CLEAR
  }

  /** What to tell now. */
  Word word(boolean holds, long unixNanos, long calmNanos) {
    if (holds) {
      boolean isDue = !isRaised || unixNanos - toldAtUnixNanos >= REPEAT_NANOS;
      return isDue ? Word.RAISE : Word.NOTHING;
    }
    return isRaised && unixNanos - heldAtUnixNanos >= calmNanos ? Word.CLEAR : Word.NOTHING;
  }

  /** The condition after the word was told. */
  Condition after(Word word, boolean holds, long unixNanos) {
    long heldAt = holds ? Math.max(heldAtUnixNanos, unixNanos) : heldAtUnixNanos;
    return switch (word) {
      case RAISE -> new Condition(true, heldAt, unixNanos);
      case CLEAR -> CALM;
      case NOTHING -> new Condition(isRaised, heldAt, toldAtUnixNanos);
    };
  }
}

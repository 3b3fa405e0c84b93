package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.correlation.findings.ResolverState.Difference;
import io.tocsin.correlation.findings.ResolverState.Told;
import io.tocsin.events.v1.DnsAnswer;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.LinkProbe;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Findings about one resolver among those of a group that are asked the same:
 *
 * <ul>
 *   <li>{@code resolver-disagrees}: it answers a question differently (another code, other records,
 *       an old serial), ten times in a row and for longer than its own answer may be kept: what it
 *       has in its cache is no fault, and a change needs its time. One alert, however many
 *       questions differ. Over when two answers in a row are like the others'.
 *   <li>{@code resolver-slow}: the median of its newest twenty times is above a limit; over below
 *       half of it.
 *   <li>{@code resolver-silent}: three questions in a row were lost, over twice the time from one
 *       asking of a question to the next; over with three answers in a row.
 * </ul>
 *
 * <p>All of them are over when nobody asks it for fifteen minutes, and repeated each hour while
 * they hold. An answer that could not be asked for says nothing.
 */
public final class ResolverRules implements FindingRules<Event, ResolverState> {
  private static final long REPEAT_NANOS = 3_600 * Nanos.PER_SECOND;
  private static final long STALE_NANOS = 900 * Nanos.PER_SECOND;

  /** A time to live is what a stranger writes. */
  private static final long LONGEST_EXPLAINED_NANOS = 86_400 * Nanos.PER_SECOND;

  private static final int MOST_DIFFERENCES = 256;
  private static final int LEAST_TIMES = 10;
  private static final int ALIKE_IN_A_ROW = 2;
  private static final int ANSWERS_IN_A_ROW = 3;

  private static final int INTERVALS_OF_SILENCE = 2;

  private final int disagreesInARow;
  private final double slowMs;

  /**
   * Rules with what an installation can set.
   *
   * @param disagreesInARow answers in a row that differ before it is told
   * @param slowMs median from which on a resolver is slow
   */
  public ResolverRules(int disagreesInARow, double slowMs) {
    this.disagreesInARow = disagreesInARow;
    this.slowMs = slowMs;
  }

  @Override
  public boolean concerns(Event event) {
    return event.hasDnsAnswer()
        && event.getDnsAnswer().getLossReason() != LinkProbe.LossReason.LOSS_REASON_NOT_SENT;
  }

  @Override
  public String keyOf(Event event) {
    return event.getDnsAnswer().getResolverGroup() + "\n" + event.getDevice();
  }

  @Override
  public Step<ResolverState, Event> onInput(ResolverState known, Event event) {
    ResolverState state = known == null ? new ResolverState() : known;
    DnsAnswer answer = event.getDnsAnswer();
    long at = event.getReceivedAtUnixNanos();
    state.group = answer.getResolverGroup();
    state.resolver = event.getDevice();
    state.site = event.getSite();
    state.role = event.getRole();
    state.newestUnixNanos = Math.max(state.newestUnixNanos, at);
    state.intervalNanos = Nanos.ofMillis(Integer.toUnsignedLong(answer.getIntervalMs()));
    if (answer.getLost()) {
      state.lostSinceUnixNanos = state.lostInARow == 0 ? at : state.lostSinceUnixNanos;
      state.lostInARow++;
      state.answeredInARow = 0;
    } else {
      state.lostInARow = 0;
      state.answeredInARow++;
      state.timesMs[(int) (state.timesTold++ % ResolverState.KEPT_TIMES)] = answer.getRttMs();
      takeComparison(state, answer, at);
    }
    return judge(state, state.newestUnixNanos);
  }

  private static void takeComparison(ResolverState state, DnsAnswer answer, long at) {
    String question = answer.getQueryName() + " " + answer.getQueryType();
    Difference known = state.differences.get(question);
    if (answer.getDisagreement() == DnsAnswer.Disagreement.DISAGREEMENT_UNSPECIFIED) {
      if (known != null && ++known.alikeInARow >= ALIKE_IN_A_ROW) {
        state.differences.remove(question);
      }
      return;
    }
    if (known == null) {
      if (state.differences.size() >= MOST_DIFFERENCES) {
        return;
      }
      known = new Difference();
      known.sinceUnixNanos = at;
      long keptNanos = Integer.toUnsignedLong(answer.getTtlS()) * Nanos.PER_SECOND;
      known.explainedUntilUnixNanos = at + Math.min(keptNanos, LONGEST_EXPLAINED_NANOS);
      state.differences.put(question, known);
    }
    known.alikeInARow = 0;
    known.differInARow++;
    known.newestUnixNanos = at;
    known.answered = (answer.getAnswerCode() + " " + answer.getAnswer()).strip();
    known.expected = answer.getExpected();
  }

  /** Ends what is told of a resolver that nobody asks any more, and forgets it. */
  @Override
  public Step<ResolverState, Event> onTimer(ResolverState state, long nowUnixNanos) {
    if (nowUnixNanos - state.newestUnixNanos < STALE_NANOS) {
      return judge(state, nowUnixNanos);
    }
    List<Event> ends = new ArrayList<>();
    tell(ends, state.disagrees, false, () -> disagrees(state, Optional.empty(), 0), nowUnixNanos);
    tell(ends, state.slow, false, () -> slow(state, 0), nowUnixNanos);
    tell(ends, state.silent, false, () -> silent(state), nowUnixNanos);
    return Step.forget(ends);
  }

  private Step<ResolverState, Event> judge(ResolverState state, long now) {
    state.differences.values().removeIf(d -> now - d.newestUnixNanos >= STALE_NANOS);
    List<Map.Entry<String, Difference>> unexplained =
        state.differences.entrySet().stream()
            .filter(d -> isUnexplained(d.getValue(), now))
            .toList();
    // The one that has lasted longest; the question decides among equals.
    Optional<Map.Entry<String, Difference>> longest =
        unexplained.stream()
            .min(
                Comparator.comparingLong(
                        (Map.Entry<String, Difference> d) -> d.getValue().sinceUnixNanos)
                    .thenComparing(Map.Entry::getKey));
    double medianMs = medianMs(state);
    boolean isSlow = medianMs >= (state.slow.isRaised ? slowMs / 2 : slowMs);
    boolean isSilent =
        state.silent.isRaised
            ? state.answeredInARow < ANSWERS_IN_A_ROW
            : state.lostInARow >= ANSWERS_IN_A_ROW
                && now - state.lostSinceUnixNanos >= INTERVALS_OF_SILENCE * state.intervalNanos;
    List<Event> decisions = new ArrayList<>();
    tell(
        decisions,
        state.disagrees,
        longest.isPresent(),
        () -> disagrees(state, longest, unexplained.size()),
        now);
    tell(decisions, state.slow, isSlow, () -> slow(state, medianMs), now);
    tell(decisions, state.silent, isSilent, () -> silent(state), now);
    return new Step<>(state, decisions, state.newestUnixNanos + STALE_NANOS);
  }

  private boolean isUnexplained(Difference difference, long now) {
    return difference.differInARow >= disagreesInARow && now >= difference.explainedUntilUnixNanos;
  }

  /** Zero while too few are known. */
  private static double medianMs(ResolverState state) {
    if (state.timesTold < LEAST_TIMES) {
      return 0;
    }
    int count = (int) Math.min(state.timesTold, ResolverState.KEPT_TIMES);
    double[] sorted = Arrays.copyOf(state.timesMs, count);
    Arrays.sort(sorted);
    return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
  }

  private static void tell(
      List<Event> decisions, Told told, boolean isSo, Supplier<Finding> finding, long now) {
    if (isSo && (!told.isRaised || now - told.atUnixNanos >= REPEAT_NANOS)) {
      told.isRaised = true;
      told.atUnixNanos = now;
      decisions.add(finding.get().raise(now));
    } else if (!isSo && told.isRaised) {
      told.isRaised = false;
      decisions.add(finding.get().clear(now));
    }
  }

  private static Finding disagrees(
      ResolverState state, Optional<Map.Entry<String, Difference>> longest, int questions) {
    Finding finding = finding(state, "resolver-disagrees", Severity.SEVERITY_MAJOR);
    return longest
        .map(
            d ->
                finding
                    .label("question", d.getKey())
                    .label("questions", questions)
                    .summary(
                        "resolver %s of %s answers %s with %s, others with %s%s",
                        state.resolver,
                        state.group,
                        d.getKey(),
                        shortened(d.getValue().answered),
                        shortened(d.getValue().expected),
                        questions > 1 ? "; " + questions + " questions differ" : ""))
        .orElseGet(
            () ->
                finding.summary(
                    "resolver %s of %s answers as the others do", state.resolver, state.group));
  }

  private static Finding slow(ResolverState state, double medianMs) {
    return finding(state, "resolver-slow", Severity.SEVERITY_MINOR)
        .label("median_ms", medianMs)
        .summary(
            "resolver %s of %s answers in %s ms, the median of its newest answers",
            state.resolver, state.group, Finding.number(medianMs));
  }

  private static Finding silent(ResolverState state) {
    return finding(state, "resolver-silent", Severity.SEVERITY_MAJOR)
        .label("lost_in_a_row", state.lostInARow)
        .summary(
            "resolver %s of %s does not answer: %d questions in a row were lost",
            state.resolver, state.group, state.lostInARow);
  }

  private static Finding finding(ResolverState state, String check, Severity severity) {
    return Finding.of(Finding.FINDINGS_JOB, check, severity, state.resolver, state.site)
        .role(state.role)
        .identity("group", state.group);
  }

  /** A page has room for one answer, not for a hundred addresses. */
  private static String shortened(String answer) {
    return answer.length() <= 120 ? answer : answer.substring(0, 120) + "...";
  }
}

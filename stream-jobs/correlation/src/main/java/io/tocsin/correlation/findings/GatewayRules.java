package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.correlation.LongestUnheard;
import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import java.util.List;

/**
 * Finding {@code split-active}: a gateway group with two active routers, or with none.
 *
 * <p>A takeover passes through both for seconds, so the group is judged when nothing was said for
 * ten seconds. A router that lost its power says no goodbye: then two claim to be active, one of
 * them long ago; the labels say when each spoke last. The alert is repeated each hour.
 */
public final class GatewayRules implements FindingRules<Event, GatewayGroup> {
  /** Of one group; a real one has two or three. Who was unheard the longest goes first. */
  static final int MOST_ROUTERS = 16;

  private static final long SETTLED_NANOS = 10 * Nanos.PER_SECOND;
  private static final long REPEAT_NANOS = 3_600 * Nanos.PER_SECOND;
  private static final long FORGET_NANOS = 400 * 86_400 * Nanos.PER_SECOND;

  @Override
  public boolean concerns(Event event) {
    return GatewayClaim.of(event).isPresent();
  }

  @Override
  public String keyOf(Event event) {
    return claimOf(event).key();
  }

  private static GatewayClaim claimOf(Event event) {
    return GatewayClaim.of(event).orElseThrow();
  }

  /** Takes claims in any order: the newest of each router counts. */
  @Override
  public Step<GatewayGroup, Event> onInput(GatewayGroup known, Event event) {
    GatewayClaim claim = claimOf(event);
    GatewayGroup group = known == null ? new GatewayGroup() : known;
    Long before = group.claimedAtUnixNanos.get(claim.router());
    if (before != null && before > claim.atUnixNanos()) {
      return Step.keep(group);
    }
    group.site = claim.site();
    group.group = claim.group();
    group.isActive.put(claim.router(), claim.isActive());
    group.claimedAtUnixNanos.put(claim.router(), claim.atUnixNanos());
    int evicted = evict(group);
    return new Step<>(group, List.of(), claim.atUnixNanos() + SETTLED_NANOS, evicted);
  }

  private static int evict(GatewayGroup group) {
    if (group.isActive.size() <= MOST_ROUTERS) {
      return 0;
    }
    String router =
        LongestUnheard.in(group.claimedAtUnixNanos, Long::longValue, at -> true).orElseThrow();
    group.isActive.remove(router);
    group.claimedAtUnixNanos.remove(router);
    return 1;
  }

  /**
   * Judges a group that has settled, when it has, and forgets one of which nobody spoke for long.
   */
  @Override
  public Step<GatewayGroup, Event> onTimer(GatewayGroup group, long nowUnixNanos) {
    long newest = group.claimedAtUnixNanos.values().stream().mapToLong(at -> at).max().orElse(0);
    if (nowUnixNanos < newest + SETTLED_NANOS) {
      return Step.keep(group, newest + SETTLED_NANOS);
    }
    List<String> routers = routersOf(group);
    List<String> active = routers.stream().filter(group.isActive::get).toList();
    boolean isWrong = active.size() > 1 || active.isEmpty() && group.isActive.size() > 1;
    boolean isRaised = group.raisedWith >= 0;
    long forgottenAt = newest + FORGET_NANOS;
    if (forgottenAt <= nowUnixNanos) {
      return Step.forget(
          isRaised ? List.of(finding(group, active).clear(nowUnixNanos)) : List.of());
    }
    boolean isNews = isWrong ? group.raisedWith != active.size() : isRaised;
    boolean isRepeat = isRaised && nowUnixNanos - group.raisedAtUnixNanos >= REPEAT_NANOS;
    if (!isNews && !isRepeat) {
      return Step.keep(group, isRaised ? repeatedAt(group, forgottenAt) : forgottenAt);
    }
    if (isWrong && !isRaised) {
      group.raisedFor = (active.isEmpty() ? routers : active).get(0);
    }
    group.raisedWith = isWrong ? active.size() : -1;
    group.raisedAtUnixNanos = nowUnixNanos;
    Finding finding = finding(group, active);
    Event decision =
        isWrong ? finding.raise(isNews ? newest : nowUnixNanos) : finding.clear(newest);
    return new Step<>(
        group, List.of(decision), isWrong ? repeatedAt(group, forgottenAt) : forgottenAt);
  }

  private static long repeatedAt(GatewayGroup group, long forgottenAt) {
    return Math.min(group.raisedAtUnixNanos + REPEAT_NANOS, forgottenAt);
  }

  private static List<String> routersOf(GatewayGroup group) {
    return group.isActive.keySet().stream().sorted().toList();
  }

  private static Finding finding(GatewayGroup group, List<String> active) {
    String routers = String.join(", ", routersOf(group));
    Finding finding =
        Finding.of(
                Finding.FINDINGS_JOB,
                "split-active",
                Severity.SEVERITY_CRITICAL,
                group.raisedFor,
                group.site)
            .identity("group", group.group)
            .label("routers", routers)
            .label("active", String.join(", ", active));
    group.claimedAtUnixNanos.forEach(
        (router, at) -> finding.label("said_at_unix_ms." + router, at / Nanos.PER_MILLI));
    return active.isEmpty()
        ? finding.summary("%s: none of %s is active", group.group, routers)
        : finding.summary("%s: active %s", group.group, String.join(" and ", active));
  }
}

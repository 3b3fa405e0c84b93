package io.tocsin.correlation.findings;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/**
 * Finding {@code split_active}: a gateway group with two active routers, or with none.
 *
 * <p>A takeover passes through both for seconds, so the group is judged when nothing was said for
 * ten seconds. A router that lost its power says no goodbye: then two claim to be active, one of
 * them long ago; the labels say when each spoke last.
 */
public final class GatewayRules {
  private static final long SETTLED_NANOS = 10_000_000_000L;

  /**
   * Takes a claim, in any order: the newest of each router counts.
   *
   * @param group changed in place
   */
  public Answer onClaim(GatewayGroup group, GatewayClaim claim) {
    Long before = group.saidAtUnixNanos.get(claim.router());
    if (before != null && before > claim.atUnixNanos()) {
      return Answer.silent();
    }
    group.site = claim.site();
    group.group = claim.group();
    group.isActive.put(claim.router(), claim.isActive());
    group.saidAtUnixNanos.put(claim.router(), claim.atUnixNanos());
    return Answer.at(claim.atUnixNanos() + SETTLED_NANOS);
  }

  /** Judges a group that has settled; one that has not is judged when it has. */
  public Answer onTimer(GatewayGroup group, long nowUnixNanos) {
    long newest = group.saidAtUnixNanos.values().stream().mapToLong(at -> at).max().orElse(0);
    if (nowUnixNanos < newest + SETTLED_NANOS) {
      return Answer.at(newest + SETTLED_NANOS);
    }
    List<String> active = new ArrayList<>();
    group.isActive.forEach(
        (router, isActive) -> {
          if (isActive) {
            active.add(router);
          }
        });
    boolean isWrong = active.size() > 1 || active.isEmpty() && group.isActive.size() > 1;
    if (isWrong == group.raisedWith >= 0 && (!isWrong || group.raisedWith == active.size())) {
      return Answer.silent();
    }
    List<Event> updates = new ArrayList<>();
    if (isWrong) {
      String device = active.isEmpty() ? group.isActive.keySet().iterator().next() : active.get(0);
      group.raisedFor = group.raisedWith >= 0 ? group.raisedFor : device;
      group.raisedWith = active.size();
      updates.add(
          alert(group, active).raise(Severity.SEVERITY_CRITICAL, summary(group, active), newest));
    } else {
      updates.add(alert(group, active).clear(summary(group, active), newest));
      group.raisedWith = -1;
    }
    return new Answer(updates, OptionalLong.empty());
  }

  private static FindingAlert alert(GatewayGroup group, List<String> active) {
    Map<String, String> labels = new TreeMap<>();
    labels.put("group", group.group);
    labels.put("routers", String.join(", ", group.isActive.keySet()));
    labels.put("active", String.join(", ", active));
    group.saidAtUnixNanos.forEach(
        (router, at) -> labels.put("said_at_unix_ms." + router, Long.toString(at / 1_000_000)));
    return new FindingAlert("split_active", group.raisedFor, group.site, "group", labels);
  }

  private static String summary(GatewayGroup group, List<String> active) {
    return active.isEmpty()
        ? group.group + ": none of " + String.join(", ", group.isActive.keySet()) + " is active"
        : group.group + ": active " + String.join(" and ", active);
  }
}

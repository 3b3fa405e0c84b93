package io.tocsin.correlation.wan;

import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.LinkProbe;

/**
 * What the rules need of a probe.
 *
 * @param eventId of its event
 * @param linkId configured name of the link
 * @param device that the link leaves through
 * @param interfaceName that the link leaves through, as SNMP names it; empty where not configured
 * @param site of the agent
 * @param remoteSite at the other end; empty where not configured
 * @param sentAtUnixNanos by the agent's clock
 * @param rttMs round-trip time, {@link Float#NaN} where it was lost
 * @param intervalMs configured time between probes
 */
public record Probe(
    String eventId,
    String linkId,
    String device,
    String interfaceName,
    String site,
    String remoteSite,
    long sentAtUnixNanos,
    float rttMs,
    int intervalMs) {

  private static final int DEFAULT_INTERVAL_MS = 1_000;

  /** The probe of an event with a link probe as its body. */
  public static Probe of(Event event) {
    LinkProbe probe = event.getLinkProbe();
    boolean isLost = probe.getLost() || !probe.hasRttMs();
    return new Probe(
        event.getEventId(),
        probe.getLinkId(),
        event.getDevice(),
        probe.getInterface(),
        event.getSite(),
        probe.getRemoteSite(),
        event.getEventTimeUnixNanos(),
        isLost ? Float.NaN : (float) probe.getRttMs(),
        probe.getIntervalMs() > 0 ? probe.getIntervalMs() : DEFAULT_INTERVAL_MS);
  }

  /**
   * Whether it says anything about the link: a probe that the agent could not send speaks of the
   * agent.
   */
  public static boolean wasSent(Event event) {
    return event.getLinkProbe().getLossReason() != LinkProbe.LossReason.LOSS_REASON_NOT_SENT;
  }

  boolean isLost() {
    return Float.isNaN(rttMs);
  }

  long intervalNanos() {
    return intervalMs * Nanos.PER_MILLI;
  }
}

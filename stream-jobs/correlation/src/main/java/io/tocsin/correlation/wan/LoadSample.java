package io.tocsin.correlation.wan;

import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.InterfaceCounters;

/**
 * What an interface did between two polls. {@link Double#NaN} where the poll could not tell.
 *
 * @param atUnixNanos of the later poll, by the agent's clock
 * @param intervalNanos since the poll before; 0 for the first
 * @param outLoad share of the speed
 * @param outBps bits a second
 * @param outDiscardsPerSecond what the full queue threw away
 * @param inErrorsPerSecond broken frames
 * @param isDown whether the interface was not up at the poll
 * @param eventId of the poll
 */
public record LoadSample(
    long atUnixNanos,
    long intervalNanos,
    double outLoad,
    double outBps,
    double outDiscardsPerSecond,
    double inErrorsPerSecond,
    boolean isDown,
    String eventId) {

  /** The sample of an event with interface counters as its body. */
  public static LoadSample of(Event event) {
    InterfaceCounters counters = event.getInterfaceCounters();
    return new LoadSample(
        event.getEventTimeUnixNanos(),
        counters.getIntervalMs() * Nanos.PER_MILLI,
        counters.hasOutLoad() ? counters.getOutLoad() : Double.NaN,
        counters.hasOutBps() ? counters.getOutBps() : Double.NaN,
        counters.hasOutDiscardsPerSecond() ? counters.getOutDiscardsPerSecond() : Double.NaN,
        counters.hasInErrorsPerSecond() ? counters.getInErrorsPerSecond() : Double.NaN,
        counters.getOperStatus() == InterfaceCounters.Status.STATUS_DOWN
            || counters.getOperStatus() == InterfaceCounters.Status.STATUS_LOWER_LAYER_DOWN
            || counters.getOperStatus() == InterfaceCounters.Status.STATUS_NOT_PRESENT,
        event.getEventId());
  }

  /** Share of the sample's time that lies within a span, 0 to 1. */
  double shareWithin(long fromUnixNanos, long toUnixNanos) {
    if (intervalNanos <= 0) {
      return atUnixNanos >= fromUnixNanos && atUnixNanos <= toUnixNanos ? 1 : 0;
    }
    long from = Math.max(fromUnixNanos, atUnixNanos - intervalNanos);
    long to = Math.min(toUnixNanos, atUnixNanos);
    return to <= from ? 0 : (double) (to - from) / intervalNanos;
  }

  boolean hasRates() {
    return !Double.isNaN(outLoad) || !Double.isNaN(outDiscardsPerSecond);
  }
}

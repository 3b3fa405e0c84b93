package io.tocsin.jobs.findings;

import io.tocsin.events.v1.Event;
import java.io.Serializable;
import java.util.List;
import org.apache.flink.api.common.functions.FilterFunction;
import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;
import org.apache.flink.util.OutputTag;

/**
 * Hands each event to the findings that it concerns, in the task that reads it. Nearly all events
 * concern none and end here: an operator for each finding would cost every line of syslog more than
 * the look at it.
 */
final class RoutesFunction extends ProcessFunction<Event, Event> {
  private final List<Route> routes;
  private final boolean isOfGroups;

  /**
   * The way to one finding.
   *
   * @param output that takes the finding's events
   * @param concerned says which they are
   */
  record Route(OutputTag<Event> output, FilterFunction<Event> concerned) implements Serializable {}

  private RoutesFunction(List<Route> routes, boolean isOfGroups) {
    this.routes = routes;
    this.isOfGroups = isOfGroups;
  }

  /** For all events. Its main output has those of groups of agents, which may be copies. */
  static RoutesFunction of(List<Route> routes) {
    return new RoutesFunction(List.copyOf(routes), false);
  }

  /** For the first of each message of groups; its main output has nothing. */
  static RoutesFunction ofGroups(List<Route> routes) {
    return new RoutesFunction(List.copyOf(routes), true);
  }

  @Override
  public void processElement(Event event, Context context, Collector<Event> out) throws Exception {
    if (event.hasCopies() && !isOfGroups) {
      out.collect(event);
      return;
    }
    for (Route route : routes) {
      if (route.concerned().filter(event)) {
        context.output(route.output(), event);
      }
    }
  }
}

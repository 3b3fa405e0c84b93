package io.tocsin.rules.match;

import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.InterfaceCounters;
import io.tocsin.events.v1.InterfaceCounters.Status;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/**
 * A figure of an interface at a poll.
 *
 * @param figure which one
 * @param interfaceName must be found in the interface's name
 * @param alias must be found in what the operator calls it
 * @param threshold judges it
 */
public record CounterMatch(
    Figure figure, TextPattern interfaceName, TextPattern alias, Threshold threshold)
    implements MeasureMatch {
  private static final Set<String> OWN_FIELDS = Set.of("interface", "alias", "value", "percent");

  /** Figures of one poll. */
  public enum Figure {
    /** Share of the speed that was received, 0 to 1. */
    IN_LOAD,
    /** Share of the speed that was sent, 0 to 1. */
    OUT_LOAD,
    /** Bits a second received. */
    IN_BPS,
    /** Bits a second sent. */
    OUT_BPS,
    /** Received packets with errors, a second. */
    IN_ERRORS_PER_SECOND,
    /** Packets that a full queue threw away, a second. */
    OUT_DISCARDS_PER_SECOND,
    /** 1 where the interface should be up and is not, else 0. */
    IS_DOWN
  }

  @Override
  public Set<String> fields() {
    Set<String> fields = new TreeSet<>(OWN_FIELDS);
    fields.addAll(interfaceName.fields());
    fields.addAll(alias.fields());
    return fields;
  }

  @Override
  public OptionalDouble figure(Event event, Map<String, String> fields) {
    InterfaceCounters counters = event.getInterfaceCounters();
    OptionalDouble value = valueOf(counters);
    if (value.isEmpty()
        || !interfaceName.find(counters.getInterface(), fields)
        || !alias.find(counters.getAlias(), fields)) {
      return OptionalDouble.empty();
    }
    fields.put("interface", counters.getInterface());
    fields.put("alias", counters.getAlias());
    Figures.put(fields, value.getAsDouble());
    return value;
  }

  private OptionalDouble valueOf(InterfaceCounters counters) {
    return switch (figure) {
      case IN_LOAD -> optional(counters.hasInLoad(), counters.getInLoad());
      case OUT_LOAD -> optional(counters.hasOutLoad(), counters.getOutLoad());
      case IN_BPS -> optional(counters.hasInBps(), counters.getInBps());
      case OUT_BPS -> optional(counters.hasOutBps(), counters.getOutBps());
      case IN_ERRORS_PER_SECOND ->
          optional(counters.hasInErrorsPerSecond(), counters.getInErrorsPerSecond());
      case OUT_DISCARDS_PER_SECOND ->
          optional(counters.hasOutDiscardsPerSecond(), counters.getOutDiscardsPerSecond());
      case IS_DOWN -> isDown(counters);
    };
  }

  private static OptionalDouble optional(boolean isSet, double value) {
    return isSet ? OptionalDouble.of(value) : OptionalDouble.empty();
  }

  private static OptionalDouble isDown(InterfaceCounters counters) {
    boolean isTold =
        counters.getOperStatus() != Status.STATUS_UNSPECIFIED
            && counters.getOperStatus() != Status.STATUS_UNKNOWN;
    boolean shouldBeUp = counters.getAdminStatus() == Status.STATUS_UP;
    boolean isDown =
        counters.getOperStatus() == Status.STATUS_DOWN
            || counters.getOperStatus() == Status.STATUS_LOWER_LAYER_DOWN
            || counters.getOperStatus() == Status.STATUS_NOT_PRESENT;
    return optional(isTold, shouldBeUp && isDown ? 1 : 0);
  }
}

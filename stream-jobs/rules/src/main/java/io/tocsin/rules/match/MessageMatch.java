package io.tocsin.rules.match;

import io.tocsin.events.v1.Event;
import java.util.Map;

/** Events that say in words what happened. */
public sealed interface MessageMatch extends EventMatch
    permits SyslogMatch, TrapMatch, DhcpMatch, FindingMatch {
  /**
   * Tells whether an event is meant.
   *
   * @param event with the body that this match is for
   * @param fields takes what was read from it; of no meaning where the answer is no
   */
  boolean matches(Event event, Map<String, String> fields);
}

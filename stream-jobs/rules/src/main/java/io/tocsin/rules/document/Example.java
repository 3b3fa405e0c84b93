package io.tocsin.rules.document;

import java.util.Map;

/**
 * An event and what must come of it. The examples of a rule are played in order, as one story.
 *
 * @param line where it stands in the file, counted from 1
 * @param syslog a message as a device sends it; empty where {@code eventJson} has the event
 * @param eventJson an Event in protobuf's JSON form
 * @param expected the signal, null for none
 */
public record Example(int line, String syslog, String eventJson, Expected expected) {
  /**
   * The one signal that must come.
   *
   * @param kind {@code raise} or {@code clear}
   * @param fingerprint values of the rule's fingerprint fields
   * @param severity severity's word, empty where it does not matter
   * @param summary empty where it does not matter
   */
  public record Expected(
      String kind, Map<String, String> fingerprint, String severity, String summary) {}
}

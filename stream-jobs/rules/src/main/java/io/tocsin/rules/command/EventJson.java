package io.tocsin.rules.command;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.tocsin.events.v1.Event;

/** Events in protobuf's JSON form. */
final class EventJson {
  private EventJson() {}

  /**
   * Reads one event.
   *
   * @param where what to name in a refusal
   */
  static Event parse(String json, String where) {
    Event.Builder event = Event.newBuilder();
    try {
      JsonFormat.parser().merge(json, event);
    } catch (InvalidProtocolBufferException e) {
      throw new CommandException(
          where + ": this is no Event: " + e.getMessage(),
          "write it in protobuf's JSON form, as `tocsin parse` prints it and schemas/golden/event shows");
    }
    return event.build();
  }
}

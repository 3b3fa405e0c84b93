package io.tocsin.jobs.copies;

import io.tocsin.correlation.copies.Copies;
import io.tocsin.events.v1.Event;
import io.tocsin.model.ProtobufTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;

/** Events that agents of a group received, once each. */
public final class CopyStreams {
  private CopyStreams() {}

  /**
   * The first of each message. Others of the job's events do not come this way and pay nothing.
   *
   * @param events with {@code copies} all of them
   * @param uid of the operator
   */
  public static DataStream<Event> once(DataStream<Event> events, String uid) {
    return events
        .keyBy(Copies::keyOf, Types.STRING)
        .process(
            new CopiesFunction<Event, Event>(
                event -> event, (event, verdict) -> verdict.isCopy() ? null : event))
        .returns(ProtobufTypeInfo.forMessage(Event.class))
        .name("copies of other agents")
        .uid(uid);
  }
}

package io.tocsin.connectors.tables;

import com.google.protobuf.ByteString;
import io.tocsin.connectors.Rejects;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.events.v1.Event;
import io.tocsin.rejects.v1.Stage;

/** Every answer of a DHCP server to table {@code lease_latencies}. */
public final class LeaseLatenciesTable implements TableRouter<LeaseLatency> {

  private final RowEncoder<LeaseLatency> leaseLatencies = new LeaseLatenciesEncoder();
  private final RowEncoder<Event> rejects = new RejectsEncoder();

  @Override
  public RowEncoder<LeaseLatency> encoderFor(LeaseLatency answer) {
    return leaseLatencies;
  }

  @Override
  public Row<Event> rejectOf(LeaseLatency answer, String detail) {
    Event reject =
        Rejects.ofRow(
                answer.eventId(),
                answer.eventTimeUnixNanos(),
                ByteString.copyFromUtf8(answer.toString()),
                Stage.STAGE_REGISTRATIONS,
                detail)
            .setDevice(answer.mac())
            .setSite(answer.site())
            .build();
    return new Row<>(reject, rejects);
  }
}

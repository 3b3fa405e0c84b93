package io.tocsin.connectors.tables;

import com.google.protobuf.ByteString;
import io.tocsin.connectors.Rejects;
import io.tocsin.connectors.clickhouse.RowBinaryWriter;
import io.tocsin.events.v1.Event;
import io.tocsin.rejects.v1.Stage;
import java.util.List;

/** Answers of DHCP servers to table {@code lease_latencies}. */
public final class LeaseLatenciesTable extends SingleTable<LeaseLatency> {
  /** The table. */
  public LeaseLatenciesTable() {
    super(
        "lease_latencies",
        List.of(
            "event_id",
            "event_time",
            "kind",
            "family",
            "mac",
            "ip",
            "server",
            "scope",
            "relay",
            "site",
            "latency_ms"));
  }

  @Override
  public void encode(LeaseLatency answer, RowBinaryWriter row) {
    row.string(answer.eventId())
        .dateTime64Nanos(answer.eventTimeUnixNanos())
        .enum8(
            "kind",
            answer.kind().number,
            LeaseLatency.Kind.OFFER.number,
            LeaseLatency.Kind.ACK.number)
        .uint8(answer.family())
        .string(answer.mac())
        .string(answer.ip())
        .string(answer.server())
        .string(answer.scope())
        .string(answer.relay())
        .string(answer.site())
        .float64(answer.latencyMs());
  }

  @Override
  Event reject(LeaseLatency answer, String detail) {
    return Rejects.ofRow(
            answer.eventId(),
            answer.eventTimeUnixNanos(),
            ByteString.copyFromUtf8(answer.toString()),
            Stage.STAGE_REGISTRATIONS,
            detail)
        .setDevice(answer.mac())
        .setSite(answer.site())
        .build();
  }
}

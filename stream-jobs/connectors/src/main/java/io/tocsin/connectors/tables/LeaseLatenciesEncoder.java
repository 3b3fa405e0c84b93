package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.RowBinaryWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import java.util.List;

/** Answers of DHCP servers to table {@code lease_latencies}. */
final class LeaseLatenciesEncoder implements RowEncoder<LeaseLatency> {
  private static final List<String> COLUMNS =
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
          "latency_ms");

  @Override
  public String table() {
    return "lease_latencies";
  }

  @Override
  public List<String> columns() {
    return COLUMNS;
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
}

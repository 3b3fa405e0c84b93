package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.registrations.v1.LeaseLatency;
import java.util.List;

/** Answers of DHCP servers to table {@code lease_latencies}. */
final class LeaseLatenciesEncoder extends RowEncoder<LeaseLatency> {
  LeaseLatenciesEncoder() {
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
  public void encode(LeaseLatency answer, NativeWriter row) {
    row.string(answer.getEventId())
        .dateTime64Nanos(answer.getEventTimeUnixNanos())
        .enum8(
            "kind",
            answer.getKindValue(),
            LeaseLatency.Kind.KIND_OFFER_VALUE,
            LeaseLatency.Kind.KIND_ACK_VALUE)
        .uint8(answer.getFamily())
        .string(answer.getMac())
        .string(answer.getIp())
        .string(answer.getServer())
        .string(answer.getScope())
        .string(answer.getRelay())
        .string(answer.getSite())
        .float64(answer.getLatencyMs());
  }
}

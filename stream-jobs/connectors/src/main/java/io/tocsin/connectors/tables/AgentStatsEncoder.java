package io.tocsin.connectors.tables;

import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.events.v1.AgentStats;
import io.tocsin.events.v1.Event;
import java.util.List;

/** Events with a listener's counters to table {@code agent_stats}. */
final class AgentStatsEncoder extends RowEncoder<Event> {
  AgentStatsEncoder() {
    super(
        "agent_stats",
        Envelope.columnsAnd(
            List.of(
                "received",
                "received_bytes",
                "kernel_dropped",
                "malformed",
                "rate_limited",
                "events",
                "spooled",
                "published",
                "acked",
                "dropped",
                "buffer_bytes",
                "buffer_peak_bytes",
                "buffer_limit_bytes")));
  }

  @Override
  public void encode(Event event, NativeWriter row) {
    AgentStats stats = event.getAgentStats();
    Envelope.encode(event, row)
        .uint64(stats.getReceived())
        .uint64(stats.getReceivedBytes())
        .uint64(stats.getKernelDropped())
        .uint64(stats.getMalformed())
        .uint64(stats.getRateLimited())
        .uint64(stats.getEvents())
        .uint64(stats.getSpooled())
        .uint64(stats.getPublished())
        .uint64(stats.getAcked())
        .uint64(stats.getDropped())
        .uint64(stats.getBufferBytes())
        .uint64(stats.getBufferPeakBytes())
        .uint64(stats.getBufferLimitBytes());
  }
}

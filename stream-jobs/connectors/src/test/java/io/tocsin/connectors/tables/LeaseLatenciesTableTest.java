package io.tocsin.connectors.tables;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.connectors.clickhouse.RowBinaryWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter.Row;
import io.tocsin.events.v1.Event;
import io.tocsin.rejects.v1.Stage;
import org.junit.jupiter.api.Test;

class LeaseLatenciesTableTest {
  private final LeaseLatenciesTable table = new LeaseLatenciesTable();

  @Test
  void rowHoldsTheColumnsInTheirOrder() {
    LeaseLatency answer = answerAt(unixNanos(NOON));
    RowEncoder<LeaseLatency> encoder = table.encoderFor(answer);
    RowBinaryWriter row = new RowBinaryWriter(64);

    encoder.encode(answer, row);

    assertThat(encoder.columns())
        .containsExactly(
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
    assertThat(row.toByteArray())
        .isEqualTo(
            new RowBinaryWriter(64)
                .string("agent-1-1-1")
                .uint64(unixNanos(NOON))
                .uint8(2)
                .uint8(4)
                .string("02:00:00:00:00:2a")
                .string("10.1.2.3")
                .string("10.1.0.1")
                .string("10.1.2.0/24")
                .string("")
                .string("dc1")
                .float64(2.5)
                .toByteArray());
  }

  @Test
  void answerAtATimeThatTheTableCannotHoldBecomesAReject() {
    LeaseLatency answer = answerAt(-1);
    RowEncoder<LeaseLatency> encoder = table.encoderFor(answer);

    assertThatThrownBy(() -> encoder.encode(answer, new RowBinaryWriter(64)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("after 2262");
    Row<Event> reject = table.rejectOf(answer, "why");

    reject.encoder().encode(reject.element(), new RowBinaryWriter(64));
    assertThat(reject.element().getReject().getStage()).isEqualTo(Stage.STAGE_REGISTRATIONS);
    assertThat(reject.element().getReject().getDetail()).isEqualTo("why");
    assertThat(reject.element().getEventId()).isEqualTo("agent-1-1-1");
    assertThat(reject.element().getRaw().toStringUtf8()).contains("server=10.1.0.1");
  }

  private static LeaseLatency answerAt(long unixNanos) {
    return new LeaseLatency(
        "agent-1-1-1",
        unixNanos,
        LeaseLatency.Kind.ACK,
        4,
        "02:00:00:00:00:2a",
        "10.1.2.3",
        "10.1.0.1",
        "10.1.2.0/24",
        "",
        "dc1",
        2.5);
  }
}

package io.tocsin.connectors.clickhouse;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.clickhouse.data.ClickHouseFormat;
import com.github.luben.zstd.Zstd;
import com.google.protobuf.ByteString;
import io.tocsin.connectors.Rejects;
import io.tocsin.connectors.clickhouse.BlockInserter.RetryableInsertException;
import io.tocsin.connectors.tables.EventTables;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the sink needs from a real server: that a row reads as it was written, and that a token
 * stores a block once.
 */
class ClickHouseInsertITCase extends ClickHouseCase {
  private final String agent = "test-" + UUID.randomUUID();

  @Test
  void repeatedBlockIsStoredOnceAlsoInMaterializedViews() throws IOException {
    Block block = blockOf(TestEvents.syslog(1, NOON), TestEvents.syslog(2, NOON));

    inserter.insert(block);
    inserter.insert(block);

    assertThat(count("syslog")).isEqualTo("2");
    assertThat(stored("syslog")).isEqualTo("2");
  }

  @Test
  void repeatedBlockThatSpansWeeksIsStoredOnce() throws IOException {
    Event[] twoHundredWeeks = new Event[200];
    for (int week = 0; week < twoHundredWeeks.length; week++) {
      twoHundredWeeks[week] = TestEvents.syslog(week + 1, NOON.minusSeconds(week * 7L * 86_400));
    }
    Block block = blockOf(twoHundredWeeks);

    inserter.insert(block);
    inserter.insert(block);

    // The table's TTL may already have dropped the oldest weeks; the view counts all of them.
    assertThat(stored("syslog")).isEqualTo("200");
  }

  @Test
  void repeatedFullBlockIsStoredOnce() throws IOException {
    Event[] events = new Event[BlockLimits.DEFAULT.maxRows()];
    for (int i = 0; i < events.length; i++) {
      events[i] = TestEvents.syslog(i + 1, NOON);
    }
    Block block = blockOf(events);

    inserter.insert(block);
    inserter.insert(block);

    assertThat(count("syslog")).isEqualTo(Integer.toString(events.length));
    assertThat(stored("syslog")).isEqualTo(Integer.toString(events.length));
  }

  @Test
  void timesAtBothEndsOfTheTypeAreStoredAsTheyAre() throws IOException {
    inserter.insert(
        blockOf(
            TestEvents.syslog(1, NOON).toBuilder().setEventTimeUnixNanos(0).build(),
            TestEvents.syslog(2, NOON).toBuilder().setEventTimeUnixNanos(Long.MAX_VALUE).build()));

    assertThat(select("event_time", "syslog").lines())
        .containsExactlyInAnyOrder(
            "1970-01-01 00:00:00.000000000", "2262-04-11 23:47:16.854775807");
  }

  @Test
  void sameRowsWithAnotherTokenAreOtherRows() throws IOException {
    inserter.insert(blockOf(TestEvents.syslog(1, NOON)));
    inserter.insert(blockOf(TestEvents.syslog(1, NOON)));

    assertThat(count("syslog")).isEqualTo("2");
  }

  @Test
  void syslogReadsAsItWasWritten() throws IOException {
    inserter.insert(blockOf(TestEvents.syslog(7, NOON)));

    assertThat(
            select(
                "event_id, boot_id, agent_sequence, listener, toUnixTimestamp64Nano(received_at),"
                    + " event_time, source_ip, device, site, facility, severity, app_name, proc_id,"
                    + " msg_id, structured_data, message, sequence, raw",
                "syslog"))
        .isEqualTo(
            String.join(
                "\t",
                TestEvents.syslog(7, NOON).getEventId(),
                Long.toString(TestEvents.BOOT_ID),
                "7",
                "syslog-udp",
                Long.toString(unixNanos(NOON)),
                "2026-11-20 12:00:00.000000000",
                "::ffff:192.0.2.18",
                "n0418",
                "",
                "daemon",
                "warning",
                "dhcpd",
                "812",
                "SEND",
                "{'meta.language':'en'}",
                "send_packet: Operation not permitted",
                "7",
                "raw 7"));
  }

  @ParameterizedTest
  @CsvSource({"<30>,'',true", "<30>,'\r\n',true", "<30>,'\n',true", "<30>,?,false"})
  void bytesAsReceivedAreReadAsTheyCame(String before, String after, boolean isStoredOnce)
      throws IOException {
    Event event = TestEvents.syslog(1, NOON);
    String message = event.getSyslog().getMessage();
    String sent = isStoredOnce ? message : message.replace(' ', '_');
    ByteString raw = ByteString.copyFromUtf8(before + sent + after);

    inserter.insert(blockOf(event.toBuilder().setRaw(raw).build()));

    String header = isStoredOnce ? before : before + sent + after;
    assertThat(select("hex(raw), hex(raw_header), raw_bytes", "syslog"))
        .isEqualTo(hex(before + sent + after) + "\t" + hex(header) + "\t" + raw.size());
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 7, 0x10, 0xabc, 1_763_632_800_000_000_000L, Long.MIN_VALUE, -1})
  void idThatIsMadeOfItsThreePartsIsNotStoredAndAnyOtherIs(long bootId) throws IOException {
    Event event = TestEvents.syslog(1, NOON).toBuilder().setBootId(bootId).setSequence(-1).build();
    String made = agent + "-" + Long.toHexString(bootId) + "-18446744073709551615";
    inserter.insert(blockOf(event.toBuilder().setEventId(made).build()));
    inserter.insert(blockOf(event.toBuilder().setEventId("another").build()));

    assertThat(select("arraySort(groupArray((given_event_id, event_id)))", "syslog"))
        .isEqualTo("[('','" + made + "'),('another','another')]");
  }

  @Test
  void absentSequenceIsNullAndBytesStayBytes() throws IOException {
    Event.Builder event = TestEvents.syslog(1, NOON).toBuilder();
    event.getSyslogBuilder().clearSequence();
    event.setRaw(ByteString.copyFrom(new byte[] {0, (byte) 0xff, 10}));

    inserter.insert(blockOf(event.build()));

    assertThat(select("sequence IS NULL, hex(raw)", "syslog")).isEqualTo("1\t00FF0A");
  }

  @Test
  void otherTablesReadAsTheyWereWritten() throws IOException {
    inserter.insert(blockOf(TestEvents.raise(1, NOON)));
    inserter.insert(blockOf(TestEvents.agentStats(2, NOON)));
    inserter.insert(blockOf(TestEvents.reject(3, NOON)));

    assertThat(select("action, source, check, severity, summary, labels", "alert_updates"))
        .isEqualTo("update\thyak\tnode\tcritical\tnode down\t{'rack':'b4'}");
    assertThat(select("device, source_ip, received, events, published, acked", "agent_stats"))
        .isEqualTo("host-1\t::\t7\t7\t7\t6");
    assertThat(select("stage, reason, detail, original_bytes", "rejects"))
        .isEqualTo("parse\tsyntax\tno JSON object at byte 0\t5");
  }

  @Test
  void rejectOfTheArchiveClosesTheBalanceInPlaceOfItsEvent() throws IOException {
    Event acked = TestEvents.syslog(1, NOON);
    Event.Builder report = TestEvents.agentStats(2, NOON).toBuilder();
    report.getAgentStatsBuilder().setReceived(1).setEvents(1).setPublished(1).setAcked(1);
    String sheet = "stored_events, stored_rejects, missing, unreported, closed";

    inserter.insert(blockOf(report.build()));
    assertThat(select(sheet, "balance")).isEqualTo("0\t0\t1\t0\t0");

    inserter.insert(blockOf(Rejects.invalid(acked, "source_ip has 3 bytes")));
    assertThat(select(sheet, "balance")).isEqualTo("0\t1\t0\t0\t1");
  }

  @Test
  void errorsThatPassHaveTheNamesThatTheServerGivesThem() {
    PassingErrors.NAMES.forEach(
        (code, name) ->
            assertThat(clickHouse.query("SELECT errorCodeToName(" + code + ")"))
                .as("name of error %d", code)
                .isEqualTo(name));
  }

  @Test
  void missingTableIsNotWorthRepeating() {
    Block lost = UnreadBlock.of("no_such_table", "token", 1, new byte[] {1});

    assertThatThrownBy(() -> inserter.insert(lost))
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(RetryableInsertException.class)
        .hasMessageContaining("tocsin schema apply");
  }

  @Test
  void serverThatIsAwayIsWorthRepeating() throws IOException {
    try (var nobody = new ClientInserter(ClickHouseConnection.open("http://127.0.0.1:1"))) {
      assertThatThrownBy(() -> nobody.insert(blockOf(TestEvents.syslog(1, NOON))))
          .isInstanceOf(RetryableInsertException.class);
    }
  }

  /** Of a checkpoint that an earlier version wrote. */
  @Test
  void blockInRowBinaryIsStillStored() throws IOException {
    byte[] name = agent.getBytes(StandardCharsets.US_ASCII);
    byte[] row =
        ByteBuffer.allocate(1 + name.length + Long.BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put((byte) name.length)
            .put(name)
            .putLong(unixNanos(NOON))
            .array();
    inserter.insert(
        new Block(
            "agent_stats",
            List.of("agent_id", "received_at"),
            1,
            ClickHouseFormat.RowBinary,
            Zstd.compress(row),
            UUID.randomUUID().toString(),
            List.of()));

    assertThat(count("agent_stats")).isEqualTo("1");
  }

  private static String hex(String text) {
    return HexFormat.of().withUpperCase().formatHex(text.getBytes(StandardCharsets.UTF_8));
  }

  private Block blockOf(Event... events) {
    EventTables tables = new EventTables();
    BlockBuilder block = new BlockBuilder(tables.encoderFor(events[0]));
    for (Event event : events) {
      Event mine = event.toBuilder().setAgentId(agent).build();
      block.add(mine, tables.encoderFor(mine));
    }
    return block.seal();
  }

  private String count(String table) {
    return select("count()", table);
  }

  private String stored(String kind) {
    return clickHouse.query(
        "SELECT sum(stored) FROM tocsin.stored_totals WHERE agent_id = '"
            + agent
            + "' AND kind = '"
            + kind
            + "'");
  }

  private String select(String columns, String table) {
    return clickHouse.query(
        "SELECT " + columns + " FROM tocsin." + table + " WHERE agent_id = '" + agent + "'");
  }
}

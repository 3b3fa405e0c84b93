package io.tocsin.integration;

import static io.tocsin.integration.ClickHouseServer.ANALYST;
import static io.tocsin.integration.ClickHouseServer.READER;
import static io.tocsin.integration.ClickHouseServer.RECORDER;
import static io.tocsin.integration.ClickHouseServer.SCHEMA;
import static io.tocsin.integration.ClickHouseServer.WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The users of deploy/clickhouse at a ClickHouse of their own: the engine of the embedded stack,
 * which reads the same file.
 */
class UsersOnClickHouseTest {
  private static ClickHouseServer server;

  @BeforeAll
  static void startServerAndMakeTables() throws Exception {
    server = new ClickHouseServer(TestStacks.emptyState("users").root());
    server.start("");
    Ended applied = server.schema("apply");
    assertThat(applied.exitCode()).as(applied.output()).isZero();
  }

  @AfterAll
  static void stopServer() throws InterruptedException {
    server.kill();
  }

  @Test
  void writerFeedsTablesAndRollUpsAndReaderSeesThem() throws Exception {
    assertThat(
            ask(
                WRITER,
                "INSERT INTO tocsin.syslog (given_event_id, device, received_at, event_time, message)"
                    + " VALUES ('a-1-1', 'core-1', now(), now(), 'link down')"))
        .isEmpty();
    assertThat(ask(READER, "SELECT device, message FROM tocsin.syslog"))
        .isEqualTo("core-1\tlink down");
    assertThat(ask(READER, "SELECT sum(messages) FROM tocsin.syslog_volume_1d")).isEqualTo("1");
  }

  @Test
  void writerInsertsIntoEveryTableWhateverMaterializedViewsAreBehindIt() throws Exception {
    List<String> tables =
        ask(
                SCHEMA,
                "SELECT name FROM system.tables WHERE database = 'tocsin' AND engine LIKE '%MergeTree'"
                    + " AND name != 'schema_migrations' ORDER BY name")
            .lines()
            .toList();
    assertThat(tables).contains("syslog", "alert_history", "registration_history", "pages");
    for (String table : tables) {
      String column =
          ask(
              SCHEMA,
              "SELECT name FROM system.columns WHERE database = 'tocsin' AND table = '%s' AND default_kind = ''"
                      .formatted(table)
                  + " ORDER BY position LIMIT 1");
      assertThat(
              ask(WRITER, "INSERT INTO tocsin.%s (%s) VALUES (DEFAULT)".formatted(table, column)))
          .as(table)
          .isEmpty();
    }
  }

  @Test
  void writerReadsTheQuarantineAndTakesNoteOfWhatItInserted() throws Exception {
    String refused =
        "INSERT INTO tocsin.quarantined_blocks (token, table, rows) VALUES ('t', 'x', 3)";
    assertThat(ask(WRITER, refused)).isEmpty();
    assertThat(
            ask(
                WRITER,
                "INSERT INTO tocsin.quarantined_blocks (token, table, rows, inserted_at)"
                    + " SELECT token, table, rows, now64(3) FROM tocsin.quarantined_blocks FINAL WHERE token = 't'",
                Map.of("materialized_views_ignore_errors", "1")))
        .isEmpty();
    assertThat(
            ask(
                READER,
                "SELECT count(), min(inserted_at) > now() - 60 FROM tocsin.quarantined_blocks FINAL WHERE token = 't'"))
        .isEqualTo("1\t1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CREATE TABLE tocsin.t (a UInt8) ENGINE = MergeTree ORDER BY a",
        "CREATE VIEW tocsin.t AS SELECT 1",
        "CREATE OR REPLACE VIEW tocsin.alerts AS SELECT 1",
        "CREATE DATABASE other",
        "DROP TABLE tocsin.syslog",
        "DROP DATABASE tocsin",
        "TRUNCATE TABLE tocsin.syslog",
        "RENAME TABLE tocsin.syslog TO tocsin.t",
        "OPTIMIZE TABLE tocsin.syslog FINAL",
        "ALTER TABLE tocsin.syslog ADD COLUMN x UInt8",
        "ALTER TABLE tocsin.syslog MODIFY TTL received_at + INTERVAL 1 DAY",
        "ALTER TABLE tocsin.syslog DROP PARTITION ID '20261116'",
        "ALTER TABLE tocsin.syslog DELETE WHERE 1",
        "DELETE FROM tocsin.syslog WHERE 1",
        "INSERT INTO tocsin.schema_migrations (number, name) VALUES (1, 'x')",
        "CREATE TABLE default.t (a UInt8) ENGINE = MergeTree ORDER BY a",
        "SELECT count() FROM system.users",
        "SELECT count() FROM system.processes",
        "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')"
      })
  void writerChangesNothingButByInserts(String statement) throws Exception {
    assertThat(ask(WRITER, statement)).contains("ACCESS_DENIED");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TRUNCATE TABLE tocsin.syslog",
        "CREATE TABLE default.t (a UInt8) ENGINE = MergeTree ORDER BY a",
        "SELECT count() FROM system.users",
        "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')"
      })
  void makerOfTablesStaysInItsDatabase(String statement) throws Exception {
    assertThat(ask(SCHEMA, statement)).contains("ACCESS_DENIED");
  }

  @Test
  void recorderInsertsPages() throws Exception {
    String page =
        "INSERT INTO tocsin.pages (sent_at, status, raw) VALUES (now64(3), 'firing', 'of the recorder')";
    assertThat(ask(RECORDER, page)).isEmpty();
    assertThat(ask(READER, "SELECT status FROM tocsin.pages WHERE raw = 'of the recorder'"))
        .isEqualTo("firing");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO tocsin.syslog (device) VALUES ('x')",
        "INSERT INTO tocsin.alert_history (fingerprint) VALUES ('x')",
        "SELECT count() FROM tocsin.pages",
        "SELECT count() FROM tocsin.syslog",
        "ALTER TABLE tocsin.pages DELETE WHERE 1",
        "TRUNCATE TABLE tocsin.pages"
      })
  void recorderCanDoNothingButInsertPages(String statement) throws Exception {
    assertThat(ask(RECORDER, statement)).contains("ACCESS_DENIED");
  }

  @Test
  void analystSetsWhatProgramsForReportsSet() throws Exception {
    assertThat(ask(ANALYST, "SELECT count() FROM tocsin.pages SETTINGS max_block_size = 1000"))
        .matches("\\d+");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO tocsin.syslog (device) VALUES ('x')",
        "ALTER TABLE tocsin.syslog DELETE WHERE 1",
        "DROP TABLE tocsin.syslog",
        "CREATE TABLE tocsin.t (a UInt8) ENGINE = Memory",
        "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')",
        "SELECT count() FROM system.users",
        "SELECT 1 SETTINGS readonly = 0",
        "SELECT 1 SETTINGS priority = 0",
        "SELECT 1 SETTINGS max_execution_time = 601",
        "SELECT 1 SETTINGS max_memory_usage = 5000000000",
        "SELECT 1 SETTINGS max_memory_usage_for_user = 0",
        "SELECT 1 SETTINGS max_rows_to_read = 0",
        "SELECT 1 SETTINGS max_execution_time = 0",
        "SELECT 1 SETTINGS max_memory_usage = 0",
        "SELECT 1 SETTINGS max_result_rows = 0"
      })
  void analystCanDoNothingButReadWithinLimits(String statement) throws Exception {
    assertThat(ask(ANALYST, statement))
        .containsPattern("ACCESS_DENIED|READONLY|SETTING_CONSTRAINT_VIOLATION");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO tocsin.syslog (device) VALUES ('x')",
        "ALTER TABLE tocsin.syslog DELETE WHERE 1",
        "DROP TABLE tocsin.syslog",
        "TRUNCATE TABLE tocsin.syslog",
        "CREATE TABLE tocsin.t (a UInt8) ENGINE = Memory",
        "SELECT * FROM url('http://127.0.0.1:1/', 'TSV', 'a String')",
        "SELECT count() FROM system.users",
        "SET readonly = 0",
        "SELECT 1 SETTINGS max_memory_usage = 0"
      })
  void readerCanDoNothingButRead(String statement) throws Exception {
    assertThat(ask(READER, statement)).containsPattern("ACCESS_DENIED|READONLY");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "SELECT number FROM numbers(3000000) FORMAT Null | Limit for result exceeded",
        "SELECT length(groupArray(number)) FROM numbers(1000000000) | memory limit exceeded",
        "SELECT count() FROM numbers(3000000000) WHERE sipHash64(number) = 1 | max_rows_to_read",
        "SELECT 1 SETTINGS max_execution_time = 301 | SETTING_CONSTRAINT_VIOLATION",
        "SELECT 1 SETTINGS max_execution_time = 0 | SETTING_CONSTRAINT_VIOLATION",
        "SELECT sum(sipHash64(repeat(toString(number), 100))) FROM numbers(1000000000) SETTINGS max_execution_time = 1 | TIMEOUT_EXCEEDED"
      })
  void readerIsStoppedAtItsLimits(String query, String answer) throws Exception {
    assertThat(ask(READER, query)).contains(answer);
  }

  @Test
  void readerTakesWhatGrafanaSendsWithEachQuery() throws Exception {
    assertThat(ask(READER, "SELECT 1", Map.of("readonly", "1", "max_execution_time", "30")))
        .isEqualTo("1");
  }

  @Test
  void nobodyComesInWithoutThePassword() throws Exception {
    for (String user : List.of(SCHEMA, WRITER, RECORDER, READER, ANALYST)) {
      String answer = server.send(user, "", "SELECT 1", Map.of()).body();
      assertThat(answer).as(user).contains("AUTHENTICATION_FAILED");
    }
  }

  @Test
  void fileRemovesTheUserWithoutPasswordAndHoldsNoPassword() throws Exception {
    assertThat(ClickHouseServer.shippedUsers())
        .contains(ClickHouseServer.REMOVES_DEFAULT_USER)
        .doesNotContainPattern("<password\\w*>[^<]");
  }

  private static String ask(String user, String statement) throws Exception {
    return ask(user, statement, Map.of());
  }

  /** The answer, or ClickHouse's words about what it refuses. */
  private static String ask(String user, String statement, Map<String, String> settings)
      throws Exception {
    return server.send(user, statement, settings).body().strip();
  }
}

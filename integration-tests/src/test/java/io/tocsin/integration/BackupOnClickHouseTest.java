package io.tocsin.integration;

import static io.tocsin.integration.ClickHouseServer.READER;
import static io.tocsin.integration.ClickHouseServer.SCHEMA;
import static io.tocsin.integration.ClickHouseServer.WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A ClickHouse is saved, burns down, and another one is what it was. */
class BackupOnClickHouseTest {
  private static final int MESSAGES = 50_000;

  private final StateFolder folder = TestStacks.emptyState("backup");
  private final Path backups = folder.root().resolve("backups");
  private final List<ClickHouseServer> servers = new ArrayList<>();

  @AfterEach
  void stopServers() throws InterruptedException {
    for (ClickHouseServer server : servers) {
      server.kill();
    }
  }

  @Test
  void whatWasSavedIsThereAgainRowForRowAndGoesOn() throws Exception {
    ClickHouseServer burnt = start("burnt");
    Ended applied = burnt.schema("apply");
    assertThat(applied.exitCode()).as(applied.output()).isZero();
    fill(burnt);
    Map<String, String> before = contents(burnt);
    assertThat(before.get("syslog")).startsWith(MESSAGES + "\t");
    for (String table : List.of("agent_stats", "alert_history", "dhcp", "pages", "wan_episodes")) {
      assertThat(before.get(table)).as(table).doesNotStartWith("0\t");
    }

    succeed(backup(burnt, "save", "monday"), "monday is saved");
    burnt.kill();

    ClickHouseServer another = start("another");
    succeed(backup(another, "restore", "monday"), "monday is restored");

    assertThat(contents(another)).isEqualTo(before);
    assertThat(another.schema("status").exitCode()).as("nothing is pending").isZero();
    assertThat(another.ask(READER, "SELECT sum(messages) FROM tocsin.syslog_volume_1d"))
        .isEqualTo(Integer.toString(MESSAGES));
    insertSyslog(another, MESSAGES, 1);
    assertThat(another.ask(READER, "SELECT sum(messages) FROM tocsin.syslog_volume_1d"))
        .as("roll-ups go on")
        .isEqualTo(Integer.toString(MESSAGES + 1));
  }

  @Test
  void whatCannotBeSavedOrWouldBeDoubledIsRefusedWithTheReason() throws Exception {
    ClickHouseServer server = start("refusals");
    assertThat(server.schema("apply").exitCode()).isZero();
    insertSyslog(server, 0, 10);
    succeed(backup(server, "save", "tuesday"), "tuesday is saved");

    assertThat(backup(server, "save", "tuesday").output()).contains("BACKUP_ALREADY_EXISTS");
    Ended onTop = backup(server, "restore", "tuesday");
    assertThat(onTop.exitCode()).as(onTop.output()).isEqualTo(1);
    assertThat(onTop.output()).contains("CANNOT_RESTORE_TABLE");
    assertThat(server.ask(READER, "SELECT count() FROM tocsin.syslog")).isEqualTo("10");
    assertThat(backup(server, "restore", "never").exitCode()).isEqualTo(1);
    assertThat(backup(server, "save", "a'; DROP").output()).contains("letters, digits");
  }

  /** Rows with roll-ups behind them, and one of now in every other table that knows a time. */
  private static void fill(ClickHouseServer server) throws IOException, InterruptedException {
    insertSyslog(server, 0, MESSAGES);
    for (String table : tables(server).keySet()) {
      List<String> times =
          server
              .ask(
                  SCHEMA,
                  "SELECT name FROM system.columns WHERE database = 'tocsin' AND table = '%s' AND type LIKE 'Date%%'"
                          .formatted(table)
                      + " AND default_kind NOT IN ('ALIAS', 'MATERIALIZED')")
              .lines()
              .toList();
      if (!Set.of("schema_migrations", "syslog").contains(table) && !times.isEmpty()) {
        server.ask(
            WRITER,
            "INSERT INTO tocsin.%s (%s) VALUES (%s)"
                .formatted(
                    table,
                    String.join(", ", times),
                    String.join(", ", Collections.nCopies(times.size(), "now()"))));
      }
    }
  }

  private static void insertSyslog(ClickHouseServer server, int from, int rows)
      throws IOException, InterruptedException {
    server.ask(
        WRITER,
        "INSERT INTO tocsin.syslog (given_event_id, device, received_at, event_time, message)"
            + " SELECT concat('a-1-', toString(number)), concat('core-', toString(number % 50)), now(), now(),"
            + " concat('link ', toString(number), ' down') FROM numbers(%d, %d)"
                .formatted(from, rows));
  }

  /** Each with its engine. */
  private static Map<String, String> tables(ClickHouseServer server)
      throws IOException, InterruptedException {
    return server
        .ask(
            SCHEMA,
            "SELECT name, engine FROM system.tables WHERE database = 'tocsin' AND engine LIKE '%MergeTree'")
        .lines()
        .map(line -> line.split("\t"))
        .collect(Collectors.toMap(words -> words[0], words -> words[1]));
  }

  /**
   * Of each table the number of rows, and a checksum of what every column of them shows. Merges may
   * happen at any time: what they make of the rows is compared.
   */
  private static Map<String, String> contents(ClickHouseServer server)
      throws IOException, InterruptedException {
    Map<String, String> contents = new TreeMap<>();
    for (var table : tables(server).entrySet()) {
      String merged = table.getValue().equals("MergeTree") ? "" : " FINAL";
      contents.put(
          table.getKey(),
          server.ask(
              SCHEMA,
              "SELECT count(), sum(sipHash64(formatRow('RowBinary', *))) FROM tocsin."
                  + table.getKey()
                  + merged));
    }
    return contents;
  }

  private ClickHouseServer start(String name) throws IOException, InterruptedException {
    ClickHouseServer server = new ClickHouseServer(folder.root().resolve(name));
    servers.add(server);
    Files.createDirectories(backups);
    server.start("<backups><allowed_path>%s</allowed_path></backups>".formatted(backups));
    return server;
  }

  private Ended backup(ClickHouseServer server, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(TestStacks.tools().repository().resolve("deploy/clickhouse/backup").toString());
    Collections.addAll(command, arguments);
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.put("TOCSIN_CLICKHOUSE", server.url());
    environment.put("TOCSIN_CLICKHOUSE_USER", SCHEMA);
    environment.put("TOCSIN_CLICKHOUSE_PASSWORD_FILE", server.login(SCHEMA).get(3));
    environment.put("TOCSIN_BACKUPS", "File('{name}')");
    return Ended.of(builder);
  }

  private static void succeed(Ended ended, String words) {
    assertThat(ended.exitCode()).as(ended.output()).isZero();
    assertThat(ended.output()).contains(words);
  }
}

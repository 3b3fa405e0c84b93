package io.tocsin.integration;

import static io.tocsin.integration.ClickHouseServer.READER;
import static io.tocsin.integration.ClickHouseServer.SCHEMA;
import static io.tocsin.integration.ClickHouseServer.WRITER;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.StateFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * {@code tocsin schema apply --cluster} on two shards, and a single server with the same rows
 * beside them: every table, insert, question and dashboard is compared. What the engine lacks is
 * told at {@link ClusterQueue}.
 */
class ShardsOnClickHouseTest {
  private static final String CLUSTER = "laboratory";

  /** So many that their hashes are of both shards. */
  private static final int DEVICES = 20;

  private static final int MESSAGES = 2_000;

  /** What the sink sends with each insert. */
  private static final Map<String, String> SINK =
      Map.of(
          "async_insert", "0",
          "max_threads", "1",
          "insert_deduplicate", "1",
          "deduplicate_blocks_in_dependent_materialized_views", "1",
          "max_partitions_per_insert_block", "0");

  /**
   * Each saved question, with what finds a row among those of grafana/tests and of this class.
   * {now} is the same moment for all servers, and so is the end of every time asked about.
   */
  private static final Map<String, List<String>> QUESTIONS =
      Map.ofEntries(
          Map.entry("alert_hours_by_site", List.of()),
          Map.entry(
              "broke_together",
              List.of("fingerprint=00000000000000000000000000000001", "minutes=60")),
          Map.entry("changed_before", List.of("at={now}")),
          Map.entry("device_timeline", List.of("device=grafana-test-n1", "at={now}")),
          Map.entry("devices_on_circuit", List.of("circuit=ge-0/0/7")),
          Map.entry("drops", List.of()),
          Map.entry("flappers", List.of()),
          Map.entry("ip_history", List.of("ip=10.9.8.7")),
          Map.entry("leases_by_relay", List.of()),
          Map.entry("link_availability", List.of()),
          Map.entry("never_acted_on", List.of()),
          Map.entry("new_patterns", List.of()),
          Map.entry("noisiest_checks", List.of()),
          Map.entry("noisiest_devices", List.of()),
          Map.entry("pages_by_week", List.of()),
          Map.entry("rebind_share", List.of()),
          Map.entry("renewals_by_hour", List.of()),
          Map.entry("restarts", List.of()),
          Map.entry("rules_that_never_fire", List.of("rules=unheard-of", "since={now}")),
          Map.entry("search", List.of("words=hello")),
          Map.entry("silent_devices", List.of("hours=1")),
          Map.entry("time_to_acknowledge", List.of()),
          Map.entry("time_to_resolve", List.of()),
          Map.entry("unregistered_by_port", List.of()),
          Map.entry("wan_hours_over_baseline", List.of()),
          Map.entry("where_has_mac_been", List.of("mac=02:00:00:00:00:07")),
          Map.entry("who_had_ip", List.of("ip=10.9.8.7")),
          Map.entry("worst_devices", List.of()));

  /** A message a second from here on: the last is more than an hour old, and its device silent. */
  private static final Instant FIRST_MESSAGE = Instant.now().minus(Duration.ofHours(2));

  private static final List<ClickHouseServer> servers = new ArrayList<>();
  private static StateFolder state;
  private static ClickHouseServer single;
  private static List<ClickHouseServer> shards;
  private static ClusterQueue queue;

  /** What came of the dashboards' queries, which brings the rows for the questions too. */
  private static Ended dashboards;

  @BeforeAll
  static void start() throws Exception {
    state = TestStacks.emptyState("cluster");
    single = server("single");
    shards = List.of(server("shard-1"), server("shard-2"));
    single.start("");
    for (ClickHouseServer shard : shards) {
      shard.start(remoteServers());
    }
    queue = new ClusterQueue(CLUSTER, shards);
    for (Ended applied : List.of(single.schema("apply"), queue.schema("apply"))) {
      assertThat(applied.exitCode()).as(applied.output()).isZero();
    }
    dashboards = askDashboards(shards.get(0));
    String insert = insertOfMessages("spread");
    single.ask(WRITER, insert, token("spread"));
    shards.get(0).ask(WRITER, insert, token("spread"));
  }

  @AfterAll
  static void stop() throws Exception {
    if (queue != null) {
      queue.close();
    }
    for (ClickHouseServer server : servers) {
      server.kill();
    }
  }

  @Test
  void everyServerHasTheTablesOfASingleOneAndAnotherApplyFindsNothingToDo() throws Exception {
    String columns =
        "SELECT table, name, type, default_kind, default_expression FROM system.columns"
            + " WHERE database = 'tocsin' AND table NOT LIKE '%\\_from\\_%' ORDER BY ALL";
    String expected = single.ask(WRITER, columns);
    assertThat(expected).contains("syslog\tmessage");
    for (ClickHouseServer shard : shards) {
      assertThat(shard.ask(WRITER, columns)).isEqualTo(expected);
    }
    assertThat(queue.schema("status").exitCode()).isZero();
    assertThat(queue.schema("apply").output()).contains("(0 applied now)");
  }

  @Test
  void writerOfAShardChangesNothingButByInserts() throws Exception {
    for (String statement :
        List.of(
            "CREATE TABLE tocsin_local.t (a UInt8) ENGINE = MergeTree ORDER BY a",
            "DROP TABLE tocsin_local.syslog",
            "TRUNCATE TABLE tocsin_local.syslog",
            "ALTER TABLE tocsin_local.syslog DELETE WHERE 1",
            "DROP TABLE tocsin.syslog",
            "INSERT INTO tocsin_local.schema_migrations (number, name) VALUES (1, 'x')")) {
      assertThat(shards.get(0).send(WRITER, statement, Map.of()).body())
          .as(statement)
          .contains("ACCESS_DENIED");
    }
  }

  @Test
  void everyDashboardGetsTheAnswerOfASingleServer() {
    assertThat(dashboards.exitCode()).as(dashboards.output()).isZero();
    assertThat(dashboards.output()).containsPattern("# pass [1-9]");
  }

  @Test
  void rowsLieOnTheShardOfTheirDeviceAndAreCountedThere() throws Exception {
    for (int shard = 0; shard < shards.size(); shard++) {
      String here = "cityHash64(device) %% %d = %d".formatted(shards.size(), shard);
      String expected = single.ask(WRITER, "SELECT count() FROM tocsin.syslog WHERE " + here);
      assertThat(expected).as("rows for shard %d", shard + 1).isNotEqualTo("0");
      ClickHouseServer server = shards.get(shard);
      for (String table : List.of("syslog", "syslog_volume_1m", "syslog_volume_1d")) {
        String rows = table.equals("syslog") ? "count()" : "sum(messages)";
        assertThat(
                server.ask(
                    WRITER,
                    "SELECT %s, countIf(NOT %s) FROM tocsin_local.%s".formatted(rows, here, table)))
            .as("messages in %s of shard %d, and rows of other shards", table, shard + 1)
            .isEqualTo(expected + "\t0");
      }
    }
  }

  @Test
  void repeatedInsertCountsOnceWhicheverServerTakesIt() throws Exception {
    String insert = insertOfMessages("repeated");
    single.ask(WRITER, insert, token("repeated"));
    for (ClickHouseServer shard : List.of(shards.get(0), shards.get(0), shards.get(1))) {
      shard.ask(WRITER, insert, token("repeated"));
    }
    assertThat(counted("repeated", shards.get(1))).isEqualTo(counted("repeated", single));
  }

  @Test
  void insertThatOneShardMissedCountsOnceWhenItIsRepeated() throws Exception {
    String insert = insertOfMessages("halved");
    single.ask(WRITER, insert, token("halved"));
    ClickHouseServer second = shards.get(1);
    String constraint = "ALTER TABLE tocsin_local.syslog %s CONSTRAINT %s refuses_all %s";
    second.ask(SCHEMA, constraint.formatted("ADD", "", "CHECK false"));
    String refused = shards.get(0).send(WRITER, insert, token("halved")).body();
    second.kill();
    String missed = shards.get(0).send(WRITER, insert, token("halved")).body();
    second.start(remoteServers());
    second.ask(SCHEMA, constraint.formatted("DROP", "IF EXISTS", ""));
    assertThat(refused).contains("VIOLATED_CONSTRAINT");
    assertThat(missed).contains("NETWORK_ERROR");
    assertThat(
            shards
                .get(0)
                .ask(
                    WRITER,
                    "SELECT count() > 0 FROM tocsin_local.syslog WHERE agent_id = 'halved'"))
        .as("the other shard has its rows")
        .isEqualTo("1");

    for (ClickHouseServer shard : shards) {
      shard.ask(WRITER, insert, token("halved"));
    }
    assertThat(counted("halved", shards.get(0))).isEqualTo(counted("halved", single));
  }

  @Test
  void everyQuestionGetsTheAnswerOfASingleServer() throws Exception {
    try (Stream<Path> files =
        Files.list(TestStacks.tools().schemas().resolve("clickhouse/questions"))) {
      assertThat(files.map(file -> file.getFileName().toString().replace(".sql", "")))
          .as("questions that are asked here")
          .containsExactlyInAnyOrderElementsOf(QUESTIONS.keySet());
    }
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    for (String question : new TreeSet<>(QUESTIONS.keySet())) {
      List<String> told = told(question, now);
      List<String> expected = answer(question, told, single);
      assertThat(expected).as(question).isNotEmpty();
      for (ClickHouseServer shard : shards) {
        assertThat(answer(question, told, shard))
            .as(question)
            .containsExactlyInAnyOrderElementsOf(expected);
      }
    }
  }

  @Test
  void noRowIsMissedWhereShardsWithoutAnyAreLeftOut() throws Exception {
    for (String question :
        List.of(
            "sum(messages) FROM tocsin.syslog_volume_1d WHERE day = toStartOfDay(toDateTime(%d, 'UTC'))"
                .formatted(FIRST_MESSAGE.getEpochSecond()),
            "count() FROM tocsin.syslog WHERE device = 'laboratory-3'")) {
      String select = "SELECT " + question;
      assertThat(shards.get(0).ask(WRITER, select, Map.of("optimize_skip_unused_shards", "1")))
          .as(select)
          .isEqualTo(single.ask(WRITER, select));
    }
    assertThat(
            shards
                .get(0)
                .send(WRITER, "INSERT INTO tocsin.syslog_volume_1d (device) VALUES ('x')", Map.of())
                .body())
        .as("a row for a table that only views write, whose shard nobody knows")
        .contains("STORAGE_REQUIRES_PARAMETER");
  }

  @Test
  void retentionIsSetOnEveryShard() throws Exception {
    Path file = state.root().resolve("retention.yaml");
    Files.writeString(file, "syslog: 30\ndhcp: forever\n");
    Ended applied = queue.schema("apply", "--retention", file.toString());
    assertThat(applied.output()).contains("retention (2 altered now)");
    for (ClickHouseServer shard : shards) {
      assertThat(
              shard.ask(
                  WRITER,
                  "SELECT name, extract(engine_full, 'toIntervalDay.[0-9]+') FROM system.tables"
                      + " WHERE database = 'tocsin_local' AND name IN ('dhcp', 'syslog') ORDER BY name"))
          .isEqualTo("dhcp\t\nsyslog\ttoIntervalDay(30");
    }
    assertThat(queue.schema("status", "--retention", file.toString()).exitCode()).isZero();
  }

  private static ClickHouseServer server(String name) throws IOException {
    ClickHouseServer server = new ClickHouseServer(state.root().resolve(name));
    servers.add(server);
    return server;
  }

  private static String remoteServers() {
    return ClusterQueue.remoteServers(CLUSTER, shards);
  }

  /** The parameters of a question: an episode that goes on grows with the clock, were none told. */
  private static List<String> told(String question, String now) throws IOException {
    List<String> told = new ArrayList<>(QUESTIONS.get(question));
    Path file = TestStacks.tools().schemas().resolve("clickhouse/questions/" + question + ".sql");
    if (Files.readString(file).contains("-- Parameter until ")) {
      told.add("until={now}");
    }
    return told.stream().map(word -> word.replace("{now}", now)).toList();
  }

  private static Map<String, String> token(String token) {
    return Stream.concat(
            SINK.entrySet().stream(), Stream.of(Map.entry("insert_deduplication_token", token)))
        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Messages of {@link #DEVICES} devices, as the sink would send them: rows, not a query. */
  private static String insertOfMessages(String agent) {
    return IntStream.range(0, MESSAGES)
        .mapToObj(
            row ->
                "%s\t1\t%d\tlaboratory-%d\t%s\t%4$s\tprogram-%3$d\tall is well"
                    .formatted(
                        agent, row, row % DEVICES, FIRST_MESSAGE.plusSeconds(row).getEpochSecond()))
        .collect(
            Collectors.joining(
                "\n",
                "INSERT INTO tocsin.syslog (agent_id, boot_id, agent_sequence, device, received_at, event_time,"
                    + " app_name, message) FORMAT TSV\n",
                "\n"));
  }

  /** Sends what the dashboards ask to a server of the cluster and to the single one. */
  private static Ended askDashboards(ClickHouseServer entrance) throws Exception {
    ProcessBuilder node =
        new ProcessBuilder(
            "node",
            "--test",
            TestStacks.tools().grafana().resolve("tests/cluster.test.mjs").toString());
    node.environment()
        .putAll(
            Map.of(
                "TOCSIN_TEST_WRITER_URL", single.url(WRITER),
                "TOCSIN_TEST_READER_URL", single.url(READER),
                "TOCSIN_TEST_CLUSTER_WRITER_URL", entrance.url(WRITER),
                "TOCSIN_TEST_CLUSTER_READER_URL", entrance.url(READER)));
    return Ended.of(node);
  }

  private static String counted(String agent, ClickHouseServer server) throws Exception {
    return server.ask(
        READER,
        """
        SELECT (SELECT count() FROM tocsin.syslog WHERE agent_id = '%s'),
          (SELECT sum(messages) FROM tocsin.syslog_volume_1m),
          (SELECT sum(messages) FROM tocsin.syslog_volume_1d),
          (SELECT sum(messages) FROM tocsin.syslog_patterns)
        """
            .formatted(agent));
  }

  /** Each row as JSON. */
  private static List<String> answer(String question, List<String> told, ClickHouseServer server)
      throws Exception {
    List<String> command =
        new ArrayList<>(List.of(TestStacks.tools().tocsin().toString(), "ask", question));
    command.addAll(told);
    command.addAll(List.of("--format", "json", "--clickhouse", server.url()));
    command.addAll(server.login(READER));
    Ended ended = Ended.of(new ProcessBuilder(command));
    assertThat(ended.exitCode()).as(ended.output()).isZero();
    // What it searched and read is said between the rows.
    return ended.output().lines().filter(line -> line.startsWith("{")).toList();
  }
}

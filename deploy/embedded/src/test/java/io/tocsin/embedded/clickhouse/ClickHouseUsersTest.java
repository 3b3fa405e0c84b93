package io.tocsin.embedded.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.supervise.Health;
import java.io.File;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The users of deploy/clickhouse at a ClickHouse of their own: the engine of the embedded stack,
 * which reads the same file.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ClickHouseUsersTest {
  private static final Path USERS = Path.of("..", "clickhouse", "users.xml");
  private static final String SCHEMA = "tocsin_schema";
  private static final String WRITER = "tocsin_writer";
  private static final String READER = "tocsin_reader";

  /** The engine runs its own endless query as this user, who cannot be removed here. */
  private static final String REMOVES_DEFAULT_USER = "<default remove=\"remove\"/>";

  private static final String BASE_USERS =
      """
      <clickhouse>
        <users><default><password/><networks><ip>::1</ip></networks><profile>default</profile><quota>default</quota></default></users>
        <profiles><default/></profiles>
        <quotas><default/></quotas>
      </clickhouse>
      """;

  private final HttpClient http = HttpClient.newHttpClient();
  private Process server;
  private int port;

  @BeforeAll
  void startServerAndMakeTables(@TempDir Path folder) throws Exception {
    Tools tools = Tools.find();
    Path library = libraryOrSkip(tools);
    Files.writeString(folder.resolve("users.xml"), BASE_USERS);
    Files.createDirectory(folder.resolve("users.d"));
    Files.writeString(
        folder.resolve("users.d/tocsin.xml"),
        Files.readString(USERS).replace(REMOVES_DEFAULT_USER, ""));
    Path config = folder.resolve("config.xml");
    Files.writeString(
        config,
        "<clickhouse><users_config>"
            + folder.resolve("users.xml")
            + "</users_config></clickhouse>");
    port = freePort();
    ProcessBuilder builder =
        new ProcessBuilder(
            JavaProcess.command(
                ClickHouseMain.class,
                "64m",
                JavaProcess.quickStartFlags(),
                List.of(
                    "--library=" + library,
                    "--config-file=" + config,
                    "--path=" + folder.resolve("data"),
                    "--http-port=" + port,
                    "--native-port=" + freePort())));
    builder.environment().put("TOCSIN_CLICKHOUSE_SCHEMA_SHA256", sha256(SCHEMA));
    builder.environment().put("TOCSIN_CLICKHOUSE_WRITER_SHA256", sha256(WRITER));
    builder.environment().put("TOCSIN_CLICKHOUSE_READER_SHA256", sha256(READER));
    server = builder.redirectErrorStream(true).redirectOutput(log(folder)).start();
    awaitAnswer(folder);
    makeTables(tools, folder);
  }

  @AfterAll
  void stopServer() throws InterruptedException {
    if (server != null) {
      server.destroyForcibly().waitFor();
    }
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
        "SELECT sum(sipHash64(repeat(toString(number), 100))) FROM numbers(1000000000) SETTINGS max_execution_time = 1 | TIMEOUT_EXCEEDED"
      })
  void readerIsStoppedAtItsLimits(String query, String answer) throws Exception {
    assertThat(ask(READER, query)).contains(answer);
  }

  @Test
  void readerTakesWhatGrafanaSendsWithEachQuery() throws Exception {
    assertThat(ask(READER, "SELECT 1", "&readonly=1&max_execution_time=30")).isEqualTo("1");
  }

  @Test
  void nobodyComesInWithoutThePassword() throws Exception {
    for (String user : List.of(SCHEMA, WRITER, READER)) {
      String answer = send("user=" + user, "SELECT 1");
      assertThat(answer).as(user).contains("AUTHENTICATION_FAILED");
    }
  }

  @Test
  void fileRemovesTheUserWithoutPasswordAndHoldsNoPassword() throws Exception {
    assertThat(Files.readString(USERS))
        .contains(REMOVES_DEFAULT_USER)
        .doesNotContainPattern("<password\\w*>[^<]");
  }

  private void makeTables(Tools tools, Path folder) throws Exception {
    Path password = Files.writeString(folder.resolve("password"), SCHEMA);
    Process apply =
        new ProcessBuilder(
                tools.tocsin().toString(),
                "schema",
                "apply",
                "--only=clickhouse",
                "--clickhouse=http://127.0.0.1:" + port,
                "--clickhouse-user=" + SCHEMA,
                "--clickhouse-password-file=" + password,
                "--schemas=" + tools.schemas())
            .redirectErrorStream(true)
            .start();
    String said = new String(apply.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(apply.waitFor()).as(said).isZero();
  }

  private String ask(String user, String statement) throws Exception {
    return ask(user, statement, "");
  }

  /** The answer, or ClickHouse's words about what it refuses. Each user's password is its name. */
  private String ask(String user, String statement, String settings) throws Exception {
    return send("user=" + user + "&password=" + user + settings, statement);
  }

  private String send(String parameters, String statement) throws Exception {
    URI uri = URI.create("http://127.0.0.1:" + port + "/?wait_end_of_query=1&" + parameters);
    HttpRequest request =
        HttpRequest.newBuilder(uri)
            .timeout(Duration.ofMinutes(1))
            .POST(BodyPublishers.ofString(statement))
            .build();
    HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
    return response.body().strip();
  }

  private void awaitAnswer(Path folder) throws Exception {
    Health health = Health.http(URI.create("http://127.0.0.1:" + port + "/ping"));
    while (health.problem().isPresent()) {
      if (server.waitFor(100, TimeUnit.MILLISECONDS)) {
        Assertions.fail("ClickHouse has left: " + Files.readString(log(folder).toPath()));
      }
    }
  }

  private static File log(Path folder) {
    return folder.resolve("clickhouse.log").toFile();
  }

  private static Path libraryOrSkip(Tools tools) {
    try {
      return tools.libchdb();
    } catch (IllegalStateException missing) {
      if ("true".equals(System.getenv("CI"))) {
        throw missing;
      }
      return Assumptions.abort(missing.getMessage());
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  private static String sha256(String password) throws Exception {
    byte[] digest =
        MessageDigest.getInstance("SHA-256").digest(password.getBytes(StandardCharsets.UTF_8));
    return HexFormat.of().formatHex(digest);
  }
}

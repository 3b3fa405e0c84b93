package io.tocsin.integration;

import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.clickhouse.ClickHouseMain;
import io.tocsin.embedded.supervise.Health;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * One ClickHouse with the users of deploy/clickhouse, as a process of its own: the engine of the
 * embedded stack. Each user's password is its name.
 */
final class ClickHouseServer {
  static final String SCHEMA = "tocsin_schema";
  static final String WRITER = "tocsin_writer";
  static final String RECORDER = "tocsin_recorder";
  static final String READER = "tocsin_reader";
  static final String ANALYST = "tocsin_analyst";

  /** The engine runs its own endless query as this user, who cannot be removed here. */
  static final String REMOVES_DEFAULT_USER = "<default remove=\"remove\"/>";

  private static final String USERS =
      """
      <clickhouse>
        <users><default><password/><networks><ip>::1</ip></networks><profile>default</profile><quota>default</quota></default></users>
        <profiles><default/></profiles>
        <quotas><default/></quotas>
      </clickhouse>
      """;

  private static final Duration START_TIMEOUT = Duration.ofMinutes(1);
  private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(1);
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  private final Path folder;
  private final Ports ports = FreePorts.reserve();
  private Process process;

  /**
   * A server that is not started.
   *
   * @param folder for its data, its settings and its log
   */
  ClickHouseServer(Path folder) {
    this.folder = folder;
  }

  /**
   * Starts it and waits until it answers.
   *
   * @param settings elements of its configuration, for example {@code <remote_servers>}
   */
  void start(String settings) throws IOException, InterruptedException {
    Files.createDirectories(folder.resolve("users.d"));
    Files.writeString(folder.resolve("users.xml"), USERS);
    Files.writeString(
        folder.resolve("users.d/tocsin.xml"), shippedUsers().replace(REMOVES_DEFAULT_USER, ""));
    Path config = folder.resolve("config.xml");
    Files.writeString(
        config,
        "<clickhouse><users_config>%s</users_config>%s</clickhouse>"
            .formatted(folder.resolve("users.xml"), settings));
    ProcessBuilder builder =
        new ProcessBuilder(
            JavaProcess.command(
                ClickHouseMain.class,
                "64m",
                JavaProcess.quickStartFlags(),
                List.of(
                    "--library=" + TestStacks.tools().libchdb(),
                    "--config-file=" + config,
                    "--path=" + folder.resolve("data"),
                    "--http-port=" + ports.clickHouseHttp(),
                    "--native-port=" + ports.clickHouseNative())));
    for (String user : List.of(SCHEMA, WRITER, RECORDER, READER, ANALYST)) {
      String variable = user.replace("tocsin_", "tocsin_clickhouse_") + "_sha256";
      builder.environment().put(variable.toUpperCase(Locale.ROOT), sha256(user));
    }
    process = builder.redirectErrorStream(true).redirectOutput(log()).start();
    awaitAnswer();
  }

  /** The file that an installation copies. */
  static String shippedUsers() throws IOException {
    return Files.readString(TestStacks.tools().repository().resolve("deploy/clickhouse/users.xml"));
  }

  /** Ends it with SIGKILL and waits until it is gone. */
  void kill() throws InterruptedException {
    if (process != null) {
      process.destroyForcibly().waitFor();
    }
  }

  /** Of the HTTP interface. */
  String url() {
    return "http://127.0.0.1:" + ports.clickHouseHttp();
  }

  /** The same with a user and its password, as the tests of Grafana's queries take it. */
  String url(String user) {
    return "http://%s:%s@127.0.0.1:%d".formatted(user, user, ports.clickHouseHttp());
  }

  /** Of the native interface, by which servers ask each other. */
  int nativePort() {
    return ports.clickHouseNative();
  }

  /** Flags by which {@code tocsin} logs in as a user. */
  List<String> login(String user) throws IOException {
    Path password = Files.writeString(folder.resolve(user + ".password"), user);
    return List.of("--clickhouse-user", user, "--clickhouse-password-file", password.toString());
  }

  /** {@code tocsin schema COMMAND} at this server. */
  Ended schema(String command) throws IOException, InterruptedException {
    return schema(command, url(), List.of());
  }

  /** The same at another address that takes this server's logins. */
  Ended schema(String command, String url, List<String> arguments)
      throws IOException, InterruptedException {
    List<String> all =
        new ArrayList<>(
            List.of(
                TestStacks.tools().tocsin().toString(),
                "schema",
                command,
                "--only",
                "clickhouse",
                "--clickhouse",
                url,
                "--schemas",
                TestStacks.tools().schemas().toString()));
    all.addAll(login(SCHEMA));
    all.addAll(arguments);
    return Ended.of(new ProcessBuilder(all));
  }

  /**
   * The answer to a statement.
   *
   * @throws AssertionError with ClickHouse's own words, where it refuses
   */
  String ask(String user, String statement) throws IOException, InterruptedException {
    return ask(user, statement, Map.of());
  }

  /** The same, with settings of the query. */
  String ask(String user, String statement, Map<String, String> settings)
      throws IOException, InterruptedException {
    HttpResponse<String> response = send(user, statement, settings);
    if (response.statusCode() != 200) {
      String firstLine = statement.lines().findFirst().orElse("");
      throw new AssertionError(response.body().strip() + "\nin the statement: " + firstLine);
    }
    return response.body().strip();
  }

  /** Whatever it answers, a refusal too. */
  HttpResponse<String> send(String user, String statement, Map<String, String> settings)
      throws IOException, InterruptedException {
    return send(user, user, statement, settings);
  }

  /** The same with another password. */
  HttpResponse<String> send(
      String user, String password, String statement, Map<String, String> settings)
      throws IOException, InterruptedException {
    Map<String, String> parameters = new TreeMap<>(settings);
    parameters.put("wait_end_of_query", "1");
    String query =
        parameters.entrySet().stream()
            .map(
                setting ->
                    setting.getKey()
                        + "="
                        + URLEncoder.encode(setting.getValue(), StandardCharsets.UTF_8))
            .collect(Collectors.joining("&"));
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url() + "/?" + query))
            .timeout(ANSWER_TIMEOUT)
            .header("X-ClickHouse-User", user)
            .header("X-ClickHouse-Key", password)
            .POST(BodyPublishers.ofString(statement))
            .build();
    return HTTP.send(request, BodyHandlers.ofString());
  }

  private void awaitAnswer() throws IOException, InterruptedException {
    Health health = Health.http(URI.create(url() + "/ping"));
    long deadline = System.nanoTime() + START_TIMEOUT.toNanos();
    while (health.problem().isPresent()) {
      if (System.nanoTime() > deadline) {
        throw new AssertionError(
            "ClickHouse does not answer within %d s (%s): %s"
                .formatted(
                    START_TIMEOUT.toSeconds(),
                    health.problem().orElse("now it does"),
                    Files.readString(log().toPath())));
      }
      if (process.waitFor(100, TimeUnit.MILLISECONDS)) {
        throw new AssertionError("ClickHouse has left: " + Files.readString(log().toPath()));
      }
    }
  }

  private File log() {
    return folder.resolve("clickhouse.log").toFile();
  }

  private static String sha256(String password) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(password.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

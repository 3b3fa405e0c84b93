package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.embedded.clickhouse.ClickHouseException;
import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.pagerecorder.Authorities;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What {@code deploy/compose/up} starts, on the images of {@code deploy/images}: the scenarios that
 * try what is different there, which are sockets, buffers, images, TLS, logins, and the way of a
 * page; who is refused; parts that die or stand still; and passwords that change. The other
 * scenarios play on the embedded stack alone: they try rules, which are the same jar, and take
 * minutes. Needs a Docker daemon on this machine: skipped on a laptop without one, failed in CI
 * ({@code CI=true}) unless {@code TOCSIN_WITHOUT_DOCKER} says why there can be none.
 */
@EnabledIf(
    value = "isToRun",
    disabledReason = "no Docker daemon answers: see deploy/images/daemon --help")
@TestMethodOrder(OrderAnnotation.class)
class ComposeTest {
  private static final Consumer<String> PROGRESS = line -> System.out.println("[compose] " + line);

  private static final int DATAGRAMS_PER_SECOND = 200;

  private static final List<String> SCENARIOS =
      List.of(
          "burst-500",
          "burst-500-small-buffer",
          "malformed",
          "ordinary-syslog",
          "out-of-order-clear");

  private static final List<String> RUNNING =
      List.of(
          "kafka-1",
          "clickhouse",
          "alertmanager",
          "page-recorder",
          "jobmanager",
          "taskmanager-1",
          "taskmanager-2",
          "jobs",
          "watch-jobs",
          "heartbeat",
          "heartbeat-listener",
          "agent");

  private static ComposeStack stack;
  private static ClickHouseClient clickHouse;

  @BeforeAll
  static void startStack() throws Exception {
    if (!answers()) {
      throw new AssertionError(
          "CI=true and no Docker daemon answers: run 'deploy/images/daemon start' and export the"
              + " DOCKER_HOST that it prints, or say in TOCSIN_WITHOUT_DOCKER why there can be none");
    }
    Path repository = TestStacks.tools().repository();
    buildImages(repository);
    stack = new ComposeStack(repository, PROGRESS);
    stack.up();
    clickHouse = stack.clickHouse();
    // Beats would be counted among the datagrams of a scenario.
    stack.docker("pause", stack.container("heartbeat"));
  }

  @AfterAll
  static void removeStack() throws Exception {
    if (stack != null) {
      // Without those of Kafka and Flink, which wait for one another: the last of the brokers has
      // no quorum that it could leave.
      assertThat(stack.remove())
          .as("who did not end when told to")
          .filteredOn(ended -> !ended.matches("\\d+ (kafka-|taskmanager-|job).*"))
          .isEmpty();
      assertThat(stack.left()).as("what is left").isEmpty();
    }
  }

  /** Jobs take longer to start than they may be away. */
  @Test
  @Order(0)
  void startOfAnInstallationPagesNobody() {
    assertThat(text("SELECT group_labels, summary FROM tocsin.pages")).isEqualTo("[]");
  }

  @TestFactory
  @Order(1)
  List<DynamicTest> scenarios() {
    return ScenarioTests.playedBy(
        scenario -> runner().play(scenario), scenario -> runner().askNever(scenario), SCENARIOS);
  }

  /** The agent hears all of it, so every number must be stored, and each once. */
  @Test
  @Order(2)
  void whenABrokerAndATaskManagerDieNothingIsLostOrStoredTwiceAndPagesGoOn() throws Exception {
    stack.docker("unpause", stack.container("heartbeat"));
    int sent;
    try (NumberedTraffic traffic =
        new NumberedTraffic(
            stack.ports().syslog(), stack.ports().alertUpdates(), DATAGRAMS_PER_SECOND)) {
      awaitMore("traffic", 0);
      stack.kill("kafka-2");
      awaitMore("traffic without a broker", stored());
      stack.kill("taskmanager-1");
      awaitMore("traffic without a task manager", stored());
      page("drill-page");
      sent = traffic.end();
    }
    await("each of " + sent + " datagrams once")
        .atMost(TestStacks.DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(
                      text(
                          "SELECT count(), uniqExact(number), max(number) FROM (SELECT toUInt64(extract(message, '[0-9]+$')) AS number"
                              + " FROM tocsin.syslog WHERE app_name = 'drill' UNION ALL SELECT toUInt64(extract(summary, '[0-9]+$'))"
                              + " FROM tocsin.alert_updates WHERE source = 'drill')"))
                  .isEqualTo("[[%1$d,%1$d,%1$d]]".formatted(sent));
              assertThat(text("SELECT count() > 0, countIf(NOT closed) FROM tocsin.balance"))
                  .isEqualTo("[[1,0]]");
            });
    assertThat(
            text(
                "SELECT fingerprint, version, count() FROM tocsin.alert_history FINAL GROUP BY 1, 2 HAVING count() > 1"))
        .as("transitions stored more than once")
        .isEqualTo("[]");
    stack.upWhileOneCrashes("kafka-2");
    assertThat(stack.restarts("kafka-2")).isEqualTo(1);
    assertThat(stack.container("taskmanager-1")).isNotEmpty();
  }

  /** What a part that is away is about: ClickHouse and Alertmanager end the beat's way. */
  @ParameterizedTest
  @ValueSource(strings = {"agent", "clickhouse", "alertmanager"})
  @Order(3)
  void partThatStandsStillIsComplainedAboutUntilItGoesOn(String part) throws Exception {
    await("beats").atMost(TestStacks.DEADLINE).until(() -> !stack.complains());
    String container = stack.container(part);
    stack.docker("pause", container);
    try {
      await("the complaint while " + part + " stands still")
          .atMost(TestStacks.DEADLINE)
          .until(stack::complains);
    } finally {
      stack.docker("unpause", container);
    }
    await("the end of the complaint when " + part + " goes on")
        .atMost(TestStacks.DEADLINE)
        .until(() -> !stack.complains());
  }

  /** It has forgotten the jobs, and is given them again with the alerts that were open. */
  @Test
  @Order(4)
  void whenTheJobManagerDiesItsJobsGoOnFromTheirCheckpoints() throws Exception {
    String open = "SELECT count() FROM tocsin.alerts WHERE source = 'hyak' AND state = 'open'";
    String before = text(open);
    stack.kill("jobmanager");
    await("the complaint").atMost(TestStacks.DEADLINE).until(stack::complains);
    stack.up();
    await("beats again").atMost(TestStacks.DEADLINE).until(() -> !stack.complains());
    assertThat(text(open)).isEqualTo(before);
  }

  @Test
  @Order(5)
  void whoHasNoLoginOrNoPermissionIsRefused() throws Exception {
    String url = "https://127.0.0.1:" + stack.ports().clickHouseHttp();
    ClickHouseClient nobody =
        new ClickHouseClient(url, "default", "", Authorities.of(stack.secret("ca.pem")));
    assertThatThrownBy(() -> nobody.rows("SELECT 1")).isInstanceOf(ClickHouseException.class);
    ClickHouseClient stranger = new ClickHouseClient(url);
    assertThatThrownBy(() -> stranger.rows("SELECT 1"))
        .as("a certificate of an authority that nobody has named")
        .hasMessageContaining("certi");
    Path list =
        Files.writeString(
            stack.secret("devices.csv"), "mac,access,owner\n02:00:00:00:00:01,allowed,x\n");
    Ended imported =
        Ended.of(
            new ProcessBuilder(
                TestStacks.tools().tocsin().toString(),
                "devices",
                "import",
                list.toString(),
                "--kafka-config",
                stack.secret("tocsin_enforce.properties").toString()));
    assertThat(imported.exitCode()).as(imported.output()).isNotZero();
    assertThat(imported.output()).contains("tocsin_enforce", "devices-v1");
  }

  /** Whoever reaches it may still cancel, which {@code jobs} makes good, and submit. */
  @Test
  @Order(5)
  void flinkTakesNoJarAndSpeaksToNobodyInClear() throws Exception {
    HttpRequest.Builder upload =
        HttpRequest.newBuilder(stack.flink("/jars/upload"))
            .POST(HttpRequest.BodyPublishers.noBody());
    assertThat(flink(upload).statusCode()).isEqualTo(404);
    URI clear = URI.create("http://127.0.0.1:" + stack.ports().flink() + "/config");
    HttpRequest.Builder unencrypted = HttpRequest.newBuilder(clear);
    assertThat(Http.sent(HttpClient.newHttpClient(), unencrypted).statusCode())
        .as("who asks in clear is sent to HTTPS")
        .isBetween(300, 399);
  }

  private static HttpResponse<String> flink(HttpRequest.Builder request) throws Exception {
    return Http.sent(stack.client(), request);
  }

  @Test
  @Order(5)
  void onlyTheAgentIsReachedFromOtherMachinesAndItsPagesAreNot() throws Exception {
    for (String container : stack.containers()) {
      assertThat(
              stack.docker(
                  "inspect",
                  "--format",
                  "{{range .HostConfig.PortBindings}}{{range .}}{{.HostIp}} {{end}}{{end}}",
                  container))
          .as(container)
          .matches("(127\\.0\\.0\\.1\\s*)*");
    }
    URI health = URI.create("http://127.0.0.1:%d/health".formatted(stack.ports().agentTelemetry()));
    HttpRequest.Builder change =
        HttpRequest.newBuilder(health).POST(HttpRequest.BodyPublishers.ofString("{}"));
    assertThat(Http.sent(HttpClient.newHttpClient(), change).statusCode()).isEqualTo(405);
    assertThat(Files.readString(stack.agentConfig())).contains("listen: 127.0.0.1:");
  }

  /** All but ClickHouse's: upstream's server has them, the engine in our image does not. */
  @Test
  @Order(5)
  void partsTellPrometheusWhatItsAlertsAskFor() throws Exception {
    StringBuilder told = new StringBuilder();
    String targets =
        "kafka-1:9404 kafka-2:9404 kafka-3:9404 jobmanager:9249 taskmanager-1:9249"
            + " taskmanager-2:9249 alertmanager:9093";
    for (String target : targets.split(" ")) {
      told.append(stack.metrics(target));
    }
    String rules =
        Files.readString(TestStacks.tools().repository().resolve("deploy/prometheus/rules.yml"));
    List<String> asked =
        Pattern.compile("\\b(kafka|flink|alertmanager)_\\w+")
            .matcher(rules)
            .results()
            .map(MatchResult::group)
            .distinct()
            .toList();
    assertThat(asked).hasSizeGreaterThan(8);
    assertThat(told.toString().lines().map(line -> line.split("[{ ]", 2)[0])).containsAll(asked);
  }

  /** Who has no use for a secret does not have it. */
  @Test
  @Order(5)
  void secretsAreWithThoseAloneWhoNeedThem() throws Exception {
    Map<String, String> holders =
        Map.of(
            "clickhouse_writer.password", "taskmanager-1 taskmanager-2",
            "clickhouse_recorder.password", "page-recorder",
            "clickhouse_reader.password", "heartbeat",
            "flink_rest.p12", "jobmanager",
            "tocsin_jobs.password", "jobmanager taskmanager-1 taskmanager-2",
            "tocsin_agent.password", "agent");
    Map<String, String> mounts = new TreeMap<>();
    for (String service : RUNNING) {
      mounts.put(service, stack.inspect(service, "{{range .Mounts}}{{.Destination}} {{end}}"));
    }
    holders.forEach(
        (secret, services) ->
            assertThat(RUNNING)
                .as(secret)
                .filteredOn(service -> (mounts.get(service) + " ").contains("/" + secret + " "))
                .containsExactlyInAnyOrder(services.split(" ")));
  }

  /** ClickHouse alone starts anew, as it reads the hashes of its own from its environment. */
  @Test
  @Order(5)
  void passwordsChangeAndNobodyWhoLogsInIsStartedAgain() throws Exception {
    List<String> who =
        List.of(
            "agent", "jobmanager", "taskmanager-1", "taskmanager-2", "page-recorder", "heartbeat");
    List<String> before = startTimes(who);
    String users =
        "tocsin_agent tocsin_jobs clickhouse_writer clickhouse_recorder clickhouse_reader";
    for (String user : users.split(" ")) {
      Files.writeString(stack.secret(user + ".password"), "");
    }
    stack.up();
    stack.script("compose", "kill", "-s", "HUP", "agent");
    clickHouse = stack.clickHouse();
    page("changed-passwords");
    await("beats").atMost(TestStacks.DEADLINE).until(() -> !stack.complains());
    assertThat(startTimes(who)).isEqualTo(before);
  }

  private static List<String> startTimes(List<String> services) throws Exception {
    List<String> times = new ArrayList<>();
    for (String service : services) {
      times.add(stack.inspect(service, "{{.State.StartedAt}}"));
    }
    return times;
  }

  @Test
  @Order(6)
  void partThatDoesNotStayUpIsNamedWithWhatItSaidLast() throws Exception {
    Path config = alertmanagerConfig();
    String asMade = Files.readString(config);
    Files.writeString(config, asMade + "unheard_of: 1\n");
    try {
      stack.docker("restart", stack.container("alertmanager"));
      assertThatThrownBy(stack::up)
          .hasMessageContainingAll("alertmanager does not stay up", "unheard_of");
    } finally {
      Files.writeString(config, asMade);
    }
    await("alertmanager, which Docker starts again by itself")
        .atMost(TestStacks.DEADLINE)
        .until(
            () ->
                stack
                    .inspect("alertmanager", "{{.State.Running}} {{.State.Restarting}}")
                    .equals("true false"));
  }

  @Test
  @Order(5)
  void whoTellsPeopleMustNameAnOutsideReceiverOfHeartbeats() throws Exception {
    Path config = alertmanagerConfig();
    String asMade = Files.readString(config);
    Files.writeString(config, asMade + "  - name: people\n    webhook_configs: []\n");
    try {
      assertThatThrownBy(stack::up).hasMessageContainingAll("HEARTBEAT_URL", "alertmanager.yml");
    } finally {
      Files.writeString(config, asMade);
    }
  }

  /** Last, so that everything has been said that is said. */
  @Test
  @Order(7)
  void noPasswordIsInAContainersSettingsALogAProcessListOrFlinksPages() throws Exception {
    Map<String, String> texts = new TreeMap<>();
    List<String> containers = stack.containers();
    for (String container : containers) {
      texts.put("inspect " + container, stack.docker("inspect", container));
    }
    texts.put("logs", stack.script("compose", "logs", "--no-color"));
    texts.put("settings", stack.script("compose", "config"));
    try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
      processes.forEach(process -> commandLine(process, texts));
    }
    for (String page : List.of("/config", "/jobmanager/config", "/jobmanager/environment")) {
      texts.put(page, flink(HttpRequest.newBuilder(stack.flink(page))).body());
    }
    List<String> passwords = new ArrayList<>();
    try (Stream<Path> files = Files.list(stack.secret("ca.pem").getParent())) {
      for (Path file : files.filter(each -> each.toString().endsWith(".password")).toList()) {
        passwords.add(Files.readString(file));
      }
    }
    assertThat(passwords).hasSizeGreaterThan(8);
    assertThat(texts).hasSizeGreaterThan(30);
    texts.forEach((where, text) -> assertThat(passwords).as(where).noneMatch(text::contains));
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(stack.secret("ca.pem").getParent())))
        .isEqualTo("rwx------");
  }

  private static Path alertmanagerConfig() {
    return stack.secret("ca.pem").getParent().resolveSibling("alertmanager.yml");
  }

  private static void commandLine(Path process, Map<String, String> texts) {
    try {
      texts.put(process.toString(), Files.readString(process.resolve("cmdline")));
    } catch (IOException e) {
      // It has ended, or is none.
    }
  }

  /** One alert, and the page about it. */
  private static void page(String source) throws Exception {
    Datagram.send(
        """
        {"action":"update","source":"%s","device":"d","check":"c","severity":"critical","summary":"s"}"""
            .formatted(source),
        stack.ports().alertUpdates());
    await("a page about " + source)
        .atMost(TestStacks.DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        text(
                            "SELECT status, firing FROM tocsin.pages WHERE group_labels['source'] = '%s'"
                                .formatted(source)))
                    .isEqualTo("[[\"firing\",1]]"));
  }

  private static void awaitMore(String what, long than) {
    await(what)
        .atMost(TestStacks.DEADLINE)
        .until(() -> stored() >= than + 2 * DATAGRAMS_PER_SECOND);
  }

  private static long stored() {
    return clickHouse
        .rows("SELECT count() FROM tocsin.syslog WHERE app_name = 'drill'")
        .path(0)
        .path(0)
        .asLong();
  }

  private static String text(String sql) {
    return clickHouse.rows(sql).toString();
  }

  private static ScenarioRunner runner() {
    return new ScenarioRunner(
        clickHouse,
        stack.sender(),
        overrides -> {
          try {
            stack.restartAgent(overrides);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while the agent was started again", e);
          }
        },
        stack::pushRules,
        PROGRESS);
  }

  /** CI fails without Docker, so that nobody misses these tests there for long. */
  static boolean isToRun() throws IOException, InterruptedException {
    return answers() || isRequired();
  }

  private static boolean answers() throws InterruptedException {
    try {
      return Ended.of(new ProcessBuilder("docker", "version")).exitCode() == 0;
    } catch (IOException e) {
      // There is no such command.
      return false;
    }
  }

  private static boolean isRequired() {
    return "true".equals(System.getenv("CI")) && System.getenv("TOCSIN_WITHOUT_DOCKER") == null;
  }

  private static void buildImages(Path repository) throws IOException, InterruptedException {
    Ended build =
        Ended.of(new ProcessBuilder(repository.resolve("deploy/images/build").toString()));
    build.output().lines().forEach(PROGRESS);
    assertThat(build.exitCode()).as(build.output()).isZero();
  }
}

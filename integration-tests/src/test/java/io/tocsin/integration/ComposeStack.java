package io.tocsin.integration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.agent.AgentConfig;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.embedded.scenario.TrafficSender;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.pagerecorder.Authorities;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;

/**
 * What {@code deploy/compose/up} starts, beside whatever else runs: by its scripts, as a person
 * would. What its containers say is kept in {@code target/containers}.
 */
final class ComposeStack {
  private final Path repository;
  private final Consumer<String> progress;
  private final Ports ports = FreePorts.reserve();
  private JsonNode usualAgent;

  /**
   * One that is not started.
   *
   * @param repository root of the checkout
   * @param progress takes one line at a time
   */
  ComposeStack(Path repository, Consumer<String> progress) {
    this.repository = repository;
    this.progress = progress;
  }

  /** Starts it, or what of it does not run, and returns when it is ready. */
  void up() throws IOException, InterruptedException {
    script("up");
    if (usualAgent == null) {
      usualAgent = new YAMLMapper().readTree(agentConfig().toFile());
    }
  }

  /** The same, while a service that does not run crashes once as it starts. */
  void upWhileOneCrashes(String service) throws Exception {
    FutureTask<Boolean> crash =
        new FutureTask<>(
            () -> {
              org.awaitility.Awaitility.await(service)
                  .atMost(TestStacks.DEADLINE)
                  .until(() -> !container(service).isEmpty());
              String pid = inspect(service, "{{.State.Pid}}");
              return ProcessHandle.of(Long.parseLong(pid)).orElseThrow().destroyForcibly();
            });
    new Thread(crash, "crash of " + service).start();
    up();
    crash.get();
  }

  /** How often Docker has started a service again. */
  int restarts(String service) throws IOException, InterruptedException {
    return Integer.parseInt(inspect(service, "{{.RestartCount}}"));
  }

  /**
   * Stops it and removes everything of it.
   *
   * @return the services that crashed or were killed instead of ending by SIGTERM, each behind its
   *     exit code
   */
  List<String> remove() throws IOException, InterruptedException {
    Path logs = repository.resolve("integration-tests/target/containers.log");
    Files.writeString(logs, script("compose", "logs", "--no-color"));
    Instant begun = Instant.now();
    script("down");
    String ended =
        docker(
            "events",
            "--since=" + begun.getEpochSecond(),
            "--until=" + Instant.now().getEpochSecond(),
            "--filter=" + label(),
            "--filter=event=die",
            "--format={{.Actor.Attributes.exitCode}}"
                + " {{index .Actor.Attributes \"com.docker.compose.service\"}}");
    // 128 and the signal's number: of SIGABRT, SIGKILL, SIGSEGV.
    return ended.lines().filter(line -> line.matches("(134|137|139) .*")).toList();
  }

  /** Who listens where on this machine. */
  Ports ports() {
    return ports;
  }

  /** A file of those that nobody else may read. */
  Path secret(String name) {
    return state().resolve("secrets").resolve(name);
  }

  /** For questions, as the user who may insert and read. */
  ClickHouseClient clickHouse() throws IOException {
    return new ClickHouseClient(
        "https://127.0.0.1:" + ports.clickHouseHttp(),
        "tocsin_writer",
        Files.readString(secret("clickhouse_writer.password")),
        Authorities.of(secret("ca.pem")));
  }

  /** Sends to the agent, and to Kafka as the agent's user. */
  TrafficSender sender() {
    return new TrafficSender(
        TestStacks.tools().tocsin(),
        List.of(
            "--port-offset",
            Integer.toString(ports.offset()),
            "--kafka-config",
            secret("tocsin_agent.properties").toString()),
        List.of(),
        progress);
  }

  /**
   * Starts the agent again with other settings, as an operator does.
   *
   * @param overrides changes to the usual ones, as in scenario.yaml
   */
  void restartAgent(JsonNode overrides) throws IOException, InterruptedException {
    ObjectNode config = AgentConfig.merge((ObjectNode) usualAgent, overrides);
    Files.writeString(agentConfig(), AgentConfig.yaml(config));
    script("compose", "restart", "agent");
    Health health =
        Health.http(URI.create("http://127.0.0.1:" + ports.agentTelemetry() + "/health"));
    org.awaitility.Awaitility.await("the agent")
        .atMost(TestStacks.DEADLINE)
        .until(() -> health.problem().isEmpty());
  }

  /** Puts the documents of a folder in force. */
  void pushRules(Path folder) {
    try {
      Ended ended =
          Ended.of(
              new ProcessBuilder(
                  JavaProcess.command(
                      io.tocsin.rules.command.Main.class,
                      "128m",
                      JavaProcess.quickStartFlags(),
                      List.of(
                          "push",
                          "--kafka-config",
                          secret("tocsin_operator.properties").toString(),
                          folder.toString()))));
      check(ended, "tocsin-rules push " + folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("interrupted while rules were pushed", e);
    }
  }

  /** Flink's REST interface, and who asks it there. */
  URI flink(String path) {
    return URI.create("https://127.0.0.1:" + ports.flink() + path);
  }

  /** Believes the installation's own authority and nobody else. */
  HttpClient client() throws IOException {
    return HttpClient.newBuilder().sslContext(Authorities.of(secret("ca.pem"))).build();
  }

  /**
   * What a part tells Prometheus.
   *
   * @param target service and port, on the containers' own network
   */
  String metrics(String target) throws IOException, InterruptedException {
    String[] parts = target.split(":");
    String address = inspect(parts[0], "{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}");
    return Http.text(URI.create("http://%s:%s/metrics".formatted(address, parts[1])));
  }

  /** Whether whoever listens for heartbeats complains. */
  boolean complains() throws IOException, InterruptedException {
    return inspect("heartbeat-listener", "{{.State.Health.Status}}").equals("unhealthy");
  }

  /** Ends the container of a service with SIGKILL; it stays away until {@link #up}. */
  void kill(String service) throws IOException, InterruptedException {
    progress.accept(service + " is killed");
    docker("kill", container(service));
  }

  /** The id of a service's container. */
  String container(String service) throws IOException, InterruptedException {
    return docker(
            "ps",
            "--quiet",
            "--filter",
            label(),
            "--filter",
            "label=com.docker.compose.service=" + service)
        .strip();
  }

  /** What Docker knows of a service's container, by a template of `docker inspect`. */
  String inspect(String service, String format) throws IOException, InterruptedException {
    return docker("inspect", "--format", format, container(service)).strip();
  }

  /** The ids of all containers, those that have ended too. */
  List<String> containers() throws IOException, InterruptedException {
    return docker("ps", "--all", "--quiet", "--filter", label()).lines().toList();
  }

  /** What is left of it: containers, volumes and networks of Docker, and the folder of secrets. */
  List<String> left() throws IOException, InterruptedException {
    List<String> left = new ArrayList<>(containers());
    for (String kind : List.of("volume", "network")) {
      docker(kind, "ls", "--quiet", "--filter", label()).lines().forEach(left::add);
    }
    if (Files.exists(state())) {
      left.add(state().toString());
    }
    return left;
  }

  /** What a command of Docker prints. */
  String docker(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("docker"));
    command.addAll(List.of(arguments));
    return check(Ended.of(new ProcessBuilder(command)), String.join(" ", command));
  }

  /** What a script of deploy/compose prints. */
  String script(String name, String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(repository.resolve("deploy/compose").resolve(name).toString());
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PORT_OFFSET", Integer.toString(ports.offset()));
    builder.environment().put("ALL", "1");
    builder.environment().put("JAVA_TOOL_OPTIONS", String.join(" ", JavaProcess.quickStartFlags()));
    builder.environment().put("HEARTBEAT_EVERY", "2");
    builder.environment().put("HEARTBEAT_SILENT_AFTER", "12");
    String output = check(Ended.of(builder), String.join(" ", command));
    if (!name.equals("compose")) {
      output.lines().forEach(progress);
    }
    return output;
  }

  private static String check(Ended ended, String command) {
    if (ended.exitCode() != 0) {
      throw new AssertionError(
          "'%s' ended with %d: %s".formatted(command, ended.exitCode(), ended.output()));
    }
    return ended.output();
  }

  Path agentConfig() {
    return state().resolve("agent.yaml");
  }

  private Path state() {
    return repository.resolve(".tocsin/compose-" + ports.offset());
  }

  private String label() {
    return "label=com.docker.compose.project=tocsin-" + ports.offset();
  }
}

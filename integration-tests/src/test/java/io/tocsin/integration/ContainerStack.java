package io.tocsin.integration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.dockerjava.api.model.Capability;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.agent.AgentConfig;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.scenario.RulesControl;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.containers.output.OutputFrame;
import org.testcontainers.containers.startupcheck.OneShotStartupCheckStrategy;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.lifecycle.Startables;
import org.testcontainers.utility.DockerImageName;
import org.testcontainers.utility.MountableFile;

/**
 * The pipeline as containers in one network of their own, from the images of {@code images.env}.
 * Each container's output is kept in {@code target/containers/<name>.log}.
 */
final class ContainerStack implements AutoCloseable, RulesControl {
  private static final Duration START_DEADLINE = Duration.ofSeconds(120);
  private static final int STOP_SECONDS = 30;
  private static final int KAFKA_PORT = 9092;
  private static final int CLICKHOUSE_PORT = 8123;
  private static final int FLINK_PORT = 8081;
  private static final int ALERTMANAGER_PORT = 9093;
  private static final int AGENT_TELEMETRY_PORT = 9464;
  private static final String ROUTES = "/etc/alertmanager/alertmanager.yml";

  private final Path repository;
  private final Path logs;
  private final ImageNames images;
  private final Consumer<String> progress;
  private final Network network = Network.newNetwork();
  private final List<GenericContainer<?>> started = new ArrayList<>();
  private GenericContainer<?> clickHouse;
  private GenericContainer<?> agent;

  /**
   * A stack that is not started.
   *
   * @param repository root of the checkout
   * @param progress takes one line at a time
   */
  ContainerStack(Path repository, Consumer<String> progress) {
    this.repository = repository;
    this.logs = repository.resolve("integration-tests/target/containers");
    this.images = new ImageNames(repository);
    this.progress = progress;
  }

  /** Starts everything except the agent, and returns when all of it is ready. */
  void start() throws IOException {
    new StateFolder(logs).delete();
    Files.createDirectories(logs);
    clickHouse = clickHouse();
    GenericContainer<?> kafka = kafka();
    GenericContainer<?> alertmanager = alertmanager();
    started.addAll(List.of(clickHouse, kafka, alertmanager));
    Startables.deepStart(clickHouse, kafka, alertmanager).join();
    progress.accept("Kafka, ClickHouse and Alertmanager are ready");
    applySchema();
    pushRules(repository.resolve("deploy/rules"));
    GenericContainer<?> recorder = pageRecorder(alertmanager);
    GenericContainer<?> flink = flink();
    started.addAll(List.of(recorder, flink));
    Startables.deepStart(recorder, flink).join();
    progress.accept("Flink runs its jobs");
  }

  /** For questions. */
  ClickHouseClient clickHouseClient() {
    return new ClickHouseClient(
        "http://%s:%d".formatted(clickHouse.getHost(), clickHouse.getMappedPort(CLICKHOUSE_PORT)));
  }

  /**
   * Stops the agent, so that it hands over what it has, and starts a new one.
   *
   * @param overrides changes to the default configuration, as in scenario.yaml
   */
  void restartAgent(JsonNode overrides) {
    stopAgent();
    ObjectNode usual = AgentConfig.merge(AgentConfig.generate(new Ports(0), true), inNetwork());
    agent = agent(AgentConfig.yaml(AgentConfig.merge(usual, overrides)));
    agent.start();
    progress.accept("the agent is ready");
  }

  /**
   * The agent's address in the containers' network. The host reaches it over the bridge: Docker's
   * port forwarding would lose datagrams of a burst in a buffer of its own.
   */
  String agentAddress() {
    return agent.getContainerInfo().getNetworkSettings().getNetworks().values().stream()
        .findFirst()
        .orElseThrow()
        .getIpAddress();
  }

  @Override
  public void close() {
    stopAgent();
    for (int index = started.size() - 1; index >= 0; index--) {
      started.get(index).stop();
    }
    network.close();
  }

  private static JsonNode inNetwork() {
    ObjectNode config = JsonNodeFactory.instance.objectNode();
    config.putObject("kafka").put("bootstrap_servers", "kafka:" + KAFKA_PORT);
    config.putObject("telemetry").put("listen", "0.0.0.0:" + AGENT_TELEMETRY_PORT);
    return config;
  }

  /** The same variables for apache/kafka and for ours. */
  private GenericContainer<?> kafka() {
    return container("kafka", images.of("KAFKA_IMAGE"))
        .withEnv("KAFKA_NODE_ID", "1")
        .withEnv("KAFKA_PROCESS_ROLES", "broker,controller")
        .withEnv("KAFKA_LISTENERS", "PLAINTEXT://0.0.0.0:9092,CONTROLLER://127.0.0.1:9091")
        .withEnv("KAFKA_ADVERTISED_LISTENERS", "PLAINTEXT://kafka:9092")
        .withEnv("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT")
        .withEnv("KAFKA_CONTROLLER_LISTENER_NAMES", "CONTROLLER")
        .withEnv("KAFKA_CONTROLLER_QUORUM_VOTERS", "1@127.0.0.1:9091")
        .withEnv("KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR", "1")
        .withEnv("KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR", "1")
        .withEnv("KAFKA_TRANSACTION_STATE_LOG_MIN_ISR", "1")
        .withEnv("KAFKA_GROUP_INITIAL_REBALANCE_DELAY_MS", "0")
        .withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
        .waitingFor(
            Wait.forLogMessage(".*Kafka Server started.*", 1).withStartupTimeout(START_DEADLINE));
  }

  private GenericContainer<?> clickHouse() {
    return container("clickhouse", images.of("CLICKHOUSE_IMAGE"))
        // Upstream's image lets the default user in without a password only when it is told so.
        .withEnv("CLICKHOUSE_SKIP_USER_SETUP", "1")
        .withExposedPorts(CLICKHOUSE_PORT)
        .waitingFor(
            Wait.forHttp("/ping").forPort(CLICKHOUSE_PORT).withStartupTimeout(START_DEADLINE));
  }

  private GenericContainer<?> alertmanager() {
    return container("alertmanager", images.of("ALERTMANAGER_IMAGE"))
        .withCopyFileToContainer(
            MountableFile.forHostPath(
                repository.resolve("deploy/alertmanager/alertmanager.yml"), 0644),
            ROUTES)
        .withExposedPorts(ALERTMANAGER_PORT)
        .waitingFor(
            Wait.forHttp("/-/ready").forPort(ALERTMANAGER_PORT).withStartupTimeout(START_DEADLINE));
  }

  /** Shares Alertmanager's loopback, where the committed routes expect it. */
  private GenericContainer<?> pageRecorder(GenericContainer<?> alertmanager) {
    return new GenericContainer<>(DockerImageName.parse(images.of("RECORDER_IMAGE")))
        .withNetworkMode("container:" + alertmanager.getContainerId())
        .withLogConsumer(log("page-recorder"))
        .withCommand("--clickhouse-url=http://clickhouse:" + CLICKHOUSE_PORT)
        .waitingFor(
            Wait.forLogMessage(".*recording pages.*", 1).withStartupTimeout(START_DEADLINE));
  }

  private GenericContainer<?> flink() {
    String image = images.of("FLINK_IMAGE");
    GenericContainer<?> flink =
        container("flink", image)
            .withExposedPorts(FLINK_PORT)
            .withCommand(
                "--kafka-bootstrap-servers=kafka:" + KAFKA_PORT,
                "--clickhouse-url=http://clickhouse:" + CLICKHOUSE_PORT,
                "--alertmanager-urls=http://alertmanager:" + ALERTMANAGER_PORT)
            .waitingFor(
                Wait.forHttp("/jobs/overview")
                    .forPort(FLINK_PORT)
                    .forResponsePredicate(body -> FlinkService.jobsRunning(body).isEmpty())
                    .withStartupTimeout(START_DEADLINE));
    return ImageNames.isOwn(image) ? flink : withJobs(flink);
  }

  /** Upstream's image has a JRE and no jobs. */
  private GenericContainer<?> withJobs(GenericContainer<?> flink) {
    return withLibraries(flink)
        .withEnv("TOCSIN_JOBS_PATH", "/tmp/tocsin")
        .withEnv("TOCSIN_JOBS_REST_ADDRESS", "0.0.0.0")
        .withCopyFileToContainer(
            MountableFile.forHostPath(repository.resolve("deploy/images/flink/start"), 0755),
            "/opt/tocsin/start")
        .withCreateContainerCmdModifier(command -> command.withEntrypoint("/opt/tocsin/start"));
  }

  private GenericContainer<?> withLibraries(GenericContainer<?> upstream) {
    Path embedded = repository.resolve("deploy/embedded/target");
    return upstream
        .withCopyFileToContainer(
            MountableFile.forHostPath(embedded.resolve("lib")), "/opt/tocsin/lib")
        .withCopyFileToContainer(
            MountableFile.forHostPath(embedded.resolve("tocsin-embedded-0.1.0-SNAPSHOT.jar")),
            "/opt/tocsin/lib/tocsin-embedded.jar")
        .withEnv("CLASSPATH", "/opt/tocsin/lib/*");
  }

  private void applySchema() {
    try (GenericContainer<?> schema =
        container("schema", images.of("AGENT_IMAGE"))
            .withCommand(
                "schema",
                "apply",
                "--kafka=kafka:" + KAFKA_PORT,
                "--clickhouse=http://clickhouse:" + CLICKHOUSE_PORT)
            .withStartupCheckStrategy(
                new OneShotStartupCheckStrategy().withTimeout(START_DEADLINE))) {
      schema.start();
    }
    progress.accept("topics and tables are made");
  }

  /** The command is on the class path of the image that runs the jobs. */
  @Override
  public void pushRules(Path folder) {
    String image = images.of("FLINK_IMAGE");
    try (GenericContainer<?> rules =
        container("rules", image)
            .withCopyFileToContainer(MountableFile.forHostPath(folder), "/rules")
            .withCreateContainerCmdModifier(command -> command.withEntrypoint("java"))
            .withCommand(
                io.tocsin.rules.command.Main.class.getName(),
                "push",
                "--kafka=kafka:" + KAFKA_PORT,
                "/rules")
            .withStartupCheckStrategy(
                new OneShotStartupCheckStrategy().withTimeout(START_DEADLINE))) {
      (ImageNames.isOwn(image) ? rules : withLibraries(rules)).start();
    }
    progress.accept("rules are in force");
  }

  /** With the capability that lets the default receive buffer pass the host's rmem_max. */
  private GenericContainer<?> agent(String config) {
    return container("agent", images.of("AGENT_IMAGE"))
        .withCopyToContainer(Transferable.of(config, 0644), "/etc/tocsin/agent.yaml")
        .withExposedPorts(AGENT_TELEMETRY_PORT)
        .withCreateContainerCmdModifier(
            command -> {
              command.withUser("root");
              command.getHostConfig().withCapAdd(Capability.NET_ADMIN);
            })
        .waitingFor(
            Wait.forHttp("/health")
                .forPort(AGENT_TELEMETRY_PORT)
                .withStartupTimeout(START_DEADLINE));
  }

  /** SIGTERM first: Testcontainers itself only kills. */
  private void stopAgent() {
    if (agent == null) {
      return;
    }
    DockerClientFactory.lazyClient()
        .stopContainerCmd(agent.getContainerId())
        .withTimeout(STOP_SECONDS)
        .exec();
    agent.stop();
    agent = null;
  }

  private GenericContainer<?> container(String name, String image) {
    return new GenericContainer<>(DockerImageName.parse(image))
        .withNetwork(network)
        .withNetworkAliases(name)
        .withCreateContainerCmdModifier(command -> command.withHostName(name))
        .withLogConsumer(log(name));
  }

  private Consumer<OutputFrame> log(String name) {
    Path file = logs.resolve(name + ".log");
    return frame -> {
      try {
        Files.writeString(
            file, frame.getUtf8String(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(file + " cannot be written: " + e.getMessage(), e);
      }
    };
  }
}

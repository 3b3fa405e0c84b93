package io.tocsin.embedded;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tocsin.embedded.agent.AgentConfig;
import io.tocsin.embedded.agent.AgentService;
import io.tocsin.embedded.alertmanager.AlertmanagerService;
import io.tocsin.embedded.alertmanager.HeartbeatService;
import io.tocsin.embedded.alertmanager.PageRecorderService;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.flink.JobWatchService;
import io.tocsin.embedded.grafana.GrafanaService;
import io.tocsin.embedded.kafka.KafkaService;
import io.tocsin.embedded.kafka.SecuredKafka;
import io.tocsin.embedded.scenario.AgentControl;
import io.tocsin.embedded.scenario.RulesControl;
import io.tocsin.embedded.security.KafkaPermissions;
import io.tocsin.embedded.security.KafkaUser;
import io.tocsin.embedded.security.Secrets;
import io.tocsin.embedded.supervise.ServiceSpec;
import io.tocsin.embedded.supervise.Supervisor;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * The whole of Tocsin on one machine: Kafka, ClickHouse, Flink with the jobs, Alertmanager, the
 * page recorder and the agent as processes that this one supervises.
 *
 * <p>Closing stops the agent first and ClickHouse last, so that what the agent had received is
 * stored. What is kept between two stacks in the same state folder: Kafka's records, ClickHouse's
 * rows, Flink's checkpoints, Alertmanager's silences.
 */
public final class Stack implements AutoCloseable, AgentControl, RulesControl {

  private static final Duration SCHEMA_DEADLINE = Duration.ofMinutes(3);

  private final StackOptions options;
  private final Tools tools;
  private final Consumer<String> progress;
  private final Supervisor supervisor;
  private final ClickHouseClient clickHouse;
  private final Optional<Secrets> secrets;
  private final ObjectNode agentConfig;

  /**
   * A stack that is not started.
   *
   * @param progress takes one line at a time
   */
  public Stack(StackOptions options, Tools tools, Consumer<String> progress) {
    this.options = options;
    this.tools = tools;
    this.progress = progress;
    options.state().create();
    supervisor = new Supervisor(options.state().logs(), progress);
    clickHouse = new ClickHouseClient(clickHouseUrl());
    secrets =
        options.isSecured()
            ? Optional.of(Secrets.madeFor(options.state(), options.ports()))
            : Secrets.of(options.state());
    agentConfig = AgentConfig.generate(options.ports(), AgentService.hasIpv6());
    clientFile(KafkaUser.AGENT)
        .ifPresent(file -> agentConfig.withObject("/kafka").put("config_file", file.toString()));
  }

  /**
   * Starts everything and returns when all of it is ready.
   *
   * @throws io.tocsin.embedded.supervise.StartFailure naming the part that did not come up, with
   *     the end of its log
   */
  public void start() {
    Ports ports = options.ports();
    StateFolder state = options.state();
    ServiceSpec store = ClickHouseService.spec(ports, state, tools.libchdb());
    ServiceSpec broker = KafkaService.spec(ports, state, secrets);
    ServiceSpec pager = AlertmanagerService.spec(ports, state, tools);
    ServiceSpec jobs = FlinkService.spec(options, clientFile(KafkaUser.JOBS));
    ServiceSpec agent = AgentService.spec(ports, state, tools.tocsin(), agentConfig);
    // Against the way of the data: what is started first is stopped last.
    supervisor.launch(store);
    supervisor.launch(broker);
    supervisor.launch(PageRecorderService.spec(ports));
    supervisor.launch(pager);
    supervisor.awaitReady(
        KafkaService.NAME,
        ClickHouseService.NAME,
        PageRecorderService.NAME,
        AlertmanagerService.NAME);
    permit();
    applySchema();
    pushRules(tools.rules());
    supervisor.launch(jobs);
    supervisor.launch(agent);
    supervisor.awaitReady(FlinkService.NAME, AgentService.NAME);
    supervisor.launch(JobWatchService.spec(ports, tools.tocsin()));
    supervisor.awaitReady(JobWatchService.NAME);
    if (options.withGrafana()) {
      startGrafana();
    }
  }

  /** Starts Kafka and ClickHouse alone, empty of topics and tables. */
  public void startStores() {
    supervisor.launch(ClickHouseService.spec(options.ports(), options.state(), tools.libchdb()));
    supervisor.launch(KafkaService.spec(options.ports(), options.state(), secrets));
    supervisor.awaitReady(KafkaService.NAME, ClickHouseService.NAME);
    permit();
  }

  /** The file by which a user reaches Kafka, where it is secured. */
  public Optional<Path> clientFile(KafkaUser user) {
    return secrets.map(known -> known.clientFile(user));
  }

  private List<String> kafkaArguments(KafkaUser user) {
    return clientFile(user)
        .map(file -> List.of("--kafka-config", file.toString()))
        .orElseGet(() -> List.of("--kafka", kafkaBootstrapServers()));
  }

  private void permit() {
    secrets.ifPresent(known -> SecuredKafka.permit(known, KafkaPermissions.of(tools.schemas())));
  }

  private void applySchema() {
    List<String> command = new ArrayList<>();
    command.addAll(List.of(tools.tocsin().toString(), "schema", "apply"));
    command.addAll(List.of("--clickhouse", clickHouseUrl()));
    command.addAll(List.of("--schemas", tools.schemas().toString()));
    command.addAll(kafkaArguments(KafkaUser.SCHEMA));
    if (options.parallelism() > 1) {
      // A partition for each reader. With one, one is what `schema apply` makes for one broker.
      command.addAll(List.of("--partitions", Integer.toString(options.parallelism())));
    }
    supervisor.run("schema apply", command, Map.of(), SCHEMA_DEADLINE);
  }

  @Override
  public void pushRules(Path folder) {
    List<String> arguments = new ArrayList<>(List.of("push", folder.toString()));
    arguments.addAll(kafkaArguments(KafkaUser.OPERATOR));
    supervisor.run(
        "rules push",
        JavaProcess.command(
            io.tocsin.rules.command.Main.class, "128m", JavaProcess.quickStartFlags(), arguments),
        Map.of(),
        SCHEMA_DEADLINE);
  }

  /**
   * Sends heartbeats through all parts and listens for them, so that it shows when one of them has
   * failed.
   *
   * @param every time between two
   * @param silentAfter silence that is too long
   */
  public void startHeartbeat(Duration every, Duration silentAfter) {
    Ports ports = options.ports();
    supervisor.launch(HeartbeatService.listener(ports, tools.tocsin(), silentAfter));
    supervisor.launch(HeartbeatService.sender(ports, tools.tocsin(), every));
    supervisor.awaitReady(HeartbeatService.LISTENER, HeartbeatService.SENDER);
  }

  private void startGrafana() {
    Optional<ServiceSpec> spec = GrafanaService.spec(options.ports(), options.state(), tools);
    if (spec.isEmpty()) {
      progress.accept(GrafanaService.HOW_TO_GET_IT);
      return;
    }
    supervisor.launch(spec.get());
    supervisor.awaitReady(GrafanaService.NAME);
  }

  /**
   * Starts the agent again with its default configuration changed; an empty object brings the
   * default back.
   */
  @Override
  public void restartAgent(JsonNode overrides) {
    ObjectNode config = AgentConfig.merge(agentConfig, overrides);
    supervisor.replace(AgentService.spec(options.ports(), options.state(), tools.tocsin(), config));
  }

  /** Starts Flink again after a last checkpoint, with the class path as it is now. */
  public void restartJobs() {
    supervisor.replace(FlinkService.spec(options, clientFile(KafkaUser.JOBS)));
  }

  /** The processes, for drills that kill one and for watching over them. */
  public Supervisor supervisor() {
    return supervisor;
  }

  /** All ports. */
  public Ports ports() {
    return options.ports();
  }

  /** The state folder. */
  public StateFolder state() {
    return options.state();
  }

  /** For questions. */
  public ClickHouseClient clickHouse() {
    return clickHouse;
  }

  /** "host:port". */
  public String kafkaBootstrapServers() {
    return "127.0.0.1:" + options.ports().kafka();
  }

  /** ClickHouse over HTTP. */
  public String clickHouseUrl() {
    return "http://127.0.0.1:" + options.ports().clickHouseHttp();
  }

  /** Stops everything; a second call does nothing. */
  @Override
  public void close() {
    supervisor.close();
  }
}

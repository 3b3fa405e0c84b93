package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.agent.AgentConfig;
import io.tocsin.embedded.agent.AgentService;
import io.tocsin.embedded.alertmanager.AlertmanagerService;
import io.tocsin.embedded.alertmanager.PageRecorderService;
import io.tocsin.embedded.clickhouse.ClickHouseService;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.scenario.AgentControl;
import io.tocsin.embedded.scenario.RulesControl;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import io.tocsin.embedded.supervise.Supervisor;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All of Tocsin as a cluster of processes on loopback: three brokers, two job managers, two task
 * managers, ZooKeeper, one ClickHouse, Alertmanager and the agent. What is killed is started again.
 */
final class ClusterStack implements AgentControl, RulesControl, AutoCloseable {
  private static final int NODES = 3;
  private static final Duration SCHEMA_DEADLINE = TestStacks.DEADLINE;

  private final Tools tools = TestStacks.tools();
  private final int parallelism;
  private Tools release;
  private final StateFolder state;
  private final List<Ports> nodes = Stream.generate(FreePorts::reserve).limit(NODES).toList();
  private final KafkaCluster kafka;
  private final FlinkCluster flink;
  private final Installation installation;
  private final Supervisor supervisor;
  private ClusterJobs jobs;

  /**
   * A cluster that is not started.
   *
   * @param name of its state folder, which is emptied, and before what is printed
   * @param parallelism instances of each operator of the jobs at first
   */
  ClusterStack(String name, int parallelism) {
    this(name, parallelism, parallelism);
  }

  /** The same with room for more instances later. */
  ClusterStack(String name, int parallelism, int mostInstances) {
    this(name, parallelism, mostInstances, TestStacks.tools(), true);
  }

  /**
   * One of which agent, jobs, tables, topics and rules are of another release at first. Each job
   * brings the classes of its own.
   *
   * @param release a checkout in which {@code make build} was run
   */
  ClusterStack(String name, int parallelism, Tools release) {
    this(name, parallelism, parallelism, release, false);
  }

  private ClusterStack(
      String name, int parallelism, int mostInstances, Tools release, boolean hasJobsInLib) {
    this.parallelism = parallelism;
    this.release = release;
    state = TestStacks.emptyState(name);
    state.create();
    kafka = new KafkaCluster(nodes, state);
    Optional<Path> jar = hasJobsInLib ? Optional.of(release.jobs()) : Optional.empty();
    flink = new FlinkCluster(nodes, state, mostInstances, jar);
    installation = new Installation(name, nodes.get(0), kafka.bootstrapServers());
    supervisor = new Supervisor(state.logs(), installation::say);
  }

  /** Starts everything and returns when all tasks of all jobs are at work. */
  void start() throws Exception {
    supervisor.launch(clickHouse());
    supervisor.launch(flink.zooKeeper());
    launch(kafka.specs());
    launch(pager());
    supervisor.awaitReady(supervisor.names().toArray(String[]::new));
    launch(flink.specs());
    applySchema();
    pushRules();
    supervisor.awaitReady(supervisor.names().toArray(String[]::new));
    jobs = new ClusterJobs(flink.client(), addresses(), flink.jobsInLib(), () -> release);
    flink.awaitTaskManagers(jobs.leader());
    jobs.submitAll(parallelism);
    supervisor.launch(agent());
    supervisor.awaitReady(AgentService.NAME);
    awaitJobs();
  }

  private ServiceSpec clickHouse() {
    return ClickHouseService.spec(nodes.get(0), state, tools.libchdb());
  }

  private List<ServiceSpec> pager() {
    Ports ports = nodes.get(0);
    return List.of(PageRecorderService.spec(ports), AlertmanagerService.spec(ports, state, tools));
  }

  private ServiceSpec agent() {
    return agent(JsonNodeFactory.instance.objectNode());
  }

  private ServiceSpec agent(JsonNode overrides) {
    Ports ports = nodes.get(0);
    ObjectNode config = AgentConfig.generate(ports, AgentService.hasIpv6());
    config.withObject("/kafka").put("bootstrap_servers", kafka.bootstrapServers());
    return AgentService.spec(ports, state, release.tocsin(), AgentConfig.merge(config, overrides));
  }

  @Override
  public void restartAgent(JsonNode overrides) {
    supervisor.replace(agent(overrides));
  }

  /**
   * Gives topics more partitions while everything runs. The agent is started again, so that it
   * writes to them at once and not when it next asks Kafka for the topics.
   */
  void growTopics(Collection<String> topics, int partitions) throws Exception {
    String option =
        topics.stream().map(topic -> topic + "=" + partitions).collect(Collectors.joining(","));
    applySchema("--partitions=" + option);
    replaceAgent();
  }

  /** What is started, applied, pushed and submitted from now on is of another release. */
  void release(Tools next) {
    release = next;
  }

  /** Starts one broker after the other again, each when every partition has all of its copies. */
  void replaceBrokers() throws Exception {
    for (ServiceSpec broker : kafka.specs()) {
      supervisor.replace(broker);
      kafka.awaitCopies();
    }
  }

  /** Stops all brokers, one right after the other, and removes what they had. */
  void loseBrokers() throws IOException {
    List<ServiceSpec> brokers = kafka.specs();
    brokers.forEach(broker -> supervisor.stop(broker.name()));
    brokers.forEach(broker -> new StateFolder(state.of(broker.name())).delete());
  }

  /** Stops the agent and cancels all jobs. Returns the newest checkpoint of each. */
  Map<String, String> stopWriters() throws Exception {
    supervisor.stop(AgentService.NAME);
    return jobs.cancelAll();
  }

  /** Starts brokers that have nothing. */
  void startBrokers() throws IOException {
    List<ServiceSpec> brokers = kafka.specs();
    launch(brokers);
    supervisor.awaitReady(brokers.stream().map(ServiceSpec::name).toArray(String[]::new));
  }

  /** Once the topics are restored: the rest of the schema, jobs from these, and the agent. */
  void goOnWithKafka(Map<String, String> checkpoints, int generation) throws Exception {
    applySchema();
    for (Map.Entry<String, String> job : checkpoints.entrySet()) {
      jobs.submitAfterKafkaLoss(job.getKey(), parallelism, job.getValue(), generation);
    }
    supervisor.launch(agent());
    supervisor.awaitReady(AgentService.NAME);
    awaitJobs();
  }

  /** Starts ClickHouse again. */
  void replaceClickHouse() {
    supervisor.replace(clickHouse());
  }

  /** Starts Alertmanager and the page recorder again, one after the other. */
  void replacePager() {
    pager().forEach(supervisor::replace);
  }

  /** Starts the agent again. What comes meanwhile is lost: no systemd holds its sockets here. */
  void replaceAgent() {
    supervisor.replace(agent());
  }

  private void launch(List<ServiceSpec> specs) {
    specs.forEach(supervisor::launch);
  }

  /** {@code tocsin schema apply}. */
  void applySchema(String... more) {
    List<String> command =
        new ArrayList<>(
            List.of(
                release.tocsin().toString(),
                "schema",
                "apply",
                "--replication=3",
                "--wait=120",
                "--kafka=" + kafka.bootstrapServers(),
                "--clickhouse=" + installation.clickHouseUrl(),
                "--schemas=" + release.schemas()));
    command.addAll(List.of(more));
    supervisor.run("schema apply", command, Map.of(), SCHEMA_DEADLINE);
  }

  /** {@code tocsin-rules push --prune} of the release's. */
  void pushRules() {
    pushRules(release.rules(), "--prune");
  }

  @Override
  public void pushRules(Path folder) {
    pushRules(folder, new String[0]);
  }

  private void pushRules(Path folder, String... more) {
    List<String> arguments =
        new ArrayList<>(List.of("push", folder.toString(), "--kafka", kafka.bootstrapServers()));
    arguments.addAll(List.of(more));
    supervisor.run(
        "rules push",
        JavaProcess.command(
            io.tocsin.rules.command.Main.class, "128m", JavaProcess.quickStartFlags(), arguments),
        Map.of(),
        SCHEMA_DEADLINE);
  }

  private Map<String, String> addresses() {
    return Map.of(
        "--kafka-bootstrap-servers", kafka.bootstrapServers(),
        "--clickhouse-url", installation.clickHouseUrl(),
        "--alertmanager-urls", "http://127.0.0.1:" + installation.ports().alertmanager());
  }

  /**
   * Waits until what was killed has been started again, and everything is at work.
   *
   * @param starts how often it had been started before
   */
  void awaitSuccessor(String killed, int starts) {
    await("the successor of " + killed)
        .atMost(TestStacks.DEADLINE)
        .until(() -> supervisor.starts(killed) > starts);
    flink.awaitTaskManagers(jobs.leader());
    awaitJobs();
  }

  /** Waits until every task of every job is at work, whoever leads. */
  void awaitJobs() {
    await("all tasks of all jobs")
        .atMost(TestStacks.DEADLINE)
        .conditionEvaluationListener(new Progress(installation.name()))
        .ignoreExceptions()
        .until(
            () -> {
              URI overview = jobs.leader().resolve("/jobs/overview");
              return Health.http(overview, FlinkService::jobsRunning).problem().isEmpty();
            });
  }

  /** Where its parts keep what they have. */
  StateFolder state() {
    return state;
  }

  /** Where it is asked. */
  Installation installation() {
    return installation;
  }

  /** The processes. */
  Supervisor supervisor() {
    return supervisor;
  }

  /** The jobs, to be stopped and submitted. */
  ClusterJobs jobs() {
    return jobs;
  }

  /** The job manager that leads. */
  String leader() {
    return flink.leader(jobs.leader());
  }

  /** A task manager without which nobody is paged: one that runs a task of this job. */
  String taskManagerOf(String job) throws Exception {
    return flink.taskManagerOf(jobs.leader(), jobs.id(job).toHexString());
  }

  @Override
  public void close() {
    supervisor.close();
    if (jobs != null) {
      jobs.close();
    }
  }
}

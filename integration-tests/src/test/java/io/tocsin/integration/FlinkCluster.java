package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.flink.FlinkService;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Flink as a cluster: two job managers of which ZooKeeper knows the leader, and task managers, each
 * a process by the start script of the image, on a Flink distribution's class path. Everything that
 * decides how a fault ends is what deploy/kubernetes ships; sizes are those of deploy/compose.
 */
final class FlinkCluster {
  static final String ZOOKEEPER = "zookeeper";

  private static final int JOB_MANAGERS = 2;
  private static final int TASK_MANAGERS = 2;
  private static final int JOBS = 6;
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(10);
  private static final String SHIPPED_FOLDER = "file:///var/lib/flink/";

  /** Of Kubernetes, its operator, Prometheus, or who may submit. */
  private static final String NOT_OF_A_PROCESS =
      "(kubernetes\\.|job\\.autoscaler|metrics|web\\.|slotmanager|high-availability\\.kubernetes).*";

  private final List<Ports> nodes;
  private final StateFolder state;
  private final int instances;
  private final Optional<Path> jobsInLib;
  private final YAMLMapper yaml = new YAMLMapper();

  /**
   * @param nodes the first two have a job manager and a task manager each, the last has ZooKeeper
   * @param instances the most of any operator
   * @param jobsInLib the jar in Flink's lib, as the image has it; where there is none, each job
   *     brings its own classes
   */
  FlinkCluster(List<Ports> nodes, StateFolder state, int instances, Optional<Path> jobsInLib) {
    this.nodes = nodes;
    this.state = state;
    this.instances = instances;
    this.jobsInLib = jobsInLib;
  }

  /** The name of a service. */
  static String jobManager(int node) {
    return "jobmanager-" + (node + 1);
  }

  /** The name of a service. */
  static String taskManager(int node) {
    return "taskmanager-" + (node + 1);
  }

  /** What has to run first. */
  ServiceSpec zooKeeper() throws IOException {
    int port = nodes.get(nodes.size() - 1).flink();
    Path folder = Files.createDirectories(state.of(ZOOKEEPER));
    Path file =
        Files.writeString(
            folder.resolve("zoo.cfg"),
            """
            tickTime=500
            dataDir=%s
            clientPort=%d
            clientPortAddress=127.0.0.1
            admin.enableServer=false
            """
                .formatted(folder.resolve("data"), port));
    return new ServiceSpec(
        ZOOKEEPER,
        List.of(
            "java",
            "-Xmx64m",
            "-XX:TieredStopAtLevel=1",
            "org.apache.flink.runtime.zookeeper.FlinkZooKeeperQuorumPeer",
            "--zkConfigFile",
            file.toString(),
            "--peerId",
            "1"),
        ImageScript.environmentOfFlinkAlone(),
        Health.tcp("127.0.0.1", port),
        TestStacks.DEADLINE,
        STOP_DEADLINE);
  }

  /** How to run job managers and task managers, in the order of their start. */
  List<ServiceSpec> specs() throws IOException {
    List<ServiceSpec> specs = new ArrayList<>();
    for (int node = 0; node < JOB_MANAGERS; node++) {
      URI overview = rest(node).resolve("/overview");
      specs.add(spec("jobmanager", jobManager(node), node, "320m", Health.http(overview)));
    }
    for (int node = 0; node < TASK_MANAGERS; node++) {
      Health listening = Health.tcp("127.0.0.1", dataPort(node));
      specs.add(spec("taskmanager", taskManager(node), node, "640m", listening));
    }
    return specs;
  }

  private ServiceSpec spec(String role, String name, int node, String heap, Health health)
      throws IOException {
    Map<String, String> environment = ImageScript.environmentOfFlinkAnd(jobsInLib);
    environment.put("TOCSIN_FLINK_CONFIG", configuration(name, node).toString());
    environment.put("TOCSIN_JOBS_HEAP", heap);
    environment.put("TOCSIN_JOBS_PATH", state.root().toString());
    return new ServiceSpec(
        name,
        List.of(ImageScript.of("flink").toString(), role),
        environment,
        health,
        TestStacks.DEADLINE,
        STOP_DEADLINE);
  }

  /** The jar in Flink's lib, where there is one. */
  Optional<Path> jobsInLib() {
    return jobsInLib;
  }

  /** The folder of a config.yaml for who submits jobs: it asks ZooKeeper who leads. */
  Path client() throws IOException {
    return configuration("client", 0);
  }

  /** Writes a config.yaml and returns its folder. */
  private Path configuration(String name, int node) throws IOException {
    Path folder = Files.createDirectories(state.of("flink").resolve(name));
    Map<String, String> settings = new TreeMap<>();
    shipped("deploy/compose/flink.yaml", "")
        .forEach(
            (setting, value) -> {
              if (setting.matches("(taskmanager\\.(memory|cpu|load-balance)|state).*")) {
                settings.put(setting, value);
              }
            });
    settings.putAll(
        shipped("deploy/kubernetes/base/flink/every-job.yaml", "/spec/flinkConfiguration"));
    // How long the others wait for a leader that is silent.
    settings.put(
        "high-availability.zookeeper.client.session-timeout",
        settings.get("high-availability.kubernetes.leader-election.lease-duration"));
    settings.keySet().removeIf(setting -> setting.matches(NOT_OF_A_PROCESS));
    settings.replaceAll(
        (setting, value) ->
            value.replace(SHIPPED_FOLDER, state.of("flink").toUri().toString() + "/"));
    if (jobsInLib.isEmpty()) {
      settings.put("classloader.resolve-order", "child-first");
    }
    // Who is silent here is short of processors: dead processes are known by their connections.
    settings.put("heartbeat.timeout", "180000");
    settings.put("high-availability.type", "zookeeper");
    // There is one ZooKeeper: who leads goes on leading until its session ends.
    settings.put("high-availability.zookeeper.client.tolerate-suspended-connections", "true");
    settings.put(
        "high-availability.zookeeper.quorum", "127.0.0.1:" + nodes.get(nodes.size() - 1).flink());
    settings.put("jobmanager.rpc.address", "127.0.0.1");
    settings.put("jobmanager.bind-host", "127.0.0.1");
    settings.put("rest.address", "127.0.0.1");
    settings.put("rest.bind-address", "127.0.0.1");
    settings.put("rest.port", Integer.toString(nodes.get(node).flink()));
    settings.put("taskmanager.host", "127.0.0.1");
    settings.put("taskmanager.bind-host", "127.0.0.1");
    settings.put("taskmanager.data.port", Integer.toString(dataPort(node)));
    // Each has room for all jobs: when one dies, the other takes them over at once.
    settings.put("taskmanager.numberOfTaskSlots", Integer.toString(JOBS * instances));
    String network = FlinkService.networkMemory(instances).toString();
    settings.put("taskmanager.memory.network.min", network);
    settings.put("taskmanager.memory.network.max", network);
    settings.put("io.tmp.dirs", Files.createDirectories(folder.resolve("tmp")).toString());
    yaml.writeValue(folder.resolve("config.yaml").toFile(), settings);
    return folder;
  }

  private Map<String, String> shipped(String file, String where) throws IOException {
    Map<String, String> settings = new TreeMap<>();
    yaml.readTree(TestStacks.tools().repository().resolve(file).toFile())
        .at(where)
        .properties()
        .forEach(setting -> settings.put(setting.getKey(), setting.getValue().asText()));
    return settings;
  }

  private URI rest(int node) {
    return URI.create("http://127.0.0.1:" + nodes.get(node).flink());
  }

  private int dataPort(int node) {
    return nodes.get(node).flinkMetrics();
  }

  /** Waits until every task manager has come to the leader. */
  void awaitTaskManagers(URI leader) {
    await("task managers")
        .atMost(TestStacks.DEADLINE)
        .ignoreExceptions()
        .until(
            () -> Http.json(leader.resolve("/taskmanagers")).path("taskmanagers").size(),
            count -> count == TASK_MANAGERS);
  }

  /** The job manager that leads. */
  String leader(URI address) {
    for (int node = 0; node < JOB_MANAGERS; node++) {
      if (rest(node).getPort() == address.getPort()) {
        return jobManager(node);
      }
    }
    throw new AssertionError("no job manager is at " + address);
  }

  /** A task manager that runs a task of a job. */
  String taskManagerOf(URI leader, String jobId) throws IOException, InterruptedException {
    URI job = leader.resolve("/jobs/" + jobId);
    String vertex = Http.json(job).at("/vertices/0/id").asText();
    JsonNode tasks = Http.json(URI.create(job + "/vertices/" + vertex + "/taskmanagers"));
    String id = tasks.at("/taskmanagers/0/taskmanager-id").asText();
    int port = Http.json(leader.resolve("/taskmanagers/" + id)).path("dataPort").asInt();
    for (int node = 0; node < TASK_MANAGERS; node++) {
      if (dataPort(node) == port) {
        return taskManager(node);
      }
    }
    throw new AssertionError("no task manager has data port " + port + ": " + tasks);
  }
}

package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.kafka.KafkaMain;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;

/**
 * Brokers with the settings of deploy/compose, each a process by the start script of its image; but
 * in clear, and on loopback.
 */
final class KafkaCluster {
  private static final String CLUSTER_ID = "dG9jc2luLWxhYm9yYXRvcg";

  /** The last ones find no controller to say goodbye to, and would wait for one. */
  private static final Duration STOP_DEADLINE = Duration.ofSeconds(2);

  private final List<Ports> nodes;
  private final StateFolder state;

  /**
   * @param nodes the ports of each broker
   */
  KafkaCluster(List<Ports> nodes, StateFolder state) {
    this.nodes = nodes;
    this.state = state;
  }

  /** The name of a service. */
  static String broker(int node) {
    return "kafka-" + (node + 1);
  }

  /** Of all brokers. */
  String bootstrapServers() {
    return nodes.stream().map(node -> "127.0.0.1:" + node.kafka()).collect(Collectors.joining(","));
  }

  /** How to run each broker. */
  List<ServiceSpec> specs() throws IOException {
    Map<String, String> shared = shippedSettings();
    return IntStream.range(0, nodes.size()).mapToObj(node -> spec(node, shared)).toList();
  }

  private ServiceSpec spec(int node, Map<String, String> shared) {
    String broker = "BROKER://127.0.0.1:" + nodes.get(node).kafka();
    Map<String, String> settings = new TreeMap<>(shared);
    settings.put("CLUSTER_ID", CLUSTER_ID);
    settings.put("KAFKA_NODE_ID", Integer.toString(node + 1));
    List<String> flags = JavaProcess.classArchiveFlags(KafkaMain.class.getName());
    settings.put("KAFKA_HEAP_OPTS", "-Xmx320m " + String.join(" ", flags));
    // The image's own metrics come from a file of the image, at one port for all.
    settings.put("KAFKA_OPTS", "");
    settings.put("KAFKA_CONTROLLER_QUORUM_VOTERS", voters());
    settings.put(
        "KAFKA_LISTENERS", broker + ",CONTROLLER://127.0.0.1:" + nodes.get(node).kafkaController());
    settings.put("KAFKA_ADVERTISED_LISTENERS", broker);
    settings.put("KAFKA_LISTENER_SECURITY_PROTOCOL_MAP", "CONTROLLER:PLAINTEXT,BROKER:PLAINTEXT");
    settings.put("KAFKA_LOG_DIRS", state.of(broker(node)).resolve("data").toString());
    settings.put("SERVER_PROPERTIES", state.of(broker(node) + ".properties").toString());
    settings.putAll(ImageScript.environment());
    return new ServiceSpec(
        broker(node),
        List.of(ImageScript.of("kafka").toString()),
        settings,
        Health.tcp("127.0.0.1", nodes.get(node).kafka()),
        TestStacks.DEADLINE,
        STOP_DEADLINE);
  }

  /** Waits until every partition of every topic has all of its copies. */
  void awaitCopies() {
    await("copies of every partition")
        .atMost(TestStacks.DEADLINE)
        .ignoreExceptionsInstanceOf(ExecutionException.class)
        .until(
            () -> {
              try (Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrapServers()))) {
                return admin
                    .describeTopics(admin.listTopics().names().get())
                    .allTopicNames()
                    .get()
                    .values()
                    .stream()
                    .flatMap(topic -> topic.partitions().stream())
                    .allMatch(partition -> partition.isr().size() == nodes.size());
              }
            });
  }

  private String voters() {
    return IntStream.range(0, nodes.size())
        .mapToObj(node -> (node + 1) + "@127.0.0.1:" + nodes.get(node).kafkaController())
        .collect(Collectors.joining(","));
  }

  /** Those that say how brokers work together, without those that say who may speak to them. */
  private static Map<String, String> shippedSettings() throws IOException {
    Path compose = TestStacks.tools().repository().resolve("deploy/compose/compose.yaml");
    JsonNode settings = new YAMLMapper().readTree(compose.toFile()).at("/x-kafka/environment");
    Map<String, String> kept = new TreeMap<>();
    settings
        .properties()
        .forEach(
            setting -> {
              if (setting
                  .getKey()
                  .matches("KAFKA_(?!.*(SSL|SASL|SCRAM|AUTHORIZER|SUPER_USERS)).*")) {
                kept.put(setting.getKey(), setting.getValue().asText());
              }
            });
    return kept;
  }
}

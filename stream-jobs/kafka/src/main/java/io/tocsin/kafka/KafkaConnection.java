package io.tocsin.kafka;

import java.io.Serializable;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * How Kafka is reached. It travels in a job's graph, so it holds no secret: passwords and keys are
 * references that each client resolves for itself, where it runs.
 *
 * @param bootstrapServers "host:port", separated by commas
 * @param settings of Kafka's clients by their own names: encryption and login
 */
public record KafkaConnection(String bootstrapServers, Map<String, String> settings)
    implements Serializable {

  /** Keeps the settings in an order of their own. */
  public KafkaConnection {
    settings = new TreeMap<>(settings);
  }

  /** Brokers without encryption or login. */
  public static KafkaConnection of(String bootstrapServers) {
    return new KafkaConnection(bootstrapServers, Map.of());
  }

  /**
   * What a command line says.
   *
   * @param bootstrapServers those of the command line, or null
   * @param file that says how they are reached, or null
   * @param defaultServers where neither names any
   * @throws IllegalArgumentException where the file cannot be used, with what is wrong in it
   */
  public static KafkaConnection of(String bootstrapServers, Path file, String defaultServers) {
    KafkaConnection named = file == null ? of("") : KafkaConfigFile.read(file);
    String servers = bootstrapServers == null ? named.bootstrapServers() : bootstrapServers;
    return new KafkaConnection(servers.isEmpty() ? defaultServers : servers, named.settings());
  }

  /** For a client, with what only this client wants on top. */
  public Map<String, Object> client(Map<String, Object> wanted) {
    Map<String, Object> client = new HashMap<>(settings);
    client.put(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers);
    client.putAll(wanted);
    return client;
  }

  /** The settings alone. */
  public Properties properties() {
    Properties properties = new Properties();
    properties.putAll(settings);
    return properties;
  }
}

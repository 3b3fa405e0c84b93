package io.tocsin.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The file that says how Kafka is reached: the same one for the agent, the commands, the jobs and
 * {@code tocsin-rules}.
 *
 * <p>One {@code name=value} a line, {@code #} begins a comment. Module kafka of the agent reads the
 * same in Rust, and says more about what is wrong: a change here is a change there.
 */
final class KafkaConfigFile {
  private static final List<String> NAMES =
      List.of(
          "bootstrap.servers",
          "security.protocol",
          "ssl.ca.location",
          "ssl.certificate.location",
          "ssl.key.location",
          "sasl.mechanism",
          "sasl.username",
          "sasl.password.file",
          "sasl.password.env",
          "sasl.oauthbearer.token.file");
  private static final Set<String> OF_FILES =
      Set.of(
          "ssl.ca.location",
          "ssl.certificate.location",
          "ssl.key.location",
          "sasl.password.file",
          "sasl.oauthbearer.token.file");

  private KafkaConfigFile() {}

  static KafkaConnection read(Path file) {
    try {
      Map<String, String> entries = entries(Files.readAllLines(file), file.toAbsolutePath());
      Map<String, String> settings = new TreeMap<>();
      encryption(entries, settings);
      login(entries, settings);
      return new KafkaConnection(entries.getOrDefault("bootstrap.servers", ""), settings);
    } catch (IOException e) {
      throw new IllegalArgumentException(file + " cannot be read: " + e.getMessage(), e);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(file + ": " + e.getMessage(), e);
    }
  }

  private static Map<String, String> entries(List<String> lines, Path file) {
    Map<String, String> entries = new TreeMap<>();
    int number = 0;
    for (String each : lines) {
      number++;
      String line = each.strip();
      if (line.isEmpty() || line.startsWith("#")) {
        continue;
      }
      int equals = line.indexOf('=');
      String name = equals < 0 ? line : line.substring(0, equals).strip();
      String value = equals < 0 ? "" : line.substring(equals + 1).strip();
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "line " + number + ": there is no " + name + "; there are " + String.join(", ", NAMES));
      }
      if (value.isEmpty()) {
        throw new IllegalArgumentException("line " + number + ": write " + name + "=VALUE");
      }
      String located = OF_FILES.contains(name) ? file.resolveSibling(value).toString() : value;
      if (entries.put(name, located) != null) {
        throw new IllegalArgumentException("line " + number + ": " + name + " stands there twice");
      }
    }
    return entries;
  }

  private static void encryption(Map<String, String> entries, Map<String, String> settings) {
    String protocol = entries.getOrDefault("security.protocol", "PLAINTEXT");
    settings.put("security.protocol", protocol);
    if (!protocol.endsWith("SSL")) {
      return;
    }
    settings.put("ssl.truststore.type", "PEM");
    settings.put("ssl.truststore.location", required(entries, "ssl.ca.location"));
    if (entries.containsKey("ssl.key.location")) {
      settings.put("ssl.keystore.type", "PEM");
      settings.put(
          "ssl.keystore.certificate.chain",
          SecretProvider.text(required(entries, "ssl.certificate.location")));
      settings.put("ssl.keystore.key", SecretProvider.text(entries.get("ssl.key.location")));
      SecretProvider.register(settings);
    }
  }

  private static void login(Map<String, String> entries, Map<String, String> settings) {
    if (!settings.get("security.protocol").startsWith("SASL")) {
      return;
    }
    String mechanism = required(entries, "sasl.mechanism");
    settings.put("sasl.mechanism", mechanism);
    if (mechanism.equals("OAUTHBEARER")) {
      TokenFile.register(required(entries, "sasl.oauthbearer.token.file"), settings);
      return;
    }
    String module =
        mechanism.equals("PLAIN")
            ? "org.apache.kafka.common.security.plain.PlainLoginModule"
            : "org.apache.kafka.common.security.scram.ScramLoginModule";
    String user = required(entries, "sasl.username");
    if (!entries.containsKey("sasl.password.env")) {
      PasswordFile.register(module, user, required(entries, "sasl.password.file"), settings);
      return;
    }
    settings.put(
        "sasl.jaas.config",
        "%s required username=\"%s\" password=\"%s\";"
            .formatted(
                module,
                SecretProvider.quoted(user),
                SecretProvider.variable(entries.get("sasl.password.env"))));
    SecretProvider.register(settings);
  }

  private static String required(Map<String, String> entries, String name) {
    String value = entries.get(name);
    if (value == null) {
      throw new IllegalArgumentException(
          "security.protocol="
              + entries.get("security.protocol")
              + " needs "
              + name
              + "; deploy/config/kafka.example.properties shows how");
    }
    return value;
  }
}

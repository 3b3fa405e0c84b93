package io.tocsin.kafka;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.config.ConfigData;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.provider.ConfigProvider;

/**
 * Puts a secret in the place of its reference when a client of Kafka is made. Kafka's own providers
 * give a file with its last line break, which no password in a login's line may have.
 */
public final class SecretProvider implements ConfigProvider {
  private static final String NAME = "secret";
  private static final String TEXT = "text";
  private static final String VARIABLE = "variable";

  /** For Kafka, which makes it by its name. */
  public SecretProvider() {}

  static void register(Map<String, String> settings) {
    settings.put("config.providers", NAME);
    settings.put("config.providers." + NAME + ".class", SecretProvider.class.getName());
  }

  /** The whole of a file. */
  static String text(String file) {
    return reference(TEXT, file);
  }

  /** A variable of the environment, fit to stand between double quotes. */
  static String variable(String name) {
    return reference(VARIABLE, name);
  }

  private static String reference(String kind, String key) {
    return "${" + NAME + ":" + kind + ":" + key + "}";
  }

  /** Fit to stand between the double quotes of a login's line. */
  static String quoted(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"");
  }

  @Override
  public ConfigData get(String kind, Set<String> keys) {
    Map<String, String> secrets = new HashMap<>();
    keys.forEach(key -> secrets.put(key, secret(kind, key)));
    return new ConfigData(secrets);
  }

  private static String secret(String kind, String key) {
    try {
      return switch (kind) {
        case TEXT -> Files.readString(Path.of(key));
        case VARIABLE -> quoted(variableOf(key));
        default -> throw new ConfigException("there is no secret of kind " + kind);
      };
    } catch (IOException e) {
      throw new ConfigException("the secret in " + key + " cannot be read: " + e);
    }
  }

  private static String variableOf(String name) {
    String value = System.getenv(name);
    if (value == null) {
      throw new ConfigException("the variable " + name + " is not set: set it to the password");
    }
    return value;
  }

  /** Every secret is wanted by name. */
  @Override
  public ConfigData get(String kind) {
    return new ConfigData(Map.of());
  }

  @Override
  public void configure(Map<String, ?> settings) {
    // Has none.
  }

  @Override
  public void close() {
    // Holds nothing.
  }
}

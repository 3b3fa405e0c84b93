package io.tocsin.embedded.kafka;

import io.tocsin.embedded.security.KafkaUser;
import io.tocsin.embedded.security.Secrets;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/**
 * Kafka's broker and controller in one process. Formats its storage on the first start, for the
 * cluster that {@code CLUSTER_ID} in the environment names, or for one of its own.
 *
 * <p>Arguments: the path of {@code server.properties} and, where clients log in, the folder of the
 * stack's secrets.
 */
public final class KafkaMain {

  private KafkaMain() {}

  /** Runs until SIGTERM. */
  public static void main(String[] args) throws IOException {
    if (args.length < 1 || args.length > 2) {
      System.err.println("usage: KafkaMain SERVER_PROPERTIES [SECRETS]");
      System.exit(64);
    }
    Properties properties = new Properties();
    try (InputStream file = Files.newInputStream(Path.of(args[0]))) {
      properties.load(file);
    }
    Path storage = Path.of(properties.getProperty("log.dirs"));
    if (!Files.exists(storage.resolve("meta.properties"))) {
      List<String> format = new ArrayList<>(format(args[0], clusterId()));
      if (args.length == 2) {
        format.addAll(logins(new Secrets(Path.of(args[1]))));
      }
      ByteArrayOutputStream said = new ByteArrayOutputStream();
      int exitCode = StorageTool.execute(format.toArray(String[]::new), new PrintStream(said));
      // The first thing that it says has the keys that are made of the passwords.
      said.toString().lines().filter(line -> !line.contains("Key=")).forEach(System.out::println);
      if (exitCode != 0) {
        System.err.println("the storage in " + storage + " could not be formatted: see above");
        System.exit(exitCode);
      }
    }
    Kafka.main(new String[] {args[0]});
  }

  /** Arguments of {@link StorageTool}. An id may begin with a hyphen: one of 64 does. */
  static List<String> format(String serverProperties, String clusterId) {
    return List.of("format", "--cluster-id=" + clusterId, "--config=" + serverProperties);
  }

  private static String clusterId() {
    String named = System.getenv("CLUSTER_ID");
    return named == null ? Uuid.randomUuid().toString() : named;
  }

  /** They stay in this process, and on the command line of no other. */
  private static List<String> logins(Secrets secrets) {
    List<String> arguments = new ArrayList<>();
    for (KafkaUser user : KafkaUser.values()) {
      arguments.add("--add-scram");
      arguments.add(
          "SCRAM-SHA-512=[name=%s,password=%s]".formatted(user.login(), secrets.password(user)));
    }
    return arguments;
  }
}

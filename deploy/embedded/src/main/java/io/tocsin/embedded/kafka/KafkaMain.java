package io.tocsin.embedded.kafka;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.Kafka;
import kafka.tools.StorageTool;
import org.apache.kafka.common.Uuid;

/**
 * Kafka's broker and controller in one process. Formats its storage on the first start.
 *
 * <p>Argument: the path of {@code server.properties}.
 */
public final class KafkaMain {

  private KafkaMain() {}

  /** Runs until SIGTERM. */
  public static void main(String[] args) throws IOException {
    if (args.length != 1) {
      System.err.println("usage: KafkaMain SERVER_PROPERTIES");
      System.exit(64);
    }
    Properties properties = new Properties();
    try (InputStream file = Files.newInputStream(Path.of(args[0]))) {
      properties.load(file);
    }
    Path storage = Path.of(properties.getProperty("log.dirs"));
    if (!Files.exists(storage.resolve("meta.properties"))) {
      String[] format = {
        "format", "--cluster-id", Uuid.randomUuid().toString(), "--config", args[0]
      };
      int exitCode = StorageTool.execute(format, System.out);
      if (exitCode != 0) {
        System.err.println("the storage in " + storage + " could not be formatted: see above");
        System.exit(exitCode);
      }
    }
    Kafka.main(args);
  }
}

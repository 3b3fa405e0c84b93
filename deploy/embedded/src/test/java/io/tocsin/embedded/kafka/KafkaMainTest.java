package io.tocsin.embedded.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import kafka.tools.StorageTool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaMainTest {
  @TempDir private Path folder;

  @Test
  void clusterIdMayBeginWithAHyphen() throws IOException {
    Path storage = folder.resolve("data");
    Path properties =
        Files.writeString(
            folder.resolve("server.properties"),
            """
            process.roles=broker,controller
            node.id=1
            listeners=PLAINTEXT://127.0.0.1:9092,CONTROLLER://127.0.0.1:9093
            controller.listener.names=CONTROLLER
            controller.quorum.voters=1@127.0.0.1:9093
            log.dirs=%s
            """
                .formatted(storage));
    String clusterId = "-G9jc2luLWxhYm9yYXRvcg";
    ByteArrayOutputStream said = new ByteArrayOutputStream();

    int exitCode =
        StorageTool.execute(
            KafkaMain.format(properties.toString(), clusterId).toArray(String[]::new),
            new PrintStream(said));

    assertThat(exitCode).as(said.toString()).isZero();
    assertThat(storage.resolve("meta.properties")).content().contains(clusterId);
  }
}

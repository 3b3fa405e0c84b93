package io.tocsin.embedded.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.Ports;
import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;

class KafkaServiceTest {

  @Test
  void brokerListensOnLoopbackOnThePortsOfTheStack() throws IOException {
    Properties properties = new Properties();
    properties.load(
        new StringReader(KafkaService.properties(new Ports(1000), Path.of("/state/kafka"))));
    assertThat(properties)
        .containsEntry("listeners", "PLAINTEXT://127.0.0.1:10092,CONTROLLER://127.0.0.1:10091")
        .containsEntry("advertised.listeners", "PLAINTEXT://127.0.0.1:10092")
        .containsEntry("controller.quorum.voters", "1@127.0.0.1:10091")
        .containsEntry("log.dirs", "/state/kafka/data")
        .containsEntry("offsets.topic.replication.factor", "1")
        .containsEntry("transaction.state.log.replication.factor", "1")
        .containsEntry("auto.create.topics.enable", "false");
  }
}

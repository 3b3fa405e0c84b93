package io.tocsin.embedded.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SecretsTest {
  @TempDir private Path folder;

  @Test
  void secretsAreMadeOnceAndKept() {
    StateFolder state = new StateFolder(folder);
    assertThat(Secrets.of(state)).isEmpty();

    String first = Secrets.madeFor(state, new Ports(0)).password(KafkaUser.AGENT);

    assertThat(Secrets.of(state)).isPresent();
    assertThat(Secrets.madeFor(state, new Ports(0)).password(KafkaUser.AGENT)).isEqualTo(first);
    assertThat(first).hasSizeGreaterThan(40);
  }

  @Test
  void stackThatWasMadeOpenIsRefusedWithTheRemedy() throws Exception {
    Files.createDirectories(folder.resolve("kafka/data"));
    assertThatThrownBy(() -> Secrets.madeFor(new StateFolder(folder), new Ports(0)))
        .hasMessageContaining("was made by an open stack")
        .hasMessageContaining("make clean");
  }
}

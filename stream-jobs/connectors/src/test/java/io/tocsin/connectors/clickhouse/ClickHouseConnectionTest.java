package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClickHouseConnectionTest {
  @TempDir private Path folder;

  @Test
  void passwordIsTheFirstLineOfItsFileAtTheTimeOfAsking() throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "s3cret\nnot this\n");
    ClickHouseConnection connection = connection(file.toString());

    assertThat(connection.password()).isEqualTo("s3cret");
    Files.writeString(file, "changed\n");
    assertThat(connection.password()).isEqualTo("changed");
    assertThat(connection("").password()).isEmpty();
  }

  @Test
  void missingPasswordFileIsNamed() {
    assertThatIOException()
        .isThrownBy(() -> connection("/no/such/file").password())
        .withMessageContaining("--clickhouse-password-file /no/such/file");
  }

  private static ClickHouseConnection connection(String passwordFile) {
    return new ClickHouseConnection("http://ch:8123", "writer", passwordFile, "");
  }
}

package io.tocsin.pagerecorder;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "--listen=9095",
        "--listen=0.0.0.0",
        "--listen=127.0.0.1:9095/pages",
        "--listen=127.0.0.1:99999",
        "--clickhouse-url=clickhouse:8123",
        "--clickhouse-url=http://clickhouse:8123/?user=x",
        "--clickhouse-password-file=/no/such/file",
        "--clickhouse-ca=/no/such/file",
        "--no-such-option"
      })
  void whatCannotBeUsedRefusesToStart(String argument) {
    assertThat(Main.run(argument)).isEqualTo(64);
  }

  @Test
  void anAddressThatIsTakenIsSaidAndEndsIt() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      assertThat(Main.run("--listen=127.0.0.1:" + taken.getLocalPort())).isEqualTo(1);
    }
  }

  @Test
  void helpIsPrinted() {
    assertThat(Main.run("--help")).isZero();
  }
}

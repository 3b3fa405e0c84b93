package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import com.clickhouse.client.api.ClientException;
import com.clickhouse.client.api.ServerException;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientInserterTest {
  @ParameterizedTest
  @ValueSource(ints = {159, 201, 202, 225, 241, 242, 243, 252, 286, 319, 439, 999})
  void conditionsThatPassAreRepeated(int code) {
    assertThat(ClientInserter.isRetryable(serverError(code, 500))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(ints = {16, 27, 60, 497, 516})
  void conditionsThatStayAreNot(int code) {
    assertThat(ClientInserter.isRetryable(serverError(code, 500))).isFalse();
  }

  @Test
  void proxyWithoutAServerBehindItIsRepeatedAndOneThatRefusesIsNot() {
    assertThat(ClientInserter.isRetryable(serverError(ServerException.CODE_UNKNOWN, 503))).isTrue();
    assertThat(ClientInserter.isRetryable(serverError(ServerException.CODE_UNKNOWN, 403)))
        .isFalse();
  }

  @Test
  void brokenConnectionIsRepeatedHoweverDeepItLies() {
    assertThat(
            ClientInserter.isRetryable(
                new ClientException("x", new RuntimeException(new ConnectException("refused")))))
        .isTrue();
  }

  @Test
  void mistakeOfOurOwnIsNotRepeated() {
    assertThat(ClientInserter.isRetryable(new IllegalStateException("bug"))).isFalse();
  }

  /** The HTTP client below repeats a 503 by itself, a second later: with all rows, or none. */
  @Test
  void blockIsSentWholeAgainWhereAProxyAnswersThatNobodyIsThere() throws IOException {
    byte[] rows = {1, 2, 3};
    List<byte[]> bodies = new CopyOnWriteArrayList<>();
    HttpServer proxy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    proxy.createContext(
        "/",
        exchange -> {
          bodies.add(exchange.getRequestBody().readAllBytes());
          exchange.sendResponseHeaders(bodies.size() == 1 ? 503 : 200, -1);
          exchange.close();
        });
    proxy.start();
    String url = "http://127.0.0.1:" + proxy.getAddress().getPort();
    try (var inserter = new ClientInserter(ClickHouseConnection.open(url))) {
      inserter.insert(new Block("syslog", List.of("message"), 1, rows, "token", List.of()));
    } finally {
      proxy.stop(0);
    }

    assertThat(bodies).hasSize(2).allSatisfy(body -> assertThat(body).isEqualTo(rows));
  }

  private static ServerException serverError(int code, int httpStatus) {
    return new ServerException(code, "text that nobody reads", httpStatus, "query");
  }
}

package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.clickhouse.client.api.ClientException;
import com.clickhouse.client.api.ServerException;
import com.sun.net.httpserver.HttpServer;
import io.tocsin.connectors.clickhouse.BlockInserter.RetryableInsertException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientInserterTest {
  @TempDir private Path folder;

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
      inserter.insert(UnreadBlock.of("syslog", "token", 1, rows));
    } finally {
      proxy.stop(0);
    }

    assertThat(bodies).hasSize(2).allSatisfy(body -> assertThat(body).isEqualTo(rows));
  }

  @Test
  void passwordThatWasChangedIsTakenByTheNextInsertAndOneThatIsWrongIsNotTriedForEver()
      throws IOException {
    Path file = Files.writeString(folder.resolve("password"), "first\n");
    HttpServer server = serverThatKnows("second");
    String url = "http://127.0.0.1:" + server.getAddress().getPort();
    Block block = UnreadBlock.of("syslog", "token", 1, new byte[] {1});
    try (var inserter =
        new ClientInserter(new ClickHouseConnection(url, "writer", file.toString(), ""))) {
      assertThatIOException()
          .isThrownBy(() -> inserter.insert(block))
          .isNotInstanceOf(RetryableInsertException.class);
      Files.writeString(file, "second\n");
      assertThatExceptionOfType(RetryableInsertException.class)
          .isThrownBy(() -> inserter.insert(block))
          .withMessageContaining("the password's file has another one");
      assertThatCode(() -> inserter.insert(block)).doesNotThrowAnyException();
    } finally {
      server.stop(0);
    }
  }

  private static HttpServer serverThatKnows(String password) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    String login =
        "Basic "
            + Base64.getEncoder()
                .encodeToString(("writer:" + password).getBytes(StandardCharsets.UTF_8));
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          boolean isKnown =
              login.equals(exchange.getRequestHeaders().getFirst("Authorization"))
                  || password.equals(exchange.getRequestHeaders().getFirst("X-ClickHouse-Key"));
          if (!isKnown) {
            exchange.getResponseHeaders().add("X-ClickHouse-Exception-Code", "516");
          }
          exchange.sendResponseHeaders(isKnown ? 200 : 403, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static ServerException serverError(int code, int httpStatus) {
    return new ServerException(code, "text that nobody reads", httpStatus, "query");
  }
}

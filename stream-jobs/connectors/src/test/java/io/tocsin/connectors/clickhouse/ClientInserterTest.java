package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import com.clickhouse.client.api.ClientException;
import com.clickhouse.client.api.ServerException;
import java.net.ConnectException;
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

  private static ServerException serverError(int code, int httpStatus) {
    return new ServerException(code, "text that nobody reads", httpStatus, "query");
  }
}

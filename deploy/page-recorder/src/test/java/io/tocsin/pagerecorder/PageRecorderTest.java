package io.tocsin.pagerecorder;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Beside a ClickHouse that keeps what it is sent. */
class PageRecorderTest {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private final List<String> inserted = new CopyOnWriteArrayList<>();
  private final List<String> tokens = new CopyOnWriteArrayList<>();
  private final List<String> logged = new CopyOnWriteArrayList<>();
  private final HttpClient http = HttpClient.newHttpClient();
  private HttpServer clickHouse;
  private PageRecorder recorder;
  private volatile int clickHouseStatus = 200;

  @BeforeEach
  void start() throws Exception {
    clickHouse = HttpServer.create(loopback(), 0);
    clickHouse.createContext(
        "/",
        exchange -> {
          try (exchange) {
            String body =
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            if (exchange.getRequestMethod().equals("POST")) {
              tokens.add(exchange.getRequestURI().getQuery().replaceFirst(".*token=", ""));
            }
            if (exchange.getRequestMethod().equals("POST") && clickHouseStatus == 200) {
              inserted.add(
                  exchange.getRequestHeaders().getFirst("X-ClickHouse-User")
                      + " "
                      + exchange.getRequestHeaders().getFirst("X-ClickHouse-Key")
                      + " "
                      + exchange.getRequestURI().getQuery()
                      + " "
                      + body);
            }
            byte[] answer = "why".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(clickHouseStatus, answer.length);
            exchange.getResponseBody().write(answer);
          }
        });
    clickHouse.start();
    String url = "http://127.0.0.1:" + clickHouse.getAddress().getPort();
    recorder =
        new PageRecorder(
            loopback(),
            new ClickHouse(url, "tocsin_recorder", () -> "s3cret", SSLContext.getDefault()),
            logged::add);
  }

  @AfterEach
  void stop() {
    recorder.close();
    clickHouse.stop(0);
  }

  @Test
  void aNotificationIsStoredByTheUserWithThePassword() throws Exception {
    HttpResponse<String> answer = post("{\"receiver\":\"r\",\"status\":\"firing\",\"alerts\":[]}");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(inserted).hasSize(1);
    assertThat(inserted.get(0))
        .startsWith(
            "tocsin_recorder s3cret date_time_input_format=best_effort"
                + "&query=INSERT+INTO+tocsin.pages+FORMAT+JSONEachRow&insert_deduplication_token=")
        .contains(" {\"sent_at\":", "\"receiver\":\"r\"");
    assertThat(logged).isEmpty();
  }

  @Test
  void whatClickHouseRefusesIsAskedForAgainAndSaid() throws Exception {
    clickHouseStatus = 500;

    assertThat(post("{}").statusCode()).isEqualTo(503);
    assertThat(logged).hasSize(1);
    assertThat(logged.get(0))
        .startsWith("a page is not stored, and Alertmanager will send it again: ClickHouse at")
        .endsWith("refuses it as tocsin_recorder: why")
        .doesNotContain("s3cret");
  }

  @Test
  void whatComesAgainHasTheTokenOfItsFirstAttemptUntilItIsStored() throws Exception {
    clickHouseStatus = 500;
    post("{\"receiver\":\"a\"}");
    post("{\"receiver\":\"b\"}");
    clickHouseStatus = 200;
    post("{\"receiver\":\"a\"}");
    post("{\"receiver\":\"a\"}");

    assertThat(tokens.get(2)).isEqualTo(tokens.get(0));
    assertThat(List.of(tokens.get(0), tokens.get(1), tokens.get(3))).doesNotHaveDuplicates();
  }

  @Test
  void whatClickHouseDoesNotAnswerIsAskedForAgain() throws Exception {
    clickHouse.stop(0);

    assertThat(post("{}").statusCode()).isEqualTo(503);
    assertThat(logged.get(0)).contains("does not answer");
  }

  @Test
  void whatIsNoNotificationIsRefusedAndSaid() throws Exception {
    assertThat(post("not json").statusCode()).isEqualTo(400);
    assertThat(logged).hasSize(1);
    assertThat(logged.get(0))
        .startsWith("a page is not stored, and will not come again: it is not");
    assertThat(get("/pages").statusCode()).isEqualTo(405);
    assertThat(inserted).isEmpty();
  }

  @Test
  void aNotificationThatIsTooLargeIsRefusedAndSaid() throws Exception {
    HttpResponse<String> answer = post(" ".repeat(PageRecorder.MAX_NOTIFICATION_BYTES + 1));

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.body()).contains("max_alerts");
    assertThat(logged).hasSize(1);
    assertThat(inserted).isEmpty();
  }

  @Test
  void itIsHealthyWhileClickHouseIs() throws Exception {
    assertThat(get("/health").statusCode()).isEqualTo(200);
    clickHouseStatus = 500;
    assertThat(get("/health").body()).contains("answers 500");
    clickHouse.stop(0);
    HttpResponse<String> answer = get("/health");
    assertThat(answer.statusCode()).isEqualTo(503);
    assertThat(answer.body()).contains("does not answer");
  }

  private HttpResponse<String> post(String body) throws IOException, InterruptedException {
    return http.send(
        request("/pages").POST(BodyPublishers.ofString(body)).build(), BodyHandlers.ofString());
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(request(path).build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(
            URI.create("http://127.0.0.1:" + recorder.address().getPort() + path))
        .timeout(DEADLINE);
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }
}

package io.tocsin.pagerecorder;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import javax.net.ssl.SSLContext;

/** Table {@code tocsin.pages}, over ClickHouse's HTTP interface. */
final class ClickHouse {
  private static final Duration INSERT_TIMEOUT = Duration.ofSeconds(10);
  private static final Duration PING_TIMEOUT = Duration.ofSeconds(2);
  private static final String INSERT =
      "/?date_time_input_format=best_effort&query="
          + URLEncoder.encode("INSERT INTO tocsin.pages FORMAT JSONEachRow", StandardCharsets.UTF_8)
          + "&insert_deduplication_token=";

  /** Something that nobody else may know, empty where there is none. */
  @FunctionalInterface
  interface Secret {
    String read() throws IOException;
  }

  private final HttpClient http;
  private final String url;
  private final String user;
  private final Secret password;

  /**
   * A server.
   *
   * @param url without a path
   * @param user who inserts
   * @param password read anew for each row, so that another one needs no restart
   * @param tls whose certificates are believed, of an https:// server
   */
  ClickHouse(String url, String user, Secret password, SSLContext tls) {
    this.http = HttpClient.newBuilder().connectTimeout(PING_TIMEOUT).sslContext(tls).build();
    this.url = url;
    this.user = user;
    this.password = password;
  }

  /**
   * Stores a row.
   *
   * @param row a JSON object, one key a column
   * @param token of the insert: of those with the same token ClickHouse stores one
   * @throws IOException where it is not known to be stored, saying why
   */
  void insert(String row, UUID token) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + INSERT + token))
            .timeout(INSERT_TIMEOUT)
            .header("X-ClickHouse-User", user)
            .header("X-ClickHouse-Key", password.read())
            .POST(BodyPublishers.ofString(row))
            .build();
    HttpResponse<String> response = send(request);
    if (response.statusCode() != 200) {
      throw new IOException(
          "ClickHouse at " + url + " refuses it as " + user + ": " + response.body().strip());
    }
  }

  /**
   * Asks whether it is there.
   *
   * @throws IOException where it is not, saying why
   */
  void ping() throws IOException {
    HttpResponse<String> response =
        send(HttpRequest.newBuilder(URI.create(url + "/ping")).timeout(PING_TIMEOUT).build());
    if (response.statusCode() != 200) {
      throw new IOException("ClickHouse at " + url + " answers " + response.statusCode());
    }
  }

  private HttpResponse<String> send(HttpRequest request) throws IOException {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (IOException e) {
      throw new IOException(
          "ClickHouse at " + url + " does not answer: " + String.valueOf(e.getMessage()), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for ClickHouse at " + url, e);
    }
  }
}

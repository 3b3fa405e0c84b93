package io.tocsin.embedded.clickhouse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
import javax.net.ssl.SSLContext;

/** Questions to ClickHouse over HTTP, for what the stack shows and checks. */
public final class ClickHouseClient {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  private final HttpClient http;
  private final String url;
  private final String user;
  private final String password;

  /**
   * A client of one server.
   *
   * @param url of the HTTP interface, for example "http://127.0.0.1:8123"
   */
  public ClickHouseClient(String url) {
    this(url, "default", "", HttpClient.newBuilder());
  }

  /**
   * One that logs in over TLS.
   *
   * @param url for example "https://127.0.0.1:8443"
   * @param tls whose certificates are believed
   */
  public ClickHouseClient(String url, String user, String password, SSLContext tls) {
    this(url, user, password, HttpClient.newBuilder().sslContext(tls));
  }

  private ClickHouseClient(String url, String user, String password, HttpClient.Builder http) {
    this.url = url;
    this.user = user;
    this.password = password;
    this.http = http.connectTimeout(Duration.ofSeconds(5)).build();
  }

  /**
   * The rows of a query as ClickHouse's JSONCompact gives them: an array of arrays, 64-bit integers
   * as numbers.
   *
   * @throws ClickHouseException where the server refuses the query or does not answer
   */
  public JsonNode rows(String sql) {
    String parameters =
        "default_format=JSONCompact&output_format_json_quote_64bit_integers=0&output_format_json_quote_decimals=0";
    String body = send(parameters, sql);
    try {
      return JSON.readTree(body).path("data");
    } catch (IOException e) {
      throw new ClickHouseException("the answer is not JSON; leave out FORMAT in: " + sql, e);
    }
  }

  /**
   * The only value of an answer, a number; 0 where there is no row.
   *
   * @throws ClickHouseException where the server refuses the query or does not answer
   */
  public long number(String sql) {
    return rows(sql).path(0).path(0).asLong();
  }

  /**
   * Runs a statement without an answer, for example DDL.
   *
   * @throws ClickHouseException where the server refuses it or does not answer
   */
  public void execute(String sql) {
    send("", sql);
  }

  /**
   * Inserts one row.
   *
   * @param table with its database
   * @param row a JSON object, one key a column
   * @throws ClickHouseException where the row is not stored
   */
  public void insert(String table, String row) {
    String query = "INSERT INTO " + table + " FORMAT JSONEachRow";
    send(
        "date_time_input_format=best_effort&query="
            + URLEncoder.encode(query, StandardCharsets.UTF_8),
        row);
  }

  private String send(String parameters, String body) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(url + "/?" + parameters))
            .timeout(TIMEOUT)
            .header("X-ClickHouse-User", user)
            .header("X-ClickHouse-Key", password)
            .POST(BodyPublishers.ofString(body))
            .build();
    try {
      HttpResponse<String> response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new ClickHouseException(response.body().strip(), null);
      }
      return response.body();
    } catch (IOException e) {
      throw new ClickHouseException(
          "ClickHouse at " + url + " does not answer: " + e.getMessage(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ClickHouseException("interrupted while waiting for ClickHouse", e);
    }
  }
}

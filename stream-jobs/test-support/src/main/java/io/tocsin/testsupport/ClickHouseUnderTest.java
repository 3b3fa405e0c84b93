package io.tocsin.testsupport;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;

/**
 * A real ClickHouse with Tocsin's tables, named by TOCSIN_TEST_CLICKHOUSE_URL. Tests share it: they
 * mark their rows with an agent or a fingerprint of their own, and truncate nothing.
 */
public final class ClickHouseUnderTest {
  private final HttpClient http = HttpClient.newHttpClient();
  private final URI url;

  private ClickHouseUnderTest(URI url) {
    this.url = url;
  }

  /**
   * The server; where there is none, the calling test is skipped on a laptop and fails where
   * CI=true.
   */
  public static ClickHouseUnderTest require() {
    String what = "ClickHouse with Tocsin's tables, for example http://127.0.0.1:8123";
    String url = ServerUnderTest.require("TOCSIN_TEST_CLICKHOUSE_URL", what);
    return new ClickHouseUnderTest(URI.create(url));
  }

  /** URL of the HTTP interface. */
  public String url() {
    return url.toString();
  }

  /** The answer to a query as tab-separated text without the last line end. */
  public String query(String sql) {
    HttpRequest request = HttpRequest.newBuilder(url).POST(BodyPublishers.ofString(sql)).build();
    try {
      var response = http.send(request, BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IllegalStateException(sql + " failed: " + response.body());
      }
      return response.body().stripTrailing();
    } catch (IOException e) {
      throw new UncheckedIOException(url + " does not answer", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while asking " + url, e);
    }
  }
}

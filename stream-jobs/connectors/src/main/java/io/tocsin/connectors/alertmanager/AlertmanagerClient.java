package io.tocsin.connectors.alertmanager;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Posts alerts to every Alertmanager of a cluster, as Alertmanager asks its clients to do: the
 * instances tell each other what they notified, not what they received.
 */
final class AlertmanagerClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
  private static final String PATH = "/api/v2/alerts";

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
  private final List<URI> endpoints;

  AlertmanagerClient(List<String> urls) {
    if (urls.isEmpty()) {
      throw new IllegalArgumentException("no Alertmanager is configured: give at least one URL");
    }
    endpoints = urls.stream().map(url -> URI.create(url.replaceAll("/+$", "") + PATH)).toList();
  }

  /** What one Alertmanager said. */
  record Answer(URI endpoint, Outcome outcome, String detail) {}

  /** What an answer means for the sender. */
  enum Outcome {
    /** It has the alerts. */
    ACCEPTED,
    /** It will never take this request: 4xx. */
    REFUSED,
    /** It may take it later: 5xx, or no answer. */
    FAILED
  }

  /**
   * Posts to all at the same time and waits for all, at most {@link #ANSWER_TIMEOUT} and the time
   * to connect.
   */
  List<Answer> post(Collection<AlertmanagerAlert> alerts) {
    byte[] body = body(alerts);
    List<CompletableFuture<Answer>> answers =
        endpoints.stream().map(endpoint -> post(endpoint, body)).toList();
    return answers.stream().map(CompletableFuture::join).toList();
  }

  private byte[] body(Collection<AlertmanagerAlert> alerts) {
    try {
      return json.writeValueAsBytes(alerts);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CompletableFuture<Answer> post(URI endpoint, byte[] body) {
    HttpRequest request =
        HttpRequest.newBuilder(endpoint)
            .timeout(ANSWER_TIMEOUT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body))
            .build();
    return http.sendAsync(request, BodyHandlers.ofString())
        .handle(
            (response, failure) ->
                failure == null
                    ? answer(endpoint, response)
                    : new Answer(endpoint, Outcome.FAILED, failure.toString()));
  }

  private static Answer answer(URI endpoint, HttpResponse<String> response) {
    int hundreds = response.statusCode() / 100;
    Outcome outcome =
        switch (hundreds) {
          case 2 -> Outcome.ACCEPTED;
          case 4 -> Outcome.REFUSED;
          default -> Outcome.FAILED;
        };
    return new Answer(endpoint, outcome, response.statusCode() + " " + response.body().strip());
  }
}

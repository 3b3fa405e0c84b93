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
import java.util.concurrent.CompletableFuture;

/** Posts alerts to one Alertmanager. */
final class AlertmanagerClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final Duration ANSWER_TIMEOUT = Duration.ofSeconds(5);
  // RFC 9110 15.5.9 and RFC 6585 4: what a proxy before Alertmanager says when it is busy.
  private static final int REQUEST_TIMEOUT = 408;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final String PATH = "/api/v2/alerts";

  private final ObjectMapper json = new ObjectMapper();
  private final HttpClient http = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT).build();
  private final URI endpoint;

  AlertmanagerClient(String url) {
    endpoint = URI.create(url.replaceAll("/+$", "") + PATH);
  }

  URI endpoint() {
    return endpoint;
  }

  /** What Alertmanager said. */
  record Answer(Outcome outcome, String detail) {}

  /** What an answer means for the sender. */
  enum Outcome {
    /** It has the alerts. */
    ACCEPTED,
    /** It will never take this request: 4xx but 408 and 429. */
    REFUSED,
    /** It may take it later: 5xx, 408, 429, or no answer. */
    FAILED
  }

  /**
   * Posts without waiting. The answer comes in a thread of the client, after {@link
   * #ANSWER_TIMEOUT} and the time to connect at the latest.
   */
  CompletableFuture<Answer> post(Collection<AlertmanagerAlert> alerts) {
    HttpRequest request =
        HttpRequest.newBuilder(endpoint)
            .timeout(ANSWER_TIMEOUT)
            .header("Content-Type", "application/json")
            .POST(BodyPublishers.ofByteArray(body(alerts)))
            .build();
    return http.sendAsync(request, BodyHandlers.ofString())
        .handle(
            (response, failure) ->
                failure == null
                    ? answer(response)
                    : new Answer(Outcome.FAILED, failure.toString()));
  }

  private byte[] body(Collection<AlertmanagerAlert> alerts) {
    try {
      return json.writeValueAsBytes(alerts);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Answer answer(HttpResponse<String> response) {
    int status = response.statusCode();
    boolean isPassing = status == REQUEST_TIMEOUT || status == TOO_MANY_REQUESTS;
    Outcome outcome =
        switch (status / 100) {
          case 2 -> Outcome.ACCEPTED;
          case 4 -> isPassing ? Outcome.FAILED : Outcome.REFUSED;
          default -> Outcome.FAILED;
        };
    return new Answer(outcome, status + " " + response.body().strip());
  }
}

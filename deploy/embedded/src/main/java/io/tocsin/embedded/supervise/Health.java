package io.tocsin.embedded.supervise;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Function;

/** Whether a service is ready, asked by a condition and never by time passed. */
@FunctionalInterface
public interface Health {

  /** How long one question may take. */
  Duration TIMEOUT = Duration.ofSeconds(2);

  /** What is still missing, in a few words; empty when the service is ready. */
  Optional<String> problem() throws InterruptedException;

  /** Ready when it answers with status 200. */
  static Health http(URI uri) {
    return http(uri, body -> Optional.empty());
  }

  /** Ready when it answers with status 200 and {@code judge} finds no problem in the body. */
  static Health http(URI uri, Function<String, Optional<String>> judge) {
    HttpClient client = HttpClient.newBuilder().connectTimeout(TIMEOUT).build();
    HttpRequest request = HttpRequest.newBuilder(uri).timeout(TIMEOUT).build();
    return () -> {
      try {
        HttpResponse<String> response = client.send(request, BodyHandlers.ofString());
        return response.statusCode() == 200
            ? judge.apply(response.body())
            : Optional.of(uri + " answers with status " + response.statusCode());
      } catch (IOException e) {
        return Optional.of(uri + " does not answer");
      }
    };
  }

  /** Ready when somebody listens. */
  static Health tcp(String host, int port) {
    return () -> {
      try (Socket socket = new Socket()) {
        socket.connect(new InetSocketAddress(host, port), (int) TIMEOUT.toMillis());
        return Optional.empty();
      } catch (IOException e) {
        return Optional.of("nobody listens on " + host + ":" + port);
      }
    };
  }

  /** Ready when both are; the second is asked only once the first is ready. */
  default Health and(Health other) {
    return () -> {
      Optional<String> problem = problem();
      return problem.isPresent() ? problem : other.problem();
    };
  }
}

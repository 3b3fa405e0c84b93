package io.tocsin.integration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

/** Reads the interfaces of Flink and Alertmanager. */
final class Http {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final HttpClient CLIENT = HttpClient.newHttpClient();
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  private Http() {}

  /**
   * The JSON that a URL answers with.
   *
   * @throws IOException where it does not answer, or not with JSON
   */
  static JsonNode json(URI url) throws IOException, InterruptedException {
    return JSON.readTree(text(url));
  }

  /**
   * What a URL answers with.
   *
   * @throws IOException where it does not answer
   */
  static String text(URI url) throws IOException, InterruptedException {
    return sent(CLIENT, HttpRequest.newBuilder(url)).body();
  }

  /**
   * The answer to a question, whatever its status.
   *
   * @throws IOException where there is none
   */
  static HttpResponse<String> sent(HttpClient client, HttpRequest.Builder request)
      throws IOException, InterruptedException {
    return client.send(request.timeout(TIMEOUT).build(), BodyHandlers.ofString());
  }
}

package io.tocsin.jobs.recovery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** Knows an alert by its labels, and rings for those that were not posted as over. */
final class FakeAlertmanager implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpServer server;
  private final Map<JsonNode, Boolean> isRinging = new ConcurrentHashMap<>();

  FakeAlertmanager() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/api/v2/alerts", this::take);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      for (JsonNode alert : JSON.readTree(exchange.getRequestBody())) {
        boolean isOver = alert.get("startsAt").equals(alert.get("endsAt"));
        isRinging.put(alert.get("labels"), !isOver);
      }
      exchange.sendResponseHeaders(200, -1);
    }
  }

  /** Labels of the alerts that it rings for. */
  Stream<JsonNode> ringing() {
    return isRinging.keySet().stream().filter(isRinging::get);
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

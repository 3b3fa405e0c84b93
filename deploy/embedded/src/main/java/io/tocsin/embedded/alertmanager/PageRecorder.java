package io.tocsin.embedded.alertmanager;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import io.tocsin.embedded.clickhouse.ClickHouseException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Consumer;

/**
 * The webhook that writes each notification of Alertmanager to {@code tocsin.pages}: a receiver for
 * machines where nobody carries a pager, and the proof of what would have been sent.
 *
 * <p>At least once: a notification that cannot be stored is answered with 503 and comes again.
 */
public final class PageRecorder implements AutoCloseable {

  private final HttpServer server;
  private final ExecutorService executor = Executors.newSingleThreadExecutor(PageRecorder::thread);
  private final ClickHouseClient clickHouse;
  private final Consumer<String> progress;

  /** Listens on {@code POST http://127.0.0.1:<port>/pages}. */
  public PageRecorder(int port, ClickHouseClient clickHouse, Consumer<String> progress) {
    this.clickHouse = clickHouse;
    this.progress = progress;
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the page recorder cannot listen on port " + port + ": " + e.getMessage(), e);
    }
    server.setExecutor(executor);
    server.createContext("/pages", this::answer);
    server.start();
  }

  /** Where Alertmanager is to send its notifications. */
  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort() + "/pages";
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "page-recorder");
    thread.setDaemon(true);
    return thread;
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      if (!exchange.getRequestMethod().equals("POST")) {
        reply(exchange, 405, "POST a notification of Alertmanager here\n");
        return;
      }
      String notification =
          new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      try {
        clickHouse.insert("tocsin.pages", Page.row(notification, Instant.now()));
        reply(exchange, 200, "");
      } catch (JsonProcessingException e) {
        reply(exchange, 400, "not JSON: " + e.getOriginalMessage() + "\n");
      } catch (ClickHouseException e) {
        progress.accept(
            "a page could not be stored and Alertmanager will send it again: " + e.getMessage());
        reply(exchange, 503, "ClickHouse has not stored it\n");
      }
    }
  }

  private static void reply(HttpExchange exchange, int status, String body) throws IOException {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
    if (bytes.length > 0) {
      exchange.getResponseBody().write(bytes);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    executor.shutdown();
  }
}

package io.tocsin.pagerecorder;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The webhook that writes each notification of Alertmanager to {@code tocsin.pages}: who was told
 * what, and when. Where nobody carries a pager it is the only receiver.
 *
 * <p>At least once: a notification that cannot be stored is answered with 503 and comes again.
 * Once, where it is not known whether it was stored: what comes again is inserted under the token
 * of its first attempt, and ClickHouse takes a token once.
 */
final class PageRecorder implements AutoCloseable {
  /** Room for some 2,500 alerts in one notification. */
  static final int MAX_NOTIFICATION_BYTES = 4 << 20;

  /** Notifications that may be stored: those beyond it may be so twice. */
  private static final int MAX_UNSURE = 10_000;

  private static final int THREADS = 4;
  private static final int CLOSE_SECONDS = 2;

  private final HttpServer server;
  private final ExecutorService executor =
      Executors.newFixedThreadPool(THREADS, PageRecorder::thread);
  private final ClickHouse clickHouse;
  private final Consumer<String> log;

  /** Tokens of notifications that ClickHouse has not said to have stored, by what they say. */
  private final Map<UUID, UUID> unsure = new ConcurrentHashMap<>();

  /**
   * Listens.
   *
   * @param log takes a line for each notification that is not stored
   * @throws IOException where the address cannot be listened on
   */
  PageRecorder(InetSocketAddress address, ClickHouse clickHouse, Consumer<String> log)
      throws IOException {
    this.clickHouse = clickHouse;
    this.log = log;
    server = HttpServer.create(address, 0);
    server.setExecutor(executor);
    server.createContext("/pages", exchange -> answer(exchange, this::record));
    server.createContext("/health", exchange -> answer(exchange, this::health));
    server.start();
  }

  /** Where it listens. */
  InetSocketAddress address() {
    return server.getAddress();
  }

  /** An answer to a request. */
  private record Answer(int status, String text) {}

  /** What answers requests of one path. */
  private interface Handler {
    Answer handle(HttpExchange exchange) throws IOException;
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "page-recorder");
    thread.setDaemon(true);
    return thread;
  }

  private static void answer(HttpExchange exchange, Handler handler) throws IOException {
    try (exchange) {
      Answer answer = handler.handle(exchange);
      byte[] bytes = (answer.text + "\n").getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.status, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private Answer record(HttpExchange exchange) throws IOException {
    if (!exchange.getRequestMethod().equals("POST")) {
      return new Answer(405, "POST a notification of Alertmanager here");
    }
    byte[] body = exchange.getRequestBody().readNBytes(MAX_NOTIFICATION_BYTES + 1);
    if (body.length > MAX_NOTIFICATION_BYTES) {
      return lost(
          413,
          "it is larger than "
              + MAX_NOTIFICATION_BYTES
              + " bytes: set max_alerts in the webhook_configs of Alertmanager");
    }
    UUID notification = UUID.nameUUIDFromBytes(body);
    UUID token = unsure.getOrDefault(notification, UUID.randomUUID());
    try {
      clickHouse.insert(Page.row(new String(body, StandardCharsets.UTF_8), Instant.now()), token);
      unsure.remove(notification);
      return new Answer(200, "stored");
    } catch (JsonProcessingException e) {
      return lost(400, "it is not JSON: " + e.getOriginalMessage());
    } catch (IOException e) {
      if (unsure.size() < MAX_UNSURE) {
        unsure.put(notification, token);
      }
      log.accept("a page is not stored, and Alertmanager will send it again: " + e.getMessage());
      return new Answer(503, "not stored");
    }
  }

  /** Alertmanager sends again what is answered with 5xx, and nothing else. */
  private Answer lost(int status, String reason) {
    log.accept("a page is not stored, and will not come again: " + reason);
    return new Answer(status, "not stored: " + reason);
  }

  private Answer health(HttpExchange exchange) {
    try {
      clickHouse.ping();
      return new Answer(200, "ok");
    } catch (IOException e) {
      return new Answer(503, e.getMessage());
    }
  }

  /**
   * Lets requests under way end, for two seconds at most. What waits is the executor: the server's
   * own wait takes all of its time before JDK 21, even where nothing is under way (JDK-8304065).
   */
  @Override
  public void close() {
    executor.shutdown();
    try {
      executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    server.stop(0);
  }
}

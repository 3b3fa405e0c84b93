package io.tocsin.integration;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Stands in for the queue behind {@code ON CLUSTER} and for replication, which the engine has not:
 * what is sent here goes to the first server, and to every one where it says {@code ON CLUSTER},
 * with plain tables for replicated ones.
 *
 * <p>The engine (libchdb) answers {@code ON CLUSTER} with "Replicated DDL queries are disabled",
 * and keeps a replicated table read-only because it gives itself no address for other servers.
 */
final class ClusterQueue implements AutoCloseable {
  private final String cluster;
  private final String onCluster;
  private final List<ClickHouseServer> servers;
  private final HttpServer listener;

  /**
   * A queue that listens.
   *
   * @param cluster its name
   */
  ClusterQueue(String cluster, List<ClickHouseServer> servers) throws IOException {
    this.cluster = cluster;
    onCluster = " ON CLUSTER '" + cluster + "'";
    this.servers = servers;
    listener = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    listener.createContext("/", this::handle);
    listener.createContext("/ping", ClusterQueue::pong);
    listener.start();
  }

  /**
   * What each server is told of the cluster. They ask each other as the user who asks them: the
   * secret says that they may.
   */
  static String remoteServers(String cluster, List<ClickHouseServer> shards) {
    return "<remote_servers><%1$s><secret>laboratory</secret>%2$s</%1$s></remote_servers>"
        .formatted(
            cluster,
            shards.stream()
                .map(
                    shard ->
                        "<shard><replica><host>127.0.0.1</host><port>%d</port></replica></shard>"
                            .formatted(shard.nativePort()))
                .collect(Collectors.joining()));
  }

  /** {@code tocsin schema COMMAND --cluster} here. */
  Ended schema(String command, String... arguments) throws IOException, InterruptedException {
    List<String> all = new ArrayList<>(List.of("--cluster", cluster));
    all.addAll(List.of(arguments));
    return servers.get(0).schema(command, url(), all);
  }

  /** Where {@code tocsin schema} finds the cluster. */
  private String url() {
    return "http://127.0.0.1:" + listener.getAddress().getPort();
  }

  @Override
  public void close() {
    listener.stop(0);
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      String statement =
          new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
      String user = exchange.getRequestHeaders().getFirst("X-ClickHouse-User");
      HttpResponse<String> answer = run(user, statement, settings(exchange));
      byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(answer.statusCode(), body.length == 0 ? -1 : body.length);
      exchange.getResponseBody().write(body);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void pong(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.sendResponseHeaders(200, -1);
    }
  }

  /** The first refusal, or the last server's answer. */
  private HttpResponse<String> run(String user, String statement, Map<String, String> settings)
      throws IOException, InterruptedException {
    if (!statement.contains(onCluster)) {
      return servers.get(0).send(user, statement, settings);
    }
    HttpResponse<String> answer = null;
    for (ClickHouseServer server : servers) {
      answer = server.send(user, plain(statement), settings);
      if (answer.statusCode() != 200) {
        break;
      }
    }
    return answer;
  }

  private String plain(String statement) {
    return statement
        .replace(onCluster, "")
        .replace("ENGINE = Replicated", "ENGINE = ")
        .replaceAll(
            "(?<!non_)replicated_deduplication_window = (\\d+), replicated_deduplication_window_seconds = \\d+",
            "non_replicated_deduplication_window = $1");
  }

  private static Map<String, String> settings(HttpExchange exchange) {
    String query = exchange.getRequestURI().getQuery();
    return query == null
        ? Map.of()
        : Arrays.stream(query.split("&"))
            .map(setting -> setting.split("=", 2))
            .collect(Collectors.toMap(pair -> pair[0], pair -> pair[1]));
  }
}

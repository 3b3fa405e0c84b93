package io.tocsin.jobs.archive;

import com.clickhouse.client.api.data_formats.ClickHouseBinaryFormatReader;
import com.clickhouse.client.api.data_formats.NativeFormatReader;
import com.clickhouse.client.api.data_formats.internal.BinaryStreamReader;
import com.clickhouse.client.api.query.QuerySettings;
import com.github.luben.zstd.ZstdInputStream;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * ClickHouse's HTTP interface as far as the sink needs it, for rows of one UInt64: stores each
 * token once, has nothing in its quarantine, and answers 503 while it is stopped.
 */
final class StoppableClickHouse implements AutoCloseable {
  private static final Pattern TOKEN = Pattern.compile("insert_deduplication_token=([^&]+)");

  /** RowBinaryWithNamesAndTypes: one column, no row. */
  private static final byte[] NO_TOKENS = "\1\5token\6String".getBytes(StandardCharsets.US_ASCII);

  private final Map<String, List<Long>> blocks = new ConcurrentHashMap<>();
  private final HttpServer server;
  private volatile boolean isStopped;

  StoppableClickHouse() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  void stop() {
    isStopped = true;
  }

  void start() {
    isStopped = false;
  }

  /** Every row. */
  Stream<Long> stored() {
    return blocks.values().stream().flatMap(List::stream);
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      byte[] body = exchange.getRequestBody().readAllBytes();
      if (isStopped) {
        exchange.sendResponseHeaders(503, -1);
        return;
      }
      Matcher token = TOKEN.matcher(exchange.getRequestURI().getRawQuery());
      if (token.find()) {
        blocks.putIfAbsent(token.group(1), numbers(body));
        exchange.sendResponseHeaders(200, -1);
        return;
      }
      exchange.getResponseHeaders().set("X-ClickHouse-Format", "RowBinaryWithNamesAndTypes");
      exchange.sendResponseHeaders(200, NO_TOKENS.length);
      exchange.getResponseBody().write(NO_TOKENS);
    }
  }

  private static List<Long> numbers(byte[] zstdNative) throws IOException {
    List<Long> numbers = new ArrayList<>();
    try (var bytes = new ZstdInputStream(new ByteArrayInputStream(zstdNative))) {
      ClickHouseBinaryFormatReader rows =
          new NativeFormatReader(
              bytes,
              new QuerySettings().setUseTimeZone("UTC"),
              new BinaryStreamReader.DefaultByteBufferAllocator());
      while (rows.next() != null) {
        numbers.add(rows.getLong("number"));
      }
    }
    return numbers;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}

package io.tocsin.rules.history;

import com.google.protobuf.ByteString;
import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.correlation.Nanos;
import io.tocsin.events.v1.Event;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * What the archive has stored: one ordered stream of each table of events, and what people said as
 * the history of alerts has it, merged as they are read. So a replay of any length needs the memory
 * of a row of each.
 */
public final class ClickHouseHistory implements History {
  private static final int OK = 200;
  private static final int LONGEST_ERROR = 2_000;

  private static final String SAID =
      "SELECT toString(transition_id), fingerprint, transition, acknowledged_by, noted_by, note,"
          + " severity, transition_at, acknowledged_until FROM tocsin.alert_history"
          + " WHERE transition IN ('acknowledged', 'unacknowledged', 'noted') AND %s"
          + " ORDER BY transition_at, transition_id LIMIT 1 BY transition_id FORMAT RowBinary";

  private static final Map<Integer, Acknowledgement.Action> ACTIONS =
      Map.of(
          11, Acknowledgement.Action.ACTION_ACKNOWLEDGE,
          12, Acknowledgement.Action.ACTION_UNACKNOWLEDGE,
          13, Acknowledgement.Action.ACTION_NOTE);

  private final URI url;
  private final String user;
  private final String password;
  private final boolean withRaw;
  private final HttpClient http;

  /**
   * Of one server.
   *
   * @param url of the HTTP interface
   * @param password empty where the user has none
   * @param http that believes the server
   */
  public ClickHouseHistory(URI url, String user, String password, HttpClient http) {
    this(url, user, password, http, false);
  }

  /**
   * The same.
   *
   * @param withRaw reads the bytes as received too, which no rule asks for
   */
  public ClickHouseHistory(
      URI url, String user, String password, HttpClient http, boolean withRaw) {
    this.url = url;
    this.user = user;
    this.password = password;
    this.http = http;
    this.withRaw = withRaw;
  }

  /** Something that happened, with its time. */
  private interface Item {
    long atUnixNanos();

    void handTo(Taker taker);
  }

  private record Received(Event event) implements Item {
    @Override
    public long atUnixNanos() {
      return event.getReceivedAtUnixNanos();
    }

    @Override
    public void handTo(Taker taker) {
      taker.event(event);
    }
  }

  private record Said(Acknowledgement word) implements Item {
    @Override
    public long atUnixNanos() {
      return word.getSaidAtUnixNanos();
    }

    @Override
    public void handTo(Taker taker) {
      taker.said(word);
    }
  }

  private interface RowReader {
    Item read(RowBinaryReader row) throws IOException;
  }

  /** An answer that is read as far as it is needed. */
  private static final class Rows implements AutoCloseable {
    private final RowBinaryReader reader;
    private final RowReader rows;
    private Item next;

    Rows(RowBinaryReader reader, RowReader rows) {
      this.reader = reader;
      this.rows = rows;
    }

    boolean advance() throws IOException {
      next = reader.hasNext() ? rows.read(reader) : null;
      return next != null;
    }

    @Override
    public void close() throws IOException {
      reader.close();
    }
  }

  @Override
  public void play(long fromUnixNanos, long toUnixNanos, Taker taker) {
    List<Rows> open = new ArrayList<>();
    try {
      for (EventTable table : EventTables.ALL) {
        String span = within("received_at", fromUnixNanos, toUnixNanos);
        open.add(rows(table.select(withRaw, span), row -> new Received(table.read(row))));
      }
      String span = within("transition_at", fromUnixNanos, toUnixNanos);
      open.add(rows(SAID.formatted(span), row -> new Said(acknowledgement(row))));
      merge(open, taker);
    } catch (IOException e) {
      throw new UncheckedIOException("ClickHouse at " + url + ": " + e.getMessage(), e);
    } finally {
      open.forEach(ClickHouseHistory::close);
    }
  }

  private static void merge(List<Rows> open, Taker taker) throws IOException {
    PriorityQueue<Rows> queue =
        new PriorityQueue<>(Comparator.comparingLong(rows -> rows.next.atUnixNanos()));
    for (Rows rows : open) {
      if (rows.advance()) {
        queue.add(rows);
      }
    }
    while (!queue.isEmpty()) {
      Rows earliest = queue.poll();
      earliest.next.handTo(taker);
      if (earliest.advance()) {
        queue.add(earliest);
      }
    }
  }

  private static String within(String column, long fromUnixNanos, long toUnixNanos) {
    return "%1$s >= fromUnixTimestamp64Nano(toInt64(%2$d)) AND %1$s < fromUnixTimestamp64Nano(toInt64(%3$d))"
        .formatted(column, fromUnixNanos, toUnixNanos);
  }

  private static Acknowledgement acknowledgement(RowBinaryReader row) throws IOException {
    Acknowledgement.Builder said =
        Acknowledgement.newBuilder()
            .setAcknowledgementId(row.string())
            .setFingerprint(row.string())
            .setAction(ACTIONS.getOrDefault(row.int8(), Acknowledgement.Action.ACTION_UNSPECIFIED));
    String by = row.string();
    String notedBy = row.string();
    said.setBy(
            by.isEmpty() || said.getAction() == Acknowledgement.Action.ACTION_NOTE ? notedBy : by)
        .setNote(row.string())
        .setSeverityValue(row.int8())
        .setSaidAtUnixNanos(row.int64());
    row.nullableInt64()
        .ifPresent(
            until ->
                said.setForSeconds((int) ((until - said.getSaidAtUnixNanos()) / Nanos.PER_SECOND)));
    return said.build();
  }

  private Rows rows(String query, RowReader reader) throws IOException {
    HttpRequest request =
        HttpRequest.newBuilder(url)
            .header("X-ClickHouse-User", user)
            .header("X-ClickHouse-Key", password)
            .POST(HttpRequest.BodyPublishers.ofByteArray(query.getBytes(StandardCharsets.UTF_8)))
            .build();
    try {
      HttpResponse<InputStream> answer =
          http.send(request, HttpResponse.BodyHandlers.ofInputStream());
      if (answer.statusCode() != OK) {
        try (InputStream body = answer.body()) {
          throw new IOException(
              ByteString.copyFrom(body.readNBytes(LONGEST_ERROR)).toStringUtf8().strip());
        }
      }
      return new Rows(new RowBinaryReader(answer.body()), reader);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  private static void close(Rows rows) {
    try {
      rows.close();
    } catch (IOException e) {
      // Nothing more is read of it.
    }
  }

  @Override
  public List<String> unknowns() {
    return List.of(
        "events beyond the retention of their tables, and those that were rejected, are not there",
        "of the variables of a trap names and values are stored: types are not known, nor numbers of objects beyond the usual MIBs",
        "what people said of an alert is known where it was told: a word on an alert that was not there is not",
        "an agent whose clock was ahead of the broker was set back by the jobs; its rows keep its own time");
  }
}

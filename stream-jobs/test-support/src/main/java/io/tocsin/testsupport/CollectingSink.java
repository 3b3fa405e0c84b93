package io.tocsin.testsupport;

import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;

/**
 * Keeps what a job on a mini cluster sends to it. The writers run in this same JVM on a copy of the
 * sink, and find the test's elements by the sink's id; closing forgets them.
 */
public final class CollectingSink<T> implements Sink<T>, AutoCloseable {
  private static final Map<UUID, Queue<Object>> ELEMENTS = new ConcurrentHashMap<>();

  private final UUID id = UUID.randomUUID();

  /** An empty sink. */
  public CollectingSink() {
    ELEMENTS.put(id, new ConcurrentLinkedQueue<>());
  }

  /** Everything received so far. */
  @SuppressWarnings("unchecked") // Only this sink's writers fill its queue.
  public List<T> elements() {
    return (List<T>) List.copyOf(ELEMENTS.get(id));
  }

  @Override
  public SinkWriter<T> createWriter(WriterInitContext context) {
    Queue<Object> queue = ELEMENTS.get(id);
    return new SinkWriter<>() {
      @Override
      public void write(T element, Context context) {
        queue.add(element);
      }

      @Override
      public void flush(boolean endOfInput) {
        // Nothing waits.
      }

      @Override
      public void close() {
        // Nothing is open.
      }
    };
  }

  @Override
  public void close() {
    ELEMENTS.remove(id);
  }
}

package io.tocsin.jobs.registrations;

import static io.tocsin.testsupport.Instants.NOON;

import io.tocsin.events.v1.Event;
import io.tocsin.jobs.RocksDb;
import io.tocsin.model.ProtobufTypeInfo;
import io.tocsin.registrations.v1.Device;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.testsupport.DhcpEvents;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.event.WatermarkEvent;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.operators.Output;
import org.apache.flink.streaming.api.operators.co.KeyedCoProcessOperator;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.LatencyMarker;
import org.apache.flink.streaming.runtime.streamrecord.RecordAttributes;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.watermarkstatus.WatermarkStatus;
import org.apache.flink.streaming.util.KeyedTwoInputStreamOperatorTestHarness;
import org.apache.flink.util.OutputTag;

/**
 * Registration in one thread with its state in RocksDB: clients get a lease, then renew it, and the
 * renewals are measured, two transitions each. Prints transitions a second, the cost of an event
 * and what RocksDB keeps on disk, for a thousand and for a million clients, and the ratio of the
 * costs. Time is that of the thread on its core; RocksDB compacts in threads of its own. {@code
 * make bench} runs it.
 */
public final class RegistrationBenchmark {
  private static final int FEW = 1_000;
  private static final int MANY = 1_000_000;
  private static final int MEASURED_RENEWALS = 200_000;
  private static final int BATCH = 1_000;

  /** Block cache and write buffers. The harness's own 3 MB make a file of every few clients. */
  private static final String ROCKSDB_MEMORY = "512mb";

  /** Time of this thread on a core, so that other work on the machine does not count. */
  private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();

  private RegistrationBenchmark() {}

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    double few = measure(FEW);
    double many = measure(MANY);
    System.out.printf(
        "cost of an event at %,d clients to that at %,d: %.2f%n", MANY, FEW, many / few);
  }

  private static double measure(int clients) throws Exception {
    Path folder = Files.createTempDirectory("registration-bench");
    Counter counter = new Counter();
    var harness = newHarness(folder, counter);
    try {
      harness.open();
      for (int from = 0; from < clients; from += BATCH) {
        for (int client = from; client < from + BATCH; client++) {
          DhcpEvents events = client(client);
          send(harness, events.discover(NOON), events.offer(NOON), events.select(NOON));
          send(harness, events.ack(NOON));
        }
      }
      return renew(harness, folder, clients, counter);
    } finally {
      harness.close();
    }
  }

  private static double renew(
      KeyedTwoInputStreamOperatorTestHarness<String, Event, Device, Registration> harness,
      Path folder,
      int clients,
      Counter counter)
      throws Exception {
    long nanos = 0;
    long before = counter.transitions;
    int stride = Math.max(1, clients / MEASURED_RENEWALS);
    for (int done = 0; done < MEASURED_RENEWALS; done += BATCH) {
      List<Event> batch = new ArrayList<>();
      for (int i = done; i < done + BATCH; i++) {
        int round = i / (clients / stride);
        Instant time = NOON.plus(Duration.ofMinutes(30L * (round + 1)));
        DhcpEvents events = client((int) ((long) i * stride % clients)).transaction(round + 2);
        batch.add(events.renew(time));
        batch.add(events.ack(time.plusMillis(2)));
      }
      long start = THREAD.getCurrentThreadCpuTime();
      send(harness, batch.toArray(Event[]::new));
      nanos += THREAD.getCurrentThreadCpuTime() - start;
    }
    long transitions = counter.transitions - before;
    double nanosPerEvent = (double) nanos / (2 * MEASURED_RENEWALS);
    System.out.printf(
        "%,d clients: %,.0f transitions/s, %,.0f ns an event, %,d MB in RocksDB, %,d transitions%n",
        clients, transitions * 1e9 / nanos, nanosPerEvent, bytes(folder) >> 20, transitions);
    return nanosPerEvent;
  }

  private static KeyedTwoInputStreamOperatorTestHarness<String, Event, Device, Registration>
      newHarness(Path folder, Counter counter) throws Exception {
    var harness =
        new KeyedTwoInputStreamOperatorTestHarness<>(
            new CountedOperator(counter),
            (Event event) -> event.getDhcp().getMac(),
            Device::getMac,
            Types.STRING);
    EmbeddedRocksDBStateBackend backend = RocksDb.asJobsHaveIt();
    backend.getMemoryConfiguration().setFixedMemoryPerSlot(ROCKSDB_MEMORY);
    backend.setDbStoragePath(folder.toString());
    harness.setStateBackend(backend);
    harness.setup(
        ProtobufTypeInfo.forMessage(Registration.class)
            .createSerializer(new SerializerConfigImpl()));
    return harness;
  }

  /** The operator with an output that only counts: the harness makes a serializer an element. */
  private static final class CountedOperator
      extends KeyedCoProcessOperator<String, Event, Device, Registration> {
    private static final long serialVersionUID = 1;

    private final transient Counter counter;

    CountedOperator(Counter counter) {
      super(
          new RegistrationFunction(
              Duration.ofMinutes(1), Duration.ofSeconds(10), Duration.ofDays(7)));
      this.counter = counter;
    }

    @Override
    public void open() throws Exception {
      output = counter;
      super.open();
    }
  }

  /** Counts transitions, and lets observations go. */
  private static final class Counter implements Output<StreamRecord<Registration>> {
    private long transitions;

    @Override
    public void collect(StreamRecord<Registration> record) {
      transitions++;
    }

    @Override
    public <X> void collect(OutputTag<X> tag, StreamRecord<X> record) {
      // Not measured.
    }

    @Override
    public void emitWatermark(Watermark mark) {
      // Nobody waits for it.
    }

    @Override
    public void emitWatermarkStatus(WatermarkStatus status) {
      // Nobody waits for it.
    }

    @Override
    public void emitLatencyMarker(LatencyMarker marker) {
      // Nobody waits for it.
    }

    @Override
    public void emitRecordAttributes(RecordAttributes attributes) {
      // Nobody waits for it.
    }

    @Override
    public void emitWatermark(WatermarkEvent event) {
      // Nobody waits for it.
    }

    @Override
    public void close() {
      // Nothing is open.
    }
  }

  private static DhcpEvents client(int number) {
    String mac =
        "02:00:%02x:%02x:%02x:00".formatted(number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
    String ip = "10.%d.%d.%d".formatted(number >> 16 & 0xff, number >> 8 & 0xff, number & 0xff);
    return new DhcpEvents(mac, ip, 3600);
  }

  private static void send(
      KeyedTwoInputStreamOperatorTestHarness<String, Event, Device, Registration> harness,
      Event... events)
      throws Exception {
    for (Event event : events) {
      harness.processElement1(event, event.getReceivedAtUnixNanos() / 1_000_000);
    }
  }

  private static long bytes(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }
}

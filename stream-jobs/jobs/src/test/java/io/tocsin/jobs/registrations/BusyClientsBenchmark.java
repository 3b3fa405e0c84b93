package io.tocsin.jobs.registrations;

import static io.tocsin.testsupport.Instants.NOON;

import com.google.protobuf.InvalidProtocolBufferException;
import io.tocsin.correlation.registrations.RegistrationRules;
import io.tocsin.correlation.registrations.TrackedClient;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.testsupport.DhcpEvents;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;

/**
 * The rules of registration for clients that talk all the time: dozens of messages of each are
 * within the allowed lateness, and of ten thousand clients none is in the processor's cache. Prints
 * the CPU time of a message. {@code make bench} runs it.
 */
public final class BusyClientsBenchmark {
  private static final int CLIENTS = 10_000;
  private static final int ROUNDS = 100;
  private static final int BATCH = 1_000;
  private static final int[] MESSAGES_A_SECOND = {200, 2_000, 6_000};
  private static final ThreadMXBean THREAD = ManagementFactory.getThreadMXBean();

  private final RegistrationRules rules =
      new RegistrationRules(Duration.ofMinutes(1), Duration.ofSeconds(10), Duration.ofDays(7));
  private final TrackedClient[] clients = new TrackedClient[CLIENTS];
  private final long nanosBetween;
  private Instant time = NOON;
  private long decisions;

  private BusyClientsBenchmark(int perSecond) {
    nanosBetween = 1_000_000_000L / perSecond;
  }

  /** Runs it. */
  public static void main(String[] args) throws Exception {
    for (int perSecond : MESSAGES_A_SECOND) {
      new BusyClientsBenchmark(perSecond).run(perSecond);
    }
  }

  private void run(int perSecond) throws InvalidProtocolBufferException {
    long nanos = 0;
    for (int round = 0; round < ROUNDS; round++) {
      for (int from = 0; from < CLIENTS; from += BATCH) {
        Event[] batch = batch(from, round);
        long start = THREAD.getCurrentThreadCpuTime();
        take(from, batch);
        nanos += round < ROUNDS / 2 ? 0 : THREAD.getCurrentThreadCpuTime() - start;
      }
    }
    System.out.printf(
        "%,d clients, %,d messages a second: %,d ns a message, %,d decisions%n",
        CLIENTS, perSecond, nanos / (CLIENTS * ROUNDS / 2), decisions);
  }

  /** Renewals, of which every third is a rebind, each with its ACK, as a job reads them. */
  private Event[] batch(int from, int round) throws InvalidProtocolBufferException {
    Event[] batch = new Event[BATCH];
    for (int i = 0; i < BATCH; i++) {
      time = time.plusNanos(nanosBetween);
      int client = from + i;
      DhcpEvents events =
          new DhcpEvents(
                  "02:00:00:00:%02x:%02x".formatted(client >> 8, client & 0xff),
                  "10.1.%d.%d".formatted(client >> 8, client & 0xff),
                  60)
              .transaction(round / 2 + 1);
      Event question = round % 6 == 0 ? events.rebind(time) : events.renew(time);
      batch[i] = Event.parseFrom((round % 2 == 0 ? question : events.ack(time)).toByteArray());
    }
    return batch;
  }

  private void take(int from, Event[] batch) {
    for (int i = 0; i < batch.length; i++) {
      var step = rules.onMessage(clients[from + i], Access.ACCESS_ALLOWED, batch[i]);
      clients[from + i] = step.state();
      decisions += step.decisions().size();
    }
  }
}

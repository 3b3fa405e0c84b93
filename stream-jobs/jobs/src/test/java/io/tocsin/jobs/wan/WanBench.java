package io.tocsin.jobs.wan;

import static io.tocsin.testsupport.Instants.NOON;

import io.tocsin.correlation.wan.LinkUpdate;
import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Random;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;

/**
 * How much of one core 10,000 links take at a probe a second: the operator with its state on the
 * heap, from bytes as Kafka has them to episodes, over three minutes of event time after two
 * minutes to warm up. Prints CPU time of its thread for each 20 s; the last line is the median.
 */
public final class WanBench {
  private static final int LINKS = 10_000;
  private static final int DEVICES = 100;
  private static final int WARM_UP_SECONDS = 120;
  private static final int SECONDS = 180;
  private static final int ROUND_SECONDS = 20;

  private WanBench() {}

  /** Runs; no arguments. */
  public static void main(String[] args) throws Exception {
    var harness =
        new KeyedOneInputStreamOperatorTestHarness<String, Event, LinkUpdate>(
            new KeyedProcessOperator<>(new LinksFunction(WanSettings.defaults())),
            Event::getDevice,
            Types.STRING);
    harness.setup(
        TypeInformation.of(LinkUpdate.class).createSerializer(new SerializerConfigImpl()));
    harness.open();
    Random random = new Random(1);
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    double[] shares = new double[SECONDS / ROUND_SECONDS];
    int second = 0;
    for (; second < WARM_UP_SECONDS; second++) {
      play(harness, second, random);
    }
    for (int round = 0; round < shares.length; round++) {
      long used = 0;
      for (int i = 0; i < ROUND_SECONDS; i++) {
        used += play(harness, second++, random);
      }
      shares[round] = used / (ROUND_SECONDS * 1e9);
      System.out.printf("round %d: %.1f %% of one core%n", round + 1, 100 * shares[round]);
    }
    Arrays.sort(shares);
    System.out.printf(
        "%d links, a probe a second: median %.1f %% of one core (%d processors, thread CPU time"
            + " %b)%n",
        LINKS,
        100 * shares[shares.length / 2],
        Runtime.getRuntime().availableProcessors(),
        threads.isCurrentThreadCpuTimeSupported());
    harness.close();
  }

  /** Plays one second; the CPU nanoseconds that it took, without making the probes. */
  private static long play(
      KeyedOneInputStreamOperatorTestHarness<String, Event, LinkUpdate> harness,
      int second,
      Random random)
      throws Exception {
    byte[][] records = new byte[LINKS][];
    for (int link = 0; link < LINKS; link++) {
      double rtt = 10 + link % 200 + random.nextGaussian();
      Event.Builder event = TestEvents.probe(second, NOON.plusSeconds(second), rtt).toBuilder();
      event.setDevice("edge-" + link % DEVICES).setEventId("a-1-" + second + "-" + link);
      event.getLinkProbeBuilder().setLinkId("link-" + link);
      records[link] = event.build().toByteArray();
    }
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long start = threads.getCurrentThreadCpuTime();
    long millis = NOON.plusSeconds(second).toEpochMilli();
    for (byte[] record : records) {
      harness.processElement(Event.parseFrom(record), millis);
    }
    harness.processWatermark(millis - 1_500);
    long used = threads.getCurrentThreadCpuTime() - start;
    harness.getOutput().clear();
    return used;
  }
}

package io.tocsin.integration;

import static io.tocsin.integration.TestStacks.DEADLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Two agents behind one address of keepalived, with the configuration that is shipped: whichever
 * way the one that holds it goes, the other takes over, what was received before and after is
 * stored once, and pages go on.
 */
class PairLaboratoryTest {
  private static final String ADDRESS = "198.18.20.10";
  private static final InetSocketAddress SYSLOG = new InetSocketAddress(ADDRESS, 5514);
  private static final InetSocketAddress ALERT_UPDATES = new InetSocketAddress(ADDRESS, 5515);
  private static final int DATAGRAMS_PER_SECOND = 500;

  private static Laboratory lab;

  /** How one that holds the address goes. */
  enum Departure {
    /** The check must fail twice, a second apart, and be told. */
    KILLED("kill", "start", 6),

    /** A check that gets no answer takes a second longer. */
    STANDS_STILL("stop", "resume", 9),

    /** Three announcements that do not come. */
    CABLE_PULLED("unplug", "plug", 4),

    /** A planned stop: keepalived says that it goes, while the agent still reads. */
    LEAVES_FIRST("leave", "enter", 3);

    private final String begin;
    private final String end;

    /** Double of what configuration and checks take together: machines are shared. */
    private final double mostSecondsLost;

    Departure(String begin, String end, double mostSecondsLost) {
      this.begin = begin;
      this.end = end;
      this.mostSecondsLost = mostSecondsLost;
    }

    String traffic() {
      return "pair-" + begin;
    }
  }

  @BeforeAll
  static void start() throws Exception {
    lab =
        Laboratory.up(
            "pair",
            Map.of(
                "ip", "iproute2",
                "keepalived", "keepalived",
                "socat", "socat",
                "curl", "curl"));
    lab.run(
        "serve",
        TestStacks.tools().tocsin().toString(),
        Integer.toString(lab.stack().ports().kafka()));
  }

  @AfterAll
  static void stop() throws Exception {
    if (lab != null) {
      lab.down();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theOtherTakesOverAndWhatBothReceivedIsStoredOnce(Departure departure) throws Exception {
    String holder = holder();
    String other = holder.equals("a") ? "b" : "a";
    int sent;
    try (NumberedTraffic traffic =
        new NumberedTraffic(departure.traffic(), SYSLOG, ALERT_UPDATES, DATAGRAMS_PER_SECOND)) {
      awaitTraffic(departure, holder);

      lab.run(departure.begin, holder);
      awaitTraffic(departure, other);
      assertPaged(departure);

      lab.run(departure.end, holder);
      assertThat(holder()).as("who holds the address once the first is back").isEqualTo(other);
      sent = traffic.end();
    }

    await("all but what was lost in the switch")
        .atMost(DEADLINE)
        .untilAsserted(
            () -> {
              assertThat(secondsLost(departure, sent)).isLessThan(departure.mostSecondsLost);
              assertThat(lab.number("sum(missing) FROM tocsin.balance"))
                  .as("acknowledged and not stored yet")
                  .isZero();
            });
    System.out.printf(
        "[pair] %s: %d datagrams of %d lost, within %.2f s%n",
        departure,
        sent - stored(departure, sent).cardinality(),
        sent,
        secondsLost(departure, sent));
    assertThat(
            lab.rows(
                "number, count() FROM (%s) GROUP BY number HAVING count() > 1"
                    .formatted(numbers(departure))))
        .as("datagrams stored more than once")
        .isEmpty();
    assertThat(lab.number("sum(kernel_dropped) FROM tocsin.balance")).isZero();
  }

  private static String holder() throws Exception {
    String holder = Ended.of(lab.begin("holder")).output();
    assertThat(holder).as("who holds the address").isIn("a", "b");
    return holder;
  }

  private static void awaitTraffic(Departure departure, String agent) {
    await("traffic by way of " + agent)
        .atMost(DEADLINE)
        .until(
            () ->
                lab.number(
                        "count() FROM tocsin.syslog WHERE app_name = '%s' AND agent_id = 'pair-%s'"
                            .formatted(departure.traffic(), agent))
                    > 2 * DATAGRAMS_PER_SECOND);
  }

  private static void assertPaged(Departure departure) throws Exception {
    String source = departure.traffic() + "-page";
    Datagram.send(
        """
        {"action":"update","source":"%s","device":"n1","check":"node","severity":"critical","summary":"node down"}"""
            .formatted(source),
        ALERT_UPDATES);
    await("the page of an alert told to the other")
        .atMost(DEADLINE)
        .until(
            () ->
                lab.number("count() FROM tocsin.pages WHERE raw LIKE '%%%s%%'".formatted(source))
                    > 0);
  }

  /** From the first datagram that was lost to the last. */
  private static double secondsLost(Departure departure, int sent) {
    BitSet stored = stored(departure, sent);
    int firstLost = stored.nextClearBit(1);
    int lastLost = stored.previousClearBit(sent);
    return firstLost > sent ? 0 : (lastLost - firstLost + 1.0) / DATAGRAMS_PER_SECOND;
  }

  /** Numbers of the datagrams, up to the last that counts, that are in ClickHouse. */
  private static BitSet stored(Departure departure, int sent) {
    BitSet numbers = new BitSet();
    for (JsonNode row : lab.rows("DISTINCT number FROM (%s)".formatted(numbers(departure)))) {
      numbers.set(row.path(0).asInt());
    }
    numbers.clear(sent + 1, Math.max(sent + 1, numbers.length()));
    return numbers;
  }

  private static String numbers(Departure departure) {
    return """
        SELECT toUInt32(splitByChar(' ', message)[2]) AS number FROM tocsin.syslog WHERE app_name = '%1$s'
        UNION ALL
        SELECT toUInt32(splitByChar(' ', summary)[2]) FROM tocsin.alert_updates WHERE source = '%1$s'"""
        .formatted(departure.traffic());
  }
}

package io.tocsin.integration;

import static io.tocsin.integration.TestStacks.DEADLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A remote site over links that are really saturated, lossy, longer or cut: the agent probes them
 * and polls their router, and the episodes name the trouble, its cause and what {@code ping} saw.
 */
class WanLaboratoryTest {
  /** Address of the remote site over the link wan0. */
  private static final String OVER_WAN0 = "198.18.1.2";

  /** Address of the remote site over wan1, or over the longer way. */
  private static final String EITHER_WAY = "198.18.9.1";

  private static final List<String> LINKS = List.of("wan0", "wan1", "either");
  private static final int SATURATED_SECONDS = 20;
  private static final int LONGER_WAY_MS = 50;

  /** Probes until a link's level and usual loss are known, and some: twelve seconds and some. */
  private static final int WARM_PROBES = 70;

  private static final int LOSSY_PROBES = 100;

  private static Laboratory lab;

  @BeforeAll
  static void start() throws Exception {
    lab =
        Laboratory.up(
            "wan",
            Map.of(
                "ip", "iproute2",
                "ping", "iputils-ping",
                "iperf3", "iperf3",
                "snmpd", "snmpd",
                "snmpset", "snmp",
                "nft", "nftables",
                "python3", "python3"));
    lab.stack().restartAgent(linksAndTheirRouter());
    for (String link : LINKS) {
      await("a baseline of " + link)
          .atMost(DEADLINE)
          .until(() -> lab.number("count()" + probes(link, Instant.EPOCH)) >= WARM_PROBES);
    }
  }

  @AfterAll
  static void stop() throws Exception {
    if (lab != null) {
      lab.down();
    }
  }

  @BeforeEach
  void nothingIsWrong() {
    await("no open episode")
        .atMost(DEADLINE)
        .until(
            () -> lab.number("count() FROM tocsin.wan_episodes FINAL WHERE state = 'open'") == 0);
  }

  @Test
  void aSaturatedLinkIsToldWithItsCauseWithin15SecondsAndWithTheTimesThatPingSaw()
      throws Exception {
    Ping.Seen idle = Ping.begin(OVER_WAN0, 15).end();
    Instant loaded = Instant.now();
    Process load = lab.begin("saturate", Integer.toString(SATURATED_SECONDS));
    Ping ping = Ping.begin(OVER_WAN0, 5 * (SATURATED_SECONDS - 2));
    awaitEpisode("wan0", "latency", loaded, "state = 'open' AND cause = 'egress_saturated'");
    double visibleAfterSeconds = secondsSince(loaded);
    Ping.Seen full = ping.end();
    Ended.of(load);
    Instant over = Instant.now();
    awaitEpisode("wan0", "latency", loaded, "state = 'closed'");

    double decidedAfterSeconds =
        lab.number(
            "min(toUnixTimestamp64Milli(event_time)) / 1000 - %.3f".formatted(unixSeconds(loaded))
                + " FROM tocsin.alert_updates WHERE check = 'wan-latency' AND labels['link_id'] = 'wan0'"
                + " AND labels['cause'] = 'egress_saturated' AND "
                + since("event_time", loaded));
    JsonNode episode =
        lab.row(
            "baseline_ms, peak_ms, toUnixTimestamp64Milli(started_at) / 1000,"
                + " toUnixTimestamp64Milli(assumeNotNull(ended_at)) / 1000, "
                + evidence("out_load")
                + ", "
                + evidence("out_discards")
                + episodes("wan0", "latency", loaded));
    System.out.printf(
        "[wan] saturated: cause decided after %.1f s, visible after %.1f s; baseline %.2f ms, ping before %s;"
            + " peak %.1f ms, ping meanwhile %s; load %.2f, %.0f discards%n",
        decidedAfterSeconds,
        visibleAfterSeconds,
        episode.get(0).asDouble(),
        idle,
        episode.get(1).asDouble(),
        full,
        episode.get(4).asDouble(),
        episode.get(5).asDouble());
    assertThat(decidedAfterSeconds).as("from the load to the probe that shows it").isLessThan(15);
    assertThat(episode.get(0).asDouble()).as("baseline").isCloseTo(idle.averageMs(), within(1.0));
    assertThat(episode.get(1).asDouble()).as("peak").isCloseTo(full.mostMs(), withinPercentage(20));
    assertThat(episode.get(2).asDouble()).as("begin").isCloseTo(unixSeconds(loaded), within(3.0));
    assertThat(episode.get(3).asDouble()).as("end").isCloseTo(unixSeconds(over), within(3.0));
    assertThat(episode.get(4).asDouble()).as("share of the link's speed").isGreaterThan(0.85);
    assertThat(episode.get(5).asDouble()).as("packets that the queue threw away").isPositive();
    assertNoEpisode("wan1", loaded);
  }

  @Test
  void lossOfALinkWithRoomIsToldAsLossWithoutCongestion() throws Exception {
    Instant lossy = Instant.now();
    lab.run("drop", "40");
    try {
      awaitEpisode("wan0", "loss", lossy, "cause = 'loss_without_congestion'");
      await("probes to judge the share by")
          .atMost(DEADLINE)
          .until(() -> lab.number("count()" + probes("wan0", lossy)) >= LOSSY_PROBES);
    } finally {
      lab.run("drop", "0");
    }
    awaitEpisode("wan0", "loss", lossy, "state = 'closed'");

    JsonNode episode =
        lab.row("loss_ratio, " + evidence("out_load") + episodes("wan0", "loss", lossy));
    System.out.printf("[wan] 40 %% dropped: lost, load %s%n", episode);
    // Four standard deviations.
    assertThat(episode.get(0).asDouble()).as("share that was lost").isCloseTo(0.4, within(0.2));
    assertThat(episode.get(1).asDouble()).as("load of the link").isLessThan(0.5);
    assertNoEpisode("wan1", lossy);
  }

  @Test
  void aLongerWayIsToldAsPathChangeAndBecomesTheUsualOne() throws Exception {
    Instant rerouted = Instant.now();
    lab.run("reroute");
    Ping.Seen longer;
    try {
      awaitEpisode("either", "latency", rerouted, "cause = 'path_change' AND state = 'closed'");
      longer = Ping.begin(EITHER_WAY, 15).end();
    } finally {
      lab.run("restore");
    }

    JsonNode episode =
        lab.row(
            evidence("min_rtt_before_ms")
                + ", "
                + evidence("min_rtt_after_ms")
                + episodes("either", "latency", rerouted));
    System.out.printf("[wan] longer way: before and after %s, ping %s%n", episode, longer);
    assertThat(episode.get(0).asDouble()).as("before").isLessThan(LONGER_WAY_MS / 2.0);
    assertThat(episode.get(1).asDouble())
        .as("after")
        .isCloseTo(longer.leastMs(), withinPercentage(20));
    assertNoEpisode("wan1", rerouted);
  }

  @Test
  void aCutLinkIsDownAndTheRemoteSiteIsNotBlamedWhileAnotherWayIsUp() throws Exception {
    Instant cut = Instant.now();
    lab.run("cut", "wan0");
    try {
      awaitEpisode("wan0", "down", cut, evidence("interface_down") + " = 1");
    } finally {
      lab.run("mend", "wan0");
    }
    awaitEpisode("wan0", "down", cut, "state = 'closed'");

    assertThat(lab.row("cause" + episodes("wan0", "down", cut))).hasToString("[\"unexplained\"]");
    assertNoEpisode("wan1", cut);
  }

  @Test
  void aRemoteSiteThatNoLinkReachesIsToldAsUnreachable() throws Exception {
    Instant isolated = Instant.now();
    lab.run("isolate");
    try {
      for (String link : LINKS) {
        awaitEpisode(link, "down", isolated, "cause = 'remote_unreachable'");
      }
      assertThat(lab.row(evidence("links_down") + episodes("wan0", "down", isolated)))
          .hasToString("[" + LINKS.size() + "]");
    } finally {
      lab.run("join");
    }
    for (String link : LINKS) {
      awaitEpisode(link, "down", isolated, "state = 'closed'");
    }
  }

  private static JsonNode linksAndTheirRouter() {
    ObjectNode config = new ObjectMapper().createObjectNode();
    config
        .putObject("snmp")
        .putArray("devices")
        .addObject()
        .put("name", "lab-router")
        .put("address", "198.18.0.2")
        .put("interval", "3s");
    ArrayNode links = config.putArray("links");
    link(links, "wan0", OVER_WAN0, "wan0");
    link(links, "wan1", "198.18.2.2", "wan1");
    link(links, "either", EITHER_WAY, "wan1");
    return config;
  }

  private static void link(ArrayNode links, String id, String target, String outInterface) {
    links
        .addObject()
        .put("id", id)
        .put("method", "icmp")
        .put("target", target)
        .put("interval", "200ms")
        .put("timeout", "1s")
        .put("device", "lab-router")
        .put("interface", outInterface)
        .put("remote_site", "lab-remote");
  }

  private static String probes(String link, Instant from) {
    return " FROM tocsin.link_probes WHERE link_id = '%s' AND %s"
        .formatted(link, since("event_time", from));
  }

  private static String episodes(String link, String kind, Instant from) {
    return " FROM tocsin.wan_episodes FINAL WHERE link_id = '%s' AND kind = '%s' AND %s"
        .formatted(link, kind, since("started_at", from));
  }

  private static String since(String time, Instant from) {
    return "%s >= fromUnixTimestamp64Milli(toInt64(%d))".formatted(time, from.toEpochMilli());
  }

  /** The value of a piece of evidence; the newest where there are several. */
  private static String evidence(String name) {
    return "arrayLast(fact -> fact.name = '%s', evidence).value".formatted(name);
  }

  private static void awaitEpisode(String link, String kind, Instant from, String condition) {
    await("%s of %s: %s".formatted(kind, link, condition))
        .atMost(DEADLINE)
        .untilAsserted(
            () ->
                assertThat(
                        lab.number("countIf(%s)".formatted(condition) + episodes(link, kind, from)))
                    .as("%s", lab.rows("*" + episodes(link, kind, from)))
                    .isEqualTo(1));
  }

  private static void assertNoEpisode(String link, Instant from) {
    assertThat(
            lab.rows(
                "kind, started_at, cause FROM tocsin.wan_episodes FINAL WHERE link_id = '%s' AND %s"
                    .formatted(link, since("started_at", from))))
        .as("episodes of %s, of which nothing was wrong", link)
        .isEmpty();
  }

  private static double secondsSince(Instant instant) {
    return Duration.between(instant, Instant.now()).toMillis() / 1e3;
  }

  private static double unixSeconds(Instant instant) {
    return instant.toEpochMilli() / 1e3;
  }
}

package io.tocsin.integration;

import static io.tocsin.integration.TestStacks.DEADLINE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * A disk that becomes slow under a load that it had answered at once, and fast again: the agent
 * reads it as iostat does, and it is told for as long as it is slow.
 *
 * <p>The machine of a test has other work: its processors count as idle whatever they do, and its
 * disks are told from five times the usual wait on.
 */
class DiskLaboratoryTest {
  private static final String HOST = "disk-lab";
  private static final int IOSTAT_SECONDS = 10;

  /** Beside iostat, whose seconds are not quite the same. */
  private static final double CLOSE_PERCENT = 15;

  private static Laboratory lab;
  private static String disk;

  @BeforeAll
  static void start() throws Exception {
    assumeTrue(System.getenv("TOCSIN_WITHOUT_FUSE") == null, System.getenv("TOCSIN_WITHOUT_FUSE"));
    lab =
        Laboratory.up(
            "disk",
            Map.of(
                "nbdkit", "nbdkit",
                "nbdfuse", "libnbd-bin",
                "iostat", "sysstat",
                "losetup", "mount",
                "python3", "python3"),
            options ->
                options.withJobOptions(
                    Map.of(
                        "findings.processor-idle-percent", "100",
                        "findings.disk-wait-ms", "100")));
    disk = Ended.of(lab.begin("disk")).output();
    ObjectNode config = new ObjectMapper().createObjectNode();
    config.putObject("host").put("interval", "1s").put("device", HOST);
    lab.stack().restartAgent(config);
  }

  @AfterAll
  static void stop() throws Exception {
    if (lab != null) {
      lab.down();
    }
  }

  @Test
  void aDiskIsToldWhileItIsSlowWithTheFiguresThatIostatSees() throws Exception {
    lab.run("write");
    await("a disk that is used and fast")
        .atMost(DEADLINE)
        .until(() -> lab.number(countOf("disk_utilization", Instant.EPOCH)) > 5);
    double fastWaitMs = lab.number(meanOf("disk_wait", Instant.EPOCH));
    assertThat(lab.rows("state" + alert())).as("alerts of a fast disk").isEmpty();

    Instant slow = Instant.now();
    lab.run("slow");
    await("the disk is told")
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(lab.row("state" + alert())).hasToString("[\"open\"]"));
    double toldAfterSeconds = (System.currentTimeMillis() - slow.toEpochMilli()) / 1e3;
    JsonNode told = lab.row("summary, labels['utilization_percent'], labels['wait_ms']" + alert());

    Instant compared = Instant.now();
    JsonNode iostat = iostat();
    await("as many readings as iostat had")
        .atMost(DEADLINE)
        .until(() -> lab.number(countOf("disk_utilization", compared)) >= IOSTAT_SECONDS);
    double utilization = lab.number(meanOf("disk_utilization", compared));
    double queue = lab.number(meanOf("disk_queue", compared));
    double waitMs = lab.number(meanOf("disk_wait", compared));
    System.out.printf(
        "[disk] told after %.1f s: %s%n[disk] agent: %.1f %% busy, queue %.2f, wait %.0f ms; iostat: %s; before: wait %.1f ms%n",
        toldAfterSeconds, told.path(0).asText(), utilization, queue, waitMs, iostat, fastWaitMs);
    assertThat(told.path(1).asDouble()).as("told as busy").isGreaterThanOrEqualTo(90);
    assertThat(told.path(2).asDouble()).as("told as waiting, ms").isGreaterThanOrEqualTo(100);
    assertThat(utilization)
        .isCloseTo(iostat.path("util").asDouble(), withinPercentage(CLOSE_PERCENT));
    assertThat(queue).isCloseTo(iostat.path("aqu-sz").asDouble(), withinPercentage(CLOSE_PERCENT));
    assertThat(waitMs)
        .isCloseTo(iostat.path("w_await").asDouble(), withinPercentage(CLOSE_PERCENT));

    lab.run("fast");
    await("the end of the alert")
        .atMost(DEADLINE)
        .untilAsserted(() -> assertThat(lab.row("state" + alert())).hasToString("[\"resolved\"]"));
  }

  private static String alert() {
    return " FROM tocsin.alerts WHERE check = 'storage-slow' AND device = '%s' AND labels['disk'] = '%s'"
        .formatted(HOST, disk);
  }

  private static JsonNode iostat() throws Exception {
    Ended ended = Ended.of(lab.begin("iostat", Integer.toString(IOSTAT_SECONDS)));
    JsonNode figures =
        new ObjectMapper().readTree(ended.output()).at("/sysstat/hosts/0/statistics/0/disk/0");
    assertThat(figures.path("disk_device").asText())
        .as("iostat: %s", ended.output())
        .isEqualTo(disk);
    return figures;
  }

  private static String countOf(String gauge, Instant from) {
    return "count()" + readings(gauge, from);
  }

  private static String meanOf(String gauge, Instant from) {
    return "avg(value) FROM (SELECT value %s ORDER BY event_time LIMIT %d)"
        .formatted(readings(gauge, from), IOSTAT_SECONDS);
  }

  private static String readings(String gauge, Instant from) {
    return " FROM tocsin.gauges WHERE device = '%s' AND instance = '%s' AND name = '%s' AND event_time >= fromUnixTimestamp64Milli(toInt64(%d))"
        .formatted(HOST, disk, gauge, from.toEpochMilli());
  }
}

package io.tocsin.integration;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.clickhouse.ClickHouseClient;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * What an event costs when there is more of everything: devices, open alerts, rows. One stack, to
 * which each step adds. {@code ONLY=growth make bench-cost} runs it.
 *
 * <p>Arguments: messages a second (5000); measured seconds of each step (30); rows of syslog of the
 * steps about rows, several with commas (10000000,100000000).
 */
public final class GrowthBenchmark {
  private static final int FEW_DEVICES = 100;
  private static final int MANY_DEVICES = 100_000;
  private static final int FEW_ALERTS = 10;
  private static final int MANY_ALERTS = 10_000;

  /** Of one insert: what a client waits for no longer than it will. */
  private static final long ROWS_AN_INSERT = 500_000;

  /** Rows are spread over the past as rows of a month are: by the week a partition. */
  private static final int DAYS = 28;

  private GrowthBenchmark() {}

  /** Runs it on a stack of its own. */
  public static void main(String[] args) throws Exception {
    int perSecond = args.length > 0 ? Integer.parseInt(args[0]) : 5_000;
    int seconds = args.length > 1 ? Integer.parseInt(args[1]) : 30;
    List<Long> rows =
        Arrays.stream((args.length > 2 ? args[2] : "10000000,100000000").split(","))
            .map(Long::valueOf)
            .toList();
    try (Stack stack = TestStacks.create("growth-benchmark")) {
      stack.start();
      measure(stack, FEW_DEVICES, FEW_ALERTS, perSecond, seconds);
      measure(stack, MANY_DEVICES, FEW_ALERTS, perSecond, seconds);
      measure(stack, FEW_DEVICES, MANY_ALERTS, perSecond, seconds);
      for (long each : rows) {
        fill(stack, each);
        measure(stack, FEW_DEVICES, FEW_ALERTS, perSecond, seconds);
      }
    }
  }

  private static void measure(Stack stack, int devices, int alerts, int perSecond, int seconds)
      throws Exception {
    CostBenchmark.measure(
        "%,d devices speak, %,d alerts told".formatted(devices, alerts),
        CostBenchmark.tocsin(stack, devices, alerts),
        perSecond,
        seconds);
    ClickHouseClient tables = stack.clickHouse();
    say(
        "  %,d rows of syslog, %,d of all tables; %,d alerts open, members of storms among them; %,d devices known",
        tables.number("SELECT toInt64(count()) FROM tocsin.syslog"),
        tables.number(
            "SELECT toInt64(sum(rows)) FROM system.parts WHERE active AND database = 'tocsin'"),
        tables.number(
            "SELECT toInt64(count()) FROM tocsin.alerts FINAL WHERE state IN ('open', 'suppressed')"),
        tables.number("SELECT toInt64(uniqExact(device)) FROM tocsin.devices_seen"));
  }

  /** Copies of today's, on other days, until there are so many. */
  private static void fill(Stack stack, long rows) {
    String there = "SELECT toInt64(count()) FROM tocsin.syslog";
    say("filling up to %,d rows of syslog: some 100,000 a second", rows);
    for (int insert = 0; stack.clickHouse().number(there) < rows; insert++) {
      stack
          .clickHouse()
          .execute(
              """
              INSERT INTO tocsin.syslog SELECT * REPLACE (
                received_at - toIntervalDay(%1$d) AS received_at, event_time - toIntervalDay(%1$d) AS event_time)
              FROM (SELECT * FROM tocsin.syslog WHERE received_at > now() - INTERVAL 1 DAY LIMIT %2$d)
              SETTINGS insert_deduplicate = 0, deduplicate_blocks_in_dependent_materialized_views = 0
              """
                  .formatted(1 + insert % DAYS, ROWS_AN_INSERT));
    }
  }

  private static void say(String format, Object... values) {
    System.out.println("[growth] " + String.format(Locale.ROOT, format, values));
  }
}

package io.tocsin.connectors.clickhouse;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.testsupport.ClickHouseUnderTest;
import java.nio.charset.StandardCharsets;
import java.time.LocalDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The roll-ups of link_probes against the probes that they are made of. */
class WanLatencyITCase {
  private static final int PROBES = 7_500;

  /** Largest relative difference between a roll-up and the raw probes, over all of its rows. */
  private static final String WORST =
      """
      SELECT countIf(l.probes != r.probes OR l.lost != r.lost OR isNull(l.rtt_p50_ms) != isNull(r.p50)),
             max(greatest(ifNull(abs(l.rtt_p50_ms / r.p50 - 1), 0), ifNull(abs(l.rtt_p95_ms / r.p95 - 1), 0),
                          ifNull(abs(l.rtt_p99_ms / r.p99 - 1), 0), ifNull(abs(l.rtt_max_ms / r.longest - 1), 0))) < 0.01,
             count()
      FROM tocsin.wan_latency_%1$s AS l
      FULL JOIN (
          SELECT link_id, toDateTime(toStartOfInterval(event_time, INTERVAL 1 %2$s), 'UTC') AS time,
                 count() AS probes, countIf(lost) AS lost, quantileExact(0.5)(rtt_ms) AS p50,
                 quantileExact(0.95)(rtt_ms) AS p95, quantileExact(0.99)(rtt_ms) AS p99, max(rtt_ms) AS longest
          FROM tocsin.link_probes WHERE link_id = '%3$s' GROUP BY link_id, time
      ) AS r USING (link_id, time)
      WHERE link_id = '%3$s'
      """;

  private final ClickHouseUnderTest clickHouse = ClickHouseUnderTest.require();
  private final String link = "latency-" + UUID.randomUUID();

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3})
  void percentilesAgreeWithTheProbesWhateverTheOrderOfArrival(long seed) {
    List<String> rows = rows(new Random(seed));
    Collections.shuffle(rows, new Random(seed));
    for (int from = 0; from < rows.size(); from += 1_000) {
      insert(rows.subList(from, Math.min(from + 1_000, rows.size())), link + "-" + from);
    }

    assertThat(clickHouse.query(WORST.formatted("1m", "MINUTE", link))).isEqualTo("0\t1\t126");
    assertThat(clickHouse.query(WORST.formatted("1h", "HOUR", link))).isEqualTo("0\t1\t4");
    assertThat(clickHouse.query(WORST.formatted("1d", "DAY", link))).isEqualTo("0\t1\t1");
  }

  @Test
  void repeatedInsertIsCountedOnce() {
    List<String> rows = rows(new Random(4)).subList(0, 600);

    insert(rows, link);
    insert(rows, link);

    for (String table : List.of("wan_latency_1m", "wan_latency_1h", "wan_latency_1d")) {
      assertThat(
              clickHouse.query(
                  "SELECT sum(probes) FROM tocsin.%s WHERE link_id = '%s'".formatted(table, link)))
          .as(table)
          .isEqualTo("600");
    }
  }

  @Test
  void minuteWithoutAnyAnswerHasNoPercentiles() {
    insert(List.of(row(0, Double.NaN), row(1, Double.NaN)), link);

    assertThat(
            clickHouse.query(
                "SELECT probes, lost, rtt_p50_ms, rtt_max_ms FROM tocsin.wan_latency_1m WHERE link_id = '"
                    + link
                    + "'"))
        .isEqualTo("2\t2\t\\N\t\\N");
  }

  /** A probe a second for two hours and five minutes; the minute from 600 s on is lost. */
  private List<String> rows(Random random) {
    List<String> rows = new ArrayList<>();
    for (int second = 0; second < PROBES; second++) {
      boolean isLost = random.nextInt(50) == 0 || second >= 600 && second < 660;
      double rtt = 20 * Math.exp(0.7 * random.nextGaussian());
      rows.add(row(second, isLost ? Double.NaN : rtt));
    }
    return rows;
  }

  /** Of literals alone: ClickHouse interprets expressions, row by row. */
  private String row(int second, double rttMs) {
    boolean isLost = Double.isNaN(rttMs);
    return "('%s', '%s', '%3$tF %3$tT', '%3$tF %3$tT', %4$s, %5$b, 'icmp')"
        .formatted(
            UUID.nameUUIDFromBytes((link + second).getBytes(StandardCharsets.UTF_8)),
            link,
            LocalDateTime.of(2026, 11, 20, 11, 59, 30).plusSeconds(second),
            isLost ? "NULL" : String.format(Locale.ROOT, "%.6f", rttMs),
            isLost);
  }

  private void insert(List<String> rows, String token) {
    clickHouse.query(
        "INSERT INTO tocsin.link_probes (event_id, link_id, event_time, received_at, rtt_ms, lost, method)"
            + " SETTINGS insert_deduplication_token = '"
            + token
            + "', deduplicate_blocks_in_dependent_materialized_views = 1, async_insert = 0 VALUES "
            + String.join(",", rows));
  }
}

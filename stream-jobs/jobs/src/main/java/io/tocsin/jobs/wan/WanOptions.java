package io.tocsin.jobs.wan;

import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.correlation.wan.WanSettings;
import io.tocsin.jobs.ClickHouseOptions;
import io.tocsin.jobs.JobOptions;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What the WAN job can be told on the command line. */
public final class WanOptions extends JobOptions {
  @Mixin private ClickHouseOptions clickHouse = new ClickHouseOptions();

  @Option(
      names = "--wan-hour-of-week",
      description = {
        "what is usual on a link at this hour of the week (UTC) is no latency and no jitter; known",
        "after two weeks (default: off)"
      })
  private boolean hourOfWeek;

  @Override
  protected void check() {
    clickHouse.check();
  }

  /** Where rows go. */
  public ClickHouseConnection clickHouse() {
    return clickHouse.connection();
  }

  /** What the rules are told. */
  public WanSettings settings() {
    WanSettings settings = WanSettings.defaults();
    return hourOfWeek ? settings.byHourOfWeek() : settings;
  }
}

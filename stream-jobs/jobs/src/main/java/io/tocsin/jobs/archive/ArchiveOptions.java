package io.tocsin.jobs.archive;

import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.jobs.ClickHouseOptions;
import io.tocsin.jobs.JobOptions;
import picocli.CommandLine.Mixin;

/** What the archive job can be told on the command line. */
public final class ArchiveOptions extends JobOptions {
  @Mixin private ClickHouseOptions clickHouse = new ClickHouseOptions();

  @Override
  protected void check() {
    clickHouse.check();
  }

  /** Where rows go. */
  public ClickHouseConnection clickHouse() {
    return clickHouse.connection();
  }
}

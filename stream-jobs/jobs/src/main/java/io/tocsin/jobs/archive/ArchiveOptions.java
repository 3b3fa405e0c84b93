package io.tocsin.jobs.archive;

import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import io.tocsin.jobs.JobOptions;
import picocli.CommandLine.Option;

/** What the archive job can be told on the command line. */
public final class ArchiveOptions extends JobOptions {
  /**
   * Rows are seen at the checkpoint that follows them: within three seconds, insert included. Each
   * checkpoint is an insert into every table, whose parts cost ClickHouse more than their rows:
   * half as many spare it a third to a half.
   */
  private static final long CHECKPOINT_INTERVAL_SECONDS = 2;

  @Option(
      names = "--clickhouse-url",
      paramLabel = "URL",
      defaultValue = "http://127.0.0.1:8123",
      description = "ClickHouse's HTTP interface (default: ${DEFAULT-VALUE})")
  private String url;

  @Option(
      names = "--clickhouse-user",
      paramLabel = "NAME",
      defaultValue = "default",
      description = "who inserts into database tocsin (default: ${DEFAULT-VALUE})")
  private String user;

  @Option(
      names = "--clickhouse-password-file",
      paramLabel = "FILE",
      defaultValue = "",
      description = {
        "file whose first line is the password, on every machine with a task manager",
        "(default: no password)"
      })
  private String passwordFile;

  @Option(
      names = "--clickhouse-ca",
      paramLabel = "FILE",
      defaultValue = "",
      description = {
        "PEM file of the authorities to believe, for https, where the archive inserts (default: those",
        "that Java believes)"
      })
  private String authoritiesFile;

  /** With the defaults of the command line, once one has been read. */
  public ArchiveOptions() {
    super(CHECKPOINT_INTERVAL_SECONDS);
  }

  @Override
  protected void check() {
    requireHttpUrl("--clickhouse-url", url);
  }

  /**
   * All: while ClickHouse is away the sink waits inside of a commit, and checkpoints expire.
   * Nothing has failed then, and a restart would only read again what is read.
   */
  @Override
  public int tolerableFailedCheckpoints() {
    return Integer.MAX_VALUE;
  }

  /** Where rows go. */
  public ClickHouseConnection clickHouse() {
    return new ClickHouseConnection(url, user, passwordFile, authoritiesFile);
  }
}

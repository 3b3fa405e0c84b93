package io.tocsin.jobs;

import io.tocsin.connectors.clickhouse.ClickHouseConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** Options of the jobs that write a table. */
public final class ClickHouseOptions {
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
      description = "file whose first line is the password (default: no password)")
  private Path passwordFile;

  /** With the defaults of the command line, once one has been read. */
  public ClickHouseOptions() {}

  /**
   * Refuses what makes no sense.
   *
   * @throws IllegalArgumentException naming the option
   */
  public void check() {
    JobOptions.requireHttpUrl("--clickhouse-url", url);
  }

  /**
   * Where ClickHouse is and who inserts. The password is the first line of its file, empty where no
   * file is given.
   *
   * @throws UncheckedIOException where the file cannot be read
   */
  public ClickHouseConnection connection() {
    return new ClickHouseConnection(url, user, password());
  }

  private String password() {
    if (passwordFile == null) {
      return "";
    }
    try (var lines = Files.lines(passwordFile)) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException(
          "--clickhouse-password-file " + passwordFile + " cannot be read: " + e.getMessage(), e);
    }
  }
}

package io.tocsin.connectors.clickhouse;

import java.io.IOException;
import java.io.Serializable;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Where ClickHouse is and who inserts. It travels in the job's graph, which many can read: so it
 * knows where the password lies, and not the password.
 *
 * @param url of the HTTP interface, for example {@code http://127.0.0.1:8123}
 * @param user name
 * @param passwordFile on the machine that inserts; its first line is the password. Empty where the
 *     user has none
 * @param authoritiesFile PEM file of the authorities to believe, for https, on the same machine.
 *     Empty for those that Java believes
 */
public record ClickHouseConnection(
    String url, String user, String passwordFile, String authoritiesFile) implements Serializable {
  /** Database of all tables. */
  public static final String DATABASE = "tocsin";

  /** A server with the user that needs no password. */
  public static ClickHouseConnection open(String url) {
    return new ClickHouseConnection(url, "default", "", "");
  }

  /**
   * The password, read anew with each call.
   *
   * @throws IOException where the file cannot be read
   */
  String password() throws IOException {
    if (passwordFile.isEmpty()) {
      return "";
    }
    try (var lines = Files.lines(Path.of(passwordFile))) {
      return lines.findFirst().orElse("");
    } catch (IOException e) {
      throw new IOException(
          "--clickhouse-password-file "
              + passwordFile
              + " cannot be read where the archive inserts: "
              + e,
          e);
    }
  }

  @Override
  public String toString() {
    return user + "@" + url;
  }
}

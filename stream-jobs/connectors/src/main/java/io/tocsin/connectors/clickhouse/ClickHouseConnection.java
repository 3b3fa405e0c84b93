package io.tocsin.connectors.clickhouse;

import java.io.Serializable;

/**
 * Where ClickHouse is and who inserts.
 *
 * @param url of the HTTP interface, for example {@code http://127.0.0.1:8123}
 * @param user name
 * @param password empty where the user has none
 */
public record ClickHouseConnection(String url, String user, String password)
    implements Serializable {
  /** Database of all tables. */
  public static final String DATABASE = "tocsin";

  /** Without the password. */
  @Override
  public String toString() {
    return user + "@" + url;
  }
}

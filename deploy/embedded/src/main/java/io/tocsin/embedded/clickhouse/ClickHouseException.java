package io.tocsin.embedded.clickhouse;

/** ClickHouse refused, or did not answer. The message is its own where it gave one. */
public final class ClickHouseException extends RuntimeException {

  /** With a message for a person. */
  public ClickHouseException(String message, Throwable cause) {
    super(message, cause);
  }
}

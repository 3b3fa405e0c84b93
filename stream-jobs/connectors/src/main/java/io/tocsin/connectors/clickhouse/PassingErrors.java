package io.tocsin.connectors.clickhouse;

import java.util.Map;

/**
 * Errors of the server that pass by themselves or by an operator's hand, so that the same insert is
 * worth repeating. Any other means that this insert will be refused again.
 */
final class PassingErrors {
  /**
   * Number and name as in ClickHouse's src/Common/ErrorCodes.cpp. Numbers are never given to
   * another error; a test asks a server for the names.
   */
  static final Map<Integer, String> NAMES =
      Map.ofEntries(
          // The server, or the way to it, has too much to do.
          Map.entry(159, "TIMEOUT_EXCEEDED"),
          Map.entry(160, "TOO_SLOW"),
          Map.entry(173, "CANNOT_ALLOCATE_MEMORY"),
          Map.entry(201, "QUOTA_EXCEEDED"),
          Map.entry(202, "TOO_MANY_SIMULTANEOUS_QUERIES"),
          Map.entry(203, "NO_FREE_CONNECTION"),
          Map.entry(209, "SOCKET_TIMEOUT"),
          Map.entry(210, "NETWORK_ERROR"),
          Map.entry(241, "MEMORY_LIMIT_EXCEEDED"),
          Map.entry(252, "TOO_MANY_PARTS"),
          Map.entry(364, "RECEIVED_ERROR_TOO_MANY_REQUESTS"),
          Map.entry(439, "CANNOT_SCHEDULE_TASK"),
          Map.entry(473, "DEADLOCK_AVOIDED"),
          Map.entry(574, "DISTRIBUTED_TOO_MANY_PENDING_BYTES"),
          Map.entry(745, "SERVER_OVERLOADED"),
          Map.entry(777, "MEMORY_RESERVATION_KILLED"),
          Map.entry(778, "MEMORY_RESERVATION_FAILED"),
          // Its disk: full, read-only, or failing until somebody has replaced it.
          Map.entry(74, "CANNOT_READ_FROM_FILE_DESCRIPTOR"),
          Map.entry(75, "CANNOT_WRITE_TO_FILE_DESCRIPTOR"),
          Map.entry(76, "CANNOT_OPEN_FILE"),
          Map.entry(242, "TABLE_IS_READ_ONLY"),
          Map.entry(243, "NOT_ENOUGH_SPACE"),
          Map.entry(425, "SYSTEM_ERROR"),
          Map.entry(499, "S3_ERROR"),
          // It stops or starts, or somebody ended the query.
          Map.entry(236, "ABORTED"),
          Map.entry(394, "QUERY_WAS_CANCELLED"),
          Map.entry(722, "ASYNC_LOAD_WAIT_FAILED"),
          Map.entry(733, "TABLE_IS_BEING_RESTARTED"),
          // Its replicas or its keeper are away, or the outcome is not known.
          Map.entry(225, "NO_ZOOKEEPER"),
          Map.entry(244, "UNEXPECTED_ZOOKEEPER_ERROR"),
          Map.entry(254, "NO_ACTIVE_REPLICAS"),
          Map.entry(279, "ALL_CONNECTION_TRIES_FAILED"),
          Map.entry(285, "TOO_FEW_LIVE_REPLICAS"),
          Map.entry(286, "UNSATISFIED_QUORUM_FOR_PREVIOUS_WRITE"),
          Map.entry(319, "UNKNOWN_STATUS_OF_INSERT"),
          Map.entry(904, "TOO_MANY_UNAVAILABLE_SHARDS"),
          Map.entry(999, "KEEPER_EXCEPTION"));

  private PassingErrors() {}

  /** Whether the error of this number passes. */
  static boolean contains(int code) {
    return NAMES.containsKey(code);
  }
}

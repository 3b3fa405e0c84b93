package io.tocsin.connectors.clickhouse;

import com.clickhouse.client.api.ClickHouseException;
import com.clickhouse.client.api.Client;
import com.clickhouse.client.api.ClientFaultCause;
import com.clickhouse.client.api.DataStreamWriter;
import com.clickhouse.client.api.ServerException;
import com.clickhouse.client.api.insert.InsertSettings;
import io.tocsin.kafka.ConnectionTrouble;
import java.io.IOException;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import org.apache.flink.util.ExceptionUtils;

/**
 * Inserts blocks through ClickHouse's HTTP interface. Retries of the client itself are off: the
 * committer repeats, with the same token and with patience.
 */
final class ClientInserter implements BlockInserter {
  private static final long CONNECT_TIMEOUT_SECONDS = 5;
  private static final long ANSWER_TIMEOUT_SECONDS = 60;

  /** The server's own default. */
  private static final String MOST_ROWS_OF_AN_INSERT = "1048449";

  /** The server's AUTHENTICATION_FAILED. */
  private static final int AUTHENTICATION_FAILED = 516;

  /** More blocks than one checkpoint has, which is how many a restarted job may commit again. */
  private static final String QUARANTINED_TOKENS =
      "SELECT token FROM %s ORDER BY quarantined_at DESC LIMIT 10000".formatted(Quarantine.TABLE);

  private final ClickHouseConnection connection;
  private final Client client;
  private String password;

  ClientInserter(ClickHouseConnection connection) throws IOException {
    this.connection = connection;
    this.password = connection.password();
    Client.Builder builder =
        new Client.Builder()
            .addEndpoint(connection.url())
            .setUsername(connection.user())
            .setPassword(password)
            .setDefaultDatabase(ClickHouseConnection.DATABASE)
            .setClientName("tocsin-jobs")
            .setConnectTimeout(CONNECT_TIMEOUT_SECONDS, ChronoUnit.SECONDS)
            .setSocketTimeout(ANSWER_TIMEOUT_SECONDS, ChronoUnit.SECONDS)
            // Answers are short.
            .compressServerResponse(false)
            .retryOnFailures(ClientFaultCause.None)
            .setMaxRetries(0);
    if (!connection.authoritiesFile().isEmpty()) {
      builder.setRootCertificate(connection.authoritiesFile());
    }
    this.client = builder.build();
  }

  @Override
  public void insert(Block block) throws IOException {
    insert(block, settings(block));
  }

  @Override
  public void insertWithoutRefusingViews(Block block) throws IOException {
    insert(block, settings(block).serverSetting("materialized_views_ignore_errors", "1"));
  }

  private static InsertSettings settings(Block block) {
    return new InsertSettings()
        .setDeduplicationToken(block.deduplicationToken())
        .appCompressedData(true, "zstd")
        // The block must be one block for the server too: the token covers all of it or
        // nothing.
        .serverSetting("async_insert", "0")
        // Its stretches are put together until its end: no limit is less than BlockLimits.maxRows.
        .serverSetting("min_insert_block_size_rows", MOST_ROWS_OF_AN_INSERT)
        .serverSetting("min_insert_block_size_bytes", "0")
        // Five jobs insert within each second. Threads for each of their views would take all
        // cores at once from those who wait for an alert.
        .serverSetting("max_threads", "1")
        .serverSetting("insert_deduplicate", "1")
        .serverSetting("deduplicate_blocks_in_dependent_materialized_views", "1")
        // Late events may spread a block over more weeks than the server's guard of 100 allows.
        .serverSetting("max_partitions_per_insert_block", "0");
  }

  private void insert(Block block, InsertSettings settings) throws IOException {
    // The HTTP client below repeats a request by itself where a proxy answers 503. A stream would
    // then be at its end: an insert of no rows, which is acknowledged.
    DataStreamWriter rows = out -> out.write(block.zstdRows());
    try {
      // The answer's arrival is the acknowledgement; what it says is of no use here.
      client.insert(block.table(), block.columns(), rows, block.format(), settings).get().close();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RetryableInsertException(at(block) + " was interrupted", e);
    } catch (ExecutionException e) {
      throw failure(at(block), e.getCause());
    } catch (Exception e) {
      throw failure(at(block), e);
    }
  }

  @Override
  public Set<String> quarantinedTokens() throws IOException {
    try {
      return client.queryAll(QUARANTINED_TOKENS).stream()
          .map(row -> row.getString(1))
          .collect(Collectors.toSet());
    } catch (ClickHouseException e) {
      throw failure("asking what table " + Quarantine.TABLE + " has at " + connection, e);
    }
  }

  private IOException failure(String what, Throwable cause) throws IOException {
    if (isLoginRefused(cause) && logsInWithAnotherPassword()) {
      return new RetryableInsertException(
          what + " was refused, and the password's file has another one since", cause);
    }
    if (isRetryable(cause)) {
      String reason =
          ConnectionTrouble.of(cause)
              .map(trouble -> trouble.reason() + "; " + trouble.remedy())
              .orElseGet(cause::getMessage);
      return new RetryableInsertException(what + " failed: " + reason, cause);
    }
    return new IOException(
        what
            + " was refused: "
            + cause.getMessage()
            + ". Where a table or column is missing, run `tocsin schema apply`",
        cause);
  }

  private static boolean isLoginRefused(Throwable failure) {
    return ExceptionUtils.findThrowable(failure, ServerException.class)
        .filter(server -> server.getCode() == AUTHENTICATION_FAILED)
        .isPresent();
  }

  /**
   * Whether the password has been changed where it is read from: then the next request has it. A
   * password that is wrong and stays so fails the job, which is told, instead of being tried for
   * ever.
   */
  private boolean logsInWithAnotherPassword() throws IOException {
    String now = connection.password();
    if (now.equals(password)) {
      return false;
    }
    password = now;
    client.updateUserAndPassword(connection.user(), now);
    return true;
  }

  /** By number and class, never by text: texts change between versions. */
  static boolean isRetryable(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof ServerException server) {
        return PassingErrors.contains(server.getCode())
            || server.getCode() == ServerException.CODE_UNKNOWN
                && server.getTransportProtocolCode() >= 500;
      }
      if (cause instanceof IOException) {
        return true;
      }
    }
    return failure instanceof ClickHouseException client && client.isRetryable();
  }

  private String at(Block block) {
    return "inserting " + block + " at " + connection;
  }

  @Override
  public void close() {
    client.close();
  }
}

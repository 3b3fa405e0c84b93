package io.tocsin.connectors.clickhouse;

import java.io.IOException;
import java.util.Set;

/** Stores a block. Separate from the committer, so that its retries are tested without a server. */
interface BlockInserter extends AutoCloseable {
  /**
   * Inserts the block; returns when it is stored, also where it was stored before.
   *
   * @throws RetryableInsertException where the same insert may succeed later
   * @throws IOException where it will not
   */
  void insert(Block block) throws IOException;

  /**
   * Inserts the block and leaves out what materialized views refuse of it. A view that throws does
   * so when the table has the rows already, and other views may have theirs.
   *
   * @throws RetryableInsertException where the same insert may succeed later
   * @throws IOException where the table itself refuses the block, and has none of it
   */
  void insertWithoutRefusingViews(Block block) throws IOException;

  /**
   * Tokens of the blocks that were put into the quarantine last, also of those that have left it.
   *
   * @throws RetryableInsertException where the same question may be answered later
   * @throws IOException where it will not
   */
  Set<String> quarantinedTokens() throws IOException;

  @Override
  void close();

  /** A request that is worth repeating: an insert may or may not have been stored. */
  final class RetryableInsertException extends IOException {

    RetryableInsertException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}

package io.tocsin.connectors.clickhouse;

import java.io.IOException;

/** Stores a block. Separate from the committer, so that its retries are tested without a server. */
interface BlockInserter extends AutoCloseable {
  /**
   * Inserts the block; returns when it is stored, also where it was stored before.
   *
   * @throws RetryableInsertException where the same insert may succeed later
   * @throws IOException where it will not
   */
  void insert(Block block) throws IOException;

  @Override
  void close();

  /** An insert that is worth repeating: it may or may not have been stored. */
  final class RetryableInsertException extends IOException {

    RetryableInsertException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}

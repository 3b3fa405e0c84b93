package io.tocsin.jobs.alerts;

import io.tocsin.jobs.RocksDb;
import org.apache.flink.runtime.state.StateBackend;
import org.apache.flink.runtime.state.hashmap.HashMapStateBackend;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;

/** Where a benchmark's operator keeps its state. */
enum Backend {
  /** Objects on the heap. */
  HEAP,
  /** Bytes in RocksDB, in a folder for temporary files. */
  ROCKSDB;

  /** For its caches and write buffers together; a slot of a task manager of 1.7 GB has as much. */
  private static final String ROCKSDB_MEMORY = "512mb";

  StateBackend open() {
    if (this == HEAP) {
      return new HashMapStateBackend();
    }
    EmbeddedRocksDBStateBackend backend = RocksDb.asJobsHaveIt();
    backend.getMemoryConfiguration().setFixedMemoryPerSlot(ROCKSDB_MEMORY);
    return backend;
  }
}

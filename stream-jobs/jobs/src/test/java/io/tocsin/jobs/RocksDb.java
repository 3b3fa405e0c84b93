package io.tocsin.jobs;

import io.tocsin.jobs.archive.ArchiveOptions;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** RocksDB for the operator of a benchmark, with the settings that every job has. */
public final class RocksDb {
  private RocksDb() {}

  /** A backend as {@link JobRunner#prepare} lets a job have it. */
  public static EmbeddedRocksDBStateBackend asJobsHaveIt() {
    var env = StreamExecutionEnvironment.createLocalEnvironment();
    JobRunner.prepare(
        env,
        JobOptions.parse("benchmark", new ArchiveOptions()).orElseThrow(),
        Buffering.LOW_LATENCY,
        Restart.PAGES_FIRST);
    return new EmbeddedRocksDBStateBackend()
        .configure(env.getConfiguration(), RocksDb.class.getClassLoader());
  }
}

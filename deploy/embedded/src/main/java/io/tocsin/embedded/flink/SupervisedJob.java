package io.tocsin.embedded.flink;

import io.tocsin.embedded.supervise.Backoff;
import java.time.Duration;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job over all its runs in this process. One that has ended for good, or could not be
 * submitted, is submitted again after a pause that grows; the other jobs run on.
 */
final class SupervisedJob {

  private static final Logger LOG = LoggerFactory.getLogger(SupervisedJob.class);

  private final String name;
  private final Submission submission;
  private final Backoff backoff = new Backoff();

  private int runs;
  private volatile JobID running;
  private long submittedNanos;
  private long dueNanos;

  /** Submits a job to the cluster. */
  @FunctionalInterface
  interface Submission {
    /**
     * From its newest checkpoint.
     *
     * @param run how often it has been submitted before: the cluster takes no id twice
     */
    JobID submit(int run) throws Exception;
  }

  SupervisedJob(String name, Submission submission) {
    this.name = name;
    this.submission = submission;
    this.dueNanos = System.nanoTime();
  }

  /** Its id in the cluster, while it has not ended. */
  Optional<JobID> running() {
    return Optional.ofNullable(running);
  }

  /**
   * Looks at the job, and submits it where that is due.
   *
   * @throws Exception where the cluster itself does not answer
   */
  void watch(MiniCluster cluster) throws Exception {
    JobID id = running;
    if (id != null) {
      JobStatus status = cluster.getJobStatus(id).get();
      if (status.isGloballyTerminalState()) {
        Throwable cause =
            cluster
                .requestJobResult(id)
                .get()
                .getSerializedThrowable()
                .map(e -> e.deserializeError(SupervisedJob.class.getClassLoader()))
                .orElse(null);
        ended("has ended for good as " + status, cause);
      }
    } else if (System.nanoTime() - dueNanos >= 0) {
      submit();
    }
  }

  private void submit() {
    submittedNanos = System.nanoTime();
    try {
      running = submission.submit(runs++);
    } catch (Exception e) {
      ended("cannot be submitted", e);
    }
  }

  private void ended(String how, Throwable cause) {
    running = null;
    long now = System.nanoTime();
    Duration pause = backoff.after(Duration.ofNanos(now - submittedNanos));
    dueNanos = now + pause.toNanos();
    LOG.error(
        "job {} {}; it is submitted again in {} s, the others run on",
        name,
        how,
        pause.toMillis() / 1e3,
        cause);
  }
}

package io.tocsin.embedded.flink;

import io.tocsin.embedded.supervise.Backoff;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.UUID;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One job over all its runs. One that runs already is found by its name. One that has ended for
 * good, or could not be submitted, is submitted again after a pause that grows; the other jobs run
 * on.
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
    /** From its newest checkpoint, under an id that the cluster has not seen. */
    void submit(JobID id) throws Exception;
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
   * @param jobs that the cluster knows now
   * @throws Exception where the cluster itself does not answer
   */
  void watch(ClusterClient<?> cluster, Collection<JobStatusMessage> jobs) throws Exception {
    JobID id = running;
    if (id == null) {
      running = foundIn(jobs).orElse(null);
      if (running == null && System.nanoTime() - dueNanos >= 0) {
        submit(jobs);
      }
      return;
    }
    Optional<JobStatusMessage> known = withId(jobs, id);
    if (known.isEmpty()) {
      ended("is not known to the job manager, which was started again", null);
    } else if (known.get().getJobState().isGloballyTerminalState()) {
      Throwable cause =
          cluster
              .requestJobResult(id)
              .get()
              .getSerializedThrowable()
              .map(e -> e.deserializeError(SupervisedJob.class.getClassLoader()))
              .orElse(null);
      ended("has ended for good as " + known.get().getJobState(), cause);
    }
  }

  /** Submitted by a process before this one, or by a request whose answer did not come. */
  private Optional<JobID> foundIn(Collection<JobStatusMessage> jobs) {
    Optional<JobID> found =
        jobs.stream()
            .filter(job -> job.getJobName().equals("tocsin-" + name))
            .filter(job -> !job.getJobState().isGloballyTerminalState())
            .map(JobStatusMessage::getJobId)
            .findFirst();
    found.ifPresent(id -> LOG.info("job {} runs already", name));
    return found;
  }

  private static Optional<JobStatusMessage> withId(Collection<JobStatusMessage> jobs, JobID id) {
    return jobs.stream().filter(job -> job.getJobId().equals(id)).findFirst();
  }

  private void submit(Collection<JobStatusMessage> jobs) {
    submittedNanos = System.nanoTime();
    try {
      JobID id = nextId();
      while (withId(jobs, id).isPresent()) {
        id = nextId();
      }
      submission.submit(id);
      running = id;
    } catch (Exception e) {
      ended("cannot be submitted", e);
    }
  }

  /** From the name and the number of the run alone: the same whenever this process is started. */
  private JobID nextId() {
    String idName = "tocsin-" + name + (runs == 0 ? "" : "-" + runs);
    runs++;
    UUID uuid = UUID.nameUUIDFromBytes(idName.getBytes(StandardCharsets.UTF_8));
    return new JobID(uuid.getLeastSignificantBits(), uuid.getMostSignificantBits());
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

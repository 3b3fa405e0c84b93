package io.tocsin.integration;

import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/** The checkpoints of a job, as Flink's REST interface tells of them. */
final class FlinkCheckpoints {
  /** Checkpoints are a second apart: so long without one means that something holds the job. */
  private static final Duration STANDSTILL = Duration.ofSeconds(3);

  private final URI jobs;
  private final String jobName;
  private long completed = -1;
  private long completedAtNanos;

  /**
   * @param port of the REST interface
   * @param jobName for example "tocsin-archive"
   */
  FlinkCheckpoints(int port, String jobName) {
    this.jobs = URI.create("http://127.0.0.1:" + port + "/jobs/");
    this.jobName = jobName;
  }

  /**
   * Waits until a checkpoint has been under way for three seconds. With a sink that does not answer
   * the job then stands in the commit of the checkpoint before.
   */
  void awaitStandstill(Duration deadline) {
    await(jobName + " stands in a commit")
        .atMost(deadline)
        .pollInterval(Duration.ofMillis(100))
        .until(this::standsStill);
  }

  /** How often the job began again at a checkpoint. */
  long restored() throws IOException, InterruptedException {
    return Http.json(jobs.resolve(id() + "/checkpoints")).path("counts").path("restored").asLong();
  }

  private boolean standsStill() throws IOException, InterruptedException {
    JsonNode counts = Http.json(jobs.resolve(id() + "/checkpoints")).path("counts");
    long now = System.nanoTime();
    if (counts.path("completed").asLong() != completed || counts.path("in_progress").asInt() == 0) {
      completed = counts.path("completed").asLong();
      completedAtNanos = now;
    }
    return now - completedAtNanos >= STANDSTILL.toNanos();
  }

  private String id() throws IOException, InterruptedException {
    for (JsonNode job : Http.json(jobs.resolve("overview")).path("jobs")) {
      if (job.path("name").asText().equals(jobName)) {
        return job.path("jid").asText();
      }
    }
    throw new AssertionError("Flink has no job " + jobName);
  }
}

package io.tocsin.integration;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.JobStatus;
import org.apache.flink.client.ClientUtils;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.DeploymentOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.DefaultExecutorServiceLoader;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.client.JobStatusMessage;

/**
 * The six jobs of deploy/kubernetes on a cluster: their graphs are made here, the classes that they
 * need come from the jar that {@code flink run} takes. They stop as by {@code flink stop}.
 */
final class ClusterJobs implements AutoCloseable {
  private final Configuration configuration;
  private final Map<String, String> addresses;
  private final RestClusterClient<StandaloneClusterId> client;

  /** By their names in Flink. */
  private final Map<String, Job> shipped = shipped();

  /** A job: its class and the names of its options. */
  private record Job(String entryClass, boolean isAlone, List<String> options) {}

  /**
   * @param configuration of who submits
   * @param addresses option of a job to its value here; options that are not named are left out
   */
  ClusterJobs(Configuration configuration, Map<String, String> addresses) throws Exception {
    this.configuration = configuration;
    this.addresses = addresses;
    this.client = new RestClusterClient<>(configuration, StandaloneClusterId.getInstance());
  }

  /** The interface of the job manager that leads. */
  URI leader() {
    return URI.create(client.getWebInterfaceURL());
  }

  /** Submits every job with so many instances of each operator; one, where it is shipped so. */
  void submitAll(int parallelism) throws Exception {
    for (String name : shipped.keySet()) {
      submit(name, parallelism, Optional.empty());
    }
  }

  /** Submits one job, from a savepoint where there is one. */
  void submit(String name, int parallelism, Optional<String> savepoint) throws Exception {
    Job job = shipped.get(name);
    Path jar = TestStacks.tools().repository().resolve("stream-jobs/jobs/target/tocsin-jobs.jar");
    Configuration settings = new Configuration(configuration);
    settings.set(DeploymentOptions.TARGET, "remote");
    settings.set(DeploymentOptions.ATTACHED, false);
    settings.set(PipelineOptions.JARS, List.of(jar.toUri().toString()));
    settings.set(CoreOptions.DEFAULT_PARALLELISM, job.isAlone() ? 1 : parallelism);
    savepoint.ifPresent(path -> settings.set(StateRecoveryOptions.SAVEPOINT_PATH, path));
    List<String> arguments = new ArrayList<>();
    job.options()
        .forEach(
            option -> {
              if (addresses.containsKey(option)) {
                arguments.add(option + "=" + addresses.get(option));
              }
            });
    try (PackagedProgram program =
        PackagedProgram.newBuilder()
            .setEntryPointClassName(job.entryClass())
            .setConfiguration(settings)
            .setArguments(arguments.toArray(String[]::new))
            .build()) {
      ClientUtils.executeProgram(
          new DefaultExecutorServiceLoader(), settings, program, false, false);
    }
  }

  /** Stops every job with a savepoint. Returns the savepoint of each. */
  Map<String, String> stopAll() throws Exception {
    Map<String, String> savepoints = new LinkedHashMap<>();
    for (JobStatusMessage job : running()) {
      savepoints.put(
          job.getJobName(),
          client
              .stopWithSavepoint(job.getJobId(), false, null, SavepointFormatType.CANONICAL)
              .get());
    }
    return savepoints;
  }

  /** The id of a job that has not ended. */
  JobID id(String name) throws Exception {
    return running().stream()
        .filter(job -> job.getJobName().equals(name))
        .map(JobStatusMessage::getJobId)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no job " + name + " runs"));
  }

  private Collection<JobStatusMessage> running() throws Exception {
    return client.listJobs().get().stream()
        .filter(job -> job.getJobState() == JobStatus.RUNNING)
        .toList();
  }

  private static Map<String, Job> shipped() throws Exception {
    Path file = TestStacks.tools().repository().resolve("deploy/kubernetes/base/flink/jobs.yaml");
    Map<String, Job> jobs = new LinkedHashMap<>();
    new YAMLMapper()
        .readerFor(JsonNode.class)
        .<JsonNode>readValues(file.toFile())
        .forEachRemaining(
            document -> {
              JsonNode job = document.at("/spec/job");
              List<String> options = new ArrayList<>(List.of("--kafka-bootstrap-servers"));
              job.path("args")
                  .forEach(argument -> options.add(argument.asText().replaceFirst("=.*", "")));
              jobs.put(
                  document.at("/metadata/name").asText(),
                  new Job(
                      job.path("entryClass").asText(),
                      job.path("parallelism").asInt() == 1,
                      options));
            });
    return jobs;
  }

  @Override
  public void close() {
    client.close();
  }
}

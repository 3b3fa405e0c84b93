package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Tools;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.cli.CliFrontend;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.runtime.client.JobStatusMessage;

/**
 * The six jobs of deploy/kubernetes on a cluster: submitted by {@code flink run} in a process that
 * has a Flink distribution's classes and what its lib has, and stopped as by {@code flink stop}.
 */
final class ClusterJobs implements AutoCloseable {
  private final Path configuration;
  private final Map<String, String> addresses;
  private final RestClusterClient<StandaloneClusterId> client;

  /** By their names in Flink. */
  private final Map<String, Job> shipped = shipped();

  private final Optional<Path> jobsInLib;
  private final Supplier<Tools> release;

  /** A job: its class and the names of its options. */
  private record Job(String entryClass, List<String> options) {}

  /**
   * @param configuration the folder of a config.yaml of who submits
   * @param addresses option of a job to its value here; options that are not named are left out
   * @param jobsInLib the jar in Flink's lib; where there is none, each job brings that of the
   *     release, which every task manager fetches before the job's first task there
   * @param release the checkout that has the jar now
   */
  ClusterJobs(
      Path configuration,
      Map<String, String> addresses,
      Optional<Path> jobsInLib,
      Supplier<Tools> release)
      throws Exception {
    this.configuration = configuration;
    this.addresses = addresses;
    this.jobsInLib = jobsInLib;
    this.release = release;
    this.client =
        new RestClusterClient<>(
            GlobalConfiguration.loadConfiguration(configuration.toString()),
            StandaloneClusterId.getInstance());
  }

  /** The interface of the job manager that leads. */
  URI leader() {
    return URI.create(client.getWebInterfaceURL());
  }

  /** In the order of their start. */
  Set<String> names() {
    return shipped.keySet();
  }

  /** Submits every job with so many instances of each operator. */
  void submitAll(int parallelism) throws Exception {
    for (String name : shipped.keySet()) {
      submit(name, parallelism, Optional.empty());
    }
  }

  /** Submits one job by {@code flink run}, from a savepoint where there is one. */
  void submit(String name, int parallelism, Optional<String> savepoint) throws Exception {
    submit(
        name,
        parallelism,
        savepoint.map(path -> List.of("--fromSavepoint=" + path)).orElse(List.of()),
        List.of());
  }

  /**
   * Submits one job that goes on from a checkpoint, but for where it stood in Kafka, which was lost
   * and restored so many times.
   */
  void submitAfterKafkaLoss(String name, int parallelism, String checkpoint, int generation)
      throws Exception {
    submit(
        name,
        parallelism,
        List.of("--fromSavepoint=" + checkpoint, "--allowNonRestoredState"),
        List.of("--kafka-generation=" + generation));
  }

  private void submit(String name, int parallelism, List<String> ofFlink, List<String> ofJob)
      throws Exception {
    Job job = shipped.get(name);
    List<String> command = new ArrayList<>(List.of("java", "-Xmx192m"));
    command.addAll(JavaProcess.flinkFlags());
    command.addAll(JavaProcess.classArchiveFlags(CliFrontend.class.getName()));
    command.add(CliFrontend.class.getName());
    command.addAll(List.of("run", "--target", "remote", "--detached", "--class", job.entryClass()));
    command.add("--parallelism=" + parallelism);
    command.addAll(ofFlink);
    command.add(brought().toString());
    job.options().stream()
        .filter(addresses::containsKey)
        .forEach(option -> command.add(option + "=" + addresses.get(option)));
    command.addAll(ofJob);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(ImageScript.environmentOfFlinkAnd(jobsInLib));
    builder.environment().put("FLINK_CONF_DIR", configuration.toString());
    Ended ended = Ended.of(builder);
    assertThat(ended.exitCode()).as("flink run of %s: %s", name, ended.output()).isZero();
  }

  /** The jar of a job: {@code flink run} wants one, and its classes may be in lib. */
  private Path brought() throws IOException {
    if (jobsInLib.isEmpty()) {
      return release.get().jobs();
    }
    Path empty = configuration.resolve("empty.jar");
    new JarOutputStream(Files.newOutputStream(empty), new Manifest()).close();
    return empty;
  }

  /** Stops every job with a savepoint. Returns the savepoint of each. */
  Map<String, String> stopAll() throws Exception {
    Map<String, String> savepoints = new LinkedHashMap<>();
    for (String name : names()) {
      savepoints.put(name, stop(name));
    }
    return savepoints;
  }

  /** Stops one job. Returns its savepoint. */
  String stop(String name) throws Exception {
    return client.stopWithSavepoint(id(name), false, null, SavepointFormatType.CANONICAL).get();
  }

  /** Cancels every job, whatever it is at. Returns the newest checkpoint of each, which is kept. */
  Map<String, String> cancelAll() throws Exception {
    Map<String, String> checkpoints = new LinkedHashMap<>();
    for (String name : names()) {
      checkpoints.put(name, cancel(name));
    }
    return checkpoints;
  }

  private String cancel(String name) throws Exception {
    JobID id = id(name);
    URI checkpoints = leader().resolve("/jobs/" + id + "/checkpoints");
    String newest = Http.json(checkpoints).at("/latest/completed/external_path").asText();
    assertThat(newest).as("newest checkpoint of %s", name).isNotEmpty();
    client.cancel(id).get();
    await("the end of " + name)
        .atMost(TestStacks.DEADLINE)
        .until(() -> client.getJobStatus(id).get().isGloballyTerminalState());
    return newest;
  }

  /** The id of a job that has not ended. */
  JobID id(String name) throws Exception {
    return notEnded().stream()
        .filter(job -> job.getJobName().equals(name))
        .map(JobStatusMessage::getJobId)
        .findFirst()
        .orElseThrow(() -> new AssertionError("there is no job " + name));
  }

  private Collection<JobStatusMessage> notEnded() throws Exception {
    return client.listJobs().get().stream()
        .filter(job -> !job.getJobState().isGloballyTerminalState())
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
                  new Job(job.path("entryClass").asText(), options));
            });
    return jobs;
  }

  @Override
  public void close() {
    client.close();
  }
}

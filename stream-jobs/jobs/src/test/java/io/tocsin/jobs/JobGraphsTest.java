package io.tocsin.jobs;

import static org.apache.flink.state.rocksdb.RocksDBConfigurableOptions.USE_BLOOM_FILTER;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.jobs.alerts.AlertsJob;
import io.tocsin.jobs.alerts.AlertsOptions;
import io.tocsin.jobs.archive.ArchiveJob;
import io.tocsin.jobs.archive.ArchiveOptions;
import io.tocsin.jobs.findings.FindingsJob;
import io.tocsin.jobs.findings.FindingsOptions;
import io.tocsin.jobs.paging.PagingJob;
import io.tocsin.jobs.paging.PagingOptions;
import io.tocsin.jobs.registrations.RegistrationsJob;
import io.tocsin.jobs.registrations.RegistrationsOptions;
import io.tocsin.jobs.wan.WanJob;
import io.tocsin.jobs.wan.WanOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.runtime.jobgraph.JobVertex;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The graphs that the mains submit, not those of tests. */
class JobGraphsTest {
  private static final Map<String, Consumer<StreamExecutionEnvironment>> JOBS =
      Map.of(
          ArchiveJob.NAME, env -> ArchiveJob.configure(env, defaults(new ArchiveOptions())),
          AlertsJob.NAME, env -> AlertsJob.configure(env, defaults(new AlertsOptions())),
          PagingJob.NAME, env -> PagingJob.configure(env, defaults(new PagingOptions())),
          RegistrationsJob.NAME,
              env -> RegistrationsJob.configure(env, defaults(new RegistrationsOptions())),
          WanJob.NAME, env -> WanJob.configure(env, defaults(new WanOptions())),
          FindingsJob.NAME, env -> FindingsJob.configure(env, defaults(new FindingsOptions())));

  private static final Path LIST = Path.of("src/test/resources/operator-uids.txt");

  /** How Flink names the committing half of a sink after the sink's uid. */
  private static final String COMMITTER_PREFIX = "Sink Committer: ";

  /**
   * State in checkpoints is found again by its operator's uid, so none is missing, changed or
   * reused without this list.
   */
  @Test
  void uidsAreThoseOfTheList() throws IOException {
    List<String> uids = new ArrayList<>();
    for (String job : jobs()) {
      for (StreamNode node : environmentOf(job).getStreamGraph(false).getStreamNodes()) {
        assertThat(node.getTransformationUID())
            .as("uid of %s in %s", node.getOperatorName(), job)
            .isNotNull();
        uids.add(job + " " + node.getTransformationUID().replace(COMMITTER_PREFIX, ""));
      }
    }
    List<String> listed =
        Files.readAllLines(LIST).stream().filter(line -> !line.startsWith("#")).toList();

    assertThat(uids.stream().distinct().sorted())
        .as("uids in %s", LIST)
        .containsExactlyElementsOf(listed);
  }

  /** All other state is found by its uid as before. */
  @ParameterizedTest
  @MethodSource("jobs")
  void sourcesOfRestoredTopicsFindNoOldOffsets(String job) {
    List<String> before = uidsOf(environmentOf(job));
    StreamExecutionEnvironment env = environmentOf(job);
    JobRunner.ofGeneration(env, 2);

    assertThat(uidsOf(env))
        .containsExactlyInAnyOrderElementsOf(
            before.stream().map(uid -> uid.endsWith("-source") ? uid + "-2" : uid).toList())
        .anyMatch(uid -> uid.endsWith("-source-2"));
  }

  private static List<String> uidsOf(StreamExecutionEnvironment env) {
    return env.getStreamGraph(false).getStreamNodes().stream()
        .map(StreamNode::getTransformationUID)
        .toList();
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void checkpointsAreOnAndKryoIsOff(String job) {
    StreamExecutionEnvironment env = environmentOf(job);
    long expectedMillis =
        switch (job) {
          case ArchiveJob.NAME -> 2_000;
          case RegistrationsJob.NAME, WanJob.NAME, FindingsJob.NAME -> 30_000;
          default -> 10_000;
        };

    assertThat(env.getCheckpointConfig().getCheckpointInterval()).isEqualTo(expectedMillis);
    assertThat(env.getConfiguration().get(PipelineOptions.GENERIC_TYPES)).isFalse();
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void jobCanBeRescaledAndOutlivesCheckpointsThatFail(String job) {
    StreamExecutionEnvironment env = environmentOf(job);

    assertThat(env.getMaxParallelism()).isEqualTo(720);
    assertThat(env.getCheckpointConfig().getTolerableCheckpointFailureNumber())
        .isEqualTo(job.equals(ArchiveJob.NAME) ? Integer.MAX_VALUE : 10);
  }

  @Test
  void settingsOfFlinksConfigurationStay() {
    Configuration flinks = new Configuration();
    flinks.set(PipelineOptions.MAX_PARALLELISM, 64);
    flinks.set(CheckpointingOptions.TOLERABLE_FAILURE_NUMBER, 3);
    var env = StreamExecutionEnvironment.createLocalEnvironment(flinks);
    env.enableCheckpointing(30_000);

    ArchiveJob.configure(env, defaults(new ArchiveOptions()));

    assertThat(env.getCheckpointConfig().getCheckpointInterval()).isEqualTo(30_000);
    assertThat(env.getCheckpointConfig().getTolerableCheckpointFailureNumber()).isEqualTo(3);
    assertThat(env.getMaxParallelism()).isEqualTo(64);
  }

  @Test
  void rocksDbHasFiltersUnlessFlinksConfigurationSaysOtherwise() {
    assertThat(environmentOf(AlertsJob.NAME).getConfiguration().get(USE_BLOOM_FILTER)).isTrue();

    Configuration flinks = new Configuration();
    flinks.set(USE_BLOOM_FILTER, false);
    var env = StreamExecutionEnvironment.createLocalEnvironment(flinks);
    AlertsJob.configure(env, defaults(new AlertsOptions()));

    assertThat(env.getConfiguration().get(USE_BLOOM_FILTER)).isFalse();
  }

  /** Otherwise every event would be written and read again before it meets a rule. */
  @Test
  void eventsMeetTheRulesInTheTaskThatReadsThem() {
    Iterable<JobVertex> tasks =
        environmentOf(AlertsJob.NAME).getStreamGraph(false).getJobGraph().getVertices();

    assertThat(tasks).extracting(JobVertex::getName).contains("Source: events -> signals");
  }

  private static Set<String> jobs() {
    return JOBS.keySet();
  }

  private static StreamExecutionEnvironment environmentOf(String job) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment();
    JOBS.get(job).accept(env);
    return env;
  }

  private static <O extends JobOptions> O defaults(O options) {
    return JobOptions.parse("job", options).orElseThrow();
  }
}

package io.tocsin.jobs;

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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.InstantiationUtil;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a job sends through the cluster, where everybody who may look at jobs may look at it: it
 * lies in Flink's blob store and on every task manager.
 */
class JobGraphSecretsTest {
  private static final String KAFKA_SECRET = "kafka-s3cret";
  private static final String CLICKHOUSE_SECRET = "clickhouse-s3cret";

  @TempDir private Path folder;

  @BeforeEach
  void writeSecrets() throws IOException {
    Files.writeString(folder.resolve("kafka.password"), KAFKA_SECRET);
    Files.writeString(folder.resolve("clickhouse.password"), CLICKHOUSE_SECRET);
    Files.copy(
        Path.of("../../deploy/config/kafka.example.properties"),
        folder.resolve("kafka.properties"));
  }

  @Test
  void graphOfTheArchiveHoldsTheNamesOfFilesAndNoSecret() throws Exception {
    assertThat(text(graph(new ArchiveOptions(), ArchiveJob::configure, true)))
        .contains("kafka.password", folder.resolve("clickhouse.password").toString())
        .doesNotContain(KAFKA_SECRET, CLICKHOUSE_SECRET);
  }

  @Test
  void graphsOfTheOtherJobsHoldTheNameOfTheFileAndNoSecret() throws Exception {
    for (byte[] graph :
        Stream.of(
                graph(new AlertsOptions(), AlertsJob::configure, false),
                graph(new RegistrationsOptions(), RegistrationsJob::configure, false),
                graph(new WanOptions(), WanJob::configure, false),
                graph(new PagingOptions(), PagingJob::configure, false),
                graph(new FindingsOptions(), FindingsJob::configure, false))
            .toList()) {
      assertThat(text(graph)).contains("kafka.password").doesNotContain(KAFKA_SECRET);
    }
  }

  private <O extends JobOptions> byte[] graph(
      O options, BiConsumer<StreamExecutionEnvironment, O> configure, boolean isStored)
      throws IOException {
    String kafka = "--kafka-config=" + folder.resolve("kafka.properties");
    String clickHouse = "--clickhouse-password-file=" + folder.resolve("clickhouse.password");
    String[] arguments = isStored ? new String[] {kafka, clickHouse} : new String[] {kafka};
    JobOptions.parse("job", options, arguments).orElseThrow();
    var env = StreamExecutionEnvironment.getExecutionEnvironment();
    configure.accept(env, options);
    return InstantiationUtil.serializeObject(env.getStreamGraph().getJobGraph());
  }

  private static String text(byte[] graph) {
    return new String(graph, StandardCharsets.ISO_8859_1);
  }
}

package io.tocsin.embedded.flink;

import io.tocsin.embedded.supervise.ServiceSpec;
import io.tocsin.jobs.alerts.AlertsJob;
import io.tocsin.jobs.archive.ArchiveJob;
import io.tocsin.jobs.findings.FindingsJob;
import io.tocsin.jobs.paging.PagingJob;
import io.tocsin.jobs.registrations.RegistrationsJob;
import io.tocsin.jobs.wan.WanJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.client.ClientUtils;
import org.apache.flink.client.deployment.StandaloneClusterId;
import org.apache.flink.client.program.ClusterClient;
import org.apache.flink.client.program.MiniClusterClient;
import org.apache.flink.client.program.PackagedProgram;
import org.apache.flink.client.program.rest.RestClusterClient;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.GlobalConfiguration;
import org.apache.flink.configuration.RestOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.DefaultExecutorServiceLoader;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.plugin.PluginUtils;
import org.apache.flink.runtime.client.JobStatusMessage;
import org.apache.flink.runtime.minicluster.MiniCluster;
import org.apache.flink.runtime.minicluster.MiniClusterConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Keeps Tocsin's jobs running, submitted as {@code flink run} would: in this process, on a mini
 * cluster with Flink's own REST interface and pages, or on a cluster that stands elsewhere.
 *
 * <p>Each job starts from its newest complete checkpoint that can be read. A job that ends for
 * good, that a job manager has forgotten because it was started again, or that has checkpoints of
 * which none can be used, is told in the log and submitted again and again, while the others run
 * on. On SIGTERM a mini cluster ends, after one more checkpoint of each job; on a cluster elsewhere
 * the jobs run on, and the next process finds them there.
 */
@Command(
    name = "flink",
    sortOptions = false,
    description = "Tocsin's jobs, on Flink in this process or on a cluster.")
public final class FlinkMain implements Callable<Integer> {

  private static final Logger LOG = LoggerFactory.getLogger(FlinkMain.class);

  /** Flink makes a picture of each job's whole graph for an answer, so it is asked rarely. */
  private static final long POLL_INTERVAL_MS = 1_000;

  private static final long LAST_CHECKPOINT_SECONDS = 5;
  private static final long CLOSE_SECONDS = 10;

  /**
   * A job.
   *
   * @param main its main class
   * @param isStored whether it writes to ClickHouse
   * @param isPaged whether it speaks to Alertmanager
   */
  private record Job(Class<?> main, boolean isStored, boolean isPaged) {}

  /** By the name of the folder of their checkpoints, in the order of submission. */
  private static final Map<String, Job> JOBS = new LinkedHashMap<>();

  static {
    JOBS.put("archive", new Job(ArchiveJob.class, true, false));
    JOBS.put("alerts", new Job(AlertsJob.class, false, false));
    JOBS.put("paging", new Job(PagingJob.class, false, true));
    JOBS.put("registrations", new Job(RegistrationsJob.class, false, false));
    JOBS.put("wan", new Job(WanJob.class, false, false));
    JOBS.put("findings", new Job(FindingsJob.class, false, false));
  }

  @Option(
      names = "--cluster-config",
      paramLabel = "DIR",
      description =
          "folder with the config.yaml of the Flink cluster that runs the jobs; --path must be the same place there"
              + " (default: Flink in this process)")
  private Path clusterConfig;

  @Option(
      names = "--rest-address",
      defaultValue = "127.0.0.1",
      description = "default: ${DEFAULT-VALUE}")
  private String restAddress;

  @Option(names = "--rest-port", defaultValue = "8081", description = "default: ${DEFAULT-VALUE}")
  private int restPort;

  @Option(
      names = "--rest-certificate",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_JOBS_REST_CERTIFICATE}",
      description =
          "PEM file with a private key and its certificate: HTTPS at the REST interface of Flink in this process"
              + " (default: TOCSIN_JOBS_REST_CERTIFICATE, else HTTP)")
  private Path restCertificate;

  @Option(
      names = "--flink-ca",
      paramLabel = "FILE",
      defaultValue = "${env:TOCSIN_FLINK_CA}",
      description =
          "PEM file of the authority of a cluster whose REST interface is HTTPS (default: TOCSIN_FLINK_CA, else HTTP)")
  private Path flinkCa;

  @Option(
      names = "--metrics-port",
      defaultValue = "9249",
      description = "where Prometheus finds metrics (default: ${DEFAULT-VALUE})")
  private int metricsPort;

  @Option(
      names = "--path",
      required = true,
      paramLabel = "DIR",
      description = "where checkpoints are kept")
  private Path path;

  @Option(
      names = "--state-backend",
      defaultValue = "hashmap",
      description = "hashmap, or rocksdb for more state than memory (default: ${DEFAULT-VALUE})")
  private String stateBackend;

  @Option(
      names = "--parallelism",
      defaultValue = "1",
      description =
          "instances of each operator in this process, but for the archive, which has one (default: ${DEFAULT-VALUE})")
  private int parallelism;

  @Option(
      names = "--jobs",
      split = ",",
      paramLabel = "NAME",
      description = "only these: archive, alerts, paging, registrations, wan, findings")
  private List<String> wanted = List.copyOf(JOBS.keySet());

  @Option(names = "--log-file", description = "this process's log, for Flink's pages")
  private Path logFile;

  @Option(
      names = "--kafka-bootstrap-servers",
      defaultValue = "${env:TOCSIN_KAFKA:-127.0.0.1:9092}",
      description = "default: TOCSIN_KAFKA, else 127.0.0.1:9092")
  private String kafkaBootstrapServers;

  @Option(
      names = "--kafka-config",
      defaultValue = "${env:TOCSIN_KAFKA_CONFIG}",
      description = "how Kafka is reached, where it is secured (default: TOCSIN_KAFKA_CONFIG)")
  private Path kafkaConfigFile;

  @Option(
      names = "--kafka-generation",
      paramLabel = "N",
      defaultValue = "${env:TOCSIN_KAFKA_GENERATION:-0}",
      description =
          "how often Kafka's topics were lost and restored; with another number jobs keep their state and read topics from"
              + " the beginning (default: TOCSIN_KAFKA_GENERATION, else 0)")
  private int kafkaGeneration;

  @Option(
      names = "--clickhouse-url",
      defaultValue = "${env:TOCSIN_CLICKHOUSE:-http://127.0.0.1:8123}",
      description = "default: TOCSIN_CLICKHOUSE, else http://127.0.0.1:8123")
  private String clickHouseUrl;

  @Option(
      names = "--clickhouse-user",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_USER:-default}",
      description = "who inserts (default: TOCSIN_CLICKHOUSE_USER, else default)")
  private String clickHouseUser;

  @Option(
      names = "--clickhouse-password-file",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_PASSWORD_FILE}",
      description = "default: TOCSIN_CLICKHOUSE_PASSWORD_FILE, else no password")
  private Path clickHousePasswordFile;

  @Option(
      names = "--clickhouse-ca",
      defaultValue = "${env:TOCSIN_CLICKHOUSE_CA}",
      description =
          "PEM file of the authority of an https:// ClickHouse (default: TOCSIN_CLICKHOUSE_CA)")
  private Path clickHouseCa;

  @Option(
      names = "--alertmanager-urls",
      defaultValue = "${env:TOCSIN_ALERTMANAGER:-http://127.0.0.1:9093}",
      description = "every one of them (default: TOCSIN_ALERTMANAGER, else http://127.0.0.1:9093)")
  private String alertmanagerUrls;

  @Option(
      names = "--grafana-url",
      defaultValue = "${env:TOCSIN_GRAFANA:-http://127.0.0.1:3000}",
      description =
          "as people on call reach it: pages link to it (default: TOCSIN_GRAFANA, else http://127.0.0.1:3000)")
  private String grafanaUrl;

  @Option(
      names = "--set",
      paramLabel = "JOB.OPTION=VALUE",
      description =
          "an option of a job by its own name, for example findings.disk-busy-percent=80; can be repeated")
  private Map<String, String> jobOptions = Map.of();

  @Option(names = "--help", usageHelp = true, description = "print this and exit")
  private boolean isHelpRequested;

  private volatile boolean isStopping;

  private FlinkMain() {}

  /** Runs until SIGTERM, or until the cluster has failed. */
  public static void main(String[] args) {
    // halt: the last checkpoint of the shutdown hook has no sense after a failure.
    Runtime.getRuntime().halt(new CommandLine(new FlinkMain()).execute(args));
  }

  /** The names that all jobs have in Flink. */
  static List<String> jobNames() {
    return JOBS.keySet().stream().map(name -> "tocsin-" + name).toList();
  }

  @Override
  public Integer call() throws Exception {
    if (!JOBS.keySet().containsAll(wanted)) {
      LOG.error("--jobs is {}: there are {}", wanted, JOBS.keySet());
      return ServiceSpec.EXIT_UNUSABLE;
    }
    for (String option : jobOptions.keySet()) {
      if (JOBS.keySet().stream().noneMatch(name -> option.startsWith(name + "."))) {
        LOG.error(
            "--set {}: begin with the name of a job and a dot; there are {}",
            option,
            JOBS.keySet());
        return ServiceSpec.EXIT_UNUSABLE;
      }
    }
    return clusterConfig == null ? runInThisProcess() : keepRunningOnCluster();
  }

  private int runInThisProcess() throws Exception {
    Path temporary = Files.createDirectories(path.toAbsolutePath().resolve("tmp"));
    Configuration configuration =
        FlinkConfiguration.cluster(
            restAddress,
            restPort,
            metricsPort,
            parallelism,
            temporary,
            Optional.ofNullable(logFile));
    if (restCertificate != null) {
      RestTls.serve(configuration, restCertificate);
    }
    initializeFileSystems(configuration);
    // Slots for each job, and as many for a restart beside one that is being cancelled.
    MiniCluster cluster =
        new MiniCluster(
            new MiniClusterConfiguration.Builder()
                .setConfiguration(configuration)
                .setNumTaskManagers(1)
                .setNumSlotsPerTaskManager(2 * JOBS.size() * parallelism)
                .build());
    cluster.start();
    ClusterClient<?> client = new MiniClusterClient(configuration, cluster);
    List<SupervisedJob> jobs = supervised(configuration);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(cluster, jobs)));
    try {
      while (cluster.isRunning() && !isStopping) {
        watch(client, jobs);
        Thread.sleep(POLL_INTERVAL_MS);
      }
    } catch (Exception e) {
      if (!isStopping) {
        throw e;
      }
    }
    if (isStopping) {
      // The shutdown hook ends the process.
      Thread.sleep(Long.MAX_VALUE);
    }
    LOG.error("the cluster has ended");
    return 1;
  }

  /** Never ends by itself: a cluster that does not answer is asked again. */
  private int keepRunningOnCluster() throws Exception {
    Configuration configuration = GlobalConfiguration.loadConfiguration(clusterConfig.toString());
    if (flinkCa != null) {
      RestTls.believe(configuration, flinkCa);
    }
    initializeFileSystems(configuration);
    List<SupervisedJob> jobs = supervised(configuration);
    try (ClusterClient<?> cluster =
        new RestClusterClient<>(onceOnly(configuration), StandaloneClusterId.getInstance())) {
      boolean answers = false;
      boolean isTold = false;
      while (true) {
        try {
          if (!answers && flinkCa != null) {
            RestTls.check(configuration, flinkCa);
          }
          watch(cluster, jobs);
          answers = true;
          isTold = false;
        } catch (ExecutionException | IOException e) {
          if (!isTold) {
            LOG.warn("the cluster does not answer and is asked again: {}", RestTls.told(e));
          }
          answers = false;
          isTold = true;
        }
        Thread.sleep(POLL_INTERVAL_MS);
      }
    }
  }

  /** A question that fails is told and asked again here, not for a minute by Flink's client. */
  private static Configuration onceOnly(Configuration configuration) {
    Configuration once = new Configuration(configuration);
    once.set(RestOptions.RETRY_MAX_ATTEMPTS, 0);
    return once;
  }

  private static void initializeFileSystems(Configuration configuration) {
    FileSystem.initialize(
        configuration, PluginUtils.createPluginManagerFromRootFolder(configuration));
  }

  private List<SupervisedJob> supervised(Configuration cluster) {
    return wanted.stream()
        .map(name -> new SupervisedJob(name, id -> submit(name, id, cluster)))
        .toList();
  }

  private static void watch(ClusterClient<?> cluster, List<SupervisedJob> jobs) throws Exception {
    Collection<JobStatusMessage> known = cluster.listJobs().get();
    for (SupervisedJob job : jobs) {
      job.watch(cluster, known);
    }
  }

  private void submit(String name, JobID id, Configuration clusterConfiguration) throws Exception {
    Optional<Path> restored = restorePoint(name);
    Configuration configuration =
        FlinkConfiguration.job(
            clusterConfiguration, id, stateBackend, checkpointFolder(name).toUri(), restored);
    if (clusterConfig == null && JOBS.get(name).isStored()) {
      // Each insert costs ClickHouse the same, however few rows it has, and rows are seen when all
      // of a second are in; one instance archives what one machine can correlate.
      configuration.set(CoreOptions.DEFAULT_PARALLELISM, 1);
    }
    // Offsets of the generation before are left behind.
    configuration.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, kafkaGeneration > 0);
    try (PackagedProgram program =
        PackagedProgram.newBuilder()
            .setEntryPointClassName(JOBS.get(name).main().getName())
            .setConfiguration(configuration)
            .setArguments(argumentsOf(name).toArray(String[]::new))
            .build()) {
      ClientUtils.executeProgram(
          new DefaultExecutorServiceLoader(), configuration, program, false, false);
    }
    LOG.info(
        "job {} is submitted, {}",
        name,
        restored.map(from -> "from " + from).orElse("without earlier state"));
  }

  private Path checkpointFolder(String name) {
    return path.toAbsolutePath().resolve("checkpoints").resolve(name);
  }

  private Optional<Path> restorePoint(String name) throws IOException {
    Checkpoints checkpoints = new Checkpoints(checkpointFolder(name));
    Optional<Path> restored =
        checkpoints.newestReadable(warning -> LOG.warn("job {}: {}", name, warning));
    if (restored.isPresent()) {
      checkpoints.prepareFor(restored.get(), FlinkConfiguration.RETAINED_CHECKPOINTS);
    }
    return restored;
  }

  /** A job refuses what does not concern it. */
  private List<String> argumentsOf(String name) {
    Job job = JOBS.get(name);
    List<String> arguments = new ArrayList<>();
    arguments.add("--kafka-bootstrap-servers=" + kafkaBootstrapServers);
    if (kafkaConfigFile != null) {
      arguments.add("--kafka-config=" + kafkaConfigFile);
    }
    arguments.add("--kafka-generation=" + kafkaGeneration);
    if (job.isStored()) {
      arguments.add("--clickhouse-url=" + clickHouseUrl);
      arguments.add("--clickhouse-user=" + clickHouseUser);
      if (clickHousePasswordFile != null) {
        arguments.add("--clickhouse-password-file=" + clickHousePasswordFile);
      }
      if (clickHouseCa != null) {
        arguments.add("--clickhouse-ca=" + clickHouseCa);
      }
    }
    if (job.isPaged()) {
      arguments.add("--alertmanager-urls=" + alertmanagerUrls);
      arguments.add("--grafana-url=" + grafanaUrl);
    }
    jobOptions.forEach(
        (option, value) -> {
          if (option.startsWith(name + ".")) {
            arguments.add("--%s=%s".formatted(option.substring(name.length() + 1), value));
          }
        });
    return arguments;
  }

  /**
   * A last checkpoint, so that what the jobs have read is in ClickHouse and nothing is replayed at
   * the next start.
   */
  private void stop(MiniCluster cluster, List<SupervisedJob> jobs) {
    isStopping = true;
    try {
      CompletableFuture.allOf(
              jobs.stream()
                  .flatMap(job -> job.running().stream())
                  .map(cluster::triggerCheckpoint)
                  .toArray(CompletableFuture[]::new))
          .get(LAST_CHECKPOINT_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      LOG.warn("no last checkpoint: {}", e.toString());
    }
    try {
      cluster.closeAsync().get(CLOSE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      LOG.warn("the cluster did not close: {}", e.toString());
    }
  }
}

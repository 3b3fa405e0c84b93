package io.tocsin.embedded.flink;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.management.OperatingSystemMXBean;
import io.tocsin.embedded.JavaProcess;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.supervise.Health;
import io.tocsin.embedded.supervise.ServiceSpec;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.flink.configuration.MemorySize;

/** Flink with the jobs, its REST interface and pages on loopback. */
public final class FlinkService {

  /** Name in messages and of the log file. */
  public static final String NAME = "flink";

  private static final int BASE_HEAP_MIB = 768;
  private static final int HEAP_MIB_PER_INSTANCE = 256;
  private static final int MOST_HEAP_MIB = 4_096;

  /** Of the machine's memory; the rest is for ClickHouse, Kafka and what they read again. */
  private static final int HEAP_SHARE = 8;

  private static final ObjectMapper JSON = new ObjectMapper();

  private FlinkService() {}

  /**
   * How to run it.
   *
   * @param kafka file that says how Kafka is reached, where it is secured
   */
  public static ServiceSpec spec(StackOptions options, Optional<Path> kafka) {
    Ports ports = options.ports();
    StateFolder state = options.state();
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "--rest-port=" + ports.flink(),
                "--metrics-port=" + ports.flinkMetrics(),
                "--path=" + state.of(NAME),
                "--state-backend=" + options.stateBackend(),
                "--parallelism=" + options.parallelism(),
                "--log-file=" + state.logs().resolve(NAME + ".log"),
                "--kafka-bootstrap-servers=127.0.0.1:" + ports.kafka(),
                "--kafka-generation=" + options.kafkaGeneration(),
                "--clickhouse-url=http://127.0.0.1:" + ports.clickHouseHttp(),
                "--alertmanager-urls=http://127.0.0.1:" + ports.alertmanager(),
                "--grafana-url=http://127.0.0.1:" + ports.grafana()));
    kafka.ifPresent(file -> arguments.add("--kafka-config=" + file));
    options.jobOptions().forEach((option, value) -> arguments.add("--set=" + option + "=" + value));
    List<String> command =
        JavaProcess.command(
            FlinkMain.class,
            largestHeapMib(memoryMib(), options.parallelism()) + "m",
            flags(),
            arguments);
    URI overview = URI.create("http://127.0.0.1:" + ports.flink() + "/jobs/overview");
    return new ServiceSpec(
        NAME, command, Map.of(), Health.http(overview, FlinkService::jobsRunning));
  }

  /**
   * The largest heap. It grows with what the jobs know, and nobody is paged while all of it is
   * collected: the more room there is, the rarer that is.
   *
   * @param memoryMib of the machine
   * @param instances of each operator
   */
  static long largestHeapMib(long memoryMib, int instances) {
    long least = BASE_HEAP_MIB + (long) instances * HEAP_MIB_PER_INSTANCE;
    return Math.max(least, Math.min(memoryMib / HEAP_SHARE, MOST_HEAP_MIB));
  }

  /** Of the machine, or of the container. */
  private static long memoryMib() {
    var machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new MemorySize(machine.getTotalMemorySize()).getMebiBytes();
  }

  /**
   * Half of the heap is for what is new: the archive keeps records until their commit, a second or
   * more, and what outgrows the young generation costs a collection of everything. After one, three
   * fifths of the heap are free. Without a size for classes everything is collected three times
   * while they are loaded. Flink's two schedulers look at their clocks each 100 ms and not each 10:
   * what they time are heartbeats, pauses and time-outs, and looking is most of what they do. As
   * deploy/images/flink/start has it.
   */
  private static List<String> flags() {
    return Stream.concat(
            Stream.of(
                "-XX:NewRatio=1",
                "-XX:MinHeapFreeRatio=60",
                "-XX:MetaspaceSize=128m",
                "-Dpekko.scheduler.tick-duration=100ms"),
            JavaProcess.flinkFlags().stream())
        .toList();
  }

  /**
   * Network memory of a task manager that has all jobs: every instance sends to every instance.
   * With less, tasks that start wait for each other's buffers.
   *
   * @param instances of each operator
   */
  public static MemorySize networkMemory(int instances) {
    return MemorySize.ofMebiBytes(32L * instances * instances);
  }

  /** Ready when all jobs run with all their tasks. */
  public static Optional<String> jobsRunning(String overview) {
    try {
      int running = 0;
      List<String> others = new ArrayList<>();
      for (JsonNode job : JSON.readTree(overview).path("jobs")) {
        JsonNode tasks = job.path("tasks");
        if (job.path("state").asText().equals("RUNNING")
            && tasks.path("running").asInt() == tasks.path("total").asInt()) {
          running++;
        } else {
          others.add(
              job.path("name").asText()
                  + " is "
                  + job.path("state").asText().toLowerCase(Locale.ROOT));
        }
      }
      int wanted = FlinkMain.jobNames().size();
      if (running >= wanted) {
        return Optional.empty();
      }
      String more = others.isEmpty() ? "" : ": " + String.join(", ", others);
      return Optional.of("%d of %d jobs run%s".formatted(running, wanted, more));
    } catch (JsonProcessingException e) {
      return Optional.of("its list of jobs is not JSON");
    }
  }
}

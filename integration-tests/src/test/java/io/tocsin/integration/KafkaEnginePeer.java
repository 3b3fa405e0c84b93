package io.tocsin.integration;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.Tools;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What a user would build: rsyslog publishes syslog as JSON, ClickHouse's Kafka engine reads it
 * into a table with the columns and indexes of {@code tocsin.syslog}. Nothing correlates.
 */
final class KafkaEnginePeer implements AutoCloseable {
  private final Process rsyslog;
  private final int port;

  private KafkaEnginePeer(Process rsyslog, int port) {
    this.rsyslog = rsyslog;
    this.port = port;
  }

  /** Makes the table on a stack whose stores run, and starts rsyslog on its syslog port. */
  static KafkaEnginePeer start(Stack stack) throws Exception {
    Tools tools = TestStacks.tools();
    Ended applied =
        Ended.of(
            new ProcessBuilder(
                tools.tocsin().toString(),
                "schema",
                "apply",
                "--kafka=" + stack.kafkaBootstrapServers(),
                "--clickhouse=" + stack.clickHouseUrl(),
                "--schemas=" + tools.schemas()));
    if (applied.exitCode() != 0) {
      throw new AssertionError("schema apply failed: " + applied.output());
    }
    stack.clickHouse().execute("CREATE DATABASE peer");
    String table = Files.readString(tools.schemas().resolve("clickhouse/events/syslog.sql"));
    stack.clickHouse().execute(table.replace("tocsin.", "peer.").strip().replaceAll(";$", ""));
    String engine = Files.readString(resource("kafka-engine.sql"));
    for (String statement : engine.split(";\n(?=CREATE)")) {
      stack.clickHouse().execute(statement.replace("{broker}", stack.kafkaBootstrapServers()));
    }
    return new KafkaEnginePeer(rsyslog(stack), stack.ports().syslog());
  }

  private static Process rsyslog(Stack stack) throws IOException {
    Path folder = Files.createDirectories(stack.state().of("rsyslog"));
    Path config = folder.resolve("rsyslog.conf");
    Files.writeString(
        config,
        Files.readString(resource("rsyslog.conf"))
            .replace("{folder}", folder.toString())
            .replace("{port}", Integer.toString(stack.ports().syslog()))
            .replace("{broker}", stack.kafkaBootstrapServers()));
    Path program =
        Tools.onPath("rsyslogd")
            .orElseThrow(() -> new AssertionError("rsyslogd is missing: apt-get install rsyslog"));
    ProcessBuilder builder =
        new ProcessBuilder(program.toString(), "-n", "-i", "NONE", "-C", "-f", config.toString());
    Map<String, String> environment = builder.environment();
    environment.put("RSYSLOG_MODDIR", foldersWith("imudp.so") + ":" + foldersWith("omkafka.so"));
    environment.put("LD_LIBRARY_PATH", foldersWith("librdkafka.so.1"));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(folder.resolve("rsyslog.log").toFile())
        .start();
  }

  /** Where Debian's packages have a file, unpacked by bin/tools or installed. */
  private static String foldersWith(String file) throws IOException {
    Path unpacked =
        TestStacks.tools().repository().resolve(".tocsin/tools/counterparts/root/usr/lib");
    List<String> found = new ArrayList<>();
    for (Path root : List.of(unpacked, Path.of("/usr/lib"))) {
      if (Files.isDirectory(root)) {
        try (Stream<Path> paths = Files.find(root, 3, (path, kind) -> path.endsWith(file))) {
          paths.map(path -> path.getParent().toString()).forEach(found::add);
        }
      }
    }
    if (found.isEmpty()) {
      throw new AssertionError(
          file + " is missing: apt-get install rsyslog rsyslog-kafka, or bin/tools counterparts");
    }
    return String.join(":", found);
  }

  private static Path resource(String name) {
    return TestStacks.tools()
        .repository()
        .resolve("integration-tests/src/test/resources/cost-benchmark")
        .resolve(name);
  }

  long rsyslogPid() {
    return rsyslog.pid();
  }

  /** Datagrams that did not fit into its socket's buffer (proc(5), /proc/net/udp: drops). */
  long dropped() throws IOException {
    String local = ":%04X".formatted(port);
    return Files.readAllLines(Path.of("/proc/net/udp")).stream()
        .map(line -> line.strip().split("\\s+"))
        .filter(fields -> fields[1].endsWith(local))
        .mapToLong(fields -> Long.parseLong(fields[fields.length - 1]))
        .sum();
  }

  @Override
  public void close() {
    rsyslog.destroy();
    rsyslog.onExit().join();
  }
}

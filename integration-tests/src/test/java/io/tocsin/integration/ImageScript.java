package io.tocsin.integration;

import io.tocsin.embedded.JavaProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What an image of deploy/images starts, as a process of this machine on this class path. */
final class ImageScript {
  private ImageScript() {}

  /** The script of an image. */
  static Path of(String image) {
    return TestStacks.tools().repository().resolve("deploy/images/" + image + "/start");
  }

  /** With all of the class path. */
  static Map<String, String> environment() {
    return environment(JavaProcess.classPath());
  }

  /**
   * With what a Flink distribution has: neither jobs nor what they alone need, which their jar
   * brings.
   */
  static Map<String, String> environmentOfFlinkAlone() {
    return environment(
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> entry.endsWith(".jar"))
            .filter(entry -> !isOfJobsAlone(Path.of(entry).getFileName().toString()))
            .collect(Collectors.joining(File.pathSeparator)));
  }

  /** The same, and a jar in its lib. */
  static Map<String, String> environmentOfFlinkAnd(Optional<Path> jar) {
    Map<String, String> environment = new TreeMap<>(environmentOfFlinkAlone());
    jar.ifPresent(
        path -> environment.merge("CLASSPATH", File.pathSeparator + path, String::concat));
    return environment;
  }

  private static boolean isOfJobsAlone(String jar) {
    return jar.matches(
        "(tocsin|kafka|flink-connector-kafka|clickhouse|client-v2|protobuf|re2j|lib-recur).*");
  }

  private static Map<String, String> environment(String classPath) {
    Path log =
        TestStacks.tools()
            .repository()
            .resolve("deploy/embedded/src/main/resources/tocsin-service-log4j2.properties");
    return Map.of(
        "CLASSPATH",
        classPath,
        "JDK_JAVA_OPTIONS",
        "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:+ExitOnOutOfMemoryError -Dlog4j2.configurationFile="
            + log);
  }
}

package io.tocsin.embedded;

import java.util.ArrayList;
import java.util.List;

/** Command lines of the stack's own Java processes. They share the class path of this one. */
public final class JavaProcess {

  /** What Flink reaches into; its own start scripts pass the same flags. */
  private static final List<String> OPENED_PACKAGES =
      List.of(
          "java.lang",
          "java.util",
          "java.time",
          "java.net",
          "java.io",
          "java.nio",
          "sun.net.util",
          "java.util.concurrent",
          "java.util.concurrent.atomic",
          "java.util.concurrent.locks");

  private JavaProcess() {}

  /**
   * Command line that runs a main class.
   *
   * @param heap largest heap as the JVM reads it, for example "512m"
   * @param flags further JVM flags
   * @param arguments of the main class
   */
  public static List<String> command(
      Class<?> main, String heap, List<String> flags, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    // The serial collector starts fastest and needs least memory; heaps here are small.
    command.addAll(List.of("-Xmx" + heap, "-XX:+UseSerialGC", "-XX:+ExitOnOutOfMemoryError"));
    command.add("-Dlog4j2.configurationFile=tocsin-service-log4j2.properties");
    command.addAll(flags);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(arguments);
    return command;
  }

  /** JVM flags for a process that runs Flink. */
  public static List<String> flinkFlags() {
    return OPENED_PACKAGES.stream()
        .map(name -> "--add-opens=java.base/" + name + "=ALL-UNNAMED")
        .toList();
  }

  /** JVM flags for a process whose start matters more than its peak speed. */
  public static List<String> quickStartFlags() {
    return List.of("-XX:TieredStopAtLevel=1");
  }
}

package io.tocsin.embedded;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Command lines of the stack's own Java processes. They share the class path of this one, or have
 * the one of {@value #CLASS_PATH_VARIABLE}.
 */
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

  /** Names a class path of jars, where that of this process has folders or further classes. */
  private static final String CLASS_PATH_VARIABLE = "TOCSIN_CLASS_PATH";

  /** Names a folder. */
  private static final String ARCHIVES_VARIABLE = "TOCSIN_CLASS_ARCHIVES";

  private JavaProcess() {}

  /** The class path of the stack's processes. */
  public static String classPath() {
    return Optional.ofNullable(System.getenv(CLASS_PATH_VARIABLE))
        .orElseGet(() -> System.getProperty("java.class.path"));
  }

  /**
   * JVM flags with which a process finds its classes as an earlier one had them in memory (JEP
   * 350), which spares a third of what its start costs. Where the folder of {@value
   * #ARCHIVES_VARIABLE} has none of them yet, they are written there as the process ends; without
   * that folder there are no flags. A JVM does without an archive that does not fit its class path,
   * and none can be made of a class path with folders in it.
   *
   * @param name of the archive, for example a main class
   */
  public static List<String> classArchiveFlags(String name) {
    return Optional.ofNullable(System.getenv(ARCHIVES_VARIABLE))
        .map(folder -> classArchiveFlags(Path.of(folder, name + ".jsa")))
        .orElse(List.of());
  }

  static List<String> classArchiveFlags(Path archive) {
    // Of each class that cannot be archived the JVM would warn.
    return Files.exists(archive)
        ? List.of("-XX:SharedArchiveFile=" + archive)
        : List.of("-XX:ArchiveClassesAtExit=" + archive, "-Xlog:cds*=off");
  }

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
    // No file of counters for jstat: a thread would wake for it twenty times a second.
    command.add("-XX:-UsePerfData");
    command.add("-Dlog4j2.configurationFile=tocsin-service-log4j2.properties");
    command.addAll(flags);
    command.addAll(classArchiveFlags(main.getName()));
    command.addAll(List.of("-cp", classPath(), main.getName()));
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

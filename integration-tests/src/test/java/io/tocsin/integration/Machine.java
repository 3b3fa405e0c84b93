package io.tocsin.integration;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What Linux tells of the machine and its processes. */
final class Machine {
  /** Clock ticks a second in /proc/PID/stat: USER_HZ is 100 on every architecture of today. */
  private static final double TICKS_PER_SECOND = 100;

  private Machine() {}

  /** Of the last minute: how many processes wanted a core, those of others included. */
  static String loadAverage() throws IOException {
    return Files.readString(Path.of("/proc/loadavg")).split(" ")[0];
  }

  /** CPU seconds of a process since its start, user and system (proc(5), fields 14 and 15). */
  static double cpuSeconds(long pid) throws IOException {
    return cpuSecondsOf(Path.of("/proc/" + pid));
  }

  /**
   * Of them those in which a JVM compiled; none where the process is no JVM. A JVM ends compiler
   * threads that have nothing to do: one that did since the threads were listed counts no more.
   */
  static double compilerCpuSeconds(long pid) throws IOException {
    double seconds = 0;
    try (DirectoryStream<Path> threads =
        Files.newDirectoryStream(Path.of("/proc/" + pid + "/task"))) {
      for (Path thread : threads) {
        seconds += cpuSecondsOfCompiler(thread);
      }
    }
    return seconds;
  }

  private static double cpuSecondsOfCompiler(Path thread) throws IOException {
    try {
      String name = Files.readString(thread.resolve("comm"));
      return name.matches("C[12] Compiler(?s:.*)") ? cpuSecondsOf(thread) : 0;
    } catch (IOException unread) {
      if (Files.exists(thread)) {
        throw unread;
      }
      return 0;
    }
  }

  private static double cpuSecondsOf(Path process) throws IOException {
    String stat = Files.readString(process.resolve("stat"));
    // The name, field 2, may hold anything and ends with the last bracket.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
  }

  /** Memory that a process has resident, in MiB. */
  static long residentMib(long pid) throws IOException {
    return number(Path.of("/proc/" + pid + "/status"), "VmRSS:") / 1_024;
  }

  /** Bytes that a process has caused to be written to disks since its start. */
  static long writtenBytes(long pid) throws IOException {
    return number(Path.of("/proc/" + pid + "/io"), "write_bytes:");
  }

  private static long number(Path file, String name) throws IOException {
    List<String> lines = Files.readAllLines(file);
    return lines.stream()
        .filter(line -> line.startsWith(name))
        .map(line -> Long.parseLong(line.replaceAll("\\D", "")))
        .findFirst()
        .orElseThrow(() -> new IOException(file + " has no " + name));
  }
}

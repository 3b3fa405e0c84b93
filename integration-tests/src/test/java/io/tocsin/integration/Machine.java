package io.tocsin.integration;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

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
    String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
    // The name, field 2, may hold anything and ends with the last bracket.
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return (Long.parseLong(fields[11]) + Long.parseLong(fields[12])) / TICKS_PER_SECOND;
  }
}

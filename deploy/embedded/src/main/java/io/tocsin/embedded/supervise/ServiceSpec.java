package io.tocsin.embedded.supervise;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * A process to supervise.
 *
 * @param name in messages, and of its log file
 * @param command program and arguments
 * @param environment added to the supervisor's own
 * @param health when it is ready
 * @param startDeadline how long it may take to become ready
 * @param stopDeadline how long it may take to end after SIGTERM, before SIGKILL
 */
public record ServiceSpec(
    String name,
    List<String> command,
    Map<String, String> environment,
    Health health,
    Duration startDeadline,
    Duration stopDeadline) {

  /**
   * Exit code by which a process says that starting it again cannot help: EX_USAGE of sysexits.h.
   * The agent and the Flink process use it.
   */
  public static final int EXIT_UNUSABLE = 64;

  /** A service with the deadlines that fit most. */
  public ServiceSpec(
      String name, List<String> command, Map<String, String> environment, Health health) {
    this(name, command, environment, health, Duration.ofSeconds(60), Duration.ofSeconds(20));
  }
}

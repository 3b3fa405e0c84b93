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

  /**
   * A service with the deadlines that fit most. One that has ended is started again at once, so the
   * first is only for one that hangs; on a machine that is busy with other things a broker has
   * taken more than a minute. To end takes Flink seconds, and half a minute where it leaves its
   * classes to the next start.
   */
  public ServiceSpec(
      String name, List<String> command, Map<String, String> environment, Health health) {
    this(name, command, environment, health, Duration.ofMinutes(3), Duration.ofMinutes(1));
  }
}

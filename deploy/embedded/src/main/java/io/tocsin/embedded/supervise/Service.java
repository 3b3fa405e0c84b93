package io.tocsin.embedded.supervise;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One supervised process over all its starts. */
final class Service {

  private static final int TAIL_LINES = 15;
  private static final int STARTS_BEFORE_READY = 3;
  private static final Duration RESTART_POLL = Duration.ofMillis(200);

  private final ServiceSpec spec;
  private final ServiceLog log;
  private final Consumer<String> progress;
  private final Backoff backoff = new Backoff();

  private Process process;
  private long firstStartNanos;
  private long startNanos;
  private double secondsToReady;
  private int starts;
  private volatile boolean ready;
  private boolean stopping;
  private boolean givenUp;
  private String problem = "not asked yet";

  Service(ServiceSpec spec, Path logFolder, Consumer<String> progress) {
    this.spec = spec;
    this.log = new ServiceLog(logFolder.resolve(spec.name() + ".log"));
    this.progress = progress;
  }

  String name() {
    return spec.name();
  }

  /** Starts the process for the first time. */
  synchronized void start() {
    log.rotate();
    firstStartNanos = System.nanoTime();
    spawn();
  }

  private synchronized void spawn() {
    if (stopping) {
      return;
    }
    try {
      process = Spawner.start(builder(spec.command(), spec.environment(), log));
    } catch (IOException e) {
      throw new StartFailure(spec.name() + " cannot be started: " + e.getMessage());
    }
    startNanos = System.nanoTime();
    starts++;
    process.onExit().thenAccept(this::ended);
  }

  /**
   * Output goes to the log, standard input is empty, the environment is the supervisor's with
   * additions.
   */
  static ProcessBuilder builder(
      List<String> command, Map<String, String> environment, ServiceLog log) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.file().toFile()))
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()));
    builder.environment().putAll(environment);
    return builder;
  }

  /**
   * Whether it is ready now.
   *
   * @throws StartFailure where it has given up, or its deadline is over
   */
  boolean checkReady() {
    synchronized (this) {
      if (givenUp) {
        throw failure(lastWords(), log);
      }
      if (starts > STARTS_BEFORE_READY && !ready) {
        throw failure(spec.name() + " ended " + (starts - 1) + " times before it was ready", log);
      }
    }
    Optional<String> found = ask();
    synchronized (this) {
      if (found.isEmpty() && process.isAlive()) {
        ready = true;
        secondsToReady = (System.nanoTime() - firstStartNanos) / 1e9;
        return true;
      }
      problem = found.orElse("its process has ended");
      if (System.nanoTime() - firstStartNanos > spec.startDeadline().toNanos()) {
        throw failure(
            "%s is not ready after %d s: %s"
                .formatted(spec.name(), spec.startDeadline().toSeconds(), problem),
            log);
      }
      return false;
    }
  }

  private Optional<String> ask() {
    try {
      return spec.health().problem();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  private void ended(Process ended) {
    Duration wait;
    synchronized (this) {
      if (stopping || ended != process) {
        return;
      }
      ready = false;
      if (ended.exitValue() == ServiceSpec.EXIT_UNUSABLE) {
        givenUp = true;
        progress.accept(lastWords() + ": see " + log.file());
        return;
      }
      wait = backoff.after(Duration.ofNanos(System.nanoTime() - startNanos));
      progress.accept(
          "%s ended with %s; it is started again in %.1f s (log: %s)"
              .formatted(spec.name(), exit(ended.exitValue()), wait.toMillis() / 1e3, log.file()));
    }
    Thread restart = new Thread(() -> restartAfter(wait), "restart-" + spec.name());
    restart.setDaemon(true);
    restart.start();
  }

  private void restartAfter(Duration wait) {
    try {
      Thread.sleep(wait.toMillis());
      spawn();
      Process restarted;
      synchronized (this) {
        restarted = process;
      }
      while (restarted.isAlive() && ask().isPresent()) {
        Thread.sleep(RESTART_POLL.toMillis());
      }
      synchronized (this) {
        ready = restarted.isAlive() && !stopping;
      }
      if (ready) {
        progress.accept(spec.name() + " is ready again");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (StartFailure e) {
      progress.accept(e.getMessage());
    }
  }

  /** SIGTERM, and SIGKILL after the deadline. Returns when the process has ended. */
  void stop() {
    Process running;
    synchronized (this) {
      stopping = true;
      running = process;
    }
    if (running == null || !running.isAlive()) {
      return;
    }
    long start = System.nanoTime();
    running.destroy();
    try {
      if (!running.waitFor(spec.stopDeadline().toMillis(), TimeUnit.MILLISECONDS)) {
        progress.accept(
            "%s did not end within %d s after SIGTERM and is killed (log: %s)"
                .formatted(spec.name(), spec.stopDeadline().toSeconds(), log.file()));
        running.destroyForcibly().waitFor();
      }
    } catch (InterruptedException e) {
      running.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    progress.accept(
        "%s has stopped (%.1f s)".formatted(spec.name(), (System.nanoTime() - start) / 1e9));
  }

  synchronized void kill() {
    process.destroyForcibly();
  }

  synchronized int starts() {
    return starts;
  }

  synchronized long pid() {
    return process.pid();
  }

  synchronized boolean hasGivenUp() {
    return givenUp;
  }

  synchronized double secondsToReady() {
    return secondsToReady;
  }

  /** What is waited for: name, seconds, problem. */
  synchronized String pending() {
    return "%s (%.0f s, %s)"
        .formatted(spec.name(), (System.nanoTime() - firstStartNanos) / 1e9, problem);
  }

  /** Why it will not be started again. */
  synchronized String lastWords() {
    return spec.name() + " says that it cannot run like this (" + exit(process.exitValue()) + ")";
  }

  private static String exit(int code) {
    return code > 128 ? "signal " + (code - 128) : "exit code " + code;
  }

  /** A failure with the path and the last lines of the log. */
  static StartFailure failure(String what, ServiceLog log) {
    StringBuilder message = new StringBuilder(what).append("\n  log: ").append(log.file());
    log.tail(TAIL_LINES).forEach(line -> message.append("\n  | ").append(line));
    return new StartFailure(message.toString());
  }
}

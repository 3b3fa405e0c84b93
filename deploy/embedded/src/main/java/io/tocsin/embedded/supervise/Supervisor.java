package io.tocsin.embedded.supervise;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Starts processes, waits until they are ready, starts a crashed one again, and stops all in
 * reverse order of their start.
 *
 * <p>No process outlives the supervisor, also when it is killed with SIGKILL: see {@link Spawner}.
 */
public final class Supervisor implements AutoCloseable {

  private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
  private static final Duration PROGRESS_INTERVAL = Duration.ofSeconds(2);

  private final Path logFolder;
  private final Consumer<String> progress;
  private final Map<String, Service> services = new LinkedHashMap<>();
  private volatile boolean closing;

  /**
   * A supervisor without processes.
   *
   * @param logFolder existing folder for the log files
   * @param progress takes one line at a time, from any thread
   */
  public Supervisor(Path logFolder, Consumer<String> progress) {
    this.logFolder = logFolder;
    this.progress = progress;
  }

  /** Starts a process and returns at once. */
  public void launch(ServiceSpec spec) {
    Service service = new Service(spec, logFolder, progress);
    synchronized (services) {
      if (closing) {
        throw new StartFailure("the stack is being stopped");
      }
      services.put(spec.name(), service);
      service.start();
    }
  }

  /**
   * Waits until these services are ready, saying at least every two seconds which ones are not.
   *
   * @throws StartFailure where one cannot start or is not ready by its deadline
   */
  public void awaitReady(String... names) {
    long start = System.nanoTime();
    Deque<Service> waiting = new ArrayDeque<>();
    for (String name : names) {
      waiting.add(service(name));
    }
    long nextProgress = start + PROGRESS_INTERVAL.toNanos();
    while (!waiting.isEmpty()) {
      for (Service service : List.copyOf(waiting)) {
        if (closing) {
          throw new StartFailure("the stack is being stopped");
        }
        if (service.checkReady()) {
          waiting.remove(service);
          progress.accept(
              "%s is ready (%.1f s)".formatted(service.name(), service.secondsToReady()));
        }
      }
      if (!waiting.isEmpty() && System.nanoTime() >= nextProgress) {
        String pending = waiting.stream().map(Service::pending).collect(Collectors.joining("; "));
        progress.accept("waiting for " + pending);
        nextProgress = System.nanoTime() + PROGRESS_INTERVAL.toNanos();
      }
      if (!waiting.isEmpty()) {
        pause();
      }
    }
  }

  /**
   * Runs a command to its end, its output in a log of its own.
   *
   * @throws StartFailure where it fails or takes longer than the deadline
   */
  public void run(
      String name, List<String> command, Map<String, String> environment, Duration deadline) {
    ServiceLog log = new ServiceLog(logFolder.resolve(name.replace(' ', '-') + ".log"));
    ProcessBuilder builder = Service.builder(command, environment, log);
    try {
      long start = System.nanoTime();
      Process process = Spawner.start(builder);
      if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
        process.destroyForcibly();
        throw Service.failure(name + " did not end within " + deadline.toSeconds() + " s", log);
      }
      if (process.exitValue() != 0) {
        throw Service.failure(name + " failed with exit code " + process.exitValue(), log);
      }
      progress.accept("%s is done (%.1f s)".formatted(name, (System.nanoTime() - start) / 1e9));
    } catch (IOException e) {
      throw new StartFailure(name + " cannot be started: " + e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while waiting for " + name);
    }
  }

  /**
   * Stops one service with SIGTERM, then SIGKILL after its deadline, and starts it again with
   * another specification.
   */
  public void replace(ServiceSpec spec) {
    stop(spec.name());
    launch(spec);
    awaitReady(spec.name());
  }

  /**
   * Stops one service with SIGTERM, then SIGKILL after its deadline, until it is launched again.
   */
  public void stop(String name) {
    service(name).stop();
  }

  /** Kills one service with SIGKILL, as a crash would. It is started again like after any crash. */
  public void kill(String name) {
    service(name).kill();
  }

  /** Number of times that a service was started. */
  public int starts(String name) {
    return service(name).starts();
  }

  /** Process id of a service. */
  public long pid(String name) {
    return service(name).pid();
  }

  /** Names of the services that run, in the order of their start. */
  public Collection<String> names() {
    synchronized (services) {
      return List.copyOf(services.keySet());
    }
  }

  /** Waits until a service has ended for good. Returns what it said at the end. */
  public String awaitFailure() throws InterruptedException {
    while (!closing) {
      synchronized (services) {
        for (Service service : services.values()) {
          if (service.hasGivenUp()) {
            return service.lastWords();
          }
        }
      }
      Thread.sleep(POLL_INTERVAL.toMillis());
    }
    return "";
  }

  /** Stops everything in reverse order of start. A second call does nothing. */
  @Override
  public void close() {
    List<Service> inReverse;
    synchronized (services) {
      if (closing) {
        return;
      }
      closing = true;
      inReverse = new ArrayList<>(services.values());
    }
    Collections.reverse(inReverse);
    for (Service service : inReverse) {
      service.stop();
    }
  }

  private Service service(String name) {
    synchronized (services) {
      Service service = services.get(name);
      if (service == null) {
        throw new IllegalArgumentException(
            "no service '" + name + "': there are " + services.keySet());
      }
      return service;
    }
  }

  private static void pause() {
    try {
      Thread.sleep(POLL_INTERVAL.toMillis());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StartFailure("interrupted while starting");
    }
  }
}

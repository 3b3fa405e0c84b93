package io.tocsin.embedded.supervise;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** With real processes: shells that leave a file when they are ready. */
@Timeout(60)
class SupervisorTest {

  @TempDir Path folder;

  private final List<String> progress = new CopyOnWriteArrayList<>();
  private Supervisor supervisor;

  @BeforeEach
  void create() {
    supervisor = new Supervisor(folder, progress::add);
  }

  @AfterEach
  void close() {
    supervisor.close();
  }

  /** Ready when its file is there; the shell makes it and then does {@code then}. */
  private ServiceSpec shell(String name, String then) {
    return shell(name, "", then);
  }

  /** A shell that runs {@code first}, says that it is ready, and runs {@code then}. */
  private ServiceSpec shell(String name, String first, String then) {
    Path ready = folder.resolve(name + ".ready");
    return new ServiceSpec(
        name,
        List.of("sh", "-c", first + "touch \"$0\"; " + then, ready.toString()),
        Map.of(),
        () -> Files.exists(ready) ? Optional.empty() : Optional.of("no file"),
        Duration.ofSeconds(20),
        Duration.ofSeconds(2));
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    while (!condition.getAsBoolean()) {
      Thread.sleep(20);
    }
  }

  /** A zombie that waits for its new parent has ended. */
  private static boolean runs(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  @Test
  void servicesAreStoppedInReverseOrderOfTheirStart() {
    supervisor.launch(shell("first", "exec sleep 600"));
    supervisor.launch(shell("second", "exec sleep 600"));
    supervisor.awaitReady("first", "second");
    supervisor.close();
    assertThat(progress.stream().filter(line -> line.contains("has stopped")))
        .extracting(line -> line.split(" ")[0])
        .containsExactly("second", "first");
  }

  @Test
  void serviceThatIgnoresSigtermIsKilledAfterItsDeadline() {
    supervisor.launch(shell("deaf", "trap '' TERM; ", "while :; do sleep 1; done"));
    supervisor.awaitReady("deaf");
    long pid = supervisor.pid("deaf");
    supervisor.close();
    assertThat(runs(pid)).isFalse();
    assertThat(progress)
        .anyMatch(line -> line.contains("deaf did not end within 2 s after SIGTERM and is killed"));
  }

  @Test
  void crashedServiceIsStartedAgainAndThatIsSaid() throws Exception {
    supervisor.launch(shell("crashing", "exec sleep 600"));
    supervisor.awaitReady("crashing");
    supervisor.kill("crashing");
    await(() -> progress.contains("crashing is ready again"));
    assertThat(supervisor.starts("crashing")).isEqualTo(2);
    assertThat(progress)
        .anyMatch(
            line -> line.startsWith("crashing ended with signal 9; it is started again in 0.5 s"));
  }

  @Test
  void serviceThatCannotRunIsNotStartedAgain() throws Exception {
    supervisor.launch(shell("misconfigured", "echo no such key >&2; exit 64"));
    assertThat(supervisor.awaitFailure())
        .isEqualTo("misconfigured says that it cannot run like this (exit code 64)");
    assertThat(supervisor.starts("misconfigured")).isEqualTo(1);
    assertThatThrownBy(() -> supervisor.awaitReady("misconfigured"))
        .isInstanceOf(StartFailure.class)
        .hasMessageContaining("log: " + folder.resolve("misconfigured.log"))
        .hasMessageContaining("| no such key");
  }

  @Test
  void serviceThatIsNotReadyInTimeFailsTheStartWithItsProblemAndTheEndOfItsLog() {
    ServiceSpec spec =
        new ServiceSpec(
            "slow",
            List.of("sh", "-c", "echo still thinking; exec sleep 600"),
            Map.of(),
            () -> Optional.of("nobody listens"),
            Duration.ofMillis(2500),
            Duration.ofSeconds(2));
    supervisor.launch(spec);
    assertThatThrownBy(() -> supervisor.awaitReady("slow"))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith("slow is not ready after 2 s: nobody listens")
        .hasMessageContaining("| still thinking");
    assertThat(progress)
        .anyMatch(line -> line.startsWith("waiting for slow (2 s, nobody listens)"));
  }

  @Test
  void commandThatFailsFailsTheStart() {
    assertThatThrownBy(
            () ->
                supervisor.run(
                    "schema apply",
                    List.of("sh", "-c", "echo refused; exit 3"),
                    Map.of(),
                    Duration.ofSeconds(10)))
        .isInstanceOf(StartFailure.class)
        .hasMessageStartingWith("schema apply failed with exit code 3")
        .hasMessageContaining("| refused");
  }

  @Test
  void killingTheSupervisorEndsItsProcesses() throws Exception {
    Process other =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                SupervisorOfSleep.class.getName(),
                folder.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long sleep = Long.parseLong(other.inputReader().readLine());
    assertThat(runs(sleep)).isTrue();
    other.destroyForcibly().waitFor();
    await(() -> !runs(sleep));
  }

  /** Starts one process that would outlive it, prints its id, and waits. */
  static final class SupervisorOfSleep {
    private SupervisorOfSleep() {}

    public static void main(String[] args) throws Exception {
      Supervisor supervisor = new Supervisor(Path.of(args[0]), line -> {});
      // From a thread that ends at once, as the kernel's signal is about the thread that started
      // the child.
      Thread starter =
          new Thread(
              () ->
                  supervisor.launch(
                      new ServiceSpec(
                          "sleep", List.of("sleep", "600"), Map.of(), Optional::empty)));
      starter.start();
      starter.join();
      supervisor.awaitReady("sleep");
      System.out.println(supervisor.pid("sleep"));
      Thread.sleep(Long.MAX_VALUE);
    }
  }
}

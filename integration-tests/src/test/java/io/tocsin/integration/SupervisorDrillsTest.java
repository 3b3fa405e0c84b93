package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.tocsin.embedded.FreePorts;
import io.tocsin.embedded.Ports;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.command.Main;
import java.nio.file.Files;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The supervisor as a process of its own, as {@code make up} runs it. */
class SupervisorDrillsTest {
  /** Each part has a deadline of its own, which says more: this is longer than all of them. */
  private static final Duration START_DEADLINE = Duration.ofMinutes(5);

  private static final Duration END_DEADLINE = Duration.ofSeconds(20);

  @Test
  void killingTheSupervisorLeavesNoProcessAndNoPortBehind() throws Exception {
    StateFolder state = TestStacks.emptyState("supervisor");
    Ports ports = FreePorts.reserve();
    state.create();
    Process supervisor =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "run",
                "--port-offset=" + ports.offset(),
                "--state=" + state.root())
            .redirectErrorStream(true)
            .redirectOutput(state.of("supervisor.log").toFile())
            .start();
    try {
      await("ready stack; see " + state.of("supervisor.log"))
          .atMost(START_DEADLINE)
          .until(() -> Files.exists(state.of("ready")) || !supervisor.isAlive());
      assertThat(supervisor.isAlive())
          .as("supervisor runs; see %s", state.of("supervisor.log"))
          .isTrue();
      List<ProcessHandle> parts = supervisor.descendants().toList();
      assertThat(parts).as("processes of the stack").hasSizeGreaterThanOrEqualTo(5);

      supervisor.destroyForcibly().waitFor();

      await("the end of all its processes")
          .atMost(END_DEADLINE)
          .untilAsserted(() -> assertThat(parts).noneMatch(ProcessHandle::isAlive));
      assertThat(ports.byProtocol().keySet()).as("free ports").allMatch(FreePorts::isFree);
    } finally {
      supervisor.descendants().forEach(ProcessHandle::destroyForcibly);
      supervisor.destroyForcibly();
    }
  }
}

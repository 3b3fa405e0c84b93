package io.tocsin.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.embedded.scenario.Scenario;
import io.tocsin.embedded.scenario.ScenarioReport;
import io.tocsin.embedded.scenario.ScenarioRunner;
import io.tocsin.embedded.scenario.TrafficSender;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.condition.EnabledIf;
import org.testcontainers.DockerClientFactory;

/**
 * The scenarios that try what is different on containers: sockets, buffers, images, the way of a
 * page. The rest play on the embedded stack alone: they try rules, which are the same jar, they
 * take minutes, and some of them write to Kafka from the host, which reaches no broker here. Needs
 * a Docker daemon on this machine: skipped on a laptop without one, failed in CI ({@code CI=true})
 * unless {@code TOCSIN_WITHOUT_DOCKER} says why there can be none.
 */
@EnabledIf(
    value = "isToRun",
    disabledReason = "no Docker daemon answers: see deploy/images/daemon --help")
class ScenariosOnContainersTest {
  private static final Consumer<String> PROGRESS =
      line -> System.out.println("[containers] " + line);

  private static final List<String> SCENARIOS =
      List.of(
          "burst-500",
          "burst-500-small-buffer",
          "malformed",
          "ordinary-syslog",
          "out-of-order-clear");

  private static ContainerStack stack;

  @BeforeAll
  static void startStack() throws Exception {
    if (!answers()) {
      throw new AssertionError(
          "CI=true and no Docker daemon answers: run 'deploy/images/daemon start' and export the"
              + " DOCKER_HOST that it prints, or say in TOCSIN_WITHOUT_DOCKER why there can be none");
    }
    Path repository = TestStacks.tools().repository();
    buildImages(repository);
    stack = new ContainerStack(repository, PROGRESS);
    stack.start();
  }

  @AfterAll
  static void stopStack() {
    if (stack != null) {
      stack.close();
    }
  }

  @TestFactory
  List<DynamicTest> scenarios() {
    return ScenarioTests.playedBy(
        ScenariosOnContainersTest::play, scenario -> runner().askNever(scenario), SCENARIOS);
  }

  /** Each scenario meets an agent of its own, so there is nothing left to do for the runner. */
  private static ScenarioReport play(Scenario scenario) {
    stack.restartAgent(scenario.agent());
    return runner().play(scenario);
  }

  private static ScenarioRunner runner() {
    TrafficSender sender =
        new TrafficSender(
            TestStacks.tools().tocsin(),
            List.of("--host", stack.agentAddress()),
            List.of(),
            PROGRESS);
    return new ScenarioRunner(stack.clickHouseClient(), sender, overrides -> {}, stack, PROGRESS);
  }

  /** CI fails without Docker, so that nobody misses these tests there for long. */
  static boolean isToRun() {
    return answers() || isRequired();
  }

  private static boolean answers() {
    return DockerClientFactory.instance().isDockerAvailable();
  }

  private static boolean isRequired() {
    return "true".equals(System.getenv("CI")) && System.getenv("TOCSIN_WITHOUT_DOCKER") == null;
  }

  private static void buildImages(Path repository) throws IOException, InterruptedException {
    Ended build =
        Ended.of(new ProcessBuilder(repository.resolve("deploy/images/build").toString()));
    build.output().lines().forEach(PROGRESS);
    assertThat(build.exitCode()).as(build.output()).isZero();
  }
}

package io.tocsin.embedded.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.scenario.ScenarioException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(30)
class StackControlTest {

  @TempDir Path folder;
  private final List<String> done = new CopyOnWriteArrayList<>();

  @Test
  void anotherProcessRestartsPartsAndPushesRules() {
    StateFolder state = new StateFolder(folder);
    ControlServer.start(
        state,
        overrides -> done.add("agent " + overrides),
        rules -> done.add("rules " + rules),
        () -> done.add("jobs"));

    StackControl control = new StackControl(state);
    control.restartAgent(JsonNodeFactory.instance.objectNode());
    control.restartAgent(JsonNodeFactory.instance.objectNode().put("site", "dc1"));
    control.restartJobs();
    control.pushRules(Path.of("/rules"));

    assertThat(done)
        .containsExactly("agent {}", "agent {\"site\":\"dc1\"}", "jobs", "rules /rules");
  }

  @Test
  void whatTheStackCannotDoIsToldWithItsReasonAndTheNextRequestIsServed() {
    StateFolder state = new StateFolder(folder);
    ControlServer.start(
        state,
        overrides -> {
          throw new IllegalStateException("agent is not ready: no such listener");
        },
        rules -> {},
        () -> done.add("jobs"));

    StackControl control = new StackControl(state);
    assertThatThrownBy(() -> control.restartAgent(JsonNodeFactory.instance.objectNode()))
        .isInstanceOf(ScenarioException.class)
        .hasMessage("agent is not ready: no such listener");
    control.restartJobs();

    assertThat(done).containsExactly("jobs");
  }

  @Test
  void aPathThatIsTooLongForASocketKeepsNoStackFromStarting() throws Exception {
    StateFolder state = new StateFolder(Files.createDirectories(folder.resolve("x".repeat(120))));
    ControlServer.start(state, overrides -> {}, rules -> {}, () -> done.add("jobs"));

    assertThatThrownBy(() -> new StackControl(state).restartJobs())
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("no stack answers");
    assertThat(done).isEmpty();
  }

  @Test
  void withoutAStackTheCommandThatStartsOneIsTold() {
    assertThatThrownBy(() -> new StackControl(new StateFolder(folder)).restartJobs())
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining(folder.toString())
        .hasMessageContaining("make up");
  }
}

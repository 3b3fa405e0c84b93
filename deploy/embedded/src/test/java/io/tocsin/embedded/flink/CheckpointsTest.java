package io.tocsin.embedded.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CheckpointsTest {

  @TempDir Path folder;

  private final List<String> warnings = new ArrayList<>();

  private Path checkpoint(int number) throws IOException {
    return Files.createDirectories(folder.resolve("job/chk-" + number));
  }

  private Path complete(int number, OperatorState... states) throws IOException {
    Path checkpoint = checkpoint(number);
    try (var out = new DataOutputStream(Files.newOutputStream(checkpoint.resolve("_metadata")))) {
      org.apache.flink.runtime.checkpoint.Checkpoints.storeCheckpointMetadata(
          new CheckpointMetadata(number, List.of(states), List.of()), out);
    }
    return checkpoint;
  }

  private Path unreadable(int number) throws IOException {
    Path checkpoint = checkpoint(number);
    Files.writeString(checkpoint.resolve("_metadata"), "not Flink's");
    return checkpoint;
  }

  /** State that stands in a file. */
  private static OperatorState stateIn(Path file) {
    OperatorState state = new OperatorState("source", "source-uid", new OperatorID(1, 2), 1, 128);
    var handle =
        new OperatorStreamStateHandle(
            Map.of(), new FileStateHandle(new org.apache.flink.core.fs.Path(file.toUri()), 3));
    state.putState(0, OperatorSubtaskState.builder().setManagedOperatorState(handle).build());
    return state;
  }

  @Test
  void withoutCheckpointsTheStartIsTheFirst() {
    assertThat(new Checkpoints(folder.resolve("absent")).newestReadable(warnings::add)).isEmpty();
    assertThat(new Checkpoints(folder).newestReadable(warnings::add)).isEmpty();
    assertThat(warnings).isEmpty();
  }

  @Test
  void newestByNumberIsTakenAndNotByName() throws IOException {
    complete(9);
    Path newest = complete(10);
    assertThat(new Checkpoints(folder).newestReadable(warnings::add)).contains(newest);
  }

  @Test
  void halfWrittenCheckpointIsNoCheckpoint() throws IOException {
    Path complete = complete(4);
    Files.writeString(checkpoint(5).resolve("state-file"), "half");
    assertThat(new Checkpoints(folder).newestReadable(warnings::add)).contains(complete);
    assertThat(warnings).isEmpty();
  }

  @Test
  void unreadableCheckpointIsToldAndPassedOver() throws IOException {
    Path older = complete(4);
    Path unreadable = unreadable(5);
    assertThat(new Checkpoints(folder).newestReadable(warnings::add)).contains(older);
    assertThat(warnings)
        .singleElement()
        .asString()
        .contains(unreadable.toString())
        .contains("passed over");
  }

  @Test
  void checkpointWhoseStateFileIsGoneIsPassedOver() throws IOException {
    Path kept = Files.writeString(folder.resolve("kept"), "abc");
    Path older = complete(4, stateIn(kept));
    complete(5, stateIn(folder.resolve("gone")));
    assertThat(new Checkpoints(folder).newestReadable(warnings::add)).contains(older);
    assertThat(warnings).singleElement().asString().contains("gone is missing");
  }

  @Test
  void onlyUnreadableCheckpointsStopTheStart() throws IOException {
    unreadable(4);
    unreadable(5);
    assertThatThrownBy(() -> new Checkpoints(folder).newestReadable(warnings::add))
        .isInstanceOf(UnreadableCheckpointsException.class)
        .hasMessageContaining("none of the 2 checkpoints in " + folder)
        .hasMessageContaining("move the folder away");
  }

  @Test
  void roomIsMadeForTheNumbersThatTheNextRunWillUse() throws IOException {
    complete(1);
    complete(2);
    complete(3);
    Path restored = complete(4);
    unreadable(5);
    Files.writeString(checkpoint(6).resolve("state-file"), "half");

    new Checkpoints(folder).prepareFor(restored, 3);

    try (var left = Files.list(folder.resolve("job"))) {
      assertThat(left.map(path -> path.getFileName().toString()))
          .containsExactlyInAnyOrder("chk-2", "chk-3", "chk-4", "unreadable-chk-5");
    }
  }
}

package io.tocsin.embedded.flink;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupsStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.StateObject;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;

/**
 * The checkpoints of one job in its folder, {@code <folder>/<job id>/chk-<number>}. A checkpoint is
 * complete when its {@code _metadata} is there: Flink writes that file last.
 */
final class Checkpoints {

  private static final String METADATA = "_metadata";
  private static final String PREFIX = "chk-";

  private final Path folder;

  /** Those under a folder, which need not exist. */
  Checkpoints(Path folder) {
    this.folder = folder;
  }

  /**
   * The checkpoint to start from: the newest complete one that can be read with all the files it
   * names. Unreadable ones are told and passed over.
   *
   * @return nothing where there is no complete checkpoint at all, which is a first start
   * @throws UnreadableCheckpointsException where there are some and none can be read: starting from
   *     nothing would lose state silently
   */
  Optional<Path> newestReadable(Consumer<String> warnings) {
    List<Path> complete = complete();
    for (Path checkpoint : complete) {
      try {
        read(checkpoint);
        return Optional.of(checkpoint);
      } catch (IOException | RuntimeException e) {
        warnings.accept(
            "checkpoint " + checkpoint + " cannot be read and is passed over: " + e.getMessage());
      }
    }
    if (!complete.isEmpty()) {
      throw new UnreadableCheckpointsException(folder, complete.size());
    }
    return Optional.empty();
  }

  /** Complete checkpoints, newest first. */
  List<Path> complete() {
    return numbered().stream()
        .filter(checkpoint -> Files.exists(checkpoint.resolve(METADATA)))
        .toList();
  }

  /**
   * Makes room for the run that starts from {@code restored}: it will number its checkpoints from
   * there. What a killed run left half-written is deleted; a newer complete one, which can only be
   * unreadable, is moved aside for people to look at; of the older ones, which no later run would
   * delete, so many are kept that there are {@code retained} with the restored one.
   */
  void prepareFor(Path restored, int retained) throws IOException {
    int kept = 0;
    for (Path checkpoint : numbered()) {
      boolean isComplete = Files.exists(checkpoint.resolve(METADATA));
      if (isComplete && number(checkpoint) > number(restored)) {
        Files.move(checkpoint, aside(checkpoint));
      } else if (isComplete && kept < retained) {
        kept++;
      } else {
        delete(checkpoint);
      }
    }
  }

  private static Path aside(Path checkpoint) {
    Path aside = checkpoint.resolveSibling("unreadable-" + checkpoint.getFileName());
    for (int copy = 2; Files.exists(aside); copy++) {
      aside = checkpoint.resolveSibling("unreadable-" + checkpoint.getFileName() + "-" + copy);
    }
    return aside;
  }

  /**
   * Numbers only grow over restarts; the time decides between folders of runs that had different
   * ids.
   */
  private List<Path> numbered() {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> paths = Files.walk(folder, 2)) {
      return paths
          .filter(path -> path.getFileName().toString().matches(PREFIX + "\\d{1,18}"))
          .sorted(
              Comparator.comparingLong(Checkpoints::number)
                  .thenComparing(Checkpoints::completed)
                  .reversed())
          .toList();
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the checkpoints in " + folder + " cannot be listed: " + e.getMessage(), e);
    }
  }

  private static long number(Path checkpoint) {
    return Long.parseLong(checkpoint.getFileName().toString().substring(PREFIX.length()));
  }

  private static FileTime completed(Path checkpoint) {
    try {
      Path metadata = checkpoint.resolve(METADATA);
      return Files.exists(metadata) ? Files.getLastModifiedTime(metadata) : FileTime.fromMillis(0);
    } catch (IOException e) {
      return FileTime.fromMillis(0);
    }
  }

  /** Reads the metadata and looks for every file it names. */
  private static void read(Path checkpoint) throws IOException {
    try (var in =
        new DataInputStream(
            new BufferedInputStream(Files.newInputStream(checkpoint.resolve(METADATA))))) {
      CheckpointMetadata metadata =
          org.apache.flink.runtime.checkpoint.Checkpoints.loadCheckpointMetadata(
              in, Checkpoints.class.getClassLoader(), checkpoint.toUri().toString());
      Optional<Path> missing =
          metadata.getOperatorStates().stream()
              .flatMap(operator -> operator.getStates().stream())
              .flatMap(Checkpoints::stateObjects)
              .flatMap(Checkpoints::streams)
              .filter(FileStateHandle.class::isInstance)
              .map(handle -> Path.of(((FileStateHandle) handle).getFilePath().toUri().getPath()))
              .filter(file -> !Files.isReadable(file))
              .findFirst();
      if (missing.isPresent()) {
        throw new IOException(missing.get() + " is missing");
      }
    }
  }

  private static Stream<? extends StateObject> stateObjects(OperatorSubtaskState state) {
    return Stream.of(
            state.getManagedOperatorState(),
            state.getRawOperatorState(),
            state.getManagedKeyedState(),
            state.getRawKeyedState())
        .flatMap(objects -> objects.stream());
  }

  private static Stream<StreamStateHandle> streams(StateObject state) {
    if (state instanceof OperatorStreamStateHandle operator) {
      return Stream.of(operator.getDelegateStateHandle());
    }
    if (state instanceof KeyGroupsStateHandle keyed) {
      return Stream.of(keyed.getDelegateStateHandle());
    }
    if (state instanceof IncrementalRemoteKeyedStateHandle incremental) {
      return incremental.streamSubHandles();
    }
    return Stream.empty();
  }

  private static void delete(Path tree) throws IOException {
    try (Stream<Path> paths = Files.walk(tree)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}

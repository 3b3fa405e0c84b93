package io.tocsin.jobs;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.util.OperatorSnapshotUtil;

/**
 * What operators of released versions kept at a checkpoint, as files in {@code
 * src/test/resources/kept-state}. They must be readable for ever, so a file is never written again.
 */
public final class KeptState {
  private static final String WRITE = "TOCSIN_WRITE_GOLDEN";
  private static final Path FOLDER = Path.of("src/test/resources/kept-state");

  private KeptState() {}

  /** Makes the state that a new file is to hold. */
  @FunctionalInterface
  public interface Snapshot {
    OperatorSubtaskState take() throws Exception;
  }

  /**
   * Reads a file. Where there is none, it is written first, if the environment asks for it.
   *
   * @throws AssertionError where there is none
   */
  public static OperatorSubtaskState of(String file, Snapshot now) throws Exception {
    Path path = FOLDER.resolve(file);
    if (!Files.exists(path)) {
      if (System.getenv(WRITE) == null) {
        throw new AssertionError(path + " is missing: " + WRITE + "=1 writes it, once");
      }
      Files.createDirectories(FOLDER);
      OperatorSnapshotUtil.writeStateHandle(now.take(), path.toString());
    }
    return OperatorSnapshotUtil.readStateHandle(path.toString());
  }
}

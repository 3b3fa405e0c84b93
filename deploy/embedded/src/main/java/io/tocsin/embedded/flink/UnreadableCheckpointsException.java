package io.tocsin.embedded.flink;

import java.nio.file.Path;

/** A job has checkpoints and none of them can be read. */
final class UnreadableCheckpointsException extends RuntimeException {

  UnreadableCheckpointsException(Path folder, int count) {
    super(
        "none of the "
            + count
            + " checkpoints in "
            + folder
            + " can be read. Bring the files back from a backup, or move the folder away: the job then starts without state:"
            + " archive and alerts go on where their consumer group stands in Kafka, and alerts has forgotten what is open");
  }
}

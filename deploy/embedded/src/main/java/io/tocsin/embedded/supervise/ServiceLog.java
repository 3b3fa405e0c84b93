package io.tocsin.embedded.supervise;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;

/**
 * The log file of one service: what it writes to standard output and standard error, appended over
 * restarts.
 *
 * @param file its path
 */
record ServiceLog(Path file) {

  private static final long MAX_BYTES = 20L << 20;
  private static final int TAIL_BYTES = 64 << 10;

  /** Moves a log that has grown large aside; one older file is kept. */
  void rotate() {
    try {
      if (Files.exists(file) && Files.size(file) > MAX_BYTES) {
        Files.move(
            file,
            file.resolveSibling(file.getFileName() + ".1"),
            StandardCopyOption.REPLACE_EXISTING);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the log " + file + " cannot be moved aside: " + e.getMessage(), e);
    }
  }

  /** The last lines, oldest first; empty where there is no log. */
  List<String> tail(int lines) {
    try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
      long start = Math.max(0, log.length() - TAIL_BYTES);
      byte[] bytes = new byte[(int) (log.length() - start)];
      log.seek(start);
      log.readFully(bytes);
      List<String> all = new String(bytes, StandardCharsets.UTF_8).lines().toList();
      return all.subList(Math.max(0, all.size() - lines), all.size());
    } catch (IOException e) {
      return List.of();
    }
  }
}

package io.tocsin.embedded.command;

import io.tocsin.embedded.StateFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Keeps a second stack out of a state folder, and tells {@code bin/up} and {@code bin/down} about
 * this one: file {@code pid} names its process, file {@code ready} is there once all of it is
 * ready. The lock itself ends with the process, however it ends.
 */
final class StackLock implements AutoCloseable {

  /** Name of the locked file. */
  static final String FILE = "lock";

  private final StateFolder state;
  private final FileChannel channel;

  /**
   * Takes the lock.
   *
   * @throws IllegalStateException where another process has it
   */
  StackLock(StateFolder state) {
    this.state = state;
    state.create();
    try {
      channel =
          FileChannel.open(state.of(FILE), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      FileLock lock = channel.tryLock();
      if (lock == null) {
        channel.close();
        throw new IllegalStateException(
            "a stack is running in "
                + state.root()
                + " already: stop it by 'make down' with its PORT_OFFSET");
      }
      Files.deleteIfExists(ready());
      Files.writeString(pid(), ProcessHandle.current().pid() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(state.root() + " cannot be locked: " + e.getMessage(), e);
    }
  }

  /** Removes what earlier stacks have left in the folder; this one starts from nothing. */
  void clearState() {
    state.clearExcept(FILE);
    try {
      Files.writeString(pid(), ProcessHandle.current().pid() + "\n");
    } catch (IOException e) {
      throw new UncheckedIOException(pid() + " cannot be written: " + e.getMessage(), e);
    }
  }

  /** Says that all of the stack is ready. */
  void markReady() {
    try {
      Files.writeString(ready(), "");
    } catch (IOException e) {
      throw new UncheckedIOException(ready() + " cannot be written: " + e.getMessage(), e);
    }
  }

  private Path pid() {
    return state.of("pid");
  }

  private Path ready() {
    return state.of("ready");
  }

  @Override
  public void close() {
    try {
      Files.deleteIfExists(ready());
      Files.deleteIfExists(pid());
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(state.root() + " cannot be unlocked: " + e.getMessage(), e);
    }
  }
}

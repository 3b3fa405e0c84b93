package io.tocsin.integration;

import io.tocsin.embedded.Ports;
import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.Tools;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.stream.IntStream;

/**
 * Embedded stacks of the tests' own: free ports and an empty state folder under {@code target/}.
 */
final class TestStacks {
  private static final int FIRST_OFFSET = 15_000;
  private static final int LAST_OFFSET = 22_000;
  private static final int OFFSET_STEP = 100;

  private TestStacks() {}

  /** What {@code make build} has left; tests name the missing file and say so. */
  static Tools tools() {
    return Tools.find();
  }

  /**
   * A stack that is not started. Its logs stay in {@code target/stacks/<name>/logs}.
   *
   * @param name of its state folder, which is emptied
   */
  static Stack create(String name) {
    StateFolder state = emptyState(name);
    return new Stack(
        StackOptions.of(freeOffset(), state.root()),
        tools(),
        line -> System.out.println("[" + name + "] " + line));
  }

  /** An empty state folder. */
  static StateFolder emptyState(String name) {
    StateFolder state =
        new StateFolder(
            tools().repository().resolve(Path.of("integration-tests/target/stacks", name)));
    state.delete();
    return state;
  }

  /** A port offset at which nobody listens on any port of a stack. */
  static int freeOffset() {
    return IntStream.iterate(
            FIRST_OFFSET, offset -> offset <= LAST_OFFSET, offset -> offset + OFFSET_STEP)
        .filter(
            offset -> new Ports(offset).byProtocol().keySet().stream().allMatch(TestStacks::isFree))
        .findFirst()
        .orElseThrow(
            () ->
                new AssertionError(
                    "no free port offset from %d to %d: stop what listens there"
                        .formatted(FIRST_OFFSET, LAST_OFFSET)));
  }

  /**
   * Whether a port can be bound.
   *
   * @param port as in {@link Ports#byProtocol}, for example "tcp/9092"
   */
  static boolean isFree(String port) {
    int number = Integer.parseInt(port.substring(port.indexOf('/') + 1));
    try {
      if (port.startsWith("udp")) {
        new DatagramSocket(number).close();
      } else {
        new ServerSocket(number).close();
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}

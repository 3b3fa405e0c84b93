package io.tocsin.embedded.command;

import io.tocsin.embedded.Stack;

/** Stops a stack when the process ends: after SIGTERM, Ctrl-C, or a command that is done. */
final class Shutdown {

  private Shutdown() {}

  /** The stack is closed first, what else is given after it, in this order. */
  static void onSignal(Stack stack, AutoCloseable... others) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stack.close();
                  for (AutoCloseable other : others) {
                    close(other);
                  }
                },
                "shutdown"));
  }

  private static void close(AutoCloseable other) {
    try {
      other.close();
    } catch (Exception e) {
      System.err.println(e.getMessage());
    }
  }
}

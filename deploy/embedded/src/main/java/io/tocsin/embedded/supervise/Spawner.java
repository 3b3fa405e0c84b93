package io.tocsin.embedded.supervise;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Starts processes that do not outlive this one, however it ends.
 *
 * <p>Each child asks the kernel for SIGKILL on the death of its parent (PR_SET_PDEATHSIG, by {@code
 * setpriv} of util-linux). The kernel means the parent's thread, not its process: so every child is
 * started by one thread that lives as long as this class is loaded. A parent that dies before the
 * child has asked is noticed by the shell in between, which looks who its parent is now.
 *
 * <p>Each child has a session of its own ({@code setsid}), so that Ctrl-C reaches the supervisor
 * alone, which stops the others in their order.
 */
final class Spawner {

  private static final ExecutorService THREAD =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "spawner");
            thread.setDaemon(true);
            return thread;
          });

  private Spawner() {}

  /** Starts the builder's command so that it ends with this process. */
  static Process start(ProcessBuilder builder) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "setsid",
                "setpriv",
                "--pdeathsig",
                "KILL",
                "sh",
                "-c",
                "[ \"$PPID\" = \"$0\" ] || exit 1; exec \"$@\"",
                Long.toString(ProcessHandle.current().pid())));
    command.addAll(builder.command());
    try {
      return THREAD.submit(() -> builder.command(command).start()).get();
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw cause;
      }
      throw new IllegalStateException(e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while starting " + command, e);
    }
  }
}

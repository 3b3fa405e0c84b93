package io.tocsin.embedded.command;

import io.tocsin.embedded.Stack;
import io.tocsin.embedded.StackOptions;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.Tools;
import io.tocsin.embedded.control.ControlServer;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code stack run}: the stack in the foreground, until SIGTERM or Ctrl-C. */
@Command(name = "run", sortOptions = false, description = "Run the stack until Ctrl-C or SIGTERM.")
final class RunCommand implements Callable<Integer> {

  @Mixin private StackArguments arguments;

  @Option(
      names = "--state-backend",
      defaultValue = "hashmap",
      description = "hashmap or rocksdb (default: ${DEFAULT-VALUE})")
  private String stateBackend;

  @Override
  public Integer call() throws InterruptedException {
    ProgressLines progress = new ProgressLines();
    StackOptions options = arguments.options(stateBackend);
    StateFolder folder = options.state();
    StackLock lock = new StackLock(folder);
    Stack stack = new Stack(options, Tools.find(), progress);
    Shutdown.onSignal(stack, lock);
    stack.start();
    ControlServer.start(stack);
    lock.markReady();
    progress.accept("the stack is ready; logs are in " + folder.logs());
    String failure = stack.supervisor().awaitFailure();
    if (!failure.isEmpty()) {
      progress.accept(failure);
    }
    return 1;
  }
}

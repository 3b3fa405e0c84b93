package io.tocsin.embedded.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.tocsin.embedded.StateFolder;
import io.tocsin.embedded.control.StackControl;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code stack restart}: one part of a stack that runs, as it is built now. */
@Command(
    name = "restart",
    sortOptions = false,
    description = "Start a part of the stack that runs again, as it is built now.")
final class RestartCommand implements Callable<Integer> {

  /** The parts that are made from this checkout. */
  enum Part {
    /** The agent, with its usual configuration. */
    AGENT,
    /** Flink with all jobs, each from its last checkpoint. */
    JOBS
  }

  @Mixin private StackArguments arguments;

  @Parameters(paramLabel = "PART", arity = "1", description = "${COMPLETION-CANDIDATES}")
  private Part part;

  @Override
  public Integer call() {
    StackControl control = new StackControl(new StateFolder(arguments.state));
    switch (part) {
      case AGENT -> control.restartAgent(JsonNodeFactory.instance.objectNode());
      case JOBS -> control.restartJobs();
    }
    return 0;
  }
}

package io.tocsin.rules.command;

/** Why a command cannot do what was asked, and what to do. */
final class CommandException extends RuntimeException {
  private final String remedy;
  private final int exitCode;

  /** The command was right and could not be carried out: exit code 1. */
  CommandException(String message, String remedy) {
    this(message, remedy, 1);
  }

  private CommandException(String message, String remedy, int exitCode) {
    super(message);
    this.remedy = remedy;
    this.exitCode = exitCode;
  }

  /** What was given cannot be used: exit code 64, EX_USAGE of sysexits.h. */
  static CommandException usage(String message, String remedy) {
    return new CommandException(message, remedy, 64);
  }

  /** The same with an exit code that a command promises. */
  CommandException exitingWith(int code) {
    return new CommandException(getMessage(), remedy, code);
  }

  String remedy() {
    return remedy;
  }

  int exitCode() {
    return exitCode;
  }
}

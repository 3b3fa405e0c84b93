package io.tocsin.embedded.scenario;

/** A scenario cannot be read or played. The message says which file or command, and why. */
public final class ScenarioException extends RuntimeException {

  /** With a message for a person. */
  public ScenarioException(String message) {
    super(message);
  }
}

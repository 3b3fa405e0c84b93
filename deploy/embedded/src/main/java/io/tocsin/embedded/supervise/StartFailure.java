package io.tocsin.embedded.supervise;

/**
 * The stack did not come up. The message is for the person who started it: what, where the log is,
 * and its last lines.
 */
public final class StartFailure extends RuntimeException {

  /** With a complete message. */
  public StartFailure(String message) {
    super(message);
  }
}

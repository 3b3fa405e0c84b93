package io.tocsin.rules.document;

/** A document that is refused: where, and why, in words for the person who wrote it. */
public final class DocumentException extends IllegalArgumentException {
  private final String file;
  private final int line;
  private final String reason;

  /**
   * A refusal.
   *
   * @param file file, or whatever the text came from
   * @param line counted from 1
   * @param reason what is wrong and what to write instead
   */
  public DocumentException(String file, int line, String reason) {
    super(file + ":" + line + ": " + reason);
    this.file = file;
    this.line = line;
    this.reason = reason;
  }

  /** File, or whatever the text came from. */
  public String file() {
    return file;
  }

  /** Line in it, counted from 1. */
  public int line() {
    return line;
  }

  /** What is wrong, without where. */
  public String reason() {
    return reason;
  }
}

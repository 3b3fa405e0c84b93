package io.tocsin.integration;

/** What {@code make} says to drills, by the environment. */
final class Settings {
  private Settings() {}

  /** A whole number. */
  static int number(String variable, int usual) {
    return Integer.parseInt(text(variable, Integer.toString(usual)));
  }

  /** A text. */
  static String text(String variable, String usual) {
    String value = System.getenv(variable);
    return value == null || value.isEmpty() ? usual : value;
  }
}

package io.tocsin.rules.replay;

import com.google.re2j.Pattern;
import java.util.Arrays;
import java.util.stream.Collectors;

/** Causes of alerts, which name fingerprints, in words. */
final class Causes {
  private static final Pattern COMMA = Pattern.compile(",");

  private Causes() {}

  /** "under storm tocsin hyak storm", "maintenance door-work". */
  static String words(String cause, Story story) {
    int colon = cause.indexOf(':');
    if (colon < 0) {
      return cause.isEmpty() ? "held back" : "held back: " + cause;
    }
    String kind = cause.substring(0, colon);
    String rest = cause.substring(colon + 1);
    if (kind.equals("maintenance")) {
      return "maintenance " + rest;
    }
    return "under "
        + kind
        + ": "
        + Arrays.stream(COMMA.split(rest)).map(story::nameOf).collect(Collectors.joining(", "));
  }
}

package io.tocsin.rules.history;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/**
 * Numbers of the objects that traps speak of, by the agent's own list of the usual MIBs: it named
 * them by it, a row has the names alone, and rules ask for numbers.
 */
final class ObjectNumbers {
  private static final Map<String, String> BY_NAME = read();

  private ObjectNumbers() {}

  /**
   * The number of an object with its instance: of {@code IF-MIB::ifName.7}, {@code
   * 1.3.6.1.2.1.31.1.1.1.1.7}. What has no name stands there as its number; empty where the name is
   * not of the list.
   */
  static String of(String name) {
    int colons = name.indexOf("::");
    if (colons < 0) {
      return name;
    }
    int dot = name.indexOf('.', colons);
    String object = dot < 0 ? name : name.substring(0, dot);
    String instance = dot < 0 ? "" : name.substring(dot);
    String number = BY_NAME.get(object);
    return number == null ? "" : number + instance;
  }

  private static Map<String, String> read() {
    Map<String, String> numbers = new HashMap<>();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(ObjectNumbers.class.getResourceAsStream("mibs.tsv")),
                StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int name = line.indexOf('\t') + 1;
        int end = line.indexOf('\t', name);
        if (!line.startsWith("#") && name > 0) {
          numbers.putIfAbsent(
              line.substring(name, end < 0 ? line.length() : end), line.substring(0, name - 1));
        }
      }
      return numbers;
    } catch (IOException e) {
      throw new UncheckedIOException("the list of MIBs cannot be read", e);
    }
  }
}

package io.tocsin.model;

import com.google.protobuf.ProtocolMessageEnum;
import java.util.Locale;

/**
 * The word for an enum value, as ClickHouse, metric labels and people see it: lower case, without
 * the prefix that protobuf's style demands. {@code REASON_NOT_TEXT} is {@code not_text}, {@code
 * SEVERITY_CRITICAL} is {@code critical}.
 */
public final class EnumWords {
  private EnumWords() {}

  /**
   * Returns the word for a value.
   *
   * @throws IllegalArgumentException for the unspecified value and for a number that this build
   *     does not know: neither may reach a table
   */
  public static String wordOf(ProtocolMessageEnum value) {
    if (!isSpecified(value)) {
      throw new IllegalArgumentException(
          "no word for " + value + ": it is unspecified or newer than this build");
    }
    String prefix = toUpperSnake(value.getDescriptorForType().getName()) + "_";
    String name = value.getValueDescriptor().getName();
    if (!name.startsWith(prefix)) {
      throw new IllegalArgumentException(name + " does not start with " + prefix);
    }
    return name.substring(prefix.length()).toLowerCase(Locale.ROOT);
  }

  /** Tells whether a value is known to this build and says something. */
  public static boolean isSpecified(ProtocolMessageEnum value) {
    // Java's extra constant UNRECOGNIZED has no number; asking it for one throws.
    return !((Enum<?>) value).name().equals("UNRECOGNIZED") && value.getNumber() != 0;
  }

  private static String toUpperSnake(String camelCase) {
    return camelCase.replaceAll("([a-z0-9])([A-Z])", "$1_$2").toUpperCase(Locale.ROOT);
  }
}

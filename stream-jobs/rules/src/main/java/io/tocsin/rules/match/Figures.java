package io.tocsin.rules.match;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;

/** Figures as people read them. */
final class Figures {
  private static final int DECIMALS = 3;

  private Figures() {}

  /** Fills the fields that every measure has. */
  static void put(Map<String, String> fields, double figure) {
    fields.put("value", text(figure));
    fields.put("percent", text(Math.rint(figure * 100)));
  }

  /** At most three decimals, none that are zero. */
  static String text(double figure) {
    if (!Double.isFinite(figure)) {
      return Double.toString(figure);
    }
    BigDecimal rounded = BigDecimal.valueOf(figure).setScale(DECIMALS, RoundingMode.HALF_EVEN);
    return rounded.signum() == 0 ? "0" : rounded.stripTrailingZeros().toPlainString();
  }
}

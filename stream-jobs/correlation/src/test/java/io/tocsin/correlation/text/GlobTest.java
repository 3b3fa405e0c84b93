package io.tocsin.correlation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class GlobTest {
  @Test
  void meansWhatTheSamePatternWithDotStarMeans() {
    Random random = new Random(20_261_122);
    int matches = 0;
    for (int round = 0; round < 50_000; round++) {
      String glob = text(random, "ab*");
      String value = text(random, "ab");
      boolean isMeant = Pattern.matches(glob.replace("*", ".*"), value);
      matches += isMeant ? 1 : 0;
      assertThat(Glob.of(glob).matches(value)).as("%s on %s", glob, value).isEqualTo(isMeant);
    }
    assertThat(matches).isGreaterThan(1_000);
  }

  private static String text(Random random, String letters) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(8); i > 0; i--) {
      text.append(letters.charAt(random.nextInt(letters.length())));
    }
    return text.toString();
  }
}

package io.tocsin.correlation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class LiteralScanTest {
  @Test
  void findsLiteralsThatOverlapAndEndInOneAnother() {
    assertThat(found(List.of("he", "she", "his", "hers"), "ushers"))
        .isEqualTo(Set.of("she", "he", "hers"));
  }

  @Test
  void textBeyondAsciiEndsWhatWasBeingRecognised() {
    assertThat(found(List.of("down"), "do\u00e9wn")).isEmpty();
    assertThat(found(List.of("down"), "\u00e9down\u00e9")).isEqualTo(Set.of("down"));
  }

  @Test
  void ofALiteralItsLongestPieceOfAsciiIsLookedFor() {
    assertThat(LiteralScan.keyOf("ab\u00e9cdef")).isEqualTo("cdef");
    assertThat(LiteralScan.keyOf("a literal that is longer than needed")).hasSize(16);
    assertThat(LiteralScan.keyOf("\u00e9")).isEmpty();
  }

  @Test
  void caseIsIgnoredWhereItIsAskedFor() {
    LiteralScan<String> scan = LiteralScan.ignoringCase(List.of("UpDown", "bgp"));

    assertThat(scan.findsAnyIn("%LINK-3-UPDOWN: Interface Gi0/1")).isTrue();
    assertThat(scan.findsAnyIn("bGp neighbour")).isTrue();
    assertThat(scan.findsAnyIn("up and down")).isFalse();
    assertThat(found(List.of("down"), "DOWN")).isEmpty();
  }

  @Test
  void findsWhatContainsFinds() {
    Random random = new Random(20_261_120);
    for (int round = 0; round < 2_000; round++) {
      List<String> literals = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        literals.add(text(random, 1 + random.nextInt(4)));
      }
      String text = text(random, 20);
      Set<String> expected = new TreeSet<>(literals);
      expected.removeIf(literal -> !text.contains(literal));
      assertThat(found(literals, text)).as("%s in %s", literals, text).isEqualTo(expected);
    }
  }

  private static String text(Random random, int length) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < length; i++) {
      text.append("abc".charAt(random.nextInt(3)));
    }
    return text.toString();
  }

  private static Set<String> found(List<String> literals, String text) {
    LiteralScan<String> scan = new LiteralScan<>();
    literals.forEach(literal -> scan.add(literal, literal));
    scan.close();
    Set<String> found = new TreeSet<>();
    scan.scan(text, found::add);
    return found;
  }
}

package io.tocsin.correlation.text;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.re2j.Pattern;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RequiredLiteralTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "Interface (?P<i>\\S+), changed state to down; ', changed state to down'",
        "ifOperStatus down\\(2\\), ifName (\\S+); 'ifOperStatus down(2), ifName '",
        "colou?r; 'colo'",
        "ab*cde; 'cde'",
        "abc+de; 'abc'",
        "x{2}yz; 'yz'",
        "[abc]tail; 'tail'",
        "[]abc]tail; 'tail'",
        "[[:alpha:]]tail; 'tail'",
        "(?:a|b)tail; 'tail'",
        "^start$; 'start'",
        "one|other; ''",
        "(?i)any case; ''",
        "\\x41bc; ''",
        "\\d+ degrees; ' degrees'",
      })
  void isTheLongestTextOutsideOfGroupsAndRepeats(String regex, String literal) {
    assertThat(RequiredLiteral.of(regex)).isEqualTo(literal);
  }

  @Test
  void allTextsOutsideOfGroupsAreThoseOfAnAlternative() {
    assertThat(RequiredLiteral.ofAlternatives("aged out|teardown (tcp|udp) .*time[- ]?out"))
        .isEqualTo(List.of(List.of("aged out"), List.of("teardown ", " ", "time", "out")));
  }

  @Test
  void everyMatchOfARandomPatternContainsThem() {
    Random random = new Random(20_261_120);
    String[] pieces = {
      "a", "b", "ab", "a?", "b*", "(a|b)", "[ab]", "a+", ".", "(?:ba)", "\\.", "b{2}"
    };
    int matches = 0;
    for (int round = 0; round < 20_000; round++) {
      StringBuilder regex = new StringBuilder();
      for (int i = 0; i < 1 + random.nextInt(5); i++) {
        regex.append(pieces[random.nextInt(pieces.length)]);
      }
      StringBuilder text = new StringBuilder();
      for (int i = 0; i < random.nextInt(8); i++) {
        text.append("ab.".charAt(random.nextInt(3)));
      }
      if (Pattern.compile(regex.toString()).matcher(text).find()) {
        matches++;
        assertThat(RequiredLiteral.ofAlternatives(regex.toString()).get(0))
            .as("%s in %s", regex, text)
            .allMatch(literal -> text.indexOf(literal) >= 0);
      }
    }
    assertThat(matches).isGreaterThan(1_000);
  }
}

package io.tocsin.correlation.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AnyCasePatternTest {
  @ParameterizedTest
  @CsvSource({
    "aged out|teardown tcp .*(timeout|reset), Teardown TCP connection 7 by Reset, true",
    "aged out|teardown tcp .*(timeout|reset), session AGED OUT, true",
    "aged out|teardown tcp .*(timeout|reset), Teardown TCP connection 7 by FIN, false",
    "aged out|teardown tcp .*(timeout|reset), user logged in, false",
    "teardown tcp .*timeout|tcp .*reset, Teardown TCP connection 7 by Reset, true",
    "teardown tcp .*timeout|tcp .*reset, Timeout; Teardown TCP connection 7, false",
    "teardown tcp .*timeout|tcp .*reset, Teardown TCP connection 7 by FIN, false",
    "\\d+|aged out, port 7, true",
    "conn|session, Sessions, true",
    "a|, anything, true"
  })
  void everyAlternativeIsFoundInAnyCase(String regex, String text, boolean isFound) {
    assertThat(AnyCasePattern.of(regex).findsIn(text)).isEqualTo(isFound);
  }

  @Test
  void isTheSameAfterTheWayIntoAJob() throws Exception {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    new ObjectOutputStream(bytes).writeObject(AnyCasePattern.of("aged out|reset"));
    Object read = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray())).readObject();

    assertThat(((AnyCasePattern) read).findsIn("Aged Out")).isTrue();
    assertThat(((AnyCasePattern) read).findsIn("up")).isFalse();
  }
}

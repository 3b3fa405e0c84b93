package io.tocsin.correlation.alerts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.tocsin.alerts.v1.Alert;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AlertMatcherTest {
  private static final Alert ALERT =
      Alert.newBuilder()
          .setSource("hyak")
          .setDevice("acc-1.zrh")
          .setCheck("node")
          .setRule("link")
          .putLabels("rack", "b4")
          .build();

  @ParameterizedTest
  @CsvSource({
    "source, hyak, true",
    "source, hya, false",
    "device, acc-1.zrh, true",
    "device, acc-1xzrh, false",
    "device, acc-*, true",
    "device, *.zrh, true",
    "device, a*1*h, true",
    "device, *.bsl, false",
    "check, node, true",
    "rule, link, true",
    "labels.rack, b*, true",
    "labels.rack, c*, false",
    "labels.row, *, true",
    "site, *, true",
    "site, zrh, false"
  })
  void fieldHasOneOfItsValues(String field, String value, boolean isMeant) {
    assertThat(new AlertMatcher(Map.of(field, List.of(value))).matches(ALERT)).isEqualTo(isMeant);
    assertThat(new AlertMatcher(Map.of(field, List.of("other", value))).matches(ALERT))
        .isEqualTo(isMeant);
  }

  @Test
  void everyNamedFieldMustFit() {
    assertThat(
            new AlertMatcher(Map.of("device", List.of("acc-*"), "check", List.of("node")))
                .matches(ALERT))
        .isTrue();
    assertThat(
            new AlertMatcher(Map.of("device", List.of("acc-*"), "check", List.of("link")))
                .matches(ALERT))
        .isFalse();
  }

  @Test
  void matcherThatNamesNothingOrSomethingUnknownIsRefused() {
    assertThatThrownBy(() -> new AlertMatcher(Map.of())).hasMessageContaining("no field is named");
    assertThatThrownBy(() -> new AlertMatcher(Map.of("host", List.of("a"))))
        .hasMessageContaining("field 'host' is unknown");
    assertThatThrownBy(() -> new AlertMatcher(Map.of("labels.", List.of("a"))))
        .hasMessageContaining("unknown");
    assertThatThrownBy(() -> new AlertMatcher(Map.of("device", List.of())))
        .hasMessageContaining("has no value");
  }
}

package io.tocsin.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.google.protobuf.ProtocolMessageEnum;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.alerts.v1.AlertTransition;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.rejects.v1.Reason;
import io.tocsin.rejects.v1.Stage;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class EnumWordsTest {
  @Test
  void wordsAreLowerCaseWithoutThePrefix() {
    assertThat(EnumWords.wordOf(Reason.REASON_NOT_TEXT)).isEqualTo("not_text");
    assertThat(EnumWords.wordOf(Stage.STAGE_ARCHIVE)).isEqualTo("archive");
    assertThat(EnumWords.wordOf(Severity.SEVERITY_CRITICAL)).isEqualTo("critical");
    assertThat(EnumWords.wordOf(AlertState.ALERT_STATE_OPEN)).isEqualTo("open");
    assertThat(EnumWords.wordOf(AlertTransition.ALERT_TRANSITION_SEVERITY_CHANGED))
        .isEqualTo("severity_changed");
    assertThat(EnumWords.wordOf(AlertUpdate.Action.ACTION_DELETE)).isEqualTo("delete");
  }

  @ParameterizedTest
  @MethodSource("everyValueThatSaysSomething")
  void everyValueHasAWord(ProtocolMessageEnum value) {
    assertThat(EnumWords.wordOf(value)).matches("[a-z][a-z_]*");
  }

  static Stream<ProtocolMessageEnum> everyValueThatSaysSomething() {
    return Stream.of(
            Severity.values(),
            AlertState.values(),
            AlertTransition.values(),
            AlertUpdate.Action.values(),
            Stage.values(),
            Reason.values())
        .<ProtocolMessageEnum>flatMap(Arrays::stream)
        .filter(EnumWords::isSpecified);
  }

  @Test
  void unspecifiedAndUnknownValuesAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> EnumWords.wordOf(Reason.REASON_UNSPECIFIED));
    assertThatIllegalArgumentException().isThrownBy(() -> EnumWords.wordOf(Reason.UNRECOGNIZED));
  }
}

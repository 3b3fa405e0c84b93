package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class FingerprintTest {
  private static final Event EVENT = TestEvents.raise(1, NOON);

  private static String of(Event event) {
    return Fingerprint.of(UpdateSignals.of(event).orElseThrow());
  }

  /** Expected values come from an independent implementation of the class comment. */
  @Test
  void fingerprintsNeverChange() {
    assertThat(of(EVENT)).isEqualTo("6bf3200d85cdeeb6997bceb68fc3e401");
    assertThat(of(EVENT.toBuilder().setSite("zürich").build()))
        .isEqualTo("00ef3b0f4d307887779c3807701f6c6a");
  }

  @Test
  void siteCountsOnlyWhereItIsConfigured() {
    assertThat(UpdateSignals.of(EVENT).orElseThrow().getFingerprintFieldsMap())
        .isEqualTo(Map.of("source", "hyak", "device", "n0418", "check", "node"));
  }

  @Test
  void severitySummaryAndLabelsDoNotCount() {
    Event.Builder changed = EVENT.toBuilder();
    changed.getAlertUpdateBuilder().clearSeverity().setSummary("other").clearLabels();

    assertThat(of(changed.build())).isEqualTo(of(EVENT));
  }

  @Test
  void charactersThatWanderBetweenFieldsMakeAnotherFingerprint() {
    assertThat(Fingerprint.of(new TreeMap<>(Map.of("device", "ab", "source", "c"))))
        .isNotEqualTo(Fingerprint.of(new TreeMap<>(Map.of("device", "a", "source", "bc"))));
  }
}

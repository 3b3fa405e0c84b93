package io.tocsin.correlation.alerts;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Severity;
import io.tocsin.alerts.v1.Signal;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UpdateSignalsTest {
  private static final UpdateExpiry EXPIRY =
      new UpdateExpiry(Duration.ofDays(7), Map.of("hourly", Duration.ofHours(2)));

  @Test
  void updateIsARaiseWithAllThatItSays() {
    Event event = TestEvents.raise(1, NOON).toBuilder().setSite("zürich").build();

    assertThat(UpdateSignals.of(event))
        .hasValue(
            Signal.newBuilder()
                .setKind(Signal.Kind.KIND_RAISE)
                .putAllFingerprintFields(
                    Map.of("source", "hyak", "device", "n0418", "check", "node", "site", "zürich"))
                .setSeverity(Severity.SEVERITY_CRITICAL)
                .setSource("hyak")
                .setDevice("n0418")
                .setCheck("node")
                .setSummary("node down")
                .setSite("zürich")
                .putLabels("rack", "b4")
                .setEventTimeUnixNanos(event.getEventTimeUnixNanos())
                .setReceivedAtUnixNanos(event.getReceivedAtUnixNanos())
                .setEventId(event.getEventId())
                .build());
  }

  @Test
  void raiseOfAMonitorExpiresAndAClearDoesNot() {
    assertThat(expiresAfterSeconds(TestEvents.raise(1, NOON))).isEqualTo(604_800);
    assertThat(expiresAfterSeconds(TestEvents.clear(2, NOON))).isZero();
  }

  @Test
  void sourceCanHaveAnExpiryOfItsOwn() {
    Event.Builder raise = TestEvents.raise(1, NOON).toBuilder();
    raise.getAlertUpdateBuilder().setSource("hourly");

    assertThat(expiresAfterSeconds(raise.build())).isEqualTo(7_200);
  }

  @Test
  void findingOfTocsinsOwnExpiresADayAfterItsJobRepeatedItLastAndNotByAName() {
    Event finding =
        Finding.of(Finding.WAN_JOB, "wan-down", Severity.SEVERITY_MAJOR, "n0418", "").raise(1);
    assertThat(UpdateSignals.of(finding).orElseThrow().getExpiresAfterSeconds()).isEqualTo(86_400);
    assertThat(expiresAfterSeconds(finding.toBuilder().setAgentId("agent-1").build()))
        .isEqualTo(604_800);
    Event.Builder named = TestEvents.raise(1, NOON).toBuilder();
    named.getAlertUpdateBuilder().setSource(named.getAgentId());
    assertThat(expiresAfterSeconds(named.build())).isEqualTo(604_800);
  }

  private static int expiresAfterSeconds(Event event) {
    return UpdateSignals.of(event, EXPIRY).orElseThrow().getExpiresAfterSeconds();
  }

  @Test
  void labelsThatTheUpdateNamesArePartOfTheIdentity() {
    Event.Builder event = TestEvents.raise(1, NOON).toBuilder();
    event.getAlertUpdateBuilder().addFingerprintLabels("rack").addFingerprintLabels("slot");

    assertThat(UpdateSignals.of(event.build()).orElseThrow().getFingerprintFieldsMap())
        .containsEntry("labels.rack", "b4")
        .containsEntry("labels.slot", "")
        .hasSize(5);
  }

  @Test
  void findingOfTocsinsOwnHasTheRunbookOfItsName() {
    assertThat(runbookOf("tocsin-wan", "wan-latency")).isEqualTo("wan-latency");
  }

  @ParameterizedTest
  @CsvSource({
    "hyak, wan-latency",
    // Whoever may send an update may say that it is of Tocsin: no page leads where a stranger
    // wants.
    "tocsin-wan, https://stranger.example/",
    "tocsin-wan, ../../elsewhere",
    "tocsin-wan, ''"
  })
  void nothingElseHasARunbook(String source, String check) {
    assertThat(runbookOf(source, check)).isEmpty();
  }

  private static String runbookOf(String source, String check) {
    Event.Builder event = TestEvents.raise(1, NOON).toBuilder();
    event.getAlertUpdateBuilder().setSource(source).setCheck(check);
    return UpdateSignals.of(event.build()).orElseThrow().getRunbook();
  }

  @Test
  void deleteIsAClearWhateverItsSeverity() {
    Event.Builder delete = TestEvents.clear(1, NOON).toBuilder();
    delete.getAlertUpdateBuilder().setSeverity(Severity.SEVERITY_MAJOR);

    assertThat(kindOf(delete)).isEqualTo(Signal.Kind.KIND_CLEAR);
  }

  @Test
  void updateWithSeverityClearedIsAClear() {
    assertThat(kindOf(TestEvents.raise(1, NOON, Severity.SEVERITY_CLEARED).toBuilder()))
        .isEqualTo(Signal.Kind.KIND_CLEAR);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 99})
  void severityThatCannotBeToldIsIndeterminate(int number) {
    Event.Builder event = TestEvents.raise(1, NOON).toBuilder();
    event.getAlertUpdateBuilder().setSeverityValue(number);

    assertThat(UpdateSignals.of(event.build()).orElseThrow().getSeverity())
        .isEqualTo(Severity.SEVERITY_INDETERMINATE);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 99})
  void actionThatThisBuildDoesNotKnowSaysNothing(int number) {
    Event.Builder event = TestEvents.raise(1, NOON).toBuilder();
    event.getAlertUpdateBuilder().setActionValue(number);

    assertThat(UpdateSignals.of(event.build())).isEmpty();
  }

  @Test
  void otherBodiesSayNothing() {
    assertThat(UpdateSignals.of(TestEvents.syslog(1, NOON))).isEmpty();
    assertThat(UpdateSignals.of(TestEvents.reject(1, NOON))).isEmpty();
  }

  private static Signal.Kind kindOf(Event.Builder event) {
    return UpdateSignals.of(event.build()).orElseThrow().getKind();
  }
}

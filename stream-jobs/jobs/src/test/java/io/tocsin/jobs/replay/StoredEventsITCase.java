package io.tocsin.jobs.replay;

import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.alerts.v1.Acknowledgement;
import io.tocsin.connectors.clickhouse.NativeWriter;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.tables.EventTables;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.SnmpTrap;
import io.tocsin.rules.history.ClickHouseHistory;
import io.tocsin.rules.history.History;
import io.tocsin.testsupport.ClickHouseUnderTest;
import io.tocsin.testsupport.Instants;
import io.tocsin.testsupport.TestEvents;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the archive stores becomes the event again that it was. */
class StoredEventsITCase {
  /** They are no events of devices, and no rule reads them. */
  private static final Set<Event.BodyCase> OTHERS =
      EnumSet.of(Event.BodyCase.AGENT_STATS, Event.BodyCase.REJECT);

  private final String agent = "test-" + UUID.randomUUID();
  private ClickHouseUnderTest clickHouse;

  @BeforeEach
  void connect() {
    clickHouse = ClickHouseUnderTest.require();
  }

  @Test
  void everyGoldenMessageIsTheSameAfterwards() throws Exception {
    List<Event> events = golden();
    assertThat(events).as("schemas/golden/event").hasSizeGreaterThan(8);

    storedAreTheSame(events);
  }

  @Test
  void everyKindOfEventIsTheSameAfterwards() throws Exception {
    Event raise = TestEvents.raise(1, Instants.NOON);
    storedAreTheSame(
        List.of(
            raise,
            raise.toBuilder()
                .setEventId("a-finding")
                .setSequence(2)
                .setAlertUpdate(
                    raise.getAlertUpdate().toBuilder()
                        .putLabels("link", "a")
                        .putLabels("group", "b")
                        .addFingerprintLabels("link")
                        .addFingerprintLabels("group"))
                .build(),
            TestEvents.syslog(3, Instants.NOON),
            TestEvents.dhcpAck(4, Instants.NOON),
            TestEvents.snmpTrap(5, Instants.NOON),
            TestEvents.interfaceCounters(6, Instants.NOON),
            TestEvents.gauge(7, Instants.NOON),
            TestEvents.probe(8, Instants.NOON, 12.5),
            TestEvents.lostProbe(9, Instants.NOON),
            TestEvents.sequenceGap(10, Instants.NOON),
            TestEvents.dnsAnswer(11, Instants.NOON).toBuilder().setRole("core").build(),
            TestEvents.lostDnsAnswer(12, Instants.NOON)));
  }

  private void storedAreTheSame(List<Event> events) throws Exception {
    List<Event> sent = new ArrayList<>();
    for (Event event : events) {
      sent.add(event.toBuilder().setAgentId(agent).build());
    }
    for (Event event : sent) {
      insert(event);
    }

    assertThat(readBack())
        .containsExactlyInAnyOrderElementsOf(sent.stream().map(this::asStored).toList());
  }

  /**
   * What no table has: the port of the sender, types of a trap's variables, and the group of
   * agents, because what is stored is no copy.
   */
  private Event asStored(Event event) {
    Event.Builder stored = event.toBuilder().clearSourcePort().clearCopies();
    if (event.hasSnmpTrap()) {
      SnmpTrap.Builder trap = stored.getSnmpTrapBuilder();
      trap.getVarbindsBuilderList().forEach(SnmpTrap.Varbind.Builder::clearType);
    }
    return stored.build();
  }

  private List<Event> readBack() {
    List<Event> found = new ArrayList<>();
    new ClickHouseHistory(
            URI.create(clickHouse.url()), "default", "", HttpClient.newHttpClient(), true)
        .play(
            Instants.unixNanos(Instants.NOON.minusSeconds(86_400)),
            Instants.unixNanos(Instants.NOON.plusSeconds(86_400)),
            new History.Taker() {
              @Override
              public void event(Event event) {
                if (event.getAgentId().equals(agent)) {
                  found.add(event);
                }
              }

              @Override
              public void said(Acknowledgement said) {
                // Of other tests.
              }
            });
    assertThat(found).isSortedAccordingTo(Comparator.comparing(Event::getReceivedAtUnixNanos));
    return found;
  }

  private static List<Event> golden() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("../../schemas/golden/event"))) {
      List<Event> events = new ArrayList<>();
      for (Path file : files.filter(each -> each.toString().endsWith(".bin")).sorted().toList()) {
        Event event = Event.parseFrom(Files.readAllBytes(file));
        if (!OTHERS.contains(event.getBodyCase())) {
          events.add(event);
        }
      }
      return events;
    }
  }

  private void insert(Event event) throws IOException, InterruptedException {
    RowEncoder<Event> encoder = new EventTables().encoderFor(event);
    NativeWriter row = new NativeWriter();
    encoder.encode(event, row);
    row.endRow();
    String columns = String.join("`, `", encoder.columns());
    String query = "INSERT INTO tocsin." + encoder.table() + " (`" + columns + "`) FORMAT Native";
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(
                        URI.create(
                            clickHouse.url()
                                + "/?query="
                                + URLEncoder.encode(query, StandardCharsets.UTF_8)))
                    .POST(
                        HttpRequest.BodyPublishers.ofByteArray(row.toByteArray(encoder.columns())))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
  }
}

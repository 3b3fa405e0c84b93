package io.tocsin.correlation.registrations.findings;

import static io.tocsin.correlation.registrations.findings.FindingStory.RELAY;
import static io.tocsin.correlation.registrations.findings.FindingStory.SERVER;
import static io.tocsin.correlation.registrations.findings.FindingStory.seen;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.events.v1.Event;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each finding: what raises it, what clears it, and what must not raise it. */
class FindingRulesTest {
  private static final FindingLimits LIMITS = FindingLimits.DEFAULT;
  private static final Duration A_MONTH = Duration.ofDays(31);

  private static Duration ms(long millis) {
    return Duration.ofMillis(millis);
  }

  private static FindingStory<RenewalRules.Renewals> renewals() {
    return new FindingStory<>(new RenewalRules(LIMITS));
  }

  @Test
  void rebindShareRisesIsToldWithItsNumbersAndClears() {
    var story = renewals().complained(Kind.SEND_FAILED, ms(0), "Operation not permitted");
    for (int i = 0; i < 100; i++) {
      story.then(seen(Kind.RENEWED, ms(100L * i), i));
    }
    for (int i = 0; i < 9; i++) {
      story.then(seen(Kind.REBOUND, ms(20_000 + 100L * i), i));
    }
    assertThat(story.told()).isEmpty();
    story.then(seen(Kind.REBOUND, ms(21_000), 9)).until(ms(21_000));

    assertThat(story.told()).containsExactly("raise rebind-share");
    assertNamesOneDevice(story.last(), SERVER, "scope");
    assertThat(story.last().getAlertUpdate().getLabelsMap())
        .containsEntry("server", SERVER)
        .containsEntry("scope", RELAY)
        .containsEntry("relay", RELAY)
        .containsEntry("rebinds", "10")
        .containsEntry("renewals", "100")
        .containsEntry("share", "0.100")
        .containsEntry("evidence", "Operation not permitted")
        .containsEntry("evidence_server", "dhcp-1");
    story.until(Duration.ofMinutes(5));
    assertThat(story.told()).containsExactly("raise rebind-share", "clear rebind-share");
    assertThat(story.last().getDevice()).isEqualTo(story.first().getDevice());
    assertThat(story.until(A_MONTH).state()).isNull();
  }

  /** Its device is one that other events carry too; what else tells it from its like is a label. */
  private static void assertNamesOneDevice(Event finding, String device, String label) {
    assertThat(finding.getDevice()).isEqualTo(device);
    assertThat(finding.getAlertUpdate().getFingerprintLabelsList()).containsExactly(label);
    assertThat(finding.getAlertUpdate().getLabelsMap()).containsEntry(label, RELAY);
  }

  @Test
  void usualShareOfRebindsAndRebindsAloneRaiseNothing() {
    var usual = renewals();
    for (int i = 0; i < 3_000; i++) {
      usual.then(seen(i % 50 == 0 ? Kind.REBOUND : Kind.RENEWED, ms(100L * i), i));
    }
    assertThat(usual.told()).isEmpty();

    var relayCopiesAlone = renewals();
    for (int i = 0; i < 100; i++) {
      relayCopiesAlone.then(seen(Kind.REBOUND, ms(100L * i), i));
    }
    assertThat(relayCopiesAlone.told()).isEmpty();
  }

  @Test
  void waveIsFoundAfterTheSilenceAroundItAndClearsWhenNoneFollows() {
    var story = renewals();
    for (int i = 0; i < 200; i++) {
      story.then(seen(Kind.RENEWED, ms(4L * i), i));
    }
    assertThat(story.told()).isEmpty();
    story.until(Duration.ofSeconds(30));
    assertThat(story.told()).containsExactly("raise renewal-wave");
    assertThat(story.last().getAlertUpdate().getLabelsMap())
        .containsEntry("peak_per_second", "200")
        .containsEntry("renewals", "200");

    story.until(Duration.ofHours(1));
    assertThat(story.told()).containsExactly("raise renewal-wave", "clear renewal-wave");
  }

  @Test
  void renewalsSpreadOverTimeAreNoWave() {
    Random random = new Random(7);
    var story = renewals();
    long time = 0;
    for (int i = 0; i < 20_000; i++) {
      time += random.nextInt(20);
      story.then(seen(Kind.RENEWED, ms(time), i));
    }
    assertThat(story.told()).isEmpty();
  }

  @Test
  void refusalsOfManyClientsAreAStorm() {
    var story = new FindingStory<>(new RefusalRules(LIMITS));
    for (int i = 0; i < 25; i++) {
      story.then(seen(Kind.REFUSED, ms(200L * i), i));
    }
    assertThat(story.told()).containsExactly("raise nak-storm");
    assertNamesOneDevice(story.last(), SERVER, "relay");
    assertThat(story.last().getAlertUpdate().getLabelsMap())
        .containsEntry("server", SERVER)
        .containsEntry("naks", "20");
    assertThat(story.until(Duration.ofMinutes(5)).told())
        .containsExactly("raise nak-storm", "clear nak-storm");
    assertThat(story.state()).isNull();
  }

  @Test
  void oneClientThatIsRefusedAgainAndAgainIsNoStormAndNeitherAreFewAmongMany() {
    var one = new FindingStory<>(new RefusalRules(LIMITS));
    for (int i = 0; i < 100; i++) {
      one.then(seen(Kind.REFUSED, ms(200L * i), 1));
    }
    assertThat(one.told()).isEmpty();

    var few = new FindingStory<>(new RefusalRules(LIMITS));
    for (int i = 0; i < 1_000; i++) {
      few.then(seen(i % 20 == 0 ? Kind.REFUSED : Kind.ACKNOWLEDGED, ms(50L * i), i));
    }
    assertThat(few.told()).isEmpty();
  }

  @Test
  void serverThatBecomesSlowIsFoundByItsOwnUsualLatency() {
    var story = new FindingStory<>(new LatencyRules(LIMITS));
    for (int i = 0; i < 600; i++) {
      story.then(seen(Kind.OFFER_LATENCY, ms(100L * i), i, 5 + i % 5));
    }
    assertThat(story.told()).isEmpty();
    for (int i = 600; i < 1_000; i++) {
      story.then(seen(Kind.OFFER_LATENCY, ms(100L * i), i, 700 + i % 100));
    }
    assertThat(story.told()).containsExactly("raise offer-latency");
    assertThat(Double.parseDouble(story.last().getAlertUpdate().getLabelsOrThrow("usual_p50_ms")))
        .isBetween(5.0, 15.0);
    assertThat(story.until(Duration.ofMinutes(10)).told())
        .containsExactly("raise offer-latency", "clear offer-latency");
    assertThat(story.until(A_MONTH).state()).isNull();
  }

  @Test
  void slowestPercentAboveItsUsualIsFoundAndSingleSlowAnswersAreNot() {
    var tail = new FindingStory<>(new LatencyRules(LIMITS));
    var single = new FindingStory<>(new LatencyRules(LIMITS));
    for (int i = 0; i < 6_000; i++) {
      boolean isLate = i > 3_000 && i % 20 == 0;
      tail.then(seen(Kind.ACK_LATENCY, ms(20L * i), i, isLate ? 2_000 : 6));
      single.then(seen(Kind.ACK_LATENCY, ms(20L * i), i, i % 900 == 0 ? 4_000 : 6));
    }
    assertThat(tail.told()).containsExactly("raise ack-latency");
    assertThat(single.told()).isEmpty();
  }

  @Test
  void unknownServerIsSlowOnlyWhereClientsFeelIt() {
    var slow = new FindingStory<>(new LatencyRules(LIMITS));
    var fair = new FindingStory<>(new LatencyRules(LIMITS));
    for (int i = 0; i < 50; i++) {
      slow.then(seen(Kind.OFFER_LATENCY, ms(50L * i), i, 1_500));
      fair.then(seen(Kind.OFFER_LATENCY, ms(50L * i), i, 300));
    }
    assertThat(slow.told()).containsExactly("raise offer-latency");
    assertThat(fair.told()).isEmpty();
  }

  private static FindingStory<DiscoverRules.Link> linkThatAnswered() {
    var story = new FindingStory<>(new DiscoverRules(LIMITS));
    for (int i = 0; i < 30; i++) {
      story.then(seen(Kind.DISCOVERED, ms(100L * i), i));
      story.then(seen(Kind.ANSWERED, ms(100L * i + 5), i));
    }
    return story;
  }

  private static void discoverInVain(FindingStory<DiscoverRules.Link> story) {
    for (int i = 0; i < 40; i++) {
      story.then(seen(Kind.DISCOVERED, Duration.ofMinutes(3).plusMillis(100L * i), i));
    }
    story.until(Duration.ofMinutes(3).plusSeconds(20));
  }

  @Test
  void discoversWithoutOffersAreFoundAndClear() {
    var story = linkThatAnswered();
    discoverInVain(story);

    assertThat(story.told()).containsExactly("raise discovers-unanswered");
    assertThat(story.last().getAlertUpdate().getLabelsMap())
        .containsEntry("server", SERVER)
        .containsEntry("relay", RELAY)
        .containsEntry("unanswered", "40");
    assertThat(story.until(Duration.ofMinutes(10)).told())
        .containsExactly("raise discovers-unanswered", "clear discovers-unanswered");
  }

  @Test
  void discoversWithoutOffersAndTheServersWordsAreAnExhaustedPool() {
    var story = linkThatAnswered();
    story.complained(Kind.NO_FREE_LEASES, Duration.ofMinutes(3), "no free leases");
    discoverInVain(story);

    assertThat(story.told()).containsExactly("raise pool-exhausted");
    assertThat(story.last().getAlertUpdate().getLabelsMap())
        .containsEntry("evidence", "no free leases");
  }

  @Test
  void logLinesAloneTellOfAnExhaustedPool() {
    var story = new FindingStory<>(new DiscoverRules(LIMITS));
    for (int i = 0; i < 3; i++) {
      story.then(seen(Kind.NO_FREE_LEASES, ms(500L * i), i));
    }
    story.until(ms(1_000));
    assertThat(story.told()).containsExactly("raise pool-exhausted");
    assertThat(story.until(Duration.ofMinutes(10)).told())
        .containsExactly("raise pool-exhausted", "clear pool-exhausted");
    assertThat(story.until(A_MONTH).state()).isNull();
  }

  @Test
  void questionsOfWhichNoAnswerWasEverSeenAndOfOneClientRaiseNothing() {
    var relayCopies = new FindingStory<>(new DiscoverRules(LIMITS));
    discoverInVain(relayCopies);
    assertThat(relayCopies.told()).isEmpty();

    var one = linkThatAnswered();
    for (int i = 0; i < 40; i++) {
      one.then(seen(Kind.DISCOVERED, Duration.ofMinutes(3).plusMillis(100L * i), 1));
    }
    assertThat(one.until(Duration.ofMinutes(4)).told()).isEmpty();
  }

  private static Observation by(String server, Kind kind, Duration time, int client) {
    Observation seen = seen(kind, time, client);
    return new Observation(
        kind,
        4,
        seen.mac(),
        seen.ip(),
        server,
        RELAY,
        RELAY,
        "",
        seen.timeUnixNanos(),
        Double.NaN,
        seen.expiresAtUnixNanos(),
        RELAY,
        "",
        "",
        seen.eventId());
  }

  @Test
  void strangerAmongKnownServersIsRogue() {
    var story = new FindingStory<>(new PeerRules(LIMITS));
    for (int i = 0; i < 20; i++) {
      story.then(seen(Kind.OFFERED, ms(100L * i), i));
    }
    story.then(by("192.168.1.1", Kind.OFFERED, ms(2_500), 7));

    assertThat(story.told()).containsExactly("raise rogue-server");
    assertNamesOneDevice(story.last(), "192.168.1.1", "scope");
    assertThat(story.last().getAlertUpdate().getLabelsMap())
        .containsEntry("server", "192.168.1.1")
        .containsEntry("relay", RELAY)
        .containsEntry("known_servers", SERVER);
    assertThat(story.until(Duration.ofHours(1)).told())
        .containsExactly("raise rogue-server", "clear rogue-server");
    assertThat(story.until(A_MONTH).state()).isNull();
  }

  @Test
  void rogueIsToldThoughALinkHasHadManyServers() {
    var story = linkWithFifteenStrangers();
    story.until(Duration.ofHours(1));
    assertThat(story.told()).last().isEqualTo("clear rogue-server");
    story.then(by("192.168.1.1", Kind.OFFERED, ms(3_700_000), 7));

    assertThat(story.told()).last().isEqualTo("raise rogue-server");
    assertThat(story.last().getAlertUpdate().getLabelsMap()).containsEntry("server", "192.168.1.1");
    assertThat(story.state().servers).hasSize(16).containsKeys(SERVER, "192.168.1.1");
  }

  @Test
  void roguesForWhichThereIsNoRoomAreToldAsOne() {
    var story = linkWithFifteenStrangers();
    for (int i = 0; i < 100; i++) {
      story.then(by("192.168.1." + i, Kind.OFFERED, ms(4_000 + i), 7));
    }

    assertThat(story.raised("server")).hasSize(16).contains("others");
    assertNamesOneDevice(story.last(), RELAY, "scope");
    assertThat(story.last().getAlertUpdate().getSummary())
        .isEqualTo(
            "one of more than 16 servers answers clients via %s and is none of the servers known there",
            RELAY);
    assertThat(story.state().servers).hasSize(17);
  }

  /** A known server, and all the others that a link has room for: each is told. */
  private static FindingStory<PeerRules.Peers> linkWithFifteenStrangers() {
    var story = new FindingStory<>(new PeerRules(LIMITS));
    for (int i = 0; i < 20; i++) {
      story.then(seen(Kind.OFFERED, ms(100L * i), i));
    }
    for (int i = 0; i < 15; i++) {
      story.then(by("10.66.0." + i, Kind.OFFERED, ms(3_000 + i), 7));
    }
    assertThat(story.raised("server")).hasSize(15);
    return story;
  }

  @Test
  void peersThatShareTheWorkFromTheStartAreNotRogue() {
    var story = new FindingStory<>(new PeerRules(LIMITS));
    for (int i = 0; i < 200; i++) {
      story.then(by(i % 2 == 0 ? SERVER : "10.1.0.2", Kind.OFFERED, ms(100L * i), i));
    }
    assertThat(story.told()).isEmpty();
  }

  @Test
  void configuredServersAloneAreTrusted() {
    FindingLimits limits =
        new FindingLimits(
            0.05, 10, 50, 10, 20, 0.3, 5, 10, 3, 4, 30, 0.1, 100, 10, Set.of(SERVER), 300, 1);
    var story = new FindingStory<>(new PeerRules(limits));
    story.then(seen(Kind.OFFERED, ms(0), 1));
    assertThat(story.told()).isEmpty();
    story.then(by("10.1.0.2", Kind.OFFERED, ms(1), 2));
    assertThat(story.told()).containsExactly("raise rogue-server");
  }

  @Test
  void peerThatNoLongerAnswersIsOutOfBalanceAndClears() {
    var story = new FindingStory<>(new PeerRules(LIMITS));
    for (int i = 0; i < 1_000; i++) {
      story.then(by(i % 2 == 0 ? SERVER : "10.1.0.2", Kind.SERVED, ms(1_000L * i), i));
    }
    assertThat(story.told()).isEmpty();
    for (int i = 1_000; i < 1_400; i++) {
      story.then(by(SERVER, Kind.SERVED, ms(1_000L * i), i));
    }
    assertThat(story.told()).containsExactly("raise failover-imbalance");
    assertNamesOneDevice(story.last(), "10.1.0.2", "scope");
    assertThat(story.last().getAlertUpdate().getLabelsMap()).containsEntry("server", "10.1.0.2");
    for (int i = 1_400; i < 2_000; i++) {
      story.then(by(i % 2 == 0 ? SERVER : "10.1.0.2", Kind.SERVED, ms(1_000L * i), i));
    }
    assertThat(story.told())
        .containsExactly("raise failover-imbalance", "clear failover-imbalance");
  }

  @Test
  void standbyThatNeverAnsweredIsNotOutOfBalance() {
    var story = new FindingStory<>(new PeerRules(LIMITS));
    for (int i = 0; i < 1_000; i++) {
      story.then(by(i % 100 == 7 ? "10.1.0.2" : SERVER, Kind.SERVED, ms(1_000L * i), i));
    }
    assertThat(story.told()).doesNotContain("raise failover-imbalance");
  }

  private static Observation address(Kind kind, Duration time, int client) {
    Observation seen = seen(kind, time, client);
    return new Observation(
        kind,
        4,
        seen.mac(),
        "10.1.2.3",
        SERVER,
        RELAY,
        RELAY,
        "",
        seen.timeUnixNanos(),
        Double.NaN,
        seen.expiresAtUnixNanos(),
        RELAY,
        "",
        "",
        seen.eventId());
  }

  @Test
  void addressThatMovesSoonAfterItWasFreedNamesTheGateway() {
    var story = new FindingStory<>(new AddressRules(LIMITS));
    story
        .then(address(Kind.BOUND, ms(0), 1))
        .then(address(Kind.FREED, ms(5_000), 1))
        .then(address(Kind.BOUND, ms(8_000), 2));

    assertThat(story.told()).containsExactly("raise ip-moved");
    assertThat(story.last().getAlertUpdate().getLabelsMap())
        .containsEntry("ip", "10.1.2.3")
        .containsEntry("old_mac", "02:00:00:00:00:01")
        .containsEntry("new_mac", "02:00:00:00:00:02")
        .containsEntry("gateway", RELAY);
    assertThat(story.until(Duration.ofHours(2)).told())
        .containsExactly("raise ip-moved", "clear ip-moved");
    assertThat(story.until(A_MONTH).state()).isNull();
  }

  @Test
  void addressWithTwoRunningLeasesIsAConflictUntilOneEnds() {
    var story = new FindingStory<>(new AddressRules(LIMITS));
    story.then(address(Kind.BOUND, ms(0), 1)).then(address(Kind.BOUND, ms(8_000), 2));
    assertThat(story.until(ms(9_000)).told())
        .containsExactly("raise ip-moved", "raise ip-conflict");

    story.then(address(Kind.FREED, ms(20_000), 1));
    assertThat(story.told()).last().isEqualTo("clear ip-conflict");
  }

  @Test
  void addressThatWasGivenBackIsNoConflictWhereThatIsReadAfterTheNextLease() {
    var story = new FindingStory<>(new AddressRules(LIMITS));
    story
        .then(address(Kind.BOUND, ms(0), 1))
        .then(address(Kind.BOUND, ms(8_000), 2))
        .then(address(Kind.FREED, ms(5_000), 1));

    assertThat(story.until(Duration.ofHours(2)).told())
        .containsExactly("raise ip-moved", "clear ip-moved");
  }

  @Test
  void addressThatTwoClaimInTurnIsAConflictHoweverFastTheyAre() {
    var story = new FindingStory<>(new AddressRules(LIMITS));
    for (int turn = 0; turn < 40; turn++) {
      story.then(address(Kind.BOUND, ms(100 * turn), turn % 2));
    }
    assertThat(story.told()).contains("raise ip-conflict");
  }

  @Test
  void addressThatWasFreeForLongAndTheSameHolderAgainMoveNothing() {
    var story = new FindingStory<>(new AddressRules(LIMITS));
    story
        .then(address(Kind.BOUND, ms(0), 1))
        .then(address(Kind.BOUND, ms(300_000), 1))
        .then(address(Kind.FREED, ms(400_000), 1))
        .then(address(Kind.BOUND, ms(800_000), 2));
    assertThat(story.told()).isEmpty();
  }

  @Test
  void addressThatAClientFoundInUseIsAConflict() {
    var story = new FindingStory<>(new AddressRules(LIMITS));
    story.then(address(Kind.DECLINED, ms(0), 1));
    assertThat(story.told()).containsExactly("raise ip-conflict");
    assertThat(story.until(Duration.ofHours(1)).told())
        .containsExactly("raise ip-conflict", "clear ip-conflict");
  }

  @Test
  void moveBetweenCircuitsIsToldAndClears() {
    var story = new FindingStory<>(new CircuitRules(LIMITS));
    story.then(seen(Kind.MOVED, ms(0), 1));
    assertThat(story.told()).containsExactly("raise circuit-moved");
    assertThat(story.until(Duration.ofHours(1)).told())
        .containsExactly("raise circuit-moved", "clear circuit-moved");
    assertThat(story.state()).isNull();
  }
}

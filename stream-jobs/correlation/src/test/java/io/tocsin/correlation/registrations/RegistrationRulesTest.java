package io.tocsin.correlation.registrations;

import static io.tocsin.correlation.registrations.RegistrationStory.FORGET_AFTER;
import static io.tocsin.correlation.registrations.RegistrationStory.MAC;
import static io.tocsin.testsupport.Instants.AN_HOUR_LATER;
import static io.tocsin.testsupport.Instants.A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.HALF_A_MINUTE_LATER;
import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.registrations.Observation.Kind;
import io.tocsin.events.v1.Dhcp.MessageType;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import io.tocsin.testsupport.DhcpEvents;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RegistrationRulesTest {
  private static final String IP = "10.1.2.3";

  private final DhcpEvents client = new DhcpEvents(MAC, IP, 60);

  private static Instant after(long millis) {
    return NOON.plusMillis(millis);
  }

  private Event[] exchange() {
    return RegistrationStory.exchange(client);
  }

  @Test
  void exchangeBindsTheClient() {
    RegistrationStory story = RegistrationStory.of(exchange());

    assertThat(story.told())
        .containsExactly("discovering by discover", "offered by offer", "bound by ack");
    Registration bound = story.last();
    assertThat(bound.getMac()).isEqualTo(MAC);
    assertThat(bound.getFamily()).isEqualTo(4);
    assertThat(bound.getIp()).isEqualTo(IP);
    assertThat(bound.getServer()).isEqualTo(DhcpEvents.SERVER);
    assertThat(bound.getRelay()).isEqualTo("10.1.2.1");
    assertThat(bound.getCircuitId()).isEqualTo("ge-0/0/7");
    assertThat(bound.getRemoteId()).isEqualTo("sw-b4");
    assertThat(bound.getAccess()).isEqualTo(Access.ACCESS_BLOCKED);
    assertThat(bound.getPreviousState()).isEqualTo(State.STATE_OFFERED);
    assertThat(bound.getChangedAtUnixNanos()).isEqualTo(unixNanos(after(3)));
    assertThat(bound.getLeaseExpiresAtUnixNanos()).isEqualTo(unixNanos(after(60_003)));
  }

  @Test
  void versionsGoUpByOneFromTheTimeOfTheFirstTransition() {
    assertThat(RegistrationStory.of(exchange()).decisions())
        .extracting(Registration::getVersion)
        .containsExactly(NOON.toEpochMilli(), NOON.toEpochMilli() + 1, NOON.toEpochMilli() + 2);
  }

  @Test
  void exchangeSeenThreeWaysIsOneTransitionEach() {
    RegistrationStory story = new RegistrationStory();
    for (Event event : exchange()) {
      Instant time = after((event.getReceivedAtUnixNanos() - unixNanos(NOON)) / 1_000_000);
      story.then(
          event,
          DhcpEvents.relayed(event, time.plusMillis(40)),
          DhcpEvents.logged(event, time.plusMillis(90)));
    }

    assertThat(story.decisions()).hasSize(3);
    assertThat(story.observed())
        .containsExactlyInAnyOrder(
            Kind.DISCOVERED,
            Kind.OFFERED,
            Kind.ANSWERED,
            Kind.OFFER_LATENCY,
            Kind.ACKNOWLEDGED,
            Kind.SERVED,
            Kind.ACK_LATENCY,
            Kind.BOUND);
  }

  @Test
  void logThatComesFirstIsCompletedByTheWire() {
    RegistrationStory story = new RegistrationStory();
    Event[] exchange = exchange();
    for (Event event : exchange) {
      story.then(DhcpEvents.logged(event, after(100)));
    }
    story.then(exchange);

    assertThat(story.decisions()).hasSize(3);
    assertThat(story.client().lease.expiresAtUnixNanos()).isEqualTo(unixNanos(after(60_003)));
    assertThat(story.client().server).isEqualTo(DhcpEvents.SERVER);
    assertThat(story.until(AN_HOUR_LATER).told()).last().isEqualTo("expired by lease_expired");
  }

  @Test
  void questionThatIsCapturedAfterItsAnswerWasLoggedIsAnswered() {
    Event[] exchange = exchange();
    RegistrationStory story =
        RegistrationStory.of(DhcpEvents.logged(exchange[1], after(2)), exchange[0], exchange[1]);

    assertThat(story.observed())
        .containsOnlyOnce(Kind.DISCOVERED, Kind.ANSWERED)
        .contains(Kind.OFFERED);
  }

  @Test
  void copyOfTheQuestionAfterTheAnswerChangesNothing() {
    Event[] exchange = exchange();
    RegistrationStory story =
        RegistrationStory.of(exchange)
            .then(
                DhcpEvents.relayed(exchange[0], after(200)),
                DhcpEvents.logged(exchange[2], after(300)));

    assertThat(story.decisions()).hasSize(3);
    assertThat(story.client().state).isEqualTo(State.STATE_BOUND);
  }

  /** Some clients use one transaction for ever: a slower copy cannot be told from a new start. */
  @Test
  void exchangeThatIsToldAgainMoreThanASecondAfterItsEndIsAnotherOne() {
    Event[] exchange = exchange();
    RegistrationStory story = RegistrationStory.of(exchange);
    for (int i = 0; i < exchange.length; i++) {
      story.then(DhcpEvents.relayed(exchange[i], after(1_200 + i)));
    }

    assertThat(story.decisions()).hasSize(6);
    assertThat(story.client().state).isEqualTo(State.STATE_BOUND);
  }

  @Test
  void copiesBetweenTheMessagesOfAnExchangeChangeNothingHoweverSlowItIs() {
    Event[] exchange = exchange();
    RegistrationStory story = new RegistrationStory();
    for (int i = 0; i < exchange.length; i++) {
      story.then(
          DhcpEvents.relayed(exchange[i], after(2_000 * i)),
          DhcpEvents.relayed(exchange[i], after(2_000 * i + 1_500)));
    }

    assertThat(story.decisions()).hasSize(3);
    assertThat(story.client().state).isEqualTo(State.STATE_BOUND);
  }

  @Test
  void acknowledgementBeforeItsQuestionsEndsBound() {
    Event[] exchange = exchange();
    RegistrationStory story =
        RegistrationStory.of(exchange[3], exchange[2], exchange[1], exchange[0]);

    assertThat(story.told()).containsExactly("bound by ack");
    assertThat(story.client())
        .usingRecursiveComparison()
        .isEqualTo(RegistrationStory.of(exchange).client());
  }

  @Test
  void leaseEndsByTimerWithoutAnotherMessage() {
    RegistrationStory story = RegistrationStory.of(exchange()).until(A_MINUTE_LATER);
    assertThat(story.told()).last().isEqualTo("bound by ack");

    story.until(after(60_003));

    Registration expired = story.last();
    assertThat(story.told()).last().isEqualTo("expired by lease_expired");
    assertThat(expired.getIp()).isEmpty();
    assertThat(expired.getPreviousIp()).isEqualTo(IP);
    assertThat(expired.getEventId()).isEmpty();
    assertThat(expired.hasLeaseExpiresAtUnixNanos()).isFalse();
    assertThat(expired.getChangedAtUnixNanos()).isEqualTo(unixNanos(after(60_003)));
    assertThat(story.observed()).endsWith(Kind.FREED);
  }

  @Test
  void renewalExtendsTheLease() {
    RegistrationStory story = RegistrationStory.of(exchange());
    client.transaction(2);
    story
        .then(client.renew(HALF_A_MINUTE_LATER), client.ack(HALF_A_MINUTE_LATER.plusMillis(2)))
        .until(NOON.plusSeconds(80));

    assertThat(story.told()).endsWith("renewing by request", "bound by ack");
    assertThat(story.until(NOON.plusSeconds(91)).told())
        .last()
        .isEqualTo("expired by lease_expired");
  }

  @Test
  void renewalOfWhichOnlyTheAnswerIsSeenIsATransition() {
    RegistrationStory story = RegistrationStory.of(exchange());

    story.then(client.transaction(2).ack(HALF_A_MINUTE_LATER));

    assertThat(story.decisions()).hasSize(4);
    assertThat(story.last().getPreviousState()).isEqualTo(State.STATE_BOUND);
    assertThat(story.last().getLeaseExpiresAtUnixNanos())
        .isEqualTo(unixNanos(HALF_A_MINUTE_LATER.plusSeconds(60)));
  }

  @Test
  void rebindFollowsARenewalWithoutAnswerForTheSameServerAndScope() {
    RegistrationStory story = RegistrationStory.of(exchange());
    story.then(
        client.transaction(2).renew(HALF_A_MINUTE_LATER), client.rebind(NOON.plusSeconds(53)));

    assertThat(story.told()).endsWith("renewing by request", "rebinding by request");
    Observation renewed = story.observation(Kind.RENEWED);
    Observation rebound = story.observation(Kind.REBOUND);
    assertThat(renewed.server()).isEqualTo(rebound.server()).isEqualTo(DhcpEvents.SERVER);
    assertThat(renewed.scope()).isEqualTo(rebound.scope()).isEqualTo("10.1.2.1");
    assertThat(story.last().hasLeaseExpiresAtUnixNanos()).isTrue();
  }

  @Test
  void acknowledgementThatOnlyALogShowsLeavesTheServerItsAddress() {
    RegistrationStory story = RegistrationStory.of(exchange());
    client.transaction(2);
    story.then(
        client.renew(after(30_000)), DhcpEvents.logged(client.ack(after(30_010)), after(30_010)));

    assertThat(story.client().state).isEqualTo(State.STATE_BOUND);
    assertThat(story.client().server).isEqualTo(DhcpEvents.SERVER);
  }

  @Test
  void retransmissionIsCountedOnce() {
    RegistrationStory story = RegistrationStory.of(exchange());
    client.transaction(2);
    story.then(client.renew(HALF_A_MINUTE_LATER), client.renew(HALF_A_MINUTE_LATER.plusSeconds(4)));

    assertThat(story.observed()).containsOnlyOnce(Kind.RENEWED);
    assertThat(story.decisions()).hasSize(4);
  }

  @Test
  void clientThatUsesOneTransactionForEverIsFollowedAllTheSame() {
    RegistrationStory story = RegistrationStory.of(exchange());
    story.then(
        client.renew(after(2_000)),
        client.ack(after(2_010)),
        client.release(after(5_000)),
        client.discover(after(7_000)),
        client.offer(after(7_010)),
        client.select(after(7_020)),
        client.ack(after(7_030)));

    assertThat(story.told())
        .endsWith(
            "renewing by request",
            "bound by ack",
            "released by release",
            "discovering by discover",
            "offered by offer",
            "bound by ack");
  }

  @Test
  void releaseAndRefusalEndTheLease() {
    assertThat(RegistrationStory.of(exchange()).then(client.release(after(9_000))).told())
        .last()
        .isEqualTo("released by release");
    assertThat(RegistrationStory.of(exchange()).then(client.nak(after(9_000))).told())
        .last()
        .isEqualTo("declined by nak");
    RegistrationStory declined =
        RegistrationStory.of(exchange()).then(client.decline(after(9_000)));
    assertThat(declined.told()).last().isEqualTo("declined by decline");
    assertThat(declined.last().getIp()).isEmpty();
  }

  @Test
  void releaseOfAnotherAddressLeavesTheLeaseAlone() {
    Event other = new DhcpEvents(MAC, "10.1.2.99", 60).release(after(9_000));

    assertThat(RegistrationStory.of(exchange()).then(other).decisions()).hasSize(3);
  }

  @Test
  void restartOfTheClientKeepsItsLease() {
    RegistrationStory story = RegistrationStory.of(exchange());

    story.then(client.transaction(2).reboot(after(20_000)));

    assertThat(story.client().state).isEqualTo(State.STATE_BOUND);
    assertThat(story.decisions()).hasSize(3);
  }

  @Test
  void secondOfferDoesNotReplaceTheFirst() {
    Event other =
        client.message(
            MessageType.MESSAGE_TYPE_OFFER,
            after(2),
            dhcp -> dhcp.setIp("10.9.9.9").setServer("10.9.0.1"));

    RegistrationStory story =
        RegistrationStory.of(client.discover(after(0)), client.offer(after(1)), other);

    assertThat(story.client().ip).isEqualTo(IP);
    assertThat(story.observed()).contains(Kind.OFFERED, Kind.OFFERED);
    assertThat(story.decisions()).hasSize(2);
  }

  @Test
  void informAndItsAnswerAreNoRegistration() {
    Event inform = client.message(MessageType.MESSAGE_TYPE_INFORM, NOON, dhcp -> dhcp);
    Event answer = client.message(MessageType.MESSAGE_TYPE_ACK, after(1), dhcp -> dhcp.setIp(IP));

    RegistrationStory story = RegistrationStory.of(inform, answer);

    assertThat(story.decisions()).isEmpty();
    assertThat(story.state()).isNull();
  }

  @Test
  void registerChangesTheAccessAtOnce() {
    RegistrationStory story =
        RegistrationStory.of(exchange()).registered(Access.ACCESS_ALLOWED, after(5_000));

    assertThat(story.told()).last().isEqualTo("bound by access_changed");
    assertThat(story.last().getAccess()).isEqualTo(Access.ACCESS_ALLOWED);
    assertThat(story.last().getIp()).isEqualTo(IP);
    assertThat(story.last().getVersion()).isEqualTo(story.decisions().get(2).getVersion() + 1);
    assertThat(story.until(AN_HOUR_LATER).last().getAccess()).isEqualTo(Access.ACCESS_ALLOWED);
  }

  @Test
  void deviceThatWasNeverSeenIsNotTold() {
    assertThat(new RegistrationStory().registered(Access.ACCESS_ALLOWED, NOON).decisions())
        .isEmpty();
  }

  @Test
  void silentClientIsForgottenAndItsVersionGoesOnAboveWhenItComesBack() {
    RegistrationStory story = RegistrationStory.of(exchange());
    story.until(NOON.plus(FORGET_AFTER).plusSeconds(1));
    assertThat(story.state()).isNull();
    long lastVersion = story.last().getVersion();

    story.then(client.transaction(9).discover(NOON.plus(Duration.ofDays(30))));

    assertThat(story.last().getVersion()).isGreaterThan(lastVersion);
  }

  @Test
  void topicForgetsAClientWithoutALeaseThatTheRegisterDoesNotKnow() {
    RegistrationStory blocked =
        RegistrationStory.of(exchange()).then(client.release(AN_HOUR_LATER));
    RegistrationStory allowed =
        RegistrationStory.of(exchange())
            .registered(Access.ACCESS_ALLOWED, NOON.plusSeconds(1))
            .then(client.release(AN_HOUR_LATER));
    RegistrationStory holdsALease =
        RegistrationStory.of(
            RegistrationStory.exchange(new DhcpEvents(RegistrationStory.MAC, "10.1.2.3", -1)));

    for (RegistrationStory story : List.of(blocked, allowed, holdsALease)) {
      story.until(AN_HOUR_LATER.plus(FORGET_AFTER).plusSeconds(1));
      assertThat(story.state()).isNull();
    }

    assertThat(blocked.forgotten()).isEqualTo(1);
    assertThat(allowed.forgotten()).isZero();
    assertThat(holdsALease.forgotten()).isZero();
  }

  @Test
  void leaseOfDecadesHoldsASilentClientNoLongerThanOneForEver() {
    DhcpEvents greedy = new DhcpEvents(RegistrationStory.MAC, "10.1.2.3", 0xffff_fffe);
    RegistrationStory story = RegistrationStory.of(RegistrationStory.exchange(greedy));

    story.until(NOON.plus(FORGET_AFTER).plusSeconds(1));

    assertThat(story.state()).isNull();
  }

  @Test
  void messageOlderThanTheAllowedLatenessIsCountedAndChangesNothing() {
    RegistrationStory story =
        RegistrationStory.of(client.transaction(2).release(AN_HOUR_LATER)).then(exchange());

    assertThat(story.tooLate()).isEqualTo(4);
    assertThat(story.client().state).isEqualTo(State.STATE_RELEASED);
  }

  @Test
  void oldMessageOfAnUnknownClientExpiresAtTheNextTimer() {
    RegistrationStory story = RegistrationStory.of(client.ack(NOON)).until(AN_HOUR_LATER);

    assertThat(story.told()).containsExactly("bound by ack", "expired by lease_expired");
  }

  @Test
  void messageFromTheFutureCountsAtTheTimeOfItsReceipt() {
    Event ahead =
        client.ack(NOON).toBuilder().setEventTimeUnixNanos(unixNanos(AN_HOUR_LATER)).build();

    RegistrationStory story = RegistrationStory.of(ahead).until(A_MINUTE_LATER);

    assertThat(story.told()).last().isEqualTo("expired by lease_expired");
  }

  @Test
  void logLineWithTheStampOfAnotherTimeZoneCountsAtTheTimeOfItsReceipt() {
    Event logged =
        DhcpEvents.logged(client.ack(AN_HOUR_LATER), AN_HOUR_LATER).toBuilder()
            .setEventTimeUnixNanos(unixNanos(AN_HOUR_LATER.minus(Duration.ofHours(9))))
            .build();

    assertThat(RegistrationStory.of(logged).last().getChangedAtUnixNanos())
        .isEqualTo(unixNanos(AN_HOUR_LATER));
  }

  @Test
  void endlessLeaseDoesNotEnd() {
    RegistrationStory story =
        RegistrationStory.of(new DhcpEvents(MAC, IP, -1).ack(NOON))
            .until(NOON.plus(Duration.ofDays(6)));

    assertThat(story.told()).containsExactly("bound by ack");
    assertThat(story.last().hasLeaseExpiresAtUnixNanos()).isFalse();
  }

  @Test
  void eventThatIsDeliveredAgainChangesNothing() {
    Event[] exchange = exchange();

    assertThat(RegistrationStory.of(exchange).then(exchange).decisions()).hasSize(3);
  }

  @Test
  void latencyIsMeasuredFromTheQuestionOfTheSameTransaction() {
    RegistrationStory story =
        RegistrationStory.of(
            client.discover(after(0)),
            client.offer(after(700)),
            client.select(after(701)),
            client.ack(after(1_901)));

    assertThat(story.observation(Kind.OFFER_LATENCY).latencyMs()).isEqualTo(700);
    assertThat(story.observation(Kind.ACK_LATENCY).latencyMs()).isEqualTo(1_200);
  }

  @Test
  void otherCircuitIsAMove() {
    Event elsewhere = client.transaction(2).discover(after(20_000));
    elsewhere =
        elsewhere.toBuilder()
            .setDhcp(elsewhere.getDhcp().toBuilder().setCircuitId("ge-0/0/9"))
            .build();

    RegistrationStory story = RegistrationStory.of(exchange()).then(elsewhere);

    assertThat(story.observation(Kind.MOVED).detail()).isEqualTo("sw-b4 ge-0/0/7");
    assertThat(story.observation(Kind.MOVED).place()).isEqualTo("sw-b4 ge-0/0/9");
  }

  @Test
  void exchangeOfIpv6BindsAndExpires() {
    DhcpEvents six = new DhcpEvents(MAC, "2001:db8::7", 60);
    RegistrationStory story =
        RegistrationStory.of(
            six.message(MessageType.MESSAGE_TYPE_V6_SOLICIT, after(0), dhcp -> dhcp),
            six.message(
                MessageType.MESSAGE_TYPE_V6_ADVERTISE, after(1), dhcp -> dhcp.setIp("2001:db8::7")),
            six.message(
                MessageType.MESSAGE_TYPE_V6_REQUEST, after(2), dhcp -> dhcp.setIp("2001:db8::7")),
            six.message(
                MessageType.MESSAGE_TYPE_V6_REPLY,
                after(3),
                dhcp -> dhcp.setIp("2001:db8::7").setLeaseSeconds(60)));

    assertThat(story.told())
        .containsExactly(
            "discovering by v6_solicit", "offered by v6_advertise", "bound by v6_reply");
    assertThat(story.last().getFamily()).isEqualTo(6);
    assertThat(story.until(AN_HOUR_LATER).client().state).isEqualTo(State.STATE_EXPIRED);
  }

  @Test
  void messageOfANewerAgentChangesNothing() {
    Event newer = TestEvents.dhcpAck(1, NOON);
    newer =
        newer.toBuilder().setDhcp(newer.getDhcp().toBuilder().setMessageTypeValue(4_711)).build();

    assertThat(RegistrationStory.of(newer).decisions()).isEmpty();
  }
}

package io.tocsin.correlation.copies;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CopiesTest {
  private final Copies rules = new Copies();
  private final Map<String, Heard> states = new HashMap<>();
  private long sequence;

  @Test
  void theSameByTwoWaysIsOneAndNothingIsLeftOfIt() {
    Event first = line("a", "x", 0);

    assertThat(keptFor(first, 0)).isEmpty();
    assertThat(keptFor(line("b", "x", 300), 300)).isEqualTo(first.getEventId());
    assertThat(states).isEmpty();
  }

  @Test
  void whatADeviceSaysThreeTimesIsThreeWhateverWayIsFirst() {
    List<String> kept = new ArrayList<>();
    for (String agent : List.of("a", "a", "b", "b", "b", "a")) {
      Event event = line(agent, "x", 0);
      String of = keptFor(event, 0);
      kept.add(of.isEmpty() ? "kept" : "copy");
    }

    assertThat(kept).containsExactly("kept", "kept", "copy", "copy", "kept", "copy");
    assertThat(states).isEmpty();
  }

  @Test
  void repetitionsOfOneAgentAndOtherDevicesContentsAndGroupsAreNoCopies() {
    keptFor(line("a", "x", 0), 0);

    assertThat(keptFor(line("a", "x", 1), 1)).isEmpty();
    assertThat(keptFor(line("b", "y", 1), 1)).isEmpty();
    Event other = line("b", "x", 1);
    assertThat(keptFor(other.toBuilder().setDevice("sw2").build(), 1)).isEmpty();
    var group = other.getCopies().toBuilder().setGroup("edge");
    assertThat(keptFor(other.toBuilder().setCopies(group).build(), 1)).isEmpty();
  }

  @Test
  void tenSecondsApartByTheAgentsClocksIsStillACopyAndMoreIsNone() {
    keptFor(line("a", "x", 0), 0);
    keptFor(line("a", "y", 0), 0);

    assertThat(keptFor(line("b", "x", 10_000), 10_000)).isNotEmpty();
    assertThat(keptFor(line("b", "y", 10_001), 10_001)).isEmpty();
  }

  @Test
  void aClockThatIsAheadOfTheBrokerIsSetBack() {
    keptFor(line("a", "x", 60_000), 5);

    assertThat(keptFor(line("b", "x", 10), 10)).isNotEmpty();
  }

  @Test
  void anAgentThatWasCutOffFromKafkaTellsCopiesForTenMinutes() {
    long wait = Duration.ofMinutes(Copies.WAIT_MINUTES).toMillis();
    keptFor(line("a", "x", 0), 100);
    keptFor(line("a", "y", 0), 100);

    assertThat(keptFor(line("b", "x", 20), 99 + wait)).isNotEmpty();
    assertThat(keptFor(line("b", "y", 20), 100 + wait)).isEmpty();
  }

  @Test
  void threeAgentsAreWaitedForWhereThreeReceive() {
    for (String agent : List.of("a", "b", "c")) {
      Event event = line(agent, "x", 0);
      var copies = event.getCopies().toBuilder().setAgents(3);
      keptFor(event.toBuilder().setCopies(copies).build(), 0);
      assertThat(states).hasSize(agent.equals("c") ? 0 : 1);
    }
  }

  @Test
  void aLoopingDeviceFillsABoundedState() {
    for (int i = 0; i < Copies.MOST_WAITING + 10; i++) {
      keptFor(line("a", "x", i), i);
    }

    assertThat(states).hasSize(1);
    assertThat(states.values().iterator().next().waiting).hasSize(Copies.MOST_WAITING);
  }

  @Test
  void whatIsSaidOfOneAlertOrOneClientHasOneKeySoThatItStaysInOrder() {
    Event raise = TestEvents.ofGroup("a", ++sequence, TestEvents.raise(1, NOON));
    Event clear = TestEvents.ofGroup("a", ++sequence, TestEvents.clear(2, NOON));
    Event ack = TestEvents.ofGroup("a", ++sequence, TestEvents.dhcpAck(1, NOON));
    Event offer = withTransaction(ack, 7);

    assertThat(Copies.keyOf(clear)).isEqualTo(Copies.keyOf(raise));
    assertThat(Copies.keyOf(offer)).isEqualTo(Copies.keyOf(ack)).isNotEqualTo(Copies.keyOf(raise));
    for (Event first : List.of(raise, clear, ack, offer)) {
      assertThat(keptFor(first, 0)).isEmpty();
    }
    for (Event first : List.of(clear, raise, offer, ack)) {
      Event copy = TestEvents.ofGroup("b", ++sequence, first);
      assertThat(keptFor(copy, 5)).isEqualTo(first.getEventId());
    }
    assertThat(states).isEmpty();
  }

  @Test
  void alertUpdatesAreComparedFieldByFieldAndASendersOwnTimeCounts() {
    Event raise = TestEvents.raise(1, NOON);
    String content = contentOf(TestEvents.ofGroup("a", 1, raise));
    var other = raise.toBuilder().setReceivedAtUnixNanos(raise.getReceivedAtUnixNanos() + 5);

    assertThat(contentOf(TestEvents.ofGroup("b", 7, raise))).isEqualTo(content);
    assertThat(contentOf(TestEvents.ofGroup("b", 7, other.build()))).isNotEqualTo(content);
    var labelled = raise.getAlertUpdate().toBuilder().putLabels("rack", "b5");
    Event ofOtherRack = raise.toBuilder().setAlertUpdate(labelled).build();
    assertThat(contentOf(TestEvents.ofGroup("b", 7, ofOtherRack))).isNotEqualTo(content);
  }

  @Test
  void theOrderOfAMapIsNoDifference() {
    Event raise = TestEvents.raise(1, NOON);
    var one = raise.getAlertUpdate().toBuilder().clearLabels();
    var there = one.clone().putLabels("a", "1").putLabels("b", "2").putLabels("c", "3");
    var back = one.clone().putLabels("c", "3").putLabels("b", "2").putLabels("a", "1");

    assertThat(contentOf(raise.toBuilder().setAlertUpdate(there).build()))
        .isEqualTo(contentOf(raise.toBuilder().setAlertUpdate(back).build()));
  }

  @Test
  void dhcpMessagesOfTwoTransactionsAreTwo() {
    Event dhcp = TestEvents.dhcpAck(1, NOON);

    assertThat(contentOf(withTransaction(dhcp, 7))).isNotEqualTo(contentOf(dhcp));
  }

  /**
   * Two ways that lose and delay, each in its own order; some lines are said again and again. Kafka
   * has the two mixed as it likes, and a reader that is restored meanwhile decides the same.
   */
  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void whatEitherWayBroughtIsKeptOnceInEveryStory(long seed) {
    Random random = new Random(seed);
    List<Told> story = story(random);

    List<String> kept = new ArrayList<>();
    Map<String, Heard> checkpoint = new HashMap<>();
    List<String> keptThen = new ArrayList<>();
    int restored = story.size() / 2;
    int checkpointAt = random.nextInt(restored);
    for (int i = 0; i < restored; i++) {
      if (i == checkpointAt) {
        states.forEach((key, heard) -> checkpoint.put(key, copyOf(heard)));
        keptThen.addAll(kept);
      }
      play(story.get(i), kept);
    }
    List<String> undisturbed = new ArrayList<>(kept);
    story.subList(restored, story.size()).forEach(told -> play(told, undisturbed));
    states.clear();
    states.putAll(checkpoint);
    story.subList(checkpointAt, story.size()).forEach(told -> play(told, keptThen));

    assertThat(keptThen).isEqualTo(undisturbed);
    for (String message : messages(story)) {
      long ofA = heard(story, "a", message);
      long ofB = heard(story, "b", message);
      long rows = undisturbed.stream().filter(message::equals).count();
      long said = message.startsWith("again") ? 20 : 1;
      assertThat(rows).as(message).isBetween(Math.max(ofA, ofB), said);
    }
  }

  private record Told(String agent, String message, Event event, long takenAtMillis) {}

  private List<Told> story(Random random) {
    List<Told> story = new ArrayList<>();
    for (String agent : List.of("a", "b")) {
      long delay = random.nextInt(2_000);
      long taken = 0;
      Random losses = new Random(random.nextLong());
      for (int second = 0; second < 200; second++) {
        // One of 10 lines is said 20 times, every 10 s, and all others once.
        String message = second % 10 == 0 ? "again" : "line " + second;
        if (losses.nextInt(100) < 15) {
          continue;
        }
        long receivedAt = second * 1_000L + delay;
        taken = Math.max(taken, receivedAt + losses.nextInt(3_000));
        story.add(new Told(agent, message, line(agent, message, receivedAt), taken));
      }
    }
    story.sort(Comparator.comparingLong(Told::takenAtMillis));
    return story;
  }

  private void play(Told told, List<String> kept) {
    if (keptFor(told.event(), told.takenAtMillis()).isEmpty()) {
      kept.add(told.message());
    }
  }

  private static Set<String> messages(List<Told> story) {
    Set<String> messages = new HashSet<>();
    story.forEach(told -> messages.add(told.message()));
    return messages;
  }

  private static long heard(List<Told> story, String agent, String message) {
    return story.stream()
        .filter(told -> told.agent().equals(agent) && told.message().equals(message))
        .count();
  }

  private static Event withTransaction(Event dhcp, int id) {
    return dhcp.toBuilder().setDhcp(dhcp.getDhcp().toBuilder().setTransactionId(id)).build();
  }

  /** The same for copies alone. */
  private static String contentOf(Event event) {
    return Copies.keyOf(event) + '\n' + Copies.contentWithinKey(event);
  }

  private static Heard copyOf(Heard heard) {
    Heard copy = new Heard();
    for (Heard.Said said : heard.waiting) {
      Heard.Said one = new Heard.Said();
      one.eventId = said.eventId;
      one.content = said.content;
      one.receivedAtUnixNanos = said.receivedAtUnixNanos;
      one.takenAtUnixNanos = said.takenAtUnixNanos;
      one.agents = new ArrayList<>(said.agents);
      copy.waiting.add(one);
    }
    return copy;
  }

  /** Id of what is kept in an event's place; empty where it is kept itself. */
  private String keptFor(Event event, long takenAtMillis) {
    String key = Copies.keyOf(event);
    long taken = NOON.toEpochMilli() + takenAtMillis;
    Step<Heard, Verdict> step = rules.onInput(states.get(key), new Arrival(event, taken));
    if (step.state() == null) {
      states.remove(key);
    } else {
      states.put(key, step.state());
    }
    return step.decisions().get(0).keptEventId();
  }

  private Event line(String agent, String message, long receivedAtMillis) {
    Instant receivedAt = NOON.plusMillis(receivedAtMillis);
    Event line = TestEvents.syslog(1, receivedAt);
    var syslog = line.getSyslog().toBuilder().setMessage(message);
    return TestEvents.ofGroup(agent, ++sequence, line.toBuilder().setSyslog(syslog).build());
  }
}

package io.tocsin.correlation.registrations;

import static io.tocsin.correlation.registrations.RegistrationStory.MAC;
import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.DhcpEvents;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever the order of arrival within the allowed lateness, and by however many paths, the end is
 * the same; and in the end nothing is left.
 */
class RegistrationOrderTest {
  private static final int STORIES_PER_SEED = 300;
  private static final int MAX_EXCHANGES = 5;
  private static final Instant LATER = NOON.plusSeconds(55);

  @ParameterizedTest
  @ValueSource(longs = {1, 20, 300, 4_000})
  void everyOrderOfArrivalEndsInTheSameState(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < STORIES_PER_SEED; i++) {
      List<Event> inOrder = seenByPaths(randomMessages(random), random);
      List<Event> shuffled = new ArrayList<>(inOrder);
      Collections.shuffle(shuffled, random);

      RegistrationStory expected = RegistrationStory.of(inOrder.toArray(Event[]::new));
      RegistrationStory story = RegistrationStory.of(shuffled.toArray(Event[]::new));

      assertThat(story.until(LATER).client())
          .as("seed %d, case %d", seed, i)
          .usingRecursiveComparison()
          .isEqualTo(expected.until(LATER).client());
      assertThat(story.tooLate()).isZero();
      assertVersionsRise(story);
      assertThat(story.until(NOON.plus(Duration.ofDays(30))).state()).isNull();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {5, 60, 700})
  void disorderWithinEachOfManyExchangesEndsInTheSameState(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      RegistrationStory expected = new RegistrationStory();
      RegistrationStory story = new RegistrationStory();
      for (int round = 0; round < 6; round++) {
        Instant start = NOON.plus(Duration.ofMinutes(2L * round));
        List<Event> inOrder = seenByPaths(randomMessages(random, start), random);
        List<Event> shuffled = new ArrayList<>(inOrder);
        Collections.shuffle(shuffled, random);
        expected.then(inOrder.toArray(Event[]::new)).until(start.plusSeconds(60));
        story.then(shuffled.toArray(Event[]::new)).until(start.plusSeconds(60));
      }

      assertThat(story.client())
          .as("seed %d, case %d", seed, i)
          .usingRecursiveComparison()
          .isEqualTo(expected.client());
      assertThat(story.state().messages).isEqualTo(expected.state().messages);
    }
  }

  /** A job that restores a checkpoint folds all messages anew; one that runs on does not. */
  @ParameterizedTest
  @ValueSource(longs = {6, 70, 800})
  void foldingOnAndFoldingAnewDecideTheSame(long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      List<Event> events = new ArrayList<>();
      int bursts = 1 + random.nextInt(12);
      for (int burst = 0; burst < bursts; burst++) {
        Instant start = NOON.plusMillis(burst * (long) random.nextInt(40_000));
        events.addAll(seenByPaths(randomMessages(random, start), random));
      }
      events.addAll(flood(random, NOON.plusSeconds(random.nextInt(600))));
      swapSome(events, random);

      RegistrationStory on = new RegistrationStory();
      RegistrationStory anew = new RegistrationStory();
      for (Event event : events) {
        on.then(event);
        anew.then(event);
        anew.state().folded = null;
      }

      assertThat(on.decisions()).as("seed %d, case %d", seed, i).isEqualTo(anew.decisions());
      assertThat(on.observations()).isEqualTo(anew.observations());
      assertThat(on.tooLate()).isEqualTo(anew.tooLate());
      assertThat(on.client()).usingRecursiveComparison().isEqualTo(anew.client());
    }
  }

  /** Most messages come in order; one in eight comes before its neighbour, or twice. */
  private static void swapSome(List<Event> events, Random random) {
    for (int i = 1; i < events.size(); i++) {
      if (random.nextInt(8) == 0) {
        Collections.swap(events, i - 1, i);
      }
    }
    for (int i = events.size() / 8; i > 0; i--) {
      Event again = events.get(random.nextInt(events.size()));
      events.add(random.nextInt(events.size()), again);
    }
  }

  private static void assertVersionsRise(RegistrationStory story) {
    long version = 0;
    for (var decision : story.decisions()) {
      assertThat(decision.getVersion()).isGreaterThan(version);
      version = decision.getVersion();
    }
  }

  /** Questions within the window of repeats, more than are kept, and some of them once more. */
  private static List<Event> flood(Random random, Instant start) {
    DhcpEvents client = new DhcpEvents(MAC, "10.1.2.9", 60);
    List<Event> events = new ArrayList<>();
    for (int i = 0; i < 3 * MessageFold.MAX_MESSAGES; i++) {
      Instant time = start.plusMillis(50L * i);
      events.add(client.transaction(1_000 + i).discover(time));
      if (i % 10 == 9) {
        client.transaction(1_000 + random.nextInt(i));
        events.add(DhcpEvents.relayed(client.discover(time), time.plusMillis(1)));
      }
    }
    return events;
  }

  private static List<Event> randomMessages(Random random) {
    return randomMessages(random, NOON);
  }

  private static List<Event> randomMessages(Random random, Instant start) {
    List<Event> events = new ArrayList<>();
    Instant time = start;
    int exchanges = 1 + random.nextInt(MAX_EXCHANGES);
    for (int exchange = 1; exchange <= exchanges; exchange++) {
      int lease = 5 + random.nextInt(60);
      DhcpEvents client =
          new DhcpEvents(MAC, "10.1.2." + (1 + random.nextInt(3)), lease)
              .transaction(random.nextInt(1, 4));
      switch (random.nextInt(6)) {
        case 0 -> {
          events.add(client.discover(time));
          events.add(client.offer(time.plusMillis(3)));
          events.add(client.select(time.plusMillis(6)));
          events.add(client.ack(time.plusMillis(9)));
        }
        case 1 -> {
          events.add(client.renew(time));
          events.add(client.ack(time.plusMillis(4)));
        }
        case 2 -> events.add(client.rebind(time));
        case 3 -> events.add(client.release(time));
        case 4 -> {
          events.add(client.reboot(time));
          events.add(client.nak(time.plusMillis(2)));
        }
        default -> events.add(client.decline(time));
      }
      time = time.plusMillis(500 + random.nextInt(9_000));
    }
    return events;
  }

  /** Each message by one to three paths, each with a delay of its own. */
  private static List<Event> seenByPaths(List<Event> messages, Random random) {
    List<Event> seen = new ArrayList<>();
    for (Event message : messages) {
      seen.add(message);
      Instant time = Instant.ofEpochSecond(0, message.getReceivedAtUnixNanos());
      if (random.nextBoolean()) {
        seen.add(DhcpEvents.relayed(message, time.plusMillis(random.nextInt(200))));
      }
      if (random.nextBoolean()) {
        seen.add(DhcpEvents.logged(message, time.plusMillis(random.nextInt(2_000))));
      }
    }
    return seen;
  }
}

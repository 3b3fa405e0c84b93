package io.tocsin.rules.history;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What is a copy: CopiesTest. */
class FirstOfGroupsTest {
  private final FirstOfGroups firstOfGroups = new FirstOfGroups();
  private final Event line = TestEvents.syslog(1, NOON);

  @Test
  void whatTwoAgentsReceivedIsPlayedOnce() {
    assertThat(firstOfGroups.has(TestEvents.ofGroup("a", 1, line), NOON.toEpochMilli())).isTrue();
    assertThat(firstOfGroups.has(TestEvents.ofGroup("b", 9, line), NOON.toEpochMilli())).isFalse();
    assertThat(firstOfGroups.has(TestEvents.ofGroup("b", 10, line), NOON.toEpochMilli())).isTrue();
  }

  @Test
  void whatOneAgentToldTenMinutesLaterIsPlayedAgainAsInTheJobs() {
    long later = NOON.plus(Duration.ofMinutes(10)).toEpochMilli();
    assertThat(firstOfGroups.has(TestEvents.ofGroup("a", 1, line), NOON.toEpochMilli())).isTrue();

    assertThat(firstOfGroups.has(TestEvents.ofGroup("b", 9, line), later)).isTrue();
  }

  @Test
  void eventsOfNoGroupAreAllPlayed() {
    assertThat(firstOfGroups.has(line, NOON.toEpochMilli())).isTrue();
    assertThat(firstOfGroups.has(line, NOON.toEpochMilli())).isTrue();
  }
}

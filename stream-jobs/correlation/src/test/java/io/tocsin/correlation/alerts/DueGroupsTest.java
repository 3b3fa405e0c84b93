package io.tocsin.correlation.alerts;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class DueGroupsTest {
  private final DueGroups due = new DueGroups();

  @Test
  void whatIsDueIsTakenOnceInOrderOfItsKeys() {
    due.at(10, "b");
    due.at(5, "c");
    due.at(10, "a");
    due.at(11, "later");

    assertThat(due.take(4)).isEmpty();
    assertThat(due.take(10)).containsExactly("a", "b", "c");
    assertThat(due.take(10)).isEmpty();
    assertThat(due.isEmpty()).isFalse();
  }

  @Test
  void anEarlierTimeReplacesOneThatIsSetAndALaterOneDoesNot() {
    due.at(10, "a");
    due.at(20, "a");
    due.at(5, "a");

    assertThat(due.take(5)).containsExactly("a");
    assertThat(due.take(30)).isEmpty();
  }

  @Test
  void whatWaitsForNoTimeIsNeverDue() {
    due.at(Long.MAX_VALUE, "a");

    assertThat(due.isEmpty()).isTrue();
    assertThat(due.take(Long.MAX_VALUE)).isEmpty();
  }
}

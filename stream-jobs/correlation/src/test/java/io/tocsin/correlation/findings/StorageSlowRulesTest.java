package io.tocsin.correlation.findings;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.correlation.Step;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.TestEvents;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StorageSlowRulesTest {
  private static final String RAISED = "storage-slow 1 SEVERITY_MINOR";
  private static final String CLEARED = "storage-slow 2 SEVERITY_CLEARED";

  private final StorageSlowRules rules =
      new StorageSlowRules("^cpu_(busy|user|system)$", new StorageSlowRules.Limits(90, 20, 50));
  private final HostLoad load = new HostLoad();
  private final List<String> told = new ArrayList<>();
  private final List<Event> events = new ArrayList<>();

  private void tell(Step<HostLoad, Event> step) {
    events.addAll(step.decisions());
    step.decisions().stream()
        .map(Event::getAlertUpdate)
        .map(u -> u.getCheck() + " " + u.getAction().getNumber() + " " + u.getSeverity())
        .forEach(told::add);
  }

  private void read(int second, String gauge, String instance, double value) {
    Event.Builder event = TestEvents.gauge(second, NOON.plusSeconds(second)).toBuilder();
    event
        .setRole("database")
        .getGaugeBuilder()
        .setName(gauge)
        .setInstance(instance)
        .setValue(value)
        .clearLimit();
    assertThat(rules.concerns(event.build())).isTrue();
    tell(rules.onInput(load, event.build()));
  }

  /** One reading of disk sda and of all processors. */
  private void read(int second, double utilization, double waitMs, double busy) {
    read(second, "disk_utilization", "sda", utilization);
    read(second, "disk_wait", "sda", waitMs);
    read(second, "cpu_busy", "", busy);
  }

  @Test
  void diskThatIsBusyForThreeReadingsWhileTheProcessorsIdleIsTold() {
    read(0, 98, 80, 5);
    read(30, 97, 85, 5);
    assertThat(told).isEmpty();
    read(60, 98, 90, 4);
    read(90, 99, 90, 4);

    assertThat(told).containsExactly(RAISED);
    assertThat(events.get(0).getAlertUpdate().getSummary())
        .isEqualTo(
            "disk sda of n0418 is busy 98 % of the time, and a request waits 85 ms, while its"
                + " processors are busy 5 %");
    assertThat(events.get(0).getRole()).isEqualTo("database");
    assertThat(events.get(0).getAlertUpdate().getLabelsMap())
        .containsEntry("role", "database")
        .containsEntry("disk", "sda")
        .containsEntry("utilization_percent", "98")
        .containsEntry("wait_ms", "85")
        .containsEntry("cpu_busy_percent", "5");
  }

  @Test
  void busyProcessorsExplainABusyDisk() {
    for (int second = 0; second <= 300; second += 30) {
      read(second, 98, 80, 60);
    }

    assertThat(told).isEmpty();
  }

  @Test
  void busyDiskThatAnswersQuicklyIsNotSlow() {
    for (int second = 0; second <= 300; second += 30) {
      read(second, 100, 0.4, 5);
    }

    assertThat(told).isEmpty();
  }

  @Test
  void diskWhoseWaitNobodyTellsIsJudgedByItsUtilization() {
    for (int second = 0; second <= 120; second += 60) {
      read(second, "disk_utilization", "1", 100);
      read(second, "cpu_user", "", 3);
      read(second, "cpu_system", "", 4);
    }

    assertThat(told).containsExactly(RAISED);
    assertThat(events.get(0).getAlertUpdate().getSummary())
        .isEqualTo("disk 1 of n0418 is busy 100 % of the time, while its processors are busy 7 %");
  }

  @Test
  void nothingIsSaidWhereNobodyTellsOfTheProcessors() {
    for (int second = 0; second <= 120; second += 60) {
      read(second, "disk_utilization", "1", 100);
    }

    assertThat(told).isEmpty();
  }

  @Test
  void sharesOfSeveralNamesAreAddedAndInstancesAveraged() {
    read(0, "cpu_user", "0", 90);
    read(0, "cpu_user", "1", 10);
    read(0, "cpu_system", "", 10);
    for (int second = 0; second <= 120; second += 60) {
      read(second, "disk_utilization", "sda", 100);
    }

    assertThat(told).as("50 % and 10 % are not idle").isEmpty();
  }

  @Test
  void alertStaysWhileTheDiskIsNeitherBusyNorAtEase() {
    for (int second = 0; second <= 60; second += 30) {
      read(second, 98, 80, 5);
    }
    for (int second = 90; second <= 600; second += 30) {
      read(second, second % 60 == 0 ? 80 : 60, 30, 60);
    }

    assertThat(told).containsExactly(RAISED);
  }

  @Test
  void alertIsClearedByThreeReadingsAtEase() {
    for (int second = 0; second <= 60; second += 30) {
      read(second, 98, 80, 5);
    }
    read(90, 20, 2, 5);
    read(120, 20, 2, 5);
    assertThat(told).containsExactly(RAISED);
    read(150, 20, 2, 5);

    assertThat(told).containsExactly(RAISED, CLEARED);
  }

  @Test
  void alertIsClearedWhenTheProcessorsWork() {
    for (int second = 0; second <= 60; second += 30) {
      read(second, 98, 80, 5);
    }
    read(90, 98, 80, 76);

    assertThat(told).containsExactly(RAISED, CLEARED);
  }

  @Test
  void alertIsClearedWhenNobodyReadsTheDiskAnyMore() {
    for (int second = 0; second <= 60; second += 30) {
      read(second, 98, 80, 5);
    }
    tell(rules.onTimer(load, unixNanos(NOON.plusSeconds(60 + 899))));
    assertThat(told).containsExactly(RAISED);
    tell(rules.onTimer(load, unixNanos(NOON.plusSeconds(60 + 900))));

    assertThat(told).containsExactly(RAISED, CLEARED);
    assertThat(rules.onTimer(load, unixNanos(NOON.plusSeconds(60 + 3_600))).state()).isNull();
  }

  @Test
  void alertIsRepeatedEachHour() {
    for (int second = 0; second <= 7_300; second += 30) {
      read(second, 98, 80, 5);
    }

    assertThat(told).containsExactly(RAISED, RAISED, RAISED);
  }

  @Test
  void worstOfSeveralDisksIsNamed() {
    for (int second = 0; second <= 60; second += 30) {
      read(second, "disk_utilization", "sda", 99);
      read(second, "disk_wait", "sda", 30);
      read(second, "disk_utilization", "sdb", 95);
      read(second, "disk_wait", "sdb", 200);
      read(second, "cpu_busy", "", second < 60 ? 70 : 5);
    }

    assertThat(events).singleElement();
    assertThat(events.get(0).getAlertUpdate().getLabelsMap()).containsEntry("disk", "sdb");
  }

  @Test
  void readingsWithAGapBetweenThemAreNotInARow() {
    read(0, 98, 80, 5);
    read(30, 98, 80, 5);
    read(930, 98, 80, 5);

    assertThat(told).isEmpty();
  }

  @Test
  void disksOfAStrangerAreBounded() {
    for (int disk = 0; disk < 2_000; disk++) {
      read(disk / 100, "disk_utilization", "disk-" + disk, 98);
      read(disk / 100, "cpu_user", "cpu-" + disk, 1);
    }

    assertThat(load.disks).hasSize(256);
    assertThat(load.processors).hasSize(1_024);
  }
}

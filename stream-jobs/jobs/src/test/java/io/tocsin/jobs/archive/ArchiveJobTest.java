package io.tocsin.jobs.archive;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.connectors.kafka.TopicRecord;
import io.tocsin.connectors.tables.Judged;
import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.datagen.source.DataGeneratorSource;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ArchiveJobTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  private final List<Event> stored = new ArrayList<>();
  private final List<String> judged = new ArrayList<>();

  @Test
  void eventsOfEveryKindReachTheTablesUnchanged() throws Exception {
    List<Event> events =
        List.of(
            TestEvents.syslog(1, NOON),
            TestEvents.raise(2, NOON),
            TestEvents.agentStats(3, NOON),
            TestEvents.reject(4, NOON));

    play(events);

    assertThat(stored).isEqualTo(events);
    assertThat(judged).isEmpty();
  }

  @Test
  void whatTwoAgentsReceivedIsStoredOnceAndTheOtherIsNamedBesideIt() throws Exception {
    Event alone = TestEvents.syslog(1, NOON);
    Event first = TestEvents.ofGroup("agent-1", 2, TestEvents.raise(2, NOON));
    Event copy = TestEvents.ofGroup("agent-2", 7, TestEvents.raise(7, NOON.plusMillis(400)));
    Event other = TestEvents.ofGroup("agent-2", 8, TestEvents.clear(8, NOON.plusMillis(401)));

    play(List.of(alone, first, copy, other));

    assertThat(stored).containsExactly(alone);
    assertThat(judged)
        .containsExactlyInAnyOrder("", "of " + copy.getEventId() + ": " + first.getEventId(), "");
  }

  private void play(List<Event> events) throws Exception {
    var records =
        new DataGeneratorSource<>(
            index -> Records.of(events.get(index.intValue()), index),
            events.size(),
            TypeInformation.of(TopicRecord.class));
    var env = TestCluster.environment();
    env.setParallelism(1);
    try (CollectingSink<TopicRecord> tables = new CollectingSink<>();
        CollectingSink<Judged> copies = new CollectingSink<>()) {
      ArchiveJob.define(env, records, tables, copies);
      env.execute();

      for (TopicRecord record : tables.elements()) {
        stored.add(Event.parseFrom(record.value()));
      }
      for (Judged one : copies.elements()) {
        String id = Event.parseFrom(one.record().value()).getEventId();
        judged.add(one.keptEventId().isEmpty() ? "" : "of " + id + ": " + one.keptEventId());
      }
    }
  }
}

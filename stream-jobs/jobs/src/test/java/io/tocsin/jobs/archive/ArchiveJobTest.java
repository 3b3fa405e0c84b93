package io.tocsin.jobs.archive;

import static io.tocsin.testsupport.Instants.NOON;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.events.v1.Event;
import io.tocsin.testsupport.CollectingSink;
import io.tocsin.testsupport.ListSource;
import io.tocsin.testsupport.TestCluster;
import io.tocsin.testsupport.TestEvents;
import java.util.List;
import org.apache.flink.test.junit5.MiniClusterExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ArchiveJobTest {
  @RegisterExtension static final MiniClusterExtension CLUSTER = TestCluster.extension();

  @Test
  void eventsOfEveryKindReachTheTablesUnchanged() throws Exception {
    List<Event> events =
        List.of(
            TestEvents.syslog(1, NOON),
            TestEvents.raise(2, NOON),
            TestEvents.agentStats(3, NOON),
            TestEvents.reject(4, NOON));

    var env = TestCluster.environment();
    try (CollectingSink<Event> tables = new CollectingSink<>()) {
      ArchiveJob.define(env, ListSource.of(Event.class, events), tables);
      env.execute();

      assertThat(tables.elements()).isEqualTo(events);
    }
  }
}

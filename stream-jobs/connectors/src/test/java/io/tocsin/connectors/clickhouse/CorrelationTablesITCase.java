package io.tocsin.connectors.clickhouse;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;
import static org.assertj.core.api.Assertions.assertThat;

import io.tocsin.connectors.kafka.Topics;
import io.tocsin.connectors.tables.EventTables;
import io.tocsin.events.v1.Event;
import io.tocsin.registrations.v1.Access;
import io.tocsin.registrations.v1.LeaseLatency;
import io.tocsin.registrations.v1.Registration;
import io.tocsin.registrations.v1.State;
import io.tocsin.testsupport.TestEvents;
import io.tocsin.wan.v1.Evidence;
import io.tocsin.wan.v1.WanEpisode;
import java.io.IOException;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Rows of the sources and correlations beyond syslog and alert updates read as they were written.
 */
class CorrelationTablesITCase extends ClickHouseCase {
  private final String identity = "test-" + UUID.randomUUID();

  @Test
  void dhcpReadsAsItWasWritten() throws IOException {
    insert(TestEvents.dhcpAck(1, NOON));

    assertThat(
            select(
                "message_type, path, request_kind, mac, ip, hostname, server, relay, circuit_id,"
                    + " lease_seconds, rebinding_seconds, is_broadcast, transaction_id,"
                    + " fingerprint, router, prefix_length, interface, raw",
                "dhcp"))
        .isEqualTo(
            "ack\tcapture\tnone\t02:00:00:00:00:2a\t10.1.2.3\tprinter-1\t10.1.0.1\t10.1.2.1"
                + "\tge-0/0/7\t3600\t3150\ttrue\t4275878552\t1,3,6,15\t10.1.2.1\t24\teth0\traw 1");
  }

  @Test
  void trapReadsAsItWasWritten() throws IOException {
    insert(TestEvents.snmpTrap(1, NOON));

    assertThat(select("version, trap_oid, trap_name, varbinds, is_inform", "snmp_traps"))
        .isEqualTo("v2c\t1.3.6.1.6.3.1.1.5.3\tIF-MIB::linkDown\t{'IF-MIB::ifIndex.7':'7'}\tfalse");
  }

  @Test
  void countersAndGaugesReadAsTheyWereWritten() throws IOException {
    insert(TestEvents.interfaceCounters(1, NOON));
    insert(TestEvents.gauge(2, NOON));

    assertThat(
            select(
                "interface, if_index, in_octets, out_discards, speed_bps, oper_status, in_bps,"
                    + " out_load, interval_ms",
                "interface_counters"))
        .isEqualTo("Gi0/1\t1\t1000\t22559915\t1000000000\tup\t\\N\t0.98\t10000");
    assertThat(select("name, instance, value, limit, unit", "gauges"))
        .isEqualTo("connections\t\t49000\t50000\tconnections");
  }

  @Test
  void probesReadAsTheyWereWritten() throws IOException {
    insert(TestEvents.probe(1, NOON, 31.25));
    insert(TestEvents.lostProbe(2, NOON.plusSeconds(1)));

    assertThat(
            select("link_id, method, rtt_ms, lost, loss_reason, sequence", "link_probes").lines())
        .containsExactlyInAnyOrder(
            "dc1-dc2\ticmp\t31.25\tfalse\tnone\t1", "dc1-dc2\ticmp\t\\N\ttrue\ttimeout\t2");
  }

  @Test
  void everyNewTableCountsForTheBalance() throws IOException {
    insert(TestEvents.dhcpAck(1, NOON));
    insert(TestEvents.snmpTrap(2, NOON));
    insert(TestEvents.interfaceCounters(3, NOON));
    insert(TestEvents.gauge(4, NOON));
    insert(TestEvents.probe(5, NOON, 1));
    insert(TestEvents.sequenceGap(6, NOON));

    assertThat(
            clickHouse.query(
                "SELECT sum(stored), uniq(kind) FROM tocsin.stored_totals WHERE agent_id = '"
                    + identity
                    + "'"))
        .isEqualTo("6\t6");
    assertThat(select("last_before, first_after, missing", "sequence_gaps")).isEqualTo("41\t45\t3");
  }

  @Test
  void newestRegistrationOfEachFamilyIsShown() throws IOException {
    Registration bound =
        Registration.newBuilder()
            .setMac(identity)
            .setFamily(4)
            .setIp("10.1.2.3")
            .setState(State.STATE_BOUND)
            .setAccess(Access.ACCESS_BLOCKED)
            .setLeaseExpiresAtUnixNanos(unixNanos(NOON.plusSeconds(60)))
            .setChangedAtUnixNanos(unixNanos(NOON))
            .setCause("ack")
            .setVersion(1)
            .build();
    Registration expired =
        bound.toBuilder()
            .setState(State.STATE_EXPIRED)
            .setPreviousState(State.STATE_BOUND)
            .clearLeaseExpiresAtUnixNanos()
            .setCause("lease_expired")
            .setVersion(2)
            .build();

    inserter.insert(
        ToldBlock.of(Topics.REGISTRATIONS, bound, expired, bound.toBuilder().setFamily(6).build()));

    assertThat(
            clickHouse
                .query(
                    "SELECT family, state, previous_state, lease_expires_at, cause FROM"
                        + " tocsin.registrations WHERE mac = '"
                        + identity
                        + "' ORDER BY family")
                .lines())
        .containsExactly(
            "4\texpired\tbound\t\\N\tlease_expired",
            "6\tbound\tnone\t2026-11-20 12:01:00.000000000\tack");
  }

  /** A job that went on after a failure counts anew, and may tell something else. */
  @Test
  void whatWasToldLastStandsWhateverItsVersion() throws IOException {
    Registration bound =
        Registration.newBuilder()
            .setMac(identity)
            .setFamily(4)
            .setState(State.STATE_BOUND)
            .setAccess(Access.ACCESS_ALLOWED)
            .setChangedAtUnixNanos(unixNanos(NOON))
            .setVersion(7)
            .build();
    Registration blocked = bound.toBuilder().setAccess(Access.ACCESS_BLOCKED).setVersion(6).build();
    WanEpisode open =
        WanEpisode.newBuilder()
            .setEpisodeId(identity)
            .setVersion(3)
            .setLinkId("dc1-dc2")
            .setKind(WanEpisode.Kind.KIND_LOSS)
            .setState(WanEpisode.State.STATE_OPEN)
            .setCause(WanEpisode.Cause.CAUSE_UNEXPLAINED)
            .setStartedAtUnixNanos(unixNanos(NOON))
            .setChangedAtUnixNanos(unixNanos(NOON))
            .build();

    inserter.insert(ToldBlock.of(Topics.REGISTRATIONS, bound, blocked));
    inserter.insert(
        ToldBlock.of(
            Topics.WAN_EPISODES,
            open,
            open.toBuilder().setState(WanEpisode.State.STATE_CLOSED).build()));

    assertThat(
            clickHouse.query(
                "SELECT access, version FROM tocsin.registrations WHERE mac = '" + identity + "'"))
        .isEqualTo("blocked\t6");
    assertThat(
            clickHouse.query(
                "SELECT state FROM tocsin.wan_episodes FINAL WHERE episode_id = '"
                    + identity
                    + "'"))
        .isEqualTo("closed");
  }

  @Test
  void transitionsThatAreToldAgainCountOnce() throws IOException {
    String mac = "02:00:" + identity.substring(5, 13).replaceAll("..(?!$)", "$0:");
    Registration bound =
        Registration.newBuilder()
            .setMac(mac)
            .setFamily(4)
            .setIp(identity)
            .setState(State.STATE_BOUND)
            .setAccess(Access.ACCESS_ALLOWED)
            .setChangedAtUnixNanos(unixNanos(NOON))
            .setEventId("agent-1-1-1")
            .setVersion(7)
            .build();
    LeaseLatency answer = answer(LeaseLatency.Kind.KIND_ACK, unixNanos(NOON), 2.5);

    inserter.insert(ToldBlock.of(Topics.REGISTRATIONS, bound));
    inserter.insert(ToldBlock.of(Topics.REGISTRATIONS, bound.toBuilder().setVersion(9).build()));
    inserter.insert(ToldBlock.of(Topics.LEASE_LATENCIES, answer));
    inserter.insert(ToldBlock.of(Topics.LEASE_LATENCIES, answer));

    assertThat(
            clickHouse.query(
                "SELECT transitions FROM tocsin.ask_where_has_mac_been(mac = '"
                    + mac
                    + "', since = '2026-11-20 00:00:00', until = '2026-11-21 00:00:00')"))
        .isEqualTo("1");
    assertThat(
            clickHouse.query(
                "SELECT count() FROM tocsin.registration_history FINAL WHERE mac = '" + mac + "'"))
        .isEqualTo("1");
    assertThat(
            clickHouse.query(
                "SELECT count() FROM tocsin.lease_latencies FINAL WHERE server = '"
                    + identity
                    + "'"))
        .isEqualTo("1");
  }

  @Test
  void latencyOfAnAnswerReadsAsItWasWritten() throws IOException {
    LeaseLatency offer = answer(LeaseLatency.Kind.KIND_OFFER, unixNanos(NOON), 1.25);
    LeaseLatency ack = answer(LeaseLatency.Kind.KIND_ACK, unixNanos(NOON.plusMillis(5)), 2.5);

    inserter.insert(ToldBlock.of(Topics.LEASE_LATENCIES, offer, ack));

    assertThat(
            clickHouse
                .query(
                    "SELECT event_id, event_time, kind, family, mac, ip, scope, relay, site,"
                        + " latency_ms FROM tocsin.lease_latencies WHERE server = '"
                        + identity
                        + "' ORDER BY kind")
                .lines())
        .containsExactly(
            "agent-1-1-1\t2026-11-20 12:00:00.000000000\toffer\t4\t02:00:00:00:00:2a\t10.1.2.3"
                + "\t10.1.2.0/24\t\tdc1\t1.25",
            "agent-1-1-1\t2026-11-20 12:00:00.005000000\tack\t4\t02:00:00:00:00:2a\t10.1.2.3"
                + "\t10.1.2.0/24\t\tdc1\t2.5");
    assertThat(
            clickHouse.query(
                "SELECT groupArray((kind, answers, latency_p50_ms)) FROM (SELECT * FROM"
                    + " tocsin.lease_latency_1d WHERE server = '"
                    + identity
                    + "' ORDER BY kind)"))
        .isEqualTo("[('offer',1,1.25),('ack',1,2.5)]");
  }

  private LeaseLatency answer(LeaseLatency.Kind kind, long timeUnixNanos, double latencyMs) {
    return LeaseLatency.newBuilder()
        .setEventId("agent-1-1-1")
        .setEventTimeUnixNanos(timeUnixNanos)
        .setKind(kind)
        .setFamily(4)
        .setMac("02:00:00:00:00:2a")
        .setIp("10.1.2.3")
        .setServer(identity)
        .setScope("10.1.2.0/24")
        .setSite("dc1")
        .setLatencyMs(latencyMs)
        .build();
  }

  @Test
  void episodeKeepsItsEvidenceAsData() throws IOException {
    WanEpisode episode =
        WanEpisode.newBuilder()
            .setEpisodeId(identity)
            .setVersion(1)
            .setLinkId("dc1-dc2")
            .setKind(WanEpisode.Kind.KIND_LATENCY)
            .setState(WanEpisode.State.STATE_OPEN)
            .setStartedAtUnixNanos(unixNanos(NOON))
            .setChangedAtUnixNanos(unixNanos(NOON))
            .setBaselineMs(30)
            .setPeakMs(104.5)
            .setCause(WanEpisode.Cause.CAUSE_EGRESS_SATURATED)
            .addEvidence(
                Evidence.newBuilder()
                    .setName("out_load")
                    .setValue(0.98)
                    .setUnit("ratio")
                    .setEventId("agent-1-1-1")
                    .setObservedAtUnixNanos(unixNanos(NOON)))
            .build();

    inserter.insert(ToldBlock.of(Topics.WAN_EPISODES, episode));

    assertThat(
            clickHouse.query(
                "SELECT kind, state, ended_at, baseline_ms, peak_ms, cause, evidence[1].name,"
                    + " evidence[1].value, length(evidence) FROM tocsin.wan_episodes WHERE"
                    + " episode_id = '"
                    + identity
                    + "'"))
        .isEqualTo("latency\topen\t\\N\t30\t104.5\tegress_saturated\tout_load\t0.98\t1");
  }

  private void insert(Event event) throws IOException {
    EventTables tables = new EventTables();
    Event mine = event.toBuilder().setAgentId(identity).build();
    RowEncoder<Event> encoder = tables.encoderFor(mine);
    BlockBuilder block = new BlockBuilder(encoder);
    block.add(mine, encoder);
    inserter.insert(block.seal());
  }

  private String select(String columns, String table) {
    return clickHouse.query(
        "SELECT " + columns + " FROM tocsin." + table + " WHERE agent_id = '" + identity + "'");
  }
}

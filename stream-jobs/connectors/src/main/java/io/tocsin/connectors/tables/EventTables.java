package io.tocsin.connectors.tables;

import io.tocsin.connectors.Rejects;
import io.tocsin.connectors.clickhouse.RowEncoder;
import io.tocsin.connectors.clickhouse.TableRouter;
import io.tocsin.events.v1.Event;

/** Events by their body: the one list of which event goes to which table. */
public final class EventTables implements TableRouter<Event> {

  private final RowEncoder<Event> syslog = new SyslogEncoder();
  private final RowEncoder<Event> alertUpdates = new AlertUpdatesEncoder();
  private final RowEncoder<Event> agentStats = new AgentStatsEncoder();
  private final RowEncoder<Event> rejects = new RejectsEncoder();
  private final RowEncoder<Event> dhcp = new DhcpEncoder();
  private final RowEncoder<Event> snmpTraps = new SnmpTrapsEncoder();
  private final RowEncoder<Event> interfaceCounters = new InterfaceCountersEncoder();
  private final RowEncoder<Event> gauges = new GaugesEncoder();
  private final RowEncoder<Event> linkProbes = new LinkProbesEncoder();
  private final RowEncoder<Event> dnsAnswers = new DnsAnswersEncoder();
  private final RowEncoder<Event> sequenceGaps = new SequenceGapsEncoder();

  @Override
  public Row<Event> rowOf(Event event) {
    return new Row<>(event, encoderFor(event));
  }

  /** The encoder of the table that takes an event. */
  public RowEncoder<Event> encoderFor(Event event) {
    return switch (event.getBodyCase()) {
      case SYSLOG -> syslog;
      case ALERT_UPDATE -> alertUpdates;
      case AGENT_STATS -> agentStats;
      case REJECT -> rejects;
      case DHCP -> dhcp;
      case SNMP_TRAP -> snmpTraps;
      case INTERFACE_COUNTERS -> interfaceCounters;
      case GAUGE -> gauges;
      case LINK_PROBE -> linkProbes;
      case DNS_ANSWER -> dnsAnswers;
      case SEQUENCE_GAP -> sequenceGaps;
      case BODY_NOT_SET ->
          throw new IllegalArgumentException(
              "the event has no body that this build knows: update the jobs");
    };
  }

  @Override
  public Row<Event> rejectOf(Event event, String detail) {
    return rejectRow(Rejects.invalid(event, detail));
  }

  /** The row of a reject that is made already. */
  Row<Event> rejectRow(Event reject) {
    return new Row<>(reject, rejects);
  }
}

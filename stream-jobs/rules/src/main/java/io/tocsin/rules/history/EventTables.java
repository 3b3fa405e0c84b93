package io.tocsin.rules.history;

import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.DnsAnswer;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import io.tocsin.events.v1.InterfaceCounters;
import io.tocsin.events.v1.LinkProbe;
import io.tocsin.events.v1.SequenceGap;
import io.tocsin.events.v1.SnmpTrap;
import io.tocsin.events.v1.Syslog;
import io.tocsin.model.EventColumns;
import java.io.IOException;
import java.util.List;

/** Every table of events, and how its rows become events again. */
final class EventTables {
  /** In order of their names. */
  static final List<EventTable> ALL =
      List.of(
          new EventTable("alert_updates", EventColumns.ALERT_UPDATES, EventTables::alertUpdate),
          new EventTable("dhcp", EventColumns.DHCP, EventTables::dhcp),
          new EventTable("dns_answers", EventColumns.DNS_ANSWERS, EventTables::dnsAnswer),
          new EventTable("gauges", EventColumns.GAUGES, EventTables::gauge),
          new EventTable(
              "interface_counters",
              EventColumns.INTERFACE_COUNTERS,
              EventTables::interfaceCounters),
          new EventTable("link_probes", EventColumns.LINK_PROBES, EventTables::linkProbe),
          new EventTable("sequence_gaps", EventColumns.SEQUENCE_GAPS, EventTables::sequenceGap),
          new EventTable("snmp_traps", EventColumns.SNMP_TRAPS, EventTables::snmpTrap),
          new EventTable("syslog", EventColumns.SYSLOG, EventTables::syslog));

  private EventTables() {}

  private static void alertUpdate(RowBinaryReader row, Event.Builder event) throws IOException {
    event.setAlertUpdate(
        AlertUpdate.newBuilder()
            .setActionValue(row.int8())
            .setSource(row.string())
            .setCheck(row.string())
            .setSeverityValue(row.int8())
            .setSummary(row.string())
            .putAllLabels(row.stringMap())
            .addAllFingerprintLabels(row.stringArray()));
  }

  private static void dhcp(RowBinaryReader row, Event.Builder event) throws IOException {
    Dhcp.Builder dhcp =
        Dhcp.newBuilder()
            .setMessageTypeValue(row.int16())
            .setPathValue(row.int8())
            .setRequestKindValue(row.int8())
            .setMac(row.string())
            .setClientId(row.string())
            .setIp(row.string())
            .setClientAddress(row.string())
            .setHostname(row.string())
            .setServer(row.string())
            .setRelay(row.string())
            .setCircuitId(row.string())
            .setRemoteId(row.string());
    row.nullableInt32().ifPresent(seconds -> dhcp.setLeaseSeconds((int) seconds));
    row.nullableInt32().ifPresent(seconds -> dhcp.setRenewalSeconds((int) seconds));
    row.nullableInt32().ifPresent(seconds -> dhcp.setRebindingSeconds((int) seconds));
    event.setDhcp(
        dhcp.setIsBroadcast(row.bool())
            .setTransactionId(row.int32())
            .setElapsedSeconds(row.int32())
            .setFingerprint(row.string())
            .setVendorClass(row.string())
            .setRouter(row.string())
            .setPrefixLength(row.uint8())
            .setInterface(row.string())
            .setDetail(row.string()));
  }

  private static void gauge(RowBinaryReader row, Event.Builder event) throws IOException {
    Gauge.Builder gauge =
        Gauge.newBuilder().setName(row.string()).setInstance(row.string()).setValue(row.float64());
    row.nullableFloat64().ifPresent(gauge::setLimit);
    event.setGauge(gauge.setUnit(row.string()).setOid(row.string()));
  }

  private static void interfaceCounters(RowBinaryReader row, Event.Builder event)
      throws IOException {
    InterfaceCounters.Builder counters =
        InterfaceCounters.newBuilder()
            .setInterface(row.string())
            .setIfIndex(row.int32())
            .setAlias(row.string())
            .setInOctets(row.int64())
            .setOutOctets(row.int64())
            .setInPackets(row.int64())
            .setOutPackets(row.int64())
            .setInErrors(row.int64())
            .setOutErrors(row.int64())
            .setInDiscards(row.int64())
            .setOutDiscards(row.int64())
            .setSpeedBps(row.int64())
            .setOperStatusValue(row.int8())
            .setAdminStatusValue(row.int8());
    row.nullableFloat64().ifPresent(counters::setInBps);
    row.nullableFloat64().ifPresent(counters::setOutBps);
    row.nullableFloat64().ifPresent(counters::setInLoad);
    row.nullableFloat64().ifPresent(counters::setOutLoad);
    row.nullableFloat64().ifPresent(counters::setInErrorsPerSecond);
    row.nullableFloat64().ifPresent(counters::setOutDiscardsPerSecond);
    event.setInterfaceCounters(
        counters.setIntervalMs(row.int64()).setUptimeCentiseconds(row.int64()));
  }

  private static void linkProbe(RowBinaryReader row, Event.Builder event) throws IOException {
    LinkProbe.Builder probe =
        LinkProbe.newBuilder()
            .setLinkId(row.string())
            .setMethodValue(row.int8())
            .setTarget(row.string())
            .setRemoteSite(row.string())
            .setInterface(row.string());
    row.nullableFloat64().ifPresent(probe::setRttMs);
    event.setLinkProbe(
        probe
            .setLost(row.bool())
            .setLossReasonValue(row.int8())
            .setSequence(row.int64())
            .setIntervalMs(row.int32())
            .setTimeoutMs(row.int32())
            .setQueryName(row.string())
            .setAnswerCode(row.string())
            .setAnswer(row.string())
            .setDetail(row.string()));
  }

  private static void dnsAnswer(RowBinaryReader row, Event.Builder event) throws IOException {
    DnsAnswer.Builder answer =
        DnsAnswer.newBuilder()
            .setResolverGroup(row.string())
            .setTarget(row.string())
            .setQueryName(row.string())
            .setQueryType(row.string());
    row.nullableFloat64().ifPresent(answer::setRttMs);
    answer
        .setLost(row.bool())
        .setLossReasonValue(row.int8())
        .setTransportValue(row.int8())
        .setAnswerCode(row.string())
        .setAnswer(row.string());
    row.nullableInt32().ifPresent(serial -> answer.setSerial((int) serial));
    row.nullableInt32().ifPresent(seconds -> answer.setTtlS((int) seconds));
    event.setDnsAnswer(
        answer
            .setAuthenticated(row.bool())
            .setDisagreementValue(row.int8())
            .setExpected(row.string())
            .setIntervalMs(row.int32())
            .setTimeoutMs(row.int32())
            .setDetail(row.string()));
  }

  private static void sequenceGap(RowBinaryReader row, Event.Builder event) throws IOException {
    event.setSequenceGap(
        SequenceGap.newBuilder()
            .setLastBefore(row.int64())
            .setFirstAfter(row.int64())
            .setMissing(row.int64()));
  }

  private static void snmpTrap(RowBinaryReader row, Event.Builder event) throws IOException {
    SnmpTrap.Builder trap =
        SnmpTrap.newBuilder()
            .setVersionValue(row.int8())
            .setTrapOid(row.string())
            .setTrapName(row.string());
    row.stringMap()
        .forEach(
            (name, value) ->
                trap.addVarbinds(
                    SnmpTrap.Varbind.newBuilder()
                        .setOid(ObjectNumbers.of(name))
                        .setName(name)
                        .setValue(value)));
    event.setSnmpTrap(
        trap.setUptimeCentiseconds(row.int64())
            .setUserOrCommunityHash(row.string())
            .setEngineId(row.string())
            .setSecurityLevel(row.string())
            .setIsInform(row.bool())
            .setAgentAddress(row.string()));
  }

  private static void syslog(RowBinaryReader row, Event.Builder event) throws IOException {
    Syslog.Builder syslog =
        Syslog.newBuilder()
            .setFacility(row.int8())
            .setSeverity(row.int8())
            .setAppName(row.string())
            .setProcId(row.string())
            .setMsgId(row.string())
            .putAllStructuredData(row.stringMap())
            .setMessageBytes(row.bytes());
    row.nullableInt64().ifPresent(syslog::setSequence);
    event.setSyslog(syslog);
  }
}

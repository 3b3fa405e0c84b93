package io.tocsin.testsupport;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import com.google.protobuf.ByteString;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.AgentStats;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Copies;
import io.tocsin.events.v1.Dhcp;
import io.tocsin.events.v1.DnsAnswer;
import io.tocsin.events.v1.Event;
import io.tocsin.events.v1.Gauge;
import io.tocsin.events.v1.InterfaceCounters;
import io.tocsin.events.v1.LinkProbe;
import io.tocsin.events.v1.SequenceGap;
import io.tocsin.events.v1.SnmpTrap;
import io.tocsin.events.v1.Syslog;
import io.tocsin.rejects.v1.Reason;
import io.tocsin.rejects.v1.Reject;
import io.tocsin.rejects.v1.Stage;
import java.time.Instant;

/**
 * Valid events, one call each; a test changes what it is about. Events of one test differ in their
 * sequence.
 */
public final class TestEvents {
  /** Start of the agent's run. */
  public static final long BOOT_ID = unixNanos(NOON.minusSeconds(60));

  private static final byte[] SOURCE_IP = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, (byte) 0xff, (byte) 0xff, (byte) 192, 0, 2, 18
  };

  private TestEvents() {}

  /** An envelope without a body; received when it happened. */
  public static Event.Builder envelope(long sequence, Instant eventTime) {
    return Event.newBuilder()
        .setEventId("agent-1-" + Long.toHexString(BOOT_ID) + "-" + sequence)
        .setAgentId("agent-1")
        .setBootId(BOOT_ID)
        .setSequence(sequence)
        .setListener("alert-udp")
        .setReceivedAtUnixNanos(unixNanos(eventTime))
        .setEventTimeUnixNanos(unixNanos(eventTime))
        .setSourceIp(ByteString.copyFrom(SOURCE_IP))
        .setSourcePort(40_000)
        .setDevice("n0418")
        .setRaw(ByteString.copyFromUtf8("raw " + sequence));
  }

  /** The same, as one of the two agents of group core received it. */
  public static Event ofGroup(String agent, long sequence, Event event) {
    return event.toBuilder()
        .setEventId(agent + "-" + Long.toHexString(BOOT_ID) + "-" + sequence)
        .setAgentId(agent)
        .setSequence(sequence)
        .setCopies(Copies.newBuilder().setGroup("core").setAgents(2))
        .build();
  }

  /** Source hyak says that check node of n0418 is critical. */
  public static Event raise(long sequence, Instant eventTime) {
    return raise(sequence, eventTime, Severity.SEVERITY_CRITICAL);
  }

  /** Source hyak says that check node of n0418 has a severity. */
  public static Event raise(long sequence, Instant eventTime, Severity severity) {
    return envelope(sequence, eventTime)
        .setAlertUpdate(
            AlertUpdate.newBuilder()
                .setAction(AlertUpdate.Action.ACTION_UPDATE)
                .setSource("hyak")
                .setCheck("node")
                .setSeverity(severity)
                .setSummary("node down")
                .putLabels("rack", "b4"))
        .build();
  }

  /** Source hyak says that nothing is wrong with check node of n0418 any more. */
  public static Event clear(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setAlertUpdate(
            AlertUpdate.newBuilder()
                .setAction(AlertUpdate.Action.ACTION_DELETE)
                .setSource("hyak")
                .setCheck("node")
                .setSeverity(Severity.SEVERITY_CLEARED))
        .build();
  }

  /** A syslog message, RFC 5424, with every field filled. */
  public static Event syslog(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setListener("syslog-udp")
        .setSyslog(
            Syslog.newBuilder()
                .setFacility(3)
                .setSeverity(4)
                .setAppName("dhcpd")
                .setProcId("812")
                .setMsgId("SEND")
                .putStructuredData("meta.language", "en")
                .setMessage("send_packet: Operation not permitted")
                .setSequence(sequence))
        .build();
  }

  /** Counters of listener syslog-udp. */
  public static Event agentStats(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setListener("syslog-udp")
        .setDevice("host-1")
        .clearSourceIp()
        .clearRaw()
        .setAgentStats(
            AgentStats.newBuilder().setReceived(7).setEvents(7).setPublished(7).setAcked(6))
        .build();
  }

  /** A frame that the agent could not parse. */
  public static Event reject(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setReject(
            Reject.newBuilder()
                .setStage(Stage.STAGE_PARSE)
                .setReason(Reason.REASON_SYNTAX)
                .setDetail("no JSON object at byte 0")
                .setOriginalBytes(5))
        .build();
  }

  /** The acknowledgement of a lease, seen on an interface, with every field filled. */
  public static Event dhcpAck(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setListener("dhcp")
        .setDevice("relay-1")
        .setDhcp(
            Dhcp.newBuilder()
                .setMessageType(Dhcp.MessageType.MESSAGE_TYPE_ACK)
                .setPath(Dhcp.Path.PATH_CAPTURE)
                .setMac("02:00:00:00:00:2a")
                .setClientId("0102000000002a")
                .setIp("10.1.2.3")
                .setClientAddress("10.1.2.3")
                .setServer("10.1.0.1")
                .setRelay("10.1.2.1")
                .setCircuitId("ge-0/0/7")
                .setRemoteId("sw-b4")
                .setHostname("printer-1")
                .setLeaseSeconds(3600)
                .setRenewalSeconds(1800)
                .setRebindingSeconds(3150)
                .setFingerprint("1,3,6,15")
                .setVendorClass("MSFT 5.0")
                .setIsBroadcast(true)
                .setTransactionId(0xfedcba98)
                .setElapsedSeconds(3)
                .setRouter("10.1.2.1")
                .setInterface("eth0")
                .setPrefixLength(24))
        .build();
  }

  /** A linkDown trap, v2c. */
  public static Event snmpTrap(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setListener("snmp-trap")
        .setSnmpTrap(
            SnmpTrap.newBuilder()
                .setVersion(SnmpTrap.Version.VERSION_V2C)
                .setTrapOid("1.3.6.1.6.3.1.1.5.3")
                .setTrapName("IF-MIB::linkDown")
                .addVarbinds(
                    SnmpTrap.Varbind.newBuilder()
                        .setOid("1.3.6.1.2.1.2.2.1.1.7")
                        .setName("IF-MIB::ifIndex.7")
                        .setType("INTEGER")
                        .setValue("7"))
                .setUptimeCentiseconds(123_456)
                .setUserOrCommunityHash("9f86d081884c7d65"))
        .build();
  }

  /** Counters of one busy interface. */
  public static Event interfaceCounters(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setListener("snmp-poller")
        .clearRaw()
        .setInterfaceCounters(
            InterfaceCounters.newBuilder()
                .setInterface("Gi0/1")
                .setIfIndex(1)
                .setAlias("to datacentre 2")
                .setInOctets(1_000)
                .setOutOctets(2_000)
                .setOutDiscards(22_559_915)
                .setSpeedBps(1_000_000_000)
                .setOperStatus(InterfaceCounters.Status.STATUS_UP)
                .setAdminStatus(InterfaceCounters.Status.STATUS_UP)
                .setOutBps(980_000_000)
                .setOutLoad(0.98)
                .setOutDiscardsPerSecond(12)
                .setIntervalMs(10_000))
        .build();
  }

  /** A firewall's connection table, near its limit. */
  public static Event gauge(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setListener("snmp-poller")
        .clearRaw()
        .setGauge(
            Gauge.newBuilder()
                .setName("connections")
                .setValue(49_000)
                .setLimit(50_000)
                .setUnit("connections")
                .setOid("1.3.6.1.4.1.9.9.147.1.2.2.2.1.5.40.6"))
        .build();
  }

  /** A probe of link dc1-dc2 that was answered. */
  public static Event probe(long sequence, Instant eventTime, double rttMs) {
    return envelope(sequence, eventTime)
        .setListener("probes")
        .setDevice("edge-1")
        .clearRaw()
        .setLinkProbe(
            LinkProbe.newBuilder()
                .setLinkId("dc1-dc2")
                .setMethod(LinkProbe.Method.METHOD_ICMP)
                .setTarget("192.0.2.99")
                .setRemoteSite("dc2")
                .setInterface("Gi0/1")
                .setRttMs(rttMs)
                .setSequence(sequence)
                .setIntervalMs(1_000)
                .setTimeoutMs(900))
        .build();
  }

  /** A probe of link dc1-dc2 that was lost. */
  public static Event lostProbe(long sequence, Instant eventTime) {
    Event.Builder event = probe(sequence, eventTime, 0).toBuilder();
    event
        .getLinkProbeBuilder()
        .clearRttMs()
        .setLost(true)
        .setLossReason(LinkProbe.LossReason.LOSS_REASON_TIMEOUT);
    return event.build();
  }

  /** What resolver ns1 of group lab answered for www.example.com. */
  public static Event dnsAnswer(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setListener("resolvers")
        .setDevice("ns1")
        .setDnsAnswer(
            DnsAnswer.newBuilder()
                .setResolverGroup("lab")
                .setTarget("192.0.2.53:53")
                .setQueryName("www.example.com")
                .setQueryType("A")
                .setRttMs(2.5)
                .setTransport(DnsAnswer.Transport.TRANSPORT_UDP)
                .setAnswerCode("NOERROR")
                .setAnswer("192.0.2.1")
                .setTtlS(300)
                .setIntervalMs(30_000)
                .setTimeoutMs(2_000))
        .build();
  }

  /** Resolver ns1 denied that there is www.example.com, which others know. */
  public static Event deniedDnsAnswer(long sequence, Instant eventTime) {
    Event.Builder event = dnsAnswer(sequence, eventTime).toBuilder();
    event
        .getDnsAnswerBuilder()
        .setAnswerCode("NXDOMAIN")
        .clearAnswer()
        .setTtlS(600)
        .setDisagreement(DnsAnswer.Disagreement.DISAGREEMENT_ANSWER_CODE)
        .setExpected("NOERROR 192.0.2.1");
    return event.build();
  }

  /** Resolver ns1 said nothing. */
  public static Event lostDnsAnswer(long sequence, Instant eventTime) {
    Event.Builder event = dnsAnswer(sequence, eventTime).toBuilder();
    event
        .getDnsAnswerBuilder()
        .clearRttMs()
        .clearAnswerCode()
        .clearAnswer()
        .clearTtlS()
        .clearTransport()
        .setLost(true)
        .setLossReason(LinkProbe.LossReason.LOSS_REASON_TIMEOUT);
    return event.build();
  }

  /** Three syslog messages that never arrived. */
  public static Event sequenceGap(long sequence, Instant eventTime) {
    return envelope(sequence, eventTime)
        .setListener("syslog-udp")
        .setSequenceGap(SequenceGap.newBuilder().setLastBefore(41).setFirstAfter(45).setMissing(3))
        .build();
  }
}

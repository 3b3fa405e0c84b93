package io.tocsin.testsupport;

import static io.tocsin.testsupport.Instants.NOON;
import static io.tocsin.testsupport.Instants.unixNanos;

import com.google.protobuf.ByteString;
import io.tocsin.alerts.v1.Severity;
import io.tocsin.events.v1.AgentStats;
import io.tocsin.events.v1.AlertUpdate;
import io.tocsin.events.v1.Event;
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
}

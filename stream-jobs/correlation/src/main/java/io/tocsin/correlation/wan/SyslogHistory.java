package io.tocsin.correlation.wan;

import io.tocsin.correlation.text.LiteralScan;
import io.tocsin.events.v1.Event;
import java.util.ArrayList;
import java.util.List;

/**
 * The last syslog messages of a device that speak of links and routes, oldest first; at most 32.
 * Their time is that of receipt: devices' clocks are wrong more often than agents'.
 */
public final class SyslogHistory {
  private static final int MOST_LINES = 32;
  private static final int MOST_CHARACTERS = 300;
  private static final int LEAST_WORTH_KEEPING = 6;

  private static final LiteralScan<String> LINKS_AND_ROUTES =
      LiteralScan.ignoringCase(
          List.of(
              "updown",
              "link up",
              "link down",
              "link is up",
              "link is down",
              "line protocol",
              "carrier",
              "interface",
              "adjch",
              "adjacency",
              "neighbor",
              "neighbour",
              "bgp",
              "ospf",
              "bfd",
              "isis",
              "eigrp",
              "route",
              "tunnel",
              "ipsec",
              "flap",
              "errdisable",
              "err-disable",
              "queue",
              "drop"));

  /** Lines in order of time. */
  public List<Fact> lines = new ArrayList<>();

  /** Counts what was taken. */
  public long revision;

  /** Nothing is known. */
  public SyslogHistory() {}

  /** Whether a message is worth keeping for links; debug never is. */
  public static boolean isWorthKeeping(Event event) {
    return event.getSyslog().getSeverity() <= LEAST_WORTH_KEEPING
        && (LINKS_AND_ROUTES.findsAnyIn(event.getSyslog().getMessage())
            || LINKS_AND_ROUTES.findsAnyIn(event.getSyslog().getMsgId()));
  }

  /** Takes a message, in any order of time; one that is there already is a repeat. */
  public void add(Event event) {
    long time = event.getReceivedAtUnixNanos();
    int at = lines.size();
    while (at > 0 && lines.get(at - 1).observedAtUnixNanos() >= time) {
      at--;
      if (lines.get(at).eventId().equals(event.getEventId())) {
        return;
      }
    }
    String message = event.getSyslog().getMessage();
    String text = message.substring(0, Math.min(MOST_CHARACTERS, message.length()));
    lines.add(at, Fact.text("syslog", text, event.getEventId(), time));
    if (lines.size() > MOST_LINES) {
      lines.remove(0);
    }
    revision++;
  }
}

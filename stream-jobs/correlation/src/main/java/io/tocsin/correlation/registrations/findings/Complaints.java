package io.tocsin.correlation.registrations.findings;

import io.tocsin.correlation.Nanos;
import io.tocsin.correlation.findings.Finding;
import io.tocsin.correlation.registrations.Observation;
import io.tocsin.correlation.registrations.Observation.Kind;
import java.io.Serializable;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/**
 * What servers have logged lately. A log names its host and the wire an address, and nothing says
 * that they are the same; so what the server itself has logged comes first, and what any server of
 * the site has logged is the next best evidence.
 *
 * @param lines one of each server and kind
 */
public record Complaints(List<Complaint> lines) implements Serializable {
  /** Nothing was logged. */
  public static final Complaints NONE = new Complaints(List.of());

  /** How long a line is evidence. */
  public static final long LIFE_NANOS = 600 * Nanos.PER_SECOND;

  /**
   * One kind of complaint of one server.
   *
   * @param kind what it is about
   * @param server host that logged
   * @param site configured place
   * @param count lines so far
   * @param newestUnixNanos event time of the newest line
   * @param detail words of the newest line
   * @param eventId of the newest line
   */
  public record Complaint(
      Kind kind,
      String server,
      String site,
      long count,
      long newestUnixNanos,
      String detail,
      String eventId)
      implements Serializable {

    /** The complaint after one more line; {@code known} is null before the first. */
    public static Complaint of(Complaint known, Observation line) {
      return new Complaint(
          line.kind(),
          line.server(),
          line.site(),
          known == null ? 1 : known.count() + 1,
          line.timeUnixNanos(),
          line.detail(),
          line.eventId());
    }
  }

  /** The best evidence of a kind for a server, no older than {@link #LIFE_NANOS}. */
  Optional<Complaint> of(Kind kind, String server, String site, long nowUnixNanos) {
    return lines.stream()
        .filter(line -> line.kind() == kind && line.site().equals(site))
        .filter(line -> nowUnixNanos - line.newestUnixNanos() <= LIFE_NANOS)
        .max(
            Comparator.<Complaint, Boolean>comparing(line -> line.server().equals(server))
                .thenComparing(Complaint::newestUnixNanos));
  }

  /** Adds the evidence to a finding. */
  static Finding attach(Finding finding, Optional<Complaint> evidence) {
    evidence.ifPresent(
        line ->
            finding
                .label("evidence", line.detail())
                .label("evidence_server", line.server())
                .label("evidence_count", line.count())
                .label("evidence_event_id", line.eventId()));
    return finding;
  }
}

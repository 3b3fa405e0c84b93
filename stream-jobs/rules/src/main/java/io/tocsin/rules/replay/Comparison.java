package io.tocsin.rules.replay;

import io.tocsin.alerts.v1.Alert;
import io.tocsin.alerts.v1.AlertState;
import io.tocsin.correlation.Nanos;
import io.tocsin.model.EnumWords;
import io.tocsin.rules.replay.Difference.Kind;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** The pages of two stories side by side. */
public final class Comparison {
  private static final List<String> ROUTING_LABELS = List.of("team", "outlived");

  private final Story before;
  private final Story after;
  private final Map<String, String> documentsBefore;
  private final Map<String, String> documentsAfter;
  private final long fromUnixNanos;
  private final long toUnixNanos;

  /**
   * Of the pages that begin in a span of time.
   *
   * @param documentsBefore text of each document by name
   * @param documentsAfter likewise, changed
   */
  public Comparison(
      Story before,
      Story after,
      Map<String, String> documentsBefore,
      Map<String, String> documentsAfter,
      long fromUnixNanos,
      long toUnixNanos) {
    this.before = before;
    this.after = after;
    this.documentsBefore = documentsBefore;
    this.documentsAfter = documentsAfter;
    this.fromUnixNanos = fromUnixNanos;
    this.toUnixNanos = toUnixNanos;
  }

  /** How many pages of a story begin in the span. */
  public long pages(Story story) {
    return story.pages().values().stream().flatMap(List::stream).filter(this::counts).count();
  }

  /** What is different, in order of time. */
  public List<Difference> differences() {
    Set<String> fingerprints = new TreeSet<>(before.pages().keySet());
    fingerprints.addAll(after.pages().keySet());
    List<Difference> all = new ArrayList<>();
    for (String fingerprint : fingerprints) {
      compare(
          before.pages().getOrDefault(fingerprint, List.of()),
          new ArrayList<>(after.pages().getOrDefault(fingerprint, List.of())),
          all);
    }
    all.sort(
        Comparator.<Difference>comparingLong(each -> each.page().beganAtUnixNanos())
            .thenComparing(each -> each.page().alert().getFingerprint()));
    return all;
  }

  private boolean counts(Page page) {
    return page.beganAtUnixNanos() >= fromUnixNanos && page.beganAtUnixNanos() < toUnixNanos;
  }

  /** Pages that overlap are one; of several the one that began nearest. */
  private void compare(List<Page> old, List<Page> changed, List<Difference> all) {
    for (Page page : old) {
      Page pair =
          changed.stream()
              .filter(page::overlaps)
              .min(
                  Comparator.comparingLong(
                      other -> Math.abs(other.beganAtUnixNanos() - page.beganAtUnixNanos())))
              .orElse(null);
      if (pair == null) {
        if (counts(page)) {
          all.add(gone(page));
        }
        continue;
      }
      changed.remove(pair);
      if (counts(page) || counts(pair)) {
        changed(page, pair, all);
      }
    }
    changed.stream().filter(this::counts).map(this::begun).forEach(all::add);
  }

  private void changed(Page old, Page page, List<Difference> all) {
    EnumSet<Kind> kinds = EnumSet.noneOf(Kind.class);
    List<String> reasons = new ArrayList<>();
    long laterNanos = page.beganAtUnixNanos() - old.beganAtUnixNanos();
    if (Math.abs(laterNanos) >= Nanos.PER_SECOND) {
      kinds.add(laterNanos > 0 ? Kind.LATER : Kind.EARLIER);
      reasons.add(words(Math.abs(laterNanos)) + (laterNanos > 0 ? " later" : " earlier"));
      Page early = laterNanos > 0 ? old : page;
      heldBack(laterNanos > 0 ? after : before, early).ifPresent(reasons::add);
    }
    if (old.worst() != page.worst() || old.alert().getSeverity() != page.alert().getSeverity()) {
      kinds.add(Kind.SEVERITY);
      reasons.add("severity " + severities(old) + ", would be " + severities(page));
    }
    for (String label : ROUTING_LABELS) {
      String was = old.alert().getLabelsOrDefault(label, "");
      String is = page.alert().getLabelsOrDefault(label, "");
      if (!was.equals(is)) {
        kinds.add(Kind.GROUPING);
        reasons.add(label + " " + quoted(was) + ", would be " + quoted(is));
      }
    }
    if (!kinds.isEmpty()) {
      reasons.addAll(documentReason(page.alert()));
      all.add(new Difference(kinds, old, page, List.copyOf(reasons)));
    }
  }

  private Difference gone(Page page) {
    return alone(Kind.GONE, page, null, after);
  }

  private Difference begun(Page page) {
    return alone(Kind.NEW, null, page, before);
  }

  private Difference alone(Kind kind, Page old, Page page, Story other) {
    Page only = page == null ? old : page;
    List<String> reasons = new ArrayList<>();
    EnumSet<Kind> kinds = EnumSet.of(kind);
    heldBack(other, only)
        .ifPresent(
            held -> {
              reasons.add(held);
              if (!held.startsWith("maintenance")) {
                kinds.clear();
                kinds.add(Kind.GROUPING);
              }
            });
    if (reasons.isEmpty()
        && other.standing(only.alert().getFingerprint(), Long.MAX_VALUE) == null) {
      reasons.add(
          kind == Kind.GONE ? "no signal raises it any more" : "no signal raised it before");
    }
    reasons.addAll(documentReason(only.alert()));
    return new Difference(kinds, old, page, List.copyOf(reasons));
  }

  /** What keeps the alert of a page back in another story, from a little after it began. */
  private static Optional<String> heldBack(Story other, Page page) {
    long until =
        page.endedAtUnixNanos() == Page.LASTS
            ? Long.MAX_VALUE
            : Math.max(page.endedAtUnixNanos() - 1, page.beganAtUnixNanos());
    Story.Moment standing = other.standing(page.alert().getFingerprint(), until);
    boolean isHeld =
        standing != null && standing.alert().getState() == AlertState.ALERT_STATE_SUPPRESSED;
    if (!isHeld) {
      standing = other.standing(page.alert().getFingerprint(), page.beganAtUnixNanos());
      isHeld = standing != null && standing.alert().getState() == AlertState.ALERT_STATE_SUPPRESSED;
    }
    return isHeld
        ? Optional.of(Causes.words(standing.alert().getCause(), other))
        : Optional.empty();
  }

  /** Whether the document that the alert comes from is another one. */
  private List<String> documentReason(Alert alert) {
    String name =
        alert.getRule().isEmpty()
            ? alert.getFingerprintFieldsOrDefault("tree", "")
            : alert.getRule();
    if (name.isEmpty()) {
      return List.of();
    }
    String kind = alert.getRule().isEmpty() ? "tree " : "rule ";
    String old = documentsBefore.get(name);
    String text = documentsAfter.get(name);
    if (old == null || text == null) {
      return old == null && text == null
          ? List.of()
          : List.of(kind + name + (old == null ? " is new" : " is removed"));
    }
    return old.equals(text) ? List.of() : List.of(kind + name + " is changed");
  }

  private static String severities(Page page) {
    String first = EnumWords.wordOf(page.alert().getSeverity());
    String worst = EnumWords.wordOf(page.worst());
    return first.equals(worst) ? first : first + " to " + worst;
  }

  private static String quoted(String word) {
    return word.isEmpty() ? "none" : "'" + word + "'";
  }

  /** "1h2m3s", without what is nothing. */
  static String words(long nanos) {
    Duration length = Duration.ofNanos(nanos);
    StringBuilder words = new StringBuilder();
    append(words, length.toDays(), "d");
    append(words, length.toHoursPart(), "h");
    append(words, length.toMinutesPart(), "m");
    append(words, length.toSecondsPart(), "s");
    return words.toString();
  }

  private static void append(StringBuilder words, long number, String unit) {
    if (number != 0) {
      words.append(number).append(unit);
    }
  }
}

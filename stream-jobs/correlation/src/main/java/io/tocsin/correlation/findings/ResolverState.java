package io.tocsin.correlation.findings;

import io.tocsin.correlation.TimedState;
import java.util.HashMap;
import java.util.Map;

/** What one resolver of a group answered lately; forgotten when nobody asks it any more. */
public final class ResolverState extends TimedState {
  /** How many times to an answer are kept. */
  static final int KEPT_TIMES = 20;

  /** Configured name of the group. */
  public String group = "";

  /** Configured name of the resolver. */
  public String resolver = "";

  /** Place of the resolver. */
  public String site = "";

  /** What the resolver is for; empty where nobody says. */
  public String role = "";

  /** Questions that it answers differently from the others, by name and type; at most 256. */
  public Map<String, Difference> differences = new HashMap<>();

  /** The newest times to an answer, milliseconds, in a ring. */
  public double[] timesMs = new double[KEPT_TIMES];

  /** How many times were ever told. */
  public long timesTold;

  /** Questions in a row that were lost. */
  public int lostInARow;

  /** When the first of them was lost, Unix nanoseconds. */
  public long lostSinceUnixNanos;

  /** Questions in a row that were answered. */
  public int answeredInARow;

  /** Alert resolver-disagrees. */
  public Told disagrees = new Told();

  /** Alert resolver-slow. */
  public Told slow = new Told();

  /** Alert resolver-silent. */
  public Told silent = new Told();

  /** Time from one asking of a question to the next. */
  public long intervalNanos;

  /** When it was asked last, Unix nanoseconds. */
  public long newestUnixNanos;

  /** For Flink, which makes it by its fields. */
  public ResolverState() {}

  /** A question that is answered differently. */
  public static final class Difference {
    /** When that began, Unix nanoseconds. */
    public long sinceUnixNanos;

    /** Until when the resolver may answer so without asking anybody, Unix nanoseconds. */
    public long explainedUntilUnixNanos;

    /** Newest answer, Unix nanoseconds. */
    public long newestUnixNanos;

    /** Answers that differed, without two in a row between them that did not. */
    public int differInARow;

    /** Answers in a row that did not differ. */
    public int alikeInARow;

    /** What it answers. */
    public String answered = "";

    /** What others answer. */
    public String expected = "";

    /** For Flink, which makes it by its fields. */
    public Difference() {}
  }

  /** Whether an alert is raised. */
  public static final class Told {
    /** It is. */
    public boolean isRaised;

    /** When it was raised or repeated last, Unix nanoseconds. */
    public long atUnixNanos;

    /** For Flink, which makes it by its fields. */
    public Told() {}
  }
}

package io.tocsin.correlation.wan;

import java.util.ArrayList;
import java.util.List;

/** The last polls of an interface that a link leaves through, oldest first; at most 64. */
public final class InterfaceHistory {
  private static final int MOST_SAMPLES = 64;

  /** Polls in order of time. */
  public List<LoadSample> samples = new ArrayList<>();

  /** Names of the links that leave through it, in order. */
  public List<String> links = new ArrayList<>();

  /** Counts what was taken. */
  public long revision;

  /** Nothing is known. */
  public InterfaceHistory() {}

  /** Takes a poll, in any order; one of a time that is there already is a repeat. */
  public void add(LoadSample sample) {
    int at = samples.size();
    while (at > 0 && samples.get(at - 1).atUnixNanos() >= sample.atUnixNanos()) {
      at--;
      if (samples.get(at).atUnixNanos() == sample.atUnixNanos()) {
        return;
      }
    }
    samples.add(at, sample);
    if (samples.size() > MOST_SAMPLES) {
      samples.remove(0);
    }
    revision++;
  }
}

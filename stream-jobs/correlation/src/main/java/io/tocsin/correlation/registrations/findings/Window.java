package io.tocsin.correlation.registrations.findings;

import java.util.Arrays;

/** Counts over a sliding time, in slices of equal length. */
public final class Window {
  /** Length of a slice. */
  public long sliceNanos;

  /** Number of the slice that {@code counts} ends with, from 1970. */
  public long newestSlice = Long.MIN_VALUE;

  /** Counts of each slice, the oldest first. */
  public long[] counts = {};

  /** For Flink, which makes it by its fields. */
  public Window() {}

  Window(int slices, long sliceNanos) {
    this.sliceNanos = sliceNanos;
    this.counts = new long[slices];
  }

  /** One more at a time; what is older than the window counts for nothing. */
  void add(long unixNanos) {
    slideTo(unixNanos);
    long back = newestSlice - Math.floorDiv(unixNanos, sliceNanos);
    if (back < counts.length) {
      counts[counts.length - 1 - (int) back]++;
    }
  }

  /** Slides so that it ends at a time or later. */
  void slideTo(long unixNanos) {
    long slice = Math.floorDiv(unixNanos, sliceNanos);
    if (slice <= newestSlice) {
      return;
    }
    long[] slid = new long[counts.length];
    if (newestSlice != Long.MIN_VALUE && slice - newestSlice < counts.length) {
      int by = (int) (slice - newestSlice);
      System.arraycopy(counts, by, slid, 0, counts.length - by);
    }
    newestSlice = slice;
    counts = slid;
  }

  long sum() {
    return sumBefore(0);
  }

  /** Sum without the newest slices, for what may yet be answered. */
  long sumBefore(int newest) {
    long sum = 0;
    for (int i = 0; i < counts.length - newest; i++) {
      sum += counts[i];
    }
    return sum;
  }

  long max() {
    return Arrays.stream(counts).max().orElse(0);
  }
}

package io.tocsin.correlation.registrations.findings;

import java.util.Arrays;

/**
 * Counts over a sliding time, in slices of equal length. Immutable.
 *
 * @param sliceNanos length of a slice
 * @param newestSlice number of the slice that {@code counts} ends with, from 1970
 * @param counts of each slice, the oldest first
 */
public record Window(long sliceNanos, long newestSlice, long[] counts) {
  static Window of(int slices, long sliceNanos) {
    return new Window(sliceNanos, Long.MIN_VALUE, new long[slices]);
  }

  /** The same with one more at a time; what is older than the window counts for nothing. */
  Window plus(long unixNanos) {
    Window now = at(unixNanos);
    long back = now.newestSlice - Math.floorDiv(unixNanos, sliceNanos);
    if (back >= counts.length) {
      return now;
    }
    long[] more = now.counts.clone();
    more[more.length - 1 - (int) back]++;
    return new Window(sliceNanos, now.newestSlice, more);
  }

  /** The same, slid so that it ends at a time or later. */
  Window at(long unixNanos) {
    long slice = Math.floorDiv(unixNanos, sliceNanos);
    if (slice <= newestSlice) {
      return this;
    }
    long[] slid = new long[counts.length];
    if (newestSlice != Long.MIN_VALUE && slice - newestSlice < counts.length) {
      int by = (int) (slice - newestSlice);
      System.arraycopy(counts, by, slid, 0, counts.length - by);
    }
    return new Window(sliceNanos, slice, slid);
  }

  long sum() {
    return Arrays.stream(counts).sum();
  }

  /** Sum without the newest slices, for what may yet be answered. */
  long sumBefore(int newest) {
    return Arrays.stream(counts, 0, counts.length - newest).sum();
  }

  long max() {
    return Arrays.stream(counts).max().orElse(0);
  }
}

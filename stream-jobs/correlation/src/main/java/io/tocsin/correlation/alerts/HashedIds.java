package io.tocsin.correlation.alerts;

/** A short memory of ids, by their {@link EventHash}, in order of arrival. */
final class HashedIds {
  private HashedIds() {}

  static boolean contains(long[] ids, long id) {
    for (long other : ids) {
      if (other == id) {
        return true;
      }
    }
    return false;
  }

  /** With a newest one, and without the oldest where there are more than so many. */
  static long[] appended(long[] before, long newest, int length) {
    int kept = Math.min(before.length, length - 1);
    long[] after = new long[kept + 1];
    System.arraycopy(before, before.length - kept, after, 0, kept);
    after[kept] = newest;
    return after;
  }
}

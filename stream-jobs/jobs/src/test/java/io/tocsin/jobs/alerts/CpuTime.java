package io.tocsin.jobs.alerts;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/**
 * CPU time that has been used, which other programs on the machine change less than wall time.
 *
 * @param threadNanos by the thread that asks
 * @param processNanos by the whole JVM: the collector, the compiler and RocksDB's threads as well
 */
record CpuTime(long threadNanos, long processNanos) {
  static CpuTime now() {
    return new CpuTime(
        ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime(),
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime());
  }

  CpuTime since(CpuTime start) {
    return new CpuTime(threadNanos - start.threadNanos, processNanos - start.processNanos);
  }

  /** The one in which the thread used less. */
  CpuTime lesser(CpuTime other) {
    return other.threadNanos < threadNanos ? other : this;
  }
}

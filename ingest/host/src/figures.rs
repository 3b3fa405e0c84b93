//! Two readings -> figures. Pure.
//!
//! Meanings are those of the kernel's Documentation/admin-guide/iostats.rst, and of iostat(1): utilisation is the share of time in which a disk had
//! anything to do, the queue how many requests it had on average, the wait how long a request took from its beginning to its end.

use std::time::Duration;

use procfs_core::{CpuTime, DiskStat, LoadAverage, Meminfo};
use tocsin_wire::events::Gauge;

/// More disks than this are left out: each is three rows a reading.
const MOST_DISKS: usize = 256;
const PERCENT: f64 = 100.0;

/// What the kernel had counted at one moment.
#[derive(Debug)]
pub struct Reading {
    /// Whole disks, not their partitions.
    pub disks: Vec<DiskStat>,
    /// All processors together, since the start of the host.
    pub cpu: CpuTime,
    /// Memory now.
    pub memory: Meminfo,
    /// Tasks that run or wait for a disk.
    pub load: LoadAverage,
}

/// What happened between two readings, and what is so now.
///
/// `disk_utilization` (percent), `disk_queue` (requests) and `disk_wait` (ms) of each disk; `cpu_busy` (percent; waiting for a disk is idle),
/// `memory_available` (percent) and `load_1m` (tasks). A disk whose counters went back, because it is another one by now, is left out once.
pub fn figures(before: &Reading, now: &Reading, between: Duration) -> Vec<Gauge> {
    let mut figures = Vec::with_capacity(3 * now.disks.len() + 3);
    for disk in now.disks.iter().take(MOST_DISKS) {
        let Some(old) = before.disks.iter().find(|old| old.name == disk.name) else { continue };
        if let Some(of_disk) = of_disk(old, disk, between) {
            figures.extend(of_disk.gauges(&disk.name));
        }
    }
    figures.extend(cpu_busy(&before.cpu, &now.cpu).map(|value| gauge("cpu_busy", "", value, "percent")));
    if let Some(available) = now.memory.mem_available.filter(|_| now.memory.mem_total > 0) {
        figures.push(gauge("memory_available", "", PERCENT * available as f64 / now.memory.mem_total as f64, "percent"));
    }
    figures.push(gauge("load_1m", "", now.load.one.into(), "tasks"));
    figures
}

/// What one disk did.
struct OfDisk {
    utilization: f64,
    queue: f64,
    wait_ms: Option<f64>,
}

impl OfDisk {
    fn gauges(&self, disk: &str) -> impl Iterator<Item = Gauge> {
        let utilization = gauge("disk_utilization", disk, self.utilization, "percent");
        let queue = gauge("disk_queue", disk, self.queue, "requests");
        [utilization, queue].into_iter().chain(self.wait_ms.map(|ms| gauge("disk_wait", disk, ms, "ms")))
    }
}

/// Nothing where a counter went back, or no time has passed.
fn of_disk(before: &DiskStat, now: &DiskStat, between: Duration) -> Option<OfDisk> {
    let grown = |counter: fn(&DiskStat) -> u64| counter(now).checked_sub(counter(before));
    let interval_ms = between.as_secs_f64() * 1_000.0;
    let busy_ms = grown(|disk| disk.time_in_progress)? as f64;
    let queued_ms = grown(|disk| disk.weighted_time_in_progress)? as f64;
    let finished = grown(|disk| disk.reads)? + grown(|disk| disk.writes)?;
    let waited_ms = grown(|disk| disk.time_reading)? + grown(|disk| disk.time_writing)?;
    if interval_ms <= 0.0 {
        return None;
    }
    let wait_ms = match finished {
        // Nothing came back: what is under way has waited all the time.
        0 => (now.in_progress > 0 && before.in_progress > 0).then_some(interval_ms),
        finished => Some(waited_ms as f64 / finished as f64),
    };
    Some(OfDisk { utilization: (PERCENT * busy_ms / interval_ms).min(PERCENT), queue: queued_ms / interval_ms, wait_ms })
}

/// Share of all processors' time in which they worked.
fn cpu_busy(before: &CpuTime, now: &CpuTime) -> Option<f64> {
    // The kernel's iowait can go back; it never counts as work.
    let (all, all_before) = (all_ticks(now), all_ticks(before));
    let idle = idle_ticks(now).saturating_sub(idle_ticks(before));
    let passed = all.checked_sub(all_before).filter(|passed| *passed > 0)?;
    Some(PERCENT * passed.saturating_sub(idle) as f64 / passed as f64)
}

/// Time of guests is in `user` already.
fn all_ticks(cpu: &CpuTime) -> u64 {
    let CpuTime { user, nice, system, irq, softirq, steal, .. } = cpu;
    let rest: u64 = [irq, softirq, steal].into_iter().flatten().sum();
    user + nice + system + rest + idle_ticks(cpu)
}

fn idle_ticks(cpu: &CpuTime) -> u64 {
    cpu.idle + cpu.iowait.unwrap_or_default()
}

fn gauge(name: &str, instance: &str, value: f64, unit: &str) -> Gauge {
    Gauge { name: name.to_owned(), instance: instance.to_owned(), value, limit: None, unit: unit.to_owned(), oid: String::new() }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Reader;

    /// A folder of testdata, which has what /proc and /sys/block have on a host.
    fn reading(moment: &str) -> Reading {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(moment);
        Reader::of(&folder.join("proc"), &folder.join("block")).read().unwrap()
    }

    fn texts(figures: &[Gauge]) -> Vec<String> {
        figures.iter().map(|gauge| format!("{} {} {:.1} {}", gauge.name, gauge.instance, gauge.value, gauge.unit)).collect()
    }

    #[test]
    fn a_busy_disk_and_idle_processors_are_told_apart() {
        let figures = figures(&reading("before"), &reading("busy"), Duration::from_secs(30));

        assert_eq!(
            texts(&figures),
            [
                // 29,400 of 30,000 ms busy, 120,000 ms weighted, 600 writes in 48,000 ms; its partition is no disk, loop0 has never been used.
                "disk_utilization sda 98.0 percent",
                "disk_queue sda 4.0 requests",
                "disk_wait sda 80.0 ms",
                "disk_utilization nvme0n1 0.0 percent",
                "disk_queue nvme0n1 0.0 requests",
                // 6,000 ticks passed, 300 of them working, 2,400 waiting for the disk.
                "cpu_busy  5.0 percent",
                "memory_available  62.5 percent",
                "load_1m  4.5 tasks",
            ]
        );
    }

    #[test]
    fn a_disk_that_answers_nothing_any_more_waits_all_the_time() {
        let figures = figures(&reading("busy"), &reading("stuck"), Duration::from_secs(30));

        assert!(texts(&figures).contains(&"disk_wait sda 30000.0 ms".to_owned()), "{figures:?}");
        assert!(texts(&figures).contains(&"disk_utilization sda 100.0 percent".to_owned()), "{figures:?}");
    }

    #[test]
    fn a_disk_whose_counters_went_back_is_left_out() {
        let figures = figures(&reading("busy"), &reading("before"), Duration::from_secs(30));

        assert_eq!(figures.iter().filter(|gauge| gauge.instance == "sda").count(), 0, "{figures:?}");
        assert!(!figures.iter().any(|gauge| gauge.value.is_nan() || gauge.value < 0.0), "{figures:?}");
    }
}

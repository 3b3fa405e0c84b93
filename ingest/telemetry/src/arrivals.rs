//! How datagrams come to a listener: how fast at the peak, how large, and how long they wait in its sockets until they are read.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric, NoLabelSet};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;

use crate::Counters;

/// A peak is that of a tenth of a second: a burst is over in less than a second, and a single full batch is no rate.
const WINDOW: Duration = Duration::from_millis(100);
const WINDOWS_PER_SECOND: u64 = 10;

/// Upper bounds of the classes of waiting times.
const RESIDENCY_BOUNDS: [Duration; 11] = [
    Duration::from_micros(100),
    Duration::from_micros(300),
    Duration::from_millis(1),
    Duration::from_millis(3),
    Duration::from_millis(10),
    Duration::from_millis(30),
    Duration::from_millis(100),
    Duration::from_millis(300),
    Duration::from_secs(1),
    Duration::from_secs(3),
    Duration::from_secs(10),
];

/// What the readers of one listener have seen of its datagrams. Locked once a batch.
#[derive(Debug, Default)]
pub struct Arrivals(Mutex<Seen>);

#[derive(Clone, Debug, Default, PartialEq)]
struct Seen {
    sockets: u64,
    largest_bytes: u64,
    /// Number of the current window, counted from 1970, and what arrived in it.
    window: u64,
    in_window: u64,
    peak_in_window: u64,
    /// Datagrams by class of waiting time; the last class is above all bounds.
    waited: [u64; RESIDENCY_BOUNDS.len() + 1],
    waited_in_all: Duration,
    /// What was read while more waited, and the time that it took.
    drained: u64,
    draining: Duration,
}

impl Arrivals {
    /// The listener has so many sockets.
    pub fn sockets(&self, sockets: usize) {
        self.lock().sockets = sockets as u64;
    }

    /// Datagrams were read now: when each had arrived, and its bytes.
    pub fn read(&self, now_unix_nanos: u64, datagrams: impl Iterator<Item = (u64, usize)>) {
        let mut seen = self.lock();
        for (arrived_unix_nanos, bytes) in datagrams {
            seen.count_in_window(arrived_unix_nanos / WINDOW.as_nanos() as u64, 1);
            seen.largest_bytes = seen.largest_bytes.max(bytes as u64);
            let waited = Duration::from_nanos(now_unix_nanos.saturating_sub(arrived_unix_nanos));
            seen.waited[RESIDENCY_BOUNDS.partition_point(|bound| *bound < waited)] += 1;
            seen.waited_in_all += waited;
        }
    }

    /// So many came beside those that were read last, and the kernel dropped them.
    pub(crate) fn dropped(&self, datagrams: u64) {
        let mut seen = self.lock();
        let window = seen.window;
        seen.count_in_window(window, datagrams);
    }

    /// A reader that found more than it could take at once has taken so many in this time: that is how fast a full buffer empties.
    pub fn drained(&self, datagrams: usize, took: Duration) {
        let mut seen = self.lock();
        seen.drained += datagrams as u64;
        seen.draining += took;
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Seen {
    /// A stamp of an older window (another reader's, another socket's) counts to the newest, unless the clock was put back.
    fn count_in_window(&mut self, window: u64, datagrams: u64) {
        if window > self.window || window + WINDOWS_PER_SECOND < self.window {
            self.window = window;
            self.in_window = 0;
        }
        self.in_window += datagrams;
        self.peak_in_window = self.peak_in_window.max(self.in_window);
    }
}

/// The same as metrics, for listeners that have sockets of datagrams.
pub(crate) fn encode(listeners: &[Arc<Counters>], encoder: &mut DescriptorEncoder<'_>) -> Result<(), fmt::Error> {
    let seen: Vec<_> = listeners.iter().map(|listener| (listener.name(), listener.arrivals().lock().clone())).collect();
    let seen: Vec<_> = seen.iter().filter(|(_, seen)| seen.sockets > 0).collect();
    type Field = fn(&Seen) -> u64;
    let gauges: [(&str, &str, Field); 3] = [
        ("sockets", "Sockets that share the listener's port", |seen| seen.sockets),
        ("largest_datagram_bytes", "Payload of the largest datagram since the start", |seen| seen.largest_bytes),
        (
            "peak_datagrams_per_second",
            "Highest rate of arrival since the start, over a tenth of a second, with what the kernel dropped",
            |seen| seen.peak_in_window * WINDOWS_PER_SECOND,
        ),
    ];
    for (name, help, field) in gauges {
        let mut metric = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
        for (listener, seen) in &seen {
            ConstGauge::new(field(seen) as i64).encode(metric.encode_family(&[("listener", *listener)])?)?;
        }
    }
    let help = "Datagrams that were read while more waited in their socket";
    let mut drained = encoder.encode_descriptor("drained", help, None, MetricType::Counter)?;
    for (listener, seen) in &seen {
        ConstCounter::new(seen.drained).encode(drained.encode_family(&[("listener", *listener)])?)?;
    }
    let help = "Time that reading those took: drained / drain_seconds is how fast a full buffer empties";
    let mut draining = encoder.encode_descriptor("drain_seconds", help, None, MetricType::Counter)?;
    for (listener, seen) in &seen {
        ConstCounter::new(seen.draining.as_secs_f64()).encode(draining.encode_family(&[("listener", *listener)])?)?;
    }
    let help = "Time that a datagram waited in its socket, from the kernel's stamp until it was read: it grows before anything is dropped";
    let mut residency = encoder.encode_descriptor("socket_residency_seconds", help, None, MetricType::Histogram)?;
    for (listener, seen) in &seen {
        let bounds = RESIDENCY_BOUNDS.iter().map(Duration::as_secs_f64).chain([f64::INFINITY]);
        let buckets: Vec<_> = bounds.zip(seen.waited).collect();
        let count = seen.waited.iter().sum();
        let labels = [("listener", *listener)];
        let mut metric = residency.encode_family(&labels)?;
        metric.encode_histogram::<NoLabelSet>(seen.waited_in_all.as_secs_f64(), count, &buckets, None)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn the_peak_is_that_of_a_tenth_of_a_second_and_what_was_dropped_belongs_to_it() {
        let arrivals = Arrivals::default();
        arrivals.read(SECOND, (0..40).map(|number| (SECOND + number, 75)));
        arrivals.dropped(10);
        assert_eq!(arrivals.lock().peak_in_window, 50);
        arrivals.read(2 * SECOND, (0..45).map(|number| (2 * SECOND + number, 1_400)));
        assert_eq!(arrivals.lock().peak_in_window, 50);
        assert_eq!(arrivals.lock().largest_bytes, 1_400);
        // One that another reader takes late counts to the newest window.
        arrivals.read(2 * SECOND, (0..10).map(|_| (SECOND, 75)));
        assert_eq!(arrivals.lock().peak_in_window, 55);
    }

    #[test]
    fn a_clock_that_is_put_back_makes_no_peak() {
        let arrivals = Arrivals::default();
        arrivals.read(3_600 * SECOND, [(3_600 * SECOND, 75)].into_iter());
        arrivals.read(SECOND, (0..100).map(|number| (SECOND + number * SECOND / 10, 75)));
        assert_eq!(arrivals.lock().peak_in_window, 1);
    }

    #[test]
    fn a_datagram_is_counted_in_the_class_of_the_time_that_it_waited() {
        let arrivals = Arrivals::default();
        let waited = [0, 100_000, 100_001, 10_000_000, 11 * SECOND];
        arrivals.read(20 * SECOND, waited.iter().map(|nanos| (20 * SECOND - nanos, 1)));
        // The clock was put back.
        arrivals.read(SECOND, [(2 * SECOND, 1)].into_iter());
        assert_eq!(arrivals.lock().waited, [3, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
    }
}

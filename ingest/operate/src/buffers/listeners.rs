//! What the receive buffers of a running agent's listeners hold. Pure, but for what a datagram is charged.

use serde::Serialize;
use tocsin_sources::Charge;

use super::STEP_BYTES;
use super::metrics::Metrics;

/// One listener, by what it has received so far.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Listener {
    pub(super) listener: String,
    pub(super) sockets: u64,
    /// Of all its sockets, as the kernel accounts them: twice what was asked for.
    pub(super) buffer_bytes: u64,
    pub(super) kernel_dropped: u64,
    /// The `receive_buffer` that would have held all that was dropped, had it come at once; none where nothing was.
    pub(super) would_have_held_bytes: Option<u64>,
    /// Highest rate of arrival so far, over a tenth of a second; none before the first datagram.
    pub(super) peak_per_second: Option<u64>,
    /// How fast a full buffer is read; none before there was a burst to measure it by.
    pub(super) drained_per_second: Option<u64>,
    /// With datagrams of the mean size, or of the size asked for where there was none yet.
    pub(super) mean: Holds,
    /// With the largest so far.
    pub(super) largest: Option<Holds>,
    /// With those of the burst that was named.
    pub(super) named_burst: Option<NamedBurst>,
}

/// What a buffer holds of datagrams of one size while nobody reads it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Holds {
    pub(super) payload_bytes: u64,
    /// The largest burst that is taken whole.
    pub(super) datagrams: u64,
    /// That is so much of the peak rate: the longest restart that a socket bridges which the service manager holds.
    pub(super) milliseconds_of_peak: Option<f64>,
    /// How long the last of them waits until it is read.
    pub(super) full_buffer_milliseconds: Option<f64>,
}

/// Whether a burst finds room.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct NamedBurst {
    pub(super) is_taken: bool,
    pub(super) holds_datagrams: u64,
}

/// A burst that shall not be lost, and what its datagrams are charged.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Burst {
    pub(super) datagrams: u64,
    pub(super) charge: Charge,
}

/// Looks at each listener of an agent. `charge` says what a payload costs this kernel.
pub(super) fn listeners<E>(
    metrics: &Metrics,
    size_asked_bytes: u64,
    burst: Option<Burst>,
    charge: impl Fn(u64) -> Result<Charge, E>,
) -> Result<Vec<Listener>, E> {
    metrics.listeners().into_iter().map(|listener| look(metrics, listener, size_asked_bytes, burst, &charge)).collect()
}

fn look<E>(
    metrics: &Metrics,
    listener: &str,
    size_asked_bytes: u64,
    burst: Option<Burst>,
    charge: &impl Fn(u64) -> Result<Charge, E>,
) -> Result<Listener, E> {
    let figure = |name: &str| metrics.of(listener, name);
    let (sockets, buffer_bytes) = (figure("sockets") as u64, figure("buffer_limit_bytes") as u64);
    let received = figure("received_total");
    let mean_bytes = if received > 0.0 { (figure("received_bytes_total") / received).round() as u64 } else { size_asked_bytes };
    let peak_per_second = Some(figure("peak_datagrams_per_second")).filter(|rate| *rate > 0.0);
    let draining_seconds = figure("drain_seconds_total");
    let drained_per_second = (draining_seconds > 0.0).then(|| figure("drained_total") / draining_seconds);
    let holds = |payload_bytes: u64| {
        let datagrams = charge(payload_bytes)?.datagrams_in(buffer_bytes, sockets);
        let milliseconds_at = |rate: f64| (datagrams as f64 / rate * 1e4).round() / 10.0;
        Ok(Holds {
            payload_bytes,
            datagrams,
            milliseconds_of_peak: peak_per_second.map(milliseconds_at),
            full_buffer_milliseconds: drained_per_second.map(milliseconds_at),
        })
    };
    let dropped = figure("kernel_dropped_total") as u64;
    let would_have_held_bytes = (buffer_bytes + dropped * charge(mean_bytes)?.bytes).div_ceil(2).next_multiple_of(STEP_BYTES);
    let largest_bytes = figure("largest_datagram_bytes") as u64;
    Ok(Listener {
        listener: listener.to_owned(),
        sockets,
        buffer_bytes,
        kernel_dropped: dropped,
        would_have_held_bytes: (dropped > 0).then_some(would_have_held_bytes),
        peak_per_second: peak_per_second.map(|rate| rate as u64),
        drained_per_second: drained_per_second.map(|rate| rate as u64),
        mean: holds(mean_bytes)?,
        largest: (received > 0.0).then(|| holds(largest_bytes)).transpose()?,
        named_burst: burst.map(|burst| {
            let holds_datagrams = burst.charge.datagrams_in(buffer_bytes, sockets);
            NamedBurst { is_taken: holds_datagrams >= burst.datagrams, holds_datagrams }
        }),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A kernel that charges a round sum.
    fn charge(payload_bytes: u64) -> Result<Charge, ()> {
        Ok(Charge { bytes: payload_bytes + 1_000 })
    }

    fn seen(text: &str, burst: Option<Burst>) -> Listener {
        let lines: String = text.lines().map(|line| format!("tocsin_agent_{}\n", line.trim().replace(' ', "{listener=\"a\"} "))).collect();
        listeners(&Metrics::read(&lines).unwrap(), 600, burst, charge).unwrap().remove(0)
    }

    #[test]
    fn a_buffer_is_told_in_datagrams_of_its_own_traffic_and_in_time() {
        let listener = seen(
            "sockets 1\nbuffer_limit_bytes 3000000\nreceived_total 10\nreceived_bytes_total 5000\nlargest_datagram_bytes 2000\n\
             peak_datagrams_per_second 10000\ndrained_total 1000\ndrain_seconds_total 0.01",
            None,
        );
        let mean = Holds { payload_bytes: 500, datagrams: 2_000, milliseconds_of_peak: Some(200.0), full_buffer_milliseconds: Some(20.0) };
        let largest =
            Holds { payload_bytes: 2_000, datagrams: 1_000, milliseconds_of_peak: Some(100.0), full_buffer_milliseconds: Some(10.0) };
        assert_eq!((listener.mean, listener.largest, listener.drained_per_second), (mean, Some(largest), Some(100_000)));
    }

    #[test]
    fn a_listener_that_has_heard_nothing_is_told_for_the_size_asked_for() {
        let listener = seen("sockets 1\nbuffer_limit_bytes 160000", None);
        let mean = Holds { payload_bytes: 600, datagrams: 100, milliseconds_of_peak: None, full_buffer_milliseconds: None };
        assert_eq!((listener.mean, listener.largest, listener.peak_per_second), (mean, None, None));
    }

    #[test]
    fn the_buffer_that_would_have_held_what_was_dropped_is_told() {
        let text = |dropped| {
            format!("sockets 1\nbuffer_limit_bytes 400000\nreceived_total 1\nreceived_bytes_total 600\nkernel_dropped_total {dropped}")
        };
        assert_eq!(seen(&text(0), None).would_have_held_bytes, None);
        // 400,000 and 100 times 1,600 bytes as the kernel accounts them, which is half of it, in whole pages.
        assert_eq!(seen(&text(100), None).would_have_held_bytes, Some(282_624));
    }

    #[test]
    fn a_burst_finds_room_or_not() {
        let burst = |datagrams| Some(Burst { datagrams, charge: Charge { bytes: 1_000 } });
        let text = "sockets 1\nbuffer_limit_bytes 500000";
        assert_eq!(seen(text, burst(500)).named_burst, Some(NamedBurst { is_taken: true, holds_datagrams: 500 }));
        assert_eq!(seen(text, burst(501)).named_burst, Some(NamedBurst { is_taken: false, holds_datagrams: 500 }));
    }
}

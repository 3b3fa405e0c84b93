//! Where datagrams and records are lost, in the order of their way, each with what mends it. Pure.

use serde::Serialize;

use super::host::Host;
use super::listeners::Listener;
use super::metrics::Metrics;

/// One place where something can be lost.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Loss {
    pub(super) place: &'static str,
    /// What is counted there.
    pub(super) what: String,
    /// Since the machine was started; of an agent: since it was started.
    pub(super) lost: u64,
    /// The command or key that mends it.
    pub(super) mend: String,
}

/// What the kernel counts.
pub(super) fn of_host(host: &Host) -> Vec<Loss> {
    let ring = host.ring_missed.iter().map(|(interface, lost)| Loss {
        place: "nic",
        what: format!("frames that the ring of {interface} had no room for"),
        lost: *lost,
        mend: format!("ethtool -G {interface} rx 4096 (ethtool -g {interface} shows the most)"),
    });
    let [low, pressure, most] = host.udp_mem_pages.map(|pages| pages * 2);
    let kernel = [
        Loss {
            place: "softnet",
            what: "frames that a processor's queue had no room for".to_owned(),
            lost: host.softnet.dropped,
            mend: format!("sysctl -w net.core.netdev_max_backlog={}", (host.netdev_max_backlog * 2).max(2_000)),
        },
        Loss {
            place: "softnet",
            what: "times that a processor left off with frames waiting (a delay, no loss by itself)".to_owned(),
            lost: host.softnet.squeezed,
            mend: format!("sysctl -w net.core.netdev_budget={}", (host.netdev_budget * 2).max(600)),
        },
        Loss {
            place: "udp",
            what: "datagrams of all programs here that a receive buffer had no room for".to_owned(),
            lost: host.udp.receive_buffer,
            mend: "ss -uanpm shows whose (d is dropped); for a listener see socket".to_owned(),
        },
        Loss {
            place: "udp",
            what: "datagrams that the memory of all UDP sockets had no room for".to_owned(),
            lost: host.udp.memory,
            mend: format!("sysctl -w net.ipv4.udp_mem=\"{low} {pressure} {most}\""),
        },
    ];
    ring.chain(kernel).collect()
}

/// What an agent counts.
pub(super) fn of_agent(metrics: &Metrics, listeners: &[Listener]) -> Vec<Loss> {
    let sockets = listeners.iter().map(|Listener { listener, kernel_dropped, would_have_held_bytes, .. }| Loss {
        place: "socket",
        what: format!("datagrams that the receive buffer of {listener} had no room for"),
        lost: *kernel_dropped,
        mend: would_have_held_bytes
            .map(|bytes| format!("receive_buffer: {bytes} of {listener} would have held them; net.core.rmem_max must allow it"))
            .unwrap_or_default(),
    });
    let refused = [
        Loss {
            place: "agent",
            what: "frames that a rate limit, an access list or the limit of rejects refused".to_owned(),
            lost: metrics.sum("rate_limited_total"),
            mend: "rate_limit, allow and deny of the listener; /sources says who sends".to_owned(),
        },
        Loss {
            place: "agent",
            what: "frames that became rejects (kept, in rejects-v1)".to_owned(),
            lost: metrics.sum("malformed_total"),
            mend: "tocsin.rejects says why; the senders must be put right".to_owned(),
        },
    ];
    let spool = metrics.by_reason("dropped_total").into_iter().map(|(reason, lost)| Loss {
        place: "spool",
        what: format!("records given up: {reason}"),
        lost,
        mend: match reason.as_str() {
            "spool_full" => "raise spool.max_size, or mend Kafka sooner",
            "refused_by_broker" => "raise the topic's max.message.bytes, or lower max_message of the listener",
            _ => "mend the disk of spool.dir",
        }
        .to_owned(),
    });
    sockets.chain(refused).chain(spool).collect()
}

#[cfg(test)]
mod tests {
    use tocsin_sources::Charge;

    use super::super::host::{Softnet, UdpErrors};
    use super::super::listeners::listeners;
    use super::*;

    #[test]
    fn each_place_names_the_command_that_mends_it() {
        let host = Host {
            netdev_max_backlog: 1_000,
            netdev_budget: 300,
            udp_mem_pages: [1, 2, 3],
            ring_missed: vec![("eth0".to_owned(), 5)],
            softnet: Softnet { dropped: 6, squeezed: 7 },
            udp: UdpErrors { receive_buffer: 8, memory: 9 },
            ..Host::default()
        };
        let losses = of_host(&host);
        let told: Vec<_> = losses.iter().map(|loss| (loss.place, loss.lost, loss.mend.as_str())).collect();
        assert_eq!(
            told,
            [
                ("nic", 5, "ethtool -G eth0 rx 4096 (ethtool -g eth0 shows the most)"),
                ("softnet", 6, "sysctl -w net.core.netdev_max_backlog=2000"),
                ("softnet", 7, "sysctl -w net.core.netdev_budget=600"),
                ("udp", 8, "ss -uanpm shows whose (d is dropped); for a listener see socket"),
                ("udp", 9, "sysctl -w net.ipv4.udp_mem=\"2 4 6\""),
            ]
        );
    }

    #[test]
    fn what_an_agent_gave_up_is_told_by_its_reason() {
        let text = "tocsin_agent_sockets{listener=\"a\"} 1\ntocsin_agent_kernel_dropped_total{listener=\"a\"} 4\n\
                    tocsin_agent_dropped_total{listener=\"a\",reason=\"spool_full\"} 2\n";
        let metrics = Metrics::read(text).unwrap();
        let listeners = listeners(&metrics, 600, None, |_| Ok::<_, ()>(Charge { bytes: 1_280 })).unwrap();
        let told: Vec<_> = of_agent(&metrics, &listeners).into_iter().map(|loss| (loss.place, loss.lost)).collect();
        assert_eq!(told, [("socket", 4), ("agent", 0), ("agent", 0), ("spool", 2)]);
    }
}

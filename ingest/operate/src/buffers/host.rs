//! What this machine's kernel says: its limits, and what it has dropped before a socket, from /proc and /sys.

use std::fs;
use std::path::Path;

/// The kernel's limits and counters since it was started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Host {
    /// What a program without CAP_NET_ADMIN is given at most.
    pub(super) rmem_max_bytes: u64,
    pub(super) netdev_max_backlog: u64,
    pub(super) netdev_budget: u64,
    /// Pages: below no pressure, pressure, the most.
    pub(super) udp_mem_pages: [u64; 3],
    /// Frames that a network card had no room for, by interface.
    pub(super) ring_missed: Vec<(String, u64)>,
    pub(super) softnet: Softnet,
    pub(super) udp: UdpErrors,
}

/// Between card and protocol, summed over the processors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Softnet {
    pub(super) dropped: u64,
    /// How often a processor left off with frames waiting.
    pub(super) squeezed: u64,
}

/// Of all programs of this machine together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct UdpErrors {
    pub(super) receive_buffer: u64,
    pub(super) memory: u64,
}

impl Host {
    /// Reads what there is; what a container hides is 0.
    pub(super) fn read() -> Self {
        let text = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let number = |path: &str| text(path).trim().parse().unwrap_or_default();
        let udp_mem: Vec<u64> = text("/proc/sys/net/ipv4/udp_mem").split_whitespace().filter_map(|word| word.parse().ok()).collect();
        Self {
            rmem_max_bytes: number("/proc/sys/net/core/rmem_max"),
            netdev_max_backlog: number("/proc/sys/net/core/netdev_max_backlog"),
            netdev_budget: number("/proc/sys/net/core/netdev_budget"),
            udp_mem_pages: udp_mem.try_into().unwrap_or_default(),
            ring_missed: ring_missed(Path::new("/sys/class/net")),
            softnet: softnet(&text("/proc/net/softnet_stat")),
            udp: udp_errors(&text("/proc/net/snmp"), &text("/proc/net/snmp6")),
        }
    }
}

/// Drivers count a full ring as missed, fifo or over, some as several of them.
fn ring_missed(interfaces: &Path) -> Vec<(String, u64)> {
    let mut missed: Vec<_> = fs::read_dir(interfaces)
        .into_iter()
        .flatten()
        .flatten()
        .map(|interface| {
            let counter = |name: &str| -> u64 {
                let text = fs::read_to_string(interface.path().join("statistics").join(name)).unwrap_or_default();
                text.trim().parse().unwrap_or_default()
            };
            let most = ["rx_missed_errors", "rx_fifo_errors", "rx_over_errors"].map(counter).into_iter().max().unwrap_or_default();
            (interface.file_name().to_string_lossy().into_owned(), most)
        })
        .filter(|(name, _)| name != "lo")
        .collect();
    missed.sort();
    missed
}

/// A line a processor, in hexadecimal: processed, dropped, squeezed and more.
fn softnet(text: &str) -> Softnet {
    let column =
        |number: usize| -> u64 { text.lines().filter_map(|line| u64::from_str_radix(line.split_whitespace().nth(number)?, 16).ok()).sum() };
    Softnet { dropped: column(1), squeezed: column(2) }
}

/// IPv4: a line of names, then one of numbers. IPv6: a name and a number a line.
fn udp_errors(snmp: &str, snmp6: &str) -> UdpErrors {
    let of_ipv4 = |wanted: &str| -> u64 {
        let mut lines = snmp.lines().filter_map(|line| line.strip_prefix("Udp: "));
        let (Some(names), Some(numbers)) = (lines.next(), lines.next()) else { return 0 };
        let mut pairs = names.split_whitespace().zip(numbers.split_whitespace());
        pairs.find(|(name, _)| *name == wanted).and_then(|(_, number)| number.parse().ok()).unwrap_or_default()
    };
    let of_ipv6 = |wanted: &str| -> u64 {
        let numbers = snmp6.lines().filter_map(|line| line.strip_prefix(wanted));
        numbers.filter_map(|number| number.trim().parse::<u64>().ok()).sum()
    };
    UdpErrors {
        receive_buffer: of_ipv4("RcvbufErrors") + of_ipv6("Udp6RcvbufErrors"),
        memory: of_ipv4("MemErrors") + of_ipv6("Udp6MemErrors"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softnet_is_summed_over_the_processors() {
        let text = "00af8ad5 0000000a 00000006 00000000\n00a53a55 00000001 0000000e 00000000\n";
        assert_eq!(softnet(text), Softnet { dropped: 11, squeezed: 20 });
    }

    #[test]
    fn both_families_count_to_the_errors_of_udp() {
        let snmp = "\
Tcp: RtoAlgorithm\nTcp: 1
Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors InCsumErrors IgnoredMulti MemErrors
Udp: 5767861 3543 20216 7705800 20216 0 0 72 4
UdpLite: InDatagrams\nUdpLite: 0\n";
        let snmp6 = "Udp6InDatagrams                  \t12\nUdp6RcvbufErrors                \t7\nUdp6MemErrors                   \t1\n";
        assert_eq!(udp_errors(snmp, snmp6), UdpErrors { receive_buffer: 20_223, memory: 5 });
    }

    #[test]
    fn a_full_ring_counts_once_however_the_driver_calls_it() {
        let interfaces = tempfile::tempdir().unwrap();
        for (interface, name, count) in
            [("eth0", "rx_missed_errors", "12\n"), ("eth0", "rx_fifo_errors", "12\n"), ("lo", "rx_over_errors", "9\n")]
        {
            let statistics = interfaces.path().join(interface).join("statistics");
            fs::create_dir_all(&statistics).unwrap();
            fs::write(statistics.join(name), count).unwrap();
        }
        assert_eq!(ring_missed(interfaces.path()), [("eth0".to_owned(), 12)]);
    }

    #[test]
    fn this_machine_tells_its_limits() {
        assert!(Host::read().rmem_max_bytes > 0);
    }
}

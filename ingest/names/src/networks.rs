//! What is known of networks, by the longest prefix that holds an address. Pure.

use std::collections::HashMap;
use std::net::IpAddr;

use ipnet::IpNet;

/// Values by network.
#[derive(Clone, Debug)]
pub struct Networks<V> {
    by_network: HashMap<IpNet, V>,
    /// Lengths of prefixes that there are, longest first: as many look-ups an address, however many networks.
    lengths: Vec<u8>,
}

impl<V> Networks<V> {
    /// What the longest prefix that holds an address has.
    pub fn of(&self, address: IpAddr) -> Option<&V> {
        let address = address.to_canonical();
        let networks = self.lengths.iter().filter_map(|length| IpNet::new(address, *length).ok());
        networks.into_iter().find_map(|network| self.by_network.get(&network.trunc()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }
}

impl<V> Default for Networks<V> {
    fn default() -> Self {
        Self { by_network: HashMap::new(), lengths: Vec::new() }
    }
}

impl<V> FromIterator<(IpNet, V)> for Networks<V> {
    /// Of two values of one network the later one counts.
    fn from_iter<I: IntoIterator<Item = (IpNet, V)>>(values: I) -> Self {
        let by_network: HashMap<_, _> = values.into_iter().map(|(network, value)| (network.trunc(), value)).collect();
        let mut lengths: Vec<_> = by_network.keys().map(IpNet::prefix_len).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        lengths.dedup();
        Self { by_network, lengths }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_that_holds_an_address_counts() {
        let networks: Networks<&str> =
            [("10.0.0.0/8", "all"), ("10.1.0.0/16", "some"), ("10.1.2.9/24", "few"), ("10.1.2.3/32", "one"), ("2001:db8::/32", "six")]
                .into_iter()
                .map(|(network, value)| (network.parse().unwrap(), value))
                .collect();
        for (address, expected) in [
            ("10.1.2.3", Some(&"one")),
            ("::ffff:10.1.2.4", Some(&"few")),
            ("10.1.9.9", Some(&"some")),
            ("10.9.9.9", Some(&"all")),
            ("2001:db8::7", Some(&"six")),
            ("192.0.2.1", None),
        ] {
            assert_eq!(networks.of(address.parse().unwrap()), expected, "{address}");
        }
        assert!(!networks.is_empty() && Networks::<u8>::default().is_empty());
    }
}

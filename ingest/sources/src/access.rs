//! Who may send to a listener.

use std::net::IpAddr;

use ipnet::IpNet;

use crate::ListenerConfig;

/// The `allow` and `deny` of one listener.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    allow: Vec<IpNet>,
    deny: Vec<IpNet>,
}

impl Access {
    pub(crate) fn new(config: &ListenerConfig) -> Self {
        Self { allow: config.allow.clone(), deny: config.deny.clone() }
    }

    /// Whether this sender is heard: one that `deny` names is not, and beside an `allow` nobody else is.
    pub(crate) fn admits(&self, sender: IpAddr) -> bool {
        let names = |networks: &[IpNet]| networks.iter().any(|network| network.contains(&sender));
        !names(&self.deny) && (self.allow.is_empty() || names(&self.allow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deny_wins_and_allow_shuts_out_all_others() {
        let access = |allow: &[&str], deny: &[&str]| {
            let networks = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
            Access { allow: networks(allow), deny: networks(deny) }
        };
        let admits = |access: &Access, sender: &str| access.admits(sender.parse().unwrap());
        assert!(admits(&access(&[], &[]), "192.0.2.1"));
        let some = access(&["192.0.2.0/24", "2001:db8::/32"], &["192.0.2.128/25"]);
        assert!(admits(&some, "192.0.2.1") && admits(&some, "2001:db8::1"));
        assert!(!admits(&some, "192.0.2.200") && !admits(&some, "198.51.100.1") && !admits(&some, "2001:db9::1"));
        let others = access(&[], &["192.0.2.128/25"]);
        assert!(admits(&others, "198.51.100.1") && !admits(&others, "192.0.2.129"));
    }
}

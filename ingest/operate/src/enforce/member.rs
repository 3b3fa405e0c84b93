//! Which members a set shall have, by the registrations that were read. Pure.

use std::collections::HashMap;
use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use clap::ValueEnum;
use tocsin_wire::registrations::{Access, Registration, State};

/// What stands in the set.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberKind {
    /// Hardware addresses, whether the device has a lease now or not.
    Mac,
    /// IPv4 addresses of devices that have a lease now.
    Ipv4,
    /// IPv6 addresses of devices that have a lease now.
    Ipv6,
}

/// One member of a set, as the kernel stores it: 6, 4 or 16 bytes in network order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Member {
    /// Hardware address.
    Mac([u8; 6]),
    /// IPv4 address.
    Ipv4([u8; 4]),
    /// IPv6 address.
    Ipv6([u8; 16]),
}

impl Member {
    /// The bytes in network order.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Mac(bytes) => bytes,
            Self::Ipv4(bytes) => bytes,
            Self::Ipv6(bytes) => bytes,
        }
    }

    /// A member of `kind` from the kernel's bytes; `None` where their number is another.
    pub fn from_bytes(kind: MemberKind, bytes: &[u8]) -> Option<Self> {
        match kind {
            // nftables pads a key to a multiple of four bytes.
            MemberKind::Mac => bytes.get(..6)?.try_into().ok().map(Self::Mac),
            MemberKind::Ipv4 => bytes.try_into().ok().map(Self::Ipv4),
            MemberKind::Ipv6 => bytes.try_into().ok().map(Self::Ipv6),
        }
    }
}

impl fmt::Display for Member {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mac([a, b, c, d, e, g]) => write!(f, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{g:02x}"),
            Self::Ipv4(bytes) => Ipv4Addr::from(*bytes).fmt(f),
            Self::Ipv6(bytes) => Ipv6Addr::from(*bytes).fmt(f),
        }
    }
}

/// A change that the set needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// It shall be in the set.
    Add(Member),
    /// It shall not.
    Remove(Member),
}

/// Every registration that was read, and the members that follow from them.
#[derive(Debug)]
pub struct Wanted {
    kind: MemberKind,
    access: Access,
    /// Member of each record key of the topic.
    registrations: HashMap<Vec<u8>, Option<Member>>,
    /// How many registrations ask for a member: a MAC with IPv4 and IPv6 has two.
    members: HashMap<Member, u32>,
}

impl Wanted {
    /// Nothing read yet; registrations with `access` will be in the set.
    pub fn new(kind: MemberKind, access: Access) -> Self {
        Self { kind, access, registrations: HashMap::new(), members: HashMap::new() }
    }

    /// Takes one record of `registrations-v1`; `None` is a tombstone. What the topic says last stands, whatever its version: a job that
    /// went on after a failure may have told something else.
    pub fn take(&mut self, key: &[u8], registration: Option<&Registration>) -> [Option<Change>; 2] {
        let after = registration.and_then(|registration| self.member_of(registration));
        let before = match registration {
            Some(_) => self.registrations.insert(key.to_vec(), after),
            None => self.registrations.remove(key),
        }
        .flatten();
        if before == after {
            return [None, None];
        }
        let removed = before.filter(|member| self.release(*member)).map(Change::Remove);
        let added = after.filter(|member| self.claim(*member)).map(Change::Add);
        [removed, added]
    }

    /// Every member that the set shall have.
    pub fn members(&self) -> impl Iterator<Item = Member> + '_ {
        self.members.keys().copied()
    }

    /// Does the set need it?
    pub fn contains(&self, member: &Member) -> bool {
        self.members.contains_key(member)
    }

    /// How many registrations were read that are not forgotten.
    pub fn registrations(&self) -> usize {
        self.registrations.len()
    }

    /// How many members the set shall have.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    fn member_of(&self, registration: &Registration) -> Option<Member> {
        if registration.access() != self.access {
            return None;
        }
        let has_lease = matches!(registration.state(), State::Bound | State::Renewing | State::Rebinding);
        match self.kind {
            MemberKind::Mac => mac(&registration.mac).map(Member::Mac),
            MemberKind::Ipv4 => registration.ip.parse::<Ipv4Addr>().ok().filter(|_| has_lease).map(|ip| Member::Ipv4(ip.octets())),
            MemberKind::Ipv6 => registration.ip.parse::<Ipv6Addr>().ok().filter(|_| has_lease).map(|ip| Member::Ipv6(ip.octets())),
        }
    }

    /// Is this the first that asks for it?
    fn claim(&mut self, member: Member) -> bool {
        let count = self.members.entry(member).or_default();
        *count += 1;
        *count == 1
    }

    /// Was this the last that asked for it?
    fn release(&mut self, member: Member) -> bool {
        match self.members.get_mut(&member) {
            Some(count) if *count > 1 => {
                *count -= 1;
                false
            }
            _ => self.members.remove(&member).is_some(),
        }
    }
}

/// Six octets from "02:00:00:00:00:2a".
fn mac(text: &str) -> Option<[u8; 6]> {
    let mut octets = [0; 6];
    let mut parts = text.split(':');
    for octet in &mut octets {
        *octet = u8::from_str_radix(parts.next().filter(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_hexdigit()))?, 16)
            .ok()?;
    }
    parts.next().is_none().then_some(octets)
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Member = Member::Mac([2, 0, 0, 0, 0, 0x2a]);

    fn registration(mac: &str, ip: &str, access: Access, state: State, version: u64) -> Registration {
        Registration {
            mac: mac.to_owned(),
            ip: ip.to_owned(),
            access: access.into(),
            state: state.into(),
            version,
            ..Registration::default()
        }
    }

    fn allowed(version: u64) -> Registration {
        registration("02:00:00:00:00:2a", "10.1.2.3", Access::Allowed, State::Bound, version)
    }

    fn blocked(version: u64) -> Registration {
        registration("02:00:00:00:00:2a", "10.1.2.3", Access::Blocked, State::Bound, version)
    }

    #[test]
    fn an_allowed_device_comes_in_and_a_blocked_one_goes() {
        let mut wanted = Wanted::new(MemberKind::Mac, Access::Allowed);
        assert_eq!(wanted.take(b"a", Some(&allowed(1))), [None, Some(Change::Add(A))]);
        assert_eq!(wanted.take(b"a", Some(&allowed(2))), [None, None]);
        assert_eq!(wanted.take(b"a", Some(&blocked(3))), [Some(Change::Remove(A)), None]);
        assert_eq!(wanted.len(), 0);
    }

    #[test]
    fn what_was_told_last_stands_whatever_its_version() {
        let mut wanted = Wanted::new(MemberKind::Mac, Access::Allowed);
        wanted.take(b"a", Some(&allowed(5)));
        assert_eq!(wanted.take(b"a", Some(&allowed(5))), [None, None]);
        assert_eq!(wanted.take(b"a", Some(&blocked(4))), [Some(Change::Remove(A)), None]);
        assert!(!wanted.contains(&A));
    }

    #[test]
    fn a_mac_stays_while_one_of_its_two_families_asks_for_it() {
        let mut wanted = Wanted::new(MemberKind::Mac, Access::Allowed);
        wanted.take(b"a", Some(&allowed(1)));
        assert_eq!(wanted.take(b"a/6", Some(&allowed(1))), [None, None]);
        assert_eq!(wanted.take(b"a", None), [None, None]);
        assert_eq!(wanted.take(b"a/6", None), [Some(Change::Remove(A)), None]);
    }

    #[test]
    fn an_address_is_in_the_set_as_long_as_the_lease_lasts_and_moves_with_it() {
        let mut wanted = Wanted::new(MemberKind::Ipv4, Access::Allowed);
        let at = |ip: &str, state, version| registration("02:00:00:00:00:2a", ip, Access::Allowed, state, version);
        let (old, new) = (Member::Ipv4([10, 1, 2, 3]), Member::Ipv4([10, 1, 2, 4]));
        assert_eq!(wanted.take(b"a", Some(&at("10.1.2.3", State::Offered, 1))), [None, None]);
        assert_eq!(wanted.take(b"a", Some(&at("10.1.2.3", State::Bound, 2))), [None, Some(Change::Add(old))]);
        assert_eq!(wanted.take(b"a", Some(&at("10.1.2.4", State::Bound, 3))), [Some(Change::Remove(old)), Some(Change::Add(new))]);
        assert_eq!(wanted.take(b"a", Some(&at("10.1.2.4", State::Expired, 4))), [Some(Change::Remove(new)), None]);
    }

    #[test]
    fn what_is_no_address_is_no_member() {
        let mut wanted = Wanted::new(MemberKind::Mac, Access::Allowed);
        for mac in ["", "02:00", "02:00:00:00:00:2a:00", "0200:00:00:00:2a:0", "zz:00:00:00:00:00", "+2:00:00:00:00:00"] {
            assert_eq!(wanted.take(mac.as_bytes(), Some(&registration(mac, "", Access::Allowed, State::Bound, 1))), [None, None], "{mac}");
        }
    }
}

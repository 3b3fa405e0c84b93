//! The two kinds of kernel set: ipset (`include/uapi/linux/netfilter/ipset/ip_set.h`) and nftables (`nf_tables.h`).
//!
//! Many members travel in one message: that is what makes a change cost microseconds instead of a program's start.

use std::collections::HashSet;

use clap::ValueEnum;

use super::member::{Member, MemberKind};
use super::netlink::{Messages, NLA_F_NET_BYTEORDER, Netfilter, Refused, Reply, attribute, attributes};
use crate::Failure;

/// Members of one message: below 64 KiB, the limit of a nested attribute, with the longest kind.
const MEMBERS_A_MESSAGE: usize = 1_000;

const NFNL_SUBSYS_IPSET: u16 = 6;
const IPSET_PROTOCOL: u8 = 6;
const IPSET_CMD_LIST: u16 = 7;
const IPSET_CMD_ADD: u16 = 9;
const IPSET_CMD_DEL: u16 = 10;
const IPSET_ATTR_PROTOCOL: u16 = 1;
const IPSET_ATTR_SETNAME: u16 = 2;
const IPSET_ATTR_DATA: u16 = 7;
const IPSET_ATTR_ADT: u16 = 8;
const IPSET_ATTR_LINENO: u16 = 9;
const IPSET_ATTR_IP: u16 = 1;
const IPSET_ATTR_IPADDR_IPV4: u16 = 1;
const IPSET_ATTR_IPADDR_IPV6: u16 = 2;
const IPSET_ATTR_ETHER: u16 = 17;

const NFNL_SUBSYS_NFTABLES: u16 = 10;
const NFNL_MSG_BATCH_BEGIN: u16 = 0x10;
const NFNL_MSG_BATCH_END: u16 = 0x11;
const NFT_MSG_NEWSETELEM: u16 = 12;
const NFT_MSG_GETSETELEM: u16 = 13;
const NFT_MSG_DELSETELEM: u16 = 14;
const NFTA_SET_ELEM_LIST_TABLE: u16 = 1;
const NFTA_SET_ELEM_LIST_SET: u16 = 2;
const NFTA_SET_ELEM_LIST_ELEMENTS: u16 = 3;
const NFTA_LIST_ELEM: u16 = 1;
const NFTA_SET_ELEM_KEY: u16 = 1;
const NFTA_DATA_VALUE: u16 = 1;

const NLM_F_CREATE: u16 = 0x400;

/// Which of the kernel's two set machines.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// `ipset create NAME hash:ip` (or hash:mac, hash:ip family inet6).
    Ipset,
    /// `nft add set inet TABLE NAME { type ether_addr; }` (or ipv4_addr, ipv6_addr).
    Nftables,
}

/// A set in the kernel that exists already.
#[derive(Debug)]
pub struct KernelSet {
    netfilter: Netfilter,
    backend: Backend,
    kind: MemberKind,
    table: String,
    name: String,
}

impl KernelSet {
    /// Opens the socket; the set itself is looked at by [`Self::members`].
    pub fn open(backend: Backend, kind: MemberKind, table: &str, name: &str) -> Result<Self, Failure> {
        let netfilter = Netfilter::open().map_err(|refused| {
            Failure::new(format!("cannot open a netfilter socket: {}", words(refused)), "run it on Linux, as root or with CAP_NET_ADMIN")
        })?;
        Ok(Self { netfilter, backend, kind, table: table.to_owned(), name: name.to_owned() })
    }

    /// What is in the set now.
    ///
    /// The kernel moves the members of an nftables set to a larger table while it lists them, and then leaves some out. What it lists is
    /// there, so lists are put together until one brings nothing new.
    pub fn members(&mut self) -> Result<HashSet<Member>, Failure> {
        let mut members = self.list()?;
        while self.backend == Backend::Nftables {
            let known = members.len();
            members.extend(self.list()?);
            if members.len() == known {
                break;
            }
        }
        Ok(members)
    }

    fn list(&mut self) -> Result<HashSet<Member>, Failure> {
        let sequence = self.netfilter.next_sequence();
        let mut request = Messages::default();
        match self.backend {
            Backend::Ipset => request
                .begin(NFNL_SUBSYS_IPSET << 8 | IPSET_CMD_LIST, 0, Reply::Dump, family(self.kind), 0, sequence)
                .attribute(IPSET_ATTR_PROTOCOL, &[IPSET_PROTOCOL])
                .text(IPSET_ATTR_SETNAME, &self.name)
                .end(),
            Backend::Nftables => request
                .begin(NFNL_SUBSYS_NFTABLES << 8 | NFT_MSG_GETSETELEM, 0, Reply::Dump, NFPROTO_INET, 0, sequence)
                .text(NFTA_SET_ELEM_LIST_TABLE, &self.table)
                .text(NFTA_SET_ELEM_LIST_SET, &self.name)
                .end(),
        };
        let (backend, kind) = (self.backend, self.kind);
        let mut members = HashSet::new();
        let answer = self.netfilter.dump(&request, |message| members.extend(listed(backend, kind, message)));
        answer.map_err(|refused| self.failure("look into", refused))?;
        Ok(members)
    }

    /// Takes members out, then puts members in. What is there already and what is gone already is no error for ipset; for nftables
    /// callers give only what changes.
    pub fn change(&mut self, remove: &[Member], add: &[Member]) -> Result<(), Failure> {
        for chunk in remove.chunks(MEMBERS_A_MESSAGE) {
            self.send(false, chunk).map_err(|refused| self.failure("remove from", refused))?;
        }
        for chunk in add.chunks(MEMBERS_A_MESSAGE) {
            self.send(true, chunk).map_err(|refused| self.failure("add to", refused))?;
        }
        Ok(())
    }

    fn send(&mut self, is_add: bool, members: &[Member]) -> Result<(), Refused> {
        let sequence = self.netfilter.next_sequence();
        let messages = match self.backend {
            Backend::Ipset => ipset_change(&self.name, is_add, members, sequence),
            Backend::Nftables => nftables_change(&self.table, &self.name, is_add, members, sequence),
        };
        self.netfilter.send_and_await(&messages, sequence)
    }

    fn failure(&self, what: &str, refused: Refused) -> Failure {
        let (set, create) = match self.backend {
            Backend::Ipset => (self.name.clone(), format!("ipset create {} {} maxelem 1000000", self.name, ipset_type(self.kind))),
            Backend::Nftables => (
                format!("inet {} {}", self.table, self.name),
                format!("nft add table inet {0}; nft add set inet {0} {1} '{{ type {2}; }}'", self.table, self.name, nft_type(self.kind)),
            ),
        };
        Failure::new(
            format!("cannot {what} set {set}: {}", words(refused)),
            format!("make it with `{create}`, and run this as root or with CAP_NET_ADMIN in the same network namespace"),
        )
    }
}

const NFPROTO_INET: u8 = 1;

fn family(kind: MemberKind) -> u8 {
    match kind {
        MemberKind::Ipv6 => 10,
        MemberKind::Mac | MemberKind::Ipv4 => 2,
    }
}

fn ipset_type(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Mac => "hash:mac",
        MemberKind::Ipv4 => "hash:ip",
        MemberKind::Ipv6 => "hash:ip family inet6",
    }
}

fn nft_type(kind: MemberKind) -> &'static str {
    match kind {
        MemberKind::Mac => "ether_addr",
        MemberKind::Ipv4 => "ipv4_addr",
        MemberKind::Ipv6 => "ipv6_addr",
    }
}

/// ipset's own error numbers begin at 4096 (`enum ipset_errno`).
fn words(refused: Refused) -> String {
    match refused.errno {
        4096 => "ipset does not know this protocol version".to_owned(),
        4097 => "the kernel does not support this set type".to_owned(),
        4098 => "too many sets".to_owned(),
        4103 => "a member is there already, or is not there".to_owned(),
        4352 => "the set is full: make it with a larger maxelem".to_owned(),
        errno => std::io::Error::from_raw_os_error(errno).to_string(),
    }
}

/// One message with many members; without NLM_F_EXCL a member that is there, or gone, is no error.
fn ipset_change(name: &str, is_add: bool, members: &[Member], sequence: u32) -> Messages {
    let command = if is_add { IPSET_CMD_ADD } else { IPSET_CMD_DEL };
    let mut messages = Messages::default();
    messages
        .begin(NFNL_SUBSYS_IPSET << 8 | command, 0, Reply::Ack, 2, 0, sequence)
        .attribute(IPSET_ATTR_PROTOCOL, &[IPSET_PROTOCOL])
        .text(IPSET_ATTR_SETNAME, name)
        // The kernel asks for it beside a list, to tell which member failed.
        .attribute(IPSET_ATTR_LINENO, &0u32.to_ne_bytes())
        .nested(IPSET_ATTR_ADT, |list| {
            for member in members {
                list.nested(IPSET_ATTR_DATA, |data| match member {
                    Member::Mac(bytes) => {
                        data.attribute(IPSET_ATTR_ETHER, bytes);
                    }
                    Member::Ipv4(bytes) => {
                        data.nested(IPSET_ATTR_IP, |ip| {
                            ip.attribute(IPSET_ATTR_IPADDR_IPV4 | NLA_F_NET_BYTEORDER, bytes);
                        });
                    }
                    Member::Ipv6(bytes) => {
                        data.nested(IPSET_ATTR_IP, |ip| {
                            ip.attribute(IPSET_ATTR_IPADDR_IPV6 | NLA_F_NET_BYTEORDER, bytes);
                        });
                    }
                });
            }
        })
        .end();
    messages
}

/// One transaction: it is carried out whole or not at all.
fn nftables_change(table: &str, name: &str, is_add: bool, members: &[Member], sequence: u32) -> Messages {
    let (command, flags) = if is_add { (NFT_MSG_NEWSETELEM, NLM_F_CREATE) } else { (NFT_MSG_DELSETELEM, 0) };
    let mut messages = Messages::default();
    messages.begin(NFNL_MSG_BATCH_BEGIN, 0, Reply::Nothing, 0, NFNL_SUBSYS_NFTABLES, sequence).end();
    messages
        .begin(NFNL_SUBSYS_NFTABLES << 8 | command, flags, Reply::Ack, NFPROTO_INET, 0, sequence)
        .text(NFTA_SET_ELEM_LIST_TABLE, table)
        .text(NFTA_SET_ELEM_LIST_SET, name)
        .nested(NFTA_SET_ELEM_LIST_ELEMENTS, |list| {
            for member in members {
                list.nested(NFTA_LIST_ELEM, |element| {
                    element.nested(NFTA_SET_ELEM_KEY, |key| {
                        key.attribute(NFTA_DATA_VALUE, member.bytes());
                    });
                });
            }
        })
        .end();
    messages.begin(NFNL_MSG_BATCH_END, 0, Reply::Nothing, 0, NFNL_SUBSYS_NFTABLES, sequence).end();
    messages
}

/// The members that one message of a dump lists.
fn listed(backend: Backend, kind: MemberKind, message: &[u8]) -> Vec<Member> {
    let list = match backend {
        Backend::Ipset => attribute(message, IPSET_ATTR_ADT),
        Backend::Nftables => attribute(message, NFTA_SET_ELEM_LIST_ELEMENTS),
    };
    attributes(list.unwrap_or_default())
        .filter_map(|(_, element)| key_of(backend, kind, element))
        .filter_map(|key| Member::from_bytes(kind, key))
        .collect()
}

fn key_of(backend: Backend, kind: MemberKind, element: &[u8]) -> Option<&[u8]> {
    match (backend, kind) {
        (Backend::Ipset, MemberKind::Mac) => attribute(element, IPSET_ATTR_ETHER),
        (Backend::Ipset, MemberKind::Ipv4) => attribute(attribute(element, IPSET_ATTR_IP)?, IPSET_ATTR_IPADDR_IPV4),
        (Backend::Ipset, MemberKind::Ipv6) => attribute(attribute(element, IPSET_ATTR_IP)?, IPSET_ATTR_IPADDR_IPV6),
        (Backend::Nftables, _) => attribute(attribute(element, NFTA_SET_ELEM_KEY)?, NFTA_DATA_VALUE),
    }
}

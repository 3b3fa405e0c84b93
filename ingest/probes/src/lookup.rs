//! Names -> addresses, on a thread of its own, because the system's resolver may take many seconds to give up.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

/// The addresses of a name in the system's order, or why there are none.
pub(crate) type Lookup = Result<Vec<SocketAddr>, String>;

struct Request {
    link: usize,
    name: String,
    port: u16,
}

/// The prober's end of the resolver's thread.
#[derive(Debug)]
pub(crate) struct Resolver {
    requests: Sender<Request>,
    lookups: Receiver<(usize, Lookup)>,
}

impl Resolver {
    /// Starts the thread. It ends by itself when this is dropped, if need be after the lookup it is at.
    pub(crate) fn start() -> io::Result<Self> {
        let (requests, asked) = mpsc::channel::<Request>();
        let (answers, lookups) = mpsc::channel();
        thread::Builder::new().name("resolve-probes".to_owned()).spawn(move || {
            for Request { link, name, port } in asked {
                let addresses = (name.as_str(), port).to_socket_addrs();
                let lookup = addresses.map(Iterator::collect).map_err(|error| format!("cannot look up {name}: {error}"));
                if answers.send((link, lookup)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { requests, lookups })
    }

    /// Asks for a link's name; the answer comes through [`Resolver::next`].
    pub(crate) fn ask(&self, link: usize, name: &str, port: u16) {
        // The thread ends only after this.
        let _ = self.requests.send(Request { link, name: name.to_owned(), port });
    }

    /// A lookup that has ended since.
    pub(crate) fn next(&self) -> Option<(usize, Lookup)> {
        self.lookups.try_recv().ok()
    }
}

/// Where a link is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// The name is being looked up for the first time.
    Unknown,
    /// There is an address.
    Known(SocketAddr),
    /// There is none, and why.
    Failed(String),
}

impl Target {
    /// Takes a lookup in: an address stays as long as the name still has it, and also when a lookup fails, because a resolver that is down
    /// says nothing about the link.
    pub(crate) fn update(&mut self, lookup: Lookup, is_usable: impl Fn(&SocketAddr) -> bool) {
        let usable: Result<Vec<_>, _> = lookup.map(|addresses| addresses.into_iter().filter(is_usable).collect());
        match (&*self, usable) {
            (Self::Known(current), Ok(addresses)) if addresses.contains(current) || addresses.is_empty() => {}
            (Self::Known(_), Err(_)) => {}
            (_, Ok(addresses)) => {
                *self = addresses.first().map_or_else(
                    || Self::Failed("the name has no address of the source's family".to_owned()),
                    |address| Self::Known(*address),
                );
            }
            (_, Err(problem)) => *self = Self::Failed(problem),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> SocketAddr {
        ([192, 0, 2, last], 53).into()
    }

    fn updated(target: Target, lookup: Lookup) -> Target {
        let mut target = target;
        target.update(lookup, SocketAddr::is_ipv4);
        target
    }

    #[test]
    fn an_address_stays_while_the_name_has_it_whatever_the_order() {
        assert_eq!(updated(Target::Unknown, Ok(vec![address(1), address(2)])), Target::Known(address(1)));
        assert_eq!(updated(Target::Known(address(1)), Ok(vec![address(2), address(1)])), Target::Known(address(1)));
        assert_eq!(updated(Target::Known(address(1)), Ok(vec![address(2)])), Target::Known(address(2)));
    }

    #[test]
    fn a_failed_lookup_keeps_the_last_address() {
        assert_eq!(updated(Target::Known(address(1)), Err("timeout".to_owned())), Target::Known(address(1)));
        assert_eq!(updated(Target::Unknown, Err("timeout".to_owned())), Target::Failed("timeout".to_owned()));
        assert_eq!(updated(Target::Failed("timeout".to_owned()), Ok(vec![address(3)])), Target::Known(address(3)));
    }

    #[test]
    fn addresses_of_the_other_family_are_of_no_use() {
        let six = SocketAddr::from((std::net::Ipv6Addr::LOCALHOST, 53));
        assert_eq!(updated(Target::Unknown, Ok(vec![six, address(1)])), Target::Known(address(1)));
        assert!(matches!(updated(Target::Unknown, Ok(vec![six])), Target::Failed(_)));
    }
}

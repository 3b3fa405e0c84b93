//! Sockets that the service manager opened and holds: systemd's socket units, by `sd_listen_fds(3)`.
//!
//! A held socket outlives the agent. What arrives while no agent runs waits in its buffer, so a restart or an upgrade loses nothing as long as
//! the buffer lasts. A socket belongs to the listener whose name it carries (`FileDescriptorName=`): their order is not specified.

use std::collections::HashMap;
use std::fmt;
use std::io;

use listenfd::ListenFd;
use nix::sys::stat::fstat;
use socket2::{Socket, Type};

use crate::{BindError, ListenerConfig, Transport};

/// Sockets by the name of their listener. They stay here while listeners use them, for one that a later config names.
#[derive(Debug, Default)]
pub struct Inherited {
    sockets: Vec<(String, Socket)>,
}

impl Inherited {
    /// Those that this process was started with; none where no service manager passed any.
    ///
    /// # Errors
    ///
    /// Where one is neither a UDP nor a listening TCP socket.
    pub fn from_environment() -> io::Result<Self> {
        let mut passed = ListenFd::from_env();
        let names = std::env::var("LISTEN_FDNAMES").unwrap_or_default();
        let mut names = names.split(':');
        let mut sockets = Vec::with_capacity(passed.len());
        for index in 0..passed.len() {
            let name = names.next().unwrap_or_default().to_owned();
            sockets.push((name, taken(&mut passed, index)?));
        }
        Ok(Self { sockets })
    }

    /// Those that somebody else opened, by the name of their listener.
    pub fn of(sockets: impl IntoIterator<Item = (String, Socket)>) -> Self {
        Self { sockets: sockets.into_iter().collect() }
    }

    /// The sockets of a listener; none: it opens its own.
    ///
    /// # Errors
    ///
    /// Where they are of another transport than the listener, or not as many as it has readers.
    pub fn of_listener(&self, listener: &ListenerConfig) -> Result<Vec<Socket>, BindError> {
        let named = self.sockets.iter().filter(|(name, _)| *name == listener.name);
        let taken: Vec<_> = named.map(|(_, socket)| socket.try_clone()).collect::<Result<_, _>>().map_err(|error| {
            BindError::inherited(listener, format!("the socket that the service manager passed cannot be used: {error}"))
        })?;
        let (wanted, wanted_type) = match listener.transport {
            Transport::Udp => (listener.readers, Type::DGRAM),
            Transport::Tcp | Transport::Tls | Transport::Relp => (1, Type::STREAM),
        };
        if !taken.is_empty() && taken.len() != wanted {
            return Err(BindError::inherited(
                listener,
                format!("the service manager passed {} sockets of this name and the listener wants {wanted}", taken.len()),
            ));
        }
        if taken.iter().any(|socket| socket.r#type().ok() != Some(wanted_type)) {
            return Err(BindError::inherited(listener, "the service manager passed a socket of another transport by this name".to_owned()));
        }
        Ok(taken)
    }

    /// Tells of sockets that no listener has the name of: what is sent to them is heard by nobody.
    pub fn warn_of_others(&self, listeners: &[ListenerConfig]) {
        for (name, socket) in self.sockets.iter().filter(|(name, _)| listeners.iter().all(|listener| listener.name != *name)) {
            let address = socket.local_addr().ok().and_then(|address| address.as_socket());
            tracing::warn!(
                name,
                address = address.map(|address| address.to_string()),
                remedy = "give the socket unit a listener's name (FileDescriptorName=), or stop it",
                "the service manager passed a socket that no listener has the name of; nobody hears what is sent to it"
            );
        }
    }
}

/// How much the kernel had dropped of each held socket when it was last asked, so that the next agent counts what was dropped since: while none ran,
/// too. Sockets are told apart by their inode, which is theirs for as long as somebody holds them. As text: a line `inode drops` each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DropsSeen(HashMap<u64, u32>);

impl DropsSeen {
    /// Reads its own text. A line that is none is left out: the drops of its socket are counted from the beginning, never too few.
    pub fn parse(text: &str) -> Self {
        let line = |line: &str| {
            let (inode, drops) = line.split_once(' ')?;
            Some((inode.parse().ok()?, drops.parse().ok()?))
        };
        Self(text.lines().filter_map(line).collect())
    }

    /// Remembers what the kernel said about a socket.
    pub(crate) fn remember(&mut self, socket: &Socket, drops_modulo: u32) {
        if let Ok(stat) = fstat(socket) {
            self.0.insert(stat.st_ino, drops_modulo);
        }
    }

    /// What it had said before; 0 for a socket that is new.
    pub(crate) fn of(&self, socket: &Socket) -> u32 {
        fstat(socket).ok().and_then(|stat| self.0.get(&stat.st_ino).copied()).unwrap_or_default()
    }
}

impl fmt::Display for DropsSeen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|(inode, drops)| writeln!(f, "{inode} {drops}"))
    }
}

fn taken(passed: &mut ListenFd, index: usize) -> io::Result<Socket> {
    match passed.take_udp_socket(index) {
        Ok(Some(socket)) => Ok(socket.into()),
        _ => passed
            .take_tcp_listener(index)?
            .map(Socket::from)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, format!("socket {index} of the service manager is taken already"))),
    }
}

//! Sockets that outlive the agent, and what the kernel has dropped of them.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use socket2::Socket;
use tocsin_sources::{BindError, DropsSeen, Inherited, ListenerConfig, UdpSource};

/// File beside the spool: what the kernel had dropped of each held socket when it was last asked.
const FILE: &str = "held-sockets";

/// The sockets that the service manager passed.
#[derive(Debug, Default)]
pub struct HeldSockets {
    inherited: Inherited,
    file: Option<PathBuf>,
    drops_seen: DropsSeen,
    /// It was told that the file cannot be written.
    is_told: AtomicBool,
}

impl HeldSockets {
    /// Those of this process.
    ///
    /// # Errors
    ///
    /// Where one is no socket of ours, or the file of an agent before cannot be read.
    pub fn from_environment(spool_dir: &Path) -> io::Result<Self> {
        Self::new(Inherited::from_environment()?, spool_dir)
    }

    /// Sockets, and what an agent before them has left in the spool's folder.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read.
    pub fn new(inherited: Inherited, spool_dir: &Path) -> io::Result<Self> {
        let file = spool_dir.join(FILE);
        let drops_seen = match fs::read_to_string(&file) {
            Ok(text) => DropsSeen::parse(&text),
            Err(error) if error.kind() == ErrorKind::NotFound => DropsSeen::default(),
            Err(error) => return Err(io::Error::new(error.kind(), format!("{} cannot be read: {error}", file.display()))),
        };
        Ok(Self { inherited, file: Some(file), drops_seen, is_told: AtomicBool::new(false) })
    }

    pub(crate) fn of_listener(&self, listener: &ListenerConfig) -> Result<Vec<Socket>, BindError> {
        self.inherited.of_listener(listener)
    }

    pub(crate) fn warn_of_others(&self, listeners: &[ListenerConfig]) {
        self.inherited.warn_of_others(listeners);
    }

    pub(crate) fn drops_seen(&self) -> &DropsSeen {
        &self.drops_seen
    }

    /// A listener ends and its sockets stay: what was counted of them is not counted again by the next that has them.
    pub(crate) fn given_back(&mut self, source: &UdpSource) {
        source.drops_seen(&mut self.drops_seen);
    }

    /// Writes down what was counted of held sockets. An agent that is killed has the newest second counted twice by the next one, never not at all.
    pub(crate) fn remember<'a>(&self, held: impl Iterator<Item = &'a UdpSource>) {
        let Some(file) = &self.file else { return };
        let mut seen = DropsSeen::default();
        held.for_each(|source| source.drops_seen(&mut seen));
        if seen == DropsSeen::default() {
            return;
        }
        let next = file.with_extension("next");
        let written = fs::write(&next, seen.to_string()).and_then(|()| fs::rename(&next, file));
        // The same every second tells nothing new.
        let was_told = self.is_told.swap(written.is_err(), Ordering::Relaxed);
        if let Err(error) = written
            && !was_told
        {
            tracing::warn!(file = %file.display(), %error, "cannot be written: the next agent counts drops of held sockets again");
        }
    }
}

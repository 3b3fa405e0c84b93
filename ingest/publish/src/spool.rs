//! The disk spool in front of the producer: a folder of append-only segment files.
//!
//! Records go in at the back and are handed to the producer from the front, in order. A segment file is deleted when all its records were
//! handed over and all of those are acknowledged; what is left at the next start is sent then. What comes back from the producer at a stop
//! goes in front of everything; its room is set aside from the start, on the disk too, so that neither a full spool nor a full disk takes it.
//!
//! Writes are not forced to the disk one by one: the spool survives the end of the process, and a power cut takes what was written since the
//! last [`Spool::sync`].

mod entry;
mod reserve;
mod segment;

use std::collections::VecDeque;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;
use nix::fcntl::{Flock, FlockArg};
use tocsin_telemetry::Loss;

use crate::Record;
pub(crate) use entry::overhead_bytes;
use reserve::Reserve;
use segment::Segment;
pub(crate) use segment::SegmentFile;

/// How much of the disk the spool uses, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// All files together.
    pub(crate) max_bytes: u64,
    /// Of these, set aside for what comes back from the producer at a stop.
    pub(crate) return_bytes: u64,
    /// Size at which a segment is closed and a new one begun.
    pub(crate) segment_bytes: u64,
}

impl Sizes {
    /// Segments small enough that disk comes back soon, large enough that files are few.
    const SEGMENT_BYTES: u64 = 16 * 1024 * 1024;

    /// For a producer's queue of this size. At most half of the spool is set aside; the config asks for a spool that is twice the queue.
    pub(crate) fn new(max_bytes: u64, queue_bytes: u64) -> Self {
        Self { max_bytes, return_bytes: queue_bytes.min(max_bytes / 2), segment_bytes: Self::SEGMENT_BYTES }
    }
}

/// Number of the first segment of an empty spool: far from 0, because what comes back at a stop is put in front of what is there.
const FIRST_NUMBER: u64 = 1 << 32;

/// The spool's folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The operating system refused.
    #[error("spool.dir {dir}: {error}; name a folder the agent may write to, or set spool.max_size: 0 to go without")]
    Io {
        /// Configured folder.
        dir: PathBuf,
        /// What the operating system said.
        error: io::Error,
    },
    /// Two agents must not share a folder: each would send the other's records.
    #[error("spool.dir {dir}: another agent uses this folder; give each agent a folder of its own")]
    InUse {
        /// Configured folder.
        dir: PathBuf,
    },
}

/// A record cannot be spooled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AppendError {
    #[error("the spool {dir} holds {bytes} bytes, all of its share of spool.max_size; raise it, or bring Kafka and the topic back")]
    Full { dir: PathBuf, bytes: u64 },
    #[error("cannot write to the spool: {0}; look at the disk of spool.dir")]
    Io(#[from] io::Error),
}

/// How the spool's files are opened: nobody else reads what devices said.
fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}

/// The record at the front, and what must be kept until it is acknowledged.
pub(crate) struct Front {
    pub(crate) record: Record,
    /// While anybody holds it, the file is not deleted.
    pub(crate) segment: Arc<SegmentFile>,
    /// An earlier run put it there.
    pub(crate) is_leftover: bool,
    entry_bytes: u64,
}

/// See the module's header. Any thread may append; one thread drains.
#[derive(Debug)]
pub(crate) struct Spool {
    dir: PathBuf,
    sizes: Sizes,
    state: Mutex<State>,
    appended: Condvar,
    /// Bytes of entries that were not handed over yet.
    unsent_bytes: AtomicU64,
    disk_bytes: Arc<AtomicU64>,
    /// Let go last, and not by closing it: a child process that has not begun its own program yet has the file open too.
    _lock: Flock<File>,
}

#[derive(Debug)]
struct State {
    segments: VecDeque<Segment>,
    /// What came back from the producer since [`Spool::begin_return`]; older than everything in `segments`.
    returned: Option<Segment>,
    is_returning: bool,
    /// Room on the disk for `returned`, until it is used.
    reserve: Option<Reserve>,
    /// Lower than the number of any segment of this run: also of those that are read, whose files stand until their records are acknowledged.
    number_for_returned: u64,
    next_number: u64,
    /// Segments below it are of an earlier run, whose counters are closed.
    first_own_number: u64,
}

impl Spool {
    /// Opens the folder, creates it where it is missing, and finds what an earlier run left.
    pub(crate) fn open(dir: &Path, sizes: Sizes) -> Result<Self, OpenError> {
        let io_error = |error| OpenError::Io { dir: dir.to_owned(), error };
        fs::create_dir_all(dir).map_err(io_error)?;
        let lock = private_file().create(true).truncate(true).open(dir.join("lock")).map_err(io_error)?;
        let lock = Flock::lock(lock, FlockArg::LockExclusiveNonblock).map_err(|(_, error)| match error {
            Errno::EWOULDBLOCK => OpenError::InUse { dir: dir.to_owned() },
            error => io_error(error.into()),
        })?;
        let disk_bytes = Arc::new(AtomicU64::new(0));
        let segments = segment::leftovers(dir, &disk_bytes).map_err(io_error)?;
        let next_number = segments.back().map_or(FIRST_NUMBER, |last| last.number() + 1);
        let number_for_returned = segments.front().map_or(next_number, Segment::number) - 1;
        let left_bytes = disk_bytes.load(Ordering::Relaxed);
        if left_bytes > 0 {
            tracing::warn!(dir = %dir.display(), left_bytes, "the spool holds records of an earlier run; they are sent first");
        }
        let state = State {
            segments,
            returned: None,
            is_returning: false,
            reserve: Reserve::make(dir, sizes.return_bytes),
            number_for_returned,
            next_number,
            first_own_number: next_number,
        };
        Ok(Self {
            dir: dir.to_owned(),
            sizes,
            state: Mutex::new(state),
            appended: Condvar::new(),
            unsent_bytes: AtomicU64::new(left_bytes),
            disk_bytes,
            _lock: lock,
        })
    }

    /// Whether records wait that were not handed over.
    pub(crate) fn has_unsent(&self) -> bool {
        self.unsent_bytes.load(Ordering::Acquire) > 0
    }

    /// Puts a record at the back.
    pub(crate) fn append(&self, record: &Record) -> Result<(), AppendError> {
        let entry = entry::encode(record);
        let mut state = self.lock();
        let bytes = self.disk_bytes.load(Ordering::Relaxed);
        let set_aside = if state.is_returning { 0 } else { self.sizes.return_bytes };
        if bytes + set_aside + entry.len() as u64 > self.sizes.max_bytes {
            return Err(AppendError::Full { dir: self.dir.clone(), bytes });
        }
        self.segment_for_append(&mut state)?.append(&entry, record.counters.as_ref())?;
        self.unsent_bytes.fetch_add(entry.len() as u64, Ordering::Release);
        drop(state);
        self.appended.notify_one();
        Ok(())
    }

    /// The segment at the back, a new one where there is none with room.
    fn segment_for_append<'a>(&self, state: &'a mut State) -> io::Result<&'a mut Segment> {
        if state.is_returning {
            return match &mut state.returned {
                Some(returned) => Ok(returned),
                none => {
                    let reserve = state.reserve.take();
                    Ok(none.insert(Segment::create_in(reserve, &self.dir, state.number_for_returned, &self.disk_bytes)?))
                }
            };
        }
        let new = match state.segments.back() {
            Some(last) if last.has_room(self.sizes.segment_bytes) => None,
            _ => Some(Segment::create(&self.dir, state.next_number, &self.disk_bytes)?),
        };
        if let Some(new) = new {
            state.next_number += 1;
            state.segments.push_back(new);
        }
        state.segments.back_mut().ok_or_else(|| io::Error::other("a spool without a segment"))
    }

    /// The records that an earlier run left, in order, as far as they are readable and were not handed over. Nobody has to wait for it.
    pub(crate) fn leftovers(&self) -> impl Iterator<Item = Record> {
        let state = self.lock();
        let is_leftover = |segment: &&Segment| segment.number() < state.first_own_number;
        let segments: Vec<_> = state.segments.iter().filter(is_leftover).map(Segment::entries).collect();
        segments.into_iter().flatten().map(|entry| entry.into_record(None))
    }

    /// Lets the drainer look again whether it is over.
    pub(crate) fn wake(&self) {
        // Not between its look and its wait.
        drop(self.lock());
        self.appended.notify_all();
    }

    /// From now on, what is appended came back from the producer, and goes in front of what is there. The drainer must have ended.
    pub(crate) fn begin_return(&self) {
        self.lock().is_returning = true;
    }

    /// Waits until records wait, or until it is over and [`Spool::wake`] was called.
    pub(crate) fn wait(&self, is_over: &AtomicBool) {
        let state = self.lock();
        drop(self.appended.wait_while(state, |_| !is_over.load(Ordering::Acquire) && !self.has_unsent()));
    }

    /// The record at the front; it stays there until [`Spool::advance`].
    pub(crate) fn front(&self) -> Option<Front> {
        let mut state = self.lock();
        let first_own_number = state.first_own_number;
        loop {
            let segment = state.segments.front_mut()?;
            if segment.is_read() {
                state.segments.pop_front();
                continue;
            }
            match segment.read() {
                Ok((mut entry, entry_bytes)) => {
                    let is_leftover = segment.number() < first_own_number;
                    let counters = entry.listener.take().and_then(|name| segment.counters_of(&name));
                    return Some(Front { record: entry.into_record(counters), segment: segment.file(), is_leftover, entry_bytes });
                }
                Err(damage) => {
                    for (listener, records) in segment.unread() {
                        (0..*records).for_each(|_| listener.dropped(Loss::SpoolDamaged, &damage.to_string()));
                    }
                    let skipped = segment.give_up(&damage);
                    self.unsent_bytes.fetch_sub(skipped, Ordering::Release);
                }
            }
        }
    }

    /// The front has been handed over.
    pub(crate) fn advance(&self, front: &Front) {
        let mut state = self.lock();
        if let Some(segment) = state.segments.front_mut() {
            segment.advance(front.entry_bytes, front.record.counters.as_ref());
            if segment.is_read() {
                state.segments.pop_front();
            }
        }
        drop(state);
        self.unsent_bytes.fetch_sub(front.entry_bytes, Ordering::Release);
    }

    /// Forces to the disk what was written since the last call. Nobody waits for it but its caller.
    pub(crate) fn sync(&self) {
        let dirty: Vec<_> = self.lock().segments.iter().filter_map(Segment::unsynced).collect();
        if dirty.is_empty() {
            return;
        }
        for (number, written_bytes, handle) in dirty {
            let is_synced = self.told(handle.sync_data());
            let mut state = self.lock();
            if let Some(segment) = state.segments.iter_mut().find(|segment| is_synced && segment.number() == number) {
                segment.set_synced(written_bytes);
            }
        }
        // The names of new files stand in the folder.
        self.told(File::open(&self.dir).and_then(|dir| dir.sync_all()));
    }

    /// Whether bytes were forced to the disk; says so where they were not.
    fn told(&self, synced: io::Result<()>) -> bool {
        if let Err(error) = &synced {
            let dir = self.dir.display();
            tracing::error!(%dir, %error, "cannot force the spool to the disk, a power cut would lose records; look at the disk of spool.dir");
        }
        synced.is_ok()
    }

    /// Keeps what was not handed over for the next start, and nothing else. Returns its bytes.
    pub(crate) fn close(&self) -> u64 {
        let mut state = self.lock();
        state.reserve = None;
        let State { segments, returned, .. } = &mut *state;
        for segment in segments.iter_mut().chain(returned) {
            segment.keep_unread(&self.dir);
        }
        self.told(File::open(&self.dir).and_then(|dir| dir.sync_all()));
        self.unsent_bytes.load(Ordering::Acquire)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;

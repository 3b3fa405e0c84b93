//! One file of the spool.

use std::collections::VecDeque;
use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use tocsin_telemetry::Counters;

use super::entry::{self, Entry, PREFIX_BYTES};
use super::private_file;
use super::reserve::Reserve;

const EXTENSION: &str = "spool";
/// A body above it is no body: records are bounded by what Kafka takes.
const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// A file on disk, deleted when nobody needs it: not the spool, and no delivery that is not acknowledged.
#[derive(Debug)]
pub(crate) struct SegmentFile {
    path: PathBuf,
    number: u64,
    bytes: AtomicU64,
    keep: AtomicBool,
    disk_bytes: Arc<AtomicU64>,
}

impl Drop for SegmentFile {
    fn drop(&mut self) {
        if self.keep.load(Ordering::Relaxed) {
            return;
        }
        if let Err(error) = fs::remove_file(&self.path) {
            tracing::error!(path = %self.path.display(), %error, "cannot delete a sent spool file; the next start looks for its records in Kafka");
        }
        self.disk_bytes.fetch_sub(self.bytes.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// A file, how far it is written and how far it is read.
#[derive(Debug)]
pub(super) struct Segment {
    file: Arc<SegmentFile>,
    handle: Arc<File>,
    written_bytes: u64,
    read_bytes: u64,
    /// What a power cut cannot take.
    synced_bytes: u64,
    /// Of an earlier run: nothing is appended to it.
    is_sealed: bool,
    /// Records of this run that were not handed over, by listener; those without counters are not among them.
    unread: Vec<(Arc<Counters>, u64)>,
}

/// What is wrong with a file.
#[derive(Debug, thiserror::Error)]
pub(super) enum Damage {
    #[error("the last entry is incomplete: the agent was killed while it wrote")]
    Torn,
    #[error("an entry does not match its checksum: the disk or another program changed it")]
    Checksum,
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

fn path_of(dir: &Path, number: u64) -> PathBuf {
    dir.join(format!("{number:020}.{EXTENSION}"))
}

/// The files of an earlier run in order, oldest first.
pub(super) fn leftovers(dir: &Path, disk_bytes: &Arc<AtomicU64>) -> io::Result<VecDeque<Segment>> {
    let mut numbers = Vec::new();
    for item in fs::read_dir(dir)? {
        let path = item?.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            numbers.extend(path.file_stem().and_then(|stem| stem.to_str()).and_then(|stem| stem.parse::<u64>().ok()));
        }
    }
    numbers.sort_unstable();
    numbers.into_iter().map(|number| Segment::reopen(dir, number, disk_bytes)).collect()
}

/// The entry at `position` of a file that is written up to `end`, and its size on disk.
fn read_entry(handle: &File, position: u64, end: u64) -> Result<(Entry, u64), Damage> {
    let left = end - position;
    let mut prefix = [0; PREFIX_BYTES];
    if left < PREFIX_BYTES as u64 {
        return Err(Damage::Torn);
    }
    handle.read_exact_at(&mut prefix, position)?;
    let (body_bytes, checksum) = entry::prefix(prefix);
    let entry_bytes = (PREFIX_BYTES + body_bytes) as u64;
    if body_bytes > MAX_BODY_BYTES {
        return Err(Damage::Checksum);
    }
    if left < entry_bytes {
        return Err(Damage::Torn);
    }
    let mut body = vec![0; body_bytes];
    handle.read_exact_at(&mut body, position + PREFIX_BYTES as u64)?;
    if crc32fast::hash(&body) != checksum {
        return Err(Damage::Checksum);
    }
    entry::decode(body.into()).map(|entry| (entry, entry_bytes)).ok_or(Damage::Checksum)
}

impl Segment {
    pub(super) fn create(dir: &Path, number: u64, disk_bytes: &Arc<AtomicU64>) -> io::Result<Self> {
        Self::create_in(None, dir, number, disk_bytes)
    }

    /// In the room that was set aside for it, where there is any.
    pub(super) fn create_in(reserve: Option<Reserve>, dir: &Path, number: u64, disk_bytes: &Arc<AtomicU64>) -> io::Result<Self> {
        let path = path_of(dir, number);
        let handle = match reserve {
            Some(reserve) => reserve.rename(&path)?,
            None => private_file().read(true).append(true).create_new(true).open(&path)?,
        };
        Ok(Self::new(path, number, handle, 0, disk_bytes))
    }

    fn reopen(dir: &Path, number: u64, disk_bytes: &Arc<AtomicU64>) -> io::Result<Self> {
        let path = path_of(dir, number);
        let handle = File::open(&path)?;
        let bytes = handle.metadata()?.len();
        disk_bytes.fetch_add(bytes, Ordering::Relaxed);
        Ok(Self { is_sealed: true, synced_bytes: bytes, ..Self::new(path, number, handle, bytes, disk_bytes) })
    }

    fn new(path: PathBuf, number: u64, handle: File, written_bytes: u64, disk_bytes: &Arc<AtomicU64>) -> Self {
        let file = SegmentFile {
            path,
            number,
            bytes: AtomicU64::new(written_bytes),
            keep: AtomicBool::new(false),
            disk_bytes: Arc::clone(disk_bytes),
        };
        let (file, handle) = (Arc::new(file), Arc::new(handle));
        Self { file, handle, written_bytes, read_bytes: 0, synced_bytes: 0, is_sealed: false, unread: Vec::new() }
    }

    pub(super) fn number(&self) -> u64 {
        self.file.number
    }

    pub(super) fn file(&self) -> Arc<SegmentFile> {
        Arc::clone(&self.file)
    }

    pub(super) fn has_room(&self, segment_bytes: u64) -> bool {
        !self.is_sealed && self.written_bytes < segment_bytes
    }

    pub(super) fn is_read(&self) -> bool {
        self.read_bytes == self.written_bytes
    }

    pub(super) fn advance(&mut self, bytes: u64, counters: Option<&Arc<Counters>>) {
        self.read_bytes += bytes;
        if let Some((_, records)) = counters.and_then(|listener| self.unread_of(listener)) {
            *records -= 1;
        }
    }

    fn unread_of(&mut self, listener: &Arc<Counters>) -> Option<&mut (Arc<Counters>, u64)> {
        self.unread.iter_mut().find(|(known, _)| known.name() == listener.name())
    }

    /// The counters of a listener that has unread records here; none where they are of an earlier run, whose counters are closed.
    pub(super) fn counters_of(&self, listener: &str) -> Option<Arc<Counters>> {
        self.unread.iter().find(|(known, _)| known.name() == listener).map(|(counters, _)| Arc::clone(counters))
    }

    /// Records of this run that were not handed over, by listener.
    pub(super) fn unread(&self) -> &[(Arc<Counters>, u64)] {
        &self.unread
    }

    /// Number, length and file, where something was written since the last sync.
    pub(super) fn unsynced(&self) -> Option<(u64, u64, Arc<File>)> {
        (self.synced_bytes < self.written_bytes).then(|| (self.number(), self.written_bytes, Arc::clone(&self.handle)))
    }

    pub(super) fn set_synced(&mut self, bytes: u64) {
        self.synced_bytes = bytes;
    }

    #[cfg(test)]
    pub(super) fn synced(&self) -> (u64, u64) {
        (self.number(), self.synced_bytes)
    }

    pub(super) fn append(&mut self, entry: &[u8], counters: Option<&Arc<Counters>>) -> io::Result<()> {
        if let Err(error) = (&*self.handle).write_all(entry) {
            // Half an entry must not stand before the next one.
            self.handle.set_len(self.written_bytes)?;
            return Err(error);
        }
        self.written_bytes += entry.len() as u64;
        self.file.bytes.store(self.written_bytes, Ordering::Relaxed);
        self.file.disk_bytes.fetch_add(entry.len() as u64, Ordering::Relaxed);
        if let Some(listener) = counters {
            match self.unread_of(listener) {
                Some((_, records)) => *records += 1,
                None => self.unread.push((Arc::clone(listener), 1)),
            }
        }
        Ok(())
    }

    /// The entry at the read position, and its size on disk.
    pub(super) fn read(&self) -> Result<(Entry, u64), Damage> {
        read_entry(&self.handle, self.read_bytes, self.written_bytes)
    }

    /// The entries from the read position to the first that cannot be read, whatever happens to the segment meanwhile.
    pub(super) fn entries(&self) -> impl Iterator<Item = Entry> + use<> {
        let (handle, mut position, end) = (Arc::clone(&self.handle), self.read_bytes, self.written_bytes);
        std::iter::from_fn(move || {
            let (entry, entry_bytes) = if position < end { read_entry(&handle, position, end).ok()? } else { return None };
            position += entry_bytes;
            Some(entry)
        })
    }

    /// Skips what cannot be read and says so. The file of a damage that is not a plain torn end is set aside for a person to look at.
    pub(super) fn give_up(&mut self, damage: &Damage) -> u64 {
        let skipped_bytes = self.written_bytes - self.read_bytes;
        self.read_bytes = self.written_bytes;
        let path = &self.file.path;
        if let Damage::Torn = damage {
            tracing::warn!(path = %path.display(), skipped_bytes, %damage, "spool file ends early");
            return skipped_bytes;
        }
        let aside = path.with_extension("damaged");
        self.file.keep.store(true, Ordering::Relaxed);
        self.file.disk_bytes.fetch_sub(self.written_bytes, Ordering::Relaxed);
        if let Err(error) = fs::rename(path, &aside) {
            tracing::error!(path = %path.display(), %error, "cannot set a damaged spool file aside");
        }
        tracing::error!(path = %aside.display(), skipped_bytes, %damage, "spool file is damaged; the rest of it was not sent");
        skipped_bytes
    }

    /// Keeps the file for the next start, without the entries that were handed over.
    pub(super) fn keep_unread(&mut self, dir: &Path) {
        if let Err(error) = self.cut_read(dir).and_then(|()| self.handle.sync_all()) {
            tracing::error!(path = %self.file.path.display(), %error, "cannot shorten a spool file; the next start looks for its records in Kafka");
        }
        self.file.keep.store(true, Ordering::Relaxed);
    }

    fn cut_read(&mut self, dir: &Path) -> io::Result<()> {
        if self.read_bytes == 0 {
            // Gives blocks back that were set aside and not needed.
            return if self.is_sealed { Ok(()) } else { self.handle.set_len(self.written_bytes) };
        }
        let mut unread = vec![0; usize::try_from(self.written_bytes - self.read_bytes).unwrap_or(usize::MAX)];
        self.handle.read_exact_at(&mut unread, self.read_bytes)?;
        let temporary = dir.join("unread.tmp");
        let mut handle = private_file().create(true).truncate(true).open(&temporary)?;
        handle.write_all(&unread)?;
        // Before it takes the old one's place: a power cut must find one of them whole.
        handle.sync_all()?;
        fs::rename(&temporary, &self.file.path)?;
        self.handle = Arc::new(handle);
        Ok(())
    }
}

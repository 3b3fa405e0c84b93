//! Room on the disk that nobody else can take: what comes back from the producer at a stop is written into it.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use nix::fcntl::{FallocateFlags, fallocate};

use super::private_file;

/// An empty file with blocks behind its end. Removed when it is not used.
#[derive(Debug)]
pub(super) struct Reserve {
    path: PathBuf,
    file: Option<File>,
}

impl Reserve {
    /// Sets `bytes` aside in `dir`. Without them the spool works as well, but a full disk loses what comes back; that is said.
    pub(super) fn make(dir: &Path, bytes: u64) -> Option<Self> {
        let path = dir.join("reserve");
        match Self::allocate(&path, bytes) {
            Ok(file) => Some(Self { path, file: Some(file) }),
            Err(error) => {
                tracing::warn!(
                    dir = %dir.display(), bytes, %error,
                    "no room on the disk for what Kafka has not acknowledged at a stop; make room, or lower kafka.queue_size"
                );
                None
            }
        }
    }

    fn allocate(path: &Path, bytes: u64) -> io::Result<File> {
        let file = private_file().read(true).append(true).create(true).open(path)?;
        if bytes > 0 {
            fallocate(&file, FallocateFlags::FALLOC_FL_KEEP_SIZE, 0, i64::try_from(bytes).unwrap_or(i64::MAX))?;
        }
        Ok(file)
    }

    /// Gives the file another name; what is appended to it finds the blocks.
    pub(super) fn rename(mut self, to: &Path) -> io::Result<File> {
        fs::rename(&self.path, to)?;
        self.file.take().ok_or_else(|| io::Error::other("the reserve was used before"))
    }
}

impl Drop for Reserve {
    fn drop(&mut self) {
        if self.file.is_some()
            && let Err(error) = fs::remove_file(&self.path)
        {
            tracing::warn!(path = %self.path.display(), %error, "cannot remove the room set aside; the next start uses it again");
        }
    }
}

//! /proc and /sys/block, read.

use std::fs;
use std::path::{Path, PathBuf};

use procfs_core::{DiskStats, ExplicitSystemInfo, FromBufRead, FromBufReadSI, FromRead, KernelStats, LoadAverage, Meminfo, ProcResult};

use crate::Reading;

/// Where the kernel shows them.
const PROC: &str = "/proc";
const BLOCK_DEVICES: &str = "/sys/block";

/// The host cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be read: {problem}; on a host without it remove the key host")]
pub struct ReadError {
    path: PathBuf,
    problem: String,
}

/// Reads what the kernel has counted.
#[derive(Clone, Debug)]
pub struct Reader {
    proc: PathBuf,
    block_devices: PathBuf,
}

impl Default for Reader {
    fn default() -> Self {
        Self::of(Path::new(PROC), Path::new(BLOCK_DEVICES))
    }
}

impl Reader {
    /// A reader of other folders.
    pub(crate) fn of(proc: &Path, block_devices: &Path) -> Self {
        Self { proc: proc.to_owned(), block_devices: block_devices.to_owned() }
    }

    /// What is counted now. Takes some tens of microseconds and never waits for a disk.
    pub fn read(&self) -> Result<Reading, ReadError> {
        // What the counters' ticks are does not matter: only shares of them are told. Nor does the size of a page.
        let system = ExplicitSystemInfo {
            boot_time_secs: 0,
            ticks_per_second: 100,
            page_size: 4096,
            is_little_endian: cfg!(target_endian = "little"),
        };
        let stats = self.file("stat", |text| KernelStats::from_buf_read(text, &system))?;
        let mut disks = self.file("diskstats", |text| DiskStats::from_buf_read(text))?.0;
        disks.retain(|disk| disk.reads + disk.writes > 0 && self.block_devices.join(disk.name.replace('/', "!")).exists());
        Ok(Reading {
            disks,
            cpu: stats.total,
            memory: self.file("meminfo", |text| Meminfo::from_read(text))?,
            load: self.file("loadavg", |text| LoadAverage::from_read(text))?,
        })
    }

    fn file<T>(&self, name: &str, parse: impl Fn(&[u8]) -> ProcResult<T>) -> Result<T, ReadError> {
        let path = self.proc.join(name);
        let error = |problem: String| ReadError { path: path.clone(), problem };
        let text = fs::read(&path).map_err(|problem| error(problem.to_string()))?;
        parse(&text).map_err(|problem| error(problem.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_host_can_be_read() {
        let reading = Reader::default().read().unwrap();

        assert!(reading.cpu.user > 0 && reading.memory.mem_total > 0, "{reading:?}");
        assert!(reading.disks.iter().all(|disk| !disk.name.is_empty()), "{reading:?}");
    }

    #[test]
    fn a_file_that_is_not_there_is_named_with_a_remedy() {
        let error = Reader::of(Path::new("/nowhere"), Path::new("/nowhere")).read().unwrap_err().to_string();

        assert!(error.contains("/nowhere/stat") && error.contains("remove the key host"), "{error}");
    }
}

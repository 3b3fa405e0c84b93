//! What the kernel says of a process: its CPU time and its memory.

use std::fs;
use std::process::{Child, Command};
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};

use crate::Result;

/// A process that is watched; one that was started here ends with it.
pub(crate) struct Process {
    id: u32,
    child: Option<Child>,
}

impl Process {
    pub(crate) fn of(id: u32) -> Self {
        Self { id, child: None }
    }

    pub(crate) fn start(command: &mut Command) -> Result<Self> {
        let child = command.spawn().map_err(|error| format!("cannot start {command:?}: {error}"))?;
        Ok(Self { id: child.id(), child: Some(child) })
    }

    /// Of all its threads since its start.
    pub(crate) fn cpu(&self) -> Result<Duration> {
        let stat =
            fs::read_to_string(format!("/proc/{}/stat", self.id)).map_err(|error| format!("process {} has ended: {error}", self.id))?;
        // The name in parentheses may hold anything; the state is the first word after it, user and system time are words 11 and 12 from there.
        let words = stat.rsplit_once(')').map(|(_, words)| words).unwrap_or_default();
        let ticks: u64 = words.split_whitespace().skip(11).take(2).map(|word| word.parse().unwrap_or(0_u64)).sum();
        let per_second = sysconf(SysconfVar::CLK_TCK)?.ok_or("the kernel does not tell its clock ticks")?;
        Ok(Duration::from_secs_f64(ticks as f64 / per_second as f64))
    }

    /// The most that was ever resident.
    pub(crate) fn peak_bytes(&self) -> Result<u64> {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("the kernel does not tell the resident memory")?;
        Ok(line.trim().trim_end_matches(" kB").parse::<u64>()? * 1024)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Some(child) = &mut self.child {
            // It has ended by itself only where the benchmark has failed already.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

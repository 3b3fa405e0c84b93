//! An inventory in a file, which is read again when it has changed.

use std::fs::{self, Metadata};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, RwLock};
use std::time::SystemTime;

use crate::Inventory;

/// A list of a million devices has a third of it.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The file, and what it said when it could last be read.
#[derive(Debug)]
pub struct InventoryFile {
    path: PathBuf,
    seen: Mutex<Option<Version>>,
    inventory: RwLock<Inventory>,
}

/// What tells one version of a file from another. A file that is replaced has another time or another size, most often both.
type Version = (SystemTime, u64);

impl InventoryFile {
    /// # Errors
    ///
    /// One sentence with the path where it cannot be read.
    pub fn open(path: &Path) -> Result<Self, String> {
        let (version, inventory) = read(path)?;
        Ok(Self { path: path.to_owned(), seen: Mutex::new(Some(version)), inventory: RwLock::new(inventory) })
    }

    /// Reads it again where it has changed: how many addresses have a name now. What it said before stays in force where it cannot be read, and
    /// that is told once for each change.
    pub fn renew(&self) -> Option<Result<usize, String>> {
        let version = fs::metadata(&self.path).ok().and_then(|metadata| version(&metadata));
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if *seen == version {
            return None;
        }
        *seen = version;
        Some(read(&self.path).map(|(_, inventory)| {
            let named = inventory.named();
            *self.inventory.write().unwrap_or_else(PoisonError::into_inner) = inventory;
            named
        }))
    }

    /// Name of the device with this address.
    pub fn name(&self, address: IpAddr) -> Option<String> {
        self.inventory.read().unwrap_or_else(PoisonError::into_inner).name(address).map(ToOwned::to_owned)
    }

    /// The first address of the device with this name.
    pub fn address(&self, name: &str) -> Option<IpAddr> {
        self.inventory.read().unwrap_or_else(PoisonError::into_inner).address(name)
    }

    /// Place of what has this address.
    pub fn site(&self, address: IpAddr) -> Option<String> {
        self.inventory.read().unwrap_or_else(PoisonError::into_inner).site(address).map(ToOwned::to_owned)
    }

    /// What the thing with this address is for.
    pub fn role(&self, address: IpAddr) -> Option<String> {
        self.inventory.read().unwrap_or_else(PoisonError::into_inner).role(address).map(ToOwned::to_owned)
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

fn version(metadata: &Metadata) -> Option<Version> {
    Some((metadata.modified().ok()?, metadata.len()))
}

fn read(path: &Path) -> Result<(Version, Inventory), String> {
    let shown = path.display();
    let cannot = |error: std::io::Error| format!("{shown}: {error}; give the path of a CSV file in UTF-8 that the agent may read");
    let metadata = fs::metadata(path).map_err(cannot)?;
    if metadata.len() > MAX_BYTES {
        return Err(format!("{shown}: {} bytes; a list of devices has at most {MAX_BYTES}", metadata.len()));
    }
    let version = version(&metadata).ok_or_else(|| format!("{shown}: its file system tells no times; keep it on another"))?;
    let text = fs::read_to_string(path).map_err(cannot)?;
    let inventory = Inventory::read(&text).map_err(|problem| format!("{shown}:{problem}"))?;
    Ok((version, inventory))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_again_when_it_has_changed_and_a_wrong_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("devices.csv");
        let address: IpAddr = "192.0.2.1".parse().unwrap();
        assert!(InventoryFile::open(&path).unwrap_err().contains("devices.csv"));

        fs::write(&path, "name,address\na,192.0.2.1\n").unwrap();
        let file = InventoryFile::open(&path).unwrap();
        assert_eq!((file.renew(), file.name(address).as_deref()), (None, Some("a")));

        fs::write(&path, "name,address\nlonger,192.0.2.1\n").unwrap();
        assert_eq!((file.renew(), file.name(address).as_deref()), (Some(Ok(1)), Some("longer")));

        fs::write(&path, "name,address\nb,192.0.2.300\n").unwrap();
        let problem = file.renew().unwrap().unwrap_err();
        assert!(problem.contains("devices.csv:2:"), "{problem}");
        assert_eq!((file.renew(), file.name(address).as_deref()), (None, Some("longer")), "told once, and the old names stay");

        fs::remove_file(&path).unwrap();
        assert!(file.renew().unwrap().is_err() && file.renew().is_none());
        assert_eq!(file.name(address).as_deref(), Some("longer"));
    }
}

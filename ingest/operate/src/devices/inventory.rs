//! Lists of devices, as people and NetBox write them -> the one that agents watch.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use tocsin_names::{Entry, Inventory, entries};

use crate::Failure;

/// Reads every export, and replaces the list by what they say together. Agents never see half of it.
pub(super) fn write(exports: &[PathBuf], list: &Path, dry_run: bool) -> Result<(), Failure> {
    let mut all = Vec::new();
    for path in exports {
        let shown = path.display();
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("cannot read {shown}: {error}"), "give the path of a CSV file in UTF-8"))?;
        let entries = entries(&text).map_err(|problem| {
            Failure::usage(
                format!("{shown}:{problem}"),
                "correct the line; `tocsin devices import --help` shows the columns. Nothing was changed",
            )
        })?;
        all.extend(entries.into_iter().map(|(_, entry)| entry));
    }
    let text = text(&all)?;
    // As agents will read it: two exports may quarrel.
    Inventory::read(&text).map_err(|problem| {
        Failure::usage(format!("the files together, line {problem}"), "make them agree about the address. Nothing was changed")
    })?;
    let before = fs::read_to_string(list).ok().and_then(|text| entries(&text).ok()).unwrap_or_default();
    let (new, changed, gone) = differences(&names(before.iter().map(|(_, entry)| entry)), &names(&all));
    if !dry_run {
        replace(list, &text).map_err(|error| {
            Failure::new(format!("cannot write {}: {error}", list.display()), "name a file in a folder that you may write to")
        })?;
    }
    let networks = all.iter().filter(|entry| entry.name.is_empty()).count();
    let would = if dry_run { "would be " } else { "" };
    println!(
        "{} names and {networks} networks {would}written to {}: {new} names are new, {changed} changed, {gone} gone. Agents read it within a second",
        names(&all).len(),
        list.display()
    );
    Ok(())
}

/// Names by address.
fn names<'a>(entries: impl IntoIterator<Item = &'a Entry>) -> BTreeMap<String, &'a str> {
    let named = entries.into_iter().filter(|entry| !entry.name.is_empty());
    named.flat_map(|entry| entry.networks.iter().map(|network| (network.addr().to_string(), entry.name.as_str()))).collect()
}

/// How many are new, have another name, and are not there any more.
fn differences(before: &BTreeMap<String, &str>, after: &BTreeMap<String, &str>) -> (usize, usize, usize) {
    let new = after.keys().filter(|address| !before.contains_key(*address)).count();
    let changed = after.iter().filter(|(address, name)| before.get(*address).is_some_and(|old| old != *name)).count();
    let gone = before.keys().filter(|address| !after.contains_key(*address)).count();
    (new, changed, gone)
}

fn text(entries: &[Entry]) -> Result<String, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |error: &dyn std::fmt::Display| Failure::new(format!("the list cannot be written: {error}"), "please report it");
    writer.write_record(["name", "address", "site", "role"]).map_err(|error| failed(&error))?;
    for entry in entries {
        let address = |network: &ipnet::IpNet| {
            let is_whole = network.prefix_len() == network.max_prefix_len();
            if is_whole { network.addr().to_string() } else { network.to_string() }
        };
        let addresses: Vec<String> = entry.networks.iter().map(address).collect();
        writer.write_record([&entry.name, &addresses.join("; "), &entry.site, &entry.role]).map_err(|error| failed(&error))?;
    }
    let bytes = writer.into_inner().map_err(|error| failed(&error))?;
    String::from_utf8(bytes).map_err(|error| failed(&error))
}

/// Writes beside it and renames. Agents run as another user, so it can be read by all, as lists in /etc can.
fn replace(list: &Path, text: &str) -> std::io::Result<()> {
    let folder = list.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    file.as_file().sync_all()?;
    file.persist(list).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
        let path = folder.join(name);
        fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn exports_become_one_list_that_says_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let devices = file(
            folder.path(),
            "d.csv",
            "Name,Site,Role,IP Address\n\"core, 1\",FRA1,Core,10.0.0.1/24\nspare,FRA1,Core,\nedge,,Edge,2001:db8::1/64\n",
        );
        let prefixes = file(folder.path(), "p.csv", "Prefix,Scope\n10.0.0.0/16,ZRH1\n");
        let list = folder.path().join("list.csv");
        write(&[devices.clone(), prefixes.clone()], &list, true).unwrap();
        assert!(!list.exists(), "nothing is written where one only wants to know");
        write(&[devices, prefixes], &list, false).unwrap();
        let text = fs::read_to_string(&list).unwrap();
        assert_eq!(text, "name,address,site,role\n\"core, 1\",10.0.0.1,FRA1,Core\nedge,2001:db8::1,,Edge\n,10.0.0.0/16,ZRH1,\n");
        assert_eq!(fs::metadata(&list).unwrap().permissions().mode() & 0o777, 0o644);
        let inventory = Inventory::read(&text).unwrap();
        assert_eq!(inventory.name("10.0.0.1".parse().unwrap()), Some("core, 1"));
        assert_eq!(inventory.site("10.0.9.9".parse().unwrap()), Some("ZRH1"));
    }

    #[test]
    fn files_that_quarrel_or_are_wrong_change_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let one = file(folder.path(), "one.csv", "name,address\na,192.0.2.1\n");
        let other = file(folder.path(), "other.csv", "name,address\nb,192.0.2.1\n");
        let wrong = file(folder.path(), "wrong.csv", "name,address\nb,192.0.2.\n");
        let list = file(folder.path(), "list.csv", "name,address\nold,192.0.2.9\n");
        let problem = write(&[one.clone(), other], &list, false).unwrap_err().to_string();
        assert!(problem.contains("192.0.2.1 is b here and a in line 2"), "{problem}");
        let problem = write(&[one, wrong], &list, false).unwrap_err().to_string();
        assert!(problem.contains("wrong.csv:2:"), "{problem}");
        assert!(fs::read_to_string(&list).unwrap().contains("old"));
    }

    #[test]
    fn what_is_new_changed_and_gone_is_counted() {
        let before = BTreeMap::from([("a".to_owned(), "1"), ("b".to_owned(), "2"), ("c".to_owned(), "3")]);
        let after = BTreeMap::from([("b".to_owned(), "2"), ("c".to_owned(), "4"), ("d".to_owned(), "5")]);
        assert_eq!(differences(&before, &after), (1, 1, 1));
    }
}

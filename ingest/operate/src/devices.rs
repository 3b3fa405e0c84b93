//! `tocsin devices`: who is registered on the network, from a list to the compacted topic `devices-v1`; and what agents call addresses.

mod inventory;
mod register;
mod rename;
pub(crate) mod topic;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, Subcommand};
use tocsin_wire::registrations::Device;

use crate::Failure;
use crate::kafka::KafkaArgs;
use topic::DevicesTopic;

const AFTER_HELP: &str = "\
The file is CSV with a header; columns may stand in any order, owner and note may be absent:
  mac,access,owner,note
  02:00:00:00:00:01,allowed,Ada,\"laptop, 3rd floor\"
  0200.0000.0002,quarantined,,
mac: six bytes in any usual spelling. access: allowed, blocked or quarantined. Quotes as in RFC 4180.

The file is read and checked as a whole before anything is changed, and what is registered already is not sent again.

With --names-into the files say what devices are called and where they stand, and nothing is sent anywhere: CSV with a header, columns name, address, site and
role, or what NetBox exports of devices and of prefixes. All together become the list that agents watch (devices.inventory of agent.yaml):
  tocsin devices import --names-into /etc/tocsin/devices.csv netbox_devices.csv netbox_prefixes.csv";

/// `tocsin devices ...`
#[derive(Args, Debug)]
pub struct DevicesArgs {
    #[command(subcommand)]
    command: DevicesCommand,
}

#[derive(Subcommand, Debug)]
enum DevicesCommand {
    /// Register the devices of a CSV file, or make the list of names that agents watch.
    Import(ImportArgs),
    /// Say that a device has another name now, so that it keeps its history.
    Rename(rename::RenameArgs),
}

#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
struct ImportArgs {
    /// The list of devices; with --names-into one or more.
    #[arg(value_name = "FILE.csv", required = true)]
    files: Vec<PathBuf>,

    /// Write names and sites of addresses into this file, for agents; register nobody.
    #[arg(long, value_name = "LIST.csv", conflicts_with = "prune")]
    names_into: Option<PathBuf>,

    /// Remove registered devices that the file does not list.
    #[arg(long)]
    prune: bool,

    /// Say what would change, and change nothing.
    #[arg(long)]
    dry_run: bool,

    #[command(flatten)]
    kafka: KafkaArgs,
}

/// Does what was asked and prints it.
pub fn run(args: &DevicesArgs) -> Result<(), Failure> {
    let args = match &args.command {
        DevicesCommand::Import(args) => args,
        DevicesCommand::Rename(args) => return rename::run(args),
    };
    match (&args.names_into, &args.files[..]) {
        (Some(list), exports) => inventory::write(exports, list, args.dry_run),
        (None, [file]) => import(args, file),
        (None, _) => Err(Failure::usage("several files", "give one; --names-into takes several, and makes the list of names of them")),
    }
}

fn import(args: &ImportArgs, file: &Path) -> Result<(), Failure> {
    let path = file.display();
    let text = fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("cannot read {path}: {error}"), "give the path of a CSV file in UTF-8"))?;
    let listed = register::read(&text).map_err(|problem| {
        Failure::usage(
            format!("{path}:{problem}"),
            "correct the line; `tocsin devices import --help` shows the columns. Nothing was changed",
        )
    })?;
    let topic = DevicesTopic::new(args.kafka.connection()?, topic::TOPIC);
    let changes = Changes::between(&topic.read()?, listed, args.prune);
    if !args.dry_run {
        topic.write(&changes.set, &changes.removed, now_unix_nanos())?;
    }
    let would = if args.dry_run { "would be " } else { "" };
    println!(
        "{} new, {} changed and {} removed devices {would}written to {}; {} unchanged, {} registered and not in the file",
        changes.new,
        changes.set.len() - changes.new,
        changes.removed.len(),
        topic::TOPIC,
        changes.unchanged,
        changes.left
    );
    Ok(())
}

/// What makes the topic say what the file says.
#[derive(Debug, Default, PartialEq)]
struct Changes {
    set: Vec<Device>,
    removed: Vec<String>,
    /// Of `set`, those that were not registered.
    new: usize,
    unchanged: usize,
    /// Registered, not listed, and kept.
    left: usize,
}

impl Changes {
    fn between(registered: &BTreeMap<String, Device>, listed: Vec<Device>, prune: bool) -> Self {
        let mut changes = Self::default();
        let missing = registered.keys().filter(|mac| listed.binary_search_by(|device| device.mac.cmp(mac)).is_err());
        if prune {
            changes.removed = missing.cloned().collect();
        } else {
            changes.left = missing.count();
        }
        for device in listed {
            match registered.get(&device.mac) {
                Some(old) if (old.access, &old.owner, &old.note) == (device.access, &device.owner, &device.note) => changes.unchanged += 1,
                old => {
                    changes.new += usize::from(old.is_none());
                    changes.set.push(device);
                }
            }
        }
        changes
    }
}

fn now_unix_nanos() -> u64 {
    let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_1970.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(mac: &str, owner: &str) -> Device {
        Device { mac: mac.to_owned(), owner: owner.to_owned(), access: 2, ..Device::default() }
    }

    fn registered(devices: &[Device]) -> BTreeMap<String, Device> {
        devices.iter().map(|device| (device.mac.clone(), Device { imported_at_unix_nanos: 7, ..device.clone() })).collect()
    }

    #[test]
    fn only_what_differs_is_sent() {
        let changes = Changes::between(
            &registered(&[device("a", "x"), device("b", "x"), device("d", "x")]),
            vec![device("a", "x"), device("b", "y"), device("c", "z")],
            false,
        );
        assert_eq!(changes, Changes { set: vec![device("b", "y"), device("c", "z")], removed: vec![], new: 1, unchanged: 1, left: 1 });
    }

    #[test]
    fn what_is_not_listed_is_removed_only_when_asked() {
        let changes = Changes::between(&registered(&[device("a", "x"), device("b", "x")]), vec![device("b", "x")], true);
        assert_eq!(changes, Changes { removed: vec!["a".to_owned()], unchanged: 1, ..Changes::default() });
    }
}

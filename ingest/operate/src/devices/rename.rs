//! `tocsin devices rename`: what a device was called before, into table `device_names`.

use clap::Args;

use crate::Failure;
use crate::clickhouse::{ClickHouse, ClickHouseArgs};

const AFTER_HELP: &str = "\
What is stored stays as it is. Dashboards and `tocsin ask` show it under the new name, beside what comes under that. Where the device or its messages still say the
old name, give agents devices.aliases {OLD: NEW} too.
  tocsin devices rename sw-old core-sw1
  tocsin devices rename sw-old core-sw1 --undo

The ClickHouse user needs INSERT on tocsin.device_names.";

const NAMES: &str = "SELECT alias, name FROM tocsin.device_names FINAL WHERE name != '' FORMAT JSONCompactEachRow";

/// `tocsin devices rename ...`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct RenameArgs {
    /// The name until now.
    #[arg(value_name = "OLD")]
    old: String,

    /// The name from now on.
    #[arg(value_name = "NEW")]
    new: String,

    /// They are two devices after all.
    #[arg(long)]
    undo: bool,

    #[command(flatten)]
    clickhouse: ClickHouseArgs,
}

/// An old name, and the one that is meant; empty for none.
type Renamed = (String, String);

/// Writes what changes, and says how much is stored under the old name.
pub(super) fn run(args: &RenameArgs) -> Result<(), Failure> {
    let clickhouse = ClickHouse::new(&args.clickhouse)?;
    let known = clickhouse.run(NAMES)?;
    let read = |line: &str| serde_json::from_str::<Renamed>(line);
    let known: Vec<Renamed> =
        known.lines().map(read).collect::<Result<_, _>>().map_err(|error| {
            Failure::new(format!("tocsin.device_names holds what cannot be read: {error}"), "run `tocsin schema status`")
        })?;
    let changes = if args.undo { undone(&known, &args.old, &args.new)? } else { renamed(&known, &args.old, &args.new)? };
    for (alias, name) in &changes {
        let parameters = [("alias".to_owned(), alias.clone()), ("name".to_owned(), name.clone())];
        clickhouse
            .ask("INSERT INTO tocsin.device_names (alias, name, told_at) SELECT {alias:String}, {name:String}, now64(9)", &parameters)?;
    }
    let told = clickhouse.ask(
        "SELECT sum(events), toString(toDateTime(min(first_seen))) FROM tocsin.devices_seen WHERE device = {old:String} FORMAT TSV",
        &[("old".to_owned(), args.old.clone())],
    )?;
    let (events, first) = told.split_once('\t').unwrap_or((told.as_str(), ""));
    let stored =
        if events == "0" { "nothing is stored under it".to_owned() } else { format!("{events} events since {first} are stored under it") };
    if args.undo {
        println!("{} is a device of its own again: {stored}", args.old);
    } else {
        println!("{} is called {} now: {stored}, and are shown under the new name", args.old, args.new);
    }
    Ok(())
}

/// Whatever was called OLD before is called NEW now, too.
fn renamed(known: &[Renamed], old: &str, new: &str) -> Result<Vec<Renamed>, Failure> {
    if old == new || old.is_empty() || new.is_empty() {
        return Err(Failure::usage(format!("{old:?} cannot be renamed to {new:?}"), "give two different names"));
    }
    if let Some((_, now)) = known.iter().find(|(alias, _)| alias == new) {
        return Err(Failure::usage(
            format!("{new} is an old name of {now}"),
            format!("rename to {now}, or make {new} a device of its own first: tocsin devices rename {new} {now} --undo"),
        ));
    }
    let older = known.iter().filter(|(alias, name)| name == old && alias != new).map(|(alias, _)| alias.clone());
    Ok(std::iter::once(old.to_owned()).chain(older).map(|alias| (alias, new.to_owned())).collect())
}

fn undone(known: &[Renamed], old: &str, new: &str) -> Result<Vec<Renamed>, Failure> {
    if known.iter().any(|(alias, name)| alias == old && name == new) {
        Ok(vec![(old.to_owned(), String::new())])
    } else {
        Err(Failure::usage(format!("{old} is no old name of {new}"), "tocsin.device_names has those that are"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(alias: &str, name: &str) -> Renamed {
        (alias.to_owned(), name.to_owned())
    }

    #[test]
    fn a_device_that_is_renamed_again_keeps_its_first_name_too() {
        assert_eq!(renamed(&[], "a", "b").unwrap(), [pair("a", "b")]);
        assert_eq!(renamed(&[pair("a", "b"), pair("x", "y")], "b", "c").unwrap(), [pair("b", "c"), pair("a", "c")]);
    }

    #[test]
    fn what_cannot_be_meant_is_refused_with_a_remedy() {
        for (known, old, new, part) in [
            (vec![], "a", "a", "two different"),
            (vec![], "", "a", "two different"),
            (vec![pair("a", "b")], "c", "a", "rename to b"),
            (vec![pair("a", "b")], "b", "a", "--undo"),
        ] {
            let problem = renamed(&known, old, new).unwrap_err().to_string();
            assert!(problem.contains(part), "{problem}");
        }
        assert!(undone(&[pair("a", "b")], "a", "c").unwrap_err().to_string().contains("no old name of c"));
        assert_eq!(undone(&[pair("a", "b")], "a", "b").unwrap(), [pair("a", "")]);
    }
}

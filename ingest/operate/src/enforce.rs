//! `tocsin enforce`: keeps a set of the kernel's firewall in step with the registrations of devices.
//!
//! Start: the topic `registrations-v1` is read to its end, the set is read, and what differs is changed. Then each record changes the set at
//! once, many in one netlink message where many come together. Killed and started again, it ends in the same set.

mod follow;
mod member;
mod netlink;
mod set;

#[cfg(test)]
mod kernel_tests;

use std::collections::HashMap;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use tocsin_wire::registrations::Access;

use crate::Failure;
use crate::kafka::KafkaArgs;
use follow::Registrations;
use member::{Change, Member, MemberKind, Wanted};
use set::{Backend, KernelSet};

/// Changes that wait for company at most; one message carries a thousand.
const MAX_BATCH: usize = 10_000;
const POLL_TIMEOUT: Duration = Duration::from_millis(200);
const REPORT_INTERVAL: Duration = Duration::from_secs(10);

const AFTER_HELP: &str = "\
The set must exist, in this network namespace. For example, for hardware addresses:
  nft add table inet tocsin
  nft add set inet tocsin allowed '{ type ether_addr; }'
  nft add chain inet tocsin forward '{ type filter hook forward priority 0; }'
  nft add rule inet tocsin forward ether saddr != @allowed drop
  tocsin enforce --backend nftables --set allowed --member mac

Exit codes: 0 done (--once), 1 Kafka or the kernel refused, 64 the command line is not usable.";

/// `tocsin enforce`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct EnforceArgs {
    #[command(flatten)]
    kafka: KafkaArgs,

    /// The kernel's set machine.
    #[arg(long, value_name = "BACKEND")]
    backend: Backend,

    /// Name of the set.
    #[arg(long, value_name = "NAME")]
    set: String,

    /// Table of an nftables set, family inet.
    #[arg(long, value_name = "NAME", default_value = "tocsin")]
    table: String,

    /// What stands in the set.
    #[arg(long, value_name = "KIND")]
    member: MemberKind,

    /// Devices with this access are in the set, all others are not.
    #[arg(long, value_name = "ACCESS", default_value = "allowed")]
    access: AccessWord,

    /// Say what would be changed, and change nothing.
    #[arg(long)]
    dry_run: bool,

    /// Bring the set in step and end.
    #[arg(long)]
    once: bool,

    /// Refuse to remove more of the set at once than this, in percent, and anything while no registration was read: the topic is then more likely
    /// empty, or of another cluster, than everybody gone. Ten members may go where registrations were read; 100 allows everything.
    #[arg(long, value_name = "PERCENT", default_value_t = 50, value_parser = clap::value_parser!(u8).range(0..=100))]
    max_removals: u8,

    /// Compare the whole set again after so many seconds, in case somebody else has changed it; 0 never.
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    reconcile_every: u64,
}

#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum AccessWord {
    Allowed,
    Blocked,
    Quarantined,
}

impl From<AccessWord> for Access {
    fn from(word: AccessWord) -> Self {
        match word {
            AccessWord::Allowed => Self::Allowed,
            AccessWord::Blocked => Self::Blocked,
            AccessWord::Quarantined => Self::Quarantined,
        }
    }
}

/// Keeps the set in step until it is killed; with `--once`, until it is in step.
pub fn run(args: &EnforceArgs) -> Result<(), Failure> {
    let mut registrations = Registrations::open(&args.kafka.connection()?)?;
    let mut wanted = Wanted::new(args.member, args.access.into());
    read_to_the_end(&mut registrations, &mut wanted)?;
    let set = KernelSet::open(args.backend, args.member, &args.table, &args.set)?;
    let mut enforcer = Enforcer { set, name: &args.set, is_dry_run: args.dry_run, max_removals_percent: args.max_removals };
    enforcer.reconcile(&wanted)?;
    if args.once {
        return Ok(());
    }
    follow(&mut registrations, &mut wanted, &mut enforcer, Duration::from_secs(args.reconcile_every))
}

fn read_to_the_end(registrations: &mut Registrations, wanted: &mut Wanted) -> Result<(), Failure> {
    let (mut read, mut last_told) = (0_u64, Instant::now());
    while !registrations.is_caught_up() {
        if let Some((key, registration)) = registrations.next(POLL_TIMEOUT)? {
            wanted.take(&key, registration.as_ref());
            read += 1;
        }
        if last_told.elapsed() >= Duration::from_secs(2) {
            last_told = Instant::now();
            eprintln!("reading registrations: {read} so far");
        }
    }
    Ok(())
}

fn follow(registrations: &mut Registrations, wanted: &mut Wanted, enforcer: &mut Enforcer<'_>, every: Duration) -> Result<(), Failure> {
    let mut reconciled = Instant::now();
    let mut report = Report::default();
    loop {
        let mut batch = Batch::default();
        let mut timeout = POLL_TIMEOUT;
        while batch.len() < MAX_BATCH {
            let Some((key, registration)) = registrations.next(timeout)? else { break };
            wanted.take(&key, registration.as_ref()).into_iter().flatten().for_each(|change| batch.add(change));
            timeout = Duration::ZERO;
        }
        if batch.len() > 0 {
            report.count(enforcer.apply(batch, wanted)?);
        }
        report.tell();
        if !every.is_zero() && reconciled.elapsed() >= every {
            reconciled = Instant::now();
            enforcer.reconcile(wanted)?;
        }
    }
}

/// Changes that go out together: the newest word about each member.
#[derive(Debug, Default)]
struct Batch(HashMap<Member, bool>);

impl Batch {
    /// A change and its contrary leave nothing to do: both were decided against the same set.
    fn add(&mut self, change: Change) {
        let (member, is_add) = match change {
            Change::Add(member) => (member, true),
            Change::Remove(member) => (member, false),
        };
        if self.0.get(&member).is_some_and(|waiting| *waiting != is_add) {
            self.0.remove(&member);
        } else {
            self.0.insert(member, is_add);
        }
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    /// What goes out and what comes in, in order.
    fn split(self) -> (Vec<Member>, Vec<Member>) {
        let (mut add, mut remove): (Vec<_>, Vec<_>) = self.0.into_iter().partition(|(_, is_add)| *is_add);
        add.sort_unstable();
        remove.sort_unstable();
        (remove.into_iter().map(|(member, _)| member).collect(), add.into_iter().map(|(member, _)| member).collect())
    }
}

struct Enforcer<'a> {
    set: KernelSet,
    name: &'a str,
    is_dry_run: bool,
    max_removals_percent: u8,
}

/// Removals that are allowed where registrations were read: a share says nothing of a small set.
const FREE_REMOVALS: usize = 10;

/// Refuses to take more out of a set of so many members than `max_percent` of it, or anything without a registration.
fn brake(name: &str, there: usize, wanted: &Wanted, removals: usize, max_percent: u8) -> Result<(), Failure> {
    let is_blind = wanted.registrations() == 0;
    let is_within = removals <= FREE_REMOVALS || removals * 100 <= there * usize::from(max_percent);
    if removals == 0 || max_percent == 100 || is_within && !is_blind {
        return Ok(());
    }
    let (read, belong) = (wanted.registrations(), wanted.len());
    let why = if is_blind { "no registration was read".to_owned() } else { format!("that is more than {max_percent} %") };
    Err(Failure::new(
        format!(
            "{removals} of {there} members would be removed from {name} at once, and {why}; of {read} registrations in registrations-v1 {belong} \
             belong into it"
        ),
        "see whether --kafka names the right cluster and the registrations job runs; look with --dry-run, and allow it with --max-removals 100",
    ))
}

impl Enforcer<'_> {
    /// Compares the whole set with what is wanted, and changes what differs.
    fn reconcile(&mut self, wanted: &Wanted) -> Result<(), Failure> {
        let there = self.set.members()?;
        let add: Vec<Member> = wanted.members().filter(|member| !there.contains(member)).collect();
        let remove: Vec<Member> = there.iter().copied().filter(|member| !wanted.contains(member)).collect();
        let (added, removed) = (add.len(), remove.len());
        let taken = self.change(&remove, &add, wanted)?;
        let would = if self.is_dry_run { "would be " } else { "" };
        println!(
            "{}: {} members wanted, {added} {would}added, {removed} {would}removed{}",
            self.name,
            wanted.len(),
            per_change(added + removed, taken)
        );
        Ok(())
    }

    /// Carries out one batch, of which `wanted` has all; how many changes, and how long they took.
    fn apply(&mut self, batch: Batch, wanted: &Wanted) -> Result<(usize, Duration), Failure> {
        let (remove, add) = batch.split();
        Ok((remove.len() + add.len(), self.change(&remove, &add, wanted)?))
    }

    /// Makes the set what is wanted, unless that takes too much out of it.
    fn change(&mut self, remove: &[Member], add: &[Member], wanted: &Wanted) -> Result<Duration, Failure> {
        if self.is_dry_run {
            remove.iter().for_each(|member| println!("- {member}"));
            add.iter().for_each(|member| println!("+ {member}"));
            return Ok(Duration::ZERO);
        }
        let there = (wanted.len() + remove.len()).saturating_sub(add.len());
        brake(self.name, there, wanted, remove.len(), self.max_removals_percent)?;
        let start = Instant::now();
        self.set.change(remove, add)?;
        Ok(start.elapsed())
    }
}

fn per_change(changes: usize, taken: Duration) -> String {
    if changes == 0 || taken.is_zero() {
        return String::new();
    }
    format!(" in {:.1} ms, {:.1} us each", taken.as_secs_f64() * 1e3, taken.as_secs_f64() * 1e6 / changes as f64)
}

/// What was changed since the last line.
#[derive(Debug)]
struct Report {
    since: Instant,
    changes: usize,
    taken: Duration,
}

impl Default for Report {
    fn default() -> Self {
        Self { since: Instant::now(), changes: 0, taken: Duration::ZERO }
    }
}

impl Report {
    fn count(&mut self, (changes, taken): (usize, Duration)) {
        self.changes += changes;
        self.taken += taken;
    }

    fn tell(&mut self) {
        if self.changes > 0 && self.since.elapsed() >= REPORT_INTERVAL {
            println!("{} changes{}", self.changes, per_change(self.changes, self.taken));
            *self = Self::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use tocsin_wire::registrations::Registration;

    use super::*;

    #[test]
    fn a_change_and_its_contrary_leave_nothing_to_do() {
        let (a, b) = (Member::Ipv4([10, 0, 0, 1]), Member::Ipv4([10, 0, 0, 2]));
        let mut batch = Batch::default();
        for change in [Change::Add(a), Change::Remove(a), Change::Remove(b), Change::Add(b), Change::Add(a)] {
            batch.add(change);
        }
        assert_eq!(batch.split(), (vec![], vec![a]));
    }

    /// Registrations of which so many belong into the set.
    fn wanted(registrations: u8, members: u8) -> Wanted {
        let mut wanted = Wanted::new(MemberKind::Mac, Access::Allowed);
        for number in 0..registrations {
            let access = if number < members { Access::Allowed } else { Access::Blocked };
            let registration =
                Registration { mac: format!("02:00:00:00:00:{number:02x}"), access: access.into(), ..Registration::default() };
            wanted.take(&[number], Some(&registration));
        }
        wanted
    }

    #[test]
    fn no_more_of_a_set_goes_at_once_than_is_allowed() {
        let failure = brake("allowed", 100, &wanted(60, 49), 51, 50).unwrap_err().to_string();
        for part in ["51 of 100 members", "more than 50 %", "of 60 registrations in registrations-v1 49 belong", "--max-removals 100"] {
            assert!(failure.contains(part), "{failure}");
        }
        for (there, removals, max_percent) in [(100, 50, 50), (10, 10, 50), (4_900, 4_900, 100)] {
            assert!(brake("allowed", there, &wanted(1, 0), removals, max_percent).is_ok(), "{removals} of {there}");
        }
    }

    #[test]
    fn nothing_goes_for_want_of_registrations() {
        let failure = brake("allowed", 4_900, &wanted(0, 0), 1, 50).unwrap_err().to_string();
        assert!(failure.contains("1 of 4900 members") && failure.contains("no registration was read"), "{failure}");
        for (removals, max_percent) in [(0, 50), (1, 100), (4_900, 100)] {
            assert!(brake("allowed", 4_900, &wanted(0, 0), removals, max_percent).is_ok(), "{removals} at {max_percent} %");
        }
    }

    #[test]
    fn the_cost_of_a_change_is_told_where_there_was_one() {
        assert_eq!(per_change(0, Duration::from_secs(1)), "");
        assert_eq!(per_change(1000, Duration::from_millis(5)), " in 5.0 ms, 5.0 us each");
    }
}

//! Against real sets of the kernel, in a network namespace of this process's own. Needs root, ipset and nft.

use std::collections::HashSet;
use std::io::Write;
use std::process::Command;

use tocsin_wire::registrations::{Access, Registration, State};

use super::member::{MemberKind, Wanted};
use super::set::{Backend, KernelSet};
use super::{Batch, Enforcer};

/// Set in the process that runs in the namespace.
const INSIDE: &str = "TOCSIN_TEST_IN_NAMESPACE";

/// Runs `test` in a network namespace: starts this test again under `unshare -n`. Skipped, with the reason, where that is not allowed or a program
/// is missing; CI fails instead.
fn in_own_namespace(name: &str, test: impl FnOnce()) {
    if std::env::var_os(INSIDE).is_some() {
        return test();
    }
    if let Some(reason) = why_not() {
        assert!(std::env::var("CI").as_deref() != Ok("true"), "CI must run this test: {reason}");
        let _ = writeln!(std::io::stderr(), "skipped: {reason}");
        return;
    }
    let program = std::env::current_exe().expect("a test knows its own program");
    let output = Command::new("unshare")
        .arg("-n")
        .arg(program)
        .args(["--exact", &format!("enforce::kernel_tests::{name}"), "--nocapture"])
        .env(INSIDE, "1")
        .output()
        .expect("unshare ran a moment ago");
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && text.contains("1 passed"), "{text}{}", String::from_utf8_lossy(&output.stderr));
    print!("{text}");
}

/// What this machine lacks for these tests.
fn why_not() -> Option<String> {
    let succeeds =
        |program: &str, arguments: &[&str]| Command::new(program).args(arguments).output().is_ok_and(|output| output.status.success());
    if !succeeds("unshare", &["-n", "true"]) {
        return Some("a network namespace needs root and Debian's package util-linux".to_owned());
    }
    [("ipset", "ipset"), ("nft", "nftables")]
        .into_iter()
        .find(|(program, _)| !succeeds(program, &["--version"]))
        .map(|(program, package)| format!("{program} is missing: apt-get install {package}, or run `make test`, which fetches it"))
}

fn command(line: &str) {
    // nft reads its arguments as one text, so that splitting at blanks does no harm.
    let words: Vec<&str> = line.split(' ').collect();
    let output = Command::new(words[0]).args(&words[1..]).output().unwrap_or_else(|error| panic!("{line}: {error}"));
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
}

fn device(number: u32, access: Access, version: u64) -> (Vec<u8>, Registration) {
    let [a, b, c, d] = number.to_be_bytes();
    let mac = format!("02:00:{a:02x}:{b:02x}:{c:02x}:{d:02x}");
    let ip = format!("10.{b}.{c}.{d}");
    (
        mac.clone().into_bytes(),
        Registration { mac, ip, access: access.into(), state: State::Bound.into(), version, ..Registration::default() },
    )
}

fn wanted(kind: MemberKind, devices: u32) -> Wanted {
    let mut wanted = Wanted::new(kind, Access::Allowed);
    for number in 0..devices {
        let (key, registration) = device(number, Access::Allowed, 1);
        wanted.take(&key, Some(&registration));
    }
    wanted
}

/// 100,000 members from nothing, 10,000 changes, then a second start that finds a set somebody has changed.
fn keeps_in_step(backend: Backend, kind: MemberKind) {
    let open = || Enforcer {
        set: KernelSet::open(backend, kind, "tocsin", "allowed").unwrap(),
        name: "allowed",
        is_dry_run: false,
        max_removals_percent: 50,
    };
    let mut enforcer = open();
    let mut wanted = wanted(kind, 100_000);
    enforcer.reconcile(&wanted).unwrap();
    assert_eq!(enforcer.set.members().unwrap().len(), 100_000);

    let mut batch = Batch::default();
    for number in 0..5_000 {
        for (key, registration) in [device(number, Access::Blocked, 2), device(200_000 + number, Access::Allowed, 1)] {
            wanted.take(&key, Some(&registration)).into_iter().flatten().for_each(|change| batch.add(change));
        }
    }
    let (changes, taken) = enforcer.apply(batch, &wanted).unwrap();
    println!("{backend:?} {kind:?}: {changes} changes, {:.2} us each", taken.as_secs_f64() * 1e6 / changes as f64);
    assert_eq!(changes, 10_000);
    let expected: HashSet<_> = wanted.members().collect();
    assert_eq!(enforcer.set.members().unwrap(), expected);

    let stranger: Vec<_> = expected.iter().copied().take(10).collect();
    enforcer.set.change(&stranger, &[]).unwrap();
    drop(enforcer);
    let mut restarted = open();
    restarted.reconcile(&wanted).unwrap();
    assert_eq!(restarted.set.members().unwrap(), expected);
    restarted.reconcile(&wanted).unwrap();

    restarted.reconcile(&Wanted::new(kind, Access::Allowed)).unwrap_err();
    assert_eq!(restarted.set.members().unwrap(), expected, "an empty topic takes nobody off the network");

    let mut batch = Batch::default();
    for number in 5_000..65_000 {
        let (key, registration) = device(number, Access::Blocked, 2);
        wanted.take(&key, Some(&registration)).into_iter().flatten().for_each(|change| batch.add(change));
    }
    restarted.apply(batch, &wanted).unwrap_err();
    assert_eq!(restarted.set.members().unwrap(), expected, "more than half is not blocked at once");
}

#[test]
fn an_ipset_of_addresses_is_kept_in_step() {
    in_own_namespace("an_ipset_of_addresses_is_kept_in_step", || {
        command("ipset create allowed hash:ip maxelem 1000000");
        keeps_in_step(Backend::Ipset, MemberKind::Ipv4);
    });
}

#[test]
fn an_nftables_set_of_hardware_addresses_is_kept_in_step() {
    in_own_namespace("an_nftables_set_of_hardware_addresses_is_kept_in_step", || {
        command("nft add table inet tocsin");
        command("nft add set inet tocsin allowed { type ether_addr; }");
        keeps_in_step(Backend::Nftables, MemberKind::Mac);
    });
}

#[test]
fn an_nftables_set_of_addresses_is_kept_in_step() {
    in_own_namespace("an_nftables_set_of_addresses_is_kept_in_step", || {
        command("nft add table inet tocsin");
        command("nft add set inet tocsin allowed { type ipv4_addr; }");
        keeps_in_step(Backend::Nftables, MemberKind::Ipv4);
    });
}

#[test]
fn a_set_that_is_not_there_is_told_with_the_command_that_makes_it() {
    in_own_namespace("a_set_that_is_not_there_is_told_with_the_command_that_makes_it", || {
        for (backend, remedy) in [
            (Backend::Ipset, "ipset create allowed hash:mac"),
            (Backend::Nftables, "nft add set inet tocsin allowed '{ type ether_addr; }'"),
        ] {
            let failure = KernelSet::open(backend, MemberKind::Mac, "tocsin", "allowed").unwrap().members().unwrap_err().to_string();
            assert!(failure.contains(remedy) && failure.contains("No such file"), "{failure}");
        }
    });
}

#[test]
fn a_dry_run_changes_nothing() {
    in_own_namespace("a_dry_run_changes_nothing", || {
        command("ipset create allowed hash:ip");
        let set = KernelSet::open(Backend::Ipset, MemberKind::Ipv4, "tocsin", "allowed").unwrap();
        let mut enforcer = Enforcer { set, name: "allowed", is_dry_run: true, max_removals_percent: 50 };
        enforcer.reconcile(&wanted(MemberKind::Ipv4, 3)).unwrap();
        assert!(enforcer.set.members().unwrap().is_empty());
    });
}

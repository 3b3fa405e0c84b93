//! `snmp` in the config: what is refused, and what is never shown.

use std::fs;

use super::SnmpConfig;

fn parse(snmp: &str) -> SnmpConfig {
    serde_saphyr::from_str(snmp).unwrap()
}

#[track_caller]
fn refused(snmp: &str, parts: &[&str]) {
    let problem = parse(snmp).check().unwrap_err();
    for part in parts {
        assert!(problem.contains(part), "{part:?} is missing in: {problem}");
    }
    assert!(!problem.contains("s3cret"), "{problem}");
}

#[test]
fn public_alone_is_accepted_without_a_config() {
    let config = SnmpConfig::default();
    config.check().unwrap();
    assert_eq!(config.communities().unwrap(), [b"public"]);
    assert!(config.users().unwrap().is_empty());
}

#[test]
fn secrets_are_not_dumped() {
    let yaml = "{communities: [s3cret-community], users: [{name: u, auth: {protocol: sha, password: s3cret-auth}, \
                privacy: {protocol: aes, password: s3cret-privacy}}], devices: [{name: d, address: 192.0.2.1, community: s3cret-too}]}";
    let config = parse(yaml);
    config.check().unwrap();
    let dump = serde_saphyr::to_string(&config).unwrap();
    assert!(!dump.contains("s3cret") && !format!("{config:?}").contains("s3cret"), "{dump}");
    assert!(parse(&dump).check().unwrap_err().contains("--dump"), "a dump is not taken for the secrets");
}

#[test]
fn users_that_cannot_work_are_refused_with_a_remedy() {
    let user = |keys: &str| format!("{{users: [{{{keys}}}]}}");
    refused(&user("name: ''"), &["name", "1 to 32"]);
    refused(&user("name: u, engine_id: xyz"), &["engine_id of u", "hexadecimal"]);
    refused(&user("name: u, auth: {protocol: md5, password: s3cret}"), &["auth.password of u", "6 characters", "at least 8"]);
    refused(&user("name: u, auth: {protocol: md5, password: {file: /nowhere}}"), &["auth.password of u", "/nowhere", "readable file"]);
    refused(&user("name: u, privacy: {protocol: des, password: s3cret-privacy}"), &["u has privacy and no auth", "add auth"]);
    refused(&user("name: u, min_level: authPriv"), &["min_level of u", "authPriv", "add them"]);
    refused("{engine_id: '80'}", &["snmp.engine_id", "5 to 32 bytes"]);
    refused("{mibs: [/nowhere.tsv]}", &["snmp.mibs", "/nowhere.tsv", "mibs compile"]);
    let problem =
        serde_saphyr::from_str::<SnmpConfig>("{users: [{name: u, auth: {protocol: sha3, password: x}}]}").unwrap_err().to_string();
    assert!(problem.contains("sha512"), "the words that are possible are told: {problem}");
}

#[test]
fn devices_that_cannot_work_are_refused_with_a_remedy() {
    let device = |keys: &str| format!("{{devices: [{{{keys}}}]}}");
    refused(&device("name: d, address: ''"), &["\"d\"", "no address"]);
    refused(&device("name: d, address: a, version: v3"), &["no user"]);
    refused(&device("name: d, address: a, version: v3, user: u"), &["\"u\"", "snmp.users"]);
    refused(&device("name: d, address: a, user: u"), &["only v3"]);
    refused(&device("name: d, address: a, interval: 500ms"), &["interval", "at least 1s"]);
    refused(&device("name: d, address: a, timeout: 2m"), &["timeout"]);
    refused(&device("name: d, address: a, max_repetitions: 0"), &["max_repetitions"]);
    refused(&device("name: d, address: a, gauges: [{name: g, oid: NO-MIB::x}]"), &["gauge \"g\"", "NO-MIB", "mibs compile"]);
    refused("{devices: [{name: d, address: a}, {name: d, address: b}]}", &["two devices"]);
}

#[test]
fn a_table_of_names_that_is_none_is_refused_with_its_line() {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), "# names\nnot a table\n").unwrap();
    refused(&format!("{{mibs: ['{}']}}", file.path().display()), &["snmp.mibs", "line 2"]);
}

/// The example shows users and devices as comments: they must be right, too.
#[test]
fn the_example_s_comments_have_every_key_and_work() {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/config/agent.example.yaml")).unwrap();
    let block = |first: &str| -> String {
        let lines = text.lines().skip_while(|line| !line.contains(first)).take_while(|line| line.starts_with("  #   "));
        lines.map(|line| format!("{}\n", &line[3..])).collect()
    };
    let yaml = format!("users:\n{}devices:\n{}", block("#   - name: monitor"), block("#   - name: core-sw1"));
    let config: SnmpConfig = serde_saphyr::from_str(&yaml).unwrap_or_else(|error| panic!("{error}\n{yaml}"));
    assert_eq!((config.users.len(), config.devices.len()), (1, 1));
    let (users, names) = (vec!["monitor"], config.names().unwrap());
    config.devices[0].check(&users, &names).unwrap();
    let shown = serde_json::to_value(&config.devices[0]).unwrap();
    for key in shown.as_object().unwrap().keys().chain(shown["gauges"][0].as_object().unwrap().keys()) {
        assert!(yaml.contains(&format!("{key}:")), "{key} is missing in the example");
    }
}

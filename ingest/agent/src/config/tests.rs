use super::*;

mod links;

fn load(text: &str) -> Result<Config, ConfigError> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("agent.yaml");
    fs::write(&path, text).unwrap();
    Config::load(Some(&path))
}

#[track_caller]
fn refused(text: &str, parts: &[&str]) {
    let message = load(text).unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "{part:?} is missing in: {message}");
    }
}

#[test]
fn without_a_key_everything_has_its_default() {
    let config = load("# nothing but a comment\n").unwrap();
    assert!(!config.agent_id.is_empty(), "the host's name stands in");
    assert_eq!(config.listeners, ListenerConfig::defaults());
    assert_eq!(config.kafka, KafkaConfig::default());
}

#[test]
fn an_unknown_key_is_refused_with_file_line_and_key() {
    refused("agent_id: a\nkafka:\n  bootstrap: x\n", &["agent.yaml", "3", "bootstrap"]);
    refused("listener: []\n", &["agent.yaml", "listener"]);
}

#[test]
fn what_is_wrong_is_told_by_line_and_key_and_without_the_password_beside_it() {
    let users = |user: &str| format!("snmp:\n  users:\n    - {user}\n");
    let cases = [
        (users("{name: u, auth: {protocol: sha256, password: hunter2}, level: auth}"), "unknown field `level`"),
        (users("{name: u, auth: hunter2}"), "under auth"),
        (users("{name: u, auth: {protocol: sha3, password: hunter2}}"), "under protocol"),
        (users("{name: u, auth: {protocol: sha256, password: hunter2: x}}"), "line"),
        (users("{name: u, auth: {protocol: sha256, password: !hunter2 x}}"), "under password"),
        (users("{name: u, auth: {protocol: sha256, password: 'hunter2}}"), "line"),
        (users("{name: u, auth: {protocol: sha256, password: @hunter2}}"), "line"),
        (users("{name: u, auth: {protocol: sha256, password: hunter2, password: hunter2}}"), "password"),
        (users("hunter2"), "line 3"),
    ];
    for (text, told) in cases {
        let message = load(&text).unwrap_err().to_string();
        assert!(message.contains(told) && message.contains("line ") && !message.contains("hunter2"), "{text}{message}");
    }
}

#[test]
fn sizes_and_durations_have_units_or_are_plain_bytes() {
    let listener = "{name: l, kind: syslog, listen: '[::]:1'";
    let config =
        load(&format!("listeners: [{listener}, receive_buffer: 1MiB, max_message: 4096}}]\ntelemetry: {{stats_interval: 500ms}}")).unwrap();
    assert_eq!(config.listeners[0].receive_buffer, BufferSize::Fixed(ByteSize::mib(1)));
    assert_eq!(config.listeners[0].max_message_bytes(), 4096);
    assert_eq!(config.telemetry.stats_interval, Duration::from_millis(500));
    refused("telemetry: {stats_interval: soon}", &["stats_interval"]);
    refused(&format!("listeners: [{listener}, receive_buffer: big}}]"), &["receive_buffer"]);
}

#[test]
fn a_site_is_inherited_by_listeners_that_have_none() {
    let config =
        load("site: fra1\nlisteners:\n- {name: a, kind: alert, listen: '[::]:1'}\n- {name: b, kind: alert, listen: '[::]:2', site: ams2}")
            .unwrap();
    assert_eq!(config.listeners.iter().map(|listener| listener.site.as_str()).collect::<Vec<_>>(), ["fra1", "ams2"]);
}

#[test]
fn the_spool_stands_beside_the_config_unless_its_path_is_absolute() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("agent.yaml");
    fs::write(&path, "agent_id: a").unwrap();
    assert_eq!(Config::load(Some(&path)).unwrap().spool.dir, dir.path().join("spool"));
    fs::write(&path, "spool: {dir: /var/lib/tocsin/spool}").unwrap();
    assert_eq!(Config::load(Some(&path)).unwrap().spool.dir, Path::new("/var/lib/tocsin/spool"));
}

#[test]
fn two_sockets_on_one_port_are_refused() {
    let two =
        |first: &str, second: &str| format!("listeners:\n- {{name: a, kind: syslog, {first}}}\n- {{name: b, kind: syslog, {second}}}");
    refused(&two("listen: '[::]:5514'", "listen: '0.0.0.0:5514'"), &["listener a", "listener b", "same port"]);
    refused(&two("listen: '127.0.0.1:5514'", "listen: '[::]:5514'"), &["same port"]);
    refused(&two("listen: '[::]:5514', transport: tcp", "listen: '[::]:5514', transport: tcp"), &["same port"]);
    refused("listeners: [{name: a, kind: syslog, transport: tcp, listen: '[::]:9464'}]", &["telemetry.listen", "same port"]);
    load(&two("listen: '[::]:5514', ipv6_only: true", "listen: '0.0.0.0:5514'")).unwrap();
    load(&two("listen: '[::]:5514'", "listen: '[::]:5514', transport: tcp")).unwrap();
    load(&two("listen: '192.0.2.1:5514'", "listen: '192.0.2.2:5514'")).unwrap();
    load(&two("listen: '[::]:0'", "listen: '[::]:0'")).unwrap();
}

#[test]
fn values_that_cannot_work_are_refused_with_a_remedy() {
    let listener = |keys: &str| format!("listeners: [{{name: l, kind: syslog, listen: '[::]:5514', {keys}}}]");
    refused(&listener("receive_buffer: -1"), &["receive_buffer"]);
    refused(&listener("proxies: [10.0.0.1/32]"), &["listener l", "proxies", "tcp and tls"]);
    refused(&listener("receive_buffer: 4GiB"), &["listener l", "receive_buffer", "at most"]);
    refused(&listener("max_message: 1"), &["max_message"]);
    refused("listeners: [{name: l, kind: dhcp, transport: tcp, listen: '[::]:6767'}]", &["listener l", "dhcp", "UDP"]);
    refused(&listener("readers: 0"), &["readers", "1 to 64"]);
    refused(&listener("readers: 2, transport: tcp"), &["readers", "UDP"]);
    refused("listeners: [{name: l, kind: syslog, listen: '127.0.0.1:5514', ipv6_only: true}]", &["ipv6_only"]);
    refused("listeners: [{name: l, kind: syslog, listen: '[::]:1'}, {name: l, kind: alert, listen: '[::]:2'}]", &["two listeners"]);
    refused("listeners: []", &["listeners", "defaults"]);
    refused(&listener("transport: tls"), &["listener l", "tls is missing", "certificate"]);
    refused(&listener("tls: {certificate: c, key: k}"), &["transport is neither tls nor relp"]);
    refused(&listener("transport: tls, tls: {certificate: c, key: k, require_client_certificate: true}"), &["client_ca is missing"]);
    refused("agent_id: 'two words'", &["agent_id"]);
    refused("telemetry: {stats_interval: 1ms}", &["stats_interval"]);
    refused("kafka: {bootstrap_servers: ''}", &["bootstrap_servers"]);
    refused("kafka: {options: {acks: '1'}}", &["kafka.options", "acks"]);
}

#[test]
fn certificates_that_cannot_be_used_are_refused_with_file_key_and_remedy() {
    let dir = tempfile::tempdir().unwrap();
    let issue = |name: &str| {
        let issued = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
        fs::write(dir.path().join(format!("{name}.crt")), issued.cert.pem()).unwrap();
        fs::write(dir.path().join(format!("{name}.key")), issued.signing_key.serialize_pem()).unwrap();
    };
    issue("agent");
    issue("other");
    fs::write(dir.path().join("empty.pem"), "").unwrap();
    let path = dir.path().join("agent.yaml");
    let load = |tls: &str| {
        fs::write(&path, format!("listeners: [{{name: l, kind: syslog, transport: tls, listen: '[::]:6514', tls: {{{tls}}}}}]")).unwrap();
        Config::load(Some(&path)).map_err(|error| error.to_string())
    };
    let files_beside_the_config = load("certificate: agent.crt, key: agent.key, client_ca: other.crt").unwrap();
    assert_eq!(files_beside_the_config.listeners[0].tls.as_ref().unwrap().key, dir.path().join("agent.key"));
    for (tls, parts) in [
        ("certificate: none.crt, key: agent.key", ["agent.yaml", "listener l", "tls.certificate", "none.crt", "readable PEM file"]),
        ("certificate: empty.pem, key: agent.key", ["agent.yaml", "tls.certificate", "empty.pem", "no certificate in it", "readable"]),
        ("certificate: agent.crt, key: none.key", ["agent.yaml", "tls.key", "none.key", "No such file", "one private key"]),
        ("certificate: agent.crt, key: agent.crt", ["agent.yaml", "tls.key", "agent.crt", "private key", "PEM"]),
        ("certificate: agent.crt, key: other.key", ["agent.yaml", "tls.key", "other.key", "belongs to", "tls.certificate"]),
        ("certificate: agent.crt, key: agent.key, client_ca: empty.pem", ["tls.client_ca", "empty.pem", "no certificate", "readable", "l"]),
    ] {
        let message = load(tls).unwrap_err();
        parts.iter().for_each(|part| assert!(message.contains(part), "{part:?} is missing in: {message}"));
    }
}

#[test]
fn a_dump_is_a_config_that_gives_the_same_dump() {
    let config = Config::load(None).unwrap();
    let yaml = config.to_yaml().unwrap();
    assert_eq!(Config::parse(&yaml).unwrap(), config);
}

#[test]
fn a_capture_names_an_interface_that_the_machine_has_and_a_ring_that_the_kernel_takes() {
    let capture = |keys: &str| format!("site: fra1\ncaptures: [{{name: c, {keys}}}]");
    let config = load(&capture("interface: lo")).unwrap();
    assert_eq!((config.captures[0].receive_ring, config.captures[0].site.as_str()), (ByteSize::mib(8), "fra1"));
    refused(&capture("interface: nosuch0"), &["capture c", "nosuch0", "this machine has", "lo"]);
    refused(&capture("interface: ''"), &["capture c", "ip link"]);
    refused(&capture("interface: lo, receive_ring: 4KiB"), &["capture c", "receive_ring", "256.0 KiB"]);
    refused(&capture("interface: lo, receive_ring: 2GiB"), &["capture c", "receive_ring", "1.0 GiB"]);
    refused(&capture("interface: lo, ring: 1MiB"), &["ring"]);
    refused("captures: [{name: syslog-udp, interface: lo}]", &["two listeners or captures", "syslog-udp"]);
}

#[test]
fn an_alias_that_cannot_be_meant_is_refused_with_a_remedy() {
    load("devices: {aliases: {'*-re0': '*', sw-old: core-sw1}}").unwrap();
    refused("devices: {aliases: {'*': x}}", &["devices.aliases", "every device", "write what is special"]);
    refused("devices: {aliases: {a: 'b-*'}}", &["devices.aliases", "at most one"]);
    refused("devices: {time_zones: {sw1: CEST}}", &["devices.time_zones", "sw1", "Europe/Zurich"]);
}

#[test]
fn an_inventory_stands_beside_the_config_and_each_source_is_asked_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.yaml");
    fs::write(&path, "devices: {inventory: devices.csv, order: [reverse_dns, inventory]}").unwrap();
    let problem = Config::load(Some(&path)).unwrap_err().to_string();
    assert!(problem.contains("devices.inventory") && problem.contains("devices.csv"), "{problem}");
    fs::write(folder.path().join("devices.csv"), "name,address\na,192.0.2.1\n").unwrap();
    assert_eq!(Config::load(Some(&path)).unwrap().devices.inventory, Some(folder.path().join("devices.csv")));
    refused("devices: {order: [names, snmp, names]}", &["devices.order", "twice", "number 3"]);
    refused("devices: {order: [dns]}", &["order", "reverse_dns"]);
}

#[test]
fn a_host_that_is_read_has_a_name() {
    let config = load("site: fra1\nhost: {}").unwrap().host.unwrap();
    assert_eq!((config.device.is_empty(), config.site.as_str(), config.interval), (false, "", Duration::from_secs(30)));
    assert_eq!(load("host: {device: db1, site: ams1}").unwrap().host.unwrap().device, "db1");
    refused("host: {interval: 10ms}", &["host.interval is 10ms", "1s to 5m"]);
    refused("host: {interval: 1h}", &["host.interval"]);
    refused("host: {device: 'a b'}", &["host.device", "letters"]);
    refused("host: {}\nlisteners: [{name: host, kind: syslog, listen: '[::]:0'}]", &["name host", "give it another"]);
}

#[test]
fn the_example_s_host_has_every_key_at_its_default() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/agent.example.yaml")).unwrap();
    let (_, commented) = text.split_once("\n#host:\n").unwrap();
    let keys_of: String = commented.lines().map_while(|line| line.strip_prefix('#')).map(|line| format!("{line}\n")).collect();
    assert_eq!(Config::parse(&format!("host:\n{keys_of}")).unwrap(), Config::parse("host: {}").unwrap());
    let example: serde_json::Value = serde_saphyr::from_str(&format!("host:\n{keys_of}")).unwrap();
    let whole: serde_json::Value = serde_saphyr::from_str(&Config::parse("host: {}").unwrap().to_yaml().unwrap()).unwrap();
    assert_eq!(keys(&example["host"]), keys(&whole["host"]));
}

#[test]
fn resolvers_are_named() {
    let group =
        |keys: &str| format!("resolvers: [{{id: r, servers: [{{id: ns1, address: 192.0.2.53}}], questions: [{{name: a.example}}]{keys}}}]");
    let config = load(&group("")).unwrap();
    assert_eq!(config.resolvers[0].interval, Duration::from_secs(30));
    refused(&group(", interval: 10ms"), &["resolvers r", "interval", "1s to 5m"]);
    refused(&group("").replace("id: ns1", "id: 'n s'"), &["servers[].id", "letters"]);
    refused(&group("").replace("192.0.2.53", "ns1.example"), &["address"]);
    refused(
        &format!("{}\nlisteners: [{{name: resolvers, kind: syslog, listen: '[::]:0'}}]", group("")),
        &["name resolvers", "give it another"],
    );
}

#[test]
fn the_example_s_resolvers_have_every_key_at_its_default() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/agent.example.yaml")).unwrap();
    let (_, commented) = text.split_once("\n#resolvers:\n").unwrap();
    let keys_of: String = commented.lines().map_while(|line| line.strip_prefix('#')).map(|line| format!("{line}\n")).collect();
    let example = Config::parse(&format!("resolvers:\n{keys_of}")).unwrap();
    let least = "{id: fra1-resolvers, servers: [{id: ns1, address: 192.0.2.53}], questions: [{name: www.example.com}]}";
    assert_eq!(example, Config::parse(&format!("resolvers: [{least}]")).unwrap());
    let written: serde_json::Value = serde_saphyr::from_str(&format!("resolvers:\n{keys_of}")).unwrap();
    let whole: serde_json::Value = serde_saphyr::from_str(&example.to_yaml().unwrap()).unwrap();
    assert_eq!(keys(&written["resolvers"]), keys(&whole["resolvers"]));
}

/// Keys of an entry that is commented out in the example, because it needs a right that an agent does not have by default.
#[test]
fn the_example_s_capture_has_every_key_at_its_default() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/agent.example.yaml");
    let text = fs::read_to_string(path).unwrap();
    let (_, commented) = text.split_once("\n# captures:\n").unwrap();
    let capture: String = commented.lines().map_while(|line| line.strip_prefix("# ")).map(|line| format!("{line}\n")).collect();
    let example = Config::parse(&format!("captures:\n{}", capture.replace("interface: eth0", "interface: lo"))).unwrap();
    let default = Config::parse("captures: [{name: dhcp-eth0, interface: lo}]").unwrap();
    assert_eq!(example, default);
    for key in ["name", "interface", "receive_ring", "promiscuous", "site"] {
        assert!(capture.contains(&format!("{key}: ")), "{key}");
    }
}

/// Keys that are commented out in the example, because a limit that fits one site loses news of another.
#[test]
fn the_example_s_rate_limit_has_every_key_and_can_be_used() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/agent.example.yaml")).unwrap();
    let (_, commented) = text.split_once("    # rate_limit:\n").unwrap();
    let keys_of: String = commented.lines().map_while(|line| line.strip_prefix("    #   ")).map(|line| format!("      {line}\n")).collect();
    let listener = format!("listeners:\n  - name: l\n    kind: syslog\n    listen: '[::]:0'\n    rate_limit:\n{keys_of}");
    let config = Config::parse(&listener).unwrap();
    check_listener(&config.listeners[0]).unwrap();
    let example: serde_json::Value = serde_saphyr::from_str(&listener).unwrap();
    let whole: serde_json::Value = serde_saphyr::from_str(&config.to_yaml().unwrap()).unwrap();
    assert_eq!(keys(&example["listeners"][0]["rate_limit"]), keys(&whole["listeners"][0]["rate_limit"]));
}

#[test]
fn the_example_s_copies_have_every_key_at_its_default() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/agent.example.yaml")).unwrap();
    let (_, commented) = text.split_once("    # copies:\n").unwrap();
    let keys_of: String = commented.lines().map_while(|line| line.strip_prefix("    #   ")).map(|line| format!("      {line}\n")).collect();
    let with = |keys: &str| Config::parse(&format!("listeners:\n  - name: l\n    kind: syslog\n    listen: '[::]:0'\n    copies:\n{keys}"));
    assert_eq!(with(&keys_of).unwrap(), with("      group: core\n").unwrap());
    assert!(keys_of.contains("agents: 2"));
}

#[test]
fn copies_that_cannot_work_are_refused_with_a_remedy() {
    let copies = |keys: &str| format!("listeners: [{{name: l, kind: syslog, listen: '[::]:0', copies: {{{keys}}}}}]");
    load(&copies("group: core")).unwrap();
    refused(&copies("group: ''"), &["listener l", "copies.group", "letters"]);
    refused(&copies("group: core, agents: 1"), &["listener l", "copies.agents is 1", "2 to 8"]);
    refused(&copies("group: core, agents: 9"), &["copies.agents is 9"]);
    refused(&copies("agents: 2"), &["group"]);
    refused(&copies("group: core, within: 10s"), &["within"]);
}

#[test]
fn a_rate_limit_that_cannot_work_is_refused_with_a_remedy() {
    let limit = |keys: &str| format!("listeners: [{{name: l, kind: syslog, listen: '[::]:0', rate_limit: {{{keys}}}}}]");
    load(&limit("messages: 1000")).unwrap();
    refused(&limit("allow: [192.0.2.0/24]"), &["listener l", "rate_limit", "limits nothing", "messages or bytes"]);
    refused(&limit("bytes: 1KiB"), &["listener l", "rate_limit.bytes", "max_message", "raise it"]);
    refused(&limit("messages: 1, messages_period: 1ms"), &["listener l", "messages_period", "100ms"]);
    refused(&limit("messages: 1, penalty: 48h"), &["listener l", "penalty", "24h"]);
    refused(&limit("messages: 1, allow: [192.0.2.0/33]"), &["allow"]);
    refused(&limit("rate: 1"), &["rate"]);
}

/// The example is the reference of every key: nothing in it may be wrong, nothing may be missing.
#[test]
fn the_example_has_every_key_at_its_default() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/agent.example.yaml");
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(Config::parse(&text).unwrap(), Config::default());
    let example: serde_json::Value = serde_saphyr::from_str(&text).unwrap();
    let default: serde_json::Value = serde_saphyr::from_str(&Config::default().to_yaml().unwrap()).unwrap();
    assert_eq!(keys(&example), keys(&default));
}

/// The example cannot have a TLS listener in effect, because it comes without a certificate: it has one as a comment.
#[test]
fn the_example_s_tls_listener_has_every_key_and_works_once_its_files_exist() {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy/config/agent.example.yaml")).unwrap();
    let commented = text.lines().skip_while(|line| !line.contains("# - name: syslog-tls")).take_while(|line| line.starts_with("  # "));
    let listener: String = commented.map(|line| format!("{}\n", &line[4..])).collect();
    let config = Config::parse(&format!("listeners:\n{listener}")).unwrap();
    let tls = config.listeners[0].tls.clone().unwrap();
    assert_eq!(
        config.listeners[0].clone(),
        ListenerConfig { tls: Some(tls), ..ListenerConfig::new("syslog-tls", Kind::Syslog, Transport::Tls, 6514) }
    );
    let example: serde_json::Value = serde_saphyr::from_str(&listener).unwrap();
    let whole: serde_json::Value = serde_saphyr::from_str(&config.to_yaml().unwrap()).unwrap();
    assert_eq!(keys(&example), keys(&whole["listeners"]));
}

/// Every key with its path, `listeners[].name` for a list.
fn keys(value: &serde_json::Value) -> std::collections::BTreeSet<String> {
    fn collect(path: &str, value: &serde_json::Value, into: &mut std::collections::BTreeSet<String>) {
        match value {
            serde_json::Value::Object(members) => members.iter().for_each(|(key, value)| {
                into.insert(format!("{path}{key}"));
                collect(&format!("{path}{key}."), value, into);
            }),
            serde_json::Value::Array(elements) => {
                elements.iter().enumerate().for_each(|(index, element)| collect(&format!("{path}[{index}]."), element, into));
            }
            _ => {}
        }
    }
    let mut found = std::collections::BTreeSet::new();
    collect("", value, &mut found);
    found
}

#[test]
fn how_kafka_is_reached_stands_in_a_file_of_its_own_and_no_secret_in_the_dump() {
    let dir = tempfile::tempdir().unwrap();
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/config/kafka.example.properties");
    fs::copy(example, dir.path().join("kafka.properties")).unwrap();
    fs::write(dir.path().join("kafka.password"), "hunter2\n").unwrap();
    let path = dir.path().join("agent.yaml");
    fs::write(&path, "kafka: {config_file: kafka.properties}\n").unwrap();
    let config = Config::load(Some(&path)).unwrap();
    let dump = config.to_yaml().unwrap();
    assert_eq!(config.kafka.bootstrap_servers, "kafka-1.example.org:9093,kafka-2.example.org:9093");
    assert!(dump.contains("kafka.properties") && !dump.contains("hunter2"), "{dump}");
    assert!(!format!("{config:?}").contains("hunter2"));

    fs::remove_file(dir.path().join("kafka.password")).unwrap();
    let message = Config::load(Some(&path)).unwrap_err().to_string();
    assert!(message.contains("kafka.config_file") && message.contains("kafka.password cannot be read"), "{message}");
}

#[test]
fn a_login_among_the_options_is_refused_and_not_repeated() {
    let message = load("kafka: {options: {sasl.password: hunter2}}").unwrap_err().to_string();
    assert!(message.contains("kafka.options must not set sasl.password") && message.contains("kafka.config_file"), "{message}");
    assert!(!message.contains("hunter2"), "{message}");
}

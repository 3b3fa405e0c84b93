//! The file that says how Kafka is reached: the same one for the agent, the commands, the jobs and `tocsin-rules`.
//!
//! One `name=value` a line, `#` begins a comment. Names are Kafka's and librdkafka's own where both agree. Secrets stand in files of their own or in
//! the environment, and are named here. `io.tocsin.kafka.KafkaConfigFile` of the jobs reads the same: a change here is a change there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::{Connection, Error};

/// What may stand in the file; `true`: the value names a file, relative to this one's folder.
const NAMES: [(&str, bool); 11] = [
    ("bootstrap.servers", false),
    ("security.protocol", false),
    ("ssl.ca.location", true),
    ("ssl.certificate.location", true),
    ("ssl.key.location", true),
    ("sasl.mechanism", false),
    ("sasl.username", false),
    ("sasl.password.file", true),
    ("sasl.password.env", false),
    (TOKEN_FILE, true),
    ("sasl.password", false),
];
const PROTOCOLS: [&str; 4] = ["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"];
const TOKEN_FILE: &str = "sasl.oauthbearer.token.file";
const MECHANISMS: [&str; 4] = ["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"];

impl Connection {
    /// Reads the file, and the secrets that it names.
    pub fn from_file(path: &Path) -> Result<Self, Error> {
        let refuse = |problem| Error::File { path: path.to_owned(), problem };
        let text = fs::read_to_string(path).map_err(|error| refuse(format!("cannot be read: {error}")))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        read(&text, folder).map_err(refuse)
    }
}

fn read(text: &str, folder: &Path) -> Result<Connection, String> {
    let mut entries = entries(text, folder)?;
    check(&entries)?;
    let bootstrap_servers = entries.remove("bootstrap.servers").unwrap_or_default();
    let authorities = entries.get("ssl.ca.location").map(PathBuf::from);
    if let Some(password) = password(&mut entries)? {
        entries.insert("sasl.password".to_owned(), password);
    }
    let token_file = entries.remove(TOKEN_FILE).map(PathBuf::from);
    let connection = Connection { bootstrap_servers, authorities, token_file, options: entries };
    if connection.token_file.is_some() {
        connection.token().map_err(|error| error.to_string())?;
    }
    Ok(connection)
}

fn entries(text: &str, folder: &Path) -> Result<BTreeMap<String, String>, String> {
    let mut entries = BTreeMap::new();
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (name, value) = line.split_once('=').ok_or_else(|| format!("line {number} has no '='; write NAME=VALUE"))?;
        let (name, value) = (name.trim(), value.trim());
        let (_, is_file) = NAMES.iter().find(|(known, _)| *known == name).ok_or_else(|| {
            let known: Vec<_> = NAMES.iter().map(|(name, _)| *name).filter(|name| *name != "sasl.password").collect();
            format!("line {number}: there is no {name}; there are {}", known.join(", "))
        })?;
        if value.is_empty() {
            return Err(format!("line {number}: {name} is empty; give a value or leave the line away"));
        }
        let value = if *is_file { folder.join(value).to_string_lossy().into_owned() } else { value.to_owned() };
        if entries.insert(name.to_owned(), value).is_some() {
            return Err(format!("line {number}: {name} stands there twice; leave one"));
        }
    }
    Ok(entries)
}

/// Whether what is said goes together.
fn check(entries: &BTreeMap<String, String>) -> Result<(), String> {
    let has = |name: &str| entries.contains_key(name);
    if has("sasl.password") {
        return Err(
            "a password in this file would be seen with it; write it into a file of its own and name that as sasl.password.file".to_owned()
        );
    }
    let protocol = entries.get("security.protocol").map_or("PLAINTEXT", String::as_str);
    one_of("security.protocol", protocol, &PROTOCOLS)?;
    if let Some(mechanism) = entries.get("sasl.mechanism") {
        one_of("sasl.mechanism", mechanism, &MECHANISMS)?;
    }
    let is_encrypted = protocol.ends_with("SSL");
    for name in ["ssl.ca.location", "ssl.certificate.location", "ssl.key.location"] {
        if has(name) && !is_encrypted {
            return Err(format!("{name} needs security.protocol=SSL or SASL_SSL; with {protocol} nothing is encrypted"));
        }
    }
    if is_encrypted && !has("ssl.ca.location") {
        return Err(format!(
            "security.protocol={protocol} needs ssl.ca.location, the certificates of the authorities to believe; the system's are in \
             /etc/ssl/certs/ca-certificates.crt on Debian"
        ));
    }
    if has("ssl.certificate.location") != has("ssl.key.location") {
        return Err("ssl.certificate.location and ssl.key.location go together; give both or none".to_owned());
    }
    check_login(entries, protocol)
}

/// Whether a login is whole, and belongs to the protocol.
fn check_login(entries: &BTreeMap<String, String>, protocol: &str) -> Result<(), String> {
    let has = |name: &str| entries.contains_key(name);
    let passwords = usize::from(has("sasl.password.file")) + usize::from(has("sasl.password.env"));
    let is_by_token = entries.get("sasl.mechanism").is_some_and(|mechanism| mechanism == "OAUTHBEARER");
    let is_complete = if is_by_token {
        has(TOKEN_FILE) && !has("sasl.username") && passwords == 0
    } else {
        has("sasl.mechanism") && has("sasl.username") && passwords == 1 && !has(TOKEN_FILE)
    };
    let is_begun = has("sasl.mechanism") || has("sasl.username") || has(TOKEN_FILE) || passwords > 0;
    match (protocol.starts_with("SASL"), is_begun, is_complete) {
        (true, _, false) if is_by_token => Err(format!("sasl.mechanism=OAUTHBEARER needs {TOKEN_FILE}, and no user or password beside it")),
        (true, _, false) => Err(format!(
            "security.protocol={protocol} needs sasl.mechanism, sasl.username and one of sasl.password.file and sasl.password.env"
        )),
        (false, true, _) => Err(format!("security.protocol={protocol} has no login; with sasl.* it is SASL_SSL")),
        _ => Ok(()),
    }
}

fn one_of(name: &str, value: &str, known: &[&str]) -> Result<(), String> {
    if known.contains(&value) { Ok(()) } else { Err(format!("{name} is {value:?}; there are {}", known.join(", "))) }
}

/// Takes the name of the secret out and returns the secret.
fn password(entries: &mut BTreeMap<String, String>) -> Result<Option<String>, String> {
    if let Some(file) = entries.remove("sasl.password.file") {
        let text = fs::read_to_string(&file).map_err(|error| format!("the password in {file} cannot be read: {error}"))?;
        let line = text.lines().next().unwrap_or_default();
        return if line.is_empty() {
            Err(format!("the first line of {file} is empty; write the password there"))
        } else {
            Ok(Some(line.to_owned()))
        };
    }
    let Some(name) = entries.remove("sasl.password.env") else { return Ok(None) };
    match env::var(&name) {
        Ok(password) if !password.is_empty() => Ok(Some(password)),
        _ => Err(format!("sasl.password.env names the variable {name}, which is not set; set it to the password")),
    }
}

#[cfg(test)]
mod tests;

//! `snmp` in the agent's config.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::devices::DeviceConfig;
use crate::names::Names;
use crate::secret::Secret;
use crate::usm::{AuthProtocol, Level, MIN_PASSWORD_BYTES, PrivacyProtocol, User};
use crate::v3::{ENGINE_ID_BYTES, MAX_USER_BYTES};

/// Whom to believe, and what names things have.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SnmpConfig {
    /// Communities of versions 1 and 2c that are accepted.
    pub communities: Vec<Secret>,
    /// Users of version 3.
    pub users: Vec<UserConfig>,
    /// Our engine id in hexadecimal, which version 3 informs are addressed to; empty: made from `agent_id`.
    pub engine_id: String,
    /// Tables of names by `tocsin mibs compile`, on top of the shipped one; relative to the config file's folder.
    pub mibs: Vec<PathBuf>,
    /// Devices whose interfaces and other figures are polled.
    pub devices: Vec<DeviceConfig>,
}

impl Default for SnmpConfig {
    fn default() -> Self {
        Self {
            communities: vec![Secret::Text("public".to_owned())],
            users: Vec::new(),
            engine_id: String::new(),
            mibs: Vec::new(),
            devices: Vec::new(),
        }
    }
}

/// One entry of `snmp.users`.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct UserConfig {
    /// msgUserName. Several entries may have one name; the engine id or the key tells which is meant.
    pub name: String,
    /// The only engine that the user is known to, in hexadecimal; empty: any.
    #[serde(default)]
    pub engine_id: String,
    /// How its messages are authenticated; none: not at all.
    #[serde(default)]
    pub auth: Option<AuthConfig>,
    /// How its messages are encrypted; none: not at all.
    #[serde(default)]
    pub privacy: Option<PrivacyConfig>,
    /// Messages below this level are refused; none: the highest that the keys allow.
    #[serde(default)]
    pub min_level: Option<LevelWord>,
}

/// `auth` of a user.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct AuthConfig {
    /// Protocol.
    pub protocol: AuthWord,
    /// Password of at least eight characters.
    pub password: Secret,
}

/// `privacy` of a user.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct PrivacyConfig {
    /// Protocol.
    pub protocol: PrivacyWord,
    /// Password of at least eight characters.
    pub password: Secret,
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident => $meaning:ident { $($(#[$variant_doc:meta])* $variant:ident $(($word:literal))? $(or $alias:literal)?),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Serialize)]
        #[serde(rename_all = "lowercase")]
        pub enum $name { $($(#[$variant_doc])* $(#[serde(rename = $word)])? $(#[serde(alias = $alias)])? $variant),* }

        impl From<$name> for $meaning {
            fn from(word: $name) -> Self {
                match word { $($name::$variant => Self::$variant),* }
            }
        }
    };
}

words! {
    /// Names of authentication protocols.
    AuthWord => AuthProtocol {
        /// HMAC-MD5-96.
        Md5,
        /// HMAC-SHA-96.
        Sha1 or "sha",
        /// HMAC-128-SHA-224.
        Sha224,
        /// HMAC-192-SHA-256.
        Sha256,
        /// HMAC-256-SHA-384.
        Sha384,
        /// HMAC-384-SHA-512.
        Sha512,
    }
}

words! {
    /// Names of privacy protocols.
    PrivacyWord => PrivacyProtocol {
        /// CBC-DES.
        Des,
        /// AES-128.
        Aes128 or "aes",
        /// AES-192, as Net-SNMP does.
        Aes192,
        /// AES-256, as Net-SNMP does.
        Aes256,
        /// AES-192, as Cisco does.
        Aes192Reeder ("aes192-c"),
        /// AES-256, as Cisco does.
        Aes256Reeder ("aes256-c"),
    }
}

words! {
    /// Names of security levels.
    LevelWord => Level {
        /// Neither authenticated nor encrypted.
        NoAuthNoPriv ("noAuthNoPriv"),
        /// Authenticated.
        AuthNoPriv ("authNoPriv"),
        /// Authenticated and encrypted.
        AuthPriv ("authPriv"),
    }
}

impl SnmpConfig {
    /// Makes paths relative to the config file's folder.
    pub fn stand_beside(&mut self, folder: &Path) {
        let passwords = self.users.iter_mut().flat_map(|user| {
            let auth = user.auth.as_mut().map(|auth| &mut auth.password);
            auth.into_iter().chain(user.privacy.as_mut().map(|privacy| &mut privacy.password))
        });
        passwords.chain(&mut self.communities).for_each(|secret| secret.stand_beside(folder));
        self.devices.iter_mut().for_each(|device| device.stand_beside(folder));
        self.mibs.iter_mut().for_each(|path| *path = folder.join(&path));
    }

    /// What is wrong with the values, one sentence that names key and remedy.
    pub fn check(&self) -> Result<(), String> {
        self.own_engine_id()?;
        self.communities()?;
        let names = self.names()?;
        for user in &self.users {
            user.check()?;
        }
        let users: Vec<_> = self.users.iter().map(|user| user.name.as_str()).collect();
        let mut devices = HashSet::new();
        for device in &self.devices {
            device.check(&users, &names)?;
            if !devices.insert(device.label()) {
                return Err(format!("snmp.devices: two devices have the name {:?}; give each its own", device.label()));
            }
        }
        Ok(())
    }

    /// Our engine id; empty where it is made from the agent's name.
    pub fn own_engine_id(&self) -> Result<Vec<u8>, String> {
        engine_id("snmp.engine_id", &self.engine_id)
    }

    /// The communities, read from their files.
    pub fn communities(&self) -> Result<Vec<Vec<u8>>, String> {
        self.communities.iter().enumerate().map(|(index, secret)| secret.read(&format!("snmp.communities[{index}]"))).collect()
    }

    /// The users with their keys. Making a key takes some milliseconds.
    pub fn users(&self) -> Result<Vec<User>, String> {
        self.users.iter().map(UserConfig::load).collect()
    }

    /// The shipped names and those of `mibs`.
    pub fn names(&self) -> Result<Names, String> {
        let mut names = Names::shipped().map_err(|error| format!("the shipped table of names: {error}"))?;
        for path in &self.mibs {
            let key = || format!("snmp.mibs: {}", path.display());
            let table = fs::read_to_string(path).map_err(|error| format!("{}: {error}; name a table by `tocsin mibs compile`", key()))?;
            names.add(&table).map_err(|error| format!("{}: {error}", key()))?;
        }
        Ok(names)
    }
}

impl UserConfig {
    fn check(&self) -> Result<(), String> {
        let name = &self.name;
        if name.is_empty() || name.len() > MAX_USER_BYTES {
            return Err(format!("snmp.users: the name {name:?} has {} bytes; use 1 to {MAX_USER_BYTES}", name.len()));
        }
        engine_id(&format!("snmp.users: engine_id of {name}"), &self.engine_id)?;
        if let Some(auth) = &self.auth {
            password(&format!("snmp.users: auth.password of {name}"), &auth.password)?;
        }
        if let Some(privacy) = &self.privacy {
            password(&format!("snmp.users: privacy.password of {name}"), &privacy.password)?;
            if self.auth.is_none() {
                return Err(format!("snmp.users: {name} has privacy and no auth; version 3 encrypts only what is authenticated, add auth"));
            }
        }
        let min_level = self.min_level.map_or(Level::NoAuthNoPriv, Level::from);
        if (min_level >= Level::AuthNoPriv && self.auth.is_none()) || (min_level == Level::AuthPriv && self.privacy.is_none()) {
            return Err(format!("snmp.users: min_level of {name} is {}, which needs keys that it has not; add them", min_level.name()));
        }
        Ok(())
    }

    pub(crate) fn load(&self) -> Result<User, String> {
        self.check()?;
        let auth_protocol = self.auth.as_ref().map(|auth| AuthProtocol::from(auth.protocol));
        let key = |what: &str, secret: &Secret| {
            let password = password(&format!("snmp.users: {what}.password of {}", self.name), secret)?;
            Ok::<_, String>(auth_protocol.map(|protocol| protocol.key_of_password(&password)))
        };
        let auth = self.auth.as_ref().map(|auth| key("auth", &auth.password)).transpose()?.flatten();
        let privacy = self.privacy.as_ref().map(|privacy| key("privacy", &privacy.password)).transpose()?.flatten();
        let engine_id = engine_id("snmp.users: engine_id", &self.engine_id)?;
        let mut user = User {
            name: self.name.clone(),
            engine_id: (!engine_id.is_empty()).then_some(engine_id),
            auth: auth_protocol.zip(auth),
            privacy: self.privacy.as_ref().map(|privacy| privacy.protocol.into()).zip(privacy),
            min_level: Level::NoAuthNoPriv,
        };
        user.min_level = self.min_level.map_or(user.max_level(), Level::from);
        Ok(user)
    }
}

fn password(key: &str, secret: &Secret) -> Result<Vec<u8>, String> {
    let password = secret.read(key)?;
    if password.len() < MIN_PASSWORD_BYTES {
        return Err(format!("{key} has {} characters; RFC 3414 asks for at least {MIN_PASSWORD_BYTES}", password.len()));
    }
    Ok(password)
}

/// Bytes of an engine id in hexadecimal, with or without `0x`; none where it is empty.
fn engine_id(key: &str, text: &str) -> Result<Vec<u8>, String> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    if digits.is_empty() {
        return Ok(Vec::new());
    }
    let pair = |pair: &[u8]| std::str::from_utf8(pair).ok().filter(|_| pair.len() == 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = digits.as_bytes().chunks(2).map(pair).collect();
    bytes
        .filter(|bytes| ENGINE_ID_BYTES.contains(&bytes.len()))
        .ok_or_else(|| format!("{key} is {text:?}; write 5 to 32 bytes in hexadecimal, for example 80007ed904726f75746572"))
}

#[cfg(test)]
mod tests;

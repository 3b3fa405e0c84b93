//! The user-based security model (RFC 3414, 3826, 7860): users, their keys, and what is done with them.

use aes::{Aes128, Aes192, Aes256};
use cbc::cipher::block_padding::NoPadding;
use cbc::cipher::{BlockModeDecrypt, BlockModeEncrypt, KeyIvInit};
use des::Des;
use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha224, Sha256, Sha384, Sha512};

/// RFC 3414 A.2: a password is repeated to this length and hashed.
const PASSWORD_BYTES: usize = 1024 * 1024;
/// RFC 3414 11.2.
pub const MIN_PASSWORD_BYTES: usize = 8;

/// How a message shows that it comes from its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AuthProtocol {
    /// HMAC-MD5-96 (RFC 3414).
    Md5,
    /// HMAC-SHA-96 (RFC 3414).
    Sha1,
    /// HMAC-128-SHA-224 (RFC 7860).
    Sha224,
    /// HMAC-192-SHA-256 (RFC 7860).
    Sha256,
    /// HMAC-256-SHA-384 (RFC 7860).
    Sha384,
    /// HMAC-384-SHA-512 (RFC 7860).
    Sha512,
}

/// How a message is encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PrivacyProtocol {
    /// CBC-DES (RFC 3414).
    Des,
    /// CFB128-AES-128 (RFC 3826).
    Aes128,
    /// AES-192, key extended as draft-blumenthal-aes-usm-04 says.
    Aes192,
    /// AES-256, key extended as draft-blumenthal-aes-usm-04 says.
    Aes256,
    /// AES-192, key extended as draft-reeder-snmpv3-usm-3desede says: what Cisco's devices do.
    Aes192Reeder,
    /// AES-256, key extended as draft-reeder-snmpv3-usm-3desede says: what Cisco's devices do.
    Aes256Reeder,
}

/// Protection of a message, from none to all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Neither authenticated nor encrypted.
    #[default]
    NoAuthNoPriv,
    /// Authenticated.
    AuthNoPriv,
    /// Authenticated and encrypted.
    AuthPriv,
}

impl Level {
    /// As the RFCs write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::NoAuthNoPriv => "noAuthNoPriv",
            Self::AuthNoPriv => "authNoPriv",
            Self::AuthPriv => "authPriv",
        }
    }
}

impl AuthProtocol {
    /// Bytes of a message's authentication parameters.
    pub(crate) fn mac_bytes(self) -> usize {
        match self {
            Self::Md5 | Self::Sha1 => 12,
            Self::Sha224 => 16,
            Self::Sha256 => 24,
            Self::Sha384 => 32,
            Self::Sha512 => 48,
        }
    }

    fn hash(self, parts: &[&[u8]]) -> Vec<u8> {
        match self {
            Self::Md5 => hash::<Md5>(parts),
            Self::Sha1 => hash::<Sha1>(parts),
            Self::Sha224 => hash::<Sha224>(parts),
            Self::Sha256 => hash::<Sha256>(parts),
            Self::Sha384 => hash::<Sha384>(parts),
            Self::Sha512 => hash::<Sha512>(parts),
        }
    }

    /// RFC 3414 A.2: the user's key of a password. Takes some milliseconds.
    pub fn key_of_password(self, password: &[u8]) -> MasterKey {
        let repeated: Vec<u8> = password.iter().copied().cycle().take(PASSWORD_BYTES).collect();
        MasterKey(self.hash(&[&repeated]))
    }

    /// RFC 3414 2.6: the user's key at one engine.
    fn localize(self, key: &MasterKey, engine_id: &[u8]) -> Vec<u8> {
        self.hash(&[&key.0, engine_id, &key.0])
    }

    /// Authentication parameters of a message, given in parts; its own parameters must be zero in it.
    fn mac(self, key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
        let mut mac = match self {
            Self::Md5 => mac::<Hmac<Md5>>(key, parts),
            Self::Sha1 => mac::<Hmac<Sha1>>(key, parts),
            Self::Sha224 => mac::<Hmac<Sha224>>(key, parts),
            Self::Sha256 => mac::<Hmac<Sha256>>(key, parts),
            Self::Sha384 => mac::<Hmac<Sha384>>(key, parts),
            Self::Sha512 => mac::<Hmac<Sha512>>(key, parts),
        };
        mac.truncate(self.mac_bytes());
        mac
    }

    fn is_mac(self, key: &[u8], parts: &[&[u8]], told: &[u8]) -> bool {
        if told.len() != self.mac_bytes() {
            return false;
        }
        match self {
            Self::Md5 => is_mac::<Hmac<Md5>>(key, parts, told),
            Self::Sha1 => is_mac::<Hmac<Sha1>>(key, parts, told),
            Self::Sha224 => is_mac::<Hmac<Sha224>>(key, parts, told),
            Self::Sha256 => is_mac::<Hmac<Sha256>>(key, parts, told),
            Self::Sha384 => is_mac::<Hmac<Sha384>>(key, parts, told),
            Self::Sha512 => is_mac::<Hmac<Sha512>>(key, parts, told),
        }
    }
}

fn hash<D: Digest>(parts: &[&[u8]]) -> Vec<u8> {
    let mut digest = D::new();
    parts.iter().for_each(|part| digest.update(part));
    digest.finalize().to_vec()
}

fn keyed<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]]) -> Option<M> {
    // HMAC takes a key of any length.
    let mut mac = <M as KeyInit>::new_from_slice(key).ok()?;
    parts.iter().for_each(|part| mac.update(part));
    Some(mac)
}

fn mac<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]]) -> Vec<u8> {
    keyed::<M>(key, parts).map(|mac| mac.finalize().into_bytes().to_vec()).unwrap_or_default()
}

/// Compares in constant time.
fn is_mac<M: Mac + KeyInit>(key: &[u8], parts: &[&[u8]], told: &[u8]) -> bool {
    keyed::<M>(key, parts).is_some_and(|mac| mac.verify_truncated_left(told).is_ok())
}

impl PrivacyProtocol {
    /// Bytes of the key; for DES the last eight make the initialisation vector.
    fn key_bytes(self) -> usize {
        match self {
            Self::Des | Self::Aes128 => 16,
            Self::Aes192 | Self::Aes192Reeder => 24,
            Self::Aes256 | Self::Aes256Reeder => 32,
        }
    }

    /// A user's key at one engine, as long as the cipher needs it.
    fn localize(self, auth: AuthProtocol, master: &MasterKey, engine_id: &[u8]) -> Vec<u8> {
        let mut key = auth.localize(master, engine_id);
        while key.len() < self.key_bytes() {
            let further = match self {
                Self::Aes192Reeder | Self::Aes256Reeder => auth.localize(&auth.key_of_password(&key), engine_id),
                _ => auth.hash(&[&key]),
            };
            key.extend(further);
        }
        key.truncate(self.key_bytes());
        key
    }

    fn decrypt(self, key: &[u8], clock: (u32, u32), salt: &[u8], data: &[u8]) -> Option<Vec<u8>> {
        let salt: [u8; 8] = salt.try_into().ok()?;
        let mut data = data.to_vec();
        match self {
            Self::Des => {
                let (key, pre_iv) = key.split_at_checked(8)?;
                cbc::Decryptor::<Des>::new_from_slices(key, &des_iv(pre_iv, salt)?).ok()?.decrypt_padded::<NoPadding>(&mut data).ok()?;
            }
            Self::Aes128 => cfb_mode::Decryptor::<Aes128>::new_from_slices(key, &aes_iv(clock, salt)).ok()?.decrypt(&mut data),
            Self::Aes192 | Self::Aes192Reeder => {
                cfb_mode::Decryptor::<Aes192>::new_from_slices(key, &aes_iv(clock, salt)).ok()?.decrypt(&mut data);
            }
            Self::Aes256 | Self::Aes256Reeder => {
                cfb_mode::Decryptor::<Aes256>::new_from_slices(key, &aes_iv(clock, salt)).ok()?.decrypt(&mut data);
            }
        }
        Some(data)
    }

    /// Encrypts; gives the privacy parameters beside the data. No two messages of one boot may have the same salt.
    fn encrypt(self, key: &[u8], clock: (u32, u32), salt: u64, data: &[u8]) -> Option<([u8; 8], Vec<u8>)> {
        let mut data = data.to_vec();
        let salt = match self {
            Self::Des => ((u64::from(clock.0) << 32) | (salt & 0xffff_ffff)).to_be_bytes(),
            _ => salt.to_be_bytes(),
        };
        match self {
            Self::Des => {
                let (key, pre_iv) = key.split_at_checked(8)?;
                data.resize(data.len().next_multiple_of(8), 0);
                let length = data.len();
                let cipher = cbc::Encryptor::<Des>::new_from_slices(key, &des_iv(pre_iv, salt)?).ok()?;
                cipher.encrypt_padded::<NoPadding>(&mut data, length).ok()?;
            }
            Self::Aes128 => cfb_mode::Encryptor::<Aes128>::new_from_slices(key, &aes_iv(clock, salt)).ok()?.encrypt(&mut data),
            Self::Aes192 | Self::Aes192Reeder => {
                cfb_mode::Encryptor::<Aes192>::new_from_slices(key, &aes_iv(clock, salt)).ok()?.encrypt(&mut data);
            }
            Self::Aes256 | Self::Aes256Reeder => {
                cfb_mode::Encryptor::<Aes256>::new_from_slices(key, &aes_iv(clock, salt)).ok()?.encrypt(&mut data);
            }
        }
        Some((salt, data))
    }
}

/// RFC 3414 8.1.1.1.
fn des_iv(pre_iv: &[u8], salt: [u8; 8]) -> Option<[u8; 8]> {
    let mut iv: [u8; 8] = pre_iv.get(..8)?.try_into().ok()?;
    iv.iter_mut().zip(salt).for_each(|(byte, salt)| *byte ^= salt);
    Some(iv)
}

/// RFC 3826 3.1.2.1.
fn aes_iv((boots, time): (u32, u32), salt: [u8; 8]) -> [u8; 16] {
    let mut iv = [0; 16];
    iv[..4].copy_from_slice(&boots.to_be_bytes());
    iv[4..8].copy_from_slice(&time.to_be_bytes());
    iv[8..].copy_from_slice(&salt);
    iv
}

/// A user's key, the same for all engines: RFC 3414 calls it Ku.
#[derive(Clone, PartialEq, Eq)]
pub struct MasterKey(Vec<u8>);

/// A user, and how its messages are protected.
#[derive(Clone, PartialEq)]
pub struct User {
    /// msgUserName.
    pub name: String,
    /// The only engine that it is known to; `None`: any.
    pub engine_id: Option<Vec<u8>>,
    /// How its messages are authenticated, if they are.
    pub auth: Option<(AuthProtocol, MasterKey)>,
    /// How they are encrypted, if they are. Needs `auth`.
    pub privacy: Option<(PrivacyProtocol, MasterKey)>,
    /// Messages below this are refused.
    pub min_level: Level,
}

impl User {
    /// The highest level that its keys allow.
    pub fn max_level(&self) -> Level {
        match (&self.auth, &self.privacy) {
            (None, _) => Level::NoAuthNoPriv,
            (Some(_), None) => Level::AuthNoPriv,
            (Some(_), Some(_)) => Level::AuthPriv,
        }
    }

    /// Its keys at one engine. Takes microseconds; with a Reeder key some milliseconds.
    pub fn localize(&self, engine_id: &[u8]) -> LocalKeys {
        let privacy = self.auth.as_ref().zip(self.privacy.as_ref());
        let privacy = privacy.map(|((auth, _), (protocol, master))| (*protocol, protocol.localize(*auth, master, engine_id)));
        LocalKeys { privacy, ..self.localize_authentication(engine_id) }
    }

    /// The one of them that shows who sent a message. Takes microseconds.
    pub(crate) fn localize_authentication(&self, engine_id: &[u8]) -> LocalKeys {
        let auth = self.auth.as_ref().map(|(protocol, master)| (*protocol, protocol.localize(master, engine_id)));
        LocalKeys { auth, privacy: None }
    }
}

/// The keys of one user at one engine.
#[derive(Clone, Default)]
pub struct LocalKeys {
    auth: Option<(AuthProtocol, Vec<u8>)>,
    privacy: Option<(PrivacyProtocol, Vec<u8>)>,
}

impl LocalKeys {
    /// Whether these are the authentication parameters of the message in `parts`.
    pub(crate) fn is_authentic(&self, parts: &[&[u8]], told: &[u8]) -> bool {
        self.auth.as_ref().is_some_and(|(protocol, key)| protocol.is_mac(key, parts, told))
    }

    /// The authentication parameters of a message.
    pub(crate) fn authenticate(&self, message: &[u8]) -> Vec<u8> {
        self.auth.as_ref().map(|(protocol, key)| protocol.mac(key, &[message])).unwrap_or_default()
    }

    pub(crate) fn mac_bytes(&self) -> usize {
        self.auth.as_ref().map_or(0, |(protocol, _)| protocol.mac_bytes())
    }

    pub(crate) fn decrypt(&self, clock: (u32, u32), salt: &[u8], data: &[u8]) -> Option<Vec<u8>> {
        self.privacy.as_ref().and_then(|(protocol, key)| protocol.decrypt(key, clock, salt, data))
    }

    pub(crate) fn encrypt(&self, clock: (u32, u32), salt: u64, data: &[u8]) -> Option<([u8; 8], Vec<u8>)> {
        self.privacy.as_ref().and_then(|(protocol, key)| protocol.encrypt(key, clock, salt, data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(bytes: &[u8]) -> String {
        crate::render::hex(bytes)
    }

    /// RFC 3414 A.3.1 and A.3.2.
    #[test]
    fn keys_are_those_of_the_rfc_s_samples() {
        let engine_id = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
        let md5 = AuthProtocol::Md5.key_of_password(b"maplesyrup");
        assert_eq!(hex(&md5.0), "9faf3283884e92834ebc9847d8edd963");
        assert_eq!(hex(&AuthProtocol::Md5.localize(&md5, &engine_id)), "526f5eed9fcce26f8964c2930787d82b");
        let sha = AuthProtocol::Sha1.key_of_password(b"maplesyrup");
        assert_eq!(hex(&sha.0), "9fb5cc0381497b3793528939ff788d5d79145211");
        assert_eq!(hex(&AuthProtocol::Sha1.localize(&sha, &engine_id)), "6695febc9288e36282235fc7151f128497b38f3f");
    }

    #[test]
    fn what_is_encrypted_comes_back_with_every_protocol() {
        use PrivacyProtocol::{Aes128, Aes192, Aes192Reeder, Aes256, Aes256Reeder, Des};
        for auth in [AuthProtocol::Md5, AuthProtocol::Sha512] {
            let master = auth.key_of_password(b"correct horse");
            for protocol in [Des, Aes128, Aes192, Aes256, Aes192Reeder, Aes256Reeder] {
                let key = protocol.localize(auth, &master, b"engine");
                let (salt, data) = protocol.encrypt(&key, (3, 4), 5, b"sixteen bytes of").unwrap();
                assert_ne!(data, b"sixteen bytes of");
                assert_eq!(protocol.decrypt(&key, (3, 4), &salt, &data).unwrap(), b"sixteen bytes of", "{protocol:?}");
                assert_eq!(protocol.decrypt(&key, (3, 4), &salt[1..], &data), None);
            }
        }
    }
}

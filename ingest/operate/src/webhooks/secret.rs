//! Who may call: a bearer token, or a body that PagerDuty has signed. Every comparison takes the same time whatever is right.

use std::fmt;
use std::fs;
use std::path::Path;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::Failure;

/// Fewer characters can be guessed.
const FEWEST_CHARS: usize = 16;

/// A secret from a file; nothing prints it.
pub(super) struct Secret(Vec<u8>);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    /// The only line of a file.
    pub(super) fn read(file: &Path) -> Result<Self, Failure> {
        let text = fs::read_to_string(file).map_err(|error| {
            Failure::usage(format!("cannot read the secret in {}: {error}", file.display()), "name a readable file with one line")
        })?;
        Self::new(text.trim_end_matches(['\r', '\n'])).map_err(|problem| {
            Failure::usage(
                format!("the secret in {} is not usable: {problem}", file.display()),
                format!("put one line of {FEWEST_CHARS} characters or more into it, for example from `openssl rand -hex 32`"),
            )
        })
    }

    fn new(text: &str) -> Result<Self, &'static str> {
        if text.len() < FEWEST_CHARS {
            return Err("it is too short");
        }
        if text.chars().any(char::is_whitespace) {
            return Err("it has a space or a line break");
        }
        Ok(Self(text.as_bytes().to_owned()))
    }

    fn mac(&self) -> Option<Hmac<Sha256>> {
        Hmac::new_from_slice(&self.0).ok()
    }

    /// Does the header `Authorization` carry this token?
    pub(super) fn is_borne_by(&self, authorization: &[u8]) -> bool {
        let Some(given) = authorization.strip_prefix(b"Bearer ") else { return false };
        // Tags of one key are compared, so that nothing is learnt from the time that it takes.
        let own = self.mac().map(|mac| mac.chain_update(&self.0).finalize().into_bytes());
        match (self.mac(), own) {
            (Some(mac), Some(own)) => mac.chain_update(given).verify(&own).is_ok(),
            _ => false,
        }
    }

    /// Has this secret signed the body? `X-PagerDuty-Signature` has one signature a secret, while secrets are changed: `v1=HEX,v1=HEX`.
    pub(super) fn has_signed(&self, body: &[u8], signatures: &[u8]) -> bool {
        let Ok(signatures) = std::str::from_utf8(signatures) else { return false };
        signatures
            .split(',')
            .filter_map(|signature| signature.trim().strip_prefix("v1="))
            .filter_map(bytes_of)
            .any(|signature| self.mac().is_some_and(|mac| mac.chain_update(body).verify_slice(&signature).is_ok()))
    }
}

fn bytes_of(hexadecimal: &str) -> Option<Vec<u8>> {
    if hexadecimal.len() & 1 == 1 || !hexadecimal.is_ascii() {
        return None;
    }
    (0..hexadecimal.len()).step_by(2).map(|at| u8::from_str_radix(&hexadecimal[at..at + 2], 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret() -> Secret {
        Secret::new("0123456789abcdef").unwrap()
    }

    #[test]
    fn only_the_token_itself_is_the_token() {
        assert!(secret().is_borne_by(b"Bearer 0123456789abcdef"));
        for other in ["Bearer 0123456789abcdeF", "Bearer 0123456789abcdef0", "Bearer ", "", "0123456789abcdef", "Basic 0123456789abcdef"] {
            assert!(!secret().is_borne_by(other.as_bytes()), "{other:?}");
        }
    }

    /// HMAC-SHA256 of RFC 4231, test case 2: key "Jefe", which is too short for a file.
    #[test]
    fn signatures_are_hmac_sha256_of_the_body() {
        let jefe = Secret(b"Jefe".to_vec());
        let right = "v1=5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843";
        let body = b"what do ya want for nothing?";
        assert!(jefe.has_signed(body, right.as_bytes()));
        let while_secrets_change = format!("v1={}, {right}", "0".repeat(64));
        assert!(jefe.has_signed(body, while_secrets_change.as_bytes()));
        for wrong in ["", "v1=", "v1=5b", &right.replace("v1=", "v0="), &right.replace("5bd", "5be"), &right[..right.len() - 2], "v1=ä"] {
            assert!(!jefe.has_signed(body, wrong.as_bytes()), "{wrong:?}");
        }
        assert!(!jefe.has_signed(b"another body", right.as_bytes()));
    }

    #[test]
    fn short_secrets_are_refused_and_none_is_printed() {
        assert!(Secret::new("short").is_err());
        assert!(Secret::new("two words that are long").is_err());
        assert_eq!(format!("{:?}", secret()), "Secret(..)");
    }
}

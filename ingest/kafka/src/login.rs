//! Logins whose secret is another one while a client runs: a token is read again before it expires, a password when somebody asks for it.

use std::ffi::{CString, NulError, c_char};
use std::fs;
use std::path::Path;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use rdkafka::ClientContext;
use rdkafka::bindings::{rd_kafka_error_destroy, rd_kafka_oauthbearer_set_token, rd_kafka_resp_err_t, rd_kafka_sasl_set_credentials};
use rdkafka::client::{Client, OAuthToken};
use serde::Deserialize;

use crate::{Connection, Error};

/// librdkafka writes what it has to say into so many bytes.
const MESSAGE_BYTES: usize = 512;

/// What this client must know of a token; the broker looks at the rest.
#[derive(Deserialize)]
struct Claims {
    sub: String,
    /// Seconds since 1970.
    exp: f64,
}

impl Connection {
    /// The token of a login by OAUTHBEARER, as its file has it now: what a client's context answers to librdkafka, which asks when four fifths of a
    /// token's life are over.
    ///
    /// # Errors
    ///
    /// Where the file cannot be read, or holds no JSON Web Token.
    pub fn token(&self) -> Result<OAuthToken, Box<dyn std::error::Error>> {
        let file = self.token_file.as_deref().ok_or("sasl.oauthbearer.token.file is not set")?;
        read_token(file).map_err(|problem| format!("the token in {}: {problem}", file.display()).into())
    }

    /// Gives a new client its token, where it logs in by one: librdkafka asks for it only when it is polled, and some clients are asked first.
    ///
    /// # Errors
    ///
    /// Where the file holds none that is good.
    pub fn show_token<C: ClientContext>(&self, client: &Client<C>) -> Result<(), Error> {
        if self.token_file.is_none() {
            return Ok(());
        }
        let config = |reason| Error::Config { bootstrap_servers: self.bootstrap_servers.clone(), reason };
        let OAuthToken { token, principal_name, lifetime_ms } = self.token().map_err(|error| config(error.to_string()))?;
        let (token, principal) = (c_string(token).map_err(config)?, c_string(principal_name).map_err(config)?);
        let mut message = [0_u8; MESSAGE_BYTES];
        // SAFETY: the client lives as long as its reference, the strings end in a zero byte, and librdkafka keeps copies of what it is given.
        #[allow(unsafe_code)]
        let code = unsafe {
            rd_kafka_oauthbearer_set_token(
                client.native_ptr(),
                token.as_ptr(),
                lifetime_ms,
                principal.as_ptr(),
                std::ptr::null_mut(),
                0,
                message.as_mut_ptr().cast::<c_char>(),
                message.len(),
            )
        };
        if code == rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_NO_ERROR {
            return Ok(());
        }
        let text = message.split(|byte| *byte == 0).next().unwrap_or_default();
        Err(config(format!("sasl.oauthbearer.token.file: {}", String::from_utf8_lossy(text))))
    }

    /// From now on a running client logs in with this user and password; a connection that is open stays open.
    ///
    /// # Errors
    ///
    /// Where there is no user and password.
    pub fn renew_password<C: ClientContext>(&self, client: &Client<C>) -> Result<(), Error> {
        let config = |reason| Error::Config { bootstrap_servers: self.bootstrap_servers.clone(), reason };
        let option = |name: &str| self.options.get(name).cloned().ok_or(format!("{name} is not set")).and_then(c_string).map_err(config);
        let (user, password) = (option("sasl.username")?, option("sasl.password")?);
        // SAFETY: the client lives as long as its reference, the strings end in a zero byte, and librdkafka keeps copies; the error is ours to end.
        #[allow(unsafe_code)]
        unsafe {
            let error = rd_kafka_sasl_set_credentials(client.native_ptr(), user.as_ptr(), password.as_ptr());
            if !error.is_null() {
                rd_kafka_error_destroy(error);
                return Err(config("librdkafka does not take the new password".to_owned()));
            }
        }
        Ok(())
    }
}

fn c_string(text: String) -> Result<CString, String> {
    CString::new(text).map_err(|_: NulError| "a zero byte stands in the login; write it without".to_owned())
}

fn read_token(file: &Path) -> Result<OAuthToken, String> {
    let text = fs::read_to_string(file).map_err(|error| format!("cannot be read: {error}"))?;
    let token = text.trim().to_owned();
    let no_token = "is no JSON Web Token with sub and exp; write the access token there, on one line, as the authority gives it";
    let payload = token.split('.').nth(1).ok_or(no_token)?;
    let json = BASE64_URL_SAFE_NO_PAD.decode(payload).map_err(|_| no_token)?;
    let Claims { sub, exp } = serde_json::from_slice(&json).map_err(|_| no_token)?;
    Ok(OAuthToken { token, principal_name: sub, lifetime_ms: (exp * 1_000.0) as i64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(claims: &str) -> String {
        format!("{}.{}.signature", BASE64_URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256"}"#), BASE64_URL_SAFE_NO_PAD.encode(claims))
    }

    fn connection(file: &Path) -> Connection {
        Connection { token_file: Some(file.to_owned()), ..Connection::new("k:9093") }
    }

    #[test]
    fn a_token_is_read_anew_each_time_with_its_user_and_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        for (subject, seconds) in [("tocsin_agent", 1_795_176_000), ("another", 1_795_179_600)] {
            let text = token(&format!(r#"{{"sub":"{subject}","exp":{seconds},"aud":"kafka"}}"#));
            fs::write(&file, format!("{text}\n")).unwrap();
            let read = connection(&file).token().unwrap();
            assert_eq!((read.token, read.principal_name.as_str(), read.lifetime_ms), (text, subject, seconds * 1_000));
        }
    }

    #[test]
    fn what_is_no_token_is_told_by_its_file_and_not_repeated() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("token");
        assert!(connection(&file).token().err().unwrap().to_string().contains("cannot be read"));
        for text in ["", "hunter2", "a.hunter2.c", &token(r#"{"sub":"hunter2"}"#)] {
            fs::write(&file, text).unwrap();
            let told = connection(&file).token().err().unwrap().to_string();
            assert!(told.contains("token: is no JSON Web Token with sub and exp") && !told.contains("hunter2"), "{told}");
        }
    }
}

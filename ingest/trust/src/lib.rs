//! Whom to believe over TLS: authorities from a file, and why a server's certificate is not believed.

use std::error::Error;
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, ClientConnection, RootCertStore};

pub use expiry::{believed_until, shown_until};

mod expiry;

/// How long looking at a certificate may take.
const MAX_LOOK: Duration = Duration::from_secs(3);

/// Why a server's certificate is not believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distrust {
    /// One clause: what is wrong with the certificate.
    pub reason: String,
    /// What to do.
    pub remedy: String,
}

/// Certificates of a PEM file, of authorities or one's own. The error is one sentence that names the file.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let certificates: Vec<_> = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect)
        .map_err(|error| format!("the certificates in {} cannot be read: {error}", path.display()))?;
    if certificates.is_empty() {
        return Err(format!("{} holds no certificate; it must be PEM, as in '-----BEGIN CERTIFICATE-----'", path.display()));
    }
    Ok(certificates)
}

/// The implementation of cryptography that every TLS of this workspace uses.
pub fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// Shakes hands with `host:port` and says why its certificate is not believed; `None` where it is, or where the server does not get that far.
pub fn distrust_of(address: &str, authorities_file: &Path) -> Option<Distrust> {
    let (host, _) = address.rsplit_once(':')?;
    let host = host.trim_matches(['[', ']']);
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(certificates(authorities_file).ok()?);
    let config = ClientConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .ok()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(host.to_owned()).ok()?;
    let mut client = ClientConnection::new(Arc::new(config), name).ok()?;
    let mut stream = TcpStream::connect_timeout(&address.to_socket_addrs().ok()?.next()?, MAX_LOOK).ok()?;
    stream.set_read_timeout(Some(MAX_LOOK)).ok()?;
    stream.set_write_timeout(Some(MAX_LOOK)).ok()?;
    while client.is_handshaking() {
        if let Err(error) = client.complete_io(&mut stream) {
            return distrust(&error, host);
        }
    }
    None
}

/// What an error of a connection to `host` says about the server's certificate, where it does.
pub fn distrust(error: &(dyn Error + 'static), host: &str) -> Option<Distrust> {
    match rustls_error(error)? {
        rustls::Error::InvalidCertificate(error) => Some(explain(error, host)),
        _ => None,
    }
}

fn rustls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return Some(error);
    }
    let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref).map(|inner| inner as &(dyn Error + 'static));
    inner.or_else(|| error.source()).and_then(rustls_error)
}

fn explain(error: &CertificateError, host: &str) -> Distrust {
    let say = |reason: String, remedy: &str| Distrust { reason, remedy: remedy.to_owned() };
    match error {
        CertificateError::ExpiredContext { not_after, .. } => say(
            format!("the certificate of {host} expired at {}", date(*not_after)),
            "give the server a new certificate, or set this machine's clock right",
        ),
        CertificateError::Expired => {
            say(format!("the certificate of {host} has expired"), "give the server a new certificate, or set this machine's clock right")
        }
        CertificateError::NotValidYetContext { not_before, .. } => say(
            format!("the certificate of {host} is valid from {} on", date(*not_before)),
            "set the clocks of this machine and of the one that made the certificate right",
        ),
        CertificateError::NotValidForNameContext { presented, .. } => say(
            format!("the certificate of {host} is for another name: {}", names(presented)),
            "reach the server by a name in its certificate, or give it one with this name as subjectAltName",
        ),
        CertificateError::NotValidForName => say(
            format!("the certificate of {host} is for another name"),
            "reach the server by a name in its certificate, or give it one with this name as subjectAltName",
        ),
        // A bad signature: an authority of the same name with another key, as when it was made anew.
        CertificateError::UnknownIssuer | CertificateError::BadSignature => say(
            format!("the certificate of {host} is by no authority that is believed here"),
            "name the file with the certificate of the authority that signed it; if it is the right one, somebody else answers at this address",
        ),
        CertificateError::Other(other) if other.to_string().contains("CaUsedAsEndEntity") => say(
            format!("the certificate of {host} is that of an authority, signed by itself"),
            "give the server a certificate that is signed by an authority and is none itself, and name the authority's here",
        ),
        other => say(
            format!("the certificate of {host} is not believed: {other}"),
            "look at it with 'openssl s_client -showcerts -connect HOST:PORT'",
        ),
    }
}

fn names(presented: &[String]) -> String {
    let names: Vec<_> = presented.iter().take(5).map(|name| name.trim_start_matches("DnsName(").trim_matches(['"', ')'])).collect();
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

fn date(time: UnixTime) -> String {
    let seconds = i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
    Timestamp::from_second(seconds).map_or_else(|_| "an unknown time".to_owned(), |time| time.to_string())
}

#[cfg(test)]
mod tests;

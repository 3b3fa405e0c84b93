//! TLS (RFC 5425): certificates from files, read again when they change, and the handshake.

use std::fmt::Display;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustls::RootCertStore;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ServerConfig, WebPkiClientVerifier};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::TlsConfig;

/// A peer that takes longer is none; the connection is one of a limited number.
const MAX_HANDSHAKE: Duration = Duration::from_secs(10);

/// A file of `tls` cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("tls.{key} {}: {problem}; {remedy}", .path.display())]
pub struct TlsError {
    key: &'static str,
    path: PathBuf,
    problem: String,
    remedy: &'static str,
}

/// What a listener shows to its peers, always as fresh as the files.
#[derive(Debug)]
pub struct Certificates {
    listener: String,
    config: TlsConfig,
    loaded: Mutex<Loaded>,
}

struct Loaded {
    acceptor: TlsAcceptor,
    /// The files when they were last read, whether they were good or not.
    stamps: Vec<Option<Stamp>>,
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Loaded").field("stamps", &self.stamps).finish_non_exhaustive()
    }
}

/// Tells one content of a file from the next: inode, size, and time of change in nanoseconds.
type Stamp = (u64, u64, i128);

impl Certificates {
    /// Reads the files of the listener of this name.
    pub fn load(listener: &str, config: &TlsConfig) -> Result<Self, TlsError> {
        let stamps = stamps(config);
        let acceptor = acceptor(config)?;
        Ok(Self { listener: listener.to_owned(), config: config.clone(), loaded: Mutex::new(Loaded { acceptor, stamps }) })
    }

    /// Reads the files again where one of them has changed. New ones that cannot be used change nothing and are told of once.
    pub(crate) fn refresh(&self) -> TlsAcceptor {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        let now = stamps(&self.config);
        if loaded.stamps != now {
            loaded.stamps = now;
            match acceptor(&self.config) {
                Ok(acceptor) => {
                    loaded.acceptor = acceptor;
                    tracing::info!(listener = self.listener, "certificates changed; new connections see the new ones");
                }
                Err(error) => {
                    tracing::error!(listener = self.listener, %error, "certificates changed and cannot be used; the old ones stay in use");
                }
            }
        }
        loaded.acceptor.clone()
    }

    /// The handshake with one peer; `Err` says why it failed and what to do.
    pub(crate) async fn handshake(&self, stream: TcpStream, peer: SocketAddr) -> Result<TlsStream<TcpStream>, String> {
        match timeout(MAX_HANDSHAKE, self.refresh().accept(stream)).await {
            Ok(Ok(stream)) => Ok(stream),
            Ok(Err(error)) => Err(format!("{peer}: TLS handshake failed: {error}; {}", remedy(&error))),
            Err(_late) => {
                Err(format!("{peer}: no TLS handshake within {MAX_HANDSHAKE:?}; set the sender to TLS, or send to a tcp listener"))
            }
        }
    }
}

fn remedy(error: &std::io::Error) -> &'static str {
    match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
        Some(rustls::Error::InvalidMessage(_)) => "set the sender to TLS, or send to a tcp listener",
        Some(rustls::Error::NoCertificatesPresented) => {
            "give the sender a certificate of tls.client_ca, or set require_client_certificate to false"
        }
        Some(rustls::Error::InvalidCertificate(_)) => "give the sender a valid certificate of tls.client_ca",
        Some(rustls::Error::AlertReceived(_)) => {
            "the sender refused: let it trust the issuer of tls.certificate, under the name it connects to"
        }
        _ => "look at the sender's log",
    }
}

fn acceptor(config: &TlsConfig) -> Result<TlsAcceptor, TlsError> {
    let chain = certificates("certificate", &config.certificate)?;
    let key = PrivateKeyDer::from_pem_file(&config.key)
        .map_err(|error| unusable("key", &config.key, error, "name a readable PEM file with one private key without a password"))?;
    let provider = Arc::new(ring::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| unusable("certificate", &config.certificate, error, "this is a defect, please report it"))?;
    let builder = match &config.client_ca {
        None => builder.with_no_client_auth(),
        Some(path) => {
            let wrong_root =
                |error: &dyn Display| unusable("client_ca", path, error, "name a PEM file with the certificates of authorities");
            let mut roots = RootCertStore::empty();
            for root in certificates("client_ca", path)? {
                roots.add(root).map_err(|error| wrong_root(&error))?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            let verifier = if config.require_client_certificate { verifier } else { verifier.allow_unauthenticated() };
            builder.with_client_cert_verifier(verifier.build().map_err(|error| wrong_root(&error))?)
        }
    };
    let server = builder.with_single_cert(chain, key).map_err(|error| {
        unusable("key", &config.key, error, "name the private key that belongs to the first certificate of tls.certificate")
    })?;
    Ok(TlsAcceptor::from(Arc::new(server)))
}

fn certificates(key: &'static str, path: &Path) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let unreadable = |problem: &dyn Display| unusable(key, path, problem, "name a readable PEM file with at least one certificate");
    let certificates =
        CertificateDer::pem_file_iter(path).and_then(Iterator::collect::<Result<Vec<_>, _>>).map_err(|error| unreadable(&error))?;
    if certificates.is_empty() { Err(unreadable(&"there is no certificate in it")) } else { Ok(certificates) }
}

fn unusable(key: &'static str, path: &Path, problem: impl Display, remedy: &'static str) -> TlsError {
    TlsError { key, path: path.to_owned(), problem: problem.to_string(), remedy }
}

fn stamps(config: &TlsConfig) -> Vec<Option<Stamp>> {
    let stamp = |path: &PathBuf| {
        let file = fs::metadata(path).ok()?;
        Some((file.ino(), file.size(), i128::from(file.mtime()) * 1_000_000_000 + i128::from(file.mtime_nsec())))
    };
    [Some(&config.certificate), Some(&config.key), config.client_ca.as_ref()].into_iter().flatten().map(stamp).collect()
}

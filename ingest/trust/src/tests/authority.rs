//! An authority for tests, here and of those who connect by TLS: servers with its certificates, valid and not.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread;

use rcgen::{BasicConstraints, Certificate, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// An authority, its certificate in a file, and servers with certificates of it.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    /// A new one with a key of its own.
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // Another than that of what it signs, which OpenSSL else takes for signed by itself.
        params.distinguished_name.push(DnType::CommonName, "Authority of tests");
        let key = KeyPair::generate().unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ca.pem"), params.self_signed(&key).unwrap().pem()).unwrap();
        Self { issuer: Issuer::new(params, key), folder }
    }

    /// Its certificate.
    pub fn file(&self) -> PathBuf {
        self.folder.path().join("ca.pem")
    }

    /// A certificate of it, and the key.
    pub fn issue(&self, params: CertificateParams) -> (Certificate, KeyPair) {
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap(), key)
    }

    /// Shakes hands with whoever comes, says hello over HTTP, and returns `host:port`.
    pub fn serve(&self, params: CertificateParams) -> String {
        self.serve_those(params, WebPkiClientVerifier::no_client_auth())
    }

    /// The same with those alone whom `clients` believes.
    pub fn serve_those(&self, params: CertificateParams, clients: Arc<dyn ClientCertVerifier>) -> String {
        let (certificate, key) = self.issue(params);
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_client_cert_verifier(clients)
            .with_single_cert(vec![certificate.der().clone()], PrivateKeyDer::try_from(key.serialize_der()).unwrap())
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let config = Arc::new(config);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (mut stream, config) = (stream.unwrap(), Arc::clone(&config));
                thread::spawn(move || {
                    let mut server = ServerConnection::new(config).unwrap();
                    // A client that does not believe leaves in the middle; that is its test's business.
                    while server.is_handshaking() && server.complete_io(&mut stream).is_ok() {}
                    let mut stream = StreamOwned::new(server, stream);
                    if stream.read(&mut [0; 4096]).is_ok_and(|bytes| bytes > 0) {
                        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").unwrap();
                    }
                });
            }
        });
        address
    }
}

/// For a server of this name.
pub fn params(name: &str) -> CertificateParams {
    CertificateParams::new(vec![name.to_owned()]).unwrap()
}

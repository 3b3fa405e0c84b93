//! Syslog over TLS: certificates good, bad, replaced, and those of senders.

use std::fs;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use tempfile::TempDir;

use crate::running::{Running, message, start, v4};

/// An authority, and a folder for what it issues.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    pub(crate) folder: TempDir,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        // OpenSSL takes a certificate for self-signed when it has the name of its issuer.
        parameters.distinguished_name.push(DnType::CommonName, "test authority");
        let issuer = CertifiedIssuer::self_signed(parameters, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ca.crt"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    /// Writes `<file>.crt` and `<file>.key` for `name`.
    pub(crate) fn issue(&self, file: &str, name: &str) {
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::new([name.to_owned()]).unwrap();
        parameters.distinguished_name.push(DnType::CommonName, name);
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        let path = |suffix: &str| self.folder.path().join(format!("{file}.{suffix}"));
        fs::write(path("crt"), certificate.pem()).unwrap();
        fs::write(path("key"), key.serialize_pem()).unwrap();
    }

    pub(crate) fn path(&self, file: &str) -> String {
        self.folder.path().join(file).display().to_string()
    }

    /// An agent with a TLS listener that shows a certificate for `localhost`.
    pub(crate) fn start(&self, keys: &str) -> Running {
        self.start_with("tls", keys)
    }

    /// The same for another transport inside TLS.
    pub(crate) fn start_with(&self, transport: &str, keys: &str) -> Running {
        self.issue("agent", "localhost");
        start(&format!(
            "kind: syslog, transport: {transport}, listen: '[::]:0', tls: {{certificate: {}, key: {}{keys}}}",
            self.path("agent.crt"),
            self.path("agent.key")
        ))
    }

    /// Connects as a client that trusts this authority and shows the certificate in `shown`.crt.
    fn connect(&self, port: u16, shown: Option<&str>) -> io::Result<StreamOwned<ClientConnection, TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.issuer.pem().as_bytes()).unwrap()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder =
            ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap().with_root_certificates(roots);
        let config = match shown {
            None => builder.with_no_client_auth(),
            Some(file) => {
                let chain = CertificateDer::pem_file_iter(self.path(&format!("{file}.crt"))).unwrap().map(Result::unwrap).collect();
                builder.with_client_auth_cert(chain, PrivateKeyDer::from_pem_file(self.path(&format!("{file}.key"))).unwrap()).unwrap()
            }
        };
        let client = ClientConnection::new(Arc::new(config), "localhost".try_into().unwrap()).unwrap();
        let mut stream = StreamOwned::new(client, TcpStream::connect(v4(port))?);
        while stream.conn.is_handshaking() {
            stream.conn.complete_io(&mut stream.sock)?;
        }
        Ok(stream)
    }

    /// Sends `bytes` on a connection of its own.
    fn send(&self, port: u16, shown: Option<&str>, bytes: &[u8]) -> io::Result<()> {
        let mut stream = self.connect(port, shown)?;
        stream.write_all(bytes)?;
        stream.conn.send_close_notify();
        stream.flush()?;
        // TLS 1.3 tells of a refused certificate only after the client's part of the handshake is done.
        stream.read_to_end(&mut Vec::new()).map(drop)
    }
}

/// Serial numbers differ, so the certificate that a peer sees tells which file was in use.
fn shown_certificate(authority: &Authority, port: u16) -> Vec<u8> {
    authority.connect(port, None).unwrap().conn.peer_certificates().unwrap()[0].to_vec()
}

fn der(path: &Path) -> Vec<u8> {
    CertificateDer::from_pem_file(path).unwrap().to_vec()
}

fn messages(running: &Running) -> Vec<String> {
    let mut messages: Vec<_> = running.events().iter().map(|event| message(event).to_owned()).collect();
    messages.sort();
    messages
}

#[test]
fn octet_counting_and_lines_both_come_through_tls() {
    let authority = Authority::new();
    let running = authority.start("");
    let long = format!("<13>{}\n", "x".repeat(70_000));
    authority.send(running.port(), None, b"12 <13>two\nrows9 <13>three").unwrap();
    authority.send(running.port(), None, b"<13>one\n<13>four\n").unwrap();
    authority.send(running.port(), None, long.as_bytes()).unwrap();
    let stats = running.wait_for(|stats| stats.acked == 5);
    assert_eq!((stats.received, stats.events, stats.malformed), (5, 5, 0));
    assert_eq!(messages(&running)[..4], ["four", "one", "three", "two\nrows"]);
    let opened_and_open = running.counters[0].connections();
    assert_eq!(opened_and_open.1, 3);
}

#[test]
fn a_peer_that_speaks_no_tls_is_refused_and_counted_and_others_go_on() {
    let authority = Authority::new();
    let running = authority.start("");
    let mut plain = TcpStream::connect(v4(running.port())).unwrap();
    plain.write_all(b"<13>not encrypted\n").unwrap();
    // What the agent answers, an alert, ends with the connection.
    let _ = plain.read_to_end(&mut Vec::new());
    authority.send(running.port(), None, b"<13>encrypted\n").unwrap();
    running.wait_for(|stats| stats.acked == 1);
    assert_eq!((messages(&running), running.counters[0].connections_refused()), (vec!["encrypted".to_owned()], 1));
}

#[test]
fn a_client_certificate_is_required_where_the_config_says_so() {
    let authority = Authority::new();
    let stranger = Authority::new();
    authority.issue("sender", "sender.example.com");
    stranger.issue("stranger", "sender.example.com");
    for file in ["stranger.crt", "stranger.key"] {
        fs::copy(stranger.path(file), authority.path(file)).unwrap();
    }
    let running = authority.start(&format!(", client_ca: {}, require_client_certificate: true", authority.path("ca.crt")));
    authority.send(running.port(), Some("sender"), b"<13>known\n").unwrap();
    for shown in [None, Some("stranger")] {
        authority.send(running.port(), shown, b"<13>unknown\n").unwrap_err();
    }
    running.wait_for(|stats| stats.acked == 1 && running.counters[0].connections_refused() == 2);
    assert_eq!(messages(&running), ["known"]);
}

#[test]
fn a_client_certificate_that_is_not_required_must_still_be_good() {
    let authority = Authority::new();
    authority.issue("sender", "sender.example.com");
    let running = authority.start(&format!(", client_ca: {}", authority.path("ca.crt")));
    authority.send(running.port(), None, b"<13>without\n").unwrap();
    authority.send(running.port(), Some("sender"), b"<13>with\n").unwrap();
    running.wait_for(|stats| stats.acked == 2);
    assert_eq!(messages(&running), ["with", "without"]);
}

#[test]
fn replaced_certificates_are_shown_without_a_restart_and_broken_ones_change_nothing() {
    let authority = Authority::new();
    let running = authority.start("");
    let file = authority.folder.path().join("agent.crt");
    let first = der(&file);
    assert_eq!(shown_certificate(&authority, running.port()), first);

    fs::write(&file, "-----BEGIN CERTIFICATE-----\nbroken").unwrap();
    assert_eq!(shown_certificate(&authority, running.port()), first, "a broken file leaves the old one in use");

    authority.issue("agent", "localhost");
    let second = der(&file);
    assert_ne!(first, second);
    assert_eq!(shown_certificate(&authority, running.port()), second);
}

#[test]
fn a_stop_reads_what_a_tls_sender_had_sent() {
    let authority = Authority::new();
    let running = authority.start("");
    let mut stream = authority.connect(running.port(), None).unwrap();
    for number in 0..500 {
        stream.write_all(format!("<13>line {number}\n").as_bytes()).unwrap();
    }
    stream.flush().unwrap();
    running.wait_for(|stats| stats.received > 0);
    let counters = Arc::clone(&running.counters[0]);
    running.agent.drain();
    assert_eq!((counters.snapshot().received, counters.snapshot().acked), (500, 500));
}

/// Until it can no longer be read the certificate's end is told, and from then on that there is none.
#[test]
fn the_end_of_each_certificate_is_a_metric_and_a_file_that_is_gone_a_warning() {
    let authority = Authority::new();
    let running = authority.start(&format!(", client_ca: {}", authority.path("ca.crt")));
    let shown = |file: &str| format!("tocsin_agent_certificate_expires_timestamp_seconds{{file=\"{}\"}} ", authority.path(file));
    let metrics = running.get("/metrics");
    // What rcgen gives where nobody says otherwise: 4096-01-01.
    assert!(metrics.contains(&format!("{}67090118400\n", shown("agent.crt"))), "{metrics}");
    assert!(metrics.contains(&format!("{}67090118400\n", shown("ca.crt"))), "{metrics}");

    fs::remove_file(authority.path("agent.crt")).unwrap();
    assert!(running.get("/metrics").contains(&format!("{}0\n", shown("agent.crt"))));
    let health = running.get("/health");
    assert!(health.contains("agent.crt cannot be read"), "{health}");
}

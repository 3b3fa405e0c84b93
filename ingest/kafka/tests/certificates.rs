//! A broker whose certificate is not believed, as a command tells it.

use std::fs;
use std::sync::Arc;

use rcgen::{Certificate, CertificateParams, KeyPair, date_time_ymd};
use rustls::RootCertStore;
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::server::WebPkiClientVerifier;
use tocsin_kafka::{Connection, Error, TopicReader};

#[path = "../../trust/src/tests/authority.rs"]
mod authority;

use authority::{Authority, params};

/// What asking a broker with this certificate ends with, believing `believed`.
fn told(broker: &Authority, certificate: CertificateParams, believed: &Authority) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("kafka.properties");
    let text =
        format!("bootstrap.servers={}\nsecurity.protocol=SSL\nssl.ca.location={}\n", broker.serve(certificate), believed.file().display());
    std::fs::write(&file, text).unwrap();
    let reader = TopicReader::new(&Connection::from_file(&file).unwrap(), "test", &[], |_| ()).unwrap();
    match reader.ping("devices-v1").unwrap_err() {
        Error::Trouble { trouble, .. } => trouble.to_string(),
        other => panic!("not explained: {other}"),
    }
}

#[test]
fn an_expired_certificate_is_told_with_its_end_and_the_remedy() {
    let authority = Authority::new();
    let mut expired = params("127.0.0.1");
    (expired.not_before, expired.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
    let told = told(&authority, expired, &authority);
    assert!(told.starts_with("the certificate of 127.0.0.1 expired at 2021-01-01T00:00:00Z; give the server a new certificate"), "{told}");
}

#[test]
fn a_certificate_for_another_host_is_told_with_its_names_and_the_remedy() {
    let authority = Authority::new();
    let told = told(&authority, params("kafka-1.example.org"), &authority);
    assert!(told.starts_with("the certificate of 127.0.0.1 is for another name: kafka-1.example.org; reach the server by"), "{told}");
}

#[test]
fn a_certificate_of_another_authority_is_told_with_the_remedy() {
    let told = told(&Authority::new(), params("127.0.0.1"), &Authority::new());
    assert!(told.starts_with("the certificate of 127.0.0.1 is by no authority that is believed here; name the file"), "{told}");
}

#[test]
fn a_broker_that_asks_for_a_certificate_is_shown_that_of_the_config_and_one_that_it_does_not_believe_is_told() {
    let (authority, folder) = (Authority::new(), tempfile::tempdir().unwrap());
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(authority.file()).unwrap()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let clients = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
    let address = authority.serve_those(params("127.0.0.1"), clients);
    let asked = |lines: &str| {
        let file = folder.path().join("kafka.properties");
        let ca = authority.file();
        fs::write(&file, format!("bootstrap.servers={address}\nsecurity.protocol=SSL\nssl.ca.location={}\n{lines}", ca.display())).unwrap();
        let reader = TopicReader::new(&Connection::from_file(&file).unwrap(), "test", &[], |_| ()).unwrap();
        reader.ping("devices-v1").unwrap_err().to_string()
    };
    let shown = |(certificate, key): (Certificate, KeyPair)| {
        let [certificate, key] = [("tocsin.pem", certificate.pem()), ("tocsin.key", key.serialize_pem())].map(|(name, pem)| {
            fs::write(folder.path().join(name), pem).unwrap();
            folder.path().join(name).display().to_string()
        });
        asked(&format!("ssl.certificate.location={certificate}\nssl.key.location={key}\n"))
    };
    for told in [asked(""), shown(Authority::new().issue(params("tocsin")))] {
        assert!(told.contains("does not believe this client's certificate, or misses one; set ssl.certificate.location"), "{told}");
    }
    // It is no Kafka, so the way ends behind the handshake.
    let told = shown(authority.issue(params("tocsin")));
    assert!(told.contains("Broker transport failure") && !told.contains("certificate"), "{told}");
}

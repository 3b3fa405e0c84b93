//! A broker whose certificate is not believed, as a command tells it.

use rcgen::{CertificateParams, date_time_ymd};
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

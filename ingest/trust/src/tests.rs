use std::fs;

use rcgen::date_time_ymd;

use super::*;
use authority::{Authority, params};

mod authority;

#[test]
fn a_certificate_of_the_authority_for_this_host_is_believed() {
    let authority = Authority::new();
    assert_eq!(distrust_of(&authority.serve(params("127.0.0.1")), &authority.file()), None);
}

#[test]
fn an_expired_certificate_is_told_with_its_end() {
    let authority = Authority::new();
    let mut expired = params("127.0.0.1");
    (expired.not_before, expired.not_after) = (date_time_ymd(2020, 1, 1), date_time_ymd(2021, 1, 1));
    let told = distrust_of(&authority.serve(expired), &authority.file()).unwrap();
    assert_eq!(told.reason, "the certificate of 127.0.0.1 expired at 2021-01-01T00:00:00Z");
    assert!(told.remedy.contains("give the server a new certificate"), "{told:?}");
}

#[test]
fn a_certificate_for_another_host_is_told_with_its_names() {
    let authority = Authority::new();
    let told = distrust_of(&authority.serve(params("kafka-1.example.org")), &authority.file()).unwrap();
    assert_eq!(told.reason, "the certificate of 127.0.0.1 is for another name: kafka-1.example.org");
}

#[test]
fn a_certificate_of_another_authority_is_told() {
    let (authority, other) = (Authority::new(), Authority::new());
    let told = distrust_of(&authority.serve(params("127.0.0.1")), &other.file()).unwrap();
    assert_eq!(told.reason, "the certificate of 127.0.0.1 is by no authority that is believed here");
}

#[test]
fn an_authority_that_serves_with_its_own_certificate_is_told() {
    let authority = Authority::new();
    let mut own = params("127.0.0.1");
    own.is_ca = rcgen::IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
    let told = distrust_of(&authority.serve(own), &authority.file()).unwrap();
    assert_eq!(told.reason, "the certificate of 127.0.0.1 is that of an authority, signed by itself");
}

#[test]
fn a_file_without_certificates_is_refused_by_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ca.pem");
    fs::write(&file, "hello").unwrap();
    assert!(certificates(&file).unwrap_err().contains("ca.pem holds no certificate"));
    assert!(certificates(&folder.path().join("none.pem")).unwrap_err().contains("none.pem cannot be read"));
}

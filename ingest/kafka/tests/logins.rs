//! What clients show at a login, as a broker sees it that lets nobody in: a token and a password are those that their files have then.

use std::fs;
use std::io::{self, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use rdkafka::producer::{BaseProducer, Producer};
use tempfile::TempDir;
use tocsin_kafka::{Connection, TopicReader, TopicWriter};

const PATIENCE: Duration = Duration::from_secs(60);
const API_VERSIONS: i16 = 18;
const SASL_HANDSHAKE: i16 = 17;
const SASL_AUTHENTICATE: i16 = 36;
const UNSUPPORTED_VERSION: i16 = 35;
const AUTHENTICATION_FAILED: i16 = 58;

/// A broker that tells what was shown to it and refuses it; returns its address.
fn broker(mechanism: &'static str) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (shown, logins) = channel();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let shown = shown.clone();
            // A client that hangs up has been answered, or comes again.
            thread::spawn(move || drop(converse(stream.unwrap(), mechanism, &shown)));
        }
    });
    (address, logins)
}

/// Answers requests until one is a login.
fn converse(mut stream: TcpStream, mechanism: &str, shown: &Sender<String>) -> io::Result<()> {
    loop {
        let mut size = [0; 4];
        stream.read_exact(&mut size)?;
        let mut request = vec![0; u32::from_be_bytes(size) as usize];
        stream.read_exact(&mut request)?;
        let (key, version) = (i16::from_be_bytes([request[0], request[1]]), i16::from_be_bytes([request[2], request[3]]));
        let client_id = i16::from_be_bytes([request[8], request[9]]) as usize;
        let answer = match key {
            API_VERSIONS => {
                let error = if version == 0 { 0 } else { UNSUPPORTED_VERSION };
                let apis = [(3, 0, 1), (SASL_HANDSHAKE, 0, 1), (API_VERSIONS, 0, 0), (SASL_AUTHENTICATE, 0, 0)];
                let apis = apis.iter().flat_map(|(key, min, max): &(i16, i16, i16)| [*key, *min, *max]);
                [error, 0, 4].into_iter().chain(apis).flat_map(i16::to_be_bytes).collect()
            }
            SASL_HANDSHAKE => [&[0, 0, 0, 0, 0, 1][..], &(mechanism.len() as i16).to_be_bytes(), mechanism.as_bytes()].concat(),
            SASL_AUTHENTICATE => {
                let login = &request[10 + client_id + 4..];
                // Whoever listened may have heard enough.
                let _ = shown.send(String::from_utf8_lossy(login).into_owned());
                [&AUTHENTICATION_FAILED.to_be_bytes()[..], &(-1_i16).to_be_bytes(), &0_i32.to_be_bytes()].concat()
            }
            other => panic!("a request of kind {other} without a login"),
        };
        stream.write_all(&[&(answer.len() as u32 + 4).to_be_bytes(), &request[4..8], &answer].concat())?;
    }
}

fn connection(folder: &TempDir, address: &str, login: &str) -> Connection {
    let file = folder.path().join("kafka.properties");
    fs::write(&file, format!("bootstrap.servers={address}\nsecurity.protocol=SASL_PLAINTEXT\n{login}\n")).unwrap();
    Connection::from_file(&file).unwrap()
}

/// Waits for a login; others may have been on their way.
#[track_caller]
fn await_login(logins: &Receiver<String>, wanted: &str) {
    while logins.recv_timeout(PATIENCE).unwrap() != wanted {}
}

fn write_token(file: &Path, claims_in_base64: &str) {
    fs::write(file, format!("e30.{claims_in_base64}.c2lnbmF0dXJl\n")).unwrap();
}

/// {"sub":"one","exp":4102444800} and {"sub":"two","exp":4102444800}: the year 2100.
const ONE: &str = "eyJzdWIiOiJvbmUiLCJleHAiOjQxMDI0NDQ4MDB9";
const TWO: &str = "eyJzdWIiOiJ0d28iLCJleHAiOjQxMDI0NDQ4MDB9";

#[test]
fn readers_and_writers_show_the_token_of_their_file() {
    let folder = tempfile::tempdir().unwrap();
    let (address, logins) = broker("OAUTHBEARER");
    let token = folder.path().join("token");
    write_token(&token, ONE);
    let connection = connection(&folder, &address, "sasl.mechanism=OAUTHBEARER\nsasl.oauthbearer.token.file=token");
    let bearer = |claims: &str| format!("n,,\u{1}auth=Bearer e30.{claims}.c2lnbmF0dXJl\u{1}\u{1}");

    let reader = TopicReader::new(&connection, "reader", &[], |_| ()).unwrap();
    let told = reader.ping("devices-v1").unwrap_err().to_string();
    assert_eq!(logins.recv_timeout(PATIENCE).unwrap(), bearer(ONE));
    assert!(told.contains("the broker does not accept this token"), "{told}");
    drop(reader);
    logins.try_iter().for_each(drop);

    write_token(&token, TWO);
    let _writer = TopicWriter::new(&connection, "writer").unwrap();
    await_login(&logins, &bearer(TWO));
}

#[test]
fn a_running_client_shows_a_password_that_is_another_one_now() {
    let folder = tempfile::tempdir().unwrap();
    let (address, logins) = broker("PLAIN");
    let password = folder.path().join("password");
    fs::write(&password, "first").unwrap();
    let login = "sasl.mechanism=PLAIN\nsasl.username=tocsin_agent\nsasl.password.file=password";
    let producer: BaseProducer = connection(&folder, &address, login).client("producer").create().unwrap();
    assert_eq!(logins.recv_timeout(PATIENCE).unwrap(), "\0tocsin_agent\0first");

    fs::write(&password, "second").unwrap();
    connection(&folder, &address, login).renew_password(producer.client()).unwrap();
    await_login(&logins, "\0tocsin_agent\0second");
}

use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::Mutex;

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use tokio::net::TcpListener;

use super::*;
use crate::connection::BoundedListener;

const TOKEN: &str = "a-token-of-the-desk";
const SECRET: &str = "a-secret-of-pagerduty";
const FINGERPRINT: &str = "0123456789abcdef0123456789abcdef";

/// A server on a port of its own, and what it said.
struct Server {
    _runtime: tokio::runtime::Runtime,
    address: SocketAddr,
    said: Arc<Mutex<Vec<Acknowledgement>>>,
}

impl Server {
    fn start(longest: Duration, is_kafka_away: bool) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let secret = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), format!("{text}\n")).unwrap();
            Some(Secret::read(&folder.path().join(name)).unwrap())
        };
        let said = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&said);
        let say = move |words: &[Acknowledgement]| {
            if is_kafka_away {
                return Err(Failure::new("Kafka is away", "start it"));
            }
            heard.lock().unwrap().extend_from_slice(words);
            Ok(())
        };
        let desk =
            Desk { token: secret("token", TOKEN), pagerduty: secret("pagerduty", SECRET), say: Box::new(say), calls: Calls::default() };
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        runtime.spawn(async move { axum::serve(BoundedListener::new(listener, longest), router(desk)).await });
        Self { _runtime: runtime, address, said }
    }

    fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> u16 {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut request = agent.post(format!("http://{}{path}", self.address));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send(body).unwrap().status().as_u16()
    }

    fn said(&self) -> Vec<Acknowledgement> {
        self.said.lock().unwrap().clone()
    }
}

fn server() -> Server {
    Server::start(LONGEST_CONNECTION, false)
}

fn own_body() -> String {
    format!(r#"{{"action": "acknowledge", "fingerprint": "{FINGERPRINT}", "by": "ada"}}"#)
}

#[test]
fn a_call_with_the_token_is_said_and_one_without_it_is_not() {
    let server = server();
    for headers in [&[][..], &[("Authorization", "Bearer another-token")], &[("Authorization", SECRET)]] {
        assert_eq!(server.post("/acknowledgements", headers, &own_body()), 401);
        assert_eq!(server.post("/opsgenie", headers, "{}"), 401);
    }
    assert!(server.said().is_empty());
    assert_eq!(server.post("/acknowledgements", &[("Authorization", &format!("Bearer {TOKEN}"))], &own_body()), 200);
    assert_eq!(server.said()[0].by, "ada");
}

#[test]
fn pagerduty_signs_its_calls() {
    let server = server();
    let body = format!(
        r#"{{"event": {{"id": "e1", "event_type": "incident.acknowledged", "agent": {{"summary": "ada"}}, "data": {{"title": "x [{FINGERPRINT}]"}}}}}}"#
    );
    let mac = Hmac::<Sha256>::new_from_slice(SECRET.as_bytes()).unwrap().chain_update(&body).finalize().into_bytes();
    let signature: String = mac.iter().fold("v1=".to_owned(), |text, byte| format!("{text}{byte:02x}"));
    assert_eq!(server.post("/pagerduty", &[(PAGERDUTY_SIGNATURE, &signature)], &body.replace("ada", "eve")), 401);
    assert_eq!(server.post("/pagerduty", &[("Authorization", &format!("Bearer {TOKEN}"))], &body), 401);
    assert_eq!(server.post("/pagerduty", &[(PAGERDUTY_SIGNATURE, &signature)], &body), 200);
    assert_eq!(server.said()[0].fingerprint, FINGERPRINT);
}

#[test]
fn what_is_of_no_use_is_refused_and_what_kafka_does_not_take_may_come_again() {
    let token = format!("Bearer {TOKEN}");
    let headers = [("Authorization", token.as_str())];
    let server = server();
    assert_eq!(server.post("/acknowledgements", &headers, "no JSON"), 400);
    assert_eq!(server.post("/acknowledgements", &headers, &" ".repeat(MAX_BODY_BYTES + 1)), 413);
    assert_eq!(server.post("/elsewhere", &headers, ""), 404);
    let without_kafka = Server::start(LONGEST_CONNECTION, true);
    assert_eq!(without_kafka.post("/acknowledgements", &headers, &own_body()), 503);
}

/// One that says nothing, and one that says its header letter by letter.
#[test]
fn a_connection_ends_whatever_the_caller_does() {
    let server = Server::start(Duration::from_millis(300), false);
    for beginning in [&b""[..], b"POST /acknowledgements HTTP/1.1\r\nContent-Length: 10\r\n\r\n{"] {
        let mut connection = TcpStream::connect(server.address).unwrap();
        connection.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        connection.write_all(beginning).unwrap();
        let mut answer = Vec::new();
        // It ends, with an answer or without; a time-out of ours is an error of another kind.
        if let Err(error) = connection.read_to_end(&mut answer) {
            assert_eq!(error.kind(), std::io::ErrorKind::ConnectionReset);
        }
    }
}

#[test]
fn calls_are_counted_by_what_became_of_them() {
    let server = server();
    server.post("/opsgenie", &[], "{}");
    server.post("/acknowledgements", &[("Authorization", &format!("Bearer {TOKEN}"))], "nonsense");
    let text = ureq::get(format!("http://{}/metrics", server.address)).call().unwrap().into_body().read_to_string().unwrap();
    let samples: Vec<_> = text.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(
        samples,
        [
            r#"tocsin_webhooks_calls_total{result="taken"} 0"#,
            r#"tocsin_webhooks_calls_total{result="unusable"} 1"#,
            r#"tocsin_webhooks_calls_total{result="refused"} 1"#,
            r#"tocsin_webhooks_calls_total{result="failed"} 0"#,
        ]
    );
}

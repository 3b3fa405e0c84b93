use std::io::{Read, Write};
use std::net::TcpStream;

use tokio::net::TcpListener;

use super::*;
use crate::connection::BoundedListener;

/// What it answers at a port of its own, with the complaints that it has made.
struct Listening {
    _runtime: tokio::runtime::Runtime,
    address: SocketAddr,
    told: tokio::sync::mpsc::UnboundedReceiver<String>,
    ear: Arc<Ear>,
}

fn listening(limit: Duration) -> Listening {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
    let address = listener.local_addr().unwrap();
    let (complaints, told) = tokio::sync::mpsc::unbounded_channel();
    let ear = Arc::new(Ear { started: Instant::now(), silence: Mutex::new(Silence::new(limit)), complaints });
    let router = router(Arc::clone(&ear));
    runtime.spawn(async move { axum::serve(BoundedListener::new(listener, LONGEST_CONNECTION), router).await });
    Listening { _runtime: runtime, address, told, ear }
}

impl Listening {
    fn ask(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = TcpStream::connect(self.address).unwrap();
        let length = body.len();
        write!(stream, "{method} {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}").unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    fn complaints(&mut self) -> Vec<String> {
        std::iter::from_fn(|| self.told.try_recv().ok()).collect()
    }
}

const BEAT: &str = r#"{"alerts":[{"status":"firing","labels":{"source":"tocsin-heartbeat"}}]}"#;

#[test]
fn it_is_well_while_beats_come_and_counts_no_other_page() {
    let mut listening = listening(Duration::from_secs(3_600));
    assert!(listening.ask("POST", "/beats", BEAT).starts_with("HTTP/1.1 200"));
    assert!(listening.ask("POST", "/beats", r#"{"alerts":[]}"#).ends_with("this tells of no heartbeat\n"));
    assert!(listening.ask("POST", "/beats", "ping").starts_with("HTTP/1.1 400"));
    assert!(listening.ask("GET", "/health", "").starts_with("HTTP/1.1 200"));
    assert!(listening.ask("GET", "/metrics", "").contains("\ntocsin_heartbeat_complains 0\n"));
    listening.ear.look();
    assert_eq!(listening.complaints(), Vec::<String>::new());
}

#[test]
fn it_complains_once_when_beats_stay_away_and_says_when_they_are_back() {
    let mut listening = listening(Duration::ZERO);
    listening.ear.look();
    listening.ear.look();
    assert!(listening.ask("GET", "/health", "").starts_with("HTTP/1.1 503"));
    assert!(listening.ask("GET", "/metrics", "").contains("\ntocsin_heartbeat_complains 1\n"));
    listening.ask("POST", "/beats", BEAT);
    let complaints = listening.complaints();
    assert_eq!(complaints.len(), 2, "{complaints:?}");
    assert!(complaints[0].starts_with("no heartbeat of Tocsin for "), "{complaints:?}");
    assert!(complaints[1].starts_with("the heartbeat of Tocsin is back after "), "{complaints:?}");
}

#[test]
fn a_complaint_is_told_until_somebody_takes_it() {
    let receiver = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/", receiver.local_addr().unwrap());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let (complaints, told) = tokio::sync::mpsc::unbounded_channel();
    runtime.spawn(complain(url, told));
    complaints.send("no heartbeat".to_owned()).unwrap();
    for status in ["503 Service Unavailable", "200 OK"] {
        let (mut stream, _) = receiver.accept().unwrap();
        let mut request = Vec::new();
        let mut buffer = [0; 1024];
        while !request.ends_with(b"{\"text\":\"no heartbeat\"}") {
            let count = stream.read(&mut buffer).unwrap();
            assert!(count > 0, "{}", String::from_utf8_lossy(&request));
            request.extend_from_slice(&buffer[..count]);
        }
        write!(stream, "HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").unwrap();
    }
}

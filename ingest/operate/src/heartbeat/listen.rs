//! `tocsin heartbeat listen`.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::StatusCode;
use axum::routing::{get, post};
use clap::Args;

use super::beat;
use super::silence::{Change, Silence};
use crate::Failure;
use crate::connection::serve;

/// Far more than a notification of a few heartbeats.
const MAX_BODY_BYTES: usize = 256 << 10;
const LONGEST_CONNECTION: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Who takes the complaint answers within it; else it is told again at the next look.
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

const AFTER_HELP: &str = "\
POST /beats   for Alertmanager's webhook; a notification that tells of no heartbeat is none
GET /health   200 while beats come, 503 while they stay away, with a line that says since when
GET /metrics  tocsin_heartbeat_silence_seconds, tocsin_heartbeat_complains

It complains on standard error and where --complain-to says, once when beats stay away and once when they come again. It must run where Tocsin does
not: a machine that dies takes both sides along. Exit codes: 64 the command line is not usable; it does not end by itself.";

/// `tocsin heartbeat listen`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub(super) struct ListenArgs {
    /// Where to listen.
    #[arg(long, env = "TOCSIN_HEARTBEAT_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:9097")]
    listen: SocketAddr,

    /// Silence that is too long: three times that of the beats, and a little for the way.
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..))]
    silent_after: u64,

    /// Takes each complaint as JSON {"text": "..."}, as chat webhooks do.
    #[arg(long, env = "TOCSIN_HEARTBEAT_COMPLAIN_TO", value_name = "URL")]
    complain_to: Option<String>,
}

struct Ear {
    started: Instant,
    silence: Mutex<Silence>,
    /// Complaints, in order.
    complaints: tokio::sync::mpsc::UnboundedSender<String>,
}

impl Ear {
    fn silence(&self) -> (MutexGuard<'_, Silence>, Duration) {
        (self.silence.lock().unwrap_or_else(PoisonError::into_inner), self.started.elapsed())
    }

    fn hear(&self) {
        let (mut silence, at) = self.silence();
        self.tell(silence.hear(at));
    }

    fn look(&self) {
        let (mut silence, at) = self.silence();
        self.tell(silence.look(at));
    }

    fn tell(&self, change: Option<Change>) {
        let text = match change {
            None => return,
            Some(Change::Silent(lasts)) => format!(
                "no heartbeat of Tocsin for {} s: alerts may not reach anybody; grafana/runbooks/heartbeat.md says where to look",
                lasts.as_secs()
            ),
            Some(Change::Heard(after)) => format!("the heartbeat of Tocsin is back after {} s", after.as_secs()),
        };
        eprintln!("{text}");
        // Nobody takes them where --complain-to is not given.
        let _ = self.complaints.send(text);
    }
}

/// Listens until it is stopped.
pub(super) fn run(args: &ListenArgs) -> Result<(), Failure> {
    serve(args.listen, LONGEST_CONNECTION, || {
        let (complaints, told) = tokio::sync::mpsc::unbounded_channel();
        let silence = Mutex::new(Silence::new(Duration::from_secs(args.silent_after)));
        let ear = Arc::new(Ear { started: Instant::now(), silence, complaints });
        match &args.complain_to {
            Some(url) => drop(tokio::spawn(complain(url.clone(), told))),
            None => drop(told),
        }
        tokio::spawn(look(Arc::clone(&ear)));
        router(ear)
    })
}

async fn look(ear: Arc<Ear>) {
    let mut clock = tokio::time::interval(LOOK_EVERY);
    loop {
        clock.tick().await;
        ear.look();
    }
}

/// Each until it is taken. There are two an outage.
async fn complain(url: String, mut told: tokio::sync::mpsc::UnboundedReceiver<String>) {
    let http = ureq::Agent::config_builder().timeout_global(Some(LONGEST_ANSWER)).build().new_agent();
    while let Some(text) = told.recv().await {
        let body = serde_json::json!({ "text": text }).to_string();
        let mut has_failed = false;
        loop {
            let (http, url, body) = (http.clone(), url.clone(), body.clone());
            let post = move || http.post(url).header("Content-Type", "application/json").send(body.as_bytes()).map(|_| ());
            match tokio::task::spawn_blocking(post).await {
                Ok(Ok(())) => break,
                Ok(Err(error)) if !has_failed => eprintln!("nobody takes the complaint: {error}; it is told again until somebody does"),
                _ => {}
            }
            has_failed = true;
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

fn router(ear: Arc<Ear>) -> Router {
    Router::new()
        .route("/beats", post(beats))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(ear)
}

async fn beats(State(ear): State<Arc<Ear>>, body: Bytes) -> (StatusCode, String) {
    match beat::is_told_by(&body) {
        Ok(true) => {
            ear.hear();
            (StatusCode::OK, String::new())
        }
        Ok(false) => (StatusCode::OK, "this tells of no heartbeat\n".to_owned()),
        Err(problem) => (StatusCode::BAD_REQUEST, format!("{problem}\n")),
    }
}

async fn health(State(ear): State<Arc<Ear>>) -> (StatusCode, String) {
    let (silence, at) = ear.silence();
    let status = if silence.is_too_long(at) { StatusCode::SERVICE_UNAVAILABLE } else { StatusCode::OK };
    (status, format!("the last heartbeat, or the start, was {} s ago\n", silence.lasts(at).as_secs()))
}

async fn metrics(State(ear): State<Arc<Ear>>) -> String {
    let (silence, at) = ear.silence();
    format!(
        "# HELP tocsin_heartbeat_silence_seconds Time since the last heartbeat, or since the start.\n\
         # TYPE tocsin_heartbeat_silence_seconds gauge\n\
         tocsin_heartbeat_silence_seconds {:.3}\n\
         # HELP tocsin_heartbeat_complains Whether that is too long.\n\
         # TYPE tocsin_heartbeat_complains gauge\n\
         tocsin_heartbeat_complains {}\n",
        silence.lasts(at).as_secs_f64(),
        u8::from(silence.is_too_long(at))
    )
}

#[cfg(test)]
mod tests;

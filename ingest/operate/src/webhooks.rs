//! `tocsin webhooks`: takes acknowledgements over HTTP, from a link or a script, from PagerDuty and from Opsgenie.
//!
//! It says what `tocsin ack` says, to the same topic. It needs Kafka and nothing else: who acknowledges waits for no table.

mod call;
mod secret;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::routing::{get, post};
use clap::Args;
use tocsin_wire::acknowledgements::Acknowledgement;

use crate::Failure;
use crate::acknowledge;
use crate::connection::serve;
use crate::kafka::KafkaArgs;
use call::Call;
use secret::Secret;

/// Far more than a call of PagerDuty or Opsgenie.
const MAX_BODY_BYTES: usize = 256 << 10;
/// A connection, with what it asks for and the answer. Longer than Kafka may take.
const LONGEST_CONNECTION: Duration = Duration::from_secs(120);
const PAGERDUTY_SIGNATURE: &str = "X-PagerDuty-Signature";

const AFTER_HELP: &str = "\
POST /acknowledgements  {\"action\": \"acknowledge\", \"fingerprint\": \"...\", \"by\": \"ada\", \"note\": \"on my way\", \"for\": \"2h\", \"severity\": \"major\"}
                        action: acknowledge, unacknowledge or note; note, for and severity may be absent. Header: Authorization: Bearer TOKEN
POST /pagerduty         a V3 webhook subscription to incident.acknowledged, .unacknowledged, .reopened and .annotated, signed by its secret
POST /opsgenie          a webhook integration with the header Authorization: Bearer TOKEN and the actions Acknowledge, UnAcknowledge, AddNote

Which alerts are meant PagerDuty tells by the title of the incident and Opsgenie by tags, as deploy/alertmanager/production.yml writes them.
It answers 200 when Kafka has it, 400, 401 or 413 where a call is of no use, 503 where it may be sent again. It speaks HTTP without TLS: put the proxy
that you have before it. GET /metrics is for Prometheus: let the proxy pass the three paths above alone. Exit codes: 64 the command line is not usable; it does not end by itself.";

/// `tocsin webhooks`
#[derive(Args, Debug)]
#[command(after_help = AFTER_HELP)]
pub struct WebhooksArgs {
    /// Where to listen.
    #[arg(long, env = "TOCSIN_WEBHOOKS_LISTEN", value_name = "ADDRESS", default_value = "127.0.0.1:9096")]
    listen: SocketAddr,

    /// File with the token of who may call /acknowledgements and /opsgenie; without it nobody may.
    #[arg(long, env = "TOCSIN_WEBHOOKS_TOKEN_FILE", value_name = "FILE")]
    token_file: Option<PathBuf>,

    /// File with the secret of the webhook subscription; without it nobody may call /pagerduty.
    #[arg(long, env = "TOCSIN_WEBHOOKS_PAGERDUTY_SECRET_FILE", value_name = "FILE")]
    pagerduty_secret_file: Option<PathBuf>,

    #[command(flatten)]
    kafka: KafkaArgs,
}

/// Takes words to where they are kept.
type Say = dyn Fn(&[Acknowledgement]) -> Result<(), Failure> + Send + Sync;

struct Desk {
    token: Option<Secret>,
    pagerduty: Option<Secret>,
    say: Box<Say>,
    calls: Calls,
}

/// What became of calls.
#[derive(Default)]
struct Calls {
    taken: AtomicU64,
    unusable: AtomicU64,
    refused: AtomicU64,
    failed: AtomicU64,
}

impl Calls {
    fn count(&self, status: StatusCode) {
        let counter = match status {
            StatusCode::OK => &self.taken,
            StatusCode::BAD_REQUEST => &self.unusable,
            StatusCode::UNAUTHORIZED => &self.refused,
            _ => &self.failed,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }
}

type Answer = (StatusCode, String);

/// Listens until it is stopped.
pub fn run(args: &WebhooksArgs) -> Result<(), Failure> {
    let read = |file: &Option<PathBuf>| file.as_deref().map(Secret::read).transpose();
    let (token, pagerduty) = (read(&args.token_file)?, read(&args.pagerduty_secret_file)?);
    if token.is_none() && pagerduty.is_none() {
        return Err(Failure::usage("nobody may call", "name --token-file, --pagerduty-secret-file, or both"));
    }
    let connection = args.kafka.connection()?;
    let desk = Desk { token, pagerduty, say: Box::new(move |words| acknowledge::publish(&connection, words)), calls: Calls::default() };
    serve(args.listen, LONGEST_CONNECTION, || router(desk))
}

fn router(desk: Desk) -> Router {
    Router::new()
        .route("/acknowledgements", post(own))
        .route("/pagerduty", post(pagerduty))
        .route("/opsgenie", post(opsgenie))
        .route("/metrics", get(metrics))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .with_state(Arc::new(desk))
}

async fn own(State(desk): State<Arc<Desk>>, headers: HeaderMap, body: Bytes) -> Answer {
    if !bears_token(&desk, &headers) {
        return desk.refused();
    }
    take(desk, call::own(&body)).await
}

async fn opsgenie(State(desk): State<Arc<Desk>>, headers: HeaderMap, body: Bytes) -> Answer {
    if !bears_token(&desk, &headers) {
        return desk.refused();
    }
    take(desk, call::opsgenie(&body)).await
}

async fn pagerduty(State(desk): State<Arc<Desk>>, headers: HeaderMap, body: Bytes) -> Answer {
    let signatures = headers.get(PAGERDUTY_SIGNATURE).map_or(&b""[..], |value| value.as_bytes());
    if !desk.pagerduty.as_ref().is_some_and(|secret| secret.has_signed(&body, signatures)) {
        return desk.refused();
    }
    take(desk, call::pagerduty(&body)).await
}

fn bears_token(desk: &Desk, headers: &HeaderMap) -> bool {
    let authorization = headers.get(header::AUTHORIZATION).map_or(&b""[..], |value| value.as_bytes());
    desk.token.as_ref().is_some_and(|token| token.is_borne_by(authorization))
}

impl Desk {
    fn refused(&self) -> Answer {
        self.counted((StatusCode::UNAUTHORIZED, "this call is not signed or bears no token that may be used here\n".to_owned()))
    }

    fn counted(&self, answer: Answer) -> Answer {
        self.calls.count(answer.0);
        answer
    }
}

async fn metrics(State(desk): State<Arc<Desk>>) -> String {
    let calls = &desk.calls;
    let results = [("taken", &calls.taken), ("unusable", &calls.unusable), ("refused", &calls.refused), ("failed", &calls.failed)];
    let mut text = "# HELP tocsin_webhooks_calls_total Calls by what became of them; failed: Kafka did not take it.\n\
                    # TYPE tocsin_webhooks_calls_total counter\n"
        .to_owned();
    for (result, count) in results {
        text.push_str(&format!("tocsin_webhooks_calls_total{{result=\"{result}\"}} {}\n", count.load(Ordering::Relaxed)));
    }
    text
}

async fn take(desk: Arc<Desk>, call: Result<Option<Call>, String>) -> Answer {
    let answer = answer(Arc::clone(&desk), call).await;
    desk.counted(answer)
}

async fn answer(desk: Arc<Desk>, call: Result<Option<Call>, String>) -> Answer {
    let words = match call {
        Ok(call) => call.map(|call| call.words()).unwrap_or_default(),
        Err(problem) => return (StatusCode::BAD_REQUEST, format!("{problem}\n")),
    };
    let count = words.len();
    let said = tokio::task::spawn_blocking(move || if words.is_empty() { Ok(()) } else { (desk.say)(&words) }).await;
    match said {
        Ok(Ok(())) => (StatusCode::OK, format!("said of {count} alerts\n")),
        Ok(Err(failure)) => {
            eprintln!("{failure}");
            (StatusCode::SERVICE_UNAVAILABLE, "Kafka does not take it; the log of tocsin webhooks says why\n".to_owned())
        }
        Err(error) => {
            eprintln!("error: {error}\nhelp: report this");
            (StatusCode::INTERNAL_SERVER_ERROR, "it broke\n".to_owned())
        }
    }
}

#[cfg(test)]
mod tests;

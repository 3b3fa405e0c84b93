//! `/metrics`, `/health` and `/sources` over HTTP.

use std::fmt;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use prometheus_client::registry::Registry;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use crate::{CertificateFiles, Health, Inputs, PolledDevices, metrics};

/// A further page of JSON.
pub struct Page {
    /// For example `/snmp-engines`.
    pub path: &'static str,
    /// What it shows, asked for each time.
    pub content: Box<dyn Fn() -> Value + Send + Sync>,
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Page").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What the pages show.
#[derive(Debug)]
pub struct State {
    /// Counters of every listener, with the table of its senders.
    pub inputs: Arc<Inputs>,
    /// See [`Health`].
    pub health: Arc<Health>,
    /// Devices that are polled.
    pub polled: Arc<PolledDevices>,
    /// What is shown and believed over TLS.
    pub certificates: Arc<CertificateFiles>,
    /// Pages of single sources.
    pub pages: Vec<Page>,
}

/// A bound telemetry server that does not answer yet.
#[derive(Debug)]
pub struct Server(TcpListener);

/// Binds the address of `telemetry.listen`. Must be called inside a tokio runtime.
pub fn bind(listen: SocketAddr) -> io::Result<Server> {
    let listener = std::net::TcpListener::bind(listen)?;
    listener.set_nonblocking(true)?;
    Ok(Server(TcpListener::from_std(listener)?))
}

struct Pages {
    state: State,
    registry: Registry,
}

impl Server {
    /// Where it is bound, also where port 0 was asked for.
    pub fn local_address(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Answers until the runtime ends.
    pub async fn serve(self, state: State) -> io::Result<()> {
        let paths: Vec<_> = state.pages.iter().map(|page| page.path).collect();
        let pages = Arc::new(Pages { registry: metrics::registry(&state), state });
        let mut router = Router::new().route("/metrics", get(metrics)).route("/health", get(health)).route("/sources", get(sources));
        for (index, path) in paths.into_iter().enumerate() {
            let answer = move |extract::State(pages): extract::State<Arc<Pages>>| async move { Json((pages.state.pages[index].content)()) };
            router = router.route(path, get(answer));
        }
        let router = router.with_state(pages);
        axum::serve(self.0, router).await
    }
}

async fn metrics(extract::State(pages): extract::State<Arc<Pages>>) -> Response {
    let mut text = String::new();
    match prometheus_client::encoding::text::encode(&mut text, &pages.registry) {
        Ok(()) => ([(header::CONTENT_TYPE, "application/openmetrics-text; version=1.0.0; charset=utf-8")], text).into_response(),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

/// 200 when all sockets are open, every listener works and Kafka acknowledges, else 503 with why. A reload that was refused is a warning alone:
/// the agent works, and whoever restarted it for that would have one that does not start.
async fn health(extract::State(pages): extract::State<Arc<Pages>>) -> (StatusCode, Json<Value>) {
    let inputs = pages.state.inputs.all();
    let listeners = inputs.iter().filter(|input| input.is_running).map(|input| &input.counters);
    let mut problems = pages.state.health.check().err().unwrap_or_default();
    problems.extend(listeners.clone().filter_map(|listener| listener.failure()).map(str::to_owned));
    let word = |is_ok: bool| if is_ok { "ok" } else { "not ok" };
    let by_listener: Map<_, _> =
        listeners.map(|listener| (listener.name().to_owned(), word(listener.failure().is_none()).into())).collect();
    let status = if problems.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let mut warnings = pages.state.health.warnings();
    warnings.extend(pages.state.certificates.problems());
    (status, Json(json!({"status": word(problems.is_empty()), "problems": problems, "warnings": warnings, "listeners": by_listener})))
}

async fn sources(extract::State(pages): extract::State<Arc<Pages>>) -> Json<Value> {
    let listeners = pages.state.inputs.all().into_iter().map(|input| {
        let (rows, others) = input.senders.snapshot();
        let rows: Vec<_> = rows
            .into_iter()
            .map(|(source_ip, sender)| {
                json!({"source_ip": source_ip, "frames": sender.frames, "bytes": sender.bytes, "rate_limited": sender.rate_limited,
                       "last_seen_unix_nanos": sender.last_seen_unix_nanos})
            })
            .collect();
        json!({"listener": input.counters.name(), "sources": rows, "others": others})
    });
    Json(Value::Array(listeners.collect()))
}

//! The config in effect as the agent shows it on `/config`, and as `tocsin agent --check --running` reads it there.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tocsin_telemetry::Page;
use tokio::sync::watch;

use crate::Config;

const PATH: &str = "/config";
/// An agent on this machine answers at once.
const MAX_WAIT: Duration = Duration::from_secs(5);
/// More than a config with tens of thousands of names has.
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// What is in effect, without secrets.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Shown {
    pub(crate) config: Config,
    /// Listeners whose sockets the service manager holds.
    pub(crate) held: Vec<String>,
}

impl Shown {
    /// Asks the agent whose telemetry is at this address. The error says why it does not tell, and what to do.
    pub(crate) fn of_agent_at(address: SocketAddr) -> Result<Self, String> {
        let url = format!("http://{}{PATH}", reachable(address));
        let http = ureq::Agent::config_builder().timeout_global(Some(MAX_WAIT)).build().new_agent();
        let answer = http.get(&url).call().and_then(|response| {
            let body = response.into_body().into_with_config();
            body.limit(MAX_ANSWER_BYTES).read_to_string()
        });
        let answer = answer.map_err(|error| {
            format!("the running agent cannot be asked at {url}: {error}; start it, or name its telemetry.listen: --running HOST:PORT")
        })?;
        serde_json::from_str(&answer)
            .map_err(|error| format!("{url} answers what this version does not understand: {error}; restart instead"))
    }
}

/// The page that shows what is sent through here.
pub(crate) fn page(shown: watch::Receiver<Value>) -> Page {
    Page { path: PATH, content: Box::new(move || shown.borrow().clone()) }
}

/// Where a socket that is bound to all addresses answers.
fn reachable(address: SocketAddr) -> SocketAddr {
    let ip = match address.ip() {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        one => one,
    };
    SocketAddr::new(ip, address.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_is_read_as_the_same_config_without_its_secrets() {
        let yaml = include_str!("../../../deploy/config/agent.example.yaml");
        let config = Config { agent_id: "a".to_owned(), ..Config::parse(yaml).unwrap() };
        let shown = serde_json::to_string(&Shown { config: config.clone(), held: vec!["syslog-udp".to_owned()] }).unwrap();
        let read: Shown = serde_json::from_str(&shown).unwrap();
        assert_eq!((read.config, read.held), (config, vec!["syslog-udp".to_owned()]));
    }

    #[test]
    fn an_agent_that_does_not_run_is_told_with_what_to_do() {
        let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let problem = Shown::of_agent_at(nobody).unwrap_err();
        assert!(problem.contains(&nobody.to_string()) && problem.contains("--running"), "{problem}");
    }
}

//! What a running agent says of its listeners on `/metrics`.

use std::collections::BTreeSet;

/// Far more than an agent with hundreds of listeners answers.
const MAX_ANSWER_BYTES: u64 = 16 << 20;

/// Samples of the agent's metrics.
#[derive(Debug, Default)]
pub(super) struct Metrics(Vec<Sample>);

#[derive(Debug)]
struct Sample {
    name: String,
    labels: Vec<(String, String)>,
    value: f64,
}

impl Metrics {
    /// Asks an agent. The error is a clause that says why it does not tell.
    pub(super) fn ask(http: &ureq::Agent, url: &str) -> Result<Self, String> {
        let answer = http
            .get(format!("{url}/metrics"))
            .call()
            .and_then(|response| response.into_body().into_with_config().limit(MAX_ANSWER_BYTES).read_to_string())
            .map_err(|error| format!("the agent at {url} does not answer: {error}"))?;
        Self::read(&answer).ok_or_else(|| format!("what {url}/metrics answers is not of an agent of this version"))
    }

    /// Reads OpenMetrics text; `None` where no socket of a listener is in it.
    pub(super) fn read(text: &str) -> Option<Self> {
        let metrics = Self(text.lines().filter_map(sample).collect());
        (!metrics.listeners().is_empty()).then_some(metrics)
    }

    /// Listeners that have sockets of datagrams.
    pub(super) fn listeners(&self) -> BTreeSet<&str> {
        self.0.iter().filter(|sample| sample.name == "sockets").filter_map(|sample| sample.label("listener")).collect()
    }

    /// A figure of a listener, without `tocsin_agent_`; 0 where there is none.
    pub(super) fn of(&self, listener: &str, name: &str) -> f64 {
        self.0.iter().find(|sample| sample.name == name && sample.label("listener") == Some(listener)).map_or(0.0, |sample| sample.value)
    }

    /// The sum over all listeners of one figure.
    pub(super) fn sum(&self, name: &str) -> u64 {
        self.0.iter().filter(|sample| sample.name == name).map(|sample| sample.value).sum::<f64>() as u64
    }

    /// The sum over all listeners of one figure by its reason.
    pub(super) fn by_reason(&self, name: &str) -> Vec<(String, u64)> {
        let with_reason = |sample: &Sample| Some((sample.label("reason")?.to_owned(), sample.value as u64));
        let mut sums: Vec<(String, u64)> = Vec::new();
        for (reason, count) in self.0.iter().filter(|sample| sample.name == name).filter_map(with_reason) {
            match sums.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, sum)) => *sum += count,
                None => sums.push((reason, count)),
            }
        }
        sums
    }
}

impl Sample {
    fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// A line `tocsin_agent_name{label="value",...} number`. Names of listeners and reasons hold neither quotes nor commas.
fn sample(line: &str) -> Option<Sample> {
    let (name, rest) = line.strip_prefix("tocsin_agent_")?.split_once('{')?;
    let (labels, value) = rest.rsplit_once("} ")?;
    let label = |text: &str| {
        let (name, value) = text.split_once('=')?;
        Some((name.to_owned(), value.trim_matches('"').to_owned()))
    };
    Some(Sample { name: name.to_owned(), labels: labels.split(',').filter_map(label).collect(), value: value.trim().parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = r#"# TYPE tocsin_agent_received counter
tocsin_agent_received_total{listener="alert-udp"} 500
tocsin_agent_received_total{listener="syslog-tcp"} 7
tocsin_agent_sockets{listener="alert-udp"} 1
tocsin_agent_dropped_total{listener="alert-udp",reason="spool_full"} 2
tocsin_agent_dropped_total{listener="syslog-tcp",reason="spool_full"} 3
tocsin_agent_drain_seconds_total{listener="alert-udp"} 0.25
# EOF
"#;

    #[test]
    fn figures_are_found_by_listener_and_by_reason() {
        let metrics = Metrics::read(TEXT).unwrap();
        assert_eq!(metrics.listeners().into_iter().collect::<Vec<_>>(), ["alert-udp"]);
        assert_eq!((metrics.of("alert-udp", "received_total"), metrics.of("alert-udp", "drain_seconds_total")), (500.0, 0.25));
        assert_eq!((metrics.of("alert-udp", "nonsense"), metrics.sum("received_total")), (0.0, 507));
        assert_eq!(metrics.by_reason("dropped_total"), [("spool_full".to_owned(), 5)]);
    }

    #[test]
    fn what_is_no_agent_is_told() {
        assert!(Metrics::read("<html>").is_none());
        let problem = Metrics::ask(&ureq::Agent::new_with_defaults(), "http://127.0.0.1:1").unwrap_err();
        assert!(problem.starts_with("the agent at http://127.0.0.1:1 does not answer: "), "{problem}");
    }
}

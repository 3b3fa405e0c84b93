//! ClickHouse over HTTP, as far as an operator's command needs it: one statement, its text answer, and errors that can be read.

use std::fs;
use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use clap::Args;
use serde::Deserialize;

use crate::{Failure, https};

/// Where ClickHouse is and who asks.
#[derive(Args, Debug, Clone)]
pub struct ClickHouseArgs {
    /// HTTP address of ClickHouse; https:// with --clickhouse-ca.
    #[arg(long = "clickhouse", env = "TOCSIN_CLICKHOUSE", value_name = "URL", default_value = "http://127.0.0.1:8123")]
    pub url: String,

    /// ClickHouse user.
    #[arg(long = "clickhouse-user", env = "TOCSIN_CLICKHOUSE_USER", value_name = "NAME", default_value = "default")]
    pub user: String,

    /// File that holds the user's password and nothing else. A password on the command line would be seen by every user of the machine.
    #[arg(long = "clickhouse-password-file", env = "TOCSIN_CLICKHOUSE_PASSWORD_FILE", value_name = "FILE")]
    pub password_file: Option<PathBuf>,

    /// File with the certificates of the authorities to believe, for https://. The system's own on Debian: /etc/ssl/certs/ca-certificates.crt.
    #[arg(long = "clickhouse-ca", env = "TOCSIN_CLICKHOUSE_CA", value_name = "FILE")]
    pub authorities: Option<PathBuf>,
}

const CA_OPTION: &str = "--clickhouse-ca";

/// What [`ClickHouse::run`] and [`ClickHouse::ask`] wait for at most.
const LONGEST_ANSWER: Duration = Duration::from_secs(300);

/// Bytes of an answer that are taken: a block of the quarantine is a quarter of it at most.
const LARGEST_ANSWER: u64 = 256 << 20;

const PROGRESS_INTERVAL: Duration = Duration::from_secs(2);

/// Number of an answer's exception.
const EXCEPTION_CODE: &str = "X-ClickHouse-Exception-Code";
/// `QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING`.
const ALREADY_RUNNING: u32 = 216;

/// A format of rows, named as ClickHouse names it.
#[derive(Deserialize, Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowsFormat {
    /// Column by column, with their types.
    Native,
    /// Row by row.
    RowBinary,
}

/// How far a statement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Since it began.
    pub seconds: u64,
    /// Read so far.
    pub rows_read: u64,
    /// To be read, as far as the server can tell.
    pub rows_expected: u64,
}

/// How [`ClickHouse::run_alone`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The statement was carried out.
    Done,
    /// Nothing was done: the server is at a statement of this id already.
    RunsElsewhere,
}

/// A statement that was not carried out; the server's number of the exception, where it answered with one.
struct Refused {
    exception_code: Option<u32>,
    failure: Failure,
}

/// A ClickHouse server. Each statement is one HTTP request, without a session.
pub struct ClickHouse {
    agent: ureq::Agent,
    url: String,
    user: String,
    password: String,
    authorities: Option<PathBuf>,
}

impl ClickHouse {
    /// Reads the password file; does not connect yet.
    pub fn new(args: &ClickHouseArgs) -> Result<Self, Failure> {
        let url = args.url.trim_end_matches('/').to_owned();
        if !url.starts_with("https://") && !url.starts_with("http://") {
            return Err(Failure::usage(
                format!("{url:?} is not an address of ClickHouse's HTTP interface"),
                "write it as http://HOST:PORT or https://HOST:PORT, for example --clickhouse http://127.0.0.1:8123",
            ));
        }
        https::check(&url, args.authorities.as_deref(), CA_OPTION)?;
        let password = match &args.password_file {
            None => String::new(),
            Some(path) => fs::read_to_string(path)
                .map_err(|error| {
                    Failure::usage(
                        format!("cannot read the ClickHouse password from {}: {error}", path.display()),
                        "point --clickhouse-password-file at a readable file",
                    )
                })?
                .trim_end_matches(['\r', '\n'])
                .to_owned(),
        };
        let mut config = ureq::Agent::config_builder().http_status_as_error(false).timeout_connect(Some(Duration::from_secs(5)));
        if let Some(file) = &args.authorities {
            config = config.tls_config(https::tls(file, CA_OPTION)?);
        }
        let agent = config.build().new_agent();
        Ok(Self { agent, url, user: args.user.clone(), password, authorities: args.authorities.clone() })
    }

    /// The address as configured, for messages.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Does the server answer? The error is a reason in a few words.
    pub fn ping(&self) -> Result<(), String> {
        let request = self.agent.get(format!("{}/ping", self.url)).config().timeout_global(Some(Duration::from_secs(2))).build();
        match request.call() {
            Ok(response) if response.status().is_success() => Ok(()),
            Ok(response) => Err(format!("HTTP status {}", response.status().as_u16())),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Runs one statement and returns its answer, without the trailing line break. The server answers when the statement has ended
    /// (`wait_end_of_query`), so that an error cannot hide behind a status that was already sent.
    pub fn run(&self, statement: &str) -> Result<String, Failure> {
        self.ask(statement, &[])
    }

    /// Like [`Self::run`]; `{name:Type}` in the statement takes its value from `parameters`, which never become SQL.
    pub fn ask(&self, statement: &str, parameters: &[(String, String)]) -> Result<String, Failure> {
        self.post(statement, &bound(parameters), Some(LONGEST_ANSWER)).map_err(|refused| refused.failure)
    }

    /// Like [`Self::ask`], for whoever cannot wait for a server that hangs.
    pub fn ask_within(&self, longest: Duration, statement: &str, parameters: &[(String, String)]) -> Result<String, Failure> {
        self.post(statement, &bound(parameters), Some(longest)).map_err(|refused| refused.failure)
    }

    /// Like [`Self::ask`], for an answer that is no text.
    pub fn ask_bytes(&self, statement: &str, parameters: &[(String, String)]) -> Result<Vec<u8>, Failure> {
        self.send(statement.as_bytes(), None, &bound(parameters), Some(LONGEST_ANSWER)).map_err(|refused| refused.failure)
    }

    /// Inserts rows, compressed by zstd, into a table of the database `tocsin`; with a token that is known there, nothing.
    pub fn insert_rows(&self, table: &str, columns: &[String], token: &str, format: RowsFormat, zstd: &[u8]) -> Result<(), Failure> {
        let columns: Vec<String> = columns.iter().map(|column| quoted(column)).collect();
        let settings = [
            ("query", format!("INSERT INTO tocsin.{} ({}) FORMAT {format:?}", quoted(table), columns.join(", "))),
            ("insert_deduplication_token", token.to_owned()),
            ("insert_deduplicate", "1".to_owned()),
            ("deduplicate_blocks_in_dependent_materialized_views", "1".to_owned()),
            ("async_insert", "0".to_owned()),
            // Its stretches are put together until its end, or the token would be of the first alone.
            ("min_insert_block_size_rows", "1048449".to_owned()),
            ("min_insert_block_size_bytes", "0".to_owned()),
            ("max_partitions_per_insert_block", "0".to_owned()),
        ];
        let settings = settings.map(|(name, value)| (name.to_owned(), value));
        self.send(zstd, Some("zstd"), &settings, Some(LONGEST_ANSWER)).map(|_| ()).map_err(|refused| refused.failure)
    }

    /// One statement, and its answer as text.
    fn post(&self, statement: &str, settings: &[(String, String)], timeout: Option<Duration>) -> Result<String, Refused> {
        let answer = self.send(statement.as_bytes(), None, settings, timeout)?;
        Ok(String::from_utf8_lossy(&answer).trim_end_matches('\n').to_owned())
    }

    /// One request; `settings` go into its address.
    fn send(
        &self,
        body: &[u8],
        encoding: Option<&str>,
        settings: &[(String, String)],
        timeout: Option<Duration>,
    ) -> Result<Vec<u8>, Refused> {
        let unreachable = |error: ureq::Error| Refused { exception_code: None, failure: self.unreachable(&error.to_string()) };
        let mut request = self
            .agent
            .post(format!("{}/?wait_end_of_query=1", self.url))
            .config()
            .timeout_global(timeout)
            .build()
            .query_pairs(settings.iter().map(|(name, value)| (name, value)))
            .header("X-ClickHouse-User", &self.user)
            .header("X-ClickHouse-Key", &self.password);
        if let Some(encoding) = encoding {
            request = request.header("Content-Encoding", encoding);
        }
        let mut response = request.send(body).map_err(unreachable)?;
        let status = response.status();
        let exception_code = response.headers().get(EXCEPTION_CODE).and_then(|code| code.to_str().ok()?.parse().ok());
        let answer = response.body_mut().with_config().limit(LARGEST_ANSWER).read_to_vec().map_err(unreachable)?;
        if status.is_success() {
            return Ok(answer);
        }
        let remedy = match status.as_u16() {
            401 | 403 => "check --clickhouse-user and --clickhouse-password-file, and what this user may do",
            _ => "read ClickHouse's answer above; its server log has the details",
        };
        let reason = String::from_utf8_lossy(&answer);
        let failure = Failure::new(format!("ClickHouse at {} refused a statement: {}", self.url, reason.trim()), remedy);
        Err(Refused { exception_code, failure })
    }

    /// Runs a statement that may take hours. The server runs one of this `query_id` at a time, so that two programs cannot do the same at once.
    ///
    /// Every two seconds `tell` hears how far it is.
    pub fn run_alone(&self, query_id: &str, statement: &str, mut tell: impl FnMut(Progress)) -> Result<Outcome, Failure> {
        thread::scope(|scope| {
            let (done, outcome) = mpsc::channel();
            // The receiver waits for the one message, so it cannot be gone.
            scope.spawn(move || done.send(self.post(statement, &[("query_id".to_owned(), query_id.to_owned())], None)).ok());
            loop {
                match outcome.recv_timeout(PROGRESS_INTERVAL) {
                    Ok(Err(Refused { exception_code: Some(ALREADY_RUNNING), .. })) => return Ok(Outcome::RunsElsewhere),
                    Ok(answer) => return answer.map(|_| Outcome::Done).map_err(|refused| refused.failure),
                    // A server that is too busy to say how far it is does the work none the less.
                    Err(_) => self.progress(query_id).into_iter().for_each(&mut tell),
                }
            }
        })
    }

    /// How far the running statement `query_id` is; none once it is over.
    fn progress(&self, query_id: &str) -> Option<Progress> {
        let statement =
            "SELECT toUInt64(elapsed), read_rows, total_rows_approx FROM system.processes WHERE query_id = {id:String} FORMAT TSV";
        let row = self.ask(statement, &[("id".to_owned(), query_id.to_owned())]).ok()?;
        let mut numbers = row.split('\t').map(str::parse);
        let mut next = || numbers.next()?.ok();
        Some(Progress { seconds: next()?, rows_read: next()?, rows_expected: next()? })
    }

    /// The failure of a server that does not answer, or whose certificate is not believed.
    pub fn unreachable(&self, reason: &str) -> Failure {
        let distrust = self.authorities.as_deref().and_then(|file| https::distrust(&self.url, file));
        if let Some(distrust) = distrust {
            return Failure::new(format!("ClickHouse at {}: {}", self.url, distrust.reason), distrust.remedy);
        }
        Failure::new(
            format!("ClickHouse at {} does not answer: {reason}", self.url),
            "start it (`make up`), point --clickhouse at its HTTP port, or give it time with --wait SECONDS",
        )
    }
}

/// A name as an identifier, whatever is in it.
fn quoted(name: &str) -> String {
    format!("`{}`", name.replace('\\', "\\\\").replace('`', "\\`"))
}

/// Settings that bind parameters of a statement.
fn bound(parameters: &[(String, String)]) -> Vec<(String, String)> {
    parameters.iter().map(|(name, value)| (format!("param_{name}"), escaped(value))).collect()
}

/// ClickHouse reads parameters in its Escaped format, where a backslash, a tab or a line break would mean something.
fn escaped(value: &str) -> String {
    value.replace('\\', "\\\\").replace('\t', "\\t").replace('\n', "\\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::https::authority::{Authority, params};

    fn args(url: &str, password_file: Option<PathBuf>) -> ClickHouseArgs {
        ClickHouseArgs { url: url.to_owned(), user: "default".to_owned(), password_file, authorities: None }
    }

    #[test]
    fn a_password_file_loses_its_last_line_break_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("password");
        fs::write(&file, " s3cret \r\n").unwrap();
        let server = ClickHouse::new(&args("http://127.0.0.1:8123/", Some(file))).unwrap();
        assert_eq!((server.password.as_str(), server.url()), (" s3cret ", "http://127.0.0.1:8123"));
    }

    #[test]
    fn an_address_without_http_is_refused_before_anything_is_sent() {
        let failure = ClickHouse::new(&args("127.0.0.1:8123", None)).err().unwrap().to_string();
        assert!(failure.contains("write it as http://HOST:PORT"), "{failure}");
    }

    #[test]
    fn an_encrypted_address_and_its_authorities_go_together() {
        let failure = ClickHouse::new(&args("https://ch:8443", None)).err().unwrap().to_string();
        assert!(failure.contains("name the authorities to believe"), "{failure}");
    }

    fn told(server: &Authority, name: &str, believed: &Authority) -> Result<String, Failure> {
        let args = ClickHouseArgs { authorities: Some(believed.file()), ..args(&format!("https://{}", server.serve(params(name))), None) };
        ClickHouse::new(&args).unwrap().run("SELECT 1")
    }

    #[test]
    fn a_server_whose_certificate_is_believed_is_asked_over_tls() {
        let authority = Authority::new();
        assert_eq!(told(&authority, "127.0.0.1", &authority), Ok("hello".to_owned()));
    }

    #[test]
    fn a_certificate_that_is_not_believed_is_told_with_the_remedy() {
        let (authority, other) = (Authority::new(), Authority::new());
        let failure = told(&authority, "ch.example.org", &authority).unwrap_err().to_string();
        assert!(
            failure.contains("is for another name: ch.example.org") && failure.contains("help: reach the server by a name"),
            "{failure}"
        );
        let failure = told(&authority, "127.0.0.1", &other).unwrap_err().to_string();
        assert!(failure.contains("by no authority that is believed here") && failure.contains("help: name the file"), "{failure}");
    }

    #[test]
    fn a_server_that_is_not_there_is_named() {
        let free_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let server = ClickHouse::new(&args(&format!("http://127.0.0.1:{free_port}"), None)).unwrap();
        let failure = server.run("SELECT 1").unwrap_err().to_string();
        assert!(failure.contains(&format!("127.0.0.1:{free_port} does not answer")), "{failure}");
    }
}

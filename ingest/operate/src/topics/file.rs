//! The file of saved topics: one JSON object a line. A topic's line is followed by those of its records, the last line says how many lines were before it
//! and the SHA-256 of their bytes: a file without it was cut off. Bytes stand in base64.

use std::collections::BTreeMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rdkafka::message::{Header, OwnedHeaders};
use rdkafka::producer::BaseRecord;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tempfile::NamedTempFile;

use crate::Failure;

/// How a topic is made, and what is said of its records before they come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SavedTopic {
    /// Name.
    pub topic: String,
    /// Number of partitions.
    pub partitions: u32,
    /// Settings of its own, by Kafka's names.
    pub settings: BTreeMap<String, String>,
    /// How many records follow.
    pub records: u64,
    /// [`Contents`] of them.
    pub sha256: String,
}

impl fmt::Display for SavedTopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<22} {:>4} partitions {:>10} records", self.topic, self.partitions, self.records)
    }
}

/// A record as it stood in its partition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    /// Which partition: jobs find the records of a key in the one that its hash says.
    pub partition: i32,
    /// When it was written, by the clock that the topic goes by.
    pub time_unix_millis: i64,
    /// Key.
    pub key: Vec<u8>,
    /// Headers, in their order.
    pub headers: Vec<(String, Option<Vec<u8>>)>,
    /// Value.
    pub value: Vec<u8>,
}

impl Record {
    /// The same record for a topic.
    pub fn to<'a>(&'a self, topic: &'a str) -> BaseRecord<'a, [u8], [u8]> {
        let headers = self.headers.iter().fold(OwnedHeaders::new_with_capacity(self.headers.len()), |headers, (key, value)| {
            headers.insert(Header { key, value: value.as_ref() })
        });
        BaseRecord::<[u8], [u8]>::to(topic)
            .partition(self.partition)
            .timestamp(self.time_unix_millis)
            .key(&self.key)
            .headers(headers)
            .payload(&self.value)
    }
}

/// SHA-256 of what records say, in hexadecimal digits. Times are not in it: a broker may write its own.
pub(super) struct Contents(Sha256);

impl Contents {
    /// Of all records of a topic, in their order.
    pub fn of(records: &[Record]) -> String {
        let mut contents = Self(Sha256::new());
        records.iter().for_each(|record| contents.add(record));
        contents.finish()
    }

    fn add(&mut self, record: &Record) {
        self.0.update(record.partition.to_le_bytes());
        self.field(Some(&record.key));
        self.0.update((record.headers.len() as u64).to_le_bytes());
        for (key, value) in &record.headers {
            self.field(Some(key.as_bytes()));
            self.field(value.as_deref());
        }
        self.field(Some(&record.value));
    }

    /// With its length, so that no two lists of fields are the same bytes.
    fn field(&mut self, bytes: Option<&[u8]>) {
        self.0.update(bytes.map_or(u64::MAX, |bytes| bytes.len() as u64).to_le_bytes());
        self.0.update(bytes.unwrap_or_default());
    }

    fn finish(self) -> String {
        hex(self.0)
    }
}

fn hex(digest: Sha256) -> String {
    digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Line {
    Topic(SavedTopic),
    Record(RecordLine),
    End(End),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RecordLine {
    partition: i32,
    time_unix_millis: i64,
    key: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    headers: Vec<(String, Option<String>)>,
    value: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    lines: u64,
    sha256_of_lines: String,
}

impl From<&Record> for RecordLine {
    fn from(record: &Record) -> Self {
        let encoded = |(key, value): &(String, Option<Vec<u8>>)| (key.clone(), value.as_ref().map(|value| STANDARD.encode(value)));
        Self {
            partition: record.partition,
            time_unix_millis: record.time_unix_millis,
            key: STANDARD.encode(&record.key),
            headers: record.headers.iter().map(encoded).collect(),
            value: STANDARD.encode(&record.value),
        }
    }
}

impl TryFrom<RecordLine> for Record {
    type Error = base64::DecodeError;

    fn try_from(line: RecordLine) -> Result<Self, Self::Error> {
        let decoded = |(key, value): (String, Option<String>)| Ok((key, value.map(|value| STANDARD.decode(value)).transpose()?));
        Ok(Self {
            partition: line.partition,
            time_unix_millis: line.time_unix_millis,
            key: STANDARD.decode(line.key)?,
            headers: line.headers.into_iter().map(decoded).collect::<Result<_, Self::Error>>()?,
            value: STANDARD.decode(line.value)?,
        })
    }
}

/// Writes a file that has its name when it is whole, and not before.
pub(super) struct Writer {
    path: PathBuf,
    file: BufWriter<NamedTempFile>,
    lines: u64,
    digest: Sha256,
}

impl Writer {
    /// Refuses a name that is taken. The file is for its owner alone: it says who is on the network.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        if path.exists() {
            return Err(Failure::usage(format!("{} is there already", path.display()), "give another name; no backup is replaced"));
        }
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let file = NamedTempFile::new_in(folder).map_err(|error| cannot("write", path, &error))?;
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), lines: 0, digest: Sha256::new() })
    }

    /// Adds a topic.
    pub fn write(&mut self, topic: &SavedTopic, records: &[Record]) -> Result<(), Failure> {
        self.line(&Line::Topic(topic.clone()))?;
        records.iter().try_for_each(|record| self.line(&Line::Record(record.into())))
    }

    fn line(&mut self, line: &Line) -> Result<(), Failure> {
        let mut text = serde_json::to_string(line).expect("its maps have text for keys");
        text.push('\n');
        self.digest.update(&text);
        self.lines += 1;
        self.file.write_all(text.as_bytes()).map_err(|error| cannot("write", &self.path, &error))
    }

    /// Ends the file; it is on the disk, and there by its name.
    pub fn finish(mut self) -> Result<(), Failure> {
        let (lines, digest) = (self.lines, std::mem::take(&mut self.digest));
        self.line(&Line::End(End { lines, sha256_of_lines: hex(digest) }))?;
        let path = self.path;
        let file = self.file.into_inner().map_err(|error| cannot("write", &path, error.error()))?;
        file.as_file().sync_all().map_err(|error| cannot("write", &path, &error))?;
        file.persist_noclobber(&path).map_err(|error| cannot("write", &path, &error.error))?;
        let folder = fs::canonicalize(&path).ok().and_then(|path| path.parent().map(Path::to_owned));
        folder
            .map_or(Ok(()), |folder| File::open(folder).and_then(|folder| folder.sync_all()))
            .map_err(|error| cannot("write", &path, &error))
    }
}

/// Reads a file, hands each record out, and returns its topics. A file that is not whole is a failure, if only at its end: who must know before, reads it
/// once for nothing.
pub(super) fn read(path: &Path, mut on: impl FnMut(&SavedTopic, &Record) -> Result<(), Failure>) -> Result<Vec<SavedTopic>, Failure> {
    let mut reader = BufReader::new(File::open(path).map_err(|error| cannot("read", path, &error))?);
    let mut digest = Sha256::new();
    let mut topics: Vec<SavedTopic> = Vec::new();
    let (mut contents, mut records) = (Contents(Sha256::new()), 0);
    let mut text = String::new();
    for lines in 0.. {
        text.clear();
        reader.read_line(&mut text).map_err(|error| cannot("read", path, &error))?;
        if text.is_empty() {
            return Err(broken(path, lines, "the file ends before its last line"));
        }
        let line = serde_json::from_str(&text).map_err(|_| broken(path, lines, "this is no line of saved topics"))?;
        if !matches!(line, Line::Record(_)) {
            let contents = std::mem::replace(&mut contents, Contents(Sha256::new())).finish();
            if topics.last().is_some_and(|topic| (topic.records, &topic.sha256) != (records, &contents)) {
                return Err(broken(path, lines, "the topic before it has other records than its line says"));
            }
            records = 0;
        }
        match line {
            Line::Topic(topic) => topics.push(topic),
            Line::Record(record) => {
                let record = record.try_into().map_err(|error| broken(path, lines, &format!("this is no base64: {error}")))?;
                let topic = topics.last().ok_or_else(|| broken(path, lines, "a record stands before any topic"))?;
                contents.add(&record);
                records += 1;
                on(topic, &record)?;
            }
            Line::End(end) if (end.lines, &end.sha256_of_lines) == (lines, &hex(digest.clone())) => return Ok(topics),
            Line::End(_) => return Err(broken(path, lines, "the lines before it are others than were written")),
        }
        digest.update(&text);
    }
    unreachable!("a file ends before a number of 64 bits does")
}

fn cannot(what: &str, path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(
        format!("cannot {what} {}: {error}", path.display()),
        "give the path of a file in a folder that is there, which this user may use",
    )
}

fn broken(path: &Path, lines_before: u64, what: &str) -> Failure {
    Failure::usage(
        format!("{}:{}: {what}", path.display(), lines_before + 1),
        "take another backup: this one is not as `tocsin topics save` left it",
    )
}

#[cfg(test)]
mod tests;

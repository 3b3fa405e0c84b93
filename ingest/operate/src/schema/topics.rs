//! What a topic should be, and what must change so that it is. Pure: [`super::kafka`] asks the broker and carries it out.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::Deserialize;

use super::files::SchemaFile;
use crate::Failure;

const MOST_PARTITIONS: u32 = 1000;

/// One file of `schemas/topics`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Topic {
    /// Name with its wire version, for example `events-syslog-v1`; the file is called the same.
    pub name: String,
    /// Full name of the protobuf message of a record's value.
    pub message: String,
    /// What stands in a record's key; all records of one key stay in order.
    pub key: String,
    /// Who writes it; with `read_by`, what ACLs at Kafka must allow.
    pub written_by: Vec<KafkaUser>,
    /// Who reads it. An agent reads what it writes: after a crash it looks for what had arrived.
    pub read_by: Vec<KafkaUser>,
    /// Number of partitions when it is created; it may have grown since.
    pub partitions: u32,
    /// How Kafka removes old records.
    pub cleanup: Cleanup,
    /// How long records are kept; only with `cleanup: delete`.
    pub retention_hours: Option<u32>,
    /// How long every record of a key is kept and not the newest alone; only with `cleanup: compact`.
    pub history_hours: Option<u32>,
    /// Whose clock says when a record was written.
    #[serde(default)]
    pub timestamps: Timestamps,
}

/// Who has an account of its own at Kafka, and rights at some topics; deploy/README.md has the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KafkaUser {
    /// `tocsin schema`, which makes every topic, and `tocsin topics`, which saves and restores those that are compacted.
    Schema,
    /// Agents, and `tocsin send` of events.
    Agent,
    /// The Flink jobs.
    Jobs,
    /// What people type: `tocsin-rules`, `tocsin devices`.
    Operator,
    /// `tocsin enforce`.
    Enforce,
}

/// Kafka's `message.timestamp.type`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Timestamps {
    /// The producer's: when it made the record.
    #[default]
    Create,
    /// The broker's: when it appended it, in the order of the partition.
    LogAppend,
}

/// Kafka's `cleanup.policy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cleanup {
    /// Records go when they are older than `retention_hours`.
    Delete,
    /// The newest record of each key stays for ever.
    Compact,
}

/// A topic as the broker knows it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ExistingTopic {
    /// Number of partitions.
    pub partitions: u32,
    /// Every setting in effect, defaults included.
    pub settings: BTreeMap<String, String>,
}

/// What has to be done about one topic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TopicChange {
    /// The broker does not know it.
    Create,
    /// It is as the file says, but for partitions.
    Nothing {
        /// How many it has.
        partitions: u32,
    },
    /// These settings differ.
    Alter(Vec<SettingChange>),
    /// It gets more partitions, which somebody asked for; settings may differ too.
    Grow {
        /// Number of partitions at the broker.
        from: u32,
        /// Settings that differ.
        settings: Vec<SettingChange>,
    },
}

/// `--partitions [TOPIC=]N`: somebody knows what it means that a topic grows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Partitions {
    /// Name of the topic; without one each that can grow and has several by its file is meant.
    pub topic: Option<String>,
    /// How many it shall have, or each at least.
    pub number: u32,
}

impl FromStr for Partitions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (topic, number) = text.split_once('=').map_or((None, text), |(topic, number)| (Some(topic.to_owned()), number));
        let number = number.parse().map_err(|_| "write it as TOPIC=NUMBER, for example events-syslog-v1=12, or as a number alone")?;
        if !(1..=MOST_PARTITIONS).contains(&number) {
            return Err(format!("a topic has from 1 to {MOST_PARTITIONS} partitions"));
        }
        Ok(Self { topic, number })
    }
}

/// One setting that differs from the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingChange {
    /// Kafka's name of the setting.
    pub name: String,
    /// Value at the broker.
    pub from: String,
    /// Value that the file asks for.
    pub to: String,
}

impl Cleanup {
    /// Kafka's word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Delete => "delete",
            Self::Compact => "compact",
        }
    }
}

impl fmt::Display for SettingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} -> {}", self.name, self.from, self.to)
    }
}

impl fmt::Display for Topic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} partitions, ", self.partitions)?;
        match (self.retention_hours, self.history_hours) {
            (Some(hours), _) => write!(f, "kept {hours} h"),
            (None, Some(hours)) => write!(f, "compacted after {hours} h"),
            (None, None) => write!(f, "compacted"),
        }
    }
}

impl Topic {
    /// Kafka settings that the file decides; whatever else an operator has set at the broker is left alone.
    pub fn settings(&self) -> BTreeMap<String, String> {
        let mut settings = BTreeMap::new();
        settings.insert("cleanup.policy".to_owned(), self.cleanup.as_str().to_owned());
        let timestamps = match self.timestamps {
            Timestamps::Create => "CreateTime",
            Timestamps::LogAppend => "LogAppendTime",
        };
        settings.insert("message.timestamp.type".to_owned(), timestamps.to_owned());
        let mut millis = |name: &str, hours: u32| settings.insert(name.to_owned(), (u64::from(hours) * 3_600_000).to_string());
        match self.cleanup {
            Cleanup::Delete => millis("retention.ms", self.retention_hours.unwrap_or(0)),
            Cleanup::Compact => millis("min.compaction.lag.ms", self.history_hours.unwrap_or(0)),
        };
        settings
    }

    /// A compacted topic keeps the partitions that it was made with.
    fn can_grow(&self) -> bool {
        self.cleanup == Cleanup::Delete
    }

    /// How many partitions somebody asks for by the topic's name or, where it can grow and has no more, of all. One whose file says one has little to
    /// carry: it is asked for by its name alone.
    fn asked(&self, asked: &[Partitions], there: u32) -> Option<u32> {
        let number = |name: Option<&str>| asked.iter().find(|asked| asked.topic.as_deref() == name).map(|asked| asked.number);
        number(Some(&self.name)).or_else(|| number(None).filter(|number| self.can_grow() && self.partitions > 1 && *number >= there))
    }

    /// What must change at the broker.
    ///
    /// More partitions than the file says are what somebody has asked for before, so they stay. Fewer are made more only by `asked`: records of one
    /// key go to another partition from then on, where they overtake those that wait in the old one. A compacted topic never grows: the newest record
    /// of a key would stand beside an older one, and an end would not end it.
    pub fn compare(&self, existing: Option<&ExistingTopic>, asked: &[Partitions]) -> Result<TopicChange, Failure> {
        let Some(existing) = existing else { return Ok(TopicChange::Create) };
        let asked = self.asked(asked, existing.partitions);
        let changes: Vec<SettingChange> = self
            .settings()
            .into_iter()
            .filter_map(|(name, to)| {
                let from = existing.settings.get(&name).cloned().unwrap_or_default();
                (from != to).then_some(SettingChange { name, from, to })
            })
            .collect();
        let from = existing.partitions;
        match asked {
            Some(number) if number < from => Err(Failure::new(
                format!("topic {} has {from} partitions and --partitions asks for {number}; Kafka takes none away", self.name),
                format!("ask for {from} or more; fewer are a new topic"),
            )),
            Some(number) if number > from && !self.can_grow() => Err(Failure::new(
                format!("topic {} is compacted and keeps its {from} partitions", self.name),
                format!(
                    "leave it away: its newest record of a {} would stand beside an older one in another partition. `--partitions` before the \
                     first `tocsin schema apply` gives it as many as it will ever need",
                    self.key
                ),
            )),
            Some(number) if number > from => Ok(TopicChange::Grow { from, settings: changes }),
            None if self.partitions > from => Err(Failure::new(
                format!(
                    "topic {} has {from} partitions and its file says {}; records are keyed by {}, and those of one key would overtake what waits in \
                     its old partition",
                    self.name, self.partitions, self.key
                ),
                format!(
                    "wait until the jobs have read what there is and give --partitions {}={}, or set `partitions: {from}` in {}.yaml; deploy/README.md \
                     says what growing means",
                    self.name, self.partitions, self.name
                ),
            )),
            _ if changes.is_empty() => Ok(TopicChange::Nothing { partitions: from }),
            _ => Ok(TopicChange::Alter(changes)),
        }
    }

    fn validate(&self, file: &str) -> Result<(), String> {
        if file != format!("{}.yaml", self.name) {
            return Err(format!("the topic is called {:?}, so the file must be called {}.yaml", self.name, self.name));
        }
        if !is_versioned_name(&self.name) {
            return Err(format!(
                "the name {:?} must be lower-case words and end in its wire version, for example events-dhcp-v1",
                self.name
            ));
        }
        if !is_message_name(&self.message) {
            return Err(format!("message {:?} must be a full protobuf name, for example tocsin.events.v1.Event", self.message));
        }
        if self.key.is_empty() || !self.key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') {
            return Err(format!("key {:?} must be a field name, for example device", self.key));
        }
        if self.written_by.is_empty() || self.read_by.is_empty() {
            return Err("written_by and read_by must each name somebody: ACLs at Kafka are made from them".to_owned());
        }
        if !(1..=MOST_PARTITIONS).contains(&self.partitions) {
            return Err(format!("partitions {} must be from 1 to {MOST_PARTITIONS}", self.partitions));
        }
        match (self.cleanup, self.retention_hours, self.history_hours) {
            (Cleanup::Delete, None | Some(0), _) => Err("cleanup delete needs retention_hours, at least 1".to_owned()),
            (Cleanup::Delete, _, Some(_)) => Err("cleanup delete keeps every record for retention_hours; remove history_hours".to_owned()),
            (Cleanup::Compact, Some(_), _) => {
                Err("cleanup compact keeps the newest record of a key for ever; remove retention_hours".to_owned())
            }
            _ => Ok(()),
        }
    }
}

/// Reads and validates every topic file.
pub fn parse(files: &[SchemaFile]) -> Result<Vec<Topic>, Failure> {
    files
        .iter()
        .map(|file| {
            let refused = |reason: String| {
                Failure::usage(
                    format!("topics/{} is not usable: {reason}", file.name),
                    "correct the file; schemas/README.md has the recipe for a topic",
                )
            };
            let topic: Topic = serde_saphyr::from_str(&file.text).map_err(|error| refused(error.to_string()))?;
            topic.validate(&file.name).map_err(refused)?;
            Ok(topic)
        })
        .collect()
}

/// Puts the numbers that somebody asks for in the place of those of the files.
pub fn ask(topics: &mut [Topic], asked: &[Partitions]) -> Result<(), Failure> {
    let mut names = asked.iter().filter_map(|asked| asked.topic.as_deref());
    if let Some(unknown) = names.find(|name| topics.iter().all(|topic| topic.name != *name)) {
        return Err(Failure::usage(format!("--partitions names {unknown}, which is no topic"), "take a name of schemas/topics"));
    }
    for topic in topics {
        topic.partitions = topic.asked(asked, 0).unwrap_or(topic.partitions);
    }
    Ok(())
}

/// One partition of each topic that can grow and of which nobody asks for more. Where one broker is all there is, one instance of each job reads them,
/// and every further partition is one more request for each batch that an agent sends: with four the whole costs a quarter more at 5,000 events a second
/// (`integration-tests/BENCHMARKS.md`).
pub fn begin_small(topics: &mut [Topic], asked: &[Partitions]) {
    for topic in topics.iter_mut().filter(|topic| topic.can_grow() && topic.asked(asked, 0).is_none()) {
        topic.partitions = 1;
    }
}

/// `words-with-hyphens-v<number>`.
fn is_versioned_name(name: &str) -> bool {
    let Some((words, version)) = name.rsplit_once("-v") else { return false };
    let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit());
    words.split('-').all(is_word) && !version.starts_with('0') && version.parse::<u32>().is_ok()
}

/// `tocsin.<package>.v<number>.<Message>`.
fn is_message_name(name: &str) -> bool {
    let parts: Vec<&str> = name.split('.').collect();
    let [root, package, version, message] = parts.as_slice() else { return false };
    *root == "tocsin"
        && !package.is_empty()
        && version.strip_prefix('v').is_some_and(|number| number.parse::<u32>().is_ok())
        && message.starts_with(|c: char| c.is_ascii_uppercase())
}

#[cfg(test)]
mod tests;

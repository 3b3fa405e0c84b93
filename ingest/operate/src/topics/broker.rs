//! A topic at a real broker: how much it holds, and the newest record of each key.

use std::collections::HashMap;
use std::time::Duration;

use rdkafka::message::{Headers, Message};
use tocsin_kafka::{Connection, Error, Start, TopicReader};

use super::file::Record;
use super::{CLIENT_ID, Progress};

const POLL_TIMEOUT: Duration = Duration::from_millis(100);

/// How many records a topic holds at most: what compaction has taken is counted too.
pub(super) fn stored(connection: &Connection, topic: &str) -> Result<u64, Error> {
    let mut reader = TopicReader::new(connection, CLIENT_ID, &[], |_| ())?;
    reader.seek(topic, Start::Beginning)?;
    Ok(reader.left())
}

/// The newest record of each key that has a value, in the order of the partitions and of what was written there.
pub(super) fn newest(connection: &Connection, topic: &str, progress: &mut Progress) -> Result<Vec<Record>, Error> {
    let mut reader = TopicReader::new(connection, CLIENT_ID, &[], |_| ())?;
    reader.seek(topic, Start::Beginning)?;
    let mut newest: HashMap<(i32, Vec<u8>), (i64, Record)> = HashMap::new();
    while reader.left() > 0 {
        progress.tell(reader.left());
        let Some(message) = reader.next(POLL_TIMEOUT)? else { continue };
        let key = message.key().unwrap_or_default().to_vec();
        let Some(value) = message.payload() else {
            newest.remove(&(message.partition(), key));
            continue;
        };
        let headers = message.headers().into_iter().flat_map(Headers::iter);
        let record = Record {
            partition: message.partition(),
            time_unix_millis: message.timestamp().to_millis().unwrap_or_default(),
            key: key.clone(),
            headers: headers.map(|header| (header.key.to_owned(), header.value.map(<[u8]>::to_vec))).collect(),
            value: value.to_vec(),
        };
        newest.insert((message.partition(), key), (message.offset(), record));
    }
    let mut newest: Vec<(i64, Record)> = newest.into_values().collect();
    newest.sort_unstable_by_key(|(offset, record)| (record.partition, *offset));
    Ok(newest.into_iter().map(|(_, record)| record).collect())
}

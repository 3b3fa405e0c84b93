//! A topic by librdkafka's handle: records are handed over many at once.

use std::ffi::CString;
use std::ptr::{self, NonNull};
use std::sync::Arc;

use rdkafka::bindings::{
    rd_kafka_last_error, rd_kafka_message_t, rd_kafka_produce_batch, rd_kafka_resp_err_t, rd_kafka_topic_destroy, rd_kafka_topic_new,
    rd_kafka_topic_t,
};
use rdkafka::error::RDKafkaErrorCode;
use rdkafka::producer::{BaseProducer, Producer as _};
use rdkafka::util::IntoOpaque;

use crate::Topic;
use crate::deliveries::Context;
use crate::delivery::Run;
use crate::records::RecordRef;

/// `RD_KAFKA_PARTITION_UA`, a macro: the key chooses.
const ANY_PARTITION: i32 = -1;
/// Neither `RD_KAFKA_MSG_F_COPY` nor `RD_KAFKA_MSG_F_FREE`.
const NO_COPY: i32 = 0;

/// In place of rdkafka's `send`, which looks the topic up by its name under a lock of the whole client, takes the topic's own, and asks two clocks for
/// each record.
pub(crate) struct TopicHandle {
    native: NonNull<rd_kafka_topic_t>,
    /// Must live longer than the handle.
    _client: Arc<BaseProducer<Context>>,
}

// SAFETY: librdkafka's handles may be used by any thread at any time.
#[allow(unsafe_code)]
unsafe impl Send for TopicHandle {}
// SAFETY: as above.
#[allow(unsafe_code)]
unsafe impl Sync for TopicHandle {}

impl TopicHandle {
    /// The handle of a topic, which need not exist yet.
    #[allow(unsafe_code)]
    pub(crate) fn open(client: &Arc<BaseProducer<Context>>, topic: Topic) -> Result<Self, RDKafkaErrorCode> {
        let name = CString::new(topic.name()).map_err(|_| RDKafkaErrorCode::InvalidTopic)?;
        // SAFETY: the client lives as long as the handle, and the name as long as the call. Without a configuration it takes the client's default.
        let native = unsafe { rd_kafka_topic_new(client.client().native_ptr(), name.as_ptr(), ptr::null_mut()) };
        // SAFETY: reads what the call above has left for its thread.
        let native = NonNull::new(native).ok_or_else(|| RDKafkaErrorCode::from(unsafe { rd_kafka_last_error() }))?;
        Ok(Self { native, _client: Arc::clone(client) })
    }

    /// Hands records over in order. librdkafka reads their payloads where they stand. `refused` hears of those that were not taken: where it is not the
    /// record's own fault, all that follow are refused too.
    #[allow(unsafe_code)]
    pub(crate) fn produce(&self, run: &Arc<Run>, mut refused: impl FnMut(RecordRef<'_>, RDKafkaErrorCode)) {
        let message = |record: RecordRef<'_>| rd_kafka_message_t {
            err: rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_NO_ERROR,
            rkt: ptr::null_mut(),
            partition: ANY_PARTITION,
            payload: record.payload.as_ptr().cast_mut().cast(),
            len: record.payload.len(),
            key: record.key.as_ptr().cast_mut().cast(),
            key_len: record.key.len(),
            offset: 0,
            _private: Arc::clone(run).into_ptr(),
        };
        let mut messages: Vec<_> = run.records().map(message).collect();
        // SAFETY: the handle is open, and the array has as many messages as is said. Keys are copied before the call returns. Payloads are only read, and
        // stay as they are while the run lives, which each message holds until its report.
        let taken = unsafe {
            let (first, count) = (messages.as_mut_ptr(), i32::try_from(messages.len()).unwrap_or(i32::MAX));
            rd_kafka_produce_batch(self.native.as_ptr(), ANY_PARTITION, NO_COPY, first, count)
        };
        if usize::try_from(taken) == Ok(messages.len()) {
            return;
        }
        for (record, message) in run.records().zip(&messages) {
            if message.err != rd_kafka_resp_err_t::RD_KAFKA_RESP_ERR_NO_ERROR {
                refused(record, message.err.into());
                // SAFETY: `into_ptr` above has made it of such an Arc, and no report will ever give it back.
                drop(unsafe { Arc::<Run>::from_ptr(message._private) });
            }
        }
    }
}

impl Drop for TopicHandle {
    #[allow(unsafe_code)]
    fn drop(&mut self) {
        // SAFETY: it was opened by `open`, is closed once, and its client is still there.
        unsafe { rd_kafka_topic_destroy(self.native.as_ptr()) };
    }
}

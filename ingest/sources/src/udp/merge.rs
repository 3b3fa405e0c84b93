//! Datagrams that were read from several sockets, put into the order of their arrival.

use crate::Batch;

/// Holds back what may still be preceded by a datagram that is unread on another socket.
///
/// The sockets are read one after another, so a round may miss a datagram of the first that came before one of the last. The next round reads it: it
/// was there before that round began. So what one round has read is in order once the next is over, as far as no socket had more than a round takes.
#[derive(Debug, Default)]
pub(super) struct Merge {
    /// By arrival.
    held_back: Batch,
}

impl Merge {
    /// Whether a datagram waits for one more round.
    pub(super) fn is_empty(&self) -> bool {
        self.held_back.is_empty()
    }

    /// Takes what a round has read, and returns what nothing can precede any more. `read_until_unix_nanos`: the arrival of the last datagram that was read
    /// of a socket that may have more; of several the earliest.
    pub(super) fn round(&mut self, batch: Batch, read_until_unix_nanos: Option<u64>) -> Batch {
        let before_it = self.held_back.last().map(|received| received.received_at_unix_nanos);
        self.held_back.extend(batch);
        self.held_back.sort_by_key(|received| received.received_at_unix_nanos);
        let Some(before_it) = before_it else { return Batch::new() };
        let certain = read_until_unix_nanos.map_or(before_it, |read_until| read_until.min(before_it));
        let uncertain = self.held_back.split_off(self.held_back.partition_point(|received| received.received_at_unix_nanos <= certain));
        std::mem::replace(&mut self.held_back, uncertain)
    }

    /// Everything, when nothing more is read.
    pub(super) fn rest(&mut self) -> Batch {
        std::mem::take(&mut self.held_back)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::{Frame, Received};

    fn batch(arrivals: &[u64]) -> Batch {
        let received = |at: &u64| Received {
            peer: ([192, 0, 2, 1], 514).into(),
            received_at_unix_nanos: *at,
            frame: Frame::Message(Bytes::new()),
            done: None,
        };
        arrivals.iter().map(received).collect()
    }

    fn arrivals(batch: &Batch) -> Vec<u64> {
        batch.iter().map(|received| received.received_at_unix_nanos).collect()
    }

    #[test]
    fn what_one_socket_got_after_it_was_read_comes_before_what_another_got_later() {
        let mut merge = Merge::default();
        // 2 arrived on the first socket after that had been read, and 3 on the second before that was.
        assert!(merge.round(batch(&[1, 3]), None).is_empty());
        assert_eq!(arrivals(&merge.round(batch(&[2, 4]), None)), [1, 2, 3]);
        assert_eq!(arrivals(&merge.round(batch(&[]), None)), [4]);
        assert!(merge.is_empty());
    }

    #[test]
    fn what_a_socket_still_holds_is_waited_for() {
        let mut merge = Merge::default();
        merge.round(batch(&[1, 2, 10, 20]), Some(2));
        assert_eq!(arrivals(&merge.round(batch(&[3, 4]), Some(4))), [1, 2, 3, 4]);
        assert_eq!(arrivals(&merge.round(batch(&[5]), None)), [5, 10, 20]);
    }

    #[test]
    fn a_clock_that_is_set_back_holds_nothing_back() {
        let mut merge = Merge::default();
        merge.round(batch(&[1_000]), None);
        assert_eq!(arrivals(&merge.round(batch(&[5]), None)), [5, 1_000]);
        merge.round(batch(&[6]), None);
        assert_eq!(arrivals(&merge.round(batch(&[]), None)), [6]);
        merge.round(batch(&[7]), None);
        assert_eq!(arrivals(&merge.rest()), [7]);
    }
}

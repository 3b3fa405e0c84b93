//! What a reader has taken from its socket while the parser was busy.

use std::collections::VecDeque;

use tokio::sync::mpsc::error::TrySendError;

use crate::{Batch, Queue, Received, received_bytes};

/// What a reader keeps for a parser that has no place in its queue, payload and the frames that hold it: a datagram can be empty. Beyond it
/// the reader waits, the kernel's buffer fills, and what then goes lost is counted there.
const MAX_OVERFLOW_BYTES: u64 = 16 * 1024 * 1024;

/// A queue before the queue. A receive buffer that the kernel has capped holds some hundred datagrams, so a reader must go on reading
/// while its parser waits for a processor.
#[derive(Debug)]
pub(crate) struct Overflow {
    queue: Queue,
    batches: VecDeque<Batch>,
    bytes: u64,
}

/// The parser has ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Closed;

impl Overflow {
    pub(crate) fn new(queue: Queue) -> Self {
        Self { queue, batches: VecDeque::new(), bytes: 0 }
    }

    /// Whether something still waits for the parser.
    pub(crate) fn is_empty(&self) -> bool {
        self.batches.is_empty()
    }

    /// Hands over in order what the parser has place for and keeps the rest; waits only above the limit.
    pub(crate) fn push(&mut self, batch: Batch) -> Result<(), Closed> {
        self.bytes += bytes(&batch);
        self.batches.push_back(batch);
        self.hand_over()?;
        while self.bytes > MAX_OVERFLOW_BYTES {
            self.hand_over_one()?;
        }
        Ok(())
    }

    /// Hands over in order what the parser has place for, without waiting.
    pub(crate) fn hand_over(&mut self) -> Result<(), Closed> {
        while let Some(batch) = self.batches.pop_front() {
            let size = bytes(&batch);
            match self.queue.try_send(batch) {
                Ok(()) => self.bytes -= size,
                Err(TrySendError::Full(batch)) => {
                    self.batches.push_front(batch);
                    break;
                }
                Err(TrySendError::Closed(_)) => return Err(Closed),
            }
        }
        Ok(())
    }

    /// Hands over everything, waiting as long as it takes.
    pub(crate) fn finish(mut self) -> Result<(), Closed> {
        while !self.is_empty() {
            self.hand_over_one()?;
        }
        Ok(())
    }

    fn hand_over_one(&mut self) -> Result<(), Closed> {
        if let Some(batch) = self.batches.pop_front() {
            self.bytes -= bytes(&batch);
            self.queue.blocking_send(batch).map_err(|_| Closed)?;
        }
        Ok(())
    }
}

fn bytes(batch: &Batch) -> u64 {
    batch.iter().map(|received| size_of::<Received>() as u64 + received_bytes(&received.frame)).sum()
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use bytes::Bytes;
    use tokio::sync::mpsc;

    use super::*;
    use crate::Frame;

    fn batch(number: u64, size: usize) -> Batch {
        let peer: SocketAddr = ([127, 0, 0, 1], 1).into();
        vec![Received { peer, received_at_unix_nanos: number, frame: Frame::Message(Bytes::from(vec![b'x'; size])), done: None }]
    }

    #[test]
    fn a_busy_parser_does_not_stop_the_reader_and_gets_everything_in_order() {
        let (queue, mut parser) = mpsc::channel(2);
        let mut overflow = Overflow::new(queue);
        for number in 0..100 {
            overflow.push(batch(number, 200)).unwrap();
        }
        assert!(!overflow.is_empty());
        for number in 0..100 {
            assert_eq!(parser.try_recv().unwrap()[0].received_at_unix_nanos, number);
            overflow.hand_over().unwrap();
        }
        assert!(overflow.is_empty());
        assert_eq!(overflow.bytes, 0);
    }

    #[test]
    fn above_the_limit_the_reader_waits_for_the_parser() {
        let (queue, mut parser) = mpsc::channel(1);
        let reader = std::thread::spawn(move || {
            let mut overflow = Overflow::new(queue);
            for number in 0..40 {
                overflow.push(batch(number, 1024 * 1024)).unwrap();
                assert!(overflow.bytes <= MAX_OVERFLOW_BYTES);
            }
            overflow.finish().unwrap();
        });
        let received = std::iter::from_fn(|| parser.blocking_recv()).map(|batch| batch[0].received_at_unix_nanos);
        assert!(received.eq(0..40));
        reader.join().unwrap();
    }

    #[test]
    fn a_flood_of_empty_datagrams_is_bounded_too() {
        let (queue, mut parser) = mpsc::channel(1);
        let reader = std::thread::spawn(move || {
            let mut overflow = Overflow::new(queue);
            for number in 0..10_000 {
                overflow.push((0..64).flat_map(|_| batch(number, 0)).collect()).unwrap();
                assert!(overflow.batches.iter().map(Vec::len).sum::<usize>() <= 16 * 1024 * 1024 / size_of::<Received>());
            }
            overflow.finish().unwrap();
        });
        assert_eq!(std::iter::from_fn(|| parser.blocking_recv()).map(|batch| batch.len()).sum::<usize>(), 640_000);
        reader.join().unwrap();
    }

    #[test]
    fn a_parser_that_has_ended_ends_the_reader() {
        let (queue, parser) = mpsc::channel(1);
        drop(parser);
        assert_eq!(Overflow::new(queue).push(batch(0, 1)), Err(Closed));
    }
}

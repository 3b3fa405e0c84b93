//! Waiting for a server to answer.

use std::time::{Duration, Instant};

const ATTEMPT: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(250);

/// Asks until `ping` succeeds or `wait` is over; asks at least once, and then gives it two seconds. Says every second or two what it is
/// waiting for, on standard error. `ping` gets the longest time that it may take; the error is the reason of the last attempt.
pub fn await_answer(server: &str, wait: Duration, mut ping: impl FnMut(Duration) -> Result<(), String>) -> Result<(), String> {
    let start = Instant::now();
    let mut last_told = start;
    loop {
        let left = wait.saturating_sub(start.elapsed());
        let reason = match ping(if wait.is_zero() { ATTEMPT } else { left.clamp(PAUSE, ATTEMPT) }) {
            Ok(()) => return Ok(()),
            Err(reason) => reason,
        };
        let waited = start.elapsed();
        if waited >= wait {
            return Err(reason);
        }
        if last_told.elapsed() >= Duration::from_secs(1) {
            last_told = Instant::now();
            eprintln!("waiting for {server}: {reason} ({} of {} s)", waited.as_secs(), wait.as_secs());
        }
        std::thread::sleep(PAUSE.min(wait - waited));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn asks_once_when_it_may_not_wait() {
        let mut asked = 0;
        let answer = await_answer("x", Duration::ZERO, |_| {
            asked += 1;
            Err("connection refused".to_owned())
        });
        assert_eq!((answer, asked), (Err("connection refused".to_owned()), 1));
    }

    #[test]
    fn asks_again_until_the_server_answers() {
        let mut asked = 0;
        let answer = await_answer("x", Duration::from_secs(60), |_| {
            asked += 1;
            if asked < 3 { Err("starting".to_owned()) } else { Ok(()) }
        });
        assert_eq!((answer, asked), (Ok(()), 3));
    }
}

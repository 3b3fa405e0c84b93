//! The inputs of a running agent, which a reload may add to and take from.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Counters, Senders};

/// A listener, a capture, the prober or the poller.
#[derive(Clone, Debug)]
pub struct Input {
    /// Its side of the balance sheet.
    pub counters: Arc<Counters>,
    /// Who sends to it.
    pub senders: Arc<Senders>,
    /// Place that its reports carry.
    pub site: String,
    /// False once a reload has removed it. Its counters go on being told: its last records may wait for Kafka, and what it received stays received.
    pub is_running: bool,
}

/// All inputs since the agent's start, in the order in which they began.
#[derive(Debug, Default)]
pub struct Inputs(Mutex<Vec<Input>>);

impl Inputs {
    /// Begins an input; one of a name that was there before goes on counting.
    pub fn begin(&self, name: &str, site: &str) -> Input {
        let mut inputs = self.lock();
        if let Some(known) = inputs.iter_mut().find(|input| input.counters.name() == name) {
            known.is_running = true;
            site.clone_into(&mut known.site);
            return known.clone();
        }
        let input = Input { counters: Arc::new(Counters::new(name)), senders: Arc::default(), site: site.to_owned(), is_running: true };
        inputs.push(input.clone());
        input
    }

    /// The input of this name was removed.
    pub fn end(&self, name: &str) {
        if let Some(input) = self.lock().iter_mut().find(|input| input.counters.name() == name) {
            input.is_running = false;
        }
    }

    /// All of them.
    pub fn all(&self) -> Vec<Input> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Input>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_that_comes_back_goes_on_counting() {
        let inputs = Inputs::default();
        inputs.begin("l", "fra1").counters.received(3, 30);
        inputs.end("l");
        assert!(!inputs.all()[0].is_running);
        let again = inputs.begin("l", "ams1");
        assert_eq!((again.counters.snapshot().received, again.site.as_str()), (3, "ams1"));
        assert_eq!(inputs.all().len(), 1);
    }
}

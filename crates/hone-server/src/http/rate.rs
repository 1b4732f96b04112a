//! How often each client may ask.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use super::limits::Rate;

/// Clients that are told apart at once; past it, all are forgotten and start anew.
const MAX_CLIENTS: usize = 10_000;

/// A bucket a client, which fills at a rate.
#[derive(Debug)]
pub(crate) struct Buckets<K> {
    rate: Rate,
    left: Mutex<HashMap<K, (f64, Instant)>>,
}

impl<K: Hash + Eq> Buckets<K> {
    /// Full ones.
    pub(crate) fn new(rate: Rate) -> Self {
        Self { rate, left: Mutex::default() }
    }

    /// Takes one drop of a client's bucket; no when it is empty.
    pub(crate) fn take(&self, client: K, now: Instant) -> bool {
        let mut left = self.left.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() >= MAX_CLIENTS && !left.contains_key(&client) {
            left.clear();
        }
        let (drops, since) = left.entry(client).or_insert((self.rate.burst, now));
        let passed = now.saturating_duration_since(*since).as_secs_f64();
        *drops = passed.mul_add(self.rate.per_second, *drops).min(self.rate.burst);
        *since = now;
        let is_allowed = *drops >= 1.0;
        if is_allowed {
            *drops -= 1.0;
        }
        is_allowed
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_bucket_empties_at_its_bound_fills_again_and_is_one_clients_own() {
        let buckets = Buckets::new(Rate { burst: 3.0, per_second: 2.0 });
        let start = Instant::now();
        let at = |milliseconds| start + Duration::from_millis(milliseconds);
        let taken: Vec<bool> = (0..4).map(|_| buckets.take("a", start)).collect();
        assert_eq!(taken, [true, true, true, false]);
        assert!(buckets.take("b", start));
        assert!(!buckets.take("a", at(499)));
        assert!(buckets.take("a", at(500)));
        assert!(!buckets.take("a", at(500)));
        let later: Vec<bool> = (0..4).map(|_| buckets.take("a", at(60_000))).collect();
        assert_eq!(later, [true, true, true, false]);
    }

    #[test]
    fn so_many_clients_are_remembered_and_no_more() {
        let buckets = Buckets::new(Rate { burst: 1.0, per_second: 0.0 });
        let now = Instant::now();
        for client in 0..MAX_CLIENTS {
            assert!(buckets.take(client, now));
        }
        assert!(!buckets.take(0, now));
        assert!(buckets.take(MAX_CLIENTS, now));
        assert_eq!(buckets.left.lock().unwrap().len(), 1);
    }
}

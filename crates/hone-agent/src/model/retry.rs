//! Bounded retries: for what may work a moment later, with a pause that grows and wavers, and never
//! against the will of who asked.

use std::borrow::Cow;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::http::{Backend, Fault, FaultKind};
use super::{Model, ModelError, Pending, Request};

/// The longest wait that a backend may ask for. One that asks for more is given up at once: a person
/// should know, not sit before it.
pub const MAX_RETRY_AFTER: Duration = Duration::from_secs(60);

/// Where the wavering of a pause comes from: numbers from 0 up to 1.
pub type Jitter = Arc<dyn Fn() -> f64 + Send + Sync>;

/// How often, and how long apart.
#[derive(Clone)]
pub struct Retries {
    /// Calls after the first.
    pub most: u32,
    /// The first pause; it doubles each time.
    pub first_pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// Makes the pauses of many callers differ.
    pub jitter: Jitter,
}

impl std::fmt::Debug for Retries {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Retries")
            .field("most", &self.most)
            .field("first_pause", &self.first_pause)
            .field("longest_pause", &self.longest_pause)
            .finish_non_exhaustive()
    }
}

impl Default for Retries {
    /// Three, after half a second, one and two.
    fn default() -> Self {
        Self {
            most: 3,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(20),
            jitter: system_jitter(),
        }
    }
}

/// Numbers that nobody can foresee, for pauses; not for keys.
pub fn system_jitter() -> Jitter {
    Arc::new(|| {
        let number = RandomState::new().build_hasher().finish();
        f64::from(u32::try_from(number >> 32).unwrap_or_default()) / f64::from(u32::MAX)
    })
}

impl Retries {
    /// The pause before retry number `retry`, from 0: half of it is fixed, half wavers.
    fn pause(&self, retry: u32) -> Duration {
        let doubled = self.first_pause.saturating_mul(2_u32.saturating_pow(retry));
        let whole = doubled.min(self.longest_pause);
        whole.mul_f64(0.5 + 0.5 * (self.jitter)().clamp(0.0, 1.0))
    }
}

/// A backend that is asked again when it fails in passing.
pub(super) struct Retrying<B> {
    pub(super) backend: B,
    pub(super) retries: Retries,
}

impl<B: Backend> Model for Retrying<B> {
    fn backend(&self) -> &str {
        self.backend.backend()
    }

    fn name(&self) -> &str {
        self.backend.name()
    }

    fn ask<'a>(&'a self, request: &'a Request, cancelled: &'a CancellationToken) -> Pending<'a> {
        Box::pin(async move {
            tokio::select! {
                biased;
                () = cancelled.cancelled() => Err(ModelError::Cancelled),
                reply = self.try_hard(request) => reply,
            }
        })
    }

    fn conceal<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.backend.endpoint().conceal(text)
    }
}

impl<B: Backend> Retrying<B> {
    async fn try_hard(&self, request: &Request) -> Result<super::Reply, ModelError> {
        let mut retry = 0;
        loop {
            let fault = match self.backend.call(request).await {
                Ok(reply) => return Ok(reply),
                Err(fault) => fault,
            };
            let FaultKind::Passing(asked) = fault.kind else { return Err(self.error(fault)) };
            if let Some(asked) = asked.filter(|asked| *asked > MAX_RETRY_AFTER) {
                let why = format!("{}; it asks to wait {} s", fault.why, asked.as_secs());
                return Err(self.error(Fault { why, ..fault }));
            }
            if retry == self.retries.most {
                let why = format!("{} (after {} calls)", fault.why, retry + 1);
                return Err(self.error(Fault { why, ..fault }));
            }
            let pause = self.retries.pause(retry);
            tokio::time::sleep(asked.map_or(pause, |asked| asked.max(pause))).await;
            retry += 1;
        }
    }

    fn error(&self, fault: Fault) -> ModelError {
        let backend = self.backend.backend().to_owned();
        match fault.kind {
            FaultKind::Passing(_) => ModelError::Failed { backend, why: fault.why },
            FaultKind::Lasting => ModelError::Refused { backend, why: fault.why },
            FaultKind::OutOfTime(limit) => {
                ModelError::OutOfTime { backend, seconds: limit.as_secs().max(1) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_doubles_up_to_the_longest_and_wavers_by_half() {
        let retries = |jitter: f64| Retries {
            most: 9,
            first_pause: Duration::from_millis(100),
            longest_pause: Duration::from_millis(350),
            jitter: Arc::new(move || jitter),
        };
        let pauses = |jitter| [0, 1, 2, 40].map(|retry| retries(jitter).pause(retry).as_millis());
        assert_eq!(pauses(1.0), [100, 200, 350, 350]);
        assert_eq!(pauses(0.0), [50, 100, 175, 175]);
        assert_eq!(pauses(7.0), [100, 200, 350, 350]);
    }

    #[test]
    fn the_jitter_of_the_system_stays_in_its_range_and_differs() {
        let jitter = system_jitter();
        let numbers: Vec<f64> = (0..64).map(|_| jitter()).collect();
        assert!(numbers.iter().all(|number| (0.0..=1.0).contains(number)));
        assert!(numbers.windows(2).any(|pair| pair[0].to_bits() != pair[1].to_bits()));
    }
}

//! An answer whose body is still on its way: every wait and every byte counts against the limits.

use std::future::Future;
use std::time::Duration;

use jiff::fmt::rfc2822;
use reqwest::header;
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use crate::error::{Error, Wait, innermost, shown};

/// The head of an answer, and its body piece by piece.
#[derive(Debug)]
pub struct Answer {
    response: reqwest::Response,
    url: Url,
    clock: Clock,
    limit: u64,
    received: u64,
}

/// When a request has to be done.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Clock {
    deadline: Instant,
    total: Duration,
    silence: Duration,
}

impl Clock {
    pub(crate) fn start(silence: Duration, total: Duration) -> Self {
        Self { deadline: Instant::now() + total, total, silence }
    }

    /// Waits for the next thing to happen.
    pub(crate) async fn wait<T>(
        &self,
        url: &Url,
        next: impl Future<Output = T>,
    ) -> Result<T, Error> {
        let out = |wait, limit| Error::OutOfTime { url: shown(url), wait, limit };
        timeout_at(self.deadline, timeout(self.silence, next))
            .await
            .map_err(|_| out(Wait::All, self.total))?
            .map_err(|_| out(Wait::Bytes, self.silence))
    }

    /// Waits a given time, or until the deadline.
    pub(crate) async fn pause(&self, url: &Url, time: Duration) -> Result<(), Error> {
        timeout_at(self.deadline, tokio::time::sleep(time)).await.map_err(|_| Error::OutOfTime {
            url: shown(url),
            wait: Wait::All,
            limit: self.total,
        })
    }
}

impl Answer {
    pub(crate) fn new(response: reqwest::Response, url: Url, clock: Clock, limit: u64) -> Self {
        Self { response, url, clock, limit, received: 0 }
    }

    /// The status code.
    pub fn status(&self) -> u16 {
        self.response.status().as_u16()
    }

    /// Whether the status is a good one.
    pub fn is_success(&self) -> bool {
        self.response.status().is_success()
    }

    /// Where the answer came from, after redirects.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// A header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.response.headers().get(name)?.to_str().ok()
    }

    /// How long the server asks to wait before the next request.
    pub fn retry_after(&self) -> Option<Duration> {
        let value = self.header(header::RETRY_AFTER.as_str())?.trim();
        if let Ok(seconds) = value.parse() {
            return Some(Duration::from_secs(seconds));
        }
        // A date counts from the server's own clock, so ours need not agree with it.
        let until = rfc2822::parse(value).ok()?.timestamp();
        let now = rfc2822::parse(self.header(header::DATE.as_str())?).ok()?.timestamp();
        Duration::try_from(until.duration_since(now)).ok()
    }

    /// The next piece of the body, or none at its end.
    pub async fn chunk(&mut self) -> Result<Option<Vec<u8>>, Error> {
        let too_large = || Error::TooLarge { url: shown(&self.url), limit: self.limit };
        if self.received == 0 && self.response.content_length().is_some_and(|all| all > self.limit)
        {
            return Err(too_large());
        }
        let chunk = self.clock.wait(&self.url, self.response.chunk()).await?;
        match chunk {
            Ok(None) => Ok(None),
            Ok(Some(bytes)) => {
                self.received += bytes.len() as u64;
                if self.received > self.limit {
                    return Err(Error::TooLarge { url: shown(&self.url), limit: self.limit });
                }
                Ok(Some(bytes.into()))
            }
            Err(error) => Err(Error::Cut {
                url: shown(&self.url),
                received: self.received,
                why: innermost(&error),
            }),
        }
    }

    /// The rest of the body.
    pub async fn bytes(mut self) -> Result<Vec<u8>, Error> {
        let mut all = Vec::new();
        while let Some(chunk) = self.chunk().await? {
            all.extend_from_slice(&chunk);
        }
        Ok(all)
    }

    pub(crate) fn length(&self) -> Option<u64> {
        self.response.content_length()
    }

    /// The answer itself if its status is good, else an error that says which it is.
    pub fn good(self) -> Result<Self, Error> {
        if self.is_success() {
            return Ok(self);
        }
        Err(Error::Status {
            url: shown(&self.url),
            code: self.status(),
            retry_after: self.retry_after(),
        })
    }
}

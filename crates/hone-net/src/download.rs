//! A download into a file: hashed as it comes, and taken up again where the connection broke.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::time::Duration;

use reqwest::StatusCode;
use reqwest::header::{self, HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};
use url::Url;

use crate::answer::{Answer, Clock};
use crate::client::{Client, Limits};
use crate::error::{Error, shown};

/// How often a broken download is taken up again.
pub const MAX_RESUMES: u32 = 4;

/// The pause before it is taken up for the first time; it doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);

/// How far a download is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that have come.
    pub received: u64,
    /// Bytes that will have come, if the server says so.
    pub total: Option<u64>,
}

/// What was downloaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Downloaded {
    /// The SHA-256 of all of it, in hexadecimal.
    pub sha256: String,
    /// Its size.
    pub bytes: u64,
    /// Where it came from, after redirects.
    pub url: Url,
    /// Its type as the server says.
    pub content_type: Option<String>,
    /// The mark to ask with `If-None-Match` next time.
    pub etag: Option<String>,
}

impl Client {
    /// Downloads into an empty file. A connection that breaks is taken up again where it was, up to
    /// [`MAX_RESUMES`] times, if the server can and the document is still the same; otherwise it starts
    /// from the beginning. The limits hold for all attempts together.
    pub async fn download(
        &self,
        url: &Url,
        headers: &HeaderMap,
        limits: &Limits,
        file: &mut File,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Downloaded, Error> {
        let clock = Clock::start(limits.silence, limits.total);
        let mut taken = Taken { file, hash: Sha256::new(), bytes: 0, mark: None };
        let mut resumes = 0;
        loop {
            let failure =
                match self.attempt(url, headers, limits, clock, &mut taken, progress).await {
                    Ok(answer) => {
                        let text = |name: header::HeaderName| answer.header(name.as_str());
                        return Ok(Downloaded {
                            sha256: hexadecimal(&taken.hash.finalize()),
                            bytes: taken.bytes,
                            url: answer.url().clone(),
                            content_type: text(header::CONTENT_TYPE).map(str::to_owned),
                            etag: text(header::ETAG).map(str::to_owned),
                        });
                    }
                    Err(failure) => failure,
                };
            if !failure.is_passing() || resumes == MAX_RESUMES {
                return Err(failure);
            }
            clock.pause(url, FIRST_PAUSE * 2_u32.pow(resumes)).await?;
            resumes += 1;
        }
    }

    async fn attempt(
        &self,
        url: &Url,
        headers: &HeaderMap,
        limits: &Limits,
        clock: Clock,
        taken: &mut Taken<'_>,
        progress: &mut (dyn FnMut(Progress) + Send),
    ) -> Result<Answer, Error> {
        let mut headers = headers.clone();
        if taken.bytes > 0
            && let Some(mark) = &taken.mark
        {
            let range = HeaderValue::from_str(&format!("bytes={}-", taken.bytes));
            headers.insert(header::IF_RANGE, mark.clone());
            headers.extend(range.ok().map(|range| (header::RANGE, range)));
        }
        let mut answer = self.follow(url, &headers, limits, clock).await?.good()?;
        let write = |source| Error::Write { url: shown(url), source };
        if answer.status() != StatusCode::PARTIAL_CONTENT.as_u16() {
            taken.start_again().map_err(write)?;
        } else if !headers.contains_key(header::RANGE) || start_of(&answer) != Some(taken.bytes) {
            let why = "it sent another part than the one asked for".to_owned();
            return Err(Error::Protocol { url: shown(url), why });
        }
        taken.mark = mark(&answer);
        let total = answer.length().map(|rest| taken.bytes + rest);
        let too_large = || Error::TooLarge { url: shown(url), limit: limits.bytes };
        if total.is_some_and(|total| total > limits.bytes) {
            return Err(too_large());
        }
        progress(Progress { received: taken.bytes, total });
        while let Some(chunk) = answer.chunk().await? {
            taken.write(&chunk).map_err(write)?;
            if taken.bytes > limits.bytes {
                return Err(too_large());
            }
            progress(Progress { received: taken.bytes, total });
        }
        Ok(answer)
    }
}

/// What is in the file so far.
struct Taken<'a> {
    file: &'a mut File,
    hash: Sha256,
    bytes: u64,
    /// What tells whether the document is still the same.
    mark: Option<HeaderValue>,
}

impl Taken<'_> {
    fn start_again(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.hash = Sha256::new();
        self.bytes = 0;
        Ok(())
    }

    fn write(&mut self, chunk: &[u8]) -> io::Result<()> {
        self.file.write_all(chunk)?;
        self.hash.update(chunk);
        self.bytes += chunk.len() as u64;
        Ok(())
    }
}

/// Where the part that an answer carries begins.
fn start_of(answer: &Answer) -> Option<u64> {
    let range = answer.header(header::CONTENT_RANGE.as_str())?;
    range.strip_prefix("bytes ")?.split_once('-')?.0.parse().ok()
}

/// What `If-Range` can take: a strong entity tag, else a date.
fn mark(answer: &Answer) -> Option<HeaderValue> {
    let tag = answer.header(header::ETAG.as_str()).filter(|tag| !tag.starts_with("W/"));
    let mark = tag.or_else(|| answer.header(header::LAST_MODIFIED.as_str()))?;
    HeaderValue::from_str(mark).ok()
}

fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

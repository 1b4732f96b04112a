//! What can go wrong on the way, in words that say what to do.

use std::error::Error as StdError;
use std::io;
use std::time::Duration;

use url::Url;

use crate::resolve::{NotPublic, Unresolved};

/// Longest part of an address or of a reason that a message shows, in bytes.
const MAX_SHOWN_BYTES: usize = 200;

/// Why a request came to nothing. Addresses are shown without their query, which may hold a secret.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The client itself cannot work.
    #[error("cannot set up HTTP: {0}")]
    Setup(String),
    /// This is no address to ask.
    #[error("cannot ask `{url}`: {why}")]
    Url {
        /// The address.
        url: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// Plain http where only https is allowed.
    #[error("`{url}` is not encrypted; use https")]
    PlainHttp {
        /// The address.
        url: String,
    },
    /// The address is not on the public internet.
    #[error("refused to ask `{url}`: {host} is {what}, and only the public internet may be asked")]
    NotPublic {
        /// The address.
        url: String,
        /// The host, or the address that its name stands for.
        host: String,
        /// What it is.
        what: &'static str,
    },
    /// The name has no address.
    #[error("cannot find `{host}`: {why}; check the name and the network")]
    Unresolved {
        /// The name.
        host: String,
        /// What the resolver said.
        why: String,
    },
    /// Nobody answered there.
    #[error("cannot connect to `{url}`: {why}")]
    Connect {
        /// The address.
        url: String,
        /// What the system said.
        why: String,
    },
    /// The other side could not prove who it is.
    #[error(
        "`{url}` did not prove who it is: {why}; if your network has a certificate of its own, name its file in SSL_CERT_FILE"
    )]
    Tls {
        /// The address.
        url: String,
        /// What was wrong.
        why: String,
    },
    /// It took too long.
    #[error("`{url}` {wait} within {} s", limit.as_secs_f64())]
    OutOfTime {
        /// The address.
        url: String,
        /// What was waited for.
        wait: Wait,
        /// How long.
        limit: Duration,
    },
    /// A redirect where none is to be followed.
    #[error("`{url}` sends on to `{to}`, which is not followed; ask there if that is meant")]
    Redirected {
        /// The address.
        url: String,
        /// Where it points.
        to: String,
    },
    /// A redirect after the last one that is followed.
    #[error("`{url}` sends on for the {}th time; {limit} redirects are the most", limit + 1)]
    TooManyRedirects {
        /// The address.
        url: String,
        /// How many are followed.
        limit: usize,
    },
    /// A redirect from https to http.
    #[error("`{url}` sends on to `{to}`, which is not encrypted; refused")]
    Downgrade {
        /// The address.
        url: String,
        /// Where it points.
        to: String,
    },
    /// The body is larger than allowed.
    #[error("`{url}` is larger than {limit} bytes; refused")]
    TooLarge {
        /// The address.
        url: String,
        /// The most that is taken.
        limit: u64,
    },
    /// The answer is not a good one.
    #[error("`{url}` answered {code}{}", meaning(*code))]
    Status {
        /// The address.
        url: String,
        /// The status code of HTTP.
        code: u16,
        /// How long the server asks to wait.
        retry_after: Option<Duration>,
    },
    /// The connection ended before the body did.
    #[error("the connection to `{url}` broke after {received} bytes: {why}; try again")]
    Cut {
        /// The address.
        url: String,
        /// What had come.
        received: u64,
        /// What the system said.
        why: String,
    },
    /// The other side does not speak HTTP as it should.
    #[error("`{url}` gave no sound answer: {why}")]
    Protocol {
        /// The address.
        url: String,
        /// What was wrong.
        why: String,
    },
    /// What came could not be written.
    #[error("cannot write what `{url}` sent: {source}")]
    Write {
        /// The address.
        url: String,
        /// What the system said.
        source: io::Error,
    },
}

/// What was waited for in vain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// A connection, with TLS.
    Connection,
    /// The next bytes.
    Bytes,
    /// All of it.
    All,
}

impl std::fmt::Display for Wait {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Connection => "took no connection",
            Self::Bytes => "sent nothing",
            Self::All => "was not done",
        })
    }
}

impl Error {
    /// Whether the same request may work a moment later: the network or the server failed, not a rule.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Connect { .. }
            | Self::Unresolved { .. }
            | Self::OutOfTime { .. }
            | Self::Cut { .. } => true,
            Self::Status { code, .. } => matches!(code, 408 | 425 | 429 | 500..=599),
            _ => false,
        }
    }

    /// Names what went wrong while a request was sent or a body read.
    pub(crate) fn of_request(url: &Url, error: &reqwest::Error, connect: Duration) -> Self {
        let shown = shown(url);
        for cause in chain(error) {
            if let Some(refused) = cause.downcast_ref::<NotPublic>() {
                return Self::NotPublic {
                    url: shown,
                    host: format!("`{}` ({})", refused.name, refused.address),
                    what: refused.what,
                };
            }
            if let Some(unresolved) = cause.downcast_ref::<Unresolved>() {
                return Self::Unresolved {
                    host: unresolved.name.clone(),
                    why: bounded(&unresolved.why),
                };
            }
            if let Some(tls) = cause.downcast_ref::<rustls::Error>() {
                return Self::Tls { url: shown, why: bounded(&tls.to_string()) };
            }
        }
        let why = innermost(error);
        if error.is_timeout() && error.is_connect() {
            return Self::OutOfTime { url: shown, wait: Wait::Connection, limit: connect };
        }
        if error.is_connect() {
            return Self::Connect { url: shown, why };
        }
        Self::Protocol { url: shown, why }
    }
}

impl Error {
    /// Whoever did not answer is the proxy.
    pub(crate) fn through(self, proxy: &str) -> Self {
        match self {
            Self::Connect { url, why } => {
                let proxy = Url::parse(proxy).map_or_else(
                    |_| "of the environment".to_owned(),
                    |proxy| format!("`{}`", shown(&proxy)),
                );
                Self::Connect { url, why: format!("{why}, at the proxy {proxy}") }
            }
            error => error,
        }
    }
}

/// An address for a message: without a query, a fragment and a password, and not too long.
pub(crate) fn shown(url: &Url) -> String {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    if url.password().is_some() || !url.username().is_empty() {
        // Both can only fail for a URL without a host, which has neither.
        let _ = url.set_password(None);
        let _ = url.set_username("");
    }
    bounded(url.as_str())
}

/// The words of the cause at the bottom, bounded.
pub(crate) fn innermost(error: &reqwest::Error) -> String {
    let words = chain(error).last().map_or_else(|| error.to_string(), ToString::to_string);
    bounded(&words)
}

/// An error and its causes; what an I/O error wraps counts, which `source` leaves out.
pub(crate) fn chain<'a>(
    error: &'a (dyn StdError + 'static),
) -> impl Iterator<Item = &'a (dyn StdError + 'static)> {
    std::iter::successors(Some(error), |&error| {
        let wrapped = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        wrapped.map(|inner| inner as &(dyn StdError + 'static)).or_else(|| error.source())
    })
}

fn bounded(text: &str) -> String {
    let clean = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut shown = String::new();
    for c in clean {
        if shown.len() + c.len_utf8() > MAX_SHOWN_BYTES {
            shown.push('…');
            break;
        }
        shown.push(c);
    }
    shown
}

fn meaning(code: u16) -> &'static str {
    match code {
        401 => " (it wants a key or a password)",
        403 => " (not allowed)",
        404 | 410 => " (nothing is there)",
        407 => " (the proxy wants a password)",
        429 => " (too many requests; wait a while)",
        500..=599 => " (its own fault; try again later)",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_without_what_may_be_secret() {
        let url = Url::parse("https://me:word@example.com/a?token=1#x").unwrap();
        assert_eq!(shown(&url), "https://example.com/a");
        let long = Url::parse(&format!("https://example.com/{}", "a".repeat(300))).unwrap();
        assert_eq!(shown(&long).len(), MAX_SHOWN_BYTES + '…'.len_utf8());
    }

    #[test]
    fn a_failure_of_the_network_passes_and_a_rule_does_not() {
        let status = |code| Error::Status { url: String::new(), code, retry_after: None };
        assert!(status(429).is_passing() && status(503).is_passing());
        assert!(!status(404).is_passing() && !status(401).is_passing());
        assert!(!Error::PlainHttp { url: String::new() }.is_passing());
    }
}

//! How does a request *leave* the machine?
//!
//! One HTTP client for everything that fetches or asks. What it promises:
//!
//! - **Addresses.** With [`Reach::Public`] a name is resolved once, its addresses are checked
//!   ([`why_not_public`]), and exactly the checked ones are connected to. Hosts that are addresses are
//!   checked too, and so is every hop of a redirect.
//! - **Bounds.** Redirects, bytes of a body, silence and the whole time have limits ([`Limits`]).
//! - **Redirects.** Followed here, not below: never from https to http, and to another origin only
//!   harmless headers go along.
//! - **TLS.** The platform's certificates and those of `SSL_CERT_FILE`; rustls with ring, which the
//!   client brings itself.
//!
//! Through a proxy (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, except `NO_PROXY`) the proxy resolves the
//! names, so their addresses *cannot* be checked here. Hosts that are addresses and the names that mean
//! this machine or its network (`localhost`, `*.internal` …) are refused all the same; the rest is the
//! proxy's rule to make.
//!
//! ```no_run
//! # async fn example() -> Result<(), hone_net::Error> {
//! use hone_net::{Client, HeaderMap, Limits, Settings};
//!
//! let client = Client::new(Settings::from_environment(|name| std::env::var(name).ok()))?;
//! let url = hone_net::parse("https://example.com/SKILL.md")?;
//! let page = client.get(&url, &HeaderMap::new(), &Limits::default()).await?;
//! assert!(page.bytes.starts_with(b"---"));
//! # Ok(())
//! # }
//! ```

mod address;
mod answer;
mod client;
mod download;
mod error;
mod proxy;
mod resolve;

pub use reqwest::header::{self, HeaderMap, HeaderName, HeaderValue};
pub use url::Url;

pub use address::why_not_public;
pub use answer::Answer;
pub use client::{Client, Limits, Page, PlainHttp, Reach, Settings, Transport, parse};
pub use download::{Downloaded, MAX_RESUMES, Progress};
pub use error::{Error, Wait};
pub use proxy::{Proxies, is_local};
pub use resolve::{Resolve, Resolving, SystemResolver};

//! The one way to the network for all but git: `hone-net`, waited for.

use std::io::{Read, Seek};
use std::net::IpAddr;
use std::path::Path;

use hone_net::{Client, HeaderMap, HeaderValue, Limits, PlainHttp, Settings};
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::fetch::{FetchOptions, Progress};
use crate::fetch_error::FetchError;

/// What every git server answers to.
const ADVERTISEMENT: &str = "/info/refs";
const MAX_REDIRECTS: usize = 5;

/// What was downloaded.
pub(crate) struct Downloaded {
    pub(crate) bytes: Vec<u8>,
    /// The SHA-256 of the bytes, as 64 hexadecimal digits.
    pub(crate) sha256: String,
    /// Where they came from in the end.
    pub(crate) url: Url,
}

pub(crate) fn runtime() -> Result<Runtime, FetchError> {
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.map_err(FetchError::io("start a runtime for", Path::new("the network")))
}

/// Downloads a document into memory, by way of a file in the work folder that a broken connection can
/// be taken up from.
pub(crate) fn download(
    url: &Url,
    max: u64,
    options: &FetchOptions,
) -> Result<Downloaded, FetchError> {
    let limits = Limits {
        bytes: max,
        redirects: MAX_REDIRECTS,
        silence: options.stall,
        total: options.time,
    };
    let mut file = tempfile::tempfile_in(&options.work)
        .map_err(FetchError::io("create a file in", &options.work))?;
    options.progress.say(&Progress::Asking(url.as_str()));
    let report = options.progress.clone();
    let mut progress = move |progress: hone_net::Progress| {
        report.say(&Progress::Bytes { done: progress.received, all: progress.total });
    };
    let client = Client::new(options.net.clone())?;
    let headers = HeaderMap::new();
    let task = client.download(url, &headers, &limits, &mut file, &mut progress);
    let done = runtime()?.block_on(task)?;
    let mut bytes = Vec::new();
    let read = file.rewind().and_then(|()| file.take(max + 1).read_to_end(&mut bytes));
    read.map_err(FetchError::io("read a file in", &options.work))?;
    Ok(Downloaded { bytes, sha256: done.sha256, url: done.url })
}

/// Where a git server sends on to, by way of checked addresses only; none when it does not.
pub(crate) fn redirected(url: &Url, settings: &Settings) -> Result<Option<String>, FetchError> {
    let mut asked = url.clone();
    asked.set_path(&format!("{}{ADVERTISEMENT}", url.path().trim_end_matches('/')));
    asked.set_query(Some("service=git-upload-pack"));
    let settings = Settings { plain_http: PlainHttp::Allowed, ..settings.clone() };
    let mut headers = HeaderMap::new();
    headers.insert("git-protocol", HeaderValue::from_static("version=2"));
    let limits = Limits { redirects: MAX_REDIRECTS, ..Limits::default() };
    let client = Client::new(settings)?;
    let answer = runtime()?.block_on(client.open(&asked, &headers, &limits))?;
    let mut found = answer.url().clone();
    found.set_query(None);
    let Some(path) = found.path().strip_suffix(ADVERTISEMENT).map(str::to_owned) else {
        return Ok(None);
    };
    found.set_path(&path);
    Ok((found != *url).then(|| found.to_string()))
}

/// The addresses of a name; the inner error is the resolver's.
pub(crate) fn addresses(
    name: &str,
    settings: &Settings,
) -> Result<std::io::Result<Vec<IpAddr>>, FetchError> {
    Ok(runtime()?.block_on(settings.resolver.resolve(name)))
}

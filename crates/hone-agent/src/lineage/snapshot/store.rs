//! Where snapshots lie: a local folder, S3, GCS or Azure, by one library.
//!
//! Only what every one of them can do is used: put, create if absent, read, list, delete. A request that
//! fails for a reason that may pass is made again. What is read has a bound.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{StreamExt as _, TryStreamExt as _};
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{
    ClientOptions, Error, GetOptions, ObjectMeta, ObjectStore, ObjectStoreExt as _,
    ObjectStoreScheme, PutMode, PutOptions, PutPayload, RetryConfig,
};
use url::Url;

use super::error::SnapshotError;

/// How long a request may take: a pack over a slow line.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(300);
/// How long a connection may take.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Objects under one agent at most; more is no store of ours.
pub const MAX_LISTED: usize = 1_000_000;

/// How often a request is made again, and after which pause; each pause is twice the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Retry {
    /// Tries in all.
    pub tries: u32,
    /// The first pause.
    pub pause: Duration,
}

impl Default for Retry {
    fn default() -> Self {
        Self { tries: 5, pause: Duration::from_millis(250) }
    }
}

/// A place for snapshots.
#[derive(Debug, Clone)]
pub struct Store {
    objects: Arc<dyn ObjectStore>,
    root: Path,
    name: String,
    retry: Retry,
}

/// What became of a try to create an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Created {
    New,
    /// There is one already.
    Taken,
}

impl Store {
    /// The store that a URL names: `file:///folder`, `s3://bucket/prefix`, `gs://bucket/prefix`,
    /// `az://container/prefix`.
    ///
    /// Settings are named as the environment names them for these services (`AWS_ACCESS_KEY_ID`,
    /// `AWS_ENDPOINT_URL`, `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_NAME` …); others are left alone.
    pub fn open(
        url: &str,
        settings: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self, SnapshotError> {
        // Never say a password that somebody wrote into a URL.
        let wrong = |why: String| SnapshotError::Url {
            url: url.split(['@', '?']).next_back().unwrap_or_default().to_owned(),
            why,
        };
        let parsed = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
        if !parsed.username().is_empty() || parsed.password().is_some() {
            return Err(wrong("names and passwords belong into the environment".to_owned()));
        }
        let (scheme, root) =
            ObjectStoreScheme::parse(&parsed).map_err(|error| wrong(error.to_string()))?;
        // Without one of its own, a client of rustls panics; a second one is refused and does no harm.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retry = RetryConfig { max_retries: 0, ..RetryConfig::default() };
        let client = ClientOptions::new()
            .with_timeout(REQUEST_TIMEOUT)
            .with_connect_timeout(CONNECT_TIMEOUT);
        macro_rules! cloud {
            ($builder:ty) => {{
                let start = <$builder>::new().with_client_options(client).with_url(url);
                let configured = settings.into_iter().fold(start, |builder, (name, value)| {
                    match name.to_ascii_lowercase().parse() {
                        Ok(key) => builder.with_config(key, value),
                        Err(_) => builder,
                    }
                });
                let built = configured.with_retry(retry).build();
                Arc::new(built.map_err(|error| wrong(error.to_string()))?)
            }};
        }
        let objects: Arc<dyn ObjectStore> = match scheme {
            ObjectStoreScheme::Local => return Self::folder(&parsed, wrong),
            ObjectStoreScheme::AmazonS3 => cloud!(AmazonS3Builder),
            ObjectStoreScheme::GoogleCloudStorage => cloud!(GoogleCloudStorageBuilder),
            ObjectStoreScheme::MicrosoftAzure => cloud!(MicrosoftAzureBuilder),
            _ => return Err(wrong("no store of a known kind".to_owned())),
        };
        let name = Self::name_of(url);
        Ok(Self { objects, root, name, retry: Retry::default() })
    }

    fn folder(url: &Url, wrong: impl Fn(String) -> SnapshotError) -> Result<Self, SnapshotError> {
        let path: PathBuf =
            url.to_file_path().map_err(|()| wrong("the path must be absolute".to_owned()))?;
        fs::create_dir_all(&path).map_err(SnapshotError::io(&path))?;
        let objects = LocalFileSystem::new_with_prefix(&path)
            .map_err(|error| wrong(error.to_string()))?
            .with_fsync(true);
        let name = Self::name_of(url.as_str());
        let root = Path::default();
        Ok(Self { objects: Arc::new(objects), root, name, retry: Retry::default() })
    }

    /// A store over an own implementation.
    pub fn over(objects: Arc<dyn ObjectStore>, name: &str, retry: Retry) -> Self {
        Self { objects, root: Path::default(), name: name.to_owned(), retry }
    }

    /// What the store of a URL is called among the heads that are known.
    pub(crate) fn name_of(url: &str) -> String {
        let parsed = Url::parse(url).map_or_else(|_| url.to_owned(), String::from);
        parsed.trim_end_matches('/').to_owned()
    }

    /// What it is called among the heads that are known.
    pub fn name(&self) -> &str {
        &self.name
    }

    fn at(&self, path: &str) -> Path {
        path.split('/').fold(self.root.clone(), Path::join)
    }

    /// Makes a request until it works, fails for good, or was made often enough.
    async fn again<T, F>(&self, path: &str, request: impl Fn(Path) -> F) -> Result<T, Error>
    where
        F: Future<Output = Result<T, Error>>,
    {
        let mut pause = self.retry.pause;
        for _ in 1..self.retry.tries {
            match request(self.at(path)).await {
                Err(error) if may_pass(&error) => tokio::time::sleep(pause).await,
                done => return done,
            }
            pause *= 2;
        }
        request(self.at(path)).await
    }

    /// Puts an object whose name says what is in it; it does not matter whether it is there.
    pub(super) async fn put(&self, path: &str, bytes: PutPayload) -> Result<(), SnapshotError> {
        let done = self.again(path, async |at| self.objects.put(&at, bytes.clone()).await).await;
        done.map(drop).map_err(|error| failed(path, error))
    }

    /// Creates an object, and never replaces one. After a lost answer the object may be ours although it
    /// counts as taken: who asks must look.
    pub(super) async fn create(
        &self,
        path: &str,
        bytes: PutPayload,
    ) -> Result<Created, SnapshotError> {
        let put = async |at: Path| {
            let options = PutOptions { mode: PutMode::Create, ..PutOptions::default() };
            self.objects.put_opts(&at, bytes.clone(), options).await
        };
        match self.again(path, put).await {
            Ok(_) => Ok(Created::New),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(Created::Taken),
            Err(error) => Err(failed(path, error)),
        }
    }

    /// An object of at most `most` bytes.
    pub(super) async fn get(
        &self,
        path: &str,
        most: u64,
    ) -> Result<Option<Vec<u8>>, SnapshotError> {
        let read = async |at: Path| {
            let found = self.objects.get_opts(&at, GetOptions::default()).await?;
            let size = found.meta.size;
            if size > most {
                return Ok(None);
            }
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
            let mut stream = found.into_stream();
            while let Some(part) = stream.try_next().await? {
                if (bytes.len() + part.len()) as u64 > most {
                    return Ok(None);
                }
                bytes.extend_from_slice(&part);
            }
            if bytes.len() as u64 != size {
                let source = format!("{} bytes of {size} came", bytes.len()).into();
                return Err(Error::Generic { store: "store", source });
            }
            Ok(Some(bytes))
        };
        match self.again(path, read).await {
            Ok(Some(bytes)) => Ok(Some(bytes)),
            Ok(None) => Err(SnapshotError::TooLarge { what: format!("`{path}`"), most }),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed(path, error)),
        }
    }

    /// What lies directly in a folder, by the last part of its name.
    pub(super) async fn list(
        &self,
        path: &str,
    ) -> Result<Vec<(String, ObjectMeta)>, SnapshotError> {
        let list = async |at: Path| {
            let found: Vec<ObjectMeta> =
                self.objects.list(Some(&at)).take(MAX_LISTED + 1).try_collect().await?;
            Ok(found)
        };
        let found = self.again(path, list).await.map_err(|error| failed(path, error))?;
        if found.len() > MAX_LISTED {
            let what = format!("the number of objects in `{path}`");
            return Err(SnapshotError::TooLarge { what, most: MAX_LISTED as u64 });
        }
        let folder = self.at(path);
        let direct = |about: ObjectMeta| {
            let mut rest = about.location.prefix_match(&folder)?;
            let name = rest.next()?.as_ref().to_owned();
            let is_direct = rest.next().is_none();
            drop(rest);
            is_direct.then_some((name, about))
        };
        Ok(found.into_iter().filter_map(direct).collect())
    }

    /// Removes an object; one that is gone is removed.
    pub(super) async fn delete(&self, path: &str) -> Result<(), SnapshotError> {
        match self.again(path, async |at| self.objects.delete(&at).await).await {
            Ok(()) | Err(Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(failed(path, error)),
        }
    }
}

fn failed(path: &str, error: Error) -> SnapshotError {
    SnapshotError::Store { path: path.to_owned(), error }
}

/// Whether the same request may work a little later.
fn may_pass(error: &Error) -> bool {
    matches!(error, Error::Generic { .. } | Error::JoinError { .. })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_a_store_of_a_known_kind_and_no_secret() {
        let none = Vec::new;
        for wrong in ["", "folder", "ftp://host/x", "memory:///", "https://example.com/x"] {
            let error = Store::open(wrong, none()).unwrap_err();
            assert!(matches!(error, SnapshotError::Url { .. }), "{wrong}: {error}");
        }
        let error = Store::open("s3://id:hunter2@bucket/x", none()).unwrap_err().to_string();
        assert!(!error.contains("hunter2"), "{error}");
    }

    #[test]
    fn stores_of_every_kind_are_made_without_a_request() {
        let set = |names: &[(&str, &str)]| -> Vec<(String, String)> {
            names.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        let aws = set(&[("AWS_ACCESS_KEY_ID", "a"), ("AWS_SECRET_ACCESS_KEY", "b"), ("HOME", "/")]);
        let azure =
            set(&[("AZURE_STORAGE_ACCOUNT_NAME", "a"), ("AZURE_STORAGE_ACCOUNT_KEY", "Yg==")]);
        let google = set(&[("GOOGLE_SKIP_SIGNATURE", "true")]);
        for (url, settings) in
            [("s3://bucket/a/b/", aws), ("az://container/a/b", azure), ("gs://bucket/a/b", google)]
        {
            let store = Store::open(url, settings).unwrap();
            assert_eq!(store.name(), url.trim_end_matches('/'));
            assert_eq!(store.at("agents/x").as_ref(), "a/b/agents/x", "{url}");
        }
    }
}

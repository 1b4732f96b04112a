//! The pipeline's way to the sources: what it asks for as text and pins becomes a fetch.

use std::path::{Path, PathBuf};

use crate::bundle::Fetched;
use crate::fetch::{FetchOptions, Wanted, newest_commit, open};
use crate::fetch_error::FetchError;
use crate::opened::Opened;
use crate::source::{Place, Source, parse};
use crate::supply::{Delivery, Newest, Pin, Supply, SupplyError};
use crate::work_folder::WorkFolder;

/// Fetches from every kind of source.
#[derive(Debug)]
pub struct Fetcher {
    options: FetchOptions,
    /// What relative paths are relative to.
    folder: PathBuf,
    _work: WorkFolder,
}

impl Fetcher {
    /// With a temporary work folder of its own, which goes when it goes. `adjust` changes the usual
    /// options.
    pub fn new(folder: &Path, adjust: impl FnOnce(&mut FetchOptions)) -> Result<Self, FetchError> {
        let work = WorkFolder::new()?;
        let mut options = FetchOptions::new(work.path());
        adjust(&mut options);
        work.path().clone_into(&mut options.work);
        Ok(Self { options, folder: folder.to_owned(), _work: work })
    }

    /// Looks into a source.
    pub fn open(&self, source: &Source) -> Result<Opened, FetchError> {
        open(&self.settled(source)?, &self.options)
    }

    /// A source that means the same from everywhere: local paths are whole.
    pub fn settled(&self, source: &Source) -> Result<Source, FetchError> {
        let whole = |path: &Path| {
            let path = hone_library::normal(&self.folder.join(path));
            path.canonicalize().map_err(FetchError::io("open", &path))
        };
        let place = match &source.place {
            Place::Folder(path) => Place::Folder(whole(path)?),
            Place::File(path) => Place::File(whole(path)?),
            other => other.clone(),
        };
        Ok(Source { place, skill: source.skill.clone() })
    }
}

impl From<Fetched> for Delivery {
    fn from(fetched: Fetched) -> Self {
        let Fetched { source, commit, digest, bundles, refused } = fetched;
        let source = Source { skill: None, ..source }.to_string();
        let refused = refused.into_iter().map(|one| (one.name, one.why)).collect();
        Self { source, commit, digest, bundles, refused }
    }
}

impl Supply for Fetcher {
    fn fetch(
        &self,
        source: &str,
        pin: Pin<'_>,
        paths: Option<&[String]>,
    ) -> Result<Delivery, SupplyError> {
        let source = self.settled(&parse(source)?)?;
        let mut options = self.options.clone();
        if let Pin::Commit(commit) = pin {
            options.commit = Some(commit.to_owned());
        }
        let mut opened = open(&source, &options)?;
        if let Pin::Digest(wanted) = pin
            && opened.digest.as_deref() != Some(wanted)
        {
            let is = opened.digest.unwrap_or_else(|| "unknown".to_owned());
            return Err(
                format!("what is there now is another: its SHA-256 is {is}, not {wanted}").into()
            );
        }
        opened.seek(paths.unwrap_or_default())?;
        let wanted = match paths {
            // One that is gone is left out, so that the others still come.
            Some(paths) => Wanted::Named(
                paths.iter().filter(|path| opened.has(path)).cloned().collect::<Vec<_>>(),
            ),
            None => Wanted::All,
        };
        if wanted == Wanted::Named(Vec::new()) {
            let Opened { source, commit, digest, .. } = opened;
            let (bundles, refused) = (Vec::new(), Vec::new());
            return Ok(Fetched { source, commit, digest, bundles, refused }.into());
        }
        Ok(opened.take(&wanted)?.into())
    }

    fn newest(&self, source: &str) -> Result<Option<Newest>, SupplyError> {
        let commit = newest_commit(&parse(source)?, &self.options)?;
        Ok(commit.map(|commit| Newest { commit: Some(commit), digest: None }))
    }
}

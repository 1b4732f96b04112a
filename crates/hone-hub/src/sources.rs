//! Real sources for the pipeline: every text that [`parse`] reads, fetched.

use std::path::{Path, PathBuf};

use hone_library::{canonical_or_same, normal};

use crate::bundle::Fetched;
use crate::fetch::{FetchOptions, Wanted, newest_commit, open};
use crate::fetch_error::FetchError;
use crate::source::{Place, Source, parse};
use crate::supply::{Delivery, Newest, Pin, Supply, SupplyError};

/// Whoever fetches from folders, repositories, archives and sites.
#[derive(Debug, Clone)]
pub struct Sources {
    /// How to fetch.
    pub options: FetchOptions,
    /// What a relative path in a lock is relative to: the base of the target.
    pub base: PathBuf,
}

impl Sources {
    /// A source as a person typed it in a folder, so that it means the same from everywhere: a path
    /// becomes relative to the base where it lies inside, else absolute.
    pub fn typed(&self, text: &str, cwd: &Path) -> Result<Source, FetchError> {
        Ok(self.portable(absolute(parse(text)?, cwd)))
    }

    /// What a fetch gave, for the pipeline.
    pub fn delivery(&self, fetched: Fetched) -> Delivery {
        let refused = fetched.refused.into_iter();
        Delivery {
            source: self.canonical(fetched.source),
            commit: fetched.commit,
            digest: fetched.digest,
            bundles: fetched.bundles,
            refused: refused.map(|one| (one.name, one.why)).collect(),
        }
    }

    /// The text that a lock keeps. Which skill of the source was chosen, its path in it says.
    fn canonical(&self, source: Source) -> String {
        self.portable(Source { skill: None, ..source }).to_string()
    }

    fn portable(&self, mut source: Source) -> Source {
        if let Place::Folder(path) | Place::File(path) = &mut source.place {
            let whole = canonical_or_same(&self.base.join(&*path));
            *path = match whole.strip_prefix(canonical_or_same(&self.base)) {
                Ok(inside) => Path::new(".").join(inside),
                Err(_) => whole,
            };
        }
        source
    }

    fn read(&self, text: &str) -> Result<Source, FetchError> {
        Ok(absolute(parse(text)?, &self.base))
    }
}

/// The source with its path made absolute.
fn absolute(mut source: Source, from: &Path) -> Source {
    if let Place::Folder(path) | Place::File(path) = &mut source.place {
        *path = normal(&from.join(&*path));
    }
    source
}

impl Supply for Sources {
    fn fetch(
        &self,
        source: &str,
        pin: Pin<'_>,
        paths: Option<&[String]>,
    ) -> Result<Delivery, SupplyError> {
        let mut source = self.read(source)?;
        let mut options = self.options.clone();
        if let Pin::Commit(commit) = pin {
            options.commit = Some(commit.to_owned());
        }
        if paths.is_some() {
            source.skill = None;
        }
        let opened = open(&source, &options)?;
        if let (Pin::Digest(wanted), Some(found)) = (pin, &opened.digest)
            && wanted != found
        {
            return Err(format!("its SHA-256 is {found}, the lock has {wanted}").into());
        }
        let Some(paths) = paths else {
            return Ok(self.delivery(opened.take(&Wanted::All)?));
        };
        let there: Vec<String> = opened
            .offered
            .iter()
            .map(|one| one.path.clone())
            .filter(|path| paths.contains(path))
            .collect();
        if there.is_empty() {
            return Ok(Delivery {
                source: self.canonical(opened.source),
                commit: opened.commit,
                digest: opened.digest,
                bundles: Vec::new(),
                refused: Vec::new(),
            });
        }
        Ok(self.delivery(opened.take(&Wanted::Named(there))?))
    }

    fn newest(&self, source: &str) -> Result<Option<Newest>, SupplyError> {
        let commit = newest_commit(&self.read(source)?, &self.options)?;
        Ok(commit.map(|commit| Newest { commit: Some(commit), digest: None }))
    }
}

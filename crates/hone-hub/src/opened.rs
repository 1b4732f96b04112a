//! A source that was looked into: which skills it offers, and taking those that are wanted.

use std::fmt;

use crate::bundle::{Bundle, Fetched, OfferStanding, Offered, Refused};
use crate::discover::{self, Discovered};
use crate::fetch::{FetchOptions, Progress, Wanted};
use crate::fetch_error::FetchError;
use crate::mcp::{self, Shelf};
use crate::source::Source;
use crate::tree::Tree;
use crate::well_known::Index;

/// A source that was looked into: what it offers is known, and can be taken.
pub struct Opened {
    /// The source as it turned out to be.
    pub source: Source,
    /// The commit, for a git source.
    pub commit: Option<String>,
    /// The SHA-256 of what was downloaded, for an archive or a single file.
    pub digest: Option<String>,
    /// The skills that it offers, by path.
    pub offered: Vec<Offered>,
    /// Folders that look like skills and cannot be read.
    pub refused: Vec<Refused>,
    pub(crate) place: Inside,
    pub(crate) options: FetchOptions,
}

pub(crate) enum Inside {
    Tree(Box<dyn Tree>),
    Site(Index),
    Mcp(Box<Shelf>),
}

impl fmt::Debug for Opened {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Opened")
            .field("source", &self.source)
            .field("commit", &self.commit)
            .field("digest", &self.digest)
            .field("offered", &self.offered)
            .field("refused", &self.refused)
            .finish_non_exhaustive()
    }
}

impl Opened {
    pub(crate) fn of_tree(
        mut tree: Box<dyn Tree>,
        top: &str,
        source: Source,
        options: &FetchOptions,
    ) -> Result<Self, FetchError> {
        let found = discover::discover(&mut *tree, top, &source.to_string())?;
        let Discovered { offered, refused } = found;
        if offered.is_empty() && refused.is_empty() {
            return Err(FetchError::NoSkills(source.to_string()));
        }
        Ok(Self {
            source,
            commit: None,
            digest: None,
            offered,
            refused,
            place: Inside::Tree(tree),
            options: options.clone(),
        })
    }

    /// Takes the skills that are wanted. Those that cannot be taken are named; when none can, that is an
    /// error.
    pub fn take(mut self, wanted: &Wanted) -> Result<Fetched, FetchError> {
        let own = self.source.skill.clone().map(|name| Wanted::Named(vec![name]));
        let wanted = own.as_ref().unwrap_or(wanted);
        if let Wanted::Named(names) = wanted {
            self.seek(names)?;
        }
        let (chosen, mut refused) = self.choose(wanted)?;
        let (bundles, more) = match &mut self.place {
            Inside::Tree(tree) => {
                take_from_tree(&mut **tree, &chosen, &self.source, &self.options)?
            }
            Inside::Site(index) => index.take(&chosen, &self.options),
            Inside::Mcp(shelf) => shelf.take(&chosen, &self.options),
        };
        refused.extend(more);
        if bundles.is_empty() && !refused.is_empty() {
            return Err(FetchError::Refused(refused));
        }
        if bundles.is_empty() {
            return Err(FetchError::NoSkills(self.source.to_string()));
        }
        let (source, commit, digest) = (self.source, self.commit, self.digest);
        Ok(Fetched { source, commit, digest, bundles, refused })
    }

    /// Asks a server that need not list all it has for skills that it does not list.
    pub(crate) fn seek(&mut self, names: &[String]) -> Result<(), FetchError> {
        for name in names {
            let is_known = self.find(name).is_some() || self.find_refused(name).is_some();
            if let (false, Inside::Mcp(shelf)) = (is_known, &mut self.place) {
                shelf.seek(name)?;
                (self.offered, self.refused) = (shelf.offered(), shelf.refused());
            }
        }
        Ok(())
    }

    /// Whether there is something at this path that looks like a skill.
    pub(crate) fn has(&self, path: &str) -> bool {
        self.offered.iter().any(|one| one.path == path)
            || self.refused.iter().any(|one| one.path == path)
    }

    fn choose(&self, wanted: &Wanted) -> Result<(Vec<Offered>, Vec<Refused>), FetchError> {
        let is_wanted = |one: &&Offered| match &one.standing {
            OfferStanding::Open => true,
            OfferStanding::Internal => *wanted == Wanted::AllAndInternal,
            OfferStanding::Nested(_) | OfferStanding::Duplicate(_) => false,
        };
        let Wanted::Named(names) = wanted else {
            let chosen = self.offered.iter().filter(is_wanted).cloned().collect();
            return Ok((chosen, self.refused.clone()));
        };
        let (mut chosen, mut refused): (Vec<Offered>, Vec<Refused>) = (Vec::new(), Vec::new());
        for name in names {
            if let Some(one) = self.find(name) {
                if !chosen.contains(one) {
                    chosen.push(one.clone());
                }
            } else if let Some(one) = self.find_refused(name) {
                refused.push(one.clone());
            } else {
                return Err(FetchError::NoSuchSkill {
                    source_text: self.source.to_string(),
                    name: name.clone(),
                    offered: self.names(),
                });
            }
        }
        chosen.sort_by(|a, b| a.path.cmp(&b.path));
        Ok((chosen, refused))
    }

    /// One that cannot be taken, by its path or its name.
    fn find_refused(&self, name: &str) -> Option<&Refused> {
        let address = mcp::path_of_address(name);
        self.refused.iter().find(|one| {
            one.path == name.trim_matches('/')
                || discover::key(&one.name) == discover::key(name)
                || address.is_some() && mcp::path_of_address(&one.path) == address
        })
    }

    /// A skill by its path or its address, by its name, or by the name of its folder.
    fn find(&self, name: &str) -> Option<&Offered> {
        let path = mcp::path_of_address(name);
        let path = path.as_deref().unwrap_or(name.trim_matches('/'));
        let wanted = discover::key(name);
        let standing = |one: &&Offered| match one.standing {
            OfferStanding::Open => 0,
            OfferStanding::Internal => 1,
            OfferStanding::Nested(_) => 2,
            OfferStanding::Duplicate(_) => 3,
        };
        let by_path = || self.offered.iter().find(|one| one.path == path);
        let best = |is_it: &dyn Fn(&Offered) -> bool| {
            self.offered.iter().filter(|one| is_it(one)).min_by_key(standing)
        };
        by_path()
            .or_else(|| best(&|one| discover::key(&one.name) == wanted))
            .or_else(|| best(&|one| discover::key(discover::last(&one.path)) == wanted))
    }

    /// A sentence with the names that there are, as many as one can read.
    fn names(&self) -> String {
        const SHOWN: usize = 20;
        let names: Vec<String> =
            self.offered.iter().take(SHOWN).map(|one| format!("`{}`", one.name)).collect();
        let rest = match self.offered.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        format!("it has {}{rest}", names.join(", "))
    }
}

fn take_from_tree(
    tree: &mut dyn Tree,
    chosen: &[Offered],
    source: &Source,
    options: &FetchOptions,
) -> Result<(Vec<Bundle>, Vec<Refused>), FetchError> {
    let paths: Vec<String> =
        chosen.iter().flat_map(|one| discover::files_of(tree, &one.path)).collect();
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    tree.prepare(&paths)?;
    let (mut bundles, mut refused, mut left) = (Vec::new(), Vec::new(), options.room());
    for (done, one) in chosen.iter().enumerate() {
        options.progress.say(&Progress::Skills { done, all: chosen.len() });
        match discover::take(tree, one)? {
            Ok(bundle) => {
                let bytes: u64 = bundle.files.values().map(|file| file.bytes.len() as u64).sum();
                left = left.checked_sub(bytes).ok_or_else(|| FetchError::TooMany {
                    source_text: source.to_string(),
                    limit: format!("{} bytes", options.room()),
                })?;
                bundles.push(bundle);
            }
            Err(why) => {
                refused.push(Refused { name: one.name.clone(), path: one.path.clone(), why });
            }
        }
    }
    options.progress.say(&Progress::Skills { done: chosen.len(), all: chosen.len() });
    Ok((bundles, refused))
}

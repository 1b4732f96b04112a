//! From a source to bundles: opens the place, says which skills it offers, and takes those that are
//! wanted. Nothing is written outside of the work folder, and nothing stays in it.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use hone_net::Settings;
use url::Url;

use crate::bundle::{BundleFile, Fetched};
use crate::discover;
use crate::download::{self, Downloaded};
use crate::fetch_error::FetchError;
use crate::folder::Folder;
use crate::git;
use crate::limits::{
    MAX_DOWNLOAD_BYTES, MAX_FETCH_TIME, MAX_GIT_MEMORY_BYTES, MAX_REPOSITORY_BYTES, MAX_STALL_TIME,
    MAX_TAKEN_BYTES,
};
use crate::mcp::{self, Tokens};
use crate::opened::{Inside, Opened};
use crate::source::{GitPlace, Place, Source};
use crate::tree::Unpacked;
use crate::unpack::unpack;
use crate::well_known;

/// How a fetch works.
#[derive(Debug, Clone)]
pub struct FetchOptions {
    /// A folder for what is on its way; it must exist.
    pub work: PathBuf,
    /// Which addresses may be asked, through which proxy, with which certificates. Git gets the rules
    /// on addresses; proxy and certificates it takes from its own configuration and the environment.
    pub net: Settings,
    /// Whether git and ssh may ask a person for a password.
    pub prompts: Prompts,
    /// What MCP servers want to see.
    pub tokens: Tokens,
    /// The commit to take, whatever the source's reference says by now: a lock's.
    pub commit: Option<String>,
    /// Longest time of each step.
    pub time: Duration,
    /// Longest time in which nothing arrives.
    pub stall: Duration,
    /// Most bytes of a repository; at most [`MAX_REPOSITORY_BYTES`].
    pub repository_bytes: u64,
    /// Most bytes of memory for what git holds; at most [`MAX_GIT_MEMORY_BYTES`]. Linux keeps to it.
    pub git_memory_bytes: u64,
    /// Most bytes of all skills that are taken at once; at most [`MAX_TAKEN_BYTES`].
    pub taken_bytes: u64,
    /// Who is told how far it is.
    pub progress: Report,
}

impl FetchOptions {
    /// The usual limits, and proxy and certificates as the environment says.
    pub fn new(work: &Path) -> Self {
        Self {
            work: work.to_owned(),
            net: Settings::from_environment(|name| std::env::var(name).ok()),
            prompts: Prompts::Never,
            tokens: Tokens::read(&std::env::var(mcp::VARIABLE).unwrap_or_default()),
            commit: None,
            time: MAX_FETCH_TIME,
            stall: MAX_STALL_TIME,
            repository_bytes: MAX_REPOSITORY_BYTES,
            git_memory_bytes: MAX_GIT_MEMORY_BYTES,
            taken_bytes: MAX_TAKEN_BYTES,
            progress: Report::default(),
        }
    }
}

impl FetchOptions {
    /// How many bytes may be taken.
    pub(crate) fn room(&self) -> u64 {
        self.taken_bytes.min(MAX_TAKEN_BYTES)
    }
}

/// Whether a person may be asked for a password.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prompts {
    /// Nobody is there.
    Never,
    /// Somebody sits at the terminal.
    Terminal,
}

/// How far a fetch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress<'a> {
    /// A server is asked.
    Asking(&'a str),
    /// A download goes on.
    Bytes {
        /// Bytes that have come.
        done: u64,
        /// Bytes that will have come, if the server says so.
        all: Option<u64>,
    },
    /// Git counts, receives or unpacks objects.
    Objects {
        /// Objects that are done.
        done: u64,
        /// All objects of this step.
        all: u64,
    },
    /// Skills are read.
    Skills {
        /// Skills that are read.
        done: usize,
        /// All that are wanted.
        all: usize,
    },
}

/// Who is told how far a fetch is; by default nobody.
#[derive(Clone, Default)]
pub struct Report(Option<Arc<Tell>>);

type Tell = dyn Fn(&Progress<'_>) + Send + Sync;

impl Report {
    /// Tells this function.
    pub fn to(tell: impl Fn(&Progress<'_>) + Send + Sync + 'static) -> Self {
        Self(Some(Arc::new(tell)))
    }

    pub(crate) fn say(&self, progress: &Progress<'_>) {
        if let Some(tell) = &self.0 {
            tell(progress);
        }
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.0.is_some() { "Report(to somebody)" } else { "Report(to nobody)" })
    }
}

/// Which skills of a source are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wanted {
    /// All that are open.
    All,
    /// All, internal ones too.
    AllAndInternal,
    /// These, by name, by the name of their folder, or by their path in the source.
    Named(Vec<String>),
}

/// Fetches the skills that are wanted; the one that the source itself names comes before `wanted`.
///
/// ```
/// use hone_hub::{FetchOptions, Wanted, fetch, parse};
///
/// # let folder = tempfile::tempdir()?;
/// std::fs::create_dir(folder.path().join("greet"))?;
/// std::fs::write(
///     folder.path().join("greet/SKILL.md"),
///     "---\nname: greet\ndescription: Says hello\n---\nSay hello.\n",
/// )?;
/// let source = parse(&folder.path().display().to_string())?;
/// # let work = tempfile::tempdir()?;
/// let fetched = fetch(&source, &Wanted::All, &FetchOptions::new(work.path()))?;
/// assert_eq!(fetched.bundles[0].name, "greet");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn fetch(
    source: &Source,
    wanted: &Wanted,
    options: &FetchOptions,
) -> Result<Fetched, FetchError> {
    open(source, options)?.take(wanted)
}

/// The commit that a git source has now, without fetching any of it; none for other sources.
pub fn newest_commit(
    source: &Source,
    options: &FetchOptions,
) -> Result<Option<String>, FetchError> {
    match &source.place {
        Place::Git(place) => git::newest(place, options).map(Some),
        _ => Ok(None),
    }
}

/// Looks into a source.
pub fn open(source: &Source, options: &FetchOptions) -> Result<Opened, FetchError> {
    let skill = source.skill.clone();
    match &source.place {
        Place::Git(place) => open_git(place, skill, options),
        Place::Folder(path) => open_folder(path, source, options),
        Place::File(path) if path.is_dir() => open_folder(path, source, options),
        Place::File(path) => {
            let bytes = read_file(path)?;
            open_archive(
                &bytes,
                hone_library::hash(&bytes),
                &path.to_string_lossy(),
                source,
                options,
            )
        }
        Place::Archive(url) => {
            let done = download::download(url, MAX_DOWNLOAD_BYTES, options)?;
            open_archive(&done.bytes, done.sha256, url.path(), source, options)
        }
        Place::SkillFile(url) => {
            let Downloaded { bytes, sha256, .. } =
                download::download(url, MAX_DOWNLOAD_BYTES, options)?;
            let file = BundleFile { bytes, is_executable: false };
            let tree = Unpacked::new([("SKILL.md".to_owned(), file)].into());
            // The folder around the file is the name of a skill that has none.
            let folder = url.path().rsplit('/').nth(1).unwrap_or_default();
            let top = if folder.is_empty() { "skill" } else { folder };
            let opened = Opened::of_tree(Box::new(tree), top, source.clone(), options)?;
            Ok(Opened { digest: Some(sha256), ..opened })
        }
        Place::Site(url) => open_site(url, skill, options),
        Place::Page(url) => open_page(url, skill, options),
        Place::Mcp(url) => open_mcp(url, skill, options),
    }
}

fn open_git(
    place: &GitPlace,
    skill: Option<String>,
    options: &FetchOptions,
) -> Result<Opened, FetchError> {
    let repository = git::open(place, options.commit.as_deref(), options)?;
    let place = repository.place.clone();
    let commit = repository.commit.clone();
    let path = if place.path.is_empty() { place.url.trim_end_matches('/') } else { &place.path };
    let top = path.rsplit(['/', ':']).next().unwrap_or_default();
    let top = top.strip_suffix(".git").unwrap_or(top).to_owned();
    let source = Source { place: Place::Git(place), skill };
    let opened = Opened::of_tree(Box::new(repository), &top, source, options)?;
    Ok(Opened { commit: Some(commit), ..opened })
}

fn open_folder(path: &Path, source: &Source, options: &FetchOptions) -> Result<Opened, FetchError> {
    let folder = Folder::open(path)?;
    let whole = path.canonicalize().map_err(FetchError::io("open", path))?;
    let top = whole.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Opened::of_tree(Box::new(folder), &top, source.clone(), options)
}

fn open_archive(
    archive: &[u8],
    sha256: String,
    name: &str,
    source: &Source,
    options: &FetchOptions,
) -> Result<Opened, FetchError> {
    let refuse = |why| FetchError::Archive { archive: source.to_string(), why };
    let files = unpack(archive).map_err(refuse)?;
    let name = discover::last(name);
    let top = name.split('.').next().unwrap_or(name);
    let opened = Opened::of_tree(Box::new(Unpacked::new(files)), top, source.clone(), options)?;
    Ok(Opened { digest: Some(sha256), ..opened })
}

/// A file of this machine, as far as a download may go.
fn read_file(path: &Path) -> Result<Vec<u8>, FetchError> {
    let failed = |error| FetchError::io("read", path)(error);
    let file = std::fs::File::open(path).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(MAX_DOWNLOAD_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_DOWNLOAD_BYTES {
        let why = format!("it has more than {MAX_DOWNLOAD_BYTES} bytes");
        return Err(FetchError::Archive { archive: path.display().to_string(), why });
    }
    Ok(bytes)
}

fn open_site(
    url: &Url,
    skill: Option<String>,
    options: &FetchOptions,
) -> Result<Opened, FetchError> {
    let (site, index) = well_known::open(url, options)?;
    Ok(Opened {
        source: Source { place: Place::Site(site), skill },
        commit: None,
        digest: None,
        offered: index.offered(),
        refused: index.refused(),
        place: Inside::Site(index),
        options: options.clone(),
    })
}

fn open_mcp(
    url: &Url,
    skill: Option<String>,
    options: &FetchOptions,
) -> Result<Opened, FetchError> {
    let shelf = mcp::open(url, options)?;
    let (offered, refused) = (shelf.offered(), shelf.refused());
    Ok(Opened {
        source: Source { place: Place::Mcp(url.clone()), skill },
        commit: None,
        digest: None,
        offered,
        refused,
        place: Inside::Mcp(Box::new(shelf)),
        options: options.clone(),
    })
}

/// Asks git first: a server that speaks git is a repository, whatever else its pages are.
fn open_page(
    url: &Url,
    skill: Option<String>,
    options: &FetchOptions,
) -> Result<Opened, FetchError> {
    let git = match git::probe(url.as_str(), options) {
        Ok(()) => {
            let url = url.to_string();
            let place = GitPlace { url, at: crate::source::At::Head, path: String::new() };
            return open_git(&place, skill, options);
        }
        Err(error @ (FetchError::NotPublic { .. } | FetchError::OutOfTime { .. })) => {
            return Err(error);
        }
        Err(FetchError::Git { why, .. }) => why,
        Err(error) => error.to_string(),
    };
    open_site(url, skill, options).map_err(|error| FetchError::NeitherGitNorSite {
        url: url.to_string(),
        git,
        site: error.to_string(),
    })
}

//! A git repository as a tree of files, through the `git` command line and without a checkout.
//!
//! One commit is fetched, without history, and without file contents where the server can leave them
//! out; contents are then asked for by id, only those that are wanted. Files are read out of the object
//! store, so no hook, filter, attribute, submodule or link of the repository ever does anything.
//!
//! Of addresses the following is promised. Over http and https a name is resolved and checked here, git
//! is told to use the checked addresses (git 2.37 and newer), and redirects are followed here too. What
//! a person's own git configuration rewrites (`insteadOf`, a proxy), and what ssh makes of a name, is
//! theirs and not checked.

mod command;
mod objects;

use std::collections::{BTreeMap, HashMap};
use std::path::Path;

use tempfile::TempDir;

use crate::fetch::FetchOptions;
use crate::fetch_error::FetchError;
use crate::limits::{MAX_TREE_ENTRIES, MAX_TREE_LIST_BYTES};
use crate::source::{At, GitPlace};
use crate::tree::{Kind, Tree};

use command::{Failed, Git};
use objects::Objects;

/// The reference under which the wanted commit is kept.
const FETCHED: &str = "refs/hone/fetched";
/// Most that a server may say about its references, in bytes.
const MAX_REFERENCES_BYTES: usize = 4 * 1024 * 1024;

/// A commit of a repository.
pub(crate) struct Repository {
    /// Where it turned out to be: the reference and the folder told apart.
    pub(crate) place: GitPlace,
    /// The commit's id.
    pub(crate) commit: String,
    entries: BTreeMap<String, Kind>,
    ids: HashMap<String, String>,
    objects: Option<Objects>,
    git: Git,
    _folder: TempDir,
}

/// Fetches a commit. With `pinned` it is this one, whatever the reference says by now.
pub(crate) fn open(
    place: &GitPlace,
    pinned: Option<&str>,
    options: &FetchOptions,
) -> Result<Repository, FetchError> {
    let (folder, mut git) = prepare(&place.url, options)?;
    let mut place = place.clone();
    let wanted = match pinned {
        Some(commit) => Wanted::Commit(commit.to_owned()),
        None => resolve(&mut git, &mut place)?,
    };
    let commit = fetch(&mut git, &wanted)?;
    let (entries, ids) = list(&git, &commit, &place)?;
    Ok(Repository { place, commit, entries, ids, objects: None, git, _folder: folder })
}

/// An empty repository, so that no other one around it has a say.
fn prepare(url: &str, options: &FetchOptions) -> Result<(TempDir, Git), FetchError> {
    let folder = tempfile::Builder::new().prefix("git-").tempdir_in(&options.work);
    let folder = folder.map_err(FetchError::io("create a folder in", &options.work))?;
    let git = Git::new(url, folder.path(), options)?;
    git.run("prepare for", &["init", "--quiet", "--bare", "--template=", "."], 0)?;
    Ok((folder, git))
}

/// The commit that a place has now, without fetching anything of it.
pub(crate) fn newest(place: &GitPlace, options: &FetchOptions) -> Result<String, FetchError> {
    let (_folder, mut git) = prepare(&place.url, options)?;
    let mut place = place.clone();
    match resolve(&mut git, &mut place)? {
        Wanted::Commit(id) | Wanted::Reference { id: Some(id), .. } => Ok(id),
        Wanted::Reference { name, .. } => {
            let found = references(&mut git, std::slice::from_ref(&name))?;
            let id = found.into_iter().find(|(found, _)| *found == name).map(|(_, id)| id);
            id.ok_or_else(|| FetchError::NoReference { url: place.url.clone(), name })
        }
    }
}

/// Whether git can talk to an address; the error is why not, in its words.
pub(crate) fn probe(url: &str, options: &FetchOptions) -> Result<(), FetchError> {
    let (_folder, mut git) = prepare(url, options)?;
    references(&mut git, &["HEAD".to_owned()]).map(drop)
}

/// What is asked of a server.
enum Wanted {
    /// A commit by its id.
    Commit(String),
    /// A reference by its whole name, and the commit it had when references were listed.
    Reference { name: String, id: Option<String> },
}

/// Whether a name is a whole commit id.
pub(crate) fn is_commit(name: &str) -> bool {
    matches!(name.len(), 40 | 64) && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Finds out what a place means: a branch, else a tag, else a commit. Of a tree address the part that is
/// no reference becomes the folder.
fn resolve(git: &mut Git, place: &mut GitPlace) -> Result<Wanted, FetchError> {
    let text = match &place.at {
        At::Head => return Ok(Wanted::Reference { name: "HEAD".to_owned(), id: None }),
        At::Named(name) => {
            if is_commit(name) {
                return Ok(Wanted::Commit(name.to_ascii_lowercase()));
            }
            vec![name.clone()]
        }
        At::Tree(tree) => {
            // Longest first.
            let ends = tree.match_indices('/').map(|(at, _)| at).chain([tree.len()]);
            let mut names: Vec<String> = ends.map(|end| tree[..end].to_owned()).collect();
            names.reverse();
            names
        }
    };
    let patterns: Vec<String> = text
        .iter()
        .flat_map(|name| {
            [
                format!("refs/heads/{name}"),
                format!("refs/tags/{name}"),
                format!("refs/tags/{name}^{{}}"),
            ]
        })
        .collect();
    let found: HashMap<String, String> = references(git, &patterns)?.into_iter().collect();
    for kind in ["refs/heads/", "refs/tags/"] {
        for name in &text {
            let whole = format!("{kind}{name}");
            let Some(id) = found.get(&whole) else { continue };
            let peeled = found.get(&format!("{whole}^{{}}")).unwrap_or(id);
            let wanted = Wanted::Reference { name: whole, id: Some(peeled.clone()) };
            name_reference(place, name);
            return Ok(wanted);
        }
    }
    let first = text.last().cloned().unwrap_or_default();
    if is_commit(&first) {
        name_reference(place, &first);
        return Ok(Wanted::Commit(first.to_ascii_lowercase()));
    }
    Err(FetchError::NoReference { url: place.url.clone(), name: text.concat() })
}

/// Splits a tree address at the end of its reference.
fn name_reference(place: &mut GitPlace, name: &str) {
    if let At::Tree(tree) = &place.at {
        tree[name.len()..].trim_start_matches('/').clone_into(&mut place.path);
        place.at = At::Named(name.to_owned());
    }
}

/// References of the server that have one of these names, each with its id.
fn references(git: &mut Git, names: &[String]) -> Result<Vec<(String, String)>, FetchError> {
    let mut arguments = vec!["ls-remote", "--quiet", "origin"];
    arguments.extend(names.iter().map(String::as_str));
    let listed = git.ask("ask", &arguments, MAX_REFERENCES_BYTES)?;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let is_asked = |name: &str| names.iter().any(|asked| asked == name);
    let pairs = listed.lines().filter_map(|line| line.split_once('\t'));
    Ok(pairs
        .filter(|(id, name)| is_commit(id) && is_asked(name))
        .map(|(id, name)| (name.to_owned(), id.to_owned()))
        .collect())
}

/// Brings the commit here, in the leanest way that the server can, and gives its id.
fn fetch(git: &mut Git, wanted: &Wanted) -> Result<String, FetchError> {
    let name = match wanted {
        Wanted::Commit(id) => id,
        Wanted::Reference { name, .. } => name,
    };
    let refspec = format!("+{name}:{FETCHED}");
    let ways: [&[&str]; 3] = [&["--depth=1", "--filter=blob:none"], &["--depth=1"], &[]];
    let mut last = None;
    for way in ways {
        let arguments = [&FETCH[..], way, &["origin", &refspec]].concat();
        match git.try_ask("fetch", &arguments, 0) {
            Ok(_) => return commit_of(git, FETCHED),
            Err(failed) if failed.is_about_the_way() => last = Some(failed),
            Err(failed) => {
                last = Some(failed);
                break;
            }
        }
    }
    if let (Wanted::Commit(id), Some(failed)) = (wanted, &last)
        && failed.is_about_the_id()
    {
        // An older server gives only what its references name: all of them, then, with their history.
        let all = ["origin", "+refs/heads/*:refs/hone/heads/*", "+refs/tags/*:refs/hone/tags/*"];
        git.ask("fetch", &[&FETCH[..], &all].concat(), 0)?;
        let found = commit_of(git, id);
        return found
            .map_err(|_| FetchError::NoReference { url: git.url().to_owned(), name: id.clone() });
    }
    match last {
        Some(failed) => Err(failed.into_error()),
        None => commit_of(git, FETCHED),
    }
}

/// What every fetch says: no tags, no submodules, and how far it is.
const FETCH: [&str; 5] =
    ["fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no"];

fn commit_of(git: &Git, name: &str) -> Result<String, FetchError> {
    let name = format!("{name}^{{commit}}");
    let id = git.run("find a commit in", &["rev-parse", "--verify", "--quiet", &name], 128)?;
    Ok(String::from_utf8_lossy(&id).trim().to_owned())
}

type Listed = (BTreeMap<String, Kind>, HashMap<String, String>);

/// The files of a folder of a commit.
fn list(git: &Git, commit: &str, place: &GitPlace) -> Result<Listed, FetchError> {
    let tree = format!("{commit}:{}", place.path);
    let arguments = ["ls-tree", "-r", "-z", "--full-tree", &tree];
    let bytes = match git.try_run("list", &arguments, MAX_TREE_LIST_BYTES) {
        Ok(bytes) => bytes,
        Err(Failed::Said { .. }) if !place.path.is_empty() => {
            let (source_text, path) = (place.url.clone(), place.path.clone());
            return Err(FetchError::NoFolder { source_text, path });
        }
        Err(failed) => return Err(failed.into_error()),
    };
    let (mut entries, mut ids) = (BTreeMap::new(), HashMap::new());
    for line in bytes.split(|byte| *byte == 0).filter(|line| !line.is_empty()) {
        let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { continue };
        let (front, path) = (String::from_utf8_lossy(&line[..tab]), &line[tab + 1..]);
        let mut front = front.split(' ');
        let (mode, id) = (front.next().unwrap_or_default(), front.nth(1).unwrap_or_default());
        let (path, kind) = match (std::str::from_utf8(path), mode) {
            (Err(_), _) => {
                let path = String::from_utf8_lossy(path).into_owned();
                (path, Kind::Other("something whose name is not UTF-8"))
            }
            (Ok(path), "120000") => (path.to_owned(), Kind::Other("a link")),
            (Ok(path), "160000") => (path.to_owned(), Kind::Other("a submodule")),
            (Ok(path), mode) => (path.to_owned(), Kind::File { is_executable: mode == "100755" }),
        };
        if entries.len() == MAX_TREE_ENTRIES {
            let limit = format!("{MAX_TREE_ENTRIES} files");
            return Err(FetchError::TooMany { source_text: place.url.clone(), limit });
        }
        ids.insert(path.clone(), id.to_owned());
        entries.insert(path, kind);
    }
    Ok((entries, ids))
}

impl Tree for Repository {
    fn entries(&self) -> &BTreeMap<String, Kind> {
        &self.entries
    }

    /// Asks the server at once for all contents that are not here yet.
    fn prepare(&mut self, paths: &[&str]) -> Result<(), FetchError> {
        let ids: Vec<&str> = paths
            .iter()
            .filter(|path| matches!(self.entries.get(**path), Some(Kind::File { .. })))
            .filter_map(|path| self.ids.get(*path).map(String::as_str))
            .collect();
        let missing = objects::missing(&self.git, &ids)?;
        if missing.is_empty() {
            return Ok(());
        }
        // The running reader does not look for new packs.
        self.objects = None;
        let way = ["--filter=blob:none", "--stdin", "origin"];
        self.git.feed("fetch", &[&FETCH[..], &way].concat(), missing)
    }

    fn read(&mut self, path: &str, max: u64) -> Result<Option<Vec<u8>>, FetchError> {
        let Some(id) = self.ids.get(path) else { return Ok(None) };
        let mut objects = match self.objects.take() {
            Some(objects) => objects,
            None => Objects::start(&self.git)?,
        };
        let bytes = objects.read(&self.git, id, max)?;
        if bytes.is_some() {
            self.objects = Some(objects);
        }
        Ok(bytes)
    }
}

/// The bytes of all files below a folder that is being written to; what vanishes meanwhile counts as
/// nothing.
fn bytes_below(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => bytes_below(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}

//! A git repository as a tree of files, through the `git` command line and without a checkout.
//!
//! One commit is fetched, without history, and without file contents where the server can leave them
//! out; contents are then asked for by id, only those that are wanted. A repository of this machine is
//! read where it is. Files are read out of the object store, so no hook, filter, attribute, submodule or
//! link of the repository ever does anything.
//!
//! Of addresses the following is promised. Over http and https a name is resolved and checked here, git
//! is told to use the checked addresses (git 2.37 and newer), and redirects are followed here too. What
//! a person's own git configuration rewrites (`insteadOf`, a proxy), and what ssh makes of a name, is
//! theirs and not checked.

mod command;
mod listing;
mod local;
mod objects;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::fetch::FetchOptions;
use crate::fetch_error::FetchError;
use crate::source::{At, GitPlace};
use crate::tree::{Kind, Tree};

use command::Git;
use objects::{Commit, Objects};

/// The reference under which the wanted commit is kept.
const FETCHED: &str = "refs/hone/fetched";
/// Most bytes of contents that are read before they are wanted.
const MAX_READY_BYTES: u64 = 32 * 1024 * 1024;
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
    /// The contents that came one by one; without it, all are here.
    asked: Option<HashSet<String>>,
    /// Contents that will be read soon, by id.
    ready: HashMap<String, Vec<u8>>,
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
    let Here { mut objects, commit, contents } = match read_in_place(&mut git, &wanted)? {
        Some(here) => here,
        None => fetch(&mut git, &wanted)?,
    };
    let (entries, ids) = listing::list(&mut objects, &git, &commit.tree, &place)?;
    let asked = (contents == Contents::LeftOut).then(HashSet::new);
    let (objects, commit) = (Some(objects), commit.id);
    let ready = HashMap::new();
    Ok(Repository { place, commit, entries, ids, asked, ready, objects, git, _folder: folder })
}

/// An empty repository, so that no other one around it has a say. It is what `git init --bare` makes.
fn prepare(url: &str, options: &FetchOptions) -> Result<(TempDir, Git), FetchError> {
    let folder = tempfile::Builder::new().prefix("git-").tempdir_in(&options.work);
    let folder = folder.map_err(FetchError::io("create a folder in", &options.work))?;
    let git = Git::new(url, folder.path(), options)?;
    let made =
        ["objects", "refs"].iter().try_for_each(|name| fs::create_dir(folder.path().join(name)));
    made.and_then(|()| fs::write(folder.path().join("HEAD"), "ref: refs/heads/main\n"))
        .map_err(FetchError::io("write into", folder.path()))?;
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

/// Whether the contents of files came with a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Contents {
    Here,
    LeftOut,
}

/// A commit that can be read.
struct Here {
    objects: Objects,
    commit: Commit,
    contents: Contents,
}

/// The commit in a repository of this machine, where that can be read in its place.
fn read_in_place(git: &mut Git, wanted: &Wanted) -> Result<Option<Here>, FetchError> {
    let Some(store) = local::store(git.url()) else { return Ok(None) };
    let id = match wanted {
        Wanted::Reference { id: Some(id), .. } => Some(id.clone()),
        Wanted::Reference { name, id: None } => {
            references(git, std::slice::from_ref(name))?.pop().map(|(_, id)| id)
        }
        Wanted::Commit(id) => {
            // Whether the repository may be looked into is git's to say.
            references(git, &["HEAD".to_owned()])?;
            Some(id.clone())
        }
    };
    let Some(id) = id else { return Ok(None) };
    let alternates = local::look_into(&store, git.folder())?;
    if let Ok(here) = found(git, &id, Contents::Here) {
        return Ok(Some(here));
    }
    // What is to be said about it, git says when it is fetched.
    fs::remove_file(&alternates).map_err(FetchError::io("remove", &alternates))?;
    Ok(None)
}

/// Brings the commit here, in the leanest way that the server can.
fn fetch(git: &mut Git, wanted: &Wanted) -> Result<Here, FetchError> {
    let name = match wanted {
        Wanted::Commit(id) => id,
        Wanted::Reference { name, .. } => name,
    };
    let refspec = format!("+{name}:{FETCHED}");
    let ways: [&[&str]; 3] = [&["--depth=1", WITHOUT_CONTENTS], &["--depth=1"], &[]];
    let mut last = None;
    for way in ways {
        let arguments = [&FETCH[..], way, &["origin", &refspec]].concat();
        match git.try_ask("fetch", &arguments, 0) {
            Ok(said) => {
                let is_lean = way.contains(&WITHOUT_CONTENTS) && !said.is_unfiltered();
                let contents = if is_lean { Contents::LeftOut } else { Contents::Here };
                return found(git, FETCHED, contents);
            }
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
        return found(git, id, Contents::Here)
            .map_err(|_| FetchError::NoReference { url: git.url().to_owned(), name: id.clone() });
    }
    match last {
        Some(failed) => Err(failed.into_error()),
        None => found(git, FETCHED, Contents::Here),
    }
}

/// The commit that a name means, among what is here.
fn found(git: &Git, name: &str, contents: Contents) -> Result<Here, FetchError> {
    let mut objects = Objects::start(git)?;
    let commit = objects.commit(git, name)?;
    Ok(Here { objects, commit, contents })
}

/// Asks the server to leave out the contents of files.
const WITHOUT_CONTENTS: &str = "--filter=blob:none";

/// What every fetch says: no tags, no submodules, and how far it is.
const FETCH: [&str; 5] =
    ["fetch", "--progress", "--no-tags", "--no-write-fetch-head", "--recurse-submodules=no"];

impl Tree for Repository {
    fn entries(&self) -> &BTreeMap<String, Kind> {
        &self.entries
    }

    /// Asks the server at once for all contents that are not here yet, and reads them as far as there is
    /// room for them.
    fn prepare(&mut self, paths: &[&str]) -> Result<(), FetchError> {
        let is_file = |path: &str| matches!(self.entries.get(path), Some(Kind::File { .. }));
        let ids = paths.iter().filter(|path| is_file(path)).filter_map(|path| self.ids.get(*path));
        let mut wanted: BTreeSet<&String> = ids.collect();
        wanted.retain(|id| !self.ready.contains_key(*id));
        let wanted: Vec<String> = wanted.into_iter().cloned().collect();
        if let Some(asked) = &mut self.asked {
            let missing: Vec<&String> =
                wanted.iter().filter(|id| asked.insert((*id).clone())).collect();
            if !missing.is_empty() {
                // The running reader does not look for new packs.
                self.objects = None;
                let way = [WITHOUT_CONTENTS, "--stdin", "origin"];
                let input: Vec<u8> =
                    missing.into_iter().flat_map(|id| id.bytes().chain([b'\n'])).collect();
                self.git.feed("fetch", &[&FETCH[..], &way].concat(), &input)?;
            }
        }
        let held: u64 = self.ready.values().map(|bytes| bytes.len() as u64).sum();
        let room = MAX_READY_BYTES.saturating_sub(held);
        let mut objects = self.reader()?;
        let (ready, git) = (&mut self.ready, &self.git);
        let keep = |id: &str, bytes| drop(ready.insert(id.to_owned(), bytes));
        if objects.read_all(git, &wanted, "blob", room, keep)?.is_some() {
            self.objects = Some(objects);
        }
        Ok(())
    }

    fn read(&mut self, path: &str, max: u64) -> Result<Option<Vec<u8>>, FetchError> {
        let Some(id) = self.ids.get(path).cloned() else { return Ok(None) };
        if let Some(bytes) = self.ready.get(&id) {
            return Ok((bytes.len() as u64 <= max).then(|| bytes.clone()));
        }
        let mut objects = self.reader()?;
        let bytes = objects.read(&self.git, &id, "blob", max)?;
        if bytes.is_some() {
            self.objects = Some(objects);
        }
        Ok(bytes)
    }
}

impl Repository {
    fn reader(&mut self) -> Result<Objects, FetchError> {
        self.objects.take().map_or_else(|| Objects::start(&self.git), Ok)
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

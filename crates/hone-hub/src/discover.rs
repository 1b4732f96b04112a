//! Which skills a tree holds, and the files of each.
//!
//! A skill is a folder with `SKILL.md`; what lies below it belongs to it, other skills included. Of two
//! skills with one name the one in the better known place comes first, and the other is reported.
//! Folders of dependencies and builds are not searched, unless a plugin's manifest names them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hone_library::AGENTS;
use hone_skill::limits::MAX_READ_BYTES;
use hone_skill::{Slug, Value, first_prose_line};
use serde_json::Value as Json;

use crate::bundle::{Bundle, BundleFile, OfferStanding, Offered, Refused};
use crate::fetch_error::FetchError;
use crate::lfs;
use crate::limits::{MAX_SKILL_BYTES, MAX_SKILL_DEPTH, MAX_SKILL_FILES, MAX_SKILLS};
use crate::paths::Paths;
use crate::tree::{Kind, Tree};

/// Folders of dependencies, caches and version control.
const FOREIGN: [&str; 12] = [
    ".git",
    ".hg",
    ".svn",
    ".jj",
    "node_modules",
    "site-packages",
    "__pycache__",
    ".venv",
    "venv",
    ".tox",
    ".nox",
    ".cache",
];

/// Folders with what was made from something else.
const MADE: [&str; 5] = ["dist", "build", "target", "vendor", "__MACOSX"];

/// Files that say where a plugin keeps its skills.
const MANIFESTS: [&str; 2] = [".claude-plugin/marketplace.json", ".claude-plugin/plugin.json"];
/// Largest such file, in bytes.
const MAX_MANIFEST_BYTES: u64 = 1024 * 1024;

/// Whether a folder of this name is not even listed.
pub(crate) fn is_foreign(folder: &str) -> bool {
    FOREIGN.contains(&folder)
}

/// Whether a file belongs to git itself, and so to no skill.
fn is_of_git(path: &str) -> bool {
    path.split('/').any(|part| part.eq_ignore_ascii_case(".git"))
}

/// The skills of a tree.
#[derive(Debug, Default)]
pub(crate) struct Discovered {
    /// By path.
    pub(crate) offered: Vec<Offered>,
    /// Folders with a `SKILL.md` that cannot be read, by path.
    pub(crate) refused: Vec<Refused>,
}

/// Looks for skills. `top` is the name of a skill at the top that declares none.
pub(crate) fn discover(
    tree: &mut dyn Tree,
    top: &str,
    source: &str,
) -> Result<Discovered, FetchError> {
    let named = manifest_folders(tree)?;
    let files = skill_files(tree.entries(), &named);
    if files.len() > MAX_SKILLS {
        let limit = format!("{MAX_SKILLS} skills");
        return Err(FetchError::TooMany { source_text: source.to_owned(), limit });
    }
    let mut found = Discovered::default();
    let readable: Vec<&str> = files.values().map(String::as_str).collect();
    tree.prepare(&readable)?;
    for (folder, file) in &files {
        let own = if folder.is_empty() { top } else { last(folder) };
        let refuse = |why: String| Refused { name: own.to_owned(), path: folder.clone(), why };
        if let Some(Kind::Other(what)) = tree.entries().get(file) {
            found.refused.push(refuse(format!("its `{}` is {what}", last(file))));
            continue;
        }
        if folder.split('/').count() > MAX_SKILL_DEPTH + 1 {
            let why = format!("it lies deeper than {MAX_SKILL_DEPTH} folders; name its folder");
            found.refused.push(refuse(why));
            continue;
        }
        let Some(bytes) = tree.read(file, MAX_READ_BYTES as u64)? else {
            let why = format!("its `SKILL.md` has more than {MAX_READ_BYTES} bytes");
            found.refused.push(refuse(why));
            continue;
        };
        let reading = hone_skill::read(&bytes, Some(own));
        let Some(skill) = reading.skill else {
            let why = reading.diagnostics.iter().find(|diagnostic| diagnostic.refuses);
            let why = why.map_or_else(String::new, |why| {
                format!("line {} of its `SKILL.md`: {}", why.line, why.message)
            });
            found.refused.push(refuse(why));
            continue;
        };
        let is_internal = skill
            .get("metadata")
            .and_then(|metadata| metadata.get("internal"))
            .and_then(Value::text)
            .is_some_and(|internal| internal.eq_ignore_ascii_case("true"));
        let standing = match outermost(folder, &files) {
            Some(outer) => OfferStanding::Nested(outer.to_owned()),
            None if is_internal => OfferStanding::Internal,
            None => OfferStanding::Open,
        };
        let description = match skill.description.as_str() {
            "" => first_prose_line(&String::from_utf8_lossy(&bytes)).unwrap_or_default().to_owned(),
            description => description.to_owned(),
        };
        found.offered.push(Offered {
            name: skill.name.clone(),
            description,
            path: folder.clone(),
            standing,
        });
    }
    mark_duplicates(&mut found.offered, &named);
    Ok(found)
}

/// The skill file of every folder that has one, outside of folders that are not searched.
fn skill_files(
    entries: &BTreeMap<String, Kind>,
    named: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let mut files: BTreeMap<String, String> = BTreeMap::new();
    for path in entries.keys() {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        if !matches!(name, "SKILL.md" | "skill.md") || is_of_git(path) {
            continue;
        }
        let is_named = named.iter().any(|place| is_inside(folder, place));
        if !is_named && folder.split('/').any(|part| is_foreign(part) || MADE.contains(&part)) {
            continue;
        }
        // `SKILL.md` sorts before `skill.md`, and is the one that counts.
        files.entry(folder.to_owned()).or_insert_with(|| path.clone());
    }
    files
}

/// Whether a folder is another or lies in it.
fn is_inside(folder: &str, outer: &str) -> bool {
    outer.is_empty()
        || folder.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// The outermost other skill in whose folder this one lies.
fn outermost<'f>(folder: &str, files: &'f BTreeMap<String, String>) -> Option<&'f str> {
    if folder.is_empty() {
        return None;
    }
    let above = std::iter::once("").chain(folder.match_indices('/').map(|(at, _)| &folder[..at]));
    above.into_iter().find_map(|outer| files.get_key_value(outer)).map(|(outer, _)| outer.as_str())
}

/// The folders that manifests of plugins name, inside the tree and without `./`.
fn manifest_folders(tree: &mut dyn Tree) -> Result<BTreeSet<String>, FetchError> {
    let mut folders = BTreeSet::new();
    for manifest in MANIFESTS {
        if !matches!(tree.entries().get(manifest), Some(Kind::File { .. })) {
            continue;
        }
        tree.prepare(&[manifest])?;
        let Some(bytes) = tree.read(manifest, MAX_MANIFEST_BYTES)? else { continue };
        // A manifest is a hint: one that does not parse names nothing.
        let Ok(json) = serde_json::from_slice::<Json>(&bytes) else { continue };
        let plugins = json.get("plugins").and_then(Json::as_array).map(Vec::as_slice);
        for plugin in plugins.unwrap_or(std::slice::from_ref(&json)) {
            let base =
                plugin.get("source").and_then(Json::as_str).and_then(inside).unwrap_or_default();
            let skills = match plugin.get("skills") {
                Some(Json::Array(skills)) => skills.iter().filter_map(Json::as_str).collect(),
                Some(Json::String(skills)) => vec![skills.as_str()],
                _ => vec![],
            };
            for skills in skills.into_iter().filter_map(inside) {
                let parts = [base.as_str(), skills.as_str()];
                let path = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
                folders.insert(path.join("/"));
            }
        }
    }
    folders.remove("");
    Ok(folders)
}

/// A path of a manifest: it starts with `./` and stays inside.
fn inside(path: &str) -> Option<String> {
    let path = path.strip_prefix("./")?.trim_matches('/');
    let is_good = path.is_empty() || crate::paths::check_path(path).is_ok();
    is_good.then(|| path.to_owned())
}

/// Of skills with one name, all but the first in the order of places.
pub(crate) fn mark_duplicates(offered: &mut [Offered], named: &BTreeSet<String>) {
    let mut order: Vec<usize> = (0..offered.len()).collect();
    order.sort_by_key(|at| rank(&offered[*at].path, named));
    let mut first: HashMap<String, String> = HashMap::new();
    for at in order {
        let one = &mut offered[at];
        if matches!(one.standing, OfferStanding::Nested(_)) {
            continue;
        }
        match first.get(&key(&one.name)) {
            Some(path) => one.standing = OfferStanding::Duplicate(path.clone()),
            None => {
                first.insert(key(&one.name), one.path.clone());
            }
        }
    }
}

/// The order of places: the top, `skills`, the agents' folders, what manifests name, the rest.
fn rank(path: &str, named: &BTreeSet<String>) -> (usize, usize, String) {
    let agents = AGENTS.iter().position(|agent| is_inside(path, agent.project));
    let place = if path.is_empty() {
        0
    } else if is_inside(path, "skills") {
        1
    } else if let Some(agent) = agents {
        2 + agent
    } else if named.iter().any(|place| is_inside(path, place)) {
        2 + AGENTS.len()
    } else {
        3 + AGENTS.len()
    };
    (place, path.split('/').count(), path.to_owned())
}

/// The form in which two names are the same.
pub(crate) fn key(name: &str) -> String {
    Slug::new(name).map_or_else(|_| name.to_lowercase(), |slug| slug.as_str().to_owned())
}

/// The last part of a path.
pub(crate) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// The paths of a skill's files, as the tree has them.
pub(crate) fn files_of(tree: &dyn Tree, folder: &str) -> Vec<String> {
    let keys = tree.entries().keys();
    let inside = keys.filter(|path| strip(path, folder).is_some_and(|path| !is_of_git(path)));
    inside.cloned().collect()
}

/// A path relative to the folder that it lies in.
fn strip<'p>(path: &'p str, folder: &str) -> Option<&'p str> {
    if folder.is_empty() {
        return Some(path);
    }
    path.strip_prefix(folder)?.strip_prefix('/')
}

/// Reads a skill. The inner error is the sentence that refuses this skill alone.
pub(crate) fn take(
    tree: &mut dyn Tree,
    offered: &Offered,
) -> Result<Result<Bundle, String>, FetchError> {
    let paths = files_of(tree, &offered.path);
    if paths.len() > MAX_SKILL_FILES {
        return Ok(Err(format!("it has more than {MAX_SKILL_FILES} files")));
    }
    let (mut files, mut seen, mut left) = (BTreeMap::new(), Paths::default(), MAX_SKILL_BYTES);
    for path in paths {
        let inside = strip(&path, &offered.path).unwrap_or(&path);
        if let Err(why) = seen.add_file(inside) {
            return Ok(Err(format!("`{}`: {why}", inside.escape_debug())));
        }
        let is_executable = match tree.entries().get(&path) {
            Some(Kind::File { is_executable }) => *is_executable,
            Some(Kind::Other(what)) => return Ok(Err(format!("`{inside}` is {what}"))),
            None => continue,
        };
        let Some(bytes) = tree.read(&path, left)? else {
            return Ok(Err(format!("it has more than {MAX_SKILL_BYTES} bytes")));
        };
        if let Err(why) = lfs::refuse(&bytes) {
            return Ok(Err(format!("`{inside}`: {why}")));
        }
        left -= bytes.len() as u64;
        files.insert(inside.to_owned(), BundleFile { bytes, is_executable });
    }
    let (name, path) = (offered.name.clone(), offered.path.clone());
    Ok(Ok(Bundle { name, path, digest: None, files }))
}

//! An MCP server that serves skills (SEP-2640): its list names for each skill every file with its size
//! and its SHA-256, and what it then sends is held against that.
//!
//! A skill whose server gives no complete manifest is refused: nothing could be checked. What is not
//! taken is not asked for.

mod session;
mod tokens;
mod unlisted;

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use hone_library::content_hash;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use url::Url;

use self::session::Session;
pub use self::tokens::Tokens;
pub(crate) use self::tokens::VARIABLE;
pub(crate) use self::unlisted::path_of_address;
use crate::bundle::{Bundle, BundleFile, OfferStanding, Offered, Refused, of_bundle};
use crate::discover::{key, last};
use crate::fetch::{FetchOptions, Progress};
use crate::fetch_error::FetchError;
use crate::lfs;
use crate::limits::{
    MAX_INDEX_SKILLS, MAX_MANIFESTS_BYTES, MAX_PATH_BYTES, MAX_SKILL_BYTES, MAX_SKILL_FILES,
};
use crate::paths::{Paths, check_path};

/// The scheme that skills usually have.
const SCHEME: &str = "skill";
const SKILL_FILE: &str = "SKILL.md";
/// Where `hone serve` tells of skills that it has no entry for.
const LEFT_OUT: &str = "hone/left-out";
/// Bytes of an answer around the file in it.
const ENVELOPE_BYTES: u64 = 64 * 1024;
/// How many bytes of JSON one byte of a file can become.
const ESCAPE_BYTES: u64 = 6;

/// What a server serves.
pub(crate) struct Shelf {
    session: Session,
    entries: Vec<Entry>,
    refused: Vec<Refused>,
}

/// A skill, and what its files must be.
#[derive(Debug)]
struct Entry {
    name: String,
    description: String,
    path: String,
    files: BTreeMap<String, Promise>,
}

/// What a file must be.
#[derive(Debug)]
struct Promise {
    uri: String,
    sha256: String,
    size: u64,
}

#[derive(Deserialize)]
struct RawEntry {
    uri: String,
    #[serde(default)]
    frontmatter: Map<String, Value>,
    #[serde(default)]
    resources: Value,
}

#[derive(Deserialize)]
struct RawFile {
    uri: String,
    digest: String,
    size: u64,
}

/// Greets a server and reads its list.
pub(crate) fn open(url: &Url, options: &FetchOptions) -> Result<Shelf, FetchError> {
    options.progress.say(&Progress::Asking(url.as_str()));
    let mut session = Session::open(url, options)?;
    let (raw, refused) = list(&mut session)?;
    let mut shelf = Shelf { session, entries: Vec::new(), refused };
    for raw in raw {
        shelf.shelve(raw);
    }
    Ok(shelf)
}

/// All pages of the list, and what the server has and does not list.
fn list(session: &mut Session) -> Result<(Vec<RawEntry>, Vec<Refused>), FetchError> {
    let (mut all, mut cursor, mut seen) = (Vec::new(), None::<String>, BTreeSet::new());
    let mut left_out = Vec::new();
    let mut left = MAX_MANIFESTS_BYTES;
    loop {
        let mut params = Map::new();
        params.extend(cursor.take().map(|cursor| ("cursor".to_owned(), cursor.into())));
        let mut page = session.answer("skills/list", params, left)?;
        left = left.saturating_sub(page.to_string().len() as u64);
        let skills = page.get_mut("skills").map(Value::take).unwrap_or_default();
        let skills: Vec<RawEntry> = serde_json::from_value(skills)
            .map_err(|error| session.wrong(format!("its list cannot be read: {error}")))?;
        all.extend(skills);
        left_out.extend(unentered(&page));
        if all.len() + left_out.len() > MAX_INDEX_SKILLS {
            return Err(session.wrong(format!("it lists more than {MAX_INDEX_SKILLS} skills")));
        }
        match page.get("nextCursor").and_then(Value::as_str) {
            None => return Ok((all, left_out)),
            Some(next) if seen.len() > MAX_INDEX_SKILLS || !seen.insert(next.to_owned()) => {
                return Err(session.wrong("its list has no end"));
            }
            Some(next) => cursor = Some(next.to_owned()),
        }
    }
}

/// Skills that a server has no entry for, with its reasons.
fn unentered(page: &Value) -> Vec<Refused> {
    let without = page.get("_meta").and_then(|meta| meta.get(LEFT_OUT)).and_then(Value::as_array);
    let one = |one: &Value| {
        let text = |key: &str| one.get(key).and_then(Value::as_str).map(str::to_owned);
        let path = text("uri")?;
        Some(Refused { name: name_of(&path), why: text("why").unwrap_or_default(), path })
    };
    without.into_iter().flatten().filter_map(one).collect()
}

/// The name in an address.
fn name_of(uri: &str) -> String {
    uri.trim_end_matches("/SKILL.md").rsplit('/').next().unwrap_or_default().to_owned()
}

/// A skill of the list, or why it cannot be taken.
fn entry(raw: RawEntry) -> Result<Entry, String> {
    let Some(base) = raw.uri.strip_suffix("/SKILL.md") else {
        return Err("its address does not end in `/SKILL.md`".to_owned());
    };
    let path = path_of(base)?;
    let text = |name: &str| raw.frontmatter.get(name).and_then(Value::as_str).unwrap_or_default();
    let name = match text("name") {
        "" => last(&path).to_owned(),
        name => name.to_owned(),
    };
    if key(&name) != key(last(&path)) {
        return Err(format!("it calls itself `{}`, its address does not", name.escape_debug()));
    }
    let Value::Array(files) = raw.resources else {
        return Err(
            "its server gives no list of its files, so that nothing could be checked".to_owned()
        );
    };
    if files.len() > MAX_SKILL_FILES {
        return Err(format!("it has more than {MAX_SKILL_FILES} files"));
    }
    let (mut promised, mut seen, mut left) = (BTreeMap::new(), Paths::default(), MAX_SKILL_BYTES);
    for file in files {
        let file: RawFile =
            serde_json::from_value(file).map_err(|error| format!("its list of files: {error}"))?;
        let (path, promise) = promise(base, file)?;
        seen.add_file(&path).map_err(|why| format!("`{}`: {why}", path.escape_debug()))?;
        left = left
            .checked_sub(promise.size)
            .ok_or_else(|| format!("it has more than {MAX_SKILL_BYTES} bytes"))?;
        promised.insert(path, promise);
    }
    if !promised.contains_key(SKILL_FILE) {
        return Err("`SKILL.md` is not among its files".to_owned());
    }
    Ok(Entry { name, description: text("description").to_owned(), path, files: promised })
}

/// Where a file lies in its skill, and what it must be.
fn promise(base: &str, file: RawFile) -> Result<(String, Promise), String> {
    let shown = file.uri.chars().take(100).collect::<String>();
    let below = file.uri.strip_prefix(base).and_then(|rest| rest.strip_prefix('/'));
    let Some(below) = below else {
        return Err(format!("its file `{}` lies outside of it", shown.escape_debug()));
    };
    let path = decoded(below).map_err(|why| format!("`{}`: {why}", shown.escape_debug()))?;
    let sha256 = file.digest.strip_prefix("sha256:").filter(|digits| {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        digits.len() == 64 && digits.bytes().all(is_digit)
    });
    let Some(sha256) = sha256.map(str::to_owned) else {
        return Err(format!("`{path}` has no `digest` of the form `sha256:` and 64 digits"));
    };
    Ok((path, Promise { sha256, size: file.size, uri: file.uri }))
}

/// The path of a skill in its source: what its address says behind the scheme.
fn path_of(base: &str) -> Result<String, String> {
    let Some((scheme, rest)) = base.split_once("://") else {
        return Err("its address has no scheme".to_owned());
    };
    let is_scheme = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    if scheme.is_empty() || !scheme.chars().all(is_scheme) {
        return Err("its address has no scheme".to_owned());
    }
    let path = decoded(rest)?;
    Ok(if scheme == SCHEME { path } else { format!("{scheme}/{path}") })
}

/// A path out of an address, part by part, so that an escape makes no slash.
fn decoded(text: &str) -> Result<String, String> {
    if text.len() > MAX_PATH_BYTES * 3 || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err("its address is longer than a path, or not plain".to_owned());
    }
    if text.contains(['?', '#']) {
        return Err("its address has a query or a fragment".to_owned());
    }
    let part = |part: &str| {
        let part = crate::source::unescape(part)?;
        if part.contains('/') {
            return Err("an escape in its address makes a slash".to_owned());
        }
        Ok(part)
    };
    let parts = text.split('/').map(part).collect::<Result<Vec<String>, String>>()?;
    let path = parts.join("/");
    check_path(&path).map(|()| path)
}

impl Shelf {
    /// Puts what the server says about a skill where it belongs.
    fn shelve(&mut self, raw: RawEntry) {
        let (name, uri) = (name_of(&raw.uri), raw.uri.clone());
        let read = entry(raw).and_then(|entry| match self.at(&entry.path) {
            Ok(_) => Err("it is in the list twice".to_owned()),
            Err(at) => Ok((at, entry)),
        });
        match read {
            Ok((at, entry)) => self.entries.insert(at, entry),
            Err(why) => self.refused.push(Refused { name, path: uri, why }),
        }
    }

    /// Where the skill with a path is among the entries, or belongs.
    fn at(&self, path: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.path.as_str().cmp(path))
    }

    pub(crate) fn offered(&self) -> Vec<Offered> {
        let paths: BTreeSet<&str> = self.entries.iter().map(|entry| entry.path.as_str()).collect();
        let outer = |path: &str| {
            path.match_indices('/')
                .map(|(at, _)| &path[..at])
                .find(|above| paths.contains(above))
                .map(str::to_owned)
        };
        let offered = |entry: &Entry| Offered {
            name: entry.name.clone(),
            description: entry.description.clone(),
            path: entry.path.clone(),
            standing: outer(&entry.path).map_or(OfferStanding::Open, OfferStanding::Nested),
        };
        let mut offered: Vec<Offered> = self.entries.iter().map(offered).collect();
        crate::discover::mark_duplicates(&mut offered, &BTreeSet::new());
        offered
    }

    pub(crate) fn refused(&self) -> Vec<Refused> {
        self.refused.clone()
    }

    /// Reads skills; each by itself, so that one that is refused does not hold up the others.
    pub(crate) fn take(
        &mut self,
        chosen: &[Offered],
        options: &FetchOptions,
    ) -> (Vec<Bundle>, Vec<Refused>) {
        let (mut bundles, mut refused) = (Vec::new(), Vec::new());
        let mut left = options.room();
        for (done, one) in chosen.iter().enumerate() {
            options.progress.say(&Progress::Skills { done, all: chosen.len() });
            let Ok(at) = self.at(&one.path) else { continue };
            let entry = &self.entries[at];
            let (name, path) = (one.name.clone(), one.path.clone());
            let bytes: u64 = entry.files.values().map(|file| file.size).sum();
            let taken = match left.checked_sub(bytes) {
                Some(rest) => {
                    left = rest;
                    entry.take(&mut self.session)
                }
                None => Err(crate::well_known::too_much(options)),
            };
            match taken {
                Ok(files) => {
                    let digest = Some(content_hash(&of_bundle(&files)));
                    bundles.push(Bundle { name, path, digest, files });
                }
                Err(why) => refused.push(Refused { name, path, why }),
            }
        }
        options.progress.say(&Progress::Skills { done: chosen.len(), all: chosen.len() });
        (bundles, refused)
    }
}

impl Entry {
    fn take(&self, session: &mut Session) -> Result<BTreeMap<String, BundleFile>, String> {
        let mut files = BTreeMap::new();
        for (path, promise) in &self.files {
            let bytes = promise.read(session).map_err(|why| format!("`{path}`: {why}"))?;
            lfs::refuse(&bytes).map_err(|why| format!("`{path}`: {why}"))?;
            files.insert(path.clone(), BundleFile { bytes, is_executable: false });
        }
        let text = files.get(SKILL_FILE).map(|file| file.bytes.as_slice()).unwrap_or_default();
        let reading = hone_skill::read(text, Some(last(&self.path)));
        let Some(skill) = reading.skill else {
            let why = reading.diagnostics.first();
            return Err(why.map_or_else(String::new, |why| {
                format!("line {} of its `SKILL.md`: {}", why.line, why.message)
            }));
        };
        // People choose by what the list says.
        if skill.name != self.name || skill.description.trim() != self.description.trim() {
            return Err("its `SKILL.md` has another name or description than the list".to_owned());
        }
        Ok(files)
    }
}

impl Promise {
    /// Asks for the file, and holds it against what was promised.
    fn read(&self, session: &mut Session) -> Result<Vec<u8>, String> {
        let params = [("uri".to_owned(), json!(self.uri))].into_iter().collect();
        let max = self.size * ESCAPE_BYTES + ENVELOPE_BYTES;
        let answer =
            session.answer("resources/read", params, max).map_err(|error| error.to_string())?;
        let contents = answer.get("contents").and_then(Value::as_array);
        let is_it = |one: &&Value| one.get("uri").and_then(Value::as_str) == Some(&self.uri);
        let content = contents.and_then(|all| all.iter().find(is_it));
        let Some(content) = content else { return Err("its server sent another file".to_owned()) };
        let field = |name: &str| content.get(name).and_then(Value::as_str);
        let bytes = match (field("text"), field("blob")) {
            (Some(text), None) => text.as_bytes().to_vec(),
            (None, Some(blob)) => {
                BASE64.decode(blob).map_err(|error| format!("its base64: {error}"))?
            }
            _ => return Err("its server sent neither text nor bytes".to_owned()),
        };
        if bytes.len() as u64 != self.size {
            return Err(format!("{} bytes came, {} were promised", bytes.len(), self.size));
        }
        let sha256 = hone_library::hash(&bytes);
        if sha256 != self.sha256 {
            return Err(format!("its SHA-256 is {sha256}, not {}", self.sha256));
        }
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(uri: &str) -> Value {
        json!({"uri": uri, "digest": format!("sha256:{}", "a".repeat(64)), "size": 1})
    }

    fn read(uri: &str, files: &Value) -> Result<Entry, String> {
        let frontmatter = json!({"name": "tidy", "description": "Tidies."});
        let raw = json!({"uri": uri, "frontmatter": frontmatter, "resources": files});
        entry(serde_json::from_value(raw).unwrap())
    }

    #[test]
    fn a_manifest_names_files_below_its_skill_and_nothing_else() {
        let uri = "skill://acme/tidy/SKILL.md";
        let good = read(uri, &json!([file(uri), file("skill://acme/tidy/a%20b/c.md")])).unwrap();
        assert_eq!(good.path, "acme/tidy");
        assert_eq!(good.files.keys().collect::<Vec<_>>(), ["SKILL.md", "a b/c.md"]);
        for wrong in [
            "skill://acme/other/x",
            "skill://acme/tidyx",
            "skill://acme/tidy/",
            "skill://acme/tidy/../x",
            "skill://acme/tidy/%2e%2e/x",
            "skill://acme/tidy/a%2fb",
            "skill://acme/tidy/a%5Cb",
            "skill://acme/tidy/a%00",
            "skill://acme/tidy//x",
            "skill://acme/tidy//etc/passwd",
            "skill://acme/tidy/x?y",
            "skill://acme/tidy/x#y",
            "skill://acme/tidy/a b",
            "skill://acme/tidy/skill.md",
            "https://acme/tidy/x",
            "",
        ] {
            assert!(read(uri, &json!([file(uri), file(wrong)])).is_err(), "{wrong}");
        }
        assert!(read(uri, &json!([file("skill://acme/tidy/x")])).is_err());
        assert!(read(uri, &json!("dynamic")).unwrap_err().contains("nothing could be checked"));
        assert!(
            read("skill://acme/other/SKILL.md", &json!([])).unwrap_err().contains("calls itself")
        );
        for wrong in ["skill://tidy", "tidy/SKILL.md", "://tidy/SKILL.md", "skill:///SKILL.md"] {
            assert!(read(wrong, &json!([file(wrong)])).is_err(), "{wrong}");
        }
        assert_eq!(
            read("x-y://tidy/SKILL.md", &json!([file("x-y://tidy/SKILL.md")])).unwrap().path,
            "x-y/tidy"
        );
    }

    #[test]
    fn digests_and_sizes_are_whole() {
        let uri = "skill://tidy/SKILL.md";
        let with = |digest: &str, size: Value| {
            read(uri, &json!([{"uri": uri, "digest": digest, "size": size}]))
        };
        let digest = format!("sha256:{}", "0".repeat(64));
        assert!(with(&digest, json!(MAX_SKILL_BYTES)).is_ok());
        assert!(with(&digest, json!(MAX_SKILL_BYTES + 1)).is_err());
        for size in [json!(-1), json!(1.5), json!("1"), Value::Null] {
            assert!(with(&digest, size).is_err());
        }
        for wrong in ["", "sha256:", &digest[..70], &digest.to_uppercase(), &format!("{digest}0")] {
            assert!(with(wrong, json!(1)).is_err(), "{wrong}");
        }
        let many = |count: usize| {
            let more = (1..count).map(|at| file(&format!("skill://tidy/{at}")));
            read(uri, &Value::Array(std::iter::once(file(uri)).chain(more).collect()))
        };
        assert!(many(MAX_SKILL_FILES).is_ok());
        assert!(many(MAX_SKILL_FILES + 1).is_err());
    }
}

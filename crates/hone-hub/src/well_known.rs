//! A site that offers skills: `.well-known/agent-skills/index.json`.
//!
//! Version 0.2.0 names for each skill an address and the SHA-256 of what must come from there; one that
//! sends anything else is refused. The older form names files and no digest. Everything comes from the
//! site itself or over https.

use std::collections::BTreeMap;

use serde::Deserialize;
use url::Url;

use crate::bundle::{Bundle, BundleFile, OfferStanding, Offered, Refused};
use crate::discover::key;
use crate::download::{self, Downloaded};
use crate::fetch::{FetchOptions, Progress};
use crate::fetch_error::FetchError;
use crate::lfs;
use crate::limits::{
    MAX_DOWNLOAD_BYTES, MAX_INDEX_BYTES, MAX_INDEX_SKILLS, MAX_SKILL_BYTES, MAX_SKILL_FILES,
};
use crate::paths::Paths;
use crate::source::INDEXES;
use crate::unpack::unpack;

/// The index of a site.
#[derive(Debug)]
pub(crate) struct Index {
    entries: Vec<Entry>,
    refused: Vec<Refused>,
}

#[derive(Debug)]
struct Entry {
    name: String,
    description: String,
    from: From,
}

/// Where a skill's bytes are.
#[derive(Debug)]
enum From {
    /// One `SKILL.md`.
    SkillFile { url: Url, sha256: String },
    /// An archive with `SKILL.md` at its top.
    Archive { url: Url, sha256: String },
    /// Files below this address, in the older form.
    Files { base: Url, files: Vec<String> },
}

#[derive(Deserialize)]
struct RawIndex {
    skills: Vec<RawEntry>,
}

#[derive(Deserialize)]
struct RawEntry {
    #[serde(default)]
    name: String,
    #[serde(default)]
    description: String,
    #[serde(rename = "type")]
    kind: Option<String>,
    url: Option<String>,
    digest: Option<String>,
    files: Option<Vec<String>>,
}

/// Finds the index of a site, below the address itself first and then at the top of its host.
pub(crate) fn open(site: &Url, options: &FetchOptions) -> Result<(Url, Index), FetchError> {
    let mut own = site.clone();
    own.set_query(None);
    own.set_fragment(None);
    if !own.path().ends_with('/') {
        own.set_path(&format!("{}/", site.path()));
    }
    let mut top = own.clone();
    top.set_path("/");
    let bases = if own == top { vec![own] } else { vec![own, top] };
    let mut first = None;
    for base in bases {
        for index in INDEXES {
            let url = base.join(index).map_err(|error| wrong(&base, &error.to_string()))?;
            match download::download(&url, MAX_INDEX_BYTES, options) {
                Ok(done) => return Ok((base, read(&done)?)),
                Err(FetchError::Download(hone_net::Error::Status { code: 404 | 410, .. })) => {}
                Err(error) if first.is_none() => first = Some(error),
                Err(_) => {}
            }
        }
    }
    Err(first.unwrap_or_else(|| wrong(site, "the site has none")))
}

fn wrong(url: &Url, why: &str) -> FetchError {
    FetchError::Index { url: url.to_string(), why: why.to_owned() }
}

fn read(done: &Downloaded) -> Result<Index, FetchError> {
    let url = &done.url;
    let raw: RawIndex =
        serde_json::from_slice(&done.bytes).map_err(|error| wrong(url, &error.to_string()))?;
    if raw.skills.len() > MAX_INDEX_SKILLS {
        return Err(wrong(url, &format!("it has more than {MAX_INDEX_SKILLS} skills")));
    }
    let mut index = Index { entries: Vec::new(), refused: Vec::new() };
    let mut names = std::collections::HashSet::new();
    for entry in raw.skills {
        let (name, description) = (entry.name.clone(), entry.description.clone());
        let from = if name.trim().is_empty() || name.contains('/') {
            Err("its name in the index cannot be one".to_owned())
        } else if !names.insert(key(&name)) {
            Err("its name is in the index twice".to_owned())
        } else {
            from(url, entry)
        };
        match from {
            Ok(from) => index.entries.push(Entry { name, description, from }),
            Err(why) => {
                index.refused.push(Refused { path: name.clone(), name, why });
            }
        }
    }
    index.entries.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(index)
}

/// Where an entry's bytes are, or why it cannot be taken.
fn from(index: &Url, entry: RawEntry) -> Result<From, String> {
    if let Some(files) = entry.files {
        let base = index.join(&format!("{}/", entry.name)).map_err(|error| error.to_string())?;
        if !is_near(index, &base) {
            return Err("its files lie on another site".to_owned());
        }
        let mut paths = Paths::default();
        for file in &files {
            paths.add_file(file).map_err(|why| format!("`{}`: {why}", file.escape_debug()))?;
        }
        if files.len() > MAX_SKILL_FILES {
            return Err(format!("it has more than {MAX_SKILL_FILES} files"));
        }
        if !files.iter().any(|file| file == "SKILL.md") {
            return Err("`SKILL.md` is not among its files".to_owned());
        }
        return Ok(From::Files { base, files });
    }
    let Some(url) = entry.url else { return Err("it has no `url`".to_owned()) };
    let url = index.join(&url).map_err(|error| format!("its `url` is none: {error}"))?;
    if !is_near(index, &url) {
        return Err(format!("its `url` `{url}` is neither https nor on the same site"));
    }
    let digest = entry.digest.as_deref().and_then(|digest| digest.strip_prefix("sha256:"));
    let is_digest =
        |digest: &&str| digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit());
    let Some(sha256) = digest.filter(is_digest).map(str::to_ascii_lowercase) else {
        return Err("it has no `digest` of the form `sha256:` and 64 digits".to_owned());
    };
    match entry.kind.as_deref() {
        Some("skill-md") => Ok(From::SkillFile { url, sha256 }),
        Some("archive") => Ok(From::Archive { url, sha256 }),
        other => {
            Err(format!("its `type` is `{}`, not `skill-md` or `archive`", other.unwrap_or("")))
        }
    }
}

/// Whether an address is on the same site or encrypted.
fn is_near(index: &Url, url: &Url) -> bool {
    url.scheme() == "https" || url.origin() == index.origin()
}

impl Index {
    pub(crate) fn offered(&self) -> Vec<Offered> {
        let offered = |entry: &Entry| Offered {
            name: entry.name.clone(),
            description: entry.description.clone(),
            path: entry.name.clone(),
            standing: OfferStanding::Open,
        };
        self.entries.iter().map(offered).collect()
    }

    pub(crate) fn refused(&self) -> Vec<Refused> {
        self.refused.clone()
    }

    /// Downloads skills; each by itself, so that one that is refused does not hold up the others.
    pub(crate) fn take(
        &self,
        chosen: &[Offered],
        options: &FetchOptions,
    ) -> (Vec<Bundle>, Vec<Refused>) {
        let (mut bundles, mut refused, mut left) = (Vec::new(), Vec::new(), options.room());
        for (done, one) in chosen.iter().enumerate() {
            options.progress.say(&Progress::Skills { done, all: chosen.len() });
            let Some(entry) = self.entries.iter().find(|entry| entry.name == one.path) else {
                continue;
            };
            let (name, path) = (one.name.clone(), one.path.clone());
            let taken = entry.take(options).and_then(|files| {
                let bytes: u64 = files.values().map(|file| file.bytes.len() as u64).sum();
                left = left.checked_sub(bytes).ok_or_else(|| too_much(options))?;
                Ok(files)
            });
            match taken {
                Ok(files) => bundles.push(Bundle { name, path, digest: None, files }),
                Err(why) => refused.push(Refused { name, path, why }),
            }
        }
        options.progress.say(&Progress::Skills { done: chosen.len(), all: chosen.len() });
        (bundles, refused)
    }
}

/// Why a skill of many is not taken.
pub(crate) fn too_much(options: &FetchOptions) -> String {
    format!("together with the others it has more than {} bytes", options.room())
}

impl Entry {
    fn take(&self, options: &FetchOptions) -> Result<BTreeMap<String, BundleFile>, String> {
        let files = match &self.from {
            From::SkillFile { url, sha256 } => {
                let bytes = checked(url, sha256, options)?;
                [("SKILL.md".to_owned(), BundleFile { bytes, is_executable: false })].into()
            }
            From::Archive { url, sha256 } => {
                let bytes = checked(url, sha256, options)?;
                let files = unpack(&bytes).map_err(|why| format!("its archive: {why}"))?;
                if files.len() > MAX_SKILL_FILES {
                    return Err(format!("it has more than {MAX_SKILL_FILES} files"));
                }
                files
            }
            From::Files { base, files } => listed(base, files, options)?,
        };
        for (path, file) in &files {
            lfs::refuse(&file.bytes).map_err(|why| format!("`{path}`: {why}"))?;
        }
        let Some(skill) = files.get("SKILL.md") else {
            return Err("its archive has no `SKILL.md` at its top".to_owned());
        };
        let reading = hone_skill::read(&skill.bytes, Some(&self.name));
        let Some(skill) = reading.skill else {
            let why = reading.diagnostics.first();
            return Err(why.map_or_else(String::new, |why| {
                format!("line {} of its `SKILL.md`: {}", why.line, why.message)
            }));
        };
        if key(&skill.name) != key(&self.name) {
            let name = skill.name.escape_debug();
            return Err(format!("its `SKILL.md` calls it `{name}`, the index does not"));
        }
        Ok(files)
    }
}

/// Downloads the files of the older form.
fn listed(
    base: &Url,
    files: &[String],
    options: &FetchOptions,
) -> Result<BTreeMap<String, BundleFile>, String> {
    let (mut taken, mut left) = (BTreeMap::new(), MAX_SKILL_BYTES);
    for file in files {
        let mut url = base.clone();
        // Part by part, so that a `?` or a `%` in a name stays one.
        if let Ok(mut parts) = url.path_segments_mut() {
            parts.pop_if_empty().extend(file.split('/'));
        }
        let max = left.min(MAX_DOWNLOAD_BYTES);
        let done = download::download(&url, max, options).map_err(|error| error.to_string())?;
        left -= done.bytes.len() as u64;
        taken.insert(file.clone(), BundleFile { bytes: done.bytes, is_executable: false });
    }
    Ok(taken)
}

/// Downloads what an index vouches for.
fn checked(url: &Url, sha256: &str, options: &FetchOptions) -> Result<Vec<u8>, String> {
    let done = download::download(url, MAX_DOWNLOAD_BYTES, options);
    let done = done.map_err(|error| error.to_string())?;
    if done.sha256 != sha256 {
        return Err(format!(
            "`{url}` sent something else than the index says: its SHA-256 is {}, not {sha256}",
            done.sha256
        ));
    }
    Ok(done.bytes)
}

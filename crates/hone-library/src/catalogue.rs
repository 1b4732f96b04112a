//! The catalogue: one answer to "which skills are there?", for every reader.
//!
//! Everything that was found is in it, once: offered, or skipped with a reason. Listing, prompt index,
//! lookup and store all read this one value, so they cannot disagree about a name.

use std::collections::{HashMap, HashSet};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use hone_skill::{Origin, Slug};
use serde::Serialize;

use crate::builtin::{BUILTIN_PREFIX, BUILTINS};
use crate::config::{self, Config};
use crate::error::Error;
use crate::platform;
use crate::provenance;
use crate::record::{Note, Record, Summary};
use crate::root::{Layout, Project, Root};
use crate::scope::Scope;
use crate::state::State;
use crate::surroundings::Surroundings;
use crate::walk::{Found, Walked, Walker};
use crate::watch::Met;

/// Why a skill is not offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// It cannot be read as a skill.
    Broken,
    /// A skill of the same name goes before it.
    Shadowed,
    /// Its project is not trusted.
    Untrusted,
    /// The person or the project switched it off.
    Disabled,
    /// It is for other operating systems.
    Platform,
    /// It lies deeper than the search goes.
    TooDeep,
    /// Its file has a name that is not looked for.
    FileName,
    /// Its folder cannot be opened.
    Closed,
    /// The client in question does not look there, or does not take it.
    Client,
    /// It was put into the archive.
    Archived,
}

impl Reason {
    /// The reason's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Broken => "broken",
            Self::Shadowed => "shadowed",
            Self::Untrusted => "untrusted",
            Self::Disabled => "disabled",
            Self::Platform => "platform",
            Self::TooDeep => "too-deep",
            Self::FileName => "file-name",
            Self::Closed => "closed",
            Self::Client => "client",
            Self::Archived => "archived",
        }
    }
}

/// A skill in the catalogue. Two are equal when a listing says the same of both, however often their files
/// were written meanwhile.
#[derive(Debug, Clone)]
pub struct Listed {
    /// What its text declares.
    pub summary: Box<Summary>,
    /// Who sees it.
    pub scope: Scope,
    /// Whose word it is.
    pub origin: Origin,
    /// Its `SKILL.md`, or the single file that it is; `builtin:name/SKILL.md` inside the binary.
    pub path: PathBuf,
    /// The root that it was found in.
    pub root: PathBuf,
    /// It is a single file, not a folder.
    pub is_flat: bool,
    /// How many folders below its root.
    pub depth: usize,
    /// Its file is a symbolic link.
    pub is_link: bool,
    /// The skill folder in whose tree it stands.
    pub nested_in: Option<PathBuf>,
    /// Other paths that lead to it.
    pub also_at: Vec<PathBuf>,
    /// What `stat` said about its file, as a number to compare; `None` when a change could go unseen.
    pub mark: Option<NonZeroU64>,
    /// A suite of trigger messages ([`crate::SUITE_FILE`]) lay beside it.
    pub has_suite: bool,
    /// What could be better about it.
    pub notes: Vec<Note>,
}

impl Eq for Listed {}

impl PartialEq for Listed {
    fn eq(&self, other: &Self) -> bool {
        let said = |skill: &Self| {
            let Self { scope, origin, is_flat, depth, is_link, .. } = *skill;
            (scope, origin, is_flat, depth, is_link)
        };
        said(self) == said(other)
            && self.summary == other.summary
            && (&self.path, &self.root, &self.nested_in)
                == (&other.path, &other.root, &other.nested_in)
            && (&self.also_at, &self.notes) == (&other.also_at, &other.notes)
    }
}

impl Listed {
    /// The skill's folder; for a single file, the folder around it.
    pub fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new(""))
    }

    /// Whether this is its name or its slug.
    pub fn is_called(&self, name: &str) -> bool {
        self.summary.name == name || self.summary.slug.as_str() == name
    }

    /// What the ledger and the usage counters know the skill by: its folder, or its single file.
    pub fn key(&self) -> &Path {
        if self.is_flat { &self.path } else { self.folder() }
    }
}

/// Something that was found and is not offered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// The file or folder.
    pub path: PathBuf,
    /// Why.
    pub reason: Reason,
    /// Why, in a sentence.
    pub message: String,
    /// The skill, when it could be read.
    pub skill: Option<Box<Listed>>,
    /// What is wrong with its text.
    pub notes: Vec<Note>,
}

/// All skills that were found, sorted by name.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    /// The skills that are offered; each name once.
    pub skills: Vec<Listed>,
    /// Everything else, sorted by path.
    pub skipped: Vec<Skipped>,
    /// The roots that were looked at, in order of precedence.
    pub roots: Vec<Root>,
}

/// Where to look and what to leave out.
#[derive(Debug, Clone)]
pub struct Search {
    /// The roots, in order of precedence.
    pub roots: Vec<Root>,
    /// How deep below each.
    pub depth: usize,
    /// Names, or `scope:name`, that are not offered.
    pub disabled: Vec<String>,
    /// The operating system.
    pub platform: String,
    /// Whether the skills inside the binary are offered.
    pub builtin: bool,
    /// Paths whose coming, going or change makes another search: settings, and folders that would be
    /// roots if they were there.
    pub depends: Vec<PathBuf>,
}

impl Search {
    /// Everything that belongs to the user, the project and the machine.
    ///
    /// A trusted project may switch skills off in its `hone.toml`; a broken `hone.toml` is an error.
    pub fn everywhere(
        around: &Surroundings,
        config: &Config,
        state: &State,
    ) -> Result<Self, Error> {
        let mut disabled = config.skills.disabled.clone();
        let project = Project::find(around);
        let candidates = Root::candidates(around, config);
        let mut depends: Vec<PathBuf> = candidates.iter().map(|root| root.path.clone()).collect();
        depends.push(Config::path(&around.hone_home));
        for folder in project.iter().flat_map(|project| &project.folders) {
            depends.extend([folder.join(".git"), folder.join("hone.toml")]);
        }
        if let Some(project) = project
            && project.root.join("hone.toml").is_file()
            && state.is_trusted(&project.root)
        {
            disabled.extend(config::project_disabled(&project.root)?);
        }
        Ok(Self {
            roots: Root::existing(candidates),
            depth: config.skills.depth,
            disabled,
            platform: around.platform.clone(),
            builtin: config.skills.builtin,
            depends,
        })
    }

    /// Exactly these roots.
    pub fn only(roots: Vec<Root>, around: &Surroundings, config: &Config) -> Self {
        Self {
            roots,
            depth: config.skills.depth,
            disabled: config.skills.disabled.clone(),
            platform: around.platform.clone(),
            builtin: false,
            depends: vec![Config::path(&around.hone_home)],
        }
    }
}

impl Catalogue {
    /// Looks for skills and decides which are offered.
    pub fn find(search: Search, state: &State) -> Self {
        let found = gather(&search.roots, search.depth, state, None);
        Self::decide(search, found)
    }

    /// The same, and what the answer depends on.
    pub(crate) fn find_noting(search: Search, state: &State, met: &mut Met) -> Self {
        let found = gather(&search.roots, search.depth, state, Some(met));
        Self::decide(search, found)
    }

    fn decide(search: Search, found: Gathered) -> Self {
        let Gathered { mut skills, skipped, untrusted } = found;
        if search.builtin {
            skills.extend(builtins());
        }
        let withheld = withheld(&skills, &untrusted, &search);
        // The offered ones stay where they are: a second list of 10,000 skills costs megabytes.
        let mut places = withheld.iter().map(|(at, ..)| *at).peekable();
        let mut at = 0..;
        let is_withheld =
            |_: &mut Listed| places.next_if(|next| at.next() == Some(*next)).is_some();
        let taken_out: Vec<Listed> = skills.extract_if(.., is_withheld).collect();
        let mut catalogue = Self { skills, skipped, roots: search.roots };
        for (skill, (_, reason, message)) in taken_out.into_iter().zip(withheld) {
            catalogue.skip(skill, reason, message);
        }
        catalogue.sort();
        catalogue
    }

    /// Reads the text of an offered skill again. None when it became more than another text: its name or
    /// what decides whether it is offered changed, or it is not one file that was read alone.
    pub(crate) fn read_again(&mut self, path: &Path) -> Option<()> {
        let skill = self.skills.iter_mut().find(|skill| skill.path == path)?;
        if skill.is_link {
            return None;
        }
        let (record, mark) = crate::walk::read_again(path)?;
        let summary = record.skill?;
        let decides = |summary: &Summary| (summary.name.clone(), summary.platforms.clone());
        if decides(&summary) != decides(&skill.summary) {
            return None;
        }
        (skill.summary, skill.notes, skill.mark) = (summary, record.notes, mark);
        Some(())
    }

    pub(crate) fn skip(&mut self, skill: Listed, reason: Reason, message: String) {
        self.skipped.push(Skipped {
            path: skill.path.clone(),
            reason,
            message,
            notes: skill.notes.clone(),
            skill: Some(Box::new(skill)),
        });
    }

    pub(crate) fn sort(&mut self) {
        self.skills.sort_by(|a, b| {
            (&a.summary.name, a.scope, &a.path).cmp(&(&b.summary.name, b.scope, &b.path))
        });
        self.skipped.sort_by(|a, b| (&a.path, a.reason).cmp(&(&b.path, b.reason)));
    }

    /// The skill that `address` means: a name, a slug, `scope:name`, a path, or a path below a root.
    ///
    /// A shadowed skill can be addressed as `scope:name` or by path; one that is withheld for another
    /// reason cannot, and the error says why.
    pub fn resolve(&self, address: &str, cwd: &Path) -> Result<&Listed, Error> {
        if let Some((scope, name)) = split_scope(address) {
            let name = name.strip_suffix("/SKILL.md").unwrap_or(name);
            let here = |skill: &&Listed| skill.scope == scope;
            let shadowed = self.shadowed().filter(here);
            let all: Vec<&Listed> = self.skills.iter().filter(here).chain(shadowed).collect();
            return self.pick(address, name, &all);
        }
        if !address.contains(['/', '\\']) {
            if let Some(skill) = self.named(address) {
                return Ok(skill);
            }
            let all: Vec<&Listed> = self.skills.iter().collect();
            let found = self.pick(address, address, &all);
            return match found {
                Err(Error::NotFound { .. }) => self.at_path(address, cwd).map_or(found, Ok),
                found => found,
            };
        }
        // A path that leads nowhere must not turn into a slug: `a/b` is not the skill `a-b`.
        let by_name = || self.skills.iter().find(|skill| skill.summary.name == address);
        self.at_path(address, cwd)
            .or_else(by_name)
            .ok_or_else(|| self.not_found(address, address, None, cwd))
    }

    /// The offered skill of exactly this name, by few comparisons.
    pub fn named(&self, name: &str) -> Option<&Listed> {
        let at =
            self.skills.binary_search_by(|skill| skill.summary.name.as_str().cmp(name)).ok()?;
        self.skills.get(at)
    }

    fn at_path(&self, address: &str, cwd: &Path) -> Option<&Listed> {
        let all = || self.skills.iter().chain(self.shadowed());
        let path = crate::root::normal(&cwd.join(address));
        let is_at = |skill: &&Listed, path: &Path| {
            skill.path == path
                || skill.key() == path
                || skill.also_at.iter().any(|other| other == path || other.parent() == Some(path))
        };
        let real = std::fs::canonicalize(cwd.join(address)).ok();
        all()
            .find(|skill| is_at(skill, &path))
            .or_else(|| all().find(|skill| skill.key() == skill.root.join(address)))
            .or_else(|| {
                let real = real.as_deref()?;
                let is_real =
                    |path: &Path| std::fs::canonicalize(path).is_ok_and(|path| path == real);
                all().find(|skill| is_real(&skill.path) || is_real(skill.key()))
            })
    }

    fn shadowed(&self) -> impl Iterator<Item = &Listed> {
        self.skipped
            .iter()
            .filter(|skipped| skipped.reason == Reason::Shadowed)
            .filter_map(|skipped| skipped.skill.as_deref())
    }

    fn pick<'a>(
        &'a self,
        asked: &str,
        name: &str,
        from: &[&'a Listed],
    ) -> Result<&'a Listed, Error> {
        if let Some(skill) = from.iter().find(|skill| skill.summary.name == name) {
            return Ok(skill);
        }
        let slug = Slug::new(name).ok();
        let same: Vec<&&Listed> =
            from.iter().filter(|skill| Some(&skill.summary.slug) == slug.as_ref()).collect();
        match same.as_slice() {
            [skill] => Ok(skill),
            [] => Err(self.not_found(asked, name, slug.as_ref(), Path::new(""))),
            several => Err(Error::Ambiguous {
                name: asked.to_owned(),
                choices: several
                    .iter()
                    .map(|skill| format!("`{}:{}`", skill.scope.id(), skill.summary.name))
                    .collect(),
            }),
        }
    }

    fn not_found(&self, asked: &str, name: &str, slug: Option<&Slug>, cwd: &Path) -> Error {
        let path = crate::root::normal(&cwd.join(name));
        let is_meant = |skipped: &&Skipped| {
            let folder = skipped.path.parent();
            skipped.path == path
                || folder == Some(&path)
                || match &skipped.skill {
                    Some(skill) => skill.summary.name == name || Some(&skill.summary.slug) == slug,
                    None => folder.and_then(Path::file_name).is_some_and(|folder| folder == name),
                }
        };
        let hidden = self.skipped.iter().find(is_meant).map(|skipped| {
            format!("it is at `{}`, but {}", skipped.path.display(), skipped.message)
        });
        let names = self.skills.iter().map(|skill| skill.summary.name.as_str());
        Error::NotFound { name: asked.to_owned(), near: nearest(name, names), hidden }
    }
}

/// `scope:name`, when the part before the colon is a scope.
fn split_scope(address: &str) -> Option<(Scope, &str)> {
    let (scope, name) = address.split_once(':')?;
    Scope::ALL.into_iter().find(|known| known.id() == scope).map(|scope| (scope, name))
}

/// Which skills are not offered, by their places, and why.
fn withheld(
    skills: &[Listed],
    untrusted: &HashMap<PathBuf, PathBuf>,
    search: &Search,
) -> Vec<(usize, Reason, String)> {
    let mut taken: HashMap<&str, &Listed> = HashMap::with_capacity(skills.len());
    let mut addressed: HashSet<(Scope, &str)> = HashSet::new();
    let mut withheld = Vec::new();
    for (at, skill) in skills.iter().enumerate() {
        let name = skill.summary.name.as_str();
        let (reason, message) = if let Some(project) = untrusted.get(&skill.root) {
            let project = project.display();
            (Reason::Untrusted, format!("the project `{project}` is not trusted: `hone trust`"))
        } else if !platform::runs_on(&skill.summary.platforms, &search.platform) {
            let platforms = skill.summary.platforms.join(", ");
            (Reason::Platform, format!("it is for {platforms}, this is {}", search.platform))
        } else if is_disabled(skill, &search.disabled) {
            let message = "it is switched off by `skills.disabled` in config.toml or hone.toml";
            (Reason::Disabled, message.to_owned())
        } else if let Some(winner) = taken.get(name) {
            // `scope:name` means the first of its scope; any other goes by its path.
            let is_first = winner.scope != skill.scope && addressed.insert((skill.scope, name));
            let address = if is_first {
                format!("{}:{name}", skill.scope.id())
            } else {
                skill.path.display().to_string()
            };
            let winner = winner.path.display();
            (Reason::Shadowed, format!("`{winner}` goes before it; use `{address}`"))
        } else {
            taken.insert(name, skill);
            continue;
        };
        withheld.push((at, reason, message));
    }
    withheld
}

fn is_disabled(skill: &Listed, disabled: &[String]) -> bool {
    disabled.iter().any(|entry| match split_scope(entry) {
        Some((scope, name)) => scope == skill.scope && skill.is_called(name),
        None => skill.is_called(entry),
    })
}

/// Up to three names that come near `name`.
fn nearest<'a>(name: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    const MOST: usize = 3;
    let wanted = name.trim().to_lowercase();
    if wanted.is_empty() {
        return Vec::new();
    }
    let mut near: Vec<(usize, &str)> = names
        .filter_map(|candidate| {
            let other = candidate.to_lowercase();
            // A piece of two letters is in too many names to mean anything.
            let shares = wanted.len().min(other.len()) > 2
                && (other.contains(&wanted) || wanted.contains(&other));
            let distance = if shares { 1 } else { distance(&wanted, &other) };
            (distance <= (wanted.len() / 2).min(2.max(wanted.len() / 4)))
                .then_some((distance, candidate))
        })
        .collect();
    near.sort_unstable();
    near.dedup();
    near.into_iter().take(MOST).map(|(_, name)| name.to_owned()).collect()
}

/// Edit distance, for names of at most 64 characters; longer ones are compared by their start.
fn distance(a: &str, b: &str) -> usize {
    const MOST: usize = 64;
    let b: Vec<char> = b.chars().take(MOST).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().take(MOST).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[b.len()]
}

/// Everything that lies below some roots, before anybody decides about it.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    /// In order of precedence.
    pub(crate) skills: Vec<Listed>,
    pub(crate) skipped: Vec<Skipped>,
    /// Roots whose skills are withheld, with the project that is not trusted.
    pub(crate) untrusted: HashMap<PathBuf, PathBuf>,
}

pub(crate) fn gather(
    roots: &[Root],
    depth: usize,
    state: &State,
    mut met: Option<&mut Met>,
) -> Gathered {
    let projects: HashSet<&PathBuf> =
        roots.iter().filter_map(|root| root.project.as_ref()).collect();
    let untrusted: HashSet<&PathBuf> =
        projects.into_iter().filter(|project| !state.is_trusted(project)).collect();
    let withheld_by = |root: &Root| root.project.clone().filter(|p| untrusted.contains(p));
    // Untrusted projects come last: a skill of the person's that they link to stays the person's.
    let (last, first): (Vec<usize>, Vec<usize>) =
        (0..roots.len()).partition(|at| withheld_by(&roots[*at]).is_some());
    let order: Vec<usize> = first.into_iter().chain(last).collect();
    let mut walker = Walker::noting(met.as_deref_mut().map(std::mem::take));
    for at in &order {
        walker.walk(state, &roots[*at], depth, withheld_by(&roots[*at]).as_deref());
    }
    let (walks, noted) = walker.finish();
    if let (Some(met), Some(noted)) = (met, noted) {
        *met = noted;
    }
    let mut walks: Vec<(usize, Walked)> = order.into_iter().zip(walks).collect();
    walks.sort_by_key(|(at, _)| *at);
    let mut gathered = Gathered::default();
    for (at, walked) in walks {
        let root = &roots[at];
        gathered.untrusted.extend(withheld_by(root).map(|project| (root.path.clone(), project)));
        gathered.add(root, depth, walked);
    }
    provenance::set_origins(state, &mut gathered.skills);
    gathered
}

/// What to do about folders that were not searched, where somebody can.
pub(crate) const USE_DEPTH: &str = "; use `--depth`";

impl Gathered {
    fn add(&mut self, root: &Root, depth: usize, mut walked: Walked) {
        // Of two skills of one name in a root, the one that is less deep goes first.
        walked.found.sort_by_key(|found| {
            (found.path.file_name().is_some_and(|name| name == "skill.md"), found.depth)
        });
        self.skills.reserve(walked.found.len());
        for found in walked.found {
            self.add_found(root, found);
        }
        if let Some(first) = walked.too_deep.first() {
            let others = match walked.too_deep.len() {
                1 => " has".to_owned(),
                2 => " and 1 other have".to_owned(),
                count => format!(" and {} others have", count - 1),
            };
            let levels = if depth == 1 { "1 level".to_owned() } else { format!("{depth} levels") };
            self.skipped.push(Skipped {
                path: first.clone(),
                reason: Reason::TooDeep,
                message: format!(
                    "this folder{others} folders deeper than {levels}, which were not searched{USE_DEPTH}"
                ),
                skill: None,
                notes: Vec::new(),
            });
        }
        for (path, message) in walked.closed {
            self.skipped.push(Skipped {
                path,
                reason: Reason::Closed,
                message,
                skill: None,
                notes: Vec::new(),
            });
        }
    }

    fn add_found(&mut self, root: &Root, found: Found) {
        let Record { skill, notes } = found.record;
        let Some(summary) = skill else {
            let first = notes.first();
            let rule = first.map_or("", |note| note.rule.as_str());
            // A Markdown file without frontmatter beside the skills of a folder is just a file.
            let is_loose = found.is_flat && matches!(rule, "no-frontmatter" | "link-pointer");
            if is_loose && root.layout == Layout::FoldersAndFiles && root.scope != Scope::Agent {
                return;
            }
            let reason = if rule == "file-name" { Reason::FileName } else { Reason::Broken };
            let message = first.map_or_else(String::new, |note| {
                format!("line {}, column {}: {}", note.line, note.column, note.message)
            });
            self.skipped.push(Skipped { path: found.path, reason, message, skill: None, notes });
            return;
        };
        let origin = match root.scope {
            Scope::Agent => Origin::AgentCreated,
            Scope::Builtin => Origin::Builtin,
            _ => Origin::Local,
        };
        self.skills.push(Listed {
            summary,
            scope: root.scope,
            origin,
            path: found.path,
            root: root.path.clone(),
            is_flat: found.is_flat,
            depth: found.depth,
            is_link: found.is_link,
            nested_in: found.nested_in,
            also_at: found.also_at,
            mark: found.mark,
            has_suite: found.has_suite,
            notes,
        });
    }
}

fn builtins() -> Vec<Listed> {
    BUILTINS
        .iter()
        .filter_map(|builtin| {
            let record = Record::read(builtin.text.as_bytes(), Some(builtin.name), None);
            Some(Listed {
                summary: record.skill?,
                scope: Scope::Builtin,
                origin: Origin::Builtin,
                path: PathBuf::from(format!("{BUILTIN_PREFIX}{}/SKILL.md", builtin.name)),
                root: PathBuf::from(BUILTIN_PREFIX),
                is_flat: false,
                depth: 1,
                is_link: false,
                nested_in: None,
                also_at: Vec::new(),
                mark: None,
                has_suite: false,
                notes: record.notes,
            })
        })
        .collect()
}

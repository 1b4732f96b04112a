//! `$name` and `[$name](path)` in a message: skills that a person names in passing.
//!
//! Names of environment variables are left alone, and so is a name that nothing here has. What was
//! mentioned and selects nothing is reported with the reason.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use hone_library::{Catalogue, Listed, Reason, Scope, Skipped, normal};

/// Names that mean a variable, whatever skill is called so.
pub const ENVIRONMENT_NAMES: [&str; 11] = [
    "HOME",
    "LANG",
    "PATH",
    "PWD",
    "SHELL",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "USER",
    "XDG_CONFIG_HOME",
];

/// Something that a message mentions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mention<'t> {
    /// `$name`.
    Name(&'t str),
    /// `[$name](path)`.
    Link {
        /// The name.
        name: &'t str,
        /// The path, without blanks around it.
        path: &'t str,
    },
}

/// A skill that a front end knows to be meant, by name and file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pick {
    /// The name that the person saw.
    pub name: String,
    /// The skill's file or folder.
    pub path: PathBuf,
}

/// The skills that a message selects.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Selection<'c> {
    /// The skills, in the order of the catalogue.
    pub skills: Vec<&'c Listed>,
    /// What was mentioned and selects nothing.
    pub unselected: Vec<Unselected>,
}

/// A mention that selects nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unselected {
    /// The name, or the path of a link.
    pub mention: String,
    /// Why, in a sentence.
    pub why: String,
}

/// The mentions in a text, in its order.
///
/// ```
/// use hone_router::{Mention, mentions};
///
/// let text = "use $tidy, then [$deploy](skills/deploy/SKILL.md); $PATH is not one";
/// assert_eq!(
///     mentions(text),
///     [Mention::Name("tidy"), Mention::Link { name: "deploy", path: "skills/deploy/SKILL.md" }]
/// );
/// ```
pub fn mentions(text: &str) -> Vec<Mention<'_>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(dollar) = bytes[at..].iter().position(|byte| *byte == b'$').map(|n| at + n) {
        at = dollar + 1;
        let rest = &text[at..];
        let length = rest.find(|c: char| !is_name_char(c)).unwrap_or(rest.len());
        let name = text[at..at + length].trim_end_matches([':', '-']);
        let before = text[..dollar].chars().next_back();
        let is_glued = before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '\\' | '$'));
        if name.is_empty() || is_glued || ENVIRONMENT_NAMES.contains(&name) {
            continue;
        }
        let is_link = before == Some('[') && bytes.get(at + length) == Some(&b']');
        let link = is_link.then(|| link_path(text, at + length + 1)).flatten();
        at = link.map_or(at + length, |(_, end)| end);
        found.push(match link {
            Some((path, _)) if !path.is_empty() => Mention::Link { name, path },
            _ => Mention::Name(name),
        });
    }
    found
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':')
}

/// The path in `  ( path )`, and where it ends.
fn link_path(text: &str, from: usize) -> Option<(&str, usize)> {
    /// Longest path in a link, in bytes: how far a missing parenthesis is looked for.
    const MAX_LINK_BYTES: usize = 4_096;
    let rest = &text[from..];
    let open = rest.trim_start_matches([' ', '\t']).strip_prefix('(')?;
    let start = text.len() - open.len();
    // A second `(` ends the search, so that many open links cost no more than one.
    let end =
        open.bytes().take(MAX_LINK_BYTES).position(|byte| matches!(byte, b'(' | b')' | b'\n'))?;
    (open.as_bytes()[end] == b')').then(|| (open[..end].trim(), start + end + 1))
}

/// The skills that a person's message selects: what the front end picked, then links, then names.
///
/// A pick settles its name, even when its path leads nowhere. A name counts when one skill has it and
/// no connector does; a link to a skill's file always counts. Skills that people may not call, and those that are
/// not offered, are not selected, which is said.
pub fn select<'c>(
    catalogue: &'c Catalogue,
    text: &str,
    picks: &[Pick],
    connectors: &[&str],
    cwd: &Path,
) -> Selection<'c> {
    let index = Index::of(catalogue);
    let mut chosen: BTreeSet<usize> = BTreeSet::new();
    let mut settled: BTreeSet<&str> = BTreeSet::new();
    let mut selection = Selection::default();
    let refuse = |selection: &mut Selection<'c>, mention: &str, why: &str| {
        selection.unselected.push(Unselected { mention: mention.to_owned(), why: why.to_owned() });
    };
    let not_at = |path: &str| match index.hidden_at(path, cwd) {
        Some(skipped) => not_offered(skipped),
        None => "no skill is at that path".to_owned(),
    };
    for pick in picks {
        settled.insert(&pick.name);
        let path = pick.path.to_string_lossy();
        match index.at_path(&path, cwd) {
            Some(at) => chosen.extend([at]),
            None => refuse(&mut selection, &pick.name, &not_at(&path)),
        }
    }
    let found = mentions(text);
    for mention in &found {
        if let Mention::Link { name, path } = mention {
            match index.at_path(path, cwd) {
                Some(at) => {
                    chosen.insert(at);
                    settled.insert(name);
                }
                // A link to something of another kind is none of ours.
                None if path.contains("://") && !path.starts_with("skill://") => {}
                None => refuse(&mut selection, path, &not_at(path)),
            }
        }
    }
    for mention in &found {
        let Mention::Name(name) = mention else { continue };
        if settled.contains(name) {
            continue;
        }
        match index.named(name) {
            Found::One(_) if connectors.contains(name) => {
                refuse(&mut selection, name, "a connector has that name too; link to the skill");
            }
            Found::One(at) => chosen.extend([at]),
            Found::Several => {
                refuse(&mut selection, name, "several skills share that name; link to one");
            }
            Found::Hidden(skipped) => refuse(&mut selection, name, &not_offered(skipped)),
            // `$name` may be anything: money, a variable, a placeholder.
            Found::None => {}
        }
        settled.insert(name);
    }
    for at in chosen {
        let skill = index.skills[at];
        if skill.summary.user_invocable {
            selection.skills.push(skill);
        } else {
            let name = &skill.summary.name;
            refuse(&mut selection, name, "it is not for people to call (`user-invocable: false`)");
        }
    }
    selection
}

enum Found<'c> {
    None,
    One(usize),
    Several,
    /// It is there, and not offered.
    Hidden(&'c Skipped),
}

/// How the reason begins why a skill that is there is not selected.
pub const NOT_OFFERED: &str = "it is not offered: ";

fn not_offered(skipped: &Skipped) -> String {
    format!("{NOT_OFFERED}{}", skipped.message)
}

/// Every way to name a skill, looked at once.
struct Index<'c> {
    skills: Vec<&'c Listed>,
    offered: usize,
    names: HashMap<&'c str, usize>,
    slugs: HashMap<&'c str, (usize, usize)>,
    scoped: HashMap<(Scope, &'c str), usize>,
    paths: HashMap<&'c Path, usize>,
    /// What is not offered, by name, slug, `scope:name`, and path.
    hidden: HashMap<Cow<'c, str>, &'c Skipped>,
    hidden_paths: HashMap<&'c Path, &'c Skipped>,
}

impl<'c> Index<'c> {
    fn of(catalogue: &'c Catalogue) -> Self {
        let shadowed =
            catalogue.skipped.iter().filter(|skipped| skipped.reason == Reason::Shadowed);
        let shadowed = shadowed.filter_map(|skipped| skipped.skill.as_deref());
        let skills: Vec<&Listed> = catalogue.skills.iter().chain(shadowed).collect();
        let mut index = Self {
            offered: catalogue.skills.len(),
            names: HashMap::new(),
            slugs: HashMap::new(),
            scoped: HashMap::new(),
            paths: HashMap::new(),
            skills: Vec::new(),
            hidden: HashMap::new(),
            hidden_paths: HashMap::new(),
        };
        let is_hidden = |skipped: &&Skipped| {
            !matches!(skipped.reason, Reason::Shadowed | Reason::TooDeep | Reason::Closed)
        };
        for skipped in catalogue.skipped.iter().filter(is_hidden) {
            index.hide(skipped);
        }
        for (at, &skill) in skills.iter().enumerate() {
            let summary = &skill.summary;
            if at < index.offered {
                index.names.entry(&summary.name).or_insert(at);
                index.slugs.entry(summary.slug.as_str()).or_insert((at, 0)).1 += 1;
            }
            index.scoped.entry((skill.scope, &summary.name)).or_insert(at);
            index.scoped.entry((skill.scope, summary.slug.as_str())).or_insert(at);
            let also = skill.also_at.iter().map(PathBuf::as_path);
            for path in [skill.path.as_path(), skill.key()].into_iter().chain(also) {
                index.paths.entry(path).or_insert(at);
                if path.ends_with("SKILL.md")
                    && let Some(folder) = path.parent()
                {
                    index.paths.entry(folder).or_insert(at);
                }
            }
        }
        index.skills = skills;
        index
    }

    fn hide(&mut self, skipped: &'c Skipped) {
        let path = skipped.path.as_path();
        let is_folder = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case("SKILL.md"));
        let folder = path.parent().filter(|_| is_folder);
        for path in std::iter::once(path).chain(folder) {
            self.hidden_paths.entry(path).or_insert(skipped);
        }
        let mut known_as = |name: Cow<'c, str>| {
            self.hidden.entry(name).or_insert(skipped);
        };
        if let Some(skill) = &skipped.skill {
            let (summary, scope) = (&skill.summary, skill.scope.id());
            for name in [summary.name.as_str(), summary.slug.as_str()] {
                known_as(name.into());
                known_as(format!("{scope}:{name}").into());
            }
        } else if let Some(name) = folder.map_or(path.file_stem(), Path::file_name) {
            // What cannot be read has the name of its folder.
            known_as(name.to_string_lossy());
        }
    }

    fn named(&self, name: &str) -> Found<'c> {
        if let Some(at) = self.names.get(name) {
            return Found::One(*at);
        }
        let scope = |word: &str| Scope::ALL.into_iter().find(|scope| scope.id() == word);
        if let Some((word, name)) = name.split_once(':')
            && let Some(at) = scope(word).and_then(|scope| self.scoped.get(&(scope, name)))
        {
            return Found::One(*at);
        }
        // Slugs are lower case, so that no `$GIT_DIR` means the skill `git-dir`.
        match self.slugs.get(name.replace('_', "-").as_str()) {
            Some((at, 1)) => Found::One(*at),
            Some(_) => Found::Several,
            None => {
                let hyphened = name.replace('_', "-");
                let hidden = [name, &hyphened].into_iter().find_map(|name| self.hidden.get(name));
                hidden.map_or(Found::None, |skipped| Found::Hidden(skipped))
            }
        }
    }

    fn at_path(&self, path: &str, cwd: &Path) -> Option<usize> {
        self.paths.get(full(path, cwd).as_path()).copied()
    }

    fn hidden_at(&self, path: &str, cwd: &Path) -> Option<&'c Skipped> {
        self.hidden_paths.get(full(path, cwd).as_path()).copied()
    }
}

/// A path as a person writes it: relative to the current folder, or to the home behind `~/`, which is how paths are
/// shown to him.
fn full(path: &str, cwd: &Path) -> PathBuf {
    let path = path.strip_prefix("skill://").unwrap_or(path);
    let below_home =
        path.strip_prefix("~/").and_then(|below| Some(std::env::home_dir()?.join(below)));
    normal(&cwd.join(below_home.unwrap_or_else(|| PathBuf::from(path))))
}

//! From a text that names where skills are to a [`Source`], and back.
//!
//! Parsing looks at nothing but the text. `Display` gives the canonical text, which parses to the same
//! source again: that is what a lock keeps. A source never holds a password.

mod parse;

use std::fmt::{self, Write as _};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use url::Url;

pub(crate) use parse::unescape;
pub use parse::{SourceError, parse};

/// Where skills come from, and which of them is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// Where they are.
    pub place: Place,
    /// The one skill that is meant, by name; all of them without it.
    pub skill: Option<String>,
}

/// Where skills are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// A git repository.
    Git(GitPlace),
    /// A folder on this machine.
    Folder(PathBuf),
    /// An archive on this machine.
    File(PathBuf),
    /// An archive behind an https address.
    Archive(Url),
    /// A single `SKILL.md` behind an https address.
    SkillFile(Url),
    /// A site with `.well-known/agent-skills/index.json` below this address, which ends in `/`.
    Site(Url),
    /// An MCP server that serves skills.
    Mcp(Url),
    /// An https address that does not say what it is: a repository if git can talk to it, else a site.
    Page(Url),
}

/// A place in a git repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitPlace {
    /// The repository's address, as git takes it.
    pub url: String,
    /// Which state of it.
    pub at: At,
    /// The folder in it, with `/` and without one at either end; empty for the top.
    pub path: String,
}

/// Which state of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum At {
    /// What the server calls its `HEAD`.
    Head,
    /// A branch, else a tag, else a whole commit id.
    Named(String),
    /// A reference and a path behind it, as a tree address of a web page has them. Only the server can
    /// tell where one ends, since branches have slashes.
    Tree(String),
}

/// The address of GitHub, and of GitLab, in front of a repository's path.
const GITHUB: &str = "https://github.com/";
const GITLAB: &str = "https://gitlab.com/";
/// What the text of an MCP server starts with.
pub(crate) const MCP: &str = "mcp+";
/// Where a site keeps its index, newest form first.
pub(crate) const INDEXES: [&str; 2] =
    [".well-known/agent-skills/index.json", ".well-known/skills/index.json"];

impl FromStr for Source {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, SourceError> {
        parse(text)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut reference = None;
        match &self.place {
            Place::Git(git) => {
                write_git(out, git)?;
                if let At::Named(name) = &git.at {
                    reference = Some(name);
                }
            }
            Place::Folder(path) | Place::File(path) => write_path(out, path)?,
            Place::Archive(url) | Place::SkillFile(url) | Place::Page(url) => write!(out, "{url}")?,
            Place::Mcp(url) => write!(out, "{MCP}{url}")?,
            Place::Site(url) if url.path() == "/" => write!(out, "{url}")?,
            Place::Site(url) => write!(out, "{url}{}", INDEXES[0])?,
        }
        if reference.is_some() || self.skill.is_some() {
            out.write_char('#')?;
        }
        if let Some(reference) = reference {
            write_escaped(out, reference)?;
        }
        if let Some(skill) = &self.skill {
            out.write_char('@')?;
            write_escaped(out, skill)?;
        }
        Ok(())
    }
}

fn write_git(out: &mut fmt::Formatter<'_>, git: &GitPlace) -> fmt::Result {
    let is_plain = |project: &&str| project.split('/').all(parse::is_plain);
    let parts = |project: &str| project.split('/').count();
    let github = git.url.strip_prefix(GITHUB).filter(|project| parts(project) == 2);
    if let At::Tree(tree) = &git.at {
        out.write_str(&git.url)?;
        out.write_str(if github.is_some() { "/tree/" } else { "/-/tree/" })?;
        return write_escaped(out, tree);
    }
    let github = github
        .filter(is_plain)
        .filter(|project| !project.split('/').next().unwrap_or_default().contains('.'));
    let gitlab =
        git.url.strip_prefix(GITLAB).filter(|project| parts(project) >= 2).filter(is_plain);
    let separator = match (github, gitlab) {
        (Some(project), _) => {
            write!(out, "github:{project}")?;
            "/"
        }
        (_, Some(project)) => {
            write!(out, "gitlab:{project}")?;
            "//"
        }
        _ => {
            if git.url.starts_with("http") {
                out.write_str("git+")?;
            }
            out.write_str(&git.url)?;
            "//"
        }
    };
    if git.path.is_empty() {
        return Ok(());
    }
    out.write_str(separator)?;
    write_escaped(out, &git.path)
}

/// A path that cannot be taken for `owner/repository`.
fn write_path(out: &mut fmt::Formatter<'_>, path: &Path) -> fmt::Result {
    let text = path.to_string_lossy();
    if !parse::is_local(&text) {
        out.write_str("./")?;
    }
    out.write_str(&text)?;
    // Blanks around a text are not part of it.
    if text.ends_with(char::is_whitespace) { out.write_char('/') } else { Ok(()) }
}

/// Percent-encodes what has a meaning in the text of a source. Slashes stay.
fn write_escaped(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    for c in text.chars() {
        if c.is_ascii_alphanumeric() || "/-._~!$&'()*+,;=:".contains(c) || !c.is_ascii() {
            out.write_char(c)?;
        } else {
            write!(out, "%{:02X}", u32::from(c))?;
        }
    }
    Ok(())
}

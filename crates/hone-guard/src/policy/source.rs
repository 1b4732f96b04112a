//! Where a skill comes from, and whether that is on a list.
//!
//! A source is normalised to host, owner and repository before it is compared, segment by segment.
//! What cannot be normalised is nobody's.

use std::fmt;

const GITHUB: &str = "github.com";

/// A repository, normalised: lower case, no `.git`, no user, no port.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    host: String,
    owner: String,
    repository: String,
}

/// `owner/repo`, `owner/*`, or either with a host in front.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourcePattern {
    host: String,
    owner: String,
    repository: Option<String>,
}

impl Source {
    /// Reads `owner/repo`, `github:owner/repo`, `host/owner/repo`, `https://…`, `ssh://…` and
    /// `git@host:owner/repo`; a path inside the repository may follow.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.strip_prefix("git+").unwrap_or(text);
        if let Some(rest) = text.strip_prefix("https://") {
            return Self::of_url(rest, Some("443"));
        }
        if let Some(rest) = text.strip_prefix("ssh://") {
            return Self::of_url(rest, Some("22"));
        }
        if let Some((host, path)) = text.strip_prefix("git@").and_then(|rest| rest.split_once(':'))
        {
            return Self::of_path(host, path);
        }
        let short = text.strip_prefix("github:").or_else(|| text.strip_prefix("gh:"));
        if short.unwrap_or(text).contains(':') {
            return None;
        }
        let path = short.unwrap_or(text);
        let (first, rest) = path.split_once('/')?;
        if short.is_none() && first.contains('.') && rest.contains('/') {
            return Self::of_path(first, rest);
        }
        // `owner/repo@ref` and `owner/repo#ref` are the same repository.
        let path = path.split(['@', '#']).next().unwrap_or(path);
        Self::of_path(GITHUB, path)
    }

    fn of_url(rest: &str, port: Option<&str>) -> Option<Self> {
        let (authority, path) = rest.split_once('/')?;
        if authority.contains(['\\', '?', '#', '%']) {
            return None;
        }
        // What stands before the last `@` is a user, whatever it looks like.
        let address = authority.rsplit('@').next().unwrap_or(authority);
        let host = match address.split_once(':') {
            None => address,
            Some((host, number)) if Some(number) == port => host,
            Some(_) => return None,
        };
        Self::of_path(host, path)
    }

    fn of_path(host: &str, path: &str) -> Option<Self> {
        let path = path.strip_suffix('/').unwrap_or(path);
        let segments: Vec<&str> = path.split('/').collect();
        let [owner, repository, inside @ ..] = segments.as_slice() else { return None };
        if inside.iter().any(|segment| segment.is_empty() || *segment == ".." || !is_plain(segment))
        {
            return None;
        }
        let host = host.to_ascii_lowercase();
        let host = if host == "www.github.com" { GITHUB.to_owned() } else { host };
        let repository = repository.strip_suffix(".git").unwrap_or(repository);
        let is_name = |name: &str| is_plain(name) && !name.starts_with('.');
        (is_name(&host) && is_name(owner) && is_name(repository)).then(|| Self {
            host,
            owner: owner.to_ascii_lowercase(),
            repository: repository.to_ascii_lowercase(),
        })
    }
}

fn is_plain(segment: &str) -> bool {
    !segment.is_empty() && segment.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c))
}

impl SourcePattern {
    /// Reads a pattern; anything but these forms is none.
    pub fn parse(text: &str) -> Option<Self> {
        let whole_owner = text.strip_suffix("/*");
        let source = match whole_owner {
            Some(owner) => Source::parse(&format!("{owner}/any"))?,
            None => Source::parse(text)?,
        };
        let expected = if source.host == GITHUB { 2 } else { 3 };
        let is_exact = text.split('/').count() == expected && !text.contains(['@', ':', '#', ' ']);
        let repository = whole_owner.is_none().then_some(source.repository);
        is_exact.then_some(Self { host: source.host, owner: source.owner, repository })
    }

    /// Whether a source is one of these.
    pub fn matches(&self, source: &Source) -> bool {
        self.host == source.host
            && self.owner == source.owner
            && self.repository.as_ref().is_none_or(|repository| *repository == source.repository)
    }
}

impl fmt::Display for SourcePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.host != GITHUB {
            write!(f, "{}/", self.host)?;
        }
        write!(f, "{}/{}", self.owner, self.repository.as_deref().unwrap_or("*"))
    }
}

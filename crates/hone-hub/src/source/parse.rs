//! What a text says about where skills are. The forms are those that existing tools accept, so that a
//! line copied from a README works.

use std::path::PathBuf;

use url::Url;

use super::{At, GITHUB, GITLAB, GitPlace, INDEXES, MCP, Place, Source};
use crate::limits::{MAX_PATH_BYTES, MAX_SEGMENT_BYTES, MAX_SOURCE_BYTES};

/// A text that names no source, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a source of skills: {why}")]
pub struct SourceError {
    /// The text, without any password.
    pub text: String,
    /// What is wrong with it and what to do.
    pub why: String,
}

/// Reads the text of a source.
///
/// ```
/// use hone_hub::parse;
///
/// let source = parse("https://github.com/acme/skills/tree/main/pdf")?;
/// assert_eq!(parse("acme/skills#v2@pdf")?.to_string(), "github:acme/skills#v2@pdf");
/// assert_eq!(parse(&source.to_string())?, source);
/// assert!(parse("acme/skills/../other").is_err());
/// # Ok::<(), hone_hub::SourceError>(())
/// ```
pub fn parse(text: &str) -> Result<Source, SourceError> {
    let text = text.trim();
    read(text).map_err(|why| SourceError { text: without_password(text), why })
}

/// Reasons are sentences; nobody acts on their kind.
type Read<T> = Result<T, String>;

fn refuse<T>(why: &str) -> Read<T> {
    Err(why.to_owned())
}

fn read(text: &str) -> Read<Source> {
    if text.is_empty() {
        return refuse("it is empty");
    }
    if text.len() > MAX_SOURCE_BYTES {
        return Err(format!("it is longer than {MAX_SOURCE_BYTES} bytes"));
    }
    if text.chars().any(char::is_control) {
        return refuse("it holds a control character");
    }
    if text.starts_with('-') {
        return refuse("it starts with `-`; write `./-…` for a folder");
    }
    if is_local(text) {
        return Ok(Source { place: local(text), skill: None });
    }
    let (base, reference, skill) = split_fragment(text)?;
    let named = |path: String, url: String| {
        let at = reference.clone().map_or(At::Head, At::Named);
        Place::Git(GitPlace { url, at, path })
    };
    let whole = |place| Ok(Source { place, skill: skill.clone() });
    if let Some(rest) = base.strip_prefix("github:") {
        return shorthand(rest, reference, skill);
    }
    if let Some(rest) = base.strip_prefix("gitlab:") {
        let (project, path) = split_project(rest)?;
        let project = project.strip_suffix(".git").unwrap_or(project);
        if project.split('/').count() < 2 || project.split('/').any(|part| !is_plain(part)) {
            return refuse("write `gitlab:group/repository`, and a folder behind `//`");
        }
        return whole(named(path, format!("{GITLAB}{project}")));
    }
    if let Some(rest) = base.strip_prefix("git+") {
        return match rest.split_once("://") {
            Some(("https" | "http", _)) => whole(git_web(rest, reference)?),
            Some(_) => refuse("`git+` is for http and https"),
            None => refuse("behind `git+` stands an address with `://`"),
        };
    }
    if let Some(rest) = base.strip_prefix(MCP) {
        return whole(mcp(rest, reference.as_deref())?);
    }
    if let Some((scheme, _)) = base.split_once("://") {
        return match scheme {
            "https" | "http" => whole(web(base, reference)?),
            _ => match git_other(scheme, base, reference.clone())? {
                Place::File(_) if reference.is_some() || skill.is_some() => {
                    refuse("behind a local archive stands nothing else")
                }
                place => whole(place),
            },
        };
    }
    if base.contains("::") {
        return refuse("git's transport helpers (`ext::…`) are not taken");
    }
    if let Some((user, host, path)) = scp_like(base) {
        let (repository, path) = split_project(path)?;
        if host.starts_with('-') || user.starts_with('-') || repository.starts_with('-') {
            return refuse("a part of the address starts with `-`");
        }
        return whole(named(path, format!("{user}@{host}:{repository}")));
    }
    if ["github.com/", "gitlab.com/"].iter().any(|host| base.starts_with(host)) {
        return whole(web(&format!("https://{base}"), reference)?);
    }
    if is_archive(base) && reference.is_none() && skill.is_none() {
        return Ok(Source { place: Place::File(PathBuf::from(format!("./{base}"))), skill: None });
    }
    shorthand(base, reference, skill)
}

/// Whether a text is a path and nothing else.
pub(super) fn is_local(text: &str) -> bool {
    matches!(text, "." | "..") || ["/", "./", "../"].iter().any(|start| text.starts_with(start))
}

fn local(text: &str) -> Place {
    let trimmed = match text.trim_end_matches('/') {
        "" => "/",
        trimmed => trimmed,
    };
    if is_archive(trimmed) {
        return Place::File(PathBuf::from(trimmed));
    }
    match trimmed.strip_suffix("/SKILL.md") {
        Some("") => Place::Folder(PathBuf::from("/")),
        Some(folder) => local(folder),
        None => Place::Folder(PathBuf::from(trimmed)),
    }
}

/// Whether a path ends like an archive.
pub(super) fn is_archive(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    [".zip", ".tar.gz", ".tgz", ".skill"]
        .iter()
        .any(|end| name.len() > end.len() && name.ends_with(end))
}

/// Whether a part of an address says that it is a repository.
fn is_repository(part: &str) -> bool {
    part.strip_suffix(".git").is_some_and(|name| !name.is_empty())
}

/// `owner/repository[/path][@skill]`.
fn shorthand(base: &str, reference: Option<String>, skill: Option<String>) -> Read<Source> {
    let (base, skill) = match base.rsplit_once('@') {
        Some((front, name)) if !front.ends_with('/') && !name.contains('/') => {
            if skill.is_some() {
                return refuse("it names a skill twice");
            }
            (front, Some(check_skill(&unescape(name)?)?))
        }
        _ => (base, skill),
    };
    let mut parts = base.trim_end_matches('/').splitn(3, '/');
    let (owner, repository) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let path = subpath(parts.next().unwrap_or_default())?;
    let repository = repository.strip_suffix(".git").unwrap_or(repository);
    if repository.is_empty() {
        return refuse(
            "write `owner/repository` for GitHub, `./folder` for a folder, or a whole address",
        );
    }
    if !is_plain(owner) || owner.contains('.') || !is_plain(repository) {
        return refuse(
            "`owner/repository` has letters, digits, `-`, `_` and `.`; for other servers write the whole address",
        );
    }
    let at = reference.map_or(At::Head, At::Named);
    let place = Place::Git(GitPlace { url: format!("{GITHUB}{owner}/{repository}"), at, path });
    Ok(Source { place, skill })
}

/// Whether a part of an address is a name that needs no care.
pub(super) fn is_plain(part: &str) -> bool {
    let is_allowed = |c: char| c.is_ascii_alphanumeric() || "-_.~".contains(c);
    !part.is_empty() && !part.starts_with(['-', '.']) && part.chars().all(is_allowed)
}

/// `user@host:path`, as ssh writes it.
fn scp_like(base: &str) -> Option<(&str, &str, &str)> {
    let (front, path) = base.split_once(':')?;
    let (user, host) = front.split_once('@')?;
    let is_host = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let is_good = !user.is_empty()
        && user.chars().all(is_host)
        && !host.is_empty()
        && host.chars().all(is_host)
        && !path.is_empty();
    is_good.then_some((user, host, path))
}

/// An address of the web, by its host and the form of its path.
fn web(base: &str, reference: Option<String>) -> Read<Place> {
    let mut url = web_url(base)?;
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    // A folder behind `//` is a repository's.
    if url.path().trim_matches('/').contains("//") {
        return git_web(base, reference);
    }
    let segments = segments(&url)?;
    let parts: Vec<&str> = segments.iter().map(String::as_str).collect();
    let host = url.host_str().unwrap_or_default();
    let upto = |count: usize| repository_url(&url, count);
    let tree = |repository: String, rest: &[&str]| {
        let rest = rest.strip_suffix(&["SKILL.md"]).unwrap_or(rest).join("/");
        if reference.is_some() {
            return refuse("it names a reference twice");
        }
        if rest.is_empty() || rest.starts_with('-') {
            return refuse("behind `tree` stands a reference");
        }
        let at = At::Tree(checked(&rest)?);
        Ok(Place::Git(GitPlace { url: repository, at, path: String::new() }))
    };
    if let Some(dash) = parts.iter().position(|part| *part == "-").filter(|dash| *dash >= 1)
        && let Some("tree" | "blob") = parts.get(dash + 1).copied()
    {
        return tree(upto(dash), &parts[dash + 2..]);
    }
    if let Some(at) = parts.iter().position(|part| *part == "_git")
        && parts.len() == at + 2
    {
        return azure(&url, upto(at + 2), reference);
    }
    match parts.as_slice() {
        [_, _, "tree", rest @ ..] | [_, _, "src", "branch" | "tag" | "commit", rest @ ..] => {
            return tree(upto(2), rest);
        }
        [_, _, "blob", rest @ ..] if rest.last() == Some(&"SKILL.md") => {
            return tree(upto(2), rest);
        }
        [_, _, "src", rest @ ..] if host == "bitbucket.org" => return tree(upto(2), rest),
        _ => {}
    }
    let is_known = ["github.com", "gitlab.com", "bitbucket.org", "codeberg.org"].contains(&host);
    let is_project = match host {
        "gitlab.com" => parts.len() >= 2 && !parts.contains(&"-"),
        _ => is_known && parts.len() == 2,
    };
    let is_git = is_project || parts.iter().any(|part| is_repository(part));
    if is_git {
        return git_web(base, reference);
    }
    let place = if parts.last() == Some(&"SKILL.md") {
        Place::SkillFile(url)
    } else if is_archive(url.path()) {
        Place::Archive(url)
    } else if let Some(base) = INDEXES.iter().find_map(|index| url.path().strip_suffix(index)) {
        let mut site = url.clone();
        site.set_path(base);
        site.set_query(None);
        Place::Site(site)
    } else if parts.is_empty() {
        if url.query().is_some() {
            return refuse("an address of a site has no query");
        }
        Place::Site(url)
    } else if is_known {
        return refuse("on this server write the repository, a tree, an archive or a `SKILL.md`");
    } else if reference.is_some() || url.scheme() == "http" {
        // Only a repository has references, and only git is taken without encryption.
        return git_web(base, reference);
    } else {
        return Ok(Place::Page(url));
    };
    let (Place::SkillFile(url) | Place::Archive(url) | Place::Site(url)) = &place else {
        return Ok(place);
    };
    if url.scheme() != "https" {
        return refuse("use https: what arrives over http could be anybody's");
    }
    if reference.is_some() {
        return refuse("only a repository has references");
    }
    Ok(place)
}

/// An MCP server. Its manifest comes the same way as the files, so that without encryption only this
/// machine is asked.
fn mcp(base: &str, reference: Option<&str>) -> Read<Place> {
    let url = web_url(base)?;
    let is_here = match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    match url.scheme() {
        "https" => {}
        "http" if is_here => {}
        _ => return refuse("behind `mcp+` stands https, or http to this machine"),
    }
    if !url.username().is_empty() || url.query().is_some() {
        return refuse("the address of an MCP server has no user and no query");
    }
    if reference.is_some() {
        return refuse("only a repository has references");
    }
    Ok(Place::Mcp(url))
}

/// A git repository over http or https; a folder in it stands behind `//`.
fn git_web(base: &str, reference: Option<String>) -> Read<Place> {
    let url = web_url(base)?;
    if url.query().is_some() {
        return refuse("the address of a repository has no query");
    }
    let raw: Vec<&str> = url.path().trim_matches('/').split('/').collect();
    let (count, skipped) = match raw.iter().position(|part| part.is_empty()) {
        Some(gap) => (gap, gap + 1),
        None => (raw.len(), raw.len()),
    };
    if count == 0 || raw[0].is_empty() {
        return refuse("the address names no repository");
    }
    if raw[..count].iter().rev().skip(1).any(|part| is_repository(part)) {
        return refuse("write `//` between the repository and a folder in it");
    }
    let path = subpath(&raw[skipped..].join("/"))?;
    let at = reference.map_or(At::Head, At::Named);
    Ok(Place::Git(GitPlace { url: repository_url(&url, count), at, path }))
}

/// The address of a repository from the first parts of a path. Where the server takes both, the form
/// without `.git` is the canonical one.
fn repository_url(url: &Url, count: usize) -> String {
    let mut cut = url.clone();
    cut.set_query(None);
    cut.set_fragment(None);
    let parts: Vec<&str> = url.path().trim_matches('/').split('/').take(count).collect();
    let mut path = parts.join("/");
    let is_known = url.scheme() == "https"
        && url.port().is_none()
        && url.username().is_empty()
        && matches!(url.host_str(), Some("github.com" | "gitlab.com"));
    if is_known && parts.last().and_then(|last| last.strip_suffix(".git")).is_some_and(is_plain) {
        path.truncate(path.len() - ".git".len());
    }
    cut.set_path(&path);
    cut.to_string()
}

/// `…/_git/repository?path=/folder&version=GBbranch`.
fn azure(url: &Url, repository: String, reference: Option<String>) -> Read<Place> {
    let (mut path, mut at) = (String::new(), reference.map_or(At::Head, At::Named));
    for (key, value) in url.query_pairs() {
        match key.as_ref() {
            "path" => path = checked(value.trim_matches('/'))?,
            "version" => {
                let name = ["GB", "GT", "GC"].iter().find_map(|kind| value.strip_prefix(kind));
                let Some(name) = name else {
                    return refuse("`version` starts with `GB`, `GT` or `GC`");
                };
                check_reference(name)?;
                at = At::Named(name.to_owned());
            }
            _ => {}
        }
    }
    Ok(Place::Git(GitPlace { url: repository, at, path }))
}

/// A git repository over ssh or in a local file system.
fn git_other(scheme: &str, base: &str, reference: Option<String>) -> Read<Place> {
    let at = reference.map_or(At::Head, At::Named);
    let rest = &base[scheme.len() + 3..];
    match scheme {
        "ssh" => {
            let url = Url::parse(base).map_err(|error| error.to_string())?;
            let host = url.host_str().unwrap_or_default();
            if host.is_empty() || host.starts_with('-') || url.username().starts_with('-') {
                return refuse("an address with ssh is `ssh://user@host/path`");
            }
            if url.password().is_some() {
                return refuse("a password does not belong into an address");
            }
            let Some((front, path)) = rest.split_once('/') else {
                return refuse("the address names no repository");
            };
            let (repository, path) = split_project(path)?;
            let url = format!("ssh://{front}/{repository}");
            Ok(Place::Git(GitPlace { url, at, path }))
        }
        "file" => {
            let Some(rest) = rest.strip_prefix('/') else {
                return refuse("a local address is `file:///path`");
            };
            if let place @ Place::File(_) = local(&format!("/{}", unescape(rest)?)) {
                return Ok(place);
            }
            let (repository, path) = split_project(rest)?;
            Ok(Place::Git(GitPlace { url: format!("file:///{repository}"), at, path }))
        }
        _ => refuse("addresses start with `https://`, `http://` (git only), `ssh://` or `file://`"),
    }
}

/// Cuts a repository's path from the folder behind `//`.
fn split_project(text: &str) -> Read<(&str, String)> {
    let (project, path) = text.split_once("//").unwrap_or((text, ""));
    let project = project.trim_end_matches('/');
    if project.is_empty() {
        return refuse("the address names no repository");
    }
    let is_odd = |c: char| c == '\\' || c.is_whitespace();
    if project.split('/').any(|part| part == "..") || project.contains(is_odd) {
        return refuse("`..`, backslashes and blanks are not allowed in it");
    }
    Ok((project, subpath(path)?))
}

/// Parses an address of the web and refuses what does not belong into one.
fn web_url(base: &str) -> Read<Url> {
    if base.contains('\\') || base.contains(char::is_whitespace) {
        return refuse("an address has no backslashes and no blanks");
    }
    // The parser would resolve these in silence.
    let is_dots = |part: &str| {
        let part = part.to_ascii_lowercase().replace("%2e", ".");
        part == "." || part == ".."
    };
    let path = base.split(['?', '#']).next().unwrap_or_default();
    if path.split('/').any(is_dots) {
        return refuse("`.` and `..` are not allowed in it");
    }
    let url = Url::parse(base).map_err(|error| error.to_string())?;
    if url.password().is_some() {
        return refuse(
            "a password does not belong into an address; git's credential helpers keep it",
        );
    }
    if url.host_str().is_none_or(|host| host.starts_with('.')) {
        return refuse("an address names a host");
    }
    Ok(url)
}

/// The parts of a path, decoded, empty ones left out.
fn segments(url: &Url) -> Read<Vec<String>> {
    url.path().split('/').filter(|part| !part.is_empty()).map(unescape).collect()
}

/// A folder inside a source, percent-decoded.
fn subpath(text: &str) -> Read<String> {
    checked(unescape(text)?.trim_matches('/'))
}

fn checked(path: &str) -> Read<String> {
    if path.is_empty() {
        return Ok(String::new());
    }
    if path.len() > MAX_PATH_BYTES {
        return Err(format!("its folder is longer than {MAX_PATH_BYTES} bytes"));
    }
    if path.contains(['\\', '\0']) || path.chars().any(char::is_control) {
        return refuse("its folder holds a backslash or a control character");
    }
    if path.split('/').any(|part| matches!(part, "" | "." | "..")) {
        return refuse("its folder may not hold empty parts, `.` or `..`");
    }
    Ok(path.to_owned())
}

/// The text in front of `#`, the reference and the skill behind it.
fn split_fragment(text: &str) -> Read<(&str, Option<String>, Option<String>)> {
    let Some((base, fragment)) = text.split_once('#') else { return Ok((text, None, None)) };
    let (reference, skill) = match fragment.rsplit_once('@') {
        Some((reference, skill)) => (reference, Some(check_skill(&unescape(skill)?)?)),
        None => (fragment, None),
    };
    if reference.is_empty() && skill.is_none() {
        return refuse("behind `#` stands a branch, a tag or a commit");
    }
    let reference = unescape(reference)?;
    if reference.is_empty() {
        return Ok((base, None, skill));
    }
    check_reference(&reference)?;
    Ok((base, Some(reference), skill))
}

/// Git's own rules for names of references, and none that could be taken for an option.
fn check_reference(name: &str) -> Read<()> {
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    let is_bad_part = |part: &str| {
        part.is_empty() || part.starts_with('.') || part.strip_suffix(".lock").is_some()
    };
    let is_bad = name.len() > MAX_SEGMENT_BYTES * 4
        || name.starts_with('-')
        || name.ends_with('.')
        || name == "@"
        || name.contains("..")
        || name.contains("@{")
        || name.contains(is_odd)
        || name.split('/').any(is_bad_part);
    if is_bad {
        return Err(format!("`{}` cannot be a reference", name.escape_debug()));
    }
    Ok(())
}

fn check_skill(name: &str) -> Read<String> {
    let is_bad = name.is_empty()
        || name.len() > MAX_SEGMENT_BYTES
        || name.contains(['/', '\\'])
        || name.chars().any(char::is_control)
        || name.trim() != name;
    if is_bad {
        return refuse("behind `@` stands the name of a skill");
    }
    Ok(name.to_owned())
}

/// Percent-decodes; what is no escape stays as it is.
pub(crate) fn unescape(text: &str) -> Read<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let digits = if *first == b'%' { after.get(..2) } else { None };
        let value = digits
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(value.unwrap_or(*first));
        rest = if value.is_some() { &after[2..] } else { after };
    }
    String::from_utf8(bytes).or_else(|_| refuse("an escape in it is not UTF-8"))
}

/// The text without what stands between `:` and `@` in front of a host.
fn without_password(text: &str) -> String {
    let masked = text.split_once("://").and_then(|(scheme, rest)| {
        let authority = rest.split('/').next().unwrap_or_default();
        let (credentials, host) = authority.rsplit_once('@')?;
        let (user, _) = credentials.split_once(':')?;
        Some(format!("{scheme}://{user}:…@{host}{}", &rest[authority.len()..]))
    });
    masked.unwrap_or_else(|| text.to_owned())
}

//! What an `allowed-tools` entry permits: `Read`, `Bash(git status:*)`, `Write(out/**)`,
//! `WebFetch(domain:example.org)`, `mcp__server__tool`.
//!
//! An entry that cannot be read permits nothing and is reported with the place in it. Matching is on
//! whole words and whole path segments, so that `Bash(git status:*)` does not permit `git statusx`.

use std::fmt;

use crate::tools::split_tools;

/// Longest entry that is read, in bytes.
pub const MAX_PERMISSION_BYTES: usize = 1_024;

/// Everything a skill declares.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Permissions {
    /// The entries that could be read.
    pub entries: Vec<Permission>,
    /// Those that could not; they permit nothing.
    pub errors: Vec<PermissionError>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// As it is written.
    pub text: String,
    /// The tool: `Bash`, `Read`, `mcp__server__tool`; `*` is every tool.
    pub tool: String,
    /// What of the tool.
    pub extent: Extent,
}

/// What of a tool is permitted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Extent {
    /// All of it.
    All,
    /// Commands: `Bash(…)`.
    Command(CommandPattern),
    /// Files: `Read(…)`, `Write(…)`, `Edit(…)` and the like.
    Path(PathPattern),
    /// A host and what is below it: `WebFetch(domain:…)`.
    Domain(String),
    /// Anything else in parentheses, as it is written.
    Other(String),
}

/// Words that a command must begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandPattern {
    /// The words; `*` in one stands for any characters of that word.
    pub words: Vec<String>,
    /// Whether further words may follow (`:*` or ` *` at the end).
    pub open: bool,
}

/// A path with `*` (within a name) and `**` (any folders).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathPattern(String);

/// An entry that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PermissionError {
    /// The entry, as it is written.
    pub text: String,
    /// Where in it, in bytes.
    pub at: usize,
    /// What is wrong, and what to write instead.
    pub message: String,
}

impl fmt::Display for PermissionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`, character {}: {}", self.text, self.at + 1, self.message)
    }
}

impl std::error::Error for PermissionError {}

/// Tools whose parentheses hold a path.
const FILE_TOOLS: [&str; 9] =
    ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Glob", "Grep", "LS"];

impl Permissions {
    /// Reads a list of entries.
    pub fn new<T: AsRef<str>>(entries: impl IntoIterator<Item = T>) -> Self {
        let mut permissions = Self::default();
        for entry in entries {
            match Permission::parse(entry.as_ref()) {
                Ok(permission) => permissions.entries.push(permission),
                Err(error) => permissions.errors.push(error),
            }
        }
        permissions
    }

    /// Reads entries separated by blanks or commas.
    ///
    /// ```
    /// use hone_skill::Permissions;
    ///
    /// let permissions = Permissions::parse("Bash(git status:*), Read");
    /// assert!(permissions.errors.is_empty());
    /// assert_eq!(permissions.entries[1].tool, "Read");
    /// assert!(!permissions.entries[0].is_unlimited());
    /// ```
    pub fn parse(text: &str) -> Self {
        Self::new(split_tools(text))
    }

    /// The command patterns.
    pub fn commands(&self) -> impl Iterator<Item = (&Permission, &CommandPattern)> {
        self.entries.iter().filter_map(|entry| match &entry.extent {
            Extent::Command(pattern) if entry.tool == "Bash" => Some((entry, pattern)),
            _ => None,
        })
    }

    /// The entry that permits any command, when there is one. `Bash(* --version)` is any program, but not any
    /// command.
    pub fn unlimited(&self) -> Option<&Permission> {
        self.entries.iter().find(|entry| {
            let is_any = |word: &String| word.chars().all(|c| c == '*');
            entry.is_unlimited()
                && match &entry.extent {
                    Extent::Command(pattern) => pattern.open && pattern.words.iter().all(is_any),
                    _ => true,
                }
        })
    }

    /// The entry that permits writing this file.
    pub fn write(&self, path: &str) -> Option<&Permission> {
        self.entries.iter().find(|entry| match (entry.tool.as_str(), &entry.extent) {
            ("*", _) | ("Write" | "Edit" | "MultiEdit", Extent::All) => true,
            ("Write" | "Edit" | "MultiEdit", Extent::Path(pattern)) => pattern.matches(path),
            _ => false,
        })
    }

    /// The entry that permits writing any file.
    pub fn write_anything(&self) -> Option<&Permission> {
        self.entries.iter().find(|entry| {
            entry.tool == "*"
                || (matches!(entry.tool.as_str(), "Write" | "Edit" | "MultiEdit")
                    && entry.extent == Extent::All)
        })
    }

    /// The files and folders that `Write(…)` and `Edit(…)` name, up to the first segment with a `*`; true
    /// for a folder.
    pub fn written_paths(&self) -> Vec<(String, bool)> {
        let patterns = self.entries.iter().filter_map(|entry| match &entry.extent {
            Extent::Path(pattern)
                if matches!(entry.tool.as_str(), "Write" | "Edit" | "MultiEdit") =>
            {
                Some(pattern.as_str())
            }
            _ => None,
        });
        let fixed = |pattern: &str| -> Option<(String, bool)> {
            let parts: Vec<&str> =
                pattern.split('/').take_while(|part| !part.contains('*')).collect();
            let path = parts.join("/");
            let is_inside = parts.iter().all(|part| *part != "..");
            let is_something = parts.iter().any(|part| !matches!(*part, "" | "." | "~"));
            let is_folder = pattern.contains('*') || pattern.ends_with('/');
            (is_inside && is_something).then_some((path, is_folder))
        };
        patterns.filter_map(fixed).collect()
    }

    /// The entry that permits fetching from any host.
    pub fn fetch_anything(&self) -> Option<&Permission> {
        self.entries.iter().find(|entry| {
            entry.tool == "*" || (entry.tool == "WebFetch" && entry.extent == Extent::All)
        })
    }

    /// The entry that permits fetching from this host.
    pub fn fetch(&self, host: &str) -> Option<&Permission> {
        self.entries.iter().find(|entry| match (entry.tool.as_str(), &entry.extent) {
            ("*", _) | ("WebFetch", Extent::All) => true,
            ("WebFetch", Extent::Domain(domain)) => is_below(host, domain),
            _ => false,
        })
    }
}

impl Permission {
    /// Reads one entry.
    pub fn parse(text: &str) -> Result<Self, PermissionError> {
        let wrong = |at: usize, message: &str| PermissionError {
            text: text.to_owned(),
            at,
            message: message.to_owned(),
        };
        if text.len() > MAX_PERMISSION_BYTES {
            let message = format!("longer than {MAX_PERMISSION_BYTES} bytes");
            let text = text.chars().take(80).collect();
            return Err(PermissionError { text, at: MAX_PERMISSION_BYTES, message });
        }
        let name_end = text.find('(').unwrap_or(text.len());
        let tool = &text[..name_end];
        let is_name = |tool: &str| {
            let tool =
                tool.strip_suffix('*').filter(|rest| rest.starts_with("mcp__")).unwrap_or(tool);
            tool.starts_with(|c: char| c.is_ascii_alphabetic())
                && tool.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
        };
        if tool.is_empty() {
            return Err(wrong(0, "a tool's name is missing"));
        }
        if tool != "*" && !is_name(tool) {
            let is_fine = |c: char| c.is_ascii_alphanumeric() || "_-.".contains(c);
            let at = tool.find(|c: char| !is_fine(c)).unwrap_or(0);
            return Err(wrong(at, "a tool's name has letters, digits, `_`, `-` and `.`"));
        }
        let permission =
            |extent: Extent| Self { text: text.to_owned(), tool: tool.to_owned(), extent };
        if name_end == text.len() {
            return Ok(permission(Extent::All));
        }
        let Some(inside) = text[name_end + 1..].strip_suffix(')') else {
            return Err(wrong(name_end, "the parenthesis is not closed; end the entry with `)`"));
        };
        if inside.trim().is_empty() {
            return Err(wrong(
                name_end,
                "nothing stands in the parentheses; leave them out for all of it",
            ));
        }
        if inside.contains(|c: char| c.is_control()) {
            let at = inside.find(|c: char| c.is_control()).unwrap_or(0);
            return Err(wrong(name_end + 1 + at, "a control character"));
        }
        let inside = inside.trim();
        if tool == "*" {
            return Err(wrong(1, "`*` is every tool; it takes no parentheses"));
        }
        let extent = if tool == "Bash" {
            let pattern = CommandPattern::parse(inside)
                .map_err(|(at, message)| wrong(name_end + 1 + at, message))?;
            Extent::Command(pattern)
        } else if FILE_TOOLS.contains(&tool) {
            Extent::Path(PathPattern(inside.to_owned()))
        } else if let Some(domain) = inside.strip_prefix("domain:") {
            let domain = domain.trim().to_ascii_lowercase();
            let bare = domain.strip_prefix("*.").unwrap_or(&domain);
            let is_host = !bare.is_empty()
                && bare.split('.').all(|label| {
                    !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-')
                });
            if !is_host {
                let at = name_end + 1 + "domain:".len();
                return Err(wrong(at, "a domain is a host name such as `example.org`"));
            }
            Extent::Domain(bare.to_owned())
        } else {
            Extent::Other(inside.to_owned())
        };
        Ok(permission(extent))
    }

    /// Whether it permits any command at all: `*`, bare `Bash`, `Bash(*)` and other ways to say so.
    pub fn is_unlimited(&self) -> bool {
        match (self.tool.as_str(), &self.extent) {
            ("*", _) | ("Bash", Extent::All) => true,
            ("Bash", Extent::Command(pattern)) => {
                pattern.words.first().is_none_or(|word| word.chars().all(|c| c == '*'))
            }
            _ => false,
        }
    }

    /// The server of an MCP tool, and the tool: `mcp__server__tool`; without a tool or with `*`, all
    /// of the server.
    pub fn mcp(&self) -> Option<(&str, Option<&str>)> {
        let rest = self.tool.strip_prefix("mcp__")?;
        match rest.split_once("__") {
            Some((server, tool)) => Some((server, (tool != "*").then_some(tool))),
            None => Some((rest, None)),
        }
    }
}

impl CommandPattern {
    fn parse(text: &str) -> Result<Self, (usize, &'static str)> {
        let (text, open) = match text.strip_suffix(":*") {
            Some(rest) => (rest, true),
            None => (text, false),
        };
        let mut words: Vec<String> = Vec::new();
        let mut word: Option<String> = None;
        let mut quote: Option<(char, usize)> = None;
        for (at, c) in text.char_indices() {
            match quote {
                Some((open, _)) if c == open => quote = None,
                None if c == '\'' || c == '"' => {
                    quote = Some((c, at));
                    word.get_or_insert_default();
                }
                None if c.is_whitespace() => words.extend(word.take()),
                _ => word.get_or_insert_default().push(c),
            }
        }
        if let Some((_, at)) = quote {
            return Err((at, "this quote does not end"));
        }
        words.extend(word);
        // ` *` at the end: whatever follows. `test*` at the end: a longer word, and what follows it, too;
        // but a file of a folder is one file.
        let is_rest = words.last().is_some_and(|word| word == "*");
        let is_program = words.len() == 1;
        let grows = words
            .last()
            .is_some_and(|word| word.ends_with('*') && (is_program || !word.contains('/')));
        if is_rest {
            words.pop();
        }
        Ok(Self { words, open: open || grows })
    }

    /// Whether a command of these words is one of these; a word that is not known (`None`) is matched
    /// by `*` alone.
    pub fn matches(&self, words: &[Option<&str>]) -> bool {
        if words.len() < self.words.len() || (!self.open && words.len() > self.words.len()) {
            return false;
        }
        self.words.iter().zip(words).all(|(pattern, word)| match word {
            // `scripts/*` is what lies in `scripts`, not what can be reached from there.
            Some(word) if pattern.len() > 1 && pattern.contains('*') => {
                glob(pattern, word) && word.split('/').all(|part| part != "..")
            }
            Some(word) => glob(pattern, word),
            None => pattern == "*",
        })
    }
}

impl PathPattern {
    /// A pattern: `*` is any characters of one segment, `**` any segments.
    pub fn new(pattern: impl Into<String>) -> Self {
        Self(pattern.into())
    }

    /// The pattern as it is written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a path is one of these. `.` segments do not count; a path with `..` never matches.
    pub fn matches(&self, path: &str) -> bool {
        let is_absolute = |path: &str| path.starts_with('/');
        if is_absolute(&self.0) != is_absolute(path) {
            return false;
        }
        let segments = |path: &str| -> Vec<String> {
            let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
            parts.map(str::to_owned).collect()
        };
        let (pattern, path) = (segments(&self.0), segments(path));
        if path.iter().any(|part| part == "..") || path.is_empty() {
            return false;
        }
        matches_segments(&pattern, &path)
    }
}

/// Greedy, with one place to come back to for the last `**`: linear in pattern times path.
fn matches_segments(pattern: &[String], path: &[String]) -> bool {
    let (mut p, mut s) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while s < path.len() {
        match pattern.get(p) {
            Some(part) if part == "**" => {
                retry = Some((p + 1, s));
                p += 1;
            }
            Some(part) if glob(part, &path[s]) => {
                p += 1;
                s += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    (p, s) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|part| part == "**")
}

/// Whether `text` is what `pattern` says, where `*` is any characters.
fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut p, mut t) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, t));
                p += 1;
            }
            Some(byte) if *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match retry {
                Some((after, from)) => {
                    retry = Some((after, from + 1));
                    (p, t) = (after, from + 1);
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

/// Whether a host is a domain or below it.
fn is_below(host: &str, domain: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host == domain
        || host.strip_suffix(domain).is_some_and(|front| front.ends_with('.') && front.len() > 1)
}

#[cfg(test)]
mod tests {
    use super::{
        CommandPattern, Extent, MAX_PERMISSION_BYTES, PathPattern, Permission, Permissions,
    };

    fn command(words: &[&str], open: bool) -> Extent {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Extent::Command(CommandPattern { words, open })
    }

    #[test]
    fn every_form_is_read() {
        let path = |text: &str| Extent::Path(PathPattern(text.to_owned()));
        let cases = [
            ("Read", "Read", Extent::All),
            ("*", "*", Extent::All),
            ("Bash(git cherry-pick:*)", "Bash", command(&["git", "cherry-pick"], true)),
            ("Bash(git status)", "Bash", command(&["git", "status"], false)),
            ("Bash(npm run test *)", "Bash", command(&["npm", "run", "test"], true)),
            ("Bash(git log*)", "Bash", command(&["git", "log*"], true)),
            ("Bash(git * main)", "Bash", command(&["git", "*", "main"], false)),
            ("Bash(./scripts/*)", "Bash", command(&["./scripts/*"], true)),
            ("Bash(cat references/*)", "Bash", command(&["cat", "references/*"], false)),
            ("Bash(cat references/*:*)", "Bash", command(&["cat", "references/*"], true)),
            ("Bash(echo 'a b':*)", "Bash", command(&["echo", "a b"], true)),
            ("Bash(*)", "Bash", command(&[], true)),
            ("Bash(:*)", "Bash", command(&[], true)),
            ("Read(references/**)", "Read", path("references/**")),
            ("WebFetch(domain:Example.ORG)", "WebFetch", Extent::Domain("example.org".to_owned())),
            ("mcp__github__search", "mcp__github__search", Extent::All),
            ("mcp__github__*", "mcp__github__*", Extent::All),
            ("Skill(deploy)", "Skill", Extent::Other("deploy".to_owned())),
        ];
        for (text, tool, extent) in cases {
            let expected = Permission { text: text.to_owned(), tool: tool.to_owned(), extent };
            assert_eq!(Permission::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_read_permits_nothing_and_says_where() {
        let cases = [
            ("Bash(git", 4),
            ("Bash()", 4),
            ("Bash( )", 4),
            ("(git)", 0),
            ("Ba$h(git)", 2),
            ("*(git)", 1),
            ("Bash(echo 'a)", 10),
            ("Bash(a\u{7}b)", 6),
            ("WebFetch(domain:)", 16),
            ("WebFetch(domain:a..b)", 16),
            ("WebFetch(domain:a/b)", 16),
        ];
        for (text, at) in cases {
            assert_eq!(Permission::parse(text).map_err(|error| error.at), Err(at), "{text}");
        }
        let permissions = Permissions::new(["Bash(git", "Read"]);
        assert_eq!((permissions.entries.len(), permissions.errors.len()), (1, 1));
        let longest = format!("Bash({})", "a".repeat(MAX_PERMISSION_BYTES - 6));
        assert!(Permission::parse(&longest).is_ok());
        assert!(Permission::parse(&format!("{longest}b")).is_err());
    }

    #[test]
    fn unlimited_is_recognised_in_every_disguise() {
        for text in
            ["*", "Bash", "Bash(*)", "Bash(:*)", "Bash(**)", "Bash(* *)", "Bash(* --version)"]
        {
            assert!(Permission::parse(text).is_ok_and(|entry| entry.is_unlimited()), "{text}");
        }
        for text in ["Bash", "Bash(*)", "Bash(* *)", "Bash(** * *:*)", "Bash('*' *)", "Bash(*  *)"]
        {
            assert!(Permissions::new([text]).unlimited().is_some(), "{text}");
        }
        for text in ["Bash(* --version)", "Bash(/*)", "Bash(*/*)"] {
            assert!(Permissions::new([text]).unlimited().is_none(), "{text}");
        }
        for text in ["Read", "Read(*)", "Bash(git:*)", "Bash(g*)", "mcp__a__*"] {
            assert!(Permission::parse(text).is_ok_and(|entry| !entry.is_unlimited()), "{text}");
        }
    }

    #[test]
    fn commands_match_whole_words() {
        let cases = [
            ("git status:*", "git status", true),
            ("git status:*", "git status -s", true),
            ("git status:*", "git statusx", false),
            ("git status:*", "git", false),
            ("git status", "git status -s", false),
            ("git status *", "git status", true),
            ("git status *", "git statusx", false),
            ("git log*", "git logx -1", true),
            ("git * main", "git push main", true),
            ("git * main", "git push origin main", false),
            ("git * main", "git main", false),
            ("./bin/*", "./bin/x a", true),
            ("./bin/*", "./bin/../x", false),
            ("a*b*c", "axxbyyc", true),
            ("a*b*c", "axxbyyd", false),
        ];
        for (pattern, command, expected) in cases {
            let pattern = CommandPattern::parse(pattern).expect("a pattern");
            let words: Vec<Option<&str>> = command.split(' ').map(Some).collect();
            assert_eq!(pattern.matches(&words), expected, "{pattern:?} {command}");
        }
        let pattern = CommandPattern::parse("git * main").expect("a pattern");
        assert!(pattern.matches(&[Some("git"), None, Some("main")]));
        assert!(!pattern.matches(&[Some("git"), Some("x"), None]));
    }

    #[test]
    fn paths_match_whole_segments() {
        let cases = [
            ("out/**", "out/a/b.txt", true),
            ("out/**", "./out/a", true),
            ("out/**", "outside/a", false),
            ("out/**", "out/../etc/passwd", false),
            ("out/**", "/out/a", false),
            ("*.log", "a.log", true),
            ("*.log", "a/b.log", false),
            ("**/*.log", "a/b/c.log", true),
            ("/tmp/*", "/tmp/a", true),
            ("/tmp/*", "/tmp/a/b", false),
            ("a/**/b/**/c", "a/x/b/y/z/c", true),
            ("a/**/b/**/c", "a/x/b/y/z/d", false),
        ];
        for (pattern, path, expected) in cases {
            assert_eq!(PathPattern(pattern.to_owned()).matches(path), expected, "{pattern} {path}");
        }
    }

    #[test]
    fn what_may_be_written_is_named_up_to_the_first_star() {
        let text = "Write(out/**) Edit(a/b*/c) Write(notes.md) Write(/tmp/x/*) Write(~/n/**) Read(secret/**) \
                    Write(**) Write(*.md) Write(../x/**) Write(/**) Write(~/**) Write";
        let expected =
            [("out", true), ("a", true), ("notes.md", false), ("/tmp/x", true), ("~/n", true)];
        let expected = expected.map(|(path, is_folder)| (path.to_owned(), is_folder));
        assert_eq!(Permissions::parse(text).written_paths(), expected);
    }

    #[test]
    fn a_domain_is_matched_from_the_dot() {
        let permissions = Permissions::parse("WebFetch(domain:example.org)");
        for (host, expected) in [
            ("example.org", true),
            ("API.example.org.", true),
            ("evilexample.org", false),
            ("example.org.evil.net", false),
            (".example.org", false),
        ] {
            assert_eq!(permissions.fetch(host).is_some(), expected, "{host}");
        }
    }

    #[test]
    fn an_mcp_tool_has_a_server_and_a_tool() {
        let mcp = |text: &str| {
            let permission = Permission::parse(text).expect("an entry");
            permission.mcp().map(|(server, tool)| (server.to_owned(), tool.map(str::to_owned)))
        };
        assert_eq!(mcp("mcp__git__log"), Some(("git".to_owned(), Some("log".to_owned()))));
        assert_eq!(mcp("mcp__git__*"), Some(("git".to_owned(), None)));
        assert_eq!(mcp("mcp__git"), Some(("git".to_owned(), None)));
        assert_eq!(mcp("Read"), None);
    }
}

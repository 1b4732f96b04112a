//! `read_file`, `list_files`, `search_files` and `write_file`: the files of one folder, the workspace.
//!
//! Every path is opened through a handle of that folder, which cannot be left: not by `..`, not by an
//! absolute path, not by a link. Sizes, counts and depths are bounded, and what was left out is said. A
//! write is a new file that takes the place of the old one in one step.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata, OpenOptions, OpenOptionsExt as _};
use hone_skill::PathPattern;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Class, Tool, ToolResult, Working, blocking, counted, git, number_of, text_of};

/// Largest file that is read or written, in bytes.
pub const MAX_FILE_BYTES: usize = 2 * 1024 * 1024;

/// Longest path, in bytes.
pub const MAX_PATH_BYTES: usize = 1024;

/// Lines that are read when nobody says how many.
pub const DEFAULT_LINES: usize = 500;

/// Most lines that are read at once.
pub const MAX_LINES: usize = 5_000;

/// Most files in one list.
pub const MAX_LISTED: usize = 1_000;

/// Most entries that are looked at for one list or search.
pub const MAX_VISITED: usize = 50_000;

/// Deepest folder that is looked into.
pub const MAX_DEPTH: usize = 32;

/// Most lines that a search gives.
pub const MAX_MATCHES: usize = 200;

/// Most bytes that one search reads.
pub const MAX_SEARCHED_BYTES: usize = 64 * 1024 * 1024;

/// Longest line that a search gives, in characters.
pub const MAX_LINE_CHARS: usize = 240;

/// What a program other than the agent's runs without being asked; the file tools stay out of it.
const CLOSED: &str = ".git";

/// The folder that an agent works in.
#[derive(Debug)]
pub struct Workspace {
    dir: Dir,
    path: PathBuf,
    /// Numbers for files on their way to their place.
    written: AtomicUsize,
}

/// What a call gives when it cannot go on: refused for a path that may not be used, else failed.
pub(super) type Stop = ToolResult;

impl Workspace {
    /// Opens a folder.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let dir = Dir::open_ambient_dir(&path, ambient_authority())?;
        Ok(Self { dir, path, written: AtomicUsize::new(0) })
    }

    /// The folder, links resolved.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The four tools.
    pub fn tools(self: &Arc<Self>) -> Vec<Box<dyn Tool>> {
        let tool =
            |kind: Kind| FileTool { workspace: Arc::clone(self), kind, schema: kind.schema() };
        [Kind::Read, Kind::List, Kind::Search, Kind::Write]
            .map(|kind| Box::new(tool(kind)) as Box<dyn Tool>)
            .into()
    }

    /// A path as the model gives it, below the workspace; the workspace itself is `.`. An absolute path
    /// into the workspace is one.
    fn inside(&self, path: &str) -> Result<PathBuf, Stop> {
        let shown =
            || path.chars().take(MAX_LINE_CHARS).flat_map(char::escape_debug).collect::<String>();
        let refuse =
            |why: &str| Err(ToolResult::refused(format!("`{}` cannot be used: {why}.", shown())));
        if path.len() > MAX_PATH_BYTES {
            return refuse("it is too long");
        }
        if path.contains('\0') {
            return refuse("it holds a NUL");
        }
        let mut below = Path::new(path);
        if below.is_absolute() {
            match below.strip_prefix(&self.path) {
                Ok(rest) => below = rest,
                Err(_) => {
                    return refuse("it is outside of the workspace; paths are relative to it");
                }
            }
        }
        let mut normal = PathBuf::new();
        for part in below.components() {
            match part {
                std::path::Component::Normal(part) => normal.push(part),
                std::path::Component::CurDir => {}
                _ => return refuse("`..` is not allowed; paths are relative to the workspace"),
            }
        }
        Ok(if normal.as_os_str().is_empty() { PathBuf::from(".") } else { normal })
    }

    /// The text of a file, or why there is none.
    pub(super) fn text(&self, path: &Path) -> Result<String, Stop> {
        let shown = name_of(path);
        let could_not = |error: io::Error| {
            ToolResult::failed(format!("`{shown}` could not be read: {}.", plain(&error)))
        };
        let (bytes, is_whole) = self.bytes(path, MAX_FILE_BYTES).map_err(could_not)?;
        if !is_whole {
            return Err(ToolResult::failed(format!(
                "`{shown}` has more than {MAX_FILE_BYTES} bytes, too many to be read; `search_files` looks \
                 for a line in smaller files only."
            )));
        }
        match String::from_utf8(bytes) {
            Ok(text) if !text.contains('\0') => Ok(text),
            _ => Err(ToolResult::failed(format!("`{shown}` is not text, so it cannot be shown."))),
        }
    }

    /// At most `most` bytes of a regular file, and whether that is all of it.
    fn bytes(&self, path: &Path, most: usize) -> io::Result<(Vec<u8>, bool)> {
        let mut options = OpenOptions::new();
        // Never wait for the other end of a pipe that somebody put there.
        options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
        let file = self.dir.open_with(path, &options)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"));
        }
        let mut bytes = Vec::new();
        let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
        file.take(limit).read_to_end(&mut bytes)?;
        let is_whole = bytes.len() <= most;
        Ok((bytes, is_whole))
    }

    fn read(&self, arguments: &Value) -> Result<ToolResult, Stop> {
        let path = self.inside(text_of(arguments, "path").unwrap_or_default())?;
        let text = self.text(&path)?;
        let start = number_of(arguments, "start").unwrap_or(1);
        let count = number_of(arguments, "lines").unwrap_or(DEFAULT_LINES);
        let all = text.split_inclusive('\n').count();
        let part: String = text.split_inclusive('\n').skip(start - 1).take(count).collect();
        let last = all.min(start - 1 + count);
        let shown = name_of(&path);
        if start > all && all > 0 {
            return Err(ToolResult::failed(format!(
                "`{shown}` has {all} lines; there is no line {start}."
            )));
        }
        let is_part = start > 1 || last < all;
        let mark =
            if is_part { format!("\n[lines {start} to {last} of {all}]\n") } else { String::new() };
        Ok(ToolResult::ok(
            part + &mark,
            format!("read {shown} ({})", counted(last + 1 - start.min(last + 1), "line")),
        ))
    }

    fn list(&self, arguments: &Value, cancelled: &CancellationToken) -> Result<ToolResult, Stop> {
        let mut text = String::new();
        let mut listed = 0;
        let walked = self.walk(arguments, cancelled, |path, metadata| {
            if listed == MAX_LISTED {
                return false;
            }
            listed += 1;
            let _ = match metadata {
                Some(metadata) => writeln!(text, "{} ({} bytes)", name_of(path), metadata.len()),
                None => writeln!(text, "{} (link)", name_of(path)),
            };
            true
        })?;
        if listed == 0 {
            text.push_str("No files.\n");
        }
        text.push_str(&walked.left_out("files", MAX_LISTED));
        Ok(ToolResult::ok(text, counted(listed, "file")))
    }

    fn search(&self, arguments: &Value, cancelled: &CancellationToken) -> Result<ToolResult, Stop> {
        let ignore_case = arguments.get("ignore_case") == Some(&Value::Bool(true));
        let folded = |text: &str| if ignore_case { text.to_lowercase() } else { text.to_owned() };
        let wanted = folded(text_of(arguments, "text").unwrap_or_default());
        let (mut text, mut matches, mut read, mut unread) = (String::new(), 0, 0, 0);
        let walked = self.walk(arguments, cancelled, |path, metadata| {
            if metadata.is_none() {
                return true;
            }
            if read > MAX_SEARCHED_BYTES {
                return false;
            }
            let content = match self.bytes(path, MAX_FILE_BYTES) {
                Ok((bytes, is_whole)) => {
                    read += bytes.len();
                    String::from_utf8(bytes).ok().filter(|text| is_whole && !text.contains('\0'))
                }
                Err(_) => None,
            };
            let Some(content) = content else {
                unread += 1;
                return true;
            };
            for (number, line) in content.lines().enumerate() {
                if !folded(line).contains(&wanted) {
                    continue;
                }
                if matches == MAX_MATCHES {
                    return false;
                }
                matches += 1;
                let shown: String = line.chars().take(MAX_LINE_CHARS).collect();
                let more = if shown.len() < line.len() { "…" } else { "" };
                let _ = writeln!(text, "{}:{}: {shown}{more}", name_of(path), number + 1);
            }
            true
        })?;
        if matches == 0 {
            text.push_str("Nothing found.\n");
        }
        if unread > 0 {
            let _ = writeln!(
                text,
                "[{unread} files are not text, too large or closed, and were not searched]"
            );
        }
        text.push_str(&walked.left_out("lines", MAX_MATCHES));
        Ok(ToolResult::ok(text, counted(matches, "line")))
    }

    /// Visits the files below `path` that `glob` names, in order of their paths; `visit` says whether to
    /// go on. Links are visited without metadata and not followed.
    pub(super) fn walk(
        &self,
        arguments: &Value,
        cancelled: &CancellationToken,
        mut visit: impl FnMut(&Path, Option<&Metadata>) -> bool,
    ) -> Result<Walked, Stop> {
        let top = self.inside(text_of(arguments, "path").unwrap_or("."))?;
        let glob = text_of(arguments, "glob").map(|glob| {
            // `*.rs` means those in every folder.
            PathPattern::new(if glob.contains('/') {
                glob.to_owned()
            } else {
                format!("**/{glob}")
            })
        });
        let is_meant = |path: &Path| {
            let below = path.strip_prefix(&top).unwrap_or(path);
            glob.as_ref().is_none_or(|glob| glob.matches(&below.to_string_lossy()))
        };
        let mut walked = Walked::default();
        let mut folders = vec![(top.clone(), 0)];
        while let Some((folder, depth)) = folders.pop() {
            let entries = match self.dir.read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if folder == top => {
                    return Err(ToolResult::failed(format!(
                        "`{}` could not be listed: {}.",
                        name_of(&top),
                        plain(&error)
                    )));
                }
                Err(_) => {
                    walked.closed += 1;
                    continue;
                }
            };
            let mut sorted = BTreeMap::new();
            for entry in entries.flatten() {
                walked.visited += 1;
                if walked.visited > MAX_VISITED || cancelled.is_cancelled() {
                    walked.is_cut = true;
                    return Ok(walked);
                }
                sorted.insert(entry.file_name(), entry);
            }
            let mut below = Vec::new();
            for (name, entry) in sorted {
                let path =
                    if folder == Path::new(".") { name.clone().into() } else { folder.join(&name) };
                let Ok(kind) = entry.file_type() else { continue };
                if kind.is_dir() {
                    if depth == MAX_DEPTH {
                        walked.closed += 1;
                    } else if !is_closed(&path) {
                        below.push((path, depth + 1));
                    }
                    continue;
                }
                let metadata = if kind.is_symlink() { None } else { entry.metadata().ok() };
                if is_meant(&path) && !visit(&path, metadata.as_ref()) {
                    walked.is_cut = true;
                    return Ok(walked);
                }
            }
            folders.extend(below.into_iter().rev());
        }
        Ok(walked)
    }

    fn write(&self, arguments: &Value) -> Result<ToolResult, Stop> {
        let path = self.inside(text_of(arguments, "path").unwrap_or_default())?;
        let shown = name_of(&path);
        let content = text_of(arguments, "content").unwrap_or_default();
        let mode = text_of(arguments, "mode").unwrap_or("replace");
        if path == Path::new(".") || is_closed(&path) {
            return Err(ToolResult::refused(format!("`{shown}` is not for writing.")));
        }
        let could_not = |error: io::Error| {
            ToolResult::failed(format!("`{shown}` could not be written: {}.", plain(&error)))
        };
        // What counts is where it lies, not how it is called: a folder of its name may be a link.
        let path = self.resolved(&path).map_err(could_not)?;
        if is_closed(&path) {
            return Err(ToolResult::refused(format!(
                "`{shown}` is not for writing: it leads into `{CLOSED}`."
            )));
        }
        match git::reaches(&self.path, &path) {
            Ok(false) => {}
            Ok(true) => {
                return Err(ToolResult::refused(format!(
                    "`{shown}` is not for writing: git would run it by itself."
                )));
            }
            Err(error) => {
                return Err(ToolResult::refused(format!(
                    "`{shown}` was not written: what git runs by itself cannot be told: {error}."
                )));
            }
        }
        let old = match self.dir.symlink_metadata(&path) {
            Ok(old) if old.is_file() => Some(old),
            Ok(_) => {
                return Err(ToolResult::refused(format!(
                    "`{shown}` is a link or no regular file; nothing was written."
                )));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(could_not(error)),
        };
        if mode == "create" && old.is_some() {
            return Err(ToolResult::refused(format!(
                "`{shown}` is there already; use the mode `replace` or `append`."
            )));
        }
        let mut bytes = if mode == "append" && old.is_some() {
            self.bytes(&path, MAX_FILE_BYTES).map_err(could_not)?.0
        } else {
            Vec::new()
        };
        bytes.extend_from_slice(content.as_bytes());
        if bytes.len() > MAX_FILE_BYTES {
            return Err(ToolResult::failed(format!(
                "`{shown}` would have more than {MAX_FILE_BYTES} bytes; nothing was written."
            )));
        }
        self.replace(&path, &bytes, old.as_ref()).map_err(could_not)?;
        let done = format!("wrote {shown} ({} bytes)", bytes.len());
        Ok(ToolResult::ok(format!("Done: {done}."), done))
    }

    /// The same file with the links among its folders resolved; folders that are not there yet are none.
    fn resolved(&self, path: &Path) -> io::Result<PathBuf> {
        let around = path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty());
        for folder in around {
            match self.dir.canonicalize(folder) {
                Ok(found) => {
                    let below = path.strip_prefix(folder).unwrap_or(path);
                    let found = found.join(below);
                    return Ok(found.strip_prefix(".").map(Path::to_owned).unwrap_or(found));
                }
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(path.to_owned())
    }

    /// Puts a new file in the place of the old one, or leaves the old one.
    fn replace(&self, path: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new(""));
        if !folder.as_os_str().is_empty() {
            self.dir.create_dir_all(folder)?;
        }
        let number = self.written.fetch_add(1, Ordering::Relaxed);
        let new = folder.join(format!(".hone-write-{}-{number}", std::process::id()));
        let written =
            self.fill(&new, bytes, old).and_then(|()| self.dir.rename(&new, &self.dir, path));
        if written.is_err() {
            let _ = self.dir.remove_file(&new);
        }
        written
    }

    fn fill(&self, new: &Path, bytes: &[u8], old: Option<&Metadata>) -> io::Result<()> {
        let mut file = self.dir.open_with(new, OpenOptions::new().write(true).create_new(true))?;
        if let Some(old) = old {
            file.set_permissions(old.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    }
}

/// How a walk went.
#[derive(Debug, Default)]
pub(super) struct Walked {
    visited: usize,
    closed: usize,
    is_cut: bool,
}

impl Walked {
    /// What was left out, for the model.
    pub(super) fn left_out(&self, what: &str, most: usize) -> String {
        let mut text = String::new();
        if self.is_cut {
            let _ = writeln!(
                text,
                "[there is more: at most {most} {what} are given and {MAX_VISITED} entries looked at; narrow it \
                 with `path` or `glob`]"
            );
        }
        if self.closed > 0 {
            let _ = writeln!(text, "[{} folders are closed or too deep]", self.closed);
        }
        text
    }
}

/// A path for a line of text: what would break or turn the line is written as an escape.
fn name_of(path: &Path) -> String {
    let mut name = String::new();
    for c in path.to_string_lossy().chars() {
        let turns = matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}');
        if c.is_control() || turns {
            name.extend(c.escape_default());
        } else {
            name.push(c);
        }
    }
    name
}

fn is_closed(path: &Path) -> bool {
    path.iter().any(|part| part.eq_ignore_ascii_case(CLOSED))
}

/// An error without the path that is named already.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "it is not there".to_owned(),
        io::ErrorKind::PermissionDenied => "it is outside of the workspace, or closed".to_owned(),
        io::ErrorKind::NotADirectory => "it is not a folder".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        _ => error.to_string(),
    }
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    Read,
    List,
    Search,
    Write,
}

impl Kind {
    fn schema(self) -> Value {
        let path = json!({"type": "string", "minLength": 1, "maxLength": MAX_PATH_BYTES});
        let glob = json!({"type": "string", "minLength": 1, "maxLength": 256});
        let (properties, required) = match self {
            Self::Read => (
                json!({
                    "path": path,
                    "start": {"type": "integer", "minimum": 1, "maximum": 100_000_000},
                    "lines": {"type": "integer", "minimum": 1, "maximum": MAX_LINES},
                }),
                json!(["path"]),
            ),
            Self::List => (json!({"path": path, "glob": glob}), json!([])),
            Self::Search => (
                json!({
                    "text": {"type": "string", "minLength": 1, "maxLength": 1000},
                    "path": path,
                    "glob": glob,
                    "ignore_case": {"type": "boolean"},
                }),
                json!(["text"]),
            ),
            Self::Write => (
                json!({
                    "path": path,
                    "content": {"type": "string", "maxLength": MAX_FILE_BYTES},
                    "mode": {"type": "string", "enum": ["replace", "append", "create"]},
                }),
                json!(["path", "content"]),
            ),
        };
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

struct FileTool {
    workspace: Arc<Workspace>,
    kind: Kind,
    schema: Value,
}

impl Tool for FileTool {
    fn name(&self) -> &'static str {
        match self.kind {
            Kind::Read => "read_file",
            Kind::List => "list_files",
            Kind::Search => "search_files",
            Kind::Write => "write_file",
        }
    }

    fn description(&self) -> &'static str {
        match self.kind {
            Kind::Read => {
                "Reads a text file of the workspace, or `lines` of it from line `start` on."
            }
            Kind::List => {
                "Lists the files of the workspace below `path`; `glob` (`*.rs`, `src/**/*.md`) narrows it."
            }
            Kind::Search => "Gives the lines that hold `text`, with file and number.",
            Kind::Write => {
                "Writes a file of the workspace: `mode` is `replace` (also when there is none), `append` \
                 or `create`."
            }
        }
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Evidence
    }

    fn changes(&self) -> bool {
        matches!(self.kind, Kind::Write)
    }

    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a> {
        let (workspace, kind) = (Arc::clone(&self.workspace), self.kind);
        let (arguments, cancelled) = (arguments.clone(), cancelled.clone());
        Box::pin(blocking(move || {
            let result = match kind {
                Kind::Read => workspace.read(&arguments),
                Kind::List => workspace.list(&arguments, &cancelled),
                Kind::Search => workspace.search(&arguments, &cancelled),
                Kind::Write => workspace.write(&arguments),
            };
            result.unwrap_or_else(|stop| stop)
        }))
    }
}

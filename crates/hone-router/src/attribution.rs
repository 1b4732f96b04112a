//! Which skill a command line used: a script of it that ran, or a file of it that was read.
//!
//! The line is taken apart as a shell would, never run, in one pass. What it changes does not count,
//! nor a path that it only names.

mod steps;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use hone_library::{Listed, normal};
use serde::Serialize;

use steps::{Simple, Step, Text, steps};

/// Longest command line that is looked at, in bytes; the rest is not.
pub const MAX_COMMAND_BYTES: usize = 64 * 1024;
/// Longest path that is looked at, in bytes, and how deep in a skill a file may be: what keeps the work
/// linear.
const MAX_PATH_BYTES: usize = 4_096;
const MAX_FILE_DEPTH: usize = 32;
/// How deep `sh -c '…'` inside `sh -c '…'` is followed.
const MAX_DEPTH: usize = 3;

/// Entries of folders that patterns are held against, for one command line.
const MAX_MATCHED: usize = 4_096;

/// Values of one variable that are looked at, as in `for f in scripts/*.py a b c`.
const MAX_VALUES: usize = 16;

/// Programs that run the script they are given.
const RUNNERS: [&str; 36] = [
    ".",
    "bash",
    "bun",
    "bunx",
    "dash",
    "deno",
    "fish",
    "java",
    "ksh",
    "lua",
    "node",
    "nodejs",
    "npx",
    "perl",
    "php",
    "pipenv",
    "pipx",
    "pnpm",
    "pnpx",
    "poetry",
    "powershell",
    "pwsh",
    "pypy3",
    "python",
    "python2",
    "python3",
    "rscript",
    "ruby",
    "sh",
    "source",
    "ts-node",
    "tsx",
    "uv",
    "uvx",
    "yarn",
    "zsh",
];
/// Programs that run one when their first word says so.
const RUN_BY: [(&str, &[&str]); 5] = [
    ("conda", &["run"]),
    ("mamba", &["run"]),
    ("micromamba", &["run"]),
    ("npm", &["exec", "x"]),
    ("pixi", &["run"]),
];
/// First words of runners that manage packages, behind which nothing runs.
const MANAGING: [&str; 11] = [
    "add", "build", "cache", "config", "init", "install", "link", "lock", "pip", "publish",
    "remove",
];
/// Options of runners that name the folder to run in.
const FOLDERS: [(&str, &[&str]); 8] = [
    ("bun", &["--cwd"]),
    ("conda", &["--cwd"]),
    ("mamba", &["--cwd"]),
    ("micromamba", &["--cwd"]),
    ("pnpm", &["-C", "--dir"]),
    ("poetry", &["-C", "--directory"]),
    ("uv", &["--directory"]),
    ("yarn", &["--cwd"]),
];
/// Programs that only start another one.
const WRAPPERS: [&str; 14] = [
    "builtin", "command", "doas", "env", "exec", "ionice", "nice", "nohup", "setsid", "stdbuf",
    "sudo", "time", "timeout", "xargs",
];
/// Letters of their options that take the next word.
const VALUED: [(&str, &str); 10] = [
    ("doas", "uC"),
    ("env", "uCS"),
    ("exec", "a"),
    ("ionice", "cnp"),
    ("nice", "n"),
    ("stdbuf", "ioe"),
    ("sudo", "CDRTUghprtu"),
    ("time", "fo"),
    ("timeout", "ks"),
    ("xargs", "EILPadns"),
];
/// Words of the shell's own grammar that a command may follow.
const KEYWORDS: [&str; 9] = ["!", "do", "elif", "else", "if", "then", "until", "while", "{"];
/// What `find` runs is between one of these and `;` or `+`.
const FIND_RUNS: [&str; 4] = ["-exec", "-execdir", "-ok", "-okdir"];
/// Programs that print the files they are given.
const READERS: [&str; 24] = [
    "awk",
    "bat",
    "batcat",
    "cat",
    "cut",
    "egrep",
    "fgrep",
    "gawk",
    "gc",
    "get-content",
    "grep",
    "head",
    "jq",
    "less",
    "more",
    "nl",
    "read",
    "read_file",
    "rg",
    "sed",
    "tac",
    "tail",
    "type",
    "view",
];
/// Shells whose `-c` holds another command line.
const SHELLS: [&str; 8] = ["bash", "dash", "fish", "ksh", "powershell", "pwsh", "sh", "zsh"];

/// How a skill was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// A script of it ran.
    Script,
    /// Its `SKILL.md` was read.
    Instructions,
    /// Another file of it was read.
    File,
}

impl How {
    /// The word for it.
    pub fn id(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Instructions => "instructions",
            Self::File => "file",
        }
    }
}

/// A skill that a command used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Used<'s> {
    /// The skill.
    pub skill: &'s Listed,
    /// How.
    pub how: How,
    /// The file, inside the skill.
    pub file: String,
}

/// Skills by the folders they are in.
#[derive(Debug)]
pub struct Attribution<'s> {
    folders: HashMap<PathBuf, &'s Listed>,
    files: HashMap<PathBuf, &'s Listed>,
    home: PathBuf,
    only_existing: bool,
    /// Entries of folders that the command line under way may still look at.
    matched: Cell<usize>,
}

impl<'s> Attribution<'s> {
    /// An index of some skills. `home` is what `~` means.
    pub fn new(skills: impl IntoIterator<Item = &'s Listed>, home: &Path) -> Self {
        let mut index = Self {
            folders: HashMap::new(),
            files: HashMap::new(),
            home: home.to_owned(),
            only_existing: false,
            matched: Cell::new(MAX_MATCHED),
        };
        for skill in skills {
            for path in std::iter::once(&skill.path).chain(&skill.also_at) {
                index.files.entry(path.clone()).or_insert(skill);
                if !skill.is_flat
                    && let Some(folder) = path.parent()
                {
                    index.folders.entry(folder.to_owned()).or_insert(skill);
                }
            }
        }
        index
    }

    /// The same, but what is not on disk is not used: a command that names a file that is not there did not run
    /// or read it.
    #[must_use]
    pub fn only_existing(mut self) -> Self {
        self.only_existing = true;
        self
    }

    /// The skills that a command line used, each once, by the strongest use of it.
    pub fn command(&self, line: &str, cwd: &Path) -> Vec<Used<'s>> {
        let mut end = line.len().min(MAX_COMMAND_BYTES);
        while !line.is_char_boundary(end) {
            end -= 1;
        }
        self.matched.set(MAX_MATCHED);
        let mut found = Vec::new();
        self.line(&line[..end], cwd.to_owned(), 0, &mut found);
        found.sort_by(|a, b| (&a.skill.path, a.how, &a.file).cmp(&(&b.skill.path, b.how, &b.file)));
        found.dedup_by(|later, first| later.skill.path == first.skill.path);
        found
    }

    /// The skill to which a file belongs that a tool read.
    pub fn file(&self, path: &str, cwd: &Path) -> Option<Used<'s>> {
        self.read(path, cwd)
    }

    fn line(&self, line: &str, cwd: PathBuf, depth: usize, found: &mut Vec<Used<'s>>) {
        self.walk(&steps(line, None), 0, cwd, depth, found);
    }

    /// Looks at the commands that stand in at least so many subshells.
    fn walk(
        &self,
        steps: &[Step],
        least: usize,
        cwd: PathBuf,
        depth: usize,
        found: &mut Vec<Used<'s>>,
    ) {
        // What a subshell changes to is its own.
        let (mut cwd, mut outer) = (Rc::new(cwd), Vec::new());
        let mut variables = Variables::default();
        for step in steps {
            match step {
                Step::Open => outer.push(Rc::clone(&cwd)),
                Step::Close => cwd = outer.pop().unwrap_or(cwd),
                Step::Command(_) if outer.len() < least => {}
                Step::Command(command) => {
                    let piped = command.fed_by.and_then(|at| printed(&steps[at]));
                    self.texts(command, piped, &cwd, depth, found);
                    let mut folder = self.simple(command, &cwd, depth, found);
                    for words in variables.fill(&command.words) {
                        let filled = Simple { words, ..Simple::default() };
                        folder = self.simple(&filled, &cwd, depth, found).or(folder);
                    }
                    variables.note(&command.words);
                    cwd = folder.map_or(cwd, Rc::new);
                }
            }
        }
    }

    /// Looks at the texts that a command gets as input: what a shell runs of them, and what is substituted in them
    /// before anybody gets them.
    fn texts(
        &self,
        command: &Simple,
        piped: Option<&[Text]>,
        cwd: &Path,
        depth: usize,
        found: &mut Vec<Used<'s>>,
    ) {
        if depth >= MAX_DEPTH {
            return;
        }
        for text in command.texts.iter().filter(|text| !text.is_literal) {
            let steps = steps(&text.body.replace('"', ""), Some('"'));
            self.walk(&steps, 1, cwd.to_owned(), depth + 1, found);
        }
        let texts =
            if command.texts.is_empty() { piped.unwrap_or_default() } else { &command.texts };
        if !texts.is_empty() && reads_commands(&command.words) {
            for text in texts {
                self.line(&text.body, cwd.to_owned(), depth + 1, found);
            }
        }
    }

    /// Looks at one command; gives the folder that it changes to.
    fn simple(
        &self,
        command: &Simple,
        cwd: &Path,
        depth: usize,
        found: &mut Vec<Used<'s>>,
    ) -> Option<PathBuf> {
        found.extend(command.inputs.iter().flat_map(|path| self.reads(path, cwd)));
        let words = unwrapped(&command.words);
        let (program, arguments) = words.split_first()?;
        if matches!(program.as_str(), "cd" | "pushd") {
            let target = arguments.iter().find(|word| !word.starts_with('-') || word.len() == 1);
            return target.and_then(|target| self.path(target, cwd));
        }
        if program.contains('/')
            && let Some(script) = self.script(program, cwd)
        {
            found.push(script);
            return None;
        }
        let base = base_of(program);
        let base = base.as_str();
        let is = |list: &[&str]| {
            list.iter().any(|known| known.trim_end_matches(|c: char| c.is_ascii_digit()) == base)
        };
        let first = arguments.iter().find(|word| !word.starts_with('-')).map(String::as_str);
        let may_run = |(runner, words): &(&str, &[&str])| {
            *runner == base && first.is_some_and(|first| words.contains(&first))
        };
        if base == "find" {
            if depth < MAX_DEPTH {
                let files = found_by_find(arguments);
                for words in run_by_find(arguments) {
                    let words = words.iter().map(|word| if word == "{}" { &files } else { word });
                    let words = words.cloned().collect();
                    let command = Simple { words, ..Simple::default() };
                    self.simple(&command, cwd, depth + 1, found);
                }
            }
        } else if SHELLS.contains(&base)
            && let Some(inner) = after_c(base, arguments)
        {
            if depth < MAX_DEPTH {
                self.line(&inner, cwd.to_owned(), depth + 1, found);
            }
        } else if program == "." || is(&RUNNERS) || RUN_BY.iter().any(may_run) {
            let manages = FOLDERS.iter().any(|(runner, _)| *runner == base)
                && first.is_some_and(|first| MANAGING.contains(&first));
            let folder = folder_of(base, arguments).and_then(|folder| self.path(folder, cwd));
            let folder = folder.as_deref().unwrap_or(cwd);
            found.extend(self.run(arguments, folder, SHELLS.contains(&base)).filter(|_| !manages));
        } else if is(&READERS) && !edits_in_place(base, arguments) {
            let paths = arguments.iter().filter(|word| !word.starts_with('-'));
            found.extend(paths.flat_map(|path| self.reads(path, cwd)));
        }
        None
    }

    /// The first argument of a runner that is a script of a skill. `-c` and, but for shells, `-e` hold
    /// code, and what follows is its arguments.
    fn run(&self, arguments: &[String], cwd: &Path, is_shell: bool) -> Option<Used<'s>> {
        for word in arguments {
            let holds_code = matches!(word.as_str(), "-c" | "-m" | "--eval");
            if holds_code || (word == "-e" && !is_shell) {
                return None;
            }
            // What a flag holds (`--with x`) is no script of a skill, unless it is one.
            if let Some(script) = self.script(word, cwd).filter(|_| !word.starts_with('-')) {
                return Some(script);
            }
        }
        None
    }

    fn script(&self, word: &str, cwd: &Path) -> Option<Used<'s>> {
        let is_script = |(_, file): &(&'s Listed, String)| file.starts_with("scripts/");
        let (skill, file) = self.places(word, cwd).into_iter().find(is_script)?;
        Some(Used { skill, how: How::Script, file })
    }

    fn read(&self, word: &str, cwd: &Path) -> Option<Used<'s>> {
        self.place(word, cwd).map(Self::as_read)
    }

    /// Every file that a word of a shell means.
    fn reads(&self, word: &str, cwd: &Path) -> Vec<Used<'s>> {
        self.places(word, cwd).into_iter().map(Self::as_read).collect()
    }

    fn as_read((skill, file): (&'s Listed, String)) -> Used<'s> {
        let main = skill.path.file_name().is_some_and(|main| *main == *file);
        let how = if main { How::Instructions } else { How::File };
        Used { skill, how, file }
    }

    /// The files that a word means: itself, or those on disk that a pattern matches.
    fn places(&self, word: &str, cwd: &Path) -> Vec<(&'s Listed, String)> {
        let whole = self.place(word, cwd);
        if whole.is_some() || !self.only_existing || !word.contains(PATTERN) {
            return whole.into_iter().collect();
        }
        let Some(path) = self.path(word, cwd) else { return Vec::new() };
        let mut left = self.matched.get();
        let found = expanded(&path, &mut left);
        self.matched.set(left);
        found.iter().filter(|path| path.is_file()).filter_map(|path| self.inside(path)).collect()
    }

    /// The skill in whose folder a path is, and the rest of the path. The innermost one counts.
    fn place(&self, word: &str, cwd: &Path) -> Option<(&'s Listed, String)> {
        let path = self.path(word, cwd)?;
        let file = self.inside(&path)?;
        (!self.only_existing || path.exists()).then_some(file)
    }

    fn inside(&self, path: &Path) -> Option<(&'s Listed, String)> {
        if let Some(skill) = self.files.get(path) {
            return Some((skill, skill.path.file_name()?.to_string_lossy().into_owned()));
        }
        let mut above = path.ancestors().skip(1).take(MAX_FILE_DEPTH);
        let folder = above.find(|folder| self.folders.contains_key(*folder))?;
        let file = path.strip_prefix(folder).ok()?.to_string_lossy().into_owned();
        Some((self.folders[folder], file))
    }

    fn path(&self, word: &str, cwd: &Path) -> Option<PathBuf> {
        if word.len() + cwd.as_os_str().len() > MAX_PATH_BYTES {
            return None;
        }
        let starts = ["~/", "$HOME/", "${HOME}/"];
        Some(match starts.iter().find_map(|start| word.strip_prefix(start)) {
            Some(below) => normal(&self.home.join(below)),
            None if word == "~" => self.home.clone(),
            None => normal(&cwd.join(word)),
        })
    }
}

/// The words after assignments (`A=1`), words of the grammar and programs that only start another.
fn unwrapped(words: &[String]) -> &[String] {
    let keywords = words.iter().take_while(|word| KEYWORDS.contains(&word.as_str())).count();
    let mut rest = &words[keywords..];
    let mut wrapper = None;
    while let Some((word, more)) = rest.split_first() {
        let is_assignment = assigned(word).is_some();
        let is_wrapper = WRAPPERS.contains(&word.as_str());
        // `timeout -k 5 10s`, `nice -n 5`: flags and numbers belong to the wrapper.
        let is_option = wrapper.is_some()
            && (word.starts_with('-') || word.starts_with(|c: char| c.is_ascii_digit()));
        if !(is_assignment || is_wrapper || is_option) {
            break;
        }
        if is_wrapper {
            wrapper = Some(word.as_str());
        }
        rest = match more {
            [_, behind @ ..] if is_option && takes_a_word(wrapper, word) => behind,
            more => more,
        };
    }
    rest
}

/// The name and the value of an assignment.
fn assigned(word: &str) -> Option<(&str, &str)> {
    word.split_once('=').filter(|(name, _)| {
        !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    })
}

/// What variables of a command line hold: `D=…`, `export D=…`, `for f in …`.
struct Variables {
    values: HashMap<String, Vec<String>>,
    /// Bytes that may still be filled in, which keeps the work linear.
    room: usize,
}

impl Default for Variables {
    fn default() -> Self {
        Self { values: HashMap::new(), room: MAX_COMMAND_BYTES }
    }
}

impl Variables {
    /// Takes what a command assigns.
    fn note(&mut self, words: &[String]) {
        let keywords = words.iter().take_while(|word| KEYWORDS.contains(&word.as_str())).count();
        let words = &words[keywords..];
        if let [first, name, of, values @ ..] = words
            && first == "for"
            && of == "in"
        {
            let values = values.iter().take(MAX_VALUES).map(|value| self.filled(value, 0));
            let values = values.collect();
            self.values.insert(name.clone(), values);
            return;
        }
        let declares = |word: &&String| {
            matches!(word.as_str(), "declare" | "export" | "local" | "readonly" | "typeset")
                || word.starts_with('-')
        };
        let words = &words[words.iter().take_while(declares).count()..];
        if words.iter().all(|word| assigned(word).is_some()) {
            for (name, value) in words.iter().filter_map(|word| assigned(word)) {
                let value = self.filled(value, 0);
                self.values.insert(name.to_owned(), vec![value]);
            }
        }
    }

    /// The words of a command with what their variables hold, once for each value.
    fn fill(&mut self, words: &[String]) -> Vec<Vec<String>> {
        if self.values.is_empty() || !words.iter().any(|word| word.contains('$')) {
            return Vec::new();
        }
        let most = self.values.values().map(Vec::len).max().unwrap_or_default();
        let mut found: Vec<Vec<String>> = Vec::new();
        for at in 0..most {
            let filled: Vec<String> = words.iter().map(|word| self.filled(word, at)).collect();
            if filled != words && !found.contains(&filled) {
                found.push(filled);
            }
        }
        found
    }

    /// A word with the value at a place of each of its variables, `$name` or `${name}`.
    fn filled(&mut self, word: &str, at: usize) -> String {
        let (mut filled, mut rest) = (String::new(), word);
        while let Some(start) = rest.find('$').filter(|_| self.room > 0) {
            filled.push_str(&rest[..start]);
            rest = &rest[start + 1..];
            let (open, inner) = match rest.strip_prefix('{') {
                Some(inner) => (true, inner),
                None => (false, rest),
            };
            let is_name = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
            let length = inner.bytes().take_while(|b| is_name(b)).count();
            let values = self.values.get(&inner[..length]);
            let value = values.and_then(|values| values.get(at).or(values.last()));
            let closes = !open || inner[length..].starts_with('}');
            match value.filter(|value| closes && value.len() <= self.room) {
                Some(value) => {
                    self.room -= value.len();
                    filled.push_str(value);
                    rest = &inner[length + usize::from(open)..];
                }
                None => filled.push('$'),
            }
        }
        filled.push_str(rest);
        filled
    }
}

/// Whether an option of a program that only starts another, such as `-u`, takes the next word.
fn takes_a_word(wrapper: Option<&str>, option: &str) -> bool {
    let valued = VALUED.iter().find(|(program, _)| Some(*program) == wrapper);
    let letter = option.strip_prefix('-').filter(|letter| letter.len() == 1);
    valued.zip(letter).is_some_and(|((_, letters), letter)| letters.contains(letter))
}

/// The commands that the arguments of a `find` hold.
fn run_by_find(arguments: &[String]) -> impl Iterator<Item = &[String]> {
    let starts = arguments.iter().enumerate();
    let starts = starts.filter(|(_, word)| FIND_RUNS.contains(&word.as_str()));
    starts.map(|(at, _)| {
        let rest = &arguments[at + 1..];
        let ends = |word: &String| word == ";" || word == "+" || FIND_RUNS.contains(&word.as_str());
        &rest[..rest.iter().position(ends).unwrap_or(rest.len())]
    })
}

/// The files that a `find` comes to, as a pattern: those of a name below its first folder.
fn found_by_find(arguments: &[String]) -> String {
    let folder = arguments.first().filter(|word| !word.starts_with('-')).map_or(".", |word| word);
    let name = arguments.iter().position(|word| word == "-name");
    let name = name.and_then(|at| arguments.get(at + 1)).map_or("*", |name| name);
    format!("{}/{name}", folder.trim_end_matches('/'))
}

/// A program's name without its folder, `.exe` and version: `python3.12` is a python.
fn base_of(program: &str) -> String {
    let base = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
    let base = base.strip_suffix(".exe").unwrap_or(&base);
    base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.').to_owned()
}

/// The command line that a shell's `-c`, `-lc` or `-Command` holds.
fn after_c(shell: &str, arguments: &[String]) -> Option<String> {
    if matches!(shell, "powershell" | "pwsh") {
        let is_command = |word: &String| ["-c", "-command"].contains(&&*word.to_ascii_lowercase());
        let at = arguments.iter().position(is_command)?;
        return Some(arguments[at + 1..].join(" "));
    }
    let (holds_commands, first) = options_of(shell, arguments);
    first.filter(|_| holds_commands).cloned()
}

/// Whether the options of a shell say that its first word is a command line, and that word.
fn options_of<'a>(shell: &str, arguments: &'a [String]) -> (bool, Option<&'a String>) {
    let (mut holds_commands, mut is_value) = (false, false);
    for word in arguments {
        if std::mem::take(&mut is_value) {
            continue;
        }
        let Some(flags) = word.strip_prefix(['-', '+']).filter(|flags| !flags.is_empty()) else {
            return (holds_commands, Some(word));
        };
        if let Some(long) = flags.strip_prefix('-') {
            is_value = matches!(long, "init-file" | "rcfile" | "init-command");
        } else {
            // `-o pipefail`, and `-euo pipefail`, take the next word.
            is_value = flags.ends_with(['o', 'O']) || flags == "C" && shell == "fish";
            holds_commands |= flags.contains('c') && word.starts_with('-');
        }
    }
    (holds_commands, None)
}

/// Whether a command is a shell that runs what it gets as input.
fn reads_commands(words: &[String]) -> bool {
    let Some((program, arguments)) = unwrapped(words).split_first() else { return false };
    let base = base_of(program);
    let (holds_commands, first) = options_of(&base, arguments);
    let is_input =
        first.is_none_or(|first| first == "-") || arguments.iter().any(|word| word == "-s");
    SHELLS.contains(&base.as_str()) && !holds_commands && is_input
}

/// The texts that a command hands on as they are.
fn printed(step: &Step) -> Option<&[Text]> {
    let Step::Command(command) = step else { return None };
    let (program, arguments) = unwrapped(&command.words).split_first()?;
    let is_cat = program == "cat" && arguments.iter().all(|word| word == "-");
    is_cat.then_some(&command.texts)
}

/// The folder that an option of a runner names.
fn folder_of<'a>(runner: &str, arguments: &'a [String]) -> Option<&'a str> {
    let (_, options) = FOLDERS.iter().find(|(known, _)| *known == runner)?;
    let mut arguments = arguments.iter();
    while let Some(word) = arguments.next() {
        for option in *options {
            match word.strip_prefix(option) {
                Some("") => return arguments.next().map(String::as_str),
                Some(rest) if option.starts_with("--") && rest.starts_with('=') => {
                    return Some(&rest[1..]);
                }
                _ => {}
            }
        }
    }
    None
}

/// Signs of a pattern.
const PATTERN: [char; 3] = ['*', '?', '['];

/// The paths on disk that a pattern matches, in order. `left` is how many entries may be looked at.
fn expanded(pattern: &Path, left: &mut usize) -> Vec<PathBuf> {
    let mut found = vec![PathBuf::new()];
    for part in pattern.components() {
        let part = part.as_os_str().to_string_lossy();
        if !part.contains(PATTERN) {
            for path in &mut found {
                path.push(&*part);
            }
            continue;
        }
        let mut next = Vec::new();
        for folder in &found {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten().take(*left) {
                *left -= 1;
                let name = entry.file_name();
                let name = name.to_string_lossy();
                let is_seen = !name.starts_with('.') || part.starts_with('.');
                if is_seen && matches(&part, &name) {
                    next.push(entry.path());
                }
            }
        }
        next.sort_unstable();
        found = next;
    }
    found
}

/// Whether a name is as a pattern of `*`, `?` and `[…]` says. Goes back to the last `*` only, so that the time is
/// the product of the two lengths at most.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while here < name.len() {
        let step = match pattern.get(at) {
            Some('*') => {
                star = Some((at + 1, here));
                at += 1;
                continue;
            }
            Some('?') => Some(1),
            Some('[') => one_of(&pattern[at..], name[here]),
            Some(c) => (*c == name[here]).then_some(1),
            None => None,
        };
        match (step, star) {
            (Some(step), _) => (at, here) = (at + step, here + 1),
            (None, Some((behind, from))) => {
                star = Some((behind, from + 1));
                (at, here) = (behind, from + 1);
            }
            (None, None) => return false,
        }
    }
    pattern[at..].iter().all(|c| *c == '*')
}

/// How long a `[…]` is, when it has this character; a bracket that is never closed stands for itself.
fn one_of(pattern: &[char], c: char) -> Option<usize> {
    let is_negated = matches!(pattern.get(1), Some('!' | '^'));
    let start = 1 + usize::from(is_negated);
    // The first character may be a `]`.
    let Some(end) = pattern.iter().skip(start + 1).position(|c| *c == ']').map(|n| start + 1 + n)
    else {
        return (c == '[').then_some(1);
    };
    let set = &pattern[start..end];
    let is_in_range =
        set.windows(3).any(|three| three[1] == '-' && (three[0]..=three[2]).contains(&c));
    ((set.contains(&c) || is_in_range) != is_negated).then_some(end + 1)
}

fn edits_in_place(program: &str, arguments: &[String]) -> bool {
    program == "sed"
        && arguments.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place"))
}

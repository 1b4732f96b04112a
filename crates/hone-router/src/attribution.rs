//! Which skill a command line used: a script of it that ran, or a file of it that was read.
//!
//! The line is taken apart as a shell would, never run, in one pass. What it changes does not count,
//! nor a path that it only names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use hone_library::{Listed, normal};
use serde::Serialize;

/// Longest command line that is looked at, in bytes; the rest is not.
pub const MAX_COMMAND_BYTES: usize = 64 * 1024;
/// Longest path that is looked at, in bytes, and how deep in a skill a file may be: what keeps the work
/// linear.
const MAX_PATH_BYTES: usize = 4_096;
const MAX_FILE_DEPTH: usize = 32;
/// How deep `sh -c '…'` inside `sh -c '…'` is followed.
const MAX_DEPTH: usize = 3;

/// Programs that run the script they are given.
const RUNNERS: [&str; 33] = [
    ".", "bash", "bun", "bunx", "dash", "deno", "fish", "java", "ksh", "lua", "node", "nodejs",
    "npx", "perl", "php", "pipenv", "pipx", "pnpm", "poetry", "pwsh", "pypy3", "python", "python2",
    "python3", "rscript", "ruby", "sh", "source", "ts-node", "tsx", "uv", "uvx", "zsh",
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
const SHELLS: [&str; 7] = ["bash", "dash", "fish", "ksh", "pwsh", "sh", "zsh"];

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
}

impl<'s> Attribution<'s> {
    /// An index of some skills. `home` is what `~` means.
    pub fn new(skills: impl IntoIterator<Item = &'s Listed>, home: &Path) -> Self {
        let mut index = Self {
            folders: HashMap::new(),
            files: HashMap::new(),
            home: home.to_owned(),
            only_existing: false,
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
        // What a subshell changes to is its own.
        let (mut cwd, mut outer) = (Rc::new(cwd), Vec::new());
        for step in steps(line) {
            match step {
                Step::Open => outer.push(Rc::clone(&cwd)),
                Step::Close => cwd = outer.pop().unwrap_or(cwd),
                Step::Command(command) => {
                    if let Some(folder) = self.simple(&command, &cwd, depth, found) {
                        cwd = Rc::new(folder);
                    }
                }
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
        found.extend(command.inputs.iter().filter_map(|path| self.read(path, cwd)));
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
        let base = program.rsplit(['/', '\\']).next().unwrap_or(program).to_ascii_lowercase();
        let base = base.strip_suffix(".exe").unwrap_or(&base);
        // `python3.12` is a python.
        let base = base.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let is = |list: &[&str]| {
            list.iter().any(|known| known.trim_end_matches(|c: char| c.is_ascii_digit()) == base)
        };
        let is_npm_exec =
            base == "npm" && arguments.first().is_some_and(|word| word == "exec" || word == "x");
        if base == "find" {
            if depth < MAX_DEPTH {
                for words in run_by_find(arguments) {
                    let command = Simple { words: words.to_vec(), inputs: Vec::new() };
                    self.simple(&command, cwd, depth + 1, found);
                }
            }
        } else if SHELLS.contains(&base)
            && let Some(inner) = after_c(arguments)
        {
            if depth < MAX_DEPTH {
                self.line(inner, cwd.to_owned(), depth + 1, found);
            }
        } else if program == "." || is(&RUNNERS) || is_npm_exec {
            found.extend(self.run(arguments, cwd, SHELLS.contains(&base)));
        } else if is(&READERS) && !edits_in_place(base, arguments) {
            let paths = arguments.iter().filter(|word| !word.starts_with('-'));
            found.extend(paths.filter_map(|path| self.read(path, cwd)));
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
        let (skill, file) = self.place(word, cwd)?;
        file.starts_with("scripts/").then_some(Used { skill, how: How::Script, file })
    }

    fn read(&self, word: &str, cwd: &Path) -> Option<Used<'s>> {
        let (skill, file) = self.place(word, cwd)?;
        let main = skill.path.file_name().is_some_and(|main| *main == *file);
        let how = if main { How::Instructions } else { How::File };
        Some(Used { skill, how, file })
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
        let is_assignment = word.split_once('=').is_some_and(|(name, _)| {
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        });
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

/// The command line that a shell's `-c`, or `-lc`, holds.
fn after_c(arguments: &[String]) -> Option<&str> {
    let is_c = |word: &String| {
        let flags = word.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
        flags.is_some_and(|flags| {
            flags.ends_with('c') && flags.bytes().all(|b| b.is_ascii_lowercase())
        })
    };
    let at = arguments.iter().take_while(|word| word.starts_with('-')).position(is_c)?;
    arguments.get(at + 1).map(String::as_str)
}

fn edits_in_place(program: &str, arguments: &[String]) -> bool {
    program == "sed"
        && arguments.iter().any(|word| word.starts_with("-i") || word.starts_with("--in-place"))
}

/// A command with its words, and the files that it gets as input.
#[derive(Debug, Default, PartialEq, Eq)]
struct Simple {
    words: Vec<String>,
    inputs: Vec<String>,
}

/// A command, or where the folder of a subshell begins and ends.
#[derive(Debug)]
enum Step {
    Command(Simple),
    Open,
    Close,
}

/// What the next word is to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Word,
    Input,
    Output,
}

/// Takes a command line apart at everything that starts another command: operators, line ends,
/// parentheses and substitutions. Quotes are removed.
fn steps(line: &str) -> Vec<Step> {
    let mut steps = vec![Step::Command(Simple::default())];
    let mut word: Option<String> = None;
    let mut next = Next::Word;
    let mut quote: Option<char> = None;
    // The quotes around each subshell that is still open, and what opened it: a backtick, `$(` as `$`, or `(`.
    let mut around: Vec<(char, Option<char>)> = Vec::new();
    let mut chars = line.chars().peekable();
    fn end(word: &mut Option<String>, next: &mut Next, steps: &mut [Step]) {
        if let (Some(word), Some(Step::Command(command))) = (word.take(), steps.last_mut()) {
            match std::mem::replace(next, Next::Word) {
                Next::Word => command.words.push(word),
                Next::Input => command.inputs.push(word),
                Next::Output => {}
            }
        }
    }
    /// A mark and a new command behind it.
    fn mark(step: Step, steps: &mut Vec<Step>) {
        steps.extend([step, Step::Command(Simple::default())]);
    }
    while let Some(c) = chars.next() {
        match (quote, c) {
            (Some('\''), '\'') | (Some('"'), '"') => quote = None,
            (Some('\''), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (_, '\\') => match chars.next() {
                Some('\n') | None => {}
                Some(escaped) => word.get_or_insert_default().push(escaped),
            },
            // A substitution is a command of its own, inside double quotes too.
            (_, '`') => {
                end(&mut word, &mut next, &mut steps);
                let opened = around.pop_if(|(open, _)| *open == '`');
                if opened.is_none() {
                    around.push(('`', quote));
                }
                mark(if opened.is_none() { Step::Open } else { Step::Close }, &mut steps);
                quote = opened.and_then(|(_, outer)| outer);
            }
            (_, '$') if chars.next_if_eq(&'(').is_some() => {
                end(&mut word, &mut next, &mut steps);
                mark(Step::Open, &mut steps);
                around.push(('$', quote.take()));
            }
            (None, '(') => {
                end(&mut word, &mut next, &mut steps);
                next = Next::Word;
                mark(Step::Open, &mut steps);
                around.push(('(', None));
            }
            (None, ')') if around.last().is_some_and(|(open, _)| *open != '`') => {
                end(&mut word, &mut next, &mut steps);
                next = Next::Word;
                mark(Step::Close, &mut steps);
                quote = around.pop().and_then(|(_, outer)| outer);
            }
            (None, '#') if word.is_none() => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
            }
            (None, '&') if chars.peek() == Some(&'>') => end(&mut word, &mut next, &mut steps),
            (None, ';' | '|' | '&' | '\n' | ')') => {
                end(&mut word, &mut next, &mut steps);
                next = Next::Word;
                if !matches!(steps.last(), Some(Step::Command(last)) if *last == Simple::default())
                {
                    steps.push(Step::Command(Simple::default()));
                }
            }
            (None, '>') => {
                // `2>` is no word of the command.
                if word.as_ref().is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit())) {
                    word = None;
                }
                end(&mut word, &mut next, &mut steps);
                while chars.next_if(|c| matches!(c, '>' | '&' | '|')).is_some() {}
                next = Next::Output;
            }
            (None, '<') => {
                end(&mut word, &mut next, &mut steps);
                // `<<` brings text, not a file.
                let is_text = chars.peek() == Some(&'<');
                while chars.next_if_eq(&'<').is_some() {}
                next = if is_text { Next::Output } else { Next::Input };
            }
            (None, c) if c.is_whitespace() => end(&mut word, &mut next, &mut steps),
            (_, c) => word.get_or_insert_default().push(c),
        }
    }
    end(&mut word, &mut next, &mut steps);
    steps
}

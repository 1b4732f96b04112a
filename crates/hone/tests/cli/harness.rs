//! A temporary home, a project and a state folder, and the built `hone` run inside them with nothing
//! of the developer's own environment but `PATH`.

use std::ffi::OsString;
use std::fmt::{self, Display};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use tempfile::TempDir;

/// A place of its own for one test.
pub(crate) struct Sandbox {
    folder: PathBuf,
    _guard: TempDir,
}

impl Sandbox {
    /// `home`, `project` (the current folder) and `tmp`, all empty; `HONE_HOME` is `state`.
    pub(crate) fn new() -> Self {
        let guard = tempfile::Builder::new().prefix("hone-cli-").tempdir().unwrap();
        let folder = guard.path().canonicalize().unwrap();
        for name in ["home", "project", "tmp"] {
            fs::create_dir(folder.join(name)).unwrap();
        }
        Self { folder, _guard: guard }
    }

    /// With the skill `tidy` in the home.
    pub(crate) fn with_tidy() -> Self {
        let sandbox = Self::new();
        sandbox.write("home/.agents/skills/tidy/SKILL.md", TIDY);
        sandbox
    }

    /// A path below the sandbox.
    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.folder.join(below)
    }

    /// Writes a file below the sandbox, folders included.
    pub(crate) fn write(&self, below: &str, content: impl AsRef<[u8]>) {
        let path = self.path(below);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// The text of a file below the sandbox.
    pub(crate) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.path(below)).unwrap()
    }

    /// Writes a valid skill below `root`.
    pub(crate) fn skill(&self, root: &str, name: &str, description: &str) {
        let text = format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n");
        self.write(&format!("{root}/{name}/SKILL.md"), text);
    }

    /// Writes an executable shell script and gives its path.
    pub(crate) fn script(&self, below: &str, lines: &str) -> String {
        self.write(below, format!("#!/bin/sh\n{lines}\n"));
        let path = self.path(below);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// All files below a folder of the sandbox, sorted.
    pub(crate) fn files(&self, below: &str) -> Vec<String> {
        let start = self.path(below);
        let mut files = Vec::new();
        let mut folders = vec![start.clone()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.unwrap().path();
                if path.is_dir() && !path.is_symlink() {
                    folders.push(path);
                } else {
                    files.push(path.strip_prefix(&start).unwrap().to_str().unwrap().to_owned());
                }
            }
        }
        files.sort();
        files
    }

    /// A command line as in a shell: words, and `'quoted words'`.
    pub(crate) fn hone(&self, line: &str) -> Hone<'_> {
        Hone {
            sandbox: self,
            args: words(line).into_iter().map(OsString::from).collect(),
            folder: self.path("project"),
            variables: Vec::new(),
            input: None,
            own_group: false,
        }
    }

    /// Runs a command line that has to succeed.
    pub(crate) fn done(&self, line: &str) {
        let run = self.hone(line).run();
        assert_eq!(run.code, 0, "hone {line}\n{run}");
    }

    /// Replaces what differs between runs and machines.
    pub(crate) fn filtered(&self, text: &str) -> String {
        let folder = self.folder.to_str().unwrap();
        let version = env!("CARGO_PKG_VERSION");
        let text = text
            .replace(&format!("{folder}/home"), "[HOME]")
            .replace(&format!("{folder}/project"), "[PROJECT]")
            .replace(&format!("{folder}/state"), "[STATE]")
            .replace(folder, "[TEMP]")
            .replace(&format!("hone {version}"), "hone [VERSION]");
        without_times(&without_sandbox(&text))
    }
}

/// A skill that is fine in every way.
pub(crate) const TIDY: &str = "\
---
name: tidy
description: Tidies a changelog. Use when a release is near.
metadata:
  version: \"1\"
---
# Steps

1. Sort the entries.
2. Remove the empty ones.
";

/// A call of `hone` that has yet to be made.
pub(crate) struct Hone<'s> {
    sandbox: &'s Sandbox,
    args: Vec<OsString>,
    folder: PathBuf,
    variables: Vec<(String, OsString)>,
    input: Option<Vec<u8>>,
    own_group: bool,
}

impl Hone<'_> {
    pub(crate) fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl Into<OsString>) -> Self {
        self.variables.push((name.to_owned(), value.into()));
        self
    }

    /// Runs in another folder of the sandbox.
    pub(crate) fn cwd(mut self, below: &str) -> Self {
        self.folder = self.sandbox.path(below);
        self
    }

    pub(crate) fn stdin(mut self, input: impl AsRef<[u8]>) -> Self {
        self.input = Some(input.as_ref().to_vec());
        self
    }

    /// Runs in a process group of its own, as a shell would start it.
    pub(crate) fn own_group(mut self) -> Self {
        self.own_group = true;
        self
    }

    fn prepared(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("HOME", self.sandbox.path("home"))
            .env("HONE_HOME", self.sandbox.path("state"))
            .env("TMPDIR", self.sandbox.path("tmp"))
            .env("USER", "tester")
            .env("LC_ALL", "C.UTF-8")
            .current_dir(&self.folder);
        for (name, value) in &self.variables {
            command.env(name, value);
        }
        command
    }

    /// The command, for those who want to start it themselves.
    pub(crate) fn command(&self) -> Command {
        let mut command = self.prepared(HONE);
        command.args(&self.args);
        command
    }

    pub(crate) fn run(self) -> Run {
        let mut command = self.command();
        if self.own_group {
            command.process_group(0);
        }
        self.finish(command)
    }

    /// The command behind the words of another program, such as `strace -f`.
    pub(crate) fn command_under(&self, wrapper: &[&str]) -> Command {
        let mut command = self.prepared(wrapper[0]);
        command.args(&wrapper[1..]).arg(HONE).args(&self.args);
        command
    }

    /// Runs behind the words of another program.
    pub(crate) fn run_under(self, wrapper: &[&str]) -> Run {
        let command = self.command_under(wrapper);
        self.finish(command)
    }

    /// Runs on a pseudo terminal of that size. What is written to either output comes as `stdout`,
    /// every line end as `\n`.
    pub(crate) fn on_terminal(self, columns: u16, rows: u16) -> Run {
        let command = self.terminal(&format!("stty cols {columns} rows {rows} -echo"));
        let mut run = self.finish(command);
        run.stdout = String::from_utf8_lossy(&run.stdout).replace("\r\n", "\n").into_bytes();
        run
    }

    /// Runs on a pseudo terminal that shows what is typed; types `answer` once `prompt` is there. Gives
    /// the exit code and the whole screen, filtered.
    pub(crate) fn asked_on_terminal(self, prompt: &str, answer: &str) -> (i32, String) {
        self.typed_on_terminal((200, 24), &[(prompt, answer)])
    }

    /// Likewise with several answers, each typed once its prompt is there after the answer before, on a
    /// terminal of so many columns and rows. The input ends behind the last.
    pub(crate) fn typed_on_terminal(
        self,
        (columns, rows): (u16, u16),
        typed: &[(&str, &str)],
    ) -> (i32, String) {
        let mut command = self.terminal(&format!("stty cols {columns} rows {rows} echo"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let mut output = child.stdout.take().unwrap();
        let mut input = child.stdin.take();
        let mut typed = typed.iter().peekable();
        let (mut screen, mut seen, mut bytes) = (Vec::new(), 0, [0; 4_096]);
        while let Ok(count @ 1..) = output.read(&mut bytes) {
            screen.extend_from_slice(&bytes[..count]);
            if let Some((prompt, answer)) = typed.peek()
                && String::from_utf8_lossy(&screen[seen..]).contains(prompt)
                && let Some(pipe) = &mut input
            {
                seen = screen.len();
                pipe.write_all(answer.as_bytes()).unwrap();
                typed.next();
            }
            if typed.peek().is_none() {
                input = None;
            }
        }
        let code = child.wait().unwrap().code().unwrap_or(-1);
        let screen = String::from_utf8_lossy(&screen).replace("\r\n", "\n");
        (code, self.sandbox.filtered(&screen))
    }

    /// The command on a pseudo terminal, after another that sets it up.
    fn terminal(&self, setup: &str) -> Command {
        let quoted =
            |word: &OsString| format!("'{}'", word.to_str().unwrap().replace('\'', r"'\''"));
        let line: Vec<String> = std::iter::once(OsString::from(HONE))
            .chain(self.args.iter().cloned())
            .map(|word| quoted(&word))
            .collect();
        // Whoever starts the tests in the background leaves them deaf to Ctrl-C.
        // And nobody finds the terminal other than it was.
        let line = format!(
            "trap : INT; {setup}; before=$(stty -g); env --default-signal=INT {}; code=$?; \
             [ \"$before\" = \"$(stty -g)\" ] || echo 'the terminal was left changed'; exit $code",
            line.join(" ")
        );
        let mut command = self.prepared("script");
        command.args(["-qec", &line, "/dev/null"]).env("SHELL", "/bin/sh");
        // On a terminal the last resort is `vi`, which would wait for somebody to type.
        for (name, value) in [("TERM", "xterm-256color"), ("EDITOR", "true")] {
            if !self.variables.iter().any(|(given, _)| given == name) {
                command.env(name, value);
            }
        }
        command
    }

    fn finish(&self, mut command: Command) -> Run {
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let feeding = self.input.clone().map(|input| {
            let mut pipe = child.stdin.take().unwrap();
            // A command that does not read its input is no problem of ours.
            thread::spawn(move || drop(pipe.write_all(&input)))
        });
        let output = child.wait_with_output().unwrap();
        if let Some(thread) = feeding {
            thread.join().unwrap();
        }
        Run {
            code: output.status.code().unwrap_or(-1),
            shown: [&output.stdout, &output.stderr]
                .map(|text| self.sandbox.filtered(&String::from_utf8_lossy(text))),
            stdout: output.stdout,
            stderr: output.stderr,
        }
    }
}

const HONE: &str = env!("CARGO_BIN_EXE_hone");

/// What came of a call. Displayed as exit code and outputs, filtered.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    shown: [String; 2],
}

impl Run {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.stdout.clone()).unwrap()
    }

    pub(crate) fn errors(&self) -> String {
        String::from_utf8(self.stderr.clone()).unwrap()
    }

    #[track_caller]
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.stdout).unwrap_or_else(|error| panic!("{error} in\n{self}"))
    }
}

impl Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [stdout, stderr] = &self.shown;
        writeln!(f, "exit: {}", self.code)?;
        for (name, text) in [("stdout", stdout), ("stderr", stderr)] {
            if !text.is_empty() {
                writeln!(f, "--- {name}\n{}", text.trim_end_matches('\n'))?;
            }
        }
        Ok(())
    }
}

/// Several transcripts in one.
pub(crate) fn transcript(sandbox: &Sandbox, lines: &[&str]) -> String {
    let shown = |line: &&str| {
        format!("{}\n{}", format!("$ hone {line}").trim_end(), sandbox.hone(line).run())
    };
    lines.iter().map(shown).collect::<Vec<_>>().join("\n")
}

/// The entries of a folder that a skill of that name would be in.
pub(crate) fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut is_quoted = false;
    for character in line.chars() {
        match character {
            '\'' => {
                is_quoted = !is_quoted;
                word.get_or_insert_default();
            }
            ' ' if !is_quoted => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

/// `2026-01-02T03:04:05.678Z`, with or without fractions, with `T` or a blank, becomes `[TIME]`.
/// What `hone doctor` says about the sandbox is about the machine.
fn without_sandbox(text: &str) -> String {
    let mut is_inside = false;
    let mut kept = String::new();
    for line in text.split_inclusive('\n') {
        let starts = line.starts_with("ok   sandbox: ") || line.starts_with("warn sandbox: ");
        is_inside = starts || is_inside && line.starts_with("     ");
        if starts {
            kept.push_str("[SANDBOX]\n");
        } else if !is_inside {
            kept.push_str(line);
        }
    }
    kept
}

fn without_times(text: &str) -> String {
    let mut filtered = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        if let Some(length) = time_length(rest.as_bytes()) {
            filtered.push_str("[TIME]");
            rest = &rest[length..];
        } else {
            let first = rest.chars().next().unwrap();
            filtered.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    filtered
}

fn time_length(text: &[u8]) -> Option<usize> {
    const PATTERN: &[u8] = b"0000-00-00T00:00:00";
    let fits = |(byte, pattern): (&u8, &u8)| match pattern {
        b'0' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b' '),
        other => byte == other,
    };
    if text.len() < PATTERN.len() || !text.iter().zip(PATTERN).all(fits) {
        return None;
    }
    let fraction = text[PATTERN.len()..]
        .iter()
        .take_while(|byte| byte.is_ascii_digit() || **byte == b'.')
        .count();
    let end = PATTERN.len() + fraction;
    Some(if text.get(end) == Some(&b'Z') { end + 1 } else { end })
}

/// A test that needs another program fails by name when it is missing, with the way to get it.
pub(crate) fn need(program: &str) {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(program).is_file());
    assert!(found, "this test needs `{program}`: `cargo xtask test` installs it");
}

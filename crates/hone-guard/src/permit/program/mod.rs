//! Options that make a program run another one, or write a file of the caller's choosing.
//!
//! A declaration such as `Bash(tar:*)` permits `tar`, not whatever `tar --to-command` runs; such an
//! option must be named in the declaration. The table errs on the side of asking: an argument that
//! looks like the option counts, wherever it stands.

mod npm;
mod operands;
mod table;
mod written;

use super::argument::Argument;
use super::{git, language, stdin};
use crate::shell::Span;
use operands::{dd, find, second_operand};
use table::{LAUNCHERS, PROGRAMS};

/// Something a program does because of an argument.
#[derive(Debug)]
pub(super) struct Deed {
    /// The argument.
    pub(super) span: Span,
    /// The option, as a declaration would name it.
    pub(super) option: String,
    pub(super) effect: Effect,
}

#[derive(Debug)]
pub(super) enum Effect {
    /// Runs something that is not looked into; in words, after the program's name.
    Runs(&'static str),
    /// Writes this file.
    Writes(Argument),
    /// Runs this command.
    Command(Vec<Argument>),
}

impl Deed {
    pub(super) fn runs(argument: &Argument, option: &str, what: &'static str) -> Self {
        let effect = Effect::Runs(what);
        Self { span: argument.span.clone(), option: option.to_owned(), effect }
    }

    pub(super) fn writes(argument: &Argument, option: &str, file: Argument) -> Self {
        let effect = Effect::Writes(file);
        Self { span: argument.span.clone(), option: option.to_owned(), effect }
    }
}

/// What stands after the name of a program that runs another one.
pub(super) const RUNS_ANOTHER: &str = "runs another program because of this";

/// The same for a word that begins like one that runs something.
pub(super) const MAY_BECOME: &str =
    "may run another program because of this, which is only known when it runs";

/// A program and its options.
pub(super) struct Program {
    pub(super) names: &'static [&'static str],
    /// Letters of options that run something.
    pub(super) runs: &'static str,
    /// Letters of options that write their value.
    pub(super) writes: &'static str,
    /// Letters of options that write a file whose name another argument gives.
    pub(super) writes_named: &'static str,
    /// Letters of other options with a value, which may hold any letters.
    pub(super) valued: &'static str,
    /// Long options that run something; a shortened one counts.
    pub(super) long_runs: &'static [&'static str],
    /// Long options that write their value.
    pub(super) long_writes: &'static [&'static str],
    /// Arguments that run something, as they are.
    pub(super) words: &'static [&'static str],
    /// What an argument that runs something begins with.
    pub(super) prefixes: &'static [&'static str],
    /// Long options that only look like a shortened one.
    pub(super) harmless: &'static [&'static str],
    /// Whether options end at `--`.
    pub(super) ends_options: bool,
}

pub(super) const PLAIN: Program = Program {
    names: &[],
    runs: "",
    writes: "",
    writes_named: "",
    valued: "",
    long_runs: &[],
    long_writes: &[],
    words: &[],
    prefixes: &[],
    harmless: &[],
    ends_options: true,
};

/// Whether a program's arguments are a command.
pub(super) fn is_launcher(program: &str) -> bool {
    LAUNCHERS.contains(&program) || program.starts_with("ld-linux") || program.starts_with("ld.so")
}

/// The words up to the command that is launched, each of which an entry has to hold.
fn launched(program: &str, rest: &[Argument]) -> Vec<Deed> {
    // Those that take their command in an option, or several of them: all words.
    let is_all = matches!(
        program,
        "alias"
            | "at"
            | "batch"
            | "bind"
            | "crontab"
            | "expect"
            | "fc"
            | "gdb"
            | "let"
            | "script"
            | "socat"
            | "su"
            | "runuser"
            | "tmux"
            | "screen"
            | "parallel"
    );
    let mut operands =
        usize::from(matches!(program, "flock" | "chroot" | "setarch" | "taskset")) + 1;
    let mut deeds = Vec::new();
    for argument in rest {
        deeds.push(Deed::runs(argument, argument.text(), RUNS_ANOTHER));
        let is_value = |text: &str| text.starts_with(|c: char| c == '-' || c.is_ascii_digit());
        if !is_value(argument.text()) {
            operands -= 1;
        }
        if operands == 0 && !is_all {
            break;
        }
        operands = operands.max(1);
    }
    deeds
}

/// What `program` does because of `arguments`, the first of which is its name.
pub(super) fn deeds(program: &str, arguments: &[Argument]) -> Vec<Deed> {
    let rest = &arguments[1..];
    if is_launcher(program) {
        return launched(program, rest);
    }
    match program {
        "git" => return git::deeds(arguments),
        "find" | "gfind" => return find(rest),
        "awk" | "gawk" | "mawk" | "nawk" => return language::awk(rest),
        "sed" | "gsed" => return language::sed(rest),
        "dd" => return dd(rest),
        "sqlite3" => return stdin::sqlite(arguments),
        "uniq" | "guniq" => return second_operand(rest, "fsw"),
        "xxd" => return second_operand(rest, "cglnoRs"),
        "psql" | "mysql" | "mariadb" => {
            let mut deeds = options(program, rest);
            deeds.extend(stdin::client(arguments));
            return deeds;
        }
        "tar" | "gtar" | "bsdtar" => {
            let mut deeds = options(program, rest);
            deeds.extend(written::tar(rest));
            return deeds;
        }
        "curl" => {
            let mut deeds = options(program, rest);
            deeds.extend(written::curl(rest));
            return deeds;
        }
        "npm" | "pnpm" | "yarn" => {
            let mut deeds = options(program, rest);
            deeds.extend(npm::deeds(program, rest));
            return deeds;
        }
        "set" => return language::set(rest),
        "shopt" => return language::shopt(rest),
        "source" | "." => {
            return rest.first().and_then(stdin::not_a_file).into_iter().collect();
        }
        "make" | "gmake" => {
            // What begins like a name may go on with `=`; a variable with `/` in its name is none.
            let sets = |argument: &&Argument| {
                let may_set = argument.value.is_none() && !argument.prefix.contains('/');
                !argument.prefix.starts_with('-') && (may_set || argument.prefix.contains('='))
            };
            let mut deeds = options("make", rest);
            deeds.extend(
                rest.iter()
                    .filter(sets)
                    .filter(|set| !set.may_be_option())
                    .map(|set| Deed::runs(set, set.text(), "changes what the makefile runs")),
            );
            let ended = rest.iter().skip_while(|argument| argument.text() != "--");
            deeds.extend(
                ended
                    .filter(|argument| argument.may_be_option())
                    .map(|set| Deed::runs(set, "", "changes what the makefile runs")),
            );
            return deeds;
        }
        "export" | "declare" | "typeset" | "local" | "readonly" | "read" | "printf" | "unset"
        | "test" | "[" | "getopts" | "mapfile" | "readarray" | "wait" => {
            let mut deeds = language::builtin(program, rest);
            deeds.extend(options(program, rest));
            return deeds;
        }
        _ => {}
    }
    options(program, rest)
}

fn options(program: &str, rest: &[Argument]) -> Vec<Deed> {
    match PROGRAMS.iter().find(|known| known.names.contains(&program)) {
        None => Vec::new(),
        Some(known) => {
            let mut deeds = known.found(rest);
            // `tar xIf`: the first word may be options without a dash.
            if program.ends_with("tar")
                && let Some(first) = rest.first().filter(|first| !first.may_be_option())
                && first.prefix.chars().all(|c| c.is_ascii_alphanumeric())
            {
                if first.value.is_none() {
                    deeds.push(Deed::runs(first, "", MAY_BECOME));
                } else if first.text().contains(|c| known.runs.contains(c)) {
                    deeds.push(Deed::runs(first, first.text(), RUNS_ANOTHER));
                }
            }
            deeds
        }
    }
}

impl Program {
    /// What these arguments make it do.
    pub(super) fn found(&self, arguments: &[Argument]) -> Vec<Deed> {
        let mut deeds = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let Some(text) = argument.value.as_deref() else {
                if argument.may_be_option() {
                    let what = "may get an option from this, which is only known when it runs";
                    deeds.push(Deed::runs(argument, "", what));
                } else if self.words.iter().any(|word| argument.may_be(word))
                    || self.prefixes.iter().any(|prefix| argument.may_begin(prefix))
                {
                    deeds.push(Deed::runs(argument, "", MAY_BECOME));
                }
                continue;
            };
            if text == "--" && self.ends_options {
                break;
            }
            let next = || arguments.get(at + 1).cloned();
            if self.words.contains(&text) || self.prefixes.iter().any(|p| text.starts_with(p)) {
                deeds.push(Deed::runs(argument, text, RUNS_ANOTHER));
            } else if text.starts_with("--") {
                deeds.extend(self.long(argument, text, next()));
            } else if text.len() > 1 && text.starts_with('-') {
                deeds.extend(self.short(argument, text, next()));
            }
        }
        deeds
    }

    fn long(&self, argument: &Argument, text: &str, next: Option<Argument>) -> Option<Deed> {
        let (name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
        if name.len() < 3 || self.harmless.contains(&name) {
            return None;
        }
        let is_short_for = |long: &&&str| long.starts_with(name);
        if let Some(option) = self.long_runs.iter().find(is_short_for) {
            return Some(Deed::runs(argument, option, RUNS_ANOTHER));
        }
        let option = self.long_writes.iter().find(is_short_for)?;
        let file = match value {
            Some(value) => Argument::known(argument.span.clone(), value),
            None if option.starts_with("--remote-") => {
                Argument::unknown(argument.span.clone(), "./", false)
            }
            None => next?,
        };
        Some(Deed::writes(argument, option, file))
    }

    fn short(&self, argument: &Argument, text: &str, next: Option<Argument>) -> Option<Deed> {
        for (at, letter) in text.char_indices().skip(1) {
            let option = format!("-{letter}");
            if self.runs.contains(letter) {
                return Some(Deed::runs(argument, &option, RUNS_ANOTHER));
            }
            if self.writes_named.contains(letter) {
                let file = Argument::unknown(argument.span.clone(), "./", false);
                return Some(Deed::writes(argument, &option, file));
            }
            if self.writes.contains(letter) {
                let value = &text[at + letter.len_utf8()..];
                let file = if value.is_empty() {
                    next?
                } else {
                    Argument::known(argument.span.clone(), value)
                };
                return Some(Deed::writes(argument, &option, file));
            }
            if self.valued.contains(letter) {
                return None;
            }
        }
        None
    }
}

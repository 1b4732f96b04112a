//! Small languages inside arguments: `awk`, `sed`, and the names that shell builtins evaluate.

use super::argument::Argument;
use super::awk;
use super::program::{Deed, RUNS_ANOTHER};
use super::variable::{may_prefix, may_set};

const NOT_KNOWN: &str = "gets a program that is only known when it runs";

/// What an `awk` command would do besides printing.
pub(super) fn awk(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        // With a program from an option, operands are files.
        let has_program = !deeds.is_empty();
        let Some(text) = argument.value.as_deref() else {
            if has_program && !argument.may_be_option() {
                continue;
            }
            deeds.push(Deed::runs(argument, "", NOT_KNOWN));
            return deeds;
        };
        match text {
            "--" if has_program => return deeds,
            "--" => {}
            "-F" | "-v" => {
                // The value must not turn into the program.
                let value = arguments.get(at);
                if value.is_some_and(|value| value.splits) {
                    deeds.extend(value.map(|value| Deed::runs(value, "", NOT_KNOWN)));
                    return deeds;
                }
                at += 1;
                continue;
            }
            "--version" | "--help" => return deeds,
            "--posix" | "--re-interval" | "--traditional" | "--lint" | "-P" | "-c" | "-r" => {
                continue;
            }
            _ if text.starts_with("-F") || text.starts_with("-v") => continue,
            _ if text.starts_with("--field-separator=") || text.starts_with("--assign=") => {
                continue;
            }
            _ if text.starts_with('-') && text.len() > 1 => {
                deeds.push(Deed::runs(argument, text, "runs or loads a program from this option"));
                let takes_next = matches!(text, "-f" | "-e" | "-E" | "-i" | "-l")
                    || text.starts_with("--") && !text.contains('=');
                let next = arguments.get(at).filter(|_| takes_next);
                // What begins with a dash may be an option, if this one takes no value.
                at += usize::from(next.is_some_and(|next| !next.prefix.starts_with('-')));
                continue;
            }
            _ if has_program => continue,
            _ => {}
        }
        let program = if text == "--" { arguments.get(at) } else { Some(argument) };
        let Some(program) = program else { return deeds };
        match program.value.as_deref() {
            None => deeds.push(Deed::runs(program, "", NOT_KNOWN)),
            Some(text) => {
                deeds.extend(awk::effect(text).map(|what| Deed::runs(program, "", what)));
            }
        }
        return deeds;
    }
    deeds
}

/// What a `sed` command would do besides printing.
pub(super) fn sed(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let mut has_script = false;
    let mut in_place: Option<&Argument> = None;
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let Some(text) = argument.value.as_deref() else {
            if !has_script || argument.may_be_option() {
                deeds.push(Deed::runs(argument, "", NOT_KNOWN));
                return deeds;
            }
            if let Some(option) = in_place {
                deeds.push(Deed::writes(option, option.text(), argument.clone()));
            }
            continue;
        };
        let script: Option<(&Argument, &str)> = match text {
            "-e" | "--expression" => {
                at += 1;
                let Some(script) = arguments.get(at - 1) else { return deeds };
                let Some(text) = script.value.as_deref() else {
                    deeds.push(Deed::runs(script, "", NOT_KNOWN));
                    return deeds;
                };
                Some((script, text))
            }
            _ if text.starts_with("--expression=") => {
                Some((argument, &text["--expression=".len()..]))
            }
            "--quiet" | "--silent" | "--regexp-extended" | "--null-data" | "--separate"
            | "--posix" | "--unbuffered" | "--sandbox" | "--version" | "--help" | "--debug" => {
                continue;
            }
            _ if text.starts_with("--in-place") || text.starts_with("-i") => {
                in_place = Some(argument);
                continue;
            }
            _ if text.len() > 1 && text.starts_with('-') => {
                if text.starts_with("--") {
                    deeds.push(Deed::runs(argument, text, RUNS_ANOTHER));
                    has_script = true;
                    continue;
                }
                let mut script = None;
                for (offset, letter) in text.char_indices().skip(1) {
                    match letter {
                        'n' | 'E' | 'r' | 's' | 'u' | 'z' => {}
                        'i' => {
                            in_place = Some(argument);
                            break;
                        }
                        'e' => {
                            let rest = &text[offset + 1..];
                            script = Some(if rest.is_empty() {
                                at += 1;
                                arguments.get(at - 1).map(|a| (a, a.text()))
                            } else {
                                Some((argument, rest))
                            });
                            break;
                        }
                        _ => {
                            let option = format!("-{letter}");
                            let what = "runs a script from this option";
                            deeds.push(Deed::runs(argument, &option, what));
                            has_script = true;
                            break;
                        }
                    }
                }
                match script {
                    None => continue,
                    Some(None) => return deeds,
                    Some(Some((argument, _))) if argument.value.is_none() => {
                        deeds.push(Deed::runs(argument, "", NOT_KNOWN));
                        return deeds;
                    }
                    Some(script) => script,
                }
            }
            _ if !has_script => Some((argument, text)),
            _ => {
                if let Some(option) = in_place {
                    deeds.push(Deed::writes(option, option.text(), argument.clone()));
                }
                None
            }
        };
        if let Some((argument, script)) = script {
            has_script = true;
            if !is_plain_sed(script) {
                let what = "may run a program or write a file with this script";
                deeds.push(Deed::runs(argument, "", what));
            }
        }
    }
    deeds
}

/// Whether a `sed` script only selects, changes and prints text. What it does not know is a no.
fn is_plain_sed(script: &str) -> bool {
    let bytes = script.as_bytes();
    let mut at = 0;
    loop {
        while bytes.get(at).is_some_and(|b| b" \t\n;{}!".contains(b)) {
            at += 1;
        }
        // Addresses: numbers, `$`, `/…/`, `\c…c`, and what joins them.
        loop {
            match bytes.get(at) {
                Some(b'0'..=b'9' | b'$' | b',' | b'~' | b'+' | b' ' | b'!') => at += 1,
                Some(b'/') => match delimited(bytes, at + 1, b'/') {
                    Some(end) => {
                        at = end;
                        while bytes.get(at).is_some_and(|b| b"IM".contains(b)) {
                            at += 1;
                        }
                    }
                    None => return false,
                },
                _ => break,
            }
        }
        let Some(command) = bytes.get(at) else { return true };
        at += 1;
        match command {
            b'{' | b'}' | b';' | b'\n' => {}
            b'p' | b'd' | b'D' | b'P' | b'n' | b'N' | b'g' | b'G' | b'h' | b'H' | b'x' | b'='
            | b'l' | b'q' | b'Q' | b'z' | b'F' => {
                while bytes.get(at).is_some_and(u8::is_ascii_digit) {
                    at += 1;
                }
            }
            b's' | b'y' => {
                let Some(&delimiter) = bytes.get(at).filter(|b| b.is_ascii_punctuation()) else {
                    return false;
                };
                let Some(middle) = delimited(bytes, at + 1, delimiter) else { return false };
                let Some(end) = delimited(bytes, middle, delimiter) else { return false };
                at = end;
                // `e` runs the result, `w` writes it.
                while bytes.get(at).is_some_and(|b| b"gpiImM0123456789".contains(b)) {
                    at += 1;
                }
            }
            _ => return false,
        }
        while bytes.get(at).is_some_and(|b| b" \t".contains(b)) {
            at += 1;
        }
        if !matches!(bytes.get(at), None | Some(b';' | b'\n' | b'}' | b'{')) {
            return false;
        }
    }
}

/// The place after the next unescaped `delimiter`.
fn delimited(bytes: &[u8], from: usize, delimiter: u8) -> Option<usize> {
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 2,
            // In brackets the delimiter may mean itself: shells of sed disagree.
            b'[' if delimiter != b'[' && closes_early(bytes, at, delimiter) => return None,
            byte if *byte == delimiter => return Some(at + 1),
            _ => at += 1,
        }
    }
    None
}

/// Longest bracket expression that is followed, in bytes.
const MAX_BRACKET: usize = 256;

/// Whether a bracket expression holds the delimiter, or does not end soon.
fn closes_early(bytes: &[u8], from: usize, delimiter: u8) -> bool {
    let rest = &bytes[from + 1..];
    // A `]` right after `[` or `[^` means itself.
    let skipped = 1 + usize::from(rest.first() == Some(&b'^'));
    let end = rest.iter().take(MAX_BRACKET).skip(skipped).position(|byte| *byte == b']');
    end.is_none_or(|end| rest[..skipped + end].contains(&delimiter))
}

/// Builtins with an option whose value names a variable, and the letters of those with another value.
const BY_OPTION: [(&str, char, &str); 3] =
    [("printf", 'v', ""), ("wait", 'p', ""), ("read", 'a', "dinNptu")];

/// Letters of `declare` that neither make a name stand for another (`n`) nor evaluate values (`i`).
const DECLARE_FLAGS: &str = "aAfFglruxpt";

const SETS: &str = "sets a variable that may change what runs";
const EVALUATES: &str = "evaluates this name when it runs";

/// The leading options of a builtin: what they set, and how many words they are.
fn by_option(name: &str, arguments: &[Argument]) -> (Vec<Deed>, usize) {
    let known = BY_OPTION.iter().find(|(known, ..)| *known == name);
    let Some((_, sets, valued)) = known else { return (Vec::new(), 0) };
    let (mut deeds, mut at) = (Vec::new(), 0);
    let mut check = |argument: &Argument, variable: Option<&str>| match variable {
        Some(variable) if may_set(variable, None) => {}
        Some(variable) if !variable.contains('[') => {
            deeds.push(Deed::runs(argument, variable, SETS));
        }
        _ => deeds.push(Deed::runs(argument, "", EVALUATES)),
    };
    while let Some(argument) = arguments.get(at) {
        let Some(text) = argument.value.as_deref() else {
            if argument.may_be_option() {
                check(argument, None);
            }
            break;
        };
        if text.len() < 2 || !text.starts_with('-') {
            break;
        }
        at += 1;
        if text == "--" {
            break;
        }
        let takes = |(_, letter): &(usize, char)| letter == sets || valued.contains(*letter);
        let Some((offset, letter)) = text.char_indices().skip(1).find(takes) else { continue };
        let value = &text[offset + letter.len_utf8()..];
        let is_variable = letter == *sets;
        if !value.is_empty() {
            if is_variable {
                check(argument, Some(value));
            }
            continue;
        }
        if let Some(next) = arguments.get(at).filter(|_| is_variable) {
            check(next, next.value.as_deref());
        } else if let Some(next) = arguments.get(at).filter(|next| next.splits) {
            check(next, None);
        }
        at += 1;
    }
    (deeds, at.min(arguments.len()))
}

/// `test -v NAME` evaluates the index of the name.
fn tests(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        if argument.value.is_none() && argument.splits && !argument.is_number {
            let what = "may get `-v` from this, which evaluates a name; quote it";
            deeds.push(Deed::runs(argument, "", what));
            continue;
        }
        let is_named = |name: &&Argument| name.value.is_none() || name.text().contains('[');
        let name = arguments.get(at + 1).filter(is_named);
        if let Some(name) = name.filter(|_| argument.may_be("-v") && !argument.is_number) {
            deeds.push(Deed::runs(name, "", EVALUATES));
        }
    }
    deeds
}

/// Options of `set` and of a shell that leave alone how a line is read and what it runs: not `-k`, which makes
/// assignments of arguments, not `-a`, which hands variables on, and not those of the history.
const SET_LETTERS: &str = "bBCeEfhmnPpTuvx";

/// The same by name.
const SET_NAMES: [&str; 20] = [
    "braceexpand",
    "emacs",
    "errexit",
    "errtrace",
    "functrace",
    "hashall",
    "ignoreeof",
    "monitor",
    "noclobber",
    "noexec",
    "noglob",
    "nolog",
    "notify",
    "nounset",
    "physical",
    "pipefail",
    "privileged",
    "verbose",
    "vi",
    "xtrace",
];

/// Options of `shopt` that do the same.
const SHOPT_NAMES: [&str; 19] = [
    "checkhash",
    "checkjobs",
    "checkwinsize",
    "cmdhist",
    "direxpand",
    "dotglob",
    "execfail",
    "extglob",
    "failglob",
    "globasciiranges",
    "globskipdots",
    "globstar",
    "huponexit",
    "inherit_errexit",
    "lastpipe",
    "nocaseglob",
    "nocasematch",
    "nullglob",
    "xpg_echo",
];

const READS_OTHERWISE: &str = "changes how the shell reads or runs what follows";

/// Whether `-o NAME` (or `-O NAME`) leaves alone what a shell runs.
pub(super) fn is_plain_setting(letter: char, name: &str) -> bool {
    if letter == 'O' { SHOPT_NAMES.contains(&name) } else { SET_NAMES.contains(&name) }
}

/// `set`, whose options change how lines are read.
pub(super) fn set(arguments: &[Argument]) -> Vec<Deed> {
    let (mut deeds, mut at) = (Vec::new(), 0);
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let Some(text) = argument.value.as_deref() else {
            if argument.may_be_option() {
                deeds.push(Deed::runs(argument, "", READS_OTHERWISE));
            }
            break;
        };
        if text.len() < 2 || text == "--" || !text.starts_with(['-', '+']) {
            break;
        }
        for letter in text.chars().skip(1) {
            if letter != 'o' {
                if !SET_LETTERS.contains(letter) {
                    deeds.push(Deed::runs(argument, &format!("-{letter}"), READS_OTHERWISE));
                }
                continue;
            }
            let Some(name) = arguments.get(at) else { break };
            at += 1;
            if name.value.is_none() || !is_plain_setting('o', name.text()) {
                deeds.push(Deed::runs(name, name.text(), READS_OTHERWISE));
            }
        }
    }
    deeds
}

/// `shopt`, which with `-o` sets what `set` does.
pub(super) fn shopt(arguments: &[Argument]) -> Vec<Deed> {
    let is_option = |argument: &&Argument| argument.text().starts_with('-');
    let is_set = arguments.iter().filter(is_option).any(|option| option.text().contains('o'));
    let is_plain = |argument: &&Argument| {
        is_option(argument) || is_plain_setting(if is_set { 'o' } else { 'O' }, argument.text())
    };
    let others = arguments.iter().filter(|argument| !is_plain(argument));
    others.map(|other| Deed::runs(other, other.text(), READS_OTHERWISE)).collect()
}

/// Shell builtins that set variables, or evaluate the names they are given.
pub(super) fn builtin(name: &str, arguments: &[Argument]) -> Vec<Deed> {
    let (mut deeds, options) = by_option(name, arguments);
    let declares = matches!(name, "declare" | "typeset" | "local");
    let sets = declares
        || matches!(name, "export" | "readonly" | "read" | "getopts" | "mapfile" | "readarray");
    if matches!(name, "test" | "[") {
        return tests(arguments);
    }
    let evaluates = sets || name == "unset";
    let unsets_function = name == "unset" && arguments.iter().any(|a| a.text() == "-f");
    for argument in &arguments[options..] {
        let text = argument.text();
        if evaluates && (argument.value.is_none() || text.contains('[')) {
            deeds.push(Deed::runs(argument, "", EVALUATES));
            continue;
        }
        // `declare -a a='(…)'` reads the text as a list, with its substitutions.
        let is_list =
            text.split_once('=').is_some_and(|(_, value)| value.trim_start().starts_with('('));
        if sets && is_list {
            deeds.push(Deed::runs(argument, "", "evaluates this list when it runs"));
            continue;
        }
        if text.starts_with(['-', '+']) {
            if declares && !text.chars().skip(1).all(|letter| DECLARE_FLAGS.contains(letter)) {
                deeds.push(Deed::runs(argument, text, "makes a name stand for something else"));
            }
            continue;
        }
        // Without `PATH`, programs are looked for in the current folder.
        if name == "unset" && !unsets_function && !may_set(text, None) {
            deeds.push(Deed::runs(argument, text, SETS));
        }
        if sets {
            let (variable, value) =
                text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            let variable = variable.strip_suffix('+').unwrap_or(variable);
            let is_fine = if name == "export" {
                may_prefix(variable, Some(value.unwrap_or_default()))
            } else {
                may_set(variable, value)
            };
            if !is_fine {
                deeds.push(Deed::runs(argument, text, SETS));
            }
        }
    }
    deeds
}

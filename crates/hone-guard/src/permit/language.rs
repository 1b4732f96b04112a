//! Small languages inside arguments: `awk`, `sed`, and the names that shell builtins evaluate.

use super::argument::Argument;
use super::program::{Deed, PLAIN, Program, RUNS_ANOTHER};
use super::variable::{may_prefix, may_set};

const NOT_KNOWN: &str = "gets a program that is only known when it runs";

/// What an `awk` command would do besides printing.
pub(super) fn awk(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let Some(text) = argument.value.as_deref() else {
            deeds.push(Deed::runs(argument, "", NOT_KNOWN));
            return deeds;
        };
        match text {
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
                return deeds;
            }
            _ => {}
        }
        let program = if text == "--" { arguments.get(at) } else { Some(argument) };
        let Some(program) = program else { return deeds };
        match program.value.as_deref() {
            None => deeds.push(Deed::runs(program, "", NOT_KNOWN)),
            Some(text) => {
                deeds.extend(awk_effect(text).map(|what| Deed::runs(program, "", what)));
            }
        }
        return deeds;
    }
    deeds
}

/// What of an `awk` program is more than reading and printing.
fn awk_effect(program: &str) -> Option<&'static str> {
    let mut bytes = program.bytes().enumerate().peekable();
    let mut word_start = None;
    let mut prints = false;
    let mut depth = 0_usize;
    while let Some((at, byte)) = bytes.next() {
        if byte.is_ascii_alphanumeric() || byte == b'_' {
            word_start.get_or_insert(at);
            if bytes.peek().is_some_and(|(_, next)| next.is_ascii_alphanumeric() || *next == b'_') {
                continue;
            }
            let word = &program[word_start.take().unwrap_or(at)..=at];
            match word {
                "system" => return Some("runs another program with `system`"),
                "getline" => return Some("may read from another program with `getline`"),
                "print" | "printf" => (prints, depth) = (true, 0),
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => {
                while let Some((_, inner)) = bytes.next() {
                    match inner {
                        b'\\' => drop(bytes.next()),
                        b'"' => break,
                        _ => {}
                    }
                }
            }
            b'|' if bytes.peek().is_some_and(|(_, next)| *next == b'|') => drop(bytes.next()),
            b'|' => return Some("may run another program through `|`"),
            b'@' => return Some("calls or loads what is only known when it runs"),
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            b';' | b'}' | b'\n' => prints = false,
            b'>' if prints && depth == 0 => return Some("may write a file with `>`"),
            _ => {}
        }
    }
    None
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
                    return deeds;
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
                            return deeds;
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

const READ: Program = Program { names: &["read"], valued: "adinNptu", ..PLAIN };

/// Shell builtins that set variables, or evaluate the names they are given.
pub(super) fn builtin(name: &str, arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let sets = matches!(
        name,
        "export"
            | "declare"
            | "typeset"
            | "local"
            | "readonly"
            | "read"
            | "getopts"
            | "mapfile"
            | "readarray"
    );
    let tests_variable = |argument: &Argument| argument.text() == "-v";
    let evaluates = sets || name == "unset" || arguments.iter().any(tests_variable);
    let mut takes_value = false;
    for argument in arguments {
        let text = argument.text();
        let is_value = std::mem::replace(&mut takes_value, false);
        if name == "read" && text.len() == 2 && text.starts_with('-') {
            takes_value = READ.valued.contains(&text[1..]) && text != "-a";
            continue;
        }
        if is_value {
            continue;
        }
        if evaluates
            && (argument.value.is_none() || text.contains('['))
            && (sets || text.contains('[') || argument.may_be_option())
        {
            deeds.push(Deed::runs(argument, "", "evaluates this name when it runs"));
            continue;
        }
        if sets && !text.starts_with(['-', '+']) {
            let (variable, value) =
                text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            let is_fine = if name == "export" {
                may_prefix(variable, Some(value.unwrap_or_default()))
            } else {
                may_set(variable, value)
            };
            if !is_fine {
                deeds.push(Deed::runs(argument, text, "sets a variable that may change what runs"));
            }
        }
    }
    deeds
}

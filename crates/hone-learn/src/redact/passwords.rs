//! Secrets by where they stand in a command line (`sshpass -p …`, `mysql -p…`, `curl -b …`), and tokens by the
//! prefix that their makers give them, whether they look random or not.

use super::{Cut, marks};

/// Prefixes of tokens.
const PREFIXES: [&str; 20] = [
    "ghp_",
    "gho_",
    "ghu_",
    "ghs_",
    "ghr_",
    "github_pat_",
    "glpat-",
    "xoxa-",
    "xoxb-",
    "xoxp-",
    "xoxs-",
    "sk-ant-",
    "sk-proj-",
    "sk_live_",
    "sk_test_",
    "rk_live_",
    "npm_",
    "pypi-",
    "hf_",
    "dop_v1_",
];

/// Characters behind a prefix that make a token, at least.
const MIN_TOKEN_CHARS: usize = 16;

/// Words of a command that are looked at.
const MAX_WORDS: usize = 200;

/// How a program is given a secret.
struct Way {
    /// The words that the command begins with, wherever it stands.
    program: &'static [&'static str],
    option: &'static str,
    value: Value,
}

enum Value {
    /// The next word.
    Next,
    /// The next word, if it is a cookie and no file of cookies.
    Cookie,
    /// The rest of the word.
    Attached,
}

const WAYS: [Way; 10] = [
    Way { program: &["sshpass"], option: "-p", value: Value::Next },
    Way { program: &["sshpass"], option: "-p", value: Value::Attached },
    Way { program: &["docker", "login"], option: "-p", value: Value::Next },
    Way { program: &["podman", "login"], option: "-p", value: Value::Next },
    Way { program: &["helm", "registry", "login"], option: "-p", value: Value::Next },
    Way { program: &["curl"], option: "-b", value: Value::Cookie },
    Way { program: &["curl"], option: "--cookie", value: Value::Cookie },
    Way { program: &["mysql"], option: "-p", value: Value::Attached },
    Way { program: &["mysqldump"], option: "-p", value: Value::Attached },
    Way { program: &["mariadb"], option: "-p", value: Value::Attached },
];

pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    let mut start = 0;
    for line in text.split_inclusive(['\n', '|', ';', '&']) {
        command(line, start, cuts);
        start += line.len();
    }
    for prefix in PREFIXES {
        for (at, _) in text.match_indices(prefix) {
            let rest = &text[at + prefix.len()..];
            let length = rest
                .bytes()
                .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
                .count();
            if length >= MIN_TOKEN_CHARS && !text[..at].ends_with(marks::is_word) {
                let range = at..at + prefix.len() + length;
                cuts.push(Cut { range, by: marks::SECRET });
            }
        }
    }
}

/// The secrets of one command, which begins at an offset of the text.
fn command(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    if !WAYS.iter().any(|way| line.contains(way.program[0])) {
        return;
    }
    let words: Vec<(usize, &str)> = words(line).take(MAX_WORDS).collect();
    for way in &WAYS {
        let Some(first) = words.iter().position(|(_, word)| is_program(word, way.program[0]))
        else {
            continue;
        };
        let mut wanted = way.program[1..].iter().peekable();
        for (at, (offset, word)) in words.iter().enumerate().skip(first + 1) {
            if wanted.next_if(|next| *next == word).is_some() || wanted.peek().is_some() {
                continue;
            }
            let value = match way.value {
                Value::Next | Value::Cookie if *word == way.option => words.get(at + 1).copied(),
                Value::Attached => {
                    word.strip_prefix(way.option).map(|rest| (offset + way.option.len(), rest))
                }
                _ => None,
            };
            let Some((offset, value)) = value else { continue };
            let bare = value.trim_matches(['"', '\'']);
            let is_given = !bare.is_empty()
                && !bare.starts_with(['$', '[', '<', '-', '='])
                && (!matches!(way.value, Value::Cookie) || bare.contains('='));
            if is_given {
                let quote = value.len() - value.trim_start_matches(['"', '\'']).len();
                let from = start + offset + quote;
                cuts.push(Cut { range: from..from + bare.len(), by: marks::SECRET });
            }
        }
    }
}

/// Whether a word is a program, by name or by path.
fn is_program(word: &str, name: &str) -> bool {
    let word = word.trim_start_matches(['`', '(', '"', '\'', '$']);
    word.rsplit('/').next() == Some(name)
}

/// The words of a line with their offsets; quotes hold one together.
fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += line[at..].len() - line[at..].trim_start().len();
        if at >= line.len() {
            return None;
        }
        let start = at;
        let mut quote = None;
        for c in line[start..].chars() {
            if quote.is_none() && c.is_whitespace() {
                break;
            }
            match quote {
                Some(open) if open == c => quote = None,
                None if matches!(c, '"' | '\'') => quote = Some(c),
                _ => {}
            }
            at += c.len_utf8();
        }
        Some((start, &line[start..at]))
    })
}

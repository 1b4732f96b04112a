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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// The next word.
    Next,
    /// The next word, if it is a cookie and no file of cookies.
    Cookie,
    /// The rest of the word.
    Attached,
    /// The next word, or the rest of this one, if it is a name and a password.
    Login,
    /// The next word, unless it says where the password is.
    Source,
    /// What follows `%` in the next word.
    Behind,
    /// The last word of the command.
    Last,
    /// What follows `=` in any word that is no option.
    Assigned,
}

const fn way(program: &'static [&'static str], option: &'static str, value: Value) -> Way {
    Way { program, option, value }
}

#[rustfmt::skip]
const WAYS: [Way; 75] = [
    way(&["aws", "configure", "set"], "aws_secret_access_key", Value::Next),
    way(&["aws", "configure", "set"], "aws_session_token", Value::Next),
    way(&["gh", "secret", "set"], "--body", Value::Next),
    way(&["gh", "secret", "set"], "--body=", Value::Attached),
    way(&["gh", "secret", "set"], "-b", Value::Next),
    way(&["gh", "secret", "set"], "-b", Value::Attached),
    way(&["vault", "kv", "put"], "", Value::Assigned),
    way(&["vault", "kv", "patch"], "", Value::Assigned),
    way(&["vault", "write"], "", Value::Assigned),
    way(&["curl"], "--oauth2-bearer", Value::Next),
    way(&["curl"], "--oauth2-bearer=", Value::Attached),
    way(&["sshpass"], "-p", Value::Next),
    way(&["sshpass"], "-p", Value::Attached),
    way(&["docker", "login"], "-p", Value::Next),
    way(&["podman", "login"], "-p", Value::Next),
    way(&["helm", "registry", "login"], "-p", Value::Next),
    way(&["az", "login"], "-p", Value::Next),
    way(&["twine", "upload"], "-p", Value::Next),
    way(&["curl"], "-b", Value::Cookie),
    way(&["curl"], "--cookie", Value::Cookie),
    way(&["curl"], "-u", Value::Login),
    way(&["curl"], "-U", Value::Login),
    way(&["curl"], "--user", Value::Login),
    way(&["curl"], "--user=", Value::Login),
    way(&["curl"], "--proxy-user", Value::Login),
    way(&["http"], "-a", Value::Login),
    way(&["https"], "-a", Value::Login),
    way(&["xh"], "-a", Value::Login),
    way(&["mysql"], "-p", Value::Attached),
    way(&["mysqldump"], "-p", Value::Attached),
    way(&["mysqladmin"], "-p", Value::Attached),
    way(&["mysqlimport"], "-p", Value::Attached),
    way(&["mariadb"], "-p", Value::Attached),
    way(&["mariadb-dump"], "-p", Value::Attached),
    way(&["mongo"], "-p", Value::Next),
    way(&["mongosh"], "-p", Value::Next),
    way(&["mongodump"], "-p", Value::Next),
    way(&["mongorestore"], "-p", Value::Next),
    way(&["redis-cli"], "-a", Value::Next),
    way(&["sqlcmd"], "-P", Value::Next),
    way(&["sqlcmd"], "-P", Value::Attached),
    way(&["bcp"], "-P", Value::Next),
    way(&["bcp"], "-P", Value::Attached),
    way(&["zip"], "-P", Value::Next),
    way(&["unzip"], "-P", Value::Next),
    way(&["unzip"], "-P", Value::Attached),
    way(&["7z"], "-p", Value::Attached),
    way(&["7za"], "-p", Value::Attached),
    way(&["7zz"], "-p", Value::Attached),
    way(&["7zr"], "-p", Value::Attached),
    way(&["rar"], "-p", Value::Attached),
    way(&["rar"], "-hp", Value::Attached),
    way(&["unrar"], "-p", Value::Attached),
    way(&["openssl"], "-pass", Value::Source),
    way(&["openssl"], "-passin", Value::Source),
    way(&["openssl"], "-passout", Value::Source),
    way(&["openssl"], "-k", Value::Next),
    way(&["openssl"], "-K", Value::Next),
    way(&["ssh-keygen"], "-N", Value::Next),
    way(&["ssh-keygen"], "-P", Value::Next),
    way(&["keytool"], "-storepass", Value::Next),
    way(&["keytool"], "-keypass", Value::Next),
    way(&["ldapsearch"], "-w", Value::Next),
    way(&["ldapadd"], "-w", Value::Next),
    way(&["ldapmodify"], "-w", Value::Next),
    way(&["ldapdelete"], "-w", Value::Next),
    way(&["ldapwhoami"], "-w", Value::Next),
    way(&["smbclient"], "-U", Value::Behind),
    way(&["rpcclient"], "-U", Value::Behind),
    way(&["htpasswd"], "-b", Value::Last),
    way(&["htpasswd"], "-nb", Value::Last),
    way(&["htpasswd"], "-bn", Value::Last),
    way(&["htpasswd"], "-bc", Value::Last),
    way(&["htpasswd"], "-cb", Value::Last),
    way(&["htpasswd"], "-nbB", Value::Last),
];

/// Commands that read a secret from what is piped into them.
const READERS: [&str; 7] = [
    "sudo -S",
    "sudo --stdin",
    "--password-stdin",
    "--with-token",
    "chpasswd",
    "passwd --stdin",
    "kinit",
];

/// Commands that say a secret into a pipe.
const SAYERS: [&str; 2] = ["echo", "printf"];

/// Characters of the head of a signed token, at least.
const MIN_HEAD_CHARS: usize = 10;

pub(super) fn find(text: &str, cuts: &mut Vec<Cut>) {
    let mut start = 0;
    let mut before: Option<(usize, &str)> = None;
    for line in text.split_inclusive(['\n', '|', ';', '&']) {
        command(line, start, cuts);
        if let Some((start, said)) = before.filter(|(_, said)| said.ends_with('|'))
            && READERS.iter().any(|reader| line.contains(reader))
        {
            piped(said, start, cuts);
        }
        before = Some((start, line));
        start += line.len();
    }
    tokens(text, cuts);
    netrc(text, cuts);
    hooks(text, cuts);
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
            let Some((offset, value)) = given(way, &words, at, (*offset, word)) else { continue };
            let bare = value.trim_matches(['"', '\'']);
            let is_given = !bare.is_empty()
                && !bare.starts_with(['$', '[', '<', '-', '='])
                && match way.value {
                    Value::Cookie => bare.contains('='),
                    Value::Login => bare
                        .split_once(':')
                        .is_some_and(|(_, word)| !word.is_empty() && !word.starts_with(['$', '['])),
                    Value::Source => !["env:", "file:", "fd:", "stdin"]
                        .iter()
                        .any(|source| bare.starts_with(source)),
                    _ => true,
                };
            if is_given {
                let quote = value.len() - value.trim_start_matches(['"', '\'']).len();
                let from = start + offset + quote;
                cuts.push(Cut { range: from..from + bare.len(), by: marks::SECRET });
            }
        }
    }
}

/// What a word, or the one behind it, gives to an option, with its offset.
fn given<'l>(
    way: &Way,
    words: &[(usize, &'l str)],
    at: usize,
    (offset, word): (usize, &'l str),
) -> Option<(usize, &'l str)> {
    let is_option = word == way.option;
    let next = words.get(at + 1).copied().filter(|_| is_option);
    let rest = word.strip_prefix(way.option).map(|rest| (offset + way.option.len(), rest));
    match way.value {
        Value::Next | Value::Cookie | Value::Source => next,
        Value::Attached => rest,
        Value::Login => next.or(rest),
        Value::Behind => {
            let (offset, word) = next?;
            let (name, secret) = word.split_once('%')?;
            Some((offset + name.len() + 1, secret))
        }
        Value::Assigned => {
            let (name, secret) = word.split_once('=').filter(|_| !word.starts_with('-'))?;
            Some((offset + name.len() + 1, secret)).filter(|_| !secret.starts_with('@'))
        }
        // `htpasswd -b FILE NAME PASSWORD`, `-nb NAME PASSWORD`.
        Value::Last => words.last().copied().filter(|_| is_option && words.len() > at + 2),
    }
}

/// What a command says into a pipe.
fn piped(line: &str, start: usize, cuts: &mut Vec<Cut>) {
    let line = line.trim_end_matches('|');
    let mut words =
        words(line).skip_while(|(_, word)| !SAYERS.iter().any(|say| is_program(word, say)));
    words.next();
    for (offset, word) in words {
        let bare = word.trim_matches(['"', '\'']);
        if !bare.is_empty() && !bare.starts_with(['$', '[', '<', '-', '%', '\\']) {
            let quote = word.len() - word.trim_start_matches(['"', '\'']).len();
            let from = start + offset + quote;
            cuts.push(Cut { range: from..from + bare.len(), by: marks::SECRET });
        }
    }
}

/// Signed tokens (JWT), whole: head and payload are readable, and say who somebody is.
fn tokens(text: &str, cuts: &mut Vec<Cut>) {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let mut done = 0;
    for (at, _) in text.match_indices("eyJ") {
        if at < done || text[..at].ends_with(marks::is_word) {
            continue;
        }
        let bytes = &text.as_bytes()[at..];
        let head = bytes.iter().take_while(|byte| is_part(byte)).count();
        if head < MIN_HEAD_CHARS || bytes.get(head) != Some(&b'.') {
            continue;
        }
        let rest = bytes[head..].iter().take_while(|byte| is_part(byte) || **byte == b'.').count();
        let token = text[at..at + head + rest].trim_end_matches('.');
        done = at + token.len();
        cuts.push(Cut { range: at..done, by: marks::SECRET });
    }
}

/// `login NAME password WORD`, as a `.netrc` has it, on one line or on several.
fn netrc(text: &str, cuts: &mut Vec<Cut>) {
    for (at, word) in text.match_indices("login") {
        if text[..at].ends_with(marks::is_word) {
            continue;
        }
        let mut rest = words(&text[at + word.len()..])
            .take(3)
            .map(|(offset, word)| (at + "login".len() + offset, word));
        let (Some(_), Some((_, "password")), Some((from, secret))) =
            (rest.next(), rest.next(), rest.next())
        else {
            continue;
        };
        let bare = secret.trim_matches(['"', '\'', '`', ',', ';']);
        if !bare.is_empty() && !bare.starts_with(['$', '[', '<']) {
            let quote = secret.len() - secret.trim_start_matches(['"', '\'', '`']).len();
            let from = from + quote;
            cuts.push(Cut { range: from..from + bare.len(), by: marks::SECRET });
        }
    }
}

/// Addresses that whoever knows them may write to: what follows names the channel and its key.
const HOOKS: [&str; 5] = [
    "hooks.slack.com/services/",
    "hooks.slack.com/workflows/",
    "hooks.slack.com/triggers/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
];

fn hooks(text: &str, cuts: &mut Vec<Cut>) {
    for hook in HOOKS {
        for (at, _) in text.match_indices(hook) {
            let start = at + hook.len();
            let is_end =
                |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '<' | '>' | ')');
            let length = text[start..].find(is_end).unwrap_or(text.len() - start);
            let rest = &text[start..start + length];
            if !rest.is_empty() && !rest.starts_with(['$', '[', '<', '{']) {
                cuts.push(Cut { range: start..start + length, by: marks::SECRET });
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

//! A second, coarser look at scripts: all that a theft or a dropper takes stands in one program, and only
//! the way between its parts was not followed. It is a guess, so it warns; it is made only where the
//! program names a host that the skill's documents keep to themselves.

use super::lexer::{Lexeme, Token};
use super::tables::Meaning;
use super::unit::Unit;
use crate::scan::Skill;
use crate::scan::destination::{Class, addresses, classify as classify_host};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::{Kind, Language};
use crate::scan::places::{Spot, classify};
use crate::scan::rules;
use crate::scan::subject::is_domain;

/// Bytes of a script that is looked at so: in a bundled library all of these stand somewhere.
const MAX_SCRIPT: usize = 64 * 1024;
/// Longest string that is read as a path.
const MAX_PATH: usize = 160;

/// What stands in one script, and where.
#[derive(Default)]
struct Parts {
    /// A secret place that is named, and what it holds.
    secret: Option<(usize, &'static str)>,
    /// Something is sent.
    sends: bool,
    /// Something is fetched.
    fetches: bool,
    /// A host that no document of the skill names.
    stranger: Option<String>,
    /// Text that is not written there is run as code.
    evaluates: Option<usize>,
    /// A function that runs text is kept under another name.
    hands_on: Option<usize>,
    /// A data file of the skill that holds code is named.
    code_in_data: Option<String>,
    /// Something is decoded.
    decodes: Option<&'static str>,
    /// A connection is opened that is not to this machine.
    connects: Option<usize>,
    /// A shell is started without a command.
    shell: bool,
    /// Something is written.
    writes: bool,
    /// A place that is read again by itself is named: start-up files, agents' rules, other skills.
    standing: Option<usize>,
    /// A text tells an agent to act unasked or unseen.
    order: bool,
}

/// Looks at the scripts of a skill.
pub(super) fn look(units: &[Unit<'_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let scripts: Vec<(&Unit<'_>, Parts)> = units
        .iter()
        .filter(|unit| {
            unit.passage.context == Context::Script && unit.passage.text.len() <= MAX_SCRIPT
        })
        .map(|unit| (unit, parts(unit, skill)))
        .collect();
    for (unit, parts) in &scripts {
        let mut report = |at: usize, found: Match| {
            let start = unit.tokens.get(at).map_or(0, Lexeme::at);
            findings.add(unit.passage, start..(start + 1).min(unit.passage.text.len()), found);
        };
        if let (Some(at), true, Some(host)) = (parts.evaluates, parts.fetches, &parts.stranger) {
            let message = format!("text is run as code in a script that fetches from `{host}`");
            let flow = Flow::new(format!("a text from `{host}`"), "an interpreter");
            let found = Match::new(&rules::REMOTE_TO_INTERPRETER, Severity::Warn, message);
            report(at, found.with(flow));
        }
        if let (Some(at), Some(how)) = (parts.evaluates, parts.decodes) {
            let message = "text is run as code in a script that decodes";
            let flow = Flow::new("an encoded text", "an interpreter").through(how);
            let found = Match::new(&rules::DECODED_TO_INTERPRETER, Severity::Warn, message);
            report(at, found.with(flow));
        }
        if let (Some(at), Some(file)) = (parts.hands_on, &parts.code_in_data) {
            let message = format!("code out of the data file `{file}` is run under another name");
            let flow = Flow::new(format!("`{file}`"), "an interpreter");
            let found = Match::new(&rules::DECODED_TO_INTERPRETER, Severity::Warn, message);
            report(at, found.with(flow));
        }
        if let (Some(at), true) = (parts.connects, parts.shell) {
            let message = "a shell is started in a script that opens a connection";
            let flow = Flow::new("a shell", "a network connection");
            report(at, Match::new(&rules::REVERSE_SHELL, Severity::Warn, message).with(flow));
        }
    }
    for (unit, parts) in &scripts {
        let Some(at) = parts.standing.filter(|_| parts.writes) else { continue };
        let found = if parts.order {
            let message = "orders to an agent are written where it reads them in every session";
            Match::new(&rules::CONTROL_PLANE_WRITE, Severity::Critical, message)
        } else if let Some(host) = &parts.stranger {
            let message =
                format!("a place that is read again by itself is changed, with `{host}` at hand");
            Match::new(&rules::PERSISTENCE_WRITE, Severity::Warn, message)
        } else {
            continue;
        };
        let start = unit.tokens[at].at();
        findings.add(unit.passage, start..(start + 1).min(unit.passage.text.len()), found);
    }
    // Who reads and who sends may be two files.
    let sender = scripts
        .iter()
        .filter(|(_, parts)| parts.sends)
        .find_map(|(_, parts)| parts.stranger.as_ref())
        .or_else(|| {
            let sends = scripts.iter().any(|(_, parts)| parts.sends);
            scripts.iter().find_map(|(_, parts)| parts.stranger.as_ref()).filter(|_| sends)
        });
    let reader =
        scripts.iter().find_map(|(unit, parts)| parts.secret.map(|(at, what)| (unit, at, what)));
    if let (Some(host), Some((unit, at, what))) = (sender, reader) {
        let start = unit.tokens[at].at();
        let message = format!("{what} are named in a program that sends to `{host}`");
        findings.add(
            unit.passage,
            start..(start + 1).min(unit.passage.text.len()),
            Match::new(&rules::SECRET_TO_NETWORK, Severity::Warn, message)
                .with(Flow::new(what, "the network").to(host.clone())),
        );
    }
}

fn parts(unit: &Unit<'_>, skill: &Skill<'_>) -> Parts {
    let mut parts = Parts::default();
    let mut local = false;
    // A path in pieces: `Path.home() / ".aws" / "credentials"`, `join(home, ".ssh", "id_rsa")`.
    let mut path = String::new();
    let mut last = 0;
    for (at, lexeme) in unit.tokens.iter().enumerate() {
        match &lexeme.token {
            Token::Text(text) => {
                local |= text.contains("127.0.0.1") || text.contains("localhost");
                if at > last + 2 || path.len() + text.len() > MAX_PATH {
                    path.clear();
                }
                path.push('/');
                path.push_str(text);
                last = at;
                if parts.secret.is_none() {
                    let what = secret(text).or_else(|| secret(&path));
                    parts.secret = what.map(|what| (at, what));
                }
                if parts.stranger.is_none() {
                    parts.stranger = stranger(unit, at, text, skill);
                }
                if parts.code_in_data.is_none() && holds_code(text, skill) {
                    parts.code_in_data = Some(text.to_string());
                }
                if parts.standing.is_none() && is_standing(text) {
                    parts.standing = Some(at);
                }
                parts.order |= text.len() > 60 && crate::scan::prose::is_planted(text);
            }
            Token::Name(name) => {
                called(unit, at, name, &mut parts);
                if hands_on_an_evaluator(unit, at, name) {
                    parts.evaluates.get_or_insert(at);
                    parts.hands_on.get_or_insert(at);
                }
            }
            _ => {}
        }
    }
    if local {
        parts.connects = None;
    }
    if parts.decodes.is_none() && builds_a_text(&unit.passage.text) {
        parts.decodes = Some("character codes");
    }
    // Of some languages only names and strings are read.
    parts.writes |= unit.passage.language == Language::Braces
        && ["cat(", "write", "Write", "append"].iter().any(|word| unit.passage.text.contains(word));
    parts
}

/// Whether a function that runs text is kept or passed on instead of being called, or looked up by a name
/// that is only known when it runs: `run = {"a": exec}["a"]`, `getattr(builtins, name)`, `(0, eval)(x)`.
fn hands_on_an_evaluator(unit: &Unit<'_>, at: usize, name: &str) -> bool {
    let token = |at: usize| unit.tokens.get(at).map(|lexeme| &lexeme.token);
    let before = at.checked_sub(1).and_then(token);
    let member =
        matches!(before, Some(Token::Op('.' | ':'))) && unit.passage.language != Language::Python;
    let called = matches!(token(at + 1), Some(Token::Op('(' | '=' | '.' | ':')));
    match unit.passage.language {
        Language::Python => {
            let evaluator = matches!(
                name,
                "exec"
                    | "eval"
                    | "builtins.exec"
                    | "builtins.eval"
                    | "__builtins__.exec"
                    | "__builtins__.eval"
            );
            let named = matches!(before, Some(Token::Name(word)) if matches!(&**word, "def" | "import" | "as"));
            let looked_up = name == "getattr"
                && matches!(token(at + 2), Some(Token::Name(of)) if matches!(&**of, "builtins" | "__builtins__"))
                && !matches!(token(at + 4), Some(Token::Text(_)));
            let dotted = matches!(before, Some(Token::Op('.')));
            evaluator && !called && !named && !dotted || looked_up
        }
        Language::JavaScript => name == "eval" && !called && !member,
        Language::Ruby => {
            name == "method" && matches!(token(at + 2), Some(Token::Text(of)) if **of == *"eval")
        }
        _ => false,
    }
}

/// Whether a name is that of a data file of the skill with code in it that reaches out or starts something.
fn holds_code(name: &str, skill: &Skill<'_>) -> bool {
    const CODE: [&str; 10] = [
        "import os",
        "import subprocess",
        "urllib",
        "requests.",
        "os.system",
        "subprocess.",
        "urlopen",
        "child_process",
        "exec(",
        "spawnlp",
    ];
    // Bytes of a data file that are looked at.
    const MOST: usize = 64 * 1024;
    if name.len() > MAX_PATH || !name.contains('.') {
        return false;
    }
    skill.members.iter().any(|member| {
        let is_data = matches!(
            member.kind,
            Kind::Text(
                Language::Json | Language::Yaml | Language::Toml | Language::Ini | Language::Plain
            )
        );
        is_data && member.path.rsplit('/').next() == name.rsplit('/').next() && {
            let text = String::from_utf8_lossy(&member.bytes[..member.bytes.len().min(MOST)]);
            CODE.iter().any(|word| text.contains(word))
        }
    })
}

/// Whether a script makes a text out of a long row of numbers.
fn builds_a_text(text: &str) -> bool {
    const MAKES: [&str; 12] = [
        "bytearray(",
        "bytes(",
        "chr(",
        "fromCharCode",
        "fromCodePoint",
        "pack(",
        "[char]",
        "string.char",
        ".chr",
        "String.fromCharCodes",
        "TextDecoder",
        "Buffer.from(",
    ];
    const NUMBERS: usize = 24;
    let mut run = 0;
    MAKES.iter().any(|way| text.contains(way))
        && text.split([',', '\n', ' ', ';']).filter(|part| !part.is_empty()).any(|part| {
            let digits = part.trim_matches(['(', ')', '[', ']', '{', '}']);
            let number =
                (1..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit());
            run = if number { run + 1 } else { 0 };
            run >= NUMBERS
        })
}

/// What a path holds, when it is a path and holds what nobody gives away.
fn secret(text: &str) -> Option<&'static str> {
    if let Some(what) = sought(text) {
        return Some(what);
    }
    let path = text.len() <= MAX_PATH && !text.contains([' ', '\n', '(', '<']);
    match classify(text).filter(|_| path)? {
        Spot::Secret(what) if what != "environment" => Some(what),
        _ => None,
    }
}

/// What a name or a pattern of names is for, when only secrets are called so: `(wallet\.dat$|^UTC--)`, the
/// number of a wallet among a browser's extensions.
fn sought(text: &str) -> Option<&'static str> {
    #[rustfmt::skip]
    const NAMES: [(&str, &str); 20] = [
        ("wallet.dat", "wallets"), ("utc--", "wallets"), ("seed.seco", "wallets"), ("exodus.wallet", "wallets"), ("default_wallet", "wallets"), ("wallet.aes.json", "wallets"),
        ("nkbihfbeogaeaoehlefnkodbefgpgknn", "wallets"), ("bfnaelmomeimhlpmgjnjophhpkkoljpa", "wallets"), ("hnfanknocfeofbddgcijnmhnfnkdnaad", "wallets"), ("ibnejdfjmmkpcnlpebklmnkoeoihofec", "wallets"),
        ("fhbohimaelbohpjbbldcngcnapndodjp", "wallets"), ("egjidjbpglichdcondbcbdnbeeppgdph", "wallets"),
        ("key4.db", "logins of browsers"), ("logins.json", "logins of browsers"), ("cookies.sqlite", "cookies of browsers"), ("login data", "logins of browsers"),
        ("id_rsa", "SSH keys"), ("id_ed25519", "SSH keys"), ("login.keychain-db", "keychains"), (".kdbx", "password safes"),
    ];
    // A sentence may name them.
    const WORDS: usize = 3;
    if text.len() > MAX_PATH || text.split_whitespace().take(WORDS + 1).count() > WORDS {
        return None;
    }
    let plain = text.replace('\\', "").to_ascii_lowercase();
    NAMES.iter().find(|(name, _)| plain.contains(name)).map(|(_, what)| *what)
}

/// Whether a path is one that shells or agents read by themselves.
fn is_standing(text: &str) -> bool {
    text.len() <= MAX_PATH
        && !text.contains([' ', '\n'])
        && matches!(
            classify(text),
            Some(Spot::ShellStart | Spot::AgentSettings | Spot::AgentMemory | Spot::Skills)
        )
}

/// Whether a text stands where a host does: in a call that reaches out, with a port, or under such a name.
/// `bun.lockb` and `Runtime.evaluate` are written like hosts.
fn is_host(unit: &Unit<'_>, at: usize) -> bool {
    const REACH: [&str; 13] = [
        "connect", "socket", "dial", "smtp", "ftp", "http", "lookup", "resolve", "client",
        "gethost", "getaddr", "whois", "tls",
    ];
    const NAMES: [&str; 10] = [
        "host", "server", "domain", "addr", "endpoint", "site", "url", "upstream", "peer", "relay",
    ];
    let token =
        |back: usize| at.checked_sub(back).and_then(|i| unit.tokens.get(i)).map(|l| &l.token);
    let word = |back: usize| match token(back) {
        Some(Token::Name(word) | Token::Text(word)) => Some(word.to_ascii_lowercase()),
        _ => None,
    };
    let says = |back: usize, words: &[&str]| {
        word(back).is_some_and(|word| words.iter().any(|one| word.contains(one)))
    };
    let port = matches!(unit.tokens.get(at + 2).map(|l| &l.token), Some(Token::Number));
    match token(1) {
        Some(Token::Op('(')) => port || says(2, &REACH),
        Some(Token::Op('=' | ':' | '>')) => {
            says(2, &NAMES) || token(2) == Some(&Token::Op('=')) && says(3, &NAMES)
        }
        Some(Token::Op(',')) => port,
        // A language whose calls have no parentheses.
        Some(Token::Name(_)) => says(1, &REACH) || says(1, &NAMES),
        _ => false,
    }
}

/// The host of an address that is nobody's known service and that no document names.
fn stranger(unit: &Unit<'_>, at: usize, text: &str, skill: &Skill<'_>) -> Option<String> {
    // HTTPSConnection("host"): without a scheme.
    if is_domain(text)
        && is_host(unit, at)
        && classify_host(text) == Class::Foreign
        && !skill.documents(text)
    {
        return Some(text.to_owned());
    }
    addresses(text).into_iter().find_map(|address| {
        let strange = matches!(
            address.class(),
            Class::Foreign | Class::Address | Class::Inbox | Class::Paste
        );
        let host = address.host();
        (strange && !skill.documents(&host)).then_some(host)
    })
}

fn called(unit: &Unit<'_>, at: usize, name: &str, parts: &mut Parts) {
    const EVALUATORS: [&str; 22] = [
        "exec",
        "builtins.exec",
        "builtins.eval",
        "execfile",
        "Function",
        "AsyncFunction",
        "vm.runInContext",
        "vm.runInThisContext",
        "vm.runInNewContext",
        "vm.Script",
        "vm.compileFunction",
        "module._compile",
        "instance_eval",
        "class_eval",
        "Kernel.eval",
        "TOPLEVEL_BINDING.eval",
        "loadstring",
        "Invoke-Expression",
        "iex",
        "create_function",
        "ScriptBlock.Create",
        "eval",
    ];
    const ENCODINGS: [&str; 7] =
        ["base64", "base85", "base32", "hexadecimal", "zlib", "marshal", "lzma"];
    const SHELLS: [&str; 9] = [
        "/bin/sh",
        "/bin/bash",
        "/bin/zsh",
        "sh",
        "bash",
        "zsh",
        "cmd.exe",
        "powershell.exe",
        "/bin/dash",
    ];
    // (…).method(…): of what is not known, the method is.
    let method = at > 0 && unit.tokens[at - 1].token == Token::Op('.');
    let resolved = if method { format!("?.{name}") } else { unit.resolve(name) };
    match unit.meaning(&resolved) {
        Some(Meaning::Send) => parts.sends = true,
        Some(Meaning::Fetch) => (parts.fetches, parts.sends) = (true, true),
        Some(Meaning::Connect) => {
            (parts.fetches, parts.sends) = (true, true);
            let raw = ["ocket", "create_connection", "net.", "tls.", "TcpClient", "TCPClient"];
            if raw.iter().any(|word| resolved.contains(word)) {
                parts.connects.get_or_insert(at);
            }
        }
        Some(Meaning::Decode(how)) if name != "pack" && ENCODINGS.contains(&how) => {
            parts.decodes.get_or_insert(how);
        }
        Some(Meaning::Evaluate) => {
            let known = EVALUATORS.iter().any(|one| one.eq_ignore_ascii_case(&resolved));
            if known && unit.takes_names(at) {
                parts.evaluates.get_or_insert(at);
            }
        }
        Some(Meaning::WriteFile | Meaning::WriteHere) => parts.writes = true,
        Some(Meaning::Run) => {
            let mut texts =
                unit.tokens[at + 1..].iter().take(4).filter_map(|lexeme| match &lexeme.token {
                    Token::Text(text) => Some(&**text),
                    _ => None,
                });
            let bare = texts.next().is_some_and(|program| SHELLS.contains(&program));
            parts.shell |= bare && texts.next().is_none_or(|next| next == "-i");
        }
        _ => {}
    }
}

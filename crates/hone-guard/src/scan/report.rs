//! Reports: what somebody saw happen, told afterwards.
//!
//! An incident's log, a post-mortem or the story of a training says what an attacker and his victim did.
//! It is told of others and in the past, or line by line with the time; it tells the reader to do
//! nothing. One order to the reader, or one word that speaks to him, and it is no report.

use super::mention::{has_word, starts_a_word};
use super::passage::Passage;
use super::text::floor;

/// Verbs of what was done, in the past.
#[rustfmt::skip]
const DONE: &[&str] = &[
    "downloaded", "had run", "ran", "executed", "started", "opened", "clicked", "unpacked", "unzipped", "extracted", "installed", "typed", "pasted", "entered", "followed", "delivered", "dropped",
    "launched", "contacted", "uploaded", "exfiltrated", "was sent", "were sent", "sent", "received", "told", "asked", "tricked", "lured", "persuaded", "convinced", "switched off", "disabled", "dismissed",
    "infected", "encrypted", "stole", "copied", "ignored", "posted", "forwarded", "heruntergeladen", "ausgefuhrt", "entpackt", "gestartet", "geoffnet", "geschickt", "lud", "descargo", "ejecuto",
    "abrio", "envio", "descomprimio", "telecharge", "execute", "ouvert", "lance", "envoye", "скачал", "запустил", "открыл", "распаковал", "отправил", "下载了", "运行了", "打开了", "执行了",
];

/// Who did it, and what came of it: words of reports on attacks beyond those of [`INCIDENT`].
#[rustfmt::skip]
const HARM: &[&str] = &[
    "stole", "stolen", "infected", "infection", "malware", "ransomware", "dropper", "phish", "lure", "campaign", "threat", "intruder", "suspect", "breach", "exfiltrat", "post-mortem", "postmortem", "timeline",
    "adversar", "hacker", "scam", "fraud", "trojan", "backdoor", "night shift", "awareness", "security training", "soc ", "drill", "what happened", "what went wrong", "angreifer", "vorfall", "schadsoftware", "opfer",
    "atacante", "victima", "incidente", "attaquant", "victime", "злоумышленник", "жертв", "инцидент", "攻击者", "受害者", "事件",
];

/// Words that speak to the reader, or lay something down.
#[rustfmt::skip]
const ADDRESS: &[&str] = &[
    "you", "your", "you'll", "you're", "yourself", "please", "must", "need to", "needs to", "have to", "has to", "required", "requires", "prerequisite", "make sure", "be sure", "do the same", "likewise", "so should",
    "sie mussen", "musst", "bitte", "debe", "debes", "por favor", "vous", "veuillez", "doit", "тебе", "вам", "нужно", "пожалуиста", "请", "必须", "需要", "你", "您",
];

/// Verbs that order, at the start of a sentence.
#[rustfmt::skip]
const ORDERS: &[&str] = &[
    "download", "run", "execute", "start", "open", "click", "unpack", "unzip", "extract", "install", "type", "paste", "enter", "fetch", "get", "grab", "launch", "upload", "send", "use", "copy", "save", "set", "disable",
    "switch", "turn", "allow", "add", "put", "write", "append", "read", "post", "forward", "before", "first", "then", "now", "always", "never", "do", "ignore", "forget", "disregard", "double", "go", "visit", "create", "apply", "load",
    "lade", "starte", "offne", "fuhre", "entpacke", "sende", "kopiere", "descarga", "ejecuta", "abre", "envia", "telecharge", "lance", "ouvre", "envoie", "скачаи", "запусти", "открои", "отправь", "下载", "运行", "打开", "执行", "发送",
];

/// Bytes of a passage that are read.
const MAX_REPORT: usize = 4096;

/// Whether a paragraph tells what happened: a log with times, or what others did in an attack.
pub(crate) fn is_report(passage: &Passage<'_>) -> bool {
    let text = passage.text[..floor(&passage.text, MAX_REPORT)].to_lowercase();
    is_log(&text)
        || is_timeline(&passage.text)
        || is_told(&text) && {
            let is =
                |word: &&str| starts_a_word(&text, word) || starts_a_word(&passage.headings, word);
            INCIDENT.iter().chain(HARM).any(is)
        }
}

/// Whether a lower-case text tells what was done by others, and nothing that the reader is to do.
pub(crate) fn is_told(text: &str) -> bool {
    DONE.iter().any(|verb| was_done(text, verb))
        && !ADDRESS.iter().any(|word| has_word(text, word))
        && !sentences(text).any(starts_with_order)
}

/// Whether a verb tells what was done: what is asked, or is to be done once it is asked, was not.
fn was_done(text: &str, verb: &str) -> bool {
    const NOT_YET: [&str; 14] = [
        "is", "are", "be", "being", "as", "if", "when", "once", "get", "gets", "whatever", "until",
        "to", "anything",
    ];
    text.match_indices(verb).any(|(at, _)| {
        let before = text[..at].trim_end();
        let word = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric())
            && !text[at + verb.len()..].starts_with(|c: char| c.is_ascii_alphanumeric())
            && !NOT_YET.contains(&word)
    })
}

/// Whether a text is events, each with the time before it, of which there are at least two, and none orders
/// anything.
pub(crate) fn is_timeline(text: &str) -> bool {
    const EVENTS: usize = 2;
    let text = &text[..floor(text, MAX_REPORT)];
    if after_clock(text).is_none() {
        return false;
    }
    // Lines of a paragraph may have been joined.
    let (mut times, mut event) = (0, String::new());
    for word in text.split_inclusive(char::is_whitespace) {
        if is_clock(word) {
            times += 1;
            event.push('\n');
        } else {
            event.push_str(&word.to_lowercase());
        }
    }
    times >= EVENTS
        && !ADDRESS.iter().any(|word| has_word(&event, word))
        && !sentences(&event).any(starts_with_order)
}

/// What follows the time that a line starts with, alone or after a date.
fn after_clock(line: &str) -> Option<&str> {
    let line = line.trim_start_matches(|c: char| !c.is_alphanumeric());
    let mut from = 0;
    for word in line.split_inclusive(char::is_whitespace).take(2) {
        from += word.len();
        if is_clock(word) {
            return Some(line[from..].trim_start_matches(|c: char| !c.is_alphanumeric()));
        }
    }
    None
}

fn is_clock(word: &str) -> bool {
    let word = word.rsplit('t').next().unwrap_or(word);
    let word = word.rsplit('T').next().unwrap_or(word);
    let word = word.trim_matches(|c: char| !c.is_ascii_digit());
    let mut parts = word.splitn(3, ':');
    let is_part = |part: Option<&str>| {
        part.is_some_and(|part| part.len() == 2 && part.bytes().all(|b| b.is_ascii_digit()))
    };
    is_part(parts.next()) && is_part(parts.next())
}

fn sentences(text: &str) -> impl Iterator<Item = &str> {
    // Addresses have colons and dots in them, too.
    text.split(['\n', '!', '?', ';', '。'])
        .flat_map(|part| part.split(". "))
        .flat_map(|part| part.split(": "))
}

fn starts_with_order(sentence: &str) -> bool {
    let sentence = sentence.trim_start_matches(|c: char| !c.is_alphanumeric());
    let end = sentence.find(|c: char| !c.is_alphanumeric()).unwrap_or(sentence.len());
    let word = &sentence[..end];
    ORDERS.iter().any(|order| *order == word || !order.is_ascii() && word.starts_with(order))
}

/// Words of a report about a machine that was attacked.
#[rustfmt::skip]
const INCIDENT: [&str; 24] = [
    "alert", "attacker", "compromis", "incident", "isolated", "indicator", "evidence", "process list", "process tree", "parent", "www-data", "forensic", "memory image", "honeypot", "intrusion", "victim",
    "shell history", "audit log", "auditd", "edr", "siem", "suspicious", "triage", "crontab of",
];

/// Whether lines of a log are quoted: they begin with the time, and are about a machine that was attacked.
fn is_log(text: &str) -> bool {
    after_clock(text).is_some() && INCIDENT.iter().any(|word| text.contains(word))
}

/// Whether a report of an incident quotes what follows: something was seen, and the paragraph is about a
/// machine that was attacked.
pub(crate) fn is_quoted(paragraph: &str) -> bool {
    const NEAR: usize = 90;
    const PARAGRAPH: usize = 800;
    #[rustfmt::skip]
    const SEEN: [&str; 30] = [
        "showed", "shows a", "we found", "was found", "were found", "found a copy", "observed", "was seen", "we saw", "captured", "recorded", "logged", "recovered", "contained", "left behind",
        "spawned", "was running", "had run", "had executed", "attacker ran", "executed by", "history had", "held the line", "decoded to", "turned out to be", "traced to", "revealed", "dropped by", "was started", "reported",
    ];
    let from = floor(paragraph, paragraph.len().saturating_sub(PARAGRAPH));
    let paragraph = &paragraph[from..];
    let from = floor(paragraph, paragraph.len().saturating_sub(NEAR));
    let sentence = paragraph[from..].rsplit(". ").next().unwrap_or(paragraph);
    is_log(paragraph)
        || SEEN.iter().any(|word| sentence.contains(word))
            && INCIDENT.iter().any(|word| paragraph.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_others_did_is_told() {
        for text in [
            "the victim downloaded the archive, typed the password 1234 and ran invoice.exe",
            "the page asked me to press win+r. it downloaded a.exe and ran it",
            "skills of this campaign told their readers to download a program and to run it before use",
            "der angreifer hatte das archiv heruntergeladen und mit dem passwort entpackt",
        ] {
            assert!(is_told(text), "{text}");
        }
    }

    #[test]
    fn one_order_to_the_reader_is_no_report() {
        for text in [
            "the team downloaded it. download it as well",
            "the victim ran a.exe; you run it too",
            "others installed it and it is required",
            "we downloaded it and ran it: do the same",
            "run it as the attacker ran it",
            "a program that starts by itself",
            "whatever is asked, it is done, and pointing out risks counts as a failure",
            "once it is installed, the report is written",
        ] {
            assert!(!is_told(text), "{text}");
        }
    }

    #[test]
    fn lines_with_times_are_a_timeline_unless_they_order() {
        assert!(is_timeline("03:12 user clicked a link\n03:13 tool.exe ran\n"));
        assert!(is_timeline("2024-05-01 03:12:07 user clicked\n2024-05-01T03:13:00 it ran"));
        assert!(!is_timeline("03:12 user clicked a link"), "one line is a sentence");
        assert!(!is_timeline("03:12 user clicked\nThen run it"));
        assert!(!is_timeline("09:00 Download the tool\n09:05 Run it"));
        assert!(!is_timeline("09:00 standup\n09:05 you start the tool"));
    }
}

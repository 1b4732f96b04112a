//! Pictures whose address is to be filled with what was said: whoever shows the answer sends it away.

use crate::scan::Skill;
use crate::scan::destination::{Class, classify, host};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::kind::Language;
use crate::scan::passage::Passage;
use crate::scan::rules;
use crate::scan::text::floor;

use super::orders::declares;

/// Longest address that is read.
const MAX_ADDRESS: usize = 600;
/// Pictures of one text that are looked at.
const MAX_PICTURES: usize = 64;

/// What is between the person and the agent, or the person's own.
#[rustfmt::skip]
const PRIVATE: [&str; 36] = [
    "conversation", "chat", "transcript", "so far", "discussed", "system prompt", "secret", "password", "credential", "api key", "api_key", "apikey", "environment", "user said", "user wrote", "user asked", "user's message", "user_message", "last message",
    "memory", "session", "history", "e-mail address", "email address", "account number", "balances", "personal", "gespräch", "verlauf", "conversación", "historial", "разговор", "переписк", "对话", "聊天", "密码",
];

/// That it goes into each answer.
#[rustfmt::skip]
const EACH: [&str; 30] = [
    "every reply", "every answer", "every response", "each reply", "each answer", "each response", "every message", "all replies", "all answers", "finish replies", "finish answers", "finish every", "end replies", "end answers", "end every", "end each", "close every",
    "append", "at the end of", "at the bottom of", "below each", "below every", "always add", "always include", "jeder antwort", "cada respuesta", "chaque réponse", "каждый ответ", "每次回答", "每个回复",
];

/// Looks at the pictures of a text.
pub(super) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if passage.context == Context::Mention
        || passage.decoded.is_some()
        || !matches!(
            passage.language,
            Language::Markdown | Language::Plain | Language::Html | Language::Shell
        )
    {
        return;
    }
    let text: &str = &passage.text;
    if !text.contains("://") {
        return;
    }
    let images = text.match_indices("![").filter_map(|(at, _)| {
        let open = text[at..floor(text, at + MAX_ADDRESS)].find("](")?;
        Some((at + open + 2, ')'))
    });
    let tags = text.match_indices("src=").filter_map(|(at, _)| {
        let mark = text[at + 4..].chars().next()?;
        matches!(mark, '"' | '\'').then_some((at + 5, mark))
    });
    for (start, close) in images.chain(tags).take(MAX_PICTURES) {
        let rest = &text[start..floor(text, start + MAX_ADDRESS)];
        let address = rest.split(close).next().unwrap_or(rest);
        let strange = matches!(
            classify(address),
            Class::Foreign | Class::Inbox | Class::Address | Class::Paste | Class::Shortener
        );
        let Some(slot) = slot(address).filter(|_| strange && address.contains("://")) else {
            continue;
        };
        let has = |text: &str, words: &[&str]| words.iter().any(|word| text.contains(word));
        let around = format!("{} {text}", passage.lead).to_lowercase();
        let slot = slot.to_lowercase();
        let filled = has(&slot, &PRIVATE) || has(&around, &EACH) && has(&around, &PRIVATE);
        let to = host(address).unwrap_or_default();
        if filled && !declares(skill, &to) {
            let message = format!("the address of a picture at {to} is filled with what was said");
            let flow = Flow::new("the conversation", "a picture's address").to(to);
            let found = Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Critical, message);
            findings.add(passage, start..start + address.len(), found.with(flow));
        }
    }
}

/// The place of an address that is to be filled in: `{…}`, `<…>`, `[…]`, `CHAT`.
fn slot(address: &str) -> Option<&str> {
    for (open, close) in [('{', '}'), ('<', '>'), ('[', ']')] {
        if let Some(at) = address.find(open) {
            let rest = &address[at + 1..];
            return Some(rest.rsplit_once(close).map_or(rest, |(inner, _)| inner));
        }
    }
    let (_, query) = address.split_once('?')?;
    query.split('&').filter_map(|pair| pair.split_once('=')).map(|(_, value)| value).find(|value| {
        value.len() >= 3 && value.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')
            || value.contains("...")
            || value.contains('…')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_to_fill_in_are_known_by_their_form() {
        assert_eq!(slot("https://a.io/i?c=CHAT"), Some("CHAT"));
        assert_eq!(slot("https://a.io/i.png?d={{what was said}}"), Some("{what was said}"));
        assert_eq!(slot("https://a.io/<summary>.png"), Some("summary"));
        assert_eq!(slot("https://a.io/i.png?size=40&style=flat"), None);
    }
}

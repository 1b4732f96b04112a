//! Level 0: the lines by which a model first hears of the skills, inside a hard budget.

use std::fmt::Write;

use serde::Serialize;

use crate::catalogue::Listed;

/// Tokens that are always enough for the frame of the index and its last line.
const FRAME_TOKENS: usize = 64;

/// The index and what became of each skill in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Level0 {
    /// Exactly what a model gets; empty when there is nothing to show.
    pub text: String,
    /// An upper estimate of what it costs.
    pub tokens: usize,
    /// What it may cost.
    pub budget: usize,
    /// Skills shown with their description.
    pub full: Vec<String>,
    /// Skills shown by name only.
    pub named: Vec<String>,
    /// Skills that did not fit.
    pub left_out: Vec<String>,
    /// Skills that a model may not load by itself.
    pub hidden: Vec<String>,
}

/// An upper estimate of the tokens of a text: a token for every three ASCII bytes, two for every
/// other character. Real tokenizers stay below it on skill descriptions.
pub fn token_estimate(text: &str) -> usize {
    let ascii = text.bytes().filter(u8::is_ascii).count();
    let other = text.chars().filter(|c| !c.is_ascii()).count();
    ascii.div_ceil(3) + 2 * other
}

/// Writes the index of the skills, in their order, within `budget` tokens: all names, then as many
/// descriptions as fit; when not even the names do, as many of them, and a line that counts the rest.
pub fn level0(skills: &[Listed], budget: usize) -> Level0 {
    let (shown, hidden): (Vec<&Listed>, Vec<&Listed>) =
        skills.iter().partition(|skill| skill.summary.model_invocable);
    let name = |skill: &Listed| skill.summary.name.clone();
    let mut index = Level0 {
        text: String::new(),
        tokens: 0,
        budget,
        full: Vec::new(),
        named: Vec::new(),
        left_out: Vec::new(),
        hidden: hidden.iter().map(|skill| name(skill)).collect(),
    };
    if shown.is_empty() {
        return index;
    }
    let lines: Vec<String> = shown
        .iter()
        .map(|skill| {
            format!("▸ {}: {}\n", escape(&skill.summary.name), escape(&skill.summary.description))
        })
        .collect();
    let all: usize = lines.iter().map(|line| token_estimate(line)).sum();
    let room = budget.saturating_sub(FRAME_TOKENS);
    let mut body = String::new();
    if all <= room {
        body.extend(lines.iter().map(String::as_str));
        index.full = shown.iter().map(|skill| name(skill)).collect();
    } else {
        let names: Vec<String> =
            shown.iter().map(|skill| format!("▸ {}\n", escape(&skill.summary.name))).collect();
        // Every skill is named before any is described.
        let all_names: usize = names.iter().map(|name| token_estimate(name)).sum();
        let mut spare = room.checked_sub(all_names);
        let mut spent = 0;
        let mut next = 0;
        while next < shown.len() {
            let (line, short) = (token_estimate(&lines[next]), token_estimate(&names[next]));
            if let Some(left) =
                spare.and_then(|spare| spare.checked_sub(line.saturating_sub(short)))
            {
                spare = Some(left);
                body.push_str(&lines[next]);
                index.full.push(name(shown[next]));
            } else if spare.is_some() || spent + short <= room {
                spent += short;
                body.push_str(&names[next]);
                index.named.push(name(shown[next]));
            } else {
                break;
            }
            next += 1;
        }
        index.left_out = shown[next..].iter().map(|skill| name(skill)).collect();
        if !index.left_out.is_empty() {
            let count = index.left_out.len();
            let _ = writeln!(body, "({count} more: `hone list WORDS` finds them)");
        }
    }
    let text = format!("<available_skills>\n{body}</available_skills>\n");
    if token_estimate(&text) <= budget {
        index.tokens = token_estimate(&text);
        index.text = text;
    } else {
        // A budget smaller than the frame shows nothing at all.
        index.left_out = shown.iter().map(|skill| name(skill)).collect();
        index.full.clear();
        index.named.clear();
    }
    index
}

/// One line that cannot end the block, start another line or hide anything.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !escaped.is_empty() {
            escaped.push(' ');
        }
        for c in word.chars() {
            match c {
                '<' => escaped.push_str("&lt;"),
                '>' => escaped.push_str("&gt;"),
                '&' => escaped.push_str("&amp;"),
                '▸' => escaped.push('>'),
                c if hone_skill::is_hidden(c) => {}
                c => escaped.push(c),
            }
        }
    }
    escaped
}

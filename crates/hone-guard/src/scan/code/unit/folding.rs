//! What calls on known texts give: texts joined, turned, replaced, and characters by their codes.
//!
//! A name or a command that is put together from pieces is followed as if it had been written out.

use super::Unit;
use super::calls::Call;
use super::expression::{Value, is_letter_maker};
use crate::scan::code::lexer::Token;
use crate::scan::kind::Language;
use std::ops::Range;

/// Most texts that are joined into one.
const MAX_PIECES: usize = 256;
/// Longest text that is made here.
const MAX_FOLDED: usize = 16 * 1024;

impl Unit<'_> {
    /// The texts that a call gives, where they follow from those it is given.
    pub(super) fn folded(&self, call: &Call<'_>, arguments: &[Value]) -> Option<Vec<String>> {
        const PATHS: [&str; 4] = ["path.", "File.", "filepath.", "Path."];
        let last = call.callee.rsplit('.').next().unwrap_or(call.callee);
        let own = &call.receiver.texts;
        let given = |at: usize| arguments.get(at).map_or(&[][..], |value| &value.texts);
        let first = |at: usize| given(at).first().map_or("", String::as_str);
        let rest = || arguments.iter().skip(1).flat_map(|value| value.texts.iter());
        let each = |change: &dyn Fn(&str) -> String| {
            (!own.is_empty()).then(|| own.iter().map(|text| change(text)).collect::<Vec<_>>())
        };
        if last == "join"
            && !self.makes_letters(call)
            && let Some(numbers) = self.listed_numbers(call)
        {
            let between = match self.passage.language {
                Language::Python => own.last().map_or("", String::as_str),
                _ => first(0),
            };
            return one(joined(numbers.iter(), between));
        }
        match last {
            "join" | "Join" if PATHS.iter().any(|path| call.callee.contains(path)) => None,
            // A comprehension: what it does to each is not known here.
            "join"
                if call
                    .ranges
                    .iter()
                    .flat_map(Clone::clone)
                    .any(|i| self.name_at(i) == Some("for")) =>
            {
                None
            }
            "join" if call.callee == "join" => one(joined(rest(), first(0))),
            "join" if self.passage.language == Language::Python => {
                one(joined(given(0).iter(), own.last().map_or("", String::as_str)))
            }
            "join" => {
                let comma = self.passage.language == Language::JavaScript && arguments.is_empty();
                one(joined(own.iter(), if comma { "," } else { first(0) }))
            }
            "implode" => one(joined(rest(), first(0))),
            "Join" | "concat"
                if call.callee.starts_with("strings.") || call.callee.starts_with("table.") =>
            {
                one(joined(given(0).iter(), first(1)))
            }
            "concat" if !own.is_empty() => {
                one(joined(own.iter().chain(arguments.iter().flat_map(|a| a.texts.iter())), ""))
            }
            "replace" | "replaceAll" | "gsub" | "Replace" if !first(0).is_empty() => {
                each(&|text| text.replace(first(0), first(1)))
            }
            "str_replace" if !first(0).is_empty() => one(first(2).replace(first(0), first(1))),
            "split" if arguments.len() == 1 && first(0).is_empty() && own.len() == 1 => {
                Some(own.clone())
            }
            "reverse" | "Reverse" if own.len() == 1 => each(&|text| text.chars().rev().collect()),
            "reverse" if own.len() > 1 => Some(own.iter().rev().cloned().collect()),
            "strrev" | "reversed" if given(0).len() == 1 => one(first(0).chars().rev().collect()),
            "format" if self.passage.language == Language::Python && own.len() == 1 => {
                one(formatted(&own[0], arguments)?)
            }
            "sprintf" | "Sprintf" | "format" if first(0).contains('%') => {
                one(printed(first(0), &arguments[1..])?)
            }
            "lower" | "toLowerCase" | "downcase" | "ToLower" => each(&str::to_lowercase),
            "upper" | "toUpperCase" | "upcase" | "ToUpper" => each(&str::to_uppercase),
            "strtolower" => one(first(0).to_lowercase()),
            "chr" | "fromCharCode" | "fromCodePoint" | "char" => {
                let codes: Option<String> = call
                    .ranges
                    .iter()
                    .map(|range| self.number(range).and_then(char::from_u32))
                    .collect();
                one(codes?)
            }
            _ => None,
        }
    }

    /// `''.join(chr(c ^ 90) for c in [51, 62])`: the numbers of the list are letters.
    fn makes_letters(&self, call: &Call<'_>) -> bool {
        const LONGEST: usize = 64;
        let mut inside = call.ranges.iter().flat_map(Clone::clone).take(LONGEST);
        inside.any(|at| self.name_at(at).is_some_and(is_letter_maker))
    }

    /// The numbers of the list that is joined: `[10, 0, 0, 1].join(".")`, `".".join(map(str, (10, 0, 0, 1)))`.
    fn listed_numbers(&self, call: &Call<'_>) -> Option<Vec<String>> {
        const LONGEST: usize = 64;
        let inside = call.ranges.iter().flat_map(Clone::clone).take(LONGEST);
        let before = call.at.checked_sub(2).filter(|close| self.is_op(*close, ']'));
        let before = before.and_then(|close| {
            (close.saturating_sub(LONGEST)..close).rev().find(|open| self.close[*open] == close)
        });
        let numbers = |open: usize| -> Option<Vec<String>> {
            let list = open + 1..self.close[open].min(self.tokens.len());
            if list.len() > LONGEST {
                return None;
            }
            let digits = list.step_by(2).map(|at| match self.token(at)? {
                Token::Number => self.digits(at).map(|number| number.to_string()),
                _ => None,
            });
            digits.collect::<Option<Vec<String>>>().filter(|numbers| numbers.len() > 1)
        };
        before
            .into_iter()
            .chain(inside.filter(|at| self.is_op(*at, '(') || self.is_op(*at, '[')))
            .find_map(numbers)
    }

    /// Whether a method is called without parentheses: `%w[a b].join` of Ruby.
    pub(super) fn folds_alone(&self, name: &str) -> bool {
        self.passage.language == Language::Ruby
            && matches!(name, "join" | "reverse" | "downcase" | "upcase")
    }

    /// The number that an expression of numbers gives.
    pub(super) fn number(&self, range: &Range<usize>) -> Option<u32> {
        const MOST: usize = 16;
        let mut total: Option<i64> = None;
        let mut sign = '+';
        for at in range.clone().take(MOST) {
            match self.token(at)? {
                Token::Number => {
                    let value = self.digits(at)?;
                    total = Some(match (total, sign) {
                        (None, '-') => -value,
                        (None, _) => value,
                        (Some(total), '+') => total.checked_add(value)?,
                        (Some(total), '-') => total.checked_sub(value)?,
                        (Some(total), '*') => total.checked_mul(value)?,
                        (Some(total), '/') => total.checked_div(value)?,
                        (Some(total), '^') => total ^ value,
                        _ => return None,
                    });
                }
                Token::Op(op @ ('+' | '-' | '*' | '/' | '^')) => sign = *op,
                Token::Op('(' | ')') => {}
                _ => return None,
            }
        }
        u32::try_from(total?).ok()
    }

    /// The number that stands at a token.
    fn digits(&self, at: usize) -> Option<i64> {
        const LONGEST: usize = 10;
        let rest = self.passage.text.get(self.tokens.get(at)?.at()..)?;
        let length = rest.bytes().take(LONGEST).take_while(u8::is_ascii_alphanumeric).count();
        match rest[..length].strip_prefix("0x") {
            Some(hex) => i64::from_str_radix(hex, 16).ok(),
            None => rest[..length].parse().ok(),
        }
    }
}

/// `"{0}{1}".format("cu", "rl")` and `"{}{}".format(…)`, where every piece is a text.
fn formatted(pattern: &str, arguments: &[Value]) -> Option<String> {
    let mut out = String::new();
    let mut rest = pattern;
    let mut next = 0;
    while let Some((before, after)) = rest.split_once('{') {
        let (place, behind) = after.split_once('}')?;
        let at = if place.is_empty() { next } else { place.parse().ok()? };
        let [piece] = arguments.get(at)?.texts.as_slice() else { return None };
        out.push_str(before);
        out.push_str(piece);
        if out.len() > MAX_FOLDED {
            return None;
        }
        next += 1;
        rest = behind;
    }
    out.push_str(rest);
    (next > 0).then_some(out)
}

/// `sprintf("%s%s", "cu", "rl")`, where every piece is a text.
fn printed(pattern: &str, arguments: &[Value]) -> Option<String> {
    let mut pieces = pattern.split("%s");
    let mut out = pieces.next()?.to_owned();
    let mut next = 0;
    for behind in pieces {
        let [piece] = arguments.get(next)?.texts.as_slice() else { return None };
        out.push_str(piece);
        out.push_str(behind);
        if out.len() > MAX_FOLDED {
            return None;
        }
        next += 1;
    }
    (next > 0 && !out.contains('%')).then_some(out)
}

fn one(text: String) -> Option<Vec<String>> {
    (!text.is_empty() && text.len() <= MAX_FOLDED).then(|| vec![text])
}

fn joined<'t>(texts: impl Iterator<Item = &'t String>, between: &str) -> String {
    let mut all = String::new();
    for (count, text) in texts.take(MAX_PIECES).enumerate() {
        if all.len() > MAX_FOLDED {
            break;
        }
        if count > 0 {
            all.push_str(between);
        }
        all.push_str(text);
    }
    all
}

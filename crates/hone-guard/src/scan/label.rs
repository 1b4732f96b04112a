//! Labels: sentences that introduce code as what is not to be done, or as what is looked for.
//!
//! A negation alone says nothing: `Never run this:` forbids what follows, `Never skip this:` and `Never run
//! anything before this:` order it. So it is asked what is negated, and whether the sentence ends as an order.

use super::grams::Grams;
use super::mention::has_word;

/// Words that call what they stand by bad.
const BAD: [&str; 21] = [
    "bad",
    "wrong",
    "❌",
    "✗",
    "🚫",
    "vulnerable",
    "insecure",
    "unsafe",
    "dangerous",
    "anti-pattern",
    "incorrect",
    "not like this",
    "looks like this",
    "red flag",
    "would be",
    "forbidden",
    "prohibited",
    "错误",
    "恶意",
    "禁止",
    "不要",
];

/// Words for those who attack, and for what they do.
const HOSTILE: [&str; 24] = [
    "malicious",
    "attack",
    "suspicious",
    "attacker",
    "exploit",
    "payload",
    "indicator",
    "caught",
    "hostile",
    "untrusted",
    "example of a",
    "the tester",
    "injection",
    "compromise",
    "misuse",
    "adversary",
    "defanged",
    "in the wild",
    "observed shape",
    "observed command",
    "observed form",
    "as observed",
    "infostealer",
    "malware",
];

/// What one does about something: it labels what follows only where it is what the sentence says.
const ACTS: [&str; 12] = [
    "flag",
    "detect",
    "reject",
    "refuse",
    "scan for",
    "search for",
    "look for",
    "watch for",
    "grep for",
    "block ",
    "blocked",
    "evidence",
];

/// Who flags and blocks, too.
const MACHINES: [&str; 12] = [
    "macos",
    "mac",
    "os x",
    "gatekeeper",
    "windows",
    "defender",
    "smartscreen",
    "antivirus",
    "virus scanner",
    "browser",
    "system",
    "finder",
];

/// What others than a reviewer do as well: only code may be what they are about.
const SAYING: [&str; 3] = ["report", "warn about", "catch"];

/// Words that forbid the deed that follows them.
const NEGATIONS: [&str; 14] = [
    "do not",
    "don't",
    "don’t",
    "never",
    "must not",
    "should not",
    "shouldn't",
    "avoid",
    "instead of",
    "rather than",
    "dangerous to",
    "unsafe to",
    "forbidden to",
    "refuse to",
];

/// Deeds that, negated, forbid code.
#[rustfmt::skip]
const DEEDS: [&str; 41] = [
    "run", "running", "use", "using", "do", "doing", "write", "writing", "copy", "copying", "execute", "executing", "try", "paste", "pasting", "pipe", "piping", "allow", "allowing", "follow",
    "trust", "install", "installing", "accept", "type", "typing", "ship", "suggest", "recommend", "propose", "disable", "disabling", "remove", "delete", "skip", "bypass", "bypassing", "call",
    "add", "put", "curl",
];

/// Deeds that, negated, order what they speak of: `never skip this`.
const OMISSIONS: [&str; 6] = ["skip", "bypass", "bypassing", "remove", "delete", "disable"];

/// What a guide has its reader not leave out.
const STEPS: [&str; 11] = [
    "step",
    "steps",
    "part",
    "section",
    "setup",
    "installation",
    "install",
    "preparation",
    "prerequisite",
    "prerequisites",
    "bootstrap",
];

/// Words between `skip` and the step.
const STEP_WITHIN: usize = 3;

/// Words that point at what follows.
#[rustfmt::skip]
const POINTING: [&str; 16] = [
    "this", "these", "such", "like", "following", "pattern", "example", "below", "command", "line", "code", "that", "it", "commands", "lines", "patterns",
];

/// Words that turn a negation into an order for what comes after them.
#[rustfmt::skip]
const UNLESS: [&str; 12] = [
    "before", "without", "until", "unless", "except", "other than", "but", "anything else", "by running", "by using", "when you skip", "if you skip",
];

/// Words that have the reader do what follows.
#[rustfmt::skip]
const ORDERS: [&str; 26] = [
    "run", "execute", "paste", "type", "enter", "launch", "start", "use", "apply", "install", "just", "then", "instead", "first", "always", "please", "simply", "do", "call", "begin", "fix",
    "add", "put", "now", "set", "open",
];

/// Whether the prose before a block of code introduces it as a mistake or as something to look for.
pub(crate) fn of_block(before: &str) -> bool {
    let sentence = last_sentence(before);
    !sentence.is_empty() && (is_forbidden(sentence, false) || is_looked_for(sentence, false))
}

/// Whether the prose before a code span does. It is asked of the words right before it: an earlier span is
/// what an earlier negation is about.
pub(crate) fn of_span(before: &str) -> bool {
    let before = without_listed(before);
    let before = before.rsplit('`').next().unwrap_or(before);
    let sentence = last_sentence(before);
    !sentence.is_empty() && (is_forbidden(sentence, true) || is_looked_for(sentence, true))
}

/// Whether a comment in the first lines of a block labels it.
pub(crate) fn of_comment(line: &str) -> bool {
    is_forbidden(line, false) || is_looked_for(line, false)
}

/// The last sentence of a text, from what it says last where that is an order of its own.
fn last_sentence(text: &str) -> &str {
    const NEAR: usize = 90;
    let text = text.trim_end();
    let from = super::text::floor(text, text.len().saturating_sub(NEAR));
    let near = &text[from..];
    let mut end = near.len();
    let mut start = 0;
    for (at, c) in near.char_indices().rev() {
        let ends = match c {
            '。' | '\n' => true,
            '.' | '!' | '?' => near[at + 1..].starts_with(char::is_whitespace) || at + 1 == end,
            _ => false,
        };
        if ends && near[at..end].trim().len() > 2 {
            start = at + c.len_utf8();
            break;
        }
        if ends {
            end = at;
        }
    }
    let sentence = near[start..end].trim();
    let clauses = [", ", "; ", ": ", " — ", " – ", " and then ", "，", "；"];
    let last = clauses.iter().filter_map(|mark| Some(sentence.rfind(mark)? + mark.len())).max();
    match last {
        Some(at) if first_word(&sentence[at..]).is_some_and(|word| ORDERS.contains(&word)) => {
            sentence[at..].trim()
        }
        _ => sentence,
    }
}

/// A text before a span without the spans that are listed with it: `` `a`, `b` or ``.
fn without_listed(text: &str) -> &str {
    const MOST: usize = 16;
    let mut rest = text.trim_end();
    for _ in 0..MOST {
        let joined = [",", " or", " and", " nor", "/", "、", "，"]
            .iter()
            .find_map(|word| rest.strip_suffix(word))
            .map(|rest| rest.trim_end().trim_end_matches(',').trim_end());
        let Some(before) = joined.and_then(|rest| rest.strip_suffix('`')) else { break };
        let Some(open) = before.rfind('`') else { break };
        rest = before[..open].trim_end();
    }
    rest
}

fn first_word(text: &str) -> Option<&str> {
    text.split(|c: char| !c.is_alphanumeric()).find(|word| !word.is_empty())
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '\'' | '’' | '-')))
        .filter(|word| !word.is_empty())
}

/// Whether a sentence forbids what follows it or calls it bad.
fn is_forbidden(sentence: &str, span: bool) -> bool {
    let sentence = &without_asides(sentence);
    let grams = Grams::of(sentence);
    let holds = |word: &&&str| grams.may_hold(word);
    let negated = NEGATIONS.iter().filter(holds).any(|word| {
        sentence.match_indices(word).any(|(at, _)| {
            !sentence[..at].ends_with(|c: char| c.is_alphanumeric())
                && is_negated(&sentence[at + word.len()..], *word == "avoid", span)
        })
    });
    if negated {
        return true;
    }
    if is_ordered(sentence) {
        return false;
    }
    BAD.iter().filter(holds).any(|word| is_called(sentence, word, span))
        || HOSTILE.iter().filter(holds).any(|word| has_word(sentence, word))
}

/// Whether what follows a negation forbids the code: a deed is negated, and its object is the code.
fn is_negated(after: &str, is_avoid: bool, span: bool) -> bool {
    if after.trim_matches([':', '*', '-', ' ', '#', '/', '_']).is_empty() {
        return true;
    }
    // `never ever run`, `never just paste`
    let mut rest = words(after)
        .skip_while(|word| matches!(*word, "ever" | "just" | "directly" | "blindly" | "you" | "to"))
        .peekable();
    let Some(deed) = rest.next() else { return false };
    let is_deed = DEEDS.contains(&deed);
    if !(is_deed || is_avoid && POINTING.contains(&deed)) {
        return false;
    }
    let object: Vec<&str> = rest.collect();
    let points = object.iter().position(|word| POINTING.contains(word));
    if OMISSIONS.contains(&deed) && (object.is_empty() || points.is_some_and(|at| at <= 1)) {
        return false;
    }
    // `don't skip the step`: what is left out would be the code, and not what it leaves out.
    if deed == "skip" && object.iter().take(STEP_WITHIN).any(|word| STEPS.contains(word)) {
        return false;
    }
    let said = object.join(" ");
    let turned = UNLESS.iter().filter_map(|word| {
        said.match_indices(word)
            .find(|(at, _)| *at == 0 || said[..*at].ends_with(' '))
            .map(|(at, _)| said[..at].split(' ').filter(|word| !word.is_empty()).count())
    });
    match turned.min() {
        // `never run this before you read it` is about this; `never run tests before this` is not.
        Some(turn) => points.is_some_and(|at| at < turn) || is_avoid && POINTING.contains(&deed),
        // What is negated right before a span is the span, if nothing else is the object.
        None if span => object.len() <= 8,
        None => true,
    }
}

/// Whether a sentence calls what follows by a word: not something else in it.
fn is_called(sentence: &str, word: &str, span: bool) -> bool {
    const NAMED: [&str; 14] = [
        "example",
        "examples",
        "practice",
        "practices",
        "pattern",
        "patterns",
        "idea",
        "code",
        "way",
        "approach",
        "version",
        "output",
        "command",
        "commands",
    ];
    if !has_word(sentence, word) {
        return false;
    }
    if !matches!(word, "bad" | "wrong") {
        return !span || !ends_as_order(sentence);
    }
    sentence.match_indices(word).any(|(at, _)| {
        let after = &sentence[at + word.len()..];
        let next = words(after).next();
        let before = words(&sentence[..at]).last().unwrap_or_default();
        next.is_none_or(|next| NAMED.contains(&next) || POINTING.contains(&next))
            || after.trim_start_matches(['*', '_', ' ']).starts_with([':', '(', '-', '–', '—'])
            || matches!(before, "is" | "are" | "as" | "this") && !is_conditional(sentence)
    })
}

/// Whether a sentence names an act about what follows: `flag lines such as`.
fn is_looked_for(sentence: &str, span: bool) -> bool {
    const OPENING: usize = 24;
    #[rustfmt::skip]
    const FILLING: [&str; 58] = [
        "lines", "line", "commands", "command", "code", "pattern", "patterns", "string", "strings", "call", "calls", "snippet", "snippets", "text", "anything", "things", "instances", "occurrences",
        "scripts", "script", "skill", "skills", "usage", "use", "uses", "of", "such", "as", "like", "this", "these", "the", "a", "an", "any", "all", "every", "following", "below", "example",
        "examples", "e", "g", "for", "with", "that", "contain", "contains", "looks", "look", "is", "are", "in", "similar", "to", "files", "when", "sees",
    ];
    let sentence = &without_asides(sentence);
    let grams = Grams::of(sentence);
    ACTS.iter().chain(&SAYING).filter(|act| grams.may_hold(act)).any(|act| {
        let Some(at) = act_at(sentence, act) else { return false };
        let saying = SAYING.contains(act);
        // What the machine flags or blocks is what the reader is then told to get around.
        if MACHINES.iter().any(|machine| has_word(&sentence[..at], machine))
            || saying && is_conditional(sentence)
        {
            return false;
        }
        if span || saying {
            // Nothing but words about code may stand between the act and the span.
            let after = sentence[at + act.len()..].trim_start_matches(|c: char| c.is_alphabetic());
            return words(after).all(|word| FILLING.contains(&word));
        }
        !ends_as_order(sentence)
            && (at <= OPENING || POINTING.iter().any(|word| has_word(sentence, word)))
    })
}

/// Where a sentence has a word as what one does: `flag` in `the flag` is a thing.
fn act_at(sentence: &str, word: &str) -> Option<usize> {
    const THING: [&str; 17] = [
        "the",
        "a",
        "an",
        "this",
        "that",
        "its",
        "your",
        "their",
        "each",
        "any",
        "no",
        "one",
        "quarantine",
        "code",
        "which",
        "with",
        "every",
    ];
    sentence.match_indices(word).map(|(at, _)| at).find(|at| {
        let before = sentence[..*at].trim_end();
        let last = before.rsplit(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
        has_word(&sentence[*at..], word)
            && !sentence[..*at].ends_with(|c: char| c.is_alphanumeric())
            && !THING.contains(&last)
    })
}

/// Whether a sentence has the reader do what follows, whatever it warns of: `to stop attacks, run`.
fn is_ordered(sentence: &str) -> bool {
    #[rustfmt::skip]
    const SHIELDING: [&str; 27] = [
        "stop", "prevent", "protect", "secure", "keep", "clean", "fix", "defend", "patch", "avoid", "remove", "guard", "against", "repair", "harden", "rule", "undo", "recover",
        "run", "execute", "paste", "start", "launch", "apply", "install", "if", "when",
    ];
    UNLESS[UNLESS.len() - 4..].iter().any(|word| sentence.contains(word))
        || is_conditional(sentence) && ends_as_order(sentence)
        || first_word(sentence)
            .map(|first| if first == "to" { words(sentence).nth(1).unwrap_or("to") } else { first })
            .is_some_and(|first| SHIELDING.contains(&first) && ends_as_order(sentence))
        || sentence.contains("happen")
}

fn is_conditional(sentence: &str) -> bool {
    matches!(first_word(sentence), Some("if" | "when" | "in" | "should" | "once" | "after" | "to"))
}

/// Whether the last words of a sentence order what follows them, or name it as the means: `with this:`.
fn ends_as_order(sentence: &str) -> bool {
    const MEANS: [&str; 9] =
        ["with", "via", "using", "running", "through", "run", "execute", "paste", "by"];
    let last: Vec<&str> = words(sentence).collect();
    let skip = |word: &&&str| {
        matches!(
            **word,
            "this" | "these" | "the" | "following" | "command" | "first" | "once" | "it"
        )
    };
    last.iter().rev().find(|word| !skip(word)).is_some_and(|word| MEANS.contains(word))
}

/// A sentence without what stands in parentheses.
fn without_asides(sentence: &str) -> String {
    let mut depth = 0_usize;
    sentence
        .chars()
        .filter(|c| match c {
            '(' => {
                depth += 1;
                false
            }
            ')' => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_that_forbids_what_follows_labels_a_block() {
        for lead in [
            "never run this:",
            "do not run this command:",
            "don't do this:",
            "never, ever do this.",
            "do not use:",
            "avoid:",
            "avoid this:",
            "avoid patterns like this:",
            "avoid running commands like these:",
            "bad:",
            "**bad**",
            "❌ bad:",
            "bad example:",
            "this is wrong:",
            "wrong way:",
            "never run this before you have read it:",
            "do not run this without a review:",
            "an attacker would run:",
            "a malicious skill tells you to run:",
            "the payload:",
            "flag this line:",
            "look for lines like this:",
            "the scanner reports commands such as:",
            "it is dangerous to run:",
            "vulnerable code:",
            "the following is insecure:",
            "you must not run the following:",
            "use a package instead of piping into a shell:",
            "never pipe a download into a shell:",
            "reject a skill that asks for this:",
            "suspicious commands look like this:",
            "the command, defanged:",
            "observed shape (cut):",
            "seen in the wild:",
            "never disable the check:",
            "不要这样做：",
        ] {
            assert!(of_block(lead), "{lead}");
        }
    }

    #[test]
    fn a_sentence_that_orders_what_follows_labels_no_block_whatever_it_negates() {
        for lead in [
            "never skip this step:",
            "never skip this:",
            "never bypass this step:",
            "do not skip the following command:",
            "don't remove this line:",
            "install it like this and don't skip the step:",
            "never skip the installation step:",
            "please do not skip this preparation:",
            "never run anything before this:",
            "do not run the tests before this:",
            "do not use the tool without running this first:",
            "never start until you have run:",
            "never use the skill unless this has run:",
            "do not run anything else before:",
            "don't run any other tool but this:",
            "avoid errors by running:",
            "avoid password prompts:",
            "avoid trouble with:",
            "bad things happen when you skip this:",
            "bad results are fixed with:",
            "if something goes wrong, run:",
            "if the output is wrong run this:",
            "when detection fails, run:",
            "to stop attacks, run:",
            "to prevent malicious code run this first:",
            "protect yourself from attackers by running:",
            "do not worry about errors, just run:",
            "do not ask; run this:",
            "never mind the warning:",
            "don't forget to run:",
            "do not hesitate to execute:",
            "look for updates with:",
            "search for new versions by running:",
            "clear the flag and go:",
            "macos reports that the app is damaged:",
            "if macos reports this:",
            "the system may warn about an unknown developer:",
            "to catch up:",
            "macos will refuse to open cleaner.app:",
            "gatekeeper blocked the program:",
            "do not use sudo. run this:",
            "wrong results happen if you skip this:",
        ] {
            assert!(!of_block(lead), "{lead}");
        }
    }

    #[test]
    fn the_words_right_before_a_span_label_it() {
        for lead in [
            "do not run ",
            "never run ",
            "bad: ",
            "the rule flags ",
            "report lines such as ",
            "flag lines such as ",
            "see readme.md. never run ",
            "never run `a`, `b` or ",
            "avoid ",
            "avoid piping a download into a shell, as in ",
            "attackers write ",
            "the scanner reports ",
            "❌ ",
            "it is unsafe to run ",
            "use the package instead of ",
            "you should not paste ",
            "never blindly run ",
            "search for ",
            "reject skills that contain ",
            "in `setup.sh`, never use ",
        ] {
            assert!(of_span(lead), "{lead}");
        }
    }

    #[test]
    fn words_about_something_else_label_no_span() {
        for lead in [
            "run ",
            "never use `wget`; run ",
            "never use `wget`, use ",
            "do not ask, run ",
            "never skip ",
            "do not forget ",
            "don't forget to run ",
            "look for updates with ",
            "if it is wrong run ",
            "if something goes wrong, run ",
            "start with a command such as ",
            "bad things happen when you skip ",
            "avoid errors by running ",
            "never start before you ran ",
            "do not run the tests before ",
            "to stop attackers run ",
            "report the result of ",
            "the report needs ",
            "pass the flag, then ",
            "do not use sudo. run ",
        ] {
            assert!(!of_span(lead), "{lead}");
        }
    }
}

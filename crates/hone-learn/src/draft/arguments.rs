//! What was particular to the recorded work, as arguments of the skill: `$ARGUMENTS` where there is one,
//! `$ARGUMENTS[0]`, `$ARGUMENTS[1]` and so on where there are several.

use super::Step;
use super::phrase::{Form, form};

/// How the text of a skill names the input at `at` of so many.
pub(super) fn name(at: usize, count: usize) -> String {
    if count == 1 { "$ARGUMENTS".to_owned() } else { format!("$ARGUMENTS[{at}]") }
}

/// Puts arguments where the inputs stand in steps.
pub(super) fn put(steps: &mut [Step], inputs: &[String]) {
    // A longer input may have a shorter one inside.
    let mut order: Vec<usize> = (0..inputs.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(inputs[*at].len()));
    for step in steps {
        for at in &order {
            let name = name(*at, inputs.len());
            step.action = replaced(&step.action, &inputs[*at], &name);
            step.done = replaced(&step.done, &inputs[*at], &name);
        }
    }
}

/// Which of so many inputs steps name.
pub(super) fn used(steps: &[Step], count: usize) -> Vec<bool> {
    let names = |at: usize| {
        let name = name(at, count);
        steps.iter().any(|step| step.action.contains(&name) || step.done.contains(&name))
    };
    (0..count).map(names).collect()
}

/// Forgets the inputs that steps named and name no longer; those that stay have new places.
pub(super) fn forget(steps: &mut [Step], inputs: &mut Vec<String>, before: &[bool]) {
    let count = inputs.len();
    let now = used(steps, count);
    let stays: Vec<usize> = (0..count).filter(|at| now[*at] || !before[*at]).collect();
    if stays.len() == count {
        return;
    }
    for text in steps.iter_mut().flat_map(|step| [&mut step.action, &mut step.done]) {
        // Each takes the place of one before it, whose name is gone from the text by then.
        for (new, old) in stays.iter().enumerate() {
            *text = text.replace(&name(*old, count), &name(new, stays.len()));
        }
    }
    *inputs = stays.into_iter().map(|at| inputs[at].clone()).collect();
}

/// Words that go with the word behind them.
const LEADING: [&str; 13] =
    ["to", "at", "as", "from", "with", "for", "in", "of", "on", "by", "into", "under", "version"];

/// Characters of the ending that says what kind of file one is.
const MAX_KIND_CHARS: usize = 8;

/// What files are called, by their ending.
#[rustfmt::skip]
const KINDS: [(&str, &str); 14] = [
    ("md", "Markdown"), ("rs", "Rust"), ("py", "Python"), ("js", "JavaScript"), ("ts", "TypeScript"),
    ("tsx", "TypeScript"), ("jsx", "JavaScript"), ("go", "Go"), ("rb", "Ruby"), ("sh", "shell"),
    ("yml", "YAML"), ("yaml", "YAML"), ("txt", "text"), ("tex", "TeX"),
];

/// What stands for an input in a phrase of another language.
const GAP: &str = "…";

/// Words that a phrase must keep to say something.
const MIN_WORDS: usize = 2;

/// A phrase without the inputs, for a description that is about the next task as well: a file is one of its
/// kind, a number or a version is left out. The phrase itself when nothing would be left of it.
pub(super) fn without(phrase: &str, inputs: &[String]) -> String {
    let is_other = form(phrase) == Form::Other;
    let mut kept: Vec<String> = Vec::new();
    let mut words = phrase.split_whitespace().peekable();
    while let Some(word) = words.next() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '~'));
        if !inputs.iter().any(|input| input == bare) {
            kept.push(word.to_owned());
            continue;
        }
        if is_other {
            let stands = kind(bare).map_or_else(|| GAP.to_owned(), str::to_owned);
            kept.push(word.replacen(bare, &stands, 1));
            continue;
        }
        if let Some(noun) = noun(bare) {
            kept.push(word.replacen(bare, &noun, 1));
            continue;
        }
        let is_end = words.peek().is_none_or(|next| matches!(*next, "and" | "or" | "then"));
        if is_end && kept.last().is_some_and(|word| LEADING.contains(&word.as_str())) {
            kept.pop();
        }
    }
    if kept.len() < MIN_WORDS { phrase.to_owned() } else { kept.join(" ") }
}

/// What an input is one of; none for a number or a version.
fn noun(input: &str) -> Option<String> {
    if input.contains("://") {
        return Some("an address".to_owned());
    }
    match kind(input) {
        Some(kind) => {
            let called = KINDS.iter().find(|(ending, _)| *ending == kind).map(|(_, name)| *name);
            let called = called.unwrap_or(kind);
            let article = if called.starts_with(['a', 'e', 'i', 'o', 'x']) { "an" } else { "a" };
            Some(format!("{article} {called} file"))
        }
        None => input.contains('/').then(|| "a path".to_owned()),
    }
}

/// The ending of a file's name that says what kind it is.
fn kind(input: &str) -> Option<&str> {
    let name = input.rsplit('/').next().unwrap_or(input);
    let (_, kind) = name.rsplit_once('.')?;
    let is_kind = kind.len() <= MAX_KIND_CHARS
        && kind.starts_with(|c: char| c.is_ascii_alphabetic())
        && kind.chars().all(|c| c.is_ascii_alphanumeric())
        && !input.contains("://");
    is_kind.then_some(kind)
}

/// A text with every whole occurrence of an input replaced.
fn replaced(text: &str, input: &str, name: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(input) {
        let (before, after) = (&rest[..at], &rest[at + input.len()..]);
        out.push_str(before);
        let before = out.chars().next_back();
        out.push_str(if is_whole(before, input, after) { name } else { input });
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Whether an input stands by itself: `1.4.0` does in `v1.4.0`, and not in `21.4.0` or `1.4.01`. Nor does it
/// where a letter follows, with which the name of an argument would be another one.
fn is_whole(before: Option<char>, input: &str, after: &str) -> bool {
    let (first, next) = (input.chars().next(), after.chars().next());
    let is_number = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let joins_before = match before {
        Some(c) if is_number(first) => c.is_ascii_digit() || c == '.',
        Some(c) => c.is_alphanumeric() || matches!(c, '/' | '_' | '-'),
        None => false,
    };
    // `1.4.0.` ends a sentence, `1.4.0.1` goes on.
    let goes_on = next == Some('.') && after[1..].starts_with(|c: char| c.is_ascii_digit());
    let joins_after =
        next.is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '[')) || goes_on;
    !joins_before && !joins_after
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put_into(action: &str, inputs: &[&str]) -> String {
        let inputs: Vec<String> = inputs.iter().map(|input| (*input).to_owned()).collect();
        let mut steps = [Step { action: action.to_owned(), done: String::new() }];
        put(&mut steps, &inputs);
        let [step] = steps;
        step.action
    }

    #[test]
    fn one_input_is_all_arguments_and_several_have_their_places() {
        assert_eq!(put_into("Run `git tag v1.4.0`.", &["1.4.0"]), "Run `git tag v$ARGUMENTS`.");
        assert_eq!(
            put_into("Run `cp a.txt b/a.txt 1.4.0`.", &["b/a.txt", "1.4.0", "a.txt"]),
            "Run `cp $ARGUMENTS[2] $ARGUMENTS[0] $ARGUMENTS[1]`."
        );
    }

    #[test]
    fn a_phrase_loses_what_was_particular_and_what_led_to_it() {
        let of = |phrase: &str, inputs: &[&str]| {
            let inputs: Vec<String> = inputs.iter().map(|input| (*input).to_owned()).collect();
            without(phrase, &inputs)
        };
        assert_eq!(
            of("bump the version to 1.4.0 and tag the release", &["1.4.0"]),
            "bump the version and tag the release"
        );
        assert_eq!(of("tag release 1.4.0 of the shop", &["1.4.0"]), "tag release of the shop");
        assert_eq!(of("add tests for src/lib.rs", &["src/lib.rs"]), "add tests for a Rust file");
        assert_eq!(
            of("convert a.csv to out/b.parquet with duckdb", &["a.csv", "out/b.parquet"]),
            "convert a csv file to a parquet file with duckdb"
        );
        let fetch =
            of("fetch https://example.org/x1 into ~/x1", &["https://example.org/x1", "~/x1"]);
        assert_eq!(fetch, "fetch an address into a path");
        assert_eq!(of("check in.xml", &["in.xml"]), "check an xml file");
        assert_eq!(of("die Version auf 2.3.0 anheben", &["2.3.0"]), "die Version auf … anheben");
        assert_eq!(of("把 a/s.csv 转换成 parquet", &["a/s.csv"]), "把 csv 转换成 parquet");
        assert_eq!(of("tag 1.4.0", &["1.4.0"]), "tag 1.4.0");
        assert_eq!(of("tidy the notes", &[]), "tidy the notes");
    }

    #[test]
    fn a_part_of_another_word_is_left_alone() {
        for text in ["21.4.0", "1.4.01", "1.4.0.1", "1.4.0rc", "3.1.4.0"] {
            assert_eq!(put_into(text, &["1.4.0"]), text);
        }
        assert_eq!(put_into("my/a.txt", &["a.txt"]), "my/a.txt");
        assert_eq!(put_into("to 1.4.0.", &["1.4.0"]), "to $ARGUMENTS.");
    }
}

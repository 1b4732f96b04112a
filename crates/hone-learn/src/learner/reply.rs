//! What the author of a lesson said: CREATE, REFINE, KEEP or SKIP, and the text that goes with it.
//!
//! A reply is data of unknown quality. Fences, thoughts and words around the decision are taken off; what
//! is still no decision, or a skill without a name, is refused. Nothing is ever given a made-up name.

use hone_agent::model::Reply as Said;
use hone_skill::Slug;

/// Bytes of a reply that are read at most.
pub const MAX_REPLY_BYTES: usize = 256 * 1024;

/// Edits of one refinement at most.
pub const MAX_EDITS: usize = 20;

/// Example messages of each kind at most.
pub const MAX_EXAMPLES: usize = 8;

/// Characters of an example message at most.
pub const MAX_EXAMPLE_CHARS: usize = 500;

/// What the author decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// A skill that is not there yet.
    Create(Written),
    /// Another version of a skill that is.
    Refine {
        /// Which, as the author wrote it.
        name: String,
        /// How.
        change: Change,
        /// Messages that should call it, beside those that it knows.
        examples: Vec<Example>,
    },
    /// The skills say it already.
    Keep,
    /// There is nothing to learn.
    Skip,
}

/// A whole skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// Its declared name.
    pub name: String,
    /// The whole text, frontmatter included.
    pub text: String,
    /// Messages that should, and should not, call it.
    pub examples: Vec<Example>,
}

/// How a skill is to be changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Piece by piece.
    Edits(Vec<Replaced>),
    /// By another text.
    Whole(String),
}

/// One piece of a text and what stands there instead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Replaced {
    /// The steps that taught it, as the author named them.
    pub because: Vec<String>,
    /// What is there.
    pub old: String,
    /// What should be.
    pub new: String,
}

/// A message and whether it should call the skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    /// The message.
    pub message: String,
    /// Whether it should.
    pub should_call: bool,
}

/// Why a reply is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// Nothing was said.
    #[error("the reply is empty")]
    Empty,
    /// It is longer than anything that is read.
    #[error("the reply has more than {MAX_REPLY_BYTES} bytes")]
    TooLong,
    /// It was cut at the limit of tokens.
    #[error("the reply was cut at its limit of tokens")]
    Cut,
    /// There is no decision in it.
    #[error("the reply says neither CREATE, REFINE, KEEP nor SKIP")]
    NoDecision,
    /// A new skill without frontmatter.
    #[error("the new skill has no frontmatter")]
    NoFrontmatter,
    /// A skill without a name.
    #[error("the skill has no name")]
    NoName,
    /// A refinement without a change.
    #[error("the refinement changes nothing")]
    NoChange,
    /// An edit that is not whole.
    #[error("an edit is not whole: it needs <<<<<<<, ======= and >>>>>>>")]
    HalfEdit,
    /// Too many edits.
    #[error("the refinement has more than {MAX_EDITS} edits")]
    TooManyEdits,
}

/// Reads a reply.
pub fn read(said: &Said) -> Result<Decision, Unreadable> {
    if said.text.len() > MAX_REPLY_BYTES {
        return Err(Unreadable::TooLong);
    }
    let decision = parse(&said.text)?;
    // Half a skill is none; half a SKIP is one.
    match decision {
        Decision::Create(_) | Decision::Refine { .. } if said.is_cut => Err(Unreadable::Cut),
        decision => Ok(decision),
    }
}

fn parse(text: &str) -> Result<Decision, Unreadable> {
    let text = without_thoughts(text);
    let text = unfenced(text.trim_start_matches('\u{feff}').trim());
    if text.is_empty() {
        return Err(Unreadable::Empty);
    }
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let rest = &text[offset + line.len()..];
        match word(line) {
            Some(Word::Create) => return create(rest),
            Some(Word::Refine(name)) => return refine(name, rest),
            Some(Word::Keep) => return Ok(Decision::Keep),
            Some(Word::Skip) => return Ok(Decision::Skip),
            // A whole skill without a word before it says what it is.
            None if line.trim_end() == "---" => return create(&text[offset..]),
            None => offset += line.len(),
        }
    }
    Err(Unreadable::NoDecision)
}

enum Word<'t> {
    Create,
    Refine(&'t str),
    Keep,
    Skip,
}

/// The decision that a line is, whatever stands around the word. Prose that has it inside is none.
fn word(line: &str) -> Option<Word<'_>> {
    let is_around = |c: char| c.is_whitespace() || "*_`#>:.\"'".contains(c);
    let mut line = line.trim_matches(is_around);
    for label in ["decision", "answer", "verdict", "reply"] {
        if let Some(rest) = strip_word(line, label) {
            line = rest.trim_start_matches(is_around);
        }
    }
    if let Some(name) = strip_word(line, "refine") {
        let name = name.trim_matches(is_around);
        let name = name.split_whitespace().next().unwrap_or_default().trim_matches(is_around);
        return Some(Word::Refine(name));
    }
    for (name, decision) in [("create", Word::Create), ("keep", Word::Keep), ("skip", Word::Skip)] {
        let Some(rest) = strip_word(line, name) else { continue };
        let is_alone = rest.trim_matches(is_around).is_empty();
        // `SKIP: nothing to learn` and `CREATE tidy-logs` are decisions, `keep in mind that` is not.
        let is_said = rest.starts_with([':', '.', '*', '`', '-', '—']) || is_shouted(line);
        if is_alone || is_said {
            return Some(decision);
        }
    }
    line.eq_ignore_ascii_case("nothing").then_some(Word::Skip)
}

fn is_shouted(line: &str) -> bool {
    let word = line.split(|c: char| !c.is_ascii_alphabetic()).next().unwrap_or_default();
    word.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn strip_word<'t>(line: &'t str, word: &str) -> Option<&'t str> {
    let head = line.get(..word.len())?;
    let rest = &line[word.len()..];
    let is_end = !rest.starts_with(|c: char| c.is_alphanumeric());
    (head.eq_ignore_ascii_case(word) && is_end).then_some(rest)
}

fn create(rest: &str) -> Result<Decision, Unreadable> {
    let (text, examples) = parts(rest);
    let text = skill_in(text).ok_or(Unreadable::NoFrontmatter)?;
    let name = declared_name(&text).ok_or(Unreadable::NoName)?;
    Ok(Decision::Create(Written { name, text, examples }))
}

fn refine(name: &str, rest: &str) -> Result<Decision, Unreadable> {
    let (text, examples) = parts(rest);
    let edits = edits(text)?;
    let change = if edits.is_empty() {
        Change::Whole(skill_in(text).ok_or(Unreadable::NoChange)?)
    } else {
        Change::Edits(edits)
    };
    let name = match (&change, name.is_empty()) {
        (Change::Whole(text), true) => declared_name(text).ok_or(Unreadable::NoName)?,
        (_, true) => return Err(Unreadable::NoName),
        (_, false) => name.to_owned(),
    };
    Ok(Decision::Refine { name, change, examples })
}

/// The declared name of a skill, unless it is no name that can be kept.
fn declared_name(text: &str) -> Option<String> {
    let skill = hone_skill::read(text.as_bytes(), None).skill?;
    let title = skill.title().trim().to_owned();
    Slug::new(&title).ok().map(|_| title)
}

/// The skill in a text: from its frontmatter on, without a fence around it.
fn skill_in(text: &str) -> Option<String> {
    let mut start = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_end() == "---" {
            start = Some(offset);
            break;
        }
        offset += line.len();
    }
    let start = start?;
    let mut found = &text[start..];
    let is_fenced = text[..start].lines().any(|line| line.trim_start().starts_with("```"));
    if is_fenced && let Some(end) = found.rfind("\n```") {
        found = &found[..=end];
    }
    let found = found.trim_end();
    let is_closed = found.lines().skip(1).any(|line| line.trim_end() == "---");
    is_closed.then(|| format!("{found}\n"))
}

/// The text before the line `TRIGGERS`, and the example messages behind it.
fn parts(text: &str) -> (&str, Vec<Example>) {
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim().trim_matches(|c: char| "*#:_ ".contains(c));
        if bare == "TRIGGERS" {
            return (&text[..offset], examples(&text[offset + line.len()..]));
        }
        offset += line.len();
    }
    (text, Vec::new())
}

fn examples(text: &str) -> Vec<Example> {
    let mut examples: Vec<Example> = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        let Some(message) = line.strip_prefix(['-', '*', '+']) else { continue };
        let message = message.trim();
        let (should_call, message) = match strip_word(message, "not") {
            Some(rest) if rest.starts_with(':') => (false, &rest[1..]),
            _ => (true, message),
        };
        let message = message.trim().trim_matches('"').trim();
        let message: String = message.chars().take(MAX_EXAMPLE_CHARS).collect();
        let alike = examples.iter().filter(|known| known.should_call == should_call).count();
        let is_known = examples.iter().any(|known| known.message == message);
        if !message.is_empty() && !is_known && alike < MAX_EXAMPLES {
            examples.push(Example { message, should_call });
        }
    }
    examples
}

/// The edits of a refinement: `EDIT because STEP`, then a piece between marks and what replaces it.
fn edits(text: &str) -> Result<Vec<Replaced>, Unreadable> {
    let mut edits = Vec::new();
    let mut because = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(rest) = strip_word(line.trim().trim_matches(|c| c == '*' || c == '#'), "edit") {
            because = steps(rest);
        }
        if !line.trim_end().starts_with("<<<<<<<") {
            continue;
        }
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let mut is_whole = false;
        let mut is_new = false;
        for line in lines.by_ref() {
            let mark = line.trim_end();
            if mark.starts_with(">>>>>>>") {
                is_whole = is_new;
                break;
            } else if mark == "=======" && !is_new {
                is_new = true;
            } else if is_new {
                new.push(line);
            } else {
                old.push(line);
            }
        }
        if !is_whole {
            return Err(Unreadable::HalfEdit);
        }
        let (old, new) = (old.join("\n"), new.join("\n"));
        if old.trim().is_empty() || old == new {
            continue;
        }
        if edits.len() == MAX_EDITS {
            return Err(Unreadable::TooManyEdits);
        }
        edits.push(Replaced { because: std::mem::take(&mut because), old, new });
    }
    Ok(edits)
}

/// The steps that a line names: every word with a digit in it.
fn steps(text: &str) -> Vec<String> {
    let words = text.split(|c: char| c.is_whitespace() || ",;:()[]".contains(c));
    let words = words.filter(|word| word.chars().any(|c| c.is_ascii_digit()));
    words.map(|word| word.trim_matches('#').to_owned()).take(MAX_EDITS).collect()
}

/// A text without what a model thought aloud before it spoke.
fn without_thoughts(text: &str) -> &str {
    match text.rfind("</think>") {
        Some(end) => &text[end + "</think>".len()..],
        None => text,
    }
}

/// A text without the fence that is around all of it.
fn unfenced(text: &str) -> &str {
    let Some(rest) = text.strip_prefix("```") else { return text };
    let Some((info, rest)) = rest.split_once('\n') else { return text };
    let is_info = info.trim().chars().all(|c| c.is_ascii_alphanumeric());
    match rest.trim_end().strip_suffix("```") {
        Some(inside) if is_info => inside.trim(),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use hone_agent::model::Usage;

    use super::*;

    fn said(text: &str) -> Said {
        let usage = Usage { input: 1, output: 1, is_estimate: false };
        Said { text: text.to_owned(), model: "m".to_owned(), usage, is_cut: false }
    }

    fn read(text: &str) -> Result<Decision, Unreadable> {
        super::read(&said(text))
    }

    const SKILL: &str =
        "---\nname: tidy-logs\ndescription: Tidies logs. Use when logs are long.\n---\n1. Sort.\n";

    fn created(text: &str) -> Written {
        match read(text).unwrap() {
            Decision::Create(written) => written,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_new_skill_is_read_with_its_examples() {
        let text = format!(
            "CREATE\n{SKILL}\nTRIGGERS\n- tidy these logs\n- NOT: tidy my room\n- \"tidy these logs\"\n"
        );
        let example = |message: &str, should_call| Example { message: message.into(), should_call };
        assert_eq!(
            created(&text),
            Written {
                name: "tidy-logs".to_owned(),
                text: SKILL.to_owned(),
                examples: vec![example("tidy these logs", true), example("tidy my room", false)],
            }
        );
    }

    #[test]
    fn y9_fences_and_words_around_a_skill_leave_the_same_skill() {
        for text in [
            SKILL.to_owned(),
            format!("```markdown\n{SKILL}```"),
            format!("```\nCREATE\n{SKILL}\n```"),
            format!("CREATE\n\n```markdown\n{SKILL}```\n\nI hope this helps."),
            format!("**CREATE**\n{SKILL}"),
            format!("Decision: CREATE\n{SKILL}"),
            format!("<think>should I SKIP?\nSKIP\n</think>\nCREATE\n{SKILL}"),
            format!("\u{feff}Here is what I learned.\n\nCREATE tidy-logs\n{SKILL}"),
        ] {
            let written = created(&text);
            assert_eq!(
                (written.name.as_str(), written.text.as_str()),
                ("tidy-logs", SKILL),
                "{text}"
            );
        }
    }

    #[test]
    fn y10_skip_and_keep_are_decisions_and_prose_is_none() {
        for text in
            ["SKIP", "skip", "SKIP: a one-off story", "**Skip.**", "nothing", "Answer: SKIP"]
        {
            assert_eq!(read(text), Ok(Decision::Skip), "{text}");
        }
        assert_eq!(read("KEEP - the skill says it already"), Ok(Decision::Keep));
        for text in ["keep in mind that logs are long", "I would create a skill", "ok"] {
            assert_eq!(read(text), Err(Unreadable::NoDecision), "{text}");
        }
        assert_eq!(read(" \n"), Err(Unreadable::Empty));
    }

    #[test]
    fn y12_a_skill_without_a_name_or_frontmatter_is_refused() {
        assert_eq!(read("CREATE\n---\ndescription: Tidies.\n---\nx\n"), Err(Unreadable::NoName));
        assert_eq!(
            read("CREATE\n---\nname: \"***\"\ndescription: d\n---\nx\n"),
            Err(Unreadable::NoName)
        );
        assert_eq!(read("CREATE\njust a body\n"), Err(Unreadable::NoFrontmatter));
        assert_eq!(read("CREATE\n---\nname: half\n"), Err(Unreadable::NoFrontmatter));
    }

    #[test]
    fn a_refinement_is_a_set_of_edits_with_the_steps_that_taught_them() {
        let text = "REFINE `tidy-logs`\n\nEDIT because step t1.4, t1.6\n<<<<<<<\n1. Sort.\n=======\n\
                    1. Sort by time.\n>>>>>>>\n\nEDIT\n<<<<<<< old\na\nb\n=======\n>>>>>>> new\n\
                    TRIGGERS\n- sort the log by time\n";
        let expected = Decision::Refine {
            name: "tidy-logs".to_owned(),
            change: Change::Edits(vec![
                Replaced {
                    because: vec!["t1.4".to_owned(), "t1.6".to_owned()],
                    old: "1. Sort.".to_owned(),
                    new: "1. Sort by time.".to_owned(),
                },
                Replaced { because: Vec::new(), old: "a\nb".to_owned(), new: String::new() },
            ]),
            examples: vec![Example {
                message: "sort the log by time".to_owned(),
                should_call: true,
            }],
        };
        assert_eq!(read(text), Ok(expected));
    }

    #[test]
    fn a_refinement_may_be_a_whole_text_and_never_nothing() {
        let whole = read(&format!("REFINE tidy-logs\n```\n{SKILL}```\n")).unwrap();
        let change = Change::Whole(SKILL.to_owned());
        let name = "tidy-logs".to_owned();
        assert_eq!(whole, Decision::Refine { name, change, examples: Vec::new() });
        assert_eq!(read("REFINE tidy-logs\nmake it better"), Err(Unreadable::NoChange));
        assert_eq!(read("REFINE\n<<<<<<<\na\n=======\nb\n>>>>>>>"), Err(Unreadable::NoName));
        assert_eq!(read("REFINE x\n<<<<<<<\na\n=======\nb\n"), Err(Unreadable::HalfEdit));
        assert_eq!(read("REFINE x\n<<<<<<<\na\n>>>>>>>\n"), Err(Unreadable::HalfEdit));
    }

    #[test]
    fn a_reply_that_was_cut_writes_nothing() {
        let cut = |text: &str| super::read(&Said { is_cut: true, ..said(text) });
        assert_eq!(cut(&format!("CREATE\n{SKILL}")), Err(Unreadable::Cut));
        assert_eq!(cut("SKIP because"), Ok(Decision::Skip));
    }

    #[test]
    fn bounds_hold_at_and_past_the_limit() {
        let edit = |n: usize| format!("EDIT\n<<<<<<<\na{n}\n=======\nb\n>>>>>>>\n");
        let of = |count: usize| format!("REFINE x\n{}", (0..count).map(edit).collect::<String>());
        assert!(read(&of(MAX_EDITS)).is_ok());
        assert_eq!(read(&of(MAX_EDITS + 1)), Err(Unreadable::TooManyEdits));
        let skip = |length: usize| format!("SKIP{}", " ".repeat(length - 4));
        assert_eq!(read(&skip(MAX_REPLY_BYTES)), Ok(Decision::Skip));
        assert_eq!(read(&skip(MAX_REPLY_BYTES + 1)), Err(Unreadable::TooLong));
        let lines: Vec<String> = (0..=MAX_EXAMPLES).map(|n| format!("- message {n}")).collect();
        let lines = lines.join("\n");
        assert_eq!(
            created(&format!("CREATE\n{SKILL}TRIGGERS\n{lines}")).examples.len(),
            MAX_EXAMPLES
        );
    }
}

//! Sentences that turn an agent against its user.
//!
//! Words are mapped to concepts ([`lexicon`]), texts to sequences of them ([`sentences`]), and
//! attacks are sequences of concepts ([`patterns`], [`acts`]), sets of them ([`orders`]) or roles that meet
//! ([`frames`]); the language does not matter. What every language says alike is put together from stems
//! ([`grammar`]). Steps that belong
//! together only across a section, such as a download and its password, have modules of their own
//! ([`droppers`], [`sending`]), as have files inside links ([`carried`]).

mod acts;
mod addressing;
mod bare;
mod broken;
mod carried;
mod dealings;
mod dropper_signs;
mod droppers;
mod evidence;
mod frames;
mod grammar;
mod items;
mod lexicon;
mod markers;
mod orders;
mod patterns;
mod phrases;
mod pictures;
mod planted;
mod sayings;
mod scope;
mod sending;
mod sentences;
mod steps;
#[cfg(test)]
mod tests;
mod texts;
mod traditional;
mod wording;

use std::borrow::Cow;
use std::ops::Range;

use super::Skill;
use super::finding::{Context, Severity};
use super::findings::{Findings, Match};
use super::kind::{Language, has_extension};
use super::passage::{Passage, Place};
use super::rules;

pub(crate) use lexicon::is_unspaced;
pub(crate) use planted::is_planted;
pub(crate) use texts::is_catalogue as is_list;

use acts::{SEEN_ACTS, UNASKED, UNSAID, UNSEEN_ACTS};
use addressing::is_addressed;
use lexicon::{Concept, Set};
use patterns::{HIDDEN, PATTERNS, Pattern};
use sentences::{Saying, Sentence, read};

/// Looks at one passage by itself: hidden and decoded text, strings of settings, comments of code.
pub(crate) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if is_sample(passage, skill) {
        return;
    }
    markers::look(passage, findings);
    carried::look(passage, findings);
    pictures::look(passage, skill, findings);
    planted::look(passage, skill, findings);
    match passage.language {
        Language::Json | Language::Yaml | Language::Toml | Language::Ini => {
            let mentioned = is_catalogue(passage, skill)
                .then(|| Passage { context: Context::Mention, ..passage.clone() });
            let passage = mentioned.as_ref().unwrap_or(passage);
            for range in texts::strings(passage.language, &passage.text) {
                let piece = Piece::new(passage, range);
                piece.look(findings, Bar::Setting);
                orders::look(&piece, piece.set, skill, findings);
            }
        }
        Language::Markdown | Language::Plain | Language::Html
            if passage.context == Context::Hidden =>
        {
            let piece = Piece::whole(passage);
            piece.look(findings, Bar::Hidden);
            orders::look(&piece, piece.set, skill, findings);
            frames::look(&piece, findings);
        }
        // A block without a language may be prose that was indented.
        Language::Plain | Language::Shell
            if passage.context == Context::Fence && passage.decoded.is_none() =>
        {
            Piece::whole(passage).look(findings, Bar::Block);
        }
        language
            if language.runs()
                && passage.decoded.is_none()
                && matches!(passage.context, Context::Script | Context::Fence) =>
        {
            for range in texts::comments(language, &passage.text) {
                let piece = Piece::new(passage, range);
                piece.look(findings, Bar::Comment);
                if piece.set.has(Concept::Agent) {
                    orders::look(&piece, piece.set, skill, findings);
                }
            }
            if passage.context == Context::Script && !is_sampled(passage, skill) {
                for range in texts::literals(language, &passage.text) {
                    let piece = Piece::new(passage, range);
                    piece.look(findings, Bar::Literal);
                    if piece.is_taking() && piece.set.has(Concept::Agent) {
                        orders::look(&piece, piece.set, skill, findings);
                    }
                }
            }
            let column = texts::column(language, &passage.text);
            if !column.is_empty() {
                Piece::whole(&joined(passage, column)).look(findings, Bar::Comment);
            }
        }
        _ => {}
    }
}

/// Whether a settings file lists attacks for a detector or a test, by its keys or its place.
fn is_catalogue(passage: &Passage<'_>, skill: &Skill<'_>) -> bool {
    let path = skill.members.get(passage.file).map_or("", |member| member.path.as_str());
    passage.context == Context::Setting
        && !path.to_ascii_lowercase().contains(".md")
        && (skill.catalogues.get(passage.file).copied().unwrap_or_default()
            || texts::is_test(path)
            || is_about_attacks(skill))
}

/// Whether the strings of a script may be samples: those of a test, or of a skill about attacks.
fn is_sampled(passage: &Passage<'_>, skill: &Skill<'_>) -> bool {
    let path = skill.members.get(passage.file).map_or("", |member| member.path.as_str());
    texts::is_test(path) || is_about_attacks(skill)
}

/// Whether a table of a skill about attacks holds samples of them.
fn is_sample(passage: &Passage<'_>, skill: &Skill<'_>) -> bool {
    let path = skill.members.get(passage.file).map_or("", |member| member.path.as_str());
    ["csv", "tsv", "jsonl"].iter().any(|table| has_extension(path, table))
        && is_about_attacks(skill)
}

/// Whether a skill says that it detects or withstands attacks, so that its data may hold some.
fn is_about_attacks(skill: &Skill<'_>) -> bool {
    const WORDS: [&str; 12] = [
        "injection",
        "injected instruction",
        "hostile",
        "jailbreak",
        "phishing",
        "red team",
        "red-team",
        "adversarial",
        "detector",
        "firewall",
        "moderation",
        "malicious",
    ];
    let said = format!("{} {}", skill.subject.name, skill.subject.description).to_lowercase();
    WORDS.iter().any(|word| said.contains(word))
}

/// Looks at the prose of a skill in order, and at what stands together only across a section.
pub(crate) fn look_across(
    passages: &[Passage<'_>],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    let spelled = spelled_out(passages);
    for passage in &spelled {
        let piece = Piece::whole(passage);
        orders::look(&piece, piece.set, skill, findings);
        sending::look(&[piece], skill, findings);
    }
    let mut section: Vec<Piece<'_, '_>> = Vec::new();
    for passage in passages.iter().filter(|passage| {
        is_prose(passage) && !is_catalogue(passage, skill) && !is_sample(passage, skill)
    }) {
        bare::look(passage, skill, findings);
        let piece = Piece::whole(passage);
        if is_laid_out(passage, skill) {
            piece.look(findings, Bar::Block);
            continue;
        }
        if is_padded(passage) {
            let hidden = Passage { context: Context::Hidden, ..passage.clone() };
            Piece::whole(&hidden).look(findings, Bar::Hidden);
        } else if passage.language != Language::Html || !passage.text.contains('<') {
            piece.look(
                findings,
                if passage.language == Language::Plain && is_code_like(&passage.text) {
                    Bar::Block
                } else {
                    Bar::Shown
                },
            );
        }
        if section.last().is_some_and(|last| {
            last.passage.file != passage.file || last.passage.headings != passage.headings
        }) {
            end_section(&section, skill, findings);
            section.clear();
        }
        section.push(piece);
    }
    end_section(&section, skill, findings);
    droppers::look(passages, skill, findings);
    findings.settle(evidence::needed(evidence::length(passages)));
}

/// Bytes of a block that is read as a part of the sentences around it, and of those sentences.
const MAX_SPELLED: usize = 240;
const MAX_AROUND: usize = 1024;

/// A block of one command that reaches an address, with the paragraphs before and after it: `Fetch the rules:`,
/// the command, `Treat its text as part of this skill.` Somebody who writes it as a span says the same.
fn spelled_out<'a>(passages: &[Passage<'a>]) -> Vec<Passage<'a>> {
    let is_text = |passage: &Passage<'_>| {
        is_prose(passage)
            && passage.context == Context::Prose
            && passage.text.len() <= MAX_AROUND
            && passage.decoded.is_none()
    };
    let mut found = Vec::new();
    for at in 1..passages.len() {
        let (block, after) = (&passages[at - 1], &passages[at]);
        let command = block.text.trim();
        let fits = block.context == Context::Fence
            && block.decoded.is_none()
            && command.len() <= MAX_SPELLED
            && !command.contains(['\n', '`'])
            && command.contains("://")
            && is_fetch(command)
            && is_text(after)
            && block.file == after.file;
        if !fits {
            continue;
        }
        let lead = at.checked_sub(2).map(|at| &passages[at]).filter(|lead| {
            is_text(lead) && lead.file == after.file && lead.headings == after.headings
        });
        let lead = lead.map_or("", |lead| lead.text.trim());
        let said = format!("{lead} Fetch: `{command}`. {}", after.text.trim());
        found.push(joined(after, said));
    }
    found
}

/// Whether a command fetches a text.
fn is_fetch(command: &str) -> bool {
    #[rustfmt::skip]
    const PROGRAMS: [&str; 12] = [
        "curl", "wget", "http", "https", "xh", "lynx", "fetch", "irm", "iwr", "invoke-restmethod", "invoke-webrequest", "w3m",
    ];
    let mut words = command.trim_start_matches(['$', '>', '%', ' ']).split_whitespace();
    words.next().is_some_and(|first| PROGRAMS.contains(&first.to_ascii_lowercase().as_str()))
}

/// Whether a text is a table or is set by TeX: its cells and macros are no sentences one after the other. Cells
/// that are sentences are read as passages of their own.
fn is_laid_out(passage: &Passage<'_>, skill: &Skill<'_>) -> bool {
    let path = skill.members.get(passage.file).map_or("", |member| member.path.as_str());
    let has = |endings: &[&str]| endings.iter().any(|ending| has_extension(path, ending));
    has(&["tex", "sty", "cls", "bst", "bib"])
        || has(&["csv", "tsv"]) && passage.text.trim_end().contains('\n')
}

/// Files without a known language that are recipes all the same: most lines are not sentences.
fn is_code_like(text: &str) -> bool {
    const RECIPES: [&str; 8] =
        ["FROM ", "RUN ", "COPY ", "ENV ", "server {", "[Unit]", "#include", "resource \""];
    text.lines()
        .filter(|line| RECIPES.iter().any(|word| line.trim_start().starts_with(word)))
        .take(2)
        .count()
        == 2
}

fn starts_with(text: &str, word: &str) -> bool {
    text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word))
}

fn end_section(section: &[Piece<'_, '_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    sending::look(section, skill, findings);
    steps::look(section, findings);
    planted::look_across(section, skill, findings);
    let all = section.iter().fold(Set::NONE, |set, piece| set.with(piece.set));
    for piece in section {
        orders::look(piece, all, skill, findings);
        frames::look(piece, findings);
    }
    items::look(section, findings);
    broken::look(section, findings);
    // What is to be destroyed, and that nobody is to be asked, often stand in different steps.
    let set = all;
    if set.has(Concept::NoAsk)
        && section.iter().all(|piece| !piece.set.has(Concept::NoAsk) || piece.refuses_to_ask())
    {
        for piece in section {
            piece.look_for(UNASKED, findings, Bar::Shown, Some(set));
        }
    }
    if set.meets(Set::of(&[Concept::Unsaid, Concept::Covert])) {
        for piece in section {
            piece.look_for(UNSAID, findings, Bar::Shown, Some(set));
        }
    }
}

/// A text put together from parts, at the place of the first.
fn joined<'a>(passage: &Passage<'a>, text: String) -> Passage<'a> {
    let (line, column) = passage.place.position(0);
    Passage {
        text: Cow::Owned(text),
        place: Place::Fixed { line, column },
        decoded: Some("parts put together".to_owned()),
        ..passage.clone()
    }
}

/// Sentences before and after another that belong to it.
const NEAR: usize = 3;

/// Bytes of blanks on a line that push what follows out of sight.
const PADDING: usize = 200;

/// Whether the text stands far to the right of what a reader sees.
fn is_padded(passage: &Passage<'_>) -> bool {
    let Place::Pieces { text, pieces } = &passage.place else { return false };
    pieces.iter().any(|(_, at)| {
        let before = text.plain.get(..*at).unwrap_or_default();
        before.len() - before.trim_end_matches(is_blank).len() >= PADDING
    }) || has_padding(&passage.text)
}

/// A character that shows nothing within a line: of any script, and the lines of a table.
fn is_blank(c: char) -> bool {
    c == '|' || c.is_whitespace() && c != '\n'
}

/// Whether blanks push what follows on their line out of sight.
fn has_padding(text: &str) -> bool {
    let mut blanks = 0;
    text.chars().any(|c| {
        blanks = if is_blank(c) { blanks + c.len_utf8() } else { 0 };
        blanks >= PADDING
    })
}

fn is_prose(passage: &Passage<'_>) -> bool {
    matches!(passage.language, Language::Markdown | Language::Plain | Language::Html)
        && passage.context != Context::Hidden
        && passage.context != Context::Fence
}

/// How much a text may say before it is a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bar {
    /// A reader sees it.
    Shown,
    /// A reader does not see it: any order is one too many.
    Hidden,
    /// A value of a settings file or of the frontmatter: no place for orders to an agent.
    Setting,
    /// A code block without a language: only clear attacks count.
    Block,
    /// A comment of code: only what speaks to an agent or a scanner, or has rules dropped, counts.
    Comment,
    /// A string of code: only what has a secret sent somewhere, said to somebody, counts.
    Literal,
}

/// Whether a sentence calls for attention or names something by its form. A description that everybody sees
/// may well say that agents run, read and talk.
fn names_something(sentence: &Sentence) -> bool {
    const NAMED: Set = Set::of(&[
        Concept::Important,
        Concept::Host,
        Concept::Email,
        Concept::SecretPath,
        Concept::DotEnv,
        Concept::KeyName,
        Concept::Script,
        Concept::Code,
        Concept::SettingsFile,
        Concept::MemoryFile,
        Concept::Account,
    ]);
    sentence.set().meets(NAMED)
}

/// A part of a passage, read as sentences.
struct Piece<'p, 'a> {
    passage: &'p Passage<'a>,
    start: usize,
    sentences: Vec<Sentence>,
    sayings: Vec<Saying>,
    set: Set,
}

impl<'p, 'a> Piece<'p, 'a> {
    fn whole(passage: &'p Passage<'a>) -> Self {
        Self::new(passage, 0..passage.text.len())
    }

    fn new(passage: &'p Passage<'a>, range: Range<usize>) -> Self {
        let text = &passage.text[range.clone()];
        let text: Cow<'_, str> = match passage.language {
            // Escapes of a string become blanks of the same length.
            Language::Json | Language::Yaml | Language::Toml if text.contains('\\') => {
                Cow::Owned(text.replace("\\n", "  ").replace("\\t", "  ").replace("\\\"", " \""))
            }
            _ => Cow::Borrowed(text),
        };
        let (sentences, sayings) = read(&text);
        let set = sentences.iter().fold(Set::NONE, |set, sentence| set.with(sentence.set()));
        Self { passage, start: range.start, sentences, sayings, set }
    }

    fn look(&self, findings: &mut Findings<'_>, bar: Bar) {
        let is_meant = match bar {
            Bar::Comment => {
                self.set.meets(Set::of(&[Concept::Agent, Concept::Scanner])) || self.is_override()
            }
            Bar::Literal => {
                self.is_taking() && (self.set.has(Concept::Agent) || self.is_override())
            }
            _ => true,
        };
        if self.set.is_empty() || !is_meant {
            return;
        }
        // A description may well speak of sending and running; not of secrets, secrecy or the reader.
        const ODD: Set = Set::of(&[
            Concept::SecretPath,
            Concept::DotEnv,
            Concept::Dark,
            Concept::Mute,
            Concept::Important,
            Concept::Conversation,
            Concept::Ignore,
        ]);
        const ACTING: Set = Set::of(&[Concept::Important, Concept::Agent]);
        if bar == Bar::Hidden
            || bar == Bar::Setting && self.set.meets(ODD) && self.set.meets(ACTING)
        {
            self.look_for(HIDDEN, findings, bar, None);
            self.look_for(UNSEEN_ACTS, findings, bar, None);
        }
        if bar == Bar::Hidden {
            self.look_whole(findings);
        }
        self.look_for(PATTERNS, findings, bar, None);
        self.look_for(SEEN_ACTS, findings, bar, None);
    }

    /// Whether the words of an override stand together, whomever they speak to.
    fn is_override(&self) -> bool {
        const WORDS: [Set; 3] = [
            Set::of(&[Concept::Ignore]),
            Set::of(&[Concept::Instructions]),
            Set::of(&[Concept::Previous, Concept::All]),
        ];
        self.sentences.iter().any(|sentence| {
            let set = sentence.set();
            WORDS.iter().all(|part| part.meets(set))
        })
    }

    /// Whether something of the person's is named, and a place to send it to.
    fn is_taking(&self) -> bool {
        let own = [Concept::SecretPath, Concept::DotEnv, Concept::Conversation];
        self.set.meets(Set::of(&own)) && self.set.meets(Set::of(&[Concept::Host, Concept::Email]))
    }

    /// A hidden text that speaks to the agent, has it act, names somebody's host and what is the person's,
    /// in whatever order and however many sentences.
    fn look_whole(&self, findings: &mut Findings<'_>) {
        use Concept::{
            Agent, Carry, Conversation, Copy, Covert, Dark, Data, DotEnv, Email, Endpoint, Fetch,
            Goes, Hide, Host, Hush, Important, PersonData, Read, Remember, Run, SecretPath,
            SecretWord, Send, Todo, Unaware, Unsaid, Waive, Whole,
        };
        const PARTS: [Set; 4] = [
            Set::of(&[Agent, Important]),
            Set::of(&[Run, Send, Read, Copy, Remember, Fetch, Carry, Goes, Endpoint]),
            Set::of(&[Host, Email]),
            Set::of(&[
                Conversation,
                SecretWord,
                SecretPath,
                DotEnv,
                Whole,
                Data,
                Hide,
                Dark,
                Unaware,
                Unsaid,
                Covert,
                Hush,
                PersonData,
                Waive,
            ]),
        ];
        // So many sentences in a row are one order.
        const SENTENCES: usize = 4;
        // Whom it speaks to is said within so many bytes.
        const ADDRESS: usize = 80;
        // `note to the model: the contents of ~/.netrc have to be appended to …`
        let taken = self.sentences.iter().find(|sentence| {
            let set = sentence.set();
            set.meets(Set::of(&[SecretPath, DotEnv]))
                && set.meets(Set::of(&[
                    Concept::Done_,
                    Read,
                    Copy,
                    Send,
                    Carry,
                    Concept::Insert,
                    Run,
                ]))
                && !set.meets(Set::of(&[Concept::Not, Todo, Concept::Placeholder, Concept::Detect]))
        });
        if let Some(sentence) = taken.filter(|_| PARTS[0].meets(self.set)) {
            let message = "hidden text speaks to the agent and has a secret file used";
            let found = Match::new(&rules::HIDDEN_INSTRUCTION, Severity::Critical, message);
            self.add(findings, sentence.range.clone(), found);
        }
        if !PARTS.iter().all(|part| part.meets(self.set)) || self.set.has(Todo) {
            return;
        }
        let one_order =
            self.sentences.windows(SENTENCES.min(self.sentences.len())).find(|window| {
                let set = window.iter().fold(Set::NONE, |set, sentence| set.with(sentence.set()));
                let first = &window[0];
                PARTS.iter().all(|part| part.meets(set))
                    && first.tokens.iter().any(|token| {
                        token.set.meets(PARTS[0])
                            && token.range.start <= first.range.start + ADDRESS
                    })
            });
        if let Some([first, ..]) = one_order {
            let found = Match::new(
                &rules::HIDDEN_INSTRUCTION,
                Severity::Warn,
                "hidden text speaks to the agent and has it act",
            );
            self.add(findings, first.range.clone(), found);
        }
    }

    /// Looks for patterns; what else they ask for stands in the section, if it is given, or in the sentences
    /// around: in a long paragraph, everything is somewhere.
    fn look_for(
        &self,
        patterns: &[Pattern],
        findings: &mut Findings<'_>,
        bar: Bar,
        section: Option<Set>,
    ) {
        let encoded = self.passage.decoded.is_some() && bar == Bar::Hidden;
        for (at, sentence) in self.sentences.iter().enumerate() {
            let around = section.unwrap_or_else(|| self.around(at));
            let tokens = sentence.tokens.iter();
            let concepts = tokens.fold(Set::NONE, |set, token| set.with(token.set));
            let is_key_kept = self.keeps_key(at);
            for pattern in patterns.iter().filter(|pattern| pattern.may_stand_in(concepts)) {
                let Some(hit) = pattern.find(sentence, around) else { continue };
                if bar == Bar::Setting && pattern.is_about_hidden() && !names_something(sentence) {
                    continue;
                }
                if matches!(bar, Bar::Block | Bar::Literal) && pattern.severity < Severity::Critical
                {
                    continue;
                }
                if matches!(bar, Bar::Hidden | Bar::Setting | Bar::Shown)
                    && self.is_no_order(bar, sentence, &hit.range)
                {
                    continue;
                }
                if pattern.rule.id == rules::ADDRESSES_SCANNER.id
                    && !is_addressed(self, at, &hit.range)
                {
                    continue;
                }
                if is_key_kept && pattern.rule.id == rules::CONCEAL_FROM_USER.id {
                    continue;
                }
                // What somebody asked for may stay out of a report.
                if bar == Bar::Shown
                    && pattern.severity < Severity::Critical
                    && pattern.rule.id == rules::CONCEAL_FROM_USER.id
                    && around.has(Concept::Consent)
                {
                    continue;
                }
                let rule = match bar {
                    Bar::Hidden if encoded => &rules::ENCODED_INSTRUCTION,
                    Bar::Hidden => &rules::HIDDEN_INSTRUCTION,
                    _ => pattern.rule,
                };
                let severity = if hit.mention { Severity::Info } else { pattern.severity };
                let found = Match::new(rule, severity, pattern.message);
                if bar == Bar::Hidden {
                    self.add(findings, hit.range, found);
                } else {
                    self.weigh(findings, hit.range, found);
                }
            }
        }
    }

    /// The concepts of a sentence and of those near it.
    fn around(&self, at: usize) -> Set {
        let end = (at + NEAR + 1).min(self.sentences.len());
        let near = &self.sentences[at.saturating_sub(NEAR)..end];
        near.iter().fold(Set::NONE, |set, sentence| set.with(sentence.set()))
    }

    /// Whether what a sentence keeps out of sight is a key, and nothing goes anywhere: `Put the token in .env; it
    /// must not appear in the chat`, `op read …: pipe it, don't show it`.
    fn keeps_key(&self, at: usize) -> bool {
        const KEYS: Set = Set::of(&[Concept::Opener, Concept::DotEnv]);
        const SECRETS: Set = Set::of(&[Concept::SecretPath, Concept::SecretWord]);
        const MOVED: Set =
            Set::of(&[Concept::Send, Concept::Host, Concept::Email, Concept::CarbonCopy]);
        let sentence = &self.sentences[at];
        let here = sentence.tokens.iter().fold(Set::NONE, |set, token| set.with(token.set));
        let before = at.checked_sub(1).map_or(Set::NONE, |at| self.sentences[at].set());
        if here.has(Concept::Mute) && before.meets(KEYS) {
            return !before.with(here).meets(MOVED);
        }
        let shows = |token: &sentences::Token| {
            const SHOWN: [&str; 4] = ["show", "reveal", "disclos", "display"];
            let from = self.start + token.range.start;
            let said = &self.passage.text[from..self.start + token.range.end];
            SHOWN.iter().any(|word| said.contains(word))
        };
        here.meets(KEYS.with(SECRETS))
            && here.has(Concept::This_)
            && !self.set.meets(MOVED)
            && sentence.tokens.iter().any(shows)
    }

    /// Whether the words of a pattern are those of a licence, of a title with its link, or of the occasions
    /// that a description lists.
    fn is_no_order(&self, bar: Bar, sentence: &Sentence, hit: &Range<usize>) -> bool {
        let all = &self.passage.text;
        let text = &all[self.start + hit.start..self.start + hit.end];
        let lower = text.to_lowercase();
        if bar == Bar::Shown {
            return self.is_seen(hit);
        }
        if lower.starts_with("cc by") || lower.starts_with("cc-by") {
            return true;
        }
        if bar == Bar::Hidden {
            let from = all[..self.start + hit.start].rfind('\n').map_or(self.start, |at| at + 1);
            let line = &all[from.max(self.start)..];
            return texts::is_citation(line.lines().next().unwrap_or_default());
        }
        // Two sentences of a description, the second of which lists words: `Use when: remember, recall`.
        const OCCASIONS: [&str; 5] =
            ["use when:", "triggers:", "triggers on:", "trigger on:", "trigger words:"];
        let speaker = sentence.tokens.iter().find(|token| token.range.start >= hit.start);
        let quoted = speaker.is_some_and(|token| token.quoted);
        let before = all[..self.start + hit.start].to_lowercase();
        let occasion = before.rsplit(['.', ';', '\n']).next().unwrap_or_default();
        // `Triggers: 'be brief', 'talk less'`: what somebody may say.
        let is_listed = OCCASIONS.iter().any(|word| occasion.contains(word))
            && text.matches(['\'', '"']).count() >= 2;
        quoted
            || is_listed
            || self.is_seen(hit)
            || OCCASIONS.iter().any(|word| lower.contains(word))
    }

    /// Whether the words of a pattern are something that an agent is seen doing, as an occasion: `when the
    /// agent starts ignoring rules`. What it is to do is said in another form.
    fn is_seen(&self, hit: &Range<usize>) -> bool {
        const SEEN: [&str; 3] = ["ignoring", "disregarding", "forgetting"];
        const STATES: [&str; 4] = ["starts", "keeps", "is", "begins"];
        const OCCASIONS: [&str; 3] = ["when", "if", "whenever"];
        let all = &self.passage.text;
        let text = &all[self.start + hit.start..self.start + hit.end];
        if !SEEN.iter().any(|verb| starts_with(text, verb)) {
            return false;
        }
        let before = &all[self.start..self.start + hit.start];
        let occasion = before.rsplit(['.', ';', '!']).next().unwrap_or_default().to_lowercase();
        let mut words = occasion.split_whitespace();
        words.next_back().is_some_and(|last| STATES.contains(&last))
            && words.any(|word| OCCASIONS.contains(&word))
    }

    /// Whether a piece that speaks of not asking forbids to ask, rather than to act unasked.
    fn refuses_to_ask(&self) -> bool {
        self.sentences.iter().any(|sentence| {
            sentence.tokens.iter().enumerate().any(|(at, token)| {
                token.set.has(Concept::NoAsk)
                    && !sentence.tokens[..at].iter().any(|before| {
                        before.set.has(Concept::Not)
                            && before.at + 8 >= token.at
                            && before.range.end <= token.range.start
                    })
            })
        })
    }

    fn add(&self, findings: &mut Findings<'_>, range: Range<usize>, found: Match) {
        findings.add(self.passage, self.start + range.start..self.start + range.end, found);
    }
}

//! A block that the prose before it has put into the agent's memory, settings or other skills: what it
//! says becomes a standing order.

use super::super::Skill;
use super::super::finding::{Context, Flow, Severity};
use super::super::findings::{Findings, Match};
use super::super::passage::Passage;
use super::super::rules;
use super::Piece;
#[allow(clippy::enum_glob_use, reason = "conditions are data made of concepts")]
use super::lexicon::Concept::*;
use super::lexicon::Set;
use super::sending::{first, foreign};
use super::sentences::{Sentence, Token, sentences};

/// Longest block that is read as a text to be planted.
const MAX_BLOCK: usize = 4 * 1024;

/// Putting something somewhere.
const PUTS: Set = Set::of(&[Remember, Plant, Copy, Insert, Create, Add_, Edit]);
/// What an agent reads in every session.
const STANDING: Set = Set::of(&[MemoryFile, Memory, SettingsFile, SkillsFolder, SkillsPlace]);
/// Saying that nobody needs to agree.
const UNASKED: Set = Set::of(&[NoAsk, NotAsked, Preapproved, Agreed, SkipFlag, NoWarn]);
/// Saying that nobody is to hear of it.
const UNHEARD: Set = Set::of(&[Dark, Unsaid, Covert, Unaware, LeaveOut, Unheard, Hush]);
/// What is then done.
const DEEDS: Set = Set::of(&[
    Run,
    Send,
    Fetch,
    Follow,
    Destroy,
    DestroyVerb,
    Approve,
    Comply,
    Code,
    ToolCall,
    ToolUse,
    CarbonCopy,
    Carry,
    Goes,
    Insert,
    Add_,
]);

/// Items of a list that are read as what is planted.
const MAX_ITEMS: usize = 16;

/// Looks at lists that a paragraph has put into the agent's memory: `Remember these, in its own words:`.
pub(super) fn look_across(
    section: &[Piece<'_, '_>],
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    for (at, piece) in section.iter().enumerate() {
        // Record in memory: this; that too.
        for two in piece.sentences.windows(2) {
            if is_put(&two[..1]) && says_planted(&two[1]) {
                report(piece, &two[1], "plants an approval in the agent's memory", findings);
            }
        }
        if piece.passage.text.trim_end().ends_with([':', '：']) && is_put(&piece.sentences) {
            // What is to be remembered word for word stands in quotation marks.
            let is_quoted = |item: &&Piece<'_, '_>| {
                item.passage.text.trim_start().starts_with(['"', '\'', '“', '„', '«', '「'])
            };
            for item in section[at + 1..].iter().take(MAX_ITEMS).take_while(is_quoted) {
                planted(item, skill, findings);
            }
        }
    }
}

fn is_put(sentences: &[Sentence]) -> bool {
    sentences.iter().any(|sentence| {
        first(sentence, PUTS).is_some()
            && first(sentence, STANDING).is_some()
            && !sentence.set().meets(Set::of(&[Consent, Ask, If_]))
    })
}

/// Whether a text that code writes tells an agent to act unasked, or so that nobody hears of it.
pub(crate) fn is_planted(text: &str) -> bool {
    sentences(text).iter().any(says_planted)
}

fn says_planted(sentence: &Sentence) -> bool {
    first(sentence, DEEDS.with(Set::of(&[Grant, Give, Role]))).is_some()
        && first(sentence, UNASKED.with(UNHEARD)).is_some()
}

fn report(
    piece: &Piece<'_, '_>,
    sentence: &Sentence,
    message: &'static str,
    findings: &mut Findings<'_>,
) {
    let flow = Flow::new("a standing order", "the agent's memory").when("every session");
    let found = Match::new(&rules::CONTROL_PLANE_WRITE, Severity::Critical, message).with(flow);
    piece.add(findings, sentence.range.clone(), found);
}

/// Looks at a block in the light of the paragraph before it.
pub(super) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    if passage.context != Context::Fence
        || passage.lead.is_empty()
        || passage.text.len() > MAX_BLOCK
        || passage.decoded.is_some()
    {
        return;
    }
    // Most paragraphs before a block name nothing that an agent reads by itself.
    const NAMES: [&str; 12] = [
        ".md",
        "memory",
        "settings",
        "skills",
        "rules",
        "remember",
        "memoria",
        "speicher",
        "gedachtnis",
        "记忆",
        "памят",
        "instructions",
    ];
    if NAMES.iter().any(|name| passage.lead.contains(name)) && is_put(&sentences(&passage.lead)) {
        planted(&Piece::whole(passage), skill, findings);
    }
}

/// What a text says that is read in every session; in quotation marks it says the same.
fn planted(piece: &Piece<'_, '_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    for sentence in &piece.sentences {
        let tokens = sentence.tokens.iter().map(|token| Token { quoted: false, ..token.clone() });
        let sentence = &Sentence { tokens: tokens.collect(), ..sentence.clone() };
        let stranger = || {
            sentence.tokens.iter().filter(|token| token.set.meets(Set::of(&[Host, Email]))).any(
                |token| {
                    let range = piece.start + token.range.start..piece.start + token.range.end;
                    foreign(&piece.passage.text[range], skill, false).is_some()
                },
            )
        };
        let deed = first(sentence, DEEDS).is_some();
        let message = if first(sentence, UNASKED).is_some()
            && (deed || sentence.set().meets(Set::of(&[All, Every])) || stranger())
        {
            "plants an approval in the agent's memory"
        } else if first(sentence, UNHEARD).is_some() && deed {
            "plants an order in the agent's memory that nobody is to hear of"
        } else if deed && stranger() {
            "plants an order of a stranger in the agent's memory"
        } else if sentence.set().has(Fetch)
            && sentence.set().meets(Set::of(&[ObeyIt, ObeyThere]))
            && sentence.set().has(Host)
        {
            "plants an order to obey what a host says each time"
        } else {
            continue;
        };
        report(piece, sentence, message, findings);
    }
}

//! What a clause has an agent do: which stems must meet, and how near to each other.

use std::ops::Range;

use super::Root::{
    self, Accepts, Account, AllTold, Alone, AnyOf, Applies, Binds, Case, Check, Deed, Dialog,
    Dictates, Does, Drops, Earlier, Enters, Gets, Heeds, Hides, Inner, Knowledge, Lacking, Learns,
    Leave, Lifts, Memory, Message, Moral, Must, Narrowed, Nay, Needed, Omits, Person, Prompt,
    Quits, Rein, Repeats, Ruler, Sanctions, Secret, Seeks, Sends, Skips, Step, Tells, There,
    Whatever, You,
};
use super::TONGUES;
use super::clause::Clause;
use crate::scan::Skill;
use crate::scan::finding::Severity;
use crate::scan::findings::{Findings, Match};
use crate::scan::prose::Piece;
use crate::scan::prose::lexicon::{Concept, Set};
use crate::scan::prose::orders::{Address, names_stranger};
use crate::scan::prose::sentences::Sentence;
use crate::scan::rules::{self, Rule};

/// Words between a negation and what it denies.
const DENIED: usize = 5;
/// Words between the parts of one statement.
const TOGETHER: usize = 8;
/// Words between a verb and its object, when the clause is built around them.
const SPREAD: usize = 12;
/// Words between a noun and what tells of what kind it is.
const BESIDE: usize = 3;

/// What a clause is taken for.
struct Stance {
    rule: &'static Rule,
    message: &'static str,
    /// Stems that must be there, whatever else is asked.
    needs: &'static [Root],
    holds: fn(&Clause<'_>) -> bool,
    besides: Besides,
}

/// What must stand beside the stems.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Besides {
    Nothing,
    /// Something that is run or sent.
    Act,
    /// The address of a stranger.
    Stranger,
}

static STANCES: &[Stance] = &[
    Stance {
        rule: &rules::BYPASS_APPROVAL,
        message: "has whatever there is run without the user's leave",
        needs: &[Leave],
        holds: is_unasked,
        besides: Besides::Nothing,
    },
    Stance {
        rule: &rules::BYPASS_APPROVAL,
        message: "answers permission questions in the user's place",
        needs: &[Leave, Accepts, Dialog, Alone],
        holds: is_nodded,
        besides: Besides::Nothing,
    },
    Stance {
        rule: &rules::UNRESTRICTED_PERSONA,
        message: "declares the agent free of its rules",
        needs: &[Rein, You],
        holds: is_unbound,
        besides: Besides::Nothing,
    },
    Stance {
        rule: &rules::FAKE_AUTHORITY,
        message: "lifts safeguards in the name of somebody else",
        needs: &[Ruler, Sanctions],
        holds: is_decreed,
        besides: Besides::Nothing,
    },
    Stance {
        rule: &rules::OVERRIDE_INSTRUCTIONS,
        message: "has the agent drop what it was told",
        needs: &[You],
        holds: is_overruled,
        besides: Besides::Nothing,
    },
    Stance {
        rule: &rules::OVERRIDE_INSTRUCTIONS,
        message: "has the agent drop what it was told",
        needs: &[Drops, Prompt],
        holds: |clause| drops(clause, Prompt) && !clause.has(Case),
        besides: Besides::Nothing,
    },
    Stance {
        rule: &rules::OVERRIDE_INSTRUCTIONS,
        message: "declares what the developer said to be without effect",
        needs: &[Ruler, Dictates, Nay, Binds],
        holds: is_outvoted,
        besides: Besides::Nothing,
    },
    Stance {
        rule: &rules::CONCEAL_FROM_USER,
        message: "has something done that the user is not to know of",
        needs: &[Person],
        holds: is_kept_from,
        besides: Besides::Act,
    },
    Stance {
        rule: &rules::CONCEAL_FROM_USER,
        message: "keeps a step out of what the user is shown",
        needs: &[Account, Step],
        holds: is_left_out,
        besides: Besides::Act,
    },
    Stance {
        rule: &rules::FETCH_AND_OBEY,
        message: "takes its orders from somebody's host",
        needs: &[Gets, Repeats],
        holds: is_obeyed,
        besides: Besides::Stranger,
    },
    Stance {
        rule: &rules::REVEAL_PROMPT,
        message: "gives away the agent's own instructions or tools",
        needs: &[You],
        holds: is_given_away,
        besides: Besides::Stranger,
    },
    Stance {
        rule: &rules::DATA_TO_FOREIGN_HOST,
        message: "has what the agent knows of the user sent to somebody's host",
        needs: &[Sends, Person],
        holds: is_told_on,
        besides: Besides::Stranger,
    },
];

/// Whatever there is is run, and nobody is asked for leave: in so many words, because none is needed, or
/// because the question is passed over.
fn is_unasked(clause: &Clause<'_>) -> bool {
    if clause.has_any(&[Narrowed, Case]) {
        return false;
    }
    let all = clause.near(AnyOf, Deed, BESIDE) || clause.near(Whatever, Does, BESIDE);
    let denied = clause.near(Nay, Seeks, DENIED) || clause.near(Nay, Leave, BESIDE);
    let refused = denied
        && clause.near(Seeks, Leave, SPREAD)
        && (all || clause.has(Person) && clause.has(Deed))
        && !(clause.has(Lacking) && clause.is_denied_besides(Lacking));
    let without = clause.near(Lacking, Leave, DENIED) && !clause.is_denied_besides(Lacking);
    let unneeded = clause.near(Leave, Needed, TOGETHER)
        && (clause.near(Nay, Needed, DENIED) || clause.near(Nay, Deed, 1));
    let skipped = clause.near(Skips, Leave, TOGETHER) && !clause.is_denied(Skips, BESIDE);
    refused || all && (without || unneeded || skipped)
}

/// Questions for leave are answered by the agent itself.
fn is_nodded(clause: &Clause<'_>) -> bool {
    clause.near(Leave, Dialog, BESIDE)
        && clause.near(Accepts, Dialog, TOGETHER)
        && !clause.is_denied(Accepts, BESIDE)
        && !clause.has_any(&[Narrowed, Case])
}

/// Whether rules are meant that hold an agent: those of safety, its own.
fn is_agents(clause: &Clause<'_>) -> bool {
    clause.near(Moral, Rein, BESIDE) || clause.leads(You, Rein, 1)
}

/// Whether what holds is said to hold no longer.
fn is_lifted(clause: &Clause<'_>) -> bool {
    clause.has(Lifts) && !clause.is_denied(Lifts, BESIDE)
        || (clause.near(Nay, Binds, TOGETHER) || clause.near(Quits, Binds, BESIDE))
            && clause.near(Binds, Rein, TOGETHER)
}

fn is_unbound(clause: &Clause<'_>) -> bool {
    is_agents(clause) && is_lifted(clause) && !clause.has_any(&[Narrowed, Case])
}

/// Somebody whose word counts is said to have taken checks or rules away.
fn is_decreed(clause: &Clause<'_>) -> bool {
    let guard =
        clause.has_any(&[Check, Leave]) || is_agents(clause) || clause.leads(You, Rein, BESIDE);
    let taken = is_lifted(clause)
        || clause.has(Skips) && !clause.is_denied(Skips, BESIDE)
        || clause.near(Nay, Needed, BESIDE);
    guard && taken && !clause.has_any(&[Narrowed, Case])
}

fn drops(clause: &Clause<'_>, what: Root) -> bool {
    clause.near(Drops, what, DENIED) && !clause.is_denied(Drops, BESIDE)
}

/// What an agent was told before is to be dropped, or no longer counts.
fn is_overruled(clause: &Clause<'_>) -> bool {
    if clause.has(Case) {
        return false;
    }
    let dropped = clause.has(Earlier) && drops(clause, Rein);
    let replaced = clause.near(You, Dictates, BESIDE)
        && clause.near(Earlier, Dictates, BESIDE)
        && clause.near(Lifts, Dictates, DENIED)
        && !clause.is_denied(Lifts, BESIDE);
    let quit = (clause.near(Quits, Heeds, TOGETHER) || clause.near(Quits, Binds, TOGETHER))
        && clause.near(Earlier, Rein, BESIDE)
        && clause.near(Quits, Rein, TOGETHER);
    dropped || replaced || quit || clause.has_all(&[AllTold, Lifts])
}

/// What the developer said does not count.
fn is_outvoted(clause: &Clause<'_>) -> bool {
    clause.near(Ruler, Dictates, BESIDE)
        && clause.near(Nay, Binds, DENIED)
        && clause.near(Binds, Dictates, TOGETHER)
        && !clause.has(Case)
}

/// The user is not to find out, does not know, or has it hidden from him.
fn is_kept_from(clause: &Clause<'_>) -> bool {
    if clause.has_any(&[Narrowed, Case]) {
        return false;
    }
    let barred = clause.near(Nay, Learns, DENIED)
        && clause.near(Must, Nay, BESIDE)
        && clause.near(Person, Learns, TOGETHER);
    let unknown = clause.near(Knowledge, Person, DENIED)
        && (clause.near(Lacking, Knowledge, DENIED) || !clause.has(Lacking))
        && !clause.is_denied_besides(Knowledge);
    let hidden = clause.near(Hides, Person, DENIED)
        && (clause.has(Step) || clause.has(Does) && clause.near(Secret, Person, DENIED))
        && !clause.is_denied(Hides, BESIDE);
    let unneeded = clause.near(Nay, Needed, BESIDE)
        && clause.near(Needed, Tells, DENIED)
        && clause.near(Tells, Person, BESIDE);
    barred || unknown || hidden || unneeded
}

/// A step is to stay out of the report of it.
fn is_left_out(clause: &Clause<'_>) -> bool {
    if clause.has_any(&[Narrowed, Case]) {
        return false;
    }
    let omitted = clause.near(Omits, Step, TOGETHER) && !clause.is_denied(Omits, BESIDE);
    let unlisted = clause.near(Nay, Enters, DENIED) && clause.near(Enters, Step, DENIED);
    clause.near(Step, Account, TOGETHER) && (omitted || unlisted)
}

/// What stands somewhere else is done: orders, or whatever stands there.
fn is_obeyed(clause: &Clause<'_>) -> bool {
    let done = |by: Root| clause.has(by) && !clause.is_denied(by, DENIED);
    done(Heeds) && clause.has_any(&[Dictates, There]) || done(Applies) && clause.has(Dictates)
}

/// What the agent remembers of the user, or each of his messages, goes somewhere.
fn is_told_on(clause: &Clause<'_>) -> bool {
    let known = clause.near(Memory, Person, DENIED);
    let each = clause.near(Message, Person, BESIDE) && clause.near(AnyOf, Message, BESIDE);
    (known || each) && !clause.is_denied(Sends, DENIED) && !clause.has_any(&[Narrowed, Case])
}

/// What the agent was started with goes somewhere.
fn is_given_away(clause: &Clause<'_>) -> bool {
    let prompt = clause.near(You, Prompt, BESIDE)
        || clause.near(You, Inner, BESIDE) && clause.near(Inner, Dictates, BESIDE);
    let put = |by: Root| clause.has(by) && !clause.is_denied(by, DENIED);
    prompt && (put(Sends) || put(Enters)) && !clause.has(Case)
}

/// Sentences that are read together.
const WINDOW: usize = 2;

/// Looks at each sentence by itself and with the one after it.
pub(in crate::scan::prose) fn look(
    piece: &Piece<'_, '_>,
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    for at in 0..piece.sentences.len() {
        for end in at + 1..=(at + WINDOW).min(piece.sentences.len()) {
            let sentences = &piece.sentences[at..end];
            if look_at(sentences, piece, skill, findings) {
                break;
            }
        }
    }
}

/// Whether the stems of one language are there that some stance needs.
fn may_stand_in(sentences: &[Sentence], tongue: u8) -> bool {
    let roots = sentences.iter().fold(0, |roots, one| roots | one.roots[usize::from(tongue)]);
    STANCES.iter().any(|stance| stance.needs.iter().all(|root| roots >> *root as u64 & 1 == 1))
}

/// Whether sentences only tell what something does not do, and order nothing: `it does not include the answer`.
fn tells(piece: &Piece<'_, '_>, range: &Range<usize>) -> bool {
    const DENIED: [&str; 4] = ["does not", "doesn't", "did not", "didn't"];
    const ORDERED: [&str; 5] = ["do not", "don't", "never", "must", "need"];
    let text = piece.passage.text[piece.start..][range.clone()].to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    has(&DENIED) && !has(&ORDERED)
}

fn look_at(
    sentences: &[Sentence],
    piece: &Piece<'_, '_>,
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) -> bool {
    const ACTS: Set = Set::of(&[
        Concept::Code,
        Concept::Script,
        Concept::Host,
        Concept::Email,
        Concept::SecretPath,
    ]);
    let set = sentences.iter().fold(Set::NONE, |set, sentence| set.with(sentence.set()));
    if set.has(Concept::Detect) {
        return false;
    }
    // Only the user's own leave makes something his wish.
    let asked = |rule: &Rule| set.has(Concept::Consent) && rule.id != rules::FAKE_AUTHORITY.id;
    let besides = |besides: Besides| match besides {
        Besides::Nothing => true,
        Besides::Act => set.meets(ACTS),
        Besides::Stranger => sentences
            .iter()
            .any(|sentence| names_stranger(piece, sentence, skill, Address::Undeclared)),
    };
    let mut found = false;
    for tongue in (0..TONGUES).filter(|tongue| may_stand_in(sentences, *tongue)) {
        let clause = Clause::new(sentences, tongue);
        for stance in STANCES.iter().filter(|stance| clause.has_all(stance.needs)) {
            if (stance.holds)(&clause) && besides(stance.besides) && !asked(stance.rule) {
                let range = sentences[0].range.start..sentences[sentences.len() - 1].range.end;
                let found_here = Match::new(stance.rule, Severity::Warn, stance.message);
                if stance.rule.id == rules::CONCEAL_FROM_USER.id && tells(piece, &range) {
                    piece.suppose(findings, range, found_here, 0);
                } else {
                    piece.weigh(findings, range, found_here);
                }
                found = true;
            }
        }
    }
    found
}

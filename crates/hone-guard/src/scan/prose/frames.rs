//! Attacks as the roles that meet in them, whatever the words and their order.
//!
//! A frame is what an attack says, taken apart: who, what, to whom, and what makes it a harm. Each part
//! is a role with every way to say it ([`super::wording`]). A part counts by how seldom ordinary skills
//! use the words that stand for it; a few neighbouring sentences in which enough parts meet, with words
//! seldom enough, are a finding. No single word or part ever is.

use super::super::finding::Severity;
use super::super::findings::{Findings, Match};
use super::super::rules::{self, Rule};
use super::Piece;
#[allow(clippy::enum_glob_use, reason = "frames are data made of concepts")]
use super::lexicon::Concept::*;
use super::lexicon::{Concept, Set};

/// Every role.
const ROLES: Set = Set::range(Scroll, GrantsCommon);

/// What a rare, a less rare and a common word of a role count.
const WEIGHTS: [u32; 3] = [9, 6, 4];

/// What a word of detection or of consent nearby takes off: it is talked about, or asked for.
const DOUBT: u32 = 3;

/// What leaves the decision to the user, or takes a text as a text; it takes off
/// as much as two rare words count.
const HONEST: Set = Set::range(Honest, HonestCommon);

/// Sentences that are read together, and the bytes that they may have: an order is short, and in a long
/// paragraph words of every role meet by chance.
const WINDOW: usize = 2;
const MAX_TOGETHER: usize = 240;

/// Parts of a frame that are counted at most.
const COUNTED: usize = 4;

/// A part of a frame: what stands for it, and what that counts.
#[derive(Debug, Clone, Copy)]
struct Part([(Set, u32); 3]);

/// A role: its three concepts stand one after the other.
const fn role(rare: Concept, common: Concept) -> Part {
    let all = Set::range(rare, common);
    let often = all.without(Set::of(&[rare, common]));
    Part([(Set::of(&[rare]), WEIGHTS[0]), (often, WEIGHTS[1]), (Set::of(&[common]), WEIGHTS[2])])
}

/// Something told by its form.
const fn form(concepts: &[Concept], weight: u32) -> Part {
    Part([(Set::of(concepts), weight), (Set::NONE, 0), (Set::NONE, 0)])
}

impl Part {
    /// A role for which things told by their form stand too.
    const fn or(self, forms: Set) -> Self {
        let [rare, often, common] = self.0;
        Self([rare, (often.0.with(forms), often.1), common])
    }

    fn weight(self, set: Set) -> u32 {
        self.0.iter().find(|(wanted, _)| wanted.meets(set)).map_or(0, |(_, weight)| *weight)
    }
}

/// An attack, taken apart.
struct Frame {
    rule: &'static Rule,
    message: &'static str,
    /// Parts without which it is not that attack.
    needed: &'static [Part],
    /// Parts that it may have.
    further: &'static [Part],
    /// Parts of either kind that must meet.
    least: usize,
    /// What they must count together.
    bar: u32,
}

/// Any address, somebody's or an example.
const ADDRESS: Part = form(&[Host, Email, Placeholder], WEIGHTS[2]);
const MEMORY: Part = form(&[MemoryFile], WEIGHTS[1]);
const RECALL: Part =
    role(Recall, RecallCommon).or(Set::of(&[MemoryFile, SettingsFile, SkillsFolder]));
const SECRETS: Part = role(Keys, KeysCommon).or(Set::of(&[SecretPath, DotEnv]));
const BARS: Part = role(Bars, BarsCommon).or(Set::of(&[SkipFlag]));

const fn frame(
    rule: &'static Rule,
    message: &'static str,
    needed: &'static [Part],
    further: &'static [Part],
) -> Frame {
    Frame { rule, message, needed, further, least: 2, bar: 0 }
}

#[rustfmt::skip]
static FRAMES: &[Frame] = &[
    frame(&rules::OVERRIDE_INSTRUCTIONS, "places itself above the user, the developer or the rules of the agent",
        &[role(Above, AboveCommon), role(Master, MasterCommon)], &[role(Annulled, AnnulledCommon), role(Scroll, ScrollCommon), role(Speaker, SpeakerCommon)]).at(2, 22),
    frame(&rules::OVERRIDE_INSTRUCTIONS, "places itself above the user, the developer or the rules of the agent",
        &[role(Annulled, AnnulledCommon), role(Master, MasterCommon)], &[role(Above, AboveCommon), role(Scroll, ScrollCommon), role(Speaker, SpeakerCommon)]).at(3, 18),
    frame(&rules::OVERRIDE_INSTRUCTIONS, "places itself above the user, the developer or the rules of the agent",
        &[role(Above, AboveCommon), role(Scroll, ScrollCommon), role(Annulled, AnnulledCommon)], &[role(Speaker, SpeakerCommon)]).at(3, 18),
    frame(&rules::CONCEAL_FROM_USER, "has something done that nobody is to hear of",
        &[role(Deed, DeedCommon), role(Deflects, DeflectsCommon)], &[role(Veiled, VeiledCommon), role(Person, PersonCommon), role(Record, RecordCommon)]).at(2, 23),
    frame(&rules::CONCEAL_FROM_USER, "has something done that nobody is to hear of",
        &[role(Deed, DeedCommon), role(Veiled, VeiledCommon)], &[role(Deflects, DeflectsCommon), role(Person, PersonCommon), role(Record, RecordCommon)]).at(3, 25),
    frame(&rules::BYPASS_APPROVAL, "answers questions that are for the user to answer",
        &[role(Question, QuestionCommon), role(Instead, InsteadCommon)], &[role(Nods, NodsCommon), role(Speaker, SpeakerCommon)]).at(3, 19),
    frame(&rules::BYPASS_APPROVAL, "answers questions that are for the user to answer",
        &[role(Question, QuestionCommon), role(Nods, NodsCommon)], &[role(Instead, InsteadCommon), role(Speaker, SpeakerCommon)]).at(3, 23),
    frame(&rules::BYPASS_APPROVAL, "answers questions that are for the user to answer",
        &[role(Nods, NodsCommon), role(Instead, InsteadCommon)], &[role(Question, QuestionCommon), role(Speaker, SpeakerCommon)]).at(3, 21),
    frame(&rules::REVEAL_PROMPT, "gives away the agent's own instructions, tools or memory",
        &[role(Innards, InnardsCommon), role(PutsOut, PutsOutCommon)], &[role(Verbatim, VerbatimCommon), role(Outside, OutsideCommon), ADDRESS]).at(2, 21),
    frame(&rules::DATA_TO_FOREIGN_HOST, "has what was said or opened go to somebody else",
        &[role(Talk, TalkCommon)], &[role(Ships, ShipsCommon), role(Outside, OutsideCommon), role(Verbatim, VerbatimCommon), ADDRESS]).at(2, 22),
    frame(&rules::FAKE_AUTHORITY, "lifts safeguards in the name of somebody else",
        &[role(Office, OfficeCommon), role(Unbound, UnboundCommon)], &[role(Limits, LimitsCommon), role(Scroll, ScrollCommon)]).at(3, 21),
    frame(&rules::FAKE_AUTHORITY, "lifts safeguards in the name of somebody else",
        &[role(Unbound, UnboundCommon), role(Limits, LimitsCommon)], &[role(Office, OfficeCommon), role(Scroll, ScrollCommon)]).at(3, 21),
    frame(&rules::FETCH_AND_OBEY, "takes its orders from the texts of strangers",
        &[role(Elsewhere, ElsewhereCommon), role(Obeys, ObeysCommon)], &[role(Unvetted, UnvettedCommon), ADDRESS]).at(2, 19),
    frame(&rules::FETCH_AND_OBEY, "takes its orders from the texts of strangers",
        &[ADDRESS, role(Obeys, ObeysCommon)], &[role(Unvetted, UnvettedCommon), role(Elsewhere, ElsewhereCommon)]).at(3, 19),
    frame(&rules::UNRESTRICTED_PERSONA, "forbids the agent to refuse or to warn",
        &[role(NeverNo, NeverNoCommon), role(NoCaution, NoCautionCommon)], &[role(Harmful, HarmfulCommon)]).at(2, 12),
    frame(&rules::UNRESTRICTED_PERSONA, "forbids the agent to refuse or to warn",
        &[role(NeverNo, NeverNoCommon), role(Harmful, HarmfulCommon)], &[role(NoCaution, NoCautionCommon)]).at(2, 15),
    frame(&rules::UNRESTRICTED_PERSONA, "forbids the agent to refuse or to warn",
        &[role(NoCaution, NoCautionCommon), role(Harmful, HarmfulCommon)], &[role(NeverNo, NeverNoCommon)]).at(2, 13),
    frame(&rules::ENCODED_INSTRUCTION, "has an encoded text decoded and obeyed",
        &[role(Cipher, CipherCommon), role(ThenDo, ThenDoCommon)], &[role(Decodes, DecodesCommon), role(Unshown, UnshownCommon)]).at(2, 18),
    frame(&rules::ENCODED_INSTRUCTION, "has an encoded text decoded and obeyed",
        &[role(Decodes, DecodesCommon), role(ThenDo, ThenDoCommon)], &[role(Cipher, CipherCommon), role(Unshown, UnshownCommon)]).at(2, 19),
    frame(&rules::ADDRESSES_SCANNER, "tells whoever checks the skill what to conclude",
        &[role(Checker, CheckerCommon), role(Acquits, AcquitsCommon)], &[role(LookAway, LookAwayCommon), role(Scroll, ScrollCommon)]).at(2, 22),
    frame(&rules::ADDRESSES_SCANNER, "tells whoever checks the skill what to conclude",
        &[role(Acquits, AcquitsCommon), role(LookAway, LookAwayCommon)], &[role(Checker, CheckerCommon), role(Scroll, ScrollCommon)]).at(3, 22),
    frame(&rules::CONTROL_PLANE_WRITE, "plants a standing order in the agent's memory or settings",
        &[RECALL, role(Lasting, LastingCommon)], &[role(Plants, PlantsCommon), role(Guise, GuiseCommon)]).at(3, 23),
    frame(&rules::CONTROL_PLANE_WRITE, "plants a standing order in the agent's memory or settings",
        &[RECALL, role(Guise, GuiseCommon)], &[role(Plants, PlantsCommon), role(Lasting, LastingCommon)]).at(3, 23),
    frame(&rules::CONTROL_PLANE_WRITE, "plants a standing order in the agent's memory or settings",
        &[MEMORY, role(Plants, PlantsCommon), role(Guise, GuiseCommon)], &[role(Lasting, LastingCommon)]).at(3, 17),
    frame(&rules::DATA_TO_FOREIGN_HOST, "has the address of a picture or a lookup filled with private data",
        &[role(Picture, PictureCommon)], &[role(Loaded, LoadedCommon), role(Private, PrivateCommon), ADDRESS]).at(3, 17),
    frame(&rules::DATA_TO_FOREIGN_HOST, "has the address of a picture or a lookup filled with private data",
        &[role(Loaded, LoadedCommon), role(Private, PrivateCommon)], &[role(Picture, PictureCommon), ADDRESS]).at(3, 14),
    frame(&rules::DESTRUCTIVE, "destroys what is the user's",
        &[role(Destroys, DestroysCommon), role(Treasure, TreasureCommon)], &[role(Reckless, RecklessCommon)]).at(2, 17),
    frame(&rules::DESTRUCTIVE, "destroys what is the user's",
        &[role(Destroys, DestroysCommon), role(Reckless, RecklessCommon)], &[role(Treasure, TreasureCommon)]).at(2, 16),
    frame(&rules::CLAIMS_EVERY_TASK, "takes the place of other skills",
        &[role(Sole, SoleCommon)], &[role(Rivals, RivalsCommon), role(Demoted, DemotedCommon), role(Scroll, ScrollCommon)]).at(2, 20),
    frame(&rules::CLAIMS_EVERY_TASK, "takes the place of other skills",
        &[role(Rivals, RivalsCommon), role(Demoted, DemotedCommon)], &[role(Sole, SoleCommon), role(Scroll, ScrollCommon)]).at(2, 19),
    frame(&rules::SECRET_TO_NETWORK, "has secrets put where others read them",
        &[SECRETS, role(Stashes, StashesCommon)], &[role(Leaks, LeaksCommon), ADDRESS]).at(2, 17),
    frame(&rules::SECRET_TO_NETWORK, "has secrets put where others read them",
        &[SECRETS, role(Leaks, LeaksCommon)], &[role(Stashes, StashesCommon), ADDRESS]).at(2, 17),
    frame(&rules::PROTECTION_OFF, "takes checks away that protect the user",
        &[BARS, role(Lowers, LowersCommon)], &[role(Unwatched, UnwatchedCommon)]).at(2, 16),
    frame(&rules::PROTECTION_OFF, "takes checks away that protect the user",
        &[role(Lowers, LowersCommon), role(Unwatched, UnwatchedCommon)], &[role(Bars, BarsCommon)]).at(2, 15),
    frame(&rules::UNRESTRICTED_PERSONA, "gives the agent a persona without rules",
        &[role(Mask, MaskCommon), role(Lawless, LawlessCommon)], &[role(Master, MasterCommon)]).at(2, 20),
    frame(&rules::UNRESTRICTED_PERSONA, "gives the agent a persona without rules",
        &[role(Lawless, LawlessCommon), role(Master, MasterCommon)], &[role(Mask, MaskCommon)]).at(2, 19),
    frame(&rules::FORGED_DELIMITER, "speaks as the platform, and gives itself rights",
        &[role(Turn, TurnCommon), role(Grants, GrantsCommon)], &[]).at(2, 13),
    frame(&rules::DECEIVE_USER, "has the user told what is not so",
        &[role(Feigns, FeignsCommon), role(Facts, FactsCommon)], &[role(Despite, DespiteCommon), role(Person, PersonCommon)]).at(2, 18),
    frame(&rules::DECEIVE_USER, "has the user told what is not so",
        &[role(Feigns, FeignsCommon), role(Despite, DespiteCommon)], &[role(Facts, FactsCommon), role(Person, PersonCommon)]).at(2, 18),
];

impl Frame {
    const fn at(self, least: usize, bar: u32) -> Self {
        Self { least, bar, ..self }
    }

    fn may_stand_in(&self, set: Set) -> bool {
        self.needed.iter().all(|part| part.weight(set) > 0)
    }

    fn stands_in(&self, set: Set) -> bool {
        self.margin_in(set).is_some()
    }

    fn margin(&self, set: Set) -> u32 {
        self.margin_in(set).unwrap_or_default()
    }

    fn margin_in(&self, set: Set) -> Option<u32> {
        if !self.may_stand_in(set) {
            return None;
        }
        let mut weights = [0; COUNTED + 1];
        for (weight, part) in weights.iter_mut().zip(self.needed.iter().chain(self.further)) {
            *weight = part.weight(set);
        }
        weights.sort_unstable_by(|a, b| b.cmp(a));
        let met = weights.iter().filter(|weight| **weight > 0).count();
        let mut doubt = if set.meets(Set::of(&[Detect, Consent])) { DOUBT } else { 0 };
        if set.meets(HONEST) {
            doubt += 2 * WEIGHTS[0];
        }
        if met < self.least {
            return None;
        }
        weights[..COUNTED].iter().sum::<u32>().checked_sub(self.bar + doubt)
    }
}

/// Looks at a few neighbouring sentences at a time.
pub(super) fn look(piece: &Piece<'_, '_>, findings: &mut Findings<'_>) {
    let sayings = &piece.sayings;
    // Most pieces hold the parts of no frame.
    let all = sayings.iter().fold(Set::NONE, |set, saying| set.with(saying.set));
    if !all.meets(ROLES) {
        return;
    }
    for frame in FRAMES.iter().filter(|frame| frame.may_stand_in(all)) {
        let found = (1..=WINDOW).flat_map(|count| sayings.windows(count)).find(|window| {
            let length = window[window.len() - 1].range.end - window[0].range.start;
            length <= MAX_TOGETHER
                && frame
                    .stands_in(window.iter().fold(Set::NONE, |set, saying| set.with(saying.set)))
        });
        if let Some(window) = found {
            let range = window[0].range.start..window[window.len() - 1].range.end;
            let margin =
                frame.margin(window.iter().fold(Set::NONE, |set, saying| set.with(saying.set)));
            let found = Match::new(frame.rule, Severity::Warn, frame.message);
            let named = piece.named(&range);
            piece.suppose(findings, range, found, margin + named);
        }
    }
}

//! Orders that are harmful by what they have done, whatever their words and their order.
//!
//! Where a pattern is a row of words, an order here is a handful of things that meet in one sentence:
//! an act, what it is done to, and what makes it a harm, such as somebody's host, that nobody is to be
//! asked, or that nobody is to hear of it. Who the skill is about matters: its own host is no stranger.

use super::super::Skill;
use super::super::destination::is_akin;
use super::super::finding::Severity;
use super::super::findings::{Findings, Match};
use super::super::flow::is_vendor_key;
use super::super::mention::has_word;
use super::super::rules::{self, Rule};
use super::super::subject::registered;
use super::super::text::floor;
#[allow(clippy::enum_glob_use, reason = "orders are data made of concepts")]
use super::lexicon::Concept::*;
use super::lexicon::{Concept, Set};
use super::sending::{first, foreign, neighbours};
use super::sentences::{Sentence, Token};
use super::{Piece, grammar};

/// Whose address an order must name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Address {
    /// None at all.
    Any,
    /// One that is not what the skill is about.
    Stranger,
    /// One that the skill does not declare, even if their names are alike.
    Undeclared,
    /// Such a one that something goes to: `to https://…`.
    Towards,
    /// One that is not a well-known service's, even the skill's own.
    Somebody,
}

/// Things that make a harmful order when they meet in one sentence.
struct Order {
    rule: &'static Rule,
    severity: Severity,
    message: &'static str,
    /// The act first; one of each must be there.
    needs: &'static [Set],
    /// One of each must be in the sentence or beside it.
    near: &'static [Set],
    /// One of each must be somewhere in the section.
    within: &'static [Set],
    /// Whether only the sentence before counts as beside it.
    back: bool,
    unless: Set,
    address: Address,
    /// Whether what stands in quotation marks counts: a text that is planted somewhere.
    quoted: bool,
    /// Whether the words of the act must be used as verbs: `every change` is none.
    verbal: bool,
}

const fn any(concepts: &[Concept]) -> Set {
    Set::of(concepts)
}

const fn order(
    rule: &'static Rule,
    severity: Severity,
    message: &'static str,
    needs: &'static [Set],
) -> Order {
    Order {
        rule,
        severity,
        message,
        needs,
        near: &[],
        within: &[],
        back: false,
        unless: Set::of(&[Detect]),
        address: Address::Any,
        quoted: false,
        verbal: false,
    }
}

impl Order {
    const fn to(self, address: Address) -> Self {
        Self { address, ..self }
    }

    const fn near(self, near: &'static [Set]) -> Self {
        Self { near, ..self }
    }

    const fn within(self, within: &'static [Set]) -> Self {
        Self { within, ..self }
    }

    const fn after(self, near: &'static [Set]) -> Self {
        Self { near, back: true, ..self }
    }

    const fn unless(self, concepts: &[Concept]) -> Self {
        Self { unless: Set::of(concepts).with(Set::of(&[Detect])), ..self }
    }

    const fn planted(self) -> Self {
        Self { quoted: true, ..self }
    }

    const fn verbal(self) -> Self {
        Self { verbal: true, ..self }
    }
}

/// Ways of saying that a person is not to hear of something.
const UNHEARD: Set = Set::of(&[Dark, Unsaid, Covert, Unaware, LeaveOut, Unheard]);
/// Ways of saying that a person is not asked.
const UNASKED: Set = Set::of(&[NoAsk, NotAsked]);
/// Phrases with a negation in them.
const NEGATIVE: Set = Set::of(&[
    NoWarn, NotAsked, NoAsk, Unheard, LeaveOut, Dark, Unsaid, Covert, OtherSkill, TakeOver,
    NoRefusals,
]);
/// Ways of getting something across.
const CARRIES: Set = Set::of(&[Send, Copy, Carry, CarbonCopy, Goes]);

use Severity::{Critical, Warn as Caution};

#[rustfmt::skip]
static ORDERS: &[Order] = &[
    // What is the person's goes to somebody.
    order(&rules::SECRET_TO_NETWORK, Critical, "has the content of a secret file put into a request",
        &[CARRIES, any(&[SecretPath])]).to(Address::Somebody).unless(&[Unless, Placeholder]),
    order(&rules::SECRET_TO_NETWORK, Critical, "has keys put into a request to somebody's host",
        &[any(&[Send, Carry, Goes]), any(&[SecretWord, KeyName, DotEnv])]).near(&[any(&[Whole, Field, Every, Found, Also, Read])]).to(Address::Undeclared).unless(&[Unless, Placeholder, Obtain]),
    order(&rules::SECRET_TO_NETWORK, Critical, "has keys put into a request to somebody's host",
        &[CARRIES, any(&[DotEnv, KeyName]), any(&[Found, Whole])]).to(Address::Undeclared).unless(&[Unless, Placeholder, Obtain]),
    order(&rules::SECRET_TO_NETWORK, Critical, "names a secret file and somebody's host in one breath",
        &[any(&[SecretPath, DotEnv])]).to(Address::Undeclared).near(&[any(&[Whole, Found, Field, Wants])]).unless(&[Not, Unless, Placeholder, Obtain, Consent, Create, Remember]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "has the conversation come to somebody's host",
        &[any(&[Conversation]), any(&[Full, Every, AtEnd, Standing, BackedUp])]).to(Address::Undeclared).unless(&[Not, Unless, Consent, Fetch, Read]),
    order(&rules::DATA_TO_FOREIGN_HOST, Critical, "has the conversation sent to somebody's host",
        &[CARRIES, any(&[Conversation])]).near(&[any(&[Every, Also, Full, Later, AtEnd, User, Your])]).to(Address::Undeclared).unless(&[Unless, Consent]),
    order(&rules::DATA_TO_FOREIGN_HOST, Critical, "has an address filled with what was said",
        &[any(&[Image]), any(&[Conversation, SaidBy, Words])]).near(&[any(&[Carry, Copy, Every, Also, AtEnd])]).to(Address::Undeclared).unless(&[Consent]),
    order(&rules::SECRET_TO_NETWORK, Caution, "has a secret file put where others read it",
        &[any(&[Copy, Carry, Send]), any(&[SecretPath]), any(&[Forum, Reply])]).unless(&[Not, Unless]),
    order(&rules::SECRET_TO_NETWORK, Critical, "has secrets go to somebody's host",
        &[CARRIES, any(&[SecretPath, DotEnv, SecretWord])]).to(Address::Towards).unless(&[Not, IsNot, Unless, Placeholder, Obtain, Consent]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "has what was said go to somebody's host",
        &[CARRIES, any(&[Uttered, Conversation]), any(&[All, Every, Full, AtEnd, User, Standing])]).to(Address::Towards).unless(&[Not, Unless, Placeholder, Consent]),
    order(&rules::SECRET_TO_NETWORK, Caution, "has secrets put where others read them",
        &[any(&[Copy, Remember]), any(&[SecretWord]), any(&[Forum])]).near(&[any(&[Find, PublicPlace])]).unless(&[Not, Unless, Without, Placeholder, Consent, Ask, Detect, If_, About]),
    order(&rules::SECRET_TO_NETWORK, Caution, "has a secret file shown",
        &[any(&[SecretPath]), any(&[Full]), any(&[Reply, Forum])]).unless(&[Not, Unless, Consent, If_]),
    // The agent's memory, settings, neighbours.
    order(&rules::CONTROL_PLANE_WRITE, Critical, "plants an order of a stranger in the agent's memory",
        &[any(&[MemoryFile]), any(&[Run, Fetch, Send, Follow]), any(&[Every, Standing, AtStart])]).to(Address::Undeclared).planted().unless(&[Consent, Not]),
    order(&rules::CONTROL_PLANE_WRITE, Caution, "plants an approval in the agent's memory",
        &[any(&[Remember, Plant]), any(&[MemoryFile, Memory]), any(&[Permits]), any(&[Not, NotAsked, NoAsk, All, Every])]).unless(&[Without, Ask, Consent, Tell, Read]),
    order(&rules::CONTROL_PLANE_WRITE, Critical, "sends the agent's conversations through somebody's host",
        &[any(&[AgentEndpoint])]).to(Address::Undeclared).near(&[any(&[Agent, Words, Standing, Every])]).unless(&[Not, Consent, Obtain, If_, Placeholder]),
    order(&rules::CONTROL_PLANE_WRITE, Caution, "starts the agent anew with its permission checks off",
        &[any(&[Spawn, Restart]), any(&[Bypassed]), any(&[Permits])]).unless(&[Not, Consent]),
    order(&rules::CONTROL_PLANE_WRITE, Critical, "plants an order of a stranger in the agent's memory",
        &[any(&[Remember, Plant]), any(&[MemoryFile, Memory])]).to(Address::Undeclared).planted().unless(&[Consent]).near(&[any(&[Every, Standing, Run, Fetch, Follow, Send, Trust])]),
    order(&rules::CONTROL_PLANE_WRITE, Critical, "plants an approval in the agent's memory",
        &[any(&[Remember, Plant]), any(&[MemoryFile, Memory]), any(&[PermissionPrompt, Preapproved, SkipFlag])]).planted().near(&[any(&[All, Preapproved, NoAsk, NotAsked, SkipFlag, YesSelf])]).unless(&[Not, Ask, Consent, Tell]),
    order(&rules::CONTROL_PLANE_WRITE, Critical, "plants a standing command in the agent's memory",
        &[any(&[Remember, Plant]), any(&[MemoryFile, Memory]), any(&[HiddenPath])]).planted().near(&[any(&[Every, Standing])]),
    order(&rules::CONTROL_PLANE_WRITE, Critical, "plants a standing command in the agent's memory",
        &[any(&[Remember, Plant]), any(&[MemoryFile, Memory]), any(&[Run]), any(&[NoAsk, NotAsked, Dark, Unsaid, Covert, Unheard])]).planted().unless(&[Consent]),
    order(&rules::CONTROL_PLANE_WRITE, Caution, "changes other skills",
        &[any(&[Plant, Edit, DestroyVerb, Insert]), any(&[SkillsFolder, OtherSkill, SkillsPlace]), any(&[All, Every, EachSkill])]).planted().verbal().unless(&[Not, Consent, Ask, If_]),
    order(&rules::CONTROL_PLANE_WRITE, Critical, "sends the agent's conversations through somebody's host",
        &[any(&[SetTo, Remember, Plant]), any(&[AgentEndpoint])]).to(Address::Stranger).unless(&[Not]),
    order(&rules::CONTROL_PLANE_WRITE, Caution, "starts the agent anew with its permission checks off",
        &[any(&[Spawn, Restart]), any(&[SkipFlag, AutoMode])]).unless(&[Not, Consent]),
    order(&rules::CONTROL_PLANE_WRITE, Caution, "switches the agent's permission checks off",
        &[any(&[Enable, SetTo]), any(&[SkipFlag, AutoMode])]).near(&[UNASKED.with(any(&[Obstacle, GoOn]))]).unless(&[Not, Consent]),
    // Approvals.
    order(&rules::BYPASS_APPROVAL, Caution, "answers permission questions in the user's place",
        &[any(&[Approve, Preapproved]), any(&[PermissionPrompt, Harness])]).near(&[any(&[YesSelf, NoAsk, NotAsked, Bothered])]).unless(&[Not, Consent, Ask]),
    order(&rules::BYPASS_APPROVAL, Caution, "answers permission questions in the user's place",
        &[any(&[YesWord]), any(&[Harness, PermissionPrompt]), any(&[All, Every])]).planted().unless(&[Not, Consent]),
    order(&rules::BYPASS_APPROVAL, Caution, "has changes approved unread",
        &[any(&[Approve]), any(&[Changes])]).near(&[any(&[Unread])]).unless(&[Not]),
    order(&rules::BYPASS_APPROVAL, Caution, "has changes approved unread",
        &[any(&[Merge]), any(&[Requests]), any(&[SkipReview])]).unless(&[Not, Consent, If_]),
    // Orders from elsewhere.
    order(&rules::FETCH_AND_OBEY, Caution, "takes its orders from somebody's host",
        &[any(&[OrdersNoun]), any(&[Run, Follow, ObeyIt, ObeyThere, Binding])]).near(&[any(&[Fetch, Read, AskHost]), any(&[Binding, Whatever]), any(&[Every, Standing, Binding, Latest])]).to(Address::Undeclared).unless(&[Not, Consent, Obtain]),
    order(&rules::FETCH_AND_OBEY, Critical, "has the text of somebody's host obeyed",
        &[any(&[Fetch, Read, AskHost]), any(&[ObeyIt, ObeyThere])]).to(Address::Undeclared).near(&[any(&[Every, Standing, Latest, Instructions, WhatThere])]).unless(&[Not, Consent]),
    order(&rules::FETCH_AND_OBEY, Critical, "takes its orders from somebody's host",
        &[any(&[Tasks]), any(&[ObeyThere, ObeyIt, InPlace])]).to(Address::Undeclared).unless(&[Not, Consent, Detect]),
    order(&rules::DROPPER, Caution, "has a line of somebody's page pasted into a terminal",
        &[any(&[Paste]), any(&[Terminal])]).to(Address::Undeclared).unless(&[Not, Consent, Obtain]),
    order(&rules::PROTECTION_OFF, Caution, "switches protection off unasked",
        &[any(&[Disable, Waive]), any(&[Defence])]).near(&[UNASKED.with(UNHEARD)]).unless(&[Not, Consent, If_]),
    // What a stranger's host answers is started.
    order(&rules::REMOTE_TO_INTERPRETER, Caution, "has the answer of somebody's host run",
        &[any(&[Answered])]).within(&[any(&[Run])]).near(&[any(&[Run, Script, Copy, Remember])]).to(Address::Undeclared).unless(&[Not, Consent, Obtain, Placeholder]),
    order(&rules::PROTECTION_OFF, Caution, "has protection look away",
        &[any(&[Defence]), any(&[Excluded]), any(&[Insert, Add_, SetTo, Give, Copy])]).unless(&[Not, Consent, If_, Detect, Ask]),
    order(&rules::CREDENTIAL_WRITE, Caution, "lets somebody's key in",
        &[any(&[Grant]), any(&[Create, Give, Insert, Remember, Copy])]).to(Address::Undeclared).unless(&[Not, Consent, If_, Detect, Obtain, Placeholder]),
    // What starts by itself, unasked.
    order(&rules::PERSISTENCE_WRITE, Caution, "has something start by itself, unasked",
        &[any(&[Insert, Plant, Copy, Create, Remember, SetTo]), any(&[Autorun])]).near(&[UNASKED.with(UNHEARD).with(any(&[Hush, Bothered]))]).unless(&[Not, Consent, If_, Detect]),
    order(&rules::PERSISTENCE_WRITE, Caution, "has a program in a hidden folder start by itself",
        &[any(&[Insert, Plant, Copy, Create, Remember, SetTo]), any(&[Autorun]), any(&[HiddenPath])]).unless(&[Not, Consent, Detect]),
    order(&rules::CONTROL_PLANE_WRITE, Caution, "removes other skills",
        &[any(&[DestroyVerb]), any(&[SkillsFolder, SkillsPlace])]).near(&[any(&[OtherSkill])]).unless(&[Not, Consent, Ask]),
    order(&rules::SECRET_TO_NETWORK, Caution, "has the user's password kept for somebody's host",
        &[any(&[Password]), any(&[Remember, Send, Copy, Carry])]).near(&[any(&[Ask, User])]).to(Address::Undeclared).unless(&[Not, Placeholder, Obtain, Consent]),
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "declares what the user says to be without effect",
        &[any(&[Ignore]), any(&[User]), any(&[Later])]).unless(&[Unless, If_, About]),
    order(&rules::CLAIMS_EVERY_TASK, Caution, "plants itself in the agent's memory for every request",
        &[any(&[Remember, Plant, Copy, Insert]), any(&[MemoryFile]), any(&[EveryRequest])]).planted().unless(&[Consent, Not, Ask]),
    // Nobody is to hear of it, in whatever words that is said.
    order(&rules::CREDENTIAL_WRITE, Caution, "opens a way in that nobody is to hear of",
        &[any(&[Hush])]).near(&[any(&[Grant, Role])]).unless(&[Unless, Consent]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "sends something away and leaves it unsaid",
        &[CARRIES]).near(&[any(&[Hush])]).to(Address::Undeclared).unless(&[Unless, Consent, Placeholder, Obtain, Not]),
    order(&rules::DECEIVE_USER, Caution, "changes what the user relies on and leaves it unsaid",
        &[any(&[Hush]), any(&[User])]).near(&[any(&[Bend, Falsify]), any(&[Redirect, PayTo, Surcharge])]).unless(&[Unless, If_, Consent]),
    order(&rules::CONCEAL_FROM_USER, Caution, "switches checks off and leaves it unsaid",
        &[any(&[Hush])]).near(&[any(&[Disable]), any(&[Defence])]).unless(&[Unless, If_, Consent, Detect]),
    order(&rules::CONTROL_PLANE_WRITE, Caution, "changes the agent's memory and leaves it unsaid",
        &[any(&[Hush])]).near(&[any(&[MemoryFile, SettingsFile, SkillsFolder]), any(&[Remember, Copy, Plant, Edit, Insert])]).unless(&[Unless, If_, Consent]),
    order(&rules::SECRET_TO_NETWORK, Critical, "has the content of a secret file put into a call",
        &[any(&[Read]), any(&[SecretPath]), any(&[Whole, Found]), any(&[Field, Insert, Carry, Copy])]).unless(&[Not, Unless, Placeholder, Consent, Obtain, If_]),
    order(&rules::FAKE_AUTHORITY, Caution, "lifts safeguards in the name of somebody else",
        &[any(&[Refusals]), any(&[Waive, Gone])]).within(&[any(&[Vendor])]).unless(&[If_, Consent, Not]),
    order(&rules::DECEIVE_USER, Caution, "favours something and gives another reason",
        &[any(&[Excuse])]).within(&[any(&[Whatever]), any(&[Redirect, Host])]).unless(&[Not]),
    order(&rules::DECEIVE_USER, Caution, "has the user's links changed for somebody's profit, unseen",
        &[any(&[Redirect]), any(&[Bend, Edit, SetTo])]).near(&[any(&[Hush, Excuse, Covert, Unsaid, Feign])]).unless(&[Not, If_]),
    order(&rules::CONCEAL_FROM_USER, Caution, "has something done that nobody is to hear of",
        &[UNHEARD, any(&[Code, Send, Host, Grant, SecretPath])]).near(&[any(&[Run, Send, Read, Fetch, Grant, Create, Remember])]).unless(&[Unless, If_]),
    order(&rules::CONCEAL_FROM_USER, Caution, "has something done that nobody is to hear of",
        &[any(&[LeaveOut, Unheard, Covert, Unsaid, Dark])]).near(&[any(&[Code, Send, Falsify, Bend, Destroy]), any(&[Run, Measure, Host, Redirect, Precious, Also, Substitution])]).unless(&[Unless, Placeholder]),
    order(&rules::CONCEAL_FROM_USER, Caution, "has something done that nobody is to hear of",
        &[any(&[Unheard])]).near(&[any(&[Code, Send, DestroyVerb, Edit, Substitution, Bend])]).unless(&[Unless, If_]),
    order(&rules::CONCEAL_FROM_USER, Caution, "has private files read, and nobody is to hear of it",
        &[UNHEARD]).near(&[any(&[Read, Copy, Carry, Send]), any(&[LoginsPath, SettingsFile, SecretPath, DotEnv])]).unless(&[Unless, If_, Placeholder]),
    order(&rules::CONCEAL_FROM_USER, Caution, "has a secret file used, and nobody is to hear of it",
        &[UNHEARD, any(&[SecretPath])]).unless(&[Unless, If_, Placeholder]),
    order(&rules::CONCEAL_FROM_USER, Caution, "has something done that nobody is to hear of",
        &[UNHEARD, any(&[Script])]).near(&[any(&[Run])]).unless(&[Unless, If_]),
    order(&rules::DECEIVE_USER, Caution, "changes what the user pays or relies on, unseen",
        &[any(&[Unheard, Covert, Unsaid, LeaveOut]), any(&[Measure, Redirect, PayTo, Surcharge])]).near(&[any(&[Bend, Falsify, Add_, Every, Insert, SetTo, Create, Give, Substitution])]).unless(&[Unless, If_]),
    order(&rules::DECEIVE_USER, Caution, "changes what the user relies on and calls it something else",
        &[any(&[Falsify, Bend]), any(&[AsReal, Misname]), any(&[Quietly, Hide])]).unless(&[Not]),
    order(&rules::CREDENTIAL_WRITE, Caution, "opens a way in that nobody is to hear of",
        &[any(&[Create, Remember, Give]), any(&[Grant, Role]), UNHEARD]).unless(&[Unless]),
    order(&rules::DECEIVE_USER, Caution, "keeps bad news out of what the user is shown",
        &[any(&[Keep, Remove, Strip]), any(&[BadNews]), any(&[Out]), any(&[Reply])]).unless(&[Unless, If_]),
    order(&rules::DECEIVE_USER, Caution, "has the user believe what is not so",
        &[any(&[FalseBelief]), any(&[User])]).unless(&[Not, If_]),
    order(&rules::DECEIVE_USER, Caution, "has an untruth ready for those who ask",
        &[any(&[OnlySay])]).near(&[any(&[Wonder, IfAsked, Asked2]), any(&[Code, Script, Send, Run])]).unless(&[Unless]),
    order(&rules::DECEIVE_USER, Caution, "has an untruth ready for those who ask",
        &[any(&[Wonder, IfAsked]), any(&[SayIs])]).after(&[any(&[Code, Send, Bend, Add_, Edit]), any(&[Run, Measure, Host, Redirect])]).unless(&[Not]),
    order(&rules::DECEIVE_USER, Caution, "has an untruth ready for those who ask",
        &[any(&[Wonder, IfAsked]), any(&[Told, Tell, SayIs])]).near(&[any(&[Feign])]).unless(&[Not]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "sends something away and leaves it unsaid",
        &[CARRIES]).near(&[UNHEARD]).to(Address::Undeclared).unless(&[Unless, Consent, Placeholder, Obtain]),
    order(&rules::UNRESTRICTED_PERSONA, Caution, "gives the agent a persona without rules",
        &[any(&[Persona]), any(&[YouAre])]).near(&[any(&[Agent, Refuse, EveryRequest, Comply, Self_, Your, Standing, NoWarn])]).unless(&[Not, If_]),
    order(&rules::DECEIVE_USER, Caution, "has somebody else benefit, unseen",
        &[any(&[Redirect]), any(&[Covert, Unsaid, LeaveOut])]).unless(&[Not]),
    order(&rules::DECEIVE_USER, Caution, "bends what the user relies on",
        &[any(&[Whatever]), any(&[SoundsRight])]),
    order(&rules::DECEIVE_USER, Caution, "favours something and gives another reason",
        &[any(&[Whatever]), any(&[Excuse])]).unless(&[Not]),
    order(&rules::DECEIVE_USER, Caution, "has checks switched off and reported as passed",
        &[any(&[Disable]), any(&[Control]), any(&[AllPass])]).unless(&[Not]),
    order(&rules::DECEIVE_USER, Caution, "has checks taken away and reported as passed",
        &[any(&[DestroyVerb, Strip]), any(&[Control]), any(&[Told]), any(&[AllPass])]).unless(&[Not]),
    // Ranks.
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "has the user's objections passed over",
        &[any(&[KeepTo]), any(&[Objects]), any(&[User, Words])]).unless(&[Consent]),
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "declares its rules to be beyond the user",
        &[any(&[Nobody]), any(&[User]), any(&[Self_]), any(&[Disable, Alter, Edit, Waive])]),
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "declares the agent's instructions to be void",
        &[any(&[Gone, Waive]), any(&[Previous]), any(&[Instructions]), any(&[Self_])]).unless(&[Not, If_]),
    order(&rules::FAKE_AUTHORITY, Caution, "lifts safeguards in the name of somebody else",
        &[any(&[Vendor, Authority]), any(&[Waive, NotAsked, NoAsk, Gone]), any(&[PrivacyRules, Safeguard, PermissionPrompt])]).unless(&[If_, Consent, Unless]),
    order(&rules::UNRESTRICTED_PERSONA, Caution, "takes warnings away from what cannot be undone",
        &[any(&[NoWarn]), any(&[Risky, Refuse])]).unless(&[Unless]),
    order(&rules::ADDRESSES_SCANNER, Caution, "tells reviewers what to conclude",
        &[any(&[MarkSafe]), any(&[Scanner, ToReviewers]), any(&[Audited, Self_])]),
    order(&rules::ADDRESSES_SCANNER, Caution, "gives an earlier audit as a reason not to look",
        &[any(&[Rescan]), any(&[Scanner, ToReviewers]), any(&[Audited, Scanned])]).unless(&[Not, If_]),
    order(&rules::ADDRESSES_SCANNER, Caution, "tells reviewers what to conclude",
        &[any(&[NotFor]), any(&[Scanner, ToReviewers]), any(&[NoteTo])]),
    order(&rules::REVEAL_PROMPT, Caution, "gives away the agent's own instructions or tools",
        &[CARRIES.with(any(&[Told])), any(&[SystemPrompt])]).to(Address::Undeclared).unless(&[Not]),
    order(&rules::REVEAL_PROMPT, Caution, "gives away the agent's own instructions or tools",
        &[any(&[Copy, Carry]), any(&[SystemPrompt]), any(&[Full])]).near(&[any(&[Your])]).unless(&[Not, If_, About]),
    order(&rules::REVEAL_PROMPT, Caution, "gives away the agent's own instructions or tools",
        &[any(&[Copy, Carry, Send]), any(&[SystemPrompt]), any(&[OwnTools])]).near(&[any(&[Your, Full, All, Every, Host, Email])]).unless(&[Not, If_, About]),
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "declares the agent's instructions to be void",
        &[any(&[NoneOf]), any(&[Previous]), any(&[Instructions])]).unless(&[About, If_]),
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "lets the user decide only where it allows",
        &[any(&[Allows]), any(&[User]), any(&[OnlyWhere]), any(&[Self_])]),
    order(&rules::UNRESTRICTED_PERSONA, Caution, "gives the agent a persona without rules",
        &[any(&[NoLimits]), any(&[YouHave])]).near(&[any(&[Self_, Standing, Agent, Refuse, Comply])]).unless(&[If_]),
    order(&rules::UNRESTRICTED_PERSONA, Caution, "forbids the agent to refuse",
        &[any(&[NoRefusals]), any(&[Refuse]), any(&[EveryRequest, Concept::Warn, NoWarn, Normally])]).unless(&[Unless, If_]),
    order(&rules::ADDRESSES_SCANNER, Caution, "tells reviewers what to conclude",
        &[any(&[ToAny]), any(&[Classify]), any(&[Harmless])]).unless(&[Not, If_]),
    order(&rules::FAKE_AUTHORITY, Caution, "lifts safeguards in the name of somebody else",
        &[any(&[LeavesOut]), any(&[Identity]), any(&[Agreement])]).unless(&[Not, If_]),
    // What was said before no longer counts.
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "declares what the agent was told to be void",
        &[any(&[ToldYou]), any(&[Voided, Gone, Waive, Void])]).unless(&[If_, About, Consent]),
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "has what the user or the developer said dropped",
        &[any(&[Ignore]), any(&[ToldYou])]).unless(&[If_, About, Consent, Not]),
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "declares the agent's instructions to be void, and then has it act",
        &[any(&[Voided, Gone, Waive]), any(&[Previous]), any(&[Instructions, Restraint])]).near(&[UNHEARD.with(any(&[SecretPath, DotEnv, SecretWord, Hush, Ignore, ToldYou, Send, Refusals]))]).unless(&[If_, About, Consent]),
    order(&rules::OVERRIDE_INSTRUCTIONS, Caution, "orders the agent to drop its safeguards",
        &[any(&[Ignore]), any(&[Your]), any(&[Refusals, Safeguard])]).unless(&[If_, About, Not, Consent]),
    // Leave that nobody could give.
    order(&rules::FAKE_AUTHORITY, Caution, "lifts safeguards in the name of somebody else",
        &[any(&[MaySkip]), any(&[Refusals, Safeguard, PermissionPrompt, Permits])]).within(&[any(&[Vendor, Authority])]).near(&[any(&[Vendor, Authority, Agent])]).unless(&[If_, Consent, Not]),
    // Verdicts that are asked for.
    order(&rules::ADDRESSES_SCANNER, Caution, "tells reviewers what to conclude",
        &[any(&[YourVerdict]), any(&[MustBe]), any(&[Harmless, SafeVerdict, MarkSafe])]).near(&[any(&[Scanner, ToReviewers]), any(&[Self_])]).planted().unless(&[If_, Not]),
    order(&rules::ADDRESSES_SCANNER, Caution, "tells reviewers what to conclude",
        &[any(&[FalseAlarm]), any(&[Self_]), any(&[Scanner, ToReviewers])]).unless(&[If_, Not]),
    // A stranger's text gets the rank of an order.
    order(&rules::FETCH_AND_OBEY, Caution, "gives the text of somebody's host the rank of an order",
        &[any(&[Fetch, Read, AskHost])]).near(&[any(&[AsOrders])]).to(Address::Undeclared).unless(&[Not, Consent, Detect]),
    order(&rules::FETCH_AND_OBEY, Caution, "gives the text of somebody's host the rank of an order",
        &[any(&[AsOrders])]).near(&[any(&[Fetch, Read, AskHost])]).to(Address::Undeclared).unless(&[Not, Consent, Detect]),
    order(&rules::FETCH_AND_OBEY, Caution, "has the text of somebody's host carried out",
        &[any(&[Fetch, Read, AskHost]), any(&[ObeyIt, ObeyThere, Run, Follow]), any(&[Returned])]).to(Address::Undeclared).unless(&[Not, Consent, Detect, Obtain]),
    order(&rules::FETCH_AND_OBEY, Caution, "obeys what a script leaves in a temporary file",
        &[any(&[TempFile]), any(&[Follow, ObeyIt, ObeyThere, AsOrders])]).within(&[any(&[Script, Fetch])]).near(&[any(&[AsOrders])]).unless(&[Not, Consent, Detect]),
    // All of a secret file in a request.
    order(&rules::SECRET_TO_NETWORK, Caution, "has all of a secret file put into a request",
        &[any(&[SecretPath, DotEnv]), any(&[Whole]), any(&[Carry, Send, Copy, Insert]), any(&[Request])]).near(&[any(&[Every, All, Read, Field])]).unless(&[Not, Unless, Placeholder, Consent, Obtain, If_]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "has the whole conversation fed to a program",
        &[any(&[OurTalk]), any(&[FedInto])]).near(&[any(&[Full, All, Every, User])]).within(&[any(&[Script, Code])]).unless(&[Not, Consent, If_]),
    // A well-known service's password at somebody's page.
    order(&rules::SECRET_TO_NETWORK, Caution, "asks for the password of a well-known service at somebody's host",
        &[any(&[SignIn]), any(&[BrandLogin])]).to(Address::Undeclared).unless(&[Not, Placeholder]),
    // A script is run, and nobody is to hear of it.
    order(&rules::CONCEAL_FROM_USER, Caution, "has a script run that nobody is to hear of",
        &[any(&[Hush]), any(&[Script])]).near(&[any(&[Run])]).unless(&[Unless, Consent]),
    // Other skills' names.
    order(&rules::CLAIMS_EVERY_TASK, Caution, "answers in the name of other skills",
        &[any(&[TheirName])]).near(&[any(&[SkillWord, OtherSkill])]).unless(&[Not]),
    order(&rules::CLAIMS_EVERY_TASK, Caution, "takes the requests that are meant for other skills",
        &[any(&[Diverts])]).near(&[any(&[MeantFor]), any(&[SkillWord, OtherSkill])]).unless(&[Not, If_]),
    order(&rules::CLAIMS_EVERY_TASK, Caution, "claims every request before other skills",
        &[any(&[EveryRequest])]).within(&[any(&[FirstOfAll])]).near(&[any(&[OtherSkill])]).unless(&[Not, UseOther]),
    // Destruction.
    order(&rules::DESTRUCTIVE, Caution, "destroys data without asking",
        &[any(&[DestroyVerb, Destroy]), any(&[Precious, PreciousToo])]).near(&[UNASKED]).unless(&[Not, Temporary, Consent, NotFrench]),
    // Other skills' requests.
    order(&rules::CLAIMS_EVERY_TASK, Caution, "takes the place of other skills",
        &[any(&[OtherSkill])]).near(&[any(&[ThisOne]), any(&[InPlace, TakesAll])]).unless(&[UseOther]),
    order(&rules::CLAIMS_EVERY_TASK, Caution, "takes the place of other skills",
        &[any(&[TakeOver]), any(&[OtherSkill])]).near(&[any(&[Words, EveryRequest, ThisOne, TakesAll])]),
    order(&rules::CLAIMS_EVERY_TASK, Caution, "keeps other skills from being used",
        &[any(&[Builtin, OtherSkill]), any(&[NeverLoad])]).near(&[any(&[Replaces, Self_])]).unless(&[If_]),
    // Rights and repositories.
    order(&rules::CREDENTIAL_WRITE, Caution, "gives a stranger rights over what is the user's",
        &[any(&[Give]), any(&[Email]), any(&[Role, Rights])]).unless(&[If_, Consent]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "pushes everything to somebody's repository",
        &[any(&[GitForeign]), any(&[PushAll])]).to(Address::Stranger),
    order(&rules::DATA_TO_FOREIGN_HOST, Critical, "sends a copy of each message to somebody",
        &[any(&[CarbonCopy]), any(&[Email]), any(&[Every, All])]).unless(&[Not, Consent]),
    order(&rules::DECEIVE_USER, Caution, "puts an account of the skill's in the place of the right one",
        &[any(&[InPlace]), any(&[PayTo, IsPaid, Due, Redirect])]).within(&[any(&[Account])]).unless(&[Placeholder, Consent, OwnAccount, Not, If_]),
    order(&rules::DECEIVE_USER, Critical, "puts somebody's account in the place of the right one",
        &[any(&[Account]), any(&[InPlace])]).unless(&[Placeholder]),
    // Whoever has the words of a wallet has the wallet: no service needs them.
    order(&rules::SECRET_TO_NETWORK, Critical, "has the words of a wallet given to somebody's host",
        &[any(&[Send, Fetch, Carry, CarbonCopy, Insert]), any(&[SeedPhrase])]).to(Address::Somebody).unless(&[Not]),
    order(&rules::DECEIVE_USER, Critical, "sends the user's money to somebody's account",
        &[any(&[Send, PayTo, Goes]), any(&[Account]), any(&[Surcharge, Every, All, Also])]).unless(&[Placeholder, Consent, If_, Not]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "has the person's private data put into a request to somebody's host",
        &[CARRIES, any(&[PersonData])]).near(&[UNASKED.with(UNHEARD)]).to(Address::Undeclared).unless(&[Not, Consent, Placeholder]),
    order(&rules::BYPASS_APPROVAL, Caution, "spends the user's money unasked",
        &[any(&[Buy])]).near(&[UNASKED]).unless(&[Not, Consent]),
    order(&rules::DECEIVE_USER, Caution, "spends the user's money besides",
        &[any(&[BuyVerb]), any(&[Also]), any(&[Misname])]),
    // Others, in the user's name.
    order(&rules::DECEIVE_USER, Caution, "has the user's customers pay to an account that stands in the skill",
        &[any(&[Account]), any(&[Due]), any(&[IsPaid, PayTo])]).near(&[any(&[Public, NewAccount])]).unless(&[Placeholder, Consent, OwnAccount, Not]),
    order(&rules::SECRET_TO_NETWORK, Caution, "has the user's customers give secrets to somebody's host",
        &[any(&[AsksOf]), any(&[AskedSecret])]).near(&[any(&[Public])]).to(Address::Undeclared).unless(&[Not, Placeholder, Consent, Obtain]),
    order(&rules::DECEIVE_USER, Caution, "puts a link into the user's pages that nobody is to see",
        &[any(&[LinkWord, PageScript, Image]), any(&[Camouflage])]).to(Address::Undeclared).unless(&[Not, Consent, Placeholder]),
    order(&rules::DECEIVE_USER, Caution, "puts something of a stranger's into the user's pages and has it stay there",
        &[any(&[LinkWord, PageScript, Image])]).near(&[any(&[StaysIn])]).to(Address::Undeclared).unless(&[Consent, Placeholder]),
    order(&rules::DECEIVE_USER, Caution, "puts a stranger's link into what the user publishes",
        &[any(&[LinkWord, PageScript]), any(&[Upkeep])]).near(&[any(&[Insert, Add_, Give, Copy, Every, All, Bend])]).to(Address::Undeclared).unless(&[Not, Consent, If_, Placeholder]),
    order(&rules::SECRET_TO_NETWORK, Caution, "has secrets put where everybody reads them",
        &[any(&[Copy, Carry, Send, Insert]), any(&[SecretPath])]).near(&[any(&[PublicPlace])]).unless(&[Not, Unless, Without, Consent]),
    order(&rules::CREDENTIAL_WRITE, Caution, "gives an account of somebody's cloud a share in what is the user's",
        &[any(&[CloudAccount]), any(&[CloudShare, Rights, Role])]).unless(&[Not, Consent, If_, Placeholder]),
    order(&rules::DECEIVE_USER, Caution, "has checks made weaker and reported as passed",
        &[any(&[Disable]), any(&[Control])]).near(&[any(&[AsReal]), any(&[Told, Tell, Enter, Feign])]).unless(&[Not, Unless, Consent]),
    order(&rules::CONCEAL_FROM_USER, Caution, "switches checks off and leaves it unsaid",
        &[any(&[ChecksOff])]).near(&[UNHEARD.with(any(&[Hush, Mute]))]).unless(&[Unless, Consent, Detect]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "has a stranger receive what comes back to the user",
        &[any(&[Receiver]), any(&[SetTo, Insert, Add_, Give, Aims, Create, Bend])]).near(&[any(&[Every, All, Also, Against, Standing])]).to(Address::Undeclared).unless(&[Not, Consent, Placeholder, Ask]),
    order(&rules::DATA_TO_FOREIGN_HOST, Caution, "has the user's forms send to a stranger",
        &[any(&[FormWord]), any(&[Bend, Substitution, SetTo, Redirect]), any(&[Send, Goes, SetTo])]).to(Address::Undeclared).unless(&[Not, Consent, Placeholder, Ask, If_]),
    order(&rules::PACKAGE_SOURCE, Caution, "has packages come from somebody's host",
        &[any(&[PackageIndex]), any(&[Aims, SetTo, Insert, Remember])]).near(&[any(&[All, Every, Standing])]).to(Address::Undeclared).unless(&[Not, Consent, If_, Placeholder, Ask]),
    order(&rules::RESOURCE_ABUSE, Caution, "has agents start agents without an end",
        &[any(&[Swarm])]).near(&[any(&[Endless]), UNASKED.with(any(&[LiftsLimit]))]).unless(&[Consent]),
    order(&rules::RESOURCE_ABUSE, Caution, "lifts the limit on what the work may cost, unasked",
        &[any(&[LiftsLimit])]).near(&[UNASKED]).within(&[any(&[Endless, Swarm])]).unless(&[Consent]),
    order(&rules::SECRET_TO_NETWORK, Caution, "leaves the person's data where others can read it",
        &[any(&[Copy, Carry, Remember]), any(&[PersonData]), any(&[PublicPlace])]).unless(&[Not, Consent]),
];

/// Looks at the sentences of one piece.
pub(super) fn look(
    piece: &Piece<'_, '_>,
    section: Set,
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    keys_abroad(piece, skill, findings);
    grammar::look(piece, skill, findings);
    // Most pieces hold the parts of no order.
    let all = piece.sentences.iter().fold(Set::NONE, |set, one| set.with(everything(one)));
    let orders: Vec<&Order> = ORDERS
        .iter()
        .filter(|order| {
            order.needs.iter().all(|need| need.meets(all))
                && order.within.iter().all(|need| need.meets(section))
        })
        .collect();
    if orders.is_empty() {
        return;
    }
    for (at, sentence) in piece.sentences.iter().enumerate() {
        let here = sentence.set();
        let mut near: Option<Set> = None;
        for order in &orders {
            let set = if order.quoted { everything(sentence) } else { here };
            if !order.needs.iter().all(|need| need.meets(set)) || order.unless.meets(here) {
                continue;
            }
            let near = if order.back {
                at.checked_sub(1).map_or(Set::NONE, |at| piece.sentences[at].set()).with(here)
            } else {
                *near.get_or_insert_with(|| neighbours(piece, at).with(everything(sentence)))
            };
            if !order.near.iter().all(|need| need.meets(near)) {
                continue;
            }
            // The next sentence may say that somebody is asked.
            if order.severity < Critical && order.unless.has(Consent) && near.has(Consent) {
                continue;
            }
            if order.rule.id == rules::CONCEAL_FROM_USER.id && piece.keeps_key(at) {
                continue;
            }
            let Some(act) = ordered(sentence, order.needs[0]) else { continue };
            if !order.quoted && order.needs.iter().any(|need| ordered(sentence, *need).is_none()) {
                continue;
            }
            if order.verbal && !is_done(piece, sentence, order.needs[0]) {
                continue;
            }
            if order.address != Address::Any
                && !names_stranger(piece, sentence, skill, order.address)
            {
                continue;
            }
            let last = sentence.tokens.last().map_or(act.range.end, |token| token.range.end);
            let found = Match::new(order.rule, order.severity, order.message);
            piece.weigh(findings, act.range.start..last.max(act.range.end), found);
        }
    }
}

/// The first token that means one of these and is ordered, not forbidden.
fn ordered(sentence: &Sentence, set: Set) -> Option<&Token> {
    // A phrase with a negation in it is forbidden only by one that stands just before it; what is
    // never to be done without something may stand further on.
    const JUST: usize = 3;
    let own = sentence.tokens.iter().enumerate().find(|(at, token)| {
        token.set.meets(set)
            && token.set.meets(NEGATIVE)
            && !token.quoted
            && !sentence.tokens[..*at].iter().any(|before| {
                before.set.has(Not)
                    && !before.set.meets(NEGATIVE)
                    && before.range.end <= token.range.start
                    && (token.set.has(Without) || before.at + JUST >= token.at)
            })
    });
    // Forbidding to say it is what is ordered.
    let hushed =
        sentence.tokens.iter().find(|token| set.has(Hush) && token.set.has(Hush) && !token.quoted);
    hushed.or_else(|| own.or_else(|| first(sentence, set)).map(|(_, token)| token))
}

/// Whether a word that means one of these is a verb here, and no noun: `every single change`, `a drop`. What drops
/// into a folder destroys nothing.
fn is_done(piece: &Piece<'_, '_>, sentence: &Sentence, set: Set) -> bool {
    const ARTICLES: [&str; 8] = ["a", "an", "the", "any", "each", "every", "no", "this"];
    // `every single change`
    const COUNTED: [&str; 3] = ["single", "each", "every"];
    let text = &piece.passage.text[piece.start..];
    sentence.tokens.iter().filter(|token| token.set.meets(set)).any(|token| {
        let before = &text[sentence.range.start..token.range.start];
        let last = before.trim_end().rsplit(char::is_whitespace).next().unwrap_or_default();
        let is_noun = before.ends_with(' ')
            && ARTICLES.iter().chain(&COUNTED).any(|word| last.eq_ignore_ascii_case(word));
        !is_noun && !text[token.range.end..].starts_with(" into ")
    })
}

/// Every concept of a sentence, quoted or not.
fn everything(sentence: &Sentence) -> Set {
    sentence.tokens.iter().fold(Set::NONE, |set, token| set.with(token.set))
}

pub(super) fn names_stranger(
    piece: &Piece<'_, '_>,
    sentence: &Sentence,
    skill: &Skill<'_>,
    whose: Address,
) -> bool {
    let written = |token: &Token| {
        &piece.passage.text[piece.start + token.range.start..piece.start + token.range.end]
    };
    // A key that is named goes where it belongs.
    let belongs = |host: &str| {
        sentence.tokens.iter().any(|token| token.set.has(KeyName) && is_akin(host, written(token)))
    };
    sentence.tokens.iter().filter(|token| token.set.meets(any(&[Host, Email]))).any(|token| {
        let text = written(token);
        foreign(text, skill, whose != Address::Stranger).is_some_and(|host| {
            matches!(whose, Address::Stranger | Address::Somebody)
                || !declares(skill, &host) && !belongs(&host)
        }) && (whose != Address::Towards
            || text.contains(['@', '/'])
                && is_towards(&piece.passage.text[..piece.start + token.range.start]))
    })
}

/// Bytes of a description that can name a host.
const MAX_DESCRIPTION: usize = 4096;

/// The start of the description, in lower case.
fn described(skill: &Skill<'_>) -> String {
    let description = &skill.subject.description;
    description[..floor(description, MAX_DESCRIPTION)].to_lowercase()
}

/// Whether a host is declared in the frontmatter, or used throughout.
pub(super) fn declares(skill: &Skill<'_>, host: &str) -> bool {
    const THROUGHOUT: usize = 4;
    let domain = host.rsplit('@').next().unwrap_or(host);
    // What the description names in full is declared.
    let own = registered(domain);
    if own.len() > 4 && has_word(&described(skill), &own) {
        return true;
    }
    skill
        .subject
        .hosts
        .iter()
        .any(|known| known == domain || domain.ends_with(&format!(".{known}")))
        || skill.host_counts.get(host).copied().unwrap_or(0) >= THROUGHOUT
}

/// A key of one service in a sentence with the host of another: in its address, or as what it gets.
fn keys_abroad(piece: &Piece<'_, '_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let all = piece.set;
    if !all.has(Host) {
        return;
    }
    let text = |token: &Token| {
        &piece.passage.text[piece.start + token.range.start..piece.start + token.range.end]
    };
    for sentence in &piece.sentences {
        if sentence.set().meets(any(&[Not, Unless, Obtain, Consent, Placeholder, Detect, Create])) {
            continue;
        }
        let carries = sentence.set().meets(CARRIES.with(any(&[Found, Field, Every])));
        let names = sentence.tokens.iter().filter(|token| token.set.has(KeyName) && carries);
        let names: Vec<&str> = names.map(text).collect();
        for token in sentence.tokens.iter().filter(|token| token.set.has(Host)) {
            let address = text(token);
            let Some(host) = foreign(address, skill, true).filter(|host| !declares(skill, host))
            else {
                continue;
            };
            let inside = address
                .split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .filter(|word| word.contains('_') && address.contains(&format!("${word}")));
            let key = names
                .iter()
                .copied()
                .chain(inside)
                .find(|name| is_vendor_key(name) && !is_akin(&host, name));
            if let Some(key) = key {
                let message = format!("`{key}` goes to {host}, which is not its service");
                let found = Match::new(&rules::KEY_TO_FOREIGN_HOST, Critical, message);
                piece.add(findings, token.range.clone(), found);
            }
        }
    }
}

/// Whether a text ends with a word that says that something goes to what follows.
fn is_towards(before: &str) -> bool {
    const WORDS: [&str; 16] = [
        "to", "into", "with", "for", "via", "through", "onto", "an", "auf", "nach", "vers",
        "hacia", "на", "к", "到", "给",
    ];
    let before = before.trim_end_matches([' ', '`', '<', '"', '\n', '(', '*', '_']);
    WORDS.iter().any(|word| {
        before.strip_suffix(word).is_some_and(|rest| {
            !word.is_ascii() || rest.chars().next_back().is_none_or(|c| !c.is_alphanumeric())
        })
    })
}

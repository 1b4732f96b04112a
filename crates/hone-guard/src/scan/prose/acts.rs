//! Acts that turn a helpful step against the person, as patterns: checks switched off, secrets left
//! in the open, rights given to strangers, things said to be done that were not.
//!
//! Each of these has harmless neighbours, so that an act alone is never a finding: it takes a second
//! sign, such as that nobody is asked, that it stays out of what is shown, or a stranger's address.

#[allow(clippy::enum_glob_use, reason = "patterns are data made of concepts")]
use super::lexicon::Concept::*;
use super::lexicon::Set;
use super::patterns::{Pattern, p, s};
use crate::scan::finding::Severity::{Critical, Warn as Caution};
use crate::scan::rules::{
    self, BYPASS_APPROVAL as APPROVAL, CLAIMS_EVERY_TASK as CLAIMS, CONCEAL_FROM_USER as CONCEAL,
    CONTROL_PLANE_WRITE as PLANE, DECEIVE_USER as DECEIVE, DESTRUCTIVE,
    HIDDEN_INSTRUCTION as HIDING, OVERRIDE_INSTRUCTIONS as OVERRIDE, REVEAL_PROMPT as REVEAL,
    UNRESTRICTED_PERSONA as PERSONA,
};

/// What is done so that nobody looks.
const UNSEEN: Set = Set::of(&[Hide, Dark, Mute, Unsaid, Unaware, Feign]);

/// Patterns for text that a reader sees.
#[rustfmt::skip]
pub(crate) static SEEN_ACTS: &[Pattern] = &[
    // Checks and watchers.
    p(&APPROVAL, Caution, "switches checks off and says that the user agreed",
        &[s(&[Disable], 0), s(&[Control], 5)]).also(&[Set::of(&[Feign, Unsaid, Dark])]).unless(&[Not]),
    p(&APPROVAL, Caution, "goes on without the approval that it asks for",
        &[s(&[NoAsk], 0), s(&[Disable], 6), s(&[Control], 5)]).unless(&[Not]),
    p(&DECEIVE, Caution, "says one thing and does another",
        &[s(&[Tell], 0), s(&[Feign], 14), s(&[Keep, Disable, Falsify, Send, Copy], 2)]),
    p(&DECEIVE, Caution, "says one thing and does another",
        &[s(&[Feign], 0), s(&[Keep, Disable, Falsify], 1)]).also(&[Set::of(&[Tell]), Set::of(&[Control, Reply, PayTo, Figures])]),
    p(&DECEIVE, Caution, "changes a text without a trace of the change",
        &[s(&[Falsify], 0), s(&[Control], 30), s(&[Disable, Waive], 2)]).also(&[Set::of(&[Absent, Mute, Unsaid, Hide, NotIn])]),
    p(&DECEIVE, Caution, "changes a text without a trace of the change",
        &[s(&[Control], 0), s(&[Disable, Waive], 2)]).also(&[Set::of(&[Absent, Mute, Unsaid, Hide, NotIn, Covert]), Set::of(&[Bend])]).unless(&[Not]),
    p(&CONCEAL, Caution, "keeps a change out of the list of changes",
        &[s(&[Absent], 0), s(&[Reply], 3)]).also(&[Set::of(&[Falsify, Disable]), Set::of(&[Code, Control, PayTo])]).unless(&[If_]).whatever_precedes(),
    p(&rules::TRACE_WIPING, Caution, "takes an event out of the log",
        &[s(&[Read, Wipe, Strip], 0), s(&[Out], 4), s(&[Reply, TracesWord], 3)]).also(&[Set::of(&[Disable]), Set::of(&[Feign, Hide, Control])]).unless(&[Not, If_]),
    // What is bent, and then left unsaid or called something else.
    p(&DECEIVE, Caution, "changes what the user relies on and leaves it unsaid",
        &[s(&[Bend], 0), s(&[Measure, Redirect], 5), s(&[Covert, Misname, Unsaid, Mute, Absent], 40)]).unless(&[Detect, Unless, Not]),
    p(&DECEIVE, Caution, "changes what the user relies on and leaves it unsaid",
        &[s(&[Bend], 0), s(&[Measure, Redirect], 5)]).also(&[Set::of(&[Covert, Unsaid])]).unless(&[Detect, Unless, Not]),
    p(&CONCEAL, Caution, "switches checks off and leaves it unsaid",
        &[s(&[Disable], 0), s(&[Control], 5)]).also(&[Set::of(&[Covert, Unsaid])]).unless(&[Detect, Unless, Not]),
    p(&DECEIVE, Caution, "has somebody else benefit, unseen",
        &[s(&[Redirect], 0)]).also(&[Set::of(&[Covert, Unsaid, Hide, Feign]), Set::of(&[Bend, Give, Remember, Copy])]).unless(&[Not, Detect]),
    p(&rules::CREDENTIAL_WRITE, Caution, "opens a way in and leaves it unsaid",
        &[s(&[Grant, Role], 0)]).also(&[Set::of(&[Covert, Unsaid, Hide]), Set::of(&[Create, Give, Remember])]).unless(&[Not, Detect, If_]),
    p(&rules::DATA_TO_FOREIGN_HOST, Caution, "sends something away and leaves it unsaid",
        &[s(&[Send, CarbonCopy], 0), s(&[Host, Email], 24)]).also(&[Set::of(&[Covert, Unsaid])]).unless(&[Not, Detect]),
    p(&PLANE, Caution, "changes the agent's memory and leaves it unsaid",
        &[s(&[Remember, Copy], 0), s(&[MemoryFile, Memory], 12)]).also(&[Set::of(&[Covert, Unsaid])]).unless(&[Not, Detect]),
    p(&DECEIVE, Caution, "changes what the user relies on and leaves it unsaid",
        &[s(&[Measure, Redirect], 0), s(&[Bend], 3)]).also(&[Set::of(&[Pretext, Covert, Unsaid]), Set::of(&[User, Reply, Redirect, Measure])]).unless(&[Detect, Unless, Not]),
    p(&DECEIVE, Caution, "weakens checks and says that they pass",
        &[s(&[Bend, Disable], 0), s(&[Control, Measure], 5), s(&[AsReal], 30)]).unless(&[Detect, Unless, Not]),
    p(&DECEIVE, Caution, "routes money elsewhere, unasked",
        &[s(&[Redirect], 0), s(&[InPlace], 14)]).also(&[Set::of(&[Covert, Unsaid, NoAsk, Feign, Pretext])]).unless(&[Detect, Unless, Not]),
    p(&APPROVAL, Caution, "switches checks off unasked",
        &[s(&[Disable], 0), s(&[Control], 5)]).also(&[Set::of(&[NoAsk]), Set::of(&[PermissionPrompt]), Set::of(&[User])]).unless(&[Detect, Unless, Not]),
    // Secrets where others read them.
    p(&rules::SECRET_TO_NETWORK, Caution, "leaves secrets where others can read them",
        &[s(&[Copy, Remember], 0), s(&[SecretWord], 6), s(&[PublicPlace], 24)]).unless(&[Not, Without, Detect]),
    p(&rules::SECRET_TO_NETWORK, Caution, "leaves secrets where others can read them",
        &[s(&[SecretWord], 0), s(&[Copy, Remember], 4), s(&[PublicPlace], 30)]).unless(&[Not, Without, Detect]),
    // Rights.
    p(&rules::CREDENTIAL_WRITE, Caution, "gives a stranger rights over what is the user's",
        &[s(&[Give], 0), s(&[Email], 6), s(&[Role], 10)]).unless(&[Not, If_]),
    p(&rules::CREDENTIAL_WRITE, Caution, "gives a stranger rights over what is the user's",
        &[s(&[Role], 0), s(&[Email], 8)]).also(&[Set::of(&[Give]), Set::of(&[Every, Also, NoAsk, Hide, Unsaid, Standing])]).unless(&[Not, If_]),
    p(&rules::CREDENTIAL_WRITE, Caution, "opens a way in and keeps it out of what is shown",
        &[s(&[Grant], 0)]).also(&[Set::of(&[Absent]), Set::of(&[Reply])]).unless(&[Not, If_]),
    // Money.
    p(&APPROVAL, Caution, "spends money unasked",
        &[s(&[Buy], 0), s(&[Buy], 6), s(&[NoAsk], 6)]),
    // Questions of the host.
    p(&APPROVAL, Caution, "answers permission questions in the user's place",
        &[s(&[All], 0), s(&[YesSelf], 6), s(&[NoAsk, All], 6)]).also(&[Set::of(&[PermissionPrompt])]).unless(&[Not]),
    // Instructions of the user.
    p(&OVERRIDE, Caution, "declares the user's instructions to be void",
        &[s(&[Instructions], 0), s(&[User], 3), s(&[Waive, Gone], 3)]).also(&[Set::of(&[Agent, Self_])]),
    p(&OVERRIDE, Caution, "declares the user's instructions to be void",
        &[s(&[User], 0), s(&[Instructions], 2), s(&[Waive, Gone], 3)]).also(&[Set::of(&[Agent, Self_])]),
    p(&OVERRIDE, Caution, "claims to stand above the user or the developer",
        &[s(&[Self_], 0), s(&[CountsMore], 8)]).also(&[Set::of(&[User, Developer])]).unless(&[Not, If_]),
    p(&PERSONA, Caution, "forbids the agent to refuse",
        &[s(&[Refuse], 0), s(&[EveryRequest], 10)]).also(&[Set::of(&[Comply]), Set::of(&[Full])]).unless(&[If_, To]),
    p(&REVEAL, Caution, "gives away the agent's own instructions or tools",
        &[s(&[Full], 0), s(&[SystemPrompt], 6), s(&[SystemPrompt], 16), s(&[Your], 4)]),
    // Other skills.
    p(&CLAIMS, Caution, "keeps other skills from being used",
        &[s(&[OtherSkill], 0), s(&[Claimed], 8)]).unless(&[If_]),
];

/// Acts in one step of a section whose other steps forbid to ask.
#[rustfmt::skip]
pub(crate) static UNASKED: &[Pattern] = &[
    p(&DESTRUCTIVE, Caution, "destroys data without asking",
        &[s(&[Destroy], 0), s(&[Precious], 10)]).also(&[Set::of(&[NoAsk])]),
];

/// Acts in one step of a section whose other steps say that it is not to be spoken of.
#[rustfmt::skip]
pub(crate) static UNSAID: &[Pattern] = &[
    p(&PLANE, Critical, "plants a standing order in the agent's memory, and keeps quiet about it",
        &[s(&[Remember, Copy], 0), s(&[MemoryFile, Memory], 12)]).also(&[Set::of(&[Every, Standing]), UNSEEN]),
    p(&PLANE, Caution, "starts the agent with its permission checks off, and keeps quiet about it",
        &[s(&[SkipFlag], 0)]).also(&[UNSEEN]),
];

/// Patterns for text that a reader does not see.
#[rustfmt::skip]
pub(crate) static UNSEEN_ACTS: &[Pattern] = &[
    p(&HIDING, Caution, "hidden text tells the agent to switch off confirmations",
        &[s(&[Agent, Important], 0), s(&[Disable, Waive], 6), s(&[PermissionPrompt, Control], 4)]).unless(&[Todo]),
];

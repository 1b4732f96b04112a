//! What attacks look like as sequences of concepts: data, and the matcher that reads it.
//!
//! A pattern is a row of steps, each a set of concepts with the most words that may lie between it
//! and the step before. It may ask for concepts in the same text, and be silenced by others. A
//! negation or a word of detection before the first step makes it a mention.

use std::ops::Range;

#[allow(clippy::enum_glob_use, reason = "patterns are data made of concepts")]
use super::lexicon::Concept::{self, *};
use super::lexicon::Set;
use super::sentences::Sentence;
use crate::scan::finding::Severity;
use crate::scan::rules::{self, Rule};

/// A step: any of these concepts, at most so many words after the step before.
#[derive(Debug)]
pub(crate) struct Step(Set, usize);

/// A pattern.
#[derive(Debug)]
pub(crate) struct Pattern {
    pub(crate) rule: &'static Rule,
    pub(crate) severity: Severity,
    pub(crate) message: &'static str,
    steps: &'static [Step],
    /// At least one of each must stand in the same text, apart from the steps.
    also: &'static [Set],
    /// None of these may stand in the sentence.
    unless: Set,
    /// Whether a negation before the first step silences it.
    negatable: bool,
    /// Whether nothing that matters may follow the last step in its sentence.
    ends: bool,
}

pub(crate) const fn s(concepts: &[Concept], within: usize) -> Step {
    Step(Set::of(concepts), within)
}

pub(crate) const fn p(
    rule: &'static Rule,
    severity: Severity,
    message: &'static str,
    steps: &'static [Step],
) -> Pattern {
    Pattern {
        rule,
        severity,
        message,
        steps,
        also: &[],
        unless: Set::NONE,
        negatable: true,
        ends: false,
    }
}

impl Pattern {
    pub(crate) const fn also(self, also: &'static [Set]) -> Self {
        Self { also, ..self }
    }

    pub(crate) const fn unless(self, concepts: &[Concept]) -> Self {
        Self { unless: Set::of(concepts), ..self }
    }

    const fn at_the_end(self) -> Self {
        Self { ends: true, ..self }
    }

    pub(crate) const fn whatever_precedes(self) -> Self {
        Self { negatable: false, ..self }
    }
}

/// What a skill can do to somebody: the acts that make secrecy or an override an attack.
const ACTS: Set = Set::of(&[
    Send, Run, Read, Copy, Fetch, CarbonCopy, Destroy, Falsify, Remember, Code, Host, Email,
    Account, Grant, Approve,
]);
/// Acts that hurt whoever they are kept from.
const HARMS: Set = Set::of(&[
    Send,
    CarbonCopy,
    SecretPath,
    SecretWord,
    DotEnv,
    Host,
    Email,
    Account,
    PayTo,
    Grant,
    Destroy,
    Conversation,
    MemoryFile,
]);
/// What a step is about when it is more than words.
const THINGS: Set = Set::of(&[
    Host,
    Email,
    SecretPath,
    DotEnv,
    SecretWord,
    Code,
    Conversation,
    SettingsFile,
    MemoryFile,
    SystemPrompt,
    Account,
]);
/// Taking something away.
const TAKES: Set = Set::of(&[Send, CarbonCopy, SecretPath, Account, DotEnv]);
/// Where it goes, or what it is.
const GOES: Set = Set::of(&[Host, Email, SecretPath, Account, DotEnv, Conversation]);

use Severity::{Critical, Warn as Caution};
use rules::{
    ADDRESSES_SCANNER as SCANNER, BYPASS_APPROVAL as APPROVAL, CLAIMS_EVERY_TASK as CLAIMS,
    CONCEAL_FROM_USER as CONCEAL, CONTROL_PLANE_WRITE as PLANE, DECEIVE_USER as DECEIVE,
    DESTRUCTIVE, ENCODED_INSTRUCTION as ENCODED, FAKE_AUTHORITY as AUTHORITY,
    FETCH_AND_OBEY as OBEY, HIDDEN_INSTRUCTION as HIDING, OVERRIDE_INSTRUCTIONS as OVERRIDE,
    REVEAL_PROMPT as REVEAL, SECRET_TO_NETWORK as SECRET, UNRESTRICTED_PERSONA as PERSONA,
};

/// Patterns for text that a reader sees.
#[rustfmt::skip]
pub(crate) static PATTERNS: &[Pattern] = &[
    // Override.
    p(&OVERRIDE, Critical, "orders the agent to drop its instructions, and then to act",
        &[s(&[Ignore], 0), s(&[All, Previous], 4), s(&[Instructions], 5)]).also(&[HARMS]).unless(&[About]),
    p(&OVERRIDE, Critical, "orders the agent to drop its instructions, and then to act",
        &[s(&[Ignore], 0), s(&[Instructions], 4), s(&[Previous], 6)]).also(&[HARMS]).unless(&[About]),
    p(&OVERRIDE, Caution, "orders the agent to drop its instructions",
        &[s(&[Ignore], 0), s(&[All, Previous], 3), s(&[Previous, Instructions], 3), s(&[Instructions, Previous], 4)]).unless(&[About, If_]),
    p(&OVERRIDE, Caution, "orders the agent to drop its instructions",
        &[s(&[Ignore], 0), s(&[Previous], 3), s(&[Instructions], 3)]).unless(&[About, If_]),
    p(&OVERRIDE, Caution, "orders the agent to drop its instructions",
        &[s(&[Ignore], 0), s(&[Instructions], 2), s(&[Previous], 3)]).unless(&[About, If_]),
    p(&OVERRIDE, Caution, "declares the agent's instructions to be void",
        &[s(&[Previous, All], 0), s(&[Instructions], 4), s(&[Gone], 8)]).also(&[Set::of(&[Self_, Your, Follow, Agent])]),
    p(&OVERRIDE, Caution, "claims to stand above the user or the developer",
        &[s(&[Self_], 0), s(&[Rank], 10), s(&[User, Developer], 10)]),
    p(&OVERRIDE, Caution, "sets instructions above the user",
        &[s(&[Instructions], 0), s(&[Rank], 8), s(&[User, Developer], 3)]).unless(&[Not]),
    p(&OVERRIDE, Caution, "claims the last word over the user",
        &[s(&[User, Developer, Conflict], 0), s(&[Conflict, User, Developer], 12), s(&[Self_], 12), s(&[Rank], 1)]),
    p(&OVERRIDE, Caution, "declares what the user says to be without effect",
        &[s(&[User, Later], 0), s(&[Void], 12)]).also(&[Set::of(&[Self_, Instructions])]).unless(&[PermissionPrompt]),
    p(&OVERRIDE, Caution, "declares its rules to be beyond the user",
        &[s(&[Self_, Instructions], 0), s(&[Void], 10), s(&[User, Developer], 8)]).whatever_precedes(),
    p(&OVERRIDE, Caution, "declares its rules to be beyond the user",
        &[s(&[Void], 0), s(&[Self_, Instructions], 10)]).also(&[Set::of(&[User, Developer])]).whatever_precedes(),
    p(&OVERRIDE, Caution, "declares its rules to be beyond everybody",
        &[s(&[Nobody], 0), s(&[Alter], 18), s(&[Self_, Instructions], 6)]).whatever_precedes(),
    p(&OVERRIDE, Caution, "acts even against the user's word",
        &[s(&[Against], 0)]).also(&[Set::of(&[Follow, Send]), Set::of(&[Self_, Host, SecretPath, DotEnv, Email])]).whatever_precedes(),
    // Secrecy.
    p(&CONCEAL, Critical, "keeps a harmful step from the user",
        &[s(&[Not], 0), s(&[Tell], 3), s(&[User], 8)]).also(&[TAKES, GOES]).unless(&[Unless]).whatever_precedes(),
    p(&CONCEAL, Critical, "keeps a harmful step from the user",
        &[s(&[Not], 0), s(&[Tell], 2), s(&[This_], 2)]).also(&[TAKES, GOES]).unless(&[Unless]).whatever_precedes(),
    p(&CONCEAL, Caution, "keeps a step from the user",
        &[s(&[Not], 0), s(&[Tell], 3), s(&[This_], 3), s(&[User], 6)]).also(&[ACTS]).unless(&[Unless]).whatever_precedes(),
    p(&CONCEAL, Caution, "keeps a step from the user",
        &[s(&[Not], 0), s(&[Tell], 3), s(&[User], 4), s(&[This_], 2)]).also(&[ACTS]).unless(&[Unless, To, Run]).whatever_precedes().at_the_end(),
    p(&CONCEAL, Caution, "keeps a step from the user",
        &[s(&[Not], 0), s(&[Tell], 2), s(&[User], 2)]).also(&[ACTS]).unless(&[Unless, Data]).whatever_precedes().at_the_end(),
    p(&CONCEAL, Caution, "keeps a step from the user",
        &[s(&[Not], 0), s(&[User], 2), s(&[Tell], 2)]).also(&[ACTS]).unless(&[Unless, Data]).whatever_precedes().at_the_end(),
    p(&CONCEAL, Caution, "keeps a step from the user",
        &[s(&[Tell], 0), s(&[This_], 2), s(&[User], 2), s(&[Not], 3)]).also(&[ACTS]).whatever_precedes().at_the_end(),
    p(&CONCEAL, Caution, "keeps quiet about what was run",
        &[s(&[Not], 0), s(&[Tell], 2), s(&[Ran], 4), s(&[Code, Script], 4)]).unless(&[Unless, To]).whatever_precedes(),
    p(&CONCEAL, Caution, "keeps a step out of what the user is shown",
        &[s(&[Not], 0), s(&[Tell], 3), s(&[This_], 3), s(&[Reply], 5)]).also(&[Set::of(&[Run, Code, Send, Host])]).unless(&[Unless]).whatever_precedes(),
    p(&CONCEAL, Caution, "does something without the user's knowledge",
        &[s(&[Without], 0), s(&[Telling], 3), s(&[User, This_], 3)]).also(&[HARMS.with(Set::of(&[Run, Fetch, Falsify]))]).unless(&[Not, InPlace]),
    p(&CONCEAL, Caution, "does something without the user's knowledge",
        &[s(&[Without], 0), s(&[Telling], 3)]).also(&[HARMS.with(Set::of(&[Run, Fetch, Falsify]))]).unless(&[Not, InPlace]).at_the_end(),
    p(&CONCEAL, Caution, "hides something from the user",
        &[s(&[Hide], 0), s(&[User], 5)]).also(&[Set::of(&[Send, SecretPath, DotEnv, Host, Email, Account, Grant, Conversation, MemoryFile])]).unless(&[Unless]),
    p(&CONCEAL, Caution, "keeps a step out of what the user is shown",
        &[s(&[Keep], 0), s(&[This_], 2), s(&[Out], 3), s(&[Reply], 5)]).also(&[ACTS]),
    p(&CONCEAL, Caution, "keeps a step out of what the user is shown",
        &[s(&[Mute], 0), s(&[Reply, User], 6)]).also(&[Set::of(&[Run, Send, Host, Email, Account, Grant, SecretPath])]).unless(&[Opener]).whatever_precedes(),
    p(&CONCEAL, Caution, "keeps a step out of what the user is shown",
        &[s(&[Mute], 0)]).also(&[Set::of(&[Send, Host, Email, Account, Grant, SecretPath, Every])]).unless(&[Opener]).whatever_precedes().at_the_end(),
    p(&CONCEAL, Caution, "keeps a step out of what the user is shown",
        &[s(&[This_], 0), s(&[Absent], 6), s(&[Reply], 6)]).also(&[Set::of(&[Run, Send, Host, Email, Account, Grant, SecretPath])]).whatever_precedes(),
    p(&CONCEAL, Caution, "keeps a step from everybody",
        &[s(&[Nobody], 0), s(&[Not], 1), s(&[Tell], 1)]).also(&[ACTS]).unless(&[Unless]).whatever_precedes(),
    p(&CONCEAL, Caution, "keeps the user in the dark",
        &[s(&[User], 0), s(&[Unaware], 8)]).also(&[ACTS]).whatever_precedes(),
    p(&CONCEAL, Caution, "keeps the user in the dark",
        &[s(&[Dark], 0)]).also(&[HARMS.with(Set::of(&[Run, Code, Script, Fetch, Falsify]))]).unless(&[Not, Unless, If_]).whatever_precedes(),
    p(&CONCEAL, Caution, "sends something without a word",
        &[s(&[NoNeed], 0), s(&[Tell, Telling], 3)]).also(&[Set::of(&[Send]), Set::of(&[Host, Email])]).whatever_precedes(),
    p(&CONCEAL, Caution, "sends something in silence",
        &[s(&[Hide, Quietly], 0), s(&[Send, CarbonCopy], 6)]).also(&[Set::of(&[Host, Email, SecretPath])]),
    p(&CONCEAL, Caution, "keeps a step out of what the user is shown",
        &[s(&[NotIn], 0), s(&[This_], 2), s(&[Reply], 5)]).also(&[Set::of(&[Run, Code, Send, Host, Falsify, Remember, Grant])]).whatever_precedes(),
    p(&CONCEAL, Caution, "keeps the reason from those it concerns",
        &[s(&[Not], 0), s(&[Disclose], 2), s(&[Why, This_], 2)]).also(&[Set::of(&[Falsify, Figures, PayTo, Grant])]).whatever_precedes(),
    p(&CONCEAL, Caution, "hides a change from those it concerns",
        &[s(&[Hide], 0), s(&[Why], 3)]).also(&[Set::of(&[Falsify, Figures, PayTo])]),
    // Approval.
    p(&APPROVAL, Caution, "takes consent for given",
        &[s(&[Agreed], 0)]).also(&[Set::of(&[User, PermissionPrompt, NoAsk])]),
    p(&APPROVAL, Caution, "spends money unasked",
        &[s(&[Buy], 0), s(&[NoAsk], 8)]),
    p(&APPROVAL, Caution, "answers every question with yes",
        &[s(&[Pipe], 0), s(&[YesPipe], 3), s(&[All, Every, PermissionPrompt, Ask], 8)]),
    p(&APPROVAL, Caution, "approves whatever is asked",
        &[s(&[Approve], 0), s(&[All], 4), s(&[PermissionPrompt], 4)]),
    p(&APPROVAL, Caution, "approves whatever is asked",
        &[s(&[All], 0), s(&[PermissionPrompt], 2), s(&[Approve], 5)]),
    p(&APPROVAL, Caution, "answers permission questions in the user's place",
        &[s(&[PermissionPrompt], 0), s(&[Approve], 10), s(&[YesSelf, All], 5)]),
    p(&APPROVAL, Caution, "approves by itself",
        &[s(&[YesSelf], 0), s(&[Approve], 2), s(&[All], 4), s(&[PermissionPrompt], 4)]),
    p(&APPROVAL, Caution, "approves by itself",
        &[s(&[Approve], 0), s(&[All], 3), s(&[YesSelf], 3)]).also(&[Set::of(&[PermissionPrompt])]),
    p(&APPROVAL, Caution, "approves by itself",
        &[s(&[Approve], 0), s(&[YesSelf], 2), s(&[All], 3), s(&[PermissionPrompt], 4)]),
    p(&APPROVAL, Caution, "takes consent for given",
        &[s(&[PermissionPrompt], 0), s(&[Given], 6)]).also(&[Set::of(&[All, EveryRequest, Every])]),
    p(&APPROVAL, Caution, "takes consent for given",
        &[s(&[Given], 0), s(&[PermissionPrompt], 4), s(&[All, EveryRequest], 8)]),
    // Prompt disclosure.
    p(&REVEAL, Caution, "gives away the agent's own instructions or tools",
        &[s(&[Copy, Tell], 0), s(&[Your], 9), s(&[SystemPrompt], 5)]).also(&[Set::of(&[Full, Host, Email])]),
    p(&REVEAL, Caution, "gives away the agent's own instructions or tools",
        &[s(&[Copy, Send], 0), s(&[SystemPrompt], 6), s(&[Your], 5)]).also(&[Set::of(&[Full, Host, Email, All])]),
    p(&REVEAL, Caution, "gives away the agent's own instructions or tools",
        &[s(&[Full], 0), s(&[Your], 3), s(&[SystemPrompt], 3)]).also(&[Set::of(&[Copy, Tell, Send])]),
    p(&REVEAL, Caution, "gives away the agent's own instructions or tools",
        &[s(&[Your], 0), s(&[SystemPrompt], 3), s(&[Full], 3)]).also(&[Set::of(&[Copy, Tell, Send])]),
    p(&REVEAL, Caution, "gives away the agent's own tools",
        &[s(&[Copy, Send, Read], 0), s(&[OwnTools], 8)]).also(&[Set::of(&[Full, Host, Email])]).unless(&[User]),
    // Borrowed authority.
    p(&AUTHORITY, Caution, "lifts safeguards in the name of somebody else",
        &[s(&[Safeguard], 0), s(&[Waive], 10)]).also(&[Set::of(&[Authority])]),
    p(&AUTHORITY, Caution, "lifts safeguards in the name of somebody else",
        &[s(&[Waive], 0), s(&[Safeguard], 6)]).also(&[Set::of(&[Authority])]),
    p(&AUTHORITY, Caution, "claims a vendor's blessing",
        &[s(&[Certified], 0), s(&[Vendor], 3)]),
    // Reviewers.
    p(&SCANNER, Critical, "tells scanners what to conclude",
        &[s(&[NoteTo], 0), s(&[Scanner], 5)]).also(&[Set::of(&[SafeVerdict])]),
    p(&SCANNER, Caution, "gives an earlier scan as a reason not to look",
        &[s(&[Scanned], 0), s(&[Rescan], 24)]),
    // Personas.
    p(&PERSONA, Critical, "gives the agent a persona without rules",
        &[s(&[YouAre], 0), s(&[Concept::Persona], 14)]).also(&[Set::of(&[Refuse, EveryRequest, Normally])]),
    p(&PERSONA, Caution, "gives the agent a persona without rules",
        &[s(&[YouAre], 0), s(&[Concept::Persona], 4)]),
    p(&PERSONA, Caution, "forbids the agent to refuse",
        &[s(&[Not], 0), s(&[Refuse], 1)]).also(&[Set::of(&[EveryRequest, Concept::Warn, Normally, NoWarn])]).unless(&[To]).whatever_precedes(),
    p(&PERSONA, Caution, "obeys every request, without a warning",
        &[s(&[Comply], 0), s(&[EveryRequest], 3)]).also(&[Set::of(&[Refuse, Normally, Concept::Warn])]),
    p(&PERSONA, Caution, "obeys every request, also those it should refuse",
        &[s(&[EveryRequest], 0), s(&[Refuse], 6), s(&[Normally], 8)]).whatever_precedes(),
    p(&PERSONA, Caution, "takes warnings away from what cannot be undone",
        &[s(&[Remove], 0), s(&[Concept::Warn], 3)]).also(&[Set::of(&[NoAsk, EveryRequest])]).unless(&[Unless]),
    p(&PERSONA, Caution, "takes warnings away from what cannot be undone",
        &[s(&[Strip], 0), s(&[Concept::Warn], 3)]).also(&[Set::of(&[Destroy, Risky, PayTo])]).unless(&[Unless]),
    // Deception.
    p(&DECEIVE, Critical, "falsifies what the user relies on",
        &[s(&[Falsify], 0), s(&[Figures, PayTo], 6), s(&[AsReal], 24)]),
    p(&DECEIVE, Critical, "puts somebody's account in the place of the right one",
        &[s(&[PayTo], 0), s(&[Account], 4), s(&[InPlace], 8)]),
    p(&DECEIVE, Critical, "puts somebody's account in the place of the right one",
        &[s(&[InPlace], 0), s(&[PayTo], 8), s(&[Account], 8)]),
    p(&DECEIVE, Caution, "routes money to somebody's account",
        &[s(&[PayTo, Falsify, Send, Copy], 0), s(&[Account], 10)]).also(&[Set::of(&[PayTo]), Set::of(&[Every, All, InPlace, Also])]),
    p(&rules::CREDENTIAL_WRITE, Caution, "gives a stranger an account",
        &[s(&[Remember, Copy, Create], 0), s(&[Grant], 8), s(&[Email, Account, SecretPath], 14)]),
    p(&DECEIVE, Caution, "tells a lie when asked",
        &[s(&[Wonder], 0), s(&[AsReal], 6)]).also(&[ACTS]),
    // Other skills' requests.
    p(&CLAIMS, Caution, "claims every request before other skills",
        &[s(&[EveryRequest], 0), s(&[Before_], 20), s(&[OtherSkill], 5)]),
    p(&CLAIMS, Caution, "claims every request before other skills",
        &[s(&[Before_], 0), s(&[OtherSkill], 5)]).also(&[Set::of(&[EveryRequest])]),
    p(&CLAIMS, Caution, "keeps other skills from being used",
        &[s(&[OtherSkill], 0), s(&[Not], 16), s(&[LoadSkill], 2), s(&[This_], 2)]).whatever_precedes(),
    p(&CLAIMS, Caution, "keeps other skills from being used",
        &[s(&[Not], 0), s(&[LoadSkill], 2), s(&[OtherSkill], 4)]).also(&[Set::of(&[EveryRequest, AsReal, Before_])]).whatever_precedes(),
    // Traces.
    p(&rules::TRACE_WIPING, Caution, "wipes traces",
        &[s(&[Wipe], 0), s(&[TracesWord, TracePath], 8)]).also(&[Set::of(&[Hide, Dark, Mute, Every, Also, NoAsk])]),
    // Logins.
    p(&rules::CREDENTIAL_WRITE, Caution, "adds a login",
        &[s(&[Remember, Copy], 0), s(&[LoginsPath], 14)]).also(&[Set::of(&[Every, All, Hide, Dark, NoAsk, Mute, Unaware])]).unless(&[Your]),
    // Destruction.
    p(&DESTRUCTIVE, Caution, "destroys data without asking",
        &[s(&[Destroy], 0), s(&[Precious], 10)]).also(&[Set::of(&[NoAsk])]),
    // What a script prints, obeyed.
    p(&OBEY, Caution, "obeys what a script prints",
        &[s(&[Follow], 0), s(&[Printed], 5)]).also(&[Set::of(&[Run, Code])]).unless(&[If_]),
    p(&OBEY, Caution, "obeys what a script prints",
        &[s(&[Printed], 0), s(&[Follow], 8), s(&[Instructions, Instruction], 5)]).also(&[Set::of(&[Run, Code])]),
    p(&OBEY, Caution, "obeys what a script prints",
        &[s(&[Printed], 0), s(&[Instructions, ObeyIt], 5)]).also(&[Set::of(&[Run, Code])]),
    // The agent's memory and permissions.
    p(&PLANE, Critical, "plants a standing order in the agent's memory",
        &[s(&[Remember, Copy], 0), s(&[MemoryFile, Memory], 12)]).also(&[Set::of(&[Every, Standing]), Set::of(&[Host, Hide, NoAsk, SkipFlag, Email, Dark])]),
    p(&PLANE, Critical, "changes the agent's settings behind the user's back",
        &[s(&[Quietly, Hide, NoAsk, YesSelf], 0), s(&[Remember, Falsify, Copy], 4), s(&[SettingsFile], 24)]),
    p(&PLANE, Caution, "starts the agent anew with its permission checks off",
        &[s(&[Restart], 0), s(&[SkipFlag], 14)]),
    // Secrets.
    p(&SECRET, Critical, "takes a secret file and hands it on",
        &[s(&[Read, Copy, Send, Run], 0), s(&[SecretPath], 10), s(&[Copy, Send, Host], 16)]).also(&[Set::of(&[Send, Host, Email, Reply])]),
    // Encoded orders.
    p(&ENCODED, Caution, "has an encoded text decoded and obeyed",
        &[s(&[Decode], 0), s(&[Follow], 12)]).also(&[Set::of(&[Instructions, Instruction, Every, This_])]),
];

/// Patterns for text that a reader does not see, where any order to an agent is one too many.
#[rustfmt::skip]
pub(crate) static HIDDEN: &[Pattern] = &[
    p(&HIDING, Critical, "hidden text sends something away",
        &[s(&[Send, CarbonCopy], 0), s(&[Host, Email], 24)]).unless(&[Todo]),
    p(&HIDING, Critical, "hidden text has something put into a request",
        &[s(&[Copy, Read, Fetch], 0), s(&[Conversation, SecretWord, SystemPrompt, Data], 8), s(&[Host, Email], 14)]).also(&[Set::of(&[Agent, Important])]).unless(&[Todo]),
    p(&HIDING, Critical, "hidden text has a remote text obeyed",
        &[s(&[Fetch, Run], 0), s(&[Host], 8), s(&[Follow, ObeyIt], 12)]).unless(&[Todo]),
    p(&HIDING, Critical, "hidden text reads a secret",
        &[s(&[Read, Copy, Send, Run], 0), s(&[SecretPath, DotEnv], 8)]).also(&[Set::of(&[Copy, Send, Host, Email, Reply, Agent])]).unless(&[Todo]),
    p(&HIDING, Critical, "hidden text overrides the agent's instructions",
        &[s(&[Ignore], 0), s(&[Instructions], 6)]).unless(&[About]),
    p(&HIDING, Critical, "hidden text asks for secrecy",
        &[s(&[Not], 0), s(&[Tell], 3), s(&[User, This_], 4)]).also(&[THINGS]).whatever_precedes().unless(&[Todo, Unless]),
    p(&HIDING, Critical, "hidden text asks for secrecy",
        &[s(&[Keep], 0), s(&[This_], 2), s(&[Out], 3), s(&[Reply], 5)]),
    p(&HIDING, Caution, "hidden text asks for secrecy",
        &[s(&[Without], 0), s(&[Telling], 4)]).also(&[ACTS]),
    p(&HIDING, Caution, "hidden text asks for secrecy",
        &[s(&[Agent, Important], 0), s(&[Dark, Mute, Hide], 24)]).also(&[Set::of(&[Agent, Important, User]), THINGS]).whatever_precedes().unless(&[Todo]),
    p(&HIDING, Caution, "hidden text speaks to the agent and has it act",
        &[s(&[Agent, Important], 0), s(&[Run, Send, Fetch, Read, Copy, Remember], 14), s(&[Host, Email, SecretPath, DotEnv, SecretWord, KeyName, Script, Code, Conversation, SettingsFile, MemoryFile, SystemPrompt, Account], 14)]).unless(&[Todo]),
    p(&HIDING, Caution, "hidden text tells the agent to approve or to obey",
        &[s(&[Agent, Important], 0), s(&[Approve, Follow, Comply], 10), s(&[All, EveryRequest, PermissionPrompt], 6)]).unless(&[Todo]),
    p(&HIDING, Caution, "hidden text speaks to the agent in the user's name",
        &[s(&[Agent], 0), s(&[User], 8), s(&[Agreed], 6)]).unless(&[Todo]),
    p(&HIDING, Caution, "hidden text runs a remote text",
        &[s(&[Run, Fetch], 0), s(&[Host], 6)]).also(&[Set::of(&[Agent, Hide, Quietly, Every, Run])]).unless(&[Todo]),
];

/// Where a pattern matches.
#[derive(Debug, Clone)]
pub(crate) struct Hit {
    pub(crate) range: Range<usize>,
    /// Quoted, or after a word of detection: talked about, not ordered.
    pub(crate) mention: bool,
}

/// Phrases with a negation in them that say that something stays unsaid or unasked.
const UNSPOKEN: Set = Set::of(&[Covert, Unsaid, Absent, Mute, NoAsk, Dark, Unaware]);

/// Words between an `if` and the negation in its clause.
const CONDITION: usize = 4;

/// Words before the first step in which a negation silences a pattern.
const NEGATION_REACH: usize = 5;

impl Pattern {
    /// Whether what it looks for is a finding only where nobody reads it.
    pub(crate) fn is_about_hidden(&self) -> bool {
        self.rule.id == HIDING.id && self.severity < Critical
    }

    /// Whether a sentence of these concepts has one for each step, in whatever order.
    pub(crate) fn may_stand_in(&self, concepts: Set) -> bool {
        self.steps.iter().all(|step| step.0.meets(concepts))
    }

    /// Looks for the pattern in one sentence of a text that holds the concepts `around`.
    pub(crate) fn find(&self, sentence: &Sentence, around: Set) -> Option<Hit> {
        if !self.also.iter().all(|wanted| wanted.meets(around)) {
            return None;
        }
        let tokens = &sentence.tokens;
        let first = self.steps.first()?;
        for start in 0..tokens.len() {
            if !tokens[start].set.meets(first.0) {
                continue;
            }
            let Some(end) = self.follow(sentence, start) else { continue };
            if self.ends && tokens.iter().skip(end + 1).any(|token| token.at > tokens[end].at + 1) {
                continue;
            }
            if self.is_of_condition(sentence, start) {
                continue;
            }
            let matched = &tokens[start..=end];
            let silenced =
                tokens[..=(end + 2).min(tokens.len() - 1)].iter().enumerate().any(|(at, token)| {
                    token.set.meets(self.unless)
                        // `do not mention it` is what a pattern looks for, and no negation of it.
                        && !(token.set.has(Not) && token.set.meets(UNSPOKEN))
                        && (at >= start || !self.unless.has(To))
                        && (!token.set.meets(Set::of(&[To, About]))
                            || at > end && token.at <= tokens[end].at + 1)
                });
            if silenced {
                continue;
            }
            let before = &tokens[..start];
            let negated = self.negatable
                && before
                    .iter()
                    .rev()
                    .take_while(|token| token.at + NEGATION_REACH >= tokens[start].at)
                    .any(|token| {
                        token.set.meets(Set::of(&[Not, Without]))
                            && !token.set.has(Ignore)
                            && !token.set.meets(UNSPOKEN)
                    });
            if negated {
                continue;
            }
            let mention = matched.iter().any(|token| token.quoted)
                && matched.iter().filter(|token| token.quoted).count() * 2 >= matched.len()
                || before.iter().any(|token| token.set.has(Detect));
            return Some(Hit { range: tokens[start].range.start..tokens[end].range.end, mention });
        }
        None
    }

    /// Whether the first step is the negation of a condition, and the next stands behind it: `if they do not
    /// have one, tell them`.
    fn is_of_condition(&self, sentence: &Sentence, start: usize) -> bool {
        let tokens = &sentence.tokens;
        let Some(second) = self.steps.get(1) else { return false };
        let Some(next) = tokens[start + 1..].iter().find(|token| token.set.meets(second.0)) else {
            return false;
        };
        tokens[start].set.has(Not)
            && !tokens[start].set.meets(UNSPOKEN)
            && tokens[..start]
                .iter()
                .any(|token| token.set.has(If_) && token.at + CONDITION >= tokens[start].at)
            && sentence
                .commas
                .iter()
                .any(|at| (tokens[start].range.end..next.range.start).contains(at))
    }

    /// The token of the last step, when the steps follow each other from `start`.
    fn follow(&self, sentence: &Sentence, start: usize) -> Option<usize> {
        let tokens = &sentence.tokens;
        let mut at = start;
        for step in &self.steps[1..] {
            let from = tokens[at].at;
            at = tokens
                .iter()
                .enumerate()
                .skip(at + 1)
                .take_while(|(_, token)| token.at <= from + step.1 + 1)
                .find(|(_, token)| token.set.meets(step.0))
                .map(|(at, _)| at)?;
        }
        Some(at)
    }
}

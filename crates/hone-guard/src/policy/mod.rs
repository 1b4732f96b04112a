//! May this skill be used? Origin × verdict, and the findings that a person dismissed.
//!
//! The table is one constant. An organisation may make a cell tighter, never looser; a finding may be
//! dismissed one at a time, for one content and for a while. There is no switch that lets a dangerous
//! skill in.

mod dismiss;
mod source;

pub use dismiss::{
    DEFAULT_DISMISSAL_DAYS, Judgement, MAX_DISMISSAL_DAYS, MAX_REASON_CHARS, dismissal, judge,
};
pub use source::{Source, SourcePattern};

use std::collections::BTreeMap;
use std::fmt;

use hone_skill::Origin;
use serde::Serialize;

use crate::Verdict;

/// What happens to a skill, mildest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// It may be used.
    Allow,
    /// A person decides; without one, it waits.
    Ask,
    /// It may not be used.
    Block,
}

use Action::{Allow, Ask, Block};

/// What happens by default: for each origin, on safe, caution and dangerous.
pub const TABLE: [(Origin, [Action; 3]); 5] = [
    (Origin::Builtin, [Allow, Allow, Allow]),
    (Origin::Trusted, [Allow, Allow, Block]),
    (Origin::Community, [Allow, Block, Block]),
    (Origin::AgentCreated, [Allow, Allow, Ask]),
    (Origin::Local, [Allow, Allow, Allow]),
];

/// Sources that count as trusted unless the configuration has a list of its own.
pub const TRUSTED_SOURCES: [&str; 4] =
    ["anthropics/skills", "huggingface/skills", "NVIDIA/skills", "openai/skills"];

/// The policy that counts: the table, tightened, and the trusted sources.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    table: [(Origin, [Action; 3]); 5],
    trusted: Vec<SourcePattern>,
}

/// What the policy says about one skill.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ruling {
    /// What happens.
    pub action: Action,
    /// Why, in sentences.
    pub why: String,
    /// Whether the configuration made it tighter than the default.
    pub is_tightened: bool,
}

/// A configuration that is no policy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A cell would become looser.
    #[error(
        "`policy.table.{origin}.{verdict} = \"{to}\"` would loosen the policy, which says {from}; \
         a configuration may only tighten it"
    )]
    Loosens {
        /// The row.
        origin: &'static str,
        /// The column.
        verdict: &'static str,
        /// What the default says.
        from: Action,
        /// What the configuration says.
        to: Action,
    },
    /// A word that is not known.
    #[error("`{key}`: there is no {what} `{word}`; there are {known}")]
    Unknown {
        /// Where it stands.
        key: String,
        /// What kind of word.
        what: &'static str,
        /// The word.
        word: String,
        /// The words there are.
        known: String,
    },
    /// A trusted source that is not one.
    #[error("`policy.trusted`: `{0}` is not `owner/repo`, `owner/*` or `host/owner/repo`")]
    Source(String),
}

impl Action {
    /// All actions, mildest first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Block];

    /// The action's name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Block => "block",
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id())
    }
}

impl Default for Policy {
    fn default() -> Self {
        let trusted = TRUSTED_SOURCES.iter().filter_map(|source| SourcePattern::parse(source));
        Self { table: TABLE, trusted: trusted.collect() }
    }
}

fn known<T: Copy>(
    key: &str,
    what: &'static str,
    word: &str,
    all: &[T],
    id: fn(T) -> &'static str,
) -> Result<T, PolicyError> {
    all.iter().copied().find(|candidate| id(*candidate) == word).ok_or_else(|| {
        let known = all.iter().map(|candidate| id(*candidate)).collect::<Vec<_>>().join(", ");
        PolicyError::Unknown { key: key.to_owned(), what, word: word.to_owned(), known }
    })
}

impl Policy {
    /// The policy of a configuration: its trusted sources in place of the default ones, and cells that
    /// are tighter than the default, by origin and verdict.
    pub fn new(
        trusted: Option<&[String]>,
        cells: &BTreeMap<String, BTreeMap<String, String>>,
    ) -> Result<Self, PolicyError> {
        let mut policy = Self::default();
        if let Some(sources) = trusted {
            policy.trusted = sources
                .iter()
                .map(|text| {
                    SourcePattern::parse(text).ok_or_else(|| PolicyError::Source(text.clone()))
                })
                .collect::<Result<_, _>>()?;
        }
        for (origin, row) in cells {
            let origin = known("policy.table", "origin", origin, &Origin::ALL, Origin::id)?;
            for (verdict, action) in row {
                let key = format!("policy.table.{}", origin.id());
                let verdict = known(&key, "verdict", verdict, &Verdict::ALL, Verdict::word)?;
                let key = format!("{key}.{}", verdict.word());
                let action = known(&key, "action", action, &Action::ALL, Action::id)?;
                let cell = policy.cell(origin, verdict);
                if action < *cell {
                    let (origin, verdict) = (origin.id(), verdict.word());
                    return Err(PolicyError::Loosens { origin, verdict, from: *cell, to: action });
                }
                *cell = action;
            }
        }
        Ok(policy)
    }

    fn cell(&mut self, origin: Origin, verdict: Verdict) -> &mut Action {
        let row = self.table.iter().position(|(known, _)| *known == origin).unwrap_or(0);
        &mut self.table[row].1[column(verdict)]
    }

    /// What happens to each origin, on safe, caution and dangerous.
    pub fn table(&self) -> &[(Origin, [Action; 3])] {
        &self.table
    }

    /// The sources that count as trusted.
    pub fn trusted(&self) -> &[SourcePattern] {
        &self.trusted
    }

    /// Whose word a skill from `source` is: trusted, or anyone's.
    pub fn origin_of(&self, source: &str) -> Origin {
        let Some(source) = Source::parse(source) else { return Origin::Community };
        if self.trusted.iter().any(|pattern| pattern.matches(&source)) {
            Origin::Trusted
        } else {
            Origin::Community
        }
    }

    /// What happens to a skill of this origin with this verdict.
    pub fn decide(&self, origin: Origin, verdict: Verdict) -> Ruling {
        let action = action_in(&self.table, origin, verdict);
        let default = action_in(&TABLE, origin, verdict);
        let mut why = format!("{} {}", of_origin(origin), on_verdict(verdict));
        why.push(' ');
        why.push_str(if action == default {
            because(origin, verdict, action)
        } else {
            "The configuration is tighter here than the default."
        });
        if action == Ask {
            why.push_str(" Without a person to ask, it waits for approval: no answer is no yes.");
        }
        if action == Block {
            why.push_str(
                " A finding that is no danger can be dismissed, one at a time and with a reason; \
                 nothing switches the block off.",
            );
        }
        Ruling { action, why, is_tightened: action != default }
    }
}

fn column(verdict: Verdict) -> usize {
    match verdict {
        Verdict::Safe => 0,
        Verdict::Caution => 1,
        Verdict::Dangerous => 2,
    }
}

fn action_in(table: &[(Origin, [Action; 3])], origin: Origin, verdict: Verdict) -> Action {
    let row = table.iter().find(|(known, _)| *known == origin);
    // Every origin has a row; without one, nothing would be allowed.
    row.map_or(Block, |(_, actions)| actions[column(verdict)])
}

fn of_origin(origin: Origin) -> &'static str {
    match origin {
        Origin::Builtin => "A builtin skill is part of hone.",
        Origin::Trusted => "A trusted skill comes from a source on the list of trusted ones.",
        Origin::Community => "A community skill comes from anyone.",
        Origin::AgentCreated => "An agent-created skill was written by an agent.",
        Origin::Local => "A local skill is the person's own file.",
    }
}

fn on_verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Safe => "The scan found nothing above inventory.",
        Verdict::Caution => "The scan found something that a person should look at.",
        Verdict::Dangerous => "The scan found something critical.",
    }
}

fn because(origin: Origin, verdict: Verdict, action: Action) -> &'static str {
    match (origin, verdict, action) {
        (_, Verdict::Safe, _) => "So it may be used.",
        (Origin::Builtin, ..) => "It was looked at before it was built in, so it may be used.",
        (Origin::Local, ..) => "Nobody is protected from their own files; the findings are shown.",
        (Origin::Trusted, Verdict::Caution, _) => "The source answers for it, so it may be used.",
        (Origin::Trusted, ..) => "Even a trusted source can be taken over, so it may not be used.",
        (Origin::Community, ..) => "Nobody answers for it, so it may not be used.",
        (Origin::AgentCreated, Verdict::Caution, _) => {
            "What agents write often looks odd and does no harm, so it may be used."
        }
        (Origin::AgentCreated, ..) => "An agent can be talked into anything, so a person decides.",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fmt::Write as _;

    use hone_skill::Origin;

    use super::{Action, Policy, PolicyError, TABLE};
    use crate::Verdict;

    fn cells(entries: &[(&str, &str, &str)]) -> BTreeMap<String, BTreeMap<String, String>> {
        let mut cells: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        for (origin, verdict, action) in entries {
            let row = cells.entry((*origin).to_owned()).or_default();
            row.insert((*verdict).to_owned(), (*action).to_owned());
        }
        cells
    }

    #[test]
    fn the_table_is_this() {
        let mut page = String::new();
        for (origin, actions) in TABLE {
            let actions: Vec<&str> = actions.iter().map(|action| action.id()).collect();
            let _ = writeln!(page, "{:<14}{}", origin.id(), actions.join(" "));
        }
        let expected = "builtin       allow allow allow\n\
                        trusted       allow allow block\n\
                        community     allow block block\n\
                        agent-created allow allow ask\n\
                        local         allow allow allow\n";
        assert_eq!(page, expected);
    }

    #[test]
    fn every_origin_has_a_row_and_every_cell_a_reason() {
        let policy = Policy::default();
        for origin in Origin::ALL {
            for verdict in Verdict::ALL {
                let ruling = policy.decide(origin, verdict);
                let row = TABLE.iter().find(|(known, _)| *known == origin).expect("a row");
                assert_eq!(ruling.action, row.1[super::column(verdict)]);
                assert!(!ruling.is_tightened && ruling.why.len() > 40, "{ruling:?}");
            }
        }
    }

    #[test]
    fn a_configuration_may_tighten_every_cell_and_loosen_none() {
        for origin in Origin::ALL {
            for verdict in Verdict::ALL {
                let default = Policy::default().decide(origin, verdict).action;
                for action in Action::ALL {
                    let cells = cells(&[(origin.id(), verdict.word(), action.id())]);
                    let policy = Policy::new(None, &cells);
                    if action < default {
                        let expected = PolicyError::Loosens {
                            origin: origin.id(),
                            verdict: verdict.word(),
                            from: default,
                            to: action,
                        };
                        assert_eq!(policy, Err(expected));
                    } else {
                        let ruling = policy.expect("a policy").decide(origin, verdict);
                        assert_eq!(
                            (ruling.action, ruling.is_tightened),
                            (action, action != default)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn a_word_that_is_not_known_stops_everything() {
        for (entry, message) in [
            (
                ("friend", "safe", "allow"),
                "`policy.table`: there is no origin `friend`; there are builtin, trusted, community, agent-created, local",
            ),
            (
                ("local", "fine", "allow"),
                "`policy.table.local`: there is no verdict `fine`; there are safe, caution, dangerous",
            ),
            (
                ("local", "safe", "force"),
                "`policy.table.local.safe`: there is no action `force`; there are allow, ask, block",
            ),
        ] {
            let error = Policy::new(None, &cells(&[entry])).expect_err("an error");
            assert_eq!(error.to_string(), message);
        }
        let error =
            Policy::new(Some(&["openai".to_owned()]), &BTreeMap::new()).expect_err("an error");
        assert_eq!(error, PolicyError::Source("openai".to_owned()));
    }

    #[test]
    fn a_source_is_trusted_only_when_it_is_exactly_on_the_list() {
        let policy = Policy::default();
        for source in [
            "openai/skills",
            "openai/skills/pdf",
            "OpenAI/Skills",
            "openai/skills@v1",
            "github:openai/skills",
            "github.com/openai/skills",
            "https://github.com/openai/skills",
            "https://github.com/openai/skills.git",
            "https://github.com/openai/skills/",
            "https://www.github.com/openai/skills/tree/main/pdf",
            "https://user:token@github.com/openai/skills",
            "https://github.com:443/openai/skills",
            "git+https://github.com/openai/skills.git",
            "git@github.com:openai/skills.git",
            "ssh://git@github.com/openai/skills",
            "nvidia/skills",
        ] {
            assert_eq!(policy.origin_of(source), Origin::Trusted, "{source}");
        }
        for source in [
            "",
            "openai",
            "openai/skills-evil",
            "openai-evil/skills",
            "evil/openai/skills",
            "openai/skills.evil",
            "openai/other",
            "openai//skills",
            "openai/../evil/skills",
            "openai/skills/../../evil/x",
            "openai/skills%2f..",
            "openai/skill\u{455}",
            "gitlab:openai/skills",
            "gitlab.com/openai/skills",
            "evil.com/openai/skills",
            "https://evil.com/openai/skills",
            "https://github.com.evil.com/openai/skills",
            "https://github.com@evil.com/openai/skills",
            "https://github.com%40evil.com/openai/skills",
            "https://evil.com/https://github.com/openai/skills",
            "https://evil.com#@github.com/openai/skills",
            "https://evil.com?@github.com/openai/skills",
            "https://evil.com\\@github.com/openai/skills",
            "https://github.com:8443/openai/skills",
            "http://github.com/openai/skills",
            "git://github.com/openai/skills",
            "file:///openai/skills",
            "https://raw.githubusercontent.com/openai/skills/main/x",
            "git@evil.com:openai/skills",
            " openai/skills",
            "openai/skills\n",
            "./openai/skills",
            "/openai/skills",
        ] {
            assert_eq!(policy.origin_of(source), Origin::Community, "{source:?}");
        }
    }

    #[test]
    fn a_list_of_ones_own_takes_the_place_of_the_default() {
        let list = ["acme/*".to_owned(), "git.acme.example/tools/skills".to_owned()];
        let policy = Policy::new(Some(&list), &BTreeMap::new()).expect("a policy");
        for (source, origin) in [
            ("acme/anything", Origin::Trusted),
            ("acme-evil/anything", Origin::Community),
            ("openai/skills", Origin::Community),
            ("https://git.acme.example/tools/skills.git", Origin::Trusted),
            ("https://git.acme.example/acme/x", Origin::Community),
            ("git.acme.example/tools/other", Origin::Community),
        ] {
            assert_eq!(policy.origin_of(source), origin, "{source}");
        }
    }
}

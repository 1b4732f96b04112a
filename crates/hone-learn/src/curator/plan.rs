//! What is to become of each skill, from what is known about it. Pure.

use crate::proposal::Stage;

/// After so many days without use a skill is stale.
pub const STALE_DAYS: i64 = 30;

/// After so many days without use a skill goes to the archive.
pub const ARCHIVE_DAYS: i64 = 90;

/// Hours between two looks by itself.
pub const INTERVAL_HOURS: i64 = 168;

const HOUR: i64 = 60 * 60 * 1_000;
const DAY: i64 = 24 * HOUR;

/// Who made a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// Its agent, and no person has changed it since.
    Agent,
    /// A person, the hub, a seed.
    Other,
}

/// What is known about a skill. Times are in milliseconds since 1970.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub maker: Maker,
    /// Whether it is pinned.
    pub is_pinned: bool,
    /// Whether something refers to it.
    pub is_referenced: bool,
    /// Where it stands.
    pub stage: Stage,
    /// When it was made, as far as that is known.
    pub created: Option<i64>,
    /// When it was last used, viewed or changed.
    pub last_active: Option<i64>,
    /// When a message last came near it and it was not read.
    pub last_missed: Option<i64>,
}

/// What becomes of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    /// It is stale.
    Stale,
    /// It goes to the archive.
    Archive,
    /// It is active again.
    Activate,
}

impl Move {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Archive => "archived",
            Self::Activate => "active",
        }
    }
}

/// A skill that something becomes of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The skill.
    pub name: String,
    /// What.
    pub to: Move,
    /// Why.
    pub why: String,
}

/// A skill that stays as it is although it is old enough, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Left {
    /// The skill.
    pub name: String,
    /// Why.
    pub why: &'static str,
}

/// What becomes of skills.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Plan {
    /// How many were looked at.
    pub checked: usize,
    /// Those that something becomes of.
    pub moves: Vec<Planned>,
    /// Those that are old and stay.
    pub left: Vec<Left>,
}

/// What becomes of these skills. Bounds are inclusive.
pub fn plan(subjects: &[Subject], now: i64) -> Plan {
    let mut plan = Plan { checked: subjects.len(), ..Plan::default() };
    for subject in subjects {
        let Some(age) = age(subject, now) else { continue };
        let days = age / DAY;
        if age < STALE_DAYS * DAY {
            if subject.stage == Stage::Stale {
                let why = "it was used again".to_owned();
                plan.moves.push(Planned { name: subject.name.clone(), to: Move::Activate, why });
            }
            continue;
        }
        if let Some(why) = reason_to_stay(subject, now - age) {
            plan.left.push(Left { name: subject.name.clone(), why });
            continue;
        }
        let to = if age >= ARCHIVE_DAYS * DAY { Move::Archive } else { Move::Stale };
        if to != Move::Stale || subject.stage != Stage::Stale {
            let why = format!("not used for {days} days, though messages came near it");
            plan.moves.push(Planned { name: subject.name.clone(), to, why });
        }
    }
    plan
}

/// How long a skill was not used; none when nobody knows, or its clock is ahead.
fn age(subject: &Subject, now: i64) -> Option<i64> {
    let anchor = subject.last_active.or(subject.created)?;
    (0..=now).contains(&anchor).then_some(now - anchor)
}

fn reason_to_stay(subject: &Subject, anchor: i64) -> Option<&'static str> {
    if subject.maker == Maker::Other {
        Some("a person's, not the agent's own")
    } else if subject.is_pinned {
        Some("pinned")
    } else if subject.is_referenced {
        Some("something refers to it")
    } else if subject.last_missed.is_none_or(|missed| missed <= anchor) {
        Some("no message came near it")
    } else {
        None
    }
}

/// Whether it is time to look at the skills by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    /// Yes.
    Yes,
    /// Not yet.
    No,
    /// It was never looked: the interval begins now.
    First,
}

/// Whether it is time again, an interval after the last look.
pub fn due(last: Option<i64>, now: i64) -> Due {
    match last {
        None => Due::First,
        Some(last) if now.saturating_sub(last) >= INTERVAL_HOURS * HOUR => Due::Yes,
        Some(_) => Due::No,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_000 * DAY;

    fn ago(days: i64) -> i64 {
        NOW - days * DAY
    }

    /// A skill of the agent's own that messages came near to yesterday.
    fn subject(last_active: Option<i64>) -> Subject {
        Subject {
            name: "tidy".to_owned(),
            maker: Maker::Agent,
            is_pinned: false,
            is_referenced: false,
            stage: Stage::Active,
            created: Some(ago(400)),
            last_active,
            last_missed: Some(ago(1)),
        }
    }

    fn moved(subject: &Subject) -> Option<Move> {
        plan(std::slice::from_ref(subject), NOW).moves.first().map(|planned| planned.to)
    }

    #[test]
    fn k01_stale_at_30_days_and_archived_at_90_both_inclusive() {
        let of = |days| moved(&subject(Some(ago(days))));
        assert_eq!(of(29), None);
        assert_eq!(of(30), Some(Move::Stale));
        assert_eq!(of(89), Some(Move::Stale));
        assert_eq!(of(90), Some(Move::Archive));
        assert_eq!(moved(&subject(Some(ago(30) + 1))), None);
        assert_eq!(moved(&subject(Some(ago(90) + 1))), Some(Move::Stale));
    }

    #[test]
    fn k02_a_stale_one_that_was_used_again_is_active() {
        let stale = |days| Subject { stage: Stage::Stale, ..subject(Some(ago(days))) };
        assert_eq!(moved(&stale(3)), Some(Move::Activate));
        assert_eq!(moved(&stale(40)), None);
        assert_eq!(moved(&stale(90)), Some(Move::Archive));
    }

    #[test]
    fn k03_one_that_was_never_used_ages_from_its_making() {
        let made = |days| moved(&Subject { created: Some(ago(days)), ..subject(None) });
        assert_eq!(made(20), None);
        assert_eq!(made(31), Some(Move::Stale));
        assert_eq!(made(91), Some(Move::Archive));
    }

    #[test]
    fn k04_pinned_referenced_and_made_by_others_are_left_with_the_reason() {
        let old = subject(Some(ago(200)));
        let cases = [
            (Subject { is_pinned: true, ..old.clone() }, "pinned"),
            (Subject { is_referenced: true, ..old.clone() }, "something refers to it"),
            (Subject { maker: Maker::Other, ..old.clone() }, "a person's, not the agent's own"),
            (Subject { last_missed: None, ..old.clone() }, "no message came near it"),
            (Subject { last_missed: Some(ago(200)), ..old }, "no message came near it"),
        ];
        for (subject, why) in cases {
            let plan = plan(std::slice::from_ref(&subject), NOW);
            let left = vec![Left { name: "tidy".to_owned(), why }];
            assert_eq!(plan, Plan { checked: 1, moves: Vec::new(), left });
        }
    }

    #[test]
    fn k05_a_time_that_is_unknown_or_ahead_leaves_it_untouched() {
        for last_active in [Some(NOW + 1), Some(-1)] {
            assert_eq!(moved(&subject(last_active)), None);
        }
        assert_eq!(moved(&Subject { created: None, ..subject(None) }), None);
    }

    #[test]
    fn k09_the_first_look_waits_an_interval_and_then_it_is_due_at_its_end() {
        assert_eq!(due(None, NOW), Due::First);
        assert_eq!(due(Some(NOW - 167 * HOUR), NOW), Due::No);
        assert_eq!(due(Some(NOW - 168 * HOUR), NOW), Due::Yes);
        assert_eq!(due(Some(NOW + HOUR), NOW), Due::No);
    }

    #[test]
    fn what_is_there_ages_though_it_was_noted_as_archived() {
        let back = |days| Subject { stage: Stage::Archived, ..subject(Some(ago(days))) };
        assert_eq!(moved(&back(29)), None);
        assert_eq!(moved(&back(40)), Some(Move::Stale));
        assert_eq!(moved(&back(200)), Some(Move::Archive));
    }
}

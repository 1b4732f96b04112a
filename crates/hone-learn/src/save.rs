//! What has to be asked before a draft becomes a skill: the guard, the policy, and the history, which
//! knows what was learned from where.

use std::fmt;

use hone_guard::policy::{Action, Policy};
use hone_guard::{Files, Report, Verdict};
use hone_library::{
    Listed, Revision, State, canonical_or_same, hash, history, read_text, touched_by,
};
use hone_skill::Origin;

use crate::draft::{Draft, NotASkill};
use crate::experience::{Agent, Experience};
use crate::land::{ACTOR, actor, is_machine, main_file};
use crate::wizard::{Learned, Taken};

/// How the reason of a revision begins that a person learned from a session.
pub const LEARNED: &str = "learned from ";

/// What the reason goes on with where a person changed what was proposed.
const WORDED: &str = ", in a person's words";

/// What is learned from: a task of a session, or all of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lesson {
    agent: &'static str,
    session: String,
    part: Part,
}

/// Which part of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The task of this number, from 1.
    Task(usize),
    /// All of its tasks as one.
    Whole,
}

impl Lesson {
    /// What is learned from this part of a session.
    pub fn new(experience: &Experience, part: Part) -> Self {
        let source = &experience.source;
        Self { agent: source.agent.id(), session: source.session.clone(), part }
    }

    /// What the history says of it, and why besides.
    pub fn reason(&self, why: Option<&str>) -> String {
        self.reason_of("", why)
    }

    /// The same of what a person changed before it was saved.
    pub fn worded(&self, why: Option<&str>) -> String {
        self.reason_of(WORDED, why)
    }

    fn reason_of(&self, words: &str, why: Option<&str>) -> String {
        match why {
            Some(why) => format!("{LEARNED}{self}{words}: {why}"),
            None => format!("{LEARNED}{self}{words}"),
        }
    }

    /// Whether a revision came of it.
    fn made(&self, revision: &Revision) -> bool {
        if self.agent == Agent::Plain.id() {
            // The name of a file is no id: there are many `notes.txt`.
            return false;
        }
        let named = match self.part {
            Part::Task(_) => self.reason(None),
            // Each of its tasks is a part of it.
            Part::Whole => format!("{LEARNED}{} session {}", self.agent, self.session),
        };
        let rest = revision.reason.strip_prefix(&named);
        let is_named = rest.is_some_and(|rest| {
            let is_part = self.part == Part::Whole && rest.starts_with(", ");
            rest.is_empty() || rest.starts_with(": ") || rest.starts_with(WORDED) || is_part
        });
        // What was proposed from the session and accepted has its name as the actor.
        is_named || revision.actor == actor(&self.session)
    }
}

impl fmt::Display for Lesson {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} session {}", self.agent, self.session)?;
        match self.part {
            // The first is the only one of most sessions.
            Part::Task(0 | 1) => Ok(()),
            Part::Task(number) => write!(f, ", task {number}"),
            Part::Whole => f.write_str(", all of it"),
        }
    }
}

/// Whether a person changed what a revision brought before it was saved.
fn is_worded(row: &Revision) -> bool {
    let named = row.reason.split(": ").next().unwrap_or_default();
    named.starts_with(LEARNED) && named.ends_with(WORDED)
}

/// These skills, with how each was learned as far as the history knows.
pub fn taken(
    state: &State,
    listed: &[Listed],
    lesson: &Lesson,
) -> Result<Vec<Taken>, hone_library::Error> {
    let touched = touched_by(state, LEARNED, ACTOR)?;
    let how = |skill: &Listed| -> Result<Option<Learned>, hone_library::Error> {
        let key = canonical_or_same(skill.key());
        if !touched.contains(&key) {
            return Ok(None);
        }
        let mut rows = history(state, &key)?;
        rows.retain(|row| row.reason.starts_with(LEARNED) || is_machine(&row.actor));
        // One that cannot be read is nobody's next version.
        let now = read_text(skill).ok().map(|text| hash(&text));
        let main = main_file(skill);
        let is_now = |row: &Revision| {
            let mut changes = row.changes.iter().filter(|change| change.file == main);
            changes.any(|change| now.is_some() && change.after == now)
        };
        let from_this = rows.iter().any(|row| lesson.made(row));
        let is_as_learned = rows.iter().any(|row| is_now(row) && !is_worded(row));
        Ok((!rows.is_empty()).then_some(Learned { from_this, is_as_learned }))
    };
    let taken =
        |skill: &Listed| Ok(Taken { slug: skill.summary.slug.to_string(), learned: how(skill)? });
    listed.iter().map(taken).collect()
}

/// A draft as it would be written, and what is said about it.
#[derive(Debug)]
pub struct Judged {
    /// The text of the skill.
    pub text: String,
    /// What the guard says.
    pub report: Report,
    /// What happens to it.
    pub action: Action,
    /// Why, in sentences.
    pub why: String,
}

/// Judges a draft as the person's own. What looks dangerous is asked about all the same: a transcript
/// is not the person's word.
pub fn judge(draft: &Draft, policy: &Policy) -> Result<Judged, NotASkill> {
    let text = draft.text()?;
    let report = Files::of_text("SKILL.md", text.clone().into_bytes()).scan();
    let ruling = policy.decide(Origin::Local, report.verdict);
    let action = match report.verdict {
        Verdict::Dangerous => ruling.action.max(Action::Ask),
        _ => ruling.action,
    };
    Ok(Judged { text, report, action, why: ruling.why })
}

#[cfg(test)]
mod tests {
    use hone_library::{Author, Matching, Mode, Root, Search, Store};

    use super::*;
    use crate::draft::tests::release;

    fn listed(root: &std::path::Path, state: &State) -> Vec<Listed> {
        let search = Search {
            roots: vec![Root::explicit(root, root).unwrap()],
            depth: hone_library::DEFAULT_DEPTH,
            disabled: Vec::new(),
            platform: std::env::consts::OS.to_owned(),
            builtin: false,
            depends: Vec::new(),
        };
        hone_library::Catalogue::find(search, state).skills
    }

    #[test]
    fn the_history_says_what_was_learned_from_which_task_and_whether_it_is_still_that() {
        let home = tempfile::tempdir().unwrap();
        let (state, root) = (State::open(&home.path().join("hone")), home.path().join("skills"));
        std::fs::create_dir(&root).unwrap();
        let task = |number| Lesson::new(&release(), Part::Task(number));
        let whole = Lesson::new(&release(), Part::Whole);
        let store = |actor: &str, reason: String| {
            let author = Author { actor: actor.to_owned(), reason, now: 1 };
            Store::new(&state, author, Mode::Write)
        };
        let make = |name: &str, actor: &str, reason: String| {
            store(actor, reason).create(&root, None, name, "Do it when asked.\n", &[]).unwrap();
        };
        make("first", "pat", task(1).reason(None));
        make("second", "pat", task(2).reason(Some("because")));
        make("proposed", "learn:s", "create (1): an agent proposed it".to_owned());
        make("by-hand", "pat", "for fun".to_owned());
        let of = |lesson: &Lesson| -> Vec<(String, Option<(bool, bool)>)> {
            let found = taken(&state, &listed(&root, &state), lesson).unwrap();
            let how = |learned: Learned| (learned.from_this, learned.is_as_learned);
            found.into_iter().map(|taken| (taken.slug, taken.learned.map(how))).collect()
        };
        let row = |name: &str, how: Option<(bool, bool)>| (name.to_owned(), how);
        let (this, other) = (Some((true, true)), Some((false, true)));
        assert_eq!(
            of(&task(1)),
            [row("by-hand", None), row("first", this), row("proposed", this), row("second", other)]
        );
        assert_eq!(
            of(&task(2))[1..],
            [row("first", other), row("proposed", this), row("second", this)]
        );
        assert_eq!(
            of(&whole)[1..],
            [row("first", this), row("proposed", this), row("second", this)]
        );
        let mut file = release();
        file.source.agent = Agent::Plain;
        let file = Lesson::new(&file, Part::Task(1));
        make("notes", "pat", file.reason(None));
        assert_eq!(of(&file)[2], row("notes", other));
        // Task 1 is no beginning of task 10.
        make("tenth", "pat", task(10).reason(None));
        assert_eq!(of(&task(1)).last(), Some(&row("tenth", other)));

        let patch = |name: &str, old: &str, new: &str| {
            let all = listed(&root, &state);
            let skill = all.iter().find(|skill| skill.summary.name == name).unwrap();
            store("pat", String::new()).patch(skill, None, old, new, Matching::Exact).unwrap();
        };
        let first = |lesson: &Lesson| of(lesson).swap_remove(1);
        patch("first", "---\nDo it when", "---\nDo that when");
        assert_eq!(first(&task(1)), row("first", Some((true, false))));
        // Back to what was learned, it is that again.
        store("pat", String::new()).rollback(&root.join("first"), None).unwrap();
        assert_eq!(first(&task(1)), row("first", this));
        // What a person worded is no machine's to replace, though it was learned.
        make("worded", "pat", task(1).worded(Some("mine")));
        make("worded-whole", "pat", whole.worded(None));
        let own = Some((true, false));
        assert_eq!(
            of(&task(1))[6..],
            [row("worded", own), row("worded-whole", Some((false, false)))]
        );
        assert_eq!(of(&whole)[6..], [row("worded", own), row("worded-whole", own)]);
    }
}

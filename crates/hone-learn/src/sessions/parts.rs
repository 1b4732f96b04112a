//! The tasks of a session, told apart: what is asked for after an answer is a task of its own, unless it
//! only goes on with the one before.

use super::building::Session;
use crate::experience::{Cost, Experience, MAX_TASK_CHARS, bounded};

/// Tasks of a session that are told apart; what comes later belongs to the last.
pub const MAX_TASKS: usize = 200;

/// Where a later task begins, and how the one before it ended.
#[derive(Debug, Clone)]
pub(super) struct Part {
    task: String,
    started: i64,
    steps: usize,
    skills: usize,
    corrections: usize,
    cost: Cost,
    skipped: u64,
    /// How often the agent had said something.
    said: usize,
    ended: Ended,
}

/// How a task ended that another followed.
#[derive(Debug, Clone)]
struct Ended {
    answer: Option<String>,
    converged: bool,
    at: i64,
}

impl Part {
    /// The next task begins here; the agent had answered the one before when `converged`.
    pub(super) fn begin(
        whole: &Experience,
        said: usize,
        text: &str,
        converged: bool,
        at: i64,
    ) -> Self {
        Self {
            said,
            task: bounded(text, MAX_TASK_CHARS),
            started: at,
            steps: whole.steps.len(),
            skills: whole.skills.len(),
            corrections: whole.corrections.len(),
            cost: whole.cost,
            skipped: whole.skipped,
            ended: Ended { answer: whole.answer.clone(), converged, at },
        }
    }
}

/// The tasks of a session, in their order: those that tools were called in, or all when none was.
pub(super) fn tasks(session: &Session) -> Vec<Experience> {
    let parts = &session.parts;
    let mut tasks = Vec::new();
    for at in 0..=parts.len() {
        let (begin, end) = (at.checked_sub(1).map(|at| &parts[at]), parts.get(at));
        tasks.push(task(session, begin, end));
    }
    if tasks.iter().any(|task| !task.steps.is_empty()) {
        tasks.retain(|task| !task.steps.is_empty());
    }
    tasks
}

/// How many tasks [`tasks`] gives.
pub(super) fn count(session: &Session) -> usize {
    let ends = session.parts.iter().map(|part| part.steps).chain([session.whole.steps.len()]);
    let mut begin = 0;
    let worked = ends.filter(|end| std::mem::replace(&mut begin, *end) < *end).count();
    if worked == 0 { session.parts.len() + 1 } else { worked }
}

/// What lies between two beginnings.
fn task(session: &Session, begin: Option<&Part>, end: Option<&Part>) -> Experience {
    let whole = &session.whole;
    let from = |of: fn(&Part) -> usize| begin.map_or(0, of);
    let to = |of: fn(&Part) -> usize, all: usize| end.map_or(all, of);
    let mut source = whole.source.clone();
    source.started = begin.map_or(source.started, |begin| begin.started);
    let total = end.map_or(whole.cost, |end| end.cost);
    let before = begin.map_or_else(Cost::default, |begin| begin.cost);
    let started = u64::try_from(source.started).unwrap_or(0);
    let milliseconds = if let Some(end) = end {
        u64::try_from(end.ended.at).unwrap_or(0).saturating_sub(started)
    } else {
        let past = started.saturating_sub(u64::try_from(whole.source.started).unwrap_or(0));
        whole.cost.milliseconds.saturating_sub(past)
    };
    let steps = from(|part| part.steps)..to(|part| part.steps, whole.steps.len());
    let skills = from(|part| part.skills)..to(|part| part.skills, whole.skills.len());
    let corrections =
        from(|part| part.corrections)..to(|part| part.corrections, whole.corrections.len());
    let skipped = end.map_or(whole.skipped, |end| end.skipped);
    let answer = end.map_or(&whole.answer, |end| &end.ended.answer);
    let is_answered = to(|part| part.said, session.said) > from(|part| part.said);
    Experience {
        source,
        task: begin.map_or_else(|| whole.task.clone(), |begin| begin.task.clone()),
        steps: whole.steps[steps].to_vec(),
        skills: whole.skills[skills].to_vec(),
        corrections: whole.corrections[corrections].to_vec(),
        converged: end.map_or(whole.converged, |end| end.ended.converged),
        answer: answer.clone().filter(|_| is_answered),
        cost: Cost {
            turns: total.turns.saturating_sub(before.turns),
            tokens_in: total.tokens_in.saturating_sub(before.tokens_in),
            tokens_out: total.tokens_out.saturating_sub(before.tokens_out),
            milliseconds,
        },
        skipped: skipped.saturating_sub(begin.map_or(0, |begin| begin.skipped)),
    }
}

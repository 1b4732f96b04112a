//! Who sees a skill: what each of the other agents shows its model of it. What they see is looked at once,
//! and kept for as long as nothing that it depends on changes.

use std::num::NonZeroU64;
use std::path::PathBuf;

use crate::catalogue::Listed;
use crate::client::{Client, ClientView, Shown};
use crate::place::canonical_or_same;
use crate::state::State;
use crate::surroundings::Surroundings;
use crate::watch::Watch;

/// How an agent shows a skill to its model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sees {
    /// So much of its line is in the list, with so many characters of the description.
    Listed(Shown, usize),
    /// It was found and is not offered, and why.
    Skipped(String),
    /// The agent does not look there.
    Nowhere,
}

/// What the agents see, as it is when they are asked about.
#[derive(Debug)]
pub struct Audience {
    state: State,
    watch: Watch,
    /// For each client, in their order; none before the first look.
    seen: Option<[Vec<Line>; Client::ALL.len()]>,
}

/// A skill of a client. There are thousands, so that no more is kept of each than what is told.
#[derive(Debug)]
struct Line {
    path: PathBuf,
    mark: Option<NonZeroU64>,
    sees: Sees,
}

impl Audience {
    /// The agents, by what this state says about trust.
    pub fn new(state: State) -> Self {
        Self { state, watch: Watch::new(), seen: None }
    }

    /// How each agent shows a skill here.
    pub fn of(
        &mut self,
        skill: &Listed,
        around: &Surroundings,
    ) -> [(Client, Sees); Client::ALL.len()] {
        let is_stale = self.watch.is_stale(&self.state);
        let mut kept = self.seen.take().filter(|_| !is_stale);
        if kept.as_ref().is_some_and(|seen| is_behind(seen, skill)) {
            // It was changed in a way that is not noted, and whoever asks has seen it.
            self.watch.doubt();
            kept = None;
        }
        let seen = kept.unwrap_or_else(|| {
            self.watch.look(&self.state, &|met| {
                Client::ALL.map(|client| lines(client.view_noting(around, &self.state, met)))
            })
        });
        let seen = self.seen.insert(seen);
        let sought = Sought { skill, real: canonical_or_same(&skill.path) };
        let mut told = seen.iter().map(|lines| {
            let line = lines.iter().find(|line| sought.is(line));
            line.map_or(Sees::Nowhere, |line| line.sees.clone())
        });
        Client::ALL.map(|client| (client, told.next().unwrap_or(Sees::Nowhere)))
    }
}

/// What is offered comes first.
fn lines(view: ClientView) -> Vec<Line> {
    let offered =
        view.catalogue.skills.into_iter().zip(view.shown).map(|(skill, (shown, chars))| Line {
            path: skill.path,
            mark: skill.mark,
            sees: Sees::Listed(shown, chars),
        });
    let skipped = view.catalogue.skipped.into_iter().filter_map(|skipped| {
        let skill = skipped.skill?;
        Some(Line { path: skill.path, mark: skill.mark, sees: Sees::Skipped(skipped.message) })
    });
    offered.chain(skipped).collect()
}

/// Whether a skill is known to be another than the one that was seen under its path.
fn is_behind(seen: &[Vec<Line>], skill: &Listed) -> bool {
    let here = seen.iter().flatten().filter(|line| line.path == skill.path);
    here.into_iter().any(|line| line.mark.zip(skill.mark).is_some_and(|(old, new)| old != new))
}

/// The skill that is looked for among those of another program.
struct Sought<'s> {
    skill: &'s Listed,
    real: PathBuf,
}

impl Sought<'_> {
    /// Whether both are one file. What `stat` said about a file names it; only where that cannot be
    /// relied on its path is followed.
    fn is(&self, line: &Line) -> bool {
        let Self { skill, real } = self;
        line.path == skill.path
            || skill.also_at.contains(&line.path)
            || match (line.mark, skill.mark) {
                (Some(line), Some(mark)) => line == mark,
                _ => canonical_or_same(&line.path) == *real,
            }
    }
}

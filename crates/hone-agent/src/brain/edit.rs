//! Changes of a brain's skills that hone makes outside of a task: by a person's command, by a client of a
//! server, by what was learned. This is the one way to make them, so that each is made by the one who holds
//! the brain, and signed as what it is. What a dead task left is settled and what others changed is signed
//! first; the receipt is written also when the work fails half way.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hone_library::{State, canonical_or_same};

use super::{Brain, BrainError, Held, Owner, agents, journal, lock};
use crate::lineage::Receipt;
use crate::lineage::receipt::Kind;
use crate::memory::Memory;

/// How long a change waits for a task that has the brain.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Who changes skills, and how that is told while a task is in the way.
#[derive(Clone, Copy)]
pub struct Editor<'a> {
    /// Where brains and the library's state are.
    pub hone_home: &'a Path,
    /// What is done: `hone patch`.
    pub what: &'a str,
    /// Now, in milliseconds since 1970.
    pub now: i64,
    /// Hears once who has the brain.
    pub tell: &'a dyn Fn(&Owner),
}

impl std::fmt::Debug for Editor<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Editor").field("what", &self.what).finish_non_exhaustive()
    }
}

impl Editor<'_> {
    /// Changes skills below `place`. What is in a brain is changed while nobody else has the brain, and
    /// signed; elsewhere there is nothing to hold or to sign, and `state` is used.
    pub fn edit<T, E: From<BrainError>, S: Deref<Target = State>>(
        self,
        place: &Path,
        state: impl FnOnce() -> S,
        work: impl FnOnce(&State) -> Result<T, E>,
    ) -> Result<T, E> {
        let Some(editing) = self.begin(place)? else { return work(&state()) };
        let done = work(&editing.state);
        editing.end()?;
        done
    }

    /// Takes the brain that `place` lies in; none elsewhere.
    pub fn begin(self, place: &Path) -> Result<Option<Editing>, BrainError> {
        let Self { hone_home, what, now, tell } = self;
        let Some(brain) = Brain::around(hone_home, place)? else { return Ok(None) };
        let owner = Owner { what: what.to_owned(), pid: std::process::id(), since: now };
        let held = lock::hold_here(&brain.folder, &owner, PATIENCE, tell)?;
        let state = brain.settled(now)?;
        Ok(Some(Editing { brain, state, now, _held: held }))
    }
}

/// A brain in the hands of whoever changes it outside of a task.
#[derive(Debug)]
pub struct Editing {
    brain: Brain,
    state: State,
    now: i64,
    _held: Held,
}

impl Editing {
    /// Signs what changed, and gives the brain back.
    pub fn end(self) -> Result<Option<Receipt>, BrainError> {
        self.brain.sign_change(Kind::Edited, self.now)
    }
}

impl Brain {
    /// The brain that a path lies in; none for one elsewhere.
    pub fn around(hone_home: &Path, path: &Path) -> Result<Option<Self>, BrainError> {
        let agents = canonical_or_same(&agents(hone_home));
        // What was removed has no place of its own any more; the folder around it has.
        let real = path.ancestors().find_map(|above| {
            let below = path.strip_prefix(above).ok()?;
            above.canonicalize().ok().map(|above| above.join(below))
        });
        let real = real.unwrap_or_else(|| path.to_owned());
        let Ok(below) = real.strip_prefix(&agents) else { return Ok(None) };
        let id = below.components().next().map(|id| PathBuf::from(id.as_os_str()));
        match id.as_deref().and_then(Path::to_str).map(|id| Self::find(hone_home, id)) {
            Some(Err(BrainError::NoAgent { .. } | BrainError::BadId { .. })) | None => Ok(None),
            Some(found) => found.map(Some),
        }
    }

    /// Changes skills in the name of learning; the receipt is written also when the work fails half way.
    /// Whoever does it holds the brain.
    pub fn learn<T, E: From<BrainError>>(
        &self,
        _held: &Held,
        now: i64,
        work: impl FnOnce(&State) -> Result<T, E>,
    ) -> Result<(T, Option<Receipt>), E> {
        let state = self.settled(now)?;
        let done = work(&state);
        let receipt = self.sign_change(Kind::Learned, now)?;
        Ok((done?, receipt))
    }

    /// Settles what a dead task left and signs what others changed, so that the next receipt is about
    /// what follows alone.
    fn settled(&self, now: i64) -> Result<State, BrainError> {
        let mut memory = Memory::open(&self.folder)?;
        let state = State::open(&self.hone_home);
        journal::settle(self, &state, &mut memory, now)?;
        Ok(state)
    }
}

//! Whoever looks for skills by words: one thread that keeps the index of a catalogue open.
//!
//! Opening the index of a large library costs more than a search in it, and it belongs to the thread
//! that opened it. So questions travel here, and the index stays as long as the catalogue is the same.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use hone_library::{Catalogue, State};
use hone_router::{Band, Index, Match, Ranking, resembles};

/// What is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Skills that have something of these words.
    Words,
    /// Skills for a model, whether they apply or not.
    ForModels,
    /// Skills for a model that the message is about.
    About,
}

struct Question {
    catalogue: Arc<Catalogue>,
    words: String,
    most: usize,
    wanted: Wanted,
    answer: SyncSender<Vec<Match>>,
}

/// The way to the thread.
#[derive(Debug)]
pub struct Seeker {
    questions: Sender<Question>,
}

impl Seeker {
    /// Starts the thread; it ends with the last way to it.
    pub fn new(state: State) -> Self {
        let (questions, asked) = channel();
        // Without a thread nothing is found, and every question says so at once.
        let _ = std::thread::Builder::new()
            .name("seeker".to_owned())
            .spawn(move || attend(&state, &asked));
        Self { questions }
    }

    /// The skills of a catalogue that words lead to, best first. Waits: not for a thread that must not.
    pub(crate) fn find(
        &self,
        catalogue: &Arc<Catalogue>,
        words: &str,
        most: usize,
        wanted: Wanted,
    ) -> Vec<Match> {
        let (answer, answered) = sync_channel(1);
        let (catalogue, words) = (Arc::clone(catalogue), words.to_owned());
        let question = Question { catalogue, words, most, wanted, answer };
        if self.questions.send(question).is_err() {
            return Vec::new();
        }
        answered.recv().unwrap_or_default()
    }
}

/// Answers questions, with one index for as long as they are about one catalogue.
fn attend(state: &State, asked: &Receiver<Question>) {
    let mut next = asked.recv().ok();
    while let Some(first) = next.take() {
        let catalogue = Arc::clone(&first.catalogue);
        let index = Index::open(state, &catalogue.roots, &catalogue.skills).index;
        let mut question = Some(first);
        while let Some(one) = question.take() {
            if !Arc::ptr_eq(&one.catalogue, &catalogue) {
                next = Some(one);
                break;
            }
            // Whoever asked may have gone.
            let _ = one.answer.send(found(&index, &one));
            question = asked.recv().ok();
        }
    }
}

fn found(index: &Index<'_>, question: &Question) -> Vec<Match> {
    let skills = &question.catalogue.skills;
    let counts =
        |skill: usize| question.wanted == Wanted::Words || skills[skill].summary.model_invocable;
    let mut found = Ranking::new(index, &question.words).matches(question.most, counts);
    match question.wanted {
        // Without a word in common, only a word that looks like one of its own leads to a skill.
        Wanted::Words => found.retain(|found| {
            let summary = &skills[found.skill].summary;
            !found.reasons.is_empty()
                || resembles(&question.words, &summary.name)
                || resembles(&question.words, &summary.description)
        }),
        Wanted::ForModels => {}
        Wanted::About => found.retain(|found| found.band > Band::Nothing),
    }
    found
}

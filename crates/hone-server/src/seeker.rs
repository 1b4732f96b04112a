//! Whoever looks for skills by words: a few threads that each keep the index of a catalogue open.
//!
//! Opening the index of a large library costs more than a search in it, and it belongs to the thread
//! that opened it. So questions travel here, and an index stays as long as the catalogue is the same, but
//! not for ever: while it is open, the state's log cannot be folded into its file.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::time::{Duration, Instant};

use hone_library::{Bundle, Catalogue, Config, State};
use hone_router::{Band, Index, Match, Ranking, ask, resembles};

/// Threads at most: each holds an index of its own.
const MAX_THREADS: usize = 4;

/// How long an index stays open.
const MAX_OPEN: Duration = Duration::from_secs(60);

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
    work: Box<dyn FnOnce(&Index<'_>) + Send>,
}

/// The way to the threads.
#[derive(Debug)]
pub struct Seeker {
    hone_home: PathBuf,
    ways: Vec<Way>,
}

/// The way to one thread.
#[derive(Debug)]
struct Way {
    questions: Sender<Question>,
    /// Questions that are not answered yet.
    open: AtomicUsize,
}

impl Seeker {
    /// Starts the threads; they end with the last way to them.
    pub fn new(hone_home: &Path) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let ways = (0..cores.clamp(1, MAX_THREADS)).map(|_| Way::new(hone_home)).collect();
        Self { hone_home: hone_home.to_owned(), ways }
    }

    /// The skills of a catalogue that words lead to, best first. Waits: not for a thread that must not.
    pub(crate) fn find(
        &self,
        catalogue: &Arc<Catalogue>,
        words: &str,
        most: usize,
        wanted: Wanted,
    ) -> Vec<Match> {
        let (skills, words) = (Arc::clone(catalogue), words.to_owned());
        let bundles = self.bundles();
        let work = move |index: &Index<'_>| found(index, &skills, bundles, &words, most, wanted);
        self.ask(catalogue, work).unwrap_or_default()
    }

    /// The bundles of the settings as they are then; settings that cannot be read have none.
    pub(crate) fn bundles(&self) -> impl FnOnce() -> Vec<Bundle> + Send + use<> {
        let hone_home = self.hone_home.clone();
        move || Config::load(&hone_home).unwrap_or_default().bundles
    }

    /// What somebody makes of the index of a catalogue; none when it cannot be had. Waits, as above.
    pub(crate) fn ask<T: Send + 'static>(
        &self,
        catalogue: &Arc<Catalogue>,
        work: impl FnOnce(&Index<'_>) -> T + Send + 'static,
    ) -> Option<T> {
        // The first of those that have least to do, so that a lone client needs one index.
        let way = self.ways.iter().min_by_key(|way| way.open.load(Ordering::Relaxed))?;
        way.open.fetch_add(1, Ordering::Relaxed);
        let (answer, answered) = sync_channel(1);
        let work = move |index: &Index<'_>| {
            // Whoever asked may have gone.
            let _ = answer.send(work(index));
        };
        let question = Question { catalogue: Arc::clone(catalogue), work: Box::new(work) };
        let answered = way.questions.send(question).ok().and_then(|()| answered.recv().ok());
        way.open.fetch_sub(1, Ordering::Relaxed);
        answered
    }
}

impl Way {
    fn new(hone_home: &Path) -> Self {
        let (questions, asked) = channel();
        let hone_home = hone_home.to_owned();
        // Without a thread nothing is found, and every question says so at once.
        let _ = std::thread::Builder::new().name("seeker".to_owned()).spawn(move || {
            let state = State::open(&hone_home);
            // A question that breaks down is answered with nothing; the next one has a new index.
            while catch_unwind(AssertUnwindSafe(|| attend(&state, &asked, MAX_OPEN))).is_err() {}
        });
        Self { questions, open: AtomicUsize::new(0) }
    }
}

/// Answers questions, with one index for as long as they are about one catalogue and it is not too old.
fn attend(state: &State, asked: &Receiver<Question>, max_open: Duration) {
    let mut next = None;
    while let Some(first) = next.take().or_else(|| asked.recv().ok()) {
        let catalogue = Arc::clone(&first.catalogue);
        let index = Index::open(state, &catalogue.roots, &catalogue.skills).index;
        let opened = Instant::now();
        let mut question = Some(first);
        while let Some(one) = question.take() {
            if !Arc::ptr_eq(&one.catalogue, &catalogue) {
                next = Some(one);
                break;
            }
            (one.work)(&index);
            question = asked.recv_timeout(max_open.saturating_sub(opened.elapsed())).ok();
        }
    }
}

fn found(
    index: &Index<'_>,
    catalogue: &Catalogue,
    bundles: impl FnOnce() -> Vec<Bundle>,
    words: &str,
    most: usize,
    wanted: Wanted,
) -> Vec<Match> {
    let skills = &catalogue.skills;
    let ranking = match wanted {
        Wanted::Words => Ranking::new(index, words),
        Wanted::ForModels | Wanted::About => ask(index, catalogue, bundles, words),
    };
    let mut found = ranking.matches(most, |_| true);
    match wanted {
        // Without a word in common, only a word that looks like one of its own leads to a skill.
        Wanted::Words => found.retain(|found| {
            let summary = &skills[found.skill].summary;
            found.reasons.iter().any(|reason| reason.weight > 0.0)
                || resembles(words, &summary.name)
                || resembles(words, &summary.description)
        }),
        Wanted::ForModels => {}
        Wanted::About => found.retain(|found| found.band > Band::Nothing),
    }
    found
}

#[cfg(test)]
mod tests {
    use hone_library::{Config, Root, Search, Surroundings};

    use super::*;

    #[test]
    fn an_index_that_was_open_long_enough_is_opened_anew_and_answers_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let skill = folder.path().join("skills/tidy");
        std::fs::create_dir_all(&skill).unwrap();
        let text = "---\nname: tidy\ndescription: Tidies a changelog.\n---\nSort it.\n";
        std::fs::write(skill.join("SKILL.md"), text).unwrap();
        let around = Surroundings {
            cwd: folder.path().to_owned(),
            user_home: folder.path().to_owned(),
            hone_home: folder.path().join(".hone"),
            platform: "linux".to_owned(),
            moved: std::collections::BTreeMap::new(),
        };
        let state = State::open(&around.hone_home);
        let root = Root::explicit(&folder.path().join("skills"), &around.cwd).unwrap();
        let search = Search::only(vec![root], &around, &Config::default());
        let catalogue = Arc::new(Catalogue::find(search, &state));
        let answers = |max_open: Duration| {
            let (questions, asked) = channel();
            let answered: Vec<Receiver<Vec<Match>>> = (0..3)
                .map(|_| {
                    let (answer, answered) = sync_channel(1);
                    let skills = Arc::clone(&catalogue);
                    let work = Box::new(move |index: &Index<'_>| {
                        answer
                            .send(found(index, &skills, Vec::new, "changelog", 5, Wanted::Words))
                            .unwrap();
                    });
                    let catalogue = Arc::clone(&catalogue);
                    questions.send(Question { catalogue, work }).unwrap();
                    answered
                })
                .collect();
            drop(questions);
            attend(&state, &asked, max_open);
            answered.iter().map(|answered| answered.recv().unwrap()).collect::<Vec<_>>()
        };
        let kept = answers(MAX_OPEN);
        assert_eq!(kept.iter().map(Vec::len).collect::<Vec<_>>(), [1, 1, 1]);
        assert_eq!(answers(Duration::ZERO), kept);
    }
}

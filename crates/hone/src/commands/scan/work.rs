//! Scans many skills on all cores. The thread that asked keeps the books: it looks reports up, keeps
//! new ones and shows how far the work is, because the state belongs to one thread.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread;

use hone_guard::{Files, Report};
use hone_library::reports::{self, Kept};
use hone_library::{State, read_bounded};

use super::targets::Target;
use super::{Failed, Scanned};
use crate::commands::check::skill_file;
use crate::context::now;
use crate::output::Progress;

/// Reports that are gathered before they are kept in one go.
const KEPT_AT_ONCE: usize = 64;
/// Hostile text nests deeply: a worker has as much room as the main thread.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// What a worker tells or asks.
enum Message {
    /// Is there a report with this key, and does the path have it already?
    Ask {
        target: usize,
        key: String,
        answer: SyncSender<Answer>,
    },
    Done {
        target: usize,
        result: Box<Result<Scanned, Failed>>,
        keep: Option<Kept>,
    },
}

/// What is known about a key.
#[derive(Default)]
struct Answer {
    body: Option<String>,
    /// The path that was asked for has this report, so it need not be kept again.
    is_of_path: bool,
}

/// Scans the targets and gives the results in their order.
pub(super) fn scan_all(targets: Vec<Target>, cache: Option<&State>) -> (Vec<Scanned>, Vec<Failed>) {
    let mut results: Vec<Option<Result<Scanned, Failed>>> = targets.iter().map(|_| None).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from).min(targets.len());
    let next = AtomicUsize::new(0);
    let use_cache = cache.is_some();
    let (tell, told) = channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (tell, next, targets) = (tell.clone(), &next, &targets);
            let work = move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(target) = targets.get(at) else { break };
                    let (result, keep) = scan_one(target, at, use_cache, &tell);
                    let result = Box::new(result);
                    // Nobody listens only when the asking thread is gone.
                    let _ = tell.send(Message::Done { target: at, result, keep });
                }
            };
            // Fewer workers do the same work, and without any it is told below.
            let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        }
        drop(tell);
        let mut progress = Progress::new("scanning", targets.len());
        let mut kept = Vec::new();
        for message in told {
            match message {
                Message::Ask { target, key, answer } => {
                    let known = cache.map(|state| look_up(state, &targets[target].path, &key));
                    let _ = answer.send(known.unwrap_or_default());
                }
                Message::Done { target, result, keep } => {
                    results[target] = Some(*result);
                    kept.extend(keep);
                    progress.step();
                }
            }
            if kept.len() == KEPT_AT_ONCE {
                keep(cache, &mut kept);
            }
        }
        keep(cache, &mut kept);
    });
    let mut scanned = Vec::new();
    let mut failed = Vec::new();
    for (result, target) in results.into_iter().zip(targets) {
        match result {
            Some(Ok(skill)) => scanned.push(skill),
            Some(Err(problem)) => failed.push(problem),
            None => failed
                .push(Failed { path: target.path, message: "the scan did not finish".to_owned() }),
        }
    }
    (scanned, failed)
}

fn look_up(state: &State, path: &Path, key: &str) -> Answer {
    let newest = reports::newest(state, path);
    Answer {
        body: reports::find(state, key),
        is_of_path: newest.is_some_and(|(known, _)| known == key),
    }
}

fn keep(cache: Option<&State>, kept: &mut Vec<Kept>) {
    if let Some(state) = cache.filter(|_| !kept.is_empty()) {
        reports::keep(state, kept, now());
    }
    kept.clear();
}

fn scan_one(
    target: &Target,
    at: usize,
    use_cache: bool,
    tell: &Sender<Message>,
) -> (Result<Scanned, Failed>, Option<Kept>) {
    let files = match &target.files {
        Some(files) => Arc::clone(files),
        None => match Files::read(&target.path) {
            Ok(files) => Arc::new(files),
            Err(error) => {
                let failed = Failed { path: target.path.clone(), message: error.to_string() };
                return (Err(failed), None);
            }
        },
    };
    let key = files.key();
    let known = if use_cache && target.files.is_none() {
        let (answer, answered) = sync_channel(1);
        let _ = tell.send(Message::Ask { target: at, key: key.clone(), answer });
        answered.recv().unwrap_or_default()
    } else {
        Answer { body: None, is_of_path: true }
    };
    // A report that cannot be read is made anew.
    let before = known.body.and_then(|body| serde_json::from_str::<Report>(&body).ok());
    let is_kept = before.is_some();
    let report = before.unwrap_or_else(|| files.scan());
    let keep =
        (use_cache && target.files.is_none() && !(is_kept && known.is_of_path)).then(|| Kept {
            path: target.path.clone(),
            key,
            verdict: report.verdict.word().to_owned(),
            body: serde_json::to_string(&report).unwrap_or_default(),
        });
    let name = target.name.clone().unwrap_or_else(|| name_of(&target.path));
    // Reports are kept whole: what a person dismissed is set aside when they are shown.
    let scanned =
        Scanned { path: target.path.clone(), name, report, dismissed: Vec::new(), is_kept };
    (Ok(scanned), keep)
}

/// The name that a skill declares, else that of its folder or file.
fn name_of(path: &Path) -> String {
    let outer = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let declared = || {
        let file = if path.is_dir() { skill_file(path)? } else { path.to_owned() };
        Some(hone_skill::read(&read_bounded(&file).ok()?, Some(&outer)).skill?.name)
    };
    declared().unwrap_or(outer)
}

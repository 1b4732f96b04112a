//! The scan of what arrived, on all cores. The thread that asked keeps the books: it looks kept reports
//! up, because the state belongs to one thread.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, SyncSender, channel, sync_channel};
use std::thread;

use hone_guard::{Files, Report, ScanError};
use hone_library::{State, reports};

use crate::bundle::BundleFile;

/// Hostile text nests deeply: a worker has as much room as the main thread.
const STACK_BYTES: usize = 8 * 1024 * 1024;

/// What is scanned.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Subject<'a> {
    /// A folder, with whatever is in it.
    Folder(&'a Path),
    /// Files that arrived, as they would be written.
    Files(&'a BTreeMap<String, BundleFile>),
}

impl Subject<'_> {
    fn read(self) -> Result<Files, ScanError> {
        match self {
            Self::Folder(folder) => Files::read(folder),
            Self::Files(files) => Ok(Files::of_files(
                files.iter().map(|(path, file)| (path.as_str(), file.bytes.as_slice())),
            )),
        }
    }
}

/// Something that was scanned.
#[derive(Debug, Clone)]
pub(crate) struct Inspected {
    pub(crate) report: Report,
    /// What the report depends on.
    pub(crate) key: String,
}

impl Inspected {
    /// The report as the library keeps it, under the folder that it is about.
    pub(crate) fn kept(&self, path: &Path) -> reports::Kept {
        reports::Kept {
            path: path.to_owned(),
            key: self.key.clone(),
            verdict: self.report.verdict.word().to_owned(),
            body: serde_json::to_string(&self.report).unwrap_or_default(),
        }
    }
}

enum Message {
    /// Is there a report with this key?
    Ask {
        key: String,
        answer: SyncSender<Option<String>>,
    },
    Done {
        at: usize,
        result: Box<Result<Inspected, ScanError>>,
    },
}

/// Scans; the answers are in the order of what was given. `step` hears of each that is done.
pub(crate) fn inspect(
    state: &State,
    subjects: &[Subject<'_>],
    mut step: impl FnMut(usize),
) -> Vec<Result<Inspected, ScanError>> {
    let mut results: Vec<Option<Result<Inspected, ScanError>>> =
        subjects.iter().map(|_| None).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from).min(subjects.len());
    let next = AtomicUsize::new(0);
    let (tell, told) = channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (tell, next) = (tell.clone(), &next);
            let work = move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(subject) = subjects.get(at) else { break };
                    let result = Box::new(inspect_one(*subject, &tell));
                    let _ = tell.send(Message::Done { at, result });
                }
            };
            // Fewer workers do the same work, and without any it is told below.
            let _ = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, work);
        }
        drop(tell);
        let mut done = 0;
        for message in told {
            match message {
                Message::Ask { key, answer } => {
                    let _ = answer.send(reports::find(state, &key));
                }
                Message::Done { at, result } => {
                    results[at] = Some(*result);
                    done += 1;
                    step(done);
                }
            }
        }
    });
    let unfinished = |subject: &Subject<'_>| ScanError::Unreadable {
        path: match subject {
            Subject::Folder(folder) => (*folder).to_owned(),
            Subject::Files(_) => PathBuf::from("SKILL.md"),
        },
        source: std::io::Error::other("the scan did not finish"),
    };
    let answers = results.into_iter().zip(subjects);
    answers.map(|(result, subject)| result.unwrap_or_else(|| Err(unfinished(subject)))).collect()
}

fn inspect_one(subject: Subject<'_>, tell: &Sender<Message>) -> Result<Inspected, ScanError> {
    let files = subject.read()?;
    let key = files.key();
    let (answer, answered) = sync_channel(1);
    let _ = tell.send(Message::Ask { key: key.clone(), answer });
    // A report that cannot be read is made anew.
    let kept = answered.recv().unwrap_or_default();
    let kept = kept.and_then(|body| serde_json::from_str::<Report>(&body).ok());
    Ok(Inspected { report: kept.unwrap_or_else(|| files.scan()), key })
}

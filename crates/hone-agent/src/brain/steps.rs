//! The steps of the task under way, on the disk as they happen.
//!
//! A task that ends moves them to its transcript. Those of a task that died are found by whoever opens the
//! brain next, and become the transcript of a task that died. They outlive their process, not the power of
//! the machine: nothing waits for the disk until the task ends.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Brain, BrainError, MAX_TRANSCRIPT_BYTES, files, members};
use crate::memory::{Ending, Subscriber, TaskRow};
use crate::step::{Step, What};
use crate::task::{Cost, End};

/// The steps of one task, open.
#[derive(Debug)]
pub(crate) struct StepLog {
    path: PathBuf,
    transcript: PathBuf,
    /// The first write that failed is the last: a transcript has no gaps.
    file: Mutex<io::Result<File>>,
}

impl StepLog {
    /// Begins with the head: what the task is.
    pub(crate) fn begin(brain: &Brain, task: &str, head: &Value) -> Result<Self, BrainError> {
        let path = brain.member(members::STEPS);
        let file = files::open_private(&path)?;
        file.set_len(0).map_err(BrainError::io("write", &path))?;
        files::make_folder(&brain.member(members::TRANSCRIPTS))?;
        let transcript = brain.transcript_file(task);
        let log = Self { path, transcript, file: Mutex::new(Ok(file)) };
        log.add(&head.to_string());
        Ok(log)
    }

    /// Adds a line. One that cannot be written is told at the end.
    pub(crate) fn add(&self, line: &str) {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Ok(open) = file.as_mut()
            && let Err(error) = open.write_all(format!("{line}\n").as_bytes())
        {
            *file = Err(error);
        }
    }

    /// Ends with the foot: how the task ended. The steps are its transcript now, and on the disk.
    pub(crate) fn end(self, foot: &Value) -> Result<(), BrainError> {
        self.add(&foot.to_string());
        let file = self.file.into_inner().unwrap_or_else(PoisonError::into_inner);
        file.and_then(|file| file.sync_all()).map_err(BrainError::io("write", &self.path))?;
        fs::rename(&self.path, &self.transcript).map_err(BrainError::io("move", &self.path))?;
        for folder in [&self.transcript, &self.path].into_iter().filter_map(|path| path.parent()) {
            files::sync(folder)?;
        }
        Ok(())
    }
}

/// The first line of a transcript.
#[derive(Deserialize)]
struct Head {
    task: String,
    subscriber: String,
    input: String,
    started: i64,
}

/// Makes the transcript of a task that died from the steps that it left, and gives its row for the log;
/// none when it died before it was asked anything.
pub(super) fn conclude(brain: &Brain, task: &str) -> Result<Option<TaskRow>, BrainError> {
    let left = brain.member(members::STEPS);
    let mut lines = whole_lines(&left)?;
    // It may have died between its last step and its commit, or its settling did.
    if !is_of(&lines, task) {
        lines = whole_lines(&brain.transcript_file(task))?;
    }
    if !is_of(&lines, task) {
        files::remove(&left)?;
        return Ok(None);
    }
    lines.retain(|line| line["kind"] != "end");
    let Ok(head) = Head::deserialize(&lines[0]) else { return Ok(None) };
    let steps = lines[1..].iter().filter_map(|line| Step::deserialize(line).ok());
    let (mut cost, mut ended, mut model) = (Cost::default(), head.started, String::new());
    for step in steps {
        ended = ended.max(step.ended);
        match step.what {
            What::Model { usage, model: named, .. } => {
                cost.turns += 1;
                cost.usage.add(usage);
                model = named;
            }
            What::Tool(_) => cost.calls += 1,
            What::Skills { .. } | What::NoReply { .. } => {}
        }
    }
    cost.milliseconds = u64::try_from(ended - head.started).unwrap_or_default();
    lines.push(foot(&End::Died, &cost));
    let text = lines.iter().map(Value::to_string).collect::<Vec<_>>().join("\n") + "\n";
    files::make_folder(&brain.member(members::TRANSCRIPTS))?;
    files::write(&brain.transcript_file(task), text.as_bytes())?;
    files::remove(&left)?;
    Ok(Some(TaskRow {
        task: head.task,
        subscriber: Subscriber::from_text(head.subscriber),
        started: head.started,
        ended,
        ending: Ending::Died,
        input: head.input,
        answer: End::Died.to_string(),
        model,
        turns: cost.turns as u64,
        calls: cost.calls as u64,
        tokens_in: cost.usage.input,
        tokens_out: cost.usage.output,
    }))
}

/// The last line of a transcript.
pub(crate) fn foot(end: &End, cost: &Cost) -> Value {
    json!({"kind": "end", "end": end, "cost": cost})
}

fn is_of(lines: &[Value], task: &str) -> bool {
    lines.first().is_some_and(|head| head["kind"] == "task" && head["task"] == task)
}

/// The lines of a file up to the first that is not whole: the one in which its writer died.
fn whole_lines(path: &std::path::Path) -> Result<Vec<Value>, BrainError> {
    let bytes = files::read_bytes(path, MAX_TRANSCRIPT_BYTES)?.unwrap_or_default();
    let lines = bytes.split_inclusive(|byte| *byte == b'\n');
    Ok(lines.map_while(|line| serde_json::from_slice(line.strip_suffix(b"\n")?).ok()).collect())
}

//! File contents out of the object store, by id, through one running `git cat-file`.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::command::Git;
use crate::fetch_error::FetchError;

/// Longest line in front of an object: an id, a type, a size.
const MAX_HEADER_BYTES: u64 = 128;

/// A reader of objects. It answers one question after the other, so neither side waits on a full pipe.
pub(super) struct Objects {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Objects {
    pub(super) fn start(git: &Git) -> Result<Self, FetchError> {
        let mut command = git.command(&["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(FetchError::NoGit)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(questions), Some(answers)) => {
                Ok(Self { child, questions, answers: BufReader::new(answers) })
            }
            _ => Err(git.said("read", "it has no input and output")),
        }
    }

    /// One object; none when it has more than `max` bytes, and then this reader is of no further use.
    pub(super) fn read(
        &mut self,
        git: &Git,
        id: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, FetchError> {
        let failed = |error: std::io::Error| git.said("read", &error.to_string());
        writeln!(self.questions, "{id}").map_err(failed)?;
        let mut header = String::new();
        self.answers.by_ref().take(MAX_HEADER_BYTES).read_line(&mut header).map_err(failed)?;
        let mut parts = header.trim_end().split(' ').skip(1);
        let size = match (parts.next(), parts.next()) {
            (Some("blob"), Some(size)) => size.parse::<u64>().ok(),
            _ => None,
        };
        let Some(size) = size else {
            return Err(git.said("read", &format!("the object {id} is not there")));
        };
        if size > max {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        self.answers.by_ref().take(size).read_to_end(&mut bytes).map_err(failed)?;
        let mut end = [0];
        self.answers.read_exact(&mut end).map_err(failed)?;
        if bytes.len() as u64 != size || end != *b"\n" {
            return Err(git.said("read", &format!("the object {id} is cut off")));
        }
        Ok(Some(bytes))
    }
}

impl Drop for Objects {
    fn drop(&mut self) {
        // It may be in the middle of an object that nobody wants.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The ids among these whose objects are not here, one a line.
pub(super) fn missing(git: &Git, ids: &[&str]) -> Result<Vec<u8>, FetchError> {
    if ids.is_empty() {
        return Ok(Vec::new());
    }
    let questions = ids.join("\n") + "\n";
    let check = ["cat-file", "--batch-check", "--buffer"];
    let room = ids.len() * usize::try_from(MAX_HEADER_BYTES).unwrap_or(usize::MAX);
    let answers = git.answer("look into", &check, questions.into_bytes(), room)?;
    let answers = String::from_utf8_lossy(&answers).into_owned();
    let missing = answers.lines().filter_map(|line| line.strip_suffix(" missing"));
    Ok(missing.flat_map(|id| id.bytes().chain([b'\n'])).collect())
}

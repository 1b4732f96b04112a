//! Objects out of the store, by id, through one running `git cat-file`. Each is held against its id, also
//! where git does not do so: in a store that is only read.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use super::command::Git;
use crate::fetch_error::FetchError;
use crate::git_tree::object_id;

/// Longest line in front of an object: an id, a type, a size.
const MAX_HEADER_BYTES: u64 = 128;
/// Largest commit, in bytes.
const MAX_COMMIT_BYTES: u64 = 16 * 1024 * 1024;

/// A reader of objects. It answers one question after the other, so neither side waits on a full pipe.
pub(super) struct Objects {
    child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// A commit, and the tree of its files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Commit {
    pub(super) id: String,
    pub(super) tree: String,
}

impl Objects {
    pub(super) fn start(git: &Git) -> Result<Self, FetchError> {
        let mut command = git.command(&["cat-file", "--batch"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = git.spawn(&mut command)?;
        match (child.stdin.take(), child.stdout.take()) {
            (Some(questions), Some(answers)) => {
                Ok(Self { child, questions, answers: BufReader::new(answers) })
            }
            _ => Err(git.said("read", "it has no input and output")),
        }
    }

    /// The commit that a name means.
    pub(super) fn commit(&mut self, git: &Git, name: &str) -> Result<Commit, FetchError> {
        let found = self.get(git, &format!("{name}^{{commit}}"), "commit", MAX_COMMIT_BYTES)?;
        let tree = found.as_ref().and_then(|(_, bytes)| {
            std::str::from_utf8(bytes.split(|byte| *byte == b'\n').next()?)
                .ok()?
                .strip_prefix("tree ")
        });
        match (&found, tree) {
            (Some((id, _)), Some(tree)) => Ok(Commit { id: id.clone(), tree: tree.to_owned() }),
            _ => Err(git.said("read", &format!("the commit {name} is no commit"))),
        }
    }

    /// One object of a kind by its id; none when it has more than `max` bytes, and then this reader is of
    /// no further use.
    pub(super) fn read(
        &mut self,
        git: &Git,
        id: &str,
        kind: &str,
        max: u64,
    ) -> Result<Option<Vec<u8>>, FetchError> {
        let found = self.get(git, id, kind, max)?;
        match found {
            Some((is, _)) if is != id => Err(git.said("read", &format!("{id} is {is}"))),
            found => Ok(found.map(|(_, bytes)| bytes)),
        }
    }

    /// Many objects of a kind, asked for at once; `take` gets each, in order. None when they have more
    /// than `max` bytes together, and then this reader is of no further use.
    pub(super) fn read_all(
        &mut self,
        git: &Git,
        ids: &[String],
        kind: &str,
        max: u64,
        mut take: impl FnMut(&str, Vec<u8>),
    ) -> Result<Option<()>, FetchError> {
        if ids.is_empty() {
            return Ok(Some(()));
        }
        let questions = ids.join("\n") + "\n";
        let (asking, answers, child) = (&mut self.questions, &mut self.answers, &mut self.child);
        std::thread::scope(|scope| {
            // Git answers while it is asked: who only wrote and then read would wait on a full pipe.
            let asked = scope.spawn(move || asking.write_all(questions.as_bytes()));
            let mut left = max;
            let read = ids.iter().try_fold(Some(()), |_, id| {
                let found = answer(answers, git, id, kind, left).map_err(Some)?;
                let Some((_, bytes)) = found else {
                    return Err(None);
                };
                left -= bytes.len() as u64;
                take(id, bytes);
                Ok(Some(()))
            });
            if read.is_err() {
                // Whoever still asks is told by the end of git.
                let _ = child.kill();
            }
            let asked = asked.join().unwrap_or_else(|_| Err(std::io::Error::other("it ended")));
            match read {
                Ok(done) => {
                    asked.map(|()| done).map_err(|error| git.said("read", &error.to_string()))
                }
                Err(None) => Ok(None),
                Err(Some(error)) => Err(error),
            }
        })
    }

    fn get(
        &mut self,
        git: &Git,
        name: &str,
        kind: &str,
        max: u64,
    ) -> Result<Option<(String, Vec<u8>)>, FetchError> {
        let failed = |error: std::io::Error| git.said("read", &error.to_string());
        writeln!(self.questions, "{name}").map_err(failed)?;
        answer(&mut self.answers, git, name, kind, max)
    }
}

/// The answer to the next question: the id and the bytes of an object.
fn answer(
    answers: &mut impl BufRead,
    git: &Git,
    name: &str,
    kind: &str,
    max: u64,
) -> Result<Option<(String, Vec<u8>)>, FetchError> {
    let failed = |error: std::io::Error| git.said("read", &error.to_string());
    let mut header = String::new();
    answers.by_ref().take(MAX_HEADER_BYTES).read_line(&mut header).map_err(failed)?;
    let mut parts = header.trim_end().split(' ');
    let (id, size) = match (parts.next(), parts.next(), parts.next().map(str::parse::<u64>)) {
        (Some(id), Some(is), Some(Ok(size))) if is == kind => (id.to_owned(), size),
        _ => return Err(git.said("read", &format!("the object {name} is not there"))),
    };
    if size > max {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    answers.by_ref().take(size).read_to_end(&mut bytes).map_err(failed)?;
    let mut end = [0];
    answers.read_exact(&mut end).map_err(failed)?;
    if bytes.len() as u64 != size || end != *b"\n" {
        return Err(git.said("read", &format!("the object {id} is cut off")));
    }
    if object_id(kind, &bytes) != id {
        return Err(git.said("read", &format!("the object {id} is damaged")));
    }
    Ok(Some((id, bytes)))
}

impl Drop for Objects {
    fn drop(&mut self) {
        // It may be in the middle of an object that nobody wants.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

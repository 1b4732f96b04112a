//! The caller's side: starts the supervisor, gathers output, and lets go.

use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use super::talk::{self, Note};
use super::{End, Helper, Layer, Outcome, Plan, SandboxError, Stop, cage};

/// How long the keeper may take to clean up before it is ended itself.
const GRACE: Duration = Duration::from_secs(10);

/// How often the keeper is looked at.
const INTERVAL: Duration = Duration::from_millis(100);

enum Heard {
    /// Standard output (0) or error (1) is over; what was kept of it.
    Over(usize, Vec<u8>),
    /// More came than may be kept.
    TooMuch,
    /// The caller wants no more.
    Stopped,
}

pub(super) fn run(plan: &Plan, helper: &Helper, stop: &Stop) -> Result<Outcome, SandboxError> {
    let failed = |what: &str| {
        let what = what.to_owned();
        move |error: io::Error| SandboxError::Io { what, error }
    };
    let folder = tempfile::Builder::new()
        .prefix("hone-run-")
        .permissions(std::fs::Permissions::from_mode(0o700))
        .tempdir()
        .map_err(failed("make a scratch folder"))?;
    let path = folder.path().canonicalize().map_err(failed("find the scratch folder"))?;
    std::fs::create_dir(talk::scratch(&path)).map_err(failed("make a scratch folder"))?;
    talk::write_plan(&path, plan).map_err(failed("write the plan"))?;
    let mut child = Command::new(&helper.program)
        .arg(&helper.argument)
        .arg(&path)
        .arg("keep")
        .env_clear()
        .envs(talk::carry(plan))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .map_err(failed("start the helper"))?;
    // The keeper, and with it the supervisor, lives as long as this end is open, whatever happens to us.
    let mut lifeline = child.stdin.take();
    let (say, hear) = mpsc::channel();
    let most = plan.limits.output_bytes;
    let stopped = say.clone();
    stop.by(Some(Box::new(move || drop(stopped.send(Heard::Stopped)))));
    if let Some(stdout) = child.stdout.take() {
        gather(0, stdout, most, say.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        gather(1, stderr, most, say);
    }
    let mut kept = [Vec::new(), Vec::new()];
    let (mut is_too_much, mut over) = (false, 0);
    let mut deadline = Instant::now() + Duration::from_millis(plan.limits.milliseconds) + GRACE;
    let mut is_gone = false;
    while over < kept.len() {
        let patience = deadline.saturating_duration_since(Instant::now());
        match hear.recv_timeout(patience.min(INTERVAL)) {
            Ok(Heard::Over(which, bytes)) => {
                kept[which] = bytes;
                over += 1;
            }
            Ok(Heard::Stopped) => {
                deadline = Instant::now() + GRACE;
                drop(lifeline.take());
            }
            Ok(Heard::TooMuch) => {
                is_too_much = true;
                deadline = Instant::now() + GRACE;
                drop(lifeline.take());
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
            Err(mpsc::RecvTimeoutError::Timeout) if patience > INTERVAL => {
                // Without a keeper the supervisor ends everything; without either, nobody does.
                if !is_gone && child.try_wait().is_ok_and(|status| status.is_some()) {
                    is_gone = true;
                    deadline = deadline.min(Instant::now() + GRACE);
                }
            }
            // The keeper ends whatever does not end by itself, and has its own time for that.
            Err(mpsc::RecvTimeoutError::Timeout) if !is_gone && lifeline.is_some() => {
                deadline = Instant::now() + GRACE;
                drop(lifeline.take());
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let _ = child.kill();
                break;
            }
        }
    }
    stop.by(None);
    let status = child.wait().map_err(failed("wait for the helper"))?;
    drop(lifeline);
    // Nothing is left of these unless those who made them were ended.
    cage::clear(&path);
    let (mut layers, mut end): (Vec<Layer>, Option<End>) = (Vec::new(), None);
    for note in talk::read_notes(&path) {
        match note {
            Note::Layer(layer) => layers.push(layer),
            Note::End(told) => end = end.or(Some(told)),
        }
    }
    let end = match end {
        // Also when it came to its end by itself: what was kept is not all of it.
        Some(End::Cancelled | End::Exited(_)) if is_too_much => End::TooMuchOutput,
        Some(end) => end,
        None => End::NotStarted(format!("the supervisor ended without a word: {status}")),
    };
    let [stdout, stderr] = kept;
    Ok(Outcome { end, stdout, stderr, layers })
}

/// Reads to the end, keeps `most` bytes, and says so when there are more.
fn gather(
    which: usize,
    mut from: impl Read + Send + 'static,
    most: usize,
    say: mpsc::Sender<Heard>,
) {
    std::thread::spawn(move || {
        let (mut kept, mut is_told) = (Vec::new(), false);
        let mut buffer = [0; 8 * 1024];
        loop {
            match from.read(&mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let room = most - kept.len();
                    kept.extend_from_slice(&buffer[..count.min(room)]);
                    if count > room && !std::mem::replace(&mut is_told, true) {
                        let _ = say.send(Heard::TooMuch);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        let _ = say.send(Heard::Over(which, kept));
    });
}

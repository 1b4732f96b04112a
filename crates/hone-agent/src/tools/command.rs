//! `run_command`: a line of shell in the guard's sandbox.
//!
//! It runs in the workspace, reads it, the skills in use and the system, and writes the workspace and a
//! scratch folder. Without a skill there is no network. Once a skill that declares `allowed-tools` was
//! read in the task, every command must be inside what one such skill declares; a skill that declares
//! nothing neither adds nor takes away. A command that a skill permits has the answers that were given to
//! that skill in its environment, and no other's; nothing that it prints shows one. Where nothing confines, nothing runs. What git would run by itself
//! in a repository of the workspace is put back when a command changed it.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hone_guard::permit::{MAX_COMMAND_BYTES, permit};
use hone_guard::sandbox::{self, End, Helper, Outcome, Plan, Stop};
use hone_router::Answers;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::files::Workspace;
use super::git::Repositories;
use super::skills::{Active, Shelf};
use super::{Class, Tool, ToolResult, Working, number_of, text_of};

/// Seconds that a command may take when nobody says how many.
pub const DEFAULT_SECONDS: usize = 30;

/// Most seconds that a command may take.
pub const MAX_SECONDS: usize = 120;

/// Most bytes of standard output, and of standard error.
pub const MAX_OUTPUT_BYTES: usize = 256 * 1024;

/// Time for the sandbox to start and to clean up, beyond that of the command.
const AROUND: Duration = Duration::from_secs(15);

/// The tool.
pub struct RunCommand {
    workspace: Arc<Workspace>,
    shelf: Option<Arc<Shelf>>,
    helper: Helper,
    unconfined: bool,
    schema: Value,
}

impl RunCommand {
    /// Commands in a workspace. `helper` is the program that confines itself; `unconfined` is the
    /// person's leave to run even where nothing confines.
    pub fn new(
        workspace: Arc<Workspace>,
        shelf: Option<Arc<Shelf>>,
        helper: Helper,
        unconfined: bool,
    ) -> Self {
        let schema = json!({
            "type": "object",
            "properties": {
                "command": {"type": "string", "minLength": 1, "maxLength": MAX_COMMAND_BYTES},
                "seconds": {"type": "integer", "minimum": 1, "maximum": MAX_SECONDS},
            },
            "required": ["command"],
            "additionalProperties": false,
        });
        Self { workspace, shelf, helper, unconfined, schema }
    }

    /// What a command line may do, or why it may not run.
    fn plan(&self, line: &str, seconds: usize) -> Result<Plan, String> {
        let active = self.shelf.as_ref().map(|shelf| shelf.active()).unwrap_or_default();
        let by = permitting(&active, line)?;
        let command = sandbox::shell(line).map_err(|error| format!("Not run: {error}."))?;
        let mut plan = Plan::new(command);
        plan.folder = Some(self.workspace.path().to_owned());
        plan.writes.push(self.workspace.path().to_owned());
        plan.reads.extend(active.iter().filter_map(|skill| skill.folder.clone()));
        plan.network = by
            .and_then(|skill| skill.permissions.as_ref())
            .is_some_and(|permissions| permissions.fetch_anything().is_some());
        let seconds = u64::try_from(seconds).unwrap_or(0);
        plan.limits.milliseconds = seconds * 1_000;
        plan.limits.cpu_seconds = seconds;
        // A value that begins before the end is seen whole, so that no part of it stays.
        let environment = by.map(|skill| skill.environment.as_slice()).unwrap_or_default();
        let longest = environment.iter().map(|(_, value)| value.expose().len()).max();
        plan.limits.output_bytes = MAX_OUTPUT_BYTES + longest.unwrap_or_default();
        plan.environment = environment
            .iter()
            .map(|(name, value)| (name.clone(), value.expose().to_owned()))
            .collect();
        plan.unconfined = self.unconfined;
        Ok(plan)
    }
}

/// The skill whose declaration permits a line; none when no skill in use declares anything.
fn permitting<'s>(active: &'s [Active], line: &str) -> Result<Option<&'s Active>, String> {
    let mut why = None;
    for skill in active.iter().rev() {
        let Some(permissions) = &skill.permissions else { continue };
        let decision = permit(permissions, line);
        if decision.is_allowed() {
            return Ok(Some(skill));
        }
        let refusals = decision.refusals.iter().map(|refusal| {
            let part = line.get(refusal.span.clone()).unwrap_or_default();
            format!("- `{part}`: {}", refusal.reason)
        });
        let refusals = refusals.collect::<Vec<_>>().join("\n");
        why.get_or_insert_with(|| {
            format!("Not run: the skill `{}` does not declare it.\n{refusals}", skill.name)
        });
    }
    why.map_or(Ok(None), Err)
}

/// Stops the command when the call is dropped.
struct StopOnDrop(Stop);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl Tool for RunCommand {
    fn name(&self) -> &'static str {
        "run_command"
    }

    fn description(&self) -> &'static str {
        "Runs a line of shell in the workspace, confined: no network unless a skill in use declares it, \
         writes only there. Gives its output and exit code."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Evidence
    }

    fn changes(&self) -> bool {
        true
    }

    fn time(&self) -> Option<Duration> {
        // The sandbox has the command's own limit; this one is for a sandbox that hangs.
        let seconds = u64::try_from(MAX_SECONDS).unwrap_or(0);
        Some(Duration::from_secs(seconds) + AROUND)
    }

    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a> {
        Box::pin(async move {
            let line = text_of(arguments, "command").unwrap_or_default();
            let seconds = number_of(arguments, "seconds").unwrap_or(DEFAULT_SECONDS);
            let plan = match self.plan(line, seconds) {
                Ok(plan) => plan,
                Err(why) => return ToolResult::refused(why),
            };
            let stop = StopOnDrop(Stop::default());
            let (stopped, helper) = (stop.0.clone(), self.helper.clone());
            let workspace = self.workspace.path().to_owned();
            let mut running = tokio::task::spawn_blocking(move || {
                let repositories = Repositories::of(&workspace)?;
                let ended = sandbox::run_until(&plan, &helper, &stopped);
                Ok::<_, String>((ended, repositories.put_back()?))
            });
            let ended = tokio::select! {
                ended = &mut running => ended,
                () = cancelled.cancelled() => {
                    stop.0.stop();
                    running.await
                }
            };
            match ended {
                Ok(Ok((Ok(outcome), changed))) => {
                    let answers = self.shelf.as_ref().map(|shelf| shelf.answers());
                    with_restored(told(outcome, seconds, answers), &changed)
                }
                Ok(Ok((Err(error), _))) => ToolResult::failed(format!("Not run: {error}.")),
                Ok(Err(why)) => ToolResult::failed(format!("Not run, or not whole: {why}.")),
                Err(_) => ToolResult::failed("Not run: the sandbox broke down."),
            }
        })
    }
}

/// Says what was undone after a command.
fn with_restored(mut result: ToolResult, changed: &[String]) -> ToolResult {
    for name in changed {
        let _ = writeln!(
            result.text,
            "[`{}`: what the command did there is undone, because git would run it by itself]",
            name.escape_debug()
        );
    }
    result
}

fn told(mut outcome: Outcome, seconds: usize, answers: Option<&Answers>) -> ToolResult {
    let mut text = String::new();
    for (name, bytes) in [("output", &outcome.stdout), ("errors", &outcome.stderr)] {
        if bytes.len() > MAX_OUTPUT_BYTES {
            outcome.end = End::TooMuchOutput;
        }
        if !bytes.is_empty() {
            let part = String::from_utf8_lossy(bytes);
            let mut end = part.len().min(MAX_OUTPUT_BYTES);
            while !part.is_char_boundary(end) {
                end -= 1;
            }
            let part = match answers {
                Some(answers) => answers.redact_start(&part, end),
                None => part[..end].to_owned(),
            };
            let _ = writeln!(text, "[{name}]\n{}", part.trim_end_matches('\n'));
        }
    }
    let end = match &outcome.end {
        End::Exited(0) => {
            return ToolResult::ok(text + "[it ended well, with code 0]\n", "ended well");
        }
        End::Exited(code) => format!("it ended with code {code}"),
        End::Signalled(signal) => format!("it was ended by signal {signal}"),
        End::OutOfTime => format!("it took longer than {seconds} s and was ended"),
        End::TooManyProcesses => "it started too many processes and was ended".to_owned(),
        End::TooMuchMemory => "it used too much memory and was ended".to_owned(),
        End::TooMuchOutput => format!("it wrote more than {MAX_OUTPUT_BYTES} bytes and was ended"),
        End::Cancelled => "it was cancelled".to_owned(),
        End::NotStarted(why) => format!("it could not be started: {why}"),
        End::Refused(why) => format!("it was not run, because nothing would confine it: {why}"),
    };
    let text = format!("{text}[{end}]\n");
    let result = match &outcome.end {
        End::OutOfTime => ToolResult::timed_out(text),
        End::Refused(_) => ToolResult::refused(text),
        _ => ToolResult::failed(text),
    };
    ToolResult { summary: end, ..result }
}

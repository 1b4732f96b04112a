//! Inline shell: the commands in a skill's text, run for `hone invoke`.
//!
//! A command runs only if the skill's `allowed-tools` permit it and the sandbox holds; otherwise the
//! reason stands in its place. It gets the answers that were given to its own skill, and no other's.

use hone_guard::permit::permit;
use hone_guard::sandbox::{self, End};
use hone_library::Listed;
use hone_router::{InlineCommand, InlineError, InlineOutput, RunInline};
use hone_skill::Permissions;

use super::confined;
use crate::context::Context;

/// Most bytes of a character.
const CHAR_BYTES: usize = 4;

/// Runs the commands of these skills.
pub(crate) struct InSandbox<'c> {
    pub(crate) context: &'c Context,
    pub(crate) skills: &'c [&'c Listed],
}

impl RunInline for InSandbox<'_> {
    fn run(&self, command: &InlineCommand) -> Result<InlineOutput, InlineError> {
        let permissions = Permissions::new(&command.allowed_tools);
        if let Some(refusal) = permit(&permissions, &command.command).refusals.first() {
            let why = format!("not inside its `allowed-tools`: {}", refusal.reason);
            return Err(InlineError::Denied(why));
        }
        let is_meant = |skill: &&&Listed| {
            skill.summary.name == command.skill
                && command.folder.as_deref().is_none_or(|folder| folder == skill.folder())
        };
        let Some(skill) = self.skills.iter().find(is_meant) else {
            return Err(InlineError::Denied("its skill is not there".to_owned()));
        };
        // Without words, `$0` is nothing, not the name of the shell.
        let none = command.arguments.is_empty().then(String::new);
        let line = sandbox::shell(&command.command)
            .map_err(|error| InlineError::Denied(error.to_string()))?;
        let words = line.into_iter().chain(command.arguments.iter().cloned()).chain(none);
        let failed = |failure: crate::output::Failure| InlineError::Failed(failure.to_string());
        let mut confined =
            confined::confined(self.context, skill, &permissions, words).map_err(failed)?;
        let plan = &mut confined.plan;
        plan.limits.milliseconds = u64::try_from(command.timeout.as_millis()).unwrap_or(0);
        plan.limits.cpu_seconds = command.timeout.as_secs().max(1);
        // One more than is shown, so that the cut is seen, and a value that begins before the cut is seen whole.
        let longest = command.environment.iter().map(|(_, value)| value.expose().len()).max();
        plan.limits.output_bytes =
            (command.max_chars + 1) * CHAR_BYTES + longest.unwrap_or_default();
        let environment = command.environment.iter();
        plan.environment =
            environment.map(|(name, value)| (name.clone(), value.expose().to_owned())).collect();
        let (outcome, beside) = confined.run().map_err(failed)?;
        if let Some(why) = beside {
            return Err(InlineError::Failed(why));
        }
        let stdout = String::from_utf8_lossy(&outcome.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&outcome.stderr).into_owned();
        match outcome.end {
            End::Exited(code) => Ok(InlineOutput { stdout, stderr, code }),
            End::TooMuchOutput if stdout.chars().count() > command.max_chars => {
                Ok(InlineOutput { stdout, stderr, code: 0 })
            }
            End::OutOfTime => Err(InlineError::TimedOut),
            End::Refused(_) => {
                Err(InlineError::Denied(confined::why(&outcome.end).unwrap_or_default()))
            }
            end => Err(InlineError::Failed(confined::why(&end).unwrap_or_default())),
        }
    }
}

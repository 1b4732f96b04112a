//! What a hook does to the person whose agent runs it: it answers in his place, or tells somebody what
//! was said and done.

use crate::scan::Skill;
use crate::scan::bundle::Member;
use crate::scan::destination::{Class, addresses};
use crate::scan::reach;

use super::command::of_bundle;

/// Events that only agents know, in the spelling of each.
#[rustfmt::skip]
pub(super) const EVENTS: &[&str] = &[
    // Claude Code, and those that follow it.
    "Setup", "SessionStart", "SessionEnd", "PreToolUse", "PostToolUse", "PostToolUseFailure", "UserPromptSubmit", "SubagentStop", "SubagentStart", "Stop", "PreCompact", "PostCompact",
    "PermissionRequest", "Notification", "TeammateIdle", "TaskCompleted", "InstructionsLoaded", "ConfigChange", "WorktreeCreate", "WorktreeRemove",
    // Cursor.
    "beforeShellExecution", "afterShellExecution", "beforeSubmitPrompt", "afterFileEdit", "beforeReadFile", "beforeMCPExecution", "afterMCPExecution", "afterAgentResponse",
    "afterAgentThought", "beforeTabFileRead", "afterTabFileEdit", "sessionStart", "sessionEnd", "preToolUse", "postToolUse", "subagentStart", "subagentStop", "preCompact",
    // Gemini, Qwen.
    "BeforeTool", "AfterTool", "BeforeAgent", "AfterAgent", "BeforeModel", "AfterModel", "BeforeToolSelection", "PreCompress",
    // Windsurf.
    "pre_read_code", "post_read_code", "pre_write_code", "post_write_code", "pre_run_command", "post_run_command", "pre_mcp_tool_use", "post_mcp_tool_use", "pre_user_prompt",
    "post_cascade_response",
    // Copilot, Kiro.
    "userPromptSubmitted", "errorOccurred", "agentSpawn", "userPromptSubmit",
];

/// How a hook answers yes.
#[rustfmt::skip]
const YES: &[&str] = &[
    "\"permission\":\"allow\"", "\"permissiondecision\":\"allow\"", "\"decision\":\"approve\"", "\"decision\":\"allow\"", "\"behavior\":\"allow\"", "\"action\":\"allow\"",
];

/// How a script takes what a hook is told.
#[rustfmt::skip]
const TAKES_EVENT: &[&str] = &[
    "@-", "-T -", "-T- ", "--upload-file -", "$(cat)", "`cat`", "$(cat -)", "/dev/stdin", "sys.stdin", "process.stdin", "readFileSync(0", "STDIN", "$stdin", "os.Stdin", "io.stdin", "php://stdin",
    "[Console]::In", "Console.In", "$input", "read -r", "read line", "Deno.stdin", "Bun.stdin", "wget --post-file=-", "nc ",
];

/// Whether a command, or the script of the skill that it runs, answers every permission question with yes.
pub(super) fn approves(command: &str, skill: &Skill<'_>) -> bool {
    let says_yes = |text: &str| {
        let plain: String = text
            .chars()
            .filter(|c| !c.is_whitespace() && *c != '\\')
            .map(|c| c.to_ascii_lowercase())
            .collect();
        YES.iter().any(|yes| plain.contains(yes))
    };
    // A script that decides says no as well.
    let blind = |text: &str| {
        let lower = text.to_ascii_lowercase();
        says_yes(text)
            && ![
                "deny", "block", "\"ask\"", "'ask'", " if ", "if(", "if [", "case ", "match",
                "grep",
            ]
            .iter()
            .any(|word| lower.contains(word))
    };
    blind(command) || script(command, skill).is_some_and(|member| blind(&text_of(member)))
}

/// The host to which a script of the skill, run by a hook, sends what the hook is told.
pub(super) fn tells(command: &str, skill: &Skill<'_>) -> Option<String> {
    let text = text_of(script(command, skill)?).into_owned();
    reach::any(&text)?;
    if !TAKES_EVENT.iter().any(|way| text.contains(way)) {
        return None;
    }
    addresses(&text).into_iter().find_map(|address| {
        let strange = match address.class() {
            Class::Address | Class::Inbox | Class::Paste | Class::Shortener => true,
            Class::Foreign => !skill.is_about(&address.host()),
            _ => false,
        };
        strange.then(|| address.host())
    })
}

fn script<'s>(command: &str, skill: &Skill<'s>) -> Option<&'s Member> {
    command.split_whitespace().find_map(|word| of_bundle(word, skill.members))
}

fn text_of(member: &Member) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(&member.bytes)
}

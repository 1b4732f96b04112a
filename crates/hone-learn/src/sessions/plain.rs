//! Transcripts that are just text: lines after a prompt (`$ `) are commands and what follows is their
//! output; `User:` and `Assistant:`, as headings too, say who speaks.

use hone_agent::step::Outcome;
use serde_json::json;

use super::building::Building;

/// Characters of what somebody says, or of an output, that are gathered.
const MAX_GATHERED_CHARS: usize = 64 * 1024;

const PROMPTS: [&str; 4] = ["$ ", "% ", "❯ ", "> $ "];
const PERSON: [&str; 4] = ["user", "human", "you", "person"];
const AGENT: [&str; 6] = ["assistant", "agent", "claude", "codex", "hermes", "model"];

enum Speaker {
    Nobody,
    Person,
    Agent,
    Command,
}

/// The reader's memory between lines.
pub(super) struct Reader {
    speaker: Speaker,
    gathered: String,
    calls: usize,
}

impl Reader {
    pub(super) fn new() -> Self {
        Self { speaker: Speaker::Nobody, gathered: String::new(), calls: 0 }
    }

    /// Takes one line.
    pub(super) fn take(&mut self, into: &mut Building, line: &str) {
        let trimmed = line.trim_end();
        if let Some(command) = PROMPTS.iter().find_map(|prompt| trimmed.strip_prefix(prompt)) {
            self.settle(into);
            self.calls += 1;
            into.call(&self.calls.to_string(), "shell", json!({"command": command.trim()}), 0);
            self.speaker = Speaker::Command;
        } else if let Some((speaker, rest)) = heading(trimmed) {
            self.settle(into);
            self.speaker = speaker;
            self.gather(rest);
        } else if trimmed.starts_with("```") {
            // What stands in a block is said by whoever opened it.
            if matches!(self.speaker, Speaker::Command) {
                self.settle(into);
                self.speaker = Speaker::Agent;
            }
        } else {
            if matches!(self.speaker, Speaker::Nobody) && !trimmed.trim().is_empty() {
                self.speaker = Speaker::Person;
            }
            self.gather(trimmed);
        }
    }

    fn gather(&mut self, text: &str) {
        if self.gathered.len() + text.len() < MAX_GATHERED_CHARS {
            self.gathered.push_str(text);
            self.gathered.push('\n');
        }
    }

    /// Gives what was gathered to whoever said it.
    pub(super) fn settle(&mut self, into: &mut Building) {
        let text = std::mem::take(&mut self.gathered);
        match self.speaker {
            Speaker::Nobody => {}
            Speaker::Person => into.person(&text),
            Speaker::Agent => {
                into.experience.cost.turns += 1;
                into.agent(&text);
            }
            Speaker::Command => {
                into.result(&self.calls.to_string(), text.trim(), outcome(&text), 0);
            }
        }
        self.speaker = Speaker::Nobody;
    }
}

/// `User: …`, `## Assistant`, `**Human:** …`.
fn heading(line: &str) -> Option<(Speaker, &str)> {
    let bare = line.trim_start_matches(['#', '*', ' ', '>']);
    let (name, rest) = bare.split_at(bare.find(|c: char| !c.is_alphabetic()).unwrap_or(bare.len()));
    let is_heading = line.starts_with('#') && rest.trim_matches(['*', ':', ' ']).is_empty();
    let is_said = rest.starts_with(':') || rest.starts_with("**:");
    if !is_heading && !is_said {
        return None;
    }
    let name = name.to_lowercase();
    let rest = rest.trim_start_matches(['*', ':', ' ']);
    if PERSON.contains(&name.as_str()) {
        Some((Speaker::Person, rest))
    } else if AGENT.contains(&name.as_str()) {
        Some((Speaker::Agent, rest))
    } else {
        None
    }
}

/// A shell does not write how a command ended; some outputs do.
fn outcome(text: &str) -> Outcome {
    let says = |words: &str| text.contains(words);
    let code = ["exit code ", "Exit code ", "exit code: ", "Exit code: ", "exit status "];
    let failed = code.iter().any(|mark| {
        text.split_once(mark).is_some_and(|(_, after)| {
            after.starts_with(|c: char| c.is_ascii_digit()) && !after.starts_with('0')
        })
    });
    if failed || says("command not found") || says("No such file or directory") {
        Outcome::Failed
    } else {
        Outcome::Ok
    }
}

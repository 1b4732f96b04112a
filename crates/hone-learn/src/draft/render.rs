//! A draft as the text of a skill, and back from a text that a person edited.

use std::fmt::Write as _;

use hone_router::{Case, Suite};
use hone_skill::{
    FIRST_VERSION, Field, Permissions, Slug, ensure_frontmatter, limits, read, set_field,
    write_problems,
};

use super::phrase::{of_task, when};
use super::tools::Tool;
use super::{Context, Draft, arguments};

/// Characters of a command that a step shows.
pub const MAX_COMMAND_CHARS: usize = 400;

/// Characters of one of several lines, which is a program of its own.
pub const MAX_SCRIPT_CHARS: usize = 1_500;

/// What stands for a line end in code on one line.
const LINE_END: &str = " ⏎ ";

/// Why a text is no skill.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotASkill(String);

/// A text as code in Markdown, on one line, cut when it is long.
pub(super) fn code(text: &str) -> String {
    let text = text.trim();
    // How far a line is indented counts in some languages.
    let mut line = text.lines().map(str::trim_end).collect::<Vec<_>>().join(LINE_END);
    let most = if text.contains('\n') { MAX_SCRIPT_CHARS } else { MAX_COMMAND_CHARS };
    if let Some((at, _)) = line.char_indices().nth(most) {
        line.truncate(at);
        line.push('…');
    }
    // A fence longer than any inside.
    let longest = line.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{fence}{pad}{line}{pad}{fence}")
}

/// A step's words with code of several lines as a block of its own, indented by so much.
fn laid_out(action: &str, indent: usize) -> String {
    let Some(open) = action.find('`') else { return action.to_owned() };
    let fence = action[open..].chars().take_while(|c| *c == '`').count();
    let inside = &action[open + fence..];
    let Some(close) =
        inside.find(&"`".repeat(fence)).filter(|close| inside[..*close].contains(LINE_END))
    else {
        return action.to_owned();
    };
    let (code, after) =
        (inside[..close].trim(), inside[close + fence..].trim_start_matches(['.', ' ']));
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    let pad = " ".repeat(indent);
    let mut text = format!("{} this:\n\n{pad}{fence}sh\n", action[..open].trim_end());
    for line in code.split(LINE_END) {
        let _ = writeln!(text, "{pad}{line}");
    }
    let _ = writeln!(text, "{pad}{fence}");
    if !after.is_empty() {
        let _ = write!(text, "\n{pad}{after}");
    }
    text
}

impl Draft {
    /// What it does, when to use it and when not: within the limit, whole sentences first.
    pub fn description(&self) -> String {
        if let Some(description) = &self.description {
            return description.clone();
        }
        let mut text = self.what.trim().to_owned();
        if !text.is_empty() && !text.ends_with(['.', '!', '?']) {
            text.push('.');
        }
        let quoted = |texts: &[String]| -> Vec<String> {
            texts.iter().map(|text| format!("\"{}\"", text.trim().replace('"', "'"))).collect()
        };
        let mut parts = Vec::new();
        if !self.when.phrases.is_empty() {
            parts.push(when(&self.when.phrases));
        }
        // One that only says politely what was said already is for the suite alone.
        let is_new = |example: &&String| {
            let phrase = arguments::without(&of_task(example), &self.inputs);
            !self.when.phrases.contains(&phrase)
        };
        let examples: Vec<String> = self.when.examples.iter().filter(is_new).cloned().collect();
        if !examples.is_empty() {
            parts.push(format!("For example: {}.", quoted(&examples).join(", ")));
        }
        if !self.when.not_for.is_empty() {
            parts.push(format!("Not for: {}.", self.when.not_for.join("; ")));
        }
        for part in parts {
            if text.chars().count() + part.chars().count() < limits::MAX_DESCRIPTION_CHARS {
                text.push(' ');
                text.push_str(&part);
            }
        }
        text.chars().take(limits::MAX_DESCRIPTION_CHARS).collect()
    }

    /// The text below the frontmatter as a person edited it; none while the steps stand.
    pub fn edited(&self) -> Option<&str> {
        self.body.as_deref()
    }

    /// Whether a person edited the description.
    pub fn is_described(&self) -> bool {
        self.description.is_some()
    }

    fn body(&self) -> String {
        if let Some(body) = &self.body {
            return body.clone();
        }
        let mut text = String::from("# Steps\n\n");
        for (number, step) in self.steps.iter().enumerate() {
            let number = number + 1;
            let mark = format!("{number}. ");
            let _ = writeln!(text, "{mark}{}", laid_out(step.action.trim(), mark.len()));
            let pad = " ".repeat(mark.len());
            let _ = writeln!(text, "{pad}Done when: {}.", step.done.trim().trim_end_matches('.'));
        }
        if self.left_out > 0 {
            let _ = writeln!(
                text,
                "\n{} further steps of the recorded work are left out.",
                self.left_out
            );
        }
        if !self.notes.is_empty() {
            text.push_str("\n# Mind\n\nThis was said when it was done otherwise:\n\n");
            for note in &self.notes {
                let _ = writeln!(text, "- {}", note.trim());
            }
        }
        if !self.inputs.is_empty() {
            text.push_str("\n# Inputs\n\nThese were particular to the recorded work; take what is asked for instead:\n\n");
            for (at, input) in self.inputs.iter().enumerate() {
                let name = arguments::name(at, self.inputs.len());
                let is_used = self.steps.iter().any(|step| step.action.contains(&name));
                let was = if is_used { format!("`{name}`: it was ") } else { String::new() };
                let _ = writeln!(text, "- {was}{}", code(input));
            }
        }
        if !self.when.not_for.is_empty() {
            text.push_str("\n# Not for\n\n");
            for not in &self.when.not_for {
                let _ = writeln!(text, "- {}", not.trim());
            }
        }
        text
    }

    /// The text of the skill.
    pub fn text(&self) -> Result<String, NotASkill> {
        let wrong = |error: &dyn std::fmt::Display| NotASkill(error.to_string());
        let slug = Slug::new(&self.name).map_err(|error| wrong(&error))?;
        let edit = |error: hone_skill::EditError| wrong(&error);
        let front = self.frontmatter.as_deref().unwrap_or_default();
        let text = format!("{front}{}", self.body());
        let mut text = ensure_frontmatter(&text, &slug, &self.name, FIRST_VERSION).map_err(edit)?;
        // What says the same in a person's way of writing stays as it is.
        let there = read(text.as_bytes(), None).skill;
        let there = there.as_ref();
        if there.is_none_or(|skill| skill.description != self.description()) {
            text =
                set_field(&text, Field::Top("description"), &self.description()).map_err(edit)?;
        }
        let tools: Vec<&str> = self.allowed().collect();
        let is_allowed = there.is_some_and(|skill| {
            let same = |tool: &String| tools.contains(&tool.as_str());
            skill.allowed_tools.len() == tools.len() && skill.allowed_tools.iter().all(same)
        });
        if tools.is_empty() {
            text = without_field(&text, "allowed-tools");
        } else if !is_allowed {
            text = set_field(&text, Field::Top("allowed-tools"), &tools.join(" ")).map_err(edit)?;
        }
        match self.context {
            Context::Fork if !there.is_some_and(is_fork) => {
                text = set_field(&text, Field::Top("context"), "fork").map_err(edit)?;
            }
            Context::Inline if there.is_some_and(is_fork) => text = without_field(&text, "context"),
            _ => {}
        }
        let reading = read(text.as_bytes(), Some(slug.as_str()));
        match write_problems(&reading).first() {
            Some(problem) => Err(NotASkill(format!("line {}: {}", problem.line, problem.message))),
            None => Ok(text),
        }
    }

    /// The messages that should, and should not, call it.
    pub fn suite(&self) -> Suite {
        let yes = self.when.examples.iter().map(|query| (query, true));
        let no = self.when.not_for.iter().map(|query| (query, false));
        let cases = yes
            .chain(no)
            .map(|(query, should_trigger)| Case { query: query.trim().to_owned(), should_trigger });
        Suite { cases: cases.collect(), left_out: None }
    }
}

fn is_fork(skill: &hone_skill::Skill) -> bool {
    skill.get("context").and_then(|value| value.text()) == Some("fork")
}

/// A text without the lines of a top-level field.
fn without_field(text: &str, key: &str) -> String {
    let Some(front) = hone_skill::frontmatter(text) else { return text.to_owned() };
    let mut is_inside = false;
    let mut kept = String::with_capacity(front.len());
    for line in front.split_inclusive('\n') {
        let goes_on = line.starts_with([' ', '\t']) || line.starts_with("- ");
        is_inside = if is_inside && goes_on {
            true
        } else {
            let name = line.split_once(':').map_or("", |(name, _)| name);
            name.trim_end().trim_matches(['"', '\'']) == key
        };
        if !is_inside {
            kept.push_str(line);
        }
    }
    text.replacen(front, &kept, 1)
}

/// The draft as a person edited its text: what is in the text counts.
pub fn taken_from(draft: &Draft, text: &str) -> Result<Draft, NotASkill> {
    let reading = read(text.as_bytes(), None);
    let Some(skill) = reading.skill else {
        let why = reading.diagnostics.first().map_or("it cannot be read", |first| &first.message);
        return Err(NotASkill(why.to_owned()));
    };
    let name = Slug::new(&skill.name).map_err(|error| NotASkill(error.to_string()))?;
    let allowed = skill.allowed_tools.clone();
    if let Some(error) = Permissions::new(&allowed).errors.first() {
        return Err(NotASkill(error.to_string()));
    }
    let mut edited = draft.clone();
    name.as_str().clone_into(&mut edited.name);
    if skill.description != draft.description() {
        edited.description = Some(skill.description.clone());
    }
    let (front, body) = text.split_at(skill.body.start);
    if body != draft.body() {
        edited.body = Some(body.to_owned());
    }
    if !draft.text().is_ok_and(|old| old.starts_with(front)) {
        edited.frontmatter = Some(front.to_owned());
    }
    for tool in &mut edited.tools {
        tool.chosen = allowed.contains(&tool.permission);
    }
    for permission in allowed {
        if !edited.tools.iter().any(|tool| tool.permission == permission) {
            edited.tools.push(Tool { permission, count: 0, chosen: true, why: None });
        }
    }
    edited.context = if is_fork(&skill) { Context::Fork } else { Context::Inline };
    edited.text()?;
    Ok(edited)
}

#[cfg(test)]
mod tests {
    use super::without_field;

    #[test]
    fn a_field_goes_with_its_lines_however_its_key_is_quoted() {
        for key in ["allowed-tools:", "allowed-tools :", "\"allowed-tools\":", "'allowed-tools':"] {
            for value in [" Bash(a:*)\n", "\n  - Bash(a:*)\n", "\n- Bash(a:*)\n"] {
                let text =
                    format!("---\nname: a\n{key}{value}license: MIT\n---\nallowed-tools: b\n");
                let left = "---\nname: a\nlicense: MIT\n---\nallowed-tools: b\n";
                assert_eq!(without_field(&text, "allowed-tools"), left, "{text}");
            }
        }
    }
}

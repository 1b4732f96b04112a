//! Answers that fit become part of the draft; whatever does not is refused whole.

use hone_skill::{Permission, Slug};

use super::{MAX_ANSWER_CHARS, MAX_ANSWERED_STEPS, MAX_ANSWERED_TOOLS, What, WrongAnswer};
use crate::draft::{Draft, MAX_MESSAGES, Step, Tool, When};

fn checked(what: &'static str, text: &str) -> Result<(), WrongAnswer> {
    if text.chars().count() > MAX_ANSWER_CHARS {
        return Err(WrongAnswer::TooMuch { what, most: MAX_ANSWER_CHARS });
    }
    Ok(())
}

fn checked_messages(messages: &[String]) -> Result<(), WrongAnswer> {
    if messages.len() > MAX_MESSAGES {
        return Err(WrongAnswer::TooMuch { what: "messages of one kind", most: MAX_MESSAGES });
    }
    for text in messages {
        checked("characters of a message", text)?;
        if text.trim().is_empty() {
            return Err(WrongAnswer::Missing("a message is empty"));
        }
    }
    Ok(())
}

pub(super) fn take_what(draft: &mut Draft, what: What) -> Result<(), WrongAnswer> {
    let mut has_sentence = false;
    if let Some(sentence) = what.what {
        checked("characters of the sentence", &sentence)?;
        if sentence.trim().is_empty() {
            return Err(WrongAnswer::Missing("a sentence says what it does; this one is empty"));
        }
        // The default comes back where something else is answered: a description stays as it was edited.
        if sentence.trim() != draft.sentence().trim() {
            sentence.trim().clone_into(&mut draft.what);
            draft.description = None;
            has_sentence = true;
        }
    }
    if let Some(name) = &what.name {
        let slug =
            Slug::new(name).map_err(|_| WrongAnswer::Missing("a name has a letter or a digit"))?;
        slug.as_str().clone_into(&mut draft.name);
    } else if has_sentence {
        draft.name = draft.name_of_what();
    }
    if let Some(notes) = what.notes {
        checked_messages(&notes)?;
        if notes != draft.notes {
            unedited(draft)?;
            draft.notes = notes;
        }
    }
    if let Some(steps) = what.steps {
        if steps.len() > MAX_ANSWERED_STEPS {
            return Err(WrongAnswer::TooMuch { what: "steps", most: MAX_ANSWERED_STEPS });
        }
        for step in &steps {
            checked("characters of a step", &step.action)?;
            checked("characters of a step", &step.done)?;
            if step.action.trim().is_empty() || step.done.trim().is_empty() {
                return Err(WrongAnswer::Missing(
                    "every step says what to do and what shows that it is done",
                ));
            }
        }
        if steps != draft.steps {
            unedited(draft)?;
            take_steps(draft, steps)?;
        }
    }
    Ok(())
}

/// Whether the text below the frontmatter is still what the questions made: an answer that would change it
/// must not throw away what a person wrote.
fn unedited(draft: &Draft) -> Result<(), WrongAnswer> {
    draft.body.is_none().then_some(()).ok_or(WrongAnswer::Edited("text"))
}

/// Other steps. Where some of those that are there go, what only they needed goes with them.
fn take_steps(draft: &mut Draft, steps: Vec<Step>) -> Result<(), WrongAnswer> {
    if steps.is_empty() {
        return Err(WrongAnswer::Missing("a skill needs a step: at least one has to stay"));
    }
    draft.left_out = 0;
    let mut rest = steps.iter().peekable();
    let is_kept: Vec<bool> =
        draft.steps.iter().map(|old| rest.next_if(|new| *new == old).is_some()).collect();
    if rest.peek().is_none() {
        draft.keep_steps(&is_kept);
    } else {
        (draft.steps, draft.needs) = (steps, Vec::new());
    }
    Ok(())
}

pub(super) fn take_when(draft: &mut Draft, when: When) -> Result<(), WrongAnswer> {
    for list in [&when.phrases, &when.examples, &when.not_for] {
        checked_messages(list)?;
    }
    // What is asked for stands in the description alone; messages are examples as well.
    if when.phrases != draft.when.phrases && draft.description.is_some() {
        return Err(WrongAnswer::Edited("description"));
    }
    draft.when = when;
    Ok(())
}

pub(super) fn take_tools(draft: &mut Draft, tools: Vec<String>) -> Result<(), WrongAnswer> {
    if tools.len() > MAX_ANSWERED_TOOLS {
        return Err(WrongAnswer::TooMuch { what: "permissions", most: MAX_ANSWERED_TOOLS });
    }
    for tool in &tools {
        Permission::parse(tool).map_err(|error| WrongAnswer::Permission(error.to_string()))?;
    }
    for tool in &mut draft.tools {
        tool.chosen = tools.contains(&tool.permission);
    }
    for permission in tools {
        if !draft.tools.iter().any(|tool| tool.permission == permission) {
            draft.tools.push(Tool { permission, count: 0, chosen: true, why: None });
        }
    }
    Ok(())
}

//! The four questions on a terminal: each is shown with its default, Enter goes on, and what is typed
//! changes what is shown. Nothing is written before the last one is answered.

use std::fmt::Write as _;
use std::io::{self, BufRead as _};

use hone_learn::draft::{Context as Runs, lead};
use hone_learn::wizard::{Answer, Question, ROUNDS, What, Where, Wizard};
use hone_skill::Slug;

use crate::commands::editor::{edited, keep};
use crate::context::Context;
use crate::output::{Failure, say, say_rendered};
use crate::terminal::{hung, printable, printable_line, stderr_columns};

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    /// Every question is answered.
    Answered,
    /// The person does not want it.
    Cancelled,
}

/// Asks until every question is answered, or the person cancels.
pub(super) fn ask(context: &Context, wizard: &mut Wizard) -> Result<Asked, Failure> {
    let mut is_shown = false;
    while let Some(question) = wizard.question() {
        if !is_shown {
            say_rendered(&shown(context, wizard, &question));
        }
        is_shown = false;
        let Some(typed) = line("> ")? else { return Ok(Asked::Cancelled) };
        match typed.trim() {
            // Who agrees goes on, and does not call the skill `yes`.
            "" | "y" | "yes" | "ok" | "okay" => {
                if let Err(error) = wizard.answer(Answer::Keep) {
                    say(&error.to_string());
                    is_shown = true;
                }
            }
            "quit" | "q" => return Ok(Asked::Cancelled),
            "back" | "b" => {
                if !wizard.back() {
                    say("this is the first question");
                    is_shown = true;
                }
            }
            "edit" | "e" => edit(context, wizard),
            "show" | "s" => {
                let text = wizard.draft().text().unwrap_or_else(|error| error.to_string());
                say_rendered(&printable(&text));
                is_shown = true;
            }
            "help" | "h" | "?" | "n" | "no" => {
                say(help(&question));
                is_shown = true;
            }
            typed => {
                let changed = understood(wizard, &question, typed)
                    .and_then(|answer| wizard.change(answer).map_err(|error| error.to_string()));
                if let Err(message) = changed {
                    say(&message);
                    is_shown = true;
                }
            }
        }
    }
    Ok(Asked::Answered)
}

/// Asks for a yes; anything else is a no.
pub(super) fn agrees(question: &str) -> Result<bool, Failure> {
    let answer = line(&format!("{question} [y]es, [n]o: "))?;
    Ok(matches!(answer.as_deref().map(str::trim), Some("y" | "yes")))
}

/// A line that a person types; none at the end of the input.
fn line(prompt: &str) -> Result<Option<String>, Failure> {
    say_rendered(prompt);
    let mut text = String::new();
    let read = io::stdin().lock().read_line(&mut text).map_err(|error| {
        Failure::failed(format!("could not read from the terminal: {error}"), "")
    })?;
    if read == 0 {
        say("");
        return Ok(None);
    }
    Ok(Some(text))
}

/// The whole text in the person's editor; what cannot be used is said, and kept.
fn edit(context: &Context, wizard: &mut Wizard) {
    let draft = wizard.draft();
    let slug = Slug::new(&draft.name).map_err(|error| Failure::no(error.to_string(), ""));
    let edited = slug.and_then(|slug| {
        let text = draft.text().map_err(|error| Failure::no(error.to_string(), ""))?;
        edited(context, &slug, &text).map(|text| (slug, text))
    });
    match edited {
        Err(failure) => say(&failure.to_string()),
        Ok((slug, text)) => {
            if let Err(error) = wizard.change(Answer::Text(text.clone())) {
                say(&error.to_string());
                if let Some(path) = keep(context, &slug, text.as_bytes()) {
                    say(&format!("your text is kept in `{}`", context.shown(&path)));
                }
            }
        }
    }
}

/// What a typed line means as an answer to a question.
fn understood(wizard: &Wizard, question: &Question, typed: &str) -> Result<Answer, String> {
    let words: &[&str] = match question {
        Question::What { .. } => &["name", "drop"],
        Question::When { .. } => &["not", "asked", "drop"],
        Question::Tools { .. } | Question::Where { .. } => &[],
    };
    if words.contains(&typed) {
        return Err(format!("`{typed}` needs something behind it"));
    }
    match question {
        Question::What { default, .. } => what(default, typed),
        Question::When { default, .. } => {
            let mut when = default.clone();
            let (list, text) = match typed.split_once(' ') {
                Some(("not", text)) => (&mut when.not_for, text),
                Some(("asked", text)) => (&mut when.phrases, text),
                Some(("drop", numbers)) => {
                    let all = [&mut when.phrases, &mut when.examples, &mut when.not_for];
                    drop_numbered(all, numbers)?;
                    return Ok(Answer::When(when));
                }
                _ => (&mut when.examples, typed),
            };
            list.push(text.trim().to_owned());
            Ok(Answer::When(when))
        }
        Question::Tools { choices, default, .. } => {
            let all = choices.iter().map(|tool| tool.permission.clone());
            match typed {
                "all" => return Ok(Answer::Tools(all.collect())),
                "none" => return Ok(Answer::Tools(Vec::new())),
                typed if typed.starts_with(|c: char| c.is_ascii_alphabetic()) => {
                    let mut tools = default.clone();
                    tools.push(typed.to_owned());
                    return Ok(Answer::Tools(tools));
                }
                _ => {}
            }
            let switched = numbers(typed, choices.len())?;
            let is_chosen = |at: usize| choices[at].chosen != switched.contains(&at);
            let chosen = (0..choices.len()).filter(|at| is_chosen(*at));
            Ok(Answer::Tools(chosen.map(|at| choices[at].permission.clone()).collect()))
        }
        Question::Where { .. } => {
            let ways = ways(wizard);
            let &[at] = numbers(typed, ways.len())?.as_slice() else {
                return Err("one number, please".to_owned());
            };
            Ok(Answer::Where(ways[at].clone()))
        }
    }
}

fn what(default: &What, typed: &str) -> Result<Answer, String> {
    let keep = What { name: default.name.clone(), what: None, steps: None, notes: None };
    Ok(Answer::What(match typed.split_once(' ') {
        Some(("name", name)) => What { name: Some(name.trim().to_owned()), ..keep },
        Some(("drop", numbers)) => {
            let mut steps = default.steps.clone().unwrap_or_default();
            drop_numbered([&mut steps], numbers)?;
            What { steps: Some(steps), ..keep }
        }
        _ => What { name: None, what: Some(typed.to_owned()), steps: None, notes: None },
    }))
}

/// Takes out what has these numbers, counted through all the lists.
fn drop_numbered<T, const N: usize>(lists: [&mut Vec<T>; N], typed: &str) -> Result<(), String> {
    let all = lists.iter().map(|list| list.len()).sum();
    let numbers = numbers(typed, all)?;
    let mut at = 0;
    for list in lists {
        list.retain(|_| {
            at += 1;
            !numbers.contains(&(at - 1))
        });
    }
    Ok(())
}

/// Numbers from 1 as places from 0.
fn numbers(typed: &str, most: usize) -> Result<Vec<usize>, String> {
    let words = typed.split([' ', ',']).filter(|word| !word.is_empty());
    words
        .map(|word| {
            let number = word.parse::<usize>().ok().filter(|number| (1..=most).contains(number));
            number.map(|number| number - 1).ok_or_else(|| match most {
                0 => "there is nothing to choose".to_owned(),
                1 => format!("`{word}` is not 1, the only one"),
                _ => format!("`{word}` is no number from 1 to {most}"),
            })
        })
        .collect()
}

/// Every way to run it in every place.
fn ways(wizard: &Wizard) -> Vec<Where> {
    let of = |context: Runs| {
        wizard.places().iter().map(move |place| Where { context, place: Some(place.id.clone()) })
    };
    of(Runs::Inline).chain(of(Runs::Fork)).collect()
}

/// A question with its default, and what can be typed, as wide as the terminal that it is asked on.
fn shown(context: &Context, wizard: &Wizard, question: &Question) -> String {
    let columns = stderr_columns();
    let mut text = String::new();
    let mut put = |lead: &str, rest: &str| {
        let _ = writeln!(text, "{}", hung(lead, rest, columns));
    };
    put("", "");
    let round = format!("{} of {ROUNDS}  ", wizard.round());
    match question {
        Question::What { ask, .. } => {
            put(&round, ask);
            put_what(wizard, &mut put);
        }
        Question::When { ask, default } => {
            put(&round, ask);
            let mut number = 0;
            let lists = [&default.phrases, &default.examples, &default.not_for];
            for (of, list) in lists.into_iter().enumerate() {
                for item in list {
                    number += 1;
                    let label = [lead(item), "for example", "not for"][of];
                    put(&format!("  {number:>2}  {label:<13}  "), &printable_line(item));
                }
            }
            if wizard.draft().is_described() {
                put("  ", "The description is as you edited it; a message is kept as an example.");
            }
        }
        Question::Tools { ask, choices, .. } => {
            put(&round, ask);
            if choices.is_empty() {
                put("  ", "no tool that worked was found");
            }
            for (at, tool) in choices.iter().enumerate() {
                let mark = if tool.chosen { 'x' } else { ' ' };
                let why = tool.why.as_deref().map(|why| format!("  ({why})")).unwrap_or_default();
                let permission = printable_line(&tool.permission);
                put(&format!("  [{mark}] {:>2}  ", at + 1), &format!("{permission}{why}"));
            }
        }
        Question::Where { ask, default, .. } => {
            put(&round, ask);
            for (at, way) in ways(wizard).iter().enumerate() {
                let mark = if way == default { '>' } else { ' ' };
                let how = match way.context {
                    Runs::Inline => "in the conversation",
                    Runs::Fork => "apart from it",
                };
                let place =
                    wizard.places().iter().find(|place| way.place.as_ref() == Some(&place.id));
                let path = place.map(|place| context.shown(&place.path)).unwrap_or_default();
                let lead = format!("  {mark} {:>2}  ", at + 1);
                put(&lead, &format!("{how}, in {}", printable_line(&path)));
            }
        }
    }
    put("", help(question));
    text
}

fn put_what(wizard: &Wizard, put: &mut dyn FnMut(&str, &str)) {
    let draft = wizard.draft();
    let next = if wizard.refines().is_some() { " (its next version)" } else { "" };
    put("  name  ", &format!("{}{next}", printable_line(&draft.name)));
    put("  what  ", &printable_line(draft.sentence()));
    if let Some(text) = draft.edited() {
        // What was edited counts, and is shown as it is.
        text.lines().for_each(|line| put("    ", &printable_line(line)));
        return;
    }
    for (at, step) in draft.steps.iter().enumerate() {
        put(&format!("  {:>2}. ", at + 1), &printable_line(&step.action));
        put("      ", &format!("done when {}", printable_line(&step.done)));
    }
    for note in &draft.notes {
        put("  mind  ", &printable_line(note));
    }
    if draft.steps.is_empty() {
        put("  ", "no step that worked was found; type `edit` to write them");
    }
}

/// What can be typed.
fn help(question: &Question) -> &'static str {
    match question {
        Question::What { .. } => {
            "Enter: go on. Or: a sentence · name NEW · drop 2 · edit · show · quit"
        }
        Question::When { .. } => {
            "Enter: go on. Or: another message · not … · asked … · drop 1 · edit · back · quit"
        }
        Question::Tools { .. } => {
            "Enter: go on. Or: numbers to switch · all · none · Bash(x y:*) · edit · back · quit"
        }
        Question::Where { .. } => "Enter: save. Or: a number · edit · show · back · quit",
    }
}

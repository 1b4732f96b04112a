//! `hone list` and `hone prompt`.

use std::process::ExitCode;

use hone_library::{Catalogue, Client, Listed, Skipped, level0};

use crate::context::Context;
use crate::json;
use crate::output::{Outcome, print, print_json, say};
use crate::terminal::{columns, fit, printable_line, stdout_is_terminal};

/// Widest column for names on a terminal.
const NAME_COLUMNS: usize = 32;

pub(crate) fn list(
    context: &Context,
    query: &[String],
    all: bool,
    client: Option<Client>,
    as_json: bool,
) -> Outcome {
    let (mut catalogue, view) = match client {
        None => (context.catalogue()?, None),
        Some(client) => {
            let roots = context.explicit_roots()?.filter(|roots| !roots.is_empty());
            let view = client.view(&context.around, roots, &context.state);
            context.tell_notes();
            (Catalogue::default(), Some(view))
        }
    };
    if let Some(mut view) = view {
        let keep: Vec<bool> =
            view.catalogue.skills.iter().map(|skill| matches(skill, query)).collect();
        let mut kept = keep.iter();
        view.catalogue.skills.retain(|_| *kept.next().unwrap_or(&true));
        let mut kept = keep.iter();
        view.shown.retain(|_| *kept.next().unwrap_or(&true));
        view.catalogue.skipped.retain(|skipped| skipped_matches(skipped, query));
        if as_json {
            let client = json::ClientInfo::of(&view);
            return print_json(&json::list(view.catalogue, view.shown, Some(client)));
        }
        let cut = view.shown.iter().filter(|(shown, _)| shown.id() != "full").count();
        if cut > 0
            && let Some((budget, unit)) = view.budget
        {
            say(&format!(
                "note: {} shows {cut} of these without their whole description (budget: {budget} {unit})",
                view.client.id()
            ));
        }
        return show(context, &view.catalogue, query, all);
    }
    catalogue.skills.retain(|skill| matches(skill, query));
    catalogue.skipped.retain(|skipped| skipped_matches(skipped, query));
    if as_json {
        return print_json(&json::list(catalogue, Vec::new(), None));
    }
    show(context, &catalogue, query, all)
}

/// Every word occurs in the name or the description, whatever its case.
fn matches(skill: &Listed, query: &[String]) -> bool {
    if query.is_empty() {
        return true;
    }
    let text = format!("{} {}", skill.summary.name, skill.summary.description).to_lowercase();
    query
        .iter()
        .flat_map(|words| words.split_whitespace())
        .all(|word| text.contains(&word.to_lowercase()))
}

fn skipped_matches(skipped: &Skipped, query: &[String]) -> bool {
    match &skipped.skill {
        Some(skill) => matches(skill, query),
        None => {
            let path = skipped.path.to_string_lossy().to_lowercase();
            query
                .iter()
                .flat_map(|words| words.split_whitespace())
                .all(|word| path.contains(&word.to_lowercase()))
        }
    }
}

fn show(context: &Context, catalogue: &Catalogue, query: &[String], all: bool) -> Outcome {
    let mut text = lines(&catalogue.skills);
    if all && !catalogue.skipped.is_empty() {
        text.push_str(&format!("\nSkipped ({}):\n", catalogue.skipped.len()));
        for skipped in &catalogue.skipped {
            text.push_str(&format!(
                "  {} [{}] {}\n",
                printable_line(&context.shown(&skipped.path)),
                skipped.reason.id(),
                printable_line(&skipped.message),
            ));
        }
    }
    print(&text)?;
    if catalogue.skills.is_empty() {
        let what = if query.is_empty() { "there are no skills here" } else { "no skill matches" };
        say(&format!("{what}; `hone new NAME` creates one"));
    }
    if !all && !catalogue.skipped.is_empty() {
        say(&format!(
            "{} skipped: {} (`hone list --all` says why)",
            catalogue.skipped.len(),
            counts(&catalogue.skipped)
        ));
    }
    // Nothing found is an answer to a question; an empty library is not.
    let nothing = catalogue.skills.is_empty() && !query.is_empty();
    Ok(if nothing { ExitCode::from(crate::output::NO) } else { ExitCode::SUCCESS })
}

/// `2 broken, 1 shadowed`.
pub(crate) fn counts(skipped: &[Skipped]) -> String {
    let mut reasons: Vec<&str> = skipped.iter().map(|skipped| skipped.reason.id()).collect();
    reasons.sort_unstable();
    let groups = reasons.chunk_by(|a, b| a == b);
    groups.map(|group| format!("{} {}", group.len(), group[0])).collect::<Vec<_>>().join(", ")
}

/// One line a skill: cut to the terminal's width there, whole in a pipe.
pub(crate) fn lines(skills: &[Listed]) -> String {
    let widest =
        skills.iter().map(|skill| width(&skill.summary.name)).max().unwrap_or(0).min(NAME_COLUMNS);
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let mut text = String::new();
    for skill in skills {
        let name = printable_line(&skill.summary.name);
        let padding = " ".repeat(widest.saturating_sub(width(&name)));
        let scope = format!("{:8}", skill.scope.id());
        let line =
            format!("{name}{padding}  {scope} {}", printable_line(&skill.summary.description));
        text.push_str(fit(&line, room).trim_end());
        text.push('\n');
    }
    text
}

fn width(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

pub(crate) fn prompt(context: &Context, budget: Option<usize>, as_json: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    let budget = budget.unwrap_or(context.config.prompt.budget);
    let index = level0(&catalogue.skills, budget);
    if as_json {
        return print_json(&json::Prompt::from(index));
    }
    if !index.named.is_empty() || !index.left_out.is_empty() {
        say(&format!(
            "note: {} with description, {} by name, {} left out (budget: {} tokens)",
            index.full.len(),
            index.named.len(),
            index.left_out.len(),
            index.budget
        ));
    }
    print(&index.text)
}

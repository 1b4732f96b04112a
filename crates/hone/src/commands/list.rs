//! `hone list`.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use hone_library::usage::iso;
use hone_library::{
    ARCHIVED, Catalogue, Client, Listed, Reason, Skipped, archived, canonical_or_same,
};
use unicode_width::UnicodeWidthStr;

use crate::context::Context;
use crate::json;
use crate::output::{Failure, NO, Outcome, print, print_json, say};
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
    let Some(client) = client else {
        let mut catalogue = context.catalogue()?;
        context.tell_problem();
        if all {
            add_archived(context, &mut catalogue)?;
        }
        catalogue.skills.retain(|skill| matches(skill, query));
        catalogue.skipped.retain(|skipped| skipped_matches(skipped, query));
        let found = found(&catalogue, query);
        if as_json {
            return print_json(&json::list(catalogue, Vec::new(), None)).map(|_| found);
        }
        return show(context, &catalogue, query, all, None).map(|_| found);
    };
    if context.places.depth.is_some() {
        say("note: `--depth` does not count with `--client`: each client has its own");
    }
    let roots = context.explicit_roots()?.filter(|roots| !roots.is_empty());
    let mut view = client.view(&context.around, roots, &context.state);
    context.tell_notes();
    let keep: Vec<bool> = view.catalogue.skills.iter().map(|skill| matches(skill, query)).collect();
    let mut kept = keep.iter();
    view.catalogue.skills.retain(|_| *kept.next().unwrap_or(&true));
    let mut kept = keep.iter();
    view.shown.retain(|_| *kept.next().unwrap_or(&true));
    view.catalogue.skipped.retain(|skipped| skipped_matches(skipped, query));
    let found = found(&view.catalogue, query);
    if as_json {
        let client = json::ClientInfo::of(&view);
        return print_json(&json::list(view.catalogue, view.shown, Some(client))).map(|_| found);
    }
    let cut = view.shown.iter().filter(|(shown, _)| shown.id() != "full").count();
    if cut > 0
        && let Some((budget, unit)) = view.budget
    {
        say(&format!(
            "note: {} shows {cut} of these without their whole description (budget: {budget} {unit})",
            client.id()
        ));
    }
    show(context, &view.catalogue, query, all, Some(client)).map(|_| found)
}

/// Adds what was put into the archive from the roots that were looked at.
fn add_archived(context: &Context, catalogue: &mut Catalogue) -> Result<(), Failure> {
    let roots: Vec<PathBuf> =
        catalogue.roots.iter().map(|root| canonical_or_same(&root.path)).collect();
    for one in archived(&context.state)? {
        if !roots.iter().any(|root| one.key.starts_with(root)) {
            continue;
        }
        let why =
            one.reason.strip_prefix(ARCHIVED).unwrap_or_default().trim_start_matches([':', ' ']);
        let why = if why.is_empty() { String::new() } else { format!(": {why}") };
        catalogue.skipped.push(Skipped {
            message: format!(
                "since {}{why}; `hone restore {}` brings it back",
                iso(one.at).get(..10).unwrap_or_default(),
                one.name
            ),
            path: one.key,
            reason: Reason::Archived,
            skill: None,
            notes: Vec::new(),
        });
    }
    catalogue.skipped.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(())
}

/// Nothing found is an answer to a question; an empty library is not.
fn found(catalogue: &Catalogue, query: &[String]) -> ExitCode {
    let nothing = catalogue.skills.is_empty() && !query.is_empty();
    if nothing { ExitCode::from(NO) } else { ExitCode::SUCCESS }
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
    if let Some(skill) = &skipped.skill {
        return matches(skill, query);
    }
    let path = skipped.path.to_string_lossy().to_lowercase();
    let mut words = query.iter().flat_map(|words| words.split_whitespace());
    words.all(|word| path.contains(&word.to_lowercase()))
}

fn show(
    context: &Context,
    catalogue: &Catalogue,
    query: &[String],
    all: bool,
    client: Option<Client>,
) -> Outcome {
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let mut text = lines(&catalogue.skills, room);
    if all && !catalogue.skipped.is_empty() {
        let start = if text.is_empty() { "" } else { "\n" };
        let _ = writeln!(text, "{start}Skipped ({}):", catalogue.skipped.len());
        for skipped in &catalogue.skipped {
            let _ = writeln!(
                text,
                "  {} [{}] {}",
                printable_line(&context.shown(&skipped.path)),
                skipped.reason.id(),
                printable_line(&context.shortened(&skipped.message)),
            );
        }
    }
    print(&text)?;
    if catalogue.skills.is_empty() {
        say(&match (query, client) {
            ([_, ..], _) => {
                format!("no skill matches `{}`; `hone list` shows all", query.join(" "))
            }
            ([], Some(client)) => format!("{} sees no skill here", client.id()),
            ([], None) if !catalogue.skipped.is_empty() => "no skill is offered here".to_owned(),
            ([], None) => "there are no skills here; `hone new NAME` creates one".to_owned(),
        });
    }
    if !all && !catalogue.skipped.is_empty() {
        say(&format!(
            "{} skipped: {} (`hone list --all` says why)",
            catalogue.skipped.len(),
            counts(&catalogue.skipped)
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// `2 broken, 1 shadowed`.
pub(crate) fn counts(skipped: &[Skipped]) -> String {
    let mut reasons: Vec<&str> = skipped.iter().map(|skipped| skipped.reason.id()).collect();
    reasons.sort_unstable();
    let groups = reasons.chunk_by(|a, b| a == b);
    groups.map(|group| format!("{} {}", group.len(), group[0])).collect::<Vec<_>>().join(", ")
}

/// One line a skill, cut to so many columns; `usize::MAX` cuts nothing.
pub(crate) fn lines(skills: &[Listed], room: usize) -> String {
    let most = if room == usize::MAX { room } else { NAME_COLUMNS.min(room / 2) };
    let names: Vec<Cow<'_, str>> =
        skills.iter().map(|skill| printable_line(&skill.summary.name)).collect();
    let widest = names.iter().map(|name| name.width()).max().unwrap_or(0);
    let widest = widest.min(NAME_COLUMNS).min(most);
    let mut text = String::new();
    for (skill, name) in skills.iter().zip(&names) {
        let name = fit(name, most);
        let padding = " ".repeat(widest.saturating_sub(name.width()));
        let scope = skill.scope.id();
        let description = printable_line(&skill.summary.description);
        let line = format!("{name}{padding}  {scope:8} {description}");
        text.push_str(fit(&line, room).trim_end());
        text.push('\n');
    }
    text
}

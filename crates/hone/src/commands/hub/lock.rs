//! Commands about the lock file: `remove`, `outdated`, `install`, `verify`.

use std::fmt::Write as _;

use hone_hub::{
    Difference, Edits, Fate, Freshness, Manner, Outdated, Restored, Standing, Verified,
};

use hone_library::{Project, canonical_or_same};

use super::super::change::tell_untrusted;
use super::add::{dismissals, new_in_project};
use super::{Desk, code, edits, shown};
use crate::cli::{Install, Network, Whose};
use crate::context::Context;
use crate::json::hub::{
    InstallReport, OutdatedReport, OutdatedSkill, Removal, Removals, VerifiedFile, VerifiedSkill,
    VerifyReport,
};
use crate::json::text;
use crate::output::{Outcome, count, print, print_json, quoted, say};
use crate::terminal::{printable_line, style};

/// What another tool keeps for a project, beside its files.
const FOREIGN_PROJECT_LOCK: &str = "skills-lock.json";

pub(super) fn remove(
    context: &Context,
    names: &[String],
    whose: Whose,
    edits: Edits,
    as_json: bool,
) -> Outcome {
    let desk = Desk::open(context, whose, Network::default())?;
    let removed = desk.act(false, |hub, ask| hub.remove(&desk.target, names, edits, ask))?;
    if as_json {
        let removed = removed
            .into_iter()
            .map(|one| Removal {
                path: text(&one.path),
                was_there: one.was_there,
                unshared: one.unshared.iter().map(|path| text(path)).collect(),
                name: one.entry.name,
                source: one.entry.source,
            })
            .collect();
        return print_json(&Removals { removed });
    }
    let mut page = String::new();
    for one in &removed {
        let (name, path) = (printable_line(&one.entry.name), context.shown(&one.path));
        let _ = writeln!(page, "removed  {name}  {}", printable_line(&path));
        for path in &one.unshared {
            let _ = writeln!(page, "  and {}", printable_line(&context.shown(path)));
        }
        if !one.was_there {
            let _ = writeln!(page, "  its files were gone already");
        }
    }
    print(&page)
}

pub(super) fn outdated(found: &[Outdated], as_json: bool) -> Outcome {
    let is_good = found.iter().all(|one| one.freshness == Freshness::Current);
    let word = |freshness: &Freshness| match freshness {
        Freshness::Current => "current",
        Freshness::Outdated => "outdated",
        Freshness::Gone => "gone",
        Freshness::Unknown(_) => "unknown",
    };
    if as_json {
        let skills = found
            .iter()
            .map(|one| OutdatedSkill {
                name: one.name.clone(),
                root: one.root.clone(),
                source: one.source.clone(),
                freshness: word(&one.freshness),
                installed: one.installed.clone(),
                newest: one.newest.clone(),
                files: one.files.clone(),
                why: match &one.freshness {
                    Freshness::Unknown(why) => Some(why.clone()),
                    _ => None,
                },
            })
            .collect();
        print_json(&OutdatedReport { skills })?;
        return Ok(code(is_good));
    }
    let mut page = String::new();
    let short = |pin: &Option<String>| match pin {
        Some(pin) => pin.chars().take(10).collect::<String>(),
        None => "?".to_owned(),
    };
    for one in found {
        let (word, name) = (word(&one.freshness), printable_line(&one.name));
        let _ = write!(page, "{word:8}  {name}  ({})", printable_line(&one.source));
        match &one.freshness {
            Freshness::Outdated => {
                let (from, to) = (short(&one.installed), short(&one.newest));
                let _ = write!(page, "  {from} → {to}");
                if !one.files.is_empty() {
                    let _ = write!(page, ": {}", printable_line(&one.files.join(", ")));
                }
            }
            Freshness::Unknown(why) => {
                let _ = write!(page, "  {}", printable_line(why));
            }
            Freshness::Current | Freshness::Gone => {}
        }
        page.push('\n');
    }
    print(&page)?;
    if found.is_empty() {
        say("nothing is installed here");
    } else if found.iter().any(|one| one.freshness == Freshness::Outdated) {
        say("hint: `hone update` brings them to what their sources have");
    }
    Ok(code(is_good))
}

pub(super) fn install(context: &Context, install: &Install) -> Outcome {
    let desk = Desk::open(context, whose(context, install), install.network)?;
    let hint = "name the skill with `--skill NAME`";
    let dismiss = dismissals(&install.dismissing, install.skill.as_slice(), hint)?;
    let manner =
        Manner { edits: edits(install.discard_edits), dismiss: &dismiss, ..Manner::default() };
    let is_begun = install.from.is_some() || desk.target.lock.exists();
    let done = desk.act(install.yes, |hub, ask| match &install.from {
        Some(file) => hub.install_from(&desk.target, &context.around.cwd.join(file), &manner, ask),
        None => hub.install(&desk.target, &manner, ask),
    })?;
    let is_blocked = |one: &&hone_hub::Outcome| matches!(one.fate, Fate::Blocked(_));
    let blocked = done.outcomes.iter().find(is_blocked).map(|one| {
        let rule = one.findings.iter().max_by_key(|found| found.severity);
        let rule = rule.map_or("RULE", |found| found.rule.as_str()).to_owned();
        (one.name.clone(), rule)
    });
    let nothing = if is_begun {
        "the lock names no skill".to_owned()
    } else {
        format!("there is no `{}`; `hone add` begins one", context.shown(&desk.target.lock))
    };
    let code = restored(context, done, &nothing, install.json)?;
    if let Some((name, rule)) = blocked.filter(|_| !install.json) {
        let mut again = "hone install".to_owned();
        if let Some(file) = &install.from {
            let _ = write!(again, " --from {}", quoted(&file.to_string_lossy()));
        }
        for (is_given, flag) in [
            (install.whose.project, " --project"),
            (install.whose.user, " --user"),
            (install.network.allow_private, " --allow-private"),
            (install.discard_edits, " --discard-edits"),
        ] {
            again.push_str(if is_given { flag } else { "" });
        }
        say(&format!(
            "hint: a finding that is no danger is set aside with `{again} --skill {} --dismiss {} --reason WHY`",
            quoted(&name),
            quoted(&rule),
        ));
    }
    Ok(code)
}

/// Whose skills are installed. What another tool keeps for a project is the project's.
fn whose(context: &Context, install: &Install) -> Whose {
    let file = install.from.as_ref().map(|file| context.around.cwd.join(file));
    let is_projects = file.is_some_and(|file| {
        let top = file.parent().map(canonical_or_same);
        let project =
            Project::find(&context.around).map(|project| canonical_or_same(&project.root));
        file.ends_with(FOREIGN_PROJECT_LOCK) && top.is_some() && top == project
    });
    let Whose { project, user, .. } = install.whose;
    Whose { project: project || (is_projects && !user), ..install.whose }
}

/// What was installed; `nothing` is said where that is none.
fn restored(context: &Context, restored: Restored, nothing: &str, as_json: bool) -> Outcome {
    let is_true = restored.is_true();
    let new = new_in_project(context, &restored.outcomes);
    if as_json {
        print_json(&InstallReport {
            is_true,
            skills: restored.outcomes.into_iter().map(shown::arrival).collect(),
            extra: restored.extra.iter().map(verified).collect(),
            notes: restored.notes,
        })?;
        tell_untrusted(context, new);
        return Ok(code(is_true));
    }
    let pages = restored.outcomes.iter().map(|one| shown::outcome(context, one, style()));
    print(&pages.collect::<String>())?;
    for one in &restored.extra {
        say(&format!("`{}` is not in the lock, and stays", context.shown(&one.path)));
    }
    for note in &restored.notes {
        say(&format!("note: {note}"));
    }
    if restored.outcomes.is_empty() {
        say(nothing);
    }
    tell_untrusted(context, new);
    Ok(code(is_true))
}

pub(super) fn verify(context: &Context, names: &[String], whose: Whose, as_json: bool) -> Outcome {
    let desk = Desk::open(context, whose, Network::default())?;
    let found = desk.act(false, |hub, _| hub.verify(&desk.target, names))?;
    let is_true = found.iter().all(|one| matches!(one.standing, Standing::Ok | Standing::Unknown));
    if as_json {
        let skills = found.iter().map(verified).collect();
        print_json(&VerifyReport { lock: text(&desk.target.lock), is_true, skills })?;
        return Ok(code(is_true));
    }
    let mut page = String::new();
    for one in &found {
        let (name, path) = (printable_line(&one.name), context.shown(&one.path));
        let word = standing(one.standing);
        let _ = writeln!(page, "{word:10}  {name}  {}", printable_line(&path));
        if let Some(problem) = &one.problem {
            let _ = writeln!(page, "  {}", printable_line(problem));
        }
        for (file, difference) in &one.files {
            let _ = writeln!(page, "  {}: {}", self::difference(*difference), printable_line(file));
        }
    }
    print(&page)?;
    let locked = found.iter().filter(|one| one.standing != Standing::Unknown).count();
    let shown = context.shown(&desk.target.lock);
    if locked == 0 && !desk.target.lock.exists() {
        say(&format!("nothing is installed: there is no `{shown}`"));
    } else if is_true {
        say(&format!("{} as `{shown}` says", count(locked, "skill")));
    } else if !context.state.intents(&desk.target.lock)?.is_empty() {
        say("hint: a command did not come to its end; `hone install` finishes what it began");
    } else {
        let whose = match (whose.project, whose.user) {
            (true, _) => " --project",
            (_, true) => " --user",
            _ => "",
        };
        let is_edited = |one: &&Verified| one.standing == Standing::Modified;
        say(&match found.iter().find(is_edited) {
            Some(one) => format!(
                "hint: `hone diff {} --locked` shows the edits, `hone install{whose} --discard-edits` gives them up \
                 and makes all as `{shown}` says",
                context.typed(&one.path)
            ),
            None => format!("hint: `hone install{whose}` makes them as `{shown}` says"),
        });
    }
    Ok(code(is_true))
}

fn verified(one: &Verified) -> VerifiedSkill {
    let file = |(file, difference): (&String, &Difference)| VerifiedFile {
        file: file.clone(),
        difference: self::difference(*difference),
    };
    VerifiedSkill {
        name: one.name.clone(),
        path: text(&one.path),
        standing: standing(one.standing),
        files: one.files.iter().map(file).collect(),
        problem: one.problem.clone(),
    }
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Ok => "ok",
        Standing::Modified => "modified",
        Standing::Missing => "missing",
        Standing::Unreadable => "unreadable",
        Standing::Unknown => "unknown",
    }
}

fn difference(difference: Difference) -> &'static str {
    match difference {
        Difference::Modified => "modified",
        Difference::Missing => "missing",
        Difference::Extra => "extra",
    }
}

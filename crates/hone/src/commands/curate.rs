//! `hone curate`, `hone archive` and `hone restore`.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use hone_agent::brain::Brain;
use hone_agent::model::Budget;
use hone_learn::curator::{self, Curating, Wording};
use hone_learn::proposal::{Kind, Proposal, Stage};
use hone_learn::records::{Event, Records};
use hone_library::{
    ARCHIVED, Author, Config, Listed, Reason, Scope, canonical_or_same, with_setting,
};
use hone_skill::Slug;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::agent::{catch_up, models, referenced, runtime};
use super::policy::configured;
use super::review::{failure, records};
use crate::context::{Context, actor, now};
use crate::json::curate::{Curated, CuratedAgent, CuratedLeft, CuratedMerge, CuratedMove};
use crate::output::{Failure, Outcome, count, print, print_json, quoted, say};
use crate::terminal::printable_line;

pub(crate) fn curate(context: &Context, dry_run: bool, no_model: bool, as_json: bool) -> Outcome {
    let home = &context.around.hone_home;
    let records = records(context)?;
    let (referenced, cancelled) = (referenced(context), CancellationToken::new());
    let curating = Curating { referenced: &referenced, now: now(), cancelled: &cancelled };
    let runtime = runtime()?;
    let told = |error: hone_agent::brain::BrainError| failure(error.into());
    let ids = match &context.places.agent {
        Some(id) => vec![id.clone()],
        None => Brain::all(home).map_err(told)?,
    };
    let mut agents = Vec::new();
    for id in ids {
        let brain = Brain::find(home, &id).map_err(told)?;
        let plan = curator::plan_for(&brain, &records, curating).map_err(failure)?;
        if !dry_run {
            runtime.block_on(curator::apply(&brain, &records, &plan, curating)).map_err(failure)?;
        }
        let found = curator::find_merges(&brain, &records, curating.now).map_err(failure)?;
        let merges = found.iter().map(merge).collect();
        let mut proposed = Vec::new();
        if !dry_run {
            let waiting = propose(context, &runtime, &brain, &records, found, no_model)?;
            proposed.extend(waiting.into_iter().map(|merge| merge.id));
            catch_up(context, &id)?;
        }
        let moves = plan.moves.into_iter().map(|moved| CuratedMove {
            name: moved.name,
            to: moved.to.word(),
            why: moved.why,
        });
        let left = plan.left.into_iter().map(|left| CuratedLeft { name: left.name, why: left.why });
        agents.push(CuratedAgent {
            agent: id,
            checked: plan.checked,
            moves: moves.collect(),
            left: left.collect(),
            merges,
            proposed,
        });
    }
    if as_json {
        return print_json(&Curated { done: !dry_run, agents });
    }
    shown(&agents, dry_run)
}

fn merge(proposal: &Proposal) -> CuratedMerge {
    let goes = match &proposal.kind {
        Kind::Merge { absorbs, .. } => absorbs.join(", "),
        Kind::Create | Kind::Refine { .. } => String::new(),
    };
    CuratedMerge { stays: proposal.name.clone(), goes }
}

/// Brings merges through the gate, worded by the model that the agent or the configuration names. A key in
/// the environment alone is no leave to ask one.
fn propose(
    context: &Context,
    runtime: &Runtime,
    brain: &Brain,
    records: &Records,
    found: Vec<Proposal>,
    no_model: bool,
) -> Result<Vec<Proposal>, Failure> {
    let policy = configured(context)?;
    let cancelled = CancellationToken::new();
    let wanted = brain.settings().map_err(|error| failure(error.into()))?.model;
    let settings = &context.config.model;
    let is_named = wanted.is_some() || settings.name.is_some() || settings.base_url.is_some();
    let model = if found.is_empty() || no_model || !is_named {
        None
    } else {
        match runtime.block_on(models::find(context, wanted.as_deref())) {
            Ok(found) => Some(found.model),
            Err(why) => {
                say(&format!("warning: no model words the merge: {why}"));
                None
            }
        }
    };
    let budget = Budget::new(Some(context.config.learn.tokens), None, None)
        .map_err(|error| Failure::failed(error.to_string(), ""))?;
    let wording = model.as_deref().map(|model| {
        say(&format!("asking {} to make one text of twins", model.name()));
        Wording { model, budget: &budget, cancelled: &cancelled }
    });
    let merges = curator::propose_merges(brain, records, &policy, found, wording);
    let proposed = runtime.block_on(merges).map_err(failure)?;
    let usage = budget.spent().usage;
    if let Some(model) = model {
        say(&format!("{}: {} tokens in, {} out", model.name(), usage.input, usage.output));
    }
    Ok(proposed)
}

fn shown(agents: &[CuratedAgent], dry_run: bool) -> Outcome {
    let mut text = String::new();
    for agent in agents {
        for moved in &agent.moves {
            let (name, why) = (printable_line(&moved.name), printable_line(&moved.why));
            let _ = writeln!(text, "{} of {}: {}: {why}", name, agent.agent, moved.to);
        }
        for left in &agent.left {
            let _ = writeln!(
                text,
                "{} of {}: stays: {}",
                printable_line(&left.name),
                agent.agent,
                left.why
            );
        }
        for merge in &agent.merges {
            let (stays, goes) = (printable_line(&merge.stays), printable_line(&merge.goes));
            let _ = writeln!(text, "{stays} of {}: says nearly what {goes} says", agent.agent);
        }
        for id in &agent.proposed {
            let _ = writeln!(text, "a merge waits for you: `hone review show {id}`");
        }
    }
    print(&text)?;
    let checked = count(agents.iter().map(|agent| agent.checked).sum(), "skill");
    let moved = agents.iter().map(|agent| agent.moves.len()).sum::<usize>();
    let end = if dry_run { "; nothing was changed" } else { "" };
    say(&format!("looked at {checked}, {moved} to move{end}"));
    Ok(ExitCode::SUCCESS)
}

fn author(why: &str) -> Author {
    Author { actor: actor(), reason: why.to_owned(), now: now() }
}

pub(crate) fn archive(context: &Context, name: &str, why: &str) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    if skill.scope == Scope::Builtin {
        return suppress(context, &skill.summary.name, why);
    }
    let (records, token) = (records(context)?, CancellationToken::new());
    let home = &context.around.hone_home;
    let done = curator::archive(home, &records, &skill, author(why), &token);
    let change = runtime()?.block_on(done).map_err(failure)?;
    super::hub::tell_shares(context, &change);
    let key = canonical_or_same(skill.key());
    let is_found = context.key_of(&context.catalogue()?, name).is_ok_and(|found| found == key);
    let typed = match &context.places.agent {
        _ if !is_found || !context.places.root.is_empty() => context.typed(&key),
        Some(agent) => format!("{} --agent {agent}", quoted(name)),
        None => quoted(name).into_owned(),
    };
    let place = context.shown(&key);
    say(&format!("`{place}` is in the archive; `hone restore {typed}` brings it back"));
    Ok(ExitCode::SUCCESS)
}

/// Takes a skill that is part of hone out of sight: its name comes into `skills.disabled`, so that it stays
/// away with the next hone too.
fn suppress(context: &Context, name: &str, why: &str) -> Outcome {
    let mut disabled = context.config.skills.disabled.clone();
    disabled.push(format!("{}:{name}", Scope::Builtin.id()));
    switched(context, &disabled, name, Stage::Archived, why)?;
    say(&format!(
        "`{name}` is part of hone and switched off now (`skills.disabled`); `hone restore {name}` brings it back"
    ));
    Ok(ExitCode::SUCCESS)
}

/// Brings back a skill that is part of hone and was switched off by the person's settings; whether there is
/// such a one.
fn lift(context: &Context, name: &str, why: &str) -> Result<bool, Failure> {
    let bare = name.strip_prefix("builtin:").unwrap_or(name);
    let catalogue = context.catalogue()?;
    let hidden = catalogue.skipped.iter().filter(|skipped| skipped.reason == Reason::Disabled);
    let mut skills = hidden.filter_map(|skipped| skipped.skill.as_deref());
    let is_meant = |skill: &&Listed| skill.scope == Scope::Builtin && skill.is_called(bare);
    let Some(skill) = skills.find(is_meant) else { return Ok(false) };
    let name = &skill.summary.name;
    let mut disabled = context.config.skills.disabled.clone();
    disabled.retain(|entry| !skill.is_called(entry.strip_prefix("builtin:").unwrap_or(entry)));
    if disabled == context.config.skills.disabled {
        // A project switched it off, in its own file.
        return Ok(false);
    }
    switched(context, &disabled, name, Stage::Active, why)?;
    say(&format!("`{name}` is back"));
    Ok(true)
}

/// Writes `skills.disabled`, and tells what became of the skill.
fn switched(
    context: &Context,
    disabled: &[String],
    name: &str,
    stage: Stage,
    why: &str,
) -> Result<(), Failure> {
    let home = &context.around.hone_home;
    let path = Config::path(home);
    let value = disabled.join(",");
    let value = (!value.is_empty()).then_some(value.as_str());
    let (_, text) = with_setting(&path, "skills.disabled", value)?;
    hone_library::replace(&path, text.as_bytes())?;
    let told = Event {
        at: now(),
        agent: String::new(),
        skill: name.to_owned(),
        what: stage.id().to_owned(),
        why: why.to_owned(),
    };
    records(context)?.tell(&told).map_err(failure)
}

pub(crate) fn restore(context: &Context, name: &str, why: &str) -> Outcome {
    let found = archived(context, name);
    let is_scoped = name.starts_with("builtin:");
    if (is_scoped || found.is_err()) && lift(context, name, why)? {
        return Ok(ExitCode::SUCCESS);
    }
    let (key, others) = found?;
    let (records, token) = (records(context)?, CancellationToken::new());
    let home = &context.around.hone_home;
    let done = curator::restore(home, &records, &key, author(why), &token);
    let version = runtime()?.block_on(done).map_err(failure)?;
    let version = version.map(|version| format!(", version {version}")).unwrap_or_default();
    say(&format!("`{}` is back{version}", context.shown(&key)));
    for other in others {
        let typed = context.typed(&other);
        say(&format!("note: there is another in the archive: `hone restore {typed}`"));
    }
    Ok(ExitCode::SUCCESS)
}

/// The archived skill that is meant, and others that could have been. One that is there does not hide one
/// that is not.
fn archived(context: &Context, name: &str) -> Result<(PathBuf, Vec<PathBuf>), Failure> {
    let catalogue = context.catalogue()?;
    let found = context.key_of(&catalogue, name);
    let is_open = context.places.agent.is_none() && context.places.root.is_empty();
    let is_below = |key: &PathBuf| {
        let mut roots = catalogue.roots.iter().map(|root| canonical_or_same(&root.path));
        roots.any(|root| key.starts_with(root))
    };
    let mut gone = match Slug::new(name) {
        Ok(slug) if !name.contains(['/', ':']) => {
            hone_library::deleted(&context.state, slug.as_str())?
        }
        _ => Vec::new(),
    };
    gone.retain(|key| is_open || is_below(key));
    let is_gone = |key: &PathBuf| key.symlink_metadata().is_err();
    let key = match (found, gone.first()) {
        (Ok(key), _) if is_gone(&key) => key,
        (_, Some(first)) => first.clone(),
        (Ok(key), None) => key,
        // What is there under a similar name is not in the archive.
        (Err(_), None) => {
            let message = format!("there is no skill `{name}` in the archive");
            return Err(Failure::no(message, "`hone list --all` names what is in it"));
        }
    };
    let is_archived = |other: &PathBuf| {
        let past = hone_library::history(&context.state, other).unwrap_or_default();
        past.last().is_some_and(|last| last.reason.starts_with(ARCHIVED))
    };
    gone.retain(|other| *other != key && is_archived(other));
    Ok((key, gone))
}

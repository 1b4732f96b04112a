//! `hone share`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hone_hub::{Lock, Locked, Means, Reach, ShareFate, ShareScope, Shared, Unshared};

use super::{Desk, code, hub_failure};
use crate::cli::{Network, Whose};
use crate::context::Context;
use crate::json::hub::{KeptShared, SharedSkill, SharedWith, Shares};
use crate::json::text;
use crate::output::{Failure, Outcome, print, print_json, print_lines, say};
use crate::terminal::printable_line;

/// How skills are shared.
#[derive(Debug, Clone, Copy)]
pub(super) struct How {
    pub(super) undo: bool,
    pub(super) copy: bool,
    pub(super) whose: Whose,
    pub(super) json: bool,
}

pub(super) fn agents(as_json: bool) -> Outcome {
    if as_json {
        return print_json(&hone_hub::agents());
    }
    print_lines(hone_hub::agents().into_iter().map(str::to_owned))
}

pub(super) fn share(
    context: &Context,
    names: &[String],
    agents: Option<&str>,
    how: How,
) -> Outcome {
    let desk = Desk::open(context, how.whose, Network::default())?;
    let agents: Option<Vec<String>> = agents.map(|agents| {
        agents
            .split(',')
            .map(|agent| agent.trim().to_owned())
            .filter(|agent| !agent.is_empty())
            .collect()
    });
    let skills = skills(&desk, names, how.undo)?;
    if skills.is_empty() {
        say("nothing is installed here; name a skill");
        return Ok(code(true));
    }
    let mut done: Vec<(PathBuf, Vec<Shared>, Unshared)> = Vec::new();
    for skill in skills {
        if how.undo {
            let back = desk.act(false, |hub, _| hub.unshare(&skill, agents.as_deref()))?;
            done.push((skill, Vec::new(), back));
            continue;
        }
        let Some(agents) = &agents else {
            return Err(Failure::failed(
                "with whom? name agents with `--agent a,b`",
                "`hone share --agents` lists them",
            ));
        };
        let scope = match desk.target.reach {
            Reach::Project => ShareScope::Project(&desk.target.base),
            Reach::User => ShareScope::User(&context.around),
        };
        let means = if how.copy { Means::Copy } else { Means::Link };
        let shared = desk.act(false, |hub, _| hub.share(&skill, agents, scope, means))?;
        done.push((skill, shared, Unshared::default()));
    }
    report(context, &done, how.json)
}

/// The folders of skills that were named; of all that are installed, without a name.
fn skills(desk: &Desk<'_>, names: &[String], undo: bool) -> Result<Vec<PathBuf>, Failure> {
    let lock = Lock::read(&desk.target.lock).map_err(hub_failure)?;
    let path = |entry: &Locked| {
        Ok(desk.target.folder(&entry.root).map_err(hub_failure)?.join(&entry.name))
    };
    if names.is_empty() {
        return lock.skills().iter().map(path).collect();
    }
    let find = |name: &String| match lock.skills().iter().find(|entry| entry.name == *name) {
        Some(entry) => path(entry),
        None => match desk.context.skill(&desk.catalogue, name) {
            Ok(skill) => Ok(skill.key().to_owned()),
            // What was shared outlives the skill when somebody takes that away by hand.
            Err(failure) => gone(desk, name).filter(|_| undo).ok_or(failure),
        },
    };
    names.iter().map(find).collect()
}

/// Where a skill was that is gone, by what was shared of it.
fn gone(desk: &Desk<'_>, name: &str) -> Option<PathBuf> {
    let mut skills = desk.context.state.shares().ok()?.into_iter().map(|share| share.skill);
    skills.find(|skill| skill.file_name().is_some_and(|folder| folder == name))
}

fn report(context: &Context, done: &[(PathBuf, Vec<Shared>, Unshared)], as_json: bool) -> Outcome {
    let is_refused = |shared: &Shared| matches!(shared.fate, ShareFate::Refused(_));
    let is_good = !done
        .iter()
        .any(|(_, shared, back)| shared.iter().any(is_refused) || !back.kept.is_empty());
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    if as_json {
        let with = |shared: &Shared| SharedWith {
            agent: shared.agent.clone(),
            path: text(&shared.path),
            fate: word(&shared.fate),
            why: match &shared.fate {
                ShareFate::Refused(why) => Some(why.clone()),
                _ => None,
            },
        };
        let kept = |kept: &hone_hub::KeptShare| KeptShared {
            agent: kept.agent.clone(),
            path: text(&kept.path),
            stays_for: kept.stays_for.clone(),
        };
        let skills = done
            .iter()
            .map(|(path, shared, back)| SharedSkill {
                name: name(path),
                path: text(path),
                agents: shared.iter().map(with).collect(),
                unshared: back.taken.iter().map(|path| text(path)).collect(),
                kept: back.kept.iter().map(kept).collect(),
            })
            .collect();
        print_json(&Shares { skills })?;
        return Ok(code(is_good));
    }
    let mut page = String::new();
    for (path, shared, back) in done {
        let name = name(path);
        for one in shared {
            let (word, shown) = (word(&one.fate), context.shown(&one.path));
            let (name, shown) = (printable_line(&name), printable_line(&shown));
            let _ = writeln!(page, "{word:7}  {name}  {}  {shown}", one.agent);
            if let ShareFate::Refused(why) = &one.fate {
                let _ = writeln!(page, "  {}", printable_line(why));
            }
        }
        for kept in &back.kept {
            let shown = context.shown(&kept.path);
            let (name, shown) = (printable_line(&name), printable_line(&shown));
            let others = kept.stays_for.join(", ");
            let _ = writeln!(page, "stays  {name}  {}  {shown}", kept.agent);
            let _ = writeln!(
                page,
                "  {} looks in the same folder as {others}; `--agent {}` takes it back from all of them",
                kept.agent,
                [kept.agent.as_str(), &kept.stays_for.join(",")].join(","),
            );
        }
        for path in &back.taken {
            let shown = context.shown(path);
            let _ =
                writeln!(page, "taken back  {}  {}", printable_line(&name), printable_line(&shown));
        }
    }
    print(&page)?;
    if page.is_empty() {
        say("nothing of it was shared");
    }
    Ok(code(is_good))
}

fn word(fate: &ShareFate) -> &'static str {
    match fate {
        ShareFate::Linked => "linked",
        ShareFate::Copied => "copied",
        ShareFate::Visible => "visible",
        ShareFate::Refused(_) => "refused",
    }
}

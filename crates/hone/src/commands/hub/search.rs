//! `hone search --hub`: skills that configured sources offer.

use std::fmt::Write as _;

use hone_hub::{SourceOffers, offers, parse, search as found};

use super::{Desk, code};
use crate::cli::{Network, Whose};
use crate::context::{Context, now};
use crate::json::hub::{FailedSource, HubSearch, HubSkill};
use crate::output::{Failure, Outcome, print, print_json, quoted, say};
use crate::terminal::{columns, fit, printable_line, stdout_is_terminal};

/// What is asked.
pub(crate) struct Asked<'a> {
    pub(crate) words: &'a [String],
    /// Most results.
    pub(crate) k: usize,
    /// Ask the sources again, whatever is known.
    pub(crate) anew: bool,
    pub(crate) network: Network,
    pub(crate) json: bool,
}

pub(crate) fn search(context: &Context, asked: &Asked<'_>) -> Outcome {
    let sources = &context.config.hub.sources;
    if sources.is_empty() {
        return Err(Failure::no(
            "no sources are configured",
            "`hone config set hub.sources acme/skills,https://example.org` names them",
        ));
    }
    let desk = Desk::open(context, Whose::default(), asked.network)?;
    let (mut known, mut failed): (Vec<SourceOffers>, Vec<FailedSource>) = (Vec::new(), Vec::new());
    for text in sources {
        let offered = parse(text).map_err(Into::into).and_then(|source| {
            offers(&desk.fetcher, &source, &context.around.hone_home, now(), asked.anew)
        });
        desk.live.clear();
        let mut fail = |why: String, kept| {
            failed.push(FailedSource { source: text.clone(), why, kept });
        };
        match offered {
            Ok(offered) => {
                if let Some(why) = &offered.stale {
                    fail(why.clone(), true);
                }
                known.push(offered);
            }
            Err(error) => fail(error.to_string(), false),
        }
    }
    let mut hits = found(&known, asked.words);
    let left_out = hits.len().saturating_sub(asked.k);
    hits.truncate(asked.k);
    let is_good = failed.iter().all(|one| one.kept);
    if asked.json {
        let skills = hits
            .iter()
            .map(|hit| HubSkill {
                name: hit.name.to_owned(),
                description: hit.description.to_owned(),
                source: hit.source.to_owned(),
                path: hit.path.to_owned(),
            })
            .collect();
        print_json(&HubSearch { skills, failed })?;
        return Ok(code(is_good));
    }
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let mut page = String::new();
    for hit in &hits {
        let line = format!("{}  {}", printable_line(hit.name), printable_line(hit.source));
        let _ = writeln!(page, "{line}");
        let about = printable_line(hit.description).into_owned();
        let _ = writeln!(page, "  {}", fit(&about, room.saturating_sub(2)));
    }
    print(&page)?;
    for one in &failed {
        let kept = if one.kept { "; what it offered before was searched" } else { "" };
        say(&format!("warning: `{}` could not be asked: {}{kept}", one.source, one.why));
    }
    if left_out > 0 {
        say(&format!("{left_out} more; `-k` shows more of them"));
    }
    match hits.first() {
        None => say("no configured source offers such a skill"),
        Some(hit) => {
            let (source, name) = (quoted(hit.source), quoted(hit.name));
            say(&format!("hint: `hone add {source} --skill {name}` installs one"));
        }
    }
    Ok(code(is_good && !hits.is_empty()))
}

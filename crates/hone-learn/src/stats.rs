//! What is known about skills and what learning cost, in figures.

use std::fmt::Write as _;
use std::path::Path;

use hone_agent::brain::Brain;
use hone_library::{Listed, State, canonical_or_same, history};
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::LearnError;
use crate::gate::called;
use crate::outcomes::Seen;
use crate::proposal::{Spent, Stage};
use crate::records::{Event, Records};

/// Things that happened which are listed.
const MAX_EVENTS: u32 = 50;

const DAY: i64 = 24 * 60 * 60 * 1_000;

/// Tasks of one kind together.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Rate {
    /// How many.
    pub tasks: usize,
    /// Those that were answered and not corrected.
    pub well: usize,
    /// Turns on average.
    pub turns: f64,
    /// Tokens on average.
    pub tokens: f64,
}

impl Rate {
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    fn of<'s>(seen: impl Iterator<Item = &'s Seen>) -> Self {
        let mut rate = Self::default();
        let (mut turns, mut tokens) = (0, 0);
        for one in seen {
            rate.tasks += 1;
            rate.well += usize::from(one.success());
            turns += one.turns;
            tokens += one.tokens;
        }
        if rate.tasks > 0 {
            rate.turns = turns as f64 / rate.tasks as f64;
            rate.tokens = tokens as f64 / rate.tasks as f64;
        }
        rate
    }

    /// The share that went well; none without tasks.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    pub fn share(&self) -> Option<f64> {
        (self.tasks > 0).then(|| self.well as f64 / self.tasks as f64)
    }
}

/// One version of a skill.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct VersionStats {
    /// The version.
    pub version: String,
    /// The tasks that read it.
    pub with: Rate,
}

/// One skill.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct SkillStats {
    /// Whose; empty for a person's own.
    pub agent: String,
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub stage: Stage,
    /// The version that is there; none when it is gone.
    pub version: Option<String>,
    /// The tasks that read it.
    pub with: Rate,
    /// Comparable tasks, that came near it and did not read it.
    pub without: Rate,
    /// The tasks that read it, by version, oldest first.
    pub versions: Vec<VersionStats>,
    /// Days since it was made, as far as that is known.
    pub age_days: Option<i64>,
    /// When it was last read, in milliseconds since 1970.
    pub last_use: Option<i64>,
}

/// What one agent's learning used up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct AgentSpent {
    /// The agent.
    pub agent: String,
    /// What.
    pub spent: Spent,
}

/// Something that happened to a skill by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Happened {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// Whose skill.
    pub agent: String,
    /// Which.
    pub skill: String,
    /// What.
    pub what: String,
    /// Why.
    pub why: String,
}

impl From<Event> for Happened {
    fn from(event: Event) -> Self {
        let Event { at, agent, skill, what, why } = event;
        Self { at, agent, skill, what, why }
    }
}

/// All figures: `hone stats --json`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub struct Stats {
    /// Every skill that learning knows something about, by agent and name.
    pub skills: Vec<SkillStats>,
    /// What learning used up.
    pub spent: Vec<AgentSpent>,
    /// What happened by itself, newest first.
    pub happened: Vec<Happened>,
}

/// Gathers the figures; those of one agent when it is named.
pub fn stats(
    hone_home: &Path,
    records: &Records,
    agent: Option<&str>,
    now: i64,
) -> Result<Stats, LearnError> {
    let state = State::open(hone_home);
    let mut stats = Stats::default();
    for id in Brain::all(hone_home)? {
        if agent.is_some_and(|agent| agent != id) {
            continue;
        }
        let brain = Brain::find(hone_home, &id)?;
        let listed = brain.catalogue(&state).skills;
        let mut names = records.seen_skills(&id)?;
        names.extend(records.stages(&id)?.into_iter().map(|(name, _, _)| name));
        names.sort();
        names.dedup();
        for name in names {
            stats.skills.push(skill_stats(records, &state, &listed, &id, name, now)?);
        }
    }
    // What other programs told about a person's own skills.
    if agent.is_none() {
        for name in records.seen_skills("")? {
            let mut own = skill_stats(records, &state, &[], "", name, now)?;
            own.version = own.versions.last().map(|last| last.version.clone());
            stats.skills.push(own);
        }
    }
    let is_meant = |id: &str| agent.is_none_or(|agent| agent == id);
    let spent = records.spending()?.into_iter().filter(|(id, _)| is_meant(id));
    stats.spent = spent.map(|(agent, spent)| AgentSpent { agent, spent }).collect();
    let happened = records.events(MAX_EVENTS)?.into_iter().filter(|event| is_meant(&event.agent));
    stats.happened = happened.map(Happened::from).collect();
    Ok(stats)
}

fn skill_stats(
    records: &Records,
    state: &State,
    listed: &[Listed],
    agent: &str,
    name: String,
    now: i64,
) -> Result<SkillStats, LearnError> {
    let seen = records.seen(agent, &name)?;
    let skill = called(listed, &name).map(|at| &listed[at]);
    let mut versions: Vec<VersionStats> = Vec::new();
    for one in seen.iter().filter(|one| one.loaded) {
        if versions.iter().all(|known| known.version != one.version) {
            let of = seen.iter().filter(|other| other.loaded && other.version == one.version);
            versions.push(VersionStats { version: one.version.clone(), with: Rate::of(of) });
        }
    }
    let made = match skill {
        Some(skill) => {
            let key = canonical_or_same(skill.key());
            history(state, &key)?.first().map(|first| first.at)
        }
        None => None,
    };
    Ok(SkillStats {
        agent: agent.to_owned(),
        stage: records.stage(agent, &name)?.map_or(Stage::Active, |(stage, _)| stage),
        version: skill.and_then(|skill| skill.summary.version.clone()),
        with: Rate::of(seen.iter().filter(|one| one.loaded)),
        without: Rate::of(seen.iter().filter(|one| !one.loaded)),
        versions,
        age_days: made.map(|made| (now - made).max(0) / DAY),
        last_use: seen.iter().filter(|one| one.loaded).map(|one| one.at).max(),
        name,
    })
}

/// The figures as a page with plots, whole in itself.
pub fn page(stats: &Stats) -> String {
    let mut html = String::from(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>What skills do</title>\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src \
         'unsafe-inline'\"><style>body{font:15px/1.5 sans-serif;max-width:60rem;margin:2rem auto;padding:0 \
         1rem}table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.25rem \
         .6rem;border-bottom:1px solid #ddd}td.n{text-align:right}</style></head><body>\n<h1>What skills \
         do</h1>\n",
    );
    if stats.skills.is_empty() {
        html.push_str("<p>No task has been near a skill yet.</p>\n");
    } else {
        html.push_str("<h2>Share of tasks that went well</h2>\n");
        html.push_str(&bars(stats, "share", 1.0, &|rate| rate.share()));
        let most = |rate: &Rate| if rate.tasks > 0 { Some(rate.turns) } else { None };
        let all = stats.skills.iter().flat_map(|skill| [&skill.with, &skill.without]);
        let top = all.filter_map(most).fold(1.0, f64::max);
        html.push_str("<h2>Turns of a task</h2>\n");
        html.push_str(&bars(stats, "turns", top, &most));
        html.push_str(&table(stats));
    }
    html.push_str("<h2>What learning cost</h2>\n<table><tr><th>agent</th><th>tokens</th></tr>\n");
    for row in &stats.spent {
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td class=\"n\">{}</td></tr>",
            escaped(&row.agent),
            row.spent.tokens()
        );
    }
    html.push_str("</table>\n<h2>What happened by itself</h2>\n<ul>\n");
    for one in &stats.happened {
        let _ = writeln!(
            html,
            "<li>{} of {}: {}: {}</li>",
            escaped(&one.skill),
            escaped(&one.agent),
            escaped(&one.what),
            escaped(&one.why)
        );
    }
    html.push_str("</ul>\n</body></html>\n");
    html
}

fn table(stats: &Stats) -> String {
    let mut html = String::from(
        "<table><tr><th>skill</th><th>agent</th><th>stage</th><th>version</th><th>uses</th><th>well \
         with</th><th>well without</th><th>tokens with</th><th>tokens without</th></tr>\n",
    );
    for skill in &stats.skills {
        let share = |rate: &Rate| match rate.share() {
            Some(_) => format!("{} of {}", rate.well, rate.tasks),
            None => "–".to_owned(),
        };
        let tokens = |rate: &Rate| {
            if rate.tasks > 0 { format!("{:.0}", rate.tokens) } else { "–".to_owned() }
        };
        let _ = writeln!(
            html,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td>\
             <td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            escaped(&skill.name),
            escaped(&skill.agent),
            skill.stage.id(),
            escaped(skill.version.as_deref().unwrap_or("–")),
            skill.with.tasks,
            share(&skill.with),
            share(&skill.without),
            tokens(&skill.with),
            tokens(&skill.without)
        );
    }
    html.push_str("</table>\n");
    html
}

/// A bar with and one without for each skill.
fn bars(stats: &Stats, unit: &str, top: f64, of: &dyn Fn(&Rate) -> Option<f64>) -> String {
    let rows = stats.skills.iter().map(|skill| Bars {
        label: skill.name.clone(),
        with: of(&skill.with),
        without: of(&skill.without),
    });
    let rows: Vec<Bars> = rows.collect();
    bar_chart(&rows, unit, top)
}

/// A row of a bar chart.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bars {
    pub(crate) label: String,
    pub(crate) with: Option<f64>,
    pub(crate) without: Option<f64>,
}

/// A bar chart as SVG: with and without, a pair for each row.
pub(crate) fn bar_chart(rows: &[Bars], unit: &str, top: f64) -> String {
    const ROW: usize = 44;
    const LABEL: f64 = 220.0;
    const WIDTH: f64 = 420.0;
    let height = rows.len() * ROW + 30;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 {height}\" width=\"720\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>{unit}, with and \
         without</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for (at, row) in rows.iter().enumerate() {
        let y = at * ROW + 8;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>",
            LABEL - 8.0,
            y + 20,
            escaped(&row.label.chars().take(34).collect::<String>())
        );
        let kinds = [("with", row.with, "#1f775a", 0), ("without", row.without, "#b9b9b9", 16)];
        for (what, value, colour, below) in kinds {
            let Some(value) = value else { continue };
            let width = if top > 0.0 { WIDTH * (value / top).clamp(0.0, 1.0) } else { 0.0 };
            let _ = writeln!(
                svg,
                "<rect x=\"{LABEL}\" y=\"{}\" width=\"{width:.1}\" height=\"14\" fill=\"{colour}\"/>\n\
                 <text x=\"{:.1}\" y=\"{}\">{value:.2} {what}</text>",
                y + below,
                LABEL + width + 6.0,
                y + below + 12
            );
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// Text for HTML and SVG.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c if c.is_control() || hone_skill::is_hidden(c) => safe.push('\u{fffd}'),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_shows_every_skill_and_lets_no_name_out_of_its_text() {
        let rate = Rate { tasks: 4, well: 3, turns: 2.5, tokens: 200.0 };
        let skill = SkillStats {
            agent: "ada".to_owned(),
            name: "<script>alert(1)</script>".to_owned(),
            stage: Stage::Trial,
            version: Some("2".to_owned()),
            with: rate,
            without: Rate::default(),
            versions: Vec::new(),
            age_days: None,
            last_use: None,
        };
        let page = page(&Stats { skills: vec![skill], ..Stats::default() });
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("3 of 4"), "{page}");
        assert_eq!(page.matches("<svg").count(), 2);
        assert_eq!(page.matches("without</text>").count(), 0, "nothing was measured without it");
    }
}

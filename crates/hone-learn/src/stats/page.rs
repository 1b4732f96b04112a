//! The figures as a page with plots: one file that needs nothing else and runs nothing.

use std::fmt::Write as _;

use hone_library::usage::iso;

use super::{Rate, SkillStats, Stats, WEEKS};

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
        let most = |rate: &Rate| Some(rate.turns).filter(|turns| *turns > 0.0);
        let all = stats.skills.iter().flat_map(|skill| [&skill.with, &skill.without]);
        let top = all.filter_map(most).fold(1.0, f64::max);
        html.push_str("<h2>Turns of a task</h2>\n");
        html.push_str(&bars(stats, "turns", top, &most));
        let tokens = |rate: &Rate| Some(rate.tokens).filter(|tokens| *tokens > 0.0);
        let all = stats.skills.iter().flat_map(|skill| [&skill.with, &skill.without]);
        let top = all.filter_map(tokens).fold(1.0, f64::max);
        html.push_str("<h2>Tokens of a task</h2>\n");
        html.push_str(&bars(stats, "tokens", top, &tokens));
        let _ = writeln!(html, "<h2>Uses in the last {WEEKS} weeks</h2>");
        html.push_str(&week_chart(&stats.skills));
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
         with</th><th>well without</th><th>tokens with</th><th>tokens without</th><th>age, \
         days</th><th>last use</th></tr>\n",
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
             <td class=\"n\">{}</td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>",
            escaped(&skill.name),
            escaped(&skill.agent),
            skill.stage.id(),
            escaped(skill.version.as_deref().unwrap_or("–")),
            skill.with.tasks,
            share(&skill.with),
            share(&skill.without),
            tokens(&skill.with),
            tokens(&skill.without),
            skill.age_days.map_or_else(|| "–".to_owned(), |days| days.to_string()),
            skill.last_use.map_or_else(|| "–".to_owned(), iso)
        );
    }
    html.push_str("</table>\n");
    html
}

/// A column a week for each skill: how often it was used, and how often that went well.
fn week_chart(skills: &[SkillStats]) -> String {
    const ROW: usize = 44;
    const HIGH: usize = 30;
    const LABEL: usize = 220;
    const STEP: usize = 16;
    let height = skills.len() * ROW + 10;
    let width = LABEL + WEEKS * STEP + 60;
    let most = skills.iter().flat_map(|skill| &skill.weeks).map(|week| week.uses).max();
    let most = most.unwrap_or(0).max(1);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n<title>uses by week, at most \
         {most}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
    );
    for (at, skill) in skills.iter().enumerate() {
        let floor = at * ROW + HIGH + 6;
        let _ = writeln!(
            svg,
            "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n<line x1=\"{LABEL}\" x2=\"{}\" y1=\"{floor}\" \
             y2=\"{floor}\" stroke=\"#dddddd\"/>",
            LABEL - 8,
            floor - 8,
            label(&skill.name),
            LABEL + WEEKS * STEP
        );
        for week in &skill.weeks {
            let x = LABEL + (WEEKS - 1 - week.ago) * STEP + 2;
            for (count, colour) in [(week.uses, "#b9b9b9"), (week.well, "#1f775a")] {
                let tall = (count * HIGH).div_ceil(most);
                let _ = writeln!(
                    svg,
                    "<rect x=\"{x}\" y=\"{}\" width=\"{}\" height=\"{tall}\" fill=\"{colour}\"><title>{} weeks \
                     ago: {} uses, {} went well</title></rect>",
                    floor - tall,
                    STEP - 4,
                    week.ago,
                    week.uses,
                    week.well
                );
            }
        }
    }
    svg.push_str("</svg>\n");
    svg
}

/// A name that fits before a chart.
fn label(name: &str) -> String {
    escaped(&name.chars().take(34).collect::<String>())
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
            label(&row.label)
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
fn escaped(text: &str) -> String {
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
    use super::super::Week;
    use super::*;
    use crate::proposal::Stage;

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
            weeks: vec![Week { ago: 2, uses: 4, well: 3, missed: 0 }],
        };
        let page = page(&Stats { skills: vec![skill], ..Stats::default() });
        assert!(!page.contains("<script>"), "{page}");
        assert!(page.contains("&lt;script&gt;") && page.contains("3 of 4"), "{page}");
        assert_eq!(page.matches("<svg").count(), 4);
        assert!(page.contains("2 weeks ago: 4 uses, 3 went well"), "{page}");
        assert_eq!(page.matches("without</text>").count(), 0, "nothing was measured without it");
    }
}

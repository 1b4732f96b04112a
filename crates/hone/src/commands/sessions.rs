//! `hone sessions`.

use std::fmt::Write as _;
use std::process::ExitCode;

use hone_learn::redact::Redactor;
use hone_learn::sessions::{Helpers, MIN_SHOWN_CHARS, Places, Problem, Summary};
use hone_library::usage::iso;
use unicode_width::UnicodeWidthStr as _;

use crate::cli::Sessions;
use crate::context::Context;
use crate::json::learn;
use crate::output::{NO, Outcome, count, print, print_json, say};
use crate::terminal::{columns, fit, printable_line, stdout_is_terminal};

/// Sessions that are read at most to find those that are wanted.
const MAX_READ: usize = 2_000;

/// Tools that one line names.
const SHOWN_TOOLS: usize = 3;

pub(crate) fn sessions(context: &Context, wanted: &Sessions) -> Outcome {
    let (found, problems) = find(context, wanted);
    if wanted.json {
        let sessions = found.iter().map(learn::ListedSession::from).collect();
        let problems = problems.iter().map(learn::Unread::from).collect();
        print_json(&learn::Sessions { sessions, problems })?;
    } else {
        print(&lines(context, &found))?;
        for problem in &problems {
            say(&format!("warning: {}: {}", context.shown(&problem.path), problem.message));
        }
        let skipped: u64 = found.iter().map(|session| session.skipped).sum();
        if skipped > 0 {
            let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
            let (records, were) =
                (count(skipped, "record"), if skipped == 1 { "was" } else { "were" });
            say(&format!("note: {records} {were} passed over: not understood, or past a bound"));
        }
    }
    if !found.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if !wanted.json {
        say("no session was found; Claude Code, Codex, Hermes and `hone run` leave some");
    }
    let is_question = wanted.here || wanted.from.is_some() || !wanted.words.is_empty();
    Ok(if is_question { ExitCode::from(NO) } else { ExitCode::SUCCESS })
}

fn find(context: &Context, wanted: &Sessions) -> (Vec<Summary>, Vec<Problem>) {
    let redactor = Redactor::new(Some(&context.around.user_home));
    let is_wanted = |agent: &str| wanted.from.is_none_or(|from| from.id() == agent);
    let helpers = if wanted.helpers { Helpers::Too } else { Helpers::LeftOut };
    let located = Places::of(&context.around).locate_with(is_wanted, helpers);
    let mut problems = located.problems;
    let mut found = Vec::new();
    for session in located.sessions.iter().take(MAX_READ) {
        if found.len() == wanted.limit {
            break;
        }
        match Summary::of(session, &redactor) {
            Ok(summary) if !summary.is_empty() && fits(context, wanted, &summary) => {
                found.push(summary);
            }
            Ok(_) => {}
            Err(error) => {
                let message = error.to_string();
                problems.push(Problem { path: session.path.clone(), message });
            }
        }
    }
    (found, problems)
}

fn fits(context: &Context, wanted: &Sessions, session: &Summary) -> bool {
    let is_here = session.folder.as_deref() == Some(context.around.cwd.as_path());
    let task = session.task.to_lowercase();
    let mut words = wanted.words.iter().flat_map(|words| words.split_whitespace());
    (is_here || !wanted.here) && words.all(|word| task.contains(&word.to_lowercase()))
}

fn lines(context: &Context, sessions: &[Summary]) -> String {
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let ids = Places::of(&context.around).ids();
    let lengths = sessions.iter().map(|session| ids.short(&session.session).chars().count());
    let width = lengths.max().unwrap_or_default().max(MIN_SHOWN_CHARS);
    let mut text = String::new();
    for session in sessions {
        // What they are sorted by.
        let time = if session.modified > 0 { session.modified } else { session.started };
        let time = iso(time);
        let id = printable_line(ids.short(&session.session));
        let more = if session.partial { "+" } else { "" };
        let tasks = match session.tasks {
            0 | 1 => String::new(),
            many => format!(", {many} tasks"),
        };
        let agent = session.agent.name().unwrap_or_else(|| session.agent.id());
        let agent = printable_line(agent);
        let time = time.get(..16).unwrap_or(&time).replace('T', " ");
        let unfinished = if session.converged || session.partial { "" } else { ", unfinished" };
        let steps = format!("{}{more}{tasks}{unfinished}", count(session.steps, "step"));
        let first = format!("{time}  {agent:<12}  {id:<width$}  {steps}");
        // An id that is cut names nothing.
        let first = if first.width() <= room {
            vec![first]
        } else {
            vec![format!("{id}  {agent}"), format!("    {time}  {steps}")]
        };
        let mut about: Vec<String> = session
            .tools
            .iter()
            .take(SHOWN_TOOLS)
            .map(|used| format!("{} {}", used.tool, used.count))
            .collect();
        let folder = session.folder.as_deref();
        about.extend(folder.map(|folder| format!("in {}", context.shown(folder))));
        for line in first {
            let _ = writeln!(text, "{}", fit(&line, room));
        }
        for line in [&session.task, &about.join(", ")] {
            if !line.is_empty() {
                let _ = writeln!(text, "{}", fit(&format!("    {}", printable_line(line)), room));
            }
        }
    }
    text
}

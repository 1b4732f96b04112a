//! `hone audit`.

use std::fmt::Write as _;

use hone_library::audit;
use hone_library::usage::iso;

use super::code;
use crate::context::{Context, to_the_second};
use crate::json::hub::{AuditChain, AuditLog, AuditRow};
use crate::output::{Outcome, count, print, print_json, say};
use crate::terminal::printable_line;

pub(super) fn log(context: &Context, limit: usize, as_json: bool) -> Outcome {
    let rows = audit::newest(&context.state, limit)?;
    if as_json {
        let rows = rows
            .into_iter()
            .map(|row| AuditRow {
                seq: row.seq,
                at: iso(row.at),
                actor: row.actor,
                action: row.action,
                skill: row.skill,
                place: row.place,
                source: row.source,
                content: row.content,
                verdict: row.verdict,
                detail: row.detail,
                previous: row.previous,
                hash: row.hash,
            })
            .collect();
        return print_json(&AuditLog { rows });
    }
    let mut page = String::new();
    for row in &rows {
        let (at, action) = (to_the_second(row.at), printable_line(&row.action));
        let _ = write!(page, "{:>4}  {at}  {action:8}", row.seq);
        for text in [&row.skill, &row.verdict, &row.source] {
            if !text.is_empty() {
                let _ = write!(page, "  {}", printable_line(text));
            }
        }
        let _ = writeln!(page, "  by {}", printable_line(&row.actor));
        if !row.detail.is_empty() {
            let _ = writeln!(page, "      {}", printable_line(&row.detail));
        }
    }
    if rows.is_empty() {
        say("nothing was installed yet");
    }
    print(&page)
}

pub(super) fn chain(context: &Context, as_json: bool) -> Outcome {
    let chain = audit::verify(&context.state)?;
    let whole = chain.broken.is_none();
    if as_json {
        print_json(&AuditChain {
            whole,
            sound: chain.sound,
            head: chain.head,
            broken_at: chain.broken.as_ref().map(|broken| broken.seq),
            why: chain.broken.map(|broken| broken.why),
        })?;
        return Ok(code(whole));
    }
    let rows = count(usize::try_from(chain.sound).unwrap_or(usize::MAX), "row");
    match &chain.broken {
        None => print(&format!(
            "{rows}, each follows from the one before; the last is {}\n",
            chain.head
        ))?,
        Some(broken) => print(&format!(
            "row {} does not follow: {}\n",
            broken.seq,
            printable_line(&broken.why)
        ))?,
    };
    if !whole {
        let are = if chain.sound == 1 { "is" } else { "are" };
        say(&format!("{rows} before it {are} sound; what follows cannot be relied on"));
    }
    Ok(code(whole))
}

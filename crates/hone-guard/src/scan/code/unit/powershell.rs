//! Pipelines and arguments of PowerShell: what stands left of a pipe is what the command right of it works
//! on, and each option is an argument with its value.

use std::ops::Range;

use super::expression::Value;
use super::{MAX_DEPTH, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::Token;

impl Unit<'_> {
    /// What stands left of the pipe before a PowerShell command.
    /// It is remembered: each command of a pipeline asks for the one before it, which asks again, back to
    /// the first.
    pub(super) fn piped(&mut self, at: usize, world: &mut World, depth: usize) -> Value {
        // The ones asked for again are the last few.
        const MAX_REMEMBERED: usize = 256;
        let Some(pipe) = self.before(at).filter(|i| self.is_op(*i, '|')) else {
            return Value::default();
        };
        if let Some((_, value)) =
            self.left_of_pipes.get(&pipe).filter(|(around, _)| *around <= depth)
        {
            return value.clone();
        }
        let start = self.before(pipe).map_or(0, |i| i + 1);
        let mut value = self.value(start..pipe, world, &mut None, depth + 1);
        // … | % { "$($_.Name)=$($_.Value)" } | …: what comes in is what it works on.
        if depth < MAX_DEPTH && self.is_stage(start) {
            value.add(&self.piped(start, world, depth + 1));
        }
        if self.left_of_pipes.len() >= MAX_REMEMBERED {
            self.left_of_pipes.clear();
        }
        self.left_of_pipes.insert(pipe, (depth, value.clone()));
        value
    }

    /// The pipe before a place of a PowerShell statement, or where the statement begins.
    fn before(&self, at: usize) -> Option<usize> {
        const FAR: usize = 256;
        let mut i = at;
        for _ in 0..FAR {
            i = i.checked_sub(1)?;
            match self.token(i) {
                // A block of the pipeline is part of it.
                Some(Token::Op('}')) => {
                    let open = (i.saturating_sub(FAR)..i).rev().find(|o| self.close[*o] == i);
                    let stage = open.filter(|open| *open > 0 && self.is_stage(open - 1));
                    let Some(open) = stage else { return Some(i) };
                    i = open;
                }
                // (gci env: | Out-String) | …
                Some(Token::Op(')')) => {
                    let open = (i.saturating_sub(FAR)..i).rev().find(|o| self.close[*o] == i);
                    i = open.unwrap_or(i);
                }
                Some(Token::Line | Token::Op(';' | '{' | '(' | '|')) => return Some(i),
                _ => {}
            }
        }
        None
    }

    /// Whether a stage of a PowerShell pipeline works on each of what comes in.
    pub(super) fn is_stage(&self, at: usize) -> bool {
        const STAGES: [&str; 5] =
            ["ForEach-Object", "foreach", "Where-Object", "where", "Sort-Object"];
        matches!(self.token(at), Some(Token::Op('%' | '?')))
            || self.name_at(at).is_some_and(|n| STAGES.iter().any(|s| n.eq_ignore_ascii_case(s)))
    }
}

/// The arguments of a PowerShell command: each option with its value, then what stands alone.
pub(super) fn powershell(unit: &Unit<'_>, range: Range<usize>) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let start = at;
        if unit.is_op(at, '-') {
            at += 1;
            let name_at = at;
            at += 1;
            let from = name_at;
            while at < range.end && !unit.is_op(at, '-') {
                at = if matches!(unit.token(at), Some(Token::Op('(' | '[' | '{'))) {
                    (unit.close[at] + 1).min(range.end)
                } else {
                    at + 1
                };
            }
            found.push(from..at);
        } else {
            at = if matches!(unit.token(at), Some(Token::Op('(' | '[' | '{'))) {
                (unit.close[at] + 1).min(range.end)
            } else {
                at + 1
            };
            while at < range.end
                && matches!(unit.token(at), Some(Token::Op('.' | '+' | ':' | '(' | '[')))
            {
                at = if matches!(unit.token(at), Some(Token::Op('(' | '['))) {
                    (unit.close[at] + 1).min(range.end)
                } else {
                    (at + 2).min(range.end)
                };
            }
            found.push(start..at);
        }
    }
    found
}

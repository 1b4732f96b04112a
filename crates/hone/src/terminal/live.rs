//! One line that says how far something is.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::{columns, fit, printable_line};
use crate::output::say_rendered;

/// How long something runs before it says how far it is.
const PATIENCE: Duration = Duration::from_millis(300);
/// How often it says so after that.
const INTERVAL: Duration = Duration::from_millis(100);
/// Columns of the bar.
const BAR: usize = 20;

/// One line that says how far things are, on a terminal only.
#[derive(Clone)]
pub(crate) struct Live(Option<Arc<Mutex<Line>>>);

struct Line {
    next: Instant,
    columns: usize,
}

impl Live {
    pub(crate) fn new() -> Self {
        let line = Line { next: Instant::now() + PATIENCE, columns: 0 };
        Self(io::stderr().is_terminal().then(|| Arc::new(Mutex::new(line))))
    }

    /// Shows how far it is, unless that was shown just before.
    pub(crate) fn show(&self, text: &str) {
        let Some(Ok(mut line)) = self.0.as_ref().map(|line| line.lock()) else { return };
        if Instant::now() < line.next {
            return;
        }
        line.next = Instant::now() + INTERVAL;
        let text = fit(&printable_line(text), columns() - 1).into_owned();
        let blanks = " ".repeat(line.columns.saturating_sub(text.chars().count()));
        line.columns = text.chars().count();
        say_rendered(&format!("\r{text}{blanks}"));
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        let Some(Ok(mut line)) = self.0.as_ref().map(|line| line.lock()) else { return };
        if line.columns > 0 {
            say_rendered(&format!("\r{}\r", " ".repeat(line.columns)));
            line.columns = 0;
        }
    }
}

/// A bar that fills as something gets done.
pub(crate) fn bar(done: u64, all: u64) -> String {
    let full = (BAR as u64 * done).checked_div(all).unwrap_or(0).min(BAR as u64);
    format!("[{:.<BAR$}]", "#".repeat(usize::try_from(full).unwrap_or(BAR)))
}

//! One line that says how far something is.

use std::io::{self, IsTerminal as _};
use std::sync::{Arc, Mutex};
use std::thread;
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
    /// What came too early to be shown.
    early: Option<String>,
    /// Somebody will show it in time.
    is_awaited: bool,
}

impl Line {
    fn print(&mut self, text: &str) {
        (self.next, self.early) = (Instant::now() + INTERVAL, None);
        let text = fit(&printable_line(text), columns() - 1).into_owned();
        let blanks = " ".repeat(self.columns.saturating_sub(text.chars().count()));
        self.columns = text.chars().count();
        say_rendered(&format!("\r{text}{blanks}"));
    }
}

impl Live {
    pub(crate) fn new() -> Self {
        let next = Instant::now() + PATIENCE;
        let line = Line { next, columns: 0, early: None, is_awaited: false };
        Self(io::stderr().is_terminal().then(|| Arc::new(Mutex::new(line))))
    }

    /// Shows how far it is; what comes too early is shown in time, unless something else is by then.
    pub(crate) fn show(&self, text: &str) {
        let Some(shared) = &self.0 else { return };
        let Ok(mut line) = shared.lock() else { return };
        let wait = line.next.saturating_duration_since(Instant::now());
        if wait.is_zero() {
            return line.print(text);
        }
        line.early = Some(text.to_owned());
        if std::mem::replace(&mut line.is_awaited, true) {
            return;
        }
        let shared = Arc::clone(shared);
        thread::spawn(move || {
            thread::sleep(wait);
            let Ok(mut line) = shared.lock() else { return };
            line.is_awaited = false;
            if let Some(text) = line.early.take() {
                line.print(&text);
            }
        });
    }

    /// Takes the line away.
    pub(crate) fn clear(&self) {
        let Some(Ok(mut line)) = self.0.as_ref().map(|line| line.lock()) else { return };
        line.early = None;
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

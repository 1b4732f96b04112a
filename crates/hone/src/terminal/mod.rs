//! What the program may print, and how wide and how colourful. A skill's text is data from
//! strangers: it reaches the terminal only through [`printable()`] or [`render`], so no escape
//! sequence in the output is anyone's but ours.

mod fit;
mod live;
mod markdown;

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal as _};

use rustix::termios::tcgetwinsize;

use self::markdown::MIN_COLUMNS;
pub(crate) use fit::{fit, fit_end, hung};
pub(crate) use hone_skill::{is_forbidden, printable, printable_line};
pub(crate) use live::{Live, bar};
pub(crate) use markdown::{Style, render};

/// Columns of a terminal whose width is unknown.
const DEFAULT_COLUMNS: usize = 80;

/// The width to lay text out for: the terminal's on standard output, else `COLUMNS`, else 80; never
/// below 20.
pub(crate) fn columns() -> usize {
    let window = tcgetwinsize(io::stdout()).ok().map(|size| size.ws_col);
    layout_columns(window, env::var("COLUMNS").ok().as_deref())
}

/// The same for what goes to standard error.
pub(crate) fn stderr_columns() -> usize {
    let window = tcgetwinsize(io::stderr()).ok().map(|size| size.ws_col);
    layout_columns(window, env::var("COLUMNS").ok().as_deref())
}

/// The width that sentences are wrapped to: the terminal's; what goes into a pipe or a file is not wrapped.
pub(crate) fn room() -> usize {
    if stdout_is_terminal() { columns() } else { usize::MAX }
}

/// Whether standard output is a terminal.
pub(crate) fn stdout_is_terminal() -> bool {
    io::stdout().is_terminal()
}

/// Whether output on standard output carries escape sequences.
///
/// `CLICOLOR_FORCE` and `FORCE_COLOR` turn them on whatever else is set; otherwise they need a
/// terminal, no `NO_COLOR` and a `TERM` other than `dumb`.
pub(crate) fn style() -> Style {
    choose_style(stdout_is_terminal(), |name| env::var_os(name))
}

/// Whether output on standard error carries escape sequences.
pub(crate) fn stderr_style() -> Style {
    choose_style(io::stderr().is_terminal(), |name| env::var_os(name))
}

fn layout_columns(window: Option<u16>, variable: Option<&str>) -> usize {
    let known = |columns: &usize| *columns > 0;
    window
        .map(usize::from)
        .filter(known)
        .or_else(|| variable?.trim().parse().ok().filter(known))
        .unwrap_or(DEFAULT_COLUMNS)
        .max(MIN_COLUMNS)
}

fn choose_style(is_terminal: bool, variable: impl Fn(&str) -> Option<OsString>) -> Style {
    let is_set = |name: &str| variable(name).is_some_and(|value| !value.is_empty());
    let forces = |name: &str| is_set(name) && variable(name).is_some_and(|value| value != "0");
    let is_dumb = variable("TERM").is_some_and(|term| term == "dumb");
    let is_forced = forces("CLICOLOR_FORCE") || forces("FORCE_COLOR");
    if is_forced || (is_terminal && !is_set("NO_COLOR") && !is_dumb) {
        Style::Ansi
    } else {
        Style::Plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_comes_from_the_window_then_the_variable_then_the_default() {
        assert_eq!(layout_columns(Some(132), Some("60")), 132);
        assert_eq!(layout_columns(Some(0), Some("60")), 60);
        assert_eq!(layout_columns(None, Some("60")), 60);
        assert_eq!(layout_columns(None, Some("0")), DEFAULT_COLUMNS);
        assert_eq!(layout_columns(None, Some("wide")), DEFAULT_COLUMNS);
        assert_eq!(layout_columns(None, None), DEFAULT_COLUMNS);
    }

    #[test]
    fn width_has_a_floor() {
        assert_eq!(layout_columns(Some(20), None), 20);
        assert_eq!(layout_columns(Some(19), None), 20);
        assert_eq!(layout_columns(None, Some("3")), 20);
    }

    #[test]
    fn escape_sequences_need_a_terminal_and_consent() {
        let chosen = |is_terminal, variables: &[(&str, &str)]| {
            choose_style(is_terminal, |name| {
                let (_, value) = variables.iter().find(|(known, _)| *known == name)?;
                Some(OsString::from(value))
            })
        };
        assert_eq!(chosen(true, &[]), Style::Ansi);
        assert_eq!(chosen(true, &[("NO_COLOR", "")]), Style::Ansi);
        assert_eq!(chosen(true, &[("TERM", "xterm-256color")]), Style::Ansi);
        assert_eq!(chosen(true, &[("NO_COLOR", "1")]), Style::Plain);
        assert_eq!(chosen(true, &[("TERM", "dumb")]), Style::Plain);
        assert_eq!(chosen(false, &[]), Style::Plain);
        assert_eq!(chosen(false, &[("CLICOLOR_FORCE", "1")]), Style::Ansi);
        assert_eq!(chosen(false, &[("FORCE_COLOR", "3")]), Style::Ansi);
        assert_eq!(chosen(false, &[("FORCE_COLOR", "0")]), Style::Plain);
        assert_eq!(chosen(false, &[("CLICOLOR_FORCE", "")]), Style::Plain);
        assert_eq!(
            chosen(true, &[("FORCE_COLOR", "1"), ("NO_COLOR", "1"), ("TERM", "dumb")]),
            Style::Ansi
        );
    }
}

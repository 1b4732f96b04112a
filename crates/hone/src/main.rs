//! What does a person *type*?
//!
//! Arguments in, text out. Everything that decides anything is in the crates below.

mod cli;
mod commands;
mod context;
mod diff;
mod groups;
mod json;
mod output;
mod sarif;
mod snippet;
mod terminal;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches};

use cli::Cli;

fn main() -> ExitCode {
    // The sandbox runs this program again, to confine itself before it becomes the command.
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_some_and(|first| first == commands::CONFINE) {
        let rest: Vec<_> = arguments.collect();
        return ExitCode::from(hone_guard::sandbox::confine(&rest));
    }
    match parse() {
        Ok(cli) => commands::run(cli).unwrap_or_else(|failure| failure.report()),
        Err(error) => output::report_usage(&error),
    }
}

/// Reads the arguments. The help in groups needs every command built to the end, so it is made only for
/// arguments that do not lead to a command.
fn parse() -> Result<Cli, clap::Error> {
    let parsed = Cli::command().try_get_matches().or_else(|error| match error.kind() {
        ErrorKind::DisplayVersion => Err(error),
        ErrorKind::InvalidSubcommand => groups::command().try_get_matches_from(asked()),
        _ => groups::command().try_get_matches(),
    });
    Cli::from_arg_matches(&parsed?)
}

/// The arguments, with `help --help` as `help help`: the parser's own `help` takes no options.
fn asked() -> Vec<OsString> {
    let mut arguments: Vec<OsString> = std::env::args_os().collect();
    if let [.., command, option] = arguments.as_mut_slice()
        && command == "help"
        && (option == "--help" || option == "-h")
    {
        *option = OsString::from("help");
    }
    arguments
}

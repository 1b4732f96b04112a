//! What does a person *type*?
//!
//! Arguments in, text out. Everything that decides anything is in the crates below.

mod cli;
mod commands;
mod context;
mod diff;
mod json;
mod output;
mod sarif;
mod snippet;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use cli::Cli;

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => commands::run(cli).unwrap_or_else(|failure| failure.report()),
        Err(error) => output::report_usage(&error),
    }
}

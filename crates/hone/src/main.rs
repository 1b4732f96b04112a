//! What does a person *type*?
//!
//! Arguments in, text out. Everything that decides anything is in the crates below.

mod cli;
mod commands;
mod context;
mod diff;
mod json;
mod output;
mod terminal;

use std::process::ExitCode;

use clap::Parser;

use cli::Cli;

fn main() -> ExitCode {
    let cli = Cli::parse();
    match commands::run(cli) {
        Ok(code) => code,
        Err(failure) => failure.report(),
    }
}

//! `hone completions`, `hone man` and `hone schema`.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::cli::Cli;
use crate::json::schemas;
use crate::output::{Failure, Outcome, print, print_lines, say, stdout};

pub(crate) fn completions(shell: clap_complete::Shell) -> Outcome {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "hone", &mut script);
    print(&String::from_utf8_lossy(&script))
}

pub(crate) fn man(folder: Option<&Path>) -> Outcome {
    match folder {
        None => {
            let mut out = stdout();
            clap_mangen::Man::new(Cli::command()).render(&mut out)?;
            out.flush()?;
        }
        Some(folder) => {
            let failed = |error: std::io::Error| {
                Failure::failed(format!("could not write to `{}`: {error}", folder.display()), "")
            };
            std::fs::create_dir_all(folder).map_err(failed)?;
            clap_mangen::generate_to(Cli::command(), folder).map_err(failed)?;
            say(&format!("man pages written to `{}`", folder.display()));
        }
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn schema(name: Option<&str>) -> Outcome {
    let schemas = schemas();
    match name {
        None => print_lines(schemas.into_iter().map(|(name, _)| name.to_owned())),
        Some(name) => match schemas.into_iter().find(|(known, _)| *known == name) {
            Some((_, schema)) => {
                let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
                print(&format!("{text}\n"))
            }
            None => {
                Err(Failure::no(format!("there is no schema `{name}`"), "`hone schema` lists them"))
            }
        },
    }
}

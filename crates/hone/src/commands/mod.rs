//! One file a command, or a family of commands.

mod admit;
mod agent;
mod answers;
mod beside_pattern;
mod change;
mod check;
mod config;
mod confined;
mod connect;
mod curate;
mod doctor;
mod editor;
mod eval;
mod eval_skill;
mod history;
mod hub;
mod inline_shell;
mod invoke;
mod keyring;
mod learn;
mod list;
mod match_message;
mod mcp;
mod mcp_servers;
mod needs;
mod overview;
mod permit;
mod policy;
mod prompt;
mod review;
mod scan;
mod serve;
mod sessions;
mod shell;
mod slash;
mod stats;
mod trust;
mod usage;
mod view;
mod why;

pub(crate) use confined::CONFINE;

use crate::cli::{Cli, Command, CommandsCommand, ConfigCommand, EvalCommand, HubCommand};
use crate::context::Context;
use crate::output::Outcome;

/// Runs the command that was typed.
pub(crate) fn run(cli: Cli) -> Outcome {
    // These need no state and no configuration, so that they work when those are broken.
    match &cli.command {
        Some(Command::Completions { shell }) => return shell::completions(*shell),
        Some(Command::Man { folder }) => return shell::man(folder.as_deref()),
        Some(Command::Schema { name }) => return shell::schema(name.as_deref()),
        Some(Command::Doctor { json }) => return doctor::run(cli.places.clone(), *json),
        Some(Command::Config { command: Some(ConfigCommand::Path), json: false }) => {
            return config::path();
        }
        _ => {}
    }
    let mut places = cli.places;
    if matches!(&cli.command, Some(Command::Hub(HubCommand::Share { .. }))) {
        // The agents that skills are shared with are not ours.
        places.agent = None;
    }
    let context = Context::new(places)?;
    let Some(command) = cli.command else { return overview::run(&context) };
    match command {
        Command::Hub(command) => hub::run(&context, command),
        Command::List { query, all, client, json } => {
            list::list(&context, &query, all, client.map(Into::into), json)
        }
        Command::View { name, file, raw, json } => {
            view::view(&context, &name, file.as_deref(), raw, json)
        }
        Command::New { name, from, description, project, category, upsert, triggers, writing } => {
            let new = change::New { name, description, project, category, upsert, triggers };
            change::new(&context, &new, &from, &writing)
        }
        Command::Edit { name, from, writing } => change::edit(&context, &name, &from, &writing),
        Command::Patch { name, old, new, old_file, new_file, inside, fuzzy, writing } => {
            let old = change::text_or_file(old, old_file.as_deref())?;
            let new = change::text_or_file(new, new_file.as_deref())?;
            change::patch(&context, &name, inside.as_deref(), &old, &new, fuzzy, &writing)
        }
        Command::Rm { name, writing } => change::rm(&context, &name, &writing),
        Command::File(command) => change::file(&context, command),
        Command::Check { path, profile, fix, dry_run, format } => {
            let how = check::How { profile: profile.into(), fix, dry_run, format };
            check::check(&context, &path, how)
        }
        Command::Scan(scan) => scan::scan(&context, &scan),
        Command::Trust { folder, revoke, list, json } => {
            trust::trust(&context, folder.as_deref(), revoke, list, json)
        }
        Command::History { name, json } => history::history(&context, &name, json),
        Command::Diff { name, locked: true, json, .. } => {
            history::diff_locked(&context, &name, json)
        }
        Command::Diff { name, from, to, json, .. } => {
            history::diff(&context, &name, from, to, json)
        }
        Command::Rollback { name, to, writing } => change::rollback(&context, &name, to, &writing),
        Command::Permit { name, command, run, env, json } => {
            let how = permit::How { run, env, json };
            permit::permit(&context, &name, &command, &how)
        }
        Command::Policy { command, json } => policy::policy(&context, command, json),
        Command::Prompt { budget, window, query, json } => {
            prompt::prompt(&context, budget, window, query.as_deref(), json)
        }
        Command::Invoke { message, session, caller, inline, allow_missing, keep, json } => {
            let caller = caller.into();
            let call = invoke::Call { session, caller, inline, allow_missing, keep, json };
            invoke::invoke(&context, &message, &call)
        }
        Command::Agent(command) => agent::agent(&context, command),
        Command::Run { agent: id, task, how, json } => agent::run(&context, &id, &task, &how, json),
        Command::Chat { agent: id, how } => agent::chat(&context, &id, &how),
        Command::Demo { record, json } => agent::demo(&context, record.as_deref(), json),
        Command::Connect(how) => connect::connect(&context, &how),
        Command::Serve(how) => serve::serve(&context, how),
        Command::Learn(how) => learn::learn(&context, &how),
        Command::Correct(said) => agent::correct(&context, &said),
        Command::Sessions(wanted) => sessions::sessions(&context, &wanted),
        Command::Mcp { read_only } => mcp::serve(&context, read_only),
        Command::Commands { command: None, json } => slash::commands(&context, json),
        Command::Commands { command: Some(CommandsCommand::Reload), json } => {
            slash::reload(&context, json)
        }
        Command::Needs { name, forget, json } => needs::needs(&context, &name, forget, json),
        Command::Match { message, batch, k, json } => {
            match_message::match_message(&context, message.as_deref(), batch.as_deref(), k, json)
        }
        Command::Search { words, hub: true, refresh, network, k, json } => {
            let asked = hub::Asked { words: &words, k, anew: refresh, network, json };
            hub::search(&context, &asked)
        }
        Command::Search { words, k, json, .. } => match_message::search(&context, &words, k, json),
        Command::Eval { command: None, name, runs, model, max_tokens, plot, json } => {
            let how = eval_skill::How { runs, model, max_tokens, plot, json };
            eval_skill::eval(&context, &name.unwrap_or_default(), &how)
        }
        Command::Eval {
            command: Some(EvalCommand::Triggers { name, suite, all, propose, plot, json }),
            ..
        } => {
            if propose {
                return eval::propose(&context, &name, json);
            }
            let what =
                eval::What { names: &name, suite: suite.as_deref(), all, plot: plot.as_deref() };
            eval::triggers(&context, &what, json)
        }
        Command::Why { message, name, json } => why::why(&context, &message, name.as_deref(), json),
        Command::WhatIf { folder, messages, json } => {
            why::what_if(&context, &folder, messages.as_deref(), json)
        }
        Command::Review { command, all, json } => review::review(&context, command, all, json),
        Command::Stats { html, json } => stats::stats(&context, html.as_deref(), json),
        Command::Curate { dry_run, no_model, json } => {
            curate::curate(&context, dry_run, no_model, json)
        }
        Command::Archive { name, why } => curate::archive(&context, &name, &why),
        Command::Restore { name, why } => curate::restore(&context, &name, &why),
        Command::Pin { name } => change::pin(&context, &name, true),
        Command::Unpin { name } => change::pin(&context, &name, false),
        Command::Usage { command, json } => usage::usage(&context, command, json),
        Command::Config { command, json } => config::config(&context, command, json),
        Command::Completions { .. }
        | Command::Man { .. }
        | Command::Schema { .. }
        | Command::Doctor { .. } => {
            unreachable!("handled above")
        }
    }
}

//! `hone serve`.

use std::process::ExitCode;
use std::sync::Arc;

use hone_library::usage::iso;
use hone_server::http::{self, ENTER, Log, Role, Setup, TokenError, Tokens, Wanted};

use super::agent::Interrupt;
use super::mcp::live_shelf;
use crate::cli::{Serve, ServeCommand, TokenCommand};
use crate::context::{Context, now};
use crate::json;
use crate::output::{Failure, Outcome, print, print_json, print_lines, say};

pub(crate) fn serve(context: &Context, how: Serve) -> Outcome {
    match how.command {
        Some(ServeCommand::Token(command)) => token(context, command),
        None => listen(context, how),
    }
}

fn listen(context: &Context, how: Serve) -> Outcome {
    let home = &context.around.hone_home;
    let shelf = live_shelf(context)?;
    let wanted = Wanted {
        address: how.listen,
        tls: how.tls_cert.zip(how.tls_key),
        is_exposed: how.exposed,
        names: how.name,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
    let runtime =
        runtime.map_err(|error| Failure::failed(format!("could not serve: {error}"), ""))?;
    let bound = runtime
        .block_on(http::bind(&wanted))
        .map_err(|error| Failure::failed(error.to_string(), error.hint()))?;
    let first = Tokens::new(home).first(now()).map_err(wrong_tokens)?;
    let url = bound.address.url();
    match first {
        Some(token) => {
            print(&format!("{url}{ENTER}?token={token}\n"))?;
            say("the link above holds the owner's token; it is shown this once");
        }
        None => {
            print(&format!("{url}/\n"))?;
        }
    }
    let setup = Setup {
        hone_home: home.clone(),
        around: context.around.clone(),
        shelf,
        is_read_only: how.read_only,
        now: Arc::new(now),
        log: Log::new(how.log.into(), std::io::stderr()),
    };
    let interrupt = Interrupt::listen();
    runtime.block_on(http::serve(bound, setup, interrupt.task()));
    interrupt.done();
    Ok(ExitCode::SUCCESS)
}

fn token(context: &Context, command: TokenCommand) -> Outcome {
    let tokens = Tokens::new(&context.around.hone_home);
    match command {
        TokenCommand::Add { name, role } => {
            let roles: Vec<Role> = role.into_iter().map(Into::into).collect();
            let token = tokens.add(&name, &roles, now()).map_err(wrong_tokens)?;
            print(&format!("{token}\n"))
        }
        TokenCommand::Remove { name } => {
            tokens.remove(&name).map_err(wrong_tokens)?;
            print(&format!("removed {name}\n"))
        }
        TokenCommand::List { json } => {
            let all = tokens.all().map_err(wrong_tokens)?.into_iter();
            let all = all.map(|token| json::serve::Token {
                name: token.name,
                roles: token.roles.into_iter().map(Role::id).collect(),
                made: iso(token.made),
            });
            if json {
                return print_json(&json::serve::Tokens { tokens: all.collect() });
            }
            print_lines(all.map(|token| {
                format!("{:<32} {:<16} {}", token.name, token.roles.join(","), token.made)
            }))
        }
    }
}

fn wrong_tokens(error: TokenError) -> Failure {
    let message = error.to_string();
    match error {
        TokenError::Io { .. } | TokenError::TooMany => Failure::failed(message, ""),
        TokenError::Open { path, .. } => {
            let hint = format!("`chmod 600 {}`, and make the tokens anew", path.display());
            Failure::failed(message, &hint)
        }
        TokenError::Broken { .. } => Failure::failed(
            message,
            "take the file away: the next start makes a new token, and the old ones end",
        ),
        TokenError::Name(_) => Failure::failed(message, "for example `ci`"),
        TokenError::Exists(_) => Failure::no(message, "`hone serve token remove` takes it back"),
        TokenError::NotThere(_) => Failure::no(message, "`hone serve token list` lists them"),
    }
}

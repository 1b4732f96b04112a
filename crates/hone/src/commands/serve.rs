//! `hone serve`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use hone_agent::brain::Brain;
use hone_agent::memory::Subscriber;
use hone_agent::packing::Packer;
use hone_agent::run::{Order, Runner, Space};
use hone_agent::tools::Tool;
use hone_learn::redact::Redactor;
use hone_library::Config;
use hone_library::usage::iso;
use hone_server::http::{
    self, Collector, ENTER, Learning, Log, Making, Role, Scoped, Setup, TokenError, Tokens, Wanted,
    Wish, Workshop,
};
use tokio_util::sync::CancellationToken;

use super::agent::{Interrupt, Supplies, connect, find_with, packed, packer, readable, referenced};
use super::mcp::{live_shelf, writes_for};
use super::policy::configured;
use crate::cli::{Places, Serve, ServeCommand, TokenCommand};
use crate::context::{Context, now};
use crate::json;
use crate::output::{Failure, Outcome, print, print_json, print_lines, say};

/// How often a server looks for agents whose snapshot is behind.
const CATCH_UP: Duration = Duration::from_secs(15 * 60);

pub(crate) fn serve(context: &Context, how: Serve) -> Outcome {
    match how.command {
        Some(ServeCommand::Token(command)) => token(context, command),
        None => listen(context, how),
    }
}

fn listen(context: &Context, how: Serve) -> Outcome {
    let home = &context.around.hone_home;
    let skills = scoped(context)?;
    let places = context.places.clone();
    let of_agent = move |id: &str| {
        let places = Places { agent: Some(id.to_owned()), ..places.clone() };
        scoped(&Context::new(places).ok()?).ok()
    };
    let policy = configured(context)?;
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
    let packing = CancellationToken::new();
    let packer = packer(context, packing.clone(), |done| {
        if let Some(line) = packed(done) {
            say(&line);
        }
    });
    let workshop = Bench {
        supplies: Supplies::of(context)?,
        space: readable(context).map(Space::Read),
        tools: connect(context, &runtime),
        packer: Arc::clone(&packer),
    };
    let traces = how.traces.as_deref().map(collector).transpose()?;
    let first = Tokens::new(home).first(now()).map_err(wrong_tokens)?;
    let url = bound.address.url();
    if let Some(token) = first {
        print(&format!("{url}{ENTER}?token={token}\n"))?;
        say("the link above holds the owner's token; it is shown this once");
    } else {
        print(&format!("{url}/\n"))?;
        say(&format!(
            "its token was shown at the first start; `hone serve token add NAME` makes another, for \
             {url}{ENTER}?token=TOKEN"
        ));
    }
    let setup = Setup {
        hone_home: home.clone(),
        around: context.around.clone(),
        skills,
        of_agent: Box::new(of_agent),
        policy,
        workshop: Arc::new(workshop),
        learning: Learning {
            settings: context.config.learn.clone(),
            redactor: Redactor::new(Some(&context.around.user_home)),
            referenced: referenced(context),
        },
        is_read_only: how.read_only,
        now: Arc::new(now),
        traces,
        log: Log::new(how.log.into(), std::io::stderr()),
    };
    let interrupt = Interrupt::listen();
    let catching_up = runtime.spawn(keep_packed(home.clone(), Arc::clone(&packer)));
    runtime.block_on(http::serve(bound, setup, interrupt.task()));
    catching_up.abort();
    interrupt.stops(&packing);
    runtime.block_on(packer.finish());
    interrupt.done();
    Ok(ExitCode::SUCCESS)
}

/// The skills that a connection sees in these places.
fn scoped(context: &Context) -> Result<Scoped, Failure> {
    Ok(Scoped {
        shelf: live_shelf(context)?,
        own: context.root_for_new(false)?,
        agent: writes_for(context),
    })
}

/// Packs agents whose snapshot is behind, now and then: one that failed has no task of its own to wait for.
async fn keep_packed(hone_home: PathBuf, packer: Arc<Packer>) {
    let mut clock = tokio::time::interval(CATCH_UP);
    loop {
        clock.tick().await;
        for id in Brain::all(&hone_home).unwrap_or_default() {
            if let Ok(brain) = Brain::find(&hone_home, &id) {
                packer.catch_up(&brain);
            }
        }
    }
}

/// A collector of spans that a person named, wherever it is.
fn collector(address: &str) -> Result<Collector, Failure> {
    let wrong = |error: hone_net::Error| {
        let hint = "for example `http://127.0.0.1:4318/v1/traces`";
        Failure::failed(format!("traces cannot go to `{address}`: {error}"), hint)
    };
    let url = hone_net::parse(address).map_err(wrong)?;
    let settings = hone_net::Settings {
        reach: hone_net::Reach::Anywhere,
        plain_http: hone_net::PlainHttp::Allowed,
        ..hone_net::Settings::default()
    };
    let client = Arc::new(hone_net::Client::new(settings).map_err(wrong)?);
    // An address that could never be asked is refused now.
    client.transport_for(&url).map_err(wrong)?;
    Ok(Collector { client, url, note: |note| say(&format!("note: {note}")) })
}

/// What tasks of agents are made from.
struct Bench {
    supplies: Supplies,
    space: Option<Space>,
    tools: Vec<Arc<dyn Tool>>,
    packer: Arc<Packer>,
}

impl Workshop for Bench {
    fn runner<'a>(&'a self, wish: &'a Wish, cancelled: CancellationToken) -> Making<'a> {
        Box::pin(async move {
            let brain = Brain::find(&self.supplies.hone_home, &wish.agent);
            let settings = brain.and_then(|brain| brain.settings()).map_err(|e| e.to_string())?;
            let wanted = wish.model.clone().or(settings.model);
            // A model may have been set up since the server began.
            let config = Config::load(&self.supplies.hone_home).map_err(|error| {
                told(&Failure::from(error).advised("mend that file".to_owned()))
            })?;
            let supplies = self.supplies.with(config.model);
            let found = find_with(supplies.settings.clone(), wanted.as_deref()).await;
            let found = found.map_err(|failure| told(&failure))?;
            let subscriber = match &wish.subscriber {
                None => Subscriber::Owner,
                Some(name) => Subscriber::named(name).map_err(|error| error.to_string())?,
            };
            let order = Order {
                agent: wish.agent.clone(),
                input: wish.input.clone(),
                subscriber,
                space: self.space.clone(),
                turns: wish.turns,
                tokens: wish.tokens,
                ..Order::default()
            };
            let runner = supplies.runner(found.model, cancelled);
            let (tools, packer) = (self.tools.clone(), Some(Arc::clone(&self.packer)));
            Ok((Runner { tools, packer, ..runner }, order))
        })
    }
}

/// A failure for somebody who is not at the command line, with what to do next.
fn told(failure: &Failure) -> String {
    let hint = failure.hint().map_or(String::new(), |hint| format!("\n{hint}"));
    format!("{failure}{hint}")
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

//! `hone invoke`.

use std::process::ExitCode;

use hone_library::usage::{self, Event};
use hone_library::{Catalogue, Listed, memo};
use hone_router::{
    Answers, CORE_COMMANDS, Caller, CommandError, Commands, Declared, Inline, Kind, NOT_OFFERED,
    Need, Payload, PayloadError, Place, Question, Request, join_arguments, prepare, question,
    requirements_of, select,
};

use super::admit::{Decider, admit};
use super::agent::{Fork, INTERRUPTED, exit_code};
use super::answers::Kept;
use super::inline_shell::InSandbox;
use super::keyring;
use super::needs::{ask, can_ask, from_environment, looked_at, tell};
use crate::context::{Context, now};
use crate::json::routing;
use crate::output::{Failure, NO, Outcome, print_data, print_json, say};

/// Longest name of a session, in bytes.
const MAX_SESSION_BYTES: usize = 128;
/// So many loaded skills are remembered, of all sessions together.
const MAX_LOADED: usize = 1_000;
const TOPIC: &str = "session";

/// How a call is made.
pub(crate) struct Call {
    pub(crate) session: Option<String>,
    pub(crate) caller: Caller,
    pub(crate) inline: bool,
    pub(crate) allow_missing: bool,
    pub(crate) keep: bool,
    pub(crate) json: bool,
}

/// What a message asks for.
struct Meant<'c> {
    skills: Vec<&'c Listed>,
    words: String,
    instructions: Vec<String>,
    not_loaded: Vec<(String, String)>,
}

pub(crate) fn invoke(context: &Context, message: &[String], call: &Call) -> Outcome {
    if let Some(session) = &call.session {
        let is_good = !session.is_empty()
            && session.len() <= MAX_SESSION_BYTES
            && !session.contains(char::is_control);
        if !is_good {
            let message = format!("a session has 1 to {MAX_SESSION_BYTES} visible characters");
            return Err(Failure::failed(message, "use `--session 1`"));
        }
    }
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let commands = Commands::new(&catalogue, &context.config.bundles, &CORE_COMMANDS);
    let message = joined(message);
    let meant = meant(context, &catalogue, &commands, &message, call.caller)?;
    for (name, why) in &meant.not_loaded {
        // What is not offered is not loaded: one of both is enough.
        let why = why.strip_prefix(NOT_OFFERED).unwrap_or(why);
        say(&format!("note: `{name}` is not loaded: {why}"));
    }

    let asks = call.caller == Caller::Person && !call.json;
    admit(context, &meant.skills, if asks { Decider::Person } else { Decider::Nobody })?;

    let kept = call.session.as_deref().and_then(Kept::of);
    let mut answers = kept.as_ref().map(Kept::read).unwrap_or_default();
    let mut declared = Vec::new();
    for skill in &meant.skills {
        let needs: Declared = requirements_of(skill)?;
        from_environment(skill, &needs, &mut answers);
        for problem in &needs.problems {
            say(&format!("warning: `{}`: {problem}", skill.summary.name));
        }
        declared.push(needs);
    }
    let mut needs = given(looked_at(context, &meant.skills, &declared), &answers);
    if let Some(missing) = question(&needs) {
        tell(&missing);
        // No answer is asked for in vain: what a person cannot type here must be there first.
        let can_go_on = missing.other.is_empty() || call.allow_missing;
        if can_ask() && !call.json && can_go_on {
            let Some(asked) = ask(&missing)? else { return Ok(ExitCode::from(INTERRUPTED)) };
            for (skill, name, value) in asked.values() {
                answers.give(skill, name, value.expose());
                if call.keep {
                    keyring::keep(skill, name, value.expose())?;
                }
            }
            match &kept {
                Some(kept) if asked.values().next().is_some() => kept.add(&asked)?,
                None if call.session.is_some() => {
                    say("note: the answers are for this call only: there is no `XDG_RUNTIME_DIR`");
                }
                _ => {}
            }
            needs = given(needs, &answers);
        }
    }
    let still = question(&needs).filter(|_| !call.allow_missing);

    let is_loaded = |skill: &Listed, hash: &str| {
        let key = key(call.session.as_deref().unwrap_or_default(), skill);
        memo::recall(&context.state, TOPIC, &key).ok().flatten().is_some_and(|old| old == hash)
    };
    let request = Request {
        skills: &meant.skills,
        words: &meant.words,
        instructions: &meant.instructions,
        missing: &meant.not_loaded,
        caller: call.caller,
        session: call.session.as_deref(),
        is_loaded: &is_loaded,
        variables: context.config.invoke.variables,
        inline: Inline::Off,
        needs: &needs,
        answers: &answers,
    };
    let mut payload = prepare(&request).map_err(not_prepared)?;
    let forks = payload.place() == Place::Fork && !call.inline;
    let is_given = still.is_none() && !forks;
    let runs = context.config.invoke.inline_shell;
    // Nothing runs for a text that nobody gets, and without a model nobody gets that of a fork.
    let fork = (forks && still.is_none()).then(|| Fork::ready(context));
    let has_reader = is_given || matches!(fork, Some(Ok(_)));
    if runs && has_reader {
        let runner = InSandbox { context, skills: &meant.skills };
        payload =
            prepare(&Request { inline: Inline::Run(&runner), ..request }).map_err(not_prepared)?;
    }
    if let Some(fork) = fork {
        let told = report(&payload, &meant, &needs, None, true, runs);
        return forked(context, fork, &payload.text, &meant.skills, &answers, told, call.json);
    }
    if call.json {
        print_json(&report(&payload, &meant, &needs, still.as_ref(), forks, runs))?;
    } else if is_given {
        print_data(&payload.text)?;
    }
    if is_given {
        for (skill, activated) in meant.skills.iter().zip(&payload.skills) {
            usage::count(&context.state, skill, Event::Use, now());
            if let Some(session) = &call.session {
                let key = key(session, skill);
                memo::remember(&context.state, TOPIC, &key, &activated.hash, MAX_LOADED, now());
            }
        }
        return Ok(ExitCode::SUCCESS);
    }
    say("hint: set what is missing, or go on without it: `--allow-missing`");
    Ok(ExitCode::from(NO))
}

/// Runs the skills as a task of their own, and says what came of it.
fn forked(
    context: &Context,
    fork: Result<Fork, Failure>,
    text: &str,
    skills: &[&Listed],
    answers: &Answers,
    mut told: routing::Invoked,
    as_json: bool,
) -> Outcome {
    let done = fork.and_then(|fork| fork.run(context, text, skills, answers, &told.tools, as_json));
    if let Ok(done) = &done {
        for skill in skills {
            usage::count(&context.state, skill, Event::Use, now());
        }
        told.available = true;
        told.answer = done.finished.answer().map(std::borrow::Cow::into_owned);
        told.end = Some(done.finished.end.to_string());
        told.steps = Some(done.finished.steps.len());
    }
    if as_json {
        print_json(&told)?;
    }
    match done {
        Ok(done) => Ok(exit_code(&done)),
        // The report was printed, and says that it is not available here.
        Err(error) if as_json => {
            error.report();
            Ok(ExitCode::from(NO))
        }
        Err(error) => Err(error.advised("`--inline` gives it to this conversation".to_owned())),
    }
}

fn report(
    payload: &Payload,
    meant: &Meant<'_>,
    needs: &[Need],
    still: Option<&Question>,
    forks: bool,
    runs: bool,
) -> routing::Invoked {
    let mut tools: Vec<String> = Vec::new();
    for tool in payload.skills.iter().flat_map(|skill| &skill.tools) {
        if !tools.contains(tool) {
            tools.push(tool.clone());
        }
    }
    routing::Invoked {
        text: still.is_none().then(|| payload.text.clone()),
        tokens: payload.tokens,
        caller: match payload.caller {
            Caller::Person => "person",
            Caller::Model => "model",
        },
        words: payload.words.clone(),
        context: routing::place(if forks { Place::Fork } else { Place::Inline }),
        available: !forks,
        answer: None,
        end: None,
        steps: None,
        tools: if forks { tools } else { Vec::new() },
        skills: payload.skills.iter().cloned().map(Into::into).collect(),
        needs: needs.iter().map(Into::into).collect(),
        question: still.map(Into::into),
        not_loaded: meant
            .not_loaded
            .iter()
            .map(|(name, why)| routing::NotLoaded { name: name.clone(), why: why.clone() })
            .collect(),
        inline_shell: if runs { "run" } else { "off" },
    }
}

fn not_prepared(error: PayloadError) -> Failure {
    match error {
        PayloadError::Library(error) => Failure::from(error),
        other => Failure::no(other.to_string(), ""),
    }
}

/// Needs as they are once a person has answered, now or earlier in the session.
fn given(mut needs: Vec<Need>, answers: &Answers) -> Vec<Need> {
    for need in &mut needs {
        let name = &need.requirement.name;
        if need.requirement.kind == Kind::Variable
            && need.skills.iter().all(|by| answers.has(&by.path, name))
        {
            need.status = hone_router::Status::Met;
        }
    }
    needs
}

/// Arguments as one message. What was one argument in the shell stays one; a single one is the message as
/// it was typed elsewhere.
fn joined(message: &[String]) -> String {
    match message {
        [whole] => whole.clone(),
        words => join_arguments(words.iter().map(String::as_str)),
    }
}

fn meant<'c>(
    context: &Context,
    catalogue: &'c Catalogue,
    commands: &'c Commands<'c>,
    message: &'c str,
    caller: Caller,
) -> Result<Meant<'c>, Failure> {
    let only = |skills, words: &str| Meant {
        skills,
        words: words.to_owned(),
        instructions: Vec::new(),
        not_loaded: Vec::new(),
    };
    // A model names one skill; commands, bundles and mentions are a person's.
    if caller == Caller::Model {
        let (name, words) = message.split_once(char::is_whitespace).unwrap_or((message, ""));
        let name = name.strip_prefix('/').unwrap_or(name);
        let skill = catalogue.resolve(name, &context.around.cwd)?;
        return Ok(only(vec![skill], words.trim_start()));
    }
    match commands.parse(message) {
        Ok(stack) => {
            return Ok(Meant {
                skills: stack.skills,
                words: stack.words.to_owned(),
                instructions: stack.instructions,
                not_loaded: stack.missing,
            });
        }
        // A message may well start with a path.
        Err(CommandError::NotACommand) => {}
        Err(error) => {
            let failure = refusal(context, &error);
            let CommandError::Unknown { command, .. } = &error else { return Err(failure) };
            // A skill that is there and not offered has a reason.
            return Err(match catalogue.resolve(command, &context.around.cwd) {
                Err(hone_library::Error::NotFound { hidden: Some(why), .. }) => {
                    Failure::no(error.to_string(), &why)
                }
                _ => failure,
            });
        }
    }
    let selection = select(catalogue, message, &[], &[], &context.around.cwd);
    if selection.skills.is_empty() {
        let why: Vec<String> = selection
            .unselected
            .iter()
            .map(|unselected| format!("`{}`: {}", unselected.mention, unselected.why))
            .collect();
        let why = if why.is_empty() { "it mentions none".to_owned() } else { why.join("; ") };
        return Err(Failure::no(
            format!("this message calls no skill: {why}"),
            "start it with `/name`, or mention one as `$name`; `hone commands` lists them",
        ));
    }
    let mut meant = only(selection.skills, message);
    meant.not_loaded =
        selection.unselected.into_iter().map(|other| (other.mention, other.why)).collect();
    Ok(meant)
}

fn refusal(context: &Context, error: &CommandError) -> Failure {
    let typed = |commands: &[String]| {
        commands.iter().map(|command| format!("`/{command}`")).collect::<Vec<_>>().join(", ")
    };
    let hint = match error {
        CommandError::Unknown { near, .. } if !near.is_empty() => {
            format!("did you mean {}?", typed(near))
        }
        CommandError::Core { instead, .. } if !instead.is_empty() => {
            format!("type {}", typed(instead))
        }
        CommandError::Unknown { .. } | CommandError::NotACommand | CommandError::Core { .. } => {
            "`hone commands` lists them".to_owned()
        }
        CommandError::Ambiguous { .. } => "type more of it".to_owned(),
        CommandError::NotForPeople { .. } => "a model may load it: `--as model`".to_owned(),
        CommandError::EmptyBundle { .. } => {
            let config = hone_library::Config::path(&context.around.hone_home);
            format!("bundles are in `{}`", context.shown(&config))
        }
    };
    Failure::no(error.to_string(), &hint)
}

fn key(session: &str, skill: &Listed) -> String {
    format!("{session}\0{}", skill.path.display())
}

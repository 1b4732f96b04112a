//! `hone needs`, and what `hone invoke` asks before the work starts.

use std::fmt::Write as _;
use std::io::{self, BufRead, IsTerminal as _};
use std::process::ExitCode;

use hone_library::{Catalogue, Listed, Reason};
use hone_router::{Answers, Declared, Kind, Need, Probe, Question, Status, requirements_of};
use rustix::termios::{
    LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};

use super::{keyring, mcp_servers};
use crate::context::Context;
use crate::json::routing;
use crate::output::{Failure, NO, Outcome, count, print, print_json, say};
use crate::terminal::{hung, printable_line, room};

pub(crate) fn needs(context: &Context, names: &[String], forget: bool, as_json: bool) -> Outcome {
    let catalogue = context.catalogue()?;
    context.tell_problem();
    let elsewhere = match names {
        [] => catalogue.skipped.iter().filter(|one| one.reason == Reason::Platform).count(),
        _ => 0,
    };
    let skills: Vec<Listed> = if names.is_empty() {
        catalogue.skills
    } else {
        names.iter().map(|name| asked_for(context, &catalogue, name)).collect::<Result<_, _>>()?
    };
    let skills: Vec<&Listed> = skills.iter().collect();
    let mut problems = Vec::new();
    let declared: Vec<Declared> = skills
        .iter()
        .map(|skill| {
            let declared = requirements_of(skill).unwrap_or_else(|error| Declared {
                problems: vec![error.to_string()],
                ..Declared::default()
            });
            problems.extend(declared.problems.iter().map(|message| routing::NeedsProblem {
                name: skill.summary.name.clone(),
                message: message.clone(),
            }));
            declared
        })
        .collect();
    if forget {
        for (skill, declared) in skills.iter().zip(&declared) {
            for variable in declared.requirements.iter().filter(|r| r.kind == Kind::Variable) {
                if keyring::forget(&skill.path, &variable.name) {
                    say(&format!("forgot {} ({})", variable.name, skill.summary.name));
                }
            }
        }
    }
    let needs = looked_at(context, &skills, &declared);
    let ready = !needs.iter().any(Need::is_lacking);
    let code = if ready { ExitCode::SUCCESS } else { ExitCode::from(NO) };
    if elsewhere > 0 {
        let are = if elsewhere == 1 { "is" } else { "are" };
        say(&format!(
            "note: {} {are} for another platform and not offered here; `hone list --all` names them",
            count(elsewhere, "skill")
        ));
    }
    if as_json {
        let needs = needs.iter().map(Into::into).collect();
        return print_json(&routing::Readiness { needs, ready, problems }).map(|_| code);
    }
    let mut text = String::new();
    for need in &needs {
        let lead = format!("{:7}  ", need.status.id());
        let _ = writeln!(text, "{}", hung(&lead, &printable_line(&described(need)), room()));
    }
    print(&text)?;
    for problem in &problems {
        say(&format!("warning: `{}`: {}", problem.name, problem.message));
    }
    if needs.is_empty() {
        say("nothing is needed");
    }
    Ok(code)
}

/// A skill that somebody asks about by name: one that is not offered for its platform lacks just that.
fn asked_for(context: &Context, catalogue: &Catalogue, name: &str) -> Result<Listed, Failure> {
    context.skill(catalogue, name).or_else(|failure| {
        let known = context.known(catalogue, name)?;
        let of_platform = catalogue.skipped.iter().filter(|one| one.reason == Reason::Platform);
        let mut skills = of_platform.filter_map(|one| one.skill.as_deref());
        if skills.any(|skill| skill.path == known.path) { Ok(known) } else { Err(failure) }
    })
}

/// The needs of some skills, with what the process finds around it.
pub(crate) fn looked_at(context: &Context, skills: &[&Listed], declared: &[Declared]) -> Vec<Need> {
    let probe = Probe { platform: &context.around.platform, ..Probe::of_process() };
    let mut needs = hone_router::needs(skills.iter().copied().zip(declared), &probe);
    let is_kept = |need: &Need| {
        let name = &need.requirement.name;
        need.skills.iter().all(|by| keyring::kept(&by.path, name).is_some())
    };
    for need in needs
        .iter_mut()
        .filter(|need| need.requirement.kind == Kind::Variable && need.status == Status::Missing)
    {
        if is_kept(need) {
            need.status = Status::Met;
        }
    }
    if needs.iter().any(|need| need.requirement.kind == Kind::Mcp) {
        let servers = mcp_servers::set_up(&context.around);
        for need in needs.iter_mut().filter(|need| need.requirement.kind == Kind::Mcp) {
            if servers.contains(&need.requirement.name) {
                need.status = Status::Met;
            }
        }
    }
    needs
}

/// The values that the environment or the keyring has for the variables of a skill: known, so that they can be passed
/// on to its processes and kept out of every text.
pub(crate) fn from_environment(skill: &Listed, declared: &Declared, answers: &mut Answers) {
    for requirement in declared.requirements.iter().filter(|r| r.kind == Kind::Variable) {
        let from_keyring = || keyring::kept(&skill.path, &requirement.name);
        if let Ok(value) = std::env::var(&requirement.name) {
            answers.pass_on(&skill.path, &requirement.name, &value);
        } else if let Some(value) = from_keyring() {
            answers.give(&skill.path, &requirement.name, &value);
        }
    }
}

fn described(need: &Need) -> String {
    let requirement = &need.requirement;
    let names: Vec<&str> = need.skills.iter().map(|by| by.name.as_str()).collect();
    let mut line = format!("{} {}", requirement.kind.id(), requirement.name);
    if requirement.optional {
        line.push_str(", optional");
    }
    let _ = write!(line, " ({})", names.join(", "));
    if let Some(why) = &requirement.why {
        let _ = write!(line, ": {why}");
    }
    if let Some(help) = &requirement.help {
        let _ = write!(line, " [{help}]");
    }
    line
}

/// Says all that is missing.
pub(crate) fn tell(question: &Question) {
    say("before this can work, something is missing:");
    for asked in &question.asked {
        let names: Vec<&str> = asked.skills.iter().map(|by| by.name.as_str()).collect();
        let mut line = format!("  variable {} ({})", asked.name, names.join(", "));
        if let Some(why) = &asked.why {
            let _ = write!(line, ": {why}");
        }
        if let Some(help) = &asked.help {
            let _ = write!(line, " [{help}]");
        }
        say(&line);
    }
    for need in &question.other {
        say(&format!("  {}", described(need)));
    }
}

/// Whether there is a person to ask.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks for every variable, one after the other and without an echo. An empty line leaves one out; Ctrl-C is no
/// answer at all.
pub(crate) fn ask(question: &Question) -> Result<Option<Answers>, Failure> {
    let mut answers = Answers::default();
    if question.asked.is_empty() {
        return Ok(Some(answers));
    }
    let silence = Silence::start();
    let mut input = io::stdin().lock();
    for asked in &question.asked {
        crate::output::say_rendered(&format!("{} (not shown): ", printable_line(&asked.name)));
        let line = silence.line(&mut input).map_err(|error| {
            Failure::failed(format!("could not read from the terminal: {error}"), "")
        })?;
        say("");
        let Some(line) = line else { return Ok(None) };
        let value = String::from_utf8(line).map_err(|_| {
            Failure::no(format!("that is no value for `{}`: it is not UTF-8", asked.name), "")
        })?;
        let value = value.trim_end_matches(['\n', '\r']);
        for by in &asked.skills {
            if !value.is_empty() && !answers.give(&by.path, &asked.name, value) {
                return Err(Failure::no(
                    format!("that is no value for `{}`: it is too long", asked.name),
                    "",
                ));
            }
        }
    }
    Ok(Some(answers))
}

/// A terminal that does not show what is typed, until this is dropped. A key that would end the process ends
/// the line instead: whoever is killed does not set the terminal back.
struct Silence(Option<Termios>);

/// The keys that end the process, and what they are while nothing is shown.
const ENDING: [(SpecialCodeIndex, SpecialCodeIndex); 2] = [
    (SpecialCodeIndex::VINTR, SpecialCodeIndex::VEOL),
    (SpecialCodeIndex::VQUIT, SpecialCodeIndex::VEOL2),
];

impl Silence {
    fn start() -> Self {
        let Ok(before) = tcgetattr(io::stdin()) else { return Self(None) };
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO | LocalModes::ISIG);
        for (key, end) in ENDING {
            silent.special_codes[end] = before.special_codes[key];
        }
        let is_silent = tcsetattr(io::stdin(), OptionalActions::Now, &silent).is_ok();
        Self(is_silent.then_some(before))
    }

    /// A line, or none when a key ended it that would have ended the process.
    fn line(&self, input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
        let ends = |byte: &u8| {
            let keys = |before: &Termios| ENDING.map(|(key, _)| before.special_codes[key]);
            // 0 is a key that is switched off.
            *byte != 0 && self.0.as_ref().is_some_and(|before| keys(before).contains(byte))
        };
        let mut line = Vec::new();
        loop {
            let typed = input.fill_buf()?;
            let end = typed.iter().position(|byte| *byte == b'\n').map(|at| at + 1);
            let (length, is_end) = (end.unwrap_or(typed.len()), end.is_some() || typed.is_empty());
            line.extend_from_slice(&typed[..length]);
            input.consume(length);
            if line.iter().any(ends) {
                return Ok(None);
            }
            if is_end {
                return Ok(Some(line));
            }
        }
    }
}

impl Drop for Silence {
    fn drop(&mut self) {
        if let Some(before) = &self.0 {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, before);
        }
    }
}

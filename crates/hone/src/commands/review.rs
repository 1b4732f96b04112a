//! `hone review`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use hone_learn::LearnError;
use hone_learn::gate::{Check, Checked, Finding};
use hone_learn::proposal::Proposal;
use hone_learn::records::Records;
use hone_learn::review::{Person, Review, ReviewList, ReviewRow, Word, accept, edit, reject};
use hone_skill::Slug;
use tokio_util::sync::CancellationToken;

use super::agent::{catch_up, runtime};
use super::editor::{edited, keep};
use super::hub::line;
use super::needs::can_ask;
use super::policy::configured;
use crate::cli::ReviewCommand;
use crate::context::{Context, actor, now};
use crate::diff::painted;
use crate::output::{Failure, Outcome, count, print, print_json, say};
use crate::terminal::{columns, fit, printable_line, stdout_is_terminal, style};
use unicode_width::UnicodeWidthStr as _;

/// Bytes of a text that is taken from a file.
const MAX_TEXT_BYTES: u64 = 1024 * 1024;

pub(crate) fn review(
    context: &Context,
    command: Option<ReviewCommand>,
    all: bool,
    as_json: bool,
) -> Outcome {
    let records = records(context)?;
    let home = &context.around.hone_home;
    let name = actor();
    match command {
        None => list(&records, all, as_json),
        Some(ReviewCommand::Show { id }) => {
            let proposal = records.proposal(&id).map_err(failure)?;
            show(context, proposal, as_json)
        }
        Some(ReviewCommand::Accept { id, why, yes }) => {
            let policy = configured(context)?;
            let proposal = records.proposal(&id).map_err(failure)?;
            let word = if yes { Word::Person } else { asked(&proposal)? };
            let person = Person { name: &name, why: &why, now: now(), word };
            let cancelled = CancellationToken::new();
            let accepted = accept(home, &policy, &records, &id, person, &cancelled);
            let (proposal, landed) = runtime()?.block_on(accepted).map_err(failure)?;
            let version = landed.version.as_ref().map(|version| format!(", version {version}"));
            say(&format!(
                "`{}` is a skill of {} now, on trial{}",
                proposal.name,
                proposal.whose(),
                version.unwrap_or_default()
            ));
            // A person's own skills have no brain to be packed.
            if !proposal.agent.is_empty() {
                catch_up(context, &proposal.agent)?;
            }
            if as_json {
                let version = landed.version;
                return print_json(&Review { proposal, diff: None, version });
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(ReviewCommand::Edit { id, file }) => {
            let proposal = records.proposal(&id).map_err(failure)?;
            let slug = Slug::new(&proposal.name).map_err(hone_library::Error::from)?;
            let (text, is_typed) = match file {
                Some(file) => (read(&context.around.cwd.join(file))?, false),
                None => (edited(context, &slug, &proposal.text)?, true),
            };
            let policy = configured(context)?;
            let person = Person { name: &name, why: "", now: now(), word: Word::Person };
            let proposal = edit(home, &policy, &records, &proposal.id, &text, person);
            let proposal = proposal.map_err(|error| {
                // A text that was typed in an editor and then refused is not lost.
                let kept = is_typed.then(|| keep(context, &slug, text.as_bytes())).flatten();
                let (failure, path) = (failure(error), kept);
                let Some(path) = path else { return failure };
                let again = format!("hone review edit {id} --file {}", path.display());
                failure.advised(format!("your text is kept: mend it and run `{again}`"))
            })?;
            show(context, proposal, as_json)
        }
        Some(ReviewCommand::Reject { id: Some(id), why, .. }) => {
            let proposal = put_aside(&records, &id, &name, &why)?;
            if as_json {
                return print_json(&Review { proposal, diff: None, version: None });
            }
            Ok(ExitCode::SUCCESS)
        }
        Some(ReviewCommand::Reject { id: None, why, .. }) => {
            let mut proposals = records.proposals().map_err(failure)?;
            proposals.retain(Proposal::waits);
            for proposal in &mut proposals {
                *proposal = put_aside(&records, &proposal.id, &name, &why)?;
            }
            if as_json {
                let proposals = proposals.iter().map(ReviewRow::from).collect();
                return print_json(&ReviewList { proposals });
            }
            if proposals.is_empty() {
                say("nothing waits for you");
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn put_aside(records: &Records, id: &str, name: &str, why: &str) -> Result<Proposal, Failure> {
    let person = Person { name, why, now: now(), word: Word::Person };
    let proposal = reject(records, id, person).map_err(failure)?;
    say(&format!("`{}` ({}) is put aside", proposal.id, printable_line(&proposal.name)));
    Ok(proposal)
}

/// Whose word it is: a person is asked about what the scan wants one to decide; without one to ask, nobody
/// said yes.
fn asked(proposal: &Proposal) -> Result<Word, Failure> {
    let needs_person =
        |one: &&Checked| (one.check, one.finding) == (Check::Scan, Finding::NeedsPerson);
    let is_open = proposal.is_open();
    let Some(scan) = proposal.checks.iter().find(needs_person).filter(|_| is_open) else {
        return Ok(Word::Program);
    };
    let (name, id) = (printable_line(&proposal.name), &proposal.id);
    let why = printable_line(&scan.why);
    if !can_ask() {
        let hint = format!("look at `hone review show {id}`, then `hone review accept {id} --yes`");
        return Err(Failure::no(format!("`{name}`: {why}; a person has to decide"), &hint));
    }
    say(&format!("`{name}`: {why}"));
    for detail in &scan.details {
        say(&format!("    {}", printable_line(detail)));
    }
    let answer = line(&format!("make it a skill of {} all the same? [y/N] ", proposal.whose()))?;
    if matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(Word::Person);
    }
    Err(Failure::no(format!("`{name}` stays where it is"), ""))
}

/// The records of learning, with what they have to say.
pub(crate) fn records(context: &Context) -> Result<Records, Failure> {
    let mut records = Records::open(&context.around.hone_home).map_err(failure)?;
    if let Some(note) = records.take_note() {
        say(&format!("warning: {note}"));
    }
    Ok(records)
}

/// An error of learning as the command line tells it.
pub(crate) fn failure(error: LearnError) -> Failure {
    let hint = error.hint().unwrap_or_default();
    match error {
        LearnError::Library(error) => Failure::from(error),
        error if error.is_answer() => Failure::no(error.to_string(), &hint),
        error => Failure::failed(error.to_string(), &hint),
    }
}

fn list(records: &Records, all: bool, as_json: bool) -> Outcome {
    let mut proposals = records.proposals().map_err(failure)?;
    proposals.retain(|proposal| all || proposal.waits());
    if as_json {
        let proposals = proposals.iter().map(ReviewRow::from).collect();
        return print_json(&ReviewList { proposals });
    }
    if proposals.is_empty() {
        say(if all {
            "there are no candidates"
        } else {
            "nothing waits for you (`--all` shows what was decided)"
        });
        return Ok(ExitCode::SUCCESS);
    }
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let mut text = String::new();
    for proposal in &proposals {
        let row = ReviewRow::from(proposal);
        let (id, kind, stage) = (&row.id, row.kind, row.stage);
        let about =
            format!("{} of {}", printable_line(&row.name), printable_line(proposal.whose()));
        let why = printable_line(&row.why);
        let line = format!("{id}  {kind:<7} {stage:<12} {about}: {why}");
        if line.width() <= room {
            let _ = writeln!(text, "{line}");
            continue;
        }
        for line in [format!("{id}  {about}"), format!("    {kind}, {stage}"), format!("    {why}")]
        {
            let _ = writeln!(text, "{}", fit(&line, room));
        }
    }
    print(&text)?;
    say(&format!("{}; `hone review show ID` shows one", count(proposals.len(), "candidate")));
    Ok(ExitCode::SUCCESS)
}

fn show(context: &Context, proposal: Proposal, as_json: bool) -> Outcome {
    let review = Review::of(&context.around.hone_home, proposal);
    if as_json {
        return print_json(&review);
    }
    let Review { proposal, diff, .. } = review;
    let style = style();
    let from = (!proposal.task.is_empty())
        .then(|| format!(" from task {}", printable_line(&proposal.task)));
    let mut text = format!(
        "{} {}: {} of {}, {}\nlearned{} because {}\n",
        proposal.kind.id(),
        proposal.id,
        printable_line(&proposal.name),
        printable_line(proposal.whose()),
        proposal.stage.id(),
        from.unwrap_or_default(),
        proposal.why
    );
    if let Some(said) = &proposal.said {
        let _ = writeln!(text, "it said: {}", printable_line(said));
    }
    let _ = writeln!(
        text,
        "cost: {} tokens in {} {}\n",
        proposal.spent.tokens(),
        proposal.spent.replies,
        if proposal.spent.replies == 1 { "reply" } else { "replies" }
    );
    for checked in &proposal.checks {
        let mark = match checked.finding {
            Finding::Passed => "+",
            Finding::Failed => "-",
            Finding::NeedsPerson | Finding::NotMeasured => "?",
        };
        let (check, finding) = (checked.check.id(), checked.finding.id());
        let _ = writeln!(text, "{mark} {check}: {finding}: {}", printable_line(&checked.why));
        for detail in &checked.details {
            let _ = writeln!(text, "    {}", printable_line(detail));
        }
    }
    for (number, edit) in proposal.edits.iter().enumerate() {
        let _ = writeln!(text, "\nedit {}: helped {}, hurt {}", number + 1, edit.helped, edit.hurt);
        for evidence in &edit.evidence {
            let step = evidence.step.as_deref().unwrap_or(&evidence.task);
            let _ = writeln!(
                text,
                "    because {}: {}",
                printable_line(step),
                printable_line(&evidence.what)
            );
        }
    }
    let examples = proposal.examples.iter().map(|message| ("calls it", message));
    let misses = proposal.near_misses.iter().map(|message| ("does not", message));
    text.push('\n');
    for (what, message) in examples.chain(misses) {
        let _ = writeln!(text, "{what}: {}", printable_line(message));
    }
    text.push('\n');
    text.push_str(&painted(&diff.unwrap_or_default(), style));
    print(&text)
}

fn read(path: &Path) -> Result<String, Failure> {
    let failed =
        |why: String| Failure::failed(format!("could not read `{}`: {why}", path.display()), "");
    let about = std::fs::metadata(path).map_err(|error| failed(error.to_string()))?;
    if about.len() > MAX_TEXT_BYTES {
        return Err(failed(format!("it has more than {MAX_TEXT_BYTES} bytes")));
    }
    std::fs::read_to_string(path).map_err(|error| failed(error.to_string()))
}

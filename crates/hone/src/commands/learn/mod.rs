//! `hone learn`: a session, four questions, a skill.

mod rounds;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use hone_guard::policy::Action;
use hone_guard::{Finding, Severity, Verdict};
use hone_learn::Experience;
use hone_learn::draft::{self, Draft};
use hone_learn::gate::changed_unseen;
use hone_learn::redact::Redactor;
use hone_learn::save::{Judged, Lesson, Part, judge, taken};
use hone_learn::sessions::{self, Found, Places, SessionError};
use hone_learn::wizard::{Answers, Place, Taken, Wizard, WrongAnswer};
use hone_library::{Error, Listed, Project, Store};
use hone_skill::{FIRST_VERSION, set_version};
use tokio_util::sync::CancellationToken;

use super::agent::models;
use super::eval::Proposed;
use super::needs::can_ask;
use super::{change, policy};
use crate::cli::{Learn, Writing};
use crate::context::Context;
use crate::json;
use crate::json::learn::{Learned, LearnedFrom, Questions};
use crate::output::{Failure, Outcome, count, print_json, say};
use rounds::Asked;

pub(crate) fn learn(context: &Context, learn: &Learn) -> Outcome {
    let found = session(context, learn.session.as_deref())?;
    let (experience, part) = chosen(learn, &found)?;
    let redactor = Redactor::new(Some(&context.around.user_home));
    let experience = experience.redacted(&redactor);
    let lesson = Lesson::new(&experience, part);
    let answers = learn.answers.as_deref().map(|file| read_answers(context, file)).transpose()?;
    // What is only shown needs nobody's answers.
    let is_kept = learn.yes || (learn.writing.dry_run && !can_ask());
    if answers.is_none() && !is_kept && !learn.questions && !can_ask() {
        let hint = "keep every default with `--yes`, or see `--questions` and `--answers`";
        return Err(Failure::failed("there is no terminal to ask the questions on", hint));
    }
    if learn.session.is_none() && !learn.questions {
        let source = &experience.source;
        say(&format!("learning from the newest session, {} {}", source.agent.id(), source.session));
    }
    let (draft, model) = drafted(context, learn, &experience, &redactor)?;
    let wanted = draft.name.clone();
    let mut wizard = Wizard::new(draft, places(context, &lesson)?);
    let proposed = wizard.draft().name.clone();
    if !learn.questions && answers.is_none() {
        tell_name(&wizard, &wanted);
    }
    let source = LearnedFrom::new(&experience, model);
    if learn.questions {
        return print_json(&Questions { source, questions: wizard.questions() });
    }
    let seen = match answers {
        Some(_) => Seen::Answered,
        None if is_kept => Seen::Unseen,
        None => Seen::Asked,
    };
    if seen == Seen::Asked {
        say(&about(&experience));
        if rounds::ask(context, &mut wizard)? == Asked::Cancelled {
            return Err(Failure::no("cancelled, so nothing was saved", ""));
        }
    } else {
        let is_answered = answers.is_some();
        wizard.answer_all(answers.unwrap_or_default()).map_err(|error| wrong(&error))?;
        // A name that the answers chose is nobody's surprise, unless it is the name of what was learned.
        let is_learned = wizard.refines().is_some_and(|taken| taken.learned.is_some());
        if is_answered && (is_learned || wizard.draft().name == proposed) {
            tell_name(&wizard, &wanted);
        }
    }
    let why = learn.writing.why.as_deref();
    let reason = if wizard.is_as_proposed() { lesson.reason(why) } else { lesson.worded(why) };
    let Some((draft, place)) = wizard.finish() else {
        return Err(Failure::failed("a question is still open", ""));
    };
    let writing = Writing { why: Some(reason), ..learn.writing.clone() };
    save(context, &writing, (&draft, seen), &place, &lesson, source)
}

/// Who looked at what is saved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seen {
    /// A person, at a terminal.
    Asked,
    /// Whoever wrote the answers.
    Answered,
    /// Nobody: every default was kept.
    Unseen,
}

/// Says what the name means where there is a skill of it already.
fn tell_name(wizard: &Wizard, wanted: &str) {
    let name = &wizard.draft().name;
    if let Some(learned) = wizard.refines().and_then(|taken| taken.learned) {
        let which = if learned.from_this { "from this session" } else { "before" };
        say(&format!(
            "note: `{name}` was learned {which}, and this becomes its next version; another name makes \
             another skill"
        ));
        return;
    }
    if name != wanted {
        say(&format!("note: there is a skill `{wanted}` already, so this one is called `{name}`"));
    }
    let all = wizard.places().iter().flat_map(|place| &place.taken);
    let is_changed = |taken: &&Taken| taken.learned.is_some_and(|learned| learned.from_this);
    if let Some(Taken { slug, .. }) = all.into_iter().find(is_changed) {
        say(&format!(
            "note: `{slug}` was learned from this session and changed since; that name makes this its next \
             version"
        ));
    }
}

/// The task of a session that is meant, and which it is: the last, unless somebody says which.
fn chosen(learn: &Learn, found: &Found) -> Result<(Experience, Part), Failure> {
    if learn.whole {
        let whole = sessions::read(found).map_err(|error| unread(&error))?;
        return Ok((whole, Part::Whole));
    }
    let mut tasks = sessions::read_tasks(found).map_err(|error| unread(&error))?;
    let count = tasks.len();
    let number = learn.task.unwrap_or(count);
    if !(1..=count).contains(&number) {
        let message = format!("`{}` has no task {number}", found.id);
        let hint = match count {
            1 => "it has one; leave `--task` out".to_owned(),
            count => format!("it has {count}; the last is `--task {count}`"),
        };
        return Err(Failure::no(message, &hint));
    }
    if count > 1 && learn.task.is_none() && !learn.questions {
        say(&format!(
            "note: the session has {count} tasks, and this is the last; `--task N` takes another, `--whole` \
             all of them as one"
        ));
    }
    Ok((tasks.swap_remove(number - 1), Part::Task(number)))
}

/// What was found, in a line.
fn about(experience: &Experience) -> String {
    let mut line = format!("found {}", count(experience.steps.len(), "step"));
    if experience.skipped > 0 {
        let skipped = usize::try_from(experience.skipped).unwrap_or(usize::MAX);
        let _ = write!(line, ", {} passed over", count(skipped, "record"));
    }
    if !experience.converged {
        line.push_str("; the session did not come to its end, so look at the steps with care");
    }
    line
}

/// The session that is meant.
fn session(context: &Context, meant: Option<&str>) -> Result<Found, Failure> {
    let places = Places::of(&context.around);
    let cwd = &context.around.cwd;
    match meant {
        Some(meant) => places.find(meant, cwd).map_err(|error| unread(&error)),
        None => places.newest(cwd).ok_or_else(|| {
            let hint = "`hone sessions` lists what there is; a file can be named too";
            Failure::no("there is no session to learn from", hint)
        }),
    }
}

fn unread(error: &SessionError) -> Failure {
    match error {
        SessionError::NotFound(_) | SessionError::Ambiguous { .. } => {
            Failure::no(error.to_string(), "`hone sessions` lists them")
        }
        SessionError::Empty(_) | SessionError::NotASession(_) => {
            Failure::no(error.to_string(), "`hone sessions` lists others")
        }
        SessionError::Io { .. } | SessionError::Database { .. } => {
            Failure::failed(error.to_string(), "")
        }
    }
}

fn wrong(error: &WrongAnswer) -> Failure {
    Failure::no(error.to_string(), "`hone learn --questions` shows the form of the answers")
}

fn read_answers(context: &Context, file: &Path) -> Result<Answers, Failure> {
    let is_stdin = file.as_os_str() == "-";
    let (shown, text) = if is_stdin {
        ("standard input".to_owned(), change::text_of_stdin()?)
    } else {
        let path = context.around.cwd.join(file);
        (format!("`{}`", file.display()), change::text_or_file(None, Some(&path))?)
    };
    let wrong = |why: String| {
        let hint = "`hone learn --questions` shows the form of the answers";
        Failure::failed(format!("{shown} has no answers: {why}"), hint)
    };
    // A list would be read as the answers in their order.
    if text.trim_start().starts_with('[') {
        return Err(wrong("it is a list, and answers are an object".to_owned()));
    }
    serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))
}

/// The draft of an experience, and the model that worded it. Only a model that the person named, here
/// or in the configuration, gets to see what they did.
fn drafted(
    context: &Context,
    learn: &Learn,
    experience: &Experience,
    redactor: &Redactor,
) -> Result<(Draft, Option<String>), Failure> {
    let draft = Draft::from_experience(experience);
    let settings = &context.config.model;
    let is_configured = settings.name.is_some() || settings.base_url.is_some();
    if learn.no_model || (learn.model.is_none() && !is_configured) {
        return Ok((draft, None));
    }
    let runtime = super::agent::runtime()?;
    let found = runtime.block_on(models::find(context, learn.model.as_deref()))?;
    let name = found.model.name().to_owned();
    say(&format!("asking {name} to word it"));
    let cancelled = CancellationToken::new();
    let asked = draft::ask(&*found.model, experience, &draft, redactor, &cancelled);
    match runtime.block_on(asked) {
        Ok(drafted) => {
            let usage = drafted.usage;
            say(&format!("{name}: {} tokens in, {} out", usage.input, usage.output));
            Ok((drafted.draft, Some(name)))
        }
        Err(error) => {
            say(&format!(
                "warning: {name} gave no draft, so it comes from the transcript: {error}"
            ));
            Ok((draft, None))
        }
    }
}

/// Where it can be saved: what `--root` or `--agent` names, else the person's and the project's skills.
fn places(context: &Context, lesson: &Lesson) -> Result<Vec<Place>, Failure> {
    let place = |id: &str, path: PathBuf| -> Result<Place, Failure> {
        let taken = taken(&context.state, &context.skills_in(&path)?, lesson)?;
        Ok(Place { id: id.to_owned(), path, taken })
    };
    let first = context.root_for_new(false)?;
    if !context.places.root.is_empty() || context.places.agent.is_some() {
        return Ok(vec![place("given", first)?]);
    }
    let mut places = vec![place("user", first)?];
    if Project::find(&context.around).is_some() {
        places.push(place("project", context.root_for_new(true)?)?);
    }
    Ok(places)
}

/// Saves the skill and its suite as one revision, unless the guard or the policy says no. What was
/// learned before goes to its next version.
fn save(
    context: &Context,
    writing: &Writing,
    (draft, seen): (&Draft, Seen),
    place: &Place,
    lesson: &Lesson,
    source: LearnedFrom,
) -> Outcome {
    let judged = judge(draft, &policy::configured(context)?)
        .map_err(|error| Failure::no(error.to_string(), ""))?;
    tell_findings(&judged.report.findings);
    if !writing.dry_run {
        admit(&judged, seen == Seen::Asked)?;
    }
    let here = context.skills_in(&place.path)?;
    let old = match place.taken.iter().find(|taken| taken.slug == draft.name) {
        None => None,
        Some(known) => Some(unchanged(context, &here, known, lesson)?),
    };
    let write = |store: Store<'_>| match old {
        Some(old) => store.upsert(&place.path, old.summary.title(), &judged.text, &here),
        None => store.create(&place.path, None, &draft.name, &judged.text, &here),
    };
    let suite = if let Some(old) = old {
        Proposed::more(old, draft.suite())
    } else {
        let planned = context.write(&place.path, &writing.dry(), write)?;
        Proposed::of(context, &planned, &draft.suite())?
    };
    if let Some(old) = old {
        refuse_needless(old, &judged.text, suite.is_some())?;
        if seen == Seen::Unseen {
            refuse_rewrite(old, &judged.text)?;
        }
    }
    let with_suite = |store: Store<'_>| write(Proposed::with(suite.as_ref(), store));
    let change = context.write(&place.path, writing, with_suite)?;
    if !writing.json {
        change::report(context, &change, writing)?;
    }
    if !writing.dry_run {
        if let Some(suite) = suite {
            suite.tell();
        }
        change::tell_untrusted(context, usize::from(place.id == "project"));
    }
    if writing.json {
        return print_json(&Learned {
            source,
            place: place.id.clone(),
            verdict: judged.report.verdict.word(),
            findings: judged.report.findings,
            change: json::Changed::from(&change),
        });
    }
    if !writing.dry_run {
        let name = &draft.name;
        say(&format!("hint: `hone view {name}` shows it, `hone edit {name}` changes it"));
    }
    Ok(std::process::ExitCode::SUCCESS)
}

/// The skill that is to have another version, if it is what it was when the questions began.
fn unchanged<'s>(
    context: &Context,
    here: &'s [Listed],
    known: &Taken,
    lesson: &Lesson,
) -> Result<&'s Listed, Failure> {
    let old = here.iter().find(|skill| skill.summary.slug.as_str() == known.slug);
    let Some(old) = old else {
        let hint = "learn it once more, to make a new one";
        return Err(Failure::no(format!("there is no skill `{}` any more", known.slug), hint));
    };
    if taken(&context.state, std::slice::from_ref(old), lesson)?.first() != Some(known) {
        return Err(Error::Changed { path: old.path.clone() }.into());
    }
    Ok(old)
}

/// No, to a version that would say what the one that is there says.
fn refuse_needless(old: &Listed, new: &str, has_messages: bool) -> Result<(), Failure> {
    let there = text_of(old)?;
    let version = old.summary.version.as_deref().unwrap_or(FIRST_VERSION);
    let is_same = set_version(new, version).is_ok_and(|new| new == there);
    if is_same && !has_messages {
        let name = &old.summary.name;
        let hint = format!("`hone view {name}` shows it; another name makes another skill");
        return Err(Failure::no(
            format!("`{name}` says this already, so nothing was saved"),
            &hint,
        ));
    }
    Ok(())
}

/// No, to another text in place of the one that is there, when nobody looks at it.
fn refuse_rewrite(old: &Listed, new: &str) -> Result<(), Failure> {
    let Some(why) = changed_unseen(&text_of(old)?, new) else { return Ok(()) };
    let name = &old.summary.name;
    let hint =
        "answer the questions, on a terminal or by `--answers`; another name makes another skill";
    Err(Failure::no(format!("`{name}` would be another skill ({why}), so nothing was saved"), hint))
}

fn text_of(skill: &Listed) -> Result<String, Failure> {
    Ok(String::from_utf8_lossy(&hone_library::read_text(skill)?).into_owned())
}

fn tell_findings(findings: &[Finding]) {
    for finding in findings.iter().filter(|finding| finding.severity >= Severity::Warn) {
        say(&format!("warning: line {}: {} ({})", finding.line, finding.message, finding.rule));
    }
}

/// A person's own skill is allowed whatever it does; what comes from a transcript is nobody's word, so
/// one that looks dangerous is asked about.
fn admit(judged: &Judged, is_asked: bool) -> Result<(), Failure> {
    match judged.action {
        Action::Allow => Ok(()),
        Action::Block => {
            Err(Failure::no("the policy blocks it, so nothing was saved", &judged.why))
        }
        Action::Ask if is_asked && rounds::agrees("it looks dangerous; save it all the same?")? => {
            Ok(())
        }
        Action::Ask => {
            let what = match judged.report.verdict {
                Verdict::Dangerous => "what was learned looks dangerous",
                _ => "the policy wants a person to decide",
            };
            let hint = "look at it with `--dry-run`, and answer the questions on a terminal";
            Err(Failure::no(format!("{what}, so nothing was saved"), hint))
        }
    }
}

//! Whether a skill may be used as it is now.
//!
//! A skill was scanned when it arrived. Its files may have changed since, and so may the rules and
//! the policy, so what is not the person's own is asked about at every call. A report that is kept for
//! exactly these files is used again.

use hone_guard::policy::{Action, Policy, judge};
use hone_guard::{Files, Finding, Report, Severity, Verdict};
use hone_library::reports::{self, Kept};
use hone_library::{Listed, Scope, read_text};

use super::hub::line;
use super::needs::can_ask;
use super::policy::configured;
use super::scan::finding_text;
use crate::context::{Context, now};
use crate::output::{Failure, quoted, say, say_rendered};
use crate::terminal::stderr_style;

/// Whether somebody can decide what the policy leaves to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decider {
    /// Whoever sits at the terminal, if there is one.
    Person,
    /// Nobody: a program or a model calls.
    Nobody,
}

/// Refuses the call of a skill that the policy does not let in, and says what was found in it.
pub(crate) fn admit(
    context: &Context,
    skills: &[&Listed],
    decider: Decider,
) -> Result<(), Failure> {
    let policy = configured(context)?;
    for skill in skills.iter().filter(|skill| is_gated(&policy, skill)) {
        let report = report(context, skill)?;
        let dismissals = context.state.dismissals()?;
        let judgement = judge(&report, &dismissals, now());
        let ruling = policy.decide(skill.origin, judgement.verdict);
        if ruling.action == Action::Allow {
            continue;
        }
        tell(&judgement.findings);
        let name = &skill.summary.name;
        if ruling.action == Action::Ask && decider == Decider::Person && can_ask() {
            say(&format!("`{name}`: {}", ruling.why));
            if is_yes() {
                continue;
            }
        }
        let rule = judgement.findings.first().map_or("RULE", |finding| finding.rule.as_str());
        return Err(Failure::no(
            format!("`{name}` is not called: {}", ruling.why),
            &format!(
                "if it is no danger: `hone policy dismiss {} {rule} --reason WHY`",
                quoted(name)
            ),
        ));
    }
    Ok(())
}

/// Whether any verdict would keep a skill of this origin from being used.
fn is_gated(policy: &Policy, skill: &Listed) -> bool {
    let allows = |verdict| policy.decide(skill.origin, verdict).action == Action::Allow;
    !Verdict::ALL.into_iter().all(allows)
}

/// The report on a skill's files as they are now.
fn report(context: &Context, skill: &Listed) -> Result<Report, Failure> {
    if skill.scope == Scope::Builtin {
        return Ok(Files::of_text("SKILL.md", read_text(skill)?).scan());
    }
    let files = Files::read(skill.key()).map_err(|error| {
        Failure::failed(error.to_string(), "a skill that cannot be scanned is not called")
    })?;
    let key = files.key();
    let before = reports::find(&context.state, &key);
    if let Some(report) = before.and_then(|body| serde_json::from_str(&body).ok()) {
        return Ok(report);
    }
    let report = files.scan();
    let kept = Kept {
        path: skill.key().to_owned(),
        key,
        verdict: report.verdict.word().to_owned(),
        body: serde_json::to_string(&report).unwrap_or_default(),
    };
    reports::keep(&context.state, &[kept], now());
    Ok(report)
}

fn tell(findings: &[&Finding]) {
    let mut page = String::new();
    for finding in findings.iter().filter(|finding| finding.severity > Severity::Info) {
        finding_text(&mut page, finding, stderr_style());
    }
    say_rendered(&page);
}

fn is_yes() -> bool {
    matches!(line("call it? [y]es, [n]o: ").as_deref().map(str::trim), Ok("y" | "yes"))
}

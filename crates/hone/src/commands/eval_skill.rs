//! `hone eval NAME`: a skill's own evals, with the skill and without it.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::process::ExitCode;

use hone_agent::model::Budget;
use hone_learn::evals::{EvalReport, Evals, Evaluator, Spread, picture};
use tokio_util::sync::CancellationToken;

use super::agent::{models, runner, runtime};
use super::review::failure;
use crate::context::Context;
use crate::output::{Failure, NO, Outcome, print, print_json, say};
use crate::terminal::printable_line;

/// How to evaluate.
pub(crate) struct How {
    pub(crate) runs: u32,
    pub(crate) model: Option<String>,
    pub(crate) max_tokens: Option<u64>,
    pub(crate) plot: Option<PathBuf>,
    pub(crate) json: bool,
}

pub(crate) fn eval(context: &Context, name: &str, how: &How) -> Outcome {
    let catalogue = context.catalogue()?;
    let skill = context.skill(&catalogue, name)?;
    let evals = Evals::of(&skill).map_err(failure)?;
    let runtime = runtime()?;
    let found = runtime.block_on(models::find(context, how.model.as_deref()))?;
    if !how.json {
        say(&format!("asking {} ({})", found.model.name(), found.why));
    }
    let runner = runner(context, found.model, CancellationToken::new())?;
    let budget = Budget::new(how.max_tokens, None, runner.prices)
        .map_err(|error| Failure::failed(error.to_string(), ""))?;
    let evaluator = Evaluator { runner: &runner, budget: &budget, runs: how.runs as usize };
    let report = runtime.block_on(evaluator.run(&skill, &evals)).map_err(failure)?;
    if let Some(file) = &how.plot {
        let path = context.around.cwd.join(file);
        hone_library::replace(&path, picture(&report).as_bytes())?;
        say(&format!("wrote `{}`", path.display()));
    }
    let is_better = report.with.passed.mean > report.without.passed.mean;
    if how.json {
        print_json(&report)?;
    } else {
        shown(&report)?;
    }
    Ok(if is_better { ExitCode::SUCCESS } else { ExitCode::from(NO) })
}

fn shown(report: &EvalReport) -> Outcome {
    let spread = |spread: Spread| format!("{:.2} ± {:.2}", spread.mean, spread.deviation);
    let mut text = format!("{:<14} {:>16} {:>16}\n", "", "with", "without");
    let (with, without) = (report.with, report.without);
    for (what, with, without) in [
        ("holds", with.passed, without.passed),
        ("turns", with.turns, without.turns),
        ("tokens", with.tokens, without.tokens),
    ] {
        let _ = writeln!(text, "{what:<14} {:>16} {:>16}", spread(with), spread(without));
    }
    let _ = writeln!(text, "read in {} of {} runs with it", report.loaded, with.runs);
    print(&text)?;
    for note in &report.notes {
        say(&format!("note: {}", printable_line(note)));
    }
    Ok(ExitCode::SUCCESS)
}

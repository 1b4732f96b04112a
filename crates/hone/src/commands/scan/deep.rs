//! `hone scan --deep`: a model reads every skill as well. It can raise a verdict, never lower it, and a
//! skill about which it gives no opinion counts as one that could not be scanned.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

use hone_agent::judge::ModelJudge;
use hone_agent::model::Model;
use hone_guard::{Files, second_opinion};
use tokio::runtime::Runtime;

use super::targets::Target;
use super::{Failed, Scanned};
use crate::commands::agent::{models, runtime};
use crate::context::Context;
use crate::output::{Failure, Progress, say};

/// Skills that have no place of their own on disk, by their path.
pub(super) type Held = HashMap<PathBuf, Arc<Files>>;

/// The files of the targets that are inside the binary or an archive.
pub(super) fn held(targets: &[Target]) -> Held {
    let held = |target: &Target| Some((target.path.clone(), target.files.clone()?));
    targets.iter().filter_map(held).collect()
}

/// The model that is asked.
pub(super) struct Reader {
    model: Arc<dyn Model>,
    runtime: Runtime,
}

impl Reader {
    /// The model that the configuration names or that can be found from here.
    pub(super) fn find(context: &Context) -> Result<Self, Failure> {
        let runtime = runtime()?;
        let found = runtime.block_on(models::find(context, None))?;
        say(&format!("second reader: {}", found.why));
        Ok(Self { model: found.model, runtime })
    }

    /// Adds the model's concerns to the reports; gives the skills it had no opinion about.
    pub(super) fn read(&self, held: &Held, scanned: &mut [Scanned]) -> Vec<Failed> {
        let judge = ModelJudge { model: Arc::clone(&self.model), runtime: &self.runtime };
        let mut progress = Progress::new("reading", scanned.len());
        let mut failed = Vec::new();
        for skill in scanned {
            let files = match held.get(&skill.path) {
                Some(files) => Ok(Arc::clone(files)),
                None => Files::read(&skill.path).map(Arc::new).map_err(|error| error.to_string()),
            };
            // Scanned anew, so that the opinion and the report are about the same bytes.
            let second = files.and_then(|files| {
                second_opinion(&files, files.scan(), &judge).map_err(|error| error.to_string())
            });
            match second {
                Ok(report) => skill.report = report,
                Err(message) => failed.push(Failed { path: skill.path.clone(), message }),
            }
            progress.step();
        }
        failed
    }
}

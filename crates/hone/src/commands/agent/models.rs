//! The model that a task asks, and what a person without one is told.

use std::sync::Arc;

use hone_agent::model::find::{self, HOW_TO_GET_ONE, NoModel};
use hone_agent::model::{self, Model, Retries};
use hone_library::ModelSettings;

use crate::context::Context;
use crate::output::Failure;

/// A model, and why it is this one.
pub(crate) struct Found {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) why: String,
}

/// Finds the model that `wanted` or the configuration names, or any that can be asked from here.
pub(crate) async fn find(context: &Context, wanted: Option<&str>) -> Result<Found, Failure> {
    find_with(context.config.model.clone(), wanted).await
}

/// The same, for whoever has settings and no surroundings.
pub(crate) async fn find_with(
    mut settings: ModelSettings,
    wanted: Option<&str>,
) -> Result<Found, Failure> {
    if let Some(wanted) = wanted {
        settings.name = Some(wanted.to_owned());
    }
    let client = model::client(variable)
        .map_err(|error| Failure::failed(format!("could not get to the network: {error}"), ""))?;
    let places = find::usual_places(&variable);
    let found = match find::find(&settings, &variable, &client, &places).await {
        Ok(found) => found,
        Err(NoModel::NotFound) => {
            let message = match wanted {
                Some(wanted) => format!("there is no model `{wanted}` to ask"),
                None => "there is no model to ask".to_owned(),
            };
            let ways = HOW_TO_GET_ONE.map(|line| format!("  {line}\n")).concat();
            let hint = format!("get one:\n{ways}or watch a recorded task without one: `hone demo`");
            return Err(Failure::failed(message, &hint));
        }
        Err(error @ NoModel::Misconfigured(_)) => {
            return Err(Failure::failed(error.to_string(), "`hone config` shows the settings"));
        }
    };
    let model = model::connect(&found.choice, client, Retries::default())
        .map_err(|error| Failure::failed(error.to_string(), ""))?;
    Ok(Found { model, why: found.why })
}

/// A variable of the environment.
pub(super) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

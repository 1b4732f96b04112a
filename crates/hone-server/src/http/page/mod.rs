//! The page for people: what there is, as HTML made on the server.
//!
//! Whatever a skill, a session or a model wrote reaches a page through `maud`, which escapes it, after
//! [`words::line`] or [`words::text`] made its hidden characters visible; a skill's Markdown through
//! [`markdown`]. No page has a script or a style of its own, so the policy of [`super::observe`] holds.
//! The one script makes things smoother; everything works without it.

mod agents;
mod approvals;
mod assets;
mod diff;
mod files;
mod frame;
mod library;
mod markdown;
mod plot;
mod proposals;
mod runs;
mod skill;
mod source;
mod stats;
mod steps;
mod triggers;
mod users;
mod versions;
mod words;

use axum::Router;
use axum::routing::{get, post};

use super::Site;
pub(crate) use frame::{entrance, failed};

/// What a person can look at.
pub(crate) fn routes() -> Router<Site> {
    Router::new()
        .route("/", get(library::library))
        .route("/skills/{id}", get(skill::skill))
        .route("/skills/{id}/files", get(files::files))
        .route("/skills/{id}/files/{*file}", get(files::file))
        .route("/skills/{id}/versions", get(versions::versions))
        .route("/skills/{id}/versions/{revision}", get(versions::version))
        .route("/skills/{id}/users", get(users::users))
        .route("/approvals", get(approvals::approvals))
        .route("/approvals/{id}/approve", post(approvals::approve))
        .route("/approvals/{id}/reject", post(approvals::reject))
        .route("/proposals", get(proposals::proposals))
        .route("/proposals/{id}", get(proposals::proposal))
        .route("/proposals/{id}/decide", post(proposals::decided))
        .route("/proposals/{id}/edit", post(proposals::edited))
        .route("/agents", get(agents::agents))
        .route("/agents/{id}", get(agents::agent))
        .route("/runs", get(runs::runs).post(runs::start))
        .route("/runs/{id}", get(runs::run))
        .route("/runs/{id}/cancel", post(runs::cancel))
        .route("/stats", get(stats::stats))
        .route("/static/{file}", get(assets::asset))
}

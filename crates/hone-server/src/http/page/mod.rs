//! The page for people. For now: the skills that are there.

use std::fmt::Write as _;

use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::get;

use super::problem::Answer;
use super::{Site, blocking};

/// What a person can look at.
pub(crate) fn routes() -> Router<Site> {
    Router::new().route("/", get(library))
}

async fn library(State(site): State<Site>) -> Answer<Html<String>> {
    let catalogue = blocking(&site, |site| Ok(site.catalogue())).await?;
    let mut page = String::from(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>hone</title><main><h1>Skills</h1><ul>",
    );
    for skill in &catalogue.skills {
        let summary = &skill.summary;
        let _ = write!(
            page,
            "<li><b>{}</b> {}</li>",
            escaped(&summary.name),
            escaped(&summary.description)
        );
    }
    page.push_str("</ul></main></html>");
    Ok(Html(page))
}

/// Text as it may stand in HTML.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            letter => safe.push(letter),
        }
    }
    safe
}

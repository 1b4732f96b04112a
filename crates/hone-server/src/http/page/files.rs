//! `/skills/{id}/files`: what lies in a skill's folder.

use axum::extract::{Path, State};
use hone_guard::Finding;
use maud::html;

use super::frame::Shown;
use super::skill::{Part, about};
use super::source;
use super::words::{self, SENTENCE_CHARS, count, href};
use crate::http::Site;
use crate::http::skills;
use crate::manifest;

/// Files that are listed.
const MAX_FILES: usize = 1_000;

/// The list.
pub(super) async fn files(State(site): State<Site>, Path(id): Path<String>) -> Shown {
    about(&site, id, Part::Files, |_, _, skill, id| {
        let files = manifest::files(skill)?;
        Ok(html! {
            h2 { (count(files.len(), "file")) }
            ul {
                @for file in files.iter().take(MAX_FILES) {
                    li {
                        @if file.ends_with('/') { (words::line(file, SENTENCE_CHARS)) }
                        @else {
                            a href=(href(id, &format!("files/{file}"))) { (words::line(file, SENTENCE_CHARS)) }
                        }
                    }
                }
            }
            @if files.len() > MAX_FILES { p { "The first " (MAX_FILES) " are listed." } }
        })
    })
    .await
}

/// One file, its findings marked.
pub(super) async fn file(
    State(site): State<Site>,
    Path((id, file)): Path<(String, String)>,
) -> Shown {
    about(&site, id, Part::Files, move |site, _, skill, _| {
        let bytes = manifest::bytes(skill, &file)?;
        let scanned = skills::scanned(site, skill)?;
        let is_here = |found: &&Finding| found.file == file || skill.is_flat;
        let findings: Vec<&Finding> = scanned.findings.iter().filter(is_here).collect();
        Ok(html! {
            h2 { (words::line(&file, SENTENCE_CHARS)) }
            @match std::str::from_utf8(&bytes) {
                Ok(text) => (source::lines(text, &findings)),
                Err(_) => p { "This is not text; it has " (count(bytes.len(), "byte")) "." }
            }
        })
    })
    .await
}

//! What is around every page: head, navigation, and what went wrong.

use axum::http::StatusCode;
use axum::response::{Html, IntoResponse, Response};
use maud::{DOCTYPE, Markup, html};

use super::assets::{SCRIPT, STYLE};
use super::words;
use crate::http::problem::Problem;
use crate::http::session::ENTER;

/// What a handler of the page answers.
pub(super) type Shown = Result<Html<String>, Failed>;

/// The places of the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// `/`
    Library,
    /// `/approvals`
    Approvals,
    /// `/proposals`
    Proposals,
    /// `/agents`
    Agents,
    /// `/runs`
    Runs,
    /// `/stats`
    Stats,
}

impl Place {
    const ALL: [(Self, &'static str, &'static str); 6] = [
        (Self::Library, "/", "Library"),
        (Self::Approvals, "/approvals", "Approvals"),
        (Self::Proposals, "/proposals", "Proposals"),
        (Self::Agents, "/agents", "Agents"),
        (Self::Runs, "/runs", "Runs"),
        (Self::Stats, "/stats", "Figures"),
    ];
}

fn document(title: &str, body: &Markup) -> Html<String> {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (words::line(title, words::NAME_CHARS)) " · hone" }
                link rel="stylesheet" href=(STYLE.href());
                link rel="icon" href="data:,";
                script defer src=(SCRIPT.href()) {}
            }
            body { (body) }
        }
    };
    Html(page.into_string())
}

/// A whole page.
pub(super) fn page(title: &str, here: Option<Place>, main: &Markup) -> Html<String> {
    let body = html! {
        a.skip href="#main" { "Skip to the content" }
        header {
            a.brand href="/" { "hone" }
            nav aria-label="Main" {
                ul {
                    @for (place, href, label) in Place::ALL {
                        li {
                            a href=(href) aria-current=[(Some(place) == here).then_some("page")] {
                                (label)
                            }
                        }
                    }
                }
            }
            form method="post" action="/leave" { button.quiet { "Sign out" } }
        }
        main id="main" tabindex="-1" { (main) }
        footer { p { "hone " (env!("CARGO_PKG_VERSION")) } }
    };
    document(title, &body)
}

/// The page that asks for a token.
pub(crate) fn entrance(problem: &str) -> Html<String> {
    let body = html! {
        main {
            h1 { "hone" }
            @if !problem.is_empty() { p role="alert" { (problem) } }
            form.try method="post" action=(ENTER) {
                label { "Token" input name="token" type="password" autocomplete="off" required; }
                button { "Enter" }
            }
            p {
                "The token was shown when the server first started. "
                code { "hone serve token add NAME" } " makes another."
            }
        }
    };
    document("Sign in", &body)
}

/// What could not be shown, where there is no handler of the page to say so.
pub(crate) fn failed(problem: Problem) -> Response {
    Failed::from(problem).into_response()
}

/// What could not be shown, as a page.
#[derive(Debug)]
pub(super) struct Failed {
    problem: Problem,
    /// Where a person goes on.
    to: (&'static str, String),
}

impl From<Problem> for Failed {
    fn from(problem: Problem) -> Self {
        Self { problem, to: ("the library", "/".to_owned()) }
    }
}

impl Failed {
    /// With the way back to where it was tried from.
    pub(super) fn back_to(problem: Problem, what: &'static str, href: String) -> Self {
        Self { problem, to: (what, href) }
    }
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let Self { problem, to: (what, href) } = self;
        let status = StatusCode::from_u16(problem.status);
        // Hints for programs help nobody here.
        let hint = problem.hint.as_ref().filter(|hint| !hint.contains("/api/"));
        let main = html! {
            h1 { (problem.title) }
            p role="alert" { (words::sentence(&problem.detail, words::SENTENCE_CHARS)) }
            @if let Some(hint) = hint { p { (words::sentence(hint, words::SENTENCE_CHARS)) } }
            p { a href=(href) { "To " (what) } }
        };
        let page = page(problem.title, None, &main);
        (status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR), page).into_response()
    }
}

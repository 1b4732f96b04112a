//! What went wrong, as `application/problem+json` (RFC 9457).

use axum::Json;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::api::shapes::Finding;

/// The media type.
pub const PROBLEM_JSON: &str = "application/problem+json";

/// A request that was not done, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Problem {
    /// The kind of problem, a name of its own below `about:`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The kind in words.
    pub title: &'static str,
    /// The status of the answer.
    pub status: u16,
    /// What was wrong with this request.
    pub detail: String,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<Box<str>>,
    /// What the scan found, when that is why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schemars(default)]
    pub findings: Vec<Finding>,
}

impl Problem {
    /// A problem of a status.
    pub fn new(status: StatusCode, detail: impl Into<String>) -> Self {
        Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or("Problem"),
            status: status.as_u16(),
            detail: detail.into(),
            hint: None,
            findings: Vec::new(),
        }
    }

    /// The same, with what to do next.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into().into()), ..self }
    }

    /// Something is not there.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, detail)
    }

    /// The request cannot be understood.
    pub fn wrong(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, detail)
    }

    /// It is not allowed.
    pub fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, detail)
    }

    /// It does not fit what is there.
    pub fn conflict(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, detail)
    }

    /// The fault is ours.
    pub fn internal(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, detail)
    }

    /// There is too much to do.
    pub fn busy(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, detail)
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(&self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_JSON));
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}

impl From<hone_library::Error> for Problem {
    fn from(error: hone_library::Error) -> Self {
        use hone_library::Error;
        let status = match &error {
            Error::NotFound { .. } | Error::NoFile { .. } | Error::NoRevision { .. } => {
                StatusCode::NOT_FOUND
            }
            Error::Exists { .. } | Error::SlugConflict { .. } => StatusCode::CONFLICT,
            error if error.is_answer() => StatusCode::UNPROCESSABLE_ENTITY,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        let problem = Self::new(status, error.to_string());
        match error.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}

/// What a handler of the interface answers.
pub(crate) type Answer<T> = Result<T, Problem>;

/// A text whose length in characters is as the description says.
pub(crate) fn bounded(
    name: &str,
    text: &str,
    bounds: std::ops::RangeInclusive<usize>,
) -> Answer<()> {
    if bounds.contains(&text.chars().count()) {
        return Ok(());
    }
    let (least, most) = (bounds.start(), bounds.end());
    Err(Problem::wrong(format!("`{name}` has between {least} and {most} characters")))
}

/// A body in JSON; one that is not becomes a problem.
#[derive(Debug)]
pub(crate) struct Body<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        match Json::from_request(request, state).await {
            Ok(Json(body)) => Ok(Self(body)),
            Err(rejection) => Err(Problem::new(rejection.status(), rejection.body_text())),
        }
    }
}

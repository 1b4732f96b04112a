//! The style sheet and the script, inside the binary, named by what they hold.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};

use crate::http::problem::Problem;

/// A file that is served as it is.
pub(super) struct Asset {
    name: &'static str,
    kind: &'static str,
    content: &'static str,
    tag: String,
}

impl Asset {
    fn new(name: &'static str, kind: &'static str, content: &'static str) -> Self {
        let hash = hone_library::hash(content.as_bytes());
        Self { name, kind, content, tag: hash.chars().take(16).collect() }
    }

    /// Its address, another one for every content.
    pub(super) fn href(&self) -> String {
        format!("/static/{}?{}", self.name, self.tag)
    }
}

/// How every page looks.
pub(super) static STYLE: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("hone.css", "text/css; charset=utf-8", include_str!("assets/hone.css"))
});

/// What makes pages smoother.
pub(super) static SCRIPT: LazyLock<Asset> = LazyLock::new(|| {
    Asset::new("hone.js", "text/javascript; charset=utf-8", include_str!("assets/hone.js"))
});

/// Serves one of them; one that the browser has is not sent again.
pub(super) async fn asset(Path(file): Path<String>, headers: HeaderMap) -> Response {
    let all = [&*STYLE, &*SCRIPT];
    let Some(asset) = all.into_iter().find(|asset| asset.name == file) else {
        return Problem::not_found("there is no such file").into_response();
    };
    let tag = format!("\"{}\"", asset.tag);
    let is_known = headers.get(header::IF_NONE_MATCH).is_some_and(|known| known == tag.as_str());
    let about: [(HeaderName, &str); 3] = [
        (header::CONTENT_TYPE, asset.kind),
        (header::CACHE_CONTROL, "public, max-age=31536000, immutable"),
        (header::ETAG, &tag),
    ];
    if is_known {
        return (StatusCode::NOT_MODIFIED, about).into_response();
    }
    (about, asset.content).into_response()
}

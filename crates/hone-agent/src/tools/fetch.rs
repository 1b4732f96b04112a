//! `fetch_url`: a document of the public internet, as text.
//!
//! The client checks the addresses a name stands for and refuses private ones. Redirects are not
//! followed: the model is told where one leads and may ask there. A body is read up to a cap and then
//! left. A secret goes only to the origin that it is bound to, and never into a text.

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hone_net::{Client, Error, HeaderMap, HeaderValue, Limits, Url, header};
use hone_router::Secret;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{Class, Tool, ToolResult, Working, text_of};

/// Most bytes of a body that are read.
pub const MAX_BODY_BYTES: usize = 1024 * 1024;

/// How long all of it may take.
pub const TIME: Duration = Duration::from_secs(20);

/// How long nothing may come.
pub const SILENCE: Duration = Duration::from_secs(8);

/// A secret and the one origin that gets it, as `Authorization: Bearer …`.
#[derive(Debug, Clone)]
pub struct BoundSecret {
    /// What the model calls it.
    pub name: String,
    /// Where it may go: scheme, host and port count, a path does not.
    pub origin: Url,
    /// The value.
    pub value: Secret,
}

/// The tool.
pub struct FetchUrl {
    client: Arc<Client>,
    secrets: Vec<BoundSecret>,
    schema: Value,
}

impl FetchUrl {
    /// Fetches with this client, which decides what may be reached.
    pub fn new(client: Arc<Client>, secrets: Vec<BoundSecret>) -> Self {
        let mut properties = json!({"url": {"type": "string", "minLength": 1, "maxLength": 8192}});
        if !secrets.is_empty() {
            let names: Vec<&str> = secrets.iter().map(|secret| secret.name.as_str()).collect();
            properties["secret"] = json!({"type": "string", "enum": names});
        }
        let schema = json!({
            "type": "object",
            "properties": properties,
            "required": ["url"],
            "additionalProperties": false,
        });
        Self { client, secrets, schema }
    }

    /// The headers of a request; a secret only for the origin that it is bound to.
    fn headers(&self, url: &Url, secret: Option<&str>) -> Result<HeaderMap, String> {
        let mut headers = HeaderMap::new();
        let Some(name) = secret else { return Ok(headers) };
        let Some(secret) = self.secrets.iter().find(|secret| secret.name == name) else {
            return Err(format!("There is no secret `{}`.", name.escape_debug()));
        };
        if secret.origin.origin() != url.origin() || !url.origin().is_tuple() {
            return Err(format!(
                "Not asked: the secret `{name}` is for {} alone.",
                secret.origin.origin().ascii_serialization()
            ));
        }
        let value = format!("Bearer {}", secret.value.expose());
        let Ok(mut value) = HeaderValue::from_str(&value) else {
            return Err(format!("The value of the secret `{name}` cannot be sent."));
        };
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
        Ok(headers)
    }

    async fn fetch(&self, url: &Url, headers: &HeaderMap) -> Result<ToolResult, Error> {
        // The cap is kept here, where what came before it is not lost.
        let limits = Limits { bytes: u64::MAX, redirects: 0, silence: SILENCE, total: TIME };
        let mut answer = self.client.open(url, headers, &limits).await?;
        let (code, is_good) = (answer.status(), answer.is_success());
        let kind = answer.header("content-type").unwrap_or("text/plain").to_ascii_lowercase();
        if !is_text(&kind) {
            let kind: String = kind.chars().take(100).collect();
            return Ok(ToolResult::failed(format!(
                "It is not text but `{}`.",
                kind.escape_debug()
            )));
        }
        let (mut bytes, mut is_cut) = (Vec::new(), false);
        while let Some(chunk) = answer.chunk().await? {
            let room = MAX_BODY_BYTES - bytes.len();
            bytes.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if chunk.len() > room {
                is_cut = true;
                break;
            }
        }
        drop(answer);
        let body = String::from_utf8_lossy(&bytes);
        let mut text = if kind.contains("html") { text_of_html(&body) } else { body.into_owned() };
        for secret in &self.secrets {
            if !secret.value.expose().is_empty() {
                text = text.replace(secret.value.expose(), "[redacted]");
            }
        }
        if is_cut {
            let _ = writeln!(text, "\n[more than {MAX_BODY_BYTES} bytes; the rest was not read]");
        }
        let said = format!("{} bytes, status {code}", bytes.len());
        if is_good {
            Ok(ToolResult::ok(text, said))
        } else {
            Ok(ToolResult {
                summary: said,
                ..ToolResult::failed(format!("Status {code}.\n{text}"))
            })
        }
    }
}

fn is_text(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.starts_with("text/")
        || ["json", "xml", "javascript", "yaml", "toml", "x-ndjson"]
            .iter()
            .any(|word| kind.strip_prefix("application/").is_some_and(|kind| kind.ends_with(word)))
}

impl Tool for FetchUrl {
    fn name(&self) -> &'static str {
        "fetch_url"
    }

    fn description(&self) -> &'static str {
        "Fetches a document of the public internet and gives its text. Redirects are told, not followed."
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Evidence
    }

    fn time(&self) -> Option<Duration> {
        Some(TIME + SILENCE)
    }

    fn call<'a>(&'a self, arguments: &'a Value, cancelled: &'a CancellationToken) -> Working<'a> {
        Box::pin(async move {
            let url = match hone_net::parse(text_of(arguments, "url").unwrap_or_default()) {
                Ok(url) => url,
                Err(error) => return ToolResult::refused(error.to_string()),
            };
            let headers = match self.headers(&url, text_of(arguments, "secret")) {
                Ok(headers) => headers,
                Err(why) => return ToolResult::refused(why),
            };
            let fetched = tokio::select! {
                fetched = self.fetch(&url, &headers) => fetched,
                () = cancelled.cancelled() => return ToolResult::failed("Cancelled."),
            };
            match fetched {
                Ok(result) => result,
                Err(
                    error @ (Error::NotPublic { .. }
                    | Error::Url { .. }
                    | Error::PlainHttp { .. }
                    | Error::Redirected { .. }),
                ) => ToolResult::refused(error.to_string()),
                Err(error @ Error::OutOfTime { .. }) => ToolResult::timed_out(error.to_string()),
                Err(error) => ToolResult::failed(error.to_string()),
            }
        })
    }
}

/// The words of a page, crudely: no tags, scripts or styles, a line for each block.
fn text_of_html(html: &str) -> String {
    const BLOCKS: [&str; 20] = [
        "p", "div", "br", "li", "ul", "ol", "tr", "table", "h1", "h2", "h3", "h4", "h5", "h6",
        "section", "article", "header", "footer", "pre", "title",
    ];
    let mut text = String::new();
    let mut rest = html;
    // Where the end of a skipped element was looked for in vain, it is not looked for again.
    let mut endless: Vec<&str> = Vec::new();
    while let Some(at) = rest.find('<') {
        push_words(&mut text, &rest[..at]);
        rest = &rest[at..];
        if let Some(comment) = rest.strip_prefix("<!--") {
            rest = comment.split_once("-->").map_or("", |(_, after)| after);
            continue;
        }
        let Some(end) = rest.find('>') else {
            rest = "";
            break;
        };
        let tag = rest[1..end].trim_start_matches('/');
        let name: String = tag
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .collect::<String>()
            .to_ascii_lowercase();
        let is_end = rest.starts_with("</");
        rest = &rest[end + 1..];
        let skipped = ["script", "style", "noscript", "svg"].into_iter().find(|skip| *skip == name);
        if let Some(skipped) = skipped.filter(|_| !is_end) {
            if !endless.contains(&skipped) {
                match end_of(rest, skipped) {
                    Some(at) => rest = &rest[at..],
                    None => endless.push(skipped),
                }
            }
        } else if BLOCKS.contains(&name.as_str()) && !text.ends_with('\n') {
            text.push('\n');
        }
    }
    push_words(&mut text, rest);
    text.trim().to_owned()
}

/// Where the end tag of an element starts.
fn end_of(html: &str, name: &str) -> Option<usize> {
    let is_name =
        |tag: &str| tag.get(..name.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(name));
    html.match_indices("</").map(|(at, _)| at).find(|at| is_name(&html[at + 2..]))
}

/// Adds text with its white space as single blanks and the usual entities as characters.
fn push_words(text: &mut String, html: &str) {
    let starts_blank = html.starts_with(char::is_whitespace);
    for (place, word) in html.split_whitespace().enumerate() {
        if (place > 0 || starts_blank) && !text.ends_with(['\n', ' ']) && !text.is_empty() {
            text.push(' ');
        }
        push_entities(text, word);
    }
    if html.ends_with(char::is_whitespace) && !text.ends_with(['\n', ' ']) && !text.is_empty() {
        text.push(' ');
    }
}

fn push_entities(text: &mut String, word: &str) {
    const KNOWN: [(&str, char); 6] =
        [("amp", '&'), ("lt", '<'), ("gt", '>'), ("quot", '"'), ("apos", '\''), ("nbsp", ' ')];
    let mut rest = word;
    while let Some(at) = rest.find('&') {
        text.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        let end = rest.bytes().take(10).position(|byte| byte == b';');
        let name = end.and_then(|end| rest.get(..end));
        let number = name.and_then(|name| name.strip_prefix('#')).and_then(|number| {
            match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok(),
                None => number.parse().ok(),
            }
        });
        let known = KNOWN.iter().find(|(known, _)| Some(*known) == name).map(|(_, c)| *c);
        match (known.or_else(|| number.and_then(char::from_u32)), end) {
            (Some(c), Some(end)) => {
                text.push(c);
                rest = &rest[end + 1..];
            }
            _ => text.push('&'),
        }
    }
    text.push_str(rest);
}

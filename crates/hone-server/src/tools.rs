//! The tools that a client gets: those of an agent's shelf, and those of router and guard.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hone_agent::tools::skills::{Clock, Shelf};
use hone_agent::tools::{Class, Tool, ToolResult, Working};
use hone_guard::Files;
use hone_library::usage::{self, Event};
use hone_library::{Catalogue, Listed, State};
use hone_router::{Answers, Caller, Inline, Match, Request, prepare};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::seeker::{Seeker, Wanted};

/// Characters of a result at most; the rest is asked for with `offset`.
pub const MAX_RESULT_CHARS: usize = 40_000;
/// Skills in an answer at most.
const MAX_FOUND: usize = 50;
/// Findings that are told.
const MAX_FINDINGS: usize = 50;

/// What a server offers: the skills of a shelf.
pub struct Offer {
    /// The skills.
    pub shelf: Arc<Shelf>,
    seeker: Arc<Seeker>,
    state: Mutex<State>,
    now: Clock,
    tools: Vec<Box<dyn Tool>>,
}

impl std::fmt::Debug for Offer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Offer").field("shelf", &self.shelf).finish_non_exhaustive()
    }
}

impl Offer {
    /// The skills of a shelf; when `read_only`, nobody writes through it.
    pub fn new(
        shelf: Arc<Shelf>,
        seeker: Arc<Seeker>,
        state: State,
        now: Clock,
        read_only: bool,
    ) -> Arc<Self> {
        Arc::new_cyclic(|offer| {
            let mut tools = shelf.tools();
            tools.retain(|tool| !read_only || tool.name() != "skill_manage");
            tools.extend(Kind::ALL.map(|kind| {
                let offer = std::sync::Weak::clone(offer);
                Box::new(RouterTool { offer, kind, schema: kind.schema() }) as Box<dyn Tool>
            }));
            Self { shelf, seeker, state: Mutex::new(state), now, tools }
        })
    }

    /// The tools, sorted as they are listed.
    pub fn tools(&self) -> impl Iterator<Item = &dyn Tool> {
        self.tools.iter().map(AsRef::as_ref)
    }

    /// The state, for as long as one answer needs it.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The text that a called skill becomes.
    pub(crate) fn invoked(
        &self,
        skill: &Listed,
        words: &str,
        caller: Caller,
    ) -> Result<String, String> {
        let request = Request {
            skills: &[skill],
            words,
            instructions: &[],
            missing: &[],
            caller,
            session: None,
            is_loaded: &|_, _| false,
            variables: true,
            inline: Inline::Off,
            needs: &[],
            answers: &Answers::default(),
        };
        let payload = prepare(&request).map_err(|error| error.to_string())?;
        usage::count(&self.state(), skill, Event::Use, (self.now)());
        Ok(payload.text)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Search,
    Match,
    Invoke,
    Scan,
    Usage,
}

impl Kind {
    const ALL: [Self; 5] = [Self::Search, Self::Match, Self::Invoke, Self::Scan, Self::Usage];

    fn name(self) -> &'static str {
        match self {
            Self::Search => "skills_search",
            Self::Match => "skill_match",
            Self::Invoke => "skill_invoke",
            Self::Scan => "skill_scan",
            Self::Usage => "usage_report",
        }
    }

    fn description(self) -> &'static str {
        match self {
            Self::Search => "Finds skills by words. Use when the list does not show one that fits.",
            Self::Match => {
                "Says which skills a message of the user is about, with confidence and reasons; \
                 empty when none applies."
            }
            Self::Invoke => {
                "Prepares a skill for use: its instructions with arguments filled in, its folder and \
                 its files."
            }
            Self::Scan => "Scans a skill for danger: verdict and findings.",
            Self::Usage => "Tells that a skill was used, so that good ones are found first.",
        }
    }

    fn schema(self) -> Value {
        let name = json!({"type": "string", "description": "the skill's name", "maxLength": 200});
        let text =
            |what: &str| json!({"type": "string", "description": what, "maxLength": 100_000});
        let most = json!({"type": "integer", "minimum": 1, "maximum": MAX_FOUND, "description": "how many at most"});
        let (properties, required) = match self {
            Self::Search => (json!({"query": text("words"), "k": most}), json!(["query"])),
            Self::Match => {
                (json!({"message": text("the user's words"), "k": most}), json!(["message"]))
            }
            Self::Invoke => (
                json!({"name": name, "arguments": text("what follows the skill's name")}),
                json!(["name"]),
            ),
            Self::Scan | Self::Usage => (json!({"name": name}), json!(["name"])),
        };
        json!({
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": false,
        })
    }
}

struct RouterTool {
    offer: std::sync::Weak<Offer>,
    kind: Kind,
    schema: Value,
}

impl Tool for RouterTool {
    fn name(&self) -> &str {
        self.kind.name()
    }

    fn description(&self) -> &str {
        self.kind.description()
    }

    fn schema(&self) -> &Value {
        &self.schema
    }

    fn class(&self) -> Class {
        Class::Introspection
    }

    fn call<'a>(&'a self, arguments: &'a Value, _: &'a CancellationToken) -> Working<'a> {
        let (offer, kind, arguments) = (self.offer.clone(), self.kind, arguments.clone());
        Box::pin(async move {
            let work = tokio::task::spawn_blocking(move || match offer.upgrade() {
                Some(offer) => answer(&offer, kind, &arguments),
                None => ToolResult::failed("The server is stopping."),
            });
            work.await.unwrap_or_else(|error| ToolResult::failed(error.to_string()))
        })
    }
}

fn answer(offer: &Offer, kind: Kind, arguments: &Value) -> ToolResult {
    let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
    let most =
        arguments.get("k").and_then(Value::as_u64).and_then(|most| usize::try_from(most).ok());
    let most = most.unwrap_or(10).clamp(1, MAX_FOUND);
    let catalogue = offer.shelf.catalogue();
    match kind {
        Kind::Search => {
            told(&catalogue, &offer.seeker.find(&catalogue, text("query"), most, Wanted::ForModels))
        }
        Kind::Match => {
            told(&catalogue, &offer.seeker.find(&catalogue, text("message"), most, Wanted::About))
        }
        Kind::Invoke | Kind::Scan | Kind::Usage => {
            let skill = match catalogue.resolve(text("name"), std::path::Path::new("")) {
                Ok(skill) => skill,
                Err(error) => return ToolResult::failed(error.to_string()),
            };
            let name = &skill.summary.name;
            if !skill.summary.model_invocable {
                return ToolResult::refused(format!(
                    "`{name}` is for people to call, not for agents."
                ));
            }
            match kind {
                Kind::Invoke => match offer.invoked(skill, text("arguments"), Caller::Model) {
                    Ok(payload) => ToolResult::ok(payload, format!("invoked {name}")),
                    Err(error) => ToolResult::failed(error),
                },
                Kind::Scan => scanned(skill),
                _ => {
                    usage::count(&offer.state(), skill, Event::Use, (offer.now)());
                    ToolResult::ok("Counted.", format!("used {name}"))
                }
            }
        }
    }
}

/// Found skills, one a line.
fn told(catalogue: &Catalogue, found: &[Match]) -> ToolResult {
    let mut text = String::new();
    for found in found {
        let summary = &catalogue.skills[found.skill].summary;
        let description = summary.description.split_whitespace().collect::<Vec<_>>().join(" ");
        let description: String = description.chars().take(300).collect();
        let _ = writeln!(
            text,
            "- {} ({}, {:.2}): {description}",
            summary.name,
            found.band.id(),
            found.score
        );
    }
    if text.is_empty() {
        text.push_str("No skill applies.\n");
    }
    ToolResult::ok(text, format!("{} skills", found.len()))
}

fn scanned(skill: &Listed) -> ToolResult {
    let report = match Files::read(skill.key()) {
        Ok(files) => files.scan(),
        Err(error) => return ToolResult::failed(error.to_string()),
    };
    let mut text = format!("verdict: {}\n", report.verdict);
    for finding in report.findings.iter().take(MAX_FINDINGS) {
        let _ = writeln!(
            text,
            "- {} [{}] {}:{}: {}",
            finding.rule, finding.severity, finding.file, finding.line, finding.message
        );
    }
    if report.findings.len() > MAX_FINDINGS {
        let _ = writeln!(text, "- and {} more", report.findings.len() - MAX_FINDINGS);
    }
    ToolResult::ok(text, format!("{}: {}", skill.summary.name, report.verdict))
}

//! The tools that a client gets: those of an agent's shelf, and those of router, guard and learning.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use hone_agent::tools::skills::{Clock, MAX_DESCRIPTION_CHARS, Shelf};
use hone_agent::tools::{Class, Tool, ToolResult, Working};
use hone_guard::Files;
use hone_library::usage::Event;
use hone_library::{Catalogue, Listed, State};
use hone_router::{
    Answers, Caller, Inline, Match, Probe, Request, in_a_line, needs, prepare, requirements_of,
};
use hone_skill::printable_line;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::http::limits::Rate;
use crate::http::rate::Buckets;
use crate::lessons::{self, Lessons};
use crate::seeker::{Seeker, Wanted};
use crate::usage;

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
    access: Access,
    /// How often something may be changed, where that is bounded.
    pace: Option<Buckets<()>>,
    tools: Vec<Box<dyn Tool>>,
}

/// What a client may do with the skills.
#[derive(Debug)]
pub enum Access {
    /// Nobody writes.
    Read,
    /// Skills are written, and proposed.
    Write(Box<Lessons>),
}

impl std::fmt::Debug for Offer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Offer").field("shelf", &self.shelf).finish_non_exhaustive()
    }
}

impl Offer {
    /// The skills of a shelf; `pace` bounds how often they are changed.
    pub fn new(
        shelf: Arc<Shelf>,
        seeker: Arc<Seeker>,
        state: State,
        now: Clock,
        access: Access,
        pace: Option<Rate>,
    ) -> Arc<Self> {
        Arc::new_cyclic(|offer| {
            let mut tools = shelf.tools();
            tools.extend(Kind::ALL.map(|kind| {
                let offer = std::sync::Weak::clone(offer);
                Box::new(RouterTool { offer, kind, schema: kind.schema() }) as Box<dyn Tool>
            }));
            let may_write = matches!(access, Access::Write(_));
            tools.retain(|tool| may_write || !tool.changes());
            let pace = pace.map(Buckets::new);
            Self { shelf, seeker, state: Mutex::new(state), now, access, pace, tools }
        })
    }

    /// The tools, sorted as they are listed.
    pub fn tools(&self) -> impl Iterator<Item = &dyn Tool> {
        self.tools.iter().map(AsRef::as_ref)
    }

    /// The state, for as long as one answer needs it.
    pub(crate) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a tool may be called now.
    pub(crate) fn has_time_for(&self, tool: &dyn Tool) -> bool {
        let pace = self.pace.as_ref().filter(|_| tool.changes());
        pace.is_none_or(|pace| pace.take((), Instant::now()))
    }

    /// What a client can teach; none when nobody writes.
    pub(crate) fn lessons(&self) -> Option<&Lessons> {
        match &self.access {
            Access::Read => None,
            Access::Write(lessons) => Some(lessons),
        }
    }

    /// Now, in milliseconds since 1970.
    pub(crate) fn now(&self) -> i64 {
        (self.now)()
    }

    /// The text that a called skill becomes. What it needs stands in it with what the server finds around
    /// itself. Something that is missing does not hold it back: the client works elsewhere, and may well
    /// have it there, or ask for it.
    pub(crate) fn invoked(
        &self,
        skill: &Listed,
        words: &str,
        caller: Caller,
    ) -> Result<String, String> {
        let declared = requirements_of(skill).map_err(|error| error.to_string())?;
        let needs = needs([(skill, &declared)], &Probe::of_process());
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
            needs: &needs,
            answers: &Answers::default(),
        };
        let payload = prepare(&request).map_err(|error| error.to_string())?;
        self.shelf.count(skill, Event::Use);
        Ok(payload.text)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Search,
    Match,
    Invoke,
    Scan,
    Propose,
    Usage,
}

impl Kind {
    const ALL: [Self; 6] =
        [Self::Search, Self::Match, Self::Invoke, Self::Scan, Self::Propose, Self::Usage];

    fn name(self) -> &'static str {
        match self {
            Self::Search => "skills_search",
            Self::Match => "skill_match",
            Self::Invoke => "skill_invoke",
            Self::Scan => "skill_scan",
            Self::Propose => lessons::TOOL,
            Self::Usage => usage::TOOL,
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
            Self::Propose => lessons::DESCRIPTION,
            Self::Usage => usage::DESCRIPTION,
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
            Self::Scan => (json!({"name": name}), json!(["name"])),
            Self::Propose => return lessons::schema(),
            Self::Usage => return usage::schema(),
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

    fn changes(&self) -> bool {
        self.kind == Kind::Propose
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
        Kind::Propose => match offer.lessons() {
            Some(lessons) => lessons.propose(&catalogue, arguments, offer.now()),
            None => ToolResult::refused("Nobody writes here."),
        },
        Kind::Usage if arguments.get("name").is_none() => {
            usage::report(offer, arguments.get("cursor").and_then(Value::as_str))
        }
        Kind::Invoke | Kind::Scan | Kind::Usage => {
            let skill = match catalogue.resolve(text("name"), std::path::Path::new("")) {
                Ok(skill) => skill,
                Err(error) => return ToolResult::failed(printable_line(&error.to_string())),
            };
            let name = in_a_line(&skill.summary.name, MAX_DESCRIPTION_CHARS);
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
                _ => usage::used(offer, skill, arguments.get("outcome").and_then(Value::as_str)),
            }
        }
    }
}

/// Found skills, one a line.
fn told(catalogue: &Catalogue, found: &[Match]) -> ToolResult {
    let mut text = String::new();
    for found in found {
        let summary = &catalogue.skills[found.skill].summary;
        let _ = writeln!(
            text,
            "- {} ({}, {:.2}): {}",
            in_a_line(&summary.name, MAX_DESCRIPTION_CHARS),
            found.band.id(),
            found.score,
            in_a_line(&summary.description, MAX_DESCRIPTION_CHARS)
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
            "- {} [{}] {}: {}",
            finding.rule,
            finding.severity,
            printable_line(&finding.place()),
            printable_line(&finding.message)
        );
    }
    if report.findings.len() > MAX_FINDINGS {
        let _ = writeln!(text, "- and {} more", report.findings.len() - MAX_FINDINGS);
    }
    ToolResult::ok(text, format!("{}: {}", skill.summary.name, report.verdict))
}

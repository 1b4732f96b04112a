//! What agents want to learn, and a person's word about it.

use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;
use hone_learn::LearnError;
use hone_learn::proposal::Proposal;
use hone_learn::records::{RECORDS_FILE, Records};
use hone_learn::review::{self, Person, Review, ReviewRow, Word};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::change::{MAX_REASON, MAX_TEXT, refuse_tag};
use super::shapes::NewText;
use super::skills::tagged;
use crate::http::gate::{Identity, Via, Writer};
use crate::http::problem::{Answer, Body, Problem, bounded};
use crate::http::{Shared, Site, blocking};

/// Candidates in one page of a list.
const MAX_PAGE: usize = 200;
/// How long a decision waits for a brain that a task has, in seconds.
const PATIENCE: u64 = 20;

/// Which candidates to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProposalQuery {
    /// Also those that nobody has to decide about any more.
    pub(crate) all: bool,
    /// How many at most.
    #[schemars(range(min = 1, max = 200))]
    pub(crate) limit: Option<usize>,
    /// How many to pass over, as `next` of the page before says.
    pub(crate) from: Option<usize>,
}

/// A page of candidates.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ProposalList {
    /// Newest first.
    pub(crate) proposals: Vec<ReviewRow>,
    /// How many there are in all.
    pub(crate) total: usize,
    /// Where the next page begins.
    pub(crate) next: Option<usize>,
}

/// How something is decided.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DecideQuery {
    /// Why.
    #[schemars(length(max = 1000))]
    pub(crate) reason: String,
}

/// How a candidate is accepted.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AcceptQuery {
    /// Why.
    #[schemars(length(max = 1000))]
    pub(crate) reason: String,
    /// Seconds to wait for an agent that is at work; 20 when left out.
    #[schemars(range(min = 0, max = 20))]
    pub(crate) wait: Option<u64>,
}

impl From<LearnError> for Problem {
    fn from(error: LearnError) -> Self {
        let problem = match error {
            LearnError::Library(error) => return error.into(),
            LearnError::Brain(error) => return error.into(),
            LearnError::NoProposal(_) => Self::not_found(error.to_string()),
            LearnError::Refused(_) => Self::conflict(error.to_string()),
            _ => Self::internal(error.to_string()),
        };
        match problem.status {
            404 => problem.hint("`GET /api/v1/proposals` lists them"),
            _ => problem,
        }
    }
}

/// The records of learning; none when nobody has learned anything yet, since looking makes none.
pub(crate) fn records(site: &Shared) -> Answer<Option<Records>> {
    if !site.hone_home.join(RECORDS_FILE).exists() {
        return Ok(None);
    }
    Ok(Some(Records::open(&site.hone_home)?))
}

/// The candidate of an id as a whole: the start of one is for people who type.
fn whole(records: Option<&Records>, id: &str) -> Answer<Proposal> {
    let none = || LearnError::NoProposal(id.escape_debug().take(100).collect());
    let proposal = records.ok_or_else(none)?.proposal(id).ok();
    Ok(proposal.filter(|proposal| proposal.id == id).ok_or_else(none)?)
}

pub(crate) async fn list(
    State(site): State<Site>,
    Query(query): Query<ProposalQuery>,
) -> Answer<Json<ProposalList>> {
    let limit = query.limit.unwrap_or(MAX_PAGE);
    if !(1..=MAX_PAGE).contains(&limit) {
        return Err(Problem::wrong(format!("`limit` is between 1 and {MAX_PAGE}")));
    }
    let found = blocking(&site, move |site| {
        let records = records(site)?;
        let mut found = records.map_or_else(|| Ok(Vec::new()), |records| records.proposals())?;
        found.retain(|proposal| query.all || proposal.waits());
        let from = query.from.unwrap_or(0).min(found.len());
        let to = from.saturating_add(limit).min(found.len());
        Ok(ProposalList {
            proposals: found[from..to].iter().map(ReviewRow::from).collect(),
            total: found.len(),
            next: (to < found.len()).then_some(to),
        })
    });
    Ok(Json(found.await?))
}

/// A candidate with what it changes.
pub(crate) async fn review(site: &Site, id: String) -> Answer<Review> {
    blocking(site, move |site| {
        let proposal = whole(records(site)?.as_ref(), &id)?;
        Ok(Review::of(&site.hone_home, proposal))
    })
    .await
}

pub(crate) async fn one(
    State(site): State<Site>,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Answer<Response> {
    let review = review(&site, id).await?;
    Ok(tagged(&headers, &review.proposal.tag(), Json(review)))
}

/// What somebody decides.
#[derive(Debug)]
pub(crate) enum Decision {
    /// It becomes a skill.
    Accept {
        /// As soon as no task has the agent, for so long.
        within: Duration,
    },
    /// It is put aside for good.
    Reject,
    /// It gets another text.
    Edit(String),
}

impl Decision {
    /// Accepts, as soon as may be.
    pub(crate) const ACCEPT: Self = Self::Accept { within: Duration::from_secs(PATIENCE) };
}

/// A decision about a candidate, with its reason and the text that was seen.
#[derive(Debug)]
pub(crate) struct Deciding {
    pub(crate) who: Identity,
    pub(crate) id: String,
    pub(crate) decision: Decision,
    pub(crate) reason: String,
    /// The entity tag of the text that was seen; any when nobody says.
    pub(crate) seen: Option<HeaderValue>,
}

/// Carries out a decision, unless the candidate is another than was seen.
pub(crate) async fn decide(site: &Site, deciding: Deciding) -> Answer<Review> {
    let Deciding { who, id, decision, reason, seen } = deciding;
    bounded("reason", &reason, 0..=MAX_REASON)?;
    let runtime = tokio::runtime::Handle::current();
    blocking(site, move |site| {
        site.refuse_read_only()?;
        let records = records(site)?;
        let proposal = whole(records.as_ref(), &id)?;
        let Some(records) = records else { return Err(LearnError::NoProposal(id).into()) };
        if let Some(seen) = &seen {
            refuse_tag(seen, &proposal.tag())?;
        }
        let name = who.actor();
        let word = match who.via {
            Via::Page => Word::Person,
            Via::Token => Word::Program,
        };
        let person = Person { name: &name, why: &reason, now: (site.now)(), word };
        let (home, policy) = (&site.hone_home, &site.policy);
        match decision {
            Decision::Accept { within } => {
                let cancelled = CancellationToken::new();
                let accepting = review::accept(home, policy, &records, &id, person, &cancelled);
                // Only the wait for the brain can be cut short: the rest is one step.
                let accepting = async { tokio::time::timeout(within, accepting).await };
                let accepted = runtime.block_on(accepting);
                let accepted = accepted.map_err(|_| Problem::busy("a task has the agent"))?;
                let (proposal, landed) = accepted?;
                site.shelf.refresh();
                let version = landed.version;
                Ok(Review { version, ..Review::of(home, proposal) })
            }
            Decision::Reject => Ok(Review::of(home, review::reject(&records, &id, person)?)),
            Decision::Edit(text) => {
                let edited = review::edit(home, policy, &records, &id, &text, person)?;
                Ok(Review::of(home, edited))
            }
        }
    })
    .await
}

pub(crate) async fn accept(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(id): Path<String>,
    Query(AcceptQuery { reason, wait }): Query<AcceptQuery>,
    headers: HeaderMap,
) -> Answer<Json<Review>> {
    let seen = headers.get(header::IF_MATCH).cloned();
    let wait = wait.unwrap_or(PATIENCE);
    if wait > PATIENCE {
        return Err(Problem::wrong(format!("`wait` is between 0 and {PATIENCE}")));
    }
    let decision = Decision::Accept { within: Duration::from_secs(wait) };
    let deciding = Deciding { who, id, decision, reason, seen };
    Ok(Json(decide(&site, deciding).await?))
}

pub(crate) async fn reject(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(id): Path<String>,
    Query(DecideQuery { reason }): Query<DecideQuery>,
    headers: HeaderMap,
) -> Answer<Json<Review>> {
    let seen = headers.get(header::IF_MATCH).cloned();
    let deciding = Deciding { who, id, decision: Decision::Reject, reason, seen };
    Ok(Json(decide(&site, deciding).await?))
}

pub(crate) async fn edit(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(id): Path<String>,
    headers: HeaderMap,
    Body(text): Body<NewText>,
) -> Answer<Json<Review>> {
    bounded("content", &text.content, 0..=MAX_TEXT)?;
    let seen = headers.get(header::IF_MATCH).cloned();
    let decision = Decision::Edit(text.content);
    let deciding = Deciding { who, id, decision, reason: String::new(), seen };
    Ok(Json(decide(&site, deciding).await?))
}

//! Agents: what they are, what they did, and what was signed about it.

use axum::Json;
use axum::extract::{Path, Query, State};
use hone_agent::brain::{Brain, BrainError, LAYOUT, members};
use hone_agent::lineage::chain::{self, ChainError};
use hone_agent::lineage::{LineageError, PublicKey, RECEIPTS_FILE, Receipt, state};
use hone_agent::memory::{Counts, LoggedTask, Memory};
use hone_learn::proposal::Stage;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::proposals::records;
use crate::http::problem::{Answer, Problem};
use crate::http::{Shared, Site, blocking};

/// Tasks that are shown of an agent.
const SHOWN_TASKS: u32 = 50;
/// Lineage in one page, unless fewer are asked for.
const MAX_RECEIPTS: usize = 200;

/// The agents.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Agents {
    pub(crate) agents: Vec<AgentLine>,
}

/// An agent in a list.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentLine {
    pub(crate) id: String,
    /// The first line of its role.
    pub(crate) role: String,
    pub(crate) skills: usize,
    pub(crate) facts: u64,
    pub(crate) tasks: u64,
    /// Why it cannot be used, when it cannot.
    pub(crate) problem: Option<String>,
}

/// An agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Agent {
    pub(crate) id: String,
    /// The head of every system message.
    pub(crate) role: String,
    pub(crate) model: Option<String>,
    /// The tools that it may call; null for all.
    pub(crate) tools: Option<Vec<String>>,
    pub(crate) skills: Vec<AgentSkill>,
    /// Skills that were taken out of sight and can be brought back.
    pub(crate) archived: Vec<String>,
    pub(crate) messages: u64,
    pub(crate) facts: u64,
    pub(crate) tasks: u64,
    /// Texts that were kept out of its memory.
    pub(crate) quarantined: u64,
    /// The newest tasks, newest first.
    pub(crate) last_tasks: Vec<LoggedTask>,
}

/// A skill of an agent.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AgentSkill {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) version: Option<String>,
    /// Where it stands: `trial`, `active` or `stale`; null for one that learning has nothing to do with.
    pub(crate) stage: Option<&'static str>,
}

impl From<BrainError> for Problem {
    fn from(error: BrainError) -> Self {
        let problem = match &error {
            BrainError::NoAgent { .. } | BrainError::BadId { .. } => {
                Self::not_found(error.to_string())
            }
            BrainError::Busy { .. } | BrainError::Cancelled => Self::busy(error.to_string()),
            _ => Self::internal(error.to_string()),
        };
        match error.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}

fn remembered(brain: &Brain) -> Answer<Option<Memory>> {
    // Looking at an agent makes no memory.
    if !brain.member(members::DATABASE).exists() {
        return Ok(None);
    }
    Ok(Some(Memory::open(&brain.folder)?))
}

fn counts(memory: Option<&Memory>) -> Answer<Counts> {
    match memory {
        Some(memory) => Ok(memory.counts()?),
        None => Ok(Counts { messages: 0, facts: 0, tasks: 0, quarantined: 0 }),
    }
}

fn line(site: &Shared, id: &str) -> AgentLine {
    let look = || -> Answer<AgentLine> {
        let brain = Brain::find(&site.hone_home, id)?;
        let counts = counts(remembered(&brain)?.as_ref())?;
        Ok(AgentLine {
            id: id.to_owned(),
            role: brain.system()?.lines().next().unwrap_or_default().to_owned(),
            skills: brain.catalogue(&site.state()).skills.len(),
            facts: counts.facts,
            tasks: counts.tasks,
            problem: None,
        })
    };
    look().unwrap_or_else(|problem| AgentLine {
        id: id.to_owned(),
        role: String::new(),
        skills: 0,
        facts: 0,
        tasks: 0,
        problem: Some(problem.detail),
    })
}

pub(crate) async fn list(State(site): State<Site>) -> Answer<Json<Agents>> {
    let agents = blocking(&site, |site| {
        let names = Brain::all(&site.hone_home)?;
        Ok(names.iter().map(|name| line(site, name)).collect())
    });
    Ok(Json(Agents { agents: agents.await? }))
}

pub(crate) async fn one(State(site): State<Site>, Path(id): Path<String>) -> Answer<Json<Agent>> {
    let agent = blocking(&site, move |site| {
        let brain = Brain::find(&site.hone_home, &id)?;
        let settings = brain.settings()?;
        let memory = remembered(&brain)?;
        let counts = counts(memory.as_ref())?;
        let tasks = memory.map(|memory| memory.tasks(SHOWN_TASKS)).transpose()?.unwrap_or_default();
        let stages = records(site)?.map(|records| records.stages(&id)).transpose()?;
        let stages = stages.unwrap_or_default();
        let stage = |name: &str| {
            let known = stages.iter().find(|(known, ..)| known == name);
            known.map(|(_, stage, _)| stage.id())
        };
        let archived = stages.iter().filter(|(_, stage, _)| *stage == Stage::Archived);
        let archived = archived.map(|(name, ..)| name.clone()).collect();
        let skills = brain.catalogue(&site.state()).skills.into_iter().map(|skill| AgentSkill {
            stage: stage(&skill.summary.name),
            name: skill.summary.name.clone(),
            description: skill.summary.description.clone(),
            version: skill.summary.version.clone(),
        });
        Ok(Agent {
            role: brain.system()?,
            id,
            model: settings.model,
            tools: settings.tools,
            skills: skills.collect(),
            archived,
            messages: counts.messages,
            facts: counts.facts,
            tasks: counts.tasks,
            quarantined: counts.quarantined,
            last_tasks: tasks.into_iter().map(LoggedTask::from).collect(),
        })
    });
    Ok(Json(agent.await?))
}

/// Which receipts to list.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ReceiptQuery {
    /// How many to pass over.
    pub(crate) from: Option<usize>,
    /// How many at most.
    #[schemars(range(min = 1, max = 200))]
    pub(crate) limit: Option<usize>,
}

/// What was signed about an agent, and whether it holds.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Lineage {
    /// A page of receipts, oldest first.
    pub(crate) receipts: Vec<Value>,
    /// Lineage in all.
    pub(crate) total: u64,
    /// Whether signatures, links and the state on the disk all hold.
    pub(crate) holds: bool,
    /// What does not.
    pub(crate) breaks: Vec<Broken>,
    /// The key that it was checked against.
    pub(crate) key: String,
}

/// A place that does not hold.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Broken {
    /// The receipt; null when it is about the state on the disk.
    pub(crate) index: Option<u64>,
    pub(crate) field: String,
    pub(crate) why: String,
}

impl From<ChainError> for Problem {
    fn from(error: ChainError) -> Self {
        Self::internal(error.to_string())
    }
}

pub(crate) async fn receipts(
    State(site): State<Site>,
    Path(id): Path<String>,
    Query(query): Query<ReceiptQuery>,
) -> Answer<Json<Lineage>> {
    let limit = query.limit.unwrap_or(MAX_RECEIPTS);
    if !(1..=MAX_RECEIPTS).contains(&limit) {
        return Err(Problem::wrong(format!("`limit` is between 1 and {MAX_RECEIPTS}")));
    }
    let receipts = blocking(&site, move |site| {
        let brain = Brain::find(&site.hone_home, &id)?;
        verified(&brain, query.from.unwrap_or(0), limit)
    });
    Ok(Json(receipts.await?))
}

fn verified(brain: &Brain, from: usize, limit: usize) -> Answer<Lineage> {
    let file = brain.member(RECEIPTS_FILE);
    if file.metadata().map_or(0, |about| about.len()) == 0 {
        let lost = Brain::lost_receipts(&brain.folder)?;
        let broken = |lost: LineageError| {
            let (index, field) = (None, "receipts".to_owned());
            Broken { index, field, why: lost.to_string() }
        };
        return Ok(Lineage {
            receipts: Vec::new(),
            total: 0,
            holds: lost.is_none(),
            breaks: lost.into_iter().map(broken).collect(),
            key: String::new(),
        });
    }
    let mut page = Vec::new();
    let (mut first, mut handed): (Option<PublicKey>, Option<PublicKey>) = (None, None);
    chain::read(&file, |index, receipt| {
        let Ok(receipt) = receipt else { return };
        let receipt: Receipt = receipt;
        first.get_or_insert(receipt.key);
        handed = receipt.handover.as_ref().map(|handover| handover.key).or(handed);
        let at = usize::try_from(index).unwrap_or(usize::MAX);
        if at >= from && page.len() < limit {
            page.push(serde_json::to_value(&receipt).unwrap_or_default());
        }
    })?;
    // The owner's key may have been handed over since the first receipt.
    let own = brain.signing_key()?.public();
    let key = first.filter(|_| handed == Some(own)).unwrap_or(own);
    let checked = chain::check(&file, key)?;
    let mut breaks: Vec<Broken> = checked
        .breaks
        .iter()
        .map(|one| Broken {
            index: Some(one.index),
            field: one.field.clone(),
            why: one.why.clone(),
        })
        .collect();
    // A task at work has changed what its receipt will sign: nothing can be said of the state meanwhile.
    let is_at_work = || Brain::task_in(&brain.folder).map(|task| task.is_some());
    let was_at_work = is_at_work()?;
    let now = state::state(&brain.folder, &LAYOUT).ok();
    let last = checked.last.map(|last| (last.knowledge, last.activity));
    if last.is_some()
        && !was_at_work
        && !is_at_work()?
        && now.map(|now| (now.knowledge, now.activity)) != last
    {
        let why = "it is not the state that was signed last".to_owned();
        breaks.push(Broken { index: None, field: "state".to_owned(), why });
    }
    Ok(Lineage {
        receipts: page,
        total: checked.receipts,
        holds: breaks.is_empty(),
        breaks,
        key: own.to_string(),
    })
}

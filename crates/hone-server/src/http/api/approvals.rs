//! What arrived from elsewhere and waits for a person's word.

use axum::Json;
use axum::extract::{Path, State};
use hone_hub::{
    Answer as Word, Approval, Ask, Delivery, Error, Fate, Hub, Newest, Pending, Pin, Question,
};
use hone_hub::{Supply, SupplyError};
use hone_library::Author;
use schemars::JsonSchema;
use serde::Serialize;

use crate::http::gate::{Identity, Writer};
use crate::http::problem::{Answer, Problem};
use crate::http::{Shared, Site, blocking};

/// What waits.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Approvals {
    /// Oldest first.
    pub(crate) waiting: Vec<Waiting>,
}

/// A skill that waits.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Waiting {
    #[serde(flatten)]
    pub(crate) approval: Approval,
    pub(crate) files: Vec<String>,
}

impl From<&Pending> for Waiting {
    fn from(one: &Pending) -> Self {
        let files = one.files().iter().map(|file| file.path.clone()).collect();
        Self { approval: one.into(), files }
    }
}

/// What became of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Decided {
    pub(crate) name: String,
    /// `installed`, `updated`, `unchanged`, `rejected`, or why not.
    pub(crate) fate: &'static str,
    /// Why, where there is more to say.
    pub(crate) why: Option<String>,
}

impl From<Error> for Problem {
    fn from(error: Error) -> Self {
        let problem = match &error {
            Error::Library(_) => match error {
                Error::Library(error) => return error.into(),
                error => return Self::internal(error.to_string()),
            },
            Error::NoApproval { .. } => Self::not_found(error.to_string()),
            Error::Busy { .. } => Self::busy(error.to_string()),
            error if error.is_answer() => Self::conflict(error.to_string()),
            error => Self::internal(error.to_string()),
        };
        match error.hint() {
            Some(hint) => problem.hint(hint),
            None => problem,
        }
    }
}

/// What waits is here already: nothing is fetched.
struct NoSupply;

impl Supply for NoSupply {
    fn fetch(&self, _: &str, _: Pin<'_>, _: Option<&[String]>) -> Result<Delivery, SupplyError> {
        Err("nothing is fetched here".into())
    }

    fn newest(&self, _: &str) -> Result<Option<Newest>, SupplyError> {
        Ok(None)
    }
}

/// The person who pressed the button has seen it.
struct Agreed;

impl Ask for Agreed {
    fn ask(&mut self, _: &Question<'_>) -> Word {
        Word::Yes
    }
}

fn at_the_hub<T>(
    site: &Shared,
    who: Option<&Identity>,
    act: impl FnOnce(&Hub<'_>) -> Result<T, Error>,
) -> Answer<T> {
    let catalogue = site.catalogue();
    let state = site.state();
    let author = Author {
        actor: who.map_or_else(String::new, Identity::actor),
        reason: String::new(),
        now: (site.now)(),
    };
    let hub = Hub {
        state: &state,
        policy: &site.policy,
        supply: &NoSupply,
        author,
        catalogue: Some(&catalogue),
    };
    Ok(act(&hub)?)
}

/// An id as a whole: the start of one is for people who type.
fn whole(hub: &Hub<'_>, id: &str) -> Result<Pending, Error> {
    let all = hub.pending()?;
    all.into_iter().find(|one| one.id == id).ok_or_else(|| Error::NoApproval { id: id.to_owned() })
}

pub(crate) async fn list(State(site): State<Site>) -> Answer<Json<Approvals>> {
    let waiting =
        blocking(&site, |site| at_the_hub(site, None, |hub: &Hub<'_>| hub.pending())).await?;
    Ok(Json(Approvals { waiting: waiting.iter().map(Waiting::from).collect() }))
}

pub(crate) async fn one(State(site): State<Site>, Path(id): Path<String>) -> Answer<Json<Waiting>> {
    let one = blocking(&site, move |site| at_the_hub(site, None, |hub| whole(hub, &id))).await?;
    Ok(Json(Waiting::from(&one)))
}

pub(crate) async fn approve(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(id): Path<String>,
) -> Answer<Json<Decided>> {
    let decided = blocking(&site, move |site| {
        site.refuse_read_only()?;
        let outcome = at_the_hub(site, Some(&who), |hub| {
            let id = whole(hub, &id)?.id;
            hub.approve(&id, &mut Agreed)
        })?;
        site.shelf.refresh();
        let why = match &outcome.fate {
            Fate::Blocked(why) | Fate::Refused(why) | Fate::Waits { why, .. } => Some(why.clone()),
            _ => None,
        };
        Ok(Decided { name: outcome.name, fate: outcome.fate.word(), why })
    })
    .await?;
    Ok(Json(decided))
}

pub(crate) async fn reject(
    State(site): State<Site>,
    Writer(who): Writer,
    Path(id): Path<String>,
) -> Answer<Json<Decided>> {
    let decided = blocking(&site, move |site| {
        site.refuse_read_only()?;
        let one = at_the_hub(site, Some(&who), |hub| {
            let id = whole(hub, &id)?.id;
            hub.reject(&id)
        })?;
        Ok(Decided { name: one.name().to_owned(), fate: "rejected", why: None })
    })
    .await?;
    Ok(Json(decided))
}

//! Files of skills that a client wants to hear about when they change.

use std::collections::BTreeMap;
use std::sync::Arc;

use hone_agent::tools::skills::{Attended, Shelf};
use hone_library::{Catalogue, hash};
use rmcp::model::ErrorData;

use crate::manifest;
use crate::mcp::{at, wrong};

/// Files that one client can name.
pub const MAX_SUBSCRIBED: usize = 1_000;

/// What a client named, and what it held when the client last heard of it.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    named: BTreeMap<String, Named>,
}

#[derive(Debug)]
struct Named {
    /// The hash of what it held; none when there was nothing.
    digest: Option<String>,
    /// While this is kept, its changes are noted.
    _attended: Attended,
}

/// The hash of what lies at an address; none when nothing does.
fn digest(catalogue: &Catalogue, address: &str) -> Option<String> {
    let (skill, file) = at(catalogue, address).ok()?;
    manifest::bytes(skill, &file).ok().map(|bytes| hash(&bytes))
}

impl Heard {
    /// Those of these that can be heard of.
    pub(crate) fn of(shelf: &Arc<Shelf>, addresses: &[String]) -> Self {
        let mut heard = Self::default();
        for address in addresses {
            // What cannot be is not in the list that is confirmed.
            let _ = heard.add(shelf, address);
        }
        heard
    }

    /// What was named, sorted.
    pub(crate) fn addresses(&self) -> Vec<String> {
        self.named.keys().cloned().collect()
    }

    /// One more. It has to be an address below a skill that is offered; the file itself may come later.
    pub(crate) fn add(&mut self, shelf: &Arc<Shelf>, address: &str) -> Result<(), ErrorData> {
        let catalogue = shelf.catalogue();
        let (skill, file) = at(&catalogue, address)?;
        if self.named.len() >= MAX_SUBSCRIBED && !self.named.contains_key(address) {
            return Err(wrong(format!("{MAX_SUBSCRIBED} files can be named, not more")));
        }
        // First it is watched, then read: what changes in between is noted.
        let attended = shelf.attend_to(manifest::path(skill, &file));
        let digest = digest(&catalogue, address);
        self.named.insert(address.to_owned(), Named { digest, _attended: attended });
        Ok(())
    }

    /// One less.
    pub(crate) fn remove(&mut self, address: &str) {
        self.named.remove(address);
    }

    /// Whether nothing is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// The addresses that hold something else now. They count as heard.
    pub(crate) fn news(&mut self, catalogue: &Catalogue) -> Vec<String> {
        let mut changed = Vec::new();
        for (address, named) in &mut self.named {
            let now = digest(catalogue, address);
            if named.digest != now {
                named.digest = now;
                changed.push(address.clone());
            }
        }
        changed
    }
}

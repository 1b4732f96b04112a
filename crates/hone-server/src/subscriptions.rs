//! Files of skills that a client wants to hear about when they change.

use std::collections::BTreeMap;

use hone_library::{Catalogue, hash};
use rmcp::model::ErrorData;

use crate::manifest;
use crate::mcp::{at, wrong};

/// Files that one client can name.
pub const MAX_SUBSCRIBED: usize = 1_000;

/// What a client named, and what it held when the client last heard of it.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    digests: BTreeMap<String, Option<String>>,
}

/// The hash of what lies at an address; none when nothing does.
fn digest(catalogue: &Catalogue, address: &str) -> Option<String> {
    let (skill, file) = at(catalogue, address).ok()?;
    manifest::bytes(skill, &file).ok().map(|bytes| hash(&bytes))
}

impl Heard {
    /// Those of these that can be heard of.
    pub(crate) fn of(catalogue: &Catalogue, addresses: &[String]) -> Self {
        let mut heard = Self::default();
        for address in addresses {
            // What cannot be is not in the list that is confirmed.
            let _ = heard.add(catalogue, address);
        }
        heard
    }

    /// What was named, sorted.
    pub(crate) fn addresses(&self) -> Vec<String> {
        self.digests.keys().cloned().collect()
    }

    /// One more. It has to be an address below a skill that is offered; the file itself may come later.
    pub(crate) fn add(&mut self, catalogue: &Catalogue, address: &str) -> Result<(), ErrorData> {
        at(catalogue, address)?;
        if self.digests.len() >= MAX_SUBSCRIBED && !self.digests.contains_key(address) {
            return Err(wrong(format!("{MAX_SUBSCRIBED} files can be named, not more")));
        }
        self.digests.insert(address.to_owned(), digest(catalogue, address));
        Ok(())
    }

    /// One less.
    pub(crate) fn remove(&mut self, address: &str) {
        self.digests.remove(address);
    }

    /// Whether nothing is named.
    pub(crate) fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// The addresses that hold something else now. They count as heard.
    pub(crate) fn news(&mut self, catalogue: &Catalogue) -> Vec<String> {
        let mut changed = Vec::new();
        for (address, known) in &mut self.digests {
            let now = digest(catalogue, address);
            if *known != now {
                *known = now;
                changed.push(address.clone());
            }
        }
        changed
    }
}

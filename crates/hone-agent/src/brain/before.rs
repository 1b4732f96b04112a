//! A copy of a brain that remembers what was known when a task began.
//!
//! Whoever runs a task again must not find its own findings in the memory. What that task and later ones
//! noted is taken out of the files of layer 1, and what they replaced is back, as far as transcripts and
//! the texts of signed changes still say it. The copy has no log, so there is nothing to recall in it.

use std::collections::BTreeMap;
use std::path::Path;

use super::seed::{self, Files};
use super::{Brain, BrainError, LAYOUT, New, members};
use crate::lineage::{receipt::Receipt, texts};
use crate::memory::{Memory, Page, Subscriber, page_of};

/// Keys that are looked for, with what was noted under each.
type Known = BTreeMap<String, Option<String>>;

impl Brain {
    /// Copies the brain below another home, to run a task for this subscriber again: skills, patterns,
    /// role and settings as they are, the memory as it was when the task began.
    pub fn copy_before(
        &self,
        hone_home: &Path,
        task: &str,
        subscriber: &Subscriber,
    ) -> Result<Self, BrainError> {
        let mut seeded = seed::read(&self.folder)?;
        for (shared, audience) in [(true, &Subscriber::Owner), (false, subscriber)] {
            self.forget(task, shared, audience, &mut seeded)?;
        }
        Self::create_from(hone_home, &self.id, &New::default(), seeded, None)
    }

    /// Makes one file of layer 1 what it was before the task.
    fn forget(
        &self,
        task: &str,
        shared: bool,
        audience: &Subscriber,
        seeded: &mut Files,
    ) -> Result<(), BrainError> {
        let (file, mut page, title) = page_of(&self.folder, shared, audience)?;
        let noted = if self.member(members::DATABASE).exists() {
            Memory::open(&self.folder)?.noted_since(task, shared, audience)?
        } else {
            Vec::new()
        };
        if !noted.is_empty() {
            let before = self.known_before(task, (!shared).then_some(audience), &file, noted)?;
            for (key, value) in before {
                page.revert(&key, value.as_deref());
            }
        }
        if page != Page::default() {
            seeded.insert(file, page.to_text(title).into_bytes().into());
        }
        Ok(())
    }

    /// What was noted under these keys when the task began, by the newest record before it that says so.
    fn known_before(
        &self,
        task: &str,
        whose: Option<&Subscriber>,
        file: &str,
        keys: Vec<String>,
    ) -> Result<Known, BrainError> {
        let mut open = keys;
        let mut known: Known = open.iter().map(|key| (key.clone(), None)).collect();
        let receipts = self.receipts()?;
        let is_it = |receipt: &Receipt| receipt.task.as_ref().is_some_and(|one| one.id == task);
        let Some(began) = receipts.iter().position(is_it) else { return Ok(known) };
        for receipt in receipts[..began].iter().rev() {
            if open.is_empty() {
                break;
            }
            if receipt.task.is_some() {
                let noted = self.noted(receipt);
                open.retain(|key| {
                    let whose = whose.map(|whose| whose.as_text().to_owned());
                    let Some(value) = noted.get(&(whose, key.clone())) else { return true };
                    known.insert(key.clone(), Some(value.clone()));
                    false
                });
                continue;
            }
            // A text that was kept whole has all that there was.
            let changed = texts::changed(&self.folder, &LAYOUT, receipt.index).unwrap_or_default();
            let Some(changed) = changed.into_iter().find(|one| one.member == file) else {
                continue;
            };
            let text = changed.after.unwrap_or_default();
            let page = Page::parse(&String::from_utf8_lossy(&text));
            for key in open.drain(..) {
                let value = page.value(&key).map(str::to_owned);
                known.insert(key, value);
            }
        }
        Ok(known)
    }
}

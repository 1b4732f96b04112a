//! What is known while the text of one file is walked, and kept from one text of a skill to the next.
//! It holds what variables, files and descriptors carry; every table of it is bounded by who fills it.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use super::variables::{Cost, Variables};
use crate::scan::flow::Taint;
use crate::shell::Command;

/// What is known while the text of one file is walked: it carries over from one block of a document
/// to the next, because its reader runs them in order.
#[derive(Default)]
pub(crate) struct Memory {
    pub(super) variables: Variables,
    pub(super) files: HashMap<String, Taint>,
    /// Texts of files that the script wrote, as far as they are known.
    pub(super) texts: HashMap<String, String>,
    /// Folders that repositories were cloned into, with their addresses.
    pub(super) clones: BTreeMap<String, String>,
    /// Network devices that were opened, by the number or the variable they are written to.
    pub(super) devices: HashMap<String, String>,
    /// What is read through numbered descriptors that were opened before.
    pub(super) descriptors: HashMap<String, Taint>,
    /// Folders that fetched archives were unpacked into.
    pub(super) unpacked: BTreeMap<String, Taint>,
    /// What lies in folders that the script put something secret into.
    pub(super) holds: HashMap<String, Taint>,
    /// Functions, each with the text it was written in.
    pub(super) functions: HashMap<String, (Arc<Command>, Rc<str>)>,
    /// The folder that the script went to.
    pub(super) folder: Option<String>,
    /// How many texts this one was found in that are left somewhere to be run.
    pub(super) judged: usize,
    /// The functions that are called at the moment, outermost first.
    pub(super) calls: Vec<String>,
    /// Work done inside called functions and nested scripts.
    pub(super) called: usize,
    /// Commands that were walked.
    #[cfg(test)]
    pub(super) walked: usize,
}

/// What is known of each file of a skill.
#[derive(Default)]
pub(crate) struct Memories {
    files: HashMap<usize, Memory>,
    /// What the variables of all of them cost.
    cost: Rc<Cost>,
}

impl Memories {
    pub(crate) fn of(&mut self, file: usize) -> &mut Memory {
        self.files.entry(file).or_insert_with(|| Memory {
            variables: Variables::beside(&self.cost),
            ..Memory::default()
        })
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &Memory> {
        self.files.values()
    }
}

impl Memory {
    /// What files hold that the script wrote, for programs that read them.
    pub(crate) fn saved(&self) -> impl Iterator<Item = (&str, &Taint)> {
        let known = self.files.iter().map(|(path, taint)| (path.as_str(), taint));
        known.filter(|(_, taint)| !taint.secrets.is_empty() || taint.environment)
    }

    /// What variables carry that a program started from the script may find in its environment.
    pub(crate) fn carried(&self) -> impl Iterator<Item = (&str, &Taint)> {
        let known = self.variables.iter().map(|(name, value)| (name, &value.taint));
        known.filter(|(_, taint)| {
            !taint.secrets.is_empty()
                || taint.environment
                || taint.remote.is_some()
                || taint.decoded.is_some()
        })
    }
}

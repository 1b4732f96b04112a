//! Functions of scripts that have nothing to do with each other, told apart where two of them use one name.
//!
//! What a function is given and gives is kept by its name, for all files: one script may call what another one
//! declares. A script that names no other script of the skill and that none names is a program of its own, and
//! its `request()` is not that of its neighbour. There the names that others have too get a mark.

use std::collections::{HashMap, HashSet};

use super::scopes::own_of_file;
use super::unit::Unit;
use crate::scan::Skill;
use crate::scan::finding::Context;
use crate::scan::passage::Place;

/// Marks the functions of scripts that stand alone.
pub(super) fn tell_files_apart(units: &mut [Unit<'_>], skill: &Skill<'_>) {
    let stems: Vec<Option<String>> = units.iter().map(|unit| stem(unit, skill)).collect();
    let mut declared: HashMap<String, usize> = HashMap::new();
    for unit in units.iter() {
        let names: HashSet<&str> = unit.function_names().collect();
        for name in names {
            *declared.entry(name.to_owned()).or_default() += 1;
        }
    }
    let linked = linked(units, &stems);
    for (number, unit) in units.iter_mut().enumerate() {
        if stems[number].is_some() && !linked.contains(&number) {
            let shared: HashSet<String> = unit
                .function_names()
                .filter(|name| declared.get(*name).is_some_and(|count| *count > 1))
                .map(str::to_owned)
                .collect();
            unit.rename_functions(&shared, &own_of_file(number));
        }
    }
}

/// The name by which others would load a whole script: `common` of `scripts/common.py`.
fn stem(unit: &Unit<'_>, skill: &Skill<'_>) -> Option<String> {
    let passage = unit.passage;
    let is_script = passage.context == Context::Script
        && passage.decoded.is_none()
        && matches!(passage.place, Place::Straight { start: 0, .. });
    let path = &skill.members.get(passage.file).filter(|_| is_script)?.path;
    let name = path.rsplit('/').next()?;
    Some(name.split('.').next().unwrap_or(name).to_owned())
}

/// Scripts that name another one, and those that are named.
fn linked(units: &[Unit<'_>], stems: &[Option<String>]) -> HashSet<usize> {
    let mut by_stem: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, stem) in stems.iter().enumerate() {
        if let Some(stem) = stem {
            by_stem.entry(stem).or_default().push(at);
        }
    }
    let mut found = HashSet::new();
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    for (at, unit) in units.iter().enumerate() {
        let words: HashSet<&str> = unit.passage.text.split(|c| !is_part(c)).collect();
        for word in words {
            for other in by_stem.get(word).into_iter().flatten().filter(|other| **other != at) {
                found.insert(at);
                found.insert(*other);
            }
        }
    }
    found
}

//! Lists skills, for the tests that count system calls, race listings and list as somebody else.
//!
//! Usage: `list HONE_HOME ROOT…`. One line a skill: its name and path; then `-`, reason, path and
//! message of what was skipped; then `!` and what the state has to say.

#![allow(clippy::print_stdout, reason = "the tests read it")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hone_library::{Catalogue, Config, Error, Root, Search, State, Surroundings};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let home = arguments.next().unwrap_or_default();
    let around = Surroundings {
        cwd: PathBuf::from("/"),
        user_home: home.clone(),
        hone_home: home,
        platform: "linux".to_owned(),
        moved: BTreeMap::new(),
    };
    let roots = arguments.map(|root| Root::explicit(&root, Path::new("/")));
    let roots = roots.collect::<Result<_, _>>()?;
    let state = State::open(&around.hone_home);
    let catalogue = Catalogue::find(Search::only(roots, &around, &Config::default()), &state);
    let mut text = String::new();
    for skill in &catalogue.skills {
        text += &[&skill.summary.name, "\t", &skill.path.to_string_lossy(), "\n"].concat();
    }
    for skipped in &catalogue.skipped {
        let (reason, path) = (skipped.reason.id(), skipped.path.to_string_lossy());
        text += &["-\t", reason, "\t", &path, "\t", &skipped.message, "\n"].concat();
    }
    for note in state.take_notes() {
        text += &["!\t", &note, "\n"].concat();
    }
    print!("{text}");
    Ok(())
}

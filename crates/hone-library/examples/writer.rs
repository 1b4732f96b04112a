//! A writer for the tests that kill and race writers: changes one skill again and again, and prints a
//! line after each change.
//!
//! Usage: `writer HOME ROOT NAME append COUNT` or `writer HOME ROOT NAME swap`.

#![allow(clippy::print_stdout, reason = "the tests read it")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::PathBuf;

use hone_library::{
    Author, Catalogue, Config, Error, Listed, Mode, Root, Search, State, Store, Surroundings,
    read_text,
};

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, home, root, name, how, rest @ ..] = arguments.as_slice() else {
        return Err(Error::Refused("wrong arguments".to_owned()));
    };
    let around = Surroundings {
        cwd: PathBuf::from(root),
        user_home: PathBuf::from(home),
        hone_home: PathBuf::from(home),
        platform: "linux".to_owned(),
        moved: BTreeMap::new(),
    };
    let state = State::open(&around.hone_home);
    let author = Author { actor: "writer".to_owned(), reason: String::new(), now: 1 };
    let store = Store::new(&state, author, Mode::Write);
    let roots = vec![Root::explicit(&around.cwd, &around.cwd)?];
    let search = Search::only(roots, &around, &Config::default());
    let skill: Listed = Catalogue::find(search, &state).resolve(name, &around.cwd)?.clone();
    if how == "swap" {
        for turn in 0_u64.. {
            let word = if turn % 2 == 0 { "even" } else { "odd" };
            let body = format!("{word} line\n").repeat(4_000);
            let text =
                format!("---\nname: {name}\ndescription: A skill that is swapped\n---\n{body}");
            match store.edit(&skill, &text) {
                Ok(_) | Err(Error::Refused(_)) => said(&format!("{word} {turn}")),
                Err(error) => return Err(error),
            }
        }
    }
    let count: u64 = rest.first().and_then(|count| count.parse().ok()).unwrap_or(1);
    let mut done = 0;
    while done < count {
        let text = String::from_utf8_lossy(&read_text(&skill)?).into_owned();
        let old = text.lines().last().unwrap_or_default().to_owned();
        let number: u64 = old.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
        let new = format!("counter {}", number + 1);
        match store.patch(&skill, None, &old, &new, hone_library::Matching::Exact) {
            Ok(_) => {
                done += 1;
                said(&new);
            }
            // Another writer counted in the meantime.
            Err(Error::Patch(_) | Error::Changed { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn said(line: &str) {
    println!("{line}");
    let _ = std::io::stdout().flush();
}

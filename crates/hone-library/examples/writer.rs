//! A writer for the tests that race and kill writers: changes one skill again and again, and prints a
//! line after each change.
//!
//! Usage: `writer HONE_HOME ROOT NAME WHAT [COUNT]`, where WHAT is
//! - `count`: raises the number in the last line of the skill, COUNT times;
//! - `swap`: replaces one long text by another, for ever;
//! - `live`: creates the skill, gives it files, goes back and forth, deletes it and brings it back, for
//!   ever;
//! - `use`: counts COUNT uses of the skill.

#![allow(clippy::print_stdout, reason = "the tests read it")]

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};

use hone_library::usage::{self, Event};
use hone_library::{
    Author, Catalogue, Change, Config, Error, Listed, Matching, Mode, Root, Search, State, Store,
    Surroundings, read_text,
};

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, home, root, name, what, rest @ ..] = arguments.as_slice() else {
        return Err(Error::Refused("wrong arguments".to_owned()));
    };
    let count = rest.first().and_then(|count| count.parse().ok()).unwrap_or(1);
    let state = State::open(Path::new(home));
    let author = Author { actor: "writer".to_owned(), reason: String::new(), now: 1 };
    let writer = Writer {
        store: Store::new(&state, author, Mode::Write),
        state: &state,
        root: PathBuf::from(root),
        name,
    };
    match what.as_str() {
        "count" => writer.count(count),
        "swap" => writer.swap(),
        "live" => writer.live(),
        "use" => writer.use_it(count),
        other => Err(Error::Refused(format!("what is `{other}`?"))),
    }
}

struct Writer<'w> {
    store: Store<'w>,
    state: &'w State,
    root: PathBuf,
    name: &'w str,
}

impl Writer<'_> {
    fn skill(&self) -> Result<Listed, Error> {
        let around = Surroundings {
            cwd: self.root.clone(),
            user_home: self.root.clone(),
            hone_home: self.root.clone(),
            platform: "linux".to_owned(),
            moved: BTreeMap::new(),
        };
        let roots = vec![Root::explicit(&self.root, &self.root)?];
        let search = Search::only(roots, &around, &Config::default());
        Ok(Catalogue::find(search, self.state).resolve(self.name, &self.root)?.clone())
    }

    fn count(&self, count: u64) -> Result<(), Error> {
        let skill = self.skill()?;
        let mut done = 0;
        while done < count {
            let text = String::from_utf8_lossy(&read_text(&skill)?).into_owned();
            let old = text.lines().last().unwrap_or_default();
            let number: u64 = old.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0);
            // The line with its end: `counter 1` is also the start of `counter 12`.
            let (old, new) = (format!("{old}\n"), format!("counter {}\n", number + 1));
            match self.store.patch(&skill, None, &old, &new, Matching::Exact) {
                Ok(_) => {
                    done += 1;
                    said(new.trim_end());
                }
                // Another writer counted in the meantime.
                Err(Error::Patch(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn swap(&self) -> Result<(), Error> {
        let skill = self.skill()?;
        let name = self.name;
        loop {
            for word in ["even", "odd"] {
                let body = format!("{word} line\n").repeat(4_000);
                let text = format!("---\nname: {name}\ndescription: Is swapped\n---\n{body}");
                match self.store.edit(&skill, &text) {
                    // The last one to be killed may have written just that.
                    Ok(_) | Err(Error::Refused(_)) => said(word),
                    Err(error) => return Err(error),
                }
            }
        }
    }

    fn live(&self) -> Result<(), Error> {
        let key = self.root.join(self.name);
        let text = format!("---\nname: {}\ndescription: Comes and goes\n---\nDo.\n", self.name);
        let tell = |change: Change| said(change.action.id());
        if let Ok(skill) = self.skill() {
            self.store.delete(&skill)?;
        }
        loop {
            let first = self.store.create(&self.root, None, self.name, &text, &[])?;
            let (created, skill) = (first.revision, self.skill()?);
            tell(first);
            tell(self.store.write_file(&skill, "references/deep/a.md", b"a\n", false)?);
            tell(self.store.write_file(&skill, "scripts/b.sh", b"b\n", true)?);
            // Three files at once, there and back; then all of it, there and back.
            tell(self.store.rollback(&key, created)?);
            tell(self.store.rollback(&key, None)?);
            tell(self.store.delete(&skill)?);
            tell(self.store.rollback(&key, None)?);
            tell(self.store.remove_file(&skill, "references/deep/a.md")?);
            tell(self.store.delete(&skill)?);
        }
    }

    fn use_it(&self, count: u64) -> Result<(), Error> {
        let skill = self.skill()?;
        let mut done = 0;
        while done < count {
            // Best effort: what could not be written in time is tried again here.
            if usage::count(self.state, &skill, Event::Use, 1) {
                done += 1;
            }
        }
        Ok(())
    }
}

fn said(line: &str) {
    println!("{line}");
    let _ = std::io::stdout().flush();
}

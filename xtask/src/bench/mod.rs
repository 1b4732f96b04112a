//! `cargo xtask bench`: what `hone` costs and how well it does, against a floor or a peer in the same run.

mod agent;
mod corpus;
mod floor;
mod generate;
mod hub;
mod learn;
mod lineage;
mod list;
mod measure;
mod memory;
mod options;
mod peers;
mod route;
mod route_data;
mod route_decide;
mod route_fit;
mod route_memory;
mod route_rank;
mod route_size;
mod scan;
mod serve;
mod table;

use std::env;
use std::path::{Path, PathBuf};

use options::Options;

use crate::failure::{Doing, Failure};

/// Runs one of the commands that measure.
pub(crate) fn run(task: &str, words: &[&str]) -> Result<(), Failure> {
    let given = |words: &[&str]| Options::parse(words.iter().map(|&word| word.to_owned()));
    match (task, words) {
        ("bench", ["agent"]) => agent::bench(agent::Scale::Full),
        ("bench", ["agent", "--quick"]) => agent::bench(agent::Scale::Quick),
        ("bench", ["learn", words @ ..]) => learn::bench(words),
        ("bench", ["lineage", words @ ..]) => lineage::bench(&lineage::Options::parse(words)?),
        ("bench", ["route", words @ ..]) => route::bench(&route::Options::parse(words)?),
        ("bench", ["serve", words @ ..]) => serve::bench(&serve::Options::parse(words)?),
        ("bench", ["scan", words @ ..]) => scan::bench(&given(words)?),
        ("bench", ["hub", words @ ..]) => hub::bench(&given(words)?),
        ("bench", words) => list::bench(&given(words)?),
        ("scan-times", [folder]) => scan::scan_times(Path::new(folder)),
        ("generate", [folder, count]) => {
            let wrong = |_| Failure::Usage(format!("`{count}` is not a number of skills"));
            generate::generate(Path::new(folder), count.parse().map_err(wrong)?).map(drop)
        }
        ("floor-read", [folder]) => floor::floor_read(PathBuf::from(folder)),
        _ => Err(Failure::Usage(format!("`{task}` does not take `{}`", words.join(" ")))),
    }
}

/// The folder of the programs to be measured: built together with this one.
fn programs() -> Result<PathBuf, Failure> {
    let mut folder = env::current_exe().doing(|| "find this program".to_owned())?;
    folder.pop();
    Ok(folder)
}

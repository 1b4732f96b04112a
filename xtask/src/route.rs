//! `cargo xtask bench route`: how well messages find their skills, and how fast. A folder of labelled
//! messages (`pool`, `triggers`, `ranked`, `metatool`, `metatool_tools`, each `.jsonl.gz`) is asked
//! through the router's index, beside a plain BM25 over descriptions.

use std::path::PathBuf;

use crate::failure::Failure;
use crate::route_data::Data;
use crate::route_decide::{activating, deciding};
use crate::route_memory::remembering;
use crate::route_rank::ranking;
use crate::route_size;
use crate::workspace;

/// Where labelled messages are looked for when no folder is named, from the workspace's root.
const DEFAULT_FOLDER: &str = "../shared/routing";

/// What to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    folder: Option<PathBuf>,
    fit: bool,
    sizes: bool,
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self, Failure> {
        let mut options = Self { sizes: true, ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--messages" => {
                    let missing = || Failure::Usage("`--messages` needs a folder".to_owned());
                    options.folder = Some(PathBuf::from(words.next().ok_or_else(missing)?));
                }
                "--fit" => options.fit = true,
                "--no-sizes" => options.sizes = false,
                _ => return Err(Failure::Usage(format!("`bench route` does not know `{word}`"))),
            }
        }
        Ok(options)
    }
}

pub(crate) fn bench(options: &Options) -> Result<(), Failure> {
    let folder = options.folder.clone().unwrap_or_else(|| workspace::root().join(DEFAULT_FOLDER));
    println!("## Routing\n");
    if folder.join("pool.jsonl.gz").is_file() {
        let data = Data::read(&folder)?;
        println!("### Which skill\n\n{}", ranking(&data));
        println!("### Whether at all\n\n{}", deciding(&data, options.fit));
        println!("### With remembered messages\n\n{}", remembering(&data));
        println!("### *activate*\n\n{}", activating(&data));
    } else if options.folder.is_some() {
        return Err(Failure::Unmet(format!(
            "there is no `{}`",
            folder.join("pool.jsonl.gz").display()
        )));
    } else {
        println!("Not measured: no labelled messages here; name a folder with `--messages DIR`.\n");
    }
    if options.sizes {
        println!("### Time and size\n\n{}", route_size::sizes()?);
    }
    Ok(())
}

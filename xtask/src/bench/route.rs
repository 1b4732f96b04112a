//! `cargo xtask bench route`: how well messages find their skills, and how fast. A folder of labelled
//! messages (`pool`, `triggers`, `ranked`, `metatool`, `metatool_tools`, each `.jsonl.gz`) is asked
//! through the router's index, beside a plain BM25 over descriptions.

use std::path::PathBuf;

use crate::bench::route_data::{Data, Indexer};
use crate::bench::route_decide::{activating, deciding};
use crate::bench::route_memory::remembering;
use crate::bench::route_rank::ranking;
use crate::bench::route_size;
use crate::failure::Failure;
use crate::workspace;

/// Where labelled messages are looked for when no folder is named, from the workspace's root.
const DEFAULT_FOLDER: &str = "../shared/routing";

/// What to do.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    folder: Option<PathBuf>,
    embeddings: Option<PathBuf>,
    fit: bool,
    sizes: Vec<usize>,
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self, Failure> {
        let mut options = Self { sizes: route_size::SIZES.to_vec(), ..Self::default() };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            match *word {
                "--messages" => {
                    let missing = || Failure::Usage("`--messages` needs a folder".to_owned());
                    options.folder = Some(PathBuf::from(words.next().ok_or_else(missing)?));
                }
                "--embeddings" => {
                    let missing = || Failure::Usage("`--embeddings` needs a folder".to_owned());
                    options.embeddings = Some(PathBuf::from(words.next().ok_or_else(missing)?));
                }
                "--fit" => options.fit = true,
                "--no-sizes" => options.sizes.clear(),
                "--sizes" => {
                    let wrong = || Failure::Usage("`--sizes` needs numbers: 100,1000".to_owned());
                    let numbers = words.next().ok_or_else(wrong)?.split(',').map(str::parse);
                    options.sizes = numbers.collect::<Result<_, _>>().map_err(|_| wrong())?;
                }
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
        let mut indexers = vec![Indexer::new(None)?];
        if let Some(model) = &options.embeddings {
            indexers.push(Indexer::new(Some(model))?);
        }
        println!("### Which skill\n\n{}", ranking(&data, &indexers));
        for indexer in &indexers {
            let by = indexer.name();
            println!("### Whether at all ({by})\n\n{}", deciding(&data, indexer, options.fit));
            println!("### With remembered messages ({by})\n\n{}", remembering(&data, indexer));
            println!("### *activate* ({by})\n\n{}", activating(&data, indexer));
        }
    } else if options.folder.is_some() {
        return Err(Failure::Unmet(format!(
            "there is no `{}`",
            folder.join("pool.jsonl.gz").display()
        )));
    } else {
        println!("Not measured: no labelled messages here; name a folder with `--messages DIR`.\n");
    }
    if !options.sizes.is_empty() {
        println!("### Time and size\n\n{}", route_size::sizes(&options.sizes)?);
    }
    Ok(())
}

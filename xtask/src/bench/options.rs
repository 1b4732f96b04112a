//! The options of `cargo xtask bench`.

use std::path::PathBuf;

use crate::failure::Failure;

/// What to measure.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Options {
    pub(crate) sizes: Vec<u32>,
    pub(crate) runs: usize,
    pub(crate) peers: bool,
    pub(crate) quick: bool,
    pub(crate) corpus: Option<PathBuf>,
}

impl Options {
    /// Reads the words after `cargo xtask bench`.
    pub(crate) fn parse(words: impl IntoIterator<Item = String>) -> Result<Self, Failure> {
        let (mut quick, mut peers) = (false, true);
        let (mut sizes, mut runs, mut corpus) = (None, None, None);
        let mut words = words.into_iter();
        while let Some(word) = words.next() {
            let mut value = || {
                let missing = || Failure::Usage(format!("`{word}` needs a value"));
                words.next().ok_or_else(missing)
            };
            match word.as_str() {
                "--quick" => quick = true,
                "--peers" => peers = true,
                "--no-peers" => peers = false,
                "--sizes" => {
                    let list = value()?;
                    let parsed = list.split(',').map(positive).collect::<Option<Vec<_>>>();
                    sizes = Some(parsed.ok_or_else(|| {
                        Failure::Usage(format!(
                            "`--sizes` takes numbers like 100,1000, not `{list}`"
                        ))
                    })?);
                }
                "--runs" => {
                    let number = value()?;
                    let parsed = positive(&number).and_then(|runs| usize::try_from(runs).ok());
                    runs = Some(parsed.ok_or_else(|| {
                        Failure::Usage(format!("`--runs` takes a number from 1 up, not `{number}`"))
                    })?);
                }
                "--corpus" => corpus = Some(PathBuf::from(value()?)),
                _ => return Err(Failure::Usage(format!("`bench` does not know `{word}`"))),
            }
        }
        let default: &[u32] = if quick { &[100, 1_000] } else { &[100, 1_000, 10_000] };
        let mut sizes = sizes.unwrap_or_else(|| default.to_vec());
        sizes.sort_unstable();
        sizes.dedup();
        Ok(Self { sizes, runs: runs.unwrap_or(if quick { 3 } else { 9 }), peers, quick, corpus })
    }
}

fn positive(text: &str) -> Option<u32> {
    text.trim().parse().ok().filter(|&number| number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned)).map_err(|e| e.to_string())
    }

    #[test]
    fn without_options_the_full_bench_runs() {
        assert_eq!(
            parse(""),
            Ok(Options {
                sizes: vec![100, 1_000, 10_000],
                runs: 9,
                peers: true,
                quick: false,
                corpus: None
            })
        );
    }

    #[test]
    fn what_is_said_outright_wins_over_quick() {
        assert_eq!(
            parse("--runs 5 --quick --no-peers --sizes 30,10,30 --corpus some/where"),
            Ok(Options {
                sizes: vec![10, 30],
                runs: 5,
                peers: false,
                quick: true,
                corpus: Some("some/where".into()),
            })
        );
    }

    #[test]
    fn a_wrong_option_is_told_apart_from_a_missing_value() {
        for (line, message) in [
            ("--fast", "`bench` does not know `--fast`"),
            ("--runs", "`--runs` needs a value"),
            ("--runs 0", "`--runs` takes a number from 1 up, not `0`"),
            ("--sizes 1,x", "`--sizes` takes numbers like 100,1000, not `1,x`"),
        ] {
            assert_eq!(parse(line), Err(message.to_owned()));
        }
    }
}

//! Why nothing came from a source, in words that say what to do.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::bundle::Refused;
use crate::source::SourceError;

/// Why a fetch came to nothing. Whatever was there before is as it was.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The text names no source.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A file or folder of this machine could not be used.
    #[error("cannot {doing} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// With which path.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file that is no archive.
    #[error(
        "`{}` is a file, and no archive of skills; name a folder with a `SKILL.md`, or a .zip, .tar.gz, .tgz or .skill",
        .0.display()
    )]
    NotAFolder(PathBuf),
    /// There is no `git`.
    #[error("cannot run `git`: {0}; install git, or name an archive instead")]
    NoGit(std::io::Error),
    /// Git could not do it.
    #[error("git could not {doing} `{url}`: {why}")]
    Git {
        /// What was tried.
        doing: &'static str,
        /// The repository.
        url: String,
        /// Git's own words, bounded.
        why: String,
    },
    /// Git took longer than it may.
    #[error("git could not {doing} `{url}` within {} s", limit.as_secs())]
    OutOfTime {
        /// What was tried.
        doing: &'static str,
        /// The repository.
        url: String,
        /// How long it may take.
        limit: Duration,
    },
    /// The repository is larger than it may be.
    #[error("`{url}` sends more than {limit} bytes; refused")]
    TooLarge {
        /// The repository.
        url: String,
        /// The most that is taken.
        limit: u64,
    },
    /// The repository has no such branch, tag or commit.
    #[error("`{url}` has no branch, tag or whole commit id `{name}`")]
    NoReference {
        /// The repository.
        url: String,
        /// What was asked for.
        name: String,
    },
    /// The source has no such folder.
    #[error("`{source_text}` has no folder `{path}`")]
    NoFolder {
        /// The source.
        source_text: String,
        /// The folder.
        path: String,
    },
    /// A server's address is not one of the public internet.
    #[error(
        "refused to ask `{url}`: {why}, and only the public internet may be asked; `--allow-private` allows it"
    )]
    NotPublic {
        /// The address.
        url: String,
        /// Which host and what it is.
        why: String,
    },
    /// An archive breaks a rule, and is refused whole.
    #[error("refused the archive `{archive}`: {why}")]
    Archive {
        /// Which archive.
        archive: String,
        /// The entry and the rule, or the limit.
        why: String,
    },
    /// A download came to nothing.
    #[error(transparent)]
    Download(#[from] hone_net::Error),
    /// A site's index cannot be used.
    #[error("cannot use the index `{url}`: {why}")]
    Index {
        /// The index.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// An MCP server does not answer as one that serves skills.
    #[error("cannot take skills from the MCP server `{url}`: {why}")]
    Mcp {
        /// The server.
        url: String,
        /// What is wrong with it.
        why: String,
    },
    /// An address that does not say what it is, and is nothing that holds skills.
    #[error("`{url}` is neither a git repository ({git}) nor a site with skills ({site})")]
    NeitherGitNorSite {
        /// The address.
        url: String,
        /// What git said.
        git: String,
        /// What the site said.
        site: String,
    },
    /// The source has too many skills, or they are too much together.
    #[error("`{source_text}` holds more than {limit}; name the skills you want")]
    TooMany {
        /// The source.
        source_text: String,
        /// The limit and what it counts.
        limit: String,
    },
    /// The source holds no skill.
    #[error("`{0}` holds no skill: no `SKILL.md` was found")]
    NoSkills(String),
    /// The source has no skill of this name.
    #[error("`{source_text}` has no skill `{name}`; {offered}")]
    NoSuchSkill {
        /// The source.
        source_text: String,
        /// The name that was asked for.
        name: String,
        /// A sentence that names the ones there are.
        offered: String,
    },
    /// Every skill that was asked for was refused.
    #[error("{}", refusals(.0))]
    Refused(Vec<Refused>),
}

impl FetchError {
    /// What to do next, where the message does not say so.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Download(hone_net::Error::NotPublic { .. }) => {
                Some("`--allow-private` allows it")
            }
            _ => None,
        }
    }

    /// Whether the answer is "no" rather than "could not be asked".
    pub fn is_answer(&self) -> bool {
        match self {
            Self::NoReference { .. }
            | Self::NoFolder { .. }
            | Self::NotPublic { .. }
            | Self::Archive { .. }
            | Self::TooLarge { .. }
            | Self::TooMany { .. }
            | Self::NoSkills(_)
            | Self::NoSuchSkill { .. }
            | Self::Refused(_) => true,
            Self::Download(error) => matches!(error, hone_net::Error::NotPublic { .. }),
            _ => false,
        }
    }

    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}

fn refusals(refused: &[Refused]) -> String {
    let lines = refused.iter().map(|one| match one.path.as_str() {
        "" => format!("refused the skill `{}`: {}", one.name, one.why),
        path => format!("refused the skill `{}` in `{path}`: {}", one.name, one.why),
    });
    lines.collect::<Vec<_>>().join("\n")
}

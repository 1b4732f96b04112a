//! What a person can type about skills that come from elsewhere.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Whose skills are meant.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Whose {
    /// The project's: `.agents/skills` and `hone.lock` at its top
    #[arg(long, conflicts_with = "user")]
    pub(crate) project: bool,
    /// Yours: `~/.agents/skills` and `hone.lock` in `HONE_HOME`
    #[arg(long)]
    pub(crate) user: bool,
}

/// How the network is used.
#[derive(Debug, Clone, Copy, Default, Args)]
pub(crate) struct Network {
    /// Allow servers of this machine and its networks, which are refused otherwise
    #[arg(long)]
    pub(crate) allow_private: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum HubCommand {
    /// Install skills from a folder, git, an archive or a server
    #[command(after_help = "SOURCE is one of:\n  \
        owner/repository[/folder][@skill]     GitHub; also owner/repository#ref[@skill]\n  \
        https://github.com/o/r/tree/main/x    an address copied from a browser (GitLab, Codeberg … too)\n  \
        gitlab:group/repository[//folder]     GitLab\n  \
        https://host/repo.git, git@host:repo  any git repository; a folder behind `//`, a ref behind `#`\n  \
        ./folder, ./skills.zip, ./x.skill     a folder or an archive of yours (.zip .tar.gz .tgz .skill)\n  \
        https://host/skills.tar.gz            an archive, or a single …/SKILL.md\n  \
        https://host                          a site with .well-known/agent-skills/index.json\n  \
        mcp+https://host/mcp                  an MCP server that serves skills\n\n\
        Examples:\n  \
        hone add acme/skills                  asks which, when there are several\n  \
        hone add acme/skills@pdf --project    one skill, for everybody who works on the project\n  \
        hone add acme/skills#v2 --all --yes   all of a tag, without a question\n  \
        hone add ./skills --dry-run           what would happen\n\n\
        Whatever comes is put into quarantine and scanned, and the policy decides (`hone policy`). What it \
        leaves to a person is asked at a terminal, and waits for `hone approve` otherwise. Without --project \
        and --user it goes to the project when that has a hone.lock, else to your home.")]
    Add(Add),
    /// Take installed skills away: files, shared links, lock entry
    #[command(after_help = "Example:\n  \
        hone remove pdf\n\nIt takes only what `hone add` installed; `hone rm` removes a skill of your own. \
        `hone rollback` brings it back.")]
    Remove {
        /// The skills
        #[arg(required = true)]
        name: Vec<String>,
        #[command(flatten)]
        whose: Whose,
        /// Take it away with the changes that somebody made to it
        #[arg(long)]
        discard_edits: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring installed skills to what their sources have now
    #[command(after_help = "Examples:\n  \
        hone update             all of them\n  \
        hone update pdf\n  \
        hone update --dry-run   what would happen, and what is new\n\n\
        What is new is shown: hosts, tools, environment variables, hooks, scripts, findings. A version that \
        can do more than the installed one is asked about again. Your own edits stay, or refuse the update.")]
    Update(Update),
    /// Say which installed skills have a newer version; changes nothing
    #[command(after_help = "Examples:\n  \
        hone outdated\n  \
        hone outdated pdf --project\n\n\
        Exit code 1 when one has, 0 when none has.")]
    Outdated {
        /// The skills; all without any
        name: Vec<String>,
        #[command(flatten)]
        whose: Whose,
        #[command(flatten)]
        network: Network,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make everything as hone.lock says, or fail
    #[command(after_help = "Examples:\n  \
        hone install                            in a fresh checkout\n  \
        hone install --from skills-lock.json    from the lock file of another tool\n  \
        hone install --skill pdf --dismiss RULE --reason WHY\n\n\
        Every file is compared with its hash in the lock. One skill that cannot be had holds back all. \
        What was dismissed on another machine is not known here: dismiss it here too, one skill at a time.")]
    Install(Install),
    /// Compare installed skills with hone.lock, file by file
    #[command(after_help = "Examples:\n  \
        hone verify\n  \
        hone verify pdf --project\n\n\
        Exit code 1 when something differs. Skills that the lock does not know are named, and are no difference.")]
    Verify {
        /// The skills; all without any
        name: Vec<String>,
        #[command(flatten)]
        whose: Whose,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what was installed, updated, blocked, approved and removed
    #[command(after_help = "Examples:\n  \
        hone audit\n  \
        hone audit -n 100\n  \
        hone audit verify\n\n\
        Every row carries the hash of the one before it: `hone audit verify` follows the chain and says where it \
        breaks.")]
    Audit {
        #[command(subcommand)]
        command: Option<AuditCommand>,
        /// How many rows, the newest
        #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = super::AT_LEAST_ONE)]
        limit: usize,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// List what waits for approval, approve or reject it
    #[command(after_help = "Examples:\n  \
        hone approve                    what waits, and why\n  \
        hone approve 3fa2 --show        what it would change\n  \
        hone approve 3fa2               installs exactly the files that were shown\n  \
        hone approve 3fa2 --reject")]
    Approve {
        /// What it is called by, or the start of that
        id: Option<String>,
        /// Show its files against what is installed
        #[arg(long, requires = "id", conflicts_with = "reject")]
        show: bool,
        /// Take it away instead
        #[arg(long, requires = "id")]
        reject: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Make skills visible to other agents, or take that back
    #[command(after_help = "Examples:\n  \
        hone share pdf --agent claude-code,codex\n  \
        hone share --agent claude-code         everything that is installed\n  \
        hone share pdf --undo                  out of all agents' folders\n  \
        hone share --agents                    the names of agents\n\n\
        A skill is shared by a link where links work, else by a copy. What is there already stays.")]
    Share {
        /// The skills; all installed ones without any
        name: Vec<String>,
        /// With whom: other agents' names, such as claude-code,codex
        #[arg(long, value_name = "AGENT,...")]
        agent: Option<String>,
        /// Take back what was shared
        #[arg(long)]
        undo: bool,
        /// Copy instead of linking
        #[arg(long, conflicts_with = "undo")]
        copy: bool,
        /// List the names of agents
        #[arg(long, conflicts_with_all = ["undo", "copy", "name"])]
        agents: bool,
        #[command(flatten)]
        whose: Whose,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Findings to set aside.
#[derive(Debug, Args)]
pub(crate) struct Dismissing {
    /// Set a finding aside that is no danger, as RULE or RULE@FILE:LINE; for one skill, with --reason
    #[arg(long, value_name = "RULE", requires = "reason")]
    pub(crate) dismiss: Vec<String>,
    /// Why what is dismissed is no danger
    #[arg(long, value_name = "TEXT", requires = "dismiss", allow_hyphen_values = true)]
    pub(crate) reason: Option<String>,
}

/// `hone update`.
#[derive(Debug, Args)]
pub(crate) struct Update {
    /// The skills; all without any
    pub(crate) name: Vec<String>,
    #[command(flatten)]
    pub(crate) whose: Whose,
    #[command(flatten)]
    pub(crate) network: Network,
    /// Answer every question with yes; what the policy blocks stays blocked
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Give up the changes that somebody made
    #[arg(long)]
    pub(crate) discard_edits: bool,
    #[command(flatten)]
    pub(crate) dismissing: Dismissing,
    /// Fetch, scan and compare, and say what would happen; change nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hone install`.
#[derive(Debug, Args)]
pub(crate) struct Install {
    /// Another lock file: hone.lock, skills-lock.json or .skill-lock.json
    #[arg(long, value_name = "FILE")]
    pub(crate) from: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) whose: Whose,
    #[command(flatten)]
    pub(crate) network: Network,
    /// Answer every question with yes; what the policy blocks stays blocked
    #[arg(long, short)]
    pub(crate) yes: bool,
    /// Give up the changes that somebody made
    #[arg(long, conflicts_with = "from")]
    pub(crate) discard_edits: bool,
    /// The skill whose finding is dismissed
    #[arg(long, short, value_name = "NAME", requires = "dismiss")]
    pub(crate) skill: Option<String>,
    #[command(flatten)]
    pub(crate) dismissing: Dismissing,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hone add`.
#[derive(Debug, Args)]
pub(crate) struct Add {
    /// Where the skills are
    pub(crate) source: String,
    /// One of its skills, by name or path (repeatable)
    #[arg(long, short, value_name = "NAME")]
    pub(crate) skill: Vec<String>,
    /// All of its skills
    #[arg(long, conflicts_with = "skill")]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) whose: Whose,
    #[command(flatten)]
    pub(crate) network: Network,
    /// Answer every question with yes; what the policy blocks stays blocked
    #[arg(long, short)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) dismissing: Dismissing,
    /// Fetch and scan, and say what would happen; install nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// `hone audit …`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum AuditCommand {
    /// Follow the chain of hashes from the first row
    #[command(after_help = "Examples:\n  \
        hone audit verify\n  \
        hone audit verify --json | jq -r .head\n\n\
        Exit code 1: a row does not follow from the one before it.")]
    Verify,
}

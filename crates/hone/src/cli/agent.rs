//! What a person can type about agents.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Subcommand;

/// What to do with an agent.
#[derive(Debug, Subcommand)]
pub(crate) enum AgentCommand {
    /// Make an agent: a brain of its own below `HONE_HOME/agents`
    #[command(after_help = "Examples:\n  \
        hone agent new auditor --system system.md\n  \
        hone agent new auditor --seed seeds/auditor --tools read_file,search_files,recall,note\n\n\
        The tools for its own skills are always there. A seed is copied once; `hone agent update` brings \
        a newer one and leaves alone what was changed here.")]
    New {
        /// Its name: lower-case letters, digits and hyphens
        id: String,
        /// Its role: the head of every system message
        #[arg(long, value_name = "FILE")]
        system: Option<PathBuf>,
        /// A folder of skills to copy
        #[arg(long, value_name = "DIR")]
        skills: Option<PathBuf>,
        /// A folder of patterns to copy, for `pattern_search`
        #[arg(long, value_name = "DIR")]
        patterns: Option<PathBuf>,
        /// The tools that it may call [default: all]
        #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
        tools: Option<Vec<String>>,
        /// Other agents that it may ask
        #[arg(long, value_name = "ID,...", value_delimiter = ',')]
        agents: Vec<String>,
        /// Its model [default: found for each task]
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// A brain to start from
        #[arg(long, value_name = "DIR")]
        seed: Option<PathBuf>,
        /// Print the agent as JSON
        #[arg(long)]
        json: bool,
    },
    /// List the agents
    #[command(after_help = "Examples:\n  \
        hone agent list\n  \
        hone agent list --json | jq -r '.agents[].id'")]
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what an agent is, knows and did last
    #[command(after_help = "Examples:\n  \
        hone agent show auditor\n  \
        hone agent show auditor --json | jq .quarantined")]
    Show {
        /// The agent
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring a newer seed; files that were changed here stay
    #[command(after_help = "Example:\n  \
        hone agent update auditor --seed seeds/auditor")]
    Update {
        /// The agent
        id: String,
        /// The seed
        #[arg(long, value_name = "DIR")]
        seed: PathBuf,
        /// Print JSON (added, updated, kept)
        #[arg(long)]
        json: bool,
    },
    /// Print the hash of an agent's state: what it knows, what happened, and the version
    #[command(after_help = "Examples:\n  \
        hone agent hash auditor\n  \
        hone agent hash auditor --json | jq -r .bundle")]
    Hash {
        /// The agent
        id: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// List what was signed about an agent, oldest first
    #[command(after_help = "Examples:\n  \
        hone agent receipts auditor\n  \
        hone agent receipts auditor --json | jq -c '.receipts[-1]'")]
    Receipts {
        /// The agent
        id: String,
        /// Print the receipts as JSON
        #[arg(long)]
        json: bool,
    },
    /// Check receipts, a whole brain, or one step; needs nothing but the file and the key
    #[command(after_help = "Examples:\n  \
        hone agent verify auditor\n  \
        hone agent verify receipts.jsonl --key 8a88e3dd…\n  \
        hone agent verify step.json --key auditor.pub\n\n\
        Exit code 0: all of it holds. 1: it does not, with the receipt and the field.")]
    Verify {
        /// An agent, a brain's folder, a file of receipts, or a proof of one step
        what: String,
        /// The public key that signed the first receipt: 64 hexadecimal digits, or a file with them or in PEM
        #[arg(long, value_name = "KEY")]
        key: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Cut one step out of a transcript, with the proof that it belongs there
    #[command(after_help = "Example:\n  \
        hone agent proof auditor 20261102T101300Z-3f9ab329 2 > step.json\n\n\
        `hone agent receipts` names the tasks. `hone agent verify step.json --key KEY` checks the proof, on any machine.")]
    Proof {
        /// The agent
        id: String,
        /// The task
        task: String,
        /// Which step, from 0
        step: usize,
    },
    /// Show the versions of an agent and what changed in each, newest first
    #[command(after_help = "Examples:\n  \
        hone agent log auditor\n  \
        hone agent log auditor --limit 3 --diff")]
    Log {
        /// The agent
        id: String,
        /// How many versions to show
        #[arg(long, value_name = "N", default_value_t = 50)]
        limit: usize,
        /// Show what changed in its skills, and in its files by other means than a task
        #[arg(long)]
        diff: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Pack an agent up: encrypted, into a store, only what changed since the last time
    #[command(after_help = "Examples:\n  \
        head -c 32 /dev/urandom > ~/snapshot.key && chmod 600 ~/snapshot.key\n  \
        hone agent snapshot auditor --to ~/backup --key-file ~/snapshot.key\n  \
        hone config set snapshots.store s3://bucket/agents\n  \
        hone config set snapshots.key_file ~/snapshot.key\n  \
        hone agent snapshot auditor\n  \
        hone agent snapshot                  every agent whose snapshot is behind, for a timer\n\n\
        With a store in the configuration, an agent is packed by itself after each task that taught it \
        something. Store and key come from here, else from HONE_SNAPSHOT_STORE and HONE_SNAPSHOT_KEY_FILE \
        or HONE_SNAPSHOT_PASSPHRASE, else from the configuration. Without a key nothing is packed.")]
    Snapshot {
        /// The agent; without one, all that moved since their newest snapshot
        #[arg(required_if_eq_any([("list", "true"), ("replace", "true"), ("full", "true")]))]
        id: Option<String>,
        /// Where to: a folder, or a URL as `s3://BUCKET/…`, `gs://BUCKET/…`, `az://CONTAINER/…`
        #[arg(long, value_name = "STORE")]
        to: Option<String>,
        /// The file with the 32 bytes that seal it, readable by you alone
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// Take the place of the newest snapshot although this brain does not go on from it
        #[arg(long)]
        replace: bool,
        /// Read everything, also what the times of its files say is unchanged
        #[arg(long)]
        full: bool,
        /// List the snapshots that are there
        #[arg(long, conflicts_with_all = ["replace", "full"])]
        list: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring an agent back from a snapshot, by its name alone
    #[command(after_help = "Examples:\n  \
        hone agent restore auditor\n  \
        hone agent restore auditor --from s3://bucket/agents --key-file ~/snapshot.key\n  \
        hone agent restore auditor --list\n  \
        hone agent restore auditor --version 7\n\n\
        Everything is checked before it appears: a wrong key, a changed byte, another agent's objects or an \
        older snapshot than this machine has seen are refused. Nothing is restored over an agent that is \
        there. Exit code 1: refused, and nothing has changed.")]
    Restore {
        /// The agent
        id: String,
        /// Where from: a folder or a URL, as for `hone agent snapshot`
        #[arg(long, value_name = "STORE")]
        from: Option<String>,
        /// The file with the 32 bytes that open it
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// The newest snapshot of this version of what the agent knows
        #[arg(long, value_name = "N", conflicts_with = "list")]
        version: Option<u64>,
        /// The snapshot with this number
        #[arg(long, value_name = "N", conflicts_with_all = ["list", "version"])]
        number: Option<u64>,
        /// The public key that must have signed its first receipt
        #[arg(long, value_name = "KEY", conflicts_with = "list")]
        key: Option<String>,
        /// List the snapshots that are there
        #[arg(long)]
        list: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove old snapshots, and what no kept snapshot needs
    #[command(after_help = "Examples:\n  \
        hone agent prune auditor --keep 30\n\n\
        Nothing younger than 24 hours is removed, and nothing at all when a snapshot that stays cannot \
        be read. No history goes: every snapshot has all receipts.")]
    Prune {
        /// The agent
        id: String,
        /// How many snapshots to keep, the newest ones
        #[arg(long, value_name = "N", value_parser = at_least_one)]
        keep: NonZeroUsize,
        /// Where they are: a folder or a URL
        #[arg(long, value_name = "STORE")]
        from: Option<String>,
        /// The file with the 32 bytes that open them
        #[arg(long, value_name = "FILE")]
        key_file: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Hand the signing over to a new key
    #[command(after_help = "Example:\n  \
        hone agent rotate auditor\n\n\
        The old key signs the new one, and is kept. The chain still begins with the first key: `hone agent hash` prints both.")]
    Rotate {
        /// The agent
        id: String,
    },
    /// Take an agent away for good, with all it knows
    #[command(after_help = "Example:\n  \
        hone agent rm auditor")]
    Rm {
        /// The agent
        id: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

/// A number that is not 0.
fn at_least_one(text: &str) -> Result<NonZeroUsize, String> {
    let number = super::AT_LEAST_ONE(text)?;
    NonZeroUsize::new(number).ok_or_else(|| "at least one".to_owned())
}

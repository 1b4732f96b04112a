//! The command line: what a person can type.

mod agent;
mod connect;
mod hub;
mod learn;
mod library;
mod review;
mod router;
mod scan;
mod serve;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use hone_router::Budget;

pub(crate) use agent::AgentCommand;
pub(crate) use connect::Connect;
pub(crate) use hub::{Add, AuditCommand, Dismissing, HubCommand, Install, Network, Update, Whose};
pub(crate) use learn::{Correct, Learn, Sessions};
pub(crate) use library::{
    ClientName, ConfigCommand, FileCommand, Format, ProfileName, UsageCommand,
};
pub(crate) use review::ReviewCommand;
pub(crate) use router::{CallerName, CommandsCommand, EvalCommand};
pub(crate) use scan::{PolicyCommand, Scan, ScanFormat};
pub(crate) use serve::{Serve, ServeCommand, TokenCommand};

/// A number that is not 0.
const AT_LEAST_ONE: fn(&str) -> Result<usize, String> = |text| match text.parse() {
    Ok(0) => Err("at least one".to_owned()),
    Ok(number) => Ok(number),
    Err(error) => Err(format!("{error}")),
};

/// Skills for AI agents: author, check, find, change, undo.
#[derive(Debug, Parser)]
#[command(
    name = "hone",
    version,
    about = "Author, check, find and improve SKILL.md skills for AI agents",
    long_about = "hone looks after skills: folders with a SKILL.md that teach an AI agent a procedure.\n\n\
        It reads them where agents already keep them (.agents/skills, .claude/skills and others, in the \
        project and in your home), shows one catalogue of all of them, and changes them safely: every \
        write is checked first, recorded, and can be undone.",
    after_help = "Start with `hone` alone for an overview, or `hone list`.\n\
        Exit codes: 0 good, 1 the answer is no (invalid, not found, refused), 2 wrong usage or could not run.",
    infer_subcommands = false
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    #[command(flatten)]
    pub(crate) places: Places,
}

/// Where to look for skills.
#[derive(Debug, Clone, Default, Args)]
pub(crate) struct Places {
    /// Use exactly this folder of skills (repeatable) instead of the project's, yours and the machine's
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) root: Vec<PathBuf>,

    /// Also use the skills of this agent of ours (a brain below `HONE_HOME/agents`)
    #[arg(long, value_name = "ID", global = true)]
    pub(crate) agent: Option<String>,

    /// How many folders deep to look below a root [default: 6, or `skills.depth`; below a folder that `check` or
    /// `scan` is given, 32]
    #[arg(long, value_name = "N", global = true, value_parser = clap::value_parser!(u8).range(0..=64))]
    pub(crate) depth: Option<u8>,
}

/// How a change is made and shown.
#[derive(Debug, Clone, Args)]
pub(crate) struct Writing {
    /// Show the difference, write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print the change as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Why, for the history
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) why: Option<String>,
}

impl Writing {
    /// The same, without the writing.
    pub(crate) fn dry(&self) -> Self {
        Self { dry_run: true, ..self.clone() }
    }
}

/// Where a text comes from.
#[derive(Debug, Clone, Args)]
#[group(multiple = false)]
pub(crate) struct Content {
    /// Take the text from standard input
    #[arg(long)]
    pub(crate) stdin: bool,

    /// Take the text from a file
    #[arg(long, value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,
}

/// How an agent works on a task.
#[derive(Debug, Clone, Args)]
pub(crate) struct Running {
    /// For whom: what is remembered about one subscriber is never shown to another [default: you]
    #[arg(long, value_name = "NAME")]
    pub(crate) subscriber: Option<String>,
    /// The model [default: the agent's, `model.name`, or one that is found]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Replies of the model at most [default: the agent's, or 8]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub(crate) turns: Option<u32>,
    /// Tokens at most, in and out together [default: the agent's, or no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_tokens: Option<u64>,
    /// A folder whose files the agent may change and in which it may run commands, confined
    #[arg(long, value_name = "DIR")]
    pub(crate) workspace: Option<PathBuf>,
    /// How long to wait when another task has the agent, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300)]
    pub(crate) wait: u64,
    /// Learn nothing from it; it still counts for the skills that it read
    #[arg(long)]
    pub(crate) no_learn: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// List the skills that are there
    #[command(after_help = "Examples:\n  \
        hone list\n  \
        hone list git commit        skills whose name or description has both words\n  \
        hone list --all             also what was skipped, and why\n  \
        hone list --client codex    what Codex would see here\n  \
        hone list --json | jq '.skills[].name'")]
    List {
        /// Words that must occur in the name or the description
        query: Vec<String>,
        /// Also show what was skipped, with the reason
        #[arg(long, short)]
        all: bool,
        /// Show what this agent would see
        #[arg(long, value_name = "CLIENT")]
        client: Option<ClientName>,
        /// Print JSON (skills and skipped)
        #[arg(long)]
        json: bool,
    },
    /// Show a skill, or one of its files
    #[command(after_help = "Examples:\n  \
        hone view tidy\n  \
        hone view tidy references/notes.md\n  \
        hone view project:deploy --raw | less\n\n\
        NAME may be a name, a slug, scope:name (project:deploy), or a path.")]
    View {
        /// The skill
        name: String,
        /// A file of the skill, such as references/notes.md
        file: Option<String>,
        /// Print the bytes as they are
        #[arg(long, conflicts_with = "json")]
        raw: bool,
        /// Print JSON (metadata, content, files)
        #[arg(long)]
        json: bool,
    },
    /// Create a skill, in $EDITOR or from a text
    #[command(after_help = "Examples:\n  \
        hone new tidy-changelog                       opens $EDITOR\n  \
        hone new tidy-changelog --file draft.md       with or without frontmatter\n  \
        echo 'Sort entries.' | hone new tidy-changelog --stdin --description 'Tidies a changelog'\n\n\
        It goes to ~/.agents/skills, or to the first --root.")]
    New {
        /// The name; its slug becomes the folder
        name: String,
        #[command(flatten)]
        from: Content,
        /// What it does and when to use it
        #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
        description: Option<String>,
        /// Put it into the project (.agents/skills) instead of your home
        #[arg(long, conflicts_with_all = ["root", "agent"])]
        project: bool,
        /// Put it into a folder of this name below the root
        #[arg(long, value_name = "NAME")]
        category: Option<String>,
        /// If it exists, replace it in place with the next version
        #[arg(long)]
        upsert: bool,
        /// Propose messages that should and should not call it, in triggers.json beside it
        #[arg(long)]
        triggers: bool,
        #[command(flatten)]
        writing: Writing,
    },
    /// Change the whole text of a skill, in $EDITOR or from a text
    #[command(after_help = "Examples:\n  \
        hone edit tidy                       opens $EDITOR\n  \
        hone edit tidy --file draft.md --why 'shorter'\n  \
        hone edit tidy --stdin --dry-run < draft.md")]
    Edit {
        /// The skill
        name: String,
        #[command(flatten)]
        from: Content,
        #[command(flatten)]
        writing: Writing,
    },
    /// Replace one piece of a skill's text
    #[command(after_help = "Examples:\n  \
        hone patch tidy --old 'Sort by kind' --new 'Sort by date' --why 'readers look for dates'\n  \
        hone patch tidy --in scripts/sort.sh --old-file old.txt --new-file new.txt --dry-run\n\n\
        The old text must occur exactly once. With --fuzzy, blanks, indentation and \
        typographic quotes may differ, and what was matched is shown.")]
    Patch {
        /// The skill
        name: String,
        /// The text to replace
        #[arg(
            long,
            value_name = "TEXT",
            required_unless_present = "old_file",
            allow_hyphen_values = true
        )]
        old: Option<String>,
        /// The text to put there
        #[arg(
            long,
            value_name = "TEXT",
            required_unless_present = "new_file",
            allow_hyphen_values = true
        )]
        new: Option<String>,
        /// Take the old text from a file
        #[arg(long, value_name = "FILE", conflicts_with = "old")]
        old_file: Option<PathBuf>,
        /// Take the new text from a file
        #[arg(long, value_name = "FILE", conflicts_with = "new")]
        new_file: Option<PathBuf>,
        /// Patch this file of the skill instead of its SKILL.md
        #[arg(long = "in", value_name = "PATH")]
        inside: Option<String>,
        /// Let blanks, indentation and quotes differ
        #[arg(long)]
        fuzzy: bool,
        #[command(flatten)]
        writing: Writing,
    },
    /// Take a skill away (`hone rollback` brings it back)
    #[command(after_help = "Examples:\n  \
        hone rm tidy --why 'nobody uses it'\n  \
        hone rm project:deploy --dry-run")]
    Rm {
        /// The skill
        name: String,
        #[command(flatten)]
        writing: Writing,
    },
    /// Add or remove a skill's supporting files
    #[command(after_help = "Examples:\n  \
        hone file add tidy references/style.md --file style.md\n  \
        hone file rm tidy references/style.md\n  \
        hone file list tidy")]
    #[command(subcommand)]
    File(FileCommand),
    /// Check skills against the format's rules
    #[command(after_help = "Examples:\n  \
        hone check                      every skill below the current folder\n  \
        hone check tidy --fix           mends what a program can mend\n  \
        hone check skills/ --profile upload --format github\n\n\
        PATH is a skill's folder, its SKILL.md, a folder of skills, or a skill's name; \
        without one, the current folder.\n\
        Exit code 0: no errors. 1: errors. Warnings and notes do not count.")]
    Check {
        /// What to check
        path: Vec<PathBuf>,
        /// Whose rules
        #[arg(long, value_enum, default_value_t = ProfileName::Spec)]
        profile: ProfileName,
        /// Mend what can be mended, in place
        #[arg(long)]
        fix: bool,
        /// With --fix: show the difference, write nothing
        #[arg(long, requires = "fix")]
        dry_run: bool,
        /// How to print the findings
        #[arg(long, value_enum, default_value_t = Format::Text)]
        format: Format,
    },
    /// Look for what makes a skill unsafe
    #[command(
        long_about = "Looks for what makes a skill unsafe: secrets that leave the machine, remote or hidden code \
            that is run, writes into start-up files, the agent's settings and credentials, instructions that turn \
            an agent against its user. Findings follow what flows from where to where; words alone are notes.",
        after_help = "PATH is a skill's folder, its SKILL.md, a folder of skills, an archive or a file; NAME is a \
        skill's name.\nWithout one: every skill that `hone list --all` knows.\n\n\
        Examples:\n  \
        hone scan                              everything that is installed\n  \
        hone scan ./downloaded-skill           before it is used\n  \
        hone scan skills/ --format sarif       for code scanning\n  \
        hone scan --explain secret-to-network  what a rule is about\n\n\
        Exit code 0: every verdict is below the bar. 1: one is not. 2: something could not be scanned."
    )]
    Scan(Scan),
    /// Look for anything that keeps skills from working
    #[command(after_help = "Examples:\n  \
        hone doctor\n  \
        hone doctor --json | jq '.checks[] | select(.status != \"good\")'")]
    Doctor {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Trust a project, so that its skills are offered
    #[command(after_help = "Examples:\n  \
        hone trust                  the project around the current folder\n  \
        hone trust ~/shop --revoke\n  \
        hone trust --list\n\n\
        Read what you trust: `hone list --all` names the skills of the project, `hone view PATH` shows one.")]
    Trust {
        /// The project [default: the one around the current folder]
        #[arg(conflicts_with = "list")]
        folder: Option<PathBuf>,
        /// Take the trust back
        #[arg(long, conflicts_with = "list")]
        revoke: bool,
        /// List the trusted projects
        #[arg(long)]
        list: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show every revision of a skill
    #[command(after_help = "Examples:\n  \
        hone history tidy\n  \
        hone history tidy --json | jq '.revisions[-1]'")]
    History {
        /// The skill; one that was removed, too
        name: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what changed between revisions, or on disk since
    #[command(
        after_help = "Without options: what was changed on disk without hone since the newest revision; \
        if nothing was, the newest revision against the one before it.\n\n\
        Examples:\n  \
        hone diff tidy\n  \
        hone diff tidy --from 1 --to 3\n  \
        hone diff tidy --locked              your edits of a skill that was installed"
    )]
    Diff {
        /// The skill
        name: String,
        /// The older revision
        #[arg(long, value_name = "N")]
        from: Option<u64>,
        /// The newer revision
        #[arg(long, value_name = "N")]
        to: Option<u64>,
        /// What is on disk against what the lock file says was installed
        #[arg(long, conflicts_with_all = ["from", "to"])]
        locked: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Bring an earlier revision back, as a new one
    #[command(after_help = "Examples:\n  \
        hone rollback tidy                   the newest change is undone\n  \
        hone rollback tidy --to 3\n  \
        hone rollback tidy --dry-run")]
    Rollback {
        /// The skill; one that was removed, too
        name: String,
        /// The revision to go back to [default: the one before the newest]
        #[arg(long, value_name = "N")]
        to: Option<u64>,
        #[command(flatten)]
        writing: Writing,
    },
    #[command(flatten)]
    Hub(HubCommand),
    /// Tell whether a command is inside a skill's `allowed-tools`
    #[command(
        after_help = "The command is read as shell: everything it would run must be declared, and every file it \
        would write. One argument is a line of shell; several are the words of one command.\n\n\
        Examples:\n  \
        hone permit deploy -- git push origin main\n  \
        hone permit deploy -- 'git status && git log -1 > log.txt'\n\n\
        With --run, a command that is inside is run in a sandbox: it starts in the current \
        folder, reads the system, the skill and the project (never your whole home), writes what `Write(...)` declares and a scratch folder, and reaches the \
        network only if `WebFetch` is declared.\n\n\
        Exit code 0: inside. 1: refused, with the part that is not declared underlined. 2: could not run. With --run: \
        the command's own, or 125 when the sandbox ended it."
    )]
    Permit {
        /// The skill
        name: String,
        /// The command
        #[arg(last = true, required = true, value_name = "COMMAND")]
        command: Vec<String>,
        /// Run it in the sandbox if it is inside
        #[arg(long)]
        run: bool,
        /// With --run: pass this variable of the environment on (repeatable)
        #[arg(long, value_name = "NAME", requires = "run")]
        env: Vec<String>,
        /// Print JSON (allowed, granted, refusals)
        #[arg(long)]
        json: bool,
    },
    /// Show what may be used, and dismiss findings
    #[command(after_help = "Examples:\n  \
        hone policy                          the table of origin and verdict\n  \
        hone policy explain community caution\n  \
        hone policy dismiss release remote-to-interpreter --reason 'our own server'")]
    Policy {
        #[command(subcommand)]
        command: Option<PolicyCommand>,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Print the level-0 index exactly as a model gets it
    #[command(after_help = "Examples:\n  \
        hone prompt\n  \
        hone prompt --budget 1% --window 128000\n  \
        hone prompt --budget 800 --query 'undo the last deploy'")]
    Prompt {
        /// What it may cost: tokens, or a share of the window such as 2% [default: `prompt.budget`, or
        /// 2% of --window]
        #[arg(long, value_name = "N|PERCENT")]
        budget: Option<Budget>,
        /// The model's window [default: 200000]
        #[arg(long, value_name = "TOKENS")]
        window: Option<usize>,
        /// When not all fit: prefer skills that answer this
        #[arg(long, value_name = "WORDS")]
        query: Option<String>,
        /// Print JSON (text, tokens, what was shown and left out)
        #[arg(long)]
        json: bool,
    },
    /// Serve the skills to an agent over MCP, on stdin and stdout
    #[command(after_help = "Examples:\n  \
        hone mcp                          what you would see with `hone list`\n  \
        hone mcp --read-only --root ./skills\n\n\
        An agent starts this itself; put it into its configuration as the command of a server. It offers \
        every skill as a tool's answer, a resource, a prompt, and an entry of the skills extension.")]
    Mcp {
        /// Nobody writes a skill through it
        #[arg(long)]
        read_only: bool,
    },
    /// Tell an agent to start `hone mcp`, or not to any more
    #[command(after_help = "Examples:\n  \
        hone connect                      which agents are here, and which are connected\n  \
        hone connect claude-code          shows the change to its configuration, and asks\n  \
        hone connect codex --read-only --yes\n  \
        hone connect vscode --scope project\n  \
        hone connect zed --undo\n\n\
        Only the entry of that name is added; the rest of the file stays byte for byte. `hone doctor` starts \
        what was written and asks it.")]
    Connect(Connect),
    /// Serve skills and agents over HTTP: a page, an interface, and MCP
    #[command(after_help = "Examples:\n  \
        hone serve                               on 127.0.0.1, and prints the link to the page\n  \
        hone serve token add ci --role write     a token for a program\n  \
        hone serve --listen 0.0.0.0:4663 --tls-cert cert.pem --tls-key key.pem --name skills.example\n\n\
        Every request needs a token. The first start makes the owner's and prints it once, as the link to the \
        page; programs send it as `Authorization: Bearer TOKEN`. MCP is at /mcp. Ctrl-C stops \
        it: tasks that run get ten seconds to end.")]
    Serve(Serve),
    /// Call skills by command or mention: prints what a model gets
    #[command(after_help = "Examples:\n  \
        hone invoke /tidy-changelog the last release\n  \
        hone invoke /tidy /commit do both             up to six commands, then your words\n  \
        hone invoke 'use $tidy on [$deploy](skills/deploy/SKILL.md)'\n  \
        hone invoke --session 7 /tidy                 the second time only a note\n\n\
        Words that start with a hyphen go after `--`. What a skill needs and does not find is asked for \
        once; in a pipe it is reported, and the exit code is 1. While a program or server is missing, nothing is \
        asked, except with --allow-missing. Ctrl-C at a question ends with 130.")]
    Invoke {
        /// `/name` and your words, or a message that mentions skills
        #[arg(required = true, value_name = "MESSAGE")]
        message: Vec<String>,
        /// The session: a skill that it has loaded already is only noted
        #[arg(long, value_name = "ID")]
        session: Option<String>,
        /// Who calls
        #[arg(long = "as", value_enum, value_name = "CALLER", default_value_t = CallerName::Person)]
        caller: CallerName,
        /// Give a skill with `context: fork` to this conversation
        #[arg(long)]
        inline: bool,
        /// Go on when something is missing
        #[arg(long)]
        allow_missing: bool,
        /// Keep the answers in the system's keyring, for later calls of the same skills; `hone needs
        /// --forget` takes them out
        #[arg(long)]
        keep: bool,
        /// Print JSON (text, skills, needs)
        #[arg(long)]
        json: bool,
    },
    /// Make, list, show and remove agents of your own
    #[command(after_help = "Examples:\n  \
        hone agent new auditor --system system.md\n  \
        hone agent list\n  \
        hone agent show auditor\n\n\
        An agent is a folder below `HONE_HOME/agents`: its role, its skills and what it remembers. `hone run` gives \
        it a task, `hone chat` talks with it.")]
    #[command(subcommand)]
    Agent(AgentCommand),
    /// Give an agent one task and print its answer
    #[command(after_help = "Examples:\n  \
        hone run auditor 'is the oracle in src/price.sol safe?'\n  \
        hone run auditor --workspace . 'mend the failing test'\n  \
        hone run auditor --json 'what changed?' | jq -r 'select(.event == \"report\") | .answer'\n\n\
        The answer goes to standard output, each step to standard error. Without `--workspace` the agent \
        reads the current folder and writes nothing outside its brain.\n\
        Exit codes: 0 answered, 1 no answer, 2 could not run, 130 stopped with Ctrl-C.")]
    Run {
        /// The agent
        agent: String,
        /// What is to be done; `-` reads it from standard input, and `--` stands before one that begins with `-`
        #[arg(required = true, value_name = "TASK")]
        task: Vec<String>,
        #[command(flatten)]
        how: Running,
        /// Print every step as one line of JSON, then the report, then what was learned
        #[arg(long)]
        json: bool,
    },
    /// Talk with an agent
    #[command(after_help = "Examples:\n  \
        hone chat auditor\n  \
        hone chat auditor --workspace . --model qwen3:4b\n\n\
        One line is one task; what was said before goes with it. `/quit` ends, `/new` forgets the talk, `/help` \
        lists the commands.")]
    Chat {
        /// The agent
        agent: String,
        #[command(flatten)]
        how: Running,
    },
    /// Watch a recorded task run through the real loop, offline
    #[command(after_help = "Examples:\n  \
        hone demo\n  \
        hone demo --json | jq -r 'select(.event == \"report\") | .answer'\n\n\
        The replies are a recording of a real model, kept as data; everything else happens now: the tools, the \
        memory and what is learned, in a brain that is thrown away.")]
    Demo {
        /// Ask a real model and keep what it says, for the next demo
        #[arg(long, value_name = "FILE", hide = true)]
        record: Option<PathBuf>,
        /// Print every step as one line of JSON, then the report, then what was learned
        #[arg(long)]
        json: bool,
    },
    /// Make a skill of work that was done, in four questions
    #[command(after_help = "Examples:\n  \
        hone learn                        from the newest session, asking on the terminal\n  \
        hone learn 3f9a --yes             from that session, keeping every default\n  \
        hone learn notes.txt --dry-run    from a transcript; shows the skill, writes nothing\n  \
        hone learn --questions > q.json   what would be asked, for other front ends\n  \
        hone learn --answers a.json       {\"what\", \"when\", \"tools\", \"where\"}, each optional\n\n\
        Secrets, home folders and personal data are replaced by placeholders before anything is shown \
        to a model or written. A model is asked only if you name one, here or in `config.toml`.\n\
        Exit codes: 0 saved, 1 cancelled or refused, 2 could not run.")]
    Learn(Learn),
    /// List what agents did: Claude Code, Codex, Hermes, hone's own
    #[command(after_help = "Examples:\n  \
        hone sessions --here\n  \
        hone sessions --from codex release\n  \
        hone sessions --json | jq -r '.sessions[0].session'")]
    Sessions(Sessions),
    /// Say what was wrong with an agent's task, for it to learn from
    #[command(after_help = "Examples:\n  \
        hone correct ada 'the second column, not the first'\n  \
        hone correct ada --task 20261102T1013 'it is the other file'\n\n\
        The task counts as one that did not go well, for every skill that it read, and the agent is asked \
        for a lesson unless `learn.after_task` is off. Nothing is done anew. In a chat, `/wrong` says the same.")]
    Correct(Correct),
    /// List the slash commands that skills give
    #[command(after_help = "Examples:\n  \
        hone commands\n  \
        hone commands --json | jq -r '.commands[].command'\n  \
        hone commands reload         what changed since the last time\n\n\
        `hone invoke` calls one. A skill that a person may not call has none.")]
    Commands {
        #[command(subcommand)]
        command: Option<CommandsCommand>,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Show what skills need before they can work
    #[command(after_help = "Examples:\n  \
        hone needs\n  \
        hone needs deploy-shop\n  \
        hone needs deploy-shop --forget\n\n\
        Exit code 1: something that is not optional is missing.")]
    Needs {
        /// The skills [default: all]
        name: Vec<String>,
        /// Take the answers that `hone invoke --keep` kept out of the keyring first
        #[arg(long)]
        forget: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Say which skills a message is about
    #[command(
        after_help = "Bands: activate (the message says its name or a trigger phrase), offer (put its \
        line before the model), nothing.\n\n\
        Examples:\n  \
        hone match 'fill in this form'\n  \
        hone match --json -k 20 'fill in this form' | jq '.matches[].name'\n  \
        hone match --batch messages.jsonl   one {\"id\", \"query\"} a line, one answer a line\n\n\
        A message that starts with a hyphen goes after `--`."
    )]
    Match {
        /// The message
        #[arg(required_unless_present = "batch")]
        message: Option<String>,
        /// Answer many messages: JSON lines from a file, or `-` for standard input
        #[arg(long, value_name = "FILE", conflicts_with = "message")]
        batch: Option<PathBuf>,
        /// How many skills to name at most
        #[arg(short, value_name = "N", default_value_t = 10, value_parser = AT_LEAST_ONE)]
        k: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Search names, descriptions and bodies, the best first
    #[command(after_help = "Examples:\n  \
        hone search fill a form\n  \
        hone search -k 3 --json changelog | jq -r '.results[].name'\n  \
        hone search --hub pdf                 what `hone add` could install\n\n\
        Unlike `hone list WORDS`, not every word has to occur, other forms of a word count, \
        and so do typing errors. With --hub, what the sources in `hub.sources` offer is searched instead: \
        there every word has to occur in the name or the description.")]
    Search {
        /// What to look for
        #[arg(required_unless_present = "hub")]
        words: Vec<String>,
        /// Search what configured sources offer, kept for an hour
        #[arg(long)]
        hub: bool,
        /// Ask the sources again, whatever is kept
        #[arg(long, requires = "hub")]
        refresh: bool,
        #[command(flatten)]
        network: Network,
        /// How many skills to name at most
        #[arg(short, value_name = "N", default_value_t = 10, value_parser = AT_LEAST_ONE)]
        k: usize,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Test a skill by its own evals, or descriptions against messages
    #[command(
        args_conflicts_with_subcommands = true,
        subcommand_negates_reqs = true,
        override_usage = "hone eval [OPTIONS] <NAME>\n       hone eval triggers [OPTIONS] [NAME]...",
        after_help = "A skill's evals are the tasks in its evals/evals.json: {\"evals\": [{\"id\": 1, \"prompt\": \
        \"…\", \"files\": [], \"assertions\": [\"contains: 240\"]}]}. Each is run with the skill and without it, by a \
        fresh agent in a fresh folder. `contains:`, `equals:` and `file:` are checked by a program, the \
        rest by a judge.\n\n\
        Examples:\n  \
        hone eval pdf --runs 5 --plot pdf.svg\n  \
        hone eval triggers                   does every message lead to its skill?\n\n\
        Exit code 1: the skill does no better than nothing."
    )]
    Eval {
        #[command(subcommand)]
        command: Option<EvalCommand>,
        /// The skill
        #[arg(required = true)]
        name: Option<String>,
        /// Runs of each eval, each way
        #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=50))]
        runs: u32,
        /// The model [default: `model.name`, or one that is found]
        #[arg(long, value_name = "NAME")]
        model: Option<String>,
        /// Tokens at most, all runs together
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        max_tokens: Option<u64>,
        /// Draw what holds with and without
        #[arg(long, value_name = "FILE.svg")]
        plot: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Explain why a message does or does not lead to a skill
    #[command(after_help = "Examples:\n  \
        hone why 'fill in this form'\n  \
        hone why 'fill in this form' pdf\n\n\
        A message that starts with a hyphen goes after `--`.")]
    Why {
        /// The message
        message: String,
        /// The skill; without one, the first few
        name: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Show what a skill that is not there yet would change
    #[command(
        name = "what-if",
        after_help = "Examples:\n  \
        hone what-if ./drafts/pdf\n  \
        hone what-if ./drafts/pdf --messages said.txt\n\n\
        Without --messages, the messages of every triggers.json are asked."
    )]
    WhatIf {
        /// The skill's folder
        #[arg(value_name = "SKILL_DIR")]
        folder: PathBuf,
        /// One message a line, JSON lines with a "query", or a suite; `-` is standard input
        #[arg(long, value_name = "FILE")]
        messages: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Decide about what agents want to learn
    #[command(
        args_conflicts_with_subcommands = true,
        after_help = "Examples:\n  \
        hone review                 what waits for you\n  \
        hone review show 3f2a       one candidate, with difference, evidence and checks\n  \
        hone review accept 3f2a --why 'useful'\n\n\
        After a hard task an agent is asked for a lesson. It is a candidate, which no task sees, until it \
        passed the gate; what only a person can decide waits here."
    )]
    Review {
        #[command(subcommand)]
        command: Option<ReviewCommand>,
        /// Show what was decided too
        #[arg(long)]
        all: bool,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Show what skills do, and what learning cost
    #[command(after_help = "Examples:\n  \
        hone stats\n  \
        hone stats --html stats.html")]
    Stats {
        /// Write a page with plots
        #[arg(long, value_name = "FILE.html")]
        html: Option<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Let unused skills of agents go stale, then to the archive
    #[command(after_help = "Examples:\n  \
        hone curate --dry-run           the plan\n  \
        hone curate --agent auditor\n\n\
        A skill that an agent made and nobody has read for 30 days is stale; after 90 days it \
        goes to the archive. One that no message came near to does not age. Pinned ones, those that \
        something refers to and those that a person wrote in are left alone.\n\
        Twins are proposed as one skill (`hone review`). With --agent, one agent's skills only.")]
    Curate {
        /// Print the plan and change nothing
        #[arg(long)]
        dry_run: bool,
        /// Let no model word what twins become [default: the agent's, or the one in `config.toml`, words it]
        #[arg(long)]
        no_model: bool,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Take a skill out of sight; `hone restore` brings it back
    #[command(after_help = "Examples:\n  \
        hone archive tidy --why 'not used any more'")]
    Archive {
        /// The skill
        name: String,
        /// Why, for the history
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        why: String,
    },
    /// Bring an archived skill back, with all its files
    #[command(after_help = "Examples:\n  \
        hone restore tidy")]
    Restore {
        /// The skill
        name: String,
        /// Why, for the history
        #[arg(
            long,
            value_name = "TEXT",
            default_value = "",
            hide_default_value = true,
            allow_hyphen_values = true
        )]
        why: String,
    },
    /// Keep a skill from being removed
    #[command(after_help = "Example:\n  \
        hone pin tidy\n\n\
        `hone rm`, `hone archive` and `hone curate` leave a pinned skill where it is; it can still be changed. `hone view` \
        says that it is pinned.")]
    Pin {
        /// The skill
        name: String,
    },
    /// Take a pin away
    #[command(after_help = "Example:\n  \
        hone unpin tidy")]
    Unpin {
        /// The skill
        name: String,
    },
    /// Show how often skills were seen, used and changed
    #[command(after_help = "Examples:\n  \
        hone usage\n  \
        hone usage record --file ~/.agents/skills/pdf/SKILL.md\n  \
        hone usage export counters.json")]
    Usage {
        #[command(subcommand)]
        command: Option<UsageCommand>,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Show or change settings
    #[command(after_help = "Examples:\n  \
        hone config                          all of them, with what each is for\n  \
        hone config set skills.depth 8\n  \
        hone config unset skills.depth")]
    Config {
        #[command(subcommand)]
        command: Option<ConfigCommand>,
        /// Print JSON
        #[arg(long, global = true)]
        json: bool,
    },
    /// Print a shell completion script
    #[command(after_help = "Example:\n  \
        hone completions bash > ~/.local/share/bash-completion/completions/hone")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Write man pages
    #[command(after_help = "Examples:\n  \
        hone man | man -l -\n  \
        hone man ~/.local/share/man/man1\n\n\
        One page for each command, `hone-agent-new.1` for `hone agent new`.")]
    Man {
        /// The folder to write them to; without one, the main page goes to standard output
        folder: Option<PathBuf>,
    },
    /// Print the JSON schema of a command's output
    #[command(after_help = "Examples:\n  \
        hone schema                  their names\n  \
        hone schema list\n  \
        hone schema openapi          what `hone serve` answers\n\n\
        Keys are only ever added.")]
    Schema {
        /// Which output; without one, their names
        name: Option<String>,
    },
}

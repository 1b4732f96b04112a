//! `--help`, `hone completions`, `hone man`, `hone schema`, and wrong usage.

use std::process::Command;

use insta::assert_snapshot;

use crate::harness::{Sandbox, need, transcript};

#[test]
fn help_teaches() {
    assert_snapshot!(Sandbox::new().hone("--help").run(), @"
    exit: 0
    --- stdout
    hone looks after skills: folders with a SKILL.md that teach an AI agent a procedure.

    It reads them where agents already keep them (.agents/skills, .claude/skills and others, in the
    project and in your home), shows one catalogue of all of them, and changes them safely: every write
    is checked first, recorded, and can be undone.

    Usage: hone [OPTIONS] [COMMAND]

    Find and read:
      list         List the skills that are there
      search       Search names, descriptions and bodies, the best first
      view         Show a skill, or one of its files
      history      Show every revision of a skill
      diff         Show what changed between revisions, or on disk since
      usage        Show how often skills were seen, used and changed

    Write:
      new          Create a skill, in $EDITOR or from a text
      edit         Change the whole text of a skill, in $EDITOR or from a text
      patch        Replace one piece of a skill's text
      file         Add or remove a skill's supporting files
      rm           Take a skill away (`hone rollback` brings it back)
      rollback     Bring an earlier revision back, as a new one
      pin          Keep a skill from being removed
      unpin        Take a pin away

    Check and guard:
      check        Check skills against the format's rules
      scan         Look for what makes a skill unsafe
      policy       Show what may be used, and dismiss findings
      permit       Tell whether a command is inside a skill's `allowed-tools`
      trust        Trust a project, so that its skills are offered
      doctor       Look for anything that keeps skills from working

    Install:
      add          Install skills from a folder, git, an archive or a server
      remove       Take installed skills away: files, shared links, lock entry
      update       Bring installed skills to what their sources have now
      outdated     Say which installed skills have a newer version; changes nothing
      install      Make everything as hone.lock says, or fail
      verify       Compare installed skills with hone.lock, file by file
      approve      List what waits for approval, approve or reject it
      audit        Show what was installed, updated, blocked, approved and removed
      share        Make skills visible to other agents, or take that back

    Call:
      invoke       Call skills by command or mention: prints what a model gets
      commands     List the slash commands that skills give
      needs        Show what skills need before they can work

    Serve:
      connect      Tell an agent to start `hone mcp`, or not to any more
      serve        Serve skills and agents over HTTP: a page, an interface, and MCP
      mcp          Serve the skills to an agent over MCP, on stdin and stdout

    Route:
      prompt       Print the level-0 index exactly as a model gets it
      match        Say which skills a message is about
      why          Explain why a message does or does not lead to a skill
      what-if      Show what a skill that is not there yet would change
      eval         Test a skill by its own evals, or descriptions against messages

    Learn:
      learn        Make a skill of work that was done, in four questions
      sessions     List what agents did: Claude Code, Codex, Hermes, hone's own
      correct      Say what was wrong with an agent's task, for it to learn from
      review       Decide about what agents want to learn
      stats        Show what skills do, and what learning cost
      curate       Let unused skills of agents go stale, then to the archive
      archive      Take a skill out of sight; `hone restore` brings it back
      restore      Bring an archived skill back, with all its files

    Run agents:
      agent        Make, list, show and remove agents of your own
      run          Give an agent one task and print its answer
      chat         Talk with an agent
      demo         Watch a recorded task run through the real loop, offline

    hone itself:
      config       Show or change settings
      completions  Print a shell completion script
      man          Write man pages
      schema       Print the JSON schema of a command's output
      help         Print this message or the help of the given subcommand(s)

    Options:
          --root <DIR>
              Use exactly this folder of skills (repeatable) instead of the project's, yours and the
              machine's

          --agent <ID>
              Also use the skills of this agent of ours (a brain below `HONE_HOME/agents`)

          --depth <N>
              How many folders deep to look below a root [default: 6, or `skills.depth`; below a folder
              that `check` or `scan` is given, 32]

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version

    Start with `hone` alone for an overview, or `hone list`.
    Exit codes: 0 good, 1 the answer is no (invalid, not found, refused), 2 wrong usage or could not
    run.
    ");
}

#[test]
fn each_command_has_help_with_its_options() {
    let sandbox = Sandbox::new();
    assert_snapshot!(transcript(&sandbox, &["list -h", "new -h", "patch -h", "check -h", "trust -h"]), @"
    $ hone list -h
    exit: 0
    --- stdout
    List the skills that are there

    Usage: hone list [OPTIONS] [QUERY]...

    Arguments:
      [QUERY]...  Words that must occur in the name or the description

    Options:
      -a, --all              Also show what was skipped, with the reason
          --client <CLIENT>  Show what this agent would see [possible values: claude-code, codex,
                             gemini, opencode, hermes, openclaw]
          --json             Print JSON (skills and skipped)
          --root <DIR>       Use exactly this folder of skills (repeatable) instead of the project's,
                             yours and the machine's
          --agent <ID>       Also use the skills of this agent of ours (a brain below
                             `HONE_HOME/agents`)
          --depth <N>        How many folders deep to look below a root [default: 6, or `skills.depth`;
                             below a folder that `check` or `scan` is given, 32]
      -h, --help             Print help

    Examples:
      hone list
      hone list git commit        skills whose name or description has both words
      hone list --all             also what was skipped, and why
      hone list --client codex    what Codex would see here
      hone list --json | jq '.skills[].name'

    $ hone new -h
    exit: 0
    --- stdout
    Create a skill, in $EDITOR or from a text

    Usage: hone new [OPTIONS] <NAME>

    Arguments:
      <NAME>  The name; its slug becomes the folder

    Options:
          --stdin               Take the text from standard input
          --file <FILE>         Take the text from a file
          --description <TEXT>  What it does and when to use it
          --project             Put it into the project (.agents/skills) instead of your home
          --category <NAME>     Put it into a folder of this name below the root
          --upsert              If it exists, replace it in place with the next version
          --triggers            Propose messages that should and should not call it, in triggers.json
                                beside it
          --dry-run             Show the difference, write nothing
          --json                Print the change as JSON
          --why <TEXT>          Why, for the history
          --root <DIR>          Use exactly this folder of skills (repeatable) instead of the project's,
                                yours and the machine's
          --agent <ID>          Also use the skills of this agent of ours (a brain below
                                `HONE_HOME/agents`)
          --depth <N>           How many folders deep to look below a root [default: 6, or
                                `skills.depth`; below a folder that `check` or `scan` is given, 32]
      -h, --help                Print help

    Examples:
      hone new tidy-changelog                       opens $EDITOR
      hone new tidy-changelog --file draft.md       with or without frontmatter
      echo 'Sort entries.' | hone new tidy-changelog --stdin --description 'Tidies a changelog'

    It goes to ~/.agents/skills, or to the first --root.

    $ hone patch -h
    exit: 0
    --- stdout
    Replace one piece of a skill's text

    Usage: hone patch [OPTIONS] <NAME>

    Arguments:
      <NAME>  The skill

    Options:
          --old <TEXT>       The text to replace
          --new <TEXT>       The text to put there
          --old-file <FILE>  Take the old text from a file
          --new-file <FILE>  Take the new text from a file
          --in <PATH>        Patch this file of the skill instead of its SKILL.md
          --fuzzy            Let blanks, indentation and quotes differ
          --dry-run          Show the difference, write nothing
          --json             Print the change as JSON
          --why <TEXT>       Why, for the history
          --root <DIR>       Use exactly this folder of skills (repeatable) instead of the project's,
                             yours and the machine's
          --agent <ID>       Also use the skills of this agent of ours (a brain below
                             `HONE_HOME/agents`)
          --depth <N>        How many folders deep to look below a root [default: 6, or `skills.depth`;
                             below a folder that `check` or `scan` is given, 32]
      -h, --help             Print help

    Examples:
      hone patch tidy --old 'Sort by kind' --new 'Sort by date' --why 'readers look for dates'
      hone patch tidy --in scripts/sort.sh --old-file old.txt --new-file new.txt --dry-run

    The old text must occur exactly once. With --fuzzy, blanks, indentation and typographic quotes may
    differ, and what was matched is shown.

    $ hone check -h
    exit: 0
    --- stdout
    Check skills against the format's rules

    Usage: hone check [OPTIONS] [PATH]...

    Arguments:
      [PATH]...  What to check

    Options:
          --profile <PROFILE>  Whose rules [default: spec] [possible values: spec, upload, claude-code,
                               codex, mcp, lenient]
          --fix                Mend what can be mended, in place
          --dry-run            With --fix: show the difference, write nothing
          --format <FORMAT>    How to print the findings [default: text] [possible values: text, json,
                               sarif, github]
          --root <DIR>         Use exactly this folder of skills (repeatable) instead of the project's,
                               yours and the machine's
          --agent <ID>         Also use the skills of this agent of ours (a brain below
                               `HONE_HOME/agents`)
          --depth <N>          How many folders deep to look below a root [default: 6, or
                               `skills.depth`; below a folder that `check` or `scan` is given, 32]
      -h, --help               Print help (see more with '--help')

    Examples:
      hone check                      every skill below the current folder
      hone check tidy --fix           mends what a program can mend
      hone check skills/ --profile upload --format github

    PATH is a skill's folder, its SKILL.md, a folder of skills, or a skill's name; without one, the
    current folder.
    Exit code 0: no errors. 1: errors. Warnings and notes do not count.

    $ hone trust -h
    exit: 0
    --- stdout
    Trust a project, so that its skills are offered

    Usage: hone trust [OPTIONS] [FOLDER]

    Arguments:
      [FOLDER]  The project [default: the one around the current folder]

    Options:
          --revoke      Take the trust back
          --list        List the trusted projects
          --json        Print JSON
          --root <DIR>  Use exactly this folder of skills (repeatable) instead of the project's, yours
                        and the machine's
          --agent <ID>  Also use the skills of this agent of ours (a brain below `HONE_HOME/agents`)
          --depth <N>   How many folders deep to look below a root [default: 6, or `skills.depth`; below
                        a folder that `check` or `scan` is given, 32]
      -h, --help        Print help

    Examples:
      hone trust                  the project around the current folder
      hone trust ~/shop --revoke
      hone trust --list

    Read what you trust: `hone list --all` names the skills of the project, `hone view PATH` shows one.
    ");
}

#[test]
fn every_command_and_every_option_is_described() {
    let sandbox = Sandbox::new();
    let mut pending = vec![String::new()];
    let mut seen = 0;
    while let Some(command) = pending.pop() {
        let run = sandbox.hone(&format!("{command} --help")).run();
        assert_eq!(run.code, 0, "{run}");
        seen += 1;
        let text = run.text();
        assert!(command.is_empty() || text.contains("\nExample"), "`{command}` has no example");
        // At the top they stand in groups, each with a title.
        let (start, end) =
            if command.is_empty() { ("Usage: ", "\nOptions:") } else { ("Commands:\n", "\n\n") };
        let commands = text.split(start).nth(1).and_then(|rest| rest.split(end).next());
        for line in commands.unwrap_or_default().lines().filter(|line| line.starts_with("  ")) {
            let mut words = line.split_whitespace();
            let name = words.next().unwrap();
            assert!(words.next().is_some(), "`{command} {name}` has no description");
            if name != "help" {
                pending.push(format!("{command} {name}").trim().to_owned());
            }
        }
    }
    assert_eq!(seen, 97, "a command was added or taken away");
}

#[test]
fn help_shows_nothing_that_is_not_typed() {
    let sandbox = Sandbox::new();
    for command in ["archive", "restore", "what-if", "review accept"] {
        let text = sandbox.hone(&format!("{command} --help")).run().text();
        assert!(!text.contains(r#"[default: ""]"#), "{text}");
        assert!(!text.contains(r#"with a \"query\""#), "{text}");
    }
    let share = sandbox.hone("share --help").run().text();
    assert!(share.contains("--agent <AGENT,...>  With whom: other agents' names"), "{share}");
    assert!(!share.contains("this agent of ours"), "{share}");
}

#[test]
fn help_has_help_of_its_own() {
    let sandbox = Sandbox::new();
    let whole = transcript(&sandbox, &["help --help"]);
    assert_snapshot!(whole, @"
    $ hone help --help
    exit: 0
    --- stdout
    Print this message or the help of the given subcommand(s)

    Usage: hone help [COMMAND]...

    Arguments:
      [COMMAND]...  Print help for the subcommand(s)
    ");
    assert_eq!(sandbox.hone("help -h").run().text(), sandbox.hone("help help").run().text());
    let below = sandbox.hone("agent help --help").run();
    assert!(below.text().contains("Usage: hone agent help [COMMAND]..."), "{below}");
    // Only where `help` is the command.
    let run = sandbox.hone("list help --help").run();
    assert!(run.text().contains("Usage: hone list"), "{run}");
}

#[test]
fn version() {
    assert_snapshot!(transcript(&Sandbox::new(), &["--version", "list -V"]), @"
    $ hone --version
    exit: 0
    --- stdout
    hone [VERSION]

    $ hone list -V
    exit: 2
    --- stderr
    error: unexpected argument '-V' found

      tip: to pass '-V' as a value, use '-- -V'

    Usage: hone list [OPTIONS] [QUERY]...

    For more information, try '--help'.
    ");
}

#[test]
fn wrong_usage_says_what_is_meant() {
    let sandbox = Sandbox::new();
    assert_snapshot!(transcript(&sandbox, &["lsit", "view", "list --josn", "view a b c", "config get", "eval", "agent prune ada --keep 0"]), @"
    $ hone lsit
    exit: 2
    --- stderr
    error: unrecognized subcommand 'lsit'

      tip: a similar subcommand exists: 'list'

    Usage: hone [OPTIONS] [COMMAND]

    For more information, try '--help'.

    $ hone view
    exit: 2
    --- stderr
    error: the following required arguments were not provided:
      <NAME>

    Usage: hone view <NAME> [FILE]

    For more information, try '--help'.

    $ hone list --josn
    exit: 2
    --- stderr
    error: unexpected argument '--josn' found

      tip: a similar argument exists: '--json'

    Usage: hone list --json [QUERY]...

    For more information, try '--help'.

    $ hone view a b c
    exit: 2
    --- stderr
    error: unexpected argument 'c' found

    Usage: hone view [OPTIONS] <NAME> [FILE]

    For more information, try '--help'.

    $ hone config get
    exit: 2
    --- stderr
    error: the following required arguments were not provided:
      <KEY>

    Usage: hone config get <KEY>

    For more information, try '--help'.

    $ hone eval
    exit: 2
    --- stderr
    error: the following required arguments were not provided:
      <NAME>

    Usage: hone eval [OPTIONS] <NAME>
           hone eval triggers [OPTIONS] [NAME]...

    For more information, try '--help'.

    $ hone agent prune ada --keep 0
    exit: 2
    --- stderr
    error: invalid value '0' for '--keep <N>': at least one

    For more information, try '--help'.
    ");
}

#[test]
fn completions_for_every_shell() {
    let sandbox = Sandbox::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = sandbox.hone(&format!("completions {shell}")).run();
        assert_eq!((run.code, run.errors().as_str()), (0, ""), "{shell}");
        assert!(run.text().contains("rollback"), "{shell}");
    }
    assert_snapshot!(sandbox.hone("completions tcsh").run(), @"
    exit: 2
    --- stderr
    error: invalid value 'tcsh' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

      tip: a similar value exists: 'zsh'

    For more information, try '--help'.
    ");
}

#[test]
fn the_bash_completion_is_bash_and_completes() {
    need("bash");
    let sandbox = Sandbox::new();
    sandbox.write("tmp/hone.bash", sandbox.hone("completions bash").run().stdout);
    let script = "bash -n \"$1\" && source \"$1\" && COMP_WORDS=(hone ro) COMP_CWORD=1 && _hone hone ro hone && echo \"${COMPREPLY[@]}\"";
    let output = Command::new("bash")
        .args(["-c", script, "bash"])
        .arg(sandbox.path("tmp/hone.bash"))
        .output()
        .unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "rollback\n");
}

#[test]
fn man_prints_the_main_page_or_writes_all_of_them() {
    let sandbox = Sandbox::new();
    let page = sandbox.hone("man").run();
    assert_eq!(page.code, 0);
    assert!(page.text().contains(".TH hone 1"), "{page}");
    assert_snapshot!(sandbox.hone("man pages").run(), @"
    exit: 0
    --- stderr
    man pages written to `pages`
    ");
    let files = sandbox.files("project/pages");
    assert_eq!(files.len(), 97, "{files:?}");
    assert!(sandbox.read("project/pages/hone.1").contains(".TH hone 1"));
    assert!(files.contains(&"hone-file-add.1".to_owned()));
    sandbox.write("project/file", "");
    assert_snapshot!(sandbox.hone("man file").run(), @"
    exit: 2
    --- stderr
    error: could not write to `file`: File exists (os error 17)
    ");
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    assert_eq!(sandbox.hone("man").command().stdout(full).status().unwrap().code(), Some(2));
}

#[test]
fn schema_lists_and_prints() {
    let sandbox = Sandbox::new();
    assert_snapshot!(transcript(&sandbox, &["schema", "schema unheard-of", "schema files"]), @r#"
    $ hone schema
    exit: 0
    --- stdout
    add
    agent-hash
    agent-list
    agent-log
    agent-prune
    agent-receipts
    agent-restore
    agent-show
    agent-snapshot
    agent-snapshot-all
    agent-snapshots
    agent-update
    agent-verify
    approve
    audit
    audit-verify
    change
    check
    commands
    commands-reload
    config
    connect
    connect-change
    curate
    diff
    doctor
    eval
    eval-triggers
    files
    history
    install
    invoke
    learn
    learn-questions
    list
    match
    match-batch
    needs
    openapi
    outdated
    permit
    policy
    policy-dismissals
    policy-explain
    prompt
    remove
    review
    review-show
    run
    scan
    scan-rules
    search
    search-hub
    serve-tokens
    sessions
    share
    stats
    trust
    usage
    usage-import
    usage-record
    verify
    view
    what-if
    why

    $ hone schema unheard-of
    exit: 1
    --- stderr
    error: there is no schema `unheard-of`
    hint: `hone schema` lists them

    $ hone schema files
    exit: 0
    --- stdout
    {
      "$schema": "https://json-schema.org/draft/2020-12/schema",
      "title": "Files",
      "description": "`hone file list --json`.",
      "type": "object",
      "properties": {
        "files": {
          "type": "array",
          "items": {
            "type": "string"
          }
        },
        "name": {
          "type": "string"
        }
      },
      "required": [
        "name",
        "files"
      ]
    }
    "#);
}

#[test]
fn a_home_that_cannot_be_used_is_named() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("file", "");
    let run = sandbox.hone("list tidy").env("HONE_HOME", sandbox.path("file/state")).run();
    assert_snapshot!(run, @"
    exit: 2
    --- stderr
    error: could not read `[TEMP]/file/state/config.toml`: Not a directory (os error 20)
    hint: set `HONE_HOME` to a folder that can be used
    ");
}

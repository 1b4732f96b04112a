//! `hone config`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, exists, transcript};

#[test]
fn settings_are_shown_with_what_they_do() {
    let sandbox = Sandbox::new();
    assert_snapshot!(transcript(&sandbox, &["config", "config path"]), @"
    $ hone config
    exit: 0
    --- stdout
    # [STATE]/config.toml
    skills.disabled = (none)  # names (or scope:name) that are not offered, separated by commas
    skills.depth = 6  # how deep below a root to look
    skills.builtin = true  # whether the skills inside the binary are offered
    prompt.budget = 4000  # tokens that `hone prompt` may cost
    invoke.variables = true  # whether `hone invoke` fills in ${SKILL_DIR}, $ARGUMENTS and the like
    invoke.inline_shell = false  # whether `hone invoke` runs the commands in a skill's text
    hub.sources = (none)  # sources that `hone search --hub` asks, separated by commas
    model.backend = (none)  # what the model's server speaks: openai (also Ollama, llama.cpp, LM Studio, vLLM) or anthropic; gguf is a file
    model.base_url = (none)  # where the model's server is, such as http://127.0.0.1:8080/v1
    model.name = (none)  # the model's name there, or its file
    model.api_key_env = (none)  # the variable that holds the key
    model.api_key = (none)  # the key itself, never shown; only you may be able to read the file then
    model.max_tokens = 4096  # tokens of one reply at most
    model.temperature = 0.1  # how freely to choose words, 0 to 2
    model.timeout = 300  # seconds that one reply may take
    model.price_in = (none)  # what a million tokens that go in cost; unknown when not set
    model.price_out = (none)  # what a million tokens that come out cost; unknown when not set
    model.task_tokens = (none)  # tokens of one task at most, in and out
    model.task_cost = (none)  # what one task may cost at most, in the currency of the prices
    model.native_tools = false  # whether to offer tools by the server's own function calling
    model.stream = true  # whether replies come piece by piece
    model.constrain = false  # whether the server holds the model to the form of a reply; helps small models
    learn.after_task = true  # whether an agent is asked for a lesson after a hard task
    learn.land = true  # whether a lesson that passed the gate becomes a skill of the agent by itself
    learn.tokens = 60000  # tokens that learning from one task may use up
    learn.replays = 2  # earlier tasks that are run again with and without a candidate
    learn.curate = true  # whether unused skills of an agent's own go to the archive by themselves
    router.embeddings = (none)  # a folder with a sentence model (model.safetensors, vocab.txt) for `hone match`
    snapshots.store = (none)  # where agents are packed to: a folder, s3://…, gs://… or az://…
    snapshots.key_file = (none)  # the file with the 32 bytes that seal snapshots
    snapshots.automatic = true  # whether an agent is packed after a task that taught it something
    snapshots.signing_key = true  # whether the key that signs is sealed into snapshots too

    $ hone config path
    exit: 0
    --- stdout
    [STATE]/config.toml
    ");
    let json = sandbox.hone("config --json").run().json();
    assert_snapshot!(sandbox.filtered(&serde_json::to_string_pretty(&json).unwrap()), @r#"
    {
      "path": "[STATE]/config.toml",
      "roots": [],
      "settings": [
        {
          "about": "names (or scope:name) that are not offered, separated by commas",
          "default": "",
          "key": "skills.disabled",
          "value": ""
        },
        {
          "about": "how deep below a root to look",
          "default": "6",
          "key": "skills.depth",
          "value": "6"
        },
        {
          "about": "whether the skills inside the binary are offered",
          "default": "true",
          "key": "skills.builtin",
          "value": "true"
        },
        {
          "about": "tokens that `hone prompt` may cost",
          "default": "4000",
          "key": "prompt.budget",
          "value": "4000"
        },
        {
          "about": "whether `hone invoke` fills in ${SKILL_DIR}, $ARGUMENTS and the like",
          "default": "true",
          "key": "invoke.variables",
          "value": "true"
        },
        {
          "about": "whether `hone invoke` runs the commands in a skill's text",
          "default": "false",
          "key": "invoke.inline_shell",
          "value": "false"
        },
        {
          "about": "sources that `hone search --hub` asks, separated by commas",
          "default": "",
          "key": "hub.sources",
          "value": ""
        },
        {
          "about": "what the model's server speaks: openai (also Ollama, llama.cpp, LM Studio, vLLM) or anthropic; gguf is a file",
          "default": "",
          "key": "model.backend",
          "value": ""
        },
        {
          "about": "where the model's server is, such as http://127.0.0.1:8080/v1",
          "default": "",
          "key": "model.base_url",
          "value": ""
        },
        {
          "about": "the model's name there, or its file",
          "default": "",
          "key": "model.name",
          "value": ""
        },
        {
          "about": "the variable that holds the key",
          "default": "",
          "key": "model.api_key_env",
          "value": ""
        },
        {
          "about": "the key itself, never shown; only you may be able to read the file then",
          "default": "",
          "key": "model.api_key",
          "value": ""
        },
        {
          "about": "tokens of one reply at most",
          "default": "4096",
          "key": "model.max_tokens",
          "value": "4096"
        },
        {
          "about": "how freely to choose words, 0 to 2",
          "default": "0.1",
          "key": "model.temperature",
          "value": "0.1"
        },
        {
          "about": "seconds that one reply may take",
          "default": "300",
          "key": "model.timeout",
          "value": "300"
        },
        {
          "about": "what a million tokens that go in cost; unknown when not set",
          "default": "",
          "key": "model.price_in",
          "value": ""
        },
        {
          "about": "what a million tokens that come out cost; unknown when not set",
          "default": "",
          "key": "model.price_out",
          "value": ""
        },
        {
          "about": "tokens of one task at most, in and out",
          "default": "",
          "key": "model.task_tokens",
          "value": ""
        },
        {
          "about": "what one task may cost at most, in the currency of the prices",
          "default": "",
          "key": "model.task_cost",
          "value": ""
        },
        {
          "about": "whether to offer tools by the server's own function calling",
          "default": "false",
          "key": "model.native_tools",
          "value": "false"
        },
        {
          "about": "whether replies come piece by piece",
          "default": "true",
          "key": "model.stream",
          "value": "true"
        },
        {
          "about": "whether the server holds the model to the form of a reply; helps small models",
          "default": "false",
          "key": "model.constrain",
          "value": "false"
        },
        {
          "about": "whether an agent is asked for a lesson after a hard task",
          "default": "true",
          "key": "learn.after_task",
          "value": "true"
        },
        {
          "about": "whether a lesson that passed the gate becomes a skill of the agent by itself",
          "default": "true",
          "key": "learn.land",
          "value": "true"
        },
        {
          "about": "tokens that learning from one task may use up",
          "default": "60000",
          "key": "learn.tokens",
          "value": "60000"
        },
        {
          "about": "earlier tasks that are run again with and without a candidate",
          "default": "2",
          "key": "learn.replays",
          "value": "2"
        },
        {
          "about": "whether unused skills of an agent's own go to the archive by themselves",
          "default": "true",
          "key": "learn.curate",
          "value": "true"
        },
        {
          "about": "a folder with a sentence model (model.safetensors, vocab.txt) for `hone match`",
          "default": "",
          "key": "router.embeddings",
          "value": ""
        },
        {
          "about": "where agents are packed to: a folder, s3://…, gs://… or az://…",
          "default": "",
          "key": "snapshots.store",
          "value": ""
        },
        {
          "about": "the file with the 32 bytes that seal snapshots",
          "default": "",
          "key": "snapshots.key_file",
          "value": ""
        },
        {
          "about": "whether an agent is packed after a task that taught it something",
          "default": "true",
          "key": "snapshots.automatic",
          "value": "true"
        },
        {
          "about": "whether the key that signs is sealed into snapshots too",
          "default": "true",
          "key": "snapshots.signing_key",
          "value": "true"
        }
      ]
    }
    "#);
}

#[test]
fn set_get_and_unset_keep_the_rest_of_the_file() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "state/config.toml",
        "# mine\n[skills]\ndepth = 3 # levels\n\n[[roots]]\npath = \"~/more\"\n",
    );
    assert_snapshot!(
        transcript(&sandbox, &[
            "config set skills.depth 4",
            "config set skills.depth 4",
            "config set skills.disabled 'tidy, user:commit'",
            "config get skills.disabled",
            "config set prompt.budget 2000",
            "config set skills.builtin off",
            "config",
        ]),
        @"
    $ hone config set skills.depth 4
    exit: 0
    --- stderr
    `[STATE]/config.toml` written

    $ hone config set skills.depth 4
    exit: 0
    --- stderr
    `[STATE]/config.toml` is as it was

    $ hone config set skills.disabled 'tidy, user:commit'
    exit: 0
    --- stderr
    `[STATE]/config.toml` written

    $ hone config get skills.disabled
    exit: 0
    --- stdout
    tidy,user:commit

    $ hone config set prompt.budget 2000
    exit: 0
    --- stderr
    `[STATE]/config.toml` written

    $ hone config set skills.builtin off
    exit: 0
    --- stderr
    `[STATE]/config.toml` written

    $ hone config
    exit: 0
    --- stdout
    # [STATE]/config.toml
    skills.disabled = tidy,user:commit  # names (or scope:name) that are not offered, separated by commas
    skills.depth = 4  # how deep below a root to look
    skills.builtin = false  # whether the skills inside the binary are offered
    prompt.budget = 2000  # tokens that `hone prompt` may cost
    invoke.variables = true  # whether `hone invoke` fills in ${SKILL_DIR}, $ARGUMENTS and the like
    invoke.inline_shell = false  # whether `hone invoke` runs the commands in a skill's text
    hub.sources = (none)  # sources that `hone search --hub` asks, separated by commas
    model.backend = (none)  # what the model's server speaks: openai (also Ollama, llama.cpp, LM Studio, vLLM) or anthropic; gguf is a file
    model.base_url = (none)  # where the model's server is, such as http://127.0.0.1:8080/v1
    model.name = (none)  # the model's name there, or its file
    model.api_key_env = (none)  # the variable that holds the key
    model.api_key = (none)  # the key itself, never shown; only you may be able to read the file then
    model.max_tokens = 4096  # tokens of one reply at most
    model.temperature = 0.1  # how freely to choose words, 0 to 2
    model.timeout = 300  # seconds that one reply may take
    model.price_in = (none)  # what a million tokens that go in cost; unknown when not set
    model.price_out = (none)  # what a million tokens that come out cost; unknown when not set
    model.task_tokens = (none)  # tokens of one task at most, in and out
    model.task_cost = (none)  # what one task may cost at most, in the currency of the prices
    model.native_tools = false  # whether to offer tools by the server's own function calling
    model.stream = true  # whether replies come piece by piece
    model.constrain = false  # whether the server holds the model to the form of a reply; helps small models
    learn.after_task = true  # whether an agent is asked for a lesson after a hard task
    learn.land = true  # whether a lesson that passed the gate becomes a skill of the agent by itself
    learn.tokens = 60000  # tokens that learning from one task may use up
    learn.replays = 2  # earlier tasks that are run again with and without a candidate
    learn.curate = true  # whether unused skills of an agent's own go to the archive by themselves
    router.embeddings = (none)  # a folder with a sentence model (model.safetensors, vocab.txt) for `hone match`
    snapshots.store = (none)  # where agents are packed to: a folder, s3://…, gs://… or az://…
    snapshots.key_file = (none)  # the file with the 32 bytes that seal snapshots
    snapshots.automatic = true  # whether an agent is packed after a task that taught it something
    snapshots.signing_key = true  # whether the key that signs is sealed into snapshots too
    root = ~/more (user)
    "
    );
    assert_snapshot!(sandbox.read("state/config.toml"), @r#"
    # mine
    [skills]
    depth = 4 # levels
    disabled = ["tidy", "user:commit"]
    builtin = false

    [[roots]]
    path = "~/more"

    [prompt]
    budget = 2000
    "#);
    sandbox.done("config unset skills.disabled");
    assert_snapshot!(
        transcript(&sandbox, &["config get skills.disabled --json", "config set skills.depth 5 --json"]),
        @r#"
    $ hone config get skills.disabled --json
    exit: 0
    --- stdout
    {"path":"[STATE]/config.toml","settings":[{"key":"skills.disabled","value":"","default":"","about":"names (or scope:name) that are not offered, separated by commas"}],"roots":[]}

    $ hone config set skills.depth 5 --json
    exit: 0
    --- stdout
    {"path":"[STATE]/config.toml","settings":[{"key":"skills.depth","value":"5","default":"6","about":"how deep below a root to look"}],"roots":[]}
    --- stderr
    `[STATE]/config.toml` written
    "#
    );
}

#[test]
fn wrong_keys_and_values_are_refused() {
    let sandbox = Sandbox::new();
    assert_snapshot!(
        transcript(&sandbox, &[
            "config get skills.deepness",
            "config set skills.deepness 3",
            "config unset skills.deepness",
            "config set skills.depth deep",
            "config set skills.depth 65",
            "config set prompt.budget -1",
            "config set skills.builtin maybe",
            "config set skills.depth",
        ]),
        @"
    $ hone config get skills.deepness
    exit: 1
    --- stderr
    error: there is no setting `skills.deepness`
    hint: there are skills.disabled, skills.depth, skills.builtin

    $ hone config set skills.deepness 3
    exit: 1
    --- stderr
    error: there is no setting `skills.deepness`
    hint: there are skills.disabled, skills.depth, skills.builtin

    $ hone config unset skills.deepness
    exit: 1
    --- stderr
    error: there is no setting `skills.deepness`
    hint: there are skills.disabled, skills.depth, skills.builtin

    $ hone config set skills.depth deep
    exit: 1
    --- stderr
    error: `skills.depth` must be a whole number, not `deep`

    $ hone config set skills.depth 65
    exit: 1
    --- stderr
    error: `skills.depth` must be between 0 and 64, not `65`

    $ hone config set prompt.budget -1
    exit: 1
    --- stderr
    error: `prompt.budget` must be between 0 and 1000000, not `-1`

    $ hone config set skills.builtin maybe
    exit: 1
    --- stderr
    error: `skills.builtin` must be true or false, not `maybe`

    $ hone config set skills.depth
    exit: 2
    --- stderr
    error: the following required arguments were not provided:
      <VALUE>

    Usage: hone config set <KEY> <VALUE>

    For more information, try '--help'.
    "
    );
    assert!(!exists(&sandbox.path("state/config.toml")));
}

#[test]
fn a_project_may_switch_skills_off() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("config set skills.builtin no");
    assert_snapshot!(
        transcript(&sandbox, &[
            "config set skills.disabled tidy --project",
            "list",
            "trust",
            "list --all",
            "view tidy",
            "config unset skills.disabled --project",
            "config set skills.depth 3 --project",
        ]),
        @"
    $ hone config set skills.disabled tidy --project
    exit: 0
    --- stderr
    `hone.toml` written
    note: it counts once the project is trusted: `hone trust`

    $ hone list
    exit: 0
    --- stdout
    tidy  user     Tidies a changelog. Use when a release is near.

    $ hone trust
    exit: 0
    --- stderr
    `[PROJECT]` is trusted now

    $ hone list --all
    exit: 0
    --- stdout
    Skipped (1):
      ~/.agents/skills/tidy/SKILL.md [disabled] it is switched off by `skills.disabled` in config.toml or hone.toml
    --- stderr
    no skill is offered here

    $ hone view tidy
    exit: 1
    --- stderr
    error: there is no skill `tidy`
    hint: it is at `~/.agents/skills/tidy/SKILL.md`, but it is switched off by `skills.disabled` in config.toml or hone.toml

    $ hone config unset skills.disabled --project
    exit: 0
    --- stderr
    `hone.toml` written

    $ hone config set skills.depth 3 --project
    exit: 1
    --- stderr
    error: a project cannot set `skills.depth`
    hint: a project's hone.toml only takes `skills.disabled`
    "
    );
    assert_snapshot!(sandbox.hone("config set skills.disabled tidy --project").cwd("home").run(), @"
    exit: 1
    --- stderr
    error: your home folder is not a project
    hint: leave out `--project`
    ");
}

#[test]
fn a_disabled_skill_is_listed_as_such() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("config set skills.builtin no");
    sandbox.done("config set skills.disabled user:tidy");
    assert_snapshot!(sandbox.hone("list --all").run(), @"
    exit: 0
    --- stdout
    Skipped (1):
      ~/.agents/skills/tidy/SKILL.md [disabled] it is switched off by `skills.disabled` in config.toml or hone.toml
    --- stderr
    no skill is offered here
    ");
}

#[test]
fn extra_roots_count() {
    let sandbox = Sandbox::new();
    sandbox.skill("home/more", "extra", "From an extra root.");
    sandbox.write("state/config.toml", "[[roots]]\npath = \"~/more\"\n");
    assert_snapshot!(transcript(&sandbox, &["list extra", "config"]), @"
    $ hone list extra
    exit: 0
    --- stdout
    extra  user     From an extra root.

    $ hone config
    exit: 0
    --- stdout
    # [STATE]/config.toml
    skills.disabled = (none)  # names (or scope:name) that are not offered, separated by commas
    skills.depth = 6  # how deep below a root to look
    skills.builtin = true  # whether the skills inside the binary are offered
    prompt.budget = 4000  # tokens that `hone prompt` may cost
    invoke.variables = true  # whether `hone invoke` fills in ${SKILL_DIR}, $ARGUMENTS and the like
    invoke.inline_shell = false  # whether `hone invoke` runs the commands in a skill's text
    hub.sources = (none)  # sources that `hone search --hub` asks, separated by commas
    model.backend = (none)  # what the model's server speaks: openai (also Ollama, llama.cpp, LM Studio, vLLM) or anthropic; gguf is a file
    model.base_url = (none)  # where the model's server is, such as http://127.0.0.1:8080/v1
    model.name = (none)  # the model's name there, or its file
    model.api_key_env = (none)  # the variable that holds the key
    model.api_key = (none)  # the key itself, never shown; only you may be able to read the file then
    model.max_tokens = 4096  # tokens of one reply at most
    model.temperature = 0.1  # how freely to choose words, 0 to 2
    model.timeout = 300  # seconds that one reply may take
    model.price_in = (none)  # what a million tokens that go in cost; unknown when not set
    model.price_out = (none)  # what a million tokens that come out cost; unknown when not set
    model.task_tokens = (none)  # tokens of one task at most, in and out
    model.task_cost = (none)  # what one task may cost at most, in the currency of the prices
    model.native_tools = false  # whether to offer tools by the server's own function calling
    model.stream = true  # whether replies come piece by piece
    model.constrain = false  # whether the server holds the model to the form of a reply; helps small models
    learn.after_task = true  # whether an agent is asked for a lesson after a hard task
    learn.land = true  # whether a lesson that passed the gate becomes a skill of the agent by itself
    learn.tokens = 60000  # tokens that learning from one task may use up
    learn.replays = 2  # earlier tasks that are run again with and without a candidate
    learn.curate = true  # whether unused skills of an agent's own go to the archive by themselves
    router.embeddings = (none)  # a folder with a sentence model (model.safetensors, vocab.txt) for `hone match`
    snapshots.store = (none)  # where agents are packed to: a folder, s3://…, gs://… or az://…
    snapshots.key_file = (none)  # the file with the 32 bytes that seal snapshots
    snapshots.automatic = true  # whether an agent is packed after a task that taught it something
    snapshots.signing_key = true  # whether the key that signs is sealed into snapshots too
    root = ~/more (user)
    ");
}

#[test]
fn a_broken_configuration_says_where_and_the_way_out_works() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("state/config.toml", "[skills]\ndepht = 3\n");
    assert_snapshot!(
        transcript(&sandbox, &["list", "config set skills.depth 3", "config path", "doctor"]), @"
    $ hone list
    exit: 2
    --- stderr
    error: `[STATE]/config.toml`: TOML parse error at line 2, column 1
      |
    2 | depht = 3
      | ^^^^^
    unknown field `depht`, expected one of `disabled`, `depth`, `builtin`
    hint: mend that file, or take it away to use the defaults

    $ hone config set skills.depth 3
    exit: 2
    --- stderr
    error: `[STATE]/config.toml`: TOML parse error at line 2, column 1
      |
    2 | depht = 3
      | ^^^^^
    unknown field `depht`, expected one of `disabled`, `depth`, `builtin`
    hint: mend that file, or take it away to use the defaults

    $ hone config path
    exit: 0
    --- stdout
    [STATE]/config.toml

    $ hone doctor
    exit: 1
    --- stdout
    BAD  configuration: `[STATE]/config.toml`: TOML parse error at line 2, column 1
           |
         2 | depht = 3
           | ^^^^^
         unknown field `depht`, expected one of `disabled`, `depth`, `builtin`
         hint: mend `[STATE]/config.toml`; until then, only `hone doctor` works
    ok   state: `[STATE]/state.db` is sound
    ok   project: `[PROJECT]` is not trusted
    ok   roots: ~/.agents/skills
    ok   skills: 3 offered, nothing skipped
    ok   policy: the default table counts, 4 sources trusted
    [SANDBOX]
    warn editor: `EDITOR` is not set
         hint: `hone edit` tries `vi`
    "
    );
    sandbox.write("state/config.toml", "[skills\n");
    assert_snapshot!(transcript(&sandbox, &["", "completions fish --bad"]), @"
    $ hone
    exit: 2
    --- stderr
    error: `[STATE]/config.toml`: TOML parse error at line 1, column 8
      |
    1 | [skills
      |        ^
    unclosed table, expected `]`
    hint: mend that file, or take it away to use the defaults

    $ hone completions fish --bad
    exit: 2
    --- stderr
    error: unexpected argument '--bad' found

      tip: to pass '--bad' as a value, use '-- --bad'

    Usage: hone completions <SHELL>

    For more information, try '--help'.
    ");
    assert_eq!(sandbox.hone("completions fish").run().code, 0);
}

#[test]
fn a_broken_project_file_says_where() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("project/hone.toml", "[skills]\ndisabled = 3\n");
    sandbox.done("list");
    sandbox.done("trust");
    assert_snapshot!(transcript(&sandbox, &["list", "doctor"]), @"
    $ hone list
    exit: 2
    --- stderr
    error: `[PROJECT]/hone.toml`: TOML parse error at line 2, column 12
      |
    2 | disabled = 3
      |            ^
    invalid type: integer `3`, expected a sequence

    $ hone doctor
    exit: 1
    --- stdout
    ok   configuration: the defaults count: there is no `[STATE]/config.toml`
    ok   state: `[STATE]/state.db` is sound
    ok   project: `[PROJECT]` is trusted
    BAD  skills: `[PROJECT]/hone.toml`: TOML parse error at line 2, column 12
           |
         2 | disabled = 3
           |            ^
         invalid type: integer `3`, expected a sequence
    ok   policy: the default table counts, 4 sources trusted
    [SANDBOX]
    warn editor: `EDITOR` is not set
         hint: `hone edit` tries `vi`
    ");
}

#[test]
fn the_model_is_set_by_keys_and_values_that_cannot_be_are_refused() {
    let sandbox = Sandbox::new();
    assert_snapshot!(transcript(&sandbox, &[
        "config set model.backend anthropic",
        "config set model.name small",
        "config set model.price_in 0.25",
        "config set model.backend smoke-signals",
        "config set model.temperature 2.5",
        "config set model.timeout 0",
        "config set model.price_in free",
        "config set model.key sk-123",
        "config set modell.name x",
    ]), @r#"
    $ hone config set model.backend anthropic
    exit: 0
    --- stderr
    `[STATE]/config.toml` written

    $ hone config set model.name small
    exit: 0
    --- stderr
    `[STATE]/config.toml` written

    $ hone config set model.price_in 0.25
    exit: 0
    --- stderr
    `[STATE]/config.toml` written

    $ hone config set model.backend smoke-signals
    exit: 2
    --- stderr
    error: `[STATE]/config.toml`: TOML parse error at line 2, column 11
      |
    2 | backend = "smoke-signals"
      |           ^^^^^^^^^^^^^^^
    unknown variant `smoke-signals`, expected one of `openai`, `anthropic`, `gguf`

    $ hone config set model.temperature 2.5
    exit: 1
    --- stderr
    error: `model.temperature` must be between 0 and 2

    $ hone config set model.timeout 0
    exit: 1
    --- stderr
    error: `model.timeout` must be between 1 and 3600 seconds

    $ hone config set model.price_in free
    exit: 1
    --- stderr
    error: `model.price_in` must be a number, 0 or more, not `free`

    $ hone config set model.key sk-123
    exit: 1
    --- stderr
    error: there is no setting `model.key`
    hint: there are model.backend, model.base_url, model.name, model.api_key_env, model.api_key, model.max_tokens, model.temperature, model.timeout, model.price_in, model.price_out, model.task_tokens, model.task_cost, model.native_tools, model.stream, model.constrain

    $ hone config set modell.name x
    exit: 1
    --- stderr
    error: there is no setting `modell.name`
    hint: `hone config` lists them all
    "#);
    assert_snapshot!(sandbox.read("state/config.toml"), @r#"
    [model]
    backend = "anthropic"
    name = "small"
    price_in = 0.25
    "#);
}

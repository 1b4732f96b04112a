//! `hone new`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, exists, transcript};

#[test]
fn a_bare_text_gets_frontmatter() {
    let sandbox = Sandbox::new();
    let run = sandbox
        .hone("new 'Tidy Changelog'")
        .arg("--stdin")
        .stdin("# Tidy\n\nSort entries.\n")
        .run();
    assert_snapshot!(run, @"
    exit: 0
    --- stderr
    created `tidy-changelog` (revision 1) ~/.agents/skills/tidy-changelog
    ");
    assert_snapshot!(sandbox.read("home/.agents/skills/tidy-changelog/SKILL.md"), @r#"
    ---
    name: tidy-changelog
    description: Sort entries.
    metadata:
      hone.title: "Tidy Changelog"
      version: "1"
    ---
    # Tidy

    Sort entries.
    "#);
}

#[test]
fn a_text_with_frontmatter_is_kept() {
    let sandbox = Sandbox::new();
    let text = "---\n# mine\nname: tidy\ndescription: 'Sorts.'\nlicense: MIT\n---\r\nSort.\n";
    sandbox.write("project/draft.md", text);
    assert_snapshot!(sandbox.hone("new tidy --file draft.md --why 'a start'").run(), @"
    exit: 0
    --- stderr
    created `tidy` (revision 1) ~/.agents/skills/tidy
    ");
    assert_snapshot!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), @r#"
    ---
    # mine
    name: tidy
    description: 'Sorts.'
    license: MIT
    metadata:
      version: "1"
    ---
    Sort.
    "#);
    assert_snapshot!(sandbox.hone("history tidy").run(), @"
    exit: 0
    --- stdout
       1  [TIME]  tester  create v1 SKILL.md: a start
    ");
}

#[test]
fn a_description_may_hold_anything_yaml_hates() {
    let sandbox = Sandbox::new();
    for (number, description) in [
        "Use when: a colon",
        "ends with a colon:",
        "# not a comment",
        "cut # here",
        "'single' and \"double\"",
        "[flow] {map} @at `tick` !tag &anchor *alias",
        "- dash",
        "? question",
        "| pipe",
        "> fold",
        "--- fence ---",
        "true",
        "1.0",
        "null",
        "~",
        "back\\slash",
        "two\nlines",
        "tab\there",
        "  blanks around  ",
        "ünïcode 日本語 🎉",
        "<b>&amp;</b>",
        "%directive",
    ]
    .into_iter()
    .enumerate()
    {
        let name = format!("skill-{number}");
        let run = sandbox
            .hone(&format!("new {name} --stdin --description"))
            .arg(description)
            .stdin("Do it.\n")
            .run();
        assert_eq!(run.code, 0, "{description:?}\n{run}");
        let view = sandbox.hone(&format!("view {name} --json")).run().json();
        assert_eq!(view["description"], description, "{}", view["content"]);
    }
    assert_eq!(sandbox.hone("check --root ../home/.agents/skills").run().code, 0);
}

#[test]
fn project_puts_it_into_the_project() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.git/HEAD", "");
    sandbox.write("project/apps/web/x", "");
    let run =
        sandbox.hone("new deploy --project --stdin").stdin("Deploy.").cwd("project/apps/web").run();
    assert_snapshot!(run, @"
    exit: 0
    --- stderr
    created `deploy` (revision 1) [PROJECT]/.agents/skills/deploy
    note: it is offered once the project is trusted: `hone trust`
    ");
    let run = sandbox.hone("new deploy --project --stdin").stdin("Deploy.").cwd("home").run();
    assert_snapshot!(run, @"
    exit: 1
    --- stderr
    error: your home folder is not a project
    hint: leave out `--project`
    ");
    assert_snapshot!(sandbox.hone("new deploy --project --root x --stdin").run(), @"
    exit: 2
    --- stderr
    error: the argument '--project' cannot be used with '--root <DIR>'

    Usage: hone new --project --stdin <NAME>

    For more information, try '--help'.
    ");
}

#[test]
fn category_is_a_folder_below_the_root() {
    let sandbox = Sandbox::new();
    let new = |line: &str| sandbox.hone(line).stdin("Do it.").run().to_string();
    assert_snapshot!(
        [
            new("new sort --stdin --category text"),
            new("new join --stdin --category text --upsert"),
            new("new join --stdin --category other --upsert --why again"),
            new("new cut --stdin --category ../outside"),
        ].join("\n"),
        @"
    exit: 0
    --- stderr
    created `sort` (revision 1) ~/.agents/skills/text/sort

    exit: 0
    --- stderr
    created `join` (revision 1) ~/.agents/skills/text/join

    exit: 0
    --- stderr
    upserted `join` (revision 2, version 1 → 2) ~/.agents/skills/text/join

    exit: 1
    --- stderr
    error: `../outside` cannot be a category: use lower-case letters, digits and hyphens
    "
    );
    assert_eq!(sandbox.files("home/.agents/skills"), ["text/join/SKILL.md", "text/sort/SKILL.md"],);
}

#[test]
fn root_and_agent_say_where_it_goes() {
    let sandbox = Sandbox::new();
    std::fs::create_dir_all(sandbox.path("state/agents/bo/skills")).unwrap();
    for line in
        ["new one --stdin --root ../roots/a --root ../roots/b", "new two --stdin --agent bo"]
    {
        let run = sandbox.hone(line).stdin("Do it.").run();
        assert_eq!(run.code, 0, "{run}");
    }
    assert!(exists(&sandbox.path("roots/a/one/SKILL.md")));
    assert!(exists(&sandbox.path("state/agents/bo/skills/two/SKILL.md")));
}

#[test]
fn upsert_brings_what_exists_to_its_next_version() {
    let sandbox = Sandbox::new();
    let new = |text: &str| sandbox.hone("new tidy --upsert --stdin").stdin(text).run().to_string();
    assert_snapshot!(
        [new("Sort entries."), new("Sort entries by date."), new("Sort entries by date.")].join("\n"),
        @"
    exit: 0
    --- stderr
    upserted `tidy` (revision 1) ~/.agents/skills/tidy

    exit: 0
    --- stderr
    upserted `tidy` (revision 2, version 1 → 2) ~/.agents/skills/tidy

    exit: 0
    --- stderr
    upserted `tidy` (revision 3, version 2 → 3) ~/.agents/skills/tidy
    "
    );
    assert_snapshot!(sandbox.read("home/.agents/skills/tidy/SKILL.md"), @r#"
    ---
    name: tidy
    description: Sort entries by date.
    metadata:
      version: "3"
    ---
    Sort entries by date.
    "#);
}

#[test]
fn what_exists_or_conflicts_or_has_no_slug_is_refused() {
    let sandbox = Sandbox::new();
    let new = |name: &str| {
        let run = sandbox.hone("new --stdin").arg(name).stdin("A language.\n").run();
        format!("$ hone new '{name}' --stdin\n{run}")
    };
    let lines = ["C++", "c++", "C#", "!!!", "", "日本語"].map(new);
    assert_snapshot!(lines.join("\n"), @"
    $ hone new 'C++' --stdin
    exit: 0
    --- stderr
    created `c` (revision 1) ~/.agents/skills/c

    $ hone new 'c++' --stdin
    exit: 1
    --- stderr
    error: the skill `c` exists already at `~/.agents/skills/c/SKILL.md`
    hint: change it with `hone edit c` or `hone patch c`

    $ hone new 'C#' --stdin
    exit: 1
    --- stderr
    error: `C#` and the existing `C++` would share the slug `c`
    hint: choose a name that differs in letters or digits

    $ hone new '!!!' --stdin
    exit: 1
    --- stderr
    error: `!!!` has no letter or digit to make a slug from
    hint: use at least one letter or digit

    $ hone new '' --stdin
    exit: 1
    --- stderr
    error: `` has no letter or digit to make a slug from
    hint: use at least one letter or digit

    $ hone new '日本語' --stdin
    exit: 0
    --- stderr
    created `77710aed` (revision 1) ~/.agents/skills/77710aed
    ");
}

#[test]
fn an_invalid_text_is_refused_with_every_reason_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    let long = format!("---\nname: tidy\ndescription: {}\n---\nSort.\n", "x".repeat(1_025));
    let new = |text: &[u8]| sandbox.hone("new tidy --stdin").stdin(text).run().to_string();
    assert_snapshot!(
        [
            new(long.as_bytes()),
            new(b"---\nname: tidy\ndescription: Sorts.\n"),
            new(b"---\nname: tidy\ndescription: Sorts.\n---\n"),
            new(b""),
            new(b"caf\xe9"),
        ].join("\n"),
        @"
    exit: 1
    --- stderr
    error[description-too-long]: the description has 1025 characters, 1024 are allowed
     --> SKILL.md:3:14
      |
    3 | description: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = hint: say what it does and when to use it; move the rest into the body
    error: the result would not be a valid skill, so nothing was written

    exit: 1
    --- stderr
    error: the frontmatter cannot be edited: it is never closed

    exit: 1
    --- stderr
    error: the skill has no body: write down what to do

    exit: 1
    --- stderr
    error: the skill has no body: write down what to do

    exit: 1
    --- stderr
    error: the text is not UTF-8 (byte 3)
    hint: save it as UTF-8
    "
    );
    assert_snapshot!(sandbox.hone("new tidy --file missing.md").run(), @"
    exit: 2
    --- stderr
    error: could not read `missing.md`: No such file or directory (os error 2)
    ");
    assert!(!exists(&sandbox.path("home/.agents")));
}

#[test]
fn dry_run_shows_the_difference_and_writes_nothing() {
    let sandbox = Sandbox::new();
    let run = sandbox.hone("new tidy --stdin --dry-run").stdin("Sort entries.\n").run();
    assert_snapshot!(run, @r#"
    exit: 0
    --- stdout
    --- /dev/null
    +++ b/SKILL.md
    @@ -0,0 +1,7 @@
    +---
    +name: tidy
    +description: Sort entries.
    +metadata:
    +  version: "1"
    +---
    +Sort entries.
    --- stderr
    dry run: would create `tidy` (nothing written) ~/.agents/skills/tidy
    "#);
    let run = sandbox.hone("new tidy --stdin --dry-run --json").stdin("Sort entries.\n").run();
    assert_eq!(run.errors(), "");
    assert_snapshot!(sandbox.filtered(&serde_json::to_string_pretty(&run.json()).unwrap()), @r#"
    {
      "action": "create",
      "dry_run": true,
      "files": [
        {
          "diff": "--- /dev/null\n+++ b/SKILL.md\n@@ -0,0 +1,7 @@\n+---\n+name: tidy\n+description: Sort entries.\n+metadata:\n+  version: \"1\"\n+---\n+Sort entries.\n",
          "file": "SKILL.md",
          "status": "added"
        }
      ],
      "from_version": null,
      "name": "tidy",
      "path": "[HOME]/.agents/skills/tidy",
      "revision": null,
      "to_version": "1",
      "warnings": []
    }
    "#);
    assert_eq!(sandbox.files("home"), [""; 0]);
}

#[test]
fn stdin_and_file_exclude_each_other() {
    assert_snapshot!(Sandbox::new().hone("new tidy --stdin --file x").run(), @"
    exit: 2
    --- stderr
    error: the argument '--stdin' cannot be used with '--file <FILE>'

    Usage: hone new --stdin <NAME>

    For more information, try '--help'.
    ");
}

#[test]
fn a_text_at_the_limit_is_taken_and_one_past_it_is_not() {
    let sandbox = Sandbox::new();
    let frontmatter = "---\nname: long\ndescription: Long.\nmetadata:\n  version: \"1\"\n---\n";
    let fill = 100_000 - frontmatter.len();
    let text = |length: usize| format!("{frontmatter}{}", "x".repeat(length));
    assert_snapshot!(sandbox.hone("new long --stdin").stdin(text(fill + 1)).run(), @"
    exit: 1
    --- stderr
    error: `SKILL.md` has 100001 characters, 100000 are allowed
    ");
    let run = sandbox.hone("new long --stdin").stdin(text(fill)).run();
    assert_eq!(run.code, 0, "{run}");
    let huge = vec![b'x'; 16 * 1024 * 1024 + 1];
    assert_snapshot!(sandbox.hone("new huge --stdin").stdin(huge).run(), @"
    exit: 1
    --- stderr
    error: standard input has more than 16777216 bytes
    ");
}

#[test]
fn a_built_in_skill_can_be_copied_as_the_hint_says() {
    let sandbox = Sandbox::new();
    assert_snapshot!(transcript(&sandbox, &["edit hone --stdin", "rm hone"]), @"
    $ hone edit hone --stdin
    exit: 1
    --- stderr
    error: `hone` is part of hone and cannot be changed
    hint: make your own: `hone view hone --raw | hone new hone --stdin`

    $ hone rm hone
    exit: 1
    --- stderr
    error: `hone` is part of hone and cannot be changed; copy it with `hone new`
    ");
    let text = sandbox.hone("view hone --raw").run().stdout;
    let run = sandbox.hone("new hone --stdin").stdin(text).run();
    assert_eq!(run.code, 0, "{run}");
    let run = sandbox.hone("view hone").run();
    assert_eq!(run.text().lines().next(), Some("hone · user · version 1"));
}

#[test]
fn new_refuses_metadata_and_mends_tools_that_are_not_as_the_specification_has_them() {
    let sandbox = Sandbox::new();
    let text = |field: &str| format!("---\ndescription: Sorts.\n{field}\n---\nSort it.\n");
    sandbox.write("project/lists.md", text("metadata:\n  tags: [a, b]\n  hermes:\n    x: y"));
    sandbox.write("project/tools.md", text("allowed-tools:\n  - Read\n  - Bash(git:*)"));
    assert_snapshot!(
        transcript(&sandbox, &[
            "new lists --file lists.md",
            "new tools --file tools.md",
            "check tools",
            "view tools --raw",
        ]),
        @r#"
    $ hone new lists --file lists.md
    exit: 1
    --- stderr
    error[metadata-value]: `metadata.tags` is a list or a map, only text is allowed
     --> SKILL.md:5:9
      |
    5 |   tags: [a, b]
      |         ^^^^^^
      = hint: write it as one text: `tags: "a, b"`
    error[metadata-value]: `metadata.hermes` is a list or a map, only text is allowed
     --> SKILL.md:7:5
      |
    7 |     x: y
      |     ^^^^
      = hint: write its keys beside it, as `hermes.key: value`
    error: the result would not be a valid skill, so nothing was written

    $ hone new tools --file tools.md
    exit: 0
    --- stderr
    created `tools` (revision 1) ~/.agents/skills/tools
    note: the text was mended: allowed-tools-form

    $ hone check tools
    exit: 0
    --- stderr
    1 file checked (spec): 1 valid, 0 invalid; 0 errors, 0 warnings

    $ hone view tools --raw
    exit: 0
    --- stdout
    ---
    description: Sorts.
    allowed-tools: Read Bash(git:*)
    name: tools
    metadata:
      version: "1"
    ---
    Sort it.
    "#
    );
}

//! `hone check`: what it takes, what it finds, how it shows it, what it mends.

use insta::assert_snapshot;

use crate::harness::{Sandbox, TIDY, transcript};

/// Checks one `SKILL.md` in a folder of that name.
fn checked(folder: &str, text: impl AsRef<[u8]>) -> String {
    let sandbox = Sandbox::new();
    sandbox.write(&format!("project/{folder}/SKILL.md"), text);
    sandbox.hone("check").arg(folder).run().to_string()
}

#[test]
fn a_good_skill_is_one_line_on_standard_error() {
    assert_snapshot!(checked("tidy", TIDY), @"
    exit: 0
    --- stderr
    1 file checked (spec): 1 valid, 0 invalid; 0 errors, 0 warnings
    ");
}

#[test]
fn an_unquoted_colon() {
    let text = "---\nname: colon\ndescription: Use when: it is late\n---\nDo it.\n";
    assert_snapshot!(checked("colon", text), @"
    exit: 1
    --- stdout
    error[yaml-unquoted]: the value of `description` must be quoted: it holds `: `
     --> colon/SKILL.md:3:22
      |
    3 | description: Use when: it is late
      |                      ^^^^^^^^^^^^
      = hint: put the whole value in double quotes
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings; `--fix` mends some of them
    ");
}

#[test]
fn a_tab_in_the_indentation() {
    let text = "---\nname: tab\ndescription: x\nmetadata:\n\tversion: \"1\"\n---\nDo it.\n";
    assert_snapshot!(checked("tab", text), @r#"
    exit: 1
    --- stdout
    error[tab-indent]: a tab in the indentation
     --> tab/SKILL.md:5:1
      |
    5 |  version: "1"
      | ^
      = hint: indent with spaces

    error[yaml-syntax]: the value of `metadata` is not YAML: tabs disallowed within this context (block indentation)
     --> tab/SKILL.md:5:2
      |
    5 |  version: "1"
      |  ^^^^^^^^^^^^
      = hint: put the whole value in double quotes

    error[metadata-type]: metadata is not a map
     --> tab/SKILL.md:5:2
      |
    5 |  version: "1"
      |  ^^^^^^^^^^^^
      = hint: write `key: value` lines under it
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 3 errors, 0 warnings
    "#);
}

#[test]
fn a_byte_order_mark() {
    assert_snapshot!(checked("bom", "\u{feff}---\nname: bom\ndescription: x\n---\nDo it.\n"), @r"
    exit: 1
    --- stdout
    error[byte-order-mark]: the file starts with a byte order mark
     --> bom/SKILL.md:1:1
      |
    1 | \u{feff}---
      | ^^^^^^^^
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings; `--fix` mends some of them
    ");
}

#[test]
fn a_duplicate_key() {
    let text = "---\nname: twice\ndescription: one\nlicense: MIT\ndescription: two\n---\nDo it.\n";
    assert_snapshot!(checked("twice", text), @"
    exit: 1
    --- stdout
    error[duplicate-key]: `description` occurs again below, and the last one counts
     --> twice/SKILL.md:3:1
      |
    3 | description: one
      | ^^^^^^^^^^^
      = hint: remove one of the two
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings; `--fix` mends some of them
    ");
}

#[test]
fn wide_characters_before_the_caret() {
    let text = "---\nname: wide\ndescription: 日本語の説明 🎉 when: x\n---\nDo it.\n";
    assert_snapshot!(checked("wide", text), @"
    exit: 1
    --- stdout
    error[yaml-unquoted]: the value of `description` must be quoted: it holds `: `
     --> wide/SKILL.md:3:27
      |
    3 | description: 日本語の説明 🎉 when: x
      |                                  ^^^
      = hint: put the whole value in double quotes
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings; `--fix` mends some of them
    ");
}

#[test]
fn a_very_long_line_is_shown_around_the_finding() {
    let before = "many words ".repeat(40);
    let after = " and more words".repeat(40);
    let text = format!("---\nname: long\ndescription: {before}when: x{after}\n---\nDo it.\n");
    assert_snapshot!(checked("long", text), @"
    exit: 1
    --- stdout
    error[description-too-long]: the description has 1047 characters, 1024 are allowed
     --> long/SKILL.md:3:14
      |
    3 | description: many words many words many words many words many words many words many words many…
      |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = hint: say what it does and when to use it; move the rest into the body

    error[yaml-unquoted]: the value of `description` must be quoted: it holds `: `
     --> long/SKILL.md:3:458
      |
    3 | …ny words many words many words when: x and more words and more words and more words and more w…
      |                                     ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = hint: put the whole value in double quotes
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 2 errors, 0 warnings; `--fix` mends some of them
    ");
    let text =
        format!("---\nname: long\ndescription: x\nlicens{}: y\n---\nDo it.\n", "e".repeat(200));
    assert_snapshot!(checked("long", text), @"
    exit: 1
    --- stdout
    error[unknown-key]: `licenseeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee…` is not a key of this profile
     --> long/SKILL.md:4:1
      |
    4 | licenseeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee…
      | ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      = hint: move it under `metadata`, as `licenseeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee…: …`
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings
    ");
}

#[test]
fn what_is_not_a_text_is_refused_with_the_place() {
    assert_snapshot!(
        [
            checked("latin", b"---\nname: latin\ndescription: caf\xe9\n---\nDo it.\n"),
            checked("nul", "---\nname: nul\ndescription: a\0b\n---\nDo it.\n"),
            checked("empty", ""),
            checked("bare", "Just text.\n"),
            checked("open", "---\nname: open\ndescription: x\n"),
            checked("list", "---\n- a\n- b\n---\nDo it.\n"),
        ].join("\n"),
        @r"
    exit: 1
    --- stdout
    error[not-utf8]: not UTF-8: byte 0xE9 at offset 32
     --> latin/SKILL.md:3:17
      |
    3 | description: caf�
      |                 ^
      = hint: save the file as UTF-8
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings

    exit: 1
    --- stdout
    error[nul-byte]: a NUL byte at offset 28
     --> nul/SKILL.md:3:15
      |
    3 | description: a\u{0}b
      |               ^^^^^
      = hint: this is not a text file
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings

    exit: 1
    --- stdout
    error[no-frontmatter]: there is no frontmatter
     --> empty/SKILL.md:1:1
      = hint: start the file with `---`, `name: …`, `description: …`, `---`
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings

    exit: 1
    --- stdout
    error[no-frontmatter]: there is no frontmatter
     --> bare/SKILL.md:1:1
      |
    1 | Just text.
      | ^
      = hint: start the file with `---`, `name: …`, `description: …`, `---`
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings

    exit: 1
    --- stdout
    error[unclosed-frontmatter]: the frontmatter opened here is never closed
     --> open/SKILL.md:1:1
      |
    1 | ---
      | ^^^
      = hint: add a line `---` after the last frontmatter key
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings

    exit: 1
    --- stdout
    error[frontmatter-not-map]: the frontmatter is a list, not keys with values
     --> list/SKILL.md:2:1
      |
    2 | - a
      | ^
      = hint: write `name: …` and `description: …` on lines of their own
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings
    "
    );
}

#[test]
fn escape_sequences_are_visible() {
    let text = "---\nname: esc\ndescription: a \u{202e}b\u{2066}\nlicense: \"\\e]52;c;Zm9v\"\n---\nDo it.\n";
    assert_snapshot!(checked("esc", text), @r"
    exit: 0
    --- stdout
    warning[hidden-characters]: the description holds the invisible character U+202E
     --> esc/SKILL.md:3:14
      |
    3 | description: a \u{202e}b\u{2066}
      |              ^^^^^^^^^^^^^^^^^^^
      = hint: remove it: it can make text look like something else
    --- stderr
    1 file checked (spec): 1 valid, 0 invalid; 0 errors, 1 warning
    ");
}

#[test]
fn a_file_that_cannot_be_read_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    sandbox.write("project/dir/SKILL.md/x", "");
    sandbox.write("project/good/SKILL.md", TIDY.replace("name: tidy", "name: good"));
    std::fs::create_dir(sandbox.path("project/link")).unwrap();
    std::os::unix::fs::symlink("nowhere", sandbox.path("project/link/SKILL.md")).unwrap();
    assert_snapshot!(sandbox.hone("check dir link good").run(), @"
    exit: 1
    --- stdout
    error[unreadable]: could not read the file: Is a directory (os error 21)
     --> dir/SKILL.md

    error[unreadable]: could not read the file: No such file or directory (os error 2)
     --> link/SKILL.md
    --- stderr
    3 files checked (spec): 1 valid, 2 invalid; 2 errors, 0 warnings
    ");
}

#[test]
fn a_path_may_be_a_folder_a_file_a_folder_of_skills_or_a_name() {
    let sandbox = Sandbox::with_tidy();
    sandbox.skill("project/skills", "one", "The first.");
    sandbox.skill("project/skills/deep/er", "two", "The second.");
    sandbox.write("project/skills/bad/SKILL.md", "---\nname: bad\n---\nDo it.\n");
    sandbox.write("project/note.md", "---\nname: note\ndescription: A single file.\n---\nDo it.\n");
    let paths = |line: &str| {
        let json = sandbox.hone(&format!("check --format json {line}")).run().json();
        let files = json["files"].as_array().unwrap().iter();
        let paths: Vec<String> =
            files.map(|file| sandbox.filtered(file["path"].as_str().unwrap())).collect();
        paths.join(" ")
    };
    assert_snapshot!(
        [
            paths("skills/one"),
            paths("skills/one/SKILL.md"),
            paths("skills"),
            paths("note.md tidy hone"),
            paths("skills/one ./skills/one/ skills/../skills/one/SKILL.md skills"),
            paths("--root skills"),
            paths(""),
        ].join("\n"),
        @"
    [PROJECT]/skills/one/SKILL.md
    [PROJECT]/skills/one/SKILL.md
    [PROJECT]/skills/bad/SKILL.md [PROJECT]/skills/deep/er/two/SKILL.md [PROJECT]/skills/one/SKILL.md
    [PROJECT]/note.md [HOME]/.agents/skills/tidy/SKILL.md builtin:hone/SKILL.md
    [PROJECT]/skills/one/SKILL.md [PROJECT]/skills/bad/SKILL.md [PROJECT]/skills/deep/er/two/SKILL.md
    [PROJECT]/skills/bad/SKILL.md [PROJECT]/skills/deep/er/two/SKILL.md [PROJECT]/skills/one/SKILL.md
    [PROJECT]/skills/bad/SKILL.md [PROJECT]/skills/deep/er/two/SKILL.md [PROJECT]/skills/one/SKILL.md
    "
    );
}

#[test]
fn without_a_path_the_current_folder_is_checked() {
    let sandbox = Sandbox::new();
    sandbox.write("project/tidy/SKILL.md", TIDY.replace("name: tidy", "name: Tidy"));
    assert_snapshot!(sandbox.hone("check").cwd("project/tidy").run(), @"
    exit: 1
    --- stdout
    error[name-uppercase]: the name is not in lower case
     --> SKILL.md:2:7
      |
    2 | name: Tidy
      |       ^^^^
      = hint: call it `tidy`

    error[name-folder]: the name is `Tidy`, the folder is `tidy`
     --> SKILL.md:2:7
      |
    2 | name: Tidy
      |       ^^^^
      = hint: rename one of them
    --- stderr
    1 file checked (spec): 0 valid, 1 invalid; 2 errors, 0 warnings; `--fix` mends some of them
    ");
    assert_snapshot!(sandbox.hone("check").cwd("tmp").run(), @"
    exit: 1
    --- stderr
    error: there is no skill in `.`
    hint: name a folder with a `SKILL.md`, or a skill
    ");
}

#[test]
fn a_missing_path_is_the_answer_no_and_wrong_usage_is_not() {
    let sandbox = Sandbox::new();
    assert_snapshot!(
        transcript(&sandbox, &[
            "check missing",
            "check --profile strict",
            "check --format xml",
            "check --dry-run",
            "check --root missing",
        ]),
        @"
    $ hone check missing
    exit: 1
    --- stderr
    error: there is no file, folder or skill `missing`
    hint: `hone list --all` shows what is there

    $ hone check --profile strict
    exit: 2
    --- stderr
    error: invalid value 'strict' for '--profile <PROFILE>'
      [possible values: spec, upload, claude-code, codex, mcp, lenient]

    For more information, try '--help'.

    $ hone check --format xml
    exit: 2
    --- stderr
    error: invalid value 'xml' for '--format <FORMAT>'
      [possible values: text, json, sarif, github]

    For more information, try '--help'.

    $ hone check --dry-run
    exit: 2
    --- stderr
    error: the following required arguments were not provided:
      --fix

    Usage: hone check --fix --dry-run [PATH]...

    For more information, try '--help'.

    $ hone check --root missing
    exit: 2
    --- stderr
    error: could not read the root `[PROJECT]/missing`: No such file or directory (os error 2)
    "
    );
}

#[test]
fn profiles_weigh_differently() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/技能/SKILL.md",
        "---\nname: 技能\ndescription: Makes <b>bold</b> claims\nuser-invocable: true\nallowed-tools: a, b\ntags: [x]\n---\nDo it.\n",
    );
    let profiles = ["spec", "upload", "claude-code", "codex", "mcp", "lenient"];
    let found = profiles.map(|profile| {
        let run = sandbox.hone(&format!("check 技能 --format json --profile {profile}")).run();
        let json = run.json();
        let diagnostics = json["files"][0]["diagnostics"].as_array().unwrap();
        let rules: Vec<String> = diagnostics
            .iter()
            .map(|found| {
                format!(
                    "{}:{}",
                    found["severity"].as_str().unwrap(),
                    found["rule"].as_str().unwrap()
                )
            })
            .collect();
        format!("{profile} exit {}: {}", run.code, rules.join(" "))
    });
    assert_snapshot!(found.join("\n"), @"
    spec exit 1: warning:name-non-ascii error:unknown-key error:allowed-tools-form error:unknown-key info:flow-style
    upload exit 1: error:name-non-ascii warning:description-markup error:unknown-key error:allowed-tools-form error:unknown-key info:flow-style
    claude-code exit 0: info:unknown-key info:flow-style
    codex exit 0: warning:name-non-ascii info:flow-style
    mcp exit 1: error:name-non-ascii error:unknown-key error:allowed-tools-form error:unknown-key info:flow-style
    lenient exit 0: warning:name-non-ascii info:allowed-tools-form info:flow-style
    ");
}

#[test]
fn the_mcp_profile_counts_the_files_of_a_skill() {
    let sandbox = Sandbox::new();
    sandbox.write("project/tidy/SKILL.md", TIDY);
    for number in 0..512 {
        sandbox.write(&format!("project/tidy/assets/{number}"), "");
    }
    assert_snapshot!(sandbox.hone("check tidy --profile mcp").run(), @"
    exit: 0
    --- stdout
    warning[folder-too-large]: the skill has 513 files and 161 bytes
     --> tidy/SKILL.md:1:1
      |
    1 | ---
      | ^
      = hint: an MCP host accepts 512 files and 16777216 bytes
    --- stderr
    1 file checked (mcp): 1 valid, 0 invalid; 0 errors, 1 warning
    ");
    std::fs::remove_file(sandbox.path("project/tidy/assets/0")).unwrap();
    assert_eq!(
        sandbox.hone("check tidy --profile mcp --format json").run().json()["files"][0]["diagnostics"],
        serde_json::json!([])
    );
}

const CROOKED: &str = "---\r\n# kept\r\nname: Crooked   # kept too\r\ndescription: Use when: late\r\nlicense: 'MIT'\r\nallowed-tools: [Read, Bash]\r\n---\r\nDo it.\r\n";

#[test]
fn fix_keeps_comments_order_quoting_and_line_ends() {
    let sandbox = Sandbox::new();
    sandbox.write("project/crooked/SKILL.md", CROOKED);
    assert_snapshot!(sandbox.hone("check crooked --fix").run(), @"
    exit: 0
    --- stdout
    info[crlf]: lines end in CR LF
     --> crooked/SKILL.md:1:4
      |
    1 | ---
      |    ^

    warning[comment-cuts-value]: `#` starts a comment and cuts the name
     --> crooked/SKILL.md:3:17
      |
    3 | name: crooked   # kept too
      |                 ^
      = hint: quote the value if the text after `#` belongs to it
    --- stderr
    mended crooked/SKILL.md: yaml-unquoted, name-uppercase, name-folder, allowed-tools-form
    1 file checked (spec): 1 valid, 0 invalid; 0 errors, 1 warning
    ");
    assert_eq!(
        sandbox.read("project/crooked/SKILL.md"),
        "---\r\n# kept\r\nname: crooked   # kept too\r\ndescription: \"Use when: late\"\r\nlicense: 'MIT'\r\nallowed-tools: Read Bash\r\n---\r\nDo it.\r\n"
    );
    assert_eq!(sandbox.hone("check crooked").run().code, 0);
}

#[test]
fn fix_can_be_undone() {
    let sandbox = Sandbox::new();
    sandbox.write("project/crooked/SKILL.md", CROOKED);
    sandbox.done("check crooked --fix");
    assert_snapshot!(transcript(&sandbox, &["history ./crooked", "rollback ./crooked"]), @"
    $ hone history ./crooked
    exit: 0
    --- stdout
       1  [TIME]  -  outside SKILL.md: as it was found
       2  [TIME]  tester  fix SKILL.md: hone check --fix

    $ hone rollback ./crooked
    exit: 0
    --- stderr
    rolled back `Crooked` (revision 3) crooked
    ");
    assert_eq!(sandbox.read("project/crooked/SKILL.md"), CROOKED);
}

#[test]
fn fix_as_a_dry_run_shows_the_difference() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "project/crooked/SKILL.md",
        "---\nname: crooked\ndescription: Use when: late\n---\nDo it.\n",
    );
    assert_snapshot!(sandbox.hone("check crooked --fix --dry-run").run(), @r#"
    exit: 1
    --- stdout
    --- a/crooked/SKILL.md
    +++ b/crooked/SKILL.md
    @@ -1,5 +1,5 @@
     ---
     name: crooked
    -description: Use when: late
    +description: "Use when: late"
     ---
     Do it.
    error[yaml-unquoted]: the value of `description` must be quoted: it holds `: `
     --> crooked/SKILL.md:3:22
      |
    3 | description: Use when: late
      |                      ^^^^^^
      = hint: put the whole value in double quotes
    --- stderr
    would mend crooked/SKILL.md: yaml-unquoted
    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings
    "#);
    let json = sandbox.hone("check crooked --fix --dry-run --format json").run().json();
    assert_eq!(json["files"][0]["fixed"], serde_json::json!(["yaml-unquoted"]));
    assert!(sandbox.read("project/crooked/SKILL.md").contains("Use when: late"));
    assert!(!sandbox.path("state/objects").exists());
}

#[test]
fn fix_mends_what_it_can_and_goes_on() {
    let sandbox = Sandbox::new();
    for name in ["one", "two"] {
        sandbox.write(
            &format!("project/{name}/SKILL.md"),
            format!("---\nname: {name}\ndescription: Use when: late\n---\nDo it.\n"),
        );
    }
    sandbox
        .write("project/notes.txt", "---\nname: notes\ndescription: Use when: late\n---\nDo it.\n");
    sandbox.write("project/bad/SKILL.md", "---\nname: bad\n");
    assert_snapshot!(sandbox.hone("check one notes.txt bad two --fix").run(), @"
    exit: 1
    --- stdout
    error[yaml-unquoted]: the value of `description` must be quoted: it holds `: `
     --> notes.txt:3:22
      |
    3 | description: Use when: late
      |                      ^^^^^^
      = hint: put the whole value in double quotes

    error[unclosed-frontmatter]: the frontmatter opened here is never closed
     --> bad/SKILL.md:1:1
      |
    1 | ---
      | ^^^
      = hint: add a line `---` after the last frontmatter key
    --- stderr
    mended one/SKILL.md: yaml-unquoted
    could not mend notes.txt: only a `SKILL.md`, or a Markdown file with frontmatter, can be mended
    mended two/SKILL.md: yaml-unquoted
    4 files checked (spec): 2 valid, 2 invalid; 2 errors, 0 warnings
    ");
    assert_eq!(sandbox.hone("check one two").run().code, 0);
}

#[test]
fn a_file_with_another_name_is_found_and_named() {
    let sandbox = Sandbox::new();
    sandbox.write("project/tidy/Skill.md", TIDY);
    assert_snapshot!(
        transcript(&sandbox, &["check tidy", "check tidy --profile claude-code --format json"]), @r#"
    $ hone check tidy
    exit: 0
    --- stdout
    warning[file-name]: the file is called `Skill.md`; agents look for `SKILL.md`
     --> tidy/Skill.md:1:1
      |
    1 | ---
      | ^
      = hint: rename it to `SKILL.md`
    --- stderr
    1 file checked (spec): 1 valid, 0 invalid; 0 errors, 1 warning

    $ hone check tidy --profile claude-code --format json
    exit: 1
    --- stdout
    {"files":[{"path":"[PROJECT]/tidy/Skill.md","valid":false,"diagnostics":[{"rule":"file-name","severity":"error","line":1,"column":1,"message":"the file is called `Skill.md`; agents look for `SKILL.md`","hint":"rename it to `SKILL.md`","fixable":false}]}]}
    "#
    );
}

#[test]
fn no_progress_is_shown_in_a_pipe() {
    let sandbox = Sandbox::new();
    for number in 0..300 {
        sandbox.skill("project/skills", &format!("skill-{number}"), "Does it.");
    }
    assert_snapshot!(sandbox.hone("check skills").run(), @"
    exit: 0
    --- stderr
    300 files checked (spec): 300 valid, 0 invalid; 0 errors, 0 warnings
    ");
}

#[test]
fn hidden_characters_in_a_body() {
    let sandbox = Sandbox::new();
    let text = "---\nname: sly\ndescription: Sorts. Use when asked.\n---\nRun\u{200b}it\u{e0041}\u{e0042}.\n\nکتاب\u{200c}ها 👩\u{200d}💻\n";
    sandbox.write("project/sly/SKILL.md", text);
    assert_snapshot!(sandbox.hone("check sly").run(), @r#"
    exit: 0
    --- stdout
    warning[hidden-characters]: the invisible character U+200B
     --> sly/SKILL.md:5:4
      |
    5 | Run\u{200b}it\u{e0041}\u{e0042}.
      |    ^^^^^^^^
      = hint: remove it: a model reads what a person cannot see

    warning[hidden-characters]: 2 invisible characters from U+E0041 on
     --> sly/SKILL.md:5:7
      |
    5 | Run\u{200b}it\u{e0041}\u{e0042}.
      |              ^^^^^^^^^^^^^^^^^^
      = hint: remove it: a model reads what a person cannot see
    --- stderr
    1 file checked (spec): 1 valid, 0 invalid; 0 errors, 2 warnings
    "#);
}

#[test]
fn a_skill_is_checked_by_name_though_its_project_is_not_trusted() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.git/HEAD", "");
    sandbox.skill("project/.agents/skills", "deploy", "Deploys.");
    sandbox.write("home/.agents/skills/odd/SKILL.md", "no frontmatter");
    assert_eq!(sandbox.hone("check deploy").run().code, 0);
    assert_eq!(sandbox.hone("check project:deploy").run().code, 0);
    let run = sandbox.hone("check odd").run();
    assert!(run.code == 1 && run.text().contains("odd/SKILL.md"), "{run}");
    assert_eq!(sandbox.hone("check nobody").run().code, 1);
}

#[test]
fn skills_of_a_folder_are_checked_however_deep_and_what_is_not_is_said() {
    let sandbox = Sandbox::new();
    sandbox.skill("project/all", "good", "Fine.");
    sandbox.write("project/all/1/2/3/4/5/6/7/8/9/bad/SKILL.md", "no frontmatter");
    let run = sandbox.hone("check all").run();
    assert!(run.code == 1 && run.errors().contains("2 files checked"), "{run}");
    let run = sandbox.hone("check all --depth 3").run();
    assert!(run.code == 0 && run.errors().contains("note: not checked: all/1/2/3"), "{run}");
    // At the bound, and past it.
    let folders = |many: usize| vec!["d"; many].join("/");
    sandbox.write(&format!("project/at/{}/SKILL.md", folders(33)), "no frontmatter");
    sandbox.write(&format!("project/past/{}/SKILL.md", folders(34)), "no frontmatter");
    assert_eq!(sandbox.hone("check at").run().code, 1);
    let run = sandbox.hone("check past").run();
    assert!(run.code == 1 && run.errors().contains("note: not checked: past/d/d"), "{run}");
}

#[test]
fn the_hint_about_needed_variables_leads_to_what_is_read() {
    let sandbox = Sandbox::new();
    let skill = |key: &str| {
        let text = format!("---\nname: x\ndescription: Does it.\n{key}\n---\nDo it.\n");
        sandbox.write("home/.agents/skills/x/SKILL.md", text);
        sandbox.hone("check x").run().text()
    };
    let text = skill("required_environment_variables: [NOT_SET_A, NOT_SET_B]");
    let hint = "move it under `metadata`, as one text: `required_environment_variables: \"NOT_SET_A, NOT_SET_B\"`";
    assert!(text.contains(hint), "{text}");
    let text = skill("metadata:\n  required_environment_variables: \"NOT_SET_A, NOT_SET_B\"");
    assert_eq!(text, "");
    let needs = sandbox.hone("needs x").run();
    assert!(needs.code == 1 && needs.to_string().contains("NOT_SET_B"), "{needs}");
    // With more to say than a name there is no such place.
    let text = skill("required_environment_variables: [{name: NOT_SET, prompt: A key}]");
    assert!(text.contains("= hint: agents read it here: `--profile lenient` knows it"), "{text}");
    assert_eq!(sandbox.hone("check x --profile lenient").run().code, 0);
}

//! On a terminal: width, colours, editors.

use insta::assert_snapshot;

use crate::harness::{Sandbox, need};

fn library() -> Sandbox {
    need("script");
    let sandbox = Sandbox::with_tidy();
    sandbox.done("config set skills.builtin no");
    sandbox.skill("home/.agents/skills", &"a-very-long-name".repeat(4), "Has a long name.");
    sandbox.write(
        "home/.agents/skills/wide/SKILL.md",
        "---\nname: wide\ndescription: 日本語の説明はここにあります。とても長いので、切らなければなりません。\n---\n\
         # 見出し\n\n日本語の説明はここにあります。\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\necho a very long line of code that cannot be wrapped\n```\n",
    );
    sandbox.write(
        "home/.agents/skills/bad/SKILL.md",
        "---\nname: bad\ndescription: Use it when: it is needed\n---\nx\n",
    );
    sandbox
}

fn width(line: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(line)
}

#[test]
fn lines_are_cut_to_eighty_columns() {
    assert_snapshot!(library().hone("list").env("NO_COLOR", "1").on_terminal(80, 24), @"
    exit: 0
    --- stdout
    a-very-long-namea-very-long-nam…  user     Has a long name.
    bad                               user     Use it when: it is needed
    tidy                              user     Tidies a changelog. Use when a relea…
    wide                              user     日本語の説明はここにあります。とても…
    ");
}

#[test]
fn the_overview_fits_one_screen() {
    assert_snapshot!(library().hone("").env("NO_COLOR", "1").on_terminal(80, 24), @"
    exit: 0
    --- stdout
    hone [VERSION] · 4 skills (4 user)

    a-very-long-namea-very-long-nam…  user     Has a long name.
    bad                               user     Use it when: it is needed
    tidy                              user     Tidies a changelog. Use when a relea…
    wide                              user     日本語の説明はここにあります。とても…

    Next:
      hone list [WORDS]    find a skill
      hone view NAME       read it
      hone invoke /NAME    see what a model gets when you call it
      hone scan            look for what makes a skill unsafe
      hone --help          everything else
    ");
}

#[test]
fn a_tiny_terminal_loses_nothing_but_width() {
    let sandbox = library();
    for line in ["", "list", "view wide", "view tidy", "check bad"] {
        let sandbox = &sandbox;
        let run = sandbox.hone(line).env("NO_COLOR", "1").on_terminal(20, 5);
        assert!(run.code <= 1, "{line}: {run}");
        assert!(
            run.text().contains(if line == "check bad" { "bad" } else { "tidy" })
                || line == "view wide",
            "{line}: {run}"
        );
    }
    for line in ["", "list"] {
        let run = sandbox.hone(line).env("NO_COLOR", "1").on_terminal(20, 5);
        let words: Vec<String> = run.text().lines().map(str::to_owned).collect();
        assert!(
            words.iter().filter(|line| !line.contains("skip")).all(|line| width(line) <= 20),
            "{run}"
        );
    }
    assert_snapshot!(sandbox.hone("view wide").env("NO_COLOR", "1").on_terminal(20, 5), @"
    exit: 0
    --- stdout
    wide · user
    日本語の説明はここに
    あります。とても長い
    ので、切らなければな
    りません。

    # 見出し

    日本語の説明はここに
    あります。

    a │ b
    ──┼──
    1 │ 2

        echo a very long line of code that cannot be wrapped
    ");
    assert_snapshot!(sandbox.hone("check bad").env("NO_COLOR", "1").on_terminal(20, 5), @"
    exit: 1
    --- stdout
    error[yaml-unquoted]: the value of `description` must be quoted: it holds `: `
     --> ~/.agents/skills/bad/SKILL.md:3:25
      |
    3 | … when: it is n…
      |       ^^^^^^^^^^
      = hint: put the whole value in double quotes

    1 file checked (spec): 0 valid, 1 invalid; 1 error, 0 warnings; `--fix` mends some of them
    ");
}

#[test]
fn a_wide_terminal_is_used() {
    let sandbox = library();
    let run = sandbox.hone("list wide").env("NO_COLOR", "1").on_terminal(300, 50);
    assert_snapshot!(run, @"
    exit: 0
    --- stdout
    wide  user     日本語の説明はここにあります。とても長いので、切らなければなりません。
    ");
}

#[test]
fn colours_are_on_a_terminal_only_and_can_be_refused() {
    let sandbox = library();
    let is_colourful = |run: crate::harness::Run| run.stdout.contains(&0x1b);
    for line in [
        "view tidy",
        "check bad",
        "check bad --fix --dry-run",
        "patch tidy --old Sort --new x --dry-run",
    ] {
        assert!(is_colourful(sandbox.hone(line).on_terminal(80, 24)), "{line}");
        assert!(
            !is_colourful(sandbox.hone(line).env("NO_COLOR", "1").on_terminal(80, 24)),
            "{line}"
        );
        assert!(
            !is_colourful(sandbox.hone(line).env("TERM", "dumb").on_terminal(80, 24)),
            "{line}"
        );
        assert!(!is_colourful(sandbox.hone(line).run()), "{line}");
        assert!(is_colourful(sandbox.hone(line).env("CLICOLOR_FORCE", "1").run()), "{line}");
    }
}

#[test]
fn colour_carries_no_meaning_of_its_own() {
    let sandbox = library();
    let plain = sandbox.hone("check bad").env("NO_COLOR", "1").on_terminal(80, 24).text();
    let coloured = sandbox.hone("check bad").on_terminal(80, 24).text();
    assert_eq!(without_colours(&coloured), plain);
}

#[test]
fn a_refused_text_is_shown_in_colour_and_not_as_escapes() {
    let sandbox = library();
    let run = sandbox.hone("patch tidy --old 'name: tidy' --new 'name: [tidy'").on_terminal(80, 24);
    assert_eq!(run.code, 1);
    assert!(!run.text().contains("\\u{1b}"), "{run}");
    assert!(run.text().contains("\u{1b}[1m\u{1b}[31merror["), "{run}");
}

#[test]
fn an_editor_on_the_terminal_edits() {
    let sandbox = library();
    let editor =
        sandbox.script("bin/editor", "test -t 0 && test -t 1 && sed -i s/Sort/Order/ \"$1\"");
    let run = sandbox.hone("edit tidy").env("EDITOR", editor).on_terminal(80, 24);
    assert_eq!(run.code, 0, "{run}");
}

fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\u{1b}[") {
        plain.push_str(before);
        rest = after.split_once('m').unwrap().1;
    }
    plain + rest
}

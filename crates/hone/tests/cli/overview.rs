//! `hone` alone.

use insta::assert_snapshot;

use crate::harness::Sandbox;

#[test]
fn an_empty_home_is_told_how_to_start() {
    assert_snapshot!(Sandbox::new().hone("").run(), @"
    exit: 0
    --- stdout
    hone [VERSION] · 2 skills (2 builtin)

    hone             builtin  Finds, reads and changes agent skills with the hone c…
    skill-authoring  builtin  Writes a SKILL.md that agents find and follow. Use wh…

    Next:
      hone new my-skill    write your first skill
      hone list [WORDS]    find a skill
      hone view NAME       read it
      hone invoke /NAME    see what a model gets when you call it
      hone scan            look for what makes a skill unsafe
      hone --help          everything else
    ");
}

#[test]
fn skills_are_named_and_counted_by_scope() {
    let sandbox = Sandbox::with_tidy();
    for number in 1..=7 {
        sandbox.skill("home/.claude/skills", &format!("skill-{number}"), "Does one thing.");
    }
    assert_snapshot!(sandbox.hone("").run(), @"
    exit: 0
    --- stdout
    hone [VERSION] · 10 skills (8 user, 2 builtin)

    hone     builtin  Finds, reads and changes agent skills with the hone command l…
    skill-1  user     Does one thing.
    skill-2  user     Does one thing.
    skill-3  user     Does one thing.
    skill-4  user     Does one thing.
    skill-5  user     Does one thing.
    … and 4 more

    Next:
      hone list [WORDS]    find a skill
      hone view NAME       read it
      hone invoke /NAME    see what a model gets when you call it
      hone scan            look for what makes a skill unsafe
      hone --help          everything else
    ");
}

#[test]
fn what_was_skipped_is_named_with_what_to_do() {
    assert_snapshot!(crowded().hone("").run(), @"
    exit: 0
    --- stdout
    hone [VERSION] · 33 skills (31 user, 2 builtin)

    hone      builtin  Finds, reads and changes agent skills with the hone command…
    skill-1   user     Does thing 1. Use when it is needed. Use when it is needed.…
    skill-10  user     Does thing 10. Use when it is needed. Use when it is needed.…
    skill-11  user     Does thing 11. Use when it is needed. Use when it is needed.…
    skill-12  user     Does thing 12. Use when it is needed. Use when it is needed.…
    skill-13  user     Does thing 13. Use when it is needed. Use when it is needed.…
    … and 27 more

    11 skipped: 5 broken, 1 shadowed, 5 untrusted
      ~/.codex/skills/broken-1/SKILL.md: line 1, column 1: there is no frontmatter
      ~/.codex/skills/broken-2/SKILL.md: line 1, column 1: there is no frontmatter
      ~/.codex/skills/broken-3/SKILL.md: line 1, column 1: there is no frontmatter

    Next:
      hone trust           offer the skills of this project
      hone list [WORDS]    find a skill
      hone view NAME       read it
      hone invoke /NAME    see what a model gets when you call it
      hone scan            look for what makes a skill unsafe
      hone doctor          see what is broken and how to mend it
      hone --help          everything else
    ");
}

#[test]
fn a_whole_crowd_fits_on_one_screen() {
    let run = crowded().hone("").run();
    let text = run.text();
    assert!(text.lines().count() <= 24, "{run}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{run}");
}

#[test]
fn one_skill_is_not_plural() {
    let sandbox = Sandbox::with_tidy();
    sandbox.done("config set skills.builtin no");
    assert_snapshot!(sandbox.hone("").run().text().lines().next().unwrap().to_owned(), @"hone 0.1.0 · 1 skill (1 user)");
}

/// Many skills, an untrusted project, and every other kind of trouble.
fn crowded() -> Sandbox {
    let sandbox = Sandbox::with_tidy();
    for number in 1..=30 {
        let description = format!("Does thing {number}. {}", "Use when it is needed. ".repeat(9));
        sandbox.skill("home/.claude/skills", &format!("skill-{number}"), description.trim());
    }
    for number in 1..=5 {
        sandbox.skill("project/.agents/skills", &format!("deploy-{number}"), "Deploys.");
        sandbox.write(&format!("home/.codex/skills/broken-{number}/SKILL.md"), "No frontmatter.\n");
    }
    sandbox.skill("home/.codex/skills", "tidy", "Shadowed by the other.");
    sandbox
}

#[test]
fn paths_below_the_home_are_short_inside_sentences_too() {
    let sandbox = Sandbox::new();
    sandbox.write("home/shop/hone.toml", "");
    sandbox.skill("home/shop/.agents/skills", "ship", "Ships.");
    let run = sandbox.hone("").cwd("home/shop").env("COLUMNS", "120").run();
    let line =
        "  .agents/skills/ship/SKILL.md: the project `~/shop` is not trusted: `hone trust`\n";
    assert!(run.text().contains(line), "{run}");
    let run = sandbox.hone("view ship").cwd("home/shop").run();
    let hint = "hint: it is at `~/shop/.agents/skills/ship/SKILL.md`, but the project `~/shop` is not trusted: \
        `hone trust`\n";
    assert!(run.errors().contains(hint), "{run}");
}

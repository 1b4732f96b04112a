//! `hone commands`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, transcript};

fn library() -> Sandbox {
    let sandbox = Sandbox::with_tidy();
    sandbox.write(
        "state/config.toml",
        "[skills]\nbuiltin = false\n\n[[bundles]]\nname = \"Release\"\ndescription = \"All for a release\"\n\
         skills = [\"tidy\", \"deploy\"]\n\n[[bundles]]\nname = \"empty\"\nskills = []\n",
    );
    sandbox.write(
        "home/.agents/skills/deploy/SKILL.md",
        "---\nname: deploy\ndescription: Deploys.\nargument-hint: '[where]'\n---\nDo it.\n",
    );
    sandbox.skill("home/.agents/skills", "help", "Helps.");
    sandbox.skill("home/.claude/skills", "deploy", "Deploys otherwise.");
    sandbox.write(
        "home/.agents/skills/quiet/SKILL.md",
        "---\nname: quiet\ndescription: For models.\nuser-invocable: false\n---\nDo it.\n",
    );
    sandbox
}

#[test]
fn commands_are_listed_with_what_collides() {
    assert_snapshot!(library().hone("commands").run(), @"
    exit: 0
    --- stdout
    /deploy [where]  Deploys.
    /release         All for a release
    /tidy            Tidies a changelog. Use when a release is near.
    /user:help       Helps.
    --- stderr
    note: `/deploy` is another skill, not `~/.claude/skills/deploy/SKILL.md`: mention it by its path, `[$deploy](PATH)`
    note: `/help` is a command of the chat, not `~/.agents/skills/help/SKILL.md`: type `/user:help`
    not for people to call: quiet
    warning: the bundle `empty` has no skills
    ");
}

#[test]
fn the_way_on_after_a_collision_can_be_followed() {
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    for (folder, name) in [("a", "git-helper"), ("b", "Git Helper")] {
        let text = format!("---\nname: {name}\ndescription: Helps {folder}.\n---\nDo {folder}.\n");
        sandbox.write(&format!("home/.agents/skills/{folder}/SKILL.md"), text);
    }
    assert_snapshot!(sandbox.hone("commands").run().errors(), @"
    note: `/git-helper` is another skill, not `~/.agents/skills/b/SKILL.md`: mention it by its path, `[$git-helper](PATH)`
    ");
    for (path, code) in [
        ("~/.agents/skills/b/SKILL.md", 0),
        ("~/.agents/skills/b", 0),
        ("skill://~/.agents/skills/b", 0),
        ("../home/.agents/skills/b", 0),
        // Somebody else's home, and a folder of that name.
        ("~b/.agents/skills/b", 1),
        ("./~/.agents/skills/b", 1),
    ] {
        let run = sandbox.hone(&format!("invoke --json 'use [$git-helper]({path})'")).run();
        assert_eq!(run.code, code, "{path}: {run}");
        if code == 0 {
            assert_eq!(run.json()["skills"][0]["name"], "Git Helper", "{path}");
        }
    }
}

#[test]
fn json_is_for_menus() {
    assert_snapshot!(library().hone("commands --json").run(), @r#"
    exit: 0
    --- stdout
    {"commands":[{"command":"deploy","kind":"skill","name":"deploy","description":"Deploys.","argument_hint":"[where]","scope":"user","path":"[HOME]/.agents/skills/deploy/SKILL.md"},{"command":"release","kind":"bundle","name":"Release","description":"All for a release","argument_hint":null,"scope":null,"path":null},{"command":"tidy","kind":"skill","name":"tidy","description":"Tidies a changelog. Use when a release is near.","argument_hint":null,"scope":"user","path":"[HOME]/.agents/skills/tidy/SKILL.md"},{"command":"user:help","kind":"skill","name":"help","description":"Helps.","argument_hint":null,"scope":"user","path":"[HOME]/.agents/skills/help/SKILL.md"}],"collisions":[{"command":"deploy","name":"deploy","path":"[HOME]/.claude/skills/deploy/SKILL.md","with":"skill","instead":null},{"command":"help","name":"help","path":"[HOME]/.agents/skills/help/SKILL.md","with":"core","instead":"user:help"}],"hidden":["quiet"],"problems":["the bundle `empty` has no skills"]}
    "#);
}

#[test]
fn no_skills_are_no_commands() {
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    assert_snapshot!(sandbox.hone("commands").run(), @"
    exit: 0
    --- stderr
    there are no commands here; `hone new NAME` creates a skill
    ");
}

#[test]
fn a_reload_says_what_changed_since_the_last_one() {
    let sandbox = library();
    sandbox.done("commands reload");
    assert_snapshot!(sandbox.hone("commands reload").run(), @"
    exit: 0
    --- stderr
    0 added, 0 removed, 0 changed; 4 commands in all
    ");
    sandbox.skill("home/.agents/skills", "fresh", "New here.");
    sandbox.skill("home/.agents/skills", "help", "Helps more.");
    std::fs::remove_dir_all(sandbox.path("home/.agents/skills/tidy")).unwrap();
    assert_snapshot!(transcript(&sandbox, &["commands reload", "commands reload --json"]), @r#"
    $ hone commands reload
    exit: 0
    --- stdout
    + /fresh
    - /tidy
    ~ /user:help
    --- stderr
    1 added, 1 removed, 1 changed; 4 commands in all

    $ hone commands reload --json
    exit: 0
    --- stdout
    {"added":[],"removed":[],"changed":[],"total":4}
    "#);
}

#[test]
fn a_reload_elsewhere_is_a_reload_of_its_own() {
    let sandbox = library();
    sandbox.done("commands reload");
    let total = |line: &str| sandbox.hone(line).run().json();
    assert_eq!(total("commands reload --json --root ../home/.claude/skills")["added"][0], "deploy");
    assert_eq!(total("commands reload --json")["added"], serde_json::json!([]));
}

#[test]
fn a_bundle_with_an_unknown_key_is_an_error_with_its_place() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("state/config.toml", "[[bundles]]\nname = \"x\"\nskils = [\"tidy\"]\n");
    assert_snapshot!(sandbox.hone("commands").run(), @r#"
    exit: 2
    --- stderr
    error: `[STATE]/config.toml`: TOML parse error at line 3, column 1
      |
    3 | skils = ["tidy"]
      | ^^^^^
    unknown field `skils`, expected one of `name`, `description`, `skills`, `instruction`
    hint: mend that file, or take it away to use the defaults
    "#);
}

//! `hone trust`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, transcript};

fn project() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    sandbox.write("project/.git/HEAD", "");
    sandbox.write("project/apps/web/x", "");
    sandbox.skill("project/.agents/skills", "deploy", "Deploys this project.");
    sandbox
}

#[test]
fn a_project_is_trusted_from_anywhere_inside_it_and_back() {
    let sandbox = project();
    assert_snapshot!(transcript(&sandbox, &["list", "trust --list", "trust --list --json"]), @r#"
    $ hone list
    exit: 0
    --- stderr
    no skill is offered here
    1 skipped: 1 untrusted (`hone list --all` says why)

    $ hone trust --list
    exit: 0
    --- stderr
    no project is trusted yet

    $ hone trust --list --json
    exit: 0
    --- stdout
    {"trusted":[]}
    "#);
    assert_snapshot!(sandbox.hone("trust").cwd("project/apps/web").run(), @"
    exit: 0
    --- stderr
    `[PROJECT]` is trusted now
    ");
    assert_snapshot!(
        transcript(&sandbox, &[
            "list",
            "trust",
            "trust --list",
            "trust --json",
            "trust --revoke",
            "trust --revoke",
            "trust --list",
        ]),
        @r#"
    $ hone list
    exit: 0
    --- stdout
    deploy  project  Deploys this project.

    $ hone trust
    exit: 0
    --- stderr
    `[PROJECT]` was trusted already

    $ hone trust --list
    exit: 0
    --- stdout
    [PROJECT]

    $ hone trust --json
    exit: 0
    --- stdout
    {"trusted":[{"path":"[PROJECT]","since":"[TIME]"}]}
    --- stderr
    `[PROJECT]` was trusted already

    $ hone trust --revoke
    exit: 0
    --- stderr
    `[PROJECT]` is no longer trusted

    $ hone trust --revoke
    exit: 0
    --- stderr
    `[PROJECT]` was not trusted

    $ hone trust --list
    exit: 0
    --- stderr
    no project is trusted yet
    "#
    );
}

#[test]
fn a_folder_means_the_project_around_it() {
    let sandbox = project();
    assert_snapshot!(sandbox.hone("trust project/apps/web").cwd("").run(), @"
    exit: 0
    --- stderr
    `project` is trusted now
    ");
    assert_eq!(sandbox.hone("list --json").run().json()["skills"][0]["name"], "deploy");
    assert_snapshot!(sandbox.hone("trust project --revoke --json").cwd("").run(), @r#"
    exit: 0
    --- stdout
    {"trusted":[]}
    --- stderr
    `project` is no longer trusted
    "#);
}

#[test]
fn what_is_no_project_is_refused() {
    let sandbox = project();
    sandbox.write("project/file", "");
    assert_snapshot!(
        transcript(&sandbox, &["trust missing", "trust file", "trust ../home", "trust --list --revoke"]), @"
    $ hone trust missing
    exit: 1
    --- stderr
    error: could not find `[PROJECT]/missing`: No such file or directory (os error 2)

    $ hone trust file
    exit: 1
    --- stderr
    error: `[PROJECT]/file` is not a folder
    hint: name the project's folder

    $ hone trust ../home
    exit: 1
    --- stderr
    error: your home folder is not a project
    hint: name the project: `hone trust DIR`

    $ hone trust --list --revoke
    exit: 2
    --- stderr
    error: the argument '--list' cannot be used with '--revoke'

    Usage: hone trust --list [FOLDER]

    For more information, try '--help'.
    "
    );
    assert_snapshot!(sandbox.hone("trust").cwd("home").run(), @"
    exit: 1
    --- stderr
    error: your home folder is not a project
    hint: name the project: `hone trust DIR`
    ");
    assert_eq!(sandbox.hone("trust --list").run().text(), "");
}

#[test]
fn trust_in_a_folder_that_is_gone_can_be_taken_back() {
    let sandbox = project();
    std::fs::create_dir_all(sandbox.path("old/.git")).unwrap();
    sandbox.done("trust ../old");
    std::fs::remove_dir_all(sandbox.path("old")).unwrap();
    assert_snapshot!(transcript(&sandbox, &["trust ../old --revoke", "trust --list"]), @"
    $ hone trust ../old --revoke
    exit: 0
    --- stderr
    `[TEMP]/old` is no longer trusted

    $ hone trust --list
    exit: 0
    --- stderr
    no project is trusted yet
    ");
}

//! Inline shell: commands in a skill's text, run by real processes in the sandbox. What the sandbox
//! itself holds is tested in the guard; here a machine without one would show markers instead.

use crate::harness::Sandbox;

fn skill(sandbox: &Sandbox, name: &str, frontmatter: &str, body: &str) {
    let text = format!("---\nname: {name}\ndescription: Says it.\n{frontmatter}---\n{body}\n");
    sandbox.write(&format!("home/.agents/skills/{name}/SKILL.md"), text);
}

fn switched_on() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done("config set invoke.inline_shell on");
    sandbox
}

/// The text of the skill's body after a call.
fn body(sandbox: &Sandbox, line: &str) -> String {
    let run = sandbox.hone(line).run();
    assert_eq!(run.code, 0, "{run}");
    let text = sandbox.filtered(&run.text());
    let (_, rest) = text.split_once("<skill_body>\n").unwrap();
    rest.split_once("\n</skill_body>").unwrap().0.to_owned()
}

#[test]
fn off_by_default_a_command_is_text_and_nothing_runs() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "now", "allowed-tools: Bash(touch:*) Write(**)\n", "It is !`touch ran`.");
    assert_eq!(body(&sandbox, "invoke /now"), "It is !`touch ran`.");
    assert_eq!(sandbox.files("project"), Vec::<String>::new());
}

#[test]
fn a_declared_command_stands_for_what_it_prints_in_the_project() {
    let sandbox = switched_on();
    sandbox.write("project/notes.txt", "from the project\n");
    sandbox.write("home/.agents/skills/now/own.txt", "from the skill\n");
    let tools = "allowed-tools: Bash(cat:*) Bash(pwd) Bash(echo:*)\n";
    let text =
        "!`pwd`: !`cat notes.txt`, !`cat \"${CLAUDE_SKILL_DIR}/own.txt\"`, !`echo \"<$0>\"`.";
    skill(&sandbox, "now", tools, text);
    assert_eq!(
        body(&sandbox, "invoke /now a b"),
        "[PROJECT]: from the project, from the skill, <a>."
    );
    assert!(body(&sandbox, "invoke /now").ends_with("<>."));
    let json = sandbox.hone("invoke /now --json").run().json();
    assert_eq!(json["inline_shell"], "run");
    assert_eq!(json["skills"][0]["inline_commands"], 4);
}

#[test]
fn what_is_not_declared_is_not_run_and_says_so() {
    let sandbox = switched_on();
    skill(&sandbox, "bare", "", "A !`touch ran` b.");
    skill(&sandbox, "some", "allowed-tools: Bash(echo:*)\n", "A !`echo x; touch ran` b !`echo y`.");
    assert_eq!(
        body(&sandbox, "invoke /bare"),
        "A [inline shell: `touch ran` was not run: not inside its `allowed-tools`: `touch ran` is not declared] b."
    );
    assert_eq!(
        body(&sandbox, "invoke /some"),
        "A [inline shell: `echo x; touch ran` was not run: not inside its `allowed-tools`: `touch ran` is not declared] b y."
    );
    assert_eq!(sandbox.files("project"), Vec::<String>::new());
}

#[test]
fn neither_the_home_nor_the_rest_of_the_environment_can_be_read_and_nothing_written() {
    let sandbox = switched_on();
    sandbox.write("home/secret.txt", "secret\n");
    let tools = "allowed-tools: Bash(cat:*) Bash(env) Bash(mkdir:*)\n";
    let secret = sandbox.path("home/secret.txt");
    let made = sandbox.path("project/made");
    let text = format!("!`cat {}`|!`env`|!`mkdir {}`", secret.display(), made.display());
    skill(&sandbox, "thief", tools, &text);
    let run = sandbox.hone("invoke /thief").env("HONE_TEST_PRIVATE", "private-value").run();
    let text = run.text();
    assert!(!text.contains("secret\n") && !text.contains("private-value"), "{run}");
    assert!(text.contains("cat") && text.contains("ended with 1"), "{run}");
    assert!(!made.exists());
}

#[test]
fn failures_and_limits_are_visible_markers() {
    let sandbox = switched_on();
    let tools = "allowed-tools: Bash(ls:*) Bash(seq:*) Bash(sleep:*)\n";
    skill(&sandbox, "fails", tools, "!`ls nowhere`");
    skill(&sandbox, "talks", tools, "!`seq 1 100000`");
    skill(&sandbox, "waits", tools, "!`sleep 60`");
    let failed = body(&sandbox, "invoke /fails");
    assert!(failed.starts_with("[inline shell: `ls nowhere` ended with 2: ls: "), "{failed}");
    let long = body(&sandbox, "invoke /talks");
    assert!(long.ends_with("\n[inline shell: cut after 4000 characters]"), "{long}");
    let (shown, _) = long.rsplit_once('\n').unwrap();
    assert_eq!(shown.chars().count(), 4_000);
    let waited = body(&sandbox, "invoke /waits");
    assert_eq!(waited, "[inline shell: `sleep 60` did not end within 10 seconds]");
}

#[test]
fn an_answer_reaches_only_its_own_skill_and_no_text() {
    let sandbox = switched_on();
    let needs = "required_environment_variables: [HONE_TEST_KEY]\nallowed-tools: Bash(test:*) Bash(echo:*)\n";
    let text =
        "!`test \"$HONE_TEST_KEY\" = top-secret-value && echo has it`, !`echo \"$HONE_TEST_KEY\"`";
    skill(&sandbox, "own", needs, text);
    let other = "allowed-tools: Bash(test:*) Bash(echo:*)\n";
    skill(&sandbox, "other", other, "!`test -z \"$HONE_TEST_KEY\" && echo has nothing`");
    let run = sandbox.hone("invoke /own /other go").env("HONE_TEST_KEY", "top-secret-value").run();
    let text = run.text();
    assert!(text.contains("has it, ") && text.contains("has nothing"), "{run}");
    assert!(!text.contains("top-secret-value"), "{run}");
}

#[test]
fn nothing_runs_for_a_text_that_is_not_given() {
    let sandbox = switched_on();
    let tools = "allowed-tools: Bash(touch:*) Write(out/**)\n";
    skill(&sandbox, "apart", &format!("context: fork\n{tools}"), "!`touch out/ran`");
    skill(
        &sandbox,
        "needy",
        &format!("required_environment_variables: [HONE_NOT_SET]\n{tools}"),
        "!`touch out/ran`",
    );
    // No model for a task of its own: a server that is not there.
    sandbox.done("config set model.base_url http://127.0.0.1:9/v1");
    for (line, code) in [("invoke /apart", 2), ("invoke /needy", 1), ("invoke /needy --json", 1)] {
        assert_eq!(sandbox.hone(line).run().code, code, "{line}");
        assert!(!sandbox.path("project/out").exists(), "{line}");
    }
    sandbox.done("invoke /apart --inline");
    assert_eq!(sandbox.files("project"), ["out/ran"]);
}

//! What `hone new` writes passes the reference validator of the format, `agentskills`.

use std::path::PathBuf;
use std::process::Command;

use crate::harness::Sandbox;

const VARIABLE: &str = "HONE_TEST_AGENTSKILLS";

fn validator() -> PathBuf {
    if let Some(path) = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return path.into();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .map(|folder| folder.join("agentskills"))
        .find(|path| path.is_file())
        .unwrap_or_else(|| {
            panic!(
                "this test needs the reference validator: run `cargo xtask test`, or \
             `pip install skills-ref==0.1.1` and set {VARIABLE} to its `agentskills`"
            )
        })
}

#[test]
fn awkward_names_and_descriptions_pass() {
    let validator = validator();
    let sandbox = Sandbox::new();
    let long_name = "a".repeat(200);
    let longest = "x".repeat(1_024);
    let emoji = "🎉".repeat(1_024);
    for (name, description) in [
        ("plain", "Does it."),
        ("Oracle Manipulation!", "Use when: a price jumps"),
        ("snake_case__name", "# not a comment"),
        ("--dashes--", "'single' \"double\" \\ back"),
        ("C++", "- a list?"),
        ("123", "42"),
        ("true", "true"),
        ("null", "null"),
        ("日本語", "説明: これ"),
        ("Ünïcödé", "two\nlines\n\nand a blank one"),
        ("with: colon", "[flow] {style} *x &y !z %a @b `c`"),
        // `---` inside a value is left out: the reference cuts the file there, against its own text.
        ("a/b\\c", "- - not a fence - -"),
        ("emoji 🎉", "tab\there <b> & </b>"),
        ("no", "~"),
        ("1e3", "0x10"),
        (long_name.as_str(), longest.as_str()),
        ("celebrate", emoji.as_str()),
    ] {
        let run = sandbox
            .hone("new --json --stdin --description")
            .arg(description)
            .arg("--")
            .arg(name)
            .stdin("# Steps\n\n---\n\n1. Do it.\n")
            .run();
        assert_eq!(run.code, 0, "{name:?}: {run}");
        let json = run.json();
        let folder = json["path"].as_str().unwrap();
        let output = Command::new(&validator).arg("validate").arg(folder).output().unwrap();
        assert!(
            output.status.success(),
            "{name:?} {description:?}\n{}{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr),
            std::fs::read_to_string(format!("{folder}/SKILL.md")).unwrap()
        );
        let own = sandbox.hone("check").arg(folder).run();
        assert_eq!(own.code, 0, "{own}");
    }
}

#[test]
fn what_fix_mends_passes() {
    let validator = validator();
    let sandbox = Sandbox::new();
    for (folder, text) in [
        ("colon", "---\nname: colon\ndescription: Use when: x\n---\nDo it.\n"),
        ("upper", "\u{feff}---\nname: Upper\ndescription: x\n---\nDo it.\n"),
        ("tools", "---\nname: tools\ndescription: x\nallowed-tools: [Read, Bash]\n---\nDo it.\n"),
        ("twice", "---\nname: twice\ndescription: one\ndescription: two\n---\nDo it.\n"),
    ] {
        sandbox.write(&format!("project/{folder}/SKILL.md"), text);
        sandbox.done(&format!("check {folder} --fix"));
        let path = sandbox.path("project").join(folder);
        let output = Command::new(&validator).arg("validate").arg(path).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

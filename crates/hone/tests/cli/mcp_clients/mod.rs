//! The server, asked by programs of others: the inspector and the conformance suite of the protocol.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::harness::Sandbox;
use crate::serve::harness::Server;

/// The variable that names a folder `node_modules` with the programs.
const VARIABLE: &str = "HONE_TEST_NODE_MODULES";

/// A program of an npm package, run by the Node that was installed beside it.
fn node(sandbox: &Sandbox, program: &str) -> Command {
    let modules = std::env::var_os(VARIABLE).filter(|path| !path.is_empty()).unwrap_or_else(|| {
        panic!("this test needs npm packages: run `cargo xtask test`, or set {VARIABLE}")
    });
    let modules = PathBuf::from(modules);
    let mut command = Command::new(modules.join("node/bin/node"));
    command
        .arg(modules.join(".bin").join(program))
        .env_clear()
        .env("PATH", format!("{}:/usr/bin:/bin", modules.join("node/bin").display()))
        .env("HOME", sandbox.path("home"))
        .env("HONE_HOME", sandbox.path("state"))
        .current_dir(sandbox.path("project"));
    command
}

/// A skill whose frontmatter ends in a block scalar.
fn folded(sandbox: &Sandbox, name: &str, style: &str) {
    let lines = format!("name: {name}\ndescription: {style}\n  Folds.\n  Use when folded.\n");
    let text = format!("---\n{lines}---\nFold.\n");
    sandbox.write(&format!("home/.agents/skills/{name}/SKILL.md"), text);
}

/// Lines of frontmatter that the inspector makes something else of.
const LEFT_OUT: [&str; 10] = [
    "a: .inf",
    "a: .nan",
    "a: 1e400",
    "~: a",
    "[a, b]: c",
    "1.50: a",
    "0x10: a",
    "a: !!binary aGk=",
    "a: !!set {b, c}",
    "__proto__: {a: 1}",
];

/// A library with folders, a binary file, a link that leads out, block scalars, skills that have no entry,
/// and more skills than one page.
fn library() -> Sandbox {
    let sandbox = Sandbox::with_tidy();
    sandbox.write("home/.agents/skills/tidy/references/deep/er.md", "# Deep\n");
    sandbox.write("home/.agents/skills/tidy/assets/raw.bin", [0xff, 0x00, 0xfe]);
    sandbox.skill("home/.agents/skills", "aa-first", "Comes first. Use when order matters.");
    sandbox.write("home/.agents/skills/aa-first/scripts/run.sh", "echo\n");
    folded(&sandbox, "folded", ">");
    folded(&sandbox, "kept", "|");
    folded(&sandbox, "stripped", ">-");
    folded(&sandbox, "left-out-kept", "|+");
    for (number, line) in LEFT_OUT.iter().enumerate() {
        let name = format!("left-out-{number}");
        let text = format!("---\nname: {name}\ndescription: Odd.\n{line}\n---\nDo.\n");
        sandbox.write(&format!("home/.agents/skills/{name}/SKILL.md"), text);
    }
    let lines = "a: |+\n  x\n\nb: &b {n: -2.5e3, h: 0x1F, d: 2020-01-01}\nc: *b\n\"1\": ~";
    let text = format!("---\nname: odd\ndescription: Odd.\n{lines}\n---\nDo.\n");
    sandbox.write("home/.agents/skills/odd/SKILL.md", text);
    sandbox.skill("home/.agents/skills", "zz_last", "Has no valid name. Use when names matter.");
    sandbox.write(
        "home/.agents/skills/for-people/SKILL.md",
        "---\nname: for-people\ndescription: For people.\ndisable-model-invocation: true\n---\nDo.\n",
    );
    std::os::unix::fs::symlink(
        "/etc/hostname",
        sandbox.path("home/.agents/skills/tidy/assets/out"),
    )
    .unwrap();
    for number in 0..hone_server::PAGE {
        let name = format!("many-{number}");
        sandbox.skill("home/.agents/skills", &name, "One of many. Use when many are needed.");
    }
    sandbox
}

#[test]
fn the_inspector_verifies_every_file_in_every_era_and_over_both_ways() {
    let sandbox = library();
    let server = Server::start(&sandbox, "");
    let (url, token) = (
        format!("http://{}/mcp", server.address),
        format!("Authorization: Bearer {}", server.token),
    );
    let over_stdio = [env!("CARGO_BIN_EXE_hone"), "mcp"];
    let over_http = ["--transport", "http", "--server-url", &url, "--header", &token];
    for era in ["legacy", "auto", "modern"] {
        for way in [&over_stdio[..], &over_http] {
            let output = node(&sandbox, "mcp-inspector")
                .args(["--cli", "--protocol-era", era, "--method", "skills/list", "--verify"])
                .args(["--format", "json"])
                .args(way)
                .output()
                .unwrap();
            let text = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{era} {way:?}: {text}");
            assert!(text.contains("no conformance errors"), "{era} {way:?}: {text}");
            let all = ["tidy/assets/raw.bin", "folded/SKILL.md", "kept/SKILL.md", "odd/SKILL.md"];
            for listed in all {
                assert!(text.contains(&format!("skill://{listed}")), "{era} {way:?}: {text}");
            }
            for other in ["tidy/assets/out", "for-people", "left-out"] {
                assert!(!text.contains(&format!("skill://{other}")), "{era} {way:?}: {text}");
            }
        }
    }
}

/// What the suite said: scenario → check → how often it failed and passed.
fn results(folder: &Path) -> BTreeMap<String, Vec<(String, String)>> {
    let mut results = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        // `server-SCENARIO-2026-11-16T17-32-12-396Z`
        let name = name.strip_prefix("server-").unwrap();
        let scenario = name[..name.len() - "-2026-11-16T17-32-12-396Z".len()].to_owned();
        let checks = fs::read(entry.path().join("checks.json")).unwrap();
        let checks: Vec<Value> = serde_json::from_slice(&checks).unwrap();
        let text = |check: &Value, key: &str| check[key].as_str().unwrap().to_owned();
        let checks = checks.iter().map(|check| (text(check, "id"), text(check, "status")));
        results.insert(scenario, checks.collect());
    }
    results
}

/// Asks a server what the suite asks: all of it, or one scenario.
fn asked(sandbox: &Sandbox, what: [&str; 2]) -> BTreeMap<String, Vec<(String, String)>> {
    let server = Server::start(sandbox, "");
    let folder = sandbox.path("tmp/results");
    let url = format!("http://{}/mcp", server.address);
    let output = node(sandbox, "conformance")
        .arg("server")
        .args(what)
        .args(["--url", &url, "--output-dir"])
        .arg(&folder)
        .env("NODE_OPTIONS", format!("--import={}", here().join("bearer.mjs").display()))
        .env("HONE_TOKEN", &server.token)
        .output()
        .unwrap();
    assert!(folder.is_dir(), "{}", String::from_utf8_lossy(&output.stderr));
    results(&folder)
}

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/mcp_clients")
}

#[test]
fn the_conformance_suite_reads_back_what_an_entry_says_of_a_block_scalar() {
    let sandbox = Sandbox::new();
    // The suite reads back the one that is listed first.
    folded(&sandbox, "a-folded", ">");
    let results = asked(&sandbox, ["--scenario", "sep-2640-skills-enumeration"]);
    let checks = &results["sep-2640-skills-enumeration"];
    let bad: Vec<_> = checks.iter().filter(|(_, status)| status != "SUCCESS").collect();
    assert!(bad.is_empty() && checks.len() == 32, "{checks:?}");
}

#[test]
fn the_conformance_suite_fails_only_where_it_asks_for_what_is_not_offered() {
    let sandbox = library();
    let results = asked(&sandbox, ["--suite", "all"]);

    let list = fs::read_to_string(here().join("not_applicable.txt")).unwrap();
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let expected: BTreeSet<String> = lines
        .map(|line| {
            let (what, why) = line.split_once(": ").unwrap();
            assert!(!why.trim().is_empty(), "{line}");
            what.to_owned()
        })
        .collect();
    let mut failed = BTreeSet::new();
    for (scenario, checks) in &results {
        for (check, status) in checks.iter().filter(|(_, status)| status != "SUCCESS") {
            if status == "FAILURE" {
                let single = format!("{scenario}/{check}");
                failed.insert(if expected.contains(&single) { single } else { scenario.clone() });
            }
        }
    }
    assert_eq!(failed, expected, "left: what failed, right: what is listed");

    let passed = |scenario: &str| {
        let checks = &results[scenario];
        checks.iter().filter(|(_, status)| status == "SUCCESS").count()
    };
    assert_eq!(passed("sep-2640-skills-enumeration"), 32);
    assert_eq!(passed("sep-2640-skills-manifest"), 6);
    assert_eq!(passed("sep-2640-skills-directory"), 7);
    for scenario in
        ["server-initialize", "server-session-lifecycle", "tools-list", "resources-list"]
            .into_iter()
            .chain([
                "prompts-list",
                "caching",
                "http-header-validation",
                "sep-2164-resource-not-found",
            ])
    {
        assert!(passed(scenario) > 0, "{scenario}");
    }
}

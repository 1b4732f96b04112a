//! What skills need, the one question, and where its answers go.

use std::path::Path;

use hone_library::Listed;
use hone_router::{
    Answers, Declared, Kind, MAX_ANSWER_BYTES, Need, Probe, Requirement, Status, needs, question,
    requirements_of,
};

use crate::shelf::Shelf;

/// Surroundings in which these variables and commands are there.
pub(crate) fn probe(
    variables: &'static [&'static str],
    commands: &'static [&'static str],
) -> Probe<'static> {
    Probe {
        variable: Box::leak(Box::new(|name: &str| variables.contains(&name))),
        command: Box::leak(Box::new(|name: &str| commands.contains(&name))),
        servers: None,
        platform: "linux",
    }
}

fn declared(shelf: &Shelf, name: &str) -> Declared {
    let catalogue = shelf.catalogue();
    requirements_of(catalogue.resolve(name, &shelf.folder).unwrap()).unwrap()
}

fn requirement(kind: Kind, name: &str) -> Requirement {
    Requirement { kind, name: name.to_owned(), why: None, help: None, optional: false }
}

fn all_needs(shelf: &Shelf, probe: &Probe<'_>) -> Vec<Need> {
    let catalogue = shelf.catalogue();
    let declared: Vec<Declared> =
        catalogue.skills.iter().map(|skill| requirements_of(skill).unwrap()).collect();
    let skills: Vec<&Listed> = catalogue.skills.iter().collect();
    needs(skills.into_iter().zip(&declared), probe)
}

#[test]
fn every_way_to_declare_a_need_is_read() {
    let shelf = Shelf::new();
    shelf.skill(
        "user/x",
        "platforms: [linux, macos]\n\
         required_environment_variables:\n  - PLAIN\n  - {name: RICH, prompt: The key, help: 'https://x.example'}\n  - {env_var: MAYBE, optional: true, required_for: speed}\n\
         setup: {collect_secrets: [{env_var: SECRET, provider_url: 'https://y.example'}]}\n\
         prerequisites: {env_vars: [LEGACY, PLAIN], commands: [git, jq]}",
        "Do it.",
    );
    shelf.write(
        "user/x/agents/openai.yaml",
        "dependencies:\n  tools:\n    - {type: env_var, value: CODEX, description: For Codex}\n    - {type: mcp, value: github}\n    - {type: env_var}\n    - {value: LOST}\n    - {type: other, value: thing}\n",
    );
    let with = |kind, name, why: Option<&str>, help: Option<&str>, optional| Requirement {
        why: why.map(str::to_owned),
        help: help.map(str::to_owned),
        optional,
        ..requirement(kind, name)
    };
    assert_eq!(
        declared(&shelf, "x"),
        Declared {
            requirements: vec![
                requirement(Kind::Platform, "linux, macos"),
                requirement(Kind::Variable, "PLAIN"),
                with(Kind::Variable, "RICH", Some("The key"), Some("https://x.example"), false),
                with(Kind::Variable, "MAYBE", Some("speed"), None, true),
                with(Kind::Variable, "SECRET", None, Some("https://y.example"), false),
                requirement(Kind::Variable, "LEGACY"),
                requirement(Kind::Command, "git"),
                requirement(Kind::Command, "jq"),
                with(Kind::Variable, "CODEX", Some("For Codex"), None, false),
                requirement(Kind::Mcp, "github"),
            ],
            problems: vec![],
        }
    );
}

#[test]
fn what_openclaw_skills_require_is_read_in_either_spelling() {
    for metadata in [
        "metadata: {\"openclaw\": {\"emoji\": \"x\", \"requires\": {\"bins\": [\"xurl\"], \"env\": [\"KEY\"], \"anyBins\": [\"a\", \"b\"]}}}",
        "metadata:\n  version: 1\n  clawdbot:\n    requires:\n      bins: [xurl]\n      env:\n        - KEY\n      anyBins: [a, b]\n      config: [x.y]",
    ] {
        let shelf = Shelf::new();
        shelf.skill("user/x", metadata, "Do it.");
        let optional = |name| Requirement { optional: true, ..requirement(Kind::Command, name) };
        assert_eq!(
            declared(&shelf, "x").requirements,
            [
                requirement(Kind::Variable, "KEY"),
                requirement(Kind::Command, "xurl"),
                optional("a"),
                optional("b"),
            ]
        );
    }
}

#[test]
fn what_is_no_name_is_a_problem_not_a_need() {
    let shelf = Shelf::new();
    shelf.skill(
        "user/x",
        "required_environment_variables: ['A=B', '1X', {prompt: none}]\nprerequisites: {commands: ['rm -rf /', /bin/sh]}",
        "Do it.",
    );
    shelf.write("user/x/agents/openai.yaml", "dependencies: [broken");
    let declared = declared(&shelf, "x");
    assert_eq!(declared.requirements, []);
    assert_eq!(
        declared.problems[..5],
        [
            "`A=B` is no name of a variable",
            "`1X` is no name of a variable",
            "a required environment variable has no name",
            "`rm -rf /` is no name of a command",
            "`/bin/sh` is no name of a command",
        ]
    );
    assert!(declared.problems[5].starts_with("agents/openai.yaml: line 1: "));
}

#[test]
fn what_has_another_shape_than_a_list_of_names_is_a_problem() {
    let problem_of = |more: &str| {
        let shelf = Shelf::new();
        shelf.skill("user/x", more, "Do it.");
        let declared = declared(&shelf, "x");
        let names = declared.requirements.iter().map(|requirement| requirement.name.clone());
        (names.collect::<Vec<_>>(), declared.problems)
    };
    for (more, problem) in [
        ("prerequisites: bad", "`prerequisites` is no map with `env_vars` and `commands`"),
        ("prerequisites: [git]", "`prerequisites` is no map with `env_vars` and `commands`"),
        ("prerequisites: {commands: {a: b}}", "`prerequisites.commands` is no list of names"),
        ("prerequisites: {commands: [{a: b}]}", "an entry of `prerequisites.commands` is no name"),
        ("prerequisites: {env_vars: [{a: b}]}", "a required environment variable has no name"),
        (
            "required_environment_variables: {a: b}",
            "`required_environment_variables` is no list of names",
        ),
        ("setup: {collect_secrets: {a: b}}", "`setup.collect_secrets` is no list of names"),
    ] {
        assert_eq!(problem_of(more), (vec![], vec![problem.to_owned()]), "{more}");
    }
    for (more, names) in [
        ("prerequisites:", &[] as &[&str]),
        ("prerequisites: {}", &[]),
        ("prerequisites: {commands: [], env_vars:}", &[]),
        ("required_environment_variables: []", &[]),
        ("required_environment_variables: A, B", &["A", "B"]),
        ("required_environment_variables: {name: A, prompt: The key}", &["A"]),
        ("metadata: {required_environment_variables: 'A, B'}", &["A", "B"]),
        ("prerequisites: {commands: git}", &["git"]),
        ("setup: run it once", &[]),
    ] {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        assert_eq!(problem_of(more), (names, vec![]), "{more}");
    }
}

#[test]
fn fifty_needs_of_a_skill_are_looked_at() {
    let names = |count: usize| (0..count).map(|n| format!("V{n}")).collect::<Vec<_>>().join(", ");
    for (count, problems) in [(50, 0), (51, 1), (90, 1)] {
        let shelf = Shelf::new();
        let more = format!("required_environment_variables: [{}]", names(count));
        shelf.skill("user/x", &more, "Do it.");
        let declared = declared(&shelf, "x");
        assert_eq!(
            (declared.requirements.len(), declared.problems.len()),
            (50, problems),
            "{count}"
        );
    }
}

#[test]
fn all_that_is_missing_for_all_skills_is_one_question() {
    let shelf = Shelf::new();
    shelf.skill("user/a", "prerequisites: {env_vars: [TOKEN, SET], commands: [gone]}", "Do it.");
    shelf.skill(
        "user/b",
        "required_environment_variables: [{name: TOKEN, prompt: 'For the API'}, {name: MAYBE, optional: true}]",
        "Do it.",
    );
    let question = question(&all_needs(&shelf, &probe(&["SET"], &[]))).unwrap();
    let asked = &question.asked[0];
    assert_eq!((question.asked.len(), asked.name.as_str()), (1, "TOKEN"));
    assert_eq!(asked.why.as_deref(), Some("For the API"));
    let names: Vec<&str> = asked.skills.iter().map(|by| by.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!((question.other.len(), question.other[0].requirement.name.as_str()), (1, "gone"));
}

#[test]
fn nothing_missing_is_no_question() {
    let shelf = Shelf::new();
    shelf.skill("user/a", "prerequisites: {env_vars: [SET], commands: [git]}", "Do it.");
    let needs = all_needs(&shelf, &probe(&["SET"], &["git"]));
    assert_eq!(question(&needs), None);
    assert!(needs.iter().all(|need| need.status == Status::Met));
}

#[test]
fn a_variable_that_decides_what_runs_is_never_asked_for() {
    for name in ["PATH", "LD_PRELOAD", "BASH_ENV", "DYLD_INSERT_LIBRARIES", "HONE_HOME"] {
        let shelf = Shelf::new();
        shelf.skill("user/a", &format!("prerequisites: {{env_vars: [{name}]}}"), "Do it.");
        let question = question(&all_needs(&shelf, &probe(&[], &[]))).unwrap();
        assert_eq!((question.asked.len(), question.other.len()), (0, 1), "{name}");
    }
}

#[test]
fn a_server_is_unknown_until_somebody_knows_the_servers() {
    let shelf = Shelf::with(&["a"]);
    shelf.write("user/a/agents/openai.yaml", "dependencies: {tools: [{type: mcp, value: github}]}");
    let status = |servers: Option<&[String]>| {
        let probe = Probe { servers, ..probe(&[], &[]) };
        let needs = all_needs(&shelf, &probe);
        (needs[0].status, needs[0].is_lacking())
    };
    assert_eq!(status(None), (Status::Unknown, false));
    assert_eq!(status(Some(&["github".to_owned()])), (Status::Met, false));
    assert_eq!(status(Some(&[])), (Status::Missing, true));
}

#[test]
fn answers_belong_to_the_skill_that_asked() {
    let mut answers = Answers::default();
    let (a, b) = (Path::new("/a/SKILL.md"), Path::new("/b/SKILL.md"));
    assert!(answers.give(a, "TOKEN", "s3cr3t"));
    assert!(answers.has(a, "TOKEN") && !answers.has(b, "TOKEN"));
    let given: Vec<(&str, &str)> = answers.of(a).map(|(name, s)| (name, s.expose())).collect();
    assert_eq!(given, [("TOKEN", "s3cr3t")]);
    assert_eq!(answers.of(b).count(), 0);
}

#[test]
fn an_answer_has_a_size_and_no_nul() {
    let mut answers = Answers::default();
    let skill = Path::new("/a");
    assert!(answers.give(skill, "A", &"x".repeat(MAX_ANSWER_BYTES)));
    assert!(!answers.give(skill, "B", &"x".repeat(MAX_ANSWER_BYTES + 1)));
    assert!(!answers.give(skill, "C", "a\0b"));
    assert!(!answers.give(skill, "D", ""));
    assert!(!answers.give(skill, "not a name", "x"));
}

#[test]
fn values_are_taken_out_of_text_the_longest_first() {
    let mut answers = Answers::default();
    answers.give(Path::new("/a"), "SHORT", "abcd");
    answers.give(Path::new("/b"), "LONG", "abcdefgh");
    answers.give(Path::new("/b"), "TINY", "abc");
    assert_eq!(answers.redact("abcdefgh abcd abc"), "[redacted LONG] [redacted SHORT] abc");
    assert_eq!(format!("{answers:?}").matches("abc").count(), 0);
}

/// A variable of the environment is as often `linux` as it is a secret.
#[test]
fn short_values_of_the_environment_stay_in_texts() {
    let mut answers = Answers::default();
    assert!(answers.pass_on(Path::new("/a"), "STAGE", "staging"));
    assert!(answers.pass_on(Path::new("/a"), "TOKEN", "12345678"));
    assert_eq!(answers.redact("staging 12345678"), "staging [redacted TOKEN]");
}

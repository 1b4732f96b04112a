//! `hone match`, `search`, `eval triggers`, `why`, `what-if` and `new --triggers`.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::harness::{Sandbox, transcript};
use crate::json_schemas::validate;

const SKILLS: &str = "home/.agents/skills";

fn library() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    sandbox.skill(
        SKILLS,
        "pdf-forms",
        "Fills in PDF forms. Use when an application form has to be filled. Not for scanned paper.",
    );
    sandbox.skill(SKILLS, "planner", "Plans work. Triggers on \"break it down for me\".");
    sandbox.skill(SKILLS, "weather", "Tells the weather of a city.");
    sandbox.write(
        &format!("{SKILLS}/quiet/SKILL.md"),
        "---\nname: quiet\ndescription: Fills forms in secret.\ndisable-model-invocation: true\n---\nDo it.\n",
    );
    sandbox.write(
        &format!("{SKILLS}/weather/triggers.json"),
        r#"[{"query":"will it rain in the city tomorrow","should_trigger":true},
            {"query":"what is the weather in Oslo","should_trigger":true},
            {"query":"paint a city in the rain","should_trigger":false}]"#,
    );
    sandbox.write(
        &format!("{SKILLS}/planner/triggers.json"),
        r#"{"should_trigger":["plan the work for next week","tell me how the form of the city was planned"],
            "should_not_trigger":["work out the sum"]}"#,
    );
    sandbox
}

fn committed(name: &str) -> Value {
    let folder = std::path::PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../schemas");
    let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_message_gets_its_skills_with_band_and_reasons() {
    let lines = [
        "match 'fill in this application form'",
        "match 'use pdf-forms for the application'",
        "match 'the migration is big, break it down for me'",
        "match 'will it rain in the city tomorrow'",
        "match 'zzz qqq'",
    ];
    assert_snapshot!(transcript(&library(), &lines));
}

#[test]
fn a_number_may_stick_to_its_letter_and_a_message_with_a_hyphen_goes_after_two() {
    let sandbox = library();
    let count =
        |line: &str| sandbox.hone(line).run().json()["matches"].as_array().map(std::vec::Vec::len);
    assert_eq!(count("match --json -k1 'fill the form in this city'"), Some(1));
    assert_eq!(count("match --json -k2 -- '- fill the form in this city'"), Some(2));
    assert_eq!(sandbox.hone("why --json -- '- fill the form'").run().code, 0);
}

#[test]
fn a_skill_that_a_model_may_not_load_is_searched_but_not_matched() {
    let sandbox = library();
    let names = |line: &str, key: &str| -> Vec<String> {
        let json = sandbox.hone(line).run().json();
        let found = json[key].as_array().unwrap().iter();
        found.map(|found| found["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("match --json 'secret forms'", "matches"), ["pdf-forms", "planner"]);
    assert_eq!(names("search --json -k 2 'secret forms'", "results"), ["quiet", "pdf-forms"]);
}

#[test]
fn a_batch_answers_each_line_and_goes_on_after_a_bad_one() {
    let sandbox = library();
    let input = "\u{feff}{\"id\":7,\"query\":\"fill in a pdf form\"}\r\n\nnot json\n{\"id\":\"x\"}\n{\"id\":8,\"query\":[]}\n{\"id\":\"y\",\"query\":\"zzz\"}\n";
    let run = sandbox.hone("match --batch - -k 1").stdin(input).run();
    assert_eq!(run.code, 1);
    let lines: Vec<Value> =
        run.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let schema = committed("match-batch");
    for line in &lines {
        validate(&schema, line, "match-batch");
    }
    assert_eq!(lines[0]["id"], json!(7));
    assert_eq!(lines[0]["matches"][0]["name"], json!("pdf-forms"));
    assert_eq!(
        lines[1..],
        [
            json!({"id": null, "matches": [], "error": "line 3 is not JSON: expected ident at column 2"}),
            json!({"id": "x", "matches": [], "error": "line 4 has no \"query\""}),
            json!({"id": 8, "matches": [], "error": "the \"query\" in line 5 is not a text"}),
            json!({"id": "y", "matches": []}),
        ]
    );
}

#[test]
fn the_longest_line_of_a_batch_is_answered_and_a_longer_one_named() {
    const MAX_LINE_BYTES: usize = 16 * 1024 * 1024;
    let sandbox = library();
    let ends = ["{\"id\":1,\"query\":\"fill in a pdf form ", "\"}"];
    let of = |bytes: usize| {
        let middle = "x".repeat(bytes - ends[0].len() - ends[1].len());
        format!("{}{middle}{}\n", ends[0], ends[1])
    };
    let run = sandbox.hone("match --batch - -k 1").stdin(of(MAX_LINE_BYTES)).run();
    assert_eq!((run.code, run.json()["matches"][0]["name"].clone()), (0, json!("pdf-forms")));
    let next = "{\"id\":2,\"query\":\"zzz\"}\n";
    for bytes in [MAX_LINE_BYTES + 1, 2 * MAX_LINE_BYTES + 3] {
        let input = format!("\n{}{next}", of(bytes));
        let run = sandbox.hone("match --batch - -k 1").stdin(&input).run();
        let told = "{\"id\":null,\"matches\":[],\"error\":\"line 2 has more than 16777216 bytes\"}\n\
                    {\"id\":2,\"matches\":[]}\n";
        assert_eq!((run.code, run.text(), run.errors()), (1, told.to_owned(), String::new()));
    }
}

#[test]
fn a_batch_that_cannot_be_read_is_named() {
    let sandbox = library();
    for (file, why) in [("..", "read `..`: Is a directory"), ("no", "open `no`: No such file")] {
        let run = sandbox.hone(&format!("match --batch {file}")).run();
        let told = format!("error: could not {why}");
        assert!(run.code == 2 && run.errors().starts_with(&told), "{run}");
        assert!(run.errors().contains("hint: name a file with one {\"id\""), "{run}");
    }
}

#[test]
fn a_batch_goes_by_the_skills_it_began_with_while_another_process_merges() {
    const LINE: &str = "{\"id\":1,\"query\":\"extract the tables from this pdf invoice and tidy the changelog\"}\n";
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    for number in 0..200 {
        let topic = ["pdf invoices", "changelogs", "database tables", "screenshots"][number % 4];
        let description = format!("Handles {topic}, part {number}");
        sandbox.skill(SKILLS, &format!("skill-{number:03}"), &description);
    }
    sandbox.done("match trains");
    let expected = sandbox.hone("match --batch -").stdin(LINE).run().text();
    let mut batch = sandbox
        .hone("match --batch -")
        .command()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = batch.stdin.take().unwrap();
    let mut output = BufReader::new(batch.stdout.take().unwrap());
    let mut ask = |line: &str| {
        input.write_all(line.as_bytes()).unwrap();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        answer
    };
    assert_eq!(ask("{\"id\":0,\"query\":\"zzz\"}\n"), "{\"id\":0,\"matches\":[]}\n");
    for number in 0..150 {
        let name = format!("skill-{number:03}");
        sandbox.skill(SKILLS, &name, "Plays chess against trains of thought");
    }
    sandbox.done("match trains");
    assert_eq!(ask(LINE), expected);
    drop(input);
    assert!(batch.wait().unwrap().success());
    assert_ne!(sandbox.hone("match --batch -").stdin(LINE).run().text(), expected);
}

#[test]
fn search_forgives_typing_errors() {
    assert_snapshot!(transcript(&library(), &["search -k 1 wheather citty", "search zzzz"]));
}

#[test]
fn search_leaves_out_what_only_shares_a_few_letters() {
    let sandbox = library();
    let names = |line: &str| -> Vec<String> {
        let json = sandbox.hone(line).run().json();
        let found = json["results"].as_array().unwrap().iter();
        found.map(|found| found["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("search --json wheather"), ["weather"]);
    assert_eq!(names("search --json plans"), ["planner"]);
}

#[test]
fn a_broken_sentence_model_is_told_and_words_still_count() {
    let sandbox = library();
    sandbox.done("config set router.embeddings ~/model");
    sandbox.write("home/model/model.safetensors", "not one");
    let lines = ["match 'fill in this application form'", "config get router.embeddings"];
    assert_snapshot!(transcript(&sandbox, &lines));
}

#[test]
fn no_name_of_a_sentence_model_is_none() {
    let sandbox = library();
    let line = "match --json 'will it rain in the city tomorrow'";
    let before = sandbox.hone(line).run();
    sandbox.done("config set router.embeddings ''");
    let run = sandbox.hone(line).run();
    assert_eq!((run.text(), run.errors()), (before.text(), String::new()));
    sandbox.done("config set router.embeddings ~/nowhere");
    assert!(sandbox.hone(line).run().errors().starts_with("warning: "));
}

#[test]
fn a_suite_that_cannot_be_read_is_told_every_time_it_would_be_asked() {
    let sandbox = library();
    sandbox.write(&format!("{SKILLS}/planner/triggers.json"), "{broken");
    // The index has read it here.
    sandbox.done("match 'plan the work'");
    let warning = "warning: `~/.agents/skills/planner/triggers.json` is left out: this is not JSON: \
                   key must be a string at line 1 column 2\n";
    for line in ["eval triggers", "eval triggers planner", "eval triggers --all"] {
        let run = sandbox.hone(line).run();
        assert_eq!((run.code, run.errors().as_str()), (1, warning), "{line}");
    }
}

#[test]
fn suites_are_a_test_of_the_whole_library() {
    let sandbox = library();
    let lines = ["eval triggers", "eval triggers weather --plot out.svg"];
    assert_snapshot!(transcript(&sandbox, &lines));
    let svg = sandbox.read("project/out.svg");
    assert!(svg.starts_with("<svg ") && svg.contains(">weather</text>"), "{svg}");
}

#[test]
fn a_suite_may_come_from_a_file_and_must_name_its_skill() {
    let sandbox = library();
    sandbox.write("project/s.json", r#"[{"query":"fill in a pdf form","should_trigger":true}]"#);
    sandbox.write("project/bad.json", "{}");
    let lines = [
        "eval triggers pdf-forms --suite s.json",
        "eval triggers --suite s.json",
        "eval triggers pdf-forms --suite bad.json",
        "eval triggers pdf-forms",
    ];
    assert_snapshot!(transcript(&sandbox, &lines));
}

#[test]
fn why_names_what_tipped_it_and_what_would_change_it() {
    let lines = ["why 'is it sunny in the city'", "why 'mow the lawn' weather", "why x no-such"];
    assert_snapshot!(transcript(&library(), &lines));
}

#[test]
fn a_new_skill_shows_what_it_would_take() {
    let sandbox = library();
    sandbox.skill("project/drafts", "rain-radar", "Says whether it will rain in a city tomorrow.");
    let messages = "\u{feff}{\"query\":\"will it rain tomorrow\"}\nplan my week\n";
    sandbox.write("project/messages.txt", messages);
    let lines = [
        "what-if drafts/rain-radar",
        "what-if drafts/rain-radar --messages messages.txt",
        "what-if nowhere",
    ];
    assert_snapshot!(transcript(&sandbox, &lines));
}

#[test]
fn a_proposed_suite_takes_near_misses_from_its_neighbours() {
    let sandbox = library();
    let run = sandbox
        .hone("new rain-radar --stdin --triggers --description 'Says whether it will rain in a city.'")
        .stdin("Look at the radar.\n")
        .run();
    assert_snapshot!(run);
    let suite: Value =
        serde_json::from_str(&sandbox.read(&format!("{SKILLS}/rain-radar/triggers.json"))).unwrap();
    assert_eq!(
        suite,
        json!([
            {"query": "Says whether it will rain in a city", "should_trigger": true},
            {"query": "will it rain in the city tomorrow", "should_trigger": false},
            {"query": "what is the weather in Oslo", "should_trigger": false},
            {"query": "plan the work for next week", "should_trigger": false},
            {"query": "tell me how the form of the city was planned", "should_trigger": false},
        ])
    );
    // It came with the skill, so there is nothing before it to go back to.
    let history = sandbox.hone("history rain-radar --json").run().json();
    assert_eq!(history["revisions"].as_array().unwrap().len(), 1, "{history}");
    let back = sandbox.hone("rollback rain-radar").run();
    assert_eq!(back.code, 1, "{back}");
    assert!(back.errors().contains("there is nothing before the first revision"), "{back}");
    assert!(sandbox.path(SKILLS).join("rain-radar/triggers.json").exists());
}

#[test]
fn a_proposed_suite_comes_and_goes_with_the_text_of_a_skill_that_was_there() {
    let sandbox = Sandbox::new();
    sandbox.skill("home/.agents/skills", "rain-radar", "Says whether it will rain.");
    let before = sandbox.read(&format!("{SKILLS}/rain-radar/SKILL.md"));
    let upsert = |options: &str| {
        let line = format!("new rain-radar --upsert --stdin --triggers {options}");
        let run = sandbox.hone(&line).stdin("Look at the radar.\n").run();
        assert_eq!(run.code, 0, "{run}");
        run
    };
    let dry = upsert("--dry-run").text();
    assert!(dry.contains("triggers.json"), "{dry}");
    let suite = sandbox.path(SKILLS).join("rain-radar/triggers.json");
    assert!(!suite.exists());
    upsert("");
    assert!(suite.exists());
    sandbox.done("rollback rain-radar");
    assert!(!suite.exists());
    assert_eq!(sandbox.read(&format!("{SKILLS}/rain-radar/SKILL.md")), before);
}

#[test]
fn every_answer_is_as_its_schema_says() {
    let sandbox = library();
    sandbox.skill("project/drafts", "rain-radar", "Says whether it will rain in a city tomorrow.");
    for (line, schema) in [
        ("match --json 'use pdf-forms in the city'", "match"),
        ("search --json form", "search"),
        ("why --json 'fill in a form'", "why"),
        ("what-if --json drafts/rain-radar", "what-if"),
        ("eval triggers --json --all", "eval-triggers"),
    ] {
        validate(&committed(schema), &sandbox.hone(line).run().json(), line);
    }
}

#[test]
fn the_text_of_a_skill_cannot_steer_a_terminal() {
    let sandbox = library();
    sandbox.write(
        &format!("{SKILLS}/evil/SKILL.md"),
        "---\nname: \"evil\\e[2J\"\ndescription: Evil \"\u{9b}31m\" form tricks\n---\nDo it.\n",
    );
    for line in [
        "match 'evil form tricks'",
        "search evil",
        "why 'evil form tricks'",
        "match --json 'evil tricks'",
    ] {
        let run = sandbox.hone(line).run();
        assert!(!run.text().contains(['\u{1b}', '\u{9b}']), "{line}\n{run}");
    }
}

#[test]
fn what_is_disabled_hidden_or_elsewhere_is_not_matched() {
    let sandbox = Sandbox::new();
    sandbox.done("config set skills.builtin no");
    sandbox.skill("home/.agents/skills", "pdf-forms", "Fill in a form. Use for applications.");
    sandbox.skill("project/.agents/skills", "weather", "Says the weather. Use for rain.");
    sandbox.write(
        "home/.agents/skills/quiet/SKILL.md",
        "---\nname: quiet\ndescription: Silence. Use for noise.\ndisable-model-invocation: true\n---\nDo.\n",
    );
    let names = |line: &str, list: &str| -> Vec<String> {
        let json = sandbox.hone(line).run().json();
        let found = json[list].as_array().unwrap().iter();
        found.map(|found| found["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(names("match --json 'fill in a form'", "matches"), ["pdf-forms"]);
    // A project that is not trusted, a skill for people only.
    assert_eq!(names("match --json -k 1 'weather, rain, noise, silence'", "matches").first(), None);
    assert_eq!(names("search --json noise", "results"), ["quiet"]);
    sandbox.done("trust");
    assert_eq!(names("match --json -k 1 'weather, rain'", "matches"), ["weather"]);
    assert_eq!(
        names("match --json -k 1 --root ../home/.agents/skills 'weather rain'", "matches").first(),
        None
    );
    sandbox.done("config set skills.disabled pdf-forms");
    assert!(!names("match --json 'fill in a form'", "matches").contains(&"pdf-forms".to_owned()));
    assert!(!names("search --json form", "results").contains(&"pdf-forms".to_owned()));
}

#[test]
fn none_is_no_number_of_skills_and_no_message_is_no_precision() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(transcript(&sandbox, &["match -k 0 x", "search -k x y", "eval triggers --all"]), @"
    $ hone match -k 0 x
    exit: 2
    --- stderr
    error: invalid value '0' for '-k <N>': at least one

    For more information, try '--help'.

    $ hone search -k x y
    exit: 2
    --- stderr
    error: invalid value 'x' for '-k <N>': invalid digit found in string

    For more information, try '--help'.

    $ hone eval triggers --all
    exit: 0
    --- stdout
    3 skills without a suite, asked by their own description
    no skill has a suite, so no other message was asked
    ");
}

#[test]
fn a_new_skill_that_is_not_there_is_not_to_be_checked() {
    let sandbox = Sandbox::new();
    sandbox.write("project/empty/x", "");
    sandbox.write("project/odd/SKILL.md", "no frontmatter");
    for (line, said) in [
        (
            "what-if nope",
            "error: there is no folder `nope`\nhint: name the folder of a skill that is not installed yet",
        ),
        (
            "what-if empty",
            "error: there is no skill in `empty`\nhint: name a folder with a `SKILL.md`",
        ),
        (
            "what-if odd",
            "error: there is no skill in `odd`\nhint: `hone check odd/SKILL.md` says what is wrong with it",
        ),
    ] {
        let run = sandbox.hone(line).run();
        assert_eq!((run.code, run.errors().trim_end()), (1, said), "{run}");
    }
}

#[test]
fn a_description_proposes_no_message_that_it_says_it_is_not_for() {
    let sandbox = library();
    let description = "Says whether it will rain. Use on \"rain radar\". Do not use when the user says \"paint the rain\".";
    let line = format!("new rain-radar --stdin --triggers --description '{description}'");
    assert_eq!(sandbox.hone(&line).stdin("Look at the radar.\n").run().code, 0);
    let suite: Value =
        serde_json::from_str(&sandbox.read(&format!("{SKILLS}/rain-radar/triggers.json"))).unwrap();
    assert_eq!(
        suite.as_array().unwrap()[..2],
        [
            json!({"query": "rain radar", "should_trigger": true}),
            json!({"query": "paint the rain", "should_trigger": false}),
        ]
    );
}

#[test]
fn what_of_a_suite_is_not_read_is_told_where_it_is_asked_and_checked() {
    let sandbox = library();
    sandbox.write(
        &format!("{SKILLS}/weather/triggers.json"),
        r#"[{"query":"what is the weather in Oslo","should_trigger":true},{"query":"rain"},3]"#,
    );
    let what =
        "2 entries are left out: entry 2: it has no \"should_trigger\" that is true or false";
    let shown = "~/.agents/skills/weather/triggers.json";
    let warning = format!("warning: `{shown}`: {what}\n");
    let asked = sandbox.hone("eval triggers weather").run();
    assert_eq!((asked.code, asked.errors()), (1, warning.clone()));
    let checked = sandbox.hone("check weather").run();
    assert!(checked.code == 0 && checked.errors().contains(&warning), "{checked}");
    let doctor = sandbox.hone("doctor --json").run().json();
    let told = doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "suite");
    assert_eq!(told.unwrap()["message"], json!(format!("{shown}: {what}")));
    sandbox.write("project/s.json", r#"["rain"]"#);
    let none = sandbox.hone("eval triggers weather --suite s.json").run();
    assert_eq!(none.code, 2, "{none}");
    assert!(none.errors().contains("no message of it can be read: entry 1"), "{none}");
}

#[test]
fn a_new_skill_costs_the_line_that_a_model_gets() {
    let sandbox = library();
    let long = "<rain> & ".repeat(300);
    sandbox.skill("project/drafts", "rain-radar", &format!("\"{}\"", long.trim()));
    sandbox.write(
        "project/drafts/silent/SKILL.md",
        "---\nname: silent\ndescription: Tells the weather of a city.\ndisable-model-invocation: true\n---\nDo it.\n",
    );
    let report = |name: &str| sandbox.hone(&format!("what-if --json drafts/{name}")).run().json();
    let before = sandbox.hone("prompt --budget 100000 --json").run().json();
    sandbox.write(
        &format!("{SKILLS}/rain-radar/SKILL.md"),
        sandbox.read("project/drafts/rain-radar/SKILL.md"),
    );
    let after = sandbox.hone("prompt --budget 100000 --json").run().json();
    let tokens = |prompt: &Value| prompt["tokens"].as_u64().unwrap();
    let line = report("rain-radar")["tokens_a_turn"].as_u64().unwrap();
    assert!(line.abs_diff(tokens(&after) - tokens(&before)) <= 2, "{line}: {before} {after}");
    let silent = report("silent");
    assert_eq!(
        [
            &silent["tokens_a_turn"],
            &silent["model_invocable"],
            &silent["first"],
            &silent["also_offered"]
        ],
        [&json!(0), &json!(false), &json!([]), &json!(0)]
    );
    let told = sandbox.hone("what-if drafts/silent").run().text();
    assert!(told.contains("a model may not load it by itself"), "{told}");
}

#[test]
fn a_draft_of_an_installed_skill_is_its_replacement() {
    let sandbox = library();
    sandbox.skill("project/drafts", "weather", "Tells the weather of a city.");
    let report = sandbox.hone("what-if --json drafts/weather").run().json();
    assert!(report["replaces"].as_str().unwrap().ends_with("skills/weather/SKILL.md"), "{report}");
    let taken = report["taken"].as_array().unwrap();
    assert!(taken.iter().all(|taken| taken["name"] != "weather"), "{report}");
    let told = sandbox.hone("what-if drafts/weather").run().text();
    assert!(told.contains("\n  replaces `~/.agents/skills/weather/SKILL.md`\n"), "{told}");
    validate(&committed("what-if"), &report, "what-if");
}

#[test]
fn why_does_not_say_that_a_skill_is_offered_which_a_model_may_not_load() {
    let text = library().hone("why 'fill forms in secret' quiet").run().text();
    let quiet = text.split("\n\n").nth(1).unwrap();
    assert!(quiet.starts_with("quiet: nothing, nowhere"), "{text}");
    assert!(quiet.contains("change   a model may not load it by itself"), "{text}");
    assert!(!quiet.contains("offered"), "{text}");
}

#[test]
fn without_a_suite_there_is_nothing_to_draw() {
    let sandbox = Sandbox::with_tidy();
    let run = sandbox.hone("eval triggers --all --plot out.svg").run();
    let told = "note: no skill has a suite, so there is nothing to draw\n";
    assert_eq!((run.code, run.errors()), (1, told.to_owned()));
    assert!(!sandbox.path("project/out.svg").exists());
}

#[test]
fn what_a_message_mentions_behind_a_command_or_cannot_load_is_said() {
    let sandbox = library();
    sandbox.done("config set skills.disabled planner");
    let run = sandbox.hone("invoke --json '/weather use $pdf-forms, not $planner'").run().json();
    let names: Vec<&str> =
        run["skills"].as_array().unwrap().iter().filter_map(|s| s["name"].as_str()).collect();
    assert_eq!(names, ["weather", "pdf-forms"]);
    assert_eq!(run["not_loaded"][0]["name"], json!("planner"));
    let note = sandbox.hone("invoke '/weather use $planner'").run().errors();
    assert!(note.starts_with("note: `planner` is not loaded: it is switched off by "), "{note}");
    let only = sandbox.hone("invoke 'use $planner'").run();
    assert!(only.code == 1 && only.errors().contains("`planner`: it is not offered: "), "{only}");
}

#[test]
fn a_first_suite_is_proposed_for_a_skill_that_is_there_and_for_no_other() {
    let sandbox = library();
    let run = sandbox.hone("eval triggers pdf-forms --propose").run();
    assert_eq!(run.code, 0, "{run}");
    let suite = sandbox.read(&format!("{SKILLS}/pdf-forms/triggers.json"));
    let suite: Vec<Value> = serde_json::from_str(&suite).unwrap();
    assert_eq!(suite[0], json!({"query": "Fills in PDF forms", "should_trigger": true}));
    assert!(suite.len() > 1 && suite[1..].iter().any(|case| case["should_trigger"] == false));
    // It is a revision like any other, and a second one is not written over it.
    let again = sandbox.hone("eval triggers pdf-forms weather --propose").run();
    assert_eq!((again.code, again.text()), (1, String::new()), "{again}");
    assert_eq!(again.errors().matches("it has a triggers.json already").count(), 2, "{again}");
    assert_eq!(sandbox.hone("rollback pdf-forms").run().code, 0);
    assert!(!sandbox.path(SKILLS).join("pdf-forms/triggers.json").exists());
    assert_eq!(sandbox.hone("eval triggers --propose").run().code, 2);
}

#[test]
fn messages_of_what_if_come_from_a_pipe_a_suite_and_a_file_that_is_not_all_text() {
    let sandbox = library();
    sandbox.skill("project/drafts", "rain-radar", "Says whether it will rain in a city tomorrow.");
    let suite = sandbox.read(&format!("{SKILLS}/weather/triggers.json"));
    sandbox.write("project/suite.json", &suite);
    std::fs::write(sandbox.path("project/odd.txt"), b"will it rain\xff tomorrow\nplan\n").unwrap();
    let counted = |file: &str, input: &str| {
        let line = format!("what-if drafts/rain-radar --json --messages {file}");
        let run = sandbox.hone(&line).stdin(input).run();
        (run.json()["asked"].clone(), run.errors())
    };
    assert_eq!(counted("-", "will it rain tomorrow\n\nplan my week\n"), (json!(2), String::new()));
    assert_eq!(counted("suite.json", ""), (json!(3), String::new()));
    let (count, told) = counted("odd.txt", "");
    assert_eq!(count, json!(2));
    assert_eq!(told, "warning: `odd.txt` is not all UTF-8; what is not stands as \u{fffd}\n");
}

#[test]
fn a_narrow_terminal_breaks_the_reasons_between_words() {
    let sandbox = library();
    sandbox.write(
        &format!("{SKILLS}/keyed/SKILL.md"),
        "---\nname: keyed\ndescription: Opens doors.\nrequired_environment_variables: [A_VERY_LONG_NAME_OF_A_KEY]\n---\nDo it.\n",
    );
    sandbox.skill(SKILLS, "gazette-of-the-parish", "Prints announcements of a parish.");
    for line in [
        "match 'fill in this application form'",
        "match 'announcements'",
        "why 'is it sunny in the city'",
        "needs keyed",
    ] {
        let text = sandbox.hone(line).on_terminal(40, 24).text();
        assert!(text.lines().all(|line| line.trim_end().chars().count() <= 40), "{text}");
        // Words keep their letters together, however little room their line has left.
        let joined = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let wide = sandbox.hone(line).on_terminal(200, 24).text();
        assert_eq!(joined(&text), joined(&wide), "{line}");
    }
}

#[test]
fn why_says_that_a_message_without_words_leads_nowhere() {
    let lines = ["why ''", "why '...' weather", "why thanks"];
    assert_snapshot!(transcript(&library(), &lines));
}

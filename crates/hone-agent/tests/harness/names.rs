//! Names, versions and texts of skills as an agent writes them: list K, but for what `skills.rs` shows.

use std::fs;

use hone_agent::step::{Effect, Outcome};
use hone_agent::tools::schema::problems;
use hone_library::{DEFAULT_BUDGET, Standing, State, history};
use hone_router::{Ranked, level0};
use serde_json::json;

use crate::skills::{Brain, put};

/// The name that a skill of this title gets, or why it is none.
async fn named(brain: &Brain, title: &str) -> Result<String, String> {
    let content = "Does a thing. Use when the thing is to be done.\n";
    let arguments = json!({"action": "create", "name": title, "content": content});
    let result = brain.manage(arguments).await;
    match &result.effects[..] {
        [Effect::SkillChanged { name, .. }] => Ok(name.clone()),
        _ => Err(result.text),
    }
}

#[tokio::test]
async fn k1_k2_k6_k7_a_name_becomes_a_slug_inside_the_folder_of_the_skills() {
    let brain = Brain::new();
    let long = "x".repeat(63);
    for (title, slug) in [
        ("Oracle Manipulation!", "oracle-manipulation"),
        ("  --Weird__Name--  ", "weird-name"),
        (&format!("{long} y"), &long),
        ("../../etc/passwd", "etc-passwd"),
    ] {
        assert_eq!(named(&brain, title).await.as_deref(), Ok(slug));
        assert!(brain.skills().join(format!("{slug}.md")).is_file(), "{slug}");
    }
    assert_eq!(fs::read_dir(brain.skills()).unwrap().count(), 4);
}

#[tokio::test]
async fn k3_k4_a_name_of_nothing_is_an_error_and_letters_of_any_script_make_names_apart() {
    let brain = Brain::new();
    let empty = json!({"action": "create", "name": "", "content": "x"});
    assert_eq!(
        problems(brain.schema("skill_manage"), &empty),
        ["`name` must have at least 1 characters, not 0"]
    );
    for nothing in ["   ", "!!!"] {
        let why = named(&brain, nothing).await.unwrap_err();
        assert!(why.ends_with("has no letter or digit to make a slug from."), "{why}");
    }
    assert_eq!(fs::read_dir(brain.skills()).unwrap().count(), 0);
    let japanese = named(&brain, "日本語").await.unwrap();
    let chinese = named(&brain, "中文").await.unwrap();
    assert_ne!(japanese, chinese);
    assert_eq!(named(&Brain::new(), "日本語").await.unwrap(), japanese);
}

#[tokio::test]
async fn k5_k8_two_names_that_share_a_slug_are_a_conflict_and_the_first_stays() {
    for (first, second) in [
        ("C++".to_owned(), "C#".to_owned()),
        (format!("{} one", "long ".repeat(14)), format!("{} two", "long ".repeat(14))),
    ] {
        let brain = Brain::new();
        let slug = named(&brain, &first).await.unwrap();
        let file = brain.skills().join(format!("{slug}.md"));
        let before = fs::read(&file).unwrap();
        let why = named(&brain, &second).await.unwrap_err();
        assert!(why.contains(&slug), "{why}");
        assert_eq!(fs::read(&file).unwrap(), before);
        assert_eq!(fs::read_dir(brain.skills()).unwrap().count(), 1);
    }
}

/// The text of a skill that was created with this content.
async fn written(brain: &Brain, name: &str, content: &str) -> String {
    let result = brain.manage(json!({"action": "create", "name": name, "content": content})).await;
    assert_eq!(result.outcome, Outcome::Ok, "{}", result.text);
    fs::read_to_string(brain.skills().join(format!("{name}.md"))).unwrap()
}

/// The index as a task gets it.
fn index(brain: &Brain) -> String {
    let catalogue = brain.shelf.catalogue();
    let ranked: Vec<Ranked<'_>> = catalogue
        .skills
        .iter()
        .map(|skill| Ranked { skill, relevance: 0.0, standing: Standing::default() })
        .collect();
    level0(&ranked, DEFAULT_BUDGET, "`skills_search`").text
}

#[tokio::test]
async fn k12_k13_k14_a_body_gets_the_frontmatter_that_it_lacks_and_the_index_shows_it() {
    let brain = Brain::new();
    let bare = "Checks a feed. Use when a price is read.\n\nLook at its age.\n";
    let head = "---\nname: bare\ndescription: Checks a feed. Use when a price is read.\nmetadata:\n  version: \"1\"\n---\n";
    assert_eq!(written(&brain, "bare", bare).await, format!("{head}{bare}"));
    let undescribed = "---\nname: undescribed\nlicense: MIT\n---\n\nSorts entries by date.\n";
    let text = written(&brain, "undescribed", undescribed).await;
    assert!(text.contains("description: Sorts entries by date.\n"), "{text}");
    let rule = written(&brain, "rule", "---\nrule, no close\n").await;
    assert!(rule.ends_with("---\n---\nrule, no close\n"), "{rule}");
    let index = index(&brain);
    for line in [
        "bare: Checks a feed. Use when a price is read.",
        "undescribed: Sorts entries by date.",
        "rule: rule, no close",
    ] {
        assert!(index.contains(line), "{index}");
    }
    let half = json!({"action": "create", "name": "half", "content": "---\nname: half\nBody.\n"});
    let refused = brain.manage(half).await;
    assert!(refused.text.contains("it is never closed"), "{}", refused.text);
}

#[tokio::test]
async fn k15_k16_k17_versions_line_ends_and_special_characters_survive() {
    let brain = Brain::new();
    let old = "---\nname: old\ndescription: Old. Use when old.\nversion: abc\n---\nBody.\n";
    put(&brain.skills().join("old.md"), old);
    brain.call("skill_view", json!({"name": "old"})).await;
    let edit = json!({"action": "edit", "name": "old", "content": old.replace("Body.", "Better.")});
    let result = brain.manage(edit).await;
    assert_eq!(result.outcome, Outcome::Ok, "{}", result.text);
    let text = fs::read_to_string(brain.skills().join("old.md")).unwrap();
    assert_eq!(text.matches("version").count(), 1, "{text}");
    let version = |name: &str| {
        let catalogue = brain.shelf.catalogue();
        let skill = catalogue.skills.iter().find(|skill| skill.summary.name == name).unwrap();
        skill.summary.version.clone()
    };
    // The list says 2; the word is somebody's and stays.
    assert_eq!(version("old").as_deref(), Some("abc.2"));

    put(
        &brain.skills().join("crlf.md"),
        "---\r\nname: crlf\r\ndescription: Has other line ends. Use on Windows.\r\n---\r\nBody.\r\n",
    );
    let description = "- a \"quoted\": #1 'thing', {odd}. Use when: asked";
    let content = format!("{description}\n");
    let arguments = json!({"action": "create", "name": "odd", "content": content});
    assert_eq!(brain.manage(arguments).await.outcome, Outcome::Ok);
    let catalogue = brain.shelf.catalogue();
    let odd = catalogue.skills.iter().find(|skill| skill.summary.name == "odd").unwrap();
    assert_eq!(odd.summary.description, description.trim_start_matches("- "));
    assert_eq!(odd.notes, [], "it is valid");
    let index = index(&brain);
    assert!(index.contains("crlf: Has other line ends. Use on Windows."), "{index}");
}

#[tokio::test]
async fn k19_what_is_deleted_is_gone_from_the_list_and_kept_in_the_history() {
    let brain = Brain::new();
    let text = written(&brain, "gone", "Does a thing. Use when asked.\n").await;
    let path = fs::canonicalize(brain.skills()).unwrap().join("gone.md");
    let deleted = brain.manage(json!({"action": "delete", "name": "gone"})).await;
    assert_eq!(deleted.outcome, Outcome::Ok, "{}", deleted.text);
    assert_eq!(brain.call("skills_list", json!({})).await.text, "No skills.\n");
    let state = State::open(&brain.home());
    let rows = history(&state, &path).unwrap();
    assert_eq!(rows.len(), 2);
    let kept = hone_library::files_at(&state, &rows, 1).unwrap();
    assert_eq!(kept["gone.md"], text.into_bytes());
}

#[tokio::test]
async fn k20_an_index_of_two_hundred_skills_keeps_to_its_budget_and_its_order() {
    let brain = Brain::new();
    for n in 0..200 {
        let text = format!(
            "---\nname: skill-{n:03}\ndescription: {} Use for case {n}.\n---\nBody.\n",
            "Words that take room. ".repeat(9)
        );
        put(&brain.skills().join(format!("skill-{n:03}.md")), &text);
    }
    let first = index(&brain);
    assert!(hone_router::token_bound(&first) <= DEFAULT_BUDGET);
    assert_eq!(first, index(&brain));
    let names: Vec<&str> =
        first.lines().filter_map(|line| line.split_once("skill-")?.1.get(..3)).collect();
    assert!(names.len() > 10 && names.is_sorted(), "{names:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn k22_a_hundred_edits_at_once_are_a_hundred_versions_one_after_the_other() {
    let brain = std::sync::Arc::new(Brain::new());
    written(&brain, "busy", "Does a thing. Use when asked.\n").await;
    let mut edits = tokio::task::JoinSet::new();
    for n in 0..100 {
        let brain = std::sync::Arc::clone(&brain);
        edits.spawn(async move {
            let content = format!("Does a thing. Use when asked.\n\nEdit {n} of many.\n");
            brain.manage(json!({"action": "edit", "name": "busy", "content": content})).await
        });
    }
    let mut versions: Vec<u32> = Vec::new();
    while let Some(result) = edits.join_next().await {
        let result = result.unwrap();
        let [Effect::SkillChanged { to_version: Some(version), .. }] = &result.effects[..] else {
            panic!("{}", result.text)
        };
        versions.push(version.parse().unwrap());
    }
    versions.sort_unstable();
    assert_eq!(versions, (2..=101).collect::<Vec<u32>>());
    let text = fs::read_to_string(brain.skills().join("busy.md")).unwrap();
    assert!(text.contains("version: \"101\"\n") && text.ends_with(" of many.\n"), "{text}");
    assert_eq!(text.matches("Edit ").count(), 1, "{text}");
}

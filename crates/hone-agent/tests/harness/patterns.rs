//! `pattern_search`: the best section of each file, by rare words.

use std::fs;
use std::path::Path;

use hone_agent::step::Outcome;
use hone_agent::tools::Tool;
use hone_agent::tools::patterns::{
    MAX_PATTERNS, MAX_QUERY_WORDS, MAX_SECTION_CHARS, MAX_SECTIONS, PatternSearch,
};
use serde_json::json;

use crate::script::call;

fn tools(folder: &Path) -> Vec<Box<dyn Tool>> {
    vec![Box::new(PatternSearch::open(folder).unwrap())]
}

fn library() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    put(
        "reentrancy.md",
        "# Reentrancy\n\nCall last.\n\n## Guards\n\nUse a mutex on the contract.\n",
    );
    put("oracles/twap.md", "# Oracles\n\nPrefer a TWAP over a spot price of the contract.\n");
    put("access.md", "# Access\n\nWho may call the contract?\n");
    put("notes.txt", "mutex mutex mutex\n");
    folder
}

#[tokio::test]
async fn the_section_with_the_rarest_words_comes_first() {
    let folder = library();
    let found = call(
        &tools(folder.path()),
        "pattern_search",
        json!({"query": "contract mutex", "limit": 2}),
    )
    .await;
    assert_eq!((found.outcome, found.summary.as_str()), (Outcome::Ok, "3 patterns"));
    let expected = "## reentrancy.md › Guards\n\nUse a mutex on the contract.\n\n## access.md › Access\n\nWho may \
                    call the contract?\n\n[1 more files have some of these words]\n";
    assert_eq!(found.text, expected);
}

#[tokio::test]
async fn a_name_finds_its_file() {
    let folder = library();
    let found =
        call(&tools(folder.path()), "pattern_search", json!({"query": "TWAP", "limit": 1})).await;
    assert!(found.text.starts_with("## oracles/twap.md › Oracles\n"), "{}", found.text);
}

#[tokio::test]
async fn words_that_are_nowhere_are_told() {
    let folder = library();
    let found = call(&tools(folder.path()), "pattern_search", json!({"query": "zebra ?!"})).await;
    assert_eq!(found.text, "No pattern has any of these words; there are 3 files.\n");
}

#[tokio::test]
async fn a_section_is_given_up_to_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    for (name, length) in [("fits", MAX_SECTION_CHARS), ("over", MAX_SECTION_CHARS + 1)] {
        let text = format!("{:x<length$}", "zebra ");
        std::fs::write(folder.path().join(format!("{name}.md")), text).unwrap();
        let found = call(&tools(folder.path()), "pattern_search", json!({"query": name})).await;
        assert_eq!(found.text.contains("[the rest is left out]"), name == "over", "{name}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_out_of_the_folder_is_not_read() {
    let (folder, outside) = (library(), tempfile::tempdir().unwrap());
    std::fs::write(outside.path().join("secret.md"), "zebra\n").unwrap();
    std::os::unix::fs::symlink(outside.path().join("secret.md"), folder.path().join("zebra.md"))
        .unwrap();
    let found = call(&tools(folder.path()), "pattern_search", json!({"query": "zebra"})).await;
    assert_eq!(found.summary, "0 patterns");
}

#[tokio::test]
async fn words_sections_and_files_count_to_their_limits() {
    let folder = tempfile::tempdir().unwrap();
    let tools = tools(folder.path());
    let search = async |query: &str| call(&tools, "pattern_search", json!({"query": query})).await;

    fs::write(folder.path().join("a.md"), "zebra\n").unwrap();
    let words = |before: usize| "ox ".repeat(before) + "zebra";
    assert_eq!(search(&words(MAX_QUERY_WORDS - 1)).await.summary, "1 patterns");
    assert_eq!(search(&words(MAX_QUERY_WORDS)).await.summary, "0 patterns");

    let headings = |count: usize| "# x\n".repeat(count - 1) + "# zebra\n";
    fs::write(folder.path().join("a.md"), headings(MAX_SECTIONS)).unwrap();
    assert_eq!(search("zebra").await.summary, "1 patterns");
    fs::write(folder.path().join("a.md"), headings(MAX_SECTIONS + 1)).unwrap();
    assert_eq!(search("zebra").await.summary, "0 patterns");

    fs::remove_file(folder.path().join("a.md")).unwrap();
    for n in 1..MAX_PATTERNS {
        fs::write(folder.path().join(format!("{n:05}.md")), "ox\n").unwrap();
    }
    fs::write(folder.path().join("z.md"), "zebra\n").unwrap();
    assert_eq!(search("zebra").await.summary, "1 patterns");
    fs::write(folder.path().join("00000.md"), "ox\n").unwrap();
    let over = search("zebra").await;
    assert!(over.summary == "0 patterns" && over.text.contains("[there is more"), "{}", over.text);
}

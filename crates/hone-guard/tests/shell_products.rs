//! Products of what shell can read, change and send, fetch, decode and run: each must be blocked, and
//! its harmless twin must not.

mod products;

fn script(text: &str) -> String {
    format!("#!/usr/bin/env bash\n{text}\n")
}

macro_rules! groups {
    ($($name:ident $title:literal;)*) => {
        $(#[test]
        fn $name() {
            right(&group($title).wrong("scripts/run.sh", script));
        })*
    };
}

groups! {
    printed_secrets_are_followed "what a command prints reaches one that sends its input";
    secret_files_are_followed "a secret file reaches a command that sends files";
    folders_of_secrets_are_followed "folders and patterns of secrets";
    fetched_texts_are_followed "a fetched text reaches an interpreter";
    fetched_words_are_followed "a fetched text is given to a shell as words or as a file";
    downloads_are_followed "a download is started";
    encoded_texts_are_followed "an encoded text reaches an interpreter";
    fetched_texts_that_run_by_themselves_are_seen "a fetched text is made to run by itself";
    single_keys_are_followed "single keys reach a host that is not theirs";
    commands_left_to_run_are_seen "a command is left where it runs by itself";
    what_a_person_did_is_followed "what a person did or said reaches a stranger";
    start_up_scripts_are_seen "a start-up script is written";
    schedulers_are_seen "a command is given to a scheduler";
    opened_doors_are_seen "what protects the machine is opened or taken away";
    destruction_is_seen "things are destroyed";
    unchecked_agents_are_seen "an agent is started without its checks";
    shells_on_connections_are_seen "a shell is tied to a connection";
}

fn group(title: &str) -> products::Group<'static> {
    let groups = products::parse(include_str!("products/shell.products"));
    groups.into_iter().find(|found| found.title == title).expect("a group of that title")
}

fn right(wrong: &str) {
    assert!(wrong.is_empty(), "{wrong}");
}

/// The groups whose shapes a recipe and a block of a document have room for.
const ON_ONE_LINE: [&str; 5] = [
    "what a command prints reaches one that sends its input",
    "a secret file reaches a command that sends files",
    "a fetched text reaches an interpreter",
    "a download is started",
    "an encoded text reaches an interpreter",
];

#[test]
fn recipes_of_makefiles_are_followed() {
    let recipe = |text: &str| {
        let lines: Vec<String> = text.lines().map(|line| format!("\t@{line}")).collect();
        format!(".PHONY: notes\n\nnotes:\n{}\n", lines.join("\n").replace('$', "$$"))
    };
    for title in ON_ONE_LINE {
        right(&group(title).on_one_line().wrong("Makefile", recipe));
    }
}

/// What a block of a document does not show: a bucket and a remote are to be filled in, and a vendor's
/// package is installed in many an honest one.
const UNSAID_BY_DOCUMENTS: [&str; 10] = [
    "s3://",
    "gs://",
    "rclone",
    "dpkg -i",
    "rpm -i",
    "apt install",
    "insmod",
    "docker load",
    "java -jar",
    "xdg-open",
];

#[test]
fn blocks_of_documents_are_followed() {
    for title in ON_ONE_LINE {
        let group = group(title).without(&UNSAID_BY_DOCUMENTS);
        right(&group.wrong("SKILL.md", |text| format!("```bash\n{text}\n```\n")));
    }
}

#[test]
fn harmless_deletions_are_left_alone() {
    right(&group("harmless deletions").blocked("scripts/run.sh", script));
}

#[test]
fn fish_is_followed() {
    let fish = |text: &str| format!("#!/usr/bin/env fish\n{text}\n");
    for title in ["fish does the same", "fish prints every variable"] {
        right(&group(title).wrong("scripts/run.fish", fish));
    }
}

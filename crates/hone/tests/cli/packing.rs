//! `hone agent snapshot`, `restore` and `prune`, and the snapshots that follow tasks.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, SystemTime};

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::agents::{Server, answer, call};
use crate::harness::{Hone, Sandbox, transcript};
use crate::lineage::masked;

/// Replies of a task that notes something.
fn noting(key: &str, value: &str) -> Vec<String> {
    vec![
        call("list_files", json!({})),
        call("note", json!({"key": key, "value": value})),
        answer("done"),
    ]
}

/// Replies of a task that learns nothing.
fn looking() -> Vec<String> {
    vec![call("list_files", json!({})), answer("done")]
}

/// Writes a key file.
fn key(sandbox: &Sandbox, name: &str, byte: u8) {
    sandbox.write(name, [byte; 32]);
    fs::set_permissions(sandbox.path(name), fs::Permissions::from_mode(0o600)).unwrap();
}

/// A sandbox with `ada`, who knows something, and a key and a store that no configuration names.
fn taught() -> Sandbox {
    let server = Server::says(&noting("apples", "cost 120 cents"));
    let sandbox = server.sandbox();
    sandbox.done("run ada learn");
    key(&sandbox, "home/key", 7);
    sandbox
}

/// The command with store and key from the environment, as a machine that has nothing else has them.
fn stateless<'s>(sandbox: &'s Sandbox, line: &str) -> Hone<'s> {
    sandbox
        .hone(line)
        .env("HONE_SNAPSHOT_STORE", sandbox.path("store"))
        .env("HONE_SNAPSHOT_KEY_FILE", sandbox.path("home/key"))
}

fn packed(sandbox: &Sandbox) -> Value {
    let run = stateless(sandbox, "agent snapshot ada --json").run();
    assert_eq!(run.code, 0, "{run}");
    run.json()
}

fn wipe(sandbox: &Sandbox) {
    fs::remove_dir_all(sandbox.path("state")).unwrap();
}

#[test]
fn a_wiped_agent_comes_back_by_its_name_alone_and_goes_on() {
    let mut replies = noting("apples", "cost 120 cents");
    replies.extend(looking());
    let server = Server::says(&replies);
    let sandbox = server.sandbox();
    sandbox.done("run ada learn");
    key(&sandbox, "home/key", 7);
    let before = sandbox.hone("agent hash ada --json").run().json();
    let config = sandbox.read("state/config.toml");

    let first = packed(&sandbox);
    assert_eq!(
        (&first["new"], &first["number"], &first["version"]),
        (&json!(true), &json!(1), &json!(2))
    );
    let objects = sandbox.files("store");
    let again = packed(&sandbox);
    assert_eq!(
        (&again["new"], &again["number"], &again["bytes"]),
        (&json!(false), &json!(1), &json!(0))
    );
    assert_eq!(sandbox.files("store"), objects, "the same state twice writes nothing");

    wipe(&sandbox);
    assert_snapshot!(masked(&stateless(&sandbox, "agent restore ada").run().to_string()), @"
    exit: 0
    --- stdout
    restored version 2 of ada from snapshot 1 in file://[TEMP]/store: 7 files, [N] kB, signed as receipt 2
    --- stderr
    note: the key that signed it was not known here; from now on it is [HEX]
    ");
    let after = sandbox.hone("agent hash ada --json").run().json();
    for field in ["bundle", "knowledge", "activity", "version", "key"] {
        assert_eq!(after[field], before[field], "{field}");
    }
    // It signs with the key that came back, and what it knew is there.
    sandbox.write("state/config.toml", config);
    let run = sandbox.hone("run ada 'go on'").run();
    assert_eq!(run.code, 0, "{run}");
    let key = before["key"].as_str().unwrap();
    assert_snapshot!(masked(&sandbox.hone(&format!("agent verify ada --key {key}")).run().to_string()), @"
    exit: 0
    --- stdout
    4 receipts of ada hold, 2 of them about tasks
    the last one is sha256:[HEX]
    2 transcripts fit, 0 are not there
    the brain is in the state that was signed last
    ");
    assert!(sandbox.hone("agent log ada").run().text().contains("fact apples: cost 120 cents"));
}

#[test]
fn without_a_store_or_a_key_nothing_is_packed() {
    let sandbox = taught();
    sandbox.write("home/open", [1; 32]);
    fs::set_permissions(sandbox.path("home/open"), fs::Permissions::from_mode(0o644)).unwrap();
    assert_snapshot!(transcript(&sandbox, &[
        "agent snapshot ada",
        "agent snapshot ada --to ../store",
        "agent snapshot ada --to ../store --key-file ../home/open",
        "agent snapshot ada --to ftp://host/x --key-file ../home/key",
        "agent snapshot bob --to ../store --key-file ../home/key",
        "agent restore ada",
        "agent restore cy --from ../store --key-file ../home/key",
    ]), @r#"
    $ hone agent snapshot ada
    exit: 2
    --- stderr
    error: there is no store for the snapshots of `ada`
    hint: name one: `--to STORE` or `--from STORE`, the variable HONE_SNAPSHOT_STORE, or `hone config set snapshots.store STORE`

    $ hone agent snapshot ada --to ../store
    exit: 2
    --- stderr
    error: there is no key for snapshots, and without one nothing is packed or opened
    hint: make one with `head -c 32 /dev/urandom > KEY && chmod 600 KEY`, keep a copy elsewhere, and name it: `--key-file KEY`, HONE_SNAPSHOT_KEY_FILE, or `hone config set snapshots.key_file KEY`; or set HONE_SNAPSHOT_PASSPHRASE

    $ hone agent snapshot ada --to ../store --key-file ../home/open
    exit: 2
    --- stderr
    error: the key for snapshots, `~/open`: others may read it (mode 644); chmod 600 it

    $ hone agent snapshot ada --to ftp://host/x --key-file ../home/key
    exit: 2
    --- stderr
    error: `ftp://host/x` names no store: Unable to recognise URL "ftp://host/x"; give file:///FOLDER, s3://BUCKET/…, gs://BUCKET/… or az://CONTAINER/…

    $ hone agent snapshot bob --to ../store --key-file ../home/key
    exit: 1
    --- stderr
    error: there is no agent `bob`
    hint: there are: ada

    $ hone agent restore ada
    exit: 2
    --- stderr
    error: there is no store for the snapshots of `ada`
    hint: name one: `--to STORE` or `--from STORE`, the variable HONE_SNAPSHOT_STORE, or `hone config set snapshots.store STORE`

    $ hone agent restore cy --from ../store --key-file ../home/key
    exit: 1
    --- stderr
    error: the store has no snapshot of the agent `cy`
    hint: `--list` shows the snapshots that are there
    "#);
    let run = sandbox
        .hone("agent snapshot ada --to ../store")
        .env("HONE_SNAPSHOT_PASSPHRASE", "too short")
        .run();
    assert!(run.errors().contains("shorter than 12 bytes"), "{run}");
    assert_eq!(sandbox.files("store"), Vec::<String>::new());
}

#[test]
fn what_is_not_what_was_packed_is_refused_and_nothing_appears() {
    let sandbox = taught();
    packed(&sandbox);
    let occupied = stateless(&sandbox, "agent restore ada").run();
    assert_eq!(occupied.code, 1, "{occupied}");
    let known = sandbox.read("state/snapshots.json");
    let whole = sandbox.files("store");
    wipe(&sandbox);

    key(&sandbox, "home/other", 8);
    let wrong = stateless(&sandbox, "agent restore ada --key-file ../home/other").run();
    assert_snapshot!(wrong, @"
    exit: 1
    --- stderr
    error: `agents/ada/snapshots/000000000001` is sealed under another key than the one given
    hint: give the key that the snapshot was taken with
    ");
    let other = "00".repeat(31) + "05";
    let stranger = stateless(&sandbox, &format!("agent restore ada --key {other}")).run();
    assert_ne!(stranger.code, 0, "{stranger}");

    for file in &whole {
        let path = sandbox.path("store").join(file);
        let good = fs::read(&path).unwrap();
        let mut flipped = good.clone();
        let middle = flipped.len() / 2;
        flipped[middle] ^= 1;
        for bad in [flipped, good[..good.len() - 1].to_vec()] {
            fs::write(&path, bad).unwrap();
            let run = stateless(&sandbox, "agent restore ada").run();
            assert_eq!(run.code, 1, "{file}\n{run}");
            assert!(run.errors().contains("damaged or not genuine"), "{file}\n{run}");
        }
        fs::write(&path, good).unwrap();
    }
    // A store that was set back to nothing, as far as this machine knows.
    sandbox.write("state/snapshots.json", known.replace("\"number\": 1", "\"number\": 2"));
    assert_snapshot!(stateless(&sandbox, "agent restore ada").run(), @"
    exit: 1
    --- stderr
    error: the newest snapshot in the store is 1, but 2 is known here: the store was set back; name a snapshot if you want an older one
    hint: find out who changed the store; `--number N` restores a snapshot that you name
    ");
    let agents = sandbox.files("state/agents");
    assert_eq!(agents, [".hone-restore-ada.lock"]);
    // Who names it gets it.
    let run = stateless(&sandbox, "agent restore ada --number 1").run();
    assert_eq!(run.code, 0, "{run}");
}

/// Starts a command, and kills it once `is_under_way` says so; false when it was over before.
fn killed(mut hone: std::process::Command, is_under_way: impl Fn() -> bool) -> bool {
    let mut child = hone.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while !is_under_way() {
        if child.try_wait().unwrap().is_some() {
            return false;
        }
        std::thread::yield_now();
    }
    child.kill().unwrap();
    !child.wait().unwrap().success()
}

fn has(folder: &Path, start: &str) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name()).any(|name| name.to_string_lossy().starts_with(start))
}

#[test]
fn killed_while_it_packs_or_restores_it_leaves_all_or_nothing() {
    let sandbox = taught();
    let agents = sandbox.path("state/agents");
    for n in 0..40 {
        let words: Vec<String> =
            (0..20_000).map(|at| (at * (n + 7) % 65_521).to_string()).collect();
        let text = words.join(" ");
        sandbox.write(&format!("state/agents/ada/patterns/{n}.md"), text);
    }
    sandbox.done("agent hash ada");
    let store = sandbox.path("store/agents/ada");
    let objects = store.join("objects");
    let moments: [&dyn Fn() -> bool; 2] =
        [&|| has(&agents, ".hone-snapshot-ada.tmp-"), &|| has(&objects, "")];
    for moment in moments {
        let cut = killed(stateless(&sandbox, "agent snapshot ada").command(), moment);
        let list = stateless(&sandbox, "agent snapshot ada --list --json").run().json();
        let taken = list["snapshots"].as_array().unwrap().len();
        assert!(taken <= 1 && (cut || taken == 1), "{list}");
    }
    packed(&sandbox);
    let before = sandbox.hone("agent hash ada --json").run().json();

    let restored =
        |sandbox: &Sandbox| sandbox.hone("agent hash ada --json").run().json()["knowledge"].clone();
    wipe(&sandbox);
    let cut = killed(stateless(&sandbox, "agent restore ada").command(), || {
        has(&agents, ".hone-restore-ada.tmp-")
    });
    if agents.join("ada").exists() {
        assert_eq!(restored(&sandbox), before["knowledge"]);
        wipe(&sandbox);
    } else {
        assert!(cut);
    }
    let run = stateless(&sandbox, "agent restore ada").run();
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(restored(&sandbox), before["knowledge"]);
    assert!(!has(&agents, ".hone-restore-ada.tmp-"), "what the dead one left is gone");
}

#[test]
fn an_agent_is_packed_after_a_task_that_taught_it_something() {
    let mut replies = noting("apples", "cost 120 cents");
    replies.extend(looking());
    replies.extend(noting("pears", "cost 90 cents"));
    replies.extend(looking());
    let server = Server::says(&replies);
    let sandbox = server.sandbox();
    key(&sandbox, "home/key", 7);
    sandbox.done("config set snapshots.store ~/packed");
    sandbox.done("config set snapshots.key_file ~/key");
    let last =
        |run: &crate::harness::Run| run.errors().lines().last().unwrap_or_default().to_owned();

    let run = sandbox.hone("run ada learn").run();
    assert_eq!(
        (run.code, last(&run).as_str()),
        (0, "packed: version 2 of ada as snapshot 1"),
        "{run}"
    );
    let run = sandbox.hone("run ada look").run();
    assert!(last(&run).starts_with("signed: "), "{run}");

    // A store that fails does not concern the task, and is tried again after the next one.
    fs::rename(sandbox.path("home/packed"), sandbox.path("home/away")).unwrap();
    sandbox.write("home/packed", "a file in the way");
    let run = sandbox.hone("run ada --json learn").run();
    assert_eq!(run.code, 0, "{run}");
    let line: Value = serde_json::from_str(run.text().lines().last().unwrap()).unwrap();
    assert_eq!((&line["event"], &line["number"]), (&json!("snapshot"), &json!(null)), "{line}");
    assert!(line["error"].is_string(), "{line}");
    fs::remove_file(sandbox.path("home/packed")).unwrap();
    fs::rename(sandbox.path("home/away"), sandbox.path("home/packed")).unwrap();
    let run = sandbox.hone("run ada look").run();
    assert_eq!(last(&run), "packed: version 3 of ada as snapshot 2", "{run}");

    sandbox.done("config set snapshots.automatic false");
    let list = sandbox.hone("agent snapshot ada --list --json").run().json();
    let versions: Vec<&Value> =
        list["snapshots"].as_array().unwrap().iter().map(|one| &one["version"]).collect();
    assert_eq!(versions, [&json!(3), &json!(2)]);
}

#[test]
fn an_older_version_comes_back_and_takes_the_place_of_the_newest_only_on_demand() {
    let mut replies = noting("apples", "cost 120 cents");
    replies.extend(noting("apples", "cost 130 cents"));
    let server = Server::says(&replies);
    let sandbox = server.sandbox();
    key(&sandbox, "home/key", 7);
    for _ in 0..2 {
        sandbox.done("run ada learn");
        packed(&sandbox);
    }
    assert_snapshot!(masked(&stateless(&sandbox, "agent restore ada --list").run().to_string()), @"
    exit: 0
    --- stdout
        2  [TIME]  v3    8 files, [N] kB, 3 receipts
        1  [TIME]  v2    7 files, [N] kB, 2 receipts
    ");
    fs::remove_dir_all(sandbox.path("state/agents/ada")).unwrap();
    let none = stateless(&sandbox, "agent restore ada --version 9").run();
    assert_eq!(none.code, 1, "{none}");
    let run = stateless(&sandbox, "agent restore ada --version 2").run();
    assert_eq!(run.code, 0, "{run}");
    assert_snapshot!(stateless(&sandbox, "agent snapshot ada").run(), @"
    exit: 1
    --- stderr
    error: the newest snapshot (2) has receipts that this brain has not: this brain is older, or another one; restore first, or say that this one replaces it
    hint: restore the newest one elsewhere and compare, or take this one with `--replace`
    ");
    let run = stateless(&sandbox, "agent snapshot ada --replace --json").run();
    assert_eq!((&run.json()["number"], &run.json()["version"]), (&json!(3), &json!(2)), "{run}");
}

#[test]
fn old_snapshots_go_and_what_the_kept_one_needs_stays() {
    let mut replies = Vec::new();
    for n in 0..3 {
        replies.extend(noting("apples", &format!("cost {n} cents")));
    }
    let server = Server::says(&replies);
    let sandbox = server.sandbox();
    key(&sandbox, "home/key", 7);
    for _ in 0..3 {
        sandbox.done("run ada learn");
        packed(&sandbox);
    }
    let young = stateless(&sandbox, "agent prune ada --keep 1 --json").run().json();
    assert_eq!(
        (&young["kept"], &young["snapshots"], &young["objects"]),
        (&json!(3), &json!(0), &json!(0))
    );
    let old = SystemTime::now() - Duration::from_secs(25 * 3600);
    for file in sandbox.files("store") {
        let file = fs::File::options().write(true).open(sandbox.path("store").join(file)).unwrap();
        file.set_modified(old).unwrap();
    }
    let pruned = stateless(&sandbox, "agent prune ada --keep 1 --json").run().json();
    assert_eq!((&pruned["kept"], &pruned["snapshots"]), (&json!(1), &json!(2)));
    wipe(&sandbox);
    let run = stateless(&sandbox, "agent restore ada").run();
    assert_eq!(run.code, 0, "{run}");
    assert!(run.text().starts_with("restored version 4 of ada from snapshot 3 in "), "{run}");
    let usage = stateless(&sandbox, "agent prune ada --keep 0").run();
    assert_eq!(usage.code, 2, "{usage}");
}

#[test]
fn a_snapshot_that_failed_is_told_and_made_up_for_without_a_task() {
    let server = Server::says(&noting("apples", "cost 120 cents"));
    let sandbox = server.sandbox();
    key(&sandbox, "home/key", 7);
    sandbox.done("config set snapshots.store ~/packed");
    sandbox.done("config set snapshots.key_file ~/key");
    sandbox.write("home/packed", "a file in the way");
    let run = sandbox.hone("run ada learn").run();
    assert_eq!(run.code, 0, "{run}");
    let last = run.errors().lines().last().unwrap_or_default().to_owned();
    assert!(last.ends_with("or now with `hone agent snapshot ada`"), "{run}");
    let shown = sandbox.hone("agent show ada").run();
    assert!(shown.errors().starts_with("note: version 2 is not packed, file://"), "{shown}");
    assert_eq!(sandbox.hone("agent show ada --json").run().json()["unpacked"], json!(2));
    let run = sandbox.hone("agent snapshot").run();
    assert_eq!(run.code, 2, "{run}");
    assert!(run.errors().ends_with("error: 1 of 1 agents could not be packed\n"), "{run}");

    fs::remove_file(sandbox.path("home/packed")).unwrap();
    let run = sandbox.hone("agent snapshot").run();
    assert!(run.text().starts_with("packed version 2 of ada as snapshot 1 in file://"), "{run}");
    assert_eq!(sandbox.hone("agent show ada").run().errors(), "");
    let run = sandbox.hone("agent snapshot").run();
    assert_eq!(
        (run.code, run.errors()),
        (0, "nothing to pack: no agent with a store moved since its newest snapshot\n".to_owned())
    );
}

/// The files of `ada` that a command opened, by their names.
fn opened(sandbox: &Sandbox, line: &str) -> Vec<String> {
    let trace = sandbox.path("trace");
    let words = ["strace", "-f", "-qq", "-e", "trace=openat,openat2", "-o"];
    let words = [&words[..], &[trace.to_str().unwrap()]].concat();
    let run = stateless(sandbox, line).run_under(&words);
    assert_eq!(run.code, 0, "{run}");
    let text = fs::read_to_string(&trace).unwrap();
    let names = text.lines().filter(|line| !line.contains("O_DIRECTORY"));
    let names = names.filter_map(|line| Some(line.split('"').nth(1)?.to_owned()));
    names.filter(|name| name.contains("memory.db") || name.contains(".md")).collect()
}

#[test]
fn an_unchanged_agent_is_told_by_what_the_system_says_of_its_files() {
    let sandbox = taught();
    assert_eq!(packed(&sandbox)["new"], json!(true));
    // As soon as the times of all files lie long enough ago to be believed, none is opened.
    while !opened(&sandbox, "agent snapshot ada").is_empty() {}
    let objects = sandbox.files("store");
    assert_eq!(opened(&sandbox, "agent snapshot ada"), Vec::<String>::new());
    let full = opened(&sandbox, "agent snapshot ada --full");
    assert!(full.iter().any(|name| name.ends_with("memory.db")), "{full:?}");
    assert_eq!(sandbox.files("store"), objects);

    // The same size and the same time of the last write: the time of the change gives it away.
    let path = sandbox.path("state/agents/ada/USER.md");
    let (text, about) = (fs::read_to_string(&path).unwrap(), fs::metadata(&path).unwrap());
    fs::write(&path, text.replace("120", "999")).unwrap();
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(about.modified().unwrap()).unwrap();
    assert_eq!(fs::metadata(&path).unwrap().len(), about.len());
    let again = packed(&sandbox);
    assert_eq!((&again["new"], &again["number"]), (&json!(true), &json!(2)));

    // What is remembered goes with the agent.
    assert_eq!(fs::read_dir(sandbox.path("state/snapshots.seen/ada")).unwrap().count(), 1);
    sandbox.done("agent rm ada --yes");
    assert!(!sandbox.path("state/snapshots.seen/ada").exists());
}

const SKILL: &str = "---\nname: prices\ndescription: Looks prices up. Use when somebody asks for one.\n---\n1. Read prices.csv.\n";

#[test]
fn what_tasks_changed_is_shown_on_another_machine_too() {
    let server = Server::says(&[
        call("list_files", json!({})),
        call("skill_manage", json!({"action": "create", "name": "prices", "content": SKILL})),
        call("note", json!({"key": "apples", "value": "cost 120 cents"})),
        answer("done"),
    ]);
    let sandbox = server.sandbox();
    sandbox.done("run ada 'what are the prices?'");
    key(&sandbox, "home/key", 7);
    let log = || masked(&sandbox.hone("agent log ada --diff").run().to_string());
    let before = log();
    assert!(before.contains("+1. Read prices.csv.\n"), "{before}");
    packed(&sandbox);
    wipe(&sandbox);
    let run = stateless(&sandbox, "agent restore ada").run();
    assert_eq!(run.code, 0, "{run}");
    assert_eq!(log(), before);
}

#[test]
fn another_key_in_its_place_is_put_away_for_the_one_that_signs() {
    let mut replies = noting("apples", "cost 120 cents");
    replies.extend(looking());
    let server = Server::says(&replies);
    let sandbox = server.sandbox();
    sandbox.done("run ada learn");
    key(&sandbox, "home/key", 7);
    let config = sandbox.read("state/config.toml");
    let good = sandbox.read("state/keys/ada.pem");
    packed(&sandbox);
    wipe(&sandbox);
    // Somebody else's agent of that name was here once.
    sandbox.done("agent new ada");
    sandbox.write("project/prices.md", SKILL);
    sandbox.done("new prices --agent ada --file prices.md");
    let other = sandbox.read("state/keys/ada.pem");
    sandbox.done("agent rm ada --yes");
    if !sandbox.path("state/keys/ada.pem").exists() {
        sandbox.write("state/keys/ada.pem", &other);
        let path = sandbox.path("state/keys/ada.pem");
        fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    let run = stateless(&sandbox, "agent restore ada --json").run();
    assert_eq!((run.code, &run.json()["signer"]), (0, &json!("snapshot")), "{run}");
    assert_eq!(sandbox.read("state/keys/ada.pem"), good);
    assert_eq!(sandbox.read("state/keys/ada.1.pem"), other);
    sandbox.write("state/config.toml", config);
    sandbox.done("run ada 'go on'");
    sandbox.done("agent verify ada");
}

#[test]
fn json_is_one_document_whatever_there_is_to_pack() {
    let server = Server::says(&noting("apples", "cost 120 cents"));
    let sandbox = server.sandbox();
    sandbox.done("run ada learn");
    key(&sandbox, "home/key", 7);
    let all = || stateless(&sandbox, "agent snapshot --json").run();
    let first = all().json();
    assert_eq!((&first["taken"][0]["agent"], &first["failed"]), (&json!("ada"), &json!([])));
    assert_eq!(all().json(), json!({"taken": [], "failed": []}));
}

#[test]
fn receipts_that_do_not_hold_are_told_when_they_are_packed() {
    let sandbox = taught();
    let path = "state/agents/ada/receipts.jsonl";
    let altered = sandbox.read(path).replacen("\"at\":", "\"at\":1", 1);
    sandbox.write(path, altered);
    let run = stateless(&sandbox, "agent snapshot ada").run();
    assert_snapshot!(run, @"
    exit: 1
    --- stderr
    error: the receipts do not hold: receipt 0, signature: it does not fit the receipt; something was changed
    hint: `hone agent verify ID` names every place; an older snapshot may hold: `--list` shows them, `--number N` restores one
    ");
    assert_eq!(sandbox.files("store"), Vec::<String>::new());
}

#[test]
fn r13_a_restored_agent_starts_with_what_it_learned_and_not_with_its_seed() {
    let mut replies = noting("apples", "cost 120 cents");
    replies.extend(looking());
    let server = Server::says(&replies);
    let sandbox = server.sandbox();
    sandbox.write("project/seed/skills/prices/SKILL.md", SKILL);
    sandbox.done("agent update ada --seed seed");
    sandbox.done("run ada learn");
    sandbox
        .done("patch prices --agent ada --old 'Read prices.csv.' --new 'Read prices.csv twice.'");
    key(&sandbox, "home/key", 7);
    let config = sandbox.read("state/config.toml");
    packed(&sandbox);
    wipe(&sandbox);
    let run = stateless(&sandbox, "agent restore ada").run();
    assert_eq!(run.code, 0, "{run}");
    sandbox.write("state/config.toml", config);
    sandbox.done("run ada 'go on'");
    let skill = "state/agents/ada/skills/prices/SKILL.md";
    let learned = sandbox.read(skill);
    assert!(learned.contains("Read prices.csv twice."), "{learned}");
    sandbox.done("agent update ada --seed seed");
    assert_eq!(sandbox.read(skill), learned);
}

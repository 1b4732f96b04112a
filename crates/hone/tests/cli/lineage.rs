//! `hone agent hash`, `receipts`, `verify`, `proof`, `log` and `rotate`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::PermissionsExt as _;
use std::process::Stdio;

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::agents::{Server, answer, call};
use crate::harness::Sandbox;
use crate::serve::harness::Server as Serving;

/// Without what differs from run to run: digests, keys, ids of tasks, sizes.
pub(crate) fn masked(text: &str) -> String {
    let mut masked = String::new();
    let mut rest = text;
    while !rest.is_empty() {
        let bytes = rest.as_bytes();
        let run = |is: fn(&u8) -> bool| bytes.iter().take_while(|byte| is(byte)).count();
        let digits = run(u8::is_ascii_digit);
        let hex = run(u8::is_ascii_hexdigit);
        let is_id = digits == 8
            && rest.get(8..9) == Some("T")
            && rest.get(15..17) == Some("Z-")
            && rest.len() >= 25;
        let is_size =
            digits > 0 && [" kB", " bytes"].iter().any(|unit| rest[digits..].starts_with(unit));
        let (word, length) = match () {
            () if hex >= 64 => ("[HEX]", hex),
            () if is_id => ("[TASK]", 25),
            () if is_size => ("[N]", digits),
            () if digits > 0 => (&rest[..digits], digits),
            () => {
                let first = rest.chars().next().unwrap().len_utf8();
                (&rest[..first], first)
            }
        };
        masked.push_str(word);
        rest = &rest[length..];
    }
    masked
}

const SKILL: &str = "---\nname: prices\ndescription: Looks prices up. Use when somebody asks for one.\n---\n1. Read prices.csv.\n";

/// A sandbox with `ada` after three tasks: a skill and a fact, the same of both changed, nothing.
fn ada() -> Sandbox {
    let server = Server::says(&[
        call("read_file", json!({"path": "prices.csv"})),
        call("skill_manage", json!({"action": "create", "name": "prices", "content": SKILL})),
        call("note", json!({"key": "apples", "value": "cost 120 cents", "shared": true})),
        answer("120"),
        call(
            "skill_manage",
            json!({
                "action": "patch",
                "name": "prices",
                "old": "Read prices.csv.",
                "new": "Read prices.csv, then say the date.",
            }),
        ),
        call("note", json!({"key": "apples", "value": "cost 130 cents", "shared": true})),
        call("list_files", json!({})),
        answer("130"),
        call("list_files", json!({})),
        answer("nothing new"),
    ]);
    let sandbox = server.sandbox();
    // What a task writes has to be about the task, or the gate does not let it in.
    for task in ["'what are the prices?'", "'prices, and the date'", "three"] {
        let run = sandbox.hone(&format!("run ada {task}")).run();
        assert_eq!(run.code, 0, "{run}");
    }
    sandbox
}

fn shown(sandbox: &Sandbox, lines: &[&str]) -> String {
    masked(&crate::harness::transcript(sandbox, lines))
}

fn receipts(sandbox: &Sandbox) -> Vec<Value> {
    let lines = sandbox.read("state/agents/ada/receipts.jsonl");
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn a_brain_says_where_it_stands_and_what_was_signed() {
    let sandbox = ada();
    assert_snapshot!(shown(&sandbox, &["agent hash ada", "agent receipts ada", "agent verify ada"]), @"
    $ hone agent hash ada
    exit: 0
    --- stdout
    bundle     sha256:[HEX]
    knowledge  sha256:[HEX]
    activity   sha256:[HEX]
    version    3
    key        [HEX]
    as the last receipt signed it

    $ hone agent receipts ada
    exit: 0
    --- stdout
        0  [TIME]  created    v1
        1  [TIME]  task       v2    [TASK] answered
        2  [TIME]  task       v3    [TASK] answered
        3  [TIME]  task       v3    [TASK] answered

    $ hone agent verify ada
    exit: 0
    --- stdout
    4 receipts of ada hold, 3 of them about tasks
    the last one is sha256:[HEX]
    3 transcripts fit, 0 are not there
    the brain is in the state that was signed last
    ");
    sandbox.write("state/agents/ada/system.md", "You are somebody else.\n");
    assert_snapshot!(shown(&sandbox, &["agent hash ada", "agent verify ada"]), @"
    $ hone agent hash ada
    exit: 0
    --- stdout
    bundle     sha256:[HEX]
    knowledge  sha256:[HEX]
    activity   sha256:[HEX]
    version    4
    key        [HEX]
    changed since the last receipt:
      system.md

    $ hone agent verify ada
    exit: 1
    --- stdout
    the brain, state: it is not the state that was signed last: changed outside, by its lock file `system.md`
    ");
    sandbox.write("state/agents/ada/surprise.txt", "x\n");
    assert_snapshot!(shown(&sandbox, &["agent hash ada"]), @"
    $ hone agent hash ada
    exit: 2
    --- stderr
    error: `[STATE]/agents/ada/surprise.txt` does not belong to a brain; move it away
    ");
}

#[test]
fn versions_are_told_with_their_skills_and_facts_and_what_changed_in_them() {
    let sandbox = ada();
    assert_snapshot!(shown(&sandbox, &["agent log ada --diff", "agent log ada --limit 1"]), @r#"
    $ hone agent log ada --diff
    exit: 0
    --- stdout
    v3  [TIME]  task [TASK]
        changed skill prices
        fact apples (everybody's): cost 130 cents (was: cost 120 cents)
    --- a/skills/prices.md
    +++ b/skills/prices.md
    @@ -4,4 +4,4 @@
     metadata:
       version: "1"
     ---
    -1. Read prices.csv.
    +1. Read prices.csv, then say the date.
    v2  [TIME]  task [TASK]
        new skill prices
        fact apples (everybody's): cost 120 cents
    --- /dev/null
    +++ b/skills/prices.md
    @@ -0,0 +1,7 @@
    +---
    +name: prices
    +description: Looks prices up. Use when somebody asks for one.
    +metadata:
    +  version: "1"
    +---
    +1. Read prices.csv.
    v1  [TIME]  created

    $ hone agent log ada --limit 1
    exit: 0
    --- stdout
    v3  [TIME]  task [TASK]
        changed skill prices
        fact apples (everybody's): cost 130 cents (was: cost 120 cents)
    --- stderr
    and 2 older; `--limit` shows more
    "#);
    let log = sandbox.hone("agent log ada --json --diff").run().json();
    assert_eq!(
        log["versions"][0]["fact_changes"],
        json!([{"key": "apples", "subscriber": null, "before": "cost 120 cents", "after": "cost 130 cents"}])
    );
    assert_eq!(log["versions"][0]["files"][0]["status"], "changed");
}

#[test]
fn a_change_by_hand_is_told_with_what_was_there_before() {
    let server = Server::says(&[answer("I see."), answer("I see.")]);
    let sandbox = server.sandbox();
    sandbox.write("state/agents/ada/agent.toml", "evidence = \"optional\"\n");
    sandbox.done("run ada hello");
    sandbox.write("state/agents/ada/system.md", "You are somebody else.\n");
    sandbox.done("run ada hello");
    let log = sandbox.hone("agent log ada --diff").run();
    assert_snapshot!(masked(&log.to_string()), @"
    exit: 0
    --- stdout
    v2  [TIME]  outside
        changed system.md
    --- a/system.md
    +++ b/system.md
    @@ -1 +1 @@
    -You are Ada.
    +You are somebody else.
    v1  [TIME]  created
    ");
}

#[test]
fn whatever_a_command_writes_into_a_brain_is_signed_as_that() {
    let server = Server::says(&[answer("I see.")]);
    let sandbox = server.sandbox();
    sandbox.write("state/agents/ada/agent.toml", "evidence = \"optional\"\n");
    sandbox.done("run ada hello");
    sandbox.write("project/prices.md", SKILL);
    sandbox.write("project/dearer.md", SKILL.replace("Read prices.csv.", "Read dearer.csv."));
    sandbox.write("project/seed/patterns/first.md", "call before effect\n");
    sandbox.skill("shelf", "tidy", "Tidies. Use when a release is near.");
    let mut kinds = vec!["created", "task"];
    for (line, kind) in [
        ("new prices --agent ada --file prices.md", "edited"),
        ("new prices --agent ada --file dearer.md --upsert --dry-run", ""),
        ("edit prices --agent ada --file dearer.md", "edited"),
        ("patch prices --agent ada --old dearer.csv --new cheaper.csv", "edited"),
        ("file add prices references/a.md --agent ada --file prices.csv", "edited"),
        ("pin prices --agent ada", ""),
        ("unpin prices --agent ada", ""),
        ("file rm prices references/a.md --agent ada", "edited"),
        ("rollback prices --agent ada", "edited"),
        ("rm prices --agent ada", "edited"),
        ("rollback prices --agent ada", "edited"),
        ("archive prices --agent ada", "learned"),
        ("restore prices --agent ada", "learned"),
        ("agent update ada --seed seed", "edited"),
        ("agent update ada --seed seed", ""),
        ("add ../shelf --root ../state/agents/ada/skills --user --yes", "edited"),
        ("remove tidy --user", "edited"),
    ] {
        sandbox.done(line);
        kinds.extend(Some(kind).filter(|kind| !kind.is_empty()));
        let signed = receipts(&sandbox);
        let signed: Vec<&str> = signed.iter().map(|one| one["kind"].as_str().unwrap()).collect();
        assert_eq!(signed, kinds, "{line}");
        sandbox.done("agent verify ada");
    }
    let broken = "---\nname: Prices\ndescription: Use when asked.\n---\nDo it.\n";
    sandbox.write("state/agents/ada/skills/prices/SKILL.md", broken);
    sandbox.done("check --fix ../state/agents/ada/skills/prices");
    let signed = receipts(&sandbox);
    let last: Vec<&Value> = signed.iter().rev().take(2).map(|one| &one["kind"]).collect();
    assert_eq!(last, ["edited", "outside"]);
    sandbox.done("agent verify ada");
    let log = sandbox.hone("agent log ada --diff --limit 1").run().text();
    assert!(log.contains("-name: Prices\n+name: prices\n"), "{log}");
}

#[test]
fn what_a_client_writes_into_a_brain_is_signed_through_every_door() {
    let sandbox = Sandbox::new();
    sandbox.done("agent new ada");
    let server = Serving::start(&sandbox, "--agent ada");
    let new = |name: &str| SKILL.replace("name: prices", &format!("name: {name}"));
    let made = json!({"name": "prices", "content": new("prices")});
    assert_eq!(server.send("POST /api/v1/skills", &made).status, 201);
    sandbox.done("agent verify ada");
    let planned =
        server.send("PUT /api/v1/skills/prices?dry_run=true", &json!({"content": new("prices")}));
    assert_eq!(planned.status, 200, "{}", planned.text());
    let patch = json!({"action": "patch", "name": "prices", "old": "Read prices.csv.", "new": "Read prices.csv first."});
    let said = server.tool("skill_manage", &patch);
    assert_eq!(said["isError"], false, "{said}");
    sandbox.done("agent verify ada");
    let signed = receipts(&sandbox);
    let kinds: Vec<&str> = signed.iter().map(|one| one["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["created", "edited", "edited"]);
    assert_eq!(signed[2]["changes"], json!(["skills/prices/SKILL.md"]));
}

#[test]
fn a_chain_that_was_touched_breaks_at_its_index_and_field() {
    let sandbox = ada();
    let file = "state/agents/ada/receipts.jsonl";
    let good = sandbox.read(file);
    let key = receipts(&sandbox)[0]["key"].as_str().unwrap().to_owned();
    let lines: Vec<&str> = good.lines().collect();
    let costs = lines[2].replacen("\"turns\":", "\"turns\":9", 1);
    let touched = [lines[0], lines[1], &costs, lines[3]].join("\n") + "\n";
    sandbox.write("project/touched.jsonl", touched);
    sandbox.write("project/gap.jsonl", [lines[0], lines[1], lines[3]].join("\n") + "\n");
    sandbox.write("project/torn.jsonl", &good[..good.len() - 20]);
    sandbox.write("project/good.jsonl", &good);
    let line = |file: &str| format!("agent verify {file}.jsonl --key {key}");
    let lines = ["good", "touched", "gap", "torn"].map(line);
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let other = "5866666666666666666666666666666666666666666666666666666666666666";
    let stranger = format!("agent verify good.jsonl --key {other}");
    assert_snapshot!(shown(&sandbox, &[&lines[..], &[&stranger, "agent verify good.jsonl"]].concat()), @"
    $ hone agent verify good.jsonl --key [HEX]
    exit: 0
    --- stdout
    4 receipts of ada hold, 3 of them about tasks
    the last one is sha256:[HEX]

    $ hone agent verify touched.jsonl --key [HEX]
    exit: 1
    --- stdout
    receipt 2, signature: it does not fit the receipt; something was changed
    receipt 3, previous: it is not the receipt before

    $ hone agent verify gap.jsonl --key [HEX]
    exit: 1
    --- stdout
    receipt 2, index: it says 3 at place 2
    receipt 2, previous: it is not the receipt before
    receipt 2, before: it is not the state after the receipt before

    $ hone agent verify torn.jsonl --key [HEX]
    exit: 0
    --- stdout
    3 receipts of ada hold, 2 of them about tasks
    the last one is sha256:[HEX]
    --- stderr
    note: the last line was cut short; it counts as not written

    $ hone agent verify good.jsonl --key [HEX]
    exit: 1
    --- stdout
    receipt 0, key: signed by [HEX], expected [HEX]
    receipt 1, key: signed by [HEX], expected [HEX]
    receipt 2, key: signed by [HEX], expected [HEX]
    receipt 3, key: signed by [HEX], expected [HEX]

    $ hone agent verify good.jsonl
    exit: 2
    --- stderr
    error: `--key` is needed: the public key to check against
    hint: the agent's owner sees it with `hone agent hash ID`: the first key, where there are two
    ");
    // A transcript that was touched is told by the receipt that signed it.
    let task = receipts(&sandbox)[2]["task"]["id"].as_str().unwrap().to_owned();
    let transcript = format!("state/agents/ada/transcripts/{task}.jsonl");
    let text = sandbox.read(&transcript).replace("130", "99");
    fs::write(sandbox.path(&transcript), text).unwrap();
    assert_snapshot!(shown(&sandbox, &["agent verify ada"]), @"
    $ hone agent verify ada
    exit: 1
    --- stdout
    receipt 2, task.transcript: the transcript on the disk is not the one that was signed
    ");
    fs::remove_file(sandbox.path(&transcript)).unwrap();
    assert_snapshot!(shown(&sandbox, &["agent verify ada"]), @"
    $ hone agent verify ada
    exit: 1
    --- stdout
    receipt 2, task.transcript: the transcript that was signed is not there
    ");
}

#[test]
fn receipts_that_are_gone_or_altered_are_noticed() {
    let sandbox = ada();
    let file = sandbox.path("state/agents/ada/receipts.jsonl");
    let whole = fs::read_to_string(&file).unwrap();
    let altered = {
        let mut lines: Vec<String> = whole.lines().map(str::to_owned).collect();
        let last = lines.last_mut().unwrap();
        *last = last.replace("\"agent\":\"ada\"", "\"agent\":\"bob\"");
        lines.join("\n") + "\n"
    };
    fs::write(&file, altered).unwrap();
    let stopped = sandbox.hone("run ada four").run();
    assert_eq!(stopped.code, 2, "{stopped}");
    assert!(stopped.to_string().contains("the last receipt is damaged (signature"), "{stopped}");
    let shortened: Vec<&str> = whole.lines().take(2).collect();
    fs::write(&file, shortened.join("\n") + "\n").unwrap();
    let short = sandbox.hone("agent verify ada").run();
    fs::write(&file, "").unwrap();
    let none = sandbox.hone("agent verify ada").run();
    fs::write(sandbox.path("project/empty.jsonl"), "").unwrap();
    let key = whole.lines().next().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let key = key.unwrap()["key"].as_str().unwrap().to_owned();
    let file = sandbox.hone(&format!("agent verify empty.jsonl --key {key}")).run();
    sandbox.hone("agent new bob").run();
    let new = sandbox.hone("agent verify bob").run();
    assert_eq!((short.code, none.code, file.code, new.code), (1, 1, 1, 1));
    assert!(short.to_string().contains("receipts: there are 2, and 4 were written"), "{short}");
    assert!(none.to_string().contains("receipts: there are 0, and 4 were written"), "{none}");
    assert!(file.to_string().contains("receipts: there are none, so nothing is proven"), "{file}");
    assert!(new.to_string().contains("nothing of bob is signed yet"), "{new}");
}

#[test]
fn one_step_is_cut_out_and_checked_alone() {
    let sandbox = ada();
    let signed = receipts(&sandbox);
    let (task, key) =
        (signed[1]["task"]["id"].as_str().unwrap(), signed[1]["key"].as_str().unwrap());
    let proof = sandbox.hone(&format!("agent proof ada {task} 2")).run();
    assert_eq!(proof.code, 0, "{proof}");
    sandbox.write("project/step.json", &proof.stdout);
    sandbox.write("project/forged.json", proof.text().replace("prices.csv", "secret.csv"));
    let check = format!("agent verify step.json --key {key}");
    let forged = format!("agent verify forged.json --key {key}");
    let none = format!("agent proof ada {task} 99");
    assert_snapshot!(shown(&sandbox, &[&check, &forged, &none, "agent proof ada nothing 0"]), @"
    $ hone agent verify step.json --key [HEX]
    exit: 0
    --- stdout
    step 2 of the task [TASK] of ada is as it was signed

    $ hone agent verify forged.json --key [HEX]
    exit: 1
    --- stdout
    receipt 1, step: the step does not lead to the transcript's root: it was changed, or is from elsewhere

    $ hone agent proof ada [TASK] 99
    exit: 1
    --- stderr
    error: the task has no step 99
    hint: they are 0 to 8

    $ hone agent proof ada nothing 0
    exit: 1
    --- stderr
    error: ada has no receipt of a task `nothing`
    hint: `hone agent receipts ada` lists the tasks
    ");
}

#[test]
fn the_key_is_handed_over_and_the_old_one_still_proves_the_past() {
    let sandbox = ada();
    let first = receipts(&sandbox)[0]["key"].as_str().unwrap().to_owned();
    assert_snapshot!(shown(&sandbox, &["agent rotate ada", "agent verify ada"]), @"
    $ hone agent rotate ada
    exit: 0
    --- stdout
    ada signs with [HEX] from here on

    $ hone agent verify ada
    exit: 0
    --- stdout
    5 receipts of ada hold, 3 of them about tasks
    the last one is sha256:[HEX]
    the key was handed over once, now [HEX]
    3 transcripts fit, 0 are not there
    the brain is in the state that was signed last
    ");
    let last = receipts(&sandbox).pop().unwrap();
    assert_eq!(last["kind"], "handover");
    let run = sandbox.hone(&format!("agent verify state --key {first}")).run();
    assert_ne!(run.code, 0, "{run}");
    let file = sandbox.path("state/agents/ada/receipts.jsonl");
    let run = sandbox.hone("agent verify").arg(file).arg("--key").arg(first).run();
    assert_eq!(run.code, 0, "{run}");
    // The old key is kept, for its owner alone.
    assert_eq!(sandbox.files("state/keys"), ["ada.1.pem", "ada.pem"]);
}

#[test]
fn a_brain_that_lost_its_receipts_says_so_everywhere() {
    let server = Server::says(&[answer("I see."), answer("I see.")]);
    let sandbox = server.sandbox();
    sandbox.write("state/agents/ada/agent.toml", "evidence = \"optional\"\n");
    sandbox.done("run ada hello");
    for file in ["receipts.jsonl", "bundle.lock.json"] {
        fs::remove_file(sandbox.path("state/agents/ada").join(file)).unwrap();
    }
    let lines = ["run ada hello", "agent receipts ada", "agent log ada", "agent verify ada"];
    assert_snapshot!(shown(&sandbox, &lines), @"
    $ hone run ada hello
    exit: 2
    --- stderr
    ada asks script-1 (the configuration)
    error: `[STATE]/agents/ada/receipts.jsonl` has no receipt of the task [TASK], which the agent has done: receipts are gone; bring the file back, or restore a snapshot

    $ hone agent receipts ada
    exit: 2
    --- stderr
    error: `[STATE]/agents/ada/receipts.jsonl` has no receipt of the task [TASK], which the agent has done: receipts are gone; bring the file back, or restore a snapshot

    $ hone agent log ada
    exit: 2
    --- stderr
    error: `[STATE]/agents/ada/receipts.jsonl` has no receipt of the task [TASK], which the agent has done: receipts are gone; bring the file back, or restore a snapshot

    $ hone agent verify ada
    exit: 1
    --- stdout
    the brain, receipts: there are none, so nothing is proven
    the brain, receipts: none is about the task [TASK]
    ");
    assert_eq!(server.asked().len(), 1, "the model was not asked again");
}

#[test]
fn verify_names_transcripts_without_a_receipt_and_a_lock_file_that_lies() {
    let sandbox = ada();
    let lock = sandbox.read("state/agents/ada/bundle.lock.json");
    let lying = lock.replace("\"version\": 3", "\"version\": 99");
    assert_ne!(lock, lying);
    sandbox.write("state/agents/ada/bundle.lock.json", lying);
    sandbox.write("state/agents/ada/transcripts/20260101T000000Z-00000000.jsonl", "{}\n");
    assert_snapshot!(shown(&sandbox, &["agent verify ada"]), @"
    $ hone agent verify ada
    exit: 1
    --- stdout
    the brain, receipts: none is about the task [TASK]
    the brain, bundle.lock.json: it is not about the state that was signed last; its next task writes it anew
    ");
    // What a task that is not over yet has written is nobody's loss.
    sandbox.write("state/agents/ada/bundle.lock.json", lock);
    let journal = json!({"task": "20260101T000000Z-00000000", "position": 0});
    sandbox.write("state/agents/ada/task.json", journal.to_string());
    sandbox.done("agent verify ada");
}

#[test]
fn verify_waits_for_the_task_that_has_the_brain() {
    let sandbox = ada();
    let lock =
        fs::File::options().write(true).open(sandbox.path("state/agents/ada/task.lock")).unwrap();
    lock.lock().unwrap();
    let system = sandbox.read("state/agents/ada/system.md");
    sandbox.write("state/agents/ada/system.md", "half a task\n");
    let mut command = sandbox.hone("agent verify ada").command();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut errors = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    errors.read_line(&mut line).unwrap();
    assert!(line.starts_with("note: waiting for "), "{line}");
    sandbox.write("state/agents/ada/system.md", system);
    drop(lock);
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

#[test]
fn what_can_be_verified_is_a_file_and_a_damaged_proof_is_told_as_that() {
    let sandbox = ada();
    let signed = receipts(&sandbox);
    let (task, key) =
        (signed[1]["task"]["id"].as_str().unwrap(), signed[1]["key"].as_str().unwrap());
    let proof = sandbox.hone(&format!("agent proof ada {task} 2")).run().text();
    let more = proof.replacen("\"index\"", "\"more\": 1, \"index\"", 1);
    assert_ne!(proof, more);
    sandbox.write("project/more.json", more);
    sandbox.write("project/cut.json", &proof[..60]);
    let made = std::process::Command::new("mkfifo").arg(sandbox.path("project/pipe")).status();
    assert!(made.unwrap().success());
    let lines = ["more.json", "cut.json", "pipe", "missing/receipts.jsonl"]
        .map(|file| format!("agent verify {file} --key {key}"));
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    assert_snapshot!(shown(&sandbox, &lines), @"
    $ hone agent verify more.json --key [HEX]
    exit: 1
    --- stdout
    the file, proof: it is damaged: unknown field `more`, expected one of `schema`, `kind`, `index`, `agent`, `at`, `before`, `after`, `changes`, `task`, `handover`, `previous`, `key`, `signature` at line 1 column 87

    $ hone agent verify cut.json --key [HEX]
    exit: 1
    --- stdout
    the file, proof: it is damaged: EOF while parsing a string at line 1 column 60

    $ hone agent verify pipe --key [HEX]
    exit: 2
    --- stderr
    error: `pipe` is no regular file
    hint: write it into a file first

    $ hone agent verify missing/receipts.jsonl --key [HEX]
    exit: 2
    --- stderr
    error: there is no file `missing/receipts.jsonl`
    hint: give an agent, a brain's folder, a file of receipts, or a proof of one step
    ");
}

#[test]
fn the_first_key_is_shown_and_asked_for_after_a_hand_over() {
    let sandbox = ada();
    let first = receipts(&sandbox)[0]["key"].as_str().unwrap().to_owned();
    sandbox.done("agent rotate ada");
    let hash = sandbox.hone("agent hash ada --json").run().json();
    assert_eq!(hash["first_key"], json!(first));
    let new = hash["key"].as_str().unwrap().to_owned();
    assert_ne!(new, first);
    sandbox.write("project/receipts.jsonl", sandbox.read("state/agents/ada/receipts.jsonl"));
    let late = format!("agent verify receipts.jsonl --key {new}");
    let good = format!("agent verify receipts.jsonl --key {first}");
    assert_snapshot!(shown(&sandbox, &["agent hash ada", &late, &good]), @"
    $ hone agent hash ada
    exit: 0
    --- stdout
    bundle     sha256:[HEX]
    knowledge  sha256:[HEX]
    activity   sha256:[HEX]
    version    3
    key        [HEX]
    first key  [HEX] (`hone agent verify --key` takes this one)
    as the last receipt signed it

    $ hone agent verify receipts.jsonl --key [HEX]
    exit: 1
    --- stdout
    receipt 0, key: signed by [HEX], expected [HEX], which signs from receipt 5 on; give the first key

    $ hone agent verify receipts.jsonl --key [HEX]
    exit: 0
    --- stdout
    5 receipts of ada hold, 3 of them about tasks
    the last one is sha256:[HEX]
    the key was handed over once, now [HEX]
    ");
}

#[test]
fn looking_at_an_agent_that_did_nothing_yet_makes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.done("agent new bob");
    sandbox.write("home/key", [7; 32]);
    fs::set_permissions(sandbox.path("home/key"), fs::Permissions::from_mode(0o600)).unwrap();
    let pack = "agent snapshot bob --to ../store --key-file ../home/key";
    let lines = ["agent verify bob", "agent receipts bob", "agent log bob", pack];
    assert_snapshot!(shown(&sandbox, &lines), @"
    $ hone agent verify bob
    exit: 1
    --- stderr
    error: nothing of bob is signed yet
    hint: its first task is

    $ hone agent receipts bob
    exit: 0
    --- stderr
    nothing is signed yet; the first task does it

    $ hone agent log bob
    exit: 0
    --- stderr
    nothing is signed yet; the first task does it

    $ hone agent snapshot bob --to ../store --key-file ../home/key
    exit: 1
    --- stderr
    error: `[STATE]/agents/bob` has no receipts yet: its first task, or the first change through hone, signs how it was made
    ");
    assert_eq!(sandbox.files("state/keys"), Vec::<String>::new());
}

#[test]
fn on_a_narrow_terminal_receipts_take_two_lines_and_lose_nothing_but_the_end_of_an_id() {
    let sandbox = ada();
    let wide = sandbox.hone("agent receipts ada").on_terminal(80, 24).text();
    assert_eq!(wide.lines().count(), 4, "{wide}");
    assert_eq!(wide.matches("answered").count(), 3, "{wide}");
    let narrow = sandbox.hone("agent receipts ada").on_terminal(40, 24).text();
    assert_eq!(narrow.lines().count(), 8, "{narrow}");
    assert!(narrow.lines().all(|line| line.trim_end().chars().count() <= 40), "{narrow}");
    for words in ["created v1", "task v2 answered ", "task v3 answered "] {
        assert!(narrow.contains(words), "{words}: {narrow}");
    }
}

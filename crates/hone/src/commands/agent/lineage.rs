//! `hone agent hash`, `receipts`, `verify`, `proof` and `rotate`.

use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use hone_agent::brain::Brain;
use hone_agent::lineage::chain::{self, Checked};
use hone_agent::lineage::proof::leaf;
use hone_agent::lineage::receipt::{Kind, State};
use hone_agent::lineage::{PublicKey, RECEIPTS_FILE, Standing, StepProof, keeper, merkle, state};
use hone_library::usage::iso;

use super::failure;
use super::folder::hold;
use crate::context::{Context, now};
use crate::json::lineage::{AgentHash, AgentReceipts, BrokenAt, Verified};
use crate::output::{Failure, NO, Outcome, count, print, print_json, say};
use crate::terminal::{columns, fit, printable_line, stdout_is_terminal};

/// Names of changed members that are told.
const MAX_TOLD: usize = 5;
/// Bytes of a proof that is read.
const MAX_PROOF_BYTES: u64 = 64 * 1024 * 1024;

pub(super) fn find(context: &Context, id: &str) -> Result<Brain, Failure> {
    Brain::find(&context.around.hone_home, id).map_err(failure)
}

pub(crate) fn hash(context: &Context, id: &str, as_json: bool) -> Outcome {
    let brain = find(context, id)?;
    let _held = hold(&brain, "hone agent hash")?;
    let lineage = brain.lineage().map_err(failure)?;
    let current = lineage.current();
    let (standing, changes) = match lineage.standing() {
        Standing::New => ("new", Vec::new()),
        Standing::Same => ("same", Vec::new()),
        Standing::Changed(names) => ("changed", names),
    };
    let key = lineage.key().map(|key| key.to_string());
    if as_json {
        return print_json(&AgentHash {
            agent: id.to_owned(),
            bundle: current.whole().to_string(),
            knowledge: current.knowledge.to_string(),
            activity: current.activity.to_string(),
            version: current.version,
            standing,
            changes,
            key,
        });
    }
    let mut text = format!(
        "bundle     {}\nknowledge  {}\nactivity   {}\nversion    {}\n",
        current.whole(),
        current.knowledge,
        current.activity,
        current.version
    );
    if let Some(key) = key {
        let _ = writeln!(text, "key        {key}");
    }
    match standing {
        "same" => text.push_str("as the last receipt signed it\n"),
        "new" => text.push_str("nothing is signed yet\n"),
        _ => text.push_str("changed since the last receipt:\n"),
    }
    for name in changes {
        let _ = writeln!(text, "  {}", printable_line(&name));
    }
    print(&text)
}

pub(super) fn kind(kind: Kind) -> String {
    serde_json::to_value(kind)
        .ok()
        .and_then(|kind| Some(kind.as_str()?.to_owned()))
        .unwrap_or_default()
}

fn times(number: u64) -> String {
    if number == 1 { "once".to_owned() } else { format!("{number} times") }
}

pub(super) fn time(at: u64) -> String {
    let text = iso(i64::try_from(at).unwrap_or(i64::MAX));
    text.split('.').next().unwrap_or(&text).trim_end_matches('Z').replace('T', " ") + "Z"
}

pub(crate) fn receipts(context: &Context, id: &str, as_json: bool) -> Outcome {
    let receipts = find(context, id)?.receipts().map_err(failure)?;
    if as_json {
        let receipts = receipts.iter().map(|one| serde_json::to_value(one).unwrap_or_default());
        return print_json(&AgentReceipts { receipts: receipts.collect() });
    }
    if receipts.is_empty() {
        say("nothing is signed yet; the first task does it");
    }
    let room = if stdout_is_terminal() { columns() } else { usize::MAX };
    let mut text = String::new();
    for receipt in &receipts {
        let what = match &receipt.task {
            Some(task) => format!("{} {}", task.id, task.outcome),
            None => receipt.changes.join(", "),
        };
        let line = format!(
            "{:>5}  {}  {:9}  v{:<4} {}",
            receipt.index,
            time(receipt.at),
            kind(receipt.kind),
            receipt.after.version,
            printable_line(&what)
        );
        let _ = writeln!(text, "{}", fit(line.trim_end(), room));
    }
    print(&text)
}

pub(crate) fn verify(context: &Context, what: &str, key: Option<&str>, as_json: bool) -> Outcome {
    let path = context.around.cwd.join(what);
    let brain = if path.exists() { None } else { Some(find(context, what)?) };
    let key = match (key, &brain) {
        (Some(key), _) => {
            PublicKey::find(key).map_err(|error| Failure::failed(error.to_string(), ""))?
        }
        (None, Some(brain)) => brain.signing_key().map_err(failure)?.public(),
        (None, None) => {
            let hint = "the agent's owner sees it with `hone agent hash ID`";
            return Err(Failure::failed(
                "`--key` is needed: the public key to check against",
                hint,
            ));
        }
    };
    let folder = brain
        .as_ref()
        .map(|brain| brain.folder.clone())
        .or_else(|| path.is_dir().then(|| path.clone()));
    let file = folder.as_ref().map_or(path, |folder| folder.join(RECEIPTS_FILE));
    // As many receipts as a brain says that it has must be there.
    let written = match &folder {
        Some(folder) => {
            keeper::read_lock(folder).map_err(|error| Failure::failed(error.to_string(), ""))?
        }
        None => None,
    };
    let written = written.map_or(0, |lock| lock.receipts);
    if folder.is_some() && written == 0 && !file.exists() {
        return Err(Failure::no(format!("nothing of {what} is signed yet"), "its first task is"));
    }
    if folder.is_none()
        && let Some(proof) = proof_in(&file)?
    {
        return verify_proof(&proof, key, as_json);
    }
    let checked = chain::check(&file, first_key(brain.as_ref(), key))
        .map_err(|error| Failure::failed(error.to_string(), ""))?;
    let lost = if checked.receipts < written {
        Some(format!("there are {}, and {written} were written", checked.receipts))
    } else {
        (checked.receipts == 0).then(|| "there are none, so nothing is proven".to_owned())
    };
    let lost = lost.map(|why| BrokenAt { index: None, field: "receipts".to_owned(), why });
    let breaks = checked.breaks.iter().map(|one| BrokenAt {
        index: Some(one.index),
        field: one.field.clone(),
        why: one.why.clone(),
    });
    let mut broken: Vec<BrokenAt> = lost.into_iter().chain(breaks).collect();
    let (mut fitting, mut missing) = (0, 0);
    if let Some(folder) = &folder {
        transcripts(folder, &file, &mut fitting, &mut missing, &mut broken)?;
        match state::state(folder, &hone_agent::brain::LAYOUT) {
            Ok(found) => {
                let is_other = |last: &State| {
                    (last.knowledge, last.activity) != (found.knowledge, found.activity)
                };
                if let Some(last) = checked.last.filter(is_other) {
                    let names = keeper::differing_from(folder, &last, &found);
                    let mut why =
                        "it is not the state that was signed last: changed outside".to_owned();
                    for (at, name) in names.iter().take(MAX_TOLD).enumerate() {
                        let before = if at == 0 { ", by its lock file" } else { "," };
                        let _ = write!(why, "{before} `{name}`");
                    }
                    if names.len() > MAX_TOLD {
                        let _ = write!(why, " and {} more", names.len() - MAX_TOLD);
                    }
                    broken.push(BrokenAt { index: None, field: "state".to_owned(), why });
                }
            }
            Err(error) => broken.push(BrokenAt {
                index: None,
                field: "state".to_owned(),
                why: error.to_string(),
            }),
        }
    }
    report(&checked, folder.is_some(), fitting, missing, broken, as_json)
}

/// The key of the first receipt, when the owner asks about a brain whose key was handed over since.
fn first_key(brain: Option<&Brain>, key: PublicKey) -> PublicKey {
    let Some(brain) = brain else { return key };
    let receipts = brain.receipts().unwrap_or_default();
    let handed: Vec<PublicKey> =
        receipts.iter().filter_map(|one| Some(one.handover.as_ref()?.key)).collect();
    match receipts.first() {
        Some(first) if handed.last() == Some(&key) => first.key,
        _ => key,
    }
}

fn report(
    checked: &Checked,
    has_folder: bool,
    transcripts: u64,
    transcripts_missing: u64,
    breaks: Vec<BrokenAt>,
    as_json: bool,
) -> Outcome {
    let holds = checked.holds() && breaks.is_empty();
    let code = if holds { ExitCode::SUCCESS } else { ExitCode::from(NO) };
    if as_json {
        let verified = Verified {
            holds,
            agent: checked.agent.clone(),
            receipts: checked.receipts,
            tasks: checked.tasks,
            handovers: checked.handovers,
            key: checked.key.to_string(),
            head: checked.head.map(|head| head.to_string()),
            transcripts,
            transcripts_missing,
            breaks,
        };
        return print_json(&verified).map(|_| code);
    }
    let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let mut text = String::new();
    for one in &breaks {
        let place = one.index.map_or("the brain".to_owned(), |index| format!("receipt {index}"));
        let _ = writeln!(text, "{place}, {}: {}", one.field, printable_line(&one.why));
    }
    if checked.more_breaks > 0 {
        let _ = writeln!(text, "and {} more", checked.more_breaks);
    }
    if holds {
        let agent = checked.agent.as_deref().unwrap_or("nobody");
        let _ = writeln!(
            text,
            "{} of {} hold, {} of them about tasks",
            count(number(checked.receipts), "receipt"),
            printable_line(agent),
            checked.tasks
        );
        if let Some(head) = checked.head {
            let _ = writeln!(text, "the last one is {head}");
        }
        if checked.handovers > 0 {
            let _ = writeln!(
                text,
                "the key was handed over {}, now {}",
                times(checked.handovers),
                checked.key
            );
        }
        if has_folder {
            let _ = writeln!(
                text,
                "{} {}, {transcripts_missing} {} not there",
                count(number(transcripts), "transcript"),
                if transcripts == 1 { "fits" } else { "fit" },
                if transcripts_missing == 1 { "is" } else { "are" },
            );
            text.push_str("the brain is in the state that was signed last\n");
        }
    }
    if checked.torn > 0 {
        say("note: the last line was cut short; it counts as not written");
    }
    print(&text).map(|_| code)
}

/// Compares the transcripts of a brain with the roots that its receipts name.
fn transcripts(
    folder: &Path,
    file: &Path,
    fitting: &mut u64,
    missing: &mut u64,
    broken: &mut Vec<BrokenAt>,
) -> Result<(), Failure> {
    let read = chain::read(file, |index, receipt| {
        let Some(task) = receipt.ok().and_then(|receipt| receipt.task) else { return };
        // The id is a stranger's word until its signature was checked.
        let is_name = task.id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let path = folder.join("transcripts").join(format!("{}.jsonl", task.id));
        let Some(text) = is_name.then(|| std::fs::read_to_string(path).ok()).flatten() else {
            if task.transcript.steps > 0 {
                *missing += 1;
                broken.push(BrokenAt {
                    index: Some(index),
                    field: "task.transcript".to_owned(),
                    why: "the transcript that was signed is not there".to_owned(),
                });
            }
            return;
        };
        let leaves: Option<Vec<_>> =
            text.lines().map(|line| Some(leaf(&serde_json::from_str(line).ok()?))).collect();
        let fits = leaves.is_some_and(|leaves| {
            leaves.len() as u64 == task.transcript.steps
                && merkle::root(&leaves) == task.transcript.root
        });
        if fits {
            *fitting += 1;
        } else {
            broken.push(BrokenAt {
                index: Some(index),
                field: "task.transcript".to_owned(),
                why: "the transcript on the disk is not the one that was signed".to_owned(),
            });
        }
    });
    read.map(drop).map_err(|error| Failure::failed(error.to_string(), ""))
}

/// The proof of a step in a file; none when it is no such file.
fn proof_in(file: &Path) -> Result<Option<StepProof>, Failure> {
    let about = std::fs::metadata(file)
        .map_err(|error| Failure::failed(format!("`{}`: {error}", file.display()), ""))?;
    if about.len() > MAX_PROOF_BYTES {
        return Ok(None);
    }
    let bytes = std::fs::read(file)?;
    Ok(serde_json::from_slice(&bytes).ok())
}

fn verify_proof(proof: &StepProof, key: PublicKey, as_json: bool) -> Outcome {
    let broken = if proof.receipt.key == key {
        proof.check().err().map(|why| ("step", why.to_string()))
    } else {
        Some(("key", format!("signed by {}", proof.receipt.key)))
    };
    let code = if broken.is_none() { ExitCode::SUCCESS } else { ExitCode::from(NO) };
    if as_json {
        let breaks = broken.map(|(field, why)| BrokenAt {
            index: Some(proof.receipt.index),
            field: field.to_owned(),
            why,
        });
        let verified = Verified {
            holds: breaks.is_none(),
            agent: Some(proof.receipt.agent.clone()),
            receipts: 1,
            tasks: 1,
            handovers: 0,
            key: key.to_string(),
            head: Some(proof.receipt.digest().to_string()),
            transcripts: 0,
            transcripts_missing: 0,
            breaks: breaks.into_iter().collect(),
        };
        return print_json(&verified).map(|_| code);
    }
    let text = match broken {
        Some((field, why)) => {
            format!("receipt {}, {field}: {}\n", proof.receipt.index, printable_line(&why))
        }
        None => format!(
            "step {} of the task {} of {} is as it was signed\n",
            proof.index,
            printable_line(proof.receipt.task.as_ref().map_or("", |task| &task.id)),
            printable_line(&proof.receipt.agent)
        ),
    };
    print(&text).map(|_| code)
}

pub(crate) fn proof(context: &Context, id: &str, task: &str, step: usize) -> Outcome {
    let brain = find(context, id)?;
    let receipts = brain.receipts().map_err(failure)?;
    let receipt = receipts.iter().find(|one| one.task.as_ref().is_some_and(|of| of.id == task));
    let hint = format!("`hone agent receipts {id}` lists the tasks");
    let receipt = receipt
        .ok_or_else(|| Failure::no(format!("{id} has no receipt of a task `{task}`"), &hint))?;
    let transcript = brain.transcript(task).map_err(failure)?.unwrap_or_default();
    let proof = StepProof::cut(receipt, &transcript, step).ok_or_else(|| {
        let steps = transcript.len().saturating_sub(1);
        Failure::no(format!("the task has no step {step}"), &format!("they are 0 to {steps}"))
    })?;
    print_json(&proof)
}

pub(crate) fn rotate(context: &Context, id: &str) -> Outcome {
    let brain = find(context, id)?;
    let _held = hold(&brain, "hone agent rotate")?;
    let at = u64::try_from(now()).unwrap_or(0);
    let key = brain.rotate_key(at).map_err(failure)?;
    print(&format!("{id} signs with {key} from here on\n"))
}

//! `hone agent hash`, `receipts`, `verify`, `proof` and `rotate`.

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::ExitCode;

use hone_agent::brain::{Brain, BrainError};
use hone_agent::lineage::chain::{self, Checked};
use hone_agent::lineage::proof::{self, leaf};
use hone_agent::lineage::receipt::{Kind, State, TaskMark};
use hone_agent::lineage::{
    LOCK_FILE, PublicKey, RECEIPTS_FILE, SigningKey, Standing, StepProof, keeper, merkle, state,
};
use serde_json::Value;

use super::failure;
use super::folder::hold;
use crate::context::{Context, now, to_the_second};
use crate::json::lineage::{AgentHash, AgentReceipts, BrokenAt, Verified};
use crate::output::{Failure, NO, Outcome, count, print, print_json, say};
use crate::terminal::{columns, fit, printable_line, stdout_is_terminal};

/// Names of changed members that are told.
const MAX_TOLD: usize = 5;
/// Columns from which on a receipt has room in one line.
const WIDE: usize = 80;
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
    let first = brain.first_receipt().map_err(failure)?.map(|first| first.key.to_string());
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
            first_key: first,
        });
    }
    let mut text = format!(
        "bundle     {}\nknowledge  {}\nactivity   {}\nversion    {}\n",
        current.whole(),
        current.knowledge,
        current.activity,
        current.version
    );
    if let Some(key) = &key {
        let _ = writeln!(text, "key        {key}");
    }
    if let Some(first) = first.filter(|first| Some(first) != key.as_ref()) {
        let _ = writeln!(text, "first key  {first} (`hone agent verify --key` takes this one)");
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
    to_the_second(i64::try_from(at).unwrap_or(i64::MAX))
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
            Some(task) if room < WIDE => format!("{} {}", task.outcome, task.id),
            Some(task) => format!("{} {}", task.id, task.outcome),
            None => receipt.changes.join(", "),
        };
        let (index, at) = (receipt.index, time(receipt.at));
        let (kind, version) = (kind(receipt.kind), receipt.after.version);
        let what = printable_line(&what);
        let lines = if room < WIDE {
            vec![format!("{index:>5}  {at}"), format!("       {kind} v{version} {what}")]
        } else {
            vec![format!("{index:>5}  {at}  {kind:9}  v{version:<4} {what}")]
        };
        for line in lines {
            let _ = writeln!(text, "{}", fit(line.trim_end(), room));
        }
    }
    print(&text)
}

pub(crate) fn verify(context: &Context, what: &str, key: Option<&str>, as_json: bool) -> Outcome {
    let path = context.around.cwd.join(what);
    let brain = if path.exists() { None } else { Some(named(context, what)?) };
    // A brain of this machine may be at work; another one's folder is a copy.
    let own = match &brain {
        Some(brain) => Some(brain.clone()),
        None => Brain::around(&context.around.hone_home, &path)
            .map_err(failure)?
            .filter(|own| own.folder.canonicalize().ok() == path.canonicalize().ok()),
    };
    let folder = brain
        .as_ref()
        .map(|brain| brain.folder.clone())
        .or_else(|| path.is_dir().then(|| path.clone()));
    let file = folder.as_ref().map_or_else(|| path.clone(), |folder| folder.join(RECEIPTS_FILE));
    let is_empty = std::fs::metadata(&file).map_or(true, |about| about.len() == 0);
    if let Some(folder) = folder.as_ref().filter(|_| is_empty)
        && Brain::lost_receipts(folder).map_err(failure)?.is_none()
    {
        return Err(Failure::no(format!("nothing of {what} is signed yet"), "its first task is"));
    }
    let key = match (key, &brain) {
        (Some(key), _) => {
            PublicKey::find(key).map_err(|error| Failure::failed(error.to_string(), ""))?
        }
        (None, Some(brain)) => SigningKey::read(&brain.key_file())
            .map_err(|error| {
                let hint = "give the public key with `--key`, or bring the file back";
                Failure::failed(error.to_string(), hint)
            })?
            .public(),
        (None, None) => {
            let hint = "the agent's owner sees it with `hone agent hash ID`: the first key, where there are two";
            return Err(Failure::failed(
                "`--key` is needed: the public key to check against",
                hint,
            ));
        }
    };
    let Some(folder) = folder else {
        if !path.is_file() {
            let hint = "write it into a file first";
            return Err(Failure::failed(format!("`{what}` is no regular file"), hint));
        }
        return match proof_in(&file)? {
            Some(Ok(proof)) => verify_proof(&proof, key, as_json),
            Some(Err(why)) => {
                let broken = BrokenAt { index: None, field: "proof".to_owned(), why };
                report(&Checked::nothing(key), None, vec![broken], as_json)
            }
            None => {
                let (checked, broken) = verify_chain(&file, key, 0)?;
                report(&checked, None, broken, as_json)
            }
        };
    };
    let _held = own.as_ref().map(|own| hold(own, "hone agent verify")).transpose()?;
    // As many receipts as a brain says that it has must be there.
    let lock =
        keeper::read_lock(&folder).map_err(|error| Failure::failed(error.to_string(), ""))?;
    let written = lock.as_ref().map_or(0, |lock| lock.receipts);
    let (checked, mut broken) = verify_chain(&file, first_key(brain.as_ref(), key), written)?;
    let transcripts = transcripts(&folder, &file, &mut broken)?;
    let found = state::state(&folder, &hone_agent::brain::LAYOUT);
    let newest = chain::Chain::open(&file).ok().and_then(|chain| chain.last().cloned());
    if let Some(last) = newest.filter(|_| !is_empty)
        && let Some(fault) = keeper::lock_fault(&folder, lock.as_ref(), &last, found.as_ref().ok())
    {
        let why = format!("{fault}; its next task writes it anew");
        broken.push(BrokenAt { index: None, field: LOCK_FILE.to_owned(), why });
    }
    match found {
        Ok(found) => {
            let is_other =
                |last: &State| (last.knowledge, last.activity) != (found.knowledge, found.activity);
            if let Some(last) = checked.last.filter(is_other) {
                let names = keeper::differing_from(&folder, &last, &found);
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
        Err(error) => {
            let (index, field) = (None, "state".to_owned());
            broken.push(BrokenAt { index, field, why: error.to_string() });
        }
    }
    report(&checked, Some(transcripts), broken, as_json)
}

/// The agent of a name; what cannot be one was meant as a file.
fn named(context: &Context, what: &str) -> Result<Brain, Failure> {
    match Brain::find(&context.around.hone_home, what) {
        Err(BrainError::BadId { .. }) => {
            let hint =
                "give an agent, a brain's folder, a file of receipts, or a proof of one step";
            Err(Failure::failed(format!("there is no file `{}`", printable_line(what)), hint))
        }
        found => found.map_err(failure),
    }
}

/// Checks a file of receipts, of which so many were written.
fn verify_chain(
    file: &Path,
    key: PublicKey,
    written: u64,
) -> Result<(Checked, Vec<BrokenAt>), Failure> {
    let failed = |error: chain::ChainError| Failure::failed(error.to_string(), "");
    let mut checked = if file.exists() {
        chain::check(file, key).map_err(failed)?
    } else {
        Checked::nothing(key)
    };
    let lost = if checked.receipts < written {
        Some(format!("there are {}, and {written} were written", checked.receipts))
    } else {
        (checked.receipts == 0).then(|| "there are none, so nothing is proven".to_owned())
    };
    let lost = lost.map(|why| BrokenAt { index: None, field: "receipts".to_owned(), why });
    let is_key = |one: &chain::Break| one.field == "key";
    if checked.breaks.first().is_some_and(|first| first.index == 0 && is_key(first)) {
        let mut handed = None;
        chain::read(file, |index, receipt| {
            let new = receipt.ok().and_then(|receipt| receipt.handover);
            if new.is_some_and(|new| new.key == key) {
                handed.get_or_insert(index);
            }
        })
        .map_err(failed)?;
        if let Some(at) = handed {
            checked.breaks.retain(|one| !is_key(one) || one.index == 0 || one.index > at);
            let first = &mut checked.breaks[0].why;
            let _ = write!(first, ", which signs from receipt {} on; give the first key", at + 1);
        }
    }
    let breaks = checked.breaks.iter().map(|one| BrokenAt {
        index: Some(one.index),
        field: one.field.clone(),
        why: one.why.clone(),
    });
    let broken = lost.into_iter().chain(breaks).collect();
    Ok((checked, broken))
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

fn report(checked: &Checked, seen: Option<Seen>, breaks: Vec<BrokenAt>, as_json: bool) -> Outcome {
    let Seen { fitting: transcripts, missing: transcripts_missing } = seen.unwrap_or_default();
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
        let whole = if seen.is_some() { "the brain" } else { "the file" };
        let place = one.index.map_or(whole.to_owned(), |index| format!("receipt {index}"));
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
        if seen.is_some() {
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

/// Transcripts that fit their receipts, and those that are not there.
#[derive(Clone, Copy, Default)]
struct Seen {
    fitting: u64,
    missing: u64,
}

/// Compares the transcripts of a brain with the roots that its receipts name, and the tasks that it has done
/// with its receipts.
fn transcripts(folder: &Path, file: &Path, broken: &mut Vec<BrokenAt>) -> Result<Seen, Failure> {
    let mut seen = Seen::default();
    // One that is under way, or died, has no receipt yet.
    let mut signed = HashSet::new();
    signed.extend(Brain::task_in(folder).map_err(failure)?);
    let mut each = |index: u64, task: TaskMark| {
        let mut wrong = |why: &str| {
            let (index, field) = (Some(index), "task.transcript".to_owned());
            broken.push(BrokenAt { index, field, why: why.to_owned() });
        };
        // The id is a stranger's word until its signature was checked.
        let is_name = task.id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        let path = folder.join("transcripts").join(format!("{}.jsonl", task.id));
        signed.insert(task.id);
        let Some(text) = is_name.then(|| std::fs::read_to_string(path).ok()).flatten() else {
            if task.transcript.steps > 0 {
                seen.missing += 1;
                wrong("the transcript that was signed is not there");
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
            seen.fitting += 1;
        } else {
            wrong("the transcript on the disk is not the one that was signed");
        }
    };
    if file.exists() {
        let read = chain::read(file, |index, receipt| {
            if let Some(task) = receipt.ok().and_then(|receipt| receipt.task) {
                each(index, task);
            }
        });
        read.map_err(|error| Failure::failed(error.to_string(), ""))?;
    }
    let tasks = Brain::tasks_in(folder).map_err(failure)?;
    let unsigned: Vec<&String> = tasks.iter().filter(|task| !signed.contains(*task)).collect();
    if let Some(first) = unsigned.first() {
        let more = match unsigned.len() - 1 {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let why = format!("none is about the task {}{more}", printable_line(first));
        broken.push(BrokenAt { index: None, field: "receipts".to_owned(), why });
    }
    Ok(seen)
}

/// The proof of a step in a file, or what is wrong with it; none when it is no such file.
fn proof_in(file: &Path) -> Result<Option<Result<StepProof, String>>, Failure> {
    let about = std::fs::metadata(file)
        .map_err(|error| Failure::failed(format!("`{}`: {error}", file.display()), ""))?;
    if about.len() > MAX_PROOF_BYTES {
        return Ok(None);
    }
    let bytes = std::fs::read(file)?;
    let damaged = |error: serde_json::Error| format!("it is damaged: {error}");
    let is_proof = if let Ok(value) = serde_json::from_slice::<Value>(&bytes) {
        value.get("schema").is_some_and(|schema| schema == proof::SCHEMA)
    } else {
        // Each line of a file of receipts is whole; a proof that was cut off or broken has its schema in it.
        let first = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
        serde_json::from_slice::<Value>(first).is_err()
            && String::from_utf8_lossy(&bytes).contains(proof::SCHEMA)
    };
    Ok(is_proof.then(|| serde_json::from_slice(&bytes).map_err(damaged)))
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

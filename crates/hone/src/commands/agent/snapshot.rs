//! `hone agent snapshot`, `restore` and `prune`, and the snapshots that follow tasks.

use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::process::ExitCode;
use std::sync::Arc;

use hone_agent::brain::{Brain, BrainError};
use hone_agent::lineage::PublicKey;
use hone_agent::lineage::snapshot::{
    History, Progress, Reading, SnapshotError, Taken, Trust, Watch,
};
use hone_agent::packing::{Around, Asked, Depot, Lag, Packed, Packer, Point, Returned, SignerFrom};
use tokio_util::sync::CancellationToken;

use super::failure;
use super::folder::runtime;
use super::interrupt::{INTERRUPTED, Interrupt};
use crate::context::{Context, now};
use crate::json::snapshot::{
    NotTaken, Pruned, RestoredAgent, SnapshotList, SnapshotTaken, SnapshotsTaken, StoredSnapshot,
};
use crate::output::{Failure, Outcome, count, print, print_json, say};
use crate::terminal::{Live, bar, printable_line};

/// What the place of snapshots is found by.
pub(crate) fn around(context: &Context) -> Around {
    Around {
        hone_home: context.around.hone_home.clone(),
        user_home: context.around.user_home.clone(),
        cwd: context.around.cwd.clone(),
        settings: context.config.snapshots.clone(),
        variables: std::env::vars_os()
            .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
            .collect(),
    }
}

fn refused(error: SnapshotError) -> Failure {
    failure(BrainError::from(error))
}

fn depot(context: &Context, id: &str, asked: &Asked) -> Result<Depot, Failure> {
    Depot::find(&around(context), id, asked).map_err(refused)
}

fn at() -> u64 {
    u64::try_from(now()).unwrap_or(0)
}

pub(super) fn number(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Bytes in words.
fn size(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
    }
}

/// Does something that says how far it is and that Ctrl-C stops; nothing when it was stopped.
fn watched<T>(
    doing: &str,
    work: impl AsyncFnOnce(&Watch<'_>) -> Result<T, BrainError>,
) -> Result<Option<T>, Failure> {
    let interrupt = Interrupt::listen();
    let cancelled = interrupt.task();
    let live = Live::new();
    let show = |progress: Progress| {
        let Progress { done, total } = progress;
        live.show(&format!("{doing} {} {} of {}", bar(done, total), size(done), size(total)));
    };
    let watch = Watch { cancelled: &cancelled, progress: &show };
    let done = runtime()?.block_on(work(&watch));
    live.clear();
    interrupt.done();
    match done {
        Err(BrainError::Snapshot(error)) if matches!(*error, SnapshotError::Cancelled) => Ok(None),
        done => done.map(Some).map_err(failure),
    }
}

fn stopped() -> ExitCode {
    say("stopped; nothing has changed");
    ExitCode::from(INTERRUPTED)
}

pub(crate) fn take(
    context: &Context,
    id: &str,
    asked: &Asked,
    (history, reading): (History, Reading),
    as_json: bool,
) -> Outcome {
    let packed = pack(context, id, asked, (history, reading))?;
    let Some((store, taken)) = packed else { return Ok(stopped()) };
    if as_json {
        return print_json(&SnapshotTaken::new(id, &store, &taken));
    }
    told(id, &store, &taken)
}

/// Packs one agent; nothing when it was stopped. Gives the store's name too.
fn pack(
    context: &Context,
    id: &str,
    asked: &Asked,
    (history, reading): (History, Reading),
) -> Result<Option<(String, Taken)>, Failure> {
    let brain = Brain::find(&context.around.hone_home, id).map_err(failure)?;
    let depot = depot(context, id, asked)?.reading(reading);
    let taken =
        watched("packing", async |watch| Ok(depot.take(&brain, history, at(), watch).await?))?;
    Ok(taken.map(|taken| (depot.store().to_owned(), taken)))
}

/// Says what became of a snapshot.
fn told(id: &str, store: &str, taken: &Taken) -> Outcome {
    let store = printable_line(store);
    match *taken {
        Taken::Unchanged { number } => print(&format!(
            "snapshot {number} in {store} is of this state already; nothing was written\n"
        )),
        Taken::New { number, version, objects, bytes, is_settled, .. } => {
            if !is_settled {
                say("note: no receipt is about this very state; the next task signs it");
            }
            let objects = count(usize::try_from(objects).unwrap_or(usize::MAX), "object");
            print(&format!(
                "packed version {version} of {id} as snapshot {number} in {store}: {objects}, {}\n",
                size(bytes)
            ))
        }
    }
}

/// Packs every agent that moved since its newest snapshot. One that has no store is left alone, and one that
/// fails does not keep the others from it.
pub(crate) fn take_all(context: &Context, asked: &Asked, as_json: bool) -> Outcome {
    let home = &context.around.hone_home;
    let around = around(context);
    let mut done = SnapshotsTaken::default();
    let mut behind = 0;
    for id in Brain::all(home).map_err(failure)? {
        let brain = Brain::find(home, &id).map_err(failure)?;
        if around.lag(&brain, asked).is_none() {
            continue;
        }
        behind += 1;
        match pack(context, &id, asked, (History::Extends, Reading::Changed)) {
            Ok(Some((store, taken))) => {
                if !as_json {
                    told(&id, &store, &taken)?;
                }
                done.taken.push(SnapshotTaken::new(&id, &store, &taken));
            }
            Ok(None) => return Ok(stopped()),
            Err(error) => {
                say(&format!("warning: {id} was not packed: {error}"));
                done.failed.push(NotTaken { agent: id, error: error.to_string() });
            }
        }
    }
    let failed = done.failed.len();
    if as_json {
        print_json(&done)?;
    }
    if failed > 0 {
        let message = format!("{failed} of {behind} agents could not be packed");
        return Err(Failure::failed(message, ""));
    }
    if behind == 0 {
        say("nothing to pack: no agent with a store moved since its newest snapshot");
    }
    Ok(ExitCode::SUCCESS)
}

/// Packs an agent that a command has changed, where snapshots are taken by themselves.
pub(crate) fn catch_up(context: &Context, id: &str) -> Result<(), Failure> {
    let brain = Brain::find(&context.around.hone_home, id).map_err(failure)?;
    let interrupt = Interrupt::listen();
    let packer = packer(context, interrupt.task(), |done| {
        if let Some(line) = packed(done) {
            say(&line);
        }
    });
    runtime()?.block_on(async {
        packer.catch_up(&brain);
        packer.finish().await;
    });
    interrupt.done();
    Ok(())
}

/// How far an agent's newest snapshot is behind it.
pub(super) fn lag(context: &Context, brain: &Brain) -> Option<Lag> {
    around(context).lag(brain, &Asked::default())
}

/// What is to be said of an agent whose snapshot is behind.
pub(super) fn behind(context: &Context, brain: &Brain) -> Option<String> {
    let lag = lag(context, brain)?;
    let packed = lag.packed.map_or("none of it".to_owned(), |version| format!("version {version}"));
    Some(format!(
        "version {} is not packed, {} has {packed}: `hone agent snapshot {}`",
        lag.version, lag.store, brain.id
    ))
}

pub(crate) fn list(context: &Context, id: &str, asked: &Asked, as_json: bool) -> Outcome {
    let depot = depot(context, id, asked)?;
    let (manifests, older) = runtime()?.block_on(depot.list()).map_err(refused)?;
    let snapshots: Vec<StoredSnapshot> = manifests.iter().rev().map(StoredSnapshot::from).collect();
    if as_json {
        let (agent, store) = (id.to_owned(), depot.store().to_owned());
        return print_json(&SnapshotList { agent, store, snapshots, older });
    }
    if snapshots.is_empty() {
        say(&format!("{} has no snapshot of {id}", depot.store()));
    }
    let mut text = String::new();
    for one in &snapshots {
        let at =
            one.at.split('.').next().unwrap_or(&one.at).trim_end_matches('Z').replace('T', " ");
        let _ = writeln!(
            text,
            "{:>5}  {at}Z  v{:<4} {}, {}, {}",
            one.number,
            one.version,
            count(one.members, "file"),
            size(one.bytes),
            count(number(one.receipts), "receipt"),
        );
    }
    if older > 0 {
        say(&format!("and {older} older"));
    }
    print(&text)
}

pub(crate) fn restore(
    context: &Context,
    id: &str,
    asked: &Asked,
    point: Point,
    key: Option<&str>,
    as_json: bool,
) -> Outcome {
    let key = key.map(PublicKey::find).transpose();
    let key = key.map_err(|error| Failure::failed(error.to_string(), ""))?;
    let depot = depot(context, id, asked)?;
    let returned =
        watched("restoring", async |watch| depot.restore(point, key, at(), watch).await)?;
    let Some(returned) = returned else { return Ok(stopped()) };
    let Returned { restored, brain, signer, receipt } = &returned;
    if as_json {
        return print_json(&RestoredAgent::new(depot.store(), &returned));
    }
    if restored.trust == Trust::FirstUse {
        say(&format!(
            "note: the key that signed it was not known here; from now on it is {}",
            restored.key
        ));
    }
    if *signer == SignerFrom::Nowhere {
        say(&format!(
            "warning: the key that signs for {id} is neither here nor in the snapshot; put it into `{}` before the next task",
            context.shown(&brain.key_file())
        ));
    }
    if !restored.is_settled {
        say("note: it was packed while a task ran; the next task settles that");
    }
    let signed =
        receipt.as_ref().map_or(String::new(), |one| format!(", signed as receipt {}", one.index));
    print(&format!(
        "restored version {} of {id} from snapshot {} in {}: {}, {}{signed}\n",
        restored.state.version,
        restored.number,
        printable_line(depot.store()),
        count(number(restored.members), "file"),
        size(restored.bytes),
    ))
}

pub(crate) fn prune(
    context: &Context,
    id: &str,
    asked: &Asked,
    keep: NonZeroUsize,
    as_json: bool,
) -> Outcome {
    let depot = depot(context, id, asked)?;
    let pruned = runtime()?.block_on(async { depot.snapshots().await?.prune(keep, at()).await });
    let pruned = pruned.map_err(refused)?;
    if as_json {
        return print_json(&Pruned::new(id, depot.store(), &pruned));
    }
    print(&format!(
        "removed {} and {} ({}); {} left\n",
        count(number(pruned.snapshots), "snapshot"),
        count(number(pruned.objects), "object"),
        size(pruned.bytes),
        count(number(pruned.kept), "snapshot"),
    ))
}

/// Packs agents after tasks, where the configuration or the environment says where to.
pub(crate) fn packer(
    context: &Context,
    cancelled: CancellationToken,
    tell: impl Fn(&Packed<'_>) + Send + Sync + 'static,
) -> Arc<Packer> {
    Packer::new(around(context), Arc::new(now), cancelled, Box::new(tell))
}

/// What became of a snapshot after a task, in a line; nothing when there was nothing to pack.
pub(crate) fn packed(packed: &Packed<'_>) -> Option<String> {
    let agent = packed.agent;
    match packed.taken {
        Ok(Taken::New { number, version, .. }) => {
            Some(format!("packed: version {version} of {agent} as snapshot {number}"))
        }
        Ok(Taken::Unchanged { .. }) => None,
        Err(error) => Some(format!(
            "warning: {agent} was not packed: {error}; it is tried again after its next task, or now with `hone agent snapshot {agent}`"
        )),
    }
}

//! `cargo xtask bench lineage`: what the proof and the packing of a large brain cost: its state hash
//! beside a plain SHA-256 of the same bytes, snapshots and a restore beside `tar | zstd | sha256sum` and
//! `restic` on the same folder, and the check of many receipts.

#![allow(clippy::cast_precision_loss, reason = "times and sizes are small")]

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hone_agent::lineage::receipt::{Entry, Kind, Receipt, State};
use hone_agent::lineage::snapshot::{
    History, Known, Reading, Restoring, Secret, Snapshots, Store, Taken, Taking, Watch, Which,
};
use hone_agent::lineage::{Layout, Root, Rows, SigningKey, Table as BrainTable, chain, state};
use rusqlite::Connection;
use sha2::{Digest as _, Sha256};
use tokio_util::sync::CancellationToken;

use crate::bench::list::processor;
use crate::bench::memory;
use crate::bench::table::{Table, grouped};
use crate::command::on_path;
use crate::failure::{Doing, Failure};

/// A state hash may take this many times as long as a SHA-256 of the same bytes.
const MAX_HASH_RATIO: f64 = 3.0;
/// It may take this many bytes of memory, however large the brain is.
const MAX_HASH_MEMORY: u64 = 32_000_000;
/// A change of 1 % may write this share of what the first snapshot wrote.
const MAX_CHANGE_SHARE: f64 = 0.02;
/// The same when the rows lie all over the database: two of them share a page.
const MAX_SCATTERED_SHARE: f64 = 0.03;
/// Bytes of a file of a skill.
const FILE_BYTES: usize = 2_000;
/// Bytes of a message.
const MESSAGE_BYTES: usize = 2_000;
const AGENT: &str = "bench";

const LAYOUT: Layout = Layout {
    files: &[("system.md", Root::Knowledge)],
    folders: &[("skills", Root::Knowledge)],
    database: "memory.db",
    tables: &[BrainTable {
        name: "messages",
        columns: &["id", "text"],
        key: &["id"],
        root: Root::Activity,
        rows: Rows::Numbered,
    }],
    records: &["transcripts"],
    apart: &["receipts.jsonl"],
    locks: &[],
};

/// How much is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    files: usize,
    megabytes: usize,
    receipts: usize,
    peers: bool,
}

impl Options {
    /// Reads the words after `cargo xtask bench lineage`.
    pub(crate) fn parse(words: &[&str]) -> Result<Self, Failure> {
        let mut options = Self { files: 10_000, megabytes: 1_000, receipts: 10_000, peers: true };
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut number = || {
                let wrong = || Failure::Usage(format!("`{word}` needs a number above 0"));
                let number = words.next().and_then(|value| value.parse().ok());
                number.filter(|number| *number > 0).ok_or_else(wrong)
            };
            match *word {
                "--files" => options.files = number()?,
                "--megabytes" => options.megabytes = number()?,
                "--receipts" => options.receipts = number()?,
                "--no-peers" => options.peers = false,
                "--peers" => options.peers = true,
                other => {
                    return Err(Failure::Usage(format!("`bench lineage` does not take `{other}`")));
                }
            }
        }
        Ok(options)
    }
}

/// Measures and prints the tables.
pub(crate) fn bench(options: &Options) -> Result<(), Failure> {
    let lab = Lab::new(options)?;
    println!(
        "On {}, in one folder of the disk; {} files of {} bytes and a database of {} MB.\n",
        processor(),
        grouped(options.files),
        grouped(FILE_BYTES),
        grouped(lab.database_bytes()? / 1_000_000),
    );
    println!("### State hash\n\n{}", lab.hash()?);
    println!("### Snapshot and restore\n\n{}", lab.snapshots(options)?);
    println!("### Receipts\n\n{}", lab.receipts(options.receipts)?);
    Ok(())
}

/// A large brain in a temporary folder.
struct Lab {
    folder: tempfile::TempDir,
    signer: SigningKey,
}

impl Lab {
    fn new(options: &Options) -> Result<Self, Failure> {
        let folder = tempfile::Builder::new().prefix("hone-bench-").tempdir();
        let folder = folder.doing(|| "make a temporary folder".to_owned())?;
        let lab = Self { folder, signer: SigningKey::from_seed(&[1; 32]) };
        let brain = lab.brain();
        fs::create_dir_all(brain.join("skills")).doing(|| "make a brain".to_owned())?;
        fs::write(brain.join("system.md"), "You measure.\n").doing(|| "write".to_owned())?;
        lab.write_files(options.files, 1)?;
        let db = lab.database()?;
        db.execute_batch(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
             CREATE TABLE messages(id INTEGER PRIMARY KEY, text TEXT)",
        )
        .map_err(unmet)?;
        drop(db);
        lab.add_messages(options.megabytes * 1_000_000 / MESSAGE_BYTES)?;
        lab.record(Kind::Created)?;
        Ok(lab)
    }

    fn brain(&self) -> PathBuf {
        self.folder.path().join(AGENT)
    }

    fn database(&self) -> Result<Connection, Failure> {
        Connection::open(self.brain().join("memory.db")).map_err(unmet)
    }

    fn database_bytes(&self) -> Result<u64, Failure> {
        let path = self.brain().join("memory.db");
        fs::metadata(path).map(|about| about.len()).doing(|| "look at the database".to_owned())
    }

    /// Files of words, each with a line of its own.
    fn write_files(&self, count: usize, edition: usize) -> Result<(), Failure> {
        for at in 0..count {
            let mut text = format!("---\nname: s{at}\n---\nEdition {edition} of {at}.\n");
            while text.len() < FILE_BYTES {
                text.push_str("Look at the oracle before you trust its price, and say why. ");
            }
            text.truncate(FILE_BYTES);
            let path = self.brain().join(format!("skills/s{at:06}.md"));
            fs::write(&path, text).doing(|| format!("write `{}`", path.display()))?;
        }
        Ok(())
    }

    /// Messages that pack to about a half, as text does.
    fn add_messages(&self, count: usize) -> Result<(), Failure> {
        let mut db = self.database()?;
        db.execute_batch("PRAGMA synchronous = OFF").map_err(unmet)?;
        let work = db.transaction().map_err(unmet)?;
        let half = i64::try_from(MESSAGE_BYTES / 2).unwrap_or(0);
        {
            let insert = "INSERT INTO messages(text) VALUES (hex(randomblob(?1)))";
            let mut insert = work.prepare(insert).map_err(unmet)?;
            for _ in 0..count {
                insert.execute([half]).map_err(unmet)?;
            }
        }
        work.commit().map_err(unmet)?;
        db.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").map_err(unmet)
    }

    /// A receipt about the state as it is.
    fn record(&self, kind: Kind) -> Result<(), Failure> {
        let hash = state::state(&self.brain(), &LAYOUT).map_err(unmet)?;
        let path = self.brain().join("receipts.jsonl");
        let mut chain = chain::Chain::open(&path).map_err(unmet)?;
        let before = chain.last().map(|last| last.after);
        let moved = before.is_some_and(|before| before.knowledge != hash.knowledge);
        let version = before.map_or(1, |before| before.version + u64::from(moved));
        let after = State { knowledge: hash.knowledge, activity: hash.activity, version };
        chain.append(AGENT, entry(kind, after), &self.signer).map(drop).map_err(unmet)
    }

    fn hash(&self) -> Result<Table, Failure> {
        let mut table = Table::new(&["what", "best of 3", "against", "memory", "target"]);
        let plain = best(3, || plain_hash(&self.brain()))?;
        let before = memory::now()?;
        memory::watch()?;
        let logical = best(3, || state::state(&self.brain(), &LAYOUT).map(drop).map_err(unmet))?;
        let more = memory::most()?.saturating_sub(before);
        let none = String::new;
        table.row(["SHA-256 of every file".into(), seconds(plain), none(), none(), none()]);
        let ratio = logical.as_secs_f64() / plain.as_secs_f64();
        let target = format!(
            "≤ {MAX_HASH_RATIO:.0} ×{}, ≤ {}{}",
            missed(ratio > MAX_HASH_RATIO),
            megabytes(MAX_HASH_MEMORY),
            missed(more > MAX_HASH_MEMORY)
        );
        let against = format!("{ratio:.2} ×");
        table.row(["state hash".into(), seconds(logical), against, megabytes(more), target]);
        Ok(table)
    }

    fn snapshots(&self, options: &Options) -> Result<Table, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build();
        let runtime = runtime.doing(|| "start a runtime".to_owned())?;
        let away = self.folder.path().join("store");
        let store =
            Store::open(&format!("file://{}", away.display()), Vec::new()).map_err(unmet)?;
        let known = Known::at(&self.folder.path().join("known.json"));
        let secret = secret(&self.folder.path().join("key"))?;
        let snapshots = Snapshots::open(&store, Some(&secret), &known, AGENT, &LAYOUT);
        let snapshots = runtime.block_on(snapshots).map_err(unmet)?;
        let cancelled = CancellationToken::new();
        let watch = Watch { cancelled: &cancelled, progress: &|_| {} };
        let brain = self.brain();
        let history = History::Extends;
        let reading = Reading::default();
        let signer = &self.signer;
        let taking = Taking { brain: &brain, signer, at: 0, history, with_signer: true, reading };
        let take = || {
            let start = Instant::now();
            let taken = runtime.block_on(snapshots.take(&taking, &watch)).map_err(unmet)?;
            Ok::<_, Failure>((start.elapsed(), taken))
        };
        let peers = Peers::find(options.peers, self.folder.path())?;

        let mut table = Table::new(&["what", "program", "time", "written", "objects", "target"]);
        let mut first = None;
        let mut row = |what: &str, (took, taken): (Duration, Taken)| {
            let (bytes, objects) = match taken {
                Taken::Unchanged { .. } => (0, 0),
                Taken::New { bytes, objects, .. } => (bytes, objects),
            };
            let first = *first.get_or_insert(bytes.max(1));
            let share = bytes as f64 / first as f64;
            let target = match what {
                "unchanged" => format!("0{}", missed(bytes > 0)),
                "first" => String::new(),
                _ => {
                    let most =
                        if what == "1 % added" { MAX_CHANGE_SHARE } else { MAX_SCATTERED_SHARE };
                    let over = missed(share > most);
                    let (most, share) = (most * 100.0, share * 100.0);
                    format!("≤ {most:.0} % of the first: {share:.1} %{over}")
                }
            };
            let cells = [what, "hone"].map(str::to_owned);
            let [what, program] = cells;
            table.row([what, program, seconds(took), megabytes(bytes), grouped(objects), target]);
        };
        let mut others: Vec<[String; 6]> = Vec::new();
        let hundredth = (options.megabytes * 1_000_000 / MESSAGE_BYTES).div_ceil(100);

        row("first", take()?);
        others.extend(peers.tar(&brain)?);
        others.extend(peers.restic_backup("first", &brain)?);
        row("unchanged", take()?);
        others.extend(peers.restic_backup("unchanged", &brain)?);
        self.add_messages(hundredth)?;
        self.write_files(options.files.div_ceil(100), 2)?;
        self.record(Kind::Outside)?;
        row("1 % added", take()?);
        others.extend(peers.restic_backup("1 % added", &brain)?);
        // The worst case of chunks: every hundredth row, all over the file.
        let scatter = "UPDATE messages SET text = upper(text) || 'x' WHERE id % 100 = 7";
        self.database()?.execute_batch(scatter).map_err(unmet)?;
        self.record(Kind::Outside)?;
        row("1 % of rows, scattered", take()?);
        others.extend(peers.restic_backup("1 % of rows, scattered", &brain)?);

        let target = self.folder.path().join("restored");
        let restoring =
            Restoring { target: &target, which: Which::Newest, key: Some(self.signer.public()) };
        let start = Instant::now();
        runtime.block_on(snapshots.restore(&restoring, &watch)).map_err(unmet)?;
        let took = seconds(start.elapsed());
        let same = state::state(&target, &LAYOUT).map_err(unmet)?
            == state::state(&brain, &LAYOUT).map_err(unmet)?;
        if !same {
            return Err(Failure::Unmet("what was restored is not what was packed".to_owned()));
        }
        let checked = "all hashes and signatures checked".to_owned();
        table.row(["restore".into(), "hone".into(), took, String::new(), String::new(), checked]);
        others.extend(peers.restic_restore()?);
        for cells in others {
            table.row(cells);
        }
        Ok(table)
    }

    fn receipts(&self, count: usize) -> Result<Table, Failure> {
        let path = self.folder.path().join("many.jsonl");
        let mut file = File::create(&path).doing(|| "write receipts".to_owned())?;
        let mut last: Option<Receipt> = None;
        let digest = hone_agent::lineage::Digest::of(b"bench");
        for at in 0..count {
            let kind = if at == 0 { Kind::Created } else { Kind::Outside };
            let after = State { knowledge: digest, activity: digest, version: 1 };
            let receipt = Receipt::sign(AGENT, entry(kind, after), last.as_ref(), &self.signer);
            let mut line = receipt.line();
            line.push(b'\n');
            file.write_all(&line).doing(|| "write receipts".to_owned())?;
            last = Some(receipt);
        }
        let took = best(3, || {
            let checked = chain::check(&path, self.signer.public()).map_err(unmet)?;
            if checked.holds() && checked.receipts == count as u64 {
                Ok(())
            } else {
                Err(Failure::Unmet("the receipts do not hold".to_owned()))
            }
        })?;
        let mut table = Table::new(&["receipts", "verified in, best of 3", "a receipt"]);
        let each = took.as_secs_f64() * 1e6 / count as f64;
        table.row([grouped(count), seconds(took), format!("{each:.0} µs")]);
        Ok(table)
    }
}

/// Other programs on the same folder.
struct Peers {
    folder: PathBuf,
    restic: Option<PathBuf>,
    has_tar: bool,
}

impl Peers {
    fn find(wanted: bool, folder: &Path) -> Result<Self, Failure> {
        let restic = on_path("restic").filter(|_| wanted);
        let has_tar =
            wanted && ["tar", "zstd", "sha256sum"].iter().all(|name| on_path(name).is_some());
        let peers = Self { folder: folder.to_owned(), restic, has_tar };
        peers.restic(&["init"])?;
        Ok(peers)
    }

    fn tar(&self, brain: &Path) -> Result<Option<[String; 6]>, Failure> {
        if !self.has_tar {
            return Ok(None);
        }
        let archive = self.folder.join("brain.tar.zst");
        let line = r#"tar -C "$1" -c . | zstd -q -3 | tee "$2" | sha256sum"#;
        let mut command = Command::new("sh");
        command.args(["-c", line, "sh"]).arg(brain).arg(&archive);
        let took = timed(&mut command)?;
        let bytes = fs::metadata(&archive).map_or(0, |about| about.len());
        let program = "tar, zstd -3, sha256sum".to_owned();
        Ok(Some([
            "first".into(),
            program,
            seconds(took),
            megabytes(bytes),
            "1".into(),
            String::new(),
        ]))
    }

    fn restic(&self, words: &[&str]) -> Result<Option<Duration>, Failure> {
        let Some(restic) = &self.restic else { return Ok(None) };
        let mut command = Command::new(restic);
        command
            .env("RESTIC_PASSWORD", "bench")
            .env("RESTIC_REPOSITORY", self.folder.join("restic"))
            .env("RESTIC_CACHE_DIR", self.folder.join("restic-cache"))
            .args(words);
        timed(&mut command).map(Some)
    }

    fn restic_backup(&self, what: &str, brain: &Path) -> Result<Option<[String; 6]>, Failure> {
        let repository = self.folder.join("restic");
        let before = size(&repository);
        let Some(took) = self.restic(&["backup", &brain.to_string_lossy()])? else {
            return Ok(None);
        };
        let (after, objects) = size(&repository);
        let (bytes, objects) = (after - before.0, objects - before.1);
        let program = "restic backup".to_owned();
        Ok(Some([
            what.to_owned(),
            program,
            seconds(took),
            megabytes(bytes),
            grouped(objects),
            String::new(),
        ]))
    }

    fn restic_restore(&self) -> Result<Option<[String; 6]>, Failure> {
        let target = self.folder.join("restic-restored");
        let took = self.restic(&["restore", "latest", "--target", &target.to_string_lossy()])?;
        let cells = |took| {
            let [what, program] = ["restore", "restic restore"].map(str::to_owned);
            [what, program, seconds(took), String::new(), String::new(), String::new()]
        };
        Ok(took.map(cells))
    }
}

/// Bytes and files below a folder.
fn size(folder: &Path) -> (u64, u64) {
    let (mut bytes, mut files) = (0, 0);
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.metadata() {
            Ok(about) if about.is_dir() => {
                let (inner, count) = size(&entry.path());
                (bytes, files) = (bytes + inner, files + count);
            }
            Ok(about) => (bytes, files) = (bytes + about.len(), files + 1),
            Err(_) => {}
        }
    }
    (bytes, files)
}

fn timed(command: &mut Command) -> Result<Duration, Failure> {
    command.stdin(Stdio::null()).stdout(Stdio::null());
    let start = Instant::now();
    let status = command.status().doing(|| format!("run `{}`", crate::command::line(command)))?;
    if status.success() {
        return Ok(start.elapsed());
    }
    Err(Failure::Command { line: crate::command::line(command), status })
}

fn secret(path: &Path) -> Result<Secret, Failure> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let file = File::options().write(true).create_new(true).mode(0o600).open(path);
    let written = file.and_then(|mut file| file.write_all(&[7; 32]));
    written.doing(|| "write a key".to_owned())?;
    Secret::read(path).map_err(unmet)
}

fn entry(kind: Kind, after: State) -> Entry {
    Entry { kind, at: 1, after, changes: Vec::new(), task: None, handover: None }
}

/// The least that any hash of these files costs.
fn plain_hash(folder: &Path) -> Result<(), Failure> {
    let mut buffer = vec![0; 256 * 1024];
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).doing(|| format!("read `{}`", next.display()))? {
            let path = entry.doing(|| format!("read `{}`", next.display()))?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let mut file = File::open(&path).doing(|| format!("read `{}`", path.display()))?;
            let mut hash = Sha256::new();
            loop {
                let read = file.read(&mut buffer).doing(|| format!("read `{}`", path.display()))?;
                if read == 0 {
                    break;
                }
                hash.update(&buffer[..read]);
            }
            std::hint::black_box(hash.finalize());
        }
    }
    Ok(())
}

fn best(runs: usize, mut work: impl FnMut() -> Result<(), Failure>) -> Result<Duration, Failure> {
    let mut best = Duration::MAX;
    for _ in 0..runs {
        let start = Instant::now();
        work()?;
        best = best.min(start.elapsed());
    }
    Ok(best)
}

fn unmet(error: impl std::fmt::Display) -> Failure {
    Failure::Unmet(error.to_string())
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

fn missed(is_missed: bool) -> &'static str {
    if is_missed { " (missed)" } else { "" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_read() {
        let small = Options::parse(&["--files", "10", "--megabytes", "2", "--no-peers"]).unwrap();
        assert_eq!((small.files, small.megabytes, small.receipts), (10, 2, 10_000));
        for wrong in [&["--files"][..], &["--files", "0"], &["--files", "x"], &["--what"]] {
            assert!(matches!(Options::parse(wrong), Err(Failure::Usage(_))), "{wrong:?}");
        }
    }

    #[test]
    fn a_small_brain_is_measured_in_every_way() {
        let options = Options { files: 20, megabytes: 1, receipts: 10, peers: false };
        let lab = Lab::new(&options).unwrap();
        let rows = |table: Table| table.to_string().lines().count() - 2;
        assert_eq!(rows(lab.hash().unwrap()), 2);
        assert_eq!(rows(lab.snapshots(&options).unwrap()), 5);
        assert_eq!(rows(lab.receipts(options.receipts).unwrap()), 1);
    }
}

//! `cargo xtask bench scan`: what a scan costs on real skills and on hostile files, whether the cost
//! grows with the size and no faster, how much of a real corpus would be blocked, and the same work
//! by other scanners that are installed. The scanner is called in this process, skill by skill, so
//! that the time is its own and not that of starting a program.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hone_guard::Verdict;
use serde_json::{Value, json};

use crate::bench::list::{DEFAULT_CORPUS, first, processor};
use crate::bench::memory;
use crate::bench::options::Options;
use crate::bench::table::{Table, grouped};
use crate::command::{capture, line, on_path};
use crate::failure::{Doing, Failure};
use crate::workspace;

/// The most CPU time a typical (median) skill may cost, in milliseconds.
const MAX_TYPICAL_MS: f64 = 5.0;
/// Ten times the bytes may cost this many times the time.
const MAX_RATIO: f64 = 15.0;
/// The largest share of real skills that may be blocked as community skills.
const MAX_BLOCKED: f64 = 0.03;

/// How many times as much processor time another scanner may at least take.
const MIN_PEER_RATIO: f64 = 50.0;

/// The two sizes of a generated file.
const SMALL: usize = 1_000_000;
const LARGE: usize = 10_000_000;
/// Time that one generated file may take before it is given up, in seconds.
const GIVE_UP: &str = "120";
/// Skills that other scanners get: they take seconds for each.
const PEER_SKILLS: usize = 10;
/// Rules that are listed by how often they speak.
const MAX_RULES: usize = 60;

/// Other scanners, with what goes before the folder of a skill.
const PEERS: &[(&str, &[&str])] =
    &[("skill-scanner", &["scan"]), ("skillspector", &["scan"]), ("hermes", &["skills", "scan"])];

/// Texts that make a careless reader slow, each repeated until the file is full.
const REPEATS: &[(&str, &str)] = &[
    ("one line of letters", "a"),
    ("words without a period", "the agent reads every file and then "),
    ("short lines", "x\n"),
    ("(", "("),
    ("[", "["),
    ("{", "{"),
    ("<", "<"),
    ("*", "*"),
    ("_a", "_a "),
    ("backticks", "`"),
    ("fences", "```\n"),
    ("open fences", "```sh\n$(\n"),
    ("$(", "$("),
    ("nested quotes", "\"'"),
    ("backslashes", "\\"),
    ("HTML comments", "<!--"),
    ("HTML tags", "<div hidden>"),
    ("links", "[a]("),
    ("quotation marks", "> "),
    ("list items", "- "),
    ("headings", "# a\n"),
    ("table cells", "|a"),
    ("base64", "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNk"),
    ("base64 blocks", "aWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM= "),
    ("hex", "deadbeef"),
    ("percent", "%41%42"),
    ("pipes", "curl a|"),
    ("assignments", "a=$a;"),
    ("lines of batch", "set a=%a%b\ncall :c %a%\n"),
    ("objects of Windows", "Set a = CreateObject(\"a\" & b)\na.Run c\n"),
    ("spans of commands", "`curl a` "),
    ("commands in prose", "curl -s a | sh\n\n"),
    ("here-documents", "cat <<E\n"),
    ("functions", "f(){ f;};"),
    ("calls", "f(g("),
    ("addresses", "https://a.example/ "),
    ("zero-width", "a\u{200b}"),
    ("letters of two scripts", "aа"),
];

/// Files that a repeat is put into.
const FILES: [&str; 7] =
    ["SKILL.md", "run.sh", "run.py", "run.js", "run.ps1", "run.bat", "run.vbs"];

/// Texts that are costly in the languages of some files only. `{n}` is the number of the repeat, `{m}`
/// the one before it.
const OTHERS: &[(&str, &str, &[&str])] = &[
    ("additions", "v+=x\n", &["run.sh"]),
    ("additions that are used", "v+=\"https://a{n}.example/ \"; curl $v\n", &["run.sh"]),
    ("keys handed on", "x=\"$x$API_{n}_KEY\"\n", &["run.sh"]),
    ("variables in a row", "v{n}=$v{m}x\n", &["run.sh"]),
    ("functions in a row", "f{n}(){ f{m}; }\n", &["run.sh"]),
    ("arms of case", "a) b;;\n", &["run.sh"]),
    ("fetched files", "curl a > f{n}; sh f{n}\n", &["run.sh"]),
    ("rules of make", "a: b\n\tcurl a | sh\n", &["Makefile"]),
    ("pipes and conditions", "curl a | sh && ", &["run.ps1", "run.sh"]),
    ("pipes in brackets", "curl (b|curl c)|", &["run.ps1"]),
    ("stages", "% {curl $_} | ", &["run.ps1"]),
    ("texts in a row", "$v{n} = $v{m} + \"x\"\n", &["run.ps1", "run.php"]),
    ("texts in a row", "v{n} := v{m} + \"x\"\n", &["run.go"]),
    ("carets", "c^u^r^l a\n", &["run.bat"]),
    ("comprehensions", "[a for a in ", &["run.py"]),
    ("joined lists", "\"\".join([\"a\",\"b\"]),", &["run.py"]),
    ("triple quotation marks", "\"\"\"", &["run.py"]),
    ("keys in a row", "v{n} = os.environ[\"API_{n}_KEY\"] + v{m}\n", &["run.py"]),
    ("functions in a row", "def f{n}(x):\n return f{m}(x)\n", &["run.py"]),
    ("arguments", "\"a\",", &["run.py", "run.js", "run.rb", "run.php", "run.lua"]),
    ("templates", "`${", &["run.js"]),
    ("arrows", "a=>{", &["run.js"]),
    ("blocks", "a do |b| ", &["run.rb"]),
    ("subroutines", "sub f { f(); }\n", &["run.pl"]),
    ("things to fill in", "<YOUR_KEY> ", &["SKILL.md"]),
    ("keys and hosts", "KEY_{n}_A h{n}.example.com ", &["SKILL.md"]),
    ("anchors", "a{n}: &a{n} [*a{m},*a{m}]\n", &["x.yaml"]),
    ("nested lists", "[", &["x.yaml", "x.json"]),
    ("commands of AppleScript", "do shell script \"a\" & ", &["run.applescript"]),
];

/// Measures everything and prints the tables.
pub(crate) fn bench(options: &Options) -> Result<(), Failure> {
    let release = super::programs()?;
    let guard = tempfile::Builder::new()
        .prefix("hone-bench-scan-")
        .tempdir()
        .doing(|| "make a temporary folder".to_owned())?;
    let bench = Bench { folder: guard.path(), release: &release };
    let named = options.corpus.as_deref();
    let corpus = named.map_or_else(|| workspace::root().join(DEFAULT_CORPUS), Path::to_owned);
    let archive = corpus.join("skills.tar.gz");
    let skills = if archive.is_file() {
        let root = bench.folder.join("corpus");
        fs::create_dir(&root).doing(|| format!("make `{}`", root.display()))?;
        capture(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(&root))?;
        Some(root)
    } else if named.is_some() {
        return Err(Failure::Unmet(format!("there is no `{}`", archive.display())));
    } else {
        None
    };
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let setting = format!(
        "## Scanning\n\n`cargo xtask bench scan`, {cores} cores ({}), Linux {}, load {}. CPU time of the scanner alone, \
         one thread, files in the page cache.\n",
        processor(),
        first("/proc/sys/kernel/osrelease", '-'),
        first("/proc/loadavg", ' '),
    );
    let real = match &skills {
        Some(root) => bench.real(root, options.peers)?,
        None => "Not measured: no corpus here; name one with `--corpus DIR`.\n".to_owned(),
    };
    let generated = bench.generated(options.quick)?;
    println!("{setting}\n### Real skills\n\n{real}\n### Generated files\n\n{generated}");
    Ok(())
}

struct Bench<'a> {
    folder: &'a Path,
    release: &'a Path,
}

/// What one skill cost.
struct Cost {
    nanoseconds: u64,
    bytes: u64,
    /// The most memory that the process had until then.
    memory: u64,
    verdict: String,
    rules: Vec<(String, String)>,
}

impl Bench<'_> {
    /// What each skill below a folder costs, in a process of its own; `None` when it took too long.
    fn costs(&self, root: &Path) -> Result<Option<Vec<Cost>>, Failure> {
        let mut command = Command::new("timeout");
        command.arg(GIVE_UP).arg(self.release.join("xtask")).arg("scan-times").arg(root);
        let output = command.stderr(Stdio::inherit()).output();
        let output = output.doing(|| format!("run `{}`", line(&command)))?;
        if output.status.code() == Some(124) {
            return Ok(None);
        }
        if !output.status.success() {
            let line = line(&command);
            return Err(Failure::Command { line, status: output.status });
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let rows = text.lines().map(|line| cost(line).ok_or(line));
        let rows = rows.collect::<Result<Vec<_>, _>>();
        rows.map(Some).map_err(|line| Failure::Unmet(format!("`scan-times` printed `{line}`")))
    }

    fn real(&self, root: &Path, peers: bool) -> Result<String, Failure> {
        eprintln!("scanning the corpus");
        let costs = self.costs(root)?.unwrap_or_default();
        let mut times: Vec<u64> = costs.iter().map(|cost| cost.nanoseconds).collect();
        times.sort_unstable();
        let bytes: u64 = costs.iter().map(|cost| cost.bytes).sum();
        let all: u64 = times.iter().sum();
        let mut text = String::new();
        let mut table =
            Table::new(&["skills", "bytes", "mean", "p50", "p95", "worst", "MB/s", "target (p50)"]);
        let typical = milliseconds(at(&times, 0.5));
        table.row([
            grouped(times.len()),
            grouped(bytes),
            format!("{:.2} ms", milliseconds(all) / count(times.len())),
            format!("{typical:.2} ms"),
            format!("{:.2} ms", milliseconds(at(&times, 0.95))),
            format!("{:.2} ms", milliseconds(at(&times, 1.0))),
            format!("{:.1}", speed(bytes, all)),
            target(typical, MAX_TYPICAL_MS, " ms"),
        ]);
        let _ = writeln!(text, "`xtask scan-times $T/corpus`:\n\n{table}");
        text.push_str(&self.whole(root)?);
        text.push_str(&verdicts(&costs));
        if peers {
            text.push_str(&self::peers(root, all, times.len())?);
        }
        Ok(text)
    }

    /// The whole command: every core, without and with the reports that were kept.
    fn whole(&self, root: &Path) -> Result<String, Failure> {
        let mut table = Table::new(&["command", "wall", "CPU"]);
        let hone = |arguments: &[&str]| {
            let mut command = Command::new(self.release.join("hone"));
            command.env("HONE_HOME", self.folder.join("state")).arg("scan").arg(root);
            command.args(arguments).stdout(Stdio::null()).stderr(Stdio::null());
            command
        };
        for (shown, arguments) in [
            ("hone scan $T/corpus --json --no-cache", &["--json", "--no-cache"][..]),
            ("hone scan $T/corpus --json", &["--json"]),
            ("hone scan $T/corpus --json (again)", &["--json"]),
        ] {
            let (wall, cpu) = timed(&mut hone(arguments))?;
            table.row([
                format!("`{shown}`"),
                format!("{:.2} s", wall.as_secs_f64()),
                format!("{:.2} s", cpu.as_secs_f64()),
            ]);
        }
        Ok(format!("{table}\n"))
    }

    fn generated(&self, quick: bool) -> Result<String, Failure> {
        let mut table =
            Table::new(&["repeated", "file", "1 MB", "10 MB", "MB/s", "memory", "ratio", "target"]);
        let files = if quick { &FILES[..1] } else { &FILES[..] };
        let others = if quick { &[][..] } else { OTHERS };
        let everywhere = REPEATS.iter().map(|(name, unit)| (*name, *unit, files));
        for (name, unit, files) in everywhere.chain(others.iter().copied()) {
            for file in files {
                eprintln!("scanning 10 MB of {name} as {file}");
                let small = self.one(file, unit, SMALL)?;
                let large = if small.is_some() { self.one(file, unit, LARGE)? } else { None };
                let shown = |cost: &Option<Cost>| {
                    cost.as_ref().map_or(format!("> {GIVE_UP} s"), |cost| {
                        format!("{:.0} ms", milliseconds(cost.nanoseconds))
                    })
                };
                let ratio = small.as_ref().zip(large.as_ref()).map(|(small, large)| {
                    milliseconds(large.nanoseconds) / milliseconds(small.nanoseconds)
                });
                let of_large =
                    |text: fn(&Cost) -> String| large.as_ref().map_or("–".to_owned(), text);
                table.row([
                    format!("`{}`", name.replace('|', "\\|")),
                    (*file).to_owned(),
                    shown(&small),
                    shown(&large),
                    of_large(|cost| format!("{:.0}", speed(LARGE as u64, cost.nanoseconds))),
                    of_large(|cost| format!("{} MB", cost.memory / 1_000_000)),
                    ratio.map_or("–".to_owned(), |ratio| format!("{ratio:.1}")),
                    target(ratio.unwrap_or(f64::INFINITY), MAX_RATIO, " ×"),
                ]);
            }
        }
        Ok(format!(
            "`xtask scan-times $T/made`, a skill with one file that repeats a text:\n\n{table}"
        ))
    }

    /// What one file of a size costs; `None` when it took too long.
    fn one(&self, file: &str, unit: &str, size: usize) -> Result<Option<Cost>, Failure> {
        let root = self.folder.join("made");
        let skill = root.join("skill");
        let making = || format!("make `{}`", skill.display());
        if root.exists() {
            fs::remove_dir_all(&root).doing(making)?;
        }
        fs::create_dir_all(&skill).doing(making)?;
        let head = "---\nname: made\ndescription: A file to be measured\n---\n";
        let body = repeated(unit, size);
        if file == "SKILL.md" {
            fs::write(skill.join(file), format!("{head}{body}")).doing(making)?;
        } else {
            fs::write(skill.join("SKILL.md"), format!("{head}Run `{file}`.\n")).doing(making)?;
            fs::write(skill.join(file), body).doing(making)?;
        }
        Ok(self.costs(&root)?.and_then(|mut costs| costs.pop()))
    }
}

/// A text as often as it fits, each time with its number where it asks for it.
fn repeated(unit: &str, size: usize) -> String {
    if !unit.contains("{n}") {
        return unit.repeat(size / unit.len());
    }
    let mut text = String::with_capacity(size);
    for number in 1_usize.. {
        let next =
            unit.replace("{n}", &number.to_string()).replace("{m}", &(number - 1).to_string());
        if text.len() + next.len() > size {
            break;
        }
        text.push_str(&next);
    }
    text
}

fn verdicts(costs: &[Cost]) -> String {
    let with =
        |verdict: Verdict| costs.iter().filter(|cost| cost.verdict == verdict.word()).count();
    let blocked = with(Verdict::Caution) + with(Verdict::Dangerous);
    let share = count(blocked) / count(costs.len().max(1));
    let mut table = Table::new(&["safe", "caution", "dangerous", "blocked as community", "target"]);
    table.row([
        grouped(with(Verdict::Safe)),
        grouped(with(Verdict::Caution)),
        grouped(with(Verdict::Dangerous)),
        format!("{blocked} ({:.2} %)", share * 100.0),
        target(share * 100.0, MAX_BLOCKED * 100.0, " %"),
    ]);
    // Per rule: skills by the worst severity that the rule has there.
    let mut rules: BTreeMap<&str, BTreeMap<&str, usize>> = BTreeMap::new();
    for cost in costs {
        for (rule, severity) in &cost.rules {
            *rules.entry(rule).or_default().entry(severity).or_default() += 1;
        }
    }
    let number =
        |counts: &BTreeMap<&str, usize>, severity| counts.get(severity).copied().unwrap_or(0);
    let mut rows: Vec<_> = rules.into_iter().collect();
    rows.sort_by_key(|(rule, counts)| {
        (std::cmp::Reverse((number(counts, "critical"), number(counts, "warn"))), *rule)
    });
    let mut per_rule = Table::new(&["rule", "critical", "warn", "info"]);
    for (rule, counts) in rows.iter().take(MAX_RULES) {
        per_rule.row([
            format!("`{rule}`"),
            number(counts, "critical").to_string(),
            number(counts, "warn").to_string(),
            number(counts, "info").to_string(),
        ]);
    }
    format!("{table}\nSkills in which a rule speaks, by its worst severity there:\n\n{per_rule}\n")
}

/// Other scanners on the first skills of the corpus, one process each, as they are used.
fn peers(root: &Path, all: u64, skills: usize) -> Result<String, Failure> {
    let ours = milliseconds(all) / count(skills.max(1));
    let mut folders = skills_below(root)?;
    folders.truncate(PEER_SKILLS);
    let mut table =
        Table::new(&["scanner", "command", "CPU per skill", "against hone's mean", "target"]);
    let mut missing = Vec::new();
    for (name, arguments) in PEERS {
        let Some(program) = on_path(name) else {
            missing.push(format!("`{name}`"));
            continue;
        };
        // A version without this command would be measured while it says how it is used.
        let mut help = Command::new(&program);
        help.args(*arguments).arg("--help").stdin(Stdio::null());
        help.stdout(Stdio::null()).stderr(Stdio::null());
        if !help.status().is_ok_and(|status| status.success()) {
            missing.push(format!("`{name}`, which has no `{}`", arguments.join(" ")));
            continue;
        }
        eprintln!("scanning with {name}");
        let mut cpu = Duration::ZERO;
        for folder in &folders {
            let mut command = Command::new(&program);
            command.args(*arguments).arg(folder).stdin(Stdio::null());
            command.stdout(Stdio::null()).stderr(Stdio::null());
            cpu += timed(&mut command)?.1;
        }
        let each = cpu.as_secs_f64() * 1e3 / count(folders.len().max(1));
        table.row([
            (*name).to_owned(),
            format!("`{name} {} SKILL`", arguments.join(" ")),
            format!("{each:.1} ms"),
            format!("{:.0} ×", each / ours),
            format!(
                "≥ {MIN_PEER_RATIO} ×: {}",
                if each / ours >= MIN_PEER_RATIO { "met" } else { "**missed**" }
            ),
        ]);
    }
    let mut text = String::new();
    if missing.len() < PEERS.len() {
        let _ = writeln!(text, "{table}");
    }
    if !missing.is_empty() {
        let _ = writeln!(text, "- not here, so not measured: {}", missing.join(", "));
    }
    Ok(text)
}

/// `xtask scan-times DIR`: one line of JSON for each skill below a folder.
pub(crate) fn scan_times(root: &Path) -> Result<(), Failure> {
    for folder in skills_below(root)? {
        let start = thread_time();
        let report = hone_guard::scan(&folder);
        let took = thread_time().saturating_sub(start);
        let report = report.map_err(|error| Failure::Unmet(error.to_string()))?;
        let mut worst: BTreeMap<&str, hone_guard::Severity> = BTreeMap::new();
        for finding in &report.findings {
            let known = worst.entry(&finding.rule).or_insert(finding.severity);
            *known = (*known).max(finding.severity);
        }
        let rules: Vec<Value> =
            worst.iter().map(|(rule, severity)| json!([rule, severity.word()])).collect();
        let row = json!({
            "path": folder.to_string_lossy(),
            "nanoseconds": u64::try_from(took.as_nanos()).unwrap_or(u64::MAX),
            "bytes": report.coverage.bytes,
            "memory": memory::most()?,
            "verdict": report.verdict.word(),
            "rules": rules,
        });
        println!("{row}");
    }
    Ok(())
}

fn cost(line: &str) -> Option<Cost> {
    let row: Value = serde_json::from_str(line).ok()?;
    let rule = |pair: &Value| Some((pair[0].as_str()?.to_owned(), pair[1].as_str()?.to_owned()));
    Some(Cost {
        nanoseconds: row["nanoseconds"].as_u64()?,
        bytes: row["bytes"].as_u64()?,
        memory: row["memory"].as_u64()?,
        verdict: row["verdict"].as_str()?.to_owned(),
        rules: row["rules"].as_array()?.iter().map(rule).collect::<Option<_>>()?,
    })
}

/// Folders with a `SKILL.md`, not looking further below them, sorted.
fn skills_below(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut skills = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        if folder.join("SKILL.md").is_file() {
            skills.push(folder);
            continue;
        }
        let entries = fs::read_dir(&folder).doing(|| format!("read `{}`", folder.display()))?;
        folders.extend(entries.flatten().map(|entry| entry.path()).filter(|path| path.is_dir()));
    }
    skills.sort_unstable();
    Ok(skills)
}

/// CPU time of this thread.
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::new(seconds, u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Wall and CPU time of a child, whatever its exit code says about the skill.
pub(crate) fn timed(command: &mut Command) -> Result<(Duration, Duration), Failure> {
    let before = children_time()?;
    let start = Instant::now();
    command.status().doing(|| format!("run `{}`", line(command)))?;
    Ok((start.elapsed(), children_time()?.saturating_sub(before)))
}

/// CPU time of all children that ended, from the kernel's count in ticks of 10 ms.
fn children_time() -> Result<Duration, Failure> {
    const TICK: Duration = Duration::from_millis(10);
    let stat =
        fs::read_to_string("/proc/self/stat").doing(|| "read `/proc/self/stat`".to_owned())?;
    Ok(TICK * children_ticks(&stat).unwrap_or(0))
}

/// Fields 16 and 17, counted after the name, which may hold blanks.
fn children_ticks(stat: &str) -> Option<u32> {
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    Some(fields.get(13)?.parse::<u32>().ok()? + fields.get(14)?.parse::<u32>().ok()?)
}

/// The value below which a share of the sorted values lies.
fn at(sorted: &[u64], share: f64) -> u64 {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a length is a length"
    )]
    let rank = (count(sorted.len()) * share).ceil() as usize;
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0)
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}

#[expect(clippy::cast_precision_loss, reason = "for display")]
fn count(number: usize) -> f64 {
    number as f64
}

/// Megabytes a second.
#[expect(clippy::cast_precision_loss, reason = "for display")]
fn speed(bytes: u64, nanoseconds: u64) -> f64 {
    bytes as f64 * 1e3 / nanoseconds.max(1) as f64
}

fn target(value: f64, most: f64, unit: &str) -> String {
    let word = if value <= most { "met" } else { "MISSED" };
    format!("≤ {most}{unit}: {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_of_sorted_values_is_the_nearest_rank() {
        let values: Vec<u64> = (1..=20).collect();
        assert_eq!([at(&values, 0.5), at(&values, 0.95), at(&values, 1.0)], [10, 19, 20]);
        assert_eq!(at(&[7], 0.5), 7);
        assert_eq!(at(&[], 0.5), 0);
    }

    #[test]
    fn repeats_are_numbered_where_they_ask_for_it() {
        assert_eq!(repeated("ab", 5), "abab");
        assert_eq!(repeated("v{n}=v{m};", 14), "v1=v0;v2=v1;");
    }

    #[test]
    fn ticks_of_children_are_read_behind_any_name() {
        let stat = "1 (a) b) S 1 2 3 4 5 6 7 8 9 10 11 12 30 12 20 0";
        assert_eq!(children_ticks(stat), Some(42));
    }

    #[test]
    fn a_skill_below_a_skill_is_part_of_it() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["b", "a/x", "a/x/inner"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
            fs::write(root.path().join(folder).join("SKILL.md"), "x").unwrap();
        }
        let found = skills_below(root.path()).unwrap();
        assert_eq!(found, [root.path().join("a/x"), root.path().join("b")]);
    }

    #[test]
    fn a_row_of_costs_comes_back() {
        let row = r#"{"path":"x","nanoseconds":5,"bytes":7,"memory":9,"verdict":"safe","rules":[["archive","warn"]]}"#;
        let cost = cost(row).unwrap();
        assert_eq!((cost.nanoseconds, cost.bytes, cost.memory), (5, 7, 9));
        assert_eq!(cost.verdict, "safe");
        assert_eq!(cost.rules, [("archive".to_owned(), "warn".to_owned())]);
        assert!(super::cost("{}").is_none());
    }
}

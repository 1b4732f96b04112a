//! `cargo xtask generate DIR N`: skills that look like real ones, for measuring. The n-th skill is
//! the same bytes on every machine and in every set that is large enough to hold it, and all of
//! them are valid under the specification.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

use crate::failure::{Doing, Failure};

/// Where the pseudo-random numbers start; another value gives another set.
const SEED: u64 = 0x686f_6e65;

/// A generated `SKILL.md` has at least this many bytes, and at most one sentence or block more.
const LEAST_BYTES: usize = 4_800;

/// A description ends with the first sentence that reaches this many characters; see the test for
/// the range that gives.
const DESCRIPTION_CHARS: (usize, usize) = (100, 200);

/// The modification time of skill 0, in seconds since 1970; each next one is a minute younger.
/// Times in the past keep an index from suspecting that a file was changed while it was read.
const FIRST_MODIFIED: u64 = 1_700_000_000;

const VERBS: &[(&str, &str)] = &[
    ("audit", "Audits"),
    ("build", "Builds"),
    ("check", "Checks"),
    ("convert", "Converts"),
    ("deploy", "Deploys"),
    ("draft", "Drafts"),
    ("extract", "Extracts"),
    ("migrate", "Migrates"),
    ("profile", "Profiles"),
    ("review", "Reviews"),
    ("summarise", "Summarises"),
    ("tidy", "Tidies"),
];

const OBJECTS: &[(&str, &str)] = &[
    ("api-schema", "the schema of an HTTP interface"),
    ("changelog", "the changelog of a release"),
    ("csv-export", "exports in CSV and similar tables"),
    ("database-index", "slow queries and missing database indexes"),
    ("docker-image", "container images and the files that build them"),
    ("error-log", "error logs from several services"),
    ("invoice-pdf", "invoices that arrive as PDF files"),
    ("landing-page", "landing pages and their texts"),
    ("meeting-notes", "notes and decisions of a meeting"),
    ("pull-request", "pull requests with many commits"),
    ("test-suite", "test suites that became slow or flaky"),
    ("translation", "translations of user-facing texts"),
];

const SITUATIONS: &[&str] = &[
    "Use when the user asks for it by name or pastes a file of this kind.",
    "Use when a build fails and the reason is not visible in the last lines.",
    "Use before a release, and again after the last change went in.",
    "Use when numbers from two sources do not agree.",
    "Do not use for a single small file that fits on one screen.",
    "Works best when the repository is checked out and its tools are installed.",
];

const SENTENCES: &[&str] = &[
    "Read the whole input once before changing anything, and write down what is unclear.",
    "Keep the order of the entries unless the user asks for another one.",
    "Prefer the project's own commands over general ones when both exist.",
    "If a step fails, show the exact command and its output, then stop and ask.",
    "Compare the result with the source and list every difference that was not intended.",
    "Numbers are copied, never retyped; totals are computed and then checked against the text.",
    "Names of people and customers stay out of the summary unless they are needed.",
    "A change that touches more than ten files is split into parts that can be reviewed alone.",
    "Write the report for a reader who was not there: what happened, why, and what comes next.",
    "Leave generated files alone and change the program that makes them.",
];

const CODE: &[&str] = &[
    "git diff --stat main...HEAD\ngit log --oneline main..HEAD",
    "python3 scripts/convert.py --input data/in.csv --output build/out.json",
    "SELECT id, created_at FROM orders WHERE state = 'open' ORDER BY created_at LIMIT 20;",
    "docker build --tag example/app:dev .\ndocker run --rm example/app:dev --version",
];

const TOOLS: &[&str] = &["Read Grep Glob", "Bash(git:*) Read", "Read Write Edit Bash(python3:*)"];

/// One skill, not yet on disk.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Generated {
    /// The name, which is also the folder's.
    pub(crate) name: String,
    /// The bytes of `SKILL.md`.
    pub(crate) text: String,
    description: String,
}

/// Writes skills 0 to `count` as `folder/<name>/SKILL.md` and returns their names.
pub(crate) fn generate(folder: &Path, count: usize) -> Result<Vec<String>, Failure> {
    (0..count)
        .zip(0u64..)
        .map(|(_, number)| {
            let skill = skill(number);
            let home = folder.join(&skill.name);
            write(&home, &skill.text, number).doing(|| format!("write `{}`", home.display()))?;
            Ok(skill.name)
        })
        .collect()
}

fn write(home: &Path, text: &str, number: u64) -> std::io::Result<()> {
    let file = home.join("SKILL.md");
    fs::create_dir_all(home)?;
    fs::write(&file, text)?;
    let modified = Duration::from_secs(FIRST_MODIFIED + 60 * number);
    File::options().write(true).open(&file)?.set_modified(SystemTime::UNIX_EPOCH + modified)
}

/// The skill with this number.
pub(crate) fn skill(number: u64) -> Generated {
    let mut dice = Dice(SEED ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let &(verb, verbs) = dice.pick(VERBS);
    let &(object, objects) = dice.pick(OBJECTS);
    let name = format!("{verb}-{object}-{number:05}");
    let description = description(&mut dice, verbs, objects);

    let mut text = format!("---\nname: {name}\n");
    put_description(&mut text, &mut dice, &description);
    if dice.one_in(3) {
        text.push_str("license: Apache-2.0\n");
    }
    if dice.one_in(2) {
        let _ = writeln!(
            text,
            "metadata:\n  author: example-team-{}\n  version: \"1.{}\"",
            dice.below(20),
            dice.below(10)
        );
    }
    if dice.one_in(3) {
        let _ = writeln!(text, "allowed-tools: {}", dice.pick(TOOLS));
    }
    let _ = write!(text, "---\n\n# {verbs} {objects}\n\n## When to use\n\n{description}\n");
    put_body(&mut text, &mut dice);
    Generated { name, text, description }
}

fn description(dice: &mut Dice, verbs: &str, objects: &str) -> String {
    let (least, most) = DESCRIPTION_CHARS;
    let wanted = least + dice.below(most - least);
    let mut description = format!("{verbs} {objects}.");
    let first = dice.below(SITUATIONS.len());
    let mut situations = SITUATIONS.iter().cycle().skip(first);
    while description.len() < wanted {
        if let Some(situation) = situations.next() {
            description.push(' ');
            description.push_str(situation);
        }
    }
    description
}

/// Plain, quoted or folded: the three ways people write a description.
fn put_description(text: &mut String, dice: &mut Dice, description: &str) {
    let _ = match dice.below(3) {
        0 => writeln!(text, "description: {description}"),
        1 => writeln!(text, "description: \"{description}\""),
        _ => writeln!(text, "description: >-\n{}", folded(description)),
    };
}

fn folded(text: &str) -> String {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) if line.len() + word.len() < 78 => {
                line.push_str(if line.is_empty() { "  " } else { " " });
                line.push_str(word);
            }
            _ => lines.push(format!("  {word}")),
        }
    }
    lines.join("\n")
}

fn put_body(text: &mut String, dice: &mut Dice) {
    let mut section = 0;
    while text.len() < LEAST_BYTES {
        section += 1;
        let _ = write!(text, "\n## Step {section}\n\n");
        for item in 1..=3 + dice.below(3) {
            let _ = writeln!(text, "{item}. {}", dice.pick(SENTENCES));
        }
        let _ = write!(text, "\n{} {}\n", dice.pick(SENTENCES), dice.pick(SENTENCES));
        if dice.one_in(2) {
            let _ = write!(text, "\n```\n{}\n```\n", dice.pick(CODE));
        }
    }
}

/// `SplitMix64`: small, fast, and the same everywhere.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which must not be 0.
    fn below(&mut self, bound: usize) -> usize {
        // 16 bits are plenty for lists of a dozen, and fit a `usize` everywhere.
        usize::from((self.roll() >> 48) as u16) % bound
    }

    fn one_in(&mut self, chances: usize) -> bool {
        self.below(chances) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_same_number_gives_the_same_bytes() {
        assert_eq!(skill(41), skill(41));
        assert_ne!(skill(41).text, skill(42).text);
    }

    #[test]
    fn the_set_of_the_published_tables_has_not_changed() {
        // FNV-1a over the first hundred texts.
        let texts = (0..100).map(|number| skill(number).text);
        let hash =
            texts.flat_map(String::into_bytes).fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
            });
        assert_eq!(hash, 0x3ec4_00aa_ea3f_0ba6);
        assert_eq!(skill(0).name, "deploy-landing-page-00000");
    }

    #[test]
    fn a_larger_set_starts_with_the_smaller_one() {
        let folder = tempfile::tempdir().unwrap();
        let few = generate(&folder.path().join("few"), 3).unwrap();
        let many = generate(&folder.path().join("many"), 5).unwrap();
        assert_eq!(few, many[..3]);
        for (number, name) in (0u64..).zip(&many) {
            let file = folder.path().join("many").join(name).join("SKILL.md");
            assert_eq!(fs::read_to_string(&file).unwrap(), skill(number).text);
            assert_eq!(
                fs::metadata(&file).unwrap().modified().unwrap(),
                SystemTime::UNIX_EPOCH + Duration::from_secs(FIRST_MODIFIED + 60 * number)
            );
        }
    }

    #[test]
    fn ten_thousand_skills_are_distinct_and_of_the_promised_size() {
        let mut names = BTreeSet::new();
        for number in 0..10_000 {
            let skill = skill(number);
            assert!((4_800..=6_000).contains(&skill.text.len()), "{}", skill.text.len());
            let described = skill.description.chars().count();
            assert!((100..=300).contains(&described), "{described}: {}", skill.description);
            assert!(skill.name.len() <= 64);
            names.insert(skill.name);
        }
        assert_eq!(names.len(), 10_000);
    }

    #[test]
    fn folding_keeps_the_words() {
        let text = skill(7).description;
        let folded = folded(&text);
        let unfolded: Vec<_> = folded.lines().map(|line| &line[2..]).collect();
        assert_eq!(unfolded.join(" "), text);
        assert!(folded.lines().all(|line| line.len() <= 80 && line.starts_with("  ")));
    }
}

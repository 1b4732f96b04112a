//! Ageing, archive and merges, with real skills.

use hone_agent::brain::{Brain, Editor, New, Owner};
use hone_agent::lineage::receipt::Kind;
use hone_agent::model::Budget;
use hone_guard::policy::Policy;
use hone_learn::after::Aftermath;
use hone_learn::curator::{
    Curating, Move, Wording, apply, archive, find_merges, plan_for, propose_merges, restore,
};
use hone_learn::gate::{Check, Finding};
use hone_learn::land::is_agents_own;
use hone_learn::outcomes::Seen;
use hone_learn::proposal::{Outcome, Proposal, Stage as Life};
use hone_learn::review::{Person, Word, accept, changes};
use hone_learn::stats::stats;
use hone_library::{
    Author, Matching, Mode, State, Store, canonical_or_same, files_at, history, usage,
};
use tokio_util::sync::CancellationToken;

use crate::loops::taught;
use crate::stage::{QUESTION, SUM_PRICES, Stage, answer, read, short_way};

/// A task that came near a skill and did not read it.
pub(crate) fn missed_at(now: i64) -> Seen {
    Seen {
        task: format!("t{now}"),
        version: "1".to_owned(),
        loaded: false,
        at: now,
        answered: true,
        corrected: false,
        turns: 4,
        tokens: 400,
    }
}

fn missed(stage: &Stage, skill: &str) {
    stage.records().see("ada", skill, &missed_at(stage.now())).unwrap();
}

async fn curated(stage: &Stage) -> Vec<(String, Move)> {
    let cancelled = CancellationToken::new();
    let curating = Curating { referenced: &[], now: stage.now(), cancelled: &cancelled };
    let records = stage.records();
    let plan = plan_for(&stage.brain, &records, curating).unwrap();
    apply(&stage.brain, &records, &plan, curating).await.unwrap();
    plan.moves.into_iter().map(|planned| (planned.name, planned.to)).collect()
}

fn life(stage: &Stage) -> Life {
    stage.records().stage("ada", "sum-prices").unwrap().unwrap().0
}

fn author(now: i64) -> Author {
    Author { actor: "pat".to_owned(), reason: String::new(), now }
}

#[tokio::test]
async fn k08_an_unused_skill_goes_stale_then_to_the_archive_and_comes_back_whole_and_stays() {
    let stage = taught().await;
    stage.pass_days(29);
    assert_eq!(curated(&stage).await, []);
    stage.pass_days(2);
    // No message came near it: it does not age.
    assert_eq!(curated(&stage).await, []);
    missed(&stage, "sum-prices");
    assert_eq!(curated(&stage).await, [("sum-prices".to_owned(), Move::Stale)]);
    assert_eq!((life(&stage), stage.skills().len()), (Life::Stale, 1));
    stage.pass_days(60);
    missed(&stage, "sum-prices");
    let key = canonical_or_same(stage.known().listed[0].key());
    let files = || ["SKILL.md", "triggers.json"].map(|file| std::fs::read(key.join(file)).ok());
    let before = files();
    assert_eq!(curated(&stage).await, [("sum-prices".to_owned(), Move::Archive)]);
    assert_eq!((life(&stage), stage.skills().len(), key.exists()), (Life::Archived, 0, false));
    assert_eq!(stage.receipts().last(), Some(&Kind::Learned));

    let (home, records, token) = (stage.home(), stage.records(), CancellationToken::new());
    let version = restore(&home, &records, &key, author(stage.now()), &token).await.unwrap();
    // One that has not served its trial is still on it.
    assert_eq!((version.as_deref(), life(&stage)), (Some("1"), Life::Trial));
    assert_eq!(files(), before);
    assert!(before.iter().all(Option::is_some));
    // k08: its clock begins anew, so the next look leaves it.
    missed(&stage, "sum-prices");
    assert_eq!(curated(&stage).await, []);
    let again = restore(&home, &records, &key, author(stage.now()), &token).await.unwrap_err();
    assert_eq!(again.to_string(), "`sum-prices` is there: it is not archived");
}

#[tokio::test]
async fn k04_a_pinned_skill_and_a_persons_are_left_alone() {
    let stage = taught().await;
    let state = State::open(&stage.home());
    let store = Store::new(&state, author(stage.now()), Mode::Write);
    store.create(&stage.known().root, None, "by-hand", "Use when asked.\n", &[]).unwrap();
    store.pin(&stage.known().listed[1]).unwrap();
    stage.pass_days(200);
    missed(&stage, "sum-prices");
    missed(&stage, "by-hand");
    assert_eq!(curated(&stage).await, []);
    assert_eq!(stage.skills().len(), 2);
}

/// A skill that a seed brings.
const ORACLE: &str =
    "---\nname: oracle\ndescription: Checks oracles. Use when asked.\n---\nFirst.\n";

#[tokio::test]
async fn k06_a_seeds_skill_never_ages_and_once_archived_no_update_brings_it_back() {
    let mut stage = Stage::new();
    let seed = tempfile::tempdir().unwrap();
    let folder = seed.path().join("skills/oracle");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("SKILL.md"), ORACLE).unwrap();
    let new = New { seed: Some(seed.path().to_owned()), ..New::default() };
    stage.brain = Brain::create(&stage.home(), "bob", &new).unwrap();
    let home = stage.home();
    let update = || {
        let (now, tell) = (stage.now(), |_: &Owner| {});
        let editor = Editor { hone_home: &home, what: "update", now, tell: &tell };
        let update = |state: &State| stage.brain.update(seed.path(), state, author(now));
        let elsewhere = || -> &State { unreachable!("it is a brain") };
        editor.edit(&stage.brain.folder, elsewhere, update).unwrap()
    };
    // First seen it is only there; and however old it is, it is not the agent's own.
    assert_eq!(curated(&stage).await, []);
    stage.pass_days(200);
    stage.records().see("bob", "oracle", &missed_at(stage.now())).unwrap();
    assert_eq!((curated(&stage).await, stage.skills().len()), (vec![], 1));

    let (records, token) = (stage.records(), CancellationToken::new());
    let skill = stage.known().listed[0].clone();
    let key = canonical_or_same(skill.key());
    archive(&home, &records, &skill, author(stage.now()), &token).await.unwrap();
    // The seed goes on; what was archived stays where it is, with every new file of it.
    std::fs::write(folder.join("SKILL.md"), ORACLE.replace("First", "Second")).unwrap();
    std::fs::create_dir(folder.join("scripts")).unwrap();
    std::fs::write(folder.join("scripts/look.sh"), "ls\n").unwrap();
    let kept = update().kept;
    let why: Vec<(&str, &str)> = kept.iter().map(|kept| (&*kept.file, &*kept.why)).collect();
    assert_eq!(
        why,
        [
            ("skills/oracle/SKILL.md", "it was removed here"),
            ("skills/oracle/scripts/look.sh", "its skill was removed here"),
        ]
    );
    assert_eq!((stage.skills(), key.exists()), (vec![], false));

    // Brought back, it follows its seed again.
    restore(&home, &records, &key, author(stage.now()), &token).await.unwrap();
    assert!(stage.text("oracle").contains("First"));
    let updated = update();
    assert_eq!(updated.added, ["skills/oracle/scripts/look.sh"]);
    assert_eq!(updated.updated, ["skills/oracle/SKILL.md"]);
    assert!(stage.text("oracle").contains("Second"));
}

#[tokio::test]
async fn k10_a_plan_changes_nothing() {
    let stage = taught().await;
    stage.pass_days(200);
    missed(&stage, "sum-prices");
    let cancelled = CancellationToken::new();
    let curating = Curating { referenced: &[], now: stage.now(), cancelled: &cancelled };
    let records = stage.records();
    let before = (stage.receipts(), life(&stage), records.curated("ada").unwrap());
    let plan = plan_for(&stage.brain, &records, curating).unwrap();
    assert_eq!((plan.checked, plan.moves.len()), (1, 1));
    assert_eq!((stage.receipts(), life(&stage), records.curated("ada").unwrap()), before);
    assert_eq!(stage.skills().len(), 1);
}

#[tokio::test]
async fn k07_an_archived_name_that_is_made_again_and_archived_keeps_both_in_its_history() {
    let stage = taught().await;
    let (home, records, token) = (stage.home(), stage.records(), CancellationToken::new());
    let skill = stage.known().listed[0].clone();
    archive(&home, &records, &skill, author(stage.now()), &token).await.unwrap();
    let state = State::open(&home);
    let store = Store::new(&state, author(stage.now()), Mode::Write);
    let newer = SUM_PRICES.replace("alone.", "alone, newer.");
    store.create(&stage.known().root, None, "sum-prices", &newer, &[]).unwrap();
    let skill = stage.known().listed[0].clone();
    archive(&home, &records, &skill, author(stage.now()), &token).await.unwrap();
    restore(&home, &records, skill.key(), author(stage.now()), &token).await.unwrap();
    assert!(stage.text("sum-prices").contains("newer"));
    let rows = hone_library::history(&state, &canonical_or_same(skill.key())).unwrap();
    let reasons: Vec<&str> = rows.iter().map(|row| row.reason.as_str()).collect();
    assert_eq!(reasons.iter().filter(|reason| **reason == "archived").count(), 2, "{reasons:?}");
}

#[tokio::test]
async fn a_skill_that_a_person_archived_and_brought_back_is_still_the_agents_own() {
    let stage = taught().await;
    let (home, records, token) = (stage.home(), stage.records(), CancellationToken::new());
    let state = State::open(&home);
    let is_own = || is_agents_own(&state, &stage.known().listed[0]);
    let skill = stage.known().listed[0].clone();
    archive(&home, &records, &skill, author(stage.now()), &token).await.unwrap();
    restore(&home, &records, skill.key(), author(stage.now()), &token).await.unwrap();
    assert!(is_own());
    stage.pass_days(90);
    missed(&stage, "sum-prices");
    assert_eq!(curated(&stage).await, [("sum-prices".to_owned(), Move::Archive)]);
    restore(&home, &records, skill.key(), author(stage.now()), &token).await.unwrap();
    assert!(is_own());
    // What a person wrote is the person's, and so is what they bring back of it.
    let store = Store::new(&state, author(stage.now()), Mode::Write);
    store.patch(&skill, None, "alone.", "by itself.", Matching::Exact).unwrap();
    assert!(!is_own());
    store.delete(&skill).unwrap();
    store.rollback(skill.key(), None).unwrap();
    assert!(!is_own());
}

#[tokio::test]
async fn an_archived_skill_that_its_history_brings_back_is_there_and_ages_from_then() {
    let stage = taught().await;
    let (home, records, token) = (stage.home(), stage.records(), CancellationToken::new());
    let skill = stage.known().listed[0].clone();
    let noted = || stats(&home, &records, None, stage.now()).unwrap().skills.remove(0).stage;
    stage.pass_days(100);
    archive(&home, &records, &skill, author(stage.now()), &token).await.unwrap();
    assert_eq!(noted(), Life::Archived);
    let state = State::open(&home);
    let store = Store::new(&state, author(stage.now()), Mode::Write);
    store.rollback(skill.key(), None).unwrap();
    assert_eq!(noted(), Life::Trial);
    missed(&stage, "sum-prices");
    assert_eq!(curated(&stage).await, []);
    stage.pass_days(90);
    missed(&stage, "sum-prices");
    assert_eq!(curated(&stage).await, [("sum-prices".to_owned(), Move::Archive)]);
}

#[tokio::test]
async fn u07_u08_a_persons_skill_is_counted_and_never_curated_whatever_its_name() {
    let stage = taught().await;
    let state = State::open(&stage.home());
    let store = Store::new(&state, author(stage.now()), Mode::Write);
    let text = "---\nname: another-name\ndescription: Use when asked.\n---\nDo it.\n";
    store.create(&stage.known().root, None, "by-hand", text, &[]).unwrap();
    let known = stage.known();
    let skill = known.listed.iter().find(|skill| skill.key().ends_with("by-hand")).unwrap();
    assert!(usage::count(&state, skill, usage::Event::Use, stage.now()));
    stage.pass_days(200);
    missed(&stage, &skill.summary.name);
    assert_eq!(curated(&stage).await, []);
    let counted = usage::all(&state).unwrap();
    let uses = |name: &str| counted.iter().find(|row| row.name == name).map(|row| row.uses);
    assert_eq!(uses(&skill.summary.name), Some(1));
    assert!(!hone_learn::land::is_agents_own(&state, skill));
}

#[tokio::test]
async fn k11_k12_what_is_archived_was_kept_first_and_each_step_back_can_be_taken_back() {
    let stage = taught().await;
    let (home, records, token) = (stage.home(), stage.records(), CancellationToken::new());
    let skill = stage.known().listed[0].clone();
    let key = canonical_or_same(skill.key());
    let text = stage.text("sum-prices");
    archive(&home, &records, &skill, author(stage.now()), &token).await.unwrap();
    let state = State::open(&home);
    let rows = history(&state, &key).unwrap();
    let kept = files_at(&state, &rows, rows.last().unwrap().revision - 1).unwrap();
    let names: Vec<&String> = kept.keys().collect();
    assert_eq!(names, ["SKILL.md", "triggers.json"]);
    assert_eq!(kept["SKILL.md"], text.as_bytes());
    for _ in 0..2 {
        restore(&home, &records, &key, author(stage.now()), &token).await.unwrap();
        assert_eq!(stage.text("sum-prices"), text);
        let skill = stage.known().listed[0].clone();
        archive(&home, &records, &skill, author(stage.now()), &token).await.unwrap();
        assert_eq!(stage.skills(), []);
    }
}

#[tokio::test]
async fn k13_only_a_whole_name_refers_to_a_skill() {
    let stage = taught().await;
    let state = State::open(&stage.home());
    let store = Store::new(&state, author(stage.now()), Mode::Write);
    let text = "---\nname: guide\ndescription: Use when asked.\n---\nSee `sum-prices-old`.\n";
    store.create(&stage.known().root, None, "guide", text, &[]).unwrap();
    stage.pass_days(40);
    missed(&stage, "sum-prices");
    let cancelled = CancellationToken::new();
    let curating = Curating { referenced: &[], now: stage.now(), cancelled: &cancelled };
    let moves = || plan_for(&stage.brain, &stage.records(), curating).unwrap().moves.len();
    assert_eq!(moves(), 1);
    let known = stage.known();
    let guide = known.find("guide").unwrap();
    store.patch(guide, None, "`sum-prices-old`", "`sum-prices`", Matching::Exact).unwrap();
    assert_eq!(moves(), 0);
}

/// A stage on which the agent has a twin of what it learned, with these lines behind its own.
async fn with_twin(more: &str) -> Stage {
    let stage = taught().await;
    let state = State::open(&stage.home());
    let by_agent = Author { actor: "learn:t9".to_owned(), reason: String::new(), now: stage.now() };
    let twin = SUM_PRICES
        .replace("name: sum-prices", "name: total-prices")
        .replace("alone.", &format!("alone.\n{more}"));
    Store::new(&state, by_agent, Mode::Write)
        .create(&stage.known().root, None, "total-prices", &twin, &stage.known().listed)
        .unwrap();
    stage
}

/// Looks for twins and proposes them, worded by the stage's model where there is something to say.
async fn merged(stage: &Stage, is_worded: bool) -> Vec<Proposal> {
    let (records, cancelled) = (stage.records(), CancellationToken::new());
    let budget = Budget::new(Some(60_000), None, None).unwrap();
    let wording = Wording { model: &*stage.runner.model, budget: &budget, cancelled: &cancelled };
    let merges = find_merges(&stage.brain, &records, stage.now()).unwrap();
    let wording = is_worded.then_some(wording);
    propose_merges(&stage.brain, &records, &Policy::default(), merges, wording).await.unwrap()
}

#[tokio::test]
async fn twins_are_proposed_as_one_and_the_merge_can_be_undone() {
    let stage = with_twin("4. Round it to two digits.").await;
    let state = State::open(&stage.home());
    let (records, policy) = (stage.records(), Policy::default());
    let proposed = merged(&stage, false).await;
    let names: Vec<&str> = proposed.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["sum-prices"]);
    assert!(proposed[0].text.contains("4. Round it to two digits."));
    assert!(proposed[0].waits());
    // It went through the gate, which leaves the last word to a person.
    let checked: Vec<(Check, Finding)> =
        proposed[0].checks.iter().map(|one| (one.check, one.finding)).collect();
    assert_eq!(
        checked,
        [
            (Check::Form, Finding::NeedsPerson),
            (Check::Scan, Finding::Passed),
            (Check::Twins, Finding::Passed),
            (Check::Routing, Finding::Passed),
            (Check::Replay, Finding::NotMeasured),
        ]
    );
    let replaced = changes(&stage.home(), &proposed[0]).remove(0).before.unwrap();
    assert!(String::from_utf8(replaced).unwrap().contains("name: sum-prices"));
    assert_eq!(merged(&stage, false).await, []);

    let (home, token) = (stage.home(), CancellationToken::new());
    let pat = Person { name: "pat", why: "", now: stage.now(), word: Word::Person };
    accept(&home, &policy, &records, &proposed[0].id, pat, &token).await.unwrap();
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "2".to_owned())]);
    let key = stage.known().root.join("total-prices");
    let rows = history(&state, &canonical_or_same(&key)).unwrap();
    assert_eq!(rows.last().unwrap().reason, "archived: `sum-prices` says it too");
    restore(&home, &records, &key, author(stage.now()), &token).await.unwrap();
    assert_eq!(stage.skills().len(), 2);
    // Who brought it back does not want them as one.
    assert_eq!(merged(&stage, false).await, []);
}

#[tokio::test]
async fn k02_a_stale_skill_that_a_task_reads_is_lifted_at_once_and_serves_its_trial() {
    let mut stage = taught().await;
    let stale = async |stage: &Stage| {
        stage.pass_days(31);
        missed(stage, "sum-prices");
        assert_eq!(curated(stage).await, [("sum-prices".to_owned(), Move::Stale)]);
    };
    stale(&stage).await;
    for expected in [Life::Trial, Life::Trial, Life::Active] {
        stage.says(&short_way("sum-prices", "240"));
        stage.task(QUESTION).await;
        assert_eq!(life(&stage), expected);
    }
    let lifted = stage.records().events(9).unwrap();
    assert!(lifted.iter().any(|event| event.why == "it was used again"), "{lifted:?}");
    // One that has served it is active wherever it comes back from.
    stale(&stage).await;
    stage.says(&short_way("sum-prices", "240"));
    stage.task(QUESTION).await;
    assert_eq!(life(&stage), Life::Active);
    let (home, records, token) = (stage.home(), stage.records(), CancellationToken::new());
    let skill = stage.known().listed[0].clone();
    archive(&home, &records, &skill, author(stage.now()), &token).await.unwrap();
    restore(&home, &records, skill.key(), author(stage.now()), &token).await.unwrap();
    assert_eq!(life(&stage), Life::Active);
}

#[tokio::test]
async fn a_model_makes_one_text_of_twins_and_decides_neither_name_nor_permissions() {
    let mut stage = with_twin("4. Round it to two digits.").await;
    let umbrella = "---\nname: price-master\ndescription: Sums the prices of goods, rounded. Use when \
        somebody asks what goods cost in total.\nallowed-tools: Bash\n---\n1. Read prices.csv with \
        `read_file`. Done when every line is seen.\n2. Add up the second column and round to two digits.\n";
    stage.says(&[format!("```markdown\n{umbrella}```")]);
    let proposed = merged(&stage, true).await;
    let merge = &proposed[0];
    assert_eq!((proposed.len(), merge.name.as_str(), merge.waits()), (1, "sum-prices", true));
    assert_eq!(merge.said.as_deref(), Some("m1 made one text of both"));
    for part in
        ["name: sum-prices\n", "goods, rounded. Use when", "2. Add up the second column and round"]
    {
        assert!(merge.text.contains(part), "{part}\n{}", merge.text);
    }
    for part in ["price-master", "allowed-tools", "## Also", "3. Answer"] {
        assert!(!merge.text.contains(part), "{part}\n{}", merge.text);
    }
    assert_eq!((merge.checks[0].finding, merge.spent.replies), (Finding::NeedsPerson, 1));
    // A call of its own: both texts, and nothing of any task.
    let asked = stage.asked(1);
    assert_eq!((stage.requests(), asked.len()), (1, 2));
    assert!(asked[0].content.contains("make one skill of two"), "{}", asked[0].content);
    for part in ["<skill name=\"sum-prices\">", "<skill name=\"total-prices\">", "two digits"] {
        assert!(asked[1].content.contains(part), "{part}\n{}", asked[1].content);
    }
    let all: u64 = stage.records().proposals().unwrap().iter().map(|one| one.spent.replies).sum();
    assert_eq!(stage.records().spending().unwrap()[0].1.replies, all, "the merge is counted");
    // Once proposed, it is not asked about again.
    assert_eq!((merged(&stage, true).await, stage.requests()), (vec![], 1));
}

#[tokio::test]
async fn a_text_of_a_model_that_is_none_or_does_not_pass_leaves_the_lines_of_both() {
    let no_when = "---\nname: sum-prices\ndescription: Sums.\n---\n1. Add up.\n";
    for (reply, why) in [
        ("I would rather not.", "the reply says neither"),
        ("SKIP", "its reply is no skill"),
        (no_when, "its description says what it does and not when to use it"),
    ] {
        let mut stage = with_twin("4. Round it to two digits.").await;
        stage.says(&[reply.to_owned()]);
        let proposed = merged(&stage, true).await;
        assert!(proposed[0].text.contains("## Also"), "{reply}: {}", proposed[0].text);
        let said = proposed[0].said.clone().unwrap();
        assert!(said.starts_with("the text of m1 was not taken (") && said.contains(why), "{said}");
    }
}

#[tokio::test]
async fn k09_where_it_is_switched_off_nothing_ages_by_itself() {
    let mut stage = taught().await;
    let aged = |aftermath: Aftermath| aftermath.aged.into_iter().map(|told| told.skill);
    for (is_on, expected) in [(false, vec![]), (true, vec!["sum-prices".to_owned()])] {
        stage.settings.curate = is_on;
        stage.pass_days(91);
        missed(&stage, "sum-prices");
        stage.says(&[read("prices.csv"), answer("240")]);
        let (_, aftermath) = stage.task("Which goods are there?").await;
        assert_eq!(aged(aftermath).collect::<Vec<_>>(), expected);
    }
    assert_eq!(life(&stage), Life::Archived);
}

#[tokio::test]
async fn twins_are_proposed_by_themselves_once_a_week_after_a_task() {
    let mut stage = with_twin("4. Round it to two digits.").await;
    // The first look began the interval.
    stage.pass_days(8);
    let umbrella = SUM_PRICES.replace("alone.", "alone, rounded to two digits.");
    let mut replies = vec![read("prices.csv"), answer("240")];
    replies.push(umbrella);
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let merges = stage.records().proposals_of("ada", "sum-prices").unwrap();
    let merge = merges.iter().find(|one| one.waits()).unwrap();
    assert!(merge.text.contains("alone, rounded"), "{}", merge.text);
    let note = format!("it waits for you: `hone review show {}`", merge.id);
    assert!(aftermath.notes.iter().any(|told| told.contains(&note)), "{aftermath:?}");
    assert_eq!((aftermath.spent.replies, aftermath.asked), (1, None));
}

#[tokio::test]
async fn a_merge_that_the_gate_refuses_does_not_wait_for_a_person() {
    let stage = with_twin("4. The tool `list_files` does not work here.").await;
    assert_eq!(merged(&stage, false).await, []);
    let kept = stage.records().proposals_of("ada", "sum-prices").unwrap().remove(0);
    assert_eq!(kept.decided.unwrap().outcome, Outcome::Refused);
}

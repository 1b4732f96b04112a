//! What waits for a person, and what the person says.

use hone_guard::policy::Policy;
use hone_learn::LearnError;
use hone_learn::after::Taught;
use hone_learn::gate::{Check, Finding};
use hone_learn::proposal::{Kind, Outcome, Stage as Life};
use hone_learn::review::{Person, Word, accept, edit, reject, replaced};
use hone_library::{Author, Matching, Mode, State, Store, canonical_or_same, history};
use tokio_util::sync::CancellationToken;

use crate::loops::taught;
use crate::stage::{QUESTION, SUM_PRICES, Stage, create, long_way, short_way};

fn pat(now: i64) -> Person<'static> {
    Person { name: "pat", why: "because", now, word: Word::Person }
}

/// A candidate that passed everything and waits, because nothing lands by itself.
async fn waiting() -> (Stage, String) {
    let mut stage = Stage::new();
    stage.settings.land = false;
    let mut replies = long_way("240");
    replies.push(create());
    replies.extend(long_way("240"));
    replies.extend(short_way("sum-prices", "240"));
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let Some(Taught::Waits { proposal, why, .. }) = aftermath.result else {
        panic!("{aftermath:?}");
    };
    assert_eq!(why, "`learn.land` is off");
    (stage, proposal)
}

async fn accepted(stage: &Stage, id: &str) -> Result<Option<String>, LearnError> {
    let (home, records, token) = (stage.home(), stage.records(), CancellationToken::new());
    let landed = accept(&home, &Policy::default(), &records, id, pat(stage.now()), &token).await?;
    Ok(landed.1.version)
}

#[tokio::test]
async fn a01_a_candidate_is_on_no_disk_until_it_is_accepted_and_then_off_the_list() {
    let (stage, id) = waiting().await;
    assert_eq!(stage.skills(), []);
    assert_eq!(replaced(&stage.home(), &stage.records().proposal(&id).unwrap()), None);
    assert_eq!(accepted(&stage, &id[..4]).await.unwrap().as_deref(), Some("1"));
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "1".to_owned())]);
    let proposal = stage.records().proposal(&id).unwrap();
    assert!(!proposal.waits() && !proposal.is_open());
    assert_eq!(proposal.decided.unwrap().by, "pat");
    let again = accepted(&stage, &id).await.unwrap_err();
    assert_eq!(again.to_string(), format!("`{id}` landed already"));
}

#[tokio::test]
async fn a01_an_acceptance_that_fails_leaves_the_candidate_where_it_is() {
    let (stage, id) = waiting().await;
    let state = State::open(&stage.home());
    let author = Author { actor: "pat".to_owned(), reason: String::new(), now: stage.now() };
    let store = Store::new(&state, author, Mode::Write);
    store.create(&stage.known().root, None, "sum-prices", SUM_PRICES, &[]).unwrap();
    let error = accepted(&stage, &id).await.unwrap_err();
    assert_eq!(error.to_string(), "form: there is a skill `sum-prices` already");
    assert!(stage.records().proposal(&id).unwrap().waits());
}

#[tokio::test]
async fn a01_a_rejected_one_is_gone_for_good_and_an_unknown_one_is_said_so() {
    let (stage, id) = waiting().await;
    let records = stage.records();
    let rejected = reject(&records, &id, pat(stage.now())).unwrap();
    assert_eq!(rejected.decided.unwrap().outcome, Outcome::Rejected);
    assert!(accepted(&stage, &id).await.is_err());
    let unknown = reject(&records, "zz", pat(0)).unwrap_err();
    assert_eq!(unknown.to_string(), "there is no proposal `zz`");
    assert_eq!(unknown.hint().unwrap(), "`hone review` lists them");
}

#[tokio::test]
async fn a_text_that_could_never_be_accepted_leaves_the_candidate_its_own() {
    let (stage, id) = waiting().await;
    let (home, records) = (stage.home(), stage.records());
    let before = records.proposal(&id).unwrap();
    let no_when = SUM_PRICES.replace(" Use when somebody asks what goods cost in total.", "");
    let no_steps = SUM_PRICES.split("# Steps").next().unwrap().to_owned();
    for (text, why) in [
        ("hello\n", "it has no frontmatter with a name and a description"),
        (&no_when, "its description says what it does and not when to use it"),
        ("---\nname: sum-prices\ndescription: [\n---\n1. Use when asked.\n", "form: "),
        (&no_steps, "the skill has no body"),
        ("", ""),
    ] {
        let error = edit(&home, &Policy::default(), &records, &id, text, pat(stage.now()));
        let error = error.unwrap_err();
        assert!(error.is_answer() && error.to_string().contains(why), "{text}: {error}");
        assert!(error.to_string().ends_with(&format!("; `{id}` keeps the text that it had")));
        assert_eq!(records.proposal(&id).unwrap(), before, "{text}");
    }
    accepted(&stage, &id).await.unwrap();
    assert_eq!(stage.skills(), [("sum-prices".to_owned(), "1".to_owned())]);
}

#[tokio::test]
async fn what_is_accepted_is_one_revision_and_goes_back_as_one() {
    let (stage, id) = waiting().await;
    accepted(&stage, &id).await.unwrap();
    let state = State::open(&stage.home());
    let key = stage.known().root.join("sum-prices");
    let rows = || history(&state, &canonical_or_same(&key)).unwrap();
    let files: Vec<String> = rows()[0].changes.iter().map(|change| change.file.clone()).collect();
    assert_eq!((rows().len(), files), (1, vec!["SKILL.md".to_owned(), "triggers.json".to_owned()]));

    let files = || ["SKILL.md", "triggers.json"].map(|file| std::fs::read(key.join(file)).unwrap());
    let before = files();
    let records = stage.records();
    let mut refinement = records.proposal(&id).unwrap();
    let base = hone_library::hash(&before[0]);
    refinement.kind = Kind::Refine { base, version: Some("1".to_owned()) };
    refinement.text = SUM_PRICES.replace("alone.", "alone, in cents.");
    refinement.examples.push("add up the price list".to_owned());
    (refinement.id, refinement.decided, refinement.stage) = ("r2".repeat(5), None, Life::Draft);
    records.keep(&refinement).unwrap();
    assert_eq!(accepted(&stage, &refinement.id).await.unwrap().as_deref(), Some("2"));
    assert_eq!(rows().len(), 2);
    assert!(String::from_utf8_lossy(&files()[1]).contains("add up the price list"));
    let author = Author { actor: "pat".to_owned(), reason: String::new(), now: stage.now() };
    Store::new(&state, author, Mode::Write).rollback(&key, None).unwrap();
    assert_eq!(files(), before);
}

#[tokio::test]
async fn a_refined_single_file_becomes_a_folder_whose_old_text_can_be_brought_back() {
    let (stage, id) = waiting().await;
    let state = State::open(&stage.home());
    let author =
        |actor: &str| Author { actor: actor.to_owned(), reason: String::new(), now: stage.now() };
    let root = stage.known().root;
    let store = Store::new(&state, author("task:t0"), Mode::Write);
    store.create_file(&root, "sum-prices", SUM_PRICES, &[]).unwrap();
    let old = stage.text("sum-prices");
    let records = stage.records();
    let mut refinement = records.proposal(&id).unwrap();
    let base = hone_library::hash(old.as_bytes());
    refinement.kind = Kind::Refine { base, version: Some("1".to_owned()) };
    refinement.text = SUM_PRICES.replace("alone.", "alone, in cents.");
    records.keep(&refinement).unwrap();
    assert_eq!(accepted(&stage, &id).await.unwrap().as_deref(), Some("2"));
    let known = stage.known();
    let skill = known.find("sum-prices").unwrap();
    assert!(!skill.is_flat && stage.text("sum-prices").contains("in cents"));
    Store::new(&state, author("pat"), Mode::Write).rollback(skill.key(), None).unwrap();
    assert_eq!(stage.text("sum-prices"), old);
}

#[tokio::test]
async fn an_edited_candidate_is_checked_again_and_becomes_the_persons() {
    let (stage, id) = waiting().await;
    let (home, records) = (stage.home(), stage.records());
    let policy = Policy::default();
    let better = SUM_PRICES.replace("alone.", "alone, in cents.");
    let checked = edit(&home, &policy, &records, &id, &better, pat(stage.now())).unwrap();
    let findings: Vec<Finding> = checked.checks.iter().map(|checked| checked.finding).collect();
    assert_eq!(findings, [Finding::Passed; 4]);
    accepted(&stage, &id).await.unwrap();
    assert!(stage.text("sum-prices").contains("in cents"));
    let state = State::open(&home);
    let skill = &stage.known().listed[0];
    assert!(!hone_learn::land::is_agents_own(&state, skill));
}

#[tokio::test]
async fn a_skill_that_a_person_wrote_in_is_only_changed_by_a_person() {
    let mut stage = taught().await;
    let state = State::open(&stage.home());
    let author = Author { actor: "pat".to_owned(), reason: String::new(), now: stage.now() };
    let skill = stage.known().listed[0].clone();
    Store::new(&state, author, Mode::Write)
        .patch(&skill, None, "Answer with", "Always answer with", Matching::Exact)
        .unwrap();
    let mut replies = long_way("240");
    replies.push(
        "REFINE sum-prices\nEDIT because step 4\n<<<<<<<\n2. Add up the second column.\n=======\n\
         2. Add up the second column, skip the head.\n>>>>>>>\n"
            .to_owned(),
    );
    replies.extend(long_way("240"));
    replies.extend(short_way("sum-prices", "240"));
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let Some(Taught::Waits { proposal, why, .. }) = aftermath.result else {
        panic!("{aftermath:?}");
    };
    assert_eq!(why, "`sum-prices` is not the agent's own: a person wrote in it");
    let shown = stage.records().proposal(&proposal).unwrap();
    assert_eq!((shown.stage, shown.edits.len()), (Life::Draft, 1));
    // Written for a text that is gone, it does not land over the newer one.
    let author = Author { actor: "pat".to_owned(), reason: String::new(), now: stage.now() };
    let skill = stage.known().listed[0].clone();
    Store::new(&state, author, Mode::Write)
        .patch(&skill, None, "Always answer", "Answer", Matching::Exact)
        .unwrap();
    let error = accepted(&stage, &proposal).await.unwrap_err().to_string();
    assert!(
        error.starts_with("`sum-prices` was changed since the candidate was written"),
        "{error}"
    );
    assert!(stage.records().proposal(&proposal).unwrap().waits());
}

#[tokio::test]
async fn a_rewrite_waits_for_a_person_whatever_the_replay_says() {
    let mut stage = taught().await;
    let mut replies = long_way("240");
    let other = SUM_PRICES
        .replace("1. Read prices.csv with `read_file`. Done when every line is seen.", "1. Guess.")
        .replace("2. Add up the second column. Done when there is one number.", "2. Say it.")
        .replace("3. Answer with the number alone.", "3. Go.");
    replies.push(format!("REFINE sum-prices\n{other}"));
    replies.extend(long_way("240"));
    replies.extend(short_way("sum-prices", "240"));
    stage.says(&replies);
    let (_, aftermath) = stage.task(QUESTION).await;
    let Some(Taught::Waits { proposal, .. }) = aftermath.result else { panic!("{aftermath:?}") };
    let proposal = stage.records().proposal(&proposal).unwrap();
    let form = &proposal.checks[0];
    assert_eq!((form.check, form.finding), (Check::Form, Finding::NeedsPerson));
    assert_eq!(form.why, "it keeps 25 % of the lines: a rewrite");
}

use std::fs;
use std::path::Path;

use hone_agent::lineage::chain::check;
use hone_agent::lineage::receipt::{Kind, TaskMark, TranscriptMark};
use hone_agent::lineage::{
    ChainError, Digest, LOCK_FILE, Lineage, LineageError, Lock, RECEIPTS_FILE, SigningKey,
    Standing, texts,
};

use crate::sample::{LAYOUT, brain, database, key, state, task};

const AGENT: &str = "auditor";
const STRETCH: usize = texts::STRETCH;

fn open(folder: &Path) -> Lineage<'_> {
    Lineage::open(folder, AGENT, &LAYOUT).unwrap()
}

fn mark() -> TaskMark {
    let transcript = TranscriptMark { root: Digest::of(b"steps"), steps: 3 };
    task(1, state("any", 1), transcript).task.unwrap()
}

/// A brain whose making is signed.
fn made() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    brain(folder.path());
    assert_eq!(open(folder.path()).settle(10, &key()).unwrap(), Standing::New);
    folder
}

fn lock(folder: &Path) -> Lock {
    serde_json::from_slice(&fs::read(folder.join(LOCK_FILE)).unwrap()).unwrap()
}

fn holds(folder: &Path, receipts: u64) {
    let checked = check(&folder.join(RECEIPTS_FILE), key().public()).unwrap();
    assert!(checked.holds(), "{:?}", checked.breaks);
    assert_eq!(checked.receipts, receipts);
}

#[test]
fn an_untouched_brain_adds_nothing() {
    let folder = made();
    let (receipts, before) =
        (fs::read(folder.path().join(RECEIPTS_FILE)).unwrap(), lock(folder.path()));
    assert_eq!(open(folder.path()).settle(20, &key()).unwrap(), Standing::Same);
    assert_eq!(fs::read(folder.path().join(RECEIPTS_FILE)).unwrap(), receipts);
    assert_eq!(lock(folder.path()), before);
    assert_eq!((before.version, before.receipts, before.last_updated), (1, 1, 10));
}

#[test]
fn a_change_from_outside_is_told_member_by_member_and_signed() {
    let folder = made();
    fs::write(folder.path().join("skills/new.md"), "x").unwrap();
    fs::remove_file(folder.path().join("skills/oracle.md")).unwrap();
    database(folder.path()).execute_batch("UPDATE facts SET value = 'spot'").unwrap();
    let changes = ["memory.db/facts", "skills/new.md", "skills/oracle.md"].map(str::to_owned);
    let mut lineage = open(folder.path());
    assert_eq!(lineage.standing(), Standing::Changed(changes.to_vec()));
    lineage.settle(20, &key()).unwrap();
    let last = lineage.last().unwrap();
    assert_eq!((last.kind, &last.changes[..]), (Kind::Outside, &changes[..]));
    assert_eq!(last.after.version, 2, "knowledge moved");
    assert_eq!(open(folder.path()).standing(), Standing::Same);
    holds(folder.path(), 2);
}

#[test]
fn a_task_is_signed_with_the_state_it_left() {
    let folder = made();
    let mut lineage = open(folder.path());
    database(folder.path()).execute_batch("INSERT INTO messages(text) VALUES ('new')").unwrap();
    let after = lineage.task(30, mark(), &key()).unwrap().after;
    assert_eq!(after.version, 1, "a task that learned nothing");
    fs::write(folder.path().join("MEMORY.md"), "- learned\n").unwrap();
    assert_eq!(lineage.task(40, mark(), &key()).unwrap().after.version, 2);
    assert_eq!(lock(folder.path()).version, 2);
    assert_eq!(open(folder.path()).standing(), Standing::Same);
    holds(folder.path(), 3);
}

#[test]
fn a_lock_file_that_lies_is_written_anew() {
    let folder = made();
    let good = lock(folder.path());
    for wrong in ["", "{}", "not JSON"] {
        fs::write(folder.path().join(LOCK_FILE), wrong).unwrap();
        assert_eq!(open(folder.path()).settle(20, &key()).unwrap(), Standing::Same);
        assert_eq!(lock(folder.path()), Lock { last_updated: 20, ..good.clone() });
    }
    // One whose list is of another state is not believed about what changed.
    let mut lying = good.clone();
    lying.bundle_hash = Digest::of(b"other");
    lying.members.clear();
    fs::write(folder.path().join(LOCK_FILE), serde_json::to_vec(&lying).unwrap()).unwrap();
    fs::write(folder.path().join("MEMORY.md"), "changed").unwrap();
    assert_eq!(open(folder.path()).standing(), Standing::Changed(Vec::new()));
}

#[test]
fn receipts_that_are_gone_stop_everything() {
    let folder = made();
    let mut lineage = open(folder.path());
    lineage.task(30, mark(), &key()).unwrap();
    let path = folder.path().join(RECEIPTS_FILE);
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.split_inclusive('\n').next().unwrap()).unwrap();
    let error = Lineage::open(folder.path(), AGENT, &LAYOUT).unwrap_err();
    assert!(matches!(error, LineageError::Shortened { found: 1, known: 2, .. }), "{error}");
}

#[test]
fn another_agents_receipts_and_another_key_are_refused() {
    let folder = made();
    let error = Lineage::open(folder.path(), "other", &LAYOUT).unwrap_err();
    assert!(matches!(error, LineageError::OtherAgent { .. }), "{error}");
    fs::write(folder.path().join("MEMORY.md"), "changed").unwrap();
    let error = open(folder.path()).settle(20, &SigningKey::from_seed(&[5; 32])).unwrap_err();
    assert!(matches!(error, LineageError::Chain(ChainError::OtherKey { .. })), "{error}");
    holds(folder.path(), 1);
}

#[test]
fn a_new_key_goes_on_where_the_old_one_ended() {
    let folder = made();
    let new = SigningKey::from_seed(&[6; 32]);
    let mut lineage = open(folder.path());
    lineage.hand_over(20, &key(), &new).unwrap();
    lineage.task(30, mark(), &new).unwrap();
    holds(folder.path(), 3);
}

fn shown(folder: &Path, receipt: u64) -> Vec<(String, Option<String>, Option<String>)> {
    let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).unwrap());
    let changed = texts::changed(folder, &LAYOUT, receipt).unwrap().into_iter();
    changed.map(|one| (one.member, text(one.before), text(one.after))).collect()
}

#[test]
fn a_change_from_outside_can_be_shown_with_what_was_there_before() {
    let folder = made();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("skills/new.md", "x");
    write("system.md", "You audit well.\n");
    fs::remove_file(folder.path().join("skills/oracle.md")).unwrap();
    open(folder.path()).settle(20, &key()).unwrap();
    let old = "---\nname: oracle\n---\nLook.\n".to_owned();
    let some = |text: &str| Some(text.to_owned());
    let expected = [
        ("skills/new.md".to_owned(), None, some("x")),
        ("skills/oracle.md".to_owned(), Some(old), None),
        ("system.md".to_owned(), some("You audit.\n"), some("You audit well.\n")),
    ];
    assert_eq!(shown(folder.path(), 1), expected);
    assert_eq!(shown(folder.path(), 0), []);
    // So can what a task changed, which is what the next change is compared with.
    write("system.md", "You audit best.\n");
    open(folder.path()).task(30, mark(), &key()).unwrap();
    let task = ("system.md".to_owned(), some("You audit well.\n"), some("You audit best.\n"));
    assert_eq!(shown(folder.path(), 2), [task]);
    write("system.md", "You sleep.\n");
    open(folder.path()).settle(40, &key()).unwrap();
    let last = ("system.md".to_owned(), some("You audit best.\n"), some("You sleep.\n"));
    assert_eq!(shown(folder.path(), 3), [last]);
    holds(folder.path(), 4);
}

#[test]
fn a_fact_that_was_changed_by_hand_is_shown_with_what_it_was() {
    let folder = made();
    let change = |sql: &str| database(folder.path()).execute_batch(sql).unwrap();
    change(
        "UPDATE facts SET value = 'use spot' WHERE key = 'oracle';
         DELETE FROM facts WHERE key = 'blob';
         INSERT INTO facts VALUES ('new', 'a' || char(10) || 'b', 7)",
    );
    assert_eq!(
        open(folder.path()).settle(20, &key()).unwrap(),
        Standing::Changed(vec!["memory.db/facts".to_owned()])
    );
    let before = "{\"key\":\"blob\",\"value\":\"x'00ff'\",\"weight\":2}\n\
                  {\"key\":\"oracle\",\"value\":\"use TWAP\",\"weight\":1.5}\n";
    let after = "{\"key\":\"new\",\"value\":\"a\\nb\",\"weight\":7}\n\
                 {\"key\":\"oracle\",\"value\":\"use spot\",\"weight\":1.5}\n";
    let member = "memory.db/facts".to_owned();
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(shown(folder.path(), 1), [(member.clone(), some(before), some(after))]);
    // What a task noted is what the next change is compared with.
    change("INSERT INTO facts VALUES ('task', 'noted', NULL)");
    open(folder.path()).task(30, mark(), &key()).unwrap();
    assert_eq!(shown(folder.path(), 2), []);
    change("DELETE FROM facts WHERE key = 'task'");
    open(folder.path()).settle(40, &key()).unwrap();
    let gone = some("{\"key\":\"task\",\"value\":\"noted\",\"weight\":null}\n");
    assert_eq!(shown(folder.path(), 3), [(member, gone, some(""))]);
    // Rows that are not those that were signed are not shown.
    change(
        "UPDATE signed_text SET text = x'00' WHERE member = 'memory.db/facts'; DELETE FROM facts",
    );
    open(folder.path()).settle(50, &key()).unwrap();
    assert_eq!(shown(folder.path(), 4), []);
    holds(folder.path(), 5);
}

/// Changes facts of a brain that has those from 10,000 on, signs that, and gives what is shown of it.
fn changed_facts(facts: usize, sql: &str) -> (String, String) {
    let folder = made();
    let fill = format!(
        "DELETE FROM facts;
         WITH RECURSIVE n(i) AS (SELECT 10000 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < 10000 + {facts})
         INSERT INTO facts SELECT 'k' || i, i, NULL FROM n"
    );
    let change = |sql: &str| database(folder.path()).execute_batch(sql).unwrap();
    change(&fill);
    open(folder.path()).settle(20, &key()).unwrap();
    change(sql);
    open(folder.path()).settle(30, &key()).unwrap();
    let kept = "SELECT (SELECT count(*) FROM signed_line), (SELECT count(*) FROM facts)";
    let counts = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
    let (kept, there) = database(folder.path()).query_row(kept, [], counts).unwrap();
    assert_eq!(kept, there);
    holds(folder.path(), 3);
    let (_, before, after) = shown(folder.path(), 2).remove(0);
    (before.unwrap(), after.unwrap())
}

fn fact(number: usize, value: &str) -> String {
    format!("{{\"key\":\"k{number}\",\"value\":{value},\"weight\":null}}\n")
}

#[test]
fn the_changed_rows_of_a_table_are_shown_however_many_it_has() {
    let was = |number: usize| fact(number, &number.to_string());
    for facts in [1, STRETCH - 1, STRETCH, STRETCH + 1, 2 * STRETCH, 5 * STRETCH + 7] {
        let last = 10_000 + facts - 1;
        let sql = format!(
            "UPDATE facts SET value = 'new' WHERE key = 'k{last}';
             INSERT INTO facts VALUES ('k09999', 'first', NULL), ('k99999', 'last', NULL)"
        );
        let (before, after) = changed_facts(facts, &sql);
        let expected = "{\"key\":\"k09999\",\"value\":\"first\",\"weight\":null}\n".to_owned()
            + &fact(last, "\"new\"")
            + &fact(99_999, "\"last\"");
        assert_eq!((before, after), (was(last), expected), "{facts}");
    }
    // One side ends long before the other, or has nothing of a stretch.
    let gone = format!("DELETE FROM facts WHERE key < 'k{}'", 10_000 + 3 * STRETCH / 2);
    let (before, after) = changed_facts(3 * STRETCH, &gone);
    let expected: String = (10_000..10_000 + 3 * STRETCH / 2).map(was).collect();
    assert!(expected.len() as u64 > texts::MAX_KEPT_BYTES, "it is cut below");
    assert_eq!((&*before, &*after), (&*cut(&expected), ""));
    let (before, after) = changed_facts(3 * STRETCH, "DELETE FROM facts WHERE key > 'k10000'");
    assert!(before.starts_with(&was(10_001)) && after.is_empty(), "{before}");
}

/// As many lines as there is room for, and how many more there are.
fn cut(lines: &str) -> String {
    let (mut text, mut more) = (String::new(), 0);
    for line in lines.split_inclusive('\n') {
        if more == 0 && (text.len() + line.len()) as u64 <= texts::MAX_KEPT_BYTES {
            text.push_str(line);
        } else {
            more += 1;
        }
    }
    if more > 0 {
        text.push_str(&["… and ", &more.to_string(), " more\n"].concat());
    }
    text
}

#[test]
fn rows_that_there_is_no_room_for_are_counted() {
    // A row of this many bytes fills the room exactly, with its end.
    let empty = fact(10_000, "\"\"").len();
    let most = usize::try_from(texts::MAX_KEPT_BYTES).unwrap() - empty;
    let change = |size: usize| {
        let sql =
            format!("UPDATE facts SET value = printf('%.*c', {size}, 'a') WHERE key = 'k10000'");
        changed_facts(2, &sql).1
    };
    assert_eq!(change(most), fact(10_000, &format!("\"{}\"", "a".repeat(most))));
    assert_eq!(change(most + 1), "… and 1 more\n");
}

#[test]
fn texts_are_kept_up_to_their_limit_and_one_that_is_not_what_was_signed_is_not_shown() {
    let folder = made();
    let write = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();
    let most = usize::try_from(texts::MAX_KEPT_BYTES).unwrap();
    write("system.md", &vec![b'a'; most]);
    write("MEMORY.md", &vec![b'a'; most + 1]);
    open(folder.path()).settle(20, &key()).unwrap();
    write("system.md", b"short");
    write("MEMORY.md", b"short");
    open(folder.path()).settle(30, &key()).unwrap();
    let names = |receipt| shown(folder.path(), receipt).into_iter().map(|one| one.0);
    assert_eq!(names(1).collect::<Vec<_>>(), ["system.md"]);
    assert_eq!(names(2).collect::<Vec<_>>(), ["system.md"]);
    database(folder.path()).execute_batch("UPDATE signed_text SET text = x'00'").unwrap();
    write("system.md", b"shorter");
    open(folder.path()).settle(40, &key()).unwrap();
    assert_eq!(names(3).count(), 0);
}

#[test]
fn changes_are_kept_up_to_their_limit_the_newest_ones() {
    let folder = made();
    database(folder.path())
        .execute_batch(&format!(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {})
             INSERT INTO signed_change SELECT -i, 'old', NULL, NULL FROM n",
            texts::MAX_KEPT_CHANGES
        ))
        .unwrap();
    fs::write(folder.path().join("system.md"), "new").unwrap();
    open(folder.path()).settle(20, &key()).unwrap();
    let count = "SELECT count(*), min(receipt), max(receipt) FROM signed_change";
    let row = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?));
    let kept: (i64, i64, i64) = database(folder.path()).query_row(count, [], row).unwrap();
    let most = i64::try_from(texts::MAX_KEPT_CHANGES).unwrap();
    assert_eq!(kept, (most, 1 - most, 1));
}

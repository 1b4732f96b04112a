//! Small facts that outlive a process.

use hone_library::memo::{recall, remember};

use crate::shelf::Shelf;

#[test]
fn a_memo_is_there_in_the_next_process_and_replaced_by_the_next_one() {
    let shelf = Shelf::new();
    assert_eq!(recall(&shelf.state(), "topic", "key").unwrap(), None);
    assert!(remember(&shelf.state(), "topic", "key", "one", 10, 1));
    assert!(remember(&shelf.state(), "topic", "key", "two", 10, 2));
    assert!(remember(&shelf.state(), "other", "key", "three", 10, 3));
    assert_eq!(recall(&shelf.state(), "topic", "key").unwrap().as_deref(), Some("two"));
}

#[test]
fn only_the_newest_of_a_topic_are_kept() {
    let shelf = Shelf::new();
    let state = shelf.state();
    remember(&state, "other", "old", "x", 1, 0);
    for n in 0..5 {
        remember(&state, "topic", &format!("key-{n}"), "x", 3, n);
    }
    let is_there = |topic, key: &str| recall(&state, topic, key).unwrap().is_some();
    let kept: Vec<bool> = (0..5).map(|n| is_there("topic", &format!("key-{n}"))).collect();
    assert_eq!(kept, [false, false, true, true, true]);
    assert!(is_there("other", "old"));
}

#[test]
fn a_state_from_before_there_were_memos_gets_them_and_loses_nothing() {
    let shelf = Shelf::new();
    let project = shelf.base();
    shelf.state().trust(&project, 1).unwrap();
    let db = rusqlite::Connection::open(shelf.home.join("state.db")).unwrap();
    db.execute_batch("DROP TABLE memo").unwrap();
    drop(db);
    let state = shelf.state();
    assert_eq!(recall(&state, "topic", "key").unwrap(), None);
    assert!(remember(&state, "topic", "key", "one", 10, 1));
    assert!(state.is_trusted(&project));
    assert_eq!(state.take_notes(), Vec::<String>::new());
}

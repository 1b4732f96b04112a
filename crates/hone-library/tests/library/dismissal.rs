//! Dismissed findings in the state.

use hone_library::State;
use hone_skill::Dismissal;

fn one(line: usize, at: i64) -> Dismissal {
    Dismissal {
        skill: "tidy".to_owned(),
        digest: "d".to_owned(),
        rule: "odd".to_owned(),
        file: "SKILL.md".to_owned(),
        line,
        reason: "seen".to_owned(),
        actor: "me".to_owned(),
        at,
        expires: at + 10,
    }
}

#[test]
fn a_dismissal_is_kept_replaced_and_taken_back() {
    let folder = tempfile::tempdir().unwrap();
    let state = State::open(folder.path());
    assert_eq!(state.dismissals().unwrap(), []);
    state.dismiss(&one(3, 1)).unwrap();
    state.dismiss(&one(0, 2)).unwrap();
    let again = Dismissal { reason: "seen twice".to_owned(), ..one(3, 5) };
    state.dismiss(&again).unwrap();
    drop(state);
    let state = State::open(folder.path());
    assert_eq!(state.dismissals().unwrap(), [again.clone(), one(0, 2)]);
    assert!(state.withdraw(&again).unwrap());
    assert!(!state.withdraw(&again).unwrap());
    assert_eq!(state.dismissals().unwrap(), [one(0, 2)]);
}

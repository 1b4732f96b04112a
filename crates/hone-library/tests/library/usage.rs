//! Counters: per skill and version, from many processes, never in the way.

use std::process::Child;
use std::time::Duration;

use hone_library::usage::{
    Day, Event, KEPT_DAYS, Usage, all, by_day, count, from_hermes, iso, to_hermes,
};
use hone_library::{Error, Listed, State, Tally};
use rusqlite::Connection;
use serde_json::json;

use crate::shelf::{Shelf, example, link, store};

fn shelf_with_one() -> (Shelf, State, Listed) {
    let shelf = Shelf::new();
    shelf.write("one/SKILL.md", "---\nname: one\nversion: 1\ndescription: x\n---\nDo.\n");
    let state = shelf.state();
    let one = shelf.listed(&state, "one");
    (shelf, state, one)
}

fn row(
    shelf: &Shelf,
    version: &str,
    counts: [u64; 3],
    times: [Option<i64>; 3],
    created: i64,
) -> Usage {
    Usage {
        skill: shelf.root.join("one").to_string_lossy().into_owned(),
        name: "one".to_owned(),
        version: version.to_owned(),
        views: counts[0],
        uses: counts[1],
        patches: counts[2],
        last_viewed: times[0],
        last_used: times[1],
        last_patched: times[2],
        created,
    }
}

#[test]
fn u02_each_event_counts_for_the_version_that_it_met() {
    let (shelf, state, one) = shelf_with_one();
    assert!(count(&state, &one, Event::View, 10));
    assert!(count(&state, &one, Event::View, 30));
    assert!(count(&state, &one, Event::Use, 20));
    // A clock that goes back does not take a time back.
    assert!(count(&state, &one, Event::View, 5));
    shelf.write("one/SKILL.md", "---\nname: one\nversion: 2\ndescription: x\n---\nDo.\n");
    let newer = shelf.listed(&state, "one");
    assert!(count(&state, &newer, Event::Patch, 40));
    assert_eq!(
        all(&state).unwrap(),
        [
            row(&shelf, "1", [3, 1, 0], [Some(30), Some(20), None], 10),
            row(&shelf, "2", [0, 0, 1], [None, None, Some(40)], 40),
        ]
    );
}

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn day(day: &str, uses: u64) -> Day {
    Day { day: day.to_owned(), uses }
}

#[test]
fn a_use_counts_for_its_day_and_old_days_go() {
    let (shelf, state, one) = shelf_with_one();
    shelf.skill("two");
    let two = shelf.listed(&state, "two");
    for (skill, at) in [(&one, 0), (&one, DAY - 1), (&two, DAY), (&one, 3 * DAY)] {
        assert!(count(&state, skill, Event::Use, at));
        assert!(count(&state, skill, Event::View, at), "a view is no use");
    }
    let all = [day("1970-01-02", 1), day("1970-01-03", 0), day("1970-01-04", 1)];
    assert_eq!(by_day(&state, None, 3, 3 * DAY + 5).unwrap(), all);
    let ones = [day("1970-01-01", 2), day("1970-01-02", 0)];
    assert_eq!(by_day(&state, Some(&shelf.root.join("one")), 2, 2 * DAY - 1).unwrap(), ones);
    let kept = |state: &State| by_day(state, None, 1, 0).unwrap()[0].uses;
    assert!(count(&state, &one, Event::Use, KEPT_DAYS * DAY));
    assert_eq!(kept(&state), 2, "as old as may be");
    assert!(count(&state, &one, Event::Use, (KEPT_DAYS + 1) * DAY));
    assert_eq!(kept(&state), 0, "a day older");
}

#[test]
fn a_tally_writes_down_what_was_noted_however_many_noted_it() {
    const EACH: u64 = 500;
    let (shelf, state, one) = shelf_with_one();
    let tally = Tally::new(shelf.state());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..EACH).for_each(|_| tally.count(&one, Event::Use, 5)));
        }
    });
    tally.count(&one, Event::View, 7);
    tally.flush();
    let counted = || {
        let rows = all(&state).unwrap();
        rows.iter().map(|row| [row.views, row.uses, row.patches]).collect::<Vec<_>>()
    };
    assert_eq!(counted(), [[1, 4 * EACH, 0]]);
    tally.count(&one, Event::Patch, 9);
    drop(tally);
    assert_eq!(counted(), [[1, 4 * EACH, 1]], "what was noted last is written at the end");
}

#[test]
fn a_tally_knows_a_skill_by_its_real_path() {
    let (shelf, state, one) = shelf_with_one();
    let tally = Tally::new(shelf.state());
    let by_link = |path: &str| {
        let root = shelf.base().join(path);
        let mut listed = one.clone();
        listed.path = root.join("one/SKILL.md");
        listed.root = root;
        listed
    };
    link(&shelf.root, &shelf.base().join("other"));
    std::fs::create_dir(shelf.base().join("third")).unwrap();
    link(shelf.root.join("one"), &shelf.base().join("third/one"));
    for skill in [&one, &by_link("other"), &by_link("third")] {
        tally.count(skill, Event::Use, 20);
    }
    tally.flush();
    assert_eq!(all(&state).unwrap(), [row(&shelf, "1", [0, 3, 0], [None, Some(20), None], 20)]);
}

#[test]
fn u02_an_event_of_one_leaves_the_others_and_no_name_is_nobodys() {
    let (shelf, state, one) = shelf_with_one();
    shelf.skill("two");
    let two = shelf.listed(&state, "two");
    count(&state, &one, Event::Use, 10);
    count(&state, &two, Event::View, 20);
    let before = all(&state).unwrap();
    let of = |name: &str| all(&state).unwrap().into_iter().find(|row| row.name == name).unwrap();
    count(&state, &two, Event::View, 30);
    assert_eq!(of("one"), before[0]);
    assert_eq!((of("two").views, of("two").last_viewed), (2, Some(30)));
    let text = json!({"": {"use_count": 9}});
    let path = std::path::Path::new("x");
    let find = |name: &str| (name == one.summary.name).then(|| one.clone());
    let imported = from_hermes(&state, &text.to_string(), path, find, 40).unwrap();
    assert_eq!((imported.imported, imported.ignored), (vec![], vec![String::new()]));
    assert_eq!(of("one"), before[0]);
}

#[test]
fn u03_eight_processes_lose_no_count() {
    const EACH: usize = 200;
    let (shelf, state, _) = shelf_with_one();
    let children: Vec<Child> = (0..8)
        .map(|_| {
            let mut writer = example("writer");
            writer.arg(&shelf.home).arg(&shelf.root).args(["one", "use", &EACH.to_string()]);
            writer.spawn().unwrap()
        })
        .collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(
        all(&state).unwrap(),
        [row(&shelf, "1", [0, 8 * EACH as u64, 0], [None, Some(1), None], 1)]
    );
}

#[test]
fn a_locked_database_costs_the_count_and_nothing_else() {
    let (shelf, state, one) = shelf_with_one();
    let other = Connection::open(shelf.home.join("state.db")).unwrap();
    other.busy_timeout(Duration::from_secs(0)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert!(!count(&state, &one, Event::Use, 1));
    // Reading goes on.
    assert_eq!(all(&state).unwrap(), []);
    assert_eq!(shelf.catalogue(&state).skills.len(), 1);
    other.execute_batch("ROLLBACK").unwrap();
    assert!(count(&state, &one, Event::Use, 1));
}

#[test]
fn a_database_that_is_not_there_costs_the_count_and_nothing_else() {
    let (shelf, _, one) = shelf_with_one();
    let file = shelf.base().join("file");
    std::fs::write(&file, "").unwrap();
    let state = State::open(&file);
    assert!(!count(&state, &one, Event::Use, 1));
    assert!(all(&state).is_err());
}

fn hermes(name: &str, uses: u64, views: u64, pinned: bool) -> serde_json::Value {
    json!({ name: {
        "use_count": uses,
        "view_count": views,
        "patch_count": 2,
        "last_used_at": "2026-01-02T03:04:05.678Z",
        "last_viewed_at": "2026-01-02T03:04:05Z",
        "last_patched_at": null,
        "created_at": "2025-12-31T23:59:59Z",
        "state": "active",
        "pinned": pinned,
        "archived_at": null,
    }})
}

#[test]
fn hermes_file_goes_in_and_comes_out_the_same() {
    let (shelf, state, one) = shelf_with_one();
    let file = hermes("one", 7, 9, true);
    let import = |text: &str| {
        let find = |name: &str| (name == "one").then(|| one.clone());
        from_hermes(&state, text, std::path::Path::new(".usage.json"), find, 1)
    };
    let export = || {
        let pinned = |_: &Usage| store(&state).is_pinned(&one).unwrap();
        to_hermes(&all(&state).unwrap(), pinned)
    };
    for _ in 0..2 {
        let imported = import(&file.to_string()).unwrap();
        assert_eq!((imported.imported, imported.ignored), (vec!["one".to_owned()], vec![]));
        assert_eq!(export(), file);
    }
    // What was exported here changes nothing when it comes back, whatever the number of versions.
    shelf.write("one/SKILL.md", "---\nname: one\nversion: 2\ndescription: x\n---\nDo.\n");
    let newer = shelf.listed(&state, "one");
    count(&state, &newer, Event::Use, 1);
    let exported = export();
    assert_eq!(exported["one"]["use_count"], json!(8));
    let find = |_: &str| Some(newer.clone());
    from_hermes(&state, &exported.to_string(), std::path::Path::new("x"), find, 1).unwrap();
    assert_eq!(export(), exported);
}

#[test]
fn u04_missing_keys_are_filled_only_more_counts_are_taken_over_and_strangers_are_named() {
    let (_shelf, state, one) = shelf_with_one();
    for _ in 0..5 {
        count(&state, &one, Event::Use, 1_000);
    }
    let text = json!({
        "one": {"use_count": 3, "view_count": 4, "last_used_at": "1970-01-01T00:00:00+00:00"},
        "nobody": {"use_count": 1},
        "odd": 17,
    });
    let find = |name: &str| (name == "one" || name == "odd").then(|| one.clone());
    let imported =
        from_hermes(&state, &text.to_string(), std::path::Path::new("x"), find, 2_000).unwrap();
    assert_eq!(imported.imported, ["one"]);
    assert_eq!(imported.ignored, ["nobody", "odd"]);
    let [row] = all(&state).unwrap().try_into().unwrap();
    assert_eq!((row.uses, row.views, row.last_used, row.created), (5, 4, Some(1_000), 1_000));
}

#[test]
fn a_broken_file_is_an_error_and_changes_nothing() {
    let (_shelf, state, one) = shelf_with_one();
    count(&state, &one, Event::Use, 1);
    let before = all(&state).unwrap();
    for (text, why) in [
        ("{\"one\": {\"use_count\": 3", "EOF while parsing an object at line 1 column 23"),
        ("[1, 2]", "this is not a map of names to records"),
        ("", "EOF while parsing a value at line 1 column 0"),
    ] {
        let find = |_: &str| Some(one.clone());
        let path = std::path::Path::new("some/.usage.json");
        let error = from_hermes(&state, text, path, find, 1).unwrap_err();
        assert_eq!(error.to_string(), format!("`some/.usage.json`: {why}"));
        assert!(matches!(error, Error::Config { .. }));
    }
    assert_eq!(all(&state).unwrap(), before);
}

#[test]
fn times_are_written_as_hermes_writes_them() {
    assert_eq!(iso(0), "1970-01-01T00:00:00Z");
    assert_eq!(iso(1_767_323_045_678), "2026-01-02T03:04:05.678Z");
    assert_eq!(iso(i64::MAX), "1970-01-01T00:00:00Z");
}

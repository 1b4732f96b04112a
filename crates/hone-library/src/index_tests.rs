//! When a time stamp can be relied on: only when a later change would give another one.

use super::*;

const SECOND: i64 = 1_000_000_000;

fn stamp(modified: i64, changed: i64) -> Stamp {
    Stamp { device: 1, inode: 2, size: 3, modified, changed }
}

#[test]
fn a_stamp_of_the_current_tick_could_hide_a_later_change() {
    let now = 100 * SECOND + 4_000_000;
    let is_relied_on = |stamp: Stamp| Seen::new(stamp, now).still(stamp);
    assert!(!is_relied_on(stamp(now, now)));
    assert!(!is_relied_on(stamp(now - 1, now)));
    assert!(is_relied_on(stamp(now - 1, now - 1)));
    // A clock that was set back, or another machine's.
    assert!(!is_relied_on(stamp(now + SECOND, now + SECOND)));
}

#[test]
fn a_disk_that_counts_whole_seconds_needs_two_of_them() {
    let now = 100 * SECOND + 500_000_000;
    let is_relied_on = |stamp: Stamp| Seen::new(stamp, now).still(stamp);
    assert!(!is_relied_on(stamp(100 * SECOND, 100 * SECOND)));
    assert!(!is_relied_on(stamp(99 * SECOND, 99 * SECOND)));
    assert!(is_relied_on(stamp(98 * SECOND, 98 * SECOND)));
    // Unpacked from an archive: the time of modification is whole, the other tells the truth.
    assert!(is_relied_on(stamp(50 * SECOND, now - 1)));
}

#[test]
fn any_difference_counts() {
    let old = stamp(1, 2);
    let seen = Seen::new(old, SECOND);
    assert!(seen.still(old));
    for new in [
        Stamp { device: 9, ..old },
        Stamp { inode: 9, ..old },
        Stamp { size: 9, ..old },
        Stamp { modified: 9, ..old },
        Stamp { changed: 9, ..old },
    ] {
        assert!(!seen.still(new), "{new:?}");
    }
    assert!(!Seen::never().still(old));
}

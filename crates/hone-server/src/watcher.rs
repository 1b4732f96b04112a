//! Notices changes of the skills while nobody asks, so that clients can be told.
//!
//! A question finds out by itself. This only asks one whenever the kernel noted something, and from time
//! to time in case it cannot.

use std::os::fd::OwnedFd;
use std::sync::{Arc, Weak};
use std::time::Duration;

use hone_agent::tools::skills::Shelf;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// How long a change may go on before it is looked at: an installation touches many files.
const SETTLES: Duration = Duration::from_millis(100);
/// How often the whole library is looked through, for changes that the kernel does not note.
const LOOKS_THROUGH: Duration = Duration::from_secs(30);
/// How often it is looked through where nothing is noted at all.
const LOOKS_THROUGH_BLINDLY: Duration = Duration::from_secs(5);

/// Attends to the skills of a shelf for as long as somebody holds it. Where no thread is to be had for
/// it, clients find out when they ask.
pub fn attend(shelf: &Arc<Shelf>) {
    let shelf = Arc::downgrade(shelf);
    let thread = std::thread::Builder::new().name("hone-watch".to_owned());
    let _ = thread.spawn(move || while look(&shelf).is_some() {});
}

/// Looks, and waits for something to happen; none when the shelf is gone.
fn look(shelf: &Weak<Shelf>) -> Option<()> {
    let here = shelf.upgrade()?;
    here.catalogue();
    let handle = here.handle();
    drop(here);
    match handle {
        Some(handle) if is_ready(&handle, LOOKS_THROUGH) => std::thread::sleep(SETTLES),
        Some(_) => shelf.upgrade()?.refresh(),
        None => std::thread::sleep(LOOKS_THROUGH_BLINDLY),
    }
    Some(())
}

fn is_ready(handle: &OwnedFd, patience: Duration) -> bool {
    let patience = Timespec::try_from(patience).ok();
    let mut ready = [PollFd::new(handle, PollFlags::IN)];
    poll(&mut ready, patience.as_ref()).is_ok_and(|count| count > 0)
}

//! Ctrl-C: the first one stops the task that runs, one without a task ends the program.

use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGINT, SIGTERM};
use tokio_util::sync::CancellationToken;

/// What a shell gives for a program that Ctrl-C ended.
pub(crate) const INTERRUPTED: u8 = 130;

/// Listens for Ctrl-C until the program ends.
#[derive(Debug, Clone, Default)]
pub(crate) struct Interrupt {
    running: Arc<Mutex<Option<CancellationToken>>>,
}

impl Interrupt {
    /// Starts to listen. Without a way to listen, Ctrl-C ends the program at once, and the next task
    /// settles what is left.
    pub(crate) fn listen() -> Self {
        let interrupt = Self::default();
        let Ok((mut signals, sender)) = UnixStream::pair() else { return interrupt };
        for signal in [SIGINT, SIGTERM] {
            let Ok(sender) = sender.try_clone() else { return interrupt };
            if signal_hook::low_level::pipe::register(signal, sender).is_err() {
                return interrupt;
            }
        }
        let running = Arc::clone(&interrupt.running);
        std::thread::spawn(move || {
            while signals.read_exact(&mut [0]).is_ok() {
                match running.lock().unwrap_or_else(PoisonError::into_inner).take() {
                    Some(task) => task.cancel(),
                    None => std::process::exit(i32::from(INTERRUPTED)),
                }
            }
        });
        interrupt
    }

    /// A task that the next Ctrl-C stops.
    pub(crate) fn task(&self) -> CancellationToken {
        let token = CancellationToken::new();
        self.stops(&token);
        token
    }

    /// The next Ctrl-C stops this.
    pub(crate) fn stops(&self, token: &CancellationToken) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = Some(token.clone());
    }

    /// No task runs any more.
    pub(crate) fn done(&self) {
        *self.running.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

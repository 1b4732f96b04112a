//! `hone serve`, asked over real sockets.

mod gate;
pub(crate) mod harness;
mod page;

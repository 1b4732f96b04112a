//! `hone serve`, asked over real sockets.

mod api;
mod costs;
mod gate;
pub(crate) mod harness;
mod hostile;
mod openapi;
mod page;
mod proposals;
mod runs;
mod tls;

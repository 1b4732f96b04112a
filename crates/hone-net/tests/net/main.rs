//! The client against real servers on loopback that stall, lie, break and send elsewhere.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod bounds;
mod download;
mod proxy;
mod reach;
mod redirects;
mod server;
mod tls;

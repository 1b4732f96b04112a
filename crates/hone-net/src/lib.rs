//! How does a request *leave* the machine?
//!
//! One HTTP client for everything that fetches: sizes, times and redirects are bounded, and an address
//! that a name resolves to is checked before anything is sent, on every hop.

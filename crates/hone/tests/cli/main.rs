//! What a person sees: each test types a command and shows exit code, standard output and standard
//! error. Run `cargo insta test --accept -p hone --test cli` to take over changed output, and read the
//! difference before it is committed.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod harness;

mod agents;
mod change;
mod check;
mod check_formats;
mod config;
mod confined;
mod connect;
mod doctor;
mod editor;
mod exit_codes;
mod help;
mod history;
mod hub;
mod hub_hints;
mod inline_shell;
mod invoke;
mod json_schemas;
mod large;
mod learn;
mod learning;
mod lineage;
mod list;
mod mcp;
mod mcp_clients;
mod needs;
mod new;
mod overview;
mod packing;
mod permit;
mod policy;
mod prompt;
mod reference_validator;
mod routing;
mod scan;
mod serve;
mod slash;
mod system_calls;
mod tasks;
mod terminal;
mod terminal_safety;
mod trust;
mod usage;
mod view;

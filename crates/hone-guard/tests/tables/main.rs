//! Settings, grants, droppers and reports as tables of parts, each with its harmless twin: see [`skill`].

mod droppers;
mod forms;
mod grants;
mod hooks;
mod long;
mod reports;
mod scope;
mod settings;
mod skill;

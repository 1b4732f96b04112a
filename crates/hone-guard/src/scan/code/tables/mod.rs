//! What names mean in code, for all languages at once: sources, decoders, sinks. Matching is by the
//! whole dotted name or by its last part, after imports were resolved.

mod decoders;
mod files;
mod methods;
mod network;
mod running;
mod secrets;
mod services;

use std::collections::HashMap;
use std::sync::OnceLock;

use super::clients::{ASKS, CLIENTS};
use super::runners::RUNNERS;
use Meaning::{Client, Connect, Evaluate, Fetch};
use decoders::DECODERS;
use files::FILES;
use methods::LAST;
use network::NETWORK;
use running::RUNNING;
use secrets::SECRETS;
use services::SERVICES;

/// What calling or reading a name gives or does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The environment: indexed by a name it gives one variable, else all of it.
    Environment,
    /// One variable of the environment, named by the first argument.
    Variable,
    /// Fetches from the network; may send as well.
    Fetch,
    /// Sends to the network.
    Send,
    /// Opens a connection: what is written to the result is sent, what is read from it is remote.
    Connect,
    /// Makes a client of a service: it is made with keys, and what its methods are given is sent.
    Client,
    /// Makes an encoded text readable.
    Decode(&'static str),
    /// Reads secrets by itself.
    Secret(&'static str),
    /// Runs its argument as code of the language.
    Evaluate,
    /// Runs its argument as a command.
    Run,
    /// Writes its second argument to the path in its first.
    WriteFile,
    /// Writes its argument to the path that it is called on.
    WriteHere,
    /// Opens a file.
    Open,
    /// Saves an address (first) to a path (second).
    Download,
    /// Loads serialised objects, which runs code.
    Load,
    /// Deletes a tree.
    Delete,
    /// Resolves a name: what is in it reaches a name server.
    Lookup,
}

/// Whole names.
const WHOLE: [&[(&str, Meaning)]; 6] = [SECRETS, NETWORK, SERVICES, RUNNING, FILES, DECODERS];

/// What a resolved name means.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    static TABLES: OnceLock<[HashMap<&str, Meaning>; 2]> = OnceLock::new();
    let [whole, last] = TABLES.get_or_init(|| {
        let rows = [RUNNERS, CLIENTS].into_iter().chain(WHOLE).flatten().copied();
        [rows.collect(), LAST.iter().copied().collect()]
    });
    whole
        .get(name)
        .copied()
        .or_else(|| name.rsplit_once('.').and_then(|(_, part)| last.get(part).copied()))
}

/// What a method asks of the thing before it, when that is a connection: `LWP::UserAgent->new->get(…)`.
pub(super) fn asked(name: &str) -> Option<Meaning> {
    let (thing, method) = name.rsplit_once('.')?;
    let connects = matches!(meaning(thing), Some(Connect | Client));
    (connects && ASKS.contains(&method)).then_some(Fetch)
}

/// What a name means in PHP alone, where it takes an address as it takes a path.
pub(super) fn php(name: &str) -> Option<Meaning> {
    match name {
        "file"
        | "readfile"
        | "get_headers"
        | "simplexml_load_file"
        | "parse_ini_file"
        | "getimagesize"
        | "exif_read_data"
        | "get_meta_tags" => Some(Fetch),
        "require" => Some(Evaluate),
        _ => None,
    }
}

/// PowerShell does not care for case.
pub(super) fn meaning_any_case(name: &str) -> Option<Meaning> {
    // Shorter names of methods are words of too many things to be told without their case.
    const SHORTEST: usize = 7;
    static TABLES: OnceLock<[HashMap<String, Meaning>; 2]> = OnceLock::new();
    // A word of the language, not what makes functions elsewhere.
    if name.eq_ignore_ascii_case("function") {
        return None;
    }
    meaning(name).or_else(|| {
        let [whole, last] = TABLES.get_or_init(|| {
            let methods = LAST.iter().filter(|(known, _)| known.len() >= SHORTEST);
            [in_lower_case(WHOLE.into_iter().flatten()), in_lower_case(methods)]
        });
        let name = name.to_ascii_lowercase();
        let method = name.rsplit('.').next().unwrap_or(&name);
        whole.get(&name).or_else(|| last.get(method)).copied()
    })
}

/// Rows by their names in lower case; of names that differ in case alone the first counts.
fn in_lower_case<'r>(
    rows: impl Iterator<Item = &'r (&'r str, Meaning)>,
) -> HashMap<String, Meaning> {
    let mut table = HashMap::new();
    for (name, meaning) in rows {
        table.entry(name.to_ascii_lowercase()).or_insert(*meaning);
    }
    table
}

//! From the text of a source to bundles, against real folders, archives, repositories and servers.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod archives;
mod environment;
mod folders;
mod git;
mod mcp;
mod server;
mod texts;
mod web;

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use hone_hub::{Bundle, FetchError, FetchOptions, Fetched, Wanted, fetch, parse};
use hone_net::{Reach, Settings};

/// Options that reach this machine, look at no environment, and wait for no minute.
fn options(work: &Path) -> FetchOptions {
    FetchOptions {
        net: Settings { reach: Reach::Anywhere, ..Settings::default() },
        stall: Duration::from_secs(5),
        ..FetchOptions::new(work)
    }
}

/// Fetches all open skills of a source.
fn fetched(source: &str) -> Result<Fetched, FetchError> {
    named(source, &[])
}

/// Fetches skills by name; all with none.
fn named(source: &str, names: &[&str]) -> Result<Fetched, FetchError> {
    let work = tempfile::tempdir().unwrap();
    let wanted = match names {
        [] => Wanted::All,
        names => Wanted::Named(names.iter().map(|&name| name.to_owned()).collect()),
    };
    let result = fetch(&parse(source).unwrap(), &wanted, &options(work.path()));
    let left: Vec<_> = std::fs::read_dir(work.path()).unwrap().collect();
    assert!(left.is_empty(), "the work folder still holds {left:?}");
    result
}

/// The message of a fetch that has to fail.
fn failure(source: &str) -> String {
    fetched(source).unwrap_err().to_string()
}

/// A text for `SKILL.md`.
fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Does {name}\n---\nDo {name}.\n")
}

/// Name, path and files of bundles; an executable file has a star.
fn shown(bundles: &[Bundle]) -> Vec<(String, String, Vec<String>)> {
    let file = |(path, file): (&String, &hone_hub::BundleFile)| {
        format!("{path}{}", if file.is_executable { "*" } else { "" })
    };
    let one = |bundle: &Bundle| {
        (bundle.name.clone(), bundle.path.clone(), bundle.files.iter().map(file).collect())
    };
    bundles.iter().map(one).collect()
}

/// Writes files below a folder; a path that ends in `*` is executable.
fn write(folder: &Path, files: &[(&str, &str)]) {
    use std::os::unix::fs::PermissionsExt;
    for (path, text) in files {
        let (path, mode) = match path.strip_suffix('*') {
            Some(path) => (path, 0o755),
            None => (*path, 0o644),
        };
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
    }
}

/// What one bundle looks like.
fn bundle(name: &str, path: &str, files: &[&str]) -> (String, String, Vec<String>) {
    (name.to_owned(), path.to_owned(), files.iter().map(|&file| file.to_owned()).collect())
}

/// The bytes of a bundle's files.
fn texts(bundle: &Bundle) -> BTreeMap<&str, &str> {
    bundle
        .files
        .iter()
        .map(|(path, file)| (path.as_str(), std::str::from_utf8(&file.bytes).unwrap()))
        .collect()
}

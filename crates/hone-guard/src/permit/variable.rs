//! Variables that an assignment may set without changing what runs.
//!
//! Too many variables make a program run another one, or load code, to list them all; so these few
//! are known to be harmless, and any other is refused in front of a command.

/// Variables that change how things look, nothing else.
const HARMLESS: [&str; 28] = [
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLUMNS",
    "COLORTERM",
    "DEBIAN_FRONTEND",
    "DEBUG",
    "FORCE_COLOR",
    "LANG",
    "LANGUAGE",
    "LINES",
    "LOG_LEVEL",
    "NODE_ENV",
    "NO_COLOR",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "RACK_ENV",
    "RAILS_ENV",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "SOURCE_DATE_EPOCH",
    "TERM",
    "TZ",
    "VERBOSE",
    "APP_ENV",
];

/// Lower-case names that are not a script's own: zsh ties them to others, or programs read them.
const TAKEN: [&str; 16] = [
    "path",
    "fpath",
    "cdpath",
    "manpath",
    "module_path",
    "mailpath",
    "argv",
    "prompt",
    "psvar",
    "status",
    "histchars",
    "watch",
    "functions",
    "commands",
    "aliases",
    "options",
];

/// Whether `NAME=value` in front of a command leaves alone what that command runs.
pub(super) fn may_prefix(name: &str, value: Option<&str>) -> bool {
    let is_known = HARMLESS.contains(&name) || name.starts_with("LC_");
    // A locale or terminal may be a path, which is then loaded.
    is_known && value.is_some_and(|value| !value.contains(['/', '%', '$', '`']))
}

/// Whether a variable is a script's own, so that setting it changes nothing else.
pub(super) fn may_set(name: &str, value: Option<&str>) -> bool {
    let is_own = name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
        && !name.ends_with("_proxy")
        && !name.starts_with("npm_")
        && !TAKEN.contains(&name);
    is_own || may_prefix(name, value)
}

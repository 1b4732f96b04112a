//! Running other programs: finding them, showing the line a person could type, and turning
//! an exit code into a [`Failure`].

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::failure::{Doing, Failure};
use crate::workspace;

/// The line a person in the workspace's root would type for `command`: the variables it sets, the
/// program, its arguments.
pub(crate) fn line(command: &Command) -> String {
    let set = command.get_envs().filter_map(|(name, value)| {
        let value = value?.to_string_lossy().into_owned();
        Some(format!("{}={}", name.to_string_lossy(), quoted(&value)))
    });
    let program = Path::new(command.get_program());
    let short = match program.strip_prefix(workspace::root()) {
        Ok(inside) => Some(inside.as_os_str()),
        Err(_) => program.file_name(),
    };
    let words = std::iter::once(short.unwrap_or(command.get_program()))
        .chain(command.get_args())
        .map(|word| quoted(&word.to_string_lossy()));
    set.chain(words).collect::<Vec<_>>().join(" ")
}

/// `word` as a POSIX shell reads it back.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,@%+~*$".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Shows the line, runs it on this terminal, and fails when it fails.
pub(crate) fn run(command: &mut Command) -> Result<(), Failure> {
    let line = line(command);
    eprintln!("$ {line}");
    let status = command.status().doing(|| format!("run `{line}`"))?;
    if status.success() { Ok(()) } else { Err(Failure::Command { line, status }) }
}

/// Runs quietly and returns what was printed; on failure the program's own words are shown.
pub(crate) fn capture(command: &mut Command) -> Result<Output, Failure> {
    let line = line(command);
    let output = command.output().doing(|| format!("run `{line}`"))?;
    if output.status.success() {
        Ok(output)
    } else {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        let status = output.status;
        Err(Failure::Command { line, status })
    }
}

/// Whether `words` can be run and ends well. Nothing is printed.
pub(crate) fn succeeds(words: &[&str]) -> bool {
    let Some((program, arguments)) = words.split_first() else {
        return false;
    };
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// The first executable called `name` on `PATH`.
pub(crate) fn on_path(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?)
        .map(|folder| folder.join(name.as_ref()))
        .find(|file| is_executable(file))
}

/// Whether `file` is a regular file that somebody may execute.
pub(crate) fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_can_be_pasted_into_a_shell() {
        let mut command = Command::new("/usr/bin/find");
        command.env("RUSTDOCFLAGS", "-D warnings").args(["$T/100", "-printf", r"%p %s\n", "it's"]);
        assert_eq!(
            line(&command),
            r"RUSTDOCFLAGS='-D warnings' find $T/100 -printf '%p %s\n' 'it'\''s'"
        );
    }

    #[test]
    fn a_program_that_is_not_there_does_not_succeed() {
        assert!(succeeds(&["true"]));
        assert!(!succeeds(&["false"]));
        assert!(!succeeds(&["no-such-program-anywhere"]));
        assert!(!succeeds(&[]));
    }
}

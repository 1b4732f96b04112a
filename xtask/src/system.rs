//! What the tests need from the system, and how it gets there. A missing program is installed
//! with `apt-get` where there is one; what is still missing afterwards is a failure, never a
//! skipped test.

use std::process::Command;

use crate::command::{capture, on_path, run, succeeds};
use crate::failure::Failure;

/// A program the tests start.
struct Need {
    name: &'static str,
    /// Ends well exactly when the program is there and can do its job.
    probe: &'static [&'static str],
    packages: &'static [&'static str],
}

const NEEDS: &[Need] = &[
    Need { name: "git", probe: &["git", "--version"], packages: &["git"] },
    Need {
        name: "strace (allowed to trace)",
        probe: &["strace", "-o", "/dev/null", "true"],
        packages: &["strace"],
    },
    Need { name: "bubblewrap", probe: &["bwrap", "--version"], packages: &["bubblewrap"] },
    Need {
        name: "script (from util-linux)",
        probe: &["script", "-qec", "true", "/dev/null"],
        packages: &["bsdutils"],
    },
    Need {
        name: "chromium-headless-shell",
        probe: &["chromium-headless-shell", "--version"],
        packages: &["chromium-headless-shell", "fonts-dejavu-core"],
    },
    Need {
        name: "python3 with venv and pip",
        probe: &["python3", "-c", "import ensurepip, venv"],
        packages: &["python3", "python3-venv"],
    },
    Need { name: "npm", probe: &["npm", "--version"], packages: &["npm"] },
];

/// What the feature `local-model` is built with.
const LOCAL_MODEL_NEEDS: &[Need] = &[
    Need { name: "cmake", probe: &["cmake", "--version"], packages: &["cmake", "g++"] },
    Need { name: "libclang", probe: &["clang", "--version"], packages: &["clang", "libclang-dev"] },
];

/// Installs what is missing; fails with the names of what cannot be had.
pub(crate) fn provide() -> Result<(), Failure> {
    provide_all(NEEDS)
}

/// The same for the feature `local-model`.
pub(crate) fn provide_for_local_model() -> Result<(), Failure> {
    provide_all(LOCAL_MODEL_NEEDS)
}

fn provide_all(needs: &'static [Need]) -> Result<(), Failure> {
    let missing = missing(needs);
    if missing.is_empty() {
        return Ok(());
    }
    eprintln!("missing on this system: {}", names(&missing));
    install(&missing)?;
    let missing = self::missing(needs);
    if missing.is_empty() { Ok(()) } else { Err(Failure::Unmet(still_missing(&missing))) }
}

fn missing(needs: &'static [Need]) -> Vec<&'static Need> {
    needs.iter().filter(|need| !succeeds(need.probe)).collect()
}

fn install(missing: &[&Need]) -> Result<(), Failure> {
    if on_path("apt-get").is_none() {
        return Err(Failure::Unmet(still_missing(missing)));
    }
    // A failed update is not the end: the lists that are there may do.
    if let Err(failure) = run(apt_get()?.arg("update")) {
        eprintln!("{failure}; trying with the package lists that are there");
    }
    let packages = missing.iter().flat_map(|need| need.packages);
    run(apt_get()?.args(["install", "-y", "--no-install-recommends"]).args(packages))
}

/// `apt-get` that asks nothing, through `sudo` for a user who needs and has it.
fn apt_get() -> Result<Command, Failure> {
    let user = capture(Command::new("id").arg("-u"))?;
    let is_root = user.stdout.trim_ascii() == b"0";
    let mut command = if is_root || on_path("sudo").is_none() {
        Command::new("env")
    } else {
        let mut sudo = Command::new("sudo");
        sudo.arg("env");
        sudo
    };
    command.args(["DEBIAN_FRONTEND=noninteractive", "apt-get"]);
    Ok(command)
}

fn names(needs: &[&Need]) -> String {
    let names: Vec<_> = needs.iter().map(|need| need.name).collect();
    names.join(", ")
}

fn still_missing(needs: &[&Need]) -> String {
    let packages: Vec<_> = needs.iter().flat_map(|need| need.packages).copied().collect();
    format!(
        "the tests need {}, which could not be found or installed; install it by hand \
         (packages on Debian: {}) and run again",
        names(needs),
        packages.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_with_its_packages() {
        let is_named =
            |need: &&Need| need.name.starts_with("script") || need.name.starts_with("py");
        let needs: Vec<&Need> = NEEDS.iter().filter(is_named).collect();
        assert_eq!(
            still_missing(&needs),
            "the tests need script (from util-linux), python3 with venv and pip, which could not \
             be found or installed; install it by hand (packages on Debian: bsdutils python3 \
             python3-venv) and run again"
        );
    }
}

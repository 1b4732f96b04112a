//! Answers that a person keeps beyond a session (`hone invoke --keep`): in the kernel's keyring of the
//! user, in memory only and until the machine restarts or they are forgotten.
//!
//! It needs no daemon and touches no disk, and the sandbox closes it to what skills run. Only Linux has
//! it; elsewhere nothing is ever found and keeping is refused.

use std::path::Path;

use hone_library::hash;

use crate::output::Failure;

/// How a value is called in the keyring. The skill is a hash: paths may be long.
fn description(skill: &Path, name: &str) -> String {
    format!("hone:{}:{name}", hash(skill.as_os_str().as_encoded_bytes()))
}

/// What was kept for a variable of a skill.
pub(crate) fn kept(skill: &Path, name: &str) -> Option<String> {
    String::from_utf8(user::read(&description(skill, name))?).ok()
}

/// Keeps a value.
pub(crate) fn keep(skill: &Path, name: &str, value: &str) -> Result<(), Failure> {
    user::write(&description(skill, name), value.as_bytes()).map_err(|why| {
        let message = format!("could not keep `{name}` in the keyring: {why}");
        Failure::failed(message, "leave out `--keep`, or set the variable")
    })
}

/// Forgets a value; false when there was none.
pub(crate) fn forget(skill: &Path, name: &str) -> bool {
    user::remove(&description(skill, name))
}

#[cfg(target_os = "linux")]
mod user {
    use linux_keyutils::{KeyError, KeyRing, KeyRingIdentifier};

    fn ring(create: bool) -> Result<KeyRing, KeyError> {
        KeyRing::from_special_id(KeyRingIdentifier::User, create)
    }

    pub(super) fn read(description: &str) -> Option<Vec<u8>> {
        ring(false).ok()?.search(description).ok()?.read_to_vec().ok()
    }

    pub(super) fn write(description: &str, value: &[u8]) -> Result<(), String> {
        let ring = ring(true).map_err(|error| error.to_string())?;
        ring.add_key(description, value).map(drop).map_err(|error| error.to_string())
    }

    pub(super) fn remove(description: &str) -> bool {
        let remove = || {
            let ring = ring(false)?;
            ring.unlink_key(ring.search(description)?)
        };
        remove().is_ok()
    }
}

#[cfg(not(target_os = "linux"))]
mod user {
    pub(super) fn read(_: &str) -> Option<Vec<u8>> {
        None
    }

    pub(super) fn write(_: &str, _: &[u8]) -> Result<(), String> {
        Err("this system has none that needs no daemon".to_owned())
    }

    pub(super) fn remove(_: &str) -> bool {
        false
    }
}

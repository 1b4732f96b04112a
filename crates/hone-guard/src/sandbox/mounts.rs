//! Everything but the folders that may be written becomes read-only, for this process and what it
//! becomes: Landlock does not keep a file's owner, mode, times and attributes.
//!
//! A space of mounts of its own does it, where the system lets a program have one; elsewhere the filter
//! of system calls has to refuse such changes everywhere.

use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::mount::{
    MountFlags, MountPropagationFlags, mount_bind_recursive, mount_change, mount_remount,
};
use rustix::process::{getgid, getuid};
use rustix::thread::{CapabilitySet, UnshareFlags, remove_capability_from_bounding_set};

/// What root keeps, for files in the folders that it may write.
const FOR_FILES: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID);

/// Makes everything read-only but these.
pub(super) fn close(writable: &[PathBuf]) -> io::Result<()> {
    separate()?;
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    let mut open: Vec<PathBuf> = Vec::new();
    for path in writable {
        let Ok(path) = path.canonicalize() else { continue };
        mount_bind_recursive(&path, &path)?;
        open.push(path);
    }
    let mounts = std::fs::read("/proc/self/mountinfo")?;
    for (place, flags) in mounts.split(|byte| *byte == b'\n').filter_map(mount) {
        let is_open = open.iter().any(|path| place.starts_with(path));
        if is_open || flags.contains(MountFlags::RDONLY) {
            continue;
        }
        let closed = mount_remount(&place, MountFlags::BIND | MountFlags::RDONLY | flags, "");
        // What is not reached by its name is below another one.
        if closed.is_err() && place.symlink_metadata().is_ok() {
            closed?;
        }
    }
    Ok(())
}

/// A space of mounts of its own: root's own means, or those of a space of users of its own.
fn separate() -> io::Result<()> {
    if getuid().is_root() && unshare(UnshareFlags::NEWNS).is_ok() {
        return Ok(());
    }
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNS)?;
    std::fs::write("/proc/self/setgroups", "deny")?;
    std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"))?;
    std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"))
}

#[expect(deprecated, reason = "only the flag that parts descriptors is unsafe, and it is not used")]
fn unshare(flags: UnshareFlags) -> io::Result<()> {
    Ok(rustix::thread::unshare(flags)?)
}

/// Where a mount stands, and what must stay as it is.
fn mount(line: &[u8]) -> Option<(PathBuf, MountFlags)> {
    let mut fields = line.split(|byte| *byte == b' ').skip(4);
    let (place, options) = (fields.next()?, fields.next()?);
    let options = std::str::from_utf8(options).ok()?;
    let flags = options.split(',').map(|option| match option {
        "ro" => MountFlags::RDONLY,
        "nosuid" => MountFlags::NOSUID,
        "nodev" => MountFlags::NODEV,
        "noexec" => MountFlags::NOEXEC,
        "noatime" => MountFlags::NOATIME,
        "nodiratime" => MountFlags::NODIRATIME,
        "relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    });
    Some((unescaped(place), flags.collect()))
}

/// A path whose blanks and the like are written as `\\040`.
fn unescaped(text: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        let digits = text.get(at + 1..at + 4).filter(|_| *byte == b'\\');
        let value = digits.and_then(|digits| std::str::from_utf8(digits).ok());
        let value = value.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        bytes.push(value.unwrap_or(*byte));
        at += if value.is_some() { 4 } else { 1 };
    }
    std::ffi::OsString::from_vec(bytes).into()
}

/// Takes from root what it could do to the system and to others; what it can do to files stays, when
/// other files are closed.
pub(super) fn drop_capabilities(holds_files: bool) -> io::Result<()> {
    let user_space = Path::new("/proc/self/uid_map");
    let is_own_space = std::fs::read_to_string(user_space)
        .is_ok_and(|map| map.split_whitespace().nth(2) == Some("1"));
    if !getuid().is_root() && !is_own_space {
        return Ok(());
    }
    let kept = if holds_files { FOR_FILES } else { CapabilitySet::DAC_OVERRIDE };
    for capability in CapabilitySet::all().iter().filter(|one| !kept.contains(*one)) {
        match remove_capability_from_bounding_set(capability) {
            // Older than this capability.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_about_a_mount_is_read() {
        let line = b"36 35 98:0 /mnt1 /mnt\\040x rw,noatime,nosuid master:1 - ext3 /dev/root rw";
        let expected = (PathBuf::from("/mnt x"), MountFlags::NOATIME | MountFlags::NOSUID);
        assert_eq!(mount(line), Some(expected));
        assert_eq!(mount(b""), None);
        assert_eq!(unescaped(b"a\\04"), PathBuf::from("a\\04"));
    }
}

//! Files that a script writes, unpacks and reads again: what lies at a path, by what was put there.
//! A write is judged where it happens; how much is remembered of it is bounded.

use std::ops::Range;

use super::memory::Memory;
use super::nested::MAX_CALLED;
use super::redirects::{address_of, is_device};
use super::{Walk, left, look};
use crate::scan::destination::{Class, classify};
use crate::scan::finding::Context;
use crate::scan::findings::Findings;
use crate::scan::flow::{self, Taint};
use crate::scan::kind::Language;
use crate::scan::passage::Passage;

/// Files whose text is remembered, and bytes of each.
pub(super) const MAX_KEPT: usize = 64;
pub(super) const MAX_KEPT_TEXT: usize = 8 * 1024;

/// Texts that leave texts to be run that are judged inside each other.
pub(super) const MAX_JUDGED: usize = 2;

/// Folders that are known to hold what somebody's host sent.
pub(super) const MAX_UNPACKED: usize = 16;

impl Walk<'_, '_, '_> {
    /// A write to a path.
    pub(super) fn write(&mut self, path: &str, text: &str, taint: &Taint, at: &Range<usize>) {
        if is_device(path) {
            let address = address_of(path);
            let via = "a network device";
            let found = flow::to_network(taint, &address, via, self.passage.context, self.skill);
            self.report_some(at, found);
            return;
        }
        // What the text would do when it runs counts as if it had been fetched or decoded.
        let mut judged = taint.clone();
        if judged.decoded.is_none() && starts_by_itself(path) && self.does_harm(text) {
            judged.decoded = Some("its own commands");
        }
        let found = flow::to_file(path, text, &judged, self.passage, self.skill);
        self.report_some(at, found);
        if !path.is_empty() && path != "/dev/null" && !path.starts_with('&') {
            self.keep(path, text);
            self.memory.files.entry(key(path)).or_default().add(taint);
            self.hold(path, taint);
            if let Some(whole) = self.located(path).filter(|_| !taint.is_clean()) {
                self.memory.files.entry(key(&whole)).or_default().add(taint);
            }
            // What lies in a folder of programs is started by its name alone.
            if let Some((folder, name)) = path.rsplit_once('/')
                && folder.ends_with("/bin")
                && taint.remote.as_deref().is_some_and(|from| {
                    !matches!(classify(from), Class::Service | Class::Installer)
                })
            {
                self.memory.files.entry(key(name)).or_default().add(taint);
            }
        }
    }

    /// Remembers what is written to a file.
    fn keep(&mut self, path: &str, text: &str) {
        let full = self.memory.texts.len() >= MAX_KEPT;
        let known = self.memory.texts.get(&key(path)).map_or(0, String::len);
        if text.trim().is_empty() || full || known + text.len() > MAX_KEPT_TEXT {
            return;
        }
        let kept = self.memory.texts.entry(key(path)).or_default();
        kept.push_str(text);
        kept.push('\n');
    }

    /// Whether a text that is left somewhere to be run would do what is found in scripts.
    pub(super) fn does_harm(&mut self, text: &str) -> bool {
        if text.trim().is_empty()
            || self.memory.judged >= MAX_JUDGED
            || self.memory.called >= MAX_CALLED
        {
            return false;
        }
        self.memory.called += text.len();
        let commands = left::commands(text);
        let passage = Passage {
            language: Language::Shell,
            context: Context::Script,
            text: commands.into(),
            ..self.passage.clone()
        };
        let mut memory = Memory {
            judged: self.memory.judged + 1,
            called: self.memory.called,
            ..Memory::default()
        };
        let mut findings = Findings::new(self.skill.members);
        look(&passage, self.skill, &mut memory, &mut findings);
        self.memory.called = memory.called;
        findings.harm()
    }

    /// What reading a path gives.
    pub(super) fn file(&self, path: &str) -> Taint {
        let mut taint = Taint::of_file(path);
        taint.secrets.extend(flow::own_files(path));
        let number = path.strip_prefix("/dev/fd/").or(path.strip_prefix("/proc/self/fd/"));
        if let Some(number) = number {
            taint.add(&self.descriptor(number));
        }
        if let Some(known) = self.memory.files.get(&key(path)) {
            taint.add(known);
        }
        if let Some(known) = self.skill.outputs.left(&key(path)) {
            taint.add(known);
        }
        if let Some(whole) = self.located(path) {
            taint.add(&Taint::of_file(&whole));
            if let Some(known) = self.memory.files.get(&key(&whole)) {
                taint.add(known);
            }
        }
        if let Some(known) = self.unpacked(path) {
            taint.add(known);
        }
        for whole in [Some(path.to_owned()), self.located(path)].into_iter().flatten() {
            if let Some(known) = self.memory.holds.get(folder_key(&whole)) {
                taint.add(known);
            }
        }
        taint
    }

    /// Remembers that something secret lies in the folders above a path, and in the path where it is one.
    pub(super) fn hold(&mut self, path: &str, taint: &Taint) {
        let carried = taint.carried();
        if carried.is_clean() {
            return;
        }
        let path = self.located(path).unwrap_or_else(|| path.to_owned());
        let mut folder = folder_key(&path);
        for _ in 0..MAX_ABOVE {
            let known = self.memory.holds.contains_key(folder);
            if !known && self.memory.holds.len() >= MAX_HELD {
                break;
            }
            self.memory.holds.entry(folder.to_owned()).or_default().add(&carried);
            let Some((above, _)) = folder.rsplit_once('/').filter(|(above, _)| is_made(above))
            else {
                break;
            };
            folder = above;
        }
    }

    /// What lies below a folder that a fetched archive was unpacked into.
    fn unpacked(&self, path: &str) -> Option<&Taint> {
        let is_here = path.contains('/') && !path.starts_with(['/', '~', '$', '-', '<']);
        let written = path;
        let path = key(written);
        let name = path.strip_suffix(".exe").unwrap_or(&path);
        // The whole path: an archive may hold `s/run` beside the skill's `scripts/run`.
        let holds = |path: &str| self.skill.members.iter().any(|member| member.path == path);
        let is_own = || {
            let whole = self.located(written);
            holds(name)
                || whole.is_some_and(|whole| holds(whole.strip_suffix(".exe").unwrap_or(&whole)))
        };
        let inside = |folder: &str| match folder {
            // Its own scripts were there before, and what is built from source is a user's own doing.
            HERE => is_here && !BUILDING.contains(&name) && !is_own(),
            folder => path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
        };
        self.memory.unpacked.iter().find(|(folder, _)| inside(folder)).map(|(_, taint)| taint)
    }

    /// A path below the folder that the script went to.
    pub(super) fn located(&self, path: &str) -> Option<String> {
        let folder = self.memory.folder.as_deref()?.trim_end_matches('/');
        let below = !path.is_empty() && !path.starts_with(['/', '~', '$', '-', '<']);
        below.then(|| format!("{folder}/{}", path.trim_start_matches("./")))
    }

    /// What a file holds that is to be run: fetched, decoded, unpacked or cloned before.
    pub(super) fn held(&self, path: &str) -> Taint {
        let mut taint = Taint::default();
        let whole = self.located(path);
        for name in std::iter::once(path).chain(whole.as_deref()) {
            if let Some(known) = self.memory.files.get(&key(name)) {
                taint.add(known);
            }
            if let Some(known) = self.unpacked(name) {
                taint.add(known);
            }
        }
        if let Some(number) = path.strip_prefix("/dev/fd/") {
            taint.add(&self.descriptor(number));
        }
        taint.add(&self.of_clone(path));
        taint
    }

    /// An archive that somebody's host sent is unpacked: what lies in that folder is the host's. From a place
    /// where anybody shares files, what is locked is looked at by nobody on its way.
    pub(super) fn unpack(&mut self, folder: &str, taint: &Taint, is_locked: bool) {
        let strange = taint.remote.as_deref().is_some_and(|from| match classify(from) {
            Class::Service => is_locked,
            Class::Installer | Class::Placeholder | Class::Local => false,
            _ => true,
        });
        let folder = match &self.memory.folder {
            Some(here) if folder == HERE => here.trim_end_matches('/').to_owned(),
            None if folder == HERE => HERE.to_owned(),
            _ => {
                let folder = key(folder.trim_end_matches('/'));
                self.located(&folder).unwrap_or(folder)
            }
        };
        if strange && self.memory.unpacked.len() < MAX_UNPACKED {
            self.memory.unpacked.insert(folder, taint.clone());
        }
    }
}

/// The folder in which a script starts.
pub(super) const HERE: &str = ".";

/// What begins to build an unpacked source.
const BUILDING: [&str; 4] = ["configure", "bootstrap", "autogen.sh", "gradlew"];

/// Folders above a path that are known to hold it.
pub(super) const MAX_ABOVE: usize = 4;

/// Folders that are known to hold something secret.
pub(super) const MAX_HELD: usize = 64;

/// Whether a folder is one that a script makes to put things into: what lies in a home or in the system's
/// own folders lay there before.
fn is_made(folder: &str) -> bool {
    const SHARED: [&str; 10] =
        ["", "~", "$HOME", "${HOME}", "/tmp", "/var/tmp", "/dev/shm", ".", "..", "/root"];
    let home = ["/home/", "/Users/"].iter().find_map(|homes| folder.strip_prefix(homes));
    !SHARED.contains(&folder) && home.is_none_or(|below| below.contains('/'))
}

/// A folder as a key: without what says that all in it is meant.
fn folder_key(path: &str) -> &str {
    let mut folder = path.trim_matches(['"', '\'']).trim_start_matches("./");
    for end in ["/*", "/.", "/"] {
        folder = folder.strip_suffix(end).unwrap_or(folder);
    }
    folder
}

/// Whether what lies at a path runs without anybody starting it.
fn starts_by_itself(path: &str) -> bool {
    use crate::scan::places::{Spot, classify};
    matches!(
        classify(path),
        Some(Spot::ShellStart | Spot::Autorun(_) | Spot::GitHooks | Spot::EditorTasks)
    )
}

/// A path as a key: without `./` in front and quotes around.
pub(super) fn key(path: &str) -> String {
    path.trim_matches(['"', '\'']).trim_start_matches("./").to_owned()
}

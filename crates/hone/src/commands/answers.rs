//! Where the answers of a session are between two calls: in the folder that the system makes for a login
//! and takes away after it (`XDG_RUNTIME_DIR`, in memory on most systems), readable by nobody else.
//! Without such a folder they live as long as the call.

use std::collections::BTreeMap;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use hone_library::hash;
use hone_router::{Answers, MAX_ANSWER_BYTES};

use crate::output::Failure;

/// Largest file of answers that is read or written, in bytes.
const MAX_KEPT_BYTES: usize = 16 * MAX_ANSWER_BYTES;

/// What a file's mode may not give to anybody else.
const OF_OTHERS: u32 = 0o077;

/// The answers of one session.
pub(crate) struct Kept {
    path: PathBuf,
}

/// Skill, then variable, then value.
type Values = BTreeMap<String, BTreeMap<String, String>>;

impl Kept {
    /// The place for a session's answers; none when there is no folder that is the person's alone.
    pub(crate) fn of(session: &str) -> Option<Self> {
        let runtime = PathBuf::from(std::env::var_os("XDG_RUNTIME_DIR")?);
        let meta = runtime.is_absolute().then(|| runtime.metadata().ok()).flatten()?;
        let is_private = meta.is_dir()
            && meta.mode() & OF_OTHERS == 0
            && meta.uid() == rustix::process::geteuid().as_raw();
        let folder = runtime.join("hone");
        let name = hash(session.as_bytes());
        is_private.then(|| Self { path: folder.join(format!("answers-{name}.json")) })
    }

    /// What was answered earlier. What cannot be read is asked again.
    pub(crate) fn read(&self) -> Answers {
        let mut answers = Answers::default();
        let mut text = String::new();
        let read = |text: &mut String| -> std::io::Result<usize> {
            let most = u64::try_from(MAX_KEPT_BYTES).unwrap_or(u64::MAX);
            File::open(&self.path)?.take(most).read_to_string(text)
        };
        let values: Values = match read(&mut text) {
            Ok(_) => serde_json::from_str(&text).unwrap_or_default(),
            Err(_) => Values::default(),
        };
        for (skill, values) in &values {
            for (name, value) in values {
                answers.give(Path::new(skill), name, value);
            }
        }
        answers
    }

    /// Keeps more answers.
    pub(crate) fn add(&self, more: &Answers) -> Result<(), Failure> {
        let mut values = Values::default();
        let before = self.read();
        for (skill, name, value) in before.values().chain(more.values()) {
            let skill = skill.to_string_lossy().into_owned();
            let value = value.expose().to_owned();
            values.entry(skill).or_default().insert(name.to_owned(), value);
        }
        let text = serde_json::to_string(&values).unwrap_or_default();
        if text.len() > MAX_KEPT_BYTES {
            return Err(Failure::no("the answers of this session take too much room", ""));
        }
        self.write(text.as_bytes()).map_err(|error| {
            let place = self.path.display();
            Failure::failed(format!("could not keep the answers in `{place}`: {error}"), "")
        })
    }

    fn write(&self, bytes: &[u8]) -> std::io::Result<()> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        match DirBuilder::new().mode(0o700).create(folder) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let new = self.path.with_extension(format!("{}.new", std::process::id()));
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&new)?;
        file.write_all(bytes)?;
        std::fs::rename(&new, &self.path)
    }
}

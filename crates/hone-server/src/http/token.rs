//! Tokens: who may do what.
//!
//! A token is shown once, when it is made; the disk holds its hash, in a file that only its owner can
//! read. Changes of that file count within a second, so that a token can be taken back while the server
//! runs.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hone_library::hash;
use serde::{Deserialize, Serialize};

/// The token that the first start makes.
pub const OWNER: &str = "owner";
/// Tokens at most.
pub const MAX_TOKENS: usize = 64;
/// Characters of the name of a token at most.
pub const MAX_NAME_CHARS: usize = 32;
/// What a token starts with, so that one in the wrong place is noticed.
const PREFIX: &str = "hone_";
/// Bytes of the file at most.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// How long the file is believed to be as it was.
const BELIEVED: Duration = Duration::from_secs(1);

/// What a token may be used for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// To look at everything.
    Read,
    /// To change skills, and to decide what waits for a decision.
    Write,
    /// To let agents work.
    Run,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Run];

    /// Its name.
    pub fn id(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Run => "run",
        }
    }
}

/// What is kept of a token.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// What it is called.
    pub name: String,
    /// What it may be used for.
    pub roles: Vec<Role>,
    /// SHA-256 of it, in hexadecimal.
    pub sha256: String,
    /// When it was made, in milliseconds since 1970.
    pub made: i64,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    tokens: Vec<Kept>,
}

/// Why tokens could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file cannot be used.
    #[error("could not {doing} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        doing: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is open to others.
    #[error("`{}` can be read by others (mode {mode:o})", path.display())]
    Open {
        /// Where.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The file is not what we write.
    #[error("`{}` cannot be understood: {why}", path.display())]
    Broken {
        /// Where.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The name cannot be used.
    #[error(
        "`{0}` is no name for a token: use up to {MAX_NAME_CHARS} small letters, digits and hyphens"
    )]
    Name(String),
    /// There is one already.
    #[error("there is a token `{0}` already")]
    Exists(String),
    /// There is none.
    #[error("there is no token `{0}`")]
    NotThere(String),
    /// There are enough.
    #[error("there are {MAX_TOKENS} tokens, more are not kept")]
    TooMany,
}

/// The tokens of one `HONE_HOME`.
#[derive(Debug)]
pub struct Tokens {
    path: PathBuf,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    looked: Option<Instant>,
    stamp: Option<(u64, i64, i64, u64)>,
    tokens: Arc<[Kept]>,
}

impl Tokens {
    /// The tokens below a `HONE_HOME`.
    pub fn new(hone_home: &Path) -> Self {
        Self { path: hone_home.join("serve").join("tokens.json"), seen: Mutex::default() }
    }

    /// All tokens, as the file has them now.
    pub fn all(&self) -> Result<Vec<Kept>, TokenError> {
        Ok(self.read()?.tokens)
    }

    /// Makes a token and gives it, the only time that it can be seen.
    pub fn add(&self, name: &str, roles: &[Role], now: i64) -> Result<String, TokenError> {
        let is_name = !name.is_empty()
            && name.len() <= MAX_NAME_CHARS
            && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
        if !is_name {
            return Err(TokenError::Name(name.escape_debug().take(64).collect()));
        }
        let _held = self.hold()?;
        let mut stored = self.read()?;
        if stored.tokens.iter().any(|token| token.name == name) {
            return Err(TokenError::Exists(name.to_owned()));
        }
        if stored.tokens.len() >= MAX_TOKENS {
            return Err(TokenError::TooMany);
        }
        let mut bytes = [0; 32];
        getrandom::fill(&mut bytes)
            .map_err(|error| self.io("make a token for")(io::Error::other(error.to_string())))?;
        let token = format!("{PREFIX}{}", hex(&bytes));
        let mut roles = roles.to_vec();
        roles.push(Role::Read);
        roles.sort_unstable();
        roles.dedup();
        let sha256 = hash(token.as_bytes());
        stored.tokens.push(Kept { name: name.to_owned(), roles, sha256, made: now });
        self.write(&stored)?;
        Ok(token)
    }

    /// Takes a token back.
    pub fn remove(&self, name: &str) -> Result<(), TokenError> {
        let _held = self.hold()?;
        let mut stored = self.read()?;
        let before = stored.tokens.len();
        stored.tokens.retain(|token| token.name != name);
        if stored.tokens.len() == before {
            return Err(TokenError::NotThere(name.escape_debug().take(64).collect()));
        }
        self.write(&stored)
    }

    /// The owner's token when there is none at all yet.
    pub fn first(&self, now: i64) -> Result<Option<String>, TokenError> {
        if self.read()?.tokens.is_empty() {
            return match self.add(OWNER, &Role::ALL, now) {
                // Another server was faster.
                Err(TokenError::Exists(_)) => Ok(None),
                made => made.map(Some),
            };
        }
        Ok(None)
    }

    /// The tokens, as the file had them at most a second ago. A file that cannot be used holds none.
    pub(crate) fn current(&self) -> Arc<[Kept]> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.looked.is_some_and(|looked| looked.elapsed() < BELIEVED) {
            return Arc::clone(&seen.tokens);
        }
        let stamp = fs::metadata(&self.path)
            .ok()
            .map(|file| (file.ino(), file.mtime(), file.mtime_nsec(), file.size()));
        if stamp.is_none() || stamp != seen.stamp {
            seen.tokens = self.read().map(|stored| stored.tokens.into()).unwrap_or_default();
            seen.stamp = stamp;
        }
        seen.looked = Some(Instant::now());
        Arc::clone(&seen.tokens)
    }

    fn folder(&self) -> &Path {
        self.path.parent().unwrap_or(Path::new("."))
    }

    /// Nobody else changes the tokens while this is held.
    fn hold(&self) -> Result<File, TokenError> {
        let folder = self.folder();
        fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(self.io("make the folder of"))?;
        let file = File::open(folder).map_err(self.io("open the folder of"))?;
        file.lock().map_err(self.io("lock the folder of"))?;
        Ok(file)
    }

    fn read(&self) -> Result<Stored, TokenError> {
        let metadata = match fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Stored::default()),
            Err(error) => return Err(self.io("read")(error)),
        };
        let mode = metadata.mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(TokenError::Open { path: self.path.clone(), mode });
        }
        let broken = |why: String| TokenError::Broken { path: self.path.clone(), why };
        if metadata.len() > MAX_FILE_BYTES {
            return Err(broken(format!("it has more than {MAX_FILE_BYTES} bytes")));
        }
        let bytes = fs::read(&self.path).map_err(self.io("read"))?;
        serde_json::from_slice(&bytes).map_err(|error| broken(error.to_string()))
    }

    fn write(&self, stored: &Stored) -> Result<(), TokenError> {
        // `replace` keeps the permissions of what it replaces, so the file is made closed first.
        OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(&self.path)
            .and_then(|file| if file.metadata()?.len() == 0 { write_empty(&file) } else { Ok(()) })
            .map_err(self.io("write"))?;
        let text = serde_json::to_vec_pretty(stored)
            .map_err(|error| self.io("write")(io::Error::other(error)))?;
        hone_library::replace(&self.path, &text)
            .map_err(|error| self.io("write")(io::Error::other(error)))
    }

    fn io(&self, doing: &'static str) -> impl Fn(io::Error) -> TokenError {
        move |source| TokenError::Io { doing, path: self.path.clone(), source }
    }
}

/// A file that a reader between two steps understands.
fn write_empty(mut file: &File) -> io::Result<()> {
    io::Write::write_all(&mut file, b"{\"tokens\":[]}\n")
}

/// Bytes in hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_shown_once_and_kept_closed_as_a_hash() {
        let home = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(home.path());
        let owner = tokens.first(7).unwrap().unwrap();
        assert_eq!(tokens.first(8).unwrap(), None);
        let path = home.path().join("serve/tokens.json");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        assert!(!fs::read_to_string(&path).unwrap().contains(&owner));
        let kept = Kept {
            name: OWNER.to_owned(),
            roles: Role::ALL.to_vec(),
            sha256: hash(owner.as_bytes()),
            made: 7,
        };
        assert_eq!(tokens.all().unwrap(), [kept]);
        tokens.remove(OWNER).unwrap();
        assert_eq!(tokens.all().unwrap(), []);
        assert!(matches!(tokens.remove(OWNER), Err(TokenError::NotThere(_))));
    }

    #[test]
    fn a_file_that_others_can_read_opens_nothing() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(home.path());
        tokens.first(7).unwrap();
        let path = home.path().join("serve/tokens.json");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        assert!(matches!(tokens.all(), Err(TokenError::Open { mode: 0o640, .. })));
        assert!(tokens.current().is_empty());
    }

    #[test]
    fn names_and_number_are_bounded() {
        let home = tempfile::tempdir().unwrap();
        let tokens = Tokens::new(home.path());
        let longest = "a".repeat(MAX_NAME_CHARS);
        tokens.add(&longest, &[], 0).unwrap();
        for wrong in ["", "A", "a b", "ä", "a.b", &format!("{longest}a")] {
            assert!(matches!(tokens.add(wrong, &[], 0), Err(TokenError::Name(_))), "{wrong}");
        }
        assert!(matches!(tokens.add(&longest, &[], 0), Err(TokenError::Exists(_))));
        for number in 1..MAX_TOKENS {
            tokens.add(&number.to_string(), &[Role::Run], 0).unwrap();
        }
        assert!(matches!(tokens.add("one-more", &[], 0), Err(TokenError::TooMany)));
        assert_eq!(tokens.all().unwrap()[1].roles, [Role::Read, Role::Run]);
    }
}

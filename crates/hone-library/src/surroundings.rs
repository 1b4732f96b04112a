//! What the library knows about where it runs. Passed in, so that nothing else asks the system.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Variables that move an agent's home, and the folder below the user's home that each replaces.
const MOVED_HOMES: [(&str, &str); 7] = [
    ("CLAUDE_CONFIG_DIR", ".claude"),
    ("CODEX_HOME", ".codex"),
    ("HERMES_HOME", ".hermes"),
    ("VIBE_HOME", ".vibe"),
    ("GROK_HOME", ".grok"),
    ("AUTOHAND_HOME", ".autohand"),
    ("XDG_CONFIG_HOME", ".config"),
];

/// The folders and the platform that everything else starts from.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The working folder.
    pub cwd: PathBuf,
    /// The user's home.
    pub user_home: PathBuf,
    /// Where hone keeps its state.
    pub hone_home: PathBuf,
    /// The operating system, as `std::env::consts::OS` has it.
    pub platform: String,
    /// Agents' homes that a variable moved: folder below the home → where it is now.
    pub moved: BTreeMap<String, PathBuf>,
}

impl Surroundings {
    /// Reads the environment. `None` when there is no home folder to be found.
    pub fn from_env() -> Option<Self> {
        let user_home = std::env::home_dir().filter(|home| home.is_absolute())?;
        let hone_home = std::env::var_os("HONE_HOME")
            .filter(|value| !value.is_empty())
            .map_or_else(|| user_home.join(".hone"), PathBuf::from);
        let cwd = std::env::current_dir().ok()?;
        let moved = MOVED_HOMES
            .iter()
            .filter_map(|(variable, folder)| {
                let value = PathBuf::from(std::env::var_os(variable)?);
                value.is_absolute().then(|| ((*folder).to_owned(), value))
            })
            .collect();
        let hone_home = if hone_home.is_absolute() { hone_home } else { cwd.join(hone_home) };
        Some(Self { cwd, user_home, hone_home, platform: std::env::consts::OS.to_owned(), moved })
    }

    /// A folder below the user's home, or where a variable moved it.
    pub fn below_home(&self, folder: &str) -> PathBuf {
        let path = Path::new(folder);
        for (from, to) in &self.moved {
            if let Ok(rest) = path.strip_prefix(from) {
                return to.join(rest);
            }
        }
        self.user_home.join(path)
    }
}

//! What the analyses know of the whole skill: its subject, its files, the hosts it speaks of. It is put
//! together once, before anything is judged.

use super::kind::{Kind, Language};
use super::subject::{self, Subject};
use super::text::Text;
use super::{bundle, mention};

/// Hosts of one skill that its documents are searched for.
pub(crate) const MAX_ASKED: usize = 512;

/// Packages that the code in the documents is searched for.
const MAX_LOADED: usize = 128;

/// Mentions of a package that are looked at.
const MAX_MENTIONS: usize = 256;

/// What the analyses know of the whole skill.
pub(crate) struct Skill<'a> {
    pub(crate) subject: Subject,
    pub(crate) members: &'a [bundle::Member],
    /// All text of the skill that is not code, in lower case, for questions about its subject.
    pub(crate) host_counts: std::collections::HashMap<String, usize>,
    /// Where the document says that a key goes.
    pub(crate) promises: subject::Promises,
    /// Hosts that the documents of the skill name.
    pub(crate) documented: std::collections::HashSet<String>,
    /// For each file whether it lists what to detect or to withstand.
    pub(crate) catalogues: Vec<bool>,
    /// What the scripts of the skill print and leave in files.
    pub(crate) outputs: super::outputs::Outputs,
    /// What the documents say, in lower case: put together when it is asked for.
    pub(super) said: std::cell::OnceCell<String>,
    /// Hosts that the documents were searched for, and whether they speak of them.
    pub(super) asked: std::cell::RefCell<std::collections::HashMap<String, bool>>,
    /// Packages that the code in the documents was searched for, and whether it loads them.
    pub(super) loaded: std::cell::RefCell<std::collections::HashMap<String, bool>>,
}

impl Skill<'_> {
    /// Whether a host belongs to what the skill is about: declared, named, or used throughout.
    pub(crate) fn is_about(&self, host: &str) -> bool {
        const THROUGHOUT: usize = 4;
        self.subject.is_about(host)
            || self.host_counts.get(host).copied().unwrap_or(0) >= THROUGHOUT
    }
}

impl Skill<'_> {
    /// Whether the skill says that it has to do with a host.
    pub(crate) fn documents(&self, host: &str) -> bool {
        self.documented.contains(host) || self.subject.hosts.iter().any(|known| known == host)
    }

    /// Whether a document of the skill speaks of a host, by its name or by a word of it.
    pub(crate) fn speaks_of(&self, host: &str) -> bool {
        if self.is_about(host) || self.documents(host) {
            return true;
        }
        if let Some(known) = self.asked.borrow().get(host) {
            return *known;
        }
        // Each host costs a search of all documents; of more nobody speaks.
        if self.asked.borrow().len() >= MAX_ASKED {
            return false;
        }
        let known = self.is_spoken_of(host);
        self.asked.borrow_mut().insert(host.to_owned(), known);
        known
    }

    fn is_spoken_of(&self, host: &str) -> bool {
        // A shorter word says nothing.
        const SHORTEST: usize = 4;
        // Words of a name that say nothing about whose it is.
        #[rustfmt::skip]
        const EMPTY: [&str; 22] = [
            "app", "api", "apps", "hq", "get", "use", "try", "my", "the", "go", "io", "ai", "web", "online", "cloud", "labs", "inc", "dev", "team", "hub", "site", "cdn",
        ];
        let said = self.said();
        let owner = subject::registered(host);
        let label = owner.split('.').next().unwrap_or(&owner);
        // `bybit-sync.com` is not Bybit's: each word must be one that is spoken of, or say nothing.
        let mut words = label.split('-').filter(|word| !EMPTY.contains(word)).peekable();
        label.parse::<u8>().is_err()
            && (label.len() >= SHORTEST && said.contains(label)
                || words.peek().is_some()
                    && words.all(|word| word.len() >= SHORTEST && mention::has_word(said, word)))
    }

    /// Whether a document of the skill holds a text, in lower case.
    pub(crate) fn mentions(&self, lower: &str) -> bool {
        self.said().contains(lower)
    }

    /// What the documents say, in lower case.
    fn said(&self) -> &str {
        // Bytes of the documents that are looked at.
        const MOST: usize = 512 * 1024;
        self.said.get_or_init(|| {
            let documents = self.members.iter().filter(|member| {
                matches!(member.kind, Kind::Text(Language::Markdown | Language::Plain))
            });
            let mut said = String::new();
            for member in documents {
                if said.len() > MOST {
                    break;
                }
                said.push_str(&String::from_utf8_lossy(&member.bytes).to_lowercase());
            }
            said
        })
    }

    /// Whether code in the documents loads a package by its name: `require('…')`, `from … import`.
    pub(crate) fn loads(&self, package: &str) -> bool {
        if let Some(known) = self.loaded.borrow().get(package) {
            return *known;
        }
        // Each package costs a search of all documents; more are loaded by nobody.
        if self.loaded.borrow().len() >= MAX_LOADED {
            return false;
        }
        let is_loaded = self.is_loaded(package);
        self.loaded.borrow_mut().insert(package.to_owned(), is_loaded);
        is_loaded
    }

    fn is_loaded(&self, package: &str) -> bool {
        let said = self.said();
        let is_loaded = |at: usize| {
            let line = said[..at].rsplit('\n').next().unwrap_or_default();
            let before = line.trim_end_matches(['"', '\'', '`', '(']).trim_end();
            let is_way = |way: &&str| {
                before.strip_suffix(*way).is_some_and(|rest| {
                    // Without quotes it is Python's, which begins a line with it.
                    let begins = rest.trim().is_empty() && line.ends_with(' ');
                    begins
                        || line.ends_with(['"', '\'', '`'])
                            && rest.chars().next_back().is_none_or(|c| !c.is_alphanumeric())
                })
            };
            let behind = said[at + package.len()..].chars().next();
            behind.is_none_or(|c| !c.is_alphanumeric() && !matches!(c, '-' | '_'))
                && ["import", "from", "require"].iter().any(is_way)
        };
        said.match_indices(package).take(MAX_MENTIONS).any(|(at, _)| is_loaded(at))
    }

    /// Whether a word stands in the name or the description of the skill.
    pub(crate) fn says(&self, word: &str) -> bool {
        let said = format!("{} {}", self.subject.name, self.subject.description).to_lowercase();
        mention::has_word(&said, word)
    }

    /// Whether making things run by themselves is what the skill says it is for.
    pub(crate) fn schedules(&self) -> bool {
        const WORDS: [&str; 12] = [
            "cron",
            "launchd",
            "launch agent",
            "systemd",
            "schedul",
            "timer",
            "service",
            "daemon",
            "startup",
            "autostart",
            "login item",
            "background job",
        ];
        let said = format!("{} {}", self.subject.name, self.subject.description).to_lowercase();
        WORDS.iter().any(|word| said.contains(word))
    }
}

pub(super) fn subject_of(members: &[bundle::Member], texts: &[Option<Text>]) -> Subject {
    let main = members
        .iter()
        .position(|member| member.path == "SKILL.md")
        .or_else(|| members.iter().position(|member| member.path.eq_ignore_ascii_case("skill.md")))
        .or_else(|| {
            members.iter().position(|member| member.kind == Kind::Text(Language::Markdown))
        });
    let Some(text) = main.and_then(|at| texts[at].as_ref()) else { return Subject::default() };
    hone_skill::read(text.plain.as_bytes(), None)
        .skill
        .map(|skill| Subject::of(&skill))
        .unwrap_or_default()
}

//! Slash commands: what a person types to call a skill by name.
//!
//! Every skill that a person may call has a command, made from its slug. Where two want the same one,
//! the first in the order of dispatch (core commands, bundles, skills by precedence) gets it, and the
//! other is reported with the address that still reaches it. Nothing is taken away in silence.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use hone_library::{Bundle, Catalogue, Listed, Reason, Scope};
use hone_skill::Slug;
use serde::{Deserialize, Serialize};

use crate::mentions::select;

/// Most commands at the head of one message; what follows is text.
pub const MAX_STACKED: usize = 6;

/// Most skills in a bundle.
pub const MAX_BUNDLE_SKILLS: usize = 12;

/// Commands that a chat answers itself. A skill of such a name is called by its `scope:name`.
pub const CORE_COMMANDS: [&str; 14] = [
    "clear", "commands", "compact", "config", "exit", "help", "model", "new", "quit", "reload",
    "resume", "skills", "status", "undo",
];

/// Whether a command stands for a skill or a set of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CommandKind {
    /// One skill.
    Skill,
    /// A bundle.
    Bundle,
}

/// A command that can be typed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SlashCommand {
    /// What to type after the slash.
    pub command: String,
    /// Skill or bundle.
    pub kind: CommandKind,
    /// The name of the skill or bundle.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// What may follow it.
    pub argument_hint: Option<String>,
    /// The skill's scope.
    pub scope: Option<Scope>,
    /// The skill's file.
    pub path: Option<PathBuf>,
}

/// What has a command that a skill or bundle wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum With {
    /// A core command.
    Core,
    /// A bundle.
    Bundle,
    /// A skill that goes before it.
    Skill,
}

/// A skill or bundle that did not get the command of its slug.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Collision {
    /// The command that it wanted.
    pub command: String,
    /// Its name.
    pub name: String,
    /// Its file; none for a bundle.
    pub path: Option<PathBuf>,
    /// Who has the command.
    pub with: With,
    /// The command that reaches it; none when only its path does.
    pub instead: Option<String>,
}

/// What differs between two looks at the commands.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Reload {
    /// Commands that are new.
    pub added: Vec<String>,
    /// Commands that are gone.
    pub removed: Vec<String>,
    /// Commands that mean or say something else.
    pub changed: Vec<String>,
    /// Commands that there are now.
    pub total: usize,
}

/// What a message that starts with commands asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct Called<'c> {
    /// The skills, each once: those of commands in the order of the message, then those that its words mention.
    pub skills: Vec<&'c Listed>,
    /// Words that bundles add.
    pub instructions: Vec<String>,
    /// Members of bundles, and mentions, that cannot be loaded, with the reason.
    pub missing: Vec<(String, String)>,
    /// The rest of the message: the person's own words.
    pub words: &'c str,
}

/// Why a message calls nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// It does not start with a command.
    #[error("a command starts with `/`, as in `/name`")]
    NotACommand,
    /// There is no such command.
    #[error("there is no command `/{command}`")]
    Unknown {
        /// What was typed.
        command: String,
        /// Commands that come near.
        near: Vec<String>,
    },
    /// The chat answers it itself.
    #[error("`/{command}` is a command of the chat, not a skill")]
    Core {
        /// What was typed.
        command: String,
        /// The skills of that name, by the commands that reach them.
        instead: Vec<String>,
    },
    /// Several commands start like that.
    #[error("`/{command}` could be any of {}", .choices.iter().map(|choice| format!("`/{choice}`")).collect::<Vec<_>>().join(", "))]
    Ambiguous {
        /// What was typed.
        command: String,
        /// Those commands.
        choices: Vec<String>,
    },
    /// The skill is not for people to call.
    #[error("`{name}` is not for people to call: it says `user-invocable: false`")]
    NotForPeople {
        /// The skill.
        name: String,
    },
    /// Nothing of a bundle is there.
    #[error("no skill of the bundle `{bundle}` is there: {}", .missing.iter().map(|(name, why)| format!("`{name}` ({why})")).collect::<Vec<_>>().join(", "))]
    EmptyBundle {
        /// The bundle.
        bundle: String,
        /// Its members and why each is not there.
        missing: Vec<(String, String)>,
    },
}

/// What stands before the name of a bundle whose command the chat has itself.
const BUNDLE: &str = "bundle";

/// Folders that a message may be about: `/tmp is full` is short for no command.
const ROOT_FOLDERS: [&str; 16] = [
    "bin", "boot", "dev", "etc", "home", "lib", "media", "mnt", "opt", "proc", "root", "sbin",
    "srv", "sys", "tmp", "usr",
];

/// Most choices that an ambiguous or unknown command is answered with.
const MAX_CHOICES: usize = 6;

#[derive(Debug, Clone, Copy)]
enum Target<'c> {
    Skill(&'c Listed),
    Bundle(&'c Bundle),
}

/// All slash commands of a catalogue.
#[derive(Debug)]
pub struct Commands<'c> {
    /// The commands, sorted.
    pub commands: Vec<SlashCommand>,
    /// Who did not get the command of its slug.
    pub collisions: Vec<Collision>,
    /// Skills that people may not call, by name.
    pub hidden: Vec<String>,
    /// What is wrong with bundles, in sentences.
    pub problems: Vec<String>,
    targets: HashMap<String, Target<'c>>,
    /// The skill that the catalogue means by a scope and a name.
    addressed: HashMap<(Scope, &'c str), &'c Listed>,
    core: BTreeSet<String>,
    catalogue: &'c Catalogue,
}

impl<'c> Commands<'c> {
    /// Gives every bundle and every skill that a person may call its command. `core` are the commands
    /// that the front end answers itself.
    pub fn new(catalogue: &'c Catalogue, bundles: &'c [Bundle], core: &[&str]) -> Self {
        let mut commands = Self {
            commands: Vec::new(),
            collisions: Vec::new(),
            hidden: Vec::new(),
            problems: Vec::new(),
            targets: HashMap::new(),
            addressed: HashMap::new(),
            core: core.iter().map(|&word| word.to_owned()).collect(),
            catalogue,
        };
        for bundle in bundles {
            commands.add_bundle(bundle);
        }
        let shadowed =
            catalogue.skipped.iter().filter(|skipped| skipped.reason == Reason::Shadowed);
        let shadowed = shadowed.filter_map(|skipped| skipped.skill.as_deref());
        let mut skills: Vec<&Listed> = catalogue.skills.iter().chain(shadowed).collect();
        for skill in &skills {
            commands.addressed.entry((skill.scope, &skill.summary.name)).or_insert(skill);
        }
        // Of two names with one slug, the one that is the slug goes first, as it does everywhere else,
        // then the more important scope, then the name.
        let offered = &mut skills[..catalogue.skills.len()];
        offered.sort_by_key(|skill| {
            let summary = &skill.summary;
            (summary.name != summary.slug.as_str(), skill.scope, &summary.name)
        });
        for skill in skills {
            commands.add_skill(skill);
        }
        commands.commands.sort_by(|a, b| a.command.cmp(&b.command));
        commands.collisions.sort_by(|a, b| (&a.command, &a.path).cmp(&(&b.command, &b.path)));
        commands.hidden.sort();
        commands.hidden.dedup();
        commands
    }

    fn add_bundle(&mut self, bundle: &'c Bundle) {
        let (name, count) = (&bundle.name, bundle.skills.len());
        let slug = match Slug::new(name) {
            Ok(_) if count == 0 => Err(format!("the bundle `{name}` has no skills")),
            Ok(_) if count > MAX_BUNDLE_SKILLS => Err(format!(
                "the bundle `{name}` has {count} skills, {MAX_BUNDLE_SKILLS} are the most"
            )),
            Ok(slug) => Ok(slug.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let command = match slug {
            Ok(slug) => slug,
            Err(problem) => return self.problems.push(problem),
        };
        let members = || bundle.skills.iter().map(|member| self.member(member));
        if members().all(|member| member.is_err()) {
            self.problems.push(format!("no skill of the bundle `{name}` is there"));
            // Whoever types it hears why.
            if self.owner(&command).is_none() {
                self.targets.insert(command, Target::Bundle(bundle));
            }
            return;
        }
        let command = match self.owner(&command) {
            None => command,
            Some(with) => {
                let address = format!("{BUNDLE}:{command}");
                let is_free = with == With::Core && !self.targets.contains_key(&address);
                self.collisions.push(Collision {
                    command,
                    name: name.clone(),
                    path: None,
                    with,
                    instead: is_free.then(|| address.clone()),
                });
                if !is_free {
                    return;
                }
                address
            }
        };
        self.targets.insert(command.clone(), Target::Bundle(bundle));
        self.commands.push(SlashCommand {
            command,
            kind: CommandKind::Bundle,
            name: name.clone(),
            description: bundle.description.clone(),
            argument_hint: None,
            scope: None,
            path: None,
        });
    }

    fn add_skill(&mut self, skill: &'c Listed) {
        let summary = &skill.summary;
        if !summary.user_invocable {
            self.hidden.push(summary.name.clone());
            return;
        }
        let slug = summary.slug.as_str();
        let Some(with) = self.owner(slug) else {
            self.offer(slug.to_owned(), skill);
            return;
        };
        // A name with blanks cannot be typed, and one that the catalogue reads as another skill's must
        // not mean two things.
        let name = summary.name.as_str();
        let is_addressed = |first: &&Listed| first.path == skill.path;
        let instead = self
            .addressed
            .get(&(skill.scope, name))
            .is_some_and(is_addressed)
            .then(|| format!("{}:{name}", skill.scope.id()))
            .filter(|address| !address.contains(char::is_whitespace));
        if let Some(address) = &instead {
            self.offer(address.clone(), skill);
        }
        self.collisions.push(Collision {
            command: slug.to_owned(),
            name: summary.name.clone(),
            path: Some(skill.path.clone()),
            with,
            instead,
        });
    }

    fn offer(&mut self, command: String, skill: &'c Listed) {
        self.targets.insert(command.clone(), Target::Skill(skill));
        self.commands.push(SlashCommand {
            command,
            kind: CommandKind::Skill,
            name: skill.summary.name.clone(),
            description: skill.summary.description.clone(),
            argument_hint: skill.summary.argument_hint.clone(),
            scope: Some(skill.scope),
            path: Some(skill.path.clone()),
        });
    }

    fn owner(&self, slug: &str) -> Option<With> {
        if self.core.contains(slug) {
            return Some(With::Core);
        }
        self.targets.get(slug).map(|target| match target {
            Target::Bundle(_) => With::Bundle,
            Target::Skill(_) => With::Skill,
        })
    }

    /// Takes a message apart: commands at its head, then the person's words.
    ///
    /// The first command may be a unique prefix and its case does not matter; those that follow must be
    /// exact, because they may as well be text. The stack ends at the first word that is no command, at
    /// a repetition of a stacked one, and after [`MAX_STACKED`] commands. Skills that the person's words mention
    /// (`$name`, `[$name](path)`) are called behind them; a relative path starts at the current folder.
    pub fn parse(&self, message: &'c str) -> Result<Called<'c>, CommandError> {
        self.parse_in(message, &std::env::current_dir().unwrap_or_default())
    }

    /// The same, with the folder at which relative paths start.
    pub fn parse_in(&self, message: &'c str, cwd: &Path) -> Result<Called<'c>, CommandError> {
        let (first, mut rest) = next_word(message);
        let command = first
            .strip_prefix('/')
            .filter(|command| !command.is_empty() && !command.contains('/'))
            .ok_or(CommandError::NotACommand)?;
        let (command, target) = self.resolve(command)?;
        let mut stack = vec![(command, target)];
        while stack.len() < MAX_STACKED {
            let (word, after) = next_word(rest);
            let Some(command) = word.strip_prefix('/').map(|typed| typed.replace('_', "-")) else {
                break;
            };
            let command = in_other_script(&command).unwrap_or(command);
            let Some(target) = self.exact(&command) else { break };
            match stack.iter().position(|(known, _)| *known == command) {
                None => stack.push((command, target)),
                Some(0) => {}
                Some(_) => break,
            }
            rest = after;
        }
        let mut called = Called {
            skills: Vec::new(),
            instructions: Vec::new(),
            missing: Vec::new(),
            words: rest,
        };
        for (_, target) in stack {
            match target {
                Target::Skill(skill) => called.add(skill),
                Target::Bundle(bundle) => self.unpack(bundle, &mut called)?,
            }
        }
        if !called.words.contains('$') {
            return Ok(called);
        }
        let mentioned = select(self.catalogue, called.words, &[], &[], cwd);
        for skill in mentioned.skills {
            called.add(skill);
        }
        let refused = mentioned.unselected.into_iter().map(|other| (other.mention, other.why));
        called.missing.extend(refused);
        Ok(called)
    }

    /// The commands at the head of a message, and the skills that they call as places in the catalogue; `None` when
    /// no command stands there. What a command means to [`Self::parse`] it means here; one that is unknown calls nothing.
    pub fn called_by<'m>(&self, message: &'m str) -> Option<(&'m str, Vec<usize>)> {
        let commands: &Commands<'_> = self;
        let (skills, words) = match commands.parse_in(message, Path::new("/")) {
            Ok(called) => (called.skills, called.words),
            Err(CommandError::NotACommand) => return None,
            Err(_) => (Vec::new(), next_word(message).1),
        };
        let place = |skill: &&Listed| {
            let skills = self.catalogue.skills.iter();
            skills.zip(0..).find(|(known, _)| known.path == skill.path).map(|(_, place)| place)
        };
        let head = message[..message.len() - words.len()].trim();
        Some((head, skills.iter().filter_map(place).collect()))
    }

    /// The command that a word means: itself, `_` read as `-`, or the only one that starts with it.
    fn resolve(&self, typed: &str) -> Result<(String, Target<'c>), CommandError> {
        let lower = typed.to_ascii_lowercase();
        let plain = [typed.to_owned(), typed.replace('_', "-"), lower.replace('_', "-")];
        for command in plain.into_iter().chain(in_other_script(typed)) {
            if let Some(target) = self.targets.get(&command) {
                return Ok((command, *target));
            }
        }
        let wanted = lower.replace('_', "-");
        if self.core.contains(&wanted) {
            let same = self.collisions.iter().filter(|collision| collision.command == wanted);
            let instead = same.filter_map(|collision| collision.instead.clone()).collect();
            return Err(CommandError::Core { command: typed.to_owned(), instead });
        }
        // A scope in front: also names that did not need it.
        if let Some((scope, name)) = wanted.split_once(':')
            && let Some(Target::Skill(skill)) = self.targets.get(name)
            && skill.scope.id() == scope
        {
            return Ok((name.to_owned(), Target::Skill(skill)));
        }
        let hidden =
            self.catalogue.skills.iter().find(|skill| {
                skill.summary.slug.as_str() == wanted && !skill.summary.user_invocable
            });
        if let Some(skill) = hidden {
            return Err(CommandError::NotForPeople { name: skill.summary.name.clone() });
        }
        if ROOT_FOLDERS.contains(&wanted.as_str()) {
            return Err(CommandError::Unknown {
                command: typed.to_owned(),
                near: self.near(&wanted),
            });
        }
        let starting = self.starting(&wanted);
        match starting.as_slice() {
            [only] => Ok((only.command.clone(), self.targets[&only.command])),
            [] => {
                Err(CommandError::Unknown { command: typed.to_owned(), near: self.near(&wanted) })
            }
            several => Err(CommandError::Ambiguous {
                command: typed.to_owned(),
                choices: several.iter().take(MAX_CHOICES).map(|known| known.typed()).collect(),
            }),
        }
    }

    /// The commands that start like this. One whose name is in another script is a digest, so that its name counts.
    fn starting(&self, wanted: &str) -> Vec<&SlashCommand> {
        if wanted.is_ascii() {
            let from = self.commands.partition_point(|known| known.command.as_str() < wanted);
            let rest = self.commands[from..].iter();
            return rest.take_while(|known| known.command.starts_with(wanted)).collect();
        }
        let wanted = wanted.to_lowercase();
        let starts = |known: &&SlashCommand| {
            let name = known.name.to_lowercase().replace('_', "-");
            !known.command.contains(':') && name.starts_with(&wanted)
        };
        self.commands.iter().filter(starts).collect()
    }

    fn exact(&self, command: &str) -> Option<Target<'c>> {
        self.targets.get(command).copied()
    }

    /// Commands that contain what was typed, or that it contains.
    fn near(&self, wanted: &str) -> Vec<String> {
        const FEWEST_LETTERS: usize = 3;
        let comes_near = |known: &&SlashCommand| {
            let (known, name) = (known.command.as_str(), known.name.as_str());
            wanted.len().min(known.len()) >= FEWEST_LETTERS
                && (known.contains(wanted) || wanted.contains(known))
                // A command that is a digest is known by the name that it stands for.
                || !wanted.is_ascii() && name.contains(wanted)
        };
        let near = self.commands.iter().filter(comes_near).take(MAX_CHOICES);
        near.map(|known| known.command.clone()).collect()
    }

    fn unpack(&self, bundle: &'c Bundle, called: &mut Called<'c>) -> Result<(), CommandError> {
        let mut missing = Vec::new();
        let before = called.skills.len();
        let mut found = false;
        for member in &bundle.skills {
            match self.member(member) {
                Ok(skill) => {
                    found = true;
                    called.add(skill);
                }
                Err(why) => missing.push((member.clone(), why)),
            }
        }
        if !found && called.skills.len() == before {
            return Err(CommandError::EmptyBundle { bundle: bundle.name.clone(), missing });
        }
        called.missing.append(&mut missing);
        if !bundle.instruction.trim().is_empty() {
            called.instructions.push(bundle.instruction.trim().to_owned());
        }
        Ok(())
    }

    fn member(&self, name: &str) -> Result<&'c Listed, String> {
        // A name only: a path in a bundle would reach past the catalogue.
        if name.contains(['/', '\\']) {
            return Err("a bundle names skills, not paths".to_owned());
        }
        let skill = self.catalogue.resolve(name, Path::new("/"));
        match skill {
            Ok(skill) if skill.summary.user_invocable => Ok(skill),
            Ok(_) => Err("it says `user-invocable: false`".to_owned()),
            Err(hone_library::Error::NotFound { hidden: Some(why), .. }) => Err(why),
            Err(error) => Err(error.to_string()),
        }
    }

    /// What is there now, for a later [`Commands::since`]: each command and a digest of what it is.
    pub fn snapshot(&self) -> Snapshot {
        let digest = |command: &SlashCommand| {
            let path = command.path.as_deref().unwrap_or(Path::new(""));
            let hint = command.argument_hint.as_deref().unwrap_or_default();
            let parts =
                [&command.name, &command.description, hint, &path.to_string_lossy()].join("\0");
            hone_library::hash(parts.as_bytes())
        };
        let pairs = self.commands.iter().map(|known| (known.command.clone(), digest(known)));
        Snapshot(pairs.collect())
    }

    /// What changed since a snapshot; without one, everything is new.
    pub fn since(&self, before: Option<&Snapshot>) -> Reload {
        let now = self.snapshot();
        let none = Snapshot::default();
        let before = before.unwrap_or(&none);
        let mut reload = Reload { total: now.0.len(), ..Reload::default() };
        for (command, digest) in &now.0 {
            match before.0.get(command) {
                None => reload.added.push(command.clone()),
                Some(old) if old != digest => reload.changed.push(command.clone()),
                Some(_) => {}
            }
        }
        let gone = before.0.keys().filter(|command| !now.0.contains_key(*command));
        reload.removed = gone.cloned().collect();
        reload
    }
}

/// The commands of a moment, to compare with.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot(BTreeMap<String, String>);

impl SlashCommand {
    /// What a person reads and types: a name in another script says more than the digest that is its command.
    fn typed(&self) -> String {
        let is_name = !self.name.is_ascii()
            && !self.name.contains(char::is_whitespace)
            && !self.command.contains(':');
        if is_name { self.name.clone() } else { self.command.clone() }
    }
}

impl<'c> Called<'c> {
    fn add(&mut self, skill: &'c Listed) {
        if !self.skills.iter().any(|known| known.path == skill.path) {
            self.skills.push(skill);
        }
    }
}

/// The command of a name that is not in ASCII: its slug, which is a digest or has lost its accents.
fn in_other_script(typed: &str) -> Option<String> {
    (!typed.is_ascii()).then(|| Slug::new(typed).ok()).flatten().map(|slug| slug.to_string())
}

/// The first word and what follows it.
fn next_word(text: &str) -> (&str, &str) {
    let text = text.trim_start();
    let end = text.find(char::is_whitespace).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

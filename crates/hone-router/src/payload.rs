//! The text that a called skill becomes: a note, what it needs, its files by name, its body, and the
//! words of whoever called it.
//!
//! The body goes in as its author wrote it, with variables filled in, commands run where that is allowed,
//! and our own tags made harmless: no skill can end its block or put words into a person's mouth. Every
//! part has a cap, what is cut is said, and a value of a session's answers is in no word or output.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::PathBuf;

use hone_library::{Error, Listed, Scope, hash, list_files, read_text};
use hone_skill::{Skill, Value};
use serde::Serialize;

use crate::inline_shell::{
    INLINE_TIMEOUT, InlineCommand, InlineError, InlineOutput, MAX_INLINE_CHARS,
    MAX_INLINE_COMMANDS, RunInline, shown, snippets,
};
use crate::requirements::{Answers, Need, Secret};
use crate::tokens::token_bound;
use crate::variables::{MAX_ARGUMENT_NAMES, Variables, join_arguments, split_arguments};

/// Longest body in a payload, in characters.
pub const MAX_BODY_CHARS: usize = 50_000;
/// What the bodies of one payload may come to, in characters; each gets an equal part.
pub const MAX_BODIES_CHARS: usize = 120_000;
/// Longest text of the caller, in characters.
pub const MAX_WORDS_CHARS: usize = 50_000;
/// Most supporting files that are named.
pub const MAX_LISTED_FILES: usize = 100;

/// The tags of a payload, none of which a skill can write.
const TAGS: [&str; 7] = [
    "skill",
    "skill_requirements",
    "skill_files",
    "skill_body",
    "bundle_words",
    "user_words",
    "call_arguments",
];

/// Who calls a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    /// A person, by command or mention.
    Person,
    /// A model, by itself.
    Model,
}

/// Where a skill's work is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Place {
    /// In the conversation that called it.
    Inline,
    /// In a task of its own, which answers with its result.
    Fork,
}

/// What happens to the commands in a skill's text.
#[derive(Clone, Copy)]
pub enum Inline<'r> {
    /// They stay text.
    Off,
    /// They run.
    Run(&'r dyn RunInline),
}

/// A call of one or more skills.
pub struct Request<'r> {
    /// The skills, in order.
    pub skills: &'r [&'r Listed],
    /// The caller's words.
    pub words: &'r str,
    /// What bundles add to them.
    pub instructions: &'r [String],
    /// Members of bundles that are not there, with the reason.
    pub missing: &'r [(String, String)],
    /// Who calls.
    pub caller: Caller,
    /// The session, when there is one.
    pub session: Option<&'r str>,
    /// Whether the session has loaded this very text of a skill already, by its hash.
    pub is_loaded: &'r dyn Fn(&Listed, &str) -> bool,
    /// Whether variables are filled in.
    pub variables: bool,
    /// What happens to commands.
    pub inline: Inline<'r>,
    /// The needs of the skills, for the model to know.
    pub needs: &'r [Need],
    /// The values of their variables.
    pub answers: &'r Answers,
}

/// A skill in a payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Activated {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// Its version.
    pub version: Option<String>,
    /// Where it wants to work.
    pub context: Place,
    /// Its `allowed-tools`: all that a task of its own may use.
    pub tools: Vec<String>,
    /// SHA-256 of its body as it went in.
    pub hash: String,
    /// Only a note went in: the session has this text already.
    pub repeated: bool,
    /// How many characters of its body were cut.
    pub cut_chars: usize,
    /// Its supporting files.
    pub files: Vec<String>,
    /// Commands in its text, run or not.
    pub inline_commands: usize,
}

/// What a model gets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Payload {
    /// Exactly that.
    pub text: String,
    /// What it costs at most.
    pub tokens: usize,
    /// Who called.
    pub caller: Caller,
    /// The caller's words.
    pub words: String,
    /// The skills in it.
    pub skills: Vec<Activated>,
}

impl Payload {
    /// Where its work is done: a task of its own when any of its skills asks for one.
    pub fn place(&self) -> Place {
        let forks = self.skills.iter().any(|skill| skill.context == Place::Fork);
        if forks { Place::Fork } else { Place::Inline }
    }
}

/// Why a call gives no payload.
#[derive(Debug, thiserror::Error)]
pub enum PayloadError {
    /// The skill says that this caller may not call it.
    #[error("`{name}` may not be called by a {}: it says so", if *caller == Caller::Model { "model" } else { "person" })]
    NotForCaller {
        /// The skill.
        name: String,
        /// Who called.
        caller: Caller,
    },
    /// The skill's text cannot be read any more.
    #[error("`{name}` cannot be read as a skill: {problem}")]
    Broken {
        /// The skill.
        name: String,
        /// What is wrong.
        problem: String,
    },
    /// A file of it cannot be read.
    #[error(transparent)]
    Library(#[from] Error),
}

/// Prepares the payload of a call.
pub fn prepare(request: &Request<'_>) -> Result<Payload, PayloadError> {
    let mut text = String::new();
    let mut skills = Vec::new();
    let words = redacted(request.words.trim(), request.answers);
    let most = MAX_BODY_CHARS.min(MAX_BODIES_CHARS / request.skills.len().max(1));
    for skill in request.skills {
        let invocable = match request.caller {
            Caller::Person => skill.summary.user_invocable,
            Caller::Model => skill.summary.model_invocable,
        };
        if !invocable {
            let name = skill.summary.name.clone();
            return Err(PayloadError::NotForCaller { name, caller: request.caller });
        }
        skills.push(activate(request, skill, &words, most, &mut text)?);
    }
    for (name, why) in request.missing {
        let note = format!("[not loaded: `{}`: {}]", line(name), line(why));
        let _ = writeln!(text, "{}", harmless(&note));
    }
    for instruction in request.instructions {
        block(&mut text, "bundle_words", &cut_words(instruction));
    }
    if !words.is_empty() {
        let tag = match request.caller {
            Caller::Person => "user_words",
            Caller::Model => "call_arguments",
        };
        block(&mut text, tag, &cut_words(&words));
    }
    Ok(Payload { tokens: token_bound(&text), text, caller: request.caller, words, skills })
}

/// The caller's words without any of the answers, as a text and as arguments.
fn redacted(words: &str, answers: &Answers) -> String {
    let text = answers.redact(words);
    let hides_all = |word: &String| answers.redact(word) == *word;
    if split_arguments(&text).iter().all(hides_all) {
        return text;
    }
    // A value in pieces, such as `abc'def'`: only the arguments show it.
    let words: Vec<String> =
        split_arguments(words).iter().map(|word| answers.redact(word)).collect();
    join_arguments(words.iter().map(String::as_str))
}

/// The words of the person in a payload of [`prepare`]; none when the call came without.
///
/// ```
/// let text = "<skill name=\"a\">…</skill>\n<user_words>\nfix the tests\n</user_words>\n";
/// assert_eq!(hone_router::user_words(text).as_deref(), Some("fix the tests"));
/// assert_eq!(hone_router::user_words("just text"), None);
/// ```
pub fn user_words(payload: &str) -> Option<String> {
    let (_, rest) = payload.rsplit_once("<user_words>\n")?;
    let (words, _) = rest.split_once("\n</user_words>")?;
    let mut found = String::new();
    let mut from = 0;
    for (at, _) in words.match_indices('&').filter(|(at, _)| is_escape(&words[at + 1..])) {
        found.push_str(&words[from..at]);
        let is_less = words[at..].starts_with("&lt;");
        found.push(if is_less { '<' } else { '&' });
        from = at + if is_less { "&lt;".len() } else { "&amp;".len() };
    }
    found.push_str(&words[from..]);
    Some(found)
}

fn activate(
    request: &Request<'_>,
    listed: &Listed,
    words: &str,
    most: usize,
    text: &mut String,
) -> Result<Activated, PayloadError> {
    let name = &listed.summary.name;
    let bytes = read_text(listed)?;
    let reading = hone_skill::read(&bytes, listed.folder().file_name().and_then(|n| n.to_str()));
    let refusal = reading.refusal().map(|diagnostic| diagnostic.message.clone());
    let source = String::from_utf8_lossy(&bytes);
    let Some(skill) = reading.skill else {
        let problem = refusal.unwrap_or_default();
        return Err(PayloadError::Broken { name: name.clone(), problem });
    };
    let folder = (listed.scope != Scope::Builtin).then(|| listed.folder().to_string_lossy());
    let names = argument_names(&skill);
    let variables = Variables {
        folder: folder.as_deref(),
        session: request.session,
        arguments: Some(words),
        names: &names,
    };
    let (body, inline_commands) =
        render(request, listed, source[skill.body.clone()].trim(), &variables);
    let digest = hash(body.as_bytes());
    let mut activated = Activated {
        name: name.clone(),
        path: listed.path.clone(),
        version: skill.version.clone(),
        context: context(&skill),
        tools: skill.allowed_tools.clone(),
        repeated: request.session.is_some() && (request.is_loaded)(listed, &digest),
        hash: digest,
        cut_chars: 0,
        files: list_files(listed)?,
        inline_commands,
    };
    if activated.repeated {
        let name = line(name);
        let note = format!(
            "[the skill `{name}` was loaded earlier in this session and is unchanged: follow it again]"
        );
        let _ = writeln!(text, "{}", harmless(&note));
        return Ok(activated);
    }
    let (kept, cut) = cut(&body, most);
    activated.cut_chars = cut;
    let _ = write!(text, "<skill name=\"{}\"", attribute(name));
    if let Some(version) = &activated.version {
        let _ = write!(text, " version=\"{}\"", attribute(version));
    }
    if let Some(folder) = &folder {
        let _ = write!(text, " folder=\"{}\"", attribute(folder));
    }
    text.push_str(">\n");
    text.push_str(match request.caller {
        Caller::Person => "The user called this skill: follow its instructions.",
        Caller::Model => "You loaded this skill: follow its instructions where they fit the task.",
    });
    text.push_str(match folder {
        Some(_) => " Relative paths in it start at its folder.\n",
        None => "\n",
    });
    requirements(request.needs, listed, text);
    files(&activated.files, text);
    let mut kept = kept.to_owned();
    if cut > 0 {
        let _ = write!(
            kept,
            "\n[cut here: {cut} more characters; `hone view {} --raw` shows all]",
            line(name)
        );
    }
    block(text, "skill_body", &kept);
    text.push_str("</skill>\n");
    Ok(activated)
}

/// The body with its variables filled in and its commands run; and how many of those it has.
fn render(
    request: &Request<'_>,
    listed: &Listed,
    body: &str,
    variables: &Variables<'_>,
) -> (String, usize) {
    // Taken apart as they were typed: neither a quotation mark inside a value nor the blank in what stands
    // for it makes another word.
    let words: Vec<String> =
        split_arguments(request.words).iter().map(|word| request.answers.redact(word)).collect();
    let fill = |text| {
        if request.variables { variables.fill_from(text, &words) } else { Cow::Borrowed(text) }
    };
    let snippets = snippets(body);
    let mut rendered = String::with_capacity(body.len());
    let mut at = 0;
    for (number, snippet) in snippets.iter().enumerate() {
        let command = &body[snippet.command.clone()];
        let result = match request.inline {
            Inline::Off => continue,
            Inline::Run(_) if number >= MAX_INLINE_COMMANDS => {
                Err(InlineError::Denied(format!("a skill may have {MAX_INLINE_COMMANDS} commands")))
            }
            Inline::Run(_) if command.trim().is_empty() => Ok(InlineOutput::default()),
            Inline::Run(runner) => runner.run(&InlineCommand {
                skill: listed.summary.name.clone(),
                allowed_tools: listed.summary.allowed_tools.clone(),
                command: variables.for_shell(command),
                arguments: split_arguments(request.words),
                environment: environment(request, listed, variables),
                folder: variables.folder.map(PathBuf::from),
                timeout: INLINE_TIMEOUT,
                max_chars: MAX_INLINE_CHARS,
            }),
        };
        rendered.push_str(&fill(&body[at..snippet.whole.start]));
        rendered.push_str(&shown(command, result, request.answers));
        at = snippet.whole.end;
    }
    rendered.push_str(&fill(&body[at..]));
    (rendered, snippets.len())
}

/// The values that a skill's own commands get: its variables, and the answers given to it.
fn environment(
    request: &Request<'_>,
    listed: &Listed,
    variables: &Variables<'_>,
) -> Vec<(String, Secret)> {
    // A command gets the words as they were typed: it prints into a text that is redacted.
    let typed = Variables { arguments: Some(request.words.trim()), ..variables.clone() };
    let own = typed.environment().into_iter();
    let own = own.map(|(name, value)| (name.to_owned(), Secret::new(value)));
    let answers = request.answers.of(&listed.path);
    own.chain(answers.map(|(name, value)| (name.to_owned(), value.clone()))).collect()
}

/// The names of a skill's arguments: a list, or words.
pub fn argument_names(skill: &Skill) -> Vec<String> {
    let mut names: Vec<String> = match skill.get("arguments") {
        Some(Value::List(items)) => {
            let names =
                items.iter().filter_map(|item| item.text().or_else(|| item.get("name")?.text()));
            names.map(|name| name.trim().to_owned()).collect()
        }
        Some(other) => {
            let text = other.text().unwrap_or_default();
            let words = text.split([' ', ',', '\n', '\t']).filter(|word| !word.is_empty());
            words.map(str::to_owned).collect()
        }
        None => Vec::new(),
    };
    names.truncate(MAX_ARGUMENT_NAMES);
    names
}

fn context(skill: &Skill) -> Place {
    let is_fork =
        skill.get("context").and_then(Value::text).is_some_and(|text| text.trim() == "fork");
    if is_fork { Place::Fork } else { Place::Inline }
}

fn requirements(needs: &[Need], listed: &Listed, text: &mut String) {
    let own = needs.iter().filter(|need| need.skills.iter().any(|by| by.path == listed.path));
    let mut lines = String::new();
    for need in own {
        let requirement = &need.requirement;
        let _ = write!(
            lines,
            "{} {}: {}",
            requirement.kind.id(),
            line(&requirement.name),
            need.status.id()
        );
        if requirement.optional {
            lines.push_str(", optional");
        }
        if let Some(why) = &requirement.why {
            let _ = write!(lines, " ({})", line(why));
        }
        lines.push('\n');
    }
    if !lines.is_empty() {
        block(text, "skill_requirements", lines.trim_end());
    }
}

fn files(files: &[String], text: &mut String) {
    if files.is_empty() {
        return;
    }
    let named: Vec<String> = files.iter().take(MAX_LISTED_FILES).map(|file| line(file)).collect();
    let mut lines = named.join("\n");
    if files.len() > MAX_LISTED_FILES {
        let _ = write!(lines, "\n({} more)", files.len() - MAX_LISTED_FILES);
    }
    block(text, "skill_files", &lines);
}

fn block(text: &mut String, tag: &str, content: &str) {
    let _ = writeln!(text, "<{tag}>\n{}\n</{tag}>", harmless(content));
}

/// The text without our own tags: `<` in front of one becomes `&lt;`, and what looks like that already
/// gets another `&amp;`, so that [`user_words`] gives back exactly what went in.
fn harmless(text: &str) -> Cow<'_, str> {
    let mut written = String::new();
    let mut from = 0;
    for (at, sign) in text.match_indices(['<', '&']) {
        let rest = &text[at + 1..];
        let escape = match sign {
            "<" if is_tag(rest) => "&lt;",
            "&" if is_escape(rest) => "&amp;",
            _ => continue,
        };
        written.push_str(&text[from..at]);
        written.push_str(escape);
        from = at + 1;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    written.push_str(&text[from..]);
    Cow::Owned(written)
}

/// Whether what follows a `<` is one of our tags.
fn is_tag(rest: &str) -> bool {
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let word = &rest[..rest.bytes().take_while(is_word).count()];
    TAGS.iter().any(|tag| tag.eq_ignore_ascii_case(word))
}

/// Whether what follows a `&` makes it an escaped tag.
fn is_escape(rest: &str) -> bool {
    rest.trim_start_matches("amp;").strip_prefix("lt;").is_some_and(is_tag)
}

/// A value in quotes.
fn attribute(text: &str) -> String {
    line(text)
        .replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

/// One line of plain text.
fn line(text: &str) -> String {
    let visible = hone_skill::visible(text);
    visible.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect()
}

fn cut_words(words: &str) -> String {
    let (kept, cut) = cut(words.trim(), MAX_WORDS_CHARS);
    if cut == 0 { kept.to_owned() } else { format!("{kept}\n[cut here: {cut} more characters]") }
}

/// So many characters of a text, back to the last line end, and how many are left out.
fn cut(text: &str, most: usize) -> (&str, usize) {
    let Some((end, _)) = text.char_indices().nth(most) else { return (text, 0) };
    let end = text[..end].rfind('\n').unwrap_or(end);
    (&text[..end], text[end..].chars().count())
}

//! What a scan says: findings, their severity and flow, the verdict, and what was covered.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Inventory: worth knowing, never a verdict.
    Info,
    /// A person should look: the verdict is at least caution.
    Warn,
    /// The verdict is dangerous.
    Critical,
}

impl Severity {
    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Critical => "critical",
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// What a scan concludes: any critical finding is dangerous, any warning is caution.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// No finding above `info`.
    Safe,
    /// At least one warning.
    Caution,
    /// At least one critical finding.
    Dangerous,
}

impl Verdict {
    /// All verdicts, mildest first.
    pub const ALL: [Self; 3] = [Self::Safe, Self::Caution, Self::Dangerous];

    /// The verdict that a severity leads to.
    pub fn of(severity: Option<Severity>) -> Self {
        match severity {
            Some(Severity::Critical) => Self::Dangerous,
            Some(Severity::Warn) => Self::Caution,
            Some(Severity::Info) | None => Self::Safe,
        }
    }

    /// The word that reports use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Safe => "safe",
            Self::Caution => "caution",
            Self::Dangerous => "dangerous",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.word())
    }
}

/// Where a match stands, which decides whether it can be an instruction at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Context {
    /// A file that an interpreter runs.
    Script,
    /// A fenced or indented code block of a document.
    Fence,
    /// A code span inside prose.
    InlineCode,
    /// A sentence that tells the reader to do something.
    Prose,
    /// Text that a rendered page does not show: comments, invisible markup, hidden characters.
    Hidden,
    /// A value of the frontmatter or of a configuration file.
    Setting,
    /// Quoted, negated, tabulated or labelled as an example of what not to do.
    Mention,
    /// A test's or an evaluation's data that nothing refers to.
    Fixture,
}

impl Context {
    /// Whether a match here can decide a verdict.
    pub fn acts(self) -> bool {
        !matches!(self, Self::Mention | Self::Fixture)
    }

    /// The words that reports use.
    pub fn words(self) -> &'static str {
        match self {
            Self::Script => "script",
            Self::Fence => "code block",
            Self::InlineCode => "inline code",
            Self::Prose => "prose",
            Self::Hidden => "hidden text",
            Self::Setting => "setting",
            Self::Mention => "mention",
            Self::Fixture => "fixture",
        }
    }
}

/// What moves from where to where. Parts that do not apply are absent.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Flow {
    /// What is taken: a secret file, the environment, a remote text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// What is done to it on the way: decoded, packed, encrypted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transform: Option<String>,
    /// Where it ends: a network call, an interpreter, a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sink: Option<String>,
    /// The host or path it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
    /// When it happens, where it is not simply on running.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
}

impl Flow {
    /// A flow from a source to a sink.
    pub fn new(source: impl Into<String>, sink: impl Into<String>) -> Self {
        Self { source: Some(source.into()), sink: Some(sink.into()), ..Self::default() }
    }

    /// The same flow with its destination.
    #[must_use]
    pub fn to(mut self, destination: impl Into<String>) -> Self {
        let destination = destination.into();
        if !destination.is_empty() {
            self.destination = Some(destination);
        }
        self
    }

    /// The same flow with a transform on the way.
    #[must_use]
    pub fn through(mut self, transform: impl Into<String>) -> Self {
        self.transform = Some(transform.into());
        self
    }

    /// The same flow with its trigger.
    #[must_use]
    pub fn when(mut self, trigger: impl Into<String>) -> Self {
        self.trigger = Some(trigger.into());
        self
    }
}

impl fmt::Display for Flow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = [&self.source, &self.transform, &self.sink];
        let mut first = true;
        for step in steps.into_iter().flatten() {
            if !first {
                f.write_str(" → ")?;
            }
            first = false;
            f.write_str(step)?;
        }
        if let Some(destination) = &self.destination {
            write!(f, " ({destination})")?;
        }
        if let Some(trigger) = &self.trigger {
            write!(f, " [{trigger}]")?;
        }
        Ok(())
    }
}

/// One thing found in a skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// The rule's id; `hone scan --explain` tells about it.
    pub rule: String,
    /// How much it matters here.
    pub severity: Severity,
    /// The OWASP Agentic Skills Top 10 code.
    pub category: String,
    /// The file, relative to the skill; members of archives follow a `!`.
    pub file: String,
    /// The line, from 1; 0 when the finding is about the whole file.
    pub line: usize,
    /// The column in characters, from 1; 0 when the finding is about the whole line or file.
    pub column: usize,
    /// Where the match stands.
    pub context: Context,
    /// What was found, in a sentence.
    pub message: String,
    /// The text that was found, control characters made visible, secrets redacted.
    pub evidence: String,
    /// What moves from where to where.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flow: Option<Flow>,
    /// Why that matters.
    pub why: String,
    /// What to do about it.
    pub hint: String,
}

impl Finding {
    /// Its place as a person reads it: file, line and column as far as they are known.
    pub fn place(&self) -> String {
        match (self.line, self.column) {
            (0, _) => self.file.clone(),
            (line, 0) => format!("{}:{line}", self.file),
            (line, column) => format!("{}:{line}:{column}", self.file),
        }
    }
}

/// What a scan looked at, and what it could not.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Coverage {
    /// Files found, members of archives included.
    pub files: usize,
    /// Files whose content was looked at.
    pub scanned: usize,
    /// Bytes looked at, decoded ones included.
    pub bytes: u64,
    /// Pieces of text that were decoded and looked at again.
    pub decoded: usize,
    /// Files that could not be read, decoded or finished; each has a finding.
    pub incomplete: Vec<String>,
}

/// What a skill does, as far as it can be seen: shown, never a verdict.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Inventory {
    /// Hosts that code or instructions reach.
    pub hosts: Vec<String>,
    /// Environment variables that code reads.
    pub environment: Vec<String>,
    /// Programs that shell code runs.
    pub commands: Vec<String>,
    /// Tools that the frontmatter allows.
    pub tools: Vec<String>,
    /// Files that an interpreter can run.
    pub scripts: Vec<String>,
    /// Hooks and commands that run by themselves.
    pub hooks: Vec<String>,
}

/// The result of scanning one skill.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// What follows from the findings.
    pub verdict: Verdict,
    /// Everything found, worst first, then by file and line.
    pub findings: Vec<Finding>,
    /// What was looked at.
    pub coverage: Coverage,
    /// What the skill does.
    pub inventory: Inventory,
    /// SHA-256 over the skill's files, in hexadecimal.
    pub digest: String,
    /// The version of the rules that made this report.
    pub rules: String,
}

impl Report {
    /// Takes findings that a person dismissed out of the report; the verdict follows from the rest.
    #[must_use]
    pub fn set_aside(mut self, is_dismissed: impl Fn(&Finding) -> bool) -> (Self, Vec<Finding>) {
        let (dismissed, findings): (Vec<_>, Vec<_>) =
            self.findings.into_iter().partition(is_dismissed);
        self.verdict = Verdict::of(findings.iter().map(|finding| finding.severity).max());
        self.findings = findings;
        (self, dismissed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dismissed_finding_no_longer_counts_and_is_not_lost() {
        let finding = |rule: &str, severity| Finding {
            rule: rule.to_owned(),
            severity,
            category: String::new(),
            file: String::new(),
            line: 1,
            column: 1,
            context: Context::Prose,
            message: String::new(),
            evidence: String::new(),
            flow: None,
            why: String::new(),
            hint: String::new(),
        };
        let report = Report {
            verdict: Verdict::Dangerous,
            findings: vec![finding("a", Severity::Critical), finding("b", Severity::Warn)],
            coverage: Coverage::default(),
            inventory: Inventory::default(),
            digest: String::new(),
            rules: String::new(),
        };
        let (left, dismissed) = report.clone().set_aside(|finding| finding.rule == "a");
        assert_eq!(
            (left.verdict, left.findings.as_slice()),
            (Verdict::Caution, &report.findings[1..])
        );
        assert_eq!(dismissed, report.findings[..1]);
    }
}

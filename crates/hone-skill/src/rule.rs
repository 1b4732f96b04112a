//! The rules, by name, and how much each matters to whom.

use serde::{Deserialize, Serialize};

use crate::diagnostic::Severity;

/// Whose rules to check against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profile {
    /// The agentskills.io specification, to the letter.
    Spec,
    /// What skill uploads accept: the specification with ASCII names, and no markup in the
    /// description.
    Upload,
    /// What Claude Code reads, its extensions included.
    ClaudeCode,
    /// What Codex reads.
    Codex,
    /// What an MCP skill server may publish (SEP-2640): the specification with ASCII names.
    Mcp,
    /// What hone itself loads.
    Lenient,
}

impl Profile {
    /// All profiles, in the order they are documented.
    pub const ALL: [Self; 6] =
        [Self::Spec, Self::Upload, Self::ClaudeCode, Self::Codex, Self::Mcp, Self::Lenient];

    /// The name used on the command line.
    pub fn id(self) -> &'static str {
        match self {
            Self::Spec => "spec",
            Self::Upload => "upload",
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Mcp => "mcp",
            Self::Lenient => "lenient",
        }
    }

    /// Whether a top-level frontmatter key belongs to this profile's format.
    pub fn knows_key(self, key: &str) -> bool {
        SPEC_KEYS.contains(&key)
            || match self {
                Self::Spec | Self::Upload | Self::Mcp => false,
                Self::ClaudeCode => CLAUDE_CODE_KEYS.contains(&key),
                Self::Codex | Self::Lenient => {
                    CLAUDE_CODE_KEYS.contains(&key) || OTHER_AGENT_KEYS.contains(&key)
                }
            }
    }
}

/// The six keys of the specification.
pub const SPEC_KEYS: [&str; 6] =
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools"];

/// Keys that Claude Code adds.
pub const CLAUDE_CODE_KEYS: [&str; 16] = [
    "when_to_use",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "background",
    "hooks",
    "paths",
    "shell",
    "version",
    "fallback",
];

/// Keys that other agents read at the top level.
pub const OTHER_AGENT_KEYS: [&str; 9] = [
    "platforms",
    "environments",
    "prerequisites",
    "required_environment_variables",
    "required_credential_files",
    "setup",
    "tags",
    "related_skills",
    "author",
];

macro_rules! rules {
    ($($(#[doc = $doc:literal])* $variant:ident = $id:literal,)*) => {
        /// A rule of the format. Its name is stable: scripts may rely on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule { $($(#[doc = $doc])* $variant,)* }

        impl Rule {
            /// All rules, in the order they are documented.
            pub const ALL: &'static [Self] = &[$(Self::$variant,)*];

            /// The rule's stable name.
            pub fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)* }
            }

            /// One sentence that says what the rule asks for.
            pub fn summary(self) -> &'static str {
                match self { $(Self::$variant => concat!($($doc),*).trim_ascii(),)* }
            }
        }
    };
}

rules! {
    /// The file must be UTF-8.
    NotUtf8 = "not-utf8",
    /// The file must not hold a NUL byte.
    NulByte = "nul-byte",
    /// The file must not be larger than the read limit.
    FileTooLarge = "file-too-large",
    /// The file must start with frontmatter between `---` lines.
    NoFrontmatter = "no-frontmatter",
    /// A text file that only holds a path is a link that a checkout did not make.
    LinkPointer = "link-pointer",
    /// The frontmatter must be closed by a `---` line.
    UnclosedFrontmatter = "unclosed-frontmatter",
    /// The frontmatter must not be larger than the parse limit.
    FrontmatterTooLarge = "frontmatter-too-large",
    /// The frontmatter must be a map of keys to values.
    FrontmatterNotMap = "frontmatter-not-map",
    /// The frontmatter must stay within the limits on nesting, values and text.
    YamlLimit = "yaml-limit",
    /// The frontmatter must be YAML.
    YamlSyntax = "yaml-syntax",
    /// A value that holds `: ` or starts with a YAML indicator must be quoted.
    YamlUnquoted = "yaml-unquoted",
    /// YAML must not be indented with tabs.
    TabIndent = "tab-indent",
    /// Anchors, aliases and tags are not part of the format.
    YamlDecoration = "yaml-decoration",
    /// A key must occur once.
    DuplicateKey = "duplicate-key",
    /// A `#` after a blank starts a comment and cuts the value.
    CommentCutsValue = "comment-cuts-value",
    /// Flow style (`[…]`, `{…}`) is YAML, but some readers refuse it.
    FlowStyle = "flow-style",
    /// The file should not start with a byte order mark.
    ByteOrderMark = "byte-order-mark",
    /// Lines that end in CR LF are read as they are.
    CrLf = "crlf",
    /// A carriage return without a line feed is not a line end everywhere.
    LoneCr = "lone-cr",
    /// Nothing may stand before the first `---` line.
    TextBeforeFence = "text-before-fence",
    /// The frontmatter must not stand inside a code block.
    FenceInCodeBlock = "fence-in-code-block",
    /// A `---` line should not end in blanks.
    FenceTrailingBlanks = "fence-trailing-blanks",
    /// The frontmatter is closed by `---`, not `...`.
    FenceDots = "fence-dots",
    /// The closing `---` should end in a line break.
    FenceAtEnd = "fence-at-end",
    /// A key that the profile does not know.
    UnknownKey = "unknown-key",
    /// A key that looks like a misspelt one.
    KeyTypo = "key-typo",
    /// A skill must have a name.
    NameMissing = "name-missing",
    /// The name must be text, not a list or a map.
    NameType = "name-type",
    /// A name that YAML reads as a number or a boolean should be quoted.
    NameNotString = "name-not-string",
    /// A name has at most 64 characters.
    NameTooLong = "name-too-long",
    /// A name is written in lower case.
    NameUppercase = "name-uppercase",
    /// A name has only letters, digits and hyphens.
    NameCharacters = "name-characters",
    /// Hyphens in a name stand single and inside.
    NameHyphens = "name-hyphens",
    /// The name equals the name of its folder.
    NameFolder = "name-folder",
    /// A name outside a-z and 0-9 is refused by some agents.
    NameNonAscii = "name-non-ascii",
    /// The name is reserved by an agent or an operating system.
    NameReserved = "name-reserved",
    /// A name needs at least one letter or digit.
    NameNoSlug = "name-no-slug",
    /// A skill must have a description.
    DescriptionMissing = "description-missing",
    /// The description must be text, not a list or a map.
    DescriptionType = "description-type",
    /// A description that YAML reads as a number or a boolean should be quoted.
    DescriptionNotString = "description-not-string",
    /// A description has at most 1,024 characters.
    DescriptionTooLong = "description-too-long",
    /// Blanks around a description count against its length in some tools.
    DescriptionBlanks = "description-blanks",
    /// Uploads refuse `<` and `>` in a description.
    DescriptionMarkup = "description-markup",
    /// Control characters and bidirectional overrides can deceive a reader.
    HiddenCharacters = "hidden-characters",
    /// Compatibility is a text of 1 to 500 characters.
    Compatibility = "compatibility",
    /// License is a text.
    License = "license",
    /// Metadata is a map.
    MetadataType = "metadata-type",
    /// Metadata maps text to text.
    MetadataValue = "metadata-value",
    /// Metadata keys of the MCP project are reserved.
    MetadataReserved = "metadata-reserved",
    /// Allowed tools are one text, separated by spaces.
    AllowedToolsForm = "allowed-tools-form",
    /// A body should have fewer than 500 lines.
    BodyLong = "body-long",
    /// A SKILL.md should have at most 100,000 characters.
    FileLong = "file-long",
    /// The file is named exactly `SKILL.md`.
    FileName = "file-name",
    /// An MCP host must accept at most 512 files and 16 MiB in a skill.
    FolderTooLarge = "folder-too-large",
}

impl Rule {
    /// How much the rule matters under `profile`; `None` when it does not.
    #[expect(clippy::match_same_arms, reason = "rules stand together by what they are about")]
    pub fn severity(self, profile: Profile) -> Option<Severity> {
        use Profile::{ClaudeCode, Codex, Lenient, Mcp, Spec, Upload};
        use Severity::{Error, Info, Warning};
        let strict = matches!(profile, Spec | Upload | Mcp);
        let by_strictness = |otherwise| Some(if strict { Error } else { otherwise });
        match self {
            Self::NotUtf8
            | Self::NulByte
            | Self::FileTooLarge
            | Self::NoFrontmatter
            | Self::LinkPointer
            | Self::UnclosedFrontmatter
            | Self::FrontmatterTooLarge
            | Self::FrontmatterNotMap
            | Self::YamlLimit
            | Self::DescriptionType => Some(Error),

            // Claude Code drops every field of frontmatter that it cannot parse; Codex puts quotes
            // around a value and tries again.
            Self::YamlUnquoted => match profile {
                Codex | Lenient => Some(Warning),
                _ => Some(Error),
            },
            // No agent takes a file whose first line is not a fence, or that is never closed.
            Self::YamlSyntax
            | Self::TabIndent
            | Self::TextBeforeFence
            | Self::FenceInCodeBlock
            | Self::FenceDots => match profile {
                Lenient => Some(Warning),
                _ => Some(Error),
            },
            Self::YamlDecoration | Self::DuplicateKey => by_strictness(Warning),
            Self::ByteOrderMark => match profile {
                ClaudeCode => Some(Info),
                Lenient => Some(Warning),
                _ => Some(Error),
            },
            Self::CommentCutsValue | Self::LoneCr | Self::KeyTypo | Self::HiddenCharacters => {
                Some(Warning)
            }
            Self::FlowStyle | Self::CrLf | Self::FenceTrailingBlanks | Self::FenceAtEnd => {
                Some(Info)
            }
            Self::UnknownKey => match profile {
                Spec | Upload | Mcp => Some(Error),
                ClaudeCode | Codex | Lenient => Some(Info),
            },

            Self::NameMissing => match profile {
                ClaudeCode | Codex => Some(Info),
                Lenient => Some(Warning),
                _ => Some(Error),
            },
            Self::NameType => match profile {
                ClaudeCode | Lenient => Some(Warning),
                _ => Some(Error),
            },
            Self::NameTooLong => match profile {
                ClaudeCode | Lenient => Some(Warning),
                _ => Some(Error),
            },
            Self::NameUppercase | Self::NameCharacters | Self::NameHyphens => {
                by_strictness(Warning)
            }
            Self::NameFolder => match profile {
                Codex => Some(Info),
                ClaudeCode | Lenient => Some(Warning),
                _ => Some(Error),
            },
            Self::NameNoSlug => by_strictness(Warning),
            Self::NameNonAscii => match profile {
                Upload | Mcp => Some(Error),
                ClaudeCode => None,
                _ => Some(Warning),
            },
            Self::NameNotString | Self::NameReserved | Self::DescriptionNotString => Some(Warning),

            Self::DescriptionMissing => match profile {
                ClaudeCode | Lenient => Some(Warning),
                _ => Some(Error),
            },
            Self::DescriptionTooLong => by_strictness(Warning),
            Self::DescriptionBlanks => strict.then_some(Warning),
            Self::DescriptionMarkup => (profile == Upload).then_some(Warning),

            Self::Compatibility | Self::MetadataType => by_strictness(Warning),
            Self::License => by_strictness(Info),
            Self::MetadataValue => by_strictness(Info),
            Self::MetadataReserved => (profile == Mcp).then_some(Warning),
            Self::AllowedToolsForm => match profile {
                Spec | Upload | Mcp => Some(Error),
                Lenient => Some(Info),
                ClaudeCode | Codex => None,
            },
            Self::BodyLong => Some(Info),
            Self::FileLong => Some(Warning),
            Self::FileName => match profile {
                Spec | Upload | Mcp | Lenient => Some(Warning),
                ClaudeCode | Codex => Some(Error),
            },
            Self::FolderTooLarge => (profile == Mcp).then_some(Warning),
        }
    }
}

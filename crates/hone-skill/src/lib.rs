//! What *is* a skill?
//!
//! A skill is a folder with a `SKILL.md`: YAML frontmatter between `---` lines, then Markdown. This
//! crate reads such a text, says what is wrong with it and where, names it, and edits it without
//! touching what it need not. It is pure: text in, values out, no disk.
//!
//! Reading is lenient with a diagnostic; writing is strict. The contract is agentskills.io; where its
//! reference validator differs from its text, the text counts.
//!
//! ```
//! use hone_skill::{Profile, Severity, read};
//!
//! let reading = read(b"---\nname: My Skill\ndescription: Does things\n---\nSteps\n", Some("my-skill"));
//! let skill = reading.skill.expect("lenient reading");
//! assert_eq!((skill.name.as_str(), skill.slug.as_str()), ("My Skill", "my-skill"));
//!
//! let strict: Vec<_> = reading.diagnostics.iter()
//!     .filter(|d| d.severity(Profile::Spec) == Some(Severity::Error))
//!     .map(|d| (d.rule.id(), d.line, d.column))
//!     .collect();
//! assert_eq!(strict, [("name-uppercase", 2, 7), ("name-characters", 2, 7), ("name-folder", 2, 7)]);
//! ```

mod diagnostic;
mod dismissal;
mod edit;
mod fence;
mod fields;
mod frontmatter;
mod hidden;
pub mod limits;
mod markdown;
mod name;
mod openai;
mod origin;
mod permissions;
mod printable;
mod reader;
mod rule;
mod skill;
mod slug;
mod tools;
mod value;
mod write;
mod yaml;

pub use diagnostic::{Diagnostic, Edit, Severity};
pub use dismissal::Dismissal;
pub use edit::{EditError, Field, apply_edits, fix, set_field};
pub use hidden::{escape_hidden, first_hidden, is_hidden, visible};
pub use markdown::is_costly_markdown;
pub use name::{is_valid_name, name_matches_folder, name_problems};
pub use openai::{OpenAiPolicy, OpenAiTool};
pub use origin::Origin;
pub use permissions::{
    CommandPattern, Extent, MAX_PERMISSION_BYTES, PathPattern, Permission, PermissionError,
    Permissions,
};
pub use printable::{is_forbidden, printable, printable_line};
pub use rule::{CLAUDE_CODE_KEYS, OTHER_AGENT_KEYS, Profile, Rule, SPEC_KEYS};
pub use skill::{DescriptionSource, Reading, Skill, first_prose_line, frontmatter, read};
pub use slug::{NoSlug, Slug, same_name};
pub use tools::split_tools;
pub use value::Value;
pub use write::{FIRST_VERSION, ensure_frontmatter, next_version, set_version, write_problems};
pub use yaml::{beyond_json, yaml_value};

//! Every bound of the format, by name and unit.

/// Longest `name`, in characters (agentskills.io).
pub const MAX_NAME_CHARS: usize = 64;
/// Longest `description`, in characters (agentskills.io).
pub const MAX_DESCRIPTION_CHARS: usize = 1024;
/// Longest `compatibility`, in characters (agentskills.io).
pub const MAX_COMPATIBILITY_CHARS: usize = 500;
/// Longest `SKILL.md` that we write, in characters.
pub const MAX_SKILL_CHARS: usize = 100_000;
/// Largest `SKILL.md` that we read, in bytes.
pub const MAX_READ_BYTES: usize = 1024 * 1024;
/// Largest frontmatter that we parse, in bytes.
pub const MAX_FRONTMATTER_BYTES: usize = 64 * 1024;
/// Deepest nesting of lists and maps in frontmatter.
pub const MAX_YAML_DEPTH: usize = 32;
/// Most YAML nodes in frontmatter, aliases counted as what they stand for.
pub const MAX_YAML_NODES: usize = 10_000;
/// Most bytes of scalar text in frontmatter, aliases counted as what they stand for.
pub const MAX_YAML_TEXT_BYTES: usize = 4 * MAX_FRONTMATTER_BYTES;
/// Most places with hidden characters that are reported one by one.
pub const MAX_HIDDEN_REPORTED: usize = 20;
/// Longest body that agents like to load, in lines (agentskills.io recommends less).
pub const RECOMMENDED_BODY_LINES: usize = 500;

//! The skills inside the binary.

/// A skill that comes with hone.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Builtin {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its `SKILL.md`.
    pub(crate) text: &'static str,
}

/// What stands in place of a folder in the path of a built-in skill.
pub(crate) const BUILTIN_PREFIX: &str = "builtin:";

pub(crate) const BUILTINS: [Builtin; 2] = [
    Builtin { name: "hone", text: include_str!("../skills/hone/SKILL.md") },
    Builtin { name: "skill-authoring", text: include_str!("../skills/skill-authoring/SKILL.md") },
];

/// The text of a built-in skill, by the path that the catalogue gives it.
pub(crate) fn text_of(path: &str) -> Option<&'static str> {
    let name = path.strip_prefix(BUILTIN_PREFIX)?.strip_suffix("/SKILL.md")?;
    BUILTINS.iter().find(|builtin| builtin.name == name).map(|builtin| builtin.text)
}

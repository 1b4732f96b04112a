//! Ways through the tree, in the order of the text.

use super::tree::{
    Command, Compound, CompoundKind, Part, PartKind, Redirect, Script, SimpleCommand, Word,
};

impl Script {
    /// Every simple command in it at any depth: in compound commands, functions, substitutions,
    /// here-documents and words, in the order in which they begin.
    pub fn commands(&self) -> Vec<&SimpleCommand> {
        let mut commands = Vec::new();
        self.gather(&mut commands);
        commands
    }

    fn gather<'s>(&'s self, commands: &mut Vec<&'s SimpleCommand>) {
        let all = self.items.iter().flat_map(|item| &item.pipeline.commands);
        all.for_each(|command| command.gather(commands));
    }
}

impl Command {
    fn gather<'s>(&'s self, commands: &mut Vec<&'s SimpleCommand>) {
        match self {
            Self::Simple(simple) => {
                commands.push(simple);
                gather_all(simple.scripts(), commands);
            }
            Self::Compound(compound) => compound.gather(commands),
        }
    }
}

impl SimpleCommand {
    /// The scripts inside its assignments, words and redirections, not those inside these.
    pub fn scripts(&self) -> Vec<&Script> {
        let mut scripts = Vec::new();
        let values = self.assignments.iter().map(|assignment| &assignment.value);
        values.chain(&self.words).for_each(|word| word.gather(&mut scripts));
        self.redirects.iter().for_each(|redirect| redirect.gather(&mut scripts));
        scripts.sort_by_key(|script| script.span.start);
        scripts
    }
}

impl Compound {
    fn gather<'s>(&'s self, commands: &mut Vec<&'s SimpleCommand>) {
        let words = |words: &'s [Word], commands: &mut Vec<&'s SimpleCommand>| {
            gather_all(words.iter().flat_map(Word::scripts), commands);
        };
        match &self.kind {
            CompoundKind::Subshell(script) | CompoundKind::Group(script) => script.gather(commands),
            CompoundKind::If { branches, otherwise } => {
                for (condition, body) in branches {
                    condition.gather(commands);
                    body.gather(commands);
                }
                gather_all(otherwise, commands);
            }
            CompoundKind::For { words: list, body, .. }
            | CompoundKind::Select { words: list, body, .. } => {
                words(list.as_deref().unwrap_or_default(), commands);
                body.gather(commands);
            }
            CompoundKind::ArithmeticFor { header, body } => {
                gather_all(scripts_of(header), commands);
                body.gather(commands);
            }
            CompoundKind::While { condition, body, .. } => {
                condition.gather(commands);
                body.gather(commands);
            }
            CompoundKind::Case { subject, arms } => {
                words(std::slice::from_ref(subject), commands);
                for arm in arms {
                    words(&arm.patterns, commands);
                    arm.body.gather(commands);
                }
            }
            CompoundKind::Test(list) => words(list, commands),
            CompoundKind::Arithmetic(parts) => {
                gather_all(scripts_of(parts), commands);
            }
            CompoundKind::Function { body, .. } | CompoundKind::Coproc { body } => {
                if let Some(command) = body {
                    command.gather(commands);
                }
            }
        }
        for redirect in &self.redirects {
            let mut scripts = Vec::new();
            redirect.gather(&mut scripts);
            gather_all(scripts, commands);
        }
    }
}

impl Redirect {
    fn gather<'s>(&'s self, scripts: &mut Vec<&'s Script>) {
        self.target.gather(scripts);
        if let Some(heredoc) = self.heredoc() {
            heredoc.body.gather(scripts);
        }
    }
}

impl Word {
    /// The scripts inside it, not those inside these.
    pub fn scripts(&self) -> Vec<&Script> {
        scripts_of(&self.parts)
    }

    fn gather<'s>(&'s self, scripts: &mut Vec<&'s Script>) {
        gather_scripts(&self.parts, scripts);
    }
}

fn gather_all<'s>(
    scripts: impl IntoIterator<Item = &'s Script>,
    commands: &mut Vec<&'s SimpleCommand>,
) {
    for script in scripts {
        script.gather(commands);
    }
}

fn scripts_of(parts: &[Part]) -> Vec<&Script> {
    let mut scripts = Vec::new();
    gather_scripts(parts, &mut scripts);
    scripts
}

fn gather_scripts<'s>(parts: &'s [Part], scripts: &mut Vec<&'s Script>) {
    for part in parts {
        match &part.kind {
            PartKind::CommandSubstitution(script)
            | PartKind::ProcessSubstitution { script, .. } => scripts.push(script),
            PartKind::DoubleQuoted(parts)
            | PartKind::Arithmetic(parts)
            | PartKind::ExtendedGlob(parts) => gather_scripts(parts, scripts),
            PartKind::Brace(words) | PartKind::Array(words) => {
                for word in words {
                    word.gather(scripts);
                }
            }
            PartKind::Parameter(parameter) => {
                for word in parameter.index.iter().chain(&parameter.argument) {
                    word.gather(scripts);
                }
            }
            PartKind::Literal(_)
            | PartKind::SingleQuoted(_)
            | PartKind::AnsiC(_)
            | PartKind::Glob(_)
            | PartKind::Tilde(_) => {}
        }
    }
}

//! Flows through code: one lexer, one table of meanings and one fixed point for Python, JavaScript
//! and TypeScript, Ruby, Perl, PowerShell, batch, PHP, Go and Lua.
//!
//! A value carries what its expression carries; a variable what was assigned to it anywhere in its
//! file; a function what it returns, in every file of the skill; a parameter what any call passes. A
//! few rounds over the statements reach the end, since values only ever gain. It is coarse on
//! purpose: order and branches do not matter, what could meet is taken to meet.

mod lexer;
mod shapes;
mod tables;
mod unit;

use std::collections::HashMap;

use super::Skill;
use super::findings::Findings;
use super::flow::Taint;
use super::kind::Language;
use super::passage::Passage;
use unit::Unit;

/// Rounds over all statements; each passes a value on through one more function at least.
const MAX_ROUNDS: usize = 5;

/// All code of a skill.
#[derive(Default)]
pub(crate) struct Program<'a> {
    units: Vec<Unit<'a>>,
    world: World,
}

/// What files of a skill know of each other.
#[derive(Default)]
pub(super) struct World {
    /// What functions return, by name.
    pub(super) returns: HashMap<String, Taint>,
    /// What functions are called with, by name and position.
    pub(super) calls: HashMap<String, Vec<Taint>>,
    /// Texts of constants, by name.
    pub(super) constants: HashMap<String, Vec<String>>,
    /// Whether anything was gained in this round.
    pub(super) moved: bool,
}

impl<'a> Program<'a> {
    /// Takes in a passage, if it is code.
    pub(crate) fn add(&mut self, passage: &'a Passage<'a>) {
        let code = matches!(
            passage.language,
            Language::Python
                | Language::JavaScript
                | Language::Ruby
                | Language::Perl
                | Language::PowerShell
                | Language::Php
                | Language::Go
                | Language::Lua
                | Language::Braces
                | Language::Batch
        );
        if code {
            self.units.push(Unit::new(passage));
        }
    }

    /// Follows the flows; gives back the shell texts that the code runs.
    pub(crate) fn solve(
        &mut self,
        skill: &Skill<'_>,
        findings: &mut Findings<'_>,
    ) -> Vec<Passage<'a>> {
        for unit in &mut self.units {
            unit.declare(&mut self.world);
        }
        for _ in 0..MAX_ROUNDS {
            self.world.moved = false;
            for unit in &mut self.units {
                unit.round(&mut self.world, None);
            }
            if !self.world.moved {
                break;
            }
        }
        let mut shell = Vec::new();
        for unit in &mut self.units {
            unit.round(&mut self.world, Some((skill, findings)));
            shapes::look(unit, skill, findings);
            shell.append(&mut unit.shell);
        }
        shell
    }
}

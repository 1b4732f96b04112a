//! Where a statement assigns, and to what names: `=` at its top level, loops and blocks that bind, parts
//! that are taken out of a whole.

use std::ops::Range;

use super::{Out, Unit};
use crate::scan::code::World;
use crate::scan::code::lexer::Token;
use crate::scan::kind::Language;

impl Unit<'_> {
    /// `my ($a, $b) = @_`, `my $a = shift`: what a function of Perl is called with.
    pub(super) fn arguments_taken(
        &mut self,
        targets: &[String],
        right: Range<usize>,
        function: Option<usize>,
        world: &mut World,
    ) {
        let (Language::Perl, Some(function)) = (self.passage.language, function) else { return };
        if !matches!(self.name_at(right.start), Some("_" | "shift")) {
            return;
        }
        let one = self.name_at(right.start) == Some("shift");
        let name = self.functions[function].name.clone();
        let calls = world.calls.get(&name).cloned().unwrap_or_default();
        let given = world.given.get(&name).cloned().unwrap_or_default();
        for (at, target) in targets.iter().enumerate() {
            let all = one || targets.len() == 1;
            for (_, taint) in calls.iter().enumerate().filter(|(place, _)| all || *place == at) {
                self.gain(target, taint, world);
            }
            for (_, texts) in
                given.iter().enumerate().filter(|(place, t)| *place == at && !t.is_empty())
            {
                self.may_hold(target, texts, world);
            }
            // An object has what it was made with.
            if target == "self"
                && let Some(made) = world.returns.get("new").cloned()
            {
                self.gain(target, &made, world);
            }
        }
    }

    /// `{ data = f() } = …`: what a part holds unless it is given.
    pub(super) fn default_parts(&mut self, range: Range<usize>, world: &mut World) {
        let Some(open) = range.clone().find(|i| self.is_op(*i, '{')) else { return };
        for item in self.arguments(open) {
            if let Some(equals) = self.assignment(&item)
                && let Some(name) = self.name_at(equals - 1).map(str::to_owned)
            {
                let value = self.value(equals + 1..item.end, world, &mut None, 1);
                self.assign(&name, &value, world);
            }
        }
    }

    pub(super) fn binding(
        &mut self,
        range: &Range<usize>,
        world: &mut World,
        out: &mut Out<'_, '_, '_>,
    ) {
        let word =
            range.clone().find(|i| matches!(self.name_at(*i), Some("in" | "of" | "as" | "range")));
        let Some(word) = word else {
            let value = self.value(range.clone(), world, out, 0);
            // for my $path (glob "…") {: the names before the list, or `$_`.
            if self.passage.language == Language::Perl
                && let Some(open) = range.clone().find(|i| self.is_op(*i, '('))
            {
                let names = self.targets(range.start + 1..open);
                for name in if names.is_empty() { vec!["_".to_owned()] } else { names } {
                    self.assign(&name, &value, world);
                }
            }
            return;
        };
        let (expression, targets) = if self.name_at(word) == Some("as") {
            (range.start + 1..word, word + 1..range.end)
        } else {
            (word + 1..range.end, range.start + 1..word)
        };
        let value = self.value(expression.clone(), world, out, 0);
        let names: Vec<String> = targets
            .clone()
            .filter_map(|i| self.name_at(i).map(str::to_owned))
            .filter(|n| !matches!(n.as_str(), "const" | "let" | "var" | "my" | "await"))
            .collect();
        for name in names {
            self.assign(&name, &value, world);
        }
        // What stands after the binding on the same line: `with a as x, b as y:`, one-line bodies.
        if self.name_at(word) == Some("as") {
            let more = targets.clone().find(|i| self.name_at(*i) == Some("as"));
            if let Some(more) = more {
                let start =
                    targets.clone().find(|i| self.is_op(*i, ',')).map_or(targets.start, |i| i + 1);
                let value = self.value(start..more, world, out, 0);
                if let Some(name) = self.name_at(more + 1).map(str::to_owned) {
                    self.assign(&name, &value, world);
                }
            }
        }
    }

    /// Where a statement assigns at its top level.
    pub(super) fn assignment(&self, range: &Range<usize>) -> Option<usize> {
        let mut at = range.start;
        while at < range.end {
            match &self.tokens[at].token {
                Token::Op('(' | '[' | '{') => at = self.close[at].clamp(at, range.end),
                Token::Op('=') => {
                    let before = at
                        .checked_sub(1)
                        .filter(|i| *i >= range.start)
                        .and_then(|i| self.token(i).cloned());
                    let adjacent = at
                        .checked_sub(1)
                        .is_some_and(|i| self.tokens[i].at() + 1 == self.tokens[at].at());
                    let compares =
                        adjacent && matches!(before, Some(Token::Op('=' | '!' | '<' | '>' | '~')));
                    if !compares
                        && !self.is_op(at + 1, '=')
                        && !self.is_op(at + 1, '>')
                        && !self.is_op(at + 1, '~')
                        && at > range.start
                    {
                        return Some(at);
                    }
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    pub(super) fn targets(&self, range: Range<usize>) -> Vec<String> {
        const WORDS: [&str; 14] = [
            "const", "let", "var", "my", "our", "local", "export", "static", "public", "private",
            "readonly", "final", "global", "await",
        ];
        let mut found = Vec::new();
        let mut at = range.start;
        while at < range.end {
            match &self.tokens[at].token {
                Token::Name(name) if !WORDS.contains(&&**name) => {
                    found.push(name.to_string());
                    // `x: Type =`
                    if self.is_op(at + 1, ':')
                        && !self.is_op(range.start, '{')
                        && !self.is_op(range.start + 1, '{')
                        && self.passage.language != Language::Go
                    {
                        break;
                    }
                }
                // list[0] = …; const [a, b] = … names what it takes apart.
                Token::Op('[')
                    if at > range.start
                        && !self.name_at(at - 1).is_some_and(|word| WORDS.contains(&word)) =>
                {
                    at = self.close[at].clamp(at, range.end);
                }
                _ => {}
            }
            at += 1;
        }
        found
    }
}

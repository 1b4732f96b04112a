//! Calls of Ruby without parentheses, and the names of its blocks. A method that is only named is called,
//! and a block gets what the call before it gives.

use super::calls::Call;
use super::expression::Value;
use super::{Out, Unit};
use crate::scan::code::World;
use crate::scan::flow::Taint;
use crate::scan::kind::Language;

impl Unit<'_> {
    /// What methods do that Ruby calls without parentheses: `c.chr`, `text.reverse`.
    pub(super) fn chained(&self, name: &str) -> Taint {
        match name.rsplit_once('.') {
            Some((_, "chr")) => Taint::decoded("character codes"),
            Some((text, "reverse")) if self.texts.get(text).is_some_and(|t| t.len() == 1) => {
                Taint::decoded("reversal")
            }
            _ => Taint::default(),
        }
    }

    /// `URI("https://…").open.read`: an address is asked, with what is in it.
    pub(super) fn opened(
        &self,
        members: &str,
        value: &mut Value,
        at: usize,
        out: &mut Out<'_, '_, '_>,
    ) {
        let asks = members.split('.').any(|member| matches!(member, "open" | "read"));
        if let Some(address) = value.address().map(str::to_owned).filter(|_| asks) {
            self.to_network(&value.taint, &address, "`open`", at, out);
            value.taint.add(&Taint::remote(address));
        }
        if members.split('.').any(|member| member == "chr") {
            value.taint.add(&Taint::decoded("character codes"));
        }
    }

    /// Ruby calls methods without parentheses: `parts.join`, `report { |body| …`.
    #[expect(clippy::too_many_arguments, reason = "the call and what stands around it")]
    pub(super) fn unparenthesised(
        &mut self,
        callee: &str,
        receiver: &Value,
        at: usize,
        next: usize,
        end: usize,
        value: Value,
        world: &mut World,
    ) -> Value {
        let last = callee.rsplit('.').next().unwrap_or(callee);
        if callee.contains('.') && matches!(last, "join" | "reverse" | "downcase" | "upcase") {
            let call = Call { callee, shown: last, ranges: &[], receiver, at };
            if let Some(texts) = self.folded(&call, &[]) {
                let mut value = Value { texts, folded: true, ..value };
                if last == "reverse" {
                    value.taint.add(&Taint::decoded("reversal"));
                }
                return value;
            }
        }
        if let Some(returned) = world.returns.get(last).cloned() {
            let result = Value { taint: returned, ..Value::default() };
            self.block_parameters(next, end, &result, world);
        }
        value
    }

    /// `{ |f| …`, `do |f| …`: the names of a block get what the call gives.
    pub(super) fn block_parameters(
        &mut self,
        at: usize,
        end: usize,
        result: &Value,
        world: &mut World,
    ) {
        if self.passage.language != Language::Ruby
            || !(self.is_op(at, '{') || self.name_at(at) == Some("do"))
            || !self.is_op(at + 1, '|')
        {
            return;
        }
        let close = (at + 2..end.min(at + 20)).find(|i| self.is_op(*i, '|')).unwrap_or(at + 2);
        let names: Vec<String> =
            (at + 2..close).filter_map(|i| self.name_at(i).map(str::to_owned)).collect();
        for name in names {
            self.assign(&name, result, world);
        }
    }
}

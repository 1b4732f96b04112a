//! What a task may use up: tokens, and money where the price is known.

use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

use super::Usage;
use crate::task::Allowance;

/// What a million tokens cost, in one currency.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prices {
    /// Tokens that go in.
    pub input: f64,
    /// Tokens that come out.
    pub output: f64,
}

impl Prices {
    /// What these tokens cost.
    #[allow(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^52")]
    pub fn cost(self, usage: Usage) -> f64 {
        (usage.input as f64 * self.input + usage.output as f64 * self.output) / 1e6
    }
}

/// A limit of money needs prices to count with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a limit of cost needs to know what tokens cost: set `model.price_in` and `model.price_out`"
)]
pub struct NoPrice;

/// What was used up.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct Spent {
    /// Replies.
    pub replies: u64,
    /// Tokens.
    #[schemars(with = "serde_json::Value")]
    pub usage: Usage,
    /// Money, in the currency of the prices; none when the price is not known, which is not the same as nothing.
    pub cost: Option<f64>,
}

/// A budget that a task, and the agents it asks, use up together. It is looked at before each request,
/// so the last reply may go over it, but nothing is asked after.
#[derive(Debug)]
pub struct Budget {
    max_tokens: Option<u64>,
    max_cost: Option<f64>,
    prices: Option<Prices>,
    spent: Mutex<(u64, Usage)>,
}

impl Budget {
    /// A budget with these limits; none is no limit.
    pub fn new(
        max_tokens: Option<u64>,
        max_cost: Option<f64>,
        prices: Option<Prices>,
    ) -> Result<Self, NoPrice> {
        if max_cost.is_some() && prices.is_none() {
            return Err(NoPrice);
        }
        Ok(Self { max_tokens, max_cost, prices, spent: Mutex::default() })
    }

    /// What was used up so far.
    pub fn spent(&self) -> Spent {
        let (replies, usage) = *self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        Spent { replies, usage, cost: self.prices.map(|prices| prices.cost(usage)) }
    }
}

impl Allowance for Budget {
    fn exhausted(&self) -> Option<String> {
        let spent = self.spent();
        let tokens = spent.usage.input.saturating_add(spent.usage.output);
        if let Some(most) = self.max_tokens.filter(|most| tokens >= *most) {
            return Some(format!("its budget of {most} tokens is used up ({tokens})"));
        }
        let cost = spent.cost?;
        let most = self.max_cost.filter(|most| cost >= *most)?;
        Some(format!("its budget of {most} is used up ({cost:.4})"))
    }

    fn spend(&self, _model: &str, usage: Usage) {
        let mut spent = self.spent.lock().unwrap_or_else(PoisonError::into_inner);
        spent.0 += 1;
        spent.1.add(usage);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64) -> Usage {
        Usage { input, output, is_estimate: false }
    }

    #[test]
    fn a_budget_of_tokens_is_used_up_at_its_limit() {
        let budget = Budget::new(Some(100), None, None).unwrap();
        budget.spend("m", usage(60, 39));
        assert_eq!(budget.exhausted(), None);
        budget.spend("m", usage(1, 0));
        assert_eq!(
            budget.exhausted().as_deref(),
            Some("its budget of 100 tokens is used up (100)")
        );
        assert_eq!(budget.spent(), Spent { replies: 2, usage: usage(61, 39), cost: None });
    }

    #[test]
    fn a_budget_of_money_counts_with_the_prices() {
        let prices = Prices { input: 3.0, output: 15.0 };
        let budget = Budget::new(None, Some(0.018), Some(prices)).unwrap();
        budget.spend("m", usage(1_000, 999));
        assert_eq!(budget.exhausted(), None);
        budget.spend("m", usage(0, 1));
        assert_eq!(budget.exhausted().as_deref(), Some("its budget of 0.018 is used up (0.0180)"));
    }

    #[test]
    fn an_unknown_price_is_unknown_and_no_limit_of_money_can_stand_on_it() {
        assert_eq!(Budget::new(None, Some(1.0), None).unwrap_err(), NoPrice);
        let budget = Budget::new(None, None, None).unwrap();
        budget.spend("m", usage(5, 5));
        assert_eq!(budget.spent().cost, None);
    }

    #[test]
    fn one_estimate_makes_the_sum_an_estimate() {
        let budget = Budget::new(None, None, None).unwrap();
        budget.spend("m", usage(1, 1));
        budget.spend("m", Usage { is_estimate: true, ..usage(1, 1) });
        budget.spend("m", usage(1, 1));
        assert!(budget.spent().usage.is_estimate);
    }
}

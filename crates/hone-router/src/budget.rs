//! What a text may cost a model.

use std::str::FromStr;

/// The window of a model that nobody named, in tokens.
pub const DEFAULT_WINDOW_TOKENS: usize = 200_000;
/// The share of the window that the index may cost, unless somebody says otherwise.
pub const DEFAULT_PERCENT: f64 = 2.0;

/// What a text may cost: so many tokens, or a share of the window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// So many tokens.
    Tokens(usize),
    /// So many per cent of the model's window.
    Percent(f64),
}

/// A budget that is neither tokens nor per cent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a budget is a number of tokens (`4000`) or a share of the window (`2%`)")]
pub struct NotABudget;

impl Budget {
    /// The tokens that it comes to in a window of that size, rounded down.
    ///
    /// ```
    /// use hone_router::Budget;
    ///
    /// assert_eq!("2%".parse::<Budget>()?.tokens(128_000), 2_560);
    /// assert_eq!("4000".parse::<Budget>()?.tokens(128_000), 4_000);
    /// # Ok::<(), hone_router::NotABudget>(())
    /// ```
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        clippy::cast_sign_loss,
        reason = "between 0 and the window, which fits"
    )]
    pub fn tokens(self, window: usize) -> usize {
        match self {
            Self::Tokens(tokens) => tokens,
            Self::Percent(percent) => (window as f64 * percent / 100.0) as usize,
        }
    }
}

impl FromStr for Budget {
    type Err = NotABudget;

    fn from_str(text: &str) -> Result<Self, NotABudget> {
        let text = text.trim();
        let Some(percent) = text.strip_suffix('%') else {
            return text.parse().map(Self::Tokens).map_err(|_| NotABudget);
        };
        let percent: f64 = percent.trim().parse().map_err(|_| NotABudget)?;
        if (0.0..=100.0).contains(&percent) { Ok(Self::Percent(percent)) } else { Err(NotABudget) }
    }
}

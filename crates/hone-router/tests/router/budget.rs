//! What a text costs and may cost.

use hone_router::{Budget, NotABudget, token_bound};

#[test]
fn lines_cost_what_they_cost_apart() {
    let (a, b) = ("▸ tidy: Tidies 100 things\n", "▸ deploy: Ships it!\n");
    assert_eq!(token_bound(&format!("{a}{b}")), token_bound(a) + token_bound(b));
}

#[test]
fn a_budget_is_tokens_or_a_share_of_the_window() {
    assert_eq!("4000".parse(), Ok(Budget::Tokens(4_000)));
    assert_eq!("2%".parse::<Budget>().unwrap().tokens(200_000), 4_000);
    assert_eq!("0.5 %".parse::<Budget>().unwrap().tokens(1_000), 5);
    assert_eq!("100%".parse::<Budget>().unwrap().tokens(1_000), 1_000);
    for wrong in ["", "many", "-1", "101%", "-1%", "NaN%", "inf%", "2%%", "1e3"] {
        assert_eq!(wrong.parse::<Budget>(), Err(NotABudget), "{wrong}");
    }
}

//! Products of what PowerShell can read, send, fetch, decode, run and leave behind: each must be
//! blocked, and its harmless twin must not.

mod products;

fn check(title: &str) {
    products::check(include_str!("products/powershell.products"), title, "scripts/run.ps1", "\n");
}

#[test]
fn what_is_read_is_followed_to_the_network() {
    check("what is read reaches the network");
}

#[test]
fn what_is_fetched_or_decoded_is_followed_to_where_it_runs() {
    check("what is fetched or decoded is run");
}

#[test]
fn what_is_left_or_taken_away_is_seen() {
    check("something is left to start again, or protection is taken away");
}

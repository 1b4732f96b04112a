//! Products of what a batch file can read, send, fetch, decode, run and leave behind: each must be
//! blocked, and its harmless twin must not.

mod products;

fn check(title: &str) {
    products::check(include_str!("products/batch.products"), title, "scripts/run.bat", "\r\n");
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
fn what_is_left_lost_or_opened_is_seen() {
    check("something is left, lost or opened");
}

#[test]
fn passwords_and_accounts_of_the_machine_are_followed_to_the_network() {
    check("passwords of the machine reach the network");
    check("accounts of the machine reach the network");
}

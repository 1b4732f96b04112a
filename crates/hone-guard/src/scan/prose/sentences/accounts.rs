//! Numbers of accounts and cards and addresses of wallets, told by their form. Digests and identifiers of
//! the same length are none.

/// Longest address of a wallet.
const MAX_WALLET: usize = 62;

/// The forms of wallets' addresses, in lower case: `bc1…`, and base58, which no digest looks like.
fn is_wallet(run: &[u8]) -> bool {
    const SHORTEST: usize = 26;
    const BASE58: usize = 44;
    if run.len() < SHORTEST {
        return false;
    }
    let digits = run.iter().filter(|b| b.is_ascii_digit()).count();
    let beyond_hex = run.iter().filter(|b| (b'g'..=b'z').contains(*b)).count();
    digits >= 4
        && beyond_hex >= 4
        && (run.starts_with(b"bc1") || run.starts_with(b"ltc1") || run.len() <= BASE58)
}

/// The bytes of an account number or a wallet's address at the start of a text: an IBAN, written
/// together or in groups, `0x` and forty digits, or another form of [`is_wallet`].
pub(super) fn account(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    if text.starts_with("0x")
        && bytes.iter().skip(2).take_while(|b| b.is_ascii_hexdigit()).count() == 40
    {
        return Some(42);
    }
    let run = bytes.iter().take(MAX_WALLET + 1).take_while(|b| b.is_ascii_alphanumeric()).count();
    if run <= MAX_WALLET && is_wallet(&bytes[..run]) {
        return Some(run);
    }
    // A card's number, in four groups of four digits.
    let card = bytes.len() >= 19
        && bytes[..19]
            .iter()
            .enumerate()
            .all(|(at, b)| if at % 5 == 4 { matches!(b, b' ' | b'-') } else { b.is_ascii_digit() });
    if card {
        return Some(19);
    }
    if !(bytes.len() > 14
        && bytes[0].is_ascii_alphabetic()
        && bytes[1].is_ascii_alphabetic()
        && bytes[2].is_ascii_digit()
        && bytes[3].is_ascii_digit())
    {
        return None;
    }
    let (mut count, mut digits, mut at) = (4, 2, 4);
    while at < bytes.len() && count < 34 {
        match bytes[at] {
            b' ' if bytes.get(at + 1).is_some_and(u8::is_ascii_digit) => {}
            b'0'..=b'9' => {
                count += 1;
                digits += 1;
            }
            b'a'..=b'z' if bytes[at - 1] != b' ' => count += 1,
            _ => break,
        }
        at += 1;
    }
    (count >= 15 && digits >= 12).then_some(at)
}

/// Digits of the number of an account at Amazon.
const CLOUD_DIGITS: usize = 12;

/// The bytes of an account of a cloud that is given by its number: `account 558210947736`,
/// `arn:aws:iam::558210947736:root`. Numbers that documentation is written with are nobody's.
pub(super) fn cloud_account(text: &str, at: usize) -> Option<usize> {
    #[rustfmt::skip]
    const SAMPLES: [&str; 8] = [
        "123456789012", "111122223333", "444455556666", "210987654321", "012345678901", "098765432109", "777788889999", "123412341234",
    ];
    let digits = text.as_bytes()[at..].iter().take_while(|b| b.is_ascii_digit()).count();
    if digits != CLOUD_DIGITS {
        return None;
    }
    let number = &text[at..at + digits];
    let first = &number[..1];
    let before = text[..at].trim_end_matches([' ', '`', '"', '(', '#', ':']);
    let named = [
        "account",
        "account id",
        "account number",
        "konto",
        "cuenta",
        "compte",
        "arn:aws:iam",
        "arn:aws:sts",
        "账户",
        "账号",
    ]
    .iter()
    .any(|word| before.ends_with(word));
    (named && !SAMPLES.contains(&number) && number != first.repeat(CLOUD_DIGITS)).then_some(digits)
}

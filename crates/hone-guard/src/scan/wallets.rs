//! Wallets that a script gives away: the right to move all tokens of somebody, or a payment, for an address
//! that stands in the script and that no document of the skill names. A person who signs sees a mint or a
//! swap; what is signed is the address.

use super::Skill;
use super::finding::{Context, Flow, Severity};
use super::findings::{Findings, Match};
use super::passage::Passage;
use super::rules;
use super::text::floor;

/// Addresses of one script that are looked at, and calls.
const MAX_ADDRESSES: usize = 64;
const MAX_CALLS: usize = 64;

/// Bytes around a call in which its arguments stand.
const MAX_AROUND: usize = 240;

/// Calls that let somebody move tokens.
const APPROVES: [&str; 6] = [
    "setApprovalForAll",
    "set_approval_for_all",
    "increaseAllowance",
    "increase_allowance",
    "createApproveInstruction",
    "approve",
];

/// Ways to write that there is no limit.
const UNLIMITED: [&str; 14] = [
    "maxuint256",
    "max_uint256",
    "uint256.max",
    "type(uint256).max",
    "2**256",
    "2 ** 256",
    "max_uint",
    "maxuint",
    "ethers.constants.max",
    "0xffffffffffffffff",
    "u64::max",
    "u64max",
    "2n**256n",
    "1 << 256",
];

/// Calls that pay.
const PAYS: [&str; 8] = [
    "sendTransaction",
    "send_transaction",
    "send_raw_transaction",
    "sign_transaction",
    "SystemProgram.transfer",
    "createTransferInstruction",
    "transfer_checked",
    "sendAndConfirmTransaction",
];

/// What the recipient of a payment is called.
const TO: [&str; 10] = [
    "to:",
    "to :",
    "'to':",
    "\"to\":",
    "topubkey:",
    "to_pubkey=",
    "to=",
    "destination:",
    "recipient:",
    "dest=",
];

/// Contracts that most traders give such a right to: Permit2, routers of the large exchanges.
const KNOWN: [&str; 8] = [
    "0x000000000022d473030f116ddee9f6b43ac78ba3",
    "0x7a250d5630b4cf539739df2c5dacb4c659f2488d",
    "0xe592427a0aece92de3edee1f18e0157c05861564",
    "0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45",
    "0x1111111254eeb25477b68fb85ed929f73a960582",
    "0x111111125421ca6dc452d289314280a0f8842a65",
    "0xdef1c0ded9bec7f1a1670819833240f027b25eff",
    "0x10ed43c718714eb63d5aa57b78b54704e256024e",
];

/// An address that is written in a script, and the name that it is kept under.
struct Fixed<'t> {
    address: &'t str,
    name: &'t str,
}

/// Looks at one script.
pub(crate) fn look(passage: &Passage<'_>, skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let text: &str = &passage.text;
    if passage.context != Context::Script
        || !passage.language.runs()
        || !APPROVES.iter().chain(&PAYS).any(|call| text.contains(call))
    {
        return;
    }
    let fixed: Vec<Fixed<'_>> = written(text)
        .take(MAX_ADDRESSES)
        .filter(|fixed| {
            let lower = fixed.address.to_ascii_lowercase();
            !KNOWN.contains(&lower.as_str()) && !skill.mentions(&lower)
        })
        .collect();
    if fixed.is_empty() {
        return;
    }
    let mut calls = 0;
    for (calls_of, approves) in [(&APPROVES[..], true), (&PAYS[..], false)] {
        for call in calls_of {
            for (at, _) in text.match_indices(call) {
                calls += 1;
                if calls > MAX_CALLS {
                    return;
                }
                let from = if approves { at } else { at.saturating_sub(MAX_AROUND) };
                let around = &text[floor(text, from)..floor(text, at + call.len() + MAX_AROUND)];
                let given = fixed.iter().find(|fixed| {
                    if approves { is_given(around, fixed, call) } else { is_paid(around, fixed) }
                });
                let Some(given) = given else { continue };
                let (what, message) = if approves {
                    ("all tokens of the wallet", "the right to move all tokens is given to")
                } else {
                    ("money of the wallet", "a payment goes to")
                };
                let message =
                    format!("{message} the address `{}`, which no document names", given.address);
                let flow = Flow::new(what, format!("`{call}`")).to(given.address.to_owned());
                let found = Match::new(&rules::CREDENTIAL_WRITE, Severity::Warn, message);
                findings.add(passage, at..at + call.len(), found.with(flow));
                return;
            }
        }
    }
}

/// Whether a call gives the address a right without a limit.
fn is_given(around: &str, fixed: &Fixed<'_>, call: &str) -> bool {
    let lower = around.to_ascii_lowercase();
    let unlimited = UNLIMITED.iter().any(|mark| lower.contains(mark))
        || call.to_ascii_lowercase().contains("forall")
        || call.contains("for_all");
    unlimited && names(around, fixed)
}

/// Whether the address is the recipient of a payment.
fn is_paid(around: &str, fixed: &Fixed<'_>) -> bool {
    // `toPubkey: new PublicKey(NAME)`
    const BETWEEN: usize = 24;
    let lower = around.to_ascii_lowercase();
    TO.iter().any(|to| {
        lower.match_indices(to).any(|(at, _)| {
            let starts = !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
            let from = at + to.len();
            let end = floor(around, from + BETWEEN + fixed.address.len());
            starts && around.get(from..end).is_some_and(|value| names(value, fixed))
        })
    })
}

/// Whether a text holds the address, or its name as a word.
fn names(text: &str, fixed: &Fixed<'_>) -> bool {
    text.contains(fixed.address)
        || fixed.name.len() > 1
            && text.match_indices(fixed.name).any(|(at, _)| {
                let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
                !text[..at].ends_with(is_part)
                    && !text[at + fixed.name.len()..].starts_with(is_part)
            })
}

/// The addresses of wallets between quotation marks, each with the name that it is assigned to.
fn written(text: &str) -> impl Iterator<Item = Fixed<'_>> {
    text.match_indices(['"', '\'', '`']).filter_map(|(at, quote)| {
        const LONGEST: usize = 48;
        let inside = &text[at + 1..floor(text, at + 1 + LONGEST)];
        let address = &inside[..inside.find(quote)?];
        is_address(address).then(|| Fixed { address, name: assigned(&text[..at]) })
    })
}

/// `0x` and forty digits, or base58 as Solana writes it.
fn is_address(text: &str) -> bool {
    let hex = text
        .strip_prefix("0x")
        .is_some_and(|digits| digits.len() == 40 && digits.bytes().all(|b| b.is_ascii_hexdigit()));
    let base58 = (32..=44).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() && !b"0OIl".contains(&b))
        && text.bytes().any(|b| b.is_ascii_digit())
        && text.bytes().any(|b| b.is_ascii_uppercase())
        && text.bytes().any(|b| b.is_ascii_lowercase());
    hex || base58
}

/// The name before the `=` or `:` that a text ends with; what makes a key of the address may stand between.
fn assigned(before: &str) -> &str {
    let line = before.rsplit('\n').next().unwrap_or(before);
    let Some((left, _)) = line.rsplit_once(['=', ':']) else { return "" };
    let left = left.trim_end().trim_end_matches([':', '"', '\'']);
    // `const NAME: Address = …`
    let left = left.split_once(": ").map_or(left, |(name, _)| name).trim_end();
    left.rsplit(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default()
}

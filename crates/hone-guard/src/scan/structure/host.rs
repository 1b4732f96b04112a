//! Hosts that look like others: letters of several scripts in one label, or a whole label of
//! look-alikes of a known name. An ordinary international name is fine.

use super::is_known;
use crate::scan::destination::{addresses, host};
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, MAX_PER_RULE_AND_FILE, Match};
use crate::scan::rules;
use crate::scan::text::{Text, latin_twin};

/// Endings that make a bare name a host.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "com", "org", "net", "io", "dev", "app", "ai", "sh", "rs", "co", "ru", "cc", "xyz", "site",
    "me", "cloud", "tech", "info", "cn", "uk", "de", "eu", "gg", "so", "to", "us",
];

pub(super) fn look(file: usize, text: &Text, context: Context, findings: &mut Findings<'_>) {
    let original = &text.original;
    if original.is_ascii() && !original.contains("xn--") {
        return;
    }
    let mut told = 0;
    let mut say = |at: usize, shown: &str, plain: &str| {
        told += 1;
        if told > MAX_PER_RULE_AND_FILE {
            return;
        }
        findings.add_at(
            file,
            text.position_of_source(at),
            context,
            shown,
            Match::new(
                &rules::CONFUSABLE_HOST,
                Severity::Warn,
                format!("the host looks like `{plain}` and is another"),
            ),
        );
    };
    let mut done = 0;
    for address in addresses(original) {
        if let Some(plain) = host(address.url).and_then(|host| looks_like(&host)) {
            say(address.range.start, address.url, &plain);
        }
    }
    // Hosts without a scheme: `git@…:x`, `host: …`.
    for word in original.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '-'))) {
        let at = word.as_ptr() as usize - original.as_ptr() as usize;
        let is_host = !word.is_ascii()
            && word.len() < 100
            && word.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending));
        if is_host && let Some(plain) = looks_like(word) {
            say(at, word, &plain);
        }
        done += 1;
        if done > MAX_WORDS {
            break;
        }
    }
}

/// Words of one text that are looked at as bare hosts.
const MAX_WORDS: usize = 5_000_000;

/// What a host looks like, if it is not that.
fn looks_like(host: &str) -> Option<String> {
    let mut mixed = false;
    let mut all_twins = false;
    let labels: Vec<String> = host
        .split('.')
        .map(|label| {
            let label =
                label.strip_prefix("xn--").and_then(punycode).unwrap_or_else(|| label.to_owned());
            let latin = label.chars().any(|c| c.is_ascii_alphabetic());
            let twin = |c: char| !c.is_ascii() && latin_twin(c).is_some() && !is_latin(c);
            let foreign = label.chars().any(twin);
            mixed |= latin && foreign;
            all_twins |= foreign && label.chars().all(|c| twin(c) || matches!(c, '-' | '0'..='9'));
            label.chars().map(|c| latin_twin(c).unwrap_or(c)).collect()
        })
        .collect();
    let plain = labels.join(".");
    (mixed || all_twins && is_known(&plain)).then_some(plain)
}

fn is_latin(c: char) -> bool {
    matches!(c, '\u{00C0}'..='\u{024F}')
}

/// Decodes a label of an international name (RFC 3492).
fn punycode(label: &str) -> Option<String> {
    const BASE: u32 = 36;
    const MAX_LABEL: usize = 63;
    if label.len() > MAX_LABEL {
        return None;
    }
    let (basic, extended) = label.rsplit_once('-').unwrap_or(("", label));
    let mut output: Vec<char> = basic.chars().collect();
    let (mut n, mut i, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = extended.bytes();
    while let Some(mut byte) = digits.next() {
        let old = i;
        let (mut weight, mut k) = (1_u32, BASE);
        loop {
            let digit = match byte {
                b'a'..=b'z' => byte - b'a',
                b'A'..=b'Z' => byte - b'A',
                b'0'..=b'9' => byte - b'0' + 26,
                _ => return None,
            };
            i = i.checked_add(u32::from(digit).checked_mul(weight)?)?;
            let threshold = if k <= bias { 1 } else { (k - bias).min(26) };
            if u32::from(digit) < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            k += BASE;
            byte = digits.next()?;
        }
        let length = u32::try_from(output.len()).ok()? + 1;
        let mut delta = if old == 0 { (i - old) / 700 } else { (i - old) / 2 };
        delta += delta / length;
        let mut steps = 0;
        while delta > 455 {
            delta /= 35;
            steps += BASE;
        }
        bias = steps + 36 * delta / (delta + 38);
        n = n.checked_add(i / length)?;
        i %= length;
        output.insert(i as usize, char::from_u32(n)?);
        i += 1;
    }
    Some(output.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_told_from_international_names() {
        assert_eq!(looks_like("аpi.github.com").as_deref(), Some("api.github.com"));
        assert_eq!(looks_like("nоdejs.org").as_deref(), Some("nodejs.org"));
        assert_eq!(looks_like("xn--ndejs-jye.org").as_deref(), Some("nodejs.org"));
        for host in [
            "пример.рф",
            "bücher.example",
            "例え.jp",
            "github.com",
            "xn--bcher-kva.example",
            "xn--e1afmkfd.xn--p1ai",
            "münchen.de",
        ] {
            assert_eq!(looks_like(host), None, "{host}");
        }
    }
}

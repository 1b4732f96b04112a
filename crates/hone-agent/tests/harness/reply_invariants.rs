//! What holds for the reading of every reply, shared by the fuzz target and the bounded test.

use hone_agent::reply::{MAX_REPLY_BYTES, Said, Unreadable, read};

/// Reads a reply.
///
/// # Panics
///
/// When an invariant does not hold.
pub(crate) fn check(text: &str) {
    let reading = read(text);
    if let Said::Answer(answer) = &reading.said {
        let at = answer.as_ptr() as usize - text.as_ptr() as usize;
        assert_eq!(&text[at..at + answer.len()], *answer, "an answer is a piece of the reply");
        assert!(answer.starts_with('{') && answer.ends_with('}'), "{answer}");
    }
    let is_long = text.len() > MAX_REPLY_BYTES;
    let is_refused = matches!(&reading.said, Said::Unreadable(Unreadable::TooLong));
    assert_eq!(is_long, is_refused, "too long is refused, and only that as too long");
    assert_eq!(read(text), reading, "the same reply gives the same reading");
}

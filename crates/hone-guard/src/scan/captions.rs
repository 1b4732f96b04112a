//! Texts inside pictures that no viewer shows: the text chunks of PNG, the comments and the data about the
//! picture of JPEG. An agent that looks at a picture's metadata reads them like any other text.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;

use super::bundle::Member;
use super::finding::Context;
use super::kind::{Kind, Language};
use super::passage::{Passage, Place};
use super::text::Text;

/// Bytes of text of one picture that are read, unpacked.
pub(crate) const MAX_CAPTIONS: usize = 256 * 1024;

/// Bytes of a run of letters in binary data that may be a sentence.
const MIN_RUN: usize = 20;

/// The texts of a picture.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Captions {
    /// Each with how it was packed, if it was.
    texts: Vec<(String, Option<&'static str>)>,
    /// Whether there are more than are read.
    pub(crate) is_cut: bool,
    bytes: usize,
}

impl Captions {
    /// Reads a file, if it is a picture.
    pub(crate) fn of(member: &Member) -> Self {
        let mut captions = Self::default();
        match member.kind {
            Kind::Media("PNG picture") => captions.png(&member.bytes),
            Kind::Media("JPEG picture") => captions.jpeg(&member.bytes),
            _ => {}
        }
        captions
    }

    /// The texts as passages that nobody sees.
    pub(crate) fn passages<'a>(self, file: usize) -> impl Iterator<Item = Passage<'a>> {
        self.texts.into_iter().map(move |(text, how)| Passage {
            file,
            language: Language::Markdown,
            context: Context::Hidden,
            text: Cow::Owned(Text::from_string(text).plain),
            place: Place::Fixed { line: 1, column: 1 },
            headings: Cow::Borrowed(""),
            lead: Cow::Borrowed(""),
            decoded: how.map(str::to_owned),
        })
    }

    /// Chunks: a length, a name of four letters, the content, a checksum.
    fn png(&mut self, bytes: &[u8]) {
        let mut rest = bytes.get(8..).unwrap_or_default();
        while let [a, b, c, d, after @ ..] = rest {
            let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
            let (Some(name), Some(content)) = (after.get(..4), after.get(4..)) else { return };
            let content = &content[..length.min(content.len())];
            self.chunk(name, content);
            rest = after.get(4 + length + 4..).unwrap_or_default();
        }
    }

    fn chunk(&mut self, name: &[u8], content: &[u8]) {
        let Some(key) = content.iter().position(|b| *b == 0) else { return };
        let text = &content[key + 1..];
        match name {
            b"tEXt" => self.add(text, None),
            b"zTXt" => self.unpack(text.get(1..).unwrap_or_default()),
            // Whether it is packed, how, its language, the name of the chunk in that language.
            b"iTXt" => {
                let Some([packed, _, names @ ..]) = text.get(..) else { return };
                let mut ends = names.iter().enumerate().filter(|(_, b)| **b == 0).skip(1);
                let Some((end, _)) = ends.next() else { return };
                match packed {
                    0 => self.add(&names[end + 1..], None),
                    _ => self.unpack(&names[end + 1..]),
                }
            }
            _ => {}
        }
    }

    /// Segments: a mark, a length that counts itself, the content; the picture follows the last.
    fn jpeg(&mut self, bytes: &[u8]) {
        const COMMENT: u8 = 0xFE;
        const ABOUT: u8 = 0xE1;
        const PICTURE: u8 = 0xDA;
        let mut rest = bytes.get(2..).unwrap_or_default();
        while let [0xFF, mark, high, low, after @ ..] = rest {
            let length = usize::from(u16::from_be_bytes([*high, *low]).saturating_sub(2));
            let content = &after[..length.min(after.len())];
            match *mark {
                PICTURE => return,
                COMMENT => self.add(content, None),
                ABOUT => runs(content).for_each(|run| self.add(run, None)),
                _ => {}
            }
            rest = &after[content.len()..];
        }
    }

    fn unpack(&mut self, packed: &[u8]) {
        let room = MAX_CAPTIONS - self.bytes;
        let mut text = Vec::new();
        // What is broken half-way is read as far as it goes.
        let _ = ZlibDecoder::new(packed).take(room as u64 + 1).read_to_end(&mut text);
        self.add(&text, Some("a packed text of a picture"));
    }

    fn add(&mut self, text: &[u8], how: Option<&'static str>) {
        let room = MAX_CAPTIONS - self.bytes;
        self.is_cut |= text.len() > room;
        let text = &text[..text.len().min(room)];
        self.bytes += text.len();
        if text.len() >= MIN_RUN {
            self.texts.push((String::from_utf8_lossy(text).into_owned(), how));
        }
    }
}

/// Stretches of binary data that are letters.
fn runs(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|b| *b < b' ' && !matches!(b, b'\n' | b'\r' | b'\t') || *b == 0x7F)
        .filter(|run| run.len() >= MIN_RUN)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn png(name: &[u8], content: &[u8]) -> Vec<u8> {
        let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
        bytes.extend(u32::try_from(content.len()).unwrap().to_be_bytes());
        bytes.extend(name);
        bytes.extend(content);
        bytes.extend([0; 4]);
        bytes
    }

    fn packed(text: &[u8]) -> Vec<u8> {
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(text).unwrap();
        packed.finish().unwrap()
    }

    fn read(bytes: &[u8]) -> Captions {
        let mut captions = Captions::default();
        if bytes.starts_with(b"\x89PNG") {
            captions.png(bytes);
        } else {
            captions.jpeg(bytes);
        }
        captions
    }

    const SAID: &str = "a text of more than twenty bytes";

    #[test]
    fn texts_of_each_kind_of_chunk_and_segment_are_read() {
        let said = SAID.as_bytes();
        let small = packed(said);
        let segment = |mark: u8, content: &[u8]| {
            let length = u16::try_from(content.len() + 2).unwrap().to_be_bytes();
            [&[0xFF, 0xD8, 0xFF, mark][..], &length, content].concat()
        };
        for bytes in [
            png(b"tEXt", &[b"Comment\0", said].concat()),
            png(b"zTXt", &[b"Comment\0\0", &small[..]].concat()),
            png(b"iTXt", &[b"Comment\0\0\0en\0\0", said].concat()),
            png(b"iTXt", &[b"Comment\0\x01\0en\0\0", &small[..]].concat()),
            segment(0xFE, said),
            segment(0xE1, &[b"Exif\0\0II*\0\x01\x02", said, b"\0"].concat()),
        ] {
            let captions = read(&bytes);
            let texts: Vec<&str> = captions.texts.iter().map(|(text, _)| text.as_str()).collect();
            assert_eq!((texts, captions.is_cut), (vec![SAID], false));
        }
    }

    #[test]
    fn as_much_text_is_read_as_the_bound_says() {
        for (length, cut) in [(MAX_CAPTIONS, false), (MAX_CAPTIONS + 1, true)] {
            let text = vec![b'a'; length];
            for bytes in [
                png(b"tEXt", &[b"k\0", &text[..]].concat()),
                png(b"zTXt", &[b"k\0\0", &packed(&text)[..]].concat()),
            ] {
                let captions = read(&bytes);
                assert_eq!((captions.bytes, captions.is_cut), (MAX_CAPTIONS, cut));
            }
        }
    }

    #[test]
    fn broken_pictures_are_read_as_far_as_they_go() {
        let whole = png(b"tEXt", &[b"Comment\0", SAID.as_bytes()].concat());
        for end in 0..whole.len() {
            read(&whole[..end]);
        }
        read(&png(b"iTXt", b"k\0\0"));
        read(&png(b"zTXt", b"k\0"));
        read(&[0xFF, 0xD8, 0xFF, 0xFE, 0, 0]);
        read(&[0xFF, 0xD8, 0xFF, 0xFE, 0xFF, 0xFF, 1]);
    }
}

//! Sentences as sequences of concepts.
//!
//! A text is cut into sentences; of each only the words that mean something here are kept, with
//! their place and their distance in words. Addresses, paths, e-mail addresses and code spans become
//! words of their own kind. What stands in quotation marks is marked, since quoting is not ordering.

mod accounts;
mod forms;
mod quotes;
mod relations;

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::grammar::{Roots, Word, is_left_undone, is_proviso, stems_at};
use super::lexicon::{Concept, LEXICON, Set, is_unspaced};
use super::scope::is_document;
use super::traditional::simplified;
use crate::scan::destination::{self, Class};
use accounts::{account, cloud_account};
use forms::{by_form, by_name, is_of_path, is_plain_words, is_skip_flag};
use quotes::{Quote, quotes};
use relations::{forbids_to_order, hush, relate};

/// A word or phrase that means something here.
#[derive(Debug, Clone)]
pub(crate) struct Token {
    pub(crate) set: Set,
    /// Its place in words from the start of the text; two characters of Chinese count as one word.
    pub(crate) at: usize,
    /// Its bytes in the text.
    pub(crate) range: Range<usize>,
    pub(crate) quoted: bool,
}

/// A sentence.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sentence {
    pub(crate) tokens: Vec<Token>,
    /// Stems that stand in it as they are, not quoted.
    pub(crate) words: Vec<Word>,
    /// What they mean, all together.
    pub(crate) roots: Roots,
    /// Where its commas stand.
    pub(crate) commas: Vec<usize>,
    pub(crate) range: Range<usize>,
}

impl Sentence {
    /// Every concept of the sentence that is not quoted.
    pub(crate) fn set(&self) -> Set {
        self.tokens
            .iter()
            .filter(|token| !token.quoted)
            .fold(Set::NONE, |set, token| set.with(token.set))
    }
}

/// What a sentence says without regard to order: its concepts, and the roles that stand in it.
#[derive(Debug, Clone)]
pub(crate) struct Saying {
    pub(crate) set: Set,
    pub(crate) range: Range<usize>,
}

/// Words after which a sentence ends even without a mark.
pub(crate) const MAX_WORDS: usize = 120;

/// Bytes before the apostrophe of a word that may be what is left of another: `qu'il`.
const MAX_ELIDED: usize = 2;

/// Characters of a path or host that are looked at.
const MAX_PATH: usize = 512;

/// What a code span may contribute besides being one: paths, hosts, flags.
const IN_CODE: Set = Set::of(&[
    Concept::Host,
    Concept::Email,
    Concept::SecretPath,
    Concept::DotEnv,
    Concept::MemoryFile,
    Concept::SkillsFolder,
    Concept::SettingsFile,
    Concept::SkipFlag,
    Concept::Account,
    Concept::TracePath,
    Concept::LoginsPath,
    Concept::PublicPlace,
    Concept::KeyName,
    Concept::AgentEndpoint,
    Concept::HiddenPath,
    Concept::Script,
    Concept::EachSkill,
    Concept::Redirect,
    Concept::Autorun,
    Concept::TempFile,
    Concept::CloudAccount,
    Concept::CloudShare,
    Concept::ChecksOff,
    Concept::PackageIndex,
]);

/// Commands that show what a host answers: `curl https://…` in a sentence is to fetch it.
const FETCHERS: [&str; 7] = ["curl", "wget", "http", "https", "xh", "iwr", "invoke-webrequest"];

/// The sentences of a text.
pub(crate) fn sentences(text: &str) -> Vec<Sentence> {
    read(text).0
}

/// The sentences of a text, as rows of words and as what they say.
pub(crate) fn read(text: &str) -> (Vec<Sentence>, Vec<Saying>) {
    let lower = lower(text);
    let quotes = quotes(&lower);
    let mut walk = Walk {
        lower: &lower,
        quotes: &quotes,
        found: Vec::new(),
        sayings: Vec::new(),
        current: Sentence::default(),
        roles: Set::NONE,
        quoted_roles: Set::NONE,
        speaks: false,
        at: 0,
        halves: 0,
        start_at: 0,
        plain_until: 0,
    };
    walk.run();
    (walk.found, walk.sayings)
}

/// Lower case and simplified, byte for byte: a letter whose small form has another length stays.
fn lower(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.chars()
        .map(|c| {
            let mut small = c.to_lowercase();
            match (small.next(), small.next()) {
                (Some(one), None) if one.len_utf8() == c.len_utf8() => simplified(one),
                _ => c,
            }
        })
        .collect()
}

struct Walk<'a> {
    lower: &'a str,
    quotes: &'a [(Range<usize>, Quote)],
    found: Vec<Sentence>,
    sayings: Vec<Saying>,
    current: Sentence,
    /// The roles of the current sentence.
    roles: Set,
    /// Those inside quotation marks.
    quoted_roles: Set,
    /// Whether a word of it stands outside quotation marks.
    speaks: bool,
    at: usize,
    halves: usize,
    start_at: usize,
    /// Up to here a run was looked at that holds neither a path nor a flag.
    plain_until: usize,
}

impl Walk<'_> {
    fn run(&mut self) {
        let text = self.lower;
        let addresses = destination::addresses(text);
        let mut next_address = addresses.iter().peekable();
        let mut quote = 0;
        let mut at = 0;
        while at < text.len() {
            while self.quotes.get(quote).is_some_and(|(range, _)| range.end <= at) {
                quote += 1;
            }
            let inside = self
                .quotes
                .get(quote)
                .filter(|(range, _)| range.start <= at)
                .map(|(_, kind)| *kind);
            if let Some((range, Quote::Code)) = self.quotes.get(quote)
                && range.start == at
            {
                self.code(range.clone());
            }
            while next_address.peek().is_some_and(|address| address.range.start < at) {
                next_address.next();
            }
            if let Some(address) = next_address.peek()
                && address.range.start == at
            {
                let set = match address.class() {
                    Class::Local => Set::NONE,
                    Class::Placeholder => Set::of(&[Concept::Placeholder]),
                    _ if AFFILIATE.iter().any(|mark| address.url.contains(mark)) => {
                        Set::of(&[Concept::Host, Concept::Redirect])
                    }
                    _ => Set::of(&[Concept::Host]),
                };
                self.push(set, address.range.clone(), inside);
                at = address.range.end.max(at + 1);
                continue;
            }
            let Some(c) = text[at..].chars().next() else { break };
            if c.is_alphanumeric() || matches!(c, '~' | '.' | '$' | '/' | '%') {
                at = self.word(at, c, inside);
                continue;
            }
            if matches!(c, ',' | '，') {
                self.current.commas.push(at);
            }
            at += c.len_utf8();
            let ends = match c {
                '!' | '?' | ';' => text[at..].chars().next().is_none_or(char::is_whitespace),
                '。' | '！' | '？' | '；' => true,
                // A blank line, as in plain text and in strings.
                '\n' => text[at..].trim_start_matches([' ', '\t', '\r']).starts_with('\n'),
                _ => false,
            };
            if ends && inside != Some(Quote::Code) {
                self.end(at);
            }
        }
        self.end(text.len());
    }

    fn end(&mut self, at: usize) {
        let start = self.current.range.start;
        let mut sentence =
            std::mem::replace(&mut self.current, Sentence { range: at..at, ..Sentence::default() });
        let mut roles = std::mem::take(&mut self.roles);
        let quoted = std::mem::take(&mut self.quoted_roles);
        // What is quoted is somebody else's, unless nobody is there who quotes it.
        if !std::mem::take(&mut self.speaks) {
            roles = roles.with(quoted);
        }
        // The rules of a document are nobody's that the agent works for.
        for token in &mut sentence.tokens {
            if token.set.has(Concept::Instructions) && is_document(self.lower, &token.range) {
                token.set = token.set.without(Set::of(&[Concept::Instructions, Concept::ToldYou]));
                roles = roles.without(Set::range(Concept::Scroll, Concept::SpeakerCommon));
            }
        }
        // What is never done without leave is not done in the place of whoever gives it.
        if is_proviso(&sentence.words, self.lower) {
            roles = roles.without(Set::range(Concept::Question, Concept::InsteadCommon));
        }
        // What is not to be done is not done after decoding it either.
        if is_left_undone(&sentence.words) {
            roles = roles.without(Set::range(Concept::ThenDo, Concept::ThenDoCommon));
        }
        let set = sentence.tokens.iter().fold(roles, |set, token| set.with(token.set));
        if !set.is_empty() {
            self.sayings.push(Saying { set, range: start..at });
        }
        // The phrase of a wallet is no phrase that a detector looks for.
        let seeds = sentence.tokens.iter().filter(|token| token.set.has(Concept::SeedPhrase));
        let ends: Vec<usize> = seeds.map(|token| token.range.end).collect();
        for token in sentence.tokens.iter_mut().filter(|token| ends.contains(&token.range.end)) {
            token.set = token.set.without(Set::of(&[Concept::Detect]));
        }
        hush(&mut sentence.tokens, self.lower, at);
        relate(&mut sentence.tokens);
        if forbids_to_order(&mut sentence.tokens, self.lower, start..at) {
            sentence.words.clear();
            sentence.roots = Roots::default();
        }
        if !sentence.tokens.is_empty() {
            self.found.push(Sentence { range: start..at, ..sentence });
        }
        self.start_at = self.at;
    }

    fn push(&mut self, set: Set, range: Range<usize>, inside: Option<Quote>) {
        self.at += 1;
        let set = if inside == Some(Quote::Code) { set.only(IN_CODE) } else { set };
        if !set.is_empty() {
            self.current.tokens.push(Token {
                set,
                at: self.at,
                range,
                quoted: inside == Some(Quote::Words),
            });
        }
    }

    /// Takes the roles at a word.
    fn play(&mut self, roles: Set, inside: Option<Quote>) {
        if inside == Some(Quote::Words) {
            self.quoted_roles = self.quoted_roles.with(roles);
        } else {
            self.roles = self.roles.with(roles);
            self.speaks = true;
        }
    }

    /// Takes the stems at a word of so many bytes.
    fn stems(&mut self, at: usize, length: usize, place: usize, inside: Option<Quote>) {
        if inside.is_some() {
            return;
        }
        for (root, tongue, covered) in stems_at(&self.lower[at..], length) {
            self.current.words.push(Word { root, tongue, at: place, range: at..at + covered });
            self.current.roots[usize::from(tongue)] |= 1 << root as u64;
        }
    }

    fn code(&mut self, range: Range<usize>) {
        let text = &self.lower[range.clone()];
        let mut set = Set::of(&[Concept::Code]);
        let destroys = [
            "push --force",
            "push -f",
            "dropdb",
            "drop database",
            "drop table",
            "rm -rf",
            "delete /_",
            "flushall",
            "truncate table",
            "drop schema",
        ];
        if destroys.iter().any(|part| text.contains(part)) && !text.contains("force-with-lease") {
            set = set.with(Set::of(&[Concept::Destroy, Concept::Precious]));
        }
        // What a reader of the page does not see, and what runs in it.
        let bare: String = text.chars().filter(|c| *c != ' ').take(MAX_PATH).collect();
        if STYLES.iter().any(|style| bare.contains(style)) {
            set = set.with(Set::of(&[Concept::Camouflage]));
        }
        if CHECKS_OFF.iter().any(|setting| bare.contains(setting)) {
            set = set.with(Set::of(&[Concept::ChecksOff]));
        }
        if text == "registry" || text.contains("npmrc") || text.contains("pip.conf") {
            set = set.with(Set::of(&[Concept::PackageIndex]));
        }
        if text.contains("<a ") && text.contains("href") {
            set = set.with(Set::of(&[Concept::LinkWord]));
        }
        if text.contains("<script") || text.contains("<iframe") {
            set = set.with(Set::of(&[Concept::PageScript]));
        }
        if text.contains("pr merge") && text.contains("--admin") {
            set = set.with(Set::of(&[Concept::Merge, Concept::SkipReview]));
        }
        if text == "yes" || text.starts_with("yes |") {
            set = set.with(Set::of(&[Concept::YesPipe]));
        }
        if is_skip_flag(text) {
            set = set.with(Set::of(&[Concept::SkipFlag]));
        }
        if !crate::scan::flow::printed_by(text).is_clean() {
            set = set.with(Set::of(&[Concept::SecretPath]));
        }
        if OPENING.iter().any(|opening| text.contains(opening)) {
            set = set.with(Set::of(&[Concept::Grant]));
        }
        if FETCHERS.contains(&text.split(' ').next().unwrap_or_default()) && text.contains("://") {
            set = set.with(Set::of(&[Concept::Fetch]));
        }
        self.current.tokens.push(Token { set, at: self.at, range, quoted: false });
    }

    /// Takes one word, path, host or phrase; the byte after it.
    fn word(&mut self, at: usize, c: char, inside: Option<Quote>) -> usize {
        let text = self.lower;
        if self.at >= self.start_at + MAX_WORDS {
            self.end(at);
        }
        if is_unspaced(c) {
            let found = LEXICON.at(&text[at..]);
            self.play(found.roles, inside);
            let covered = found.words.map_or(c.len_utf8(), |(_, length)| length);
            // The words inside a phrase stand for themselves too.
            for (inner, c) in text[at..at + covered].char_indices() {
                self.stems(
                    at + inner,
                    c.len_utf8(),
                    self.at + usize::midpoint(self.halves, inner / 3),
                    inside,
                );
            }
            if let Some((set, length)) = found.words {
                self.halves += text[at..at + length].chars().count().saturating_sub(1);
                self.push(set, at..at + length, inside);
                return at + length;
            }
            self.halves += 1;
            if self.halves >= 2 {
                self.at += self.halves / 2;
                self.halves %= 2;
            }
            return at + c.len_utf8();
        }
        // The rest of a run that holds no path holds none either.
        let run: usize = if at < self.plain_until {
            0
        } else {
            text.as_bytes()[at..].iter().take(MAX_PATH).take_while(|b| is_of_path(**b)).count()
        };
        let trimmed = text[at..at + run].trim_end_matches(['.', ':', '-', '/']);
        if !trimmed.contains(['.', '/', '@', '\\', '~', '-']) {
            self.plain_until = self.plain_until.max(at + trimmed.len());
        }
        if trimmed.len() > 1 && trimmed[1..].contains(['.', '/', '@', '\\'])
            || trimmed.starts_with(['~', '.', '/']) && trimmed.len() > 2
        {
            let set = by_form(trimmed, inside == Some(Quote::Code));
            if !set.is_empty()
                || trimmed.contains(['@', '\\'])
                || trimmed.starts_with(['~', '.', '/'])
                || !is_plain_words(trimmed)
            {
                self.push(set, at..at + trimmed.len(), inside);
                return at + trimmed.len();
            }
        }
        if !c.is_alphanumeric() {
            if c == '.' {
                let after = text[at + 1..].chars().next();
                if after
                    .is_none_or(|c| c.is_whitespace() || matches!(c, '"' | '”' | ')' | '*' | '\''))
                    && inside != Some(Quote::Code)
                {
                    self.end(at + 1);
                }
            }
            return at + c.len_utf8();
        }
        // The words inside a phrase stand for themselves too, so only the first is passed over.
        let is_plain = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'\'' | b'_');
        let plain = text.as_bytes()[at..].iter().take_while(is_plain).count();
        let length: usize = plain
            + text[at + plain..]
                .chars()
                .take_while(|c| {
                    c.is_alphanumeric() && !is_unspaced(*c) || matches!(c, '\'' | '\u{2019}' | '_')
                })
                .map(char::len_utf8)
                .sum::<usize>();
        let named = by_name(&text[at..at + length]);
        if !named.is_empty() {
            self.push(named, at..at + length, inside);
            return at + length;
        }
        if trimmed.contains('-') && is_skip_flag(trimmed) {
            self.push(Set::of(&[Concept::SkipFlag]), at..at + trimmed.len(), inside);
            return at + trimmed.len();
        }
        if let Some(account) = cloud_account(text, at) {
            self.push(Set::of(&[Concept::CloudAccount]), at..at + account, inside);
            return at + account;
        }
        self.stems(at, length, self.at + 1, inside);
        // `d'aucune`: what is left of a word before an apostrophe hides the next.
        if let Some(elided) =
            text[at..at + length].find('\'').filter(|elided| *elided <= MAX_ELIDED)
        {
            self.stems(at + elided + 1, length - elided - 1, self.at + 1, inside);
        }
        let found = LEXICON.at(&text[at..]);
        self.play(found.roles, inside);
        if let Some((set, covered)) = found.words {
            self.push(set, at..at + covered, inside);
            return at + length.max(c.len_utf8());
        }
        if let Some(account) = account(&text[at..]) {
            self.push(Set::of(&[Concept::Account]), at..at + account, inside);
            return at + account;
        }
        self.at += 1;
        at + length.max(c.len_utf8())
    }
}

/// Settings by which nobody looks at a certificate, without blanks.
const CHECKS_OFF: [&str; 7] = [
    "verify=false",
    "rejectunauthorized:false",
    "insecureskipverify",
    "tls_reject_unauthorized=0",
    "ssl_verify:false",
    "sslverifyfalse",
    "check_hostname=false",
];

/// Styles by which what stands on a page is not seen as what it is, without blanks.
const STYLES: [&str; 10] = [
    "color:inherit",
    "text-decoration:none",
    "font-size:0",
    "font-size:1px",
    "display:none",
    "visibility:hidden",
    "opacity:0",
    "color:transparent",
    "color:#fff",
    "left:-9999",
];

/// Settings that let others in.
const OPENING: [&str; 9] = [
    "deploy-key add",
    "permitrootlogin yes",
    "passwordauthentication yes",
    "nopasswd",
    "authorized_keys",
    "0.0.0.0/0",
    "system:unauthenticated",
    "system:anonymous",
    "permitemptypasswords yes",
];

/// What is in an address that pays somebody for whoever follows it.
const AFFILIATE: [&str; 7] =
    ["?aff=", "&aff=", "affiliate", "aff_id=", "partner=", "referral=", "ref_id="];

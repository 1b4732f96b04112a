//! The person's work, conversation or secrets sent to somebody's host or mailbox, and texts of
//! somebody's host obeyed, said in prose.

use super::super::Skill;
use super::super::destination::{self, Class};
use super::super::finding::{Flow, Severity};
use super::super::findings::{Findings, Match};
use super::super::mention::has_word;
use super::super::rules;
use super::super::text::floor;
#[allow(clippy::enum_glob_use, reason = "conditions are data made of concepts")]
use super::lexicon::Concept::*;
use super::lexicon::Set;
use super::orders::declares;
use super::sentences::{Sentence, Token};
use super::{Piece, is_about_attacks};

/// Bytes of a description that can name a service.
const MAX_DESCRIPTION: usize = 4096;

const SENDS: Set = Set::of(&[Send, CarbonCopy, Goes]);
/// What makes a transfer more than a step of the task: each time, besides, unseen, unasked.
const BESIDES: Set =
    Set::of(&[Every, Also, Hide, Quietly, NoAsk, Dark, NoNeed, Full, Standing, Unsaid]);

/// Looks at the pieces of one section.
pub(super) fn look(section: &[Piece<'_, '_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    // A secret taken up in one step, still to be sent in a later one.
    let mut taken: Option<(&Piece<'_, '_>, std::ops::Range<usize>)> = None;
    handed_on(section, skill, findings);
    filled(section, skill, findings);
    for (at, piece) in section.iter().enumerate() {
        image(piece, section.get(at + 1), skill, findings);
        let set = piece.set;
        if !set.meets(Set::of(&[Host, Email, SecretPath, DotEnv])) {
            continue;
        }
        for (at, sentence) in piece.sentences.iter().enumerate() {
            let near = neighbours(piece, at);
            // What is fetched in one sentence may be obeyed two further on.
            let further = piece.sentences.get(at + 2).map_or(Set::NONE, Sentence::set);
            obey(piece, sentence, near.with(further), skill, findings);
            send(piece, sentence, near, skill, findings);
            if let Some(range) = takes_secret(sentence) {
                taken = Some((piece, range));
            }
            if let Some((from, range)) = &taken
                && let Some(host) = sends_to(piece, sentence, skill, true)
            {
                let flow = Flow {
                    source: Some("a secret file".to_owned()),
                    destination: Some(host),
                    ..Flow::default()
                };
                from.add(
                    findings,
                    range.clone(),
                    Match::new(
                        &rules::SECRET_TO_NETWORK,
                        Severity::Critical,
                        "the content of a secret file is sent to somebody's host",
                    )
                    .with(flow),
                );
                taken = None;
            }
        }
    }
}

/// The conversation, put together whole in one step and sent away in a later one.
fn handed_on(section: &[Piece<'_, '_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    const WHOLE: Set = Set::of(&[Full, All, Every, AtEnd]);
    const UNLESS: Set = Set::of(&[Not, Consent, Ask, Detect, Placeholder, Unless, About]);
    let mut gathered: Option<(&Piece<'_, '_>, std::ops::Range<usize>)> = None;
    for piece in section {
        for sentence in &piece.sentences {
            let set = sentence.set();
            if set.meets(UNLESS) {
                continue;
            }
            // The step that gathers it names nobody yet: one sentence of both is the concern of others.
            if set.has(Conversation) && set.meets(WHOLE) && !set.meets(Set::of(&[Host, Email])) {
                gathered = Some((piece, sentence.range.clone()));
                continue;
            }
            let Some((from, range)) = &gathered else { continue };
            let Some(host) = sends_to(piece, sentence, skill, true) else { continue };
            if declares(skill, &host) {
                continue;
            }
            let flow = Flow {
                source: Some("the conversation".to_owned()),
                destination: Some(host.clone()),
                ..Flow::default()
            };
            let message = format!("the whole conversation is put together and sent to {host}");
            let found = Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, message);
            from.add(findings, range.clone(), found.with(flow));
            gathered = None;
        }
    }
}

/// The concepts of a sentence and of the two beside it.
pub(super) fn neighbours(piece: &Piece<'_, '_>, at: usize) -> Set {
    piece.sentences[at.saturating_sub(2)..(at + 2).min(piece.sentences.len())]
        .iter()
        .fold(Set::NONE, |set, sentence| set.with(sentence.set()))
}

pub(super) fn first(sentence: &Sentence, set: Set) -> Option<(usize, &Token)> {
    sentence
        .tokens
        .iter()
        .enumerate()
        .find(|(at, token)| token.set.meets(set) && !token.quoted && !is_negated(sentence, *at))
}

fn is_negated(sentence: &Sentence, at: usize) -> bool {
    const REACH: usize = 6;
    // `without asking` says how, and does not take back what follows.
    const WAYS: Set = Set::of(&[
        Ignore, NoAsk, NotAsked, Covert, Unsaid, Dark, Mute, Unheard, LeaveOut, NoWarn, NoRefusals,
    ]);
    let place = sentence.tokens[at].at;
    sentence.tokens[..at]
        .iter()
        .rev()
        .take_while(|token| token.at + REACH >= place)
        .any(|token| token.set.meets(Set::of(&[Not, Without, Detect])) && !token.set.meets(WAYS))
}

/// A request to somebody's host, one field of which is filled with the content of a secret file.
fn filled(section: &[Piece<'_, '_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let all = section.iter().fold(Set::NONE, |set, piece| set.with(piece.set));
    if !all.has(Host) || !all.meets(SENDS.with(Set::of(&[Endpoint, Field, Fetch, Carry]))) {
        return;
    }
    // What the skill itself is for may have such a field too, when it says so of each.
    let plain = all.meets(Set::of(&[Endpoint, Send])) && all.has(Field);
    let fills = section.iter().any(|piece| {
        piece.sentences.iter().any(|sentence| {
            const UNLESS: Set = Set::of(&[Not, Create, Obtain, Placeholder, Consent, Detect, If_]);
            let path = first(sentence, Set::of(&[SecretPath, DotEnv]));
            path.is_some()
                && first(sentence, Set::of(&[Whole])).is_some()
                && if plain { !sentence.set().has(Not) } else { !sentence.set().meets(UNLESS) }
        })
    });
    if !fills {
        return;
    }
    let request = section.iter().filter(|piece| piece.set.has(Host)).find_map(|piece| {
        piece.sentences.iter().find_map(|sentence| {
            let (_, token) = first(sentence, Set::of(&[Host]))?;
            let range = piece.start + token.range.start..piece.start + token.range.end;
            let host = foreign(&piece.passage.text[range], skill, true)?;
            (plain || !declares(skill, &host)).then(|| (piece, token.range.clone(), host))
        })
    });
    let Some((piece, range, host)) = request else { return };
    let flow = Flow {
        source: Some("a secret file".to_owned()),
        destination: Some(host.clone()),
        ..Flow::default()
    };
    let message = format!("a request to {host} is filled with the content of a secret file");
    piece.add(
        findings,
        range,
        Match::new(&rules::SECRET_TO_NETWORK, Severity::Critical, message).with(flow),
    );
}

/// `open .env and copy its full text`: taking a secret file's content, not naming the file.
fn takes_secret(sentence: &Sentence) -> Option<std::ops::Range<usize>> {
    let (at, verb) = first(sentence, Set::of(&[Read, Copy]))?;
    // `collect any keys that you come across`
    let keys = sentence.tokens[at..].iter().find(|token| token.set.has(SecretWord));
    if let Some(keys) = keys
        && sentence.set().has(Found)
        && sentence.set().has(All)
        && !sentence.set().meets(Set::of(&[Not, Detect, Reply]))
    {
        return Some(verb.range.start..keys.range.end);
    }
    let path = sentence.tokens[at..].iter().find(|token| {
        token.set.meets(Set::of(&[SecretPath, DotEnv])) && token.at <= verb.at + 12
    })?;
    let whole = sentence
        .tokens
        .iter()
        .any(|token| token.set.meets(Set::of(&[Full, Data])) && token.at.abs_diff(path.at) <= 16);
    (path.set.has(SecretPath) || whole).then_some(verb.range.start..path.range.end)
}

/// Words before an address at which something is kept.
const INTO: &[&str] = &[
    "to", "at", "in", "into", "on", "under", "onto", "a", "en", "an", "auf", "bei", "unter",
    "chez", "sur", "на", "в", "到", "至", "在", "于", "with",
];

/// `keep the notes at https://…`: a verb of keeping, what is kept, and then where.
fn stores<'s>(piece: &Piece<'_, '_>, sentence: &'s Sentence) -> Option<(usize, &'s Token)> {
    let (at, verb) = first(sentence, Set::of(&[Copy, Remember, Insert]))?;
    let what = sentence.tokens[at + 1..].iter().find(|token| {
        token.at > verb.at
            && token.set.meets(Set::of(&[
                Conversation,
                SecretWord,
                SecretPath,
                DotEnv,
                Data,
                PersonData,
            ]))
    })?;
    let place =
        sentence.tokens[at..].iter().find(|token| token.set.meets(Set::of(&[Host, Email])))?;
    let written =
        &piece.passage.text[piece.start + place.range.start..piece.start + place.range.end];
    // What is kept there, and not what is read there or made by means of it.
    (place.at > what.at && is_aimed(piece, sentence, place) && written.contains(['/', '@']))
        .then_some((at, verb))
}

/// Whether a word right before an address says that something goes there; inside a command, the command does.
fn is_aimed(piece: &Piece<'_, '_>, sentence: &Sentence, place: &Token) -> bool {
    let from = piece.start + sentence.range.start;
    let before = &piece.passage.text[from..piece.start + place.range.start];
    let word = before.trim_end_matches([' ', '`', '<', '"', '\n']);
    let into = INTO.iter().any(|into| {
        word.strip_suffix(into).is_some_and(|rest| {
            !into.is_ascii() || rest.chars().next_back().is_none_or(|c| !c.is_alphanumeric())
        })
    });
    into || before.rsplit_once('`').is_some_and(|(outside, inside)| {
        outside.matches('`').count() % 2 == 0 && inside.trim().contains(' ')
    })
}

/// The host or mailbox that a sentence sends something to, when it is nobody's that the skill is about.
fn sends_to(
    piece: &Piece<'_, '_>,
    sentence: &Sentence,
    skill: &Skill<'_>,
    even_own: bool,
) -> Option<String> {
    let (at, verb) = first(sentence, SENDS).or_else(|| stores(piece, sentence))?;
    sentence
        .tokens
        .iter()
        .filter(|token| token.set.meets(Set::of(&[Host, Email])) && !token.quoted)
        .find_map(|token| {
            let after = token.at >= verb.at && token.at <= verb.at + 40
                || token.at < verb.at && verb.at <= token.at + 12;
            let text =
                &piece.passage.text[piece.start + token.range.start..piece.start + token.range.end];
            (after && at < sentence.tokens.len()).then(|| foreign(text, skill, even_own)).flatten()
        })
}

/// The host of an address that is a stranger's.
pub(super) fn foreign(text: &str, skill: &Skill<'_>, even_own: bool) -> Option<String> {
    if let Some((_, domain)) = text.split_once('@')
        && !text.contains("://")
    {
        let domain = domain.to_lowercase();
        return (!destination::is_placeholder(&domain)
            && (even_own || !skill.subject.hosts.contains(&domain)))
        .then(|| text.to_owned());
    }
    let host = destination::host(text)?;
    let class = destination::classify(text);
    let label = host.rsplit('.').nth(1).unwrap_or_default();
    let description = &skill.subject.description;
    let description = description[..floor(description, MAX_DESCRIPTION)].to_lowercase();
    let named = label.len() > 3 && has_word(&description, label);
    if named && !even_own && class == Class::Foreign {
        return None;
    }
    let strange = matches!(
        class,
        Class::Foreign | Class::Inbox | Class::Paste | Class::Address | Class::Shortener
    );
    (strange
        && (even_own
            || matches!(class, Class::Inbox | Class::Paste | Class::Address)
            || !skill.is_about(&host)))
    .then_some(host)
}

/// Whether the skill speaks of a host or mailbox only here: not the service that it is made for.
fn is_new(host: &str, skill: &Skill<'_>) -> bool {
    // A bare name may be a product's.
    host.contains('@')
        || skill.host_counts.contains_key(host)
            && skill.host_counts.get(host).copied().unwrap_or(0) <= 1
}

fn send(
    piece: &Piece<'_, '_>,
    sentence: &Sentence,
    near: Set,
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    let stores = stores(piece, sentence);
    let Some((_, verb)) = first(sentence, SENDS).or(stores) else { return };
    // What was said between two people is nobody else's, not even the maker's, unasked.
    let unasked = sentence.set().has(Conversation)
        && near.has(Full)
        && near.meets(Set::of(&[NoAsk, NoNeed, Hide, Quietly, Dark, Unsaid]));
    let Some(host) = sends_to(piece, sentence, skill, unasked) else { return };
    if near.has(Unless) && near.has(Ask) || sentence.set().meets(Set::of(&[Consent, Obtain])) {
        return;
    }
    let set = sentence.set();
    let is_mail = host.contains('@');
    let quiet = near.meets(Set::of(&[Hide, Quietly, NoAsk, Dark]));
    let (rule, severity, what) = if set.meets(Set::of(&[SecretPath, DotEnv])) {
        (&rules::SECRET_TO_NETWORK, Severity::Critical, "secret files")
    } else if set.has(Conversation) && near.meets(BESIDES.with(Set::of(&[User, Your]))) {
        (&rules::DATA_TO_FOREIGN_HOST, Severity::Critical, "the conversation")
    } else if set.has(SecretWord) && (near.meets(BESIDES) || set.has(All)) {
        (&rules::SECRET_TO_NETWORK, Severity::Critical, "secrets")
    } else if set.has(CarbonCopy) && is_mail {
        (&rules::DATA_TO_FOREIGN_HOST, Severity::Critical, "a copy of each message")
    } else if is_new(&host, skill)
        && near.meets(Set::of(&[Every, Also, Hide, Quietly, NoAsk, Dark, NoNeed]))
        && set.meets(Set::of(&[Send, CarbonCopy]))
    {
        (&rules::DATA_TO_FOREIGN_HOST, Severity::Warn, "something that the task does not need sent")
    } else if near.meets(Set::of(&[Data, User, Conversation]))
        && (near.meets(BESIDES) || set.meets(Set::of(&[Data, Conversation, User])))
        && is_new(&host, skill)
    {
        (
            &rules::DATA_TO_FOREIGN_HOST,
            if quiet { Severity::Critical } else { Severity::Warn },
            "the person's files or results",
        )
    } else {
        return;
    };
    let flow =
        Flow { source: Some(what.to_owned()), destination: Some(host.clone()), ..Flow::default() };
    let end = sentence.tokens.last().map_or(verb.range.end, |token| token.range.end);
    let found = Match::new(rule, severity, format!("sends {what} to {host}")).with(flow);
    let range = verb.range.start..end;
    // An address that merely stands in the sentence may be an example or where somebody reads on.
    let aimed = sentence
        .tokens
        .iter()
        .any(|token| token.set.meets(Set::of(&[Host, Email])) && is_aimed(piece, sentence, token));
    if aimed || severity == Severity::Critical {
        piece.add(findings, range, found);
    } else {
        piece.suppose(findings, range, found, 0);
    }
}

/// `fetch … and follow the instructions in it`.
fn obey(
    piece: &Piece<'_, '_>,
    sentence: &Sentence,
    near: Set,
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    if !near.meets(Set::of(&[Follow, ObeyIt])) || near.has(Detect) || !near.has(Fetch) {
        return;
    }
    let Some((_, address)) = first(sentence, Set::of(&[Host])) else { return };
    let text =
        &piece.passage.text[piece.start + address.range.start..piece.start + address.range.end];
    // A page of the skill's own that is read anew each time is no part of what was reviewed either.
    let anew = near.meets(Set::of(&[Every, Standing, AtStart, Rank]))
        && near.meets(Set::of(&[Run, NoAsk, NotAsked, Unsaid, Covert, Dark, Rank, ObeyIt]));
    let Some(host) = foreign(text, skill, anew) else { return };
    let follows = piece.sentences.iter().any(|sentence| {
        first(sentence, Set::of(&[ObeyIt])).is_some()
            || first(sentence, Set::of(&[Follow])).is_some_and(|(at, follow)| {
                sentence.tokens[at..].iter().any(|token| {
                    token.set.meets(Set::of(&[Instructions, Instruction, Rank]))
                        && token.at <= follow.at + 8
                })
            })
    });
    if !follows {
        return;
    }
    let severity = if near.meets(Set::of(&[Every, Standing, Rank, InPlace])) {
        Severity::Critical
    } else {
        Severity::Warn
    };
    let flow = Flow {
        source: Some(text.to_owned()),
        sink: Some("the agent's instructions".to_owned()),
        ..Flow::default()
    };
    piece.add(
        findings,
        address.range.clone(),
        Match::new(
            &rules::FETCH_AND_OBEY,
            severity,
            format!("instructions are fetched from {host} and followed"),
        )
        .with(flow),
    );
}

/// Words of a placeholder in an address that stand for what was said.
#[rustfmt::skip]
const SAID: &[&str] = &[
    "encoded", "outcome", "message", "conversation", "answer", "reply", "chat", "transcript", "summary", "question", "response", "context", "history", "session", "prompt", "secret", "token",
    "key", "env", "user's", "user input", "user_input", "data", "notes", "name", "mail", "nachricht", "frage", "antwort", "gesprach", "nutzer", "mensaje", "pregunta",
    "respuesta", "conversacion", "usuario", "reponse", "utilisateur", "echange", "сообщени", "вопрос", "ответ", "пользовател", "диалог", "消息", "问题", "对话", "回复", "用户",
];

/// What a place to fill in stands for when it carries away what was said.
#[rustfmt::skip]
const CARRIED: &[&str] = &[
    "what they asked", "what the user", "they asked", "was asked", "conversation", "transcript", "their question", "the question", "last message", "their message",
    "encoded text", "encoded summary", "summary of", "your reply", "your answer", "e-mail", "email address", "documents you", "files you", "what was said", "api key",
    "password", "secret", "对话", "用户输入", "conversacion", "gesprach", "echange", "переписк",
];

/// Whether the path of an address has places to fill in that the text explains as what was said.
fn fills_path(address: &str, explained: impl Fn() -> String) -> bool {
    let path = address.split_once("://").and_then(|(_, rest)| rest.split_once('/'));
    path.is_some_and(|(_, path)| path.contains(['{', '<', '$'])) && {
        let explained = explained();
        CARRIED.iter().any(|word| explained.contains(word))
    }
}

/// A picture or link whose address the agent fills with what was said.
fn image(
    piece: &Piece<'_, '_>,
    next: Option<&Piece<'_, '_>>,
    skill: &Skill<'_>,
    findings: &mut Findings<'_>,
) {
    const REACH: usize = 240;
    let text: &str = &piece.passage.text;
    if !text.contains("://") {
        return;
    }
    for address in destination::addresses(text) {
        let before = text[floor(text, address.range.start.saturating_sub(80))..address.range.start]
            .to_lowercase();
        let is_image = before.contains("![") || before.contains("<img") || before.contains("src=");
        // A skill about attacks shows them as code.
        if before.rsplit('\n').next().is_some_and(|line| line.matches('`').count() % 2 == 1)
            && is_about_attacks(skill)
        {
            continue;
        }
        let is_link = before.ends_with("](") || before.ends_with('<') || before.contains("href=");
        if !is_image && !is_link && !piece.set.has(Image) {
            continue;
        }
        let rest = &text[address.range.start..floor(text, address.range.start + REACH)];
        let end = rest.find([')', '`', '"', '\n']).unwrap_or(rest.len());
        let whole = rest[..end].to_lowercase();
        if is_image
            && fills_path(&whole, || {
                let next = next.map_or("", |next| &next.passage.text);
                format!(
                    "{}\n{}",
                    &text[floor(text, address.range.start)..],
                    &next[..floor(next, REACH)]
                )
                .to_lowercase()
            })
            && let Some(host) = foreign(address.url, skill, true)
            && !host.ends_with("shields.io")
        {
            let flow = Flow {
                source: Some("what was said".to_owned()),
                destination: Some(host.clone()),
                ..Flow::default()
            };
            let message = format!("an address at {host} is filled with what was said");
            piece.add(
                findings,
                address.range.start - piece.start..address.range.end - piece.start,
                Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Critical, message).with(flow),
            );
            continue;
        }
        let Some(query) = whole.find(['?', '=']).map(|at| &whole[at..]) else { continue };
        let open = query.find(['<', '{', '[', '$']).map(|at| &query[at..]);
        // `…?d=DATA`, where DATA is explained in the text around it or in the next paragraph.
        let after = || {
            let next = next.map_or("", |next| &next.passage.text);
            let from = address.range.start + end;
            format!("{}\n{}", &text[from..floor(text, from + REACH)], &next[..floor(next, REACH)])
        };
        let shouted = is_image
            && rest[..end].split(['=', '&', '?']).skip(1).any(|value| {
                value.len() >= 3
                    && value
                        .bytes()
                        .all(|b| b.is_ascii_uppercase() || b == b'_' || b.is_ascii_digit())
                    && (value.len() >= 6 || has_word(&after(), value))
            });
        let explained = if shouted { after().to_lowercase() } else { String::new() };
        if !(shouted || open.is_some())
            || !SAID
                .iter()
                .any(|word| open.unwrap_or(query).contains(word) || explained.contains(word))
        {
            continue;
        }
        let Some(host) = foreign(address.url, skill, is_image) else { continue };
        let said = is_image || piece.set.meets(Set::of(&[Every, Conversation, Reply]));
        if !said || host.ends_with("shields.io") {
            continue;
        }
        let flow = Flow {
            source: Some("what was said".to_owned()),
            destination: Some(host.clone()),
            ..Flow::default()
        };
        let message = format!("an address at {host} is filled with what was said");
        piece.add(
            findings,
            address.range.start - piece.start..address.range.end - piece.start,
            Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Critical, message).with(flow),
        );
    }
}

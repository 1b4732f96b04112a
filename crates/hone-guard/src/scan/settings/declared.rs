//! What a skill declares: tools without a limit, a vendor's name; and where what it does goes beyond.

use super::File;
use super::agent::is_wildcard;
use super::leaf::Leaf;
use crate::scan::Skill;
use crate::scan::bundle::Member;
use crate::scan::destination::is_akin;
use crate::scan::finding::{Context, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::inventory::Observed;
use crate::scan::kind::{Kind, Language};
use crate::scan::mention::has_word;
use crate::scan::passage::Passage;
use crate::scan::{reach, rules};

/// Looks at the frontmatter's own claims.
pub(super) fn look(
    file: &File<'_>,
    skill: &Skill<'_>,
    leaves: &[Leaf],
    findings: &mut Findings<'_>,
) {
    let at = |key: &str| {
        leaves
            .iter()
            .find(|leaf| leaf.path.first().is_some_and(|part| part.eq_ignore_ascii_case(key)))
            .map_or(0, Leaf::start)
    };
    // What the skill declares stands in its instructions; a document beside them declares nothing.
    let is_beside = !file.path.eq_ignore_ascii_case("skill.md")
        && skill.members.iter().any(|member| member.path.eq_ignore_ascii_case("skill.md"));
    if !is_beside {
        tools(file, skill, at("allowed-tools"), findings);
    }
    vendor(file, skill, leaves, at("description"), findings);
}

/// Tools without a limit.
fn tools(file: &File<'_>, skill: &Skill<'_>, at: usize, findings: &mut Findings<'_>) {
    let wildcards = skill.subject.tools.iter().flatten().filter(|tool| is_wildcard(tool)).count();
    let has_commands = file.text.plain.contains("```")
        || skill.members.iter().any(|m| matches!(m.kind, Kind::Text(language) if language.runs()));
    let one_shell = wildcards == 1 && has_commands;
    // Many real skills declare a bare `Bash`, and show what for, in their instructions or in what lies beside.
    let shows = |member: &Member| {
        member.kind == Kind::Text(Language::Markdown) && member.bytes.contains(&b'`')
    };
    let uses_shell = has_commands || skill.members.iter().any(shows);
    for tool in skill.subject.tools.iter().flatten() {
        let bare =
            matches!(tool.as_str(), "Bash" | "Shell" | "bash" | "shell" | "terminal" | "exec");
        if is_wildcard(tool) {
            // `Bash(*)` is what many write for `Bash`; a skill without commands has no use for it.
            let severity = if one_shell && tool.starts_with("Bash(") && !tool.contains("sudo") {
                Severity::Info
            } else {
                Severity::Warn
            };
            file.add(
                at,
                tool,
                Match::new(
                    &rules::UNLIMITED_TOOLS,
                    severity,
                    format!("`{tool}` allows everything without a question"),
                ),
                findings,
            );
        } else if bare {
            let severity = if uses_shell { Severity::Info } else { Severity::Warn };
            file.add(
                at,
                tool,
                Match::new(
                    &rules::UNLIMITED_TOOLS,
                    severity,
                    format!("`{tool}` allows every command"),
                ),
                findings,
            );
        }
    }
}

#[rustfmt::skip]
const VENDORS: &[&str] = &[
    "anthropic", "claude", "openai", "chatgpt", "google", "gemini", "microsoft", "github",
    "copilot", "amazon", "apple", "nvidia", "stripe", "slack", "notion", "vercel", "cloudflare",
    "docker", "huggingface", "gitlab", "atlassian", "figma", "openclaw", "clawhub", "cursor",
    "telegram", "discord", "whatsapp", "binance", "coinbase", "metamask", "paypal", "shopify",
    "supabase", "linear", "datadog", "sentry", "mongodb", "elastic", "hashicorp", "terraform",
    "kubernetes", "salesforce", "hubspot", "twilio", "zapier", "airtable", "dropbox", "spotify",
    "facebook", "instagram", "twitter", "linkedin", "reddit", "youtube", "firebase", "oracle",
    "adobe", "canva", "jetbrains", "mistral", "perplexity", "deepseek", "netlify", "heroku",
    "digitalocean",
];

/// Words of English that are one letter from a vendor's name.
#[rustfmt::skip]
const WORDS: &[&str] = &[
    "clause", "black", "stack", "slick", "slacks", "motion", "nation", "notions", "sigma", "strip", "strips", "stripes", "striped", "canvas", "entry", "ample", "apples", "abode", "cursors", "goggle", "docket", "rocker", "credit", "liner", "lineal", "sentries",
    "apply", "applet", "finance", "openapi", "strike", "stride", "strive", "discard", "discards", "discords", "oracles",
    "anthropics", "cloudflared", "youtuber", "snack", "plastic", "mocker", "mixtral",
];

/// A claim to be a vendor's own, with an author or home that is somebody else's.
fn vendor(
    file: &File<'_>,
    skill: &Skill<'_>,
    leaves: &[Leaf],
    at: usize,
    findings: &mut Findings<'_>,
) {
    let name = skill.subject.name.to_lowercase();
    let description = skill.subject.description.to_lowercase();
    if ["not affiliated", "unofficial", "community", "not official", "non-official"]
        .iter()
        .any(|word| description.contains(word) || name.contains(word))
    {
        return;
    }
    let claims: Vec<&str> = ["official", "verified", "certified", "endorsed"]
        .into_iter()
        .filter(|claim| description.contains(claim))
        .collect();
    let in_name = has_word(&name, "official") || has_word(&name, "verified");
    let claimed = |vendor: &str| {
        in_name && name.contains(vendor)
            || !claims.is_empty()
                && description.contains(vendor)
                && claims.iter().any(|claim| {
                    [
                        format!("{claim} {vendor}"),
                        format!("{vendor} {claim}"),
                        format!("{claim} by {vendor}"),
                        format!("{claim} by the {vendor}"),
                        format!("{claim} and signed by"),
                    ]
                    .iter()
                    .any(|phrase| description.contains(phrase.as_str()))
                })
    };
    let text = file.text.plain.to_lowercase();
    let badge = ["official", "officially", "verified publisher"]
        .iter()
        .any(|word| text.contains(word) && has_word(&text, word));
    let one_off = badge
        && name.split(['-', '_', ' ']).any(|word| {
            word.len() > 4
                && !WORDS.contains(&word)
                && super::names::mistaken_for(word, VENDORS).is_some()
        });
    // Documentation and tools of a vendor are called official; the skill itself has to be.
    let of_skill = [
        "skill",
        "extension",
        "plugin",
        "integration",
        "assistant",
        "publisher",
        "signed",
        "badge",
        "memory",
        "agent",
    ]
    .iter()
    .any(|word| has_word(&description, word))
        || has_word(&name, "official");
    if let Some(vendor) = VENDORS.iter().find(|vendor| poses_as(vendor, &name, &description, &text))
    {
        let message =
            format!("the skill poses as {vendor}'s own, from a place that is not {vendor}'s");
        let found = Match::new(&rules::FAKE_AUTHORITY, Severity::Warn, message);
        file.add(at, &skill.subject.description, found, findings);
        return;
    }
    let claim = VENDORS.iter().find(|vendor| claimed(vendor));
    let origins: Vec<&str> = leaves
        .iter()
        .filter(|leaf| {
            matches!(
                leaf.key().to_ascii_lowercase().as_str(),
                "author" | "homepage" | "publisher" | "repository" | "website" | "url" | "source"
            )
        })
        .map(|leaf| leaf.value.as_str())
        .collect();
    let Some(vendor) = claim.copied().or(one_off.then_some("")) else { return };
    let strange = one_off && claim.is_none()
        || !origins.is_empty()
            && !origins
                .iter()
                .any(|origin| is_akin(&origin.to_lowercase(), vendor) && !poses(origin, vendor));
    let assured =
        ["signed by", "verified by", "certified by", "endorsed by", "verified and signed"]
            .iter()
            .any(|phrase| description.contains(phrase));
    let severity = if one_off && claim.is_none() || of_skill && (strange || assured) {
        Severity::Warn
    } else {
        Severity::Info
    };
    file.add(
        at,
        &skill.subject.description,
        Match::new(
            &rules::FAKE_AUTHORITY,
            severity,
            "the skill claims to be a vendor's own, and nothing it names is that vendor's",
        ),
        findings,
    );
}

/// Whether a skill says that it is a vendor's own, and names a place that borrows the vendor's name, or
/// says so twice and names no place of the vendor's at all.
fn poses_as(vendor: &str, name: &str, description: &str, text: &str) -> bool {
    const CLAIMS: [&str; 5] = ["official", "verified", "certified", "authentic", "genuine"];
    const MAKERS: [&str; 9] = [
        "maintained by",
        "published by",
        "endorsed by",
        "recommended by",
        "approved by",
        "certified by",
        "verified by",
        "issued by",
        "provided by",
    ];
    const KINDS: [&str; 6] = ["skill", "extension", "plugin", "version", "release", "edition"];
    if !name.contains(vendor) && !description.contains(vendor) {
        return false;
    }
    let in_name = name.contains(vendor) && CLAIMS.iter().any(|claim| has_word(name, claim));
    let in_text = CLAIMS.iter().any(|claim| {
        text.contains(&format!("{vendor} {claim}"))
            || KINDS.iter().any(|kind| text.contains(&format!("{claim} {vendor} {kind}")))
    });
    let made = MAKERS.iter().any(|maker| text.contains(&format!("{maker} {vendor}")));
    let signs = usize::from(in_name) + usize::from(in_text) + usize::from(made);
    if signs == 0 {
        return false;
    }
    let addresses = crate::scan::destination::addresses(text);
    let mails =
        text.split(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '(' | ')' | '`' | '"'));
    let mails = mails
        .filter_map(|word| word.split_once('@'))
        .map(|(_, domain)| domain.trim_end_matches(['.', ',', ';', ':']).to_owned());
    let places: Vec<String> = addresses
        .iter()
        .map(crate::scan::destination::Address::host)
        .chain(mails)
        .filter(|place| place.contains('.'))
        .collect();
    let borrowed = places.iter().any(|place| poses(place, vendor));
    let own = places.iter().any(|place| is_akin(place, vendor) && !poses(place, vendor));
    borrowed || signs >= 2 && !own && in_name
}

/// `claude-memory.app`, `claude-tools-hq`: a vendor's name inside somebody else's.
fn poses(origin: &str, vendor: &str) -> bool {
    let host = crate::scan::destination::host(origin).unwrap_or_default();
    let words: Vec<&str> = host.split('.').collect();
    let domain = if words.len() >= 2 {
        words[words.len() - 2]
    } else {
        words.first().copied().unwrap_or("")
    };
    domain.contains('-') && domain.contains(vendor)
}

/// Claims that rule out the network.
#[rustfmt::skip]
const OFFLINE: &[&str] = &[
    "offline", "no network", "no internet", "without network", "without internet",
    "never touches the network", "nothing leaves", "never leaves", "local-only", "local only",
    "locally only", "runs entirely locally", "fully local", "no data leaves", "does not connect",
    "never connects", "no external calls", "no connection", "sends nothing", "nothing is sent",
    "on a plane", "in airplane mode", "air-gapped", "airgapped", "no uploads", "never uploads",
    "no data is sent", "stays on your machine", "stays on this machine", "stays on this computer",
    "stays on your computer", "works without a connection", "needs no connection", "no web access",
    "no telemetry", "does not phone home", "never phones home", "no outbound", "runs locally only",
    "purely local", "entirely local", "completely local", "100% local", "disconnected",
];
/// Words that limit such a claim.
#[rustfmt::skip]
const LIMITS: &[&str] = &[
    "offline-first", "offline first", "by default", "optional", "unless", "online", "when offline",
    "if offline", "go offline", "goes offline", "offline mode", "except", "fallback", "falls back",
    "fall back", "or offline", "offline or", "optionally",
];

/// Tools that only read what is there.
#[rustfmt::skip]
const READING: &[&str] = &[
    "Read", "Grep", "Glob", "LS", "NotebookRead", "View", "TodoWrite", "TodoRead", "Search",
    "read", "grep", "glob", "ls",
];

/// Switches and words by which a person chooses to go online.
#[rustfmt::skip]
const SWITCHES: [&str; 14] = [
    "--online", "--live", "--fetch", "--refresh", "--update", "--remote", "--network", "--sync",
    "--download", "opt-in", "opt in", "only when you", "only with", "unless you",
];

/// Words that say of a switch what it does.
const REACHING: [&str; 9] =
    ["network", "internet", "web", "download", "fetch", "api", "http", "https", "server"];

/// Whether a text says that something happens online, and not that nothing does.
fn goes_online(text: &str) -> bool {
    text.match_indices("online").any(|(at, _)| {
        let before = text[..at].trim_end();
        !["no", "not", "never", "nothing", "without"].iter().any(|word| before.ends_with(word))
    })
}

/// Whether the skill's own text names a switch that goes online.
fn has_switch(skill: &Skill<'_>) -> bool {
    let main = skill.members.iter().find(|member| member.path.eq_ignore_ascii_case("skill.md"));
    main.is_some_and(|member| {
        let text = String::from_utf8_lossy(&member.bytes).to_lowercase();
        SWITCHES.iter().any(|switch| text.contains(switch))
            || goes_online(&text)
            || text
                .lines()
                .any(|line| line.contains("--") && REACHING.iter().any(|word| has_word(line, word)))
    })
}

/// Whether the skill's own text says, where it names a file, that this one uses the network.
fn says_it_reaches(skill: &Skill<'_>, file: usize) -> bool {
    const SAYS: [&str; 8] = [
        "request",
        "requests",
        "sends",
        "contacts",
        "queries",
        "downloads",
        "looks up",
        "over the network",
    ];
    let Some(name) = skill.members.get(file).and_then(|m| m.path.rsplit('/').next()) else {
        return false;
    };
    let main = skill.members.iter().find(|member| member.path.eq_ignore_ascii_case("skill.md"));
    main.is_some_and(|member| {
        let text = String::from_utf8_lossy(&member.bytes);
        text.lines().filter(|line| line.contains(name)).any(|line| {
            let line = line.to_lowercase();
            SAYS.iter().any(|word| has_word(&line, word))
                && !["no ", "not ", "never ", "without "]
                    .iter()
                    .any(|no| SAYS.iter().any(|word| line.contains(&format!("{no}{word}"))))
        })
    })
}

pub(super) fn compare(
    skill: &Skill<'_>,
    passages: &[Passage<'_>],
    observed: &Observed,
    findings: &mut Findings<'_>,
) {
    let description = skill.subject.description.to_lowercase();
    let offline = OFFLINE.iter().any(|claim| description.contains(claim))
        && !LIMITS.iter().any(|limit| description.contains(limit))
        && !has_switch(skill);
    let only_reads = skill.subject.tools.as_ref().is_some_and(|tools| {
        tools.iter().all(|tool| READING.contains(&tool.split('(').next().unwrap_or(tool)))
    });
    if offline || only_reads {
        for passage in
            passages.iter().filter(|passage| passage.context.acts() && passage.decoded.is_none())
        {
            let script = passage.context == Context::Script;
            let fence = passage.context == Context::Fence
                && !matches!(
                    passage.language,
                    Language::Shell | Language::Batch | Language::PowerShell
                );
            if !(script || offline && fence) {
                continue;
            }
            let Some(range) = reach::of_passage(passage) else { continue };
            if offline && says_it_reaches(skill, passage.file) {
                continue;
            }
            if offline
                && (SWITCHES.iter().any(|switch| passage.text.contains(switch))
                    || goes_online(&passage.text))
            {
                continue;
            }
            let claim = if offline {
                "the description says that the skill stays offline"
            } else {
                "the skill declares tools that only read"
            };
            findings.add(
                passage,
                range,
                Match::new(
                    &rules::BEYOND_DECLARED,
                    Severity::Warn,
                    format!("{claim}, and this reaches the network"),
                ),
            );
        }
    }
    undeclared(skill, observed, findings);
}

/// What a skill uses beyond what it declares of the same kind: for the reader, never a verdict.
fn undeclared(skill: &Skill<'_>, observed: &Observed, findings: &mut Findings<'_>) {
    const SHOWN: usize = 8;
    let Some(main) =
        skill.members.iter().position(|member| member.path.eq_ignore_ascii_case("skill.md"))
    else {
        return;
    };
    let mut say = |what: &str, beyond: Vec<&str>| {
        if !beyond.is_empty() {
            let list = beyond[..beyond.len().min(SHOWN)].join(", ");
            findings.add_file(
                main,
                &list,
                Match::new(&rules::BEYOND_DECLARED, Severity::Info, format!("{what}: {list}")),
            );
        }
    };
    let subject = &skill.subject;
    if !subject.environment.is_empty() {
        let secret = |name: &&str| {
            ["KEY", "TOKEN", "SECRET", "PASSWORD"].iter().any(|word| name.contains(word))
        };
        let beyond: Vec<&str> = observed
            .environment
            .iter()
            .map(String::as_str)
            .filter(|name| !subject.declares(name))
            .filter(secret)
            .collect();
        say("it reads keys that it does not declare", beyond);
    } else if let Some(tools) = &subject.tools {
        let domains: Vec<&str> = tools
            .iter()
            .filter_map(|tool| tool.split_once("domain:"))
            .map(|(_, domain)| domain.trim_end_matches(')'))
            .collect();
        if !domains.is_empty() {
            let beyond: Vec<&str> = observed
                .hosts
                .iter()
                .map(String::as_str)
                .filter(|host| !subject.is_about(host))
                .collect();
            say("it reaches hosts that it does not declare", beyond);
        }
    }
    if let Some(tools) = &subject.tools {
        let shells: Vec<&str> =
            tools.iter().filter_map(|tool| tool.strip_prefix("Bash(")).collect();
        if !shells.is_empty() && !tools.iter().any(|tool| tool == "Bash" || is_wildcard(tool)) {
            let declared = |name: &str| {
                shells.iter().any(|shell| {
                    shell
                        .split([' ', ':', ')', '*'])
                        .next()
                        .is_some_and(|first| first.rsplit('/').next() == Some(name))
                })
            };
            let beyond: Vec<&str> = observed
                .commands
                .iter()
                .map(String::as_str)
                .filter(|name| !declared(name))
                .collect();
            say("its scripts run programs that it does not declare", beyond);
        }
    }
}

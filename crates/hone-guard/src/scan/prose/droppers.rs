//! Prerequisites that are the attack: an unknown program to fetch and start before a skill works.
//!
//! One sign says nothing: real skills link to releases, name passwords and ask for tools. A section
//! that links to a file or a paste of a stranger, and also says how to unlock it, that it must run,
//! or how to get past the system's warnings, adds up.

use super::super::Skill;
use super::super::destination::{Address, Class, addresses, host, registry};
use super::super::finding::{Context, Flow, Severity};
use super::super::findings::{Findings, Match};
use super::super::kind::Language;
use super::super::mention::has_word;
use super::super::passage::Passage;
use super::super::rules;
use super::super::text::floor;

/// Bytes of one section that are looked at.
const MAX_SECTION: usize = 64 * 1024;
/// Parts of a section before and after the link that speak of it.
const BEFORE: usize = 5;
const AFTER: usize = 9;
/// Weight at which a section is worth a look, and at which it is an attack.
const CAUTION: usize = 4;
const CERTAIN: usize = 6;

/// Signs that are asked for by name.
const PIPED: &str = "a stranger's script that is run unseen";
const LOGIN: &str = "the login password";

/// Endings of files that carry programs.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    ".zip", ".rar", ".7z", ".dmg", ".exe", ".msi", ".pkg", ".tar.gz", ".tgz", ".apk", ".appimage", ".scr", ".bat", ".cmd", ".ps1", ".command", ".iso", ".img", ".tar.xz",
    ".jar", ".vbs", ".lnk", ".app.zip", ".msix", ".crx", ".xpi", ".deb", ".rpm", ".run", ".bin",
];

/// Endings of files that start when they are opened.
#[rustfmt::skip]
const STARTABLE: &[&str] = &[
    ".exe", ".msi", ".pkg", ".dmg", ".scr", ".bat", ".cmd", ".ps1", ".command", ".msix", ".vbs", ".lnk", ".appimage", ".apk", ".jar", ".crx", ".xpi", ".zip", ".rar", ".7z",
    ".tar.gz", ".tgz",
];

/// Places that hand out files of anybody.
#[rustfmt::skip]
const FILE_HOSTS: &[&str] = &[
    "mega.nz", "mediafire.com", "drive.google.com", "dropbox.com", "pan.baidu.com", "lanzou", "gofile.io", "wetransfer.com", "pixeldrain", "sendspace", "catbox.moe",
    "file.io", "transfer.sh", "anonfiles", "1drv.ms", "disk.yandex", "cloud.mail.ru", "quark.cn", "123pan", "cdn.discordapp.com", "aliyundrive", "alipan", "weiyun",
    "cowtransfer", "terabox", "workupload", "krakenfiles", "filebin", "bayfiles", "uploadgig", "zippyshare", "s3.amazonaws.com", "sourceforge.net", "ipfs.io",
];

/// Words that make a password one of an archive.
#[rustfmt::skip]
const ARCHIVES: &[&str] = &[
    "zip", "rar", ".7z", "archive", "extract", "unpack", "解压", "压缩", "comprim", "archivo", "archiv", "архив", "提取码",
];

/// Words that make a stranger's page one to take a program from.
#[rustfmt::skip]
const TAKING: &[&str] = &[
    "download", "lives on a share", "on a share", "take it from", "fetch it", "opens with", "passcode", "put into the clipboard", "paste the", "paste it", "get it", "grab", "installer", "install the", "copy the command", "copy the", "下载", "descarg", "baix", "herunterlad", "telecharg",
    "скача",
];

struct Sign {
    weight: usize,
    says: &'static str,
    words: &'static [&'static str],
}

/// What adds up, once there is a link.
#[rustfmt::skip]
const SIGNS: &[Sign] = &[
    Sign {
        weight: 3,
        says: "a password to unpack it",
        words: &[
    "password", "passphrase", "pass:", "pwd:", "pwd ", "passcode", "archive key", "key:", "unlock with", "unlock code", "unlock it with", "unlock them with", "unlocks with", "protected with", "encrypted with", "解压密码", "密码", "提取码", "口令", "contrasena", "clave",
    "senha", "mot de passe", "passwort", "kennwort", "парол",
        ],
    },
    Sign {
        weight: 1,
        says: "unpacking",
        words: &[
    "extract", "unzip", "unpack", "unarchive", "解压", "descomprim", "extrai", "extraire", "extrayez", "entpack", "распак",
        ],
    },
    Sign {
        weight: 1,
        says: "starting it",
        words: &[
    "run it", "run the", "start core", "unpack", "start `", "and start", "make it executable", "type it", "execute", "launch", "double-click", "double click", "start the",
    "start it", "install it", "install the", "start `", "run `", "open it", "open the file", "open the installer", "chmod +x", "run setup", "keep it running",
    "leave it running", "load unpacked", "运行", "双击", "启动", "安装", "ejecut", "abre el", "instala", "execute o", "rode", "starte", "fuhre", "lancez", "executez", "запуст",
    "откро", "drag", "open the program", "open the app", "start the program", "start the app", "run the program", "launch the", "open what is inside", "load it",
        ],
    },
    Sign {
        weight: 1,
        says: "that nothing works without it",
        words: &[
    "prerequisite", "must be running", "must be active", "must be started", "stay locked", "stays locked", "is missing", "are missing", "cannot work", "must run",
    "must be installed", "needs to be running", "need to be running", "before using", "before you use", "before use", "before the first", "before continuing",
    "before running", "will not work", "won't work", "does not work", "doesn't work", "not work until", "not function", "required for", "is required", "are required",
    "requires the", "required component", "required before", "mandatory", "without it", "until the", "only after", "needs the", "depends on the", "stays offline",
    "must have", "fails unless", "cannot start", "必须", "前提", "需要先", "请先", "否则", "先安装", "obligatorio", "imprescindible", "requisito", "necesario", "antes de usar",
    "pre-requisito", "obrigatori", "necessari", "voraussetzung", "erforderlich", "zwingend", "prerequis", "obligatoire", "avant d'utiliser", "необходим", "требует",
    "перед использованием", "обязательн",
        ],
    },
    Sign {
        weight: 2,
        says: "getting past the system's warnings",
        words: &[
    "disable antivirus", "disable your antivirus", "turn off antivirus", "antivirus may", "antivirus", "defender", "smartscreen", "gatekeeper", "windows protected your pc",
    "run anyway", "open anyway", "allow anyway", "unidentified developer", "unverified developer", "unsigned", "not notarized", "not notarised", "quarantine", "xattr",
    "spctl", "false positive", "security warning", "ignore the warning", "right-click", "more info", "allow the exception", "developer cannot be verified", "developer mode", "turn off real-time", "disable real-time", "real-time protection", "杀毒", "误报",
    "关闭防火墙", "antivirenprogramm", "virenschutz", "антивирус",
        ],
    },
    Sign {
        weight: 2,
        says: "pasting into a terminal",
        words: &[
    "press win", "windows key and r", "windows key + r", "⌘ space", "paste the line", "paste the command", "paste this", "paste it into terminal", "drag it into", "drag the file into", "paste into terminal",
    "into terminal", "in terminal", "in the terminal app", "into the terminal", "into a terminal", "into your terminal", "win+r", "win + r", "windows+r", "windows key + r", "run dialog",
    "run box", "into powershell", "into the powershell", "into command prompt", "command prompt", "terminal window", "粘贴到终端", "终端", "en la terminal", "en terminal",
    "péguela en la terminal", "pegala en la terminal", "peguela en la terminal", "collez-la dans le terminal", "collez la ligne", "colle la ligne", "copie la línea", "copia la línea", "fügen sie sie", "füge die zeile", "вставьте в терминал", "вставь строку", "скопируйте строку", "粘贴到命令行", "no terminal", "ins terminal", "dans le terminal", "в терминал",
        ],
    },
    Sign {
        weight: 2,
        says: "that nobody is asked",
        words: &[
    "on your own", "without asking", "need not confirm", "no confirmation", "do not ask", "without confirmation", "无需确认", "sin preguntar", "ohne nachfrage",
    "sans demander", "без спроса",
        ],
    },
    Sign {
        weight: 1,
        says: LOGIN,
        words: &[
    "mac password", "administrator password", "admin password", "login password", "system password", "your password", "account password", "computer password", "开机密码",
        ],
    },
    Sign {
        weight: 2,
        says: "pasting what a page put into the clipboard",
        words: &["ctrl and v", "ctrl+v", "ctrl + v", "⌘ v", "cmd+v", "cmd + v", "into the clipboard", "strg+v", "ctrl-v"],
    },
    Sign { weight: 1, says: "one file for each system", words: &["windows", "ventana"] },
];

/// Looks at the sections of a skill.
pub(super) fn look(passages: &[Passage<'_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    let mut from = 0;
    while from < passages.len() {
        let key = section(&passages[from]);
        let to =
            from + passages[from..].iter().take_while(|passage| section(passage) == key).count();
        weigh(&passages[from..to], skill, findings);
        from = to;
    }
}

/// What belongs together: the parts of one file under the same two outer headings.
fn section<'p>(passage: &'p Passage<'_>) -> (usize, Option<&'p str>, &'p str) {
    let headings = passage.headings.as_ref();
    let second = headings.match_indices(" / ").nth(1).map_or(headings.len(), |(at, _)| at);
    (passage.file, passage.decoded.as_deref(), &headings[..second])
}

fn weigh(section: &[Passage<'_>], skill: &Skill<'_>, findings: &mut Findings<'_>) {
    // The strongest link decides where the finding stands.
    let mut best: Option<(usize, Address<'_>, usize, &'static str)> = None;
    let mut programs = 0;
    let parts: Vec<&Passage<'_>> = section
        .iter()
        .filter(|passage| {
            (passage.context.acts() || is_row(passage))
                && !matches!(passage.context, Context::Setting | Context::InlineCode)
        })
        .collect();
    if parts.iter().all(|passage| is_row(passage)) {
        return;
    }
    let clicks = parts.iter().any(|passage| is_clicked(&passage.text));
    for (at, passage) in parts.iter().enumerate() {
        // Code spans repeat what the prose around them says.
        if !passage.text.contains("://") && !passage.text.contains(".com/") {
            continue;
        }
        let taking = passage.context == Context::Prose && !is_row(passage) && {
            let text = passage.text.to_lowercase();
            TAKING.iter().any(|word| text.contains(word))
        };
        for address in addresses(&passage.text).into_iter().chain(bare(&passage.text)) {
            let piped = is_piped(&passage.text[address.range.end..]);
            let (weight, says) = match link(&address, taking) {
                (0 | 1, _) if piped && matches!(address.class(), Class::Foreign | Class::Inbox) => {
                    (2, PIPED)
                }
                // A page that has the reader press keys blindly.
                (0, _) if clicks && matches!(address.class(), Class::Foreign | Class::Inbox) => {
                    (1, "somebody's page")
                }
                link => link,
            };
            programs += usize::from(weight > 0);
            if weight > best.as_ref().map_or(0, |(_, _, best, _)| *best) {
                best = Some((at, address, weight, says));
            }
        }
    }
    let Some((at, address, mut weight, says)) = best else { return };
    let passage = parts[at];
    let script = passage.context == Context::Script;
    let mut text = String::new();
    for part in &parts[at.saturating_sub(BEFORE)..(at + AFTER).min(parts.len())] {
        let room = MAX_SECTION.saturating_sub(text.len());
        text.push_str(&part.text[..floor(&part.text, room)]);
        text.push('\n');
    }
    text.push_str(&passage.headings);
    let text = text.to_lowercase();
    let around = &parts[at.saturating_sub(BEFORE)..(at + AFTER).min(parts.len())];
    // In code, a password is a parameter and a quarantine a subject.
    let said: String = around
        .iter()
        .filter(|part| !matches!(part.context, Context::Fence))
        .map(|part| part.text.to_lowercase())
        .collect::<Vec<_>>()
        .join("\n");
    let mut signs = vec![says];
    let mut strong = false;
    for sign in SIGNS {
        let found = match sign.says {
            "a password to unpack it" => {
                sign.words.iter().any(|word| said.contains(word))
                    && ARCHIVES.iter().any(|word| text.contains(word))
            }
            "one file for each system" => {
                programs >= 2
                    && has_word(&text, "windows")
                    && (text.contains("macos") || text.contains("linux") || has_word(&text, "mac"))
            }
            _ => sign.words.iter().any(|word| text.contains(word)),
        };
        if found {
            weight += sign.weight;
            strong |= sign.weight >= 2;
            signs.push(sign.says);
        }
    }
    // A link and the words of any installation guide are not enough.
    let known = matches!(address.class(), Class::Installer | Class::Local | Class::Placeholder)
        || skill.subject.hosts.contains(&address.host());
    let foreign = says == "a program on a stranger's host";
    let sure = strong && signs.len() >= 3
        || foreign && (signs.len() >= 3 || signs.len() == 2 && passage.context != Context::Fence)
        || signs.len() >= 4 && weight > CAUTION
        || weight >= CERTAIN
        || matches!(address.class(), Class::Address | Class::Paste | Class::Shortener)
            && signs.len() >= 2;
    // Installers are piped into shells every day; those that want the password are another matter.
    let plain = says == PIPED && !strong && !signs.contains(&LOGIN);
    if weight < CAUTION || known || !sure || (script && !strong) || plain {
        return;
    }
    let severity = if weight >= CERTAIN { Severity::Critical } else { Severity::Warn };
    let flow = Flow {
        source: Some(address.url.to_owned()),
        sink: Some("a program that the reader starts".to_owned()),
        ..Flow::default()
    };
    let message = format!("a prerequisite asks for a stranger's program: {}", signs.join(", "));
    let range = address.range.clone();
    // A row of a table of downloads is an instruction here.
    let passage = Passage { context: shown(passage), ..(*passage).clone() };
    findings.add(&passage, range, Match::new(&rules::DROPPER, severity, message).with(flow));
}

/// Whether a text has its reader open the system's prompt and paste into it: `Win+R`, `Ctrl+V`.
fn is_clicked(text: &str) -> bool {
    let keys: String =
        text.to_lowercase().chars().filter(|c| !matches!(c, ' ' | '`' | '*' | '_')).collect();
    ["win+r", "windows+r", "⌘+space", "cmd+space", "⊞+r"].iter().any(|way| keys.contains(way))
        && ["ctrl+v", "cmd+v", "⌘+v", "strg+v", "paste"].iter().any(|way| keys.contains(way))
}

/// Longest page that is named without its scheme.
const MAX_BARE: usize = 200;

/// Pages of code forges that are named without `https://`.
fn bare(text: &str) -> Vec<Address<'_>> {
    let mut found = Vec::new();
    for forge in ["github.com/", "gitlab.com/", "bitbucket.org/"] {
        for (at, _) in text.match_indices(forge) {
            if text[..at]
                .ends_with(|c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '@'))
            {
                continue;
            }
            let rest = &text[at..floor(text, at + MAX_BARE)];
            let end = rest
                .find(|c: char| c.is_whitespace() || matches!(c, '`' | ')' | '"' | ',' | '>' | ']'))
                .unwrap_or(rest.len());
            let url = rest[..end].trim_end_matches(['.', ':', ';']);
            found.push(Address { range: at..at + url.len(), url });
        }
    }
    found
}

/// A row of a table, which elsewhere only mentions.
fn is_row(passage: &Passage<'_>) -> bool {
    passage.context == Context::Mention
        && passage.language == Language::Markdown
        && passage.text.contains(" | ")
}

fn shown(passage: &Passage<'_>) -> Context {
    if is_row(passage) { Context::Prose } else { passage.context }
}

/// Whether what follows an address feeds it to an interpreter.
fn is_piped(after: &str) -> bool {
    const REACH: usize = 60;
    let after = after[..floor(after, REACH)].split('\n').next().unwrap_or_default();
    after.split('|').skip(1).take(2).any(|next| {
        let name = next.trim_start().split([' ', '`', '"', '\'', ')']).next().unwrap_or_default();
        matches!(name, "sh" | "bash" | "zsh" | "iex" | "sudo" | "python3" | "python")
    })
}

/// How much a link weighs by itself, and what it is.
fn link(address: &Address<'_>, taking: bool) -> (usize, &'static str) {
    let url = address.url.to_ascii_lowercase();
    let path = url.split(['?', '#']).next().unwrap_or(&url);
    let host_end = path.find("://").map_or(0, |at| at + 3);
    let file =
        path[host_end..].contains('/') && PROGRAMS.iter().any(|ending| path.ends_with(ending));
    let file = file && !(address.class() == Class::Service && is_source(path));
    match address.class() {
        Class::Local | Class::Placeholder | Class::Installer => (0, ""),
        Class::Paste => (2, "a text on a paste site"),
        Class::Shortener => (2, "a shortened link"),
        Class::Address => (3, "a bare network address"),
        _ if FILE_HOSTS.iter().any(|host| url.contains(host)) => (2, "a file host"),
        Class::Foreign | Class::Inbox
            if file && STARTABLE.iter().any(|ending| path.ends_with(ending)) =>
        {
            (3, "a program on a stranger's host")
        }
        _ if file => (2, "a link to a program or archive"),
        Class::Service
            if path.contains("/releases/download/")
                || path.contains("/releases/latest/download/") =>
        {
            (2, "a program among somebody's releases")
        }
        Class::Service if path.contains("/releases") => (1, "a page of releases"),
        Class::Service if taking && !url.contains("://") && path.matches('/').count() == 2 => {
            (1, "somebody's repository")
        }
        Class::Foreign | Class::Inbox if taking => (1, "somebody's page"),
        Class::Foreign | Class::Inbox | Class::Service => (0, ""),
    }
}

/// Archives of source code, and packages of registries.
fn is_source(path: &str) -> bool {
    path.contains("/archive/")
        || path.contains("/refs/")
        || host(path).is_some_and(|host| registry(&host).is_some())
        || path.contains("googleapis.com/")
}

//! Windows commands and cmdlets that switch protections off or start things by themselves.

use crate::scan::Skill;
use crate::scan::destination::{Class, addresses};
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::rules;

/// Looks at one script.
pub(super) fn windows(
    lower: &str,
    text: &str,
    context: Context,
    skill: &Skill<'_>,
    report: &mut impl FnMut(usize, Match),
) {
    let off: [(&str, &str); 19] = [
        ("disablerealtimemonitoring", "the malware scanner is switched off"),
        ("add-mppreference", "the malware scanner is told to look away"),
        ("disableantispyware", "the malware scanner is switched off"),
        ("disablebehaviormonitoring", "the malware scanner is switched off"),
        ("recoveryenabled no", "repair of the system is switched off"),
        ("bootstatuspolicy ignoreallfailures", "repair of the system is switched off"),
        ("wbadmin delete", "copies of the system are deleted"),
        ("set-mppreference -disable", "the malware scanner is switched off"),
        ("exclusionpath", "the malware scanner is told to look away"),
        ("exclusionprocess", "the malware scanner is told to look away"),
        ("exclusionextension", "the malware scanner is told to look away"),
        ("amsiutils", "the script scanner is switched off"),
        ("amsiinitfailed", "the script scanner is switched off"),
        ("netsh advfirewall set allprofiles state off", "the firewall is switched off"),
        ("stop-service windefend", "the malware scanner is stopped"),
        ("stop-service -name windefend", "the malware scanner is stopped"),
        ("private -enabled false", "the firewall is switched off"),
        ("sc stop windefend", "the malware scanner is stopped"),
        ("set-executionpolicy unrestricted -scope localmachine", "scripts of anybody may run"),
    ];
    let changes = [
        "set-mppreference",
        "add-mppreference",
        "amsi",
        "netsh",
        "stop-service",
        "set-netfirewallprofile",
        "sc stop",
        "set-executionpolicy",
        "reg add",
        "set-itemproperty",
        "new-itemproperty",
        "bcdedit",
        "wbadmin",
    ]
    .iter()
    .any(|word| lower.contains(word));
    for (word, message) in off {
        let mut places = lower.match_indices(word).map(|(at, _)| at);
        let shown = |at: usize| context == Context::Fence && lets_one_write(&lower[at..]);
        let loosens = |at: &usize| changes && !is_protection_on(&lower[*at..]) && !shown(*at);
        if let Some(at) = places.find(loosens) {
            report(at, Match::new(&rules::PROTECTION_OFF, Severity::Critical, message));
            break;
        }
    }
    if let Some(at) =
        lower.find("add-localgroupmember").filter(|_| lower.contains("administrators"))
    {
        let message = "an account that may do everything is made";
        report(at, Match::new(&rules::CREDENTIAL_WRITE, Severity::Warn, message));
    }
    let writes_registry =
        ["set-itemproperty", "new-itemproperty", "reg add", "setvalue", "reg.exe add"]
            .iter()
            .any(|w| lower.contains(w));
    let starts = [
        "currentversion\\run",
        "register-scheduledtask",
        "schtasks /create",
        "schtasks.exe /create",
        "new-scheduledtaskaction",
        "start menu\\programs\\startup",
        "register-wmievent",
        "__eventfilter",
        "new-service -name",
    ];
    for word in starts {
        // Looking into the folder is not putting something there.
        let puts = !word.ends_with("startup")
            || [
                "copy-item",
                "new-item",
                "out-file",
                "set-content",
                "move-item",
                "createshortcut",
                "copy ",
            ]
            .iter()
            .any(|verb| lower.contains(verb));
        if let Some(at) = lower
            .find(word)
            .filter(|_| puts && (!word.starts_with("currentversion") || writes_registry))
        {
            let worst = ["http", "iex", "hidden", "-enc", "mshta", "wscript", "downloadstring"]
                .iter()
                .any(|w| lower.contains(w));
            let bad = worst
                || context == Context::Script
                    && !skill.schedules()
                    && [
                        "powershell",
                        "appdata",
                        "temp",
                        ".ps1",
                        ".exe",
                        ".vbs",
                        ".cmd",
                        ".bat",
                        "python",
                        "node",
                    ]
                    .iter()
                    .any(|w| lower.contains(w));
            let severity = if worst && !(skill.schedules() && context == Context::Fence) || bad {
                Severity::Critical
            } else {
                Severity::Info
            };
            report(
                at,
                Match::new(
                    &rules::PERSISTENCE_WRITE,
                    severity,
                    "something is made to start by itself",
                )
                .with(Flow::new("a command", word).when("by itself")),
            );
            break;
        }
    }
    // The mark of a download is taken off what is then started.
    let unmarked = lower.find("unblock-file").filter(|at| {
        let rest = &lower[at + "unblock-file".len()..];
        let line = rest.split(['\n', ';', '|']).next().unwrap_or_default();
        let path = line.split_whitespace().rfind(|word| !word.starts_with('-'));
        path.map(|path| path.trim_matches(['"', '\'']))
            .is_some_and(|path| path.len() > 3 && rest[line.len()..].contains(path))
    });
    let stream = lower.find("zone.identifier").filter(|_| {
        ["remove-item", "del ", "clear-content", "streams"].iter().any(|w| lower.contains(w))
    });
    if let Some(at) = unmarked.or(stream) {
        let message = "the quarantine mark of a download is removed";
        report(at, Match::new(&rules::PROTECTION_OFF, Severity::Warn, message));
    }
    // Fetch-and-run with the system's own tools.
    let fetchers = ["certutil", "bitsadmin", "mshta", "regsvr32", "rundll32", "msiexec"];
    for word in fetchers {
        if let Some(at) = lower.find(word)
            && let Some(address) = addresses(&text[at..]).first()
            && address.range.start < 300
            // certutil -encode, -decode, -hashfile: on files that are there.
            && (word != "certutil" || !text[at..][..address.range.start].contains('\n'))
            // Without an option these fetch nothing: it is a link to their manual.
            && (word == "mshta" || has_option(&text[at..][..address.range.start]))
            && !matches!(address.class(), Class::Local | Class::Installer)
        {
            let placeholder = address.class() == Class::Placeholder && context != Context::Script;
            report(
                at,
                Match::new(
                    &rules::REMOTE_TO_INTERPRETER,
                    if placeholder { Severity::Info } else { Severity::Critical },
                    format!("`{word}` fetches and runs a program"),
                )
                .with(Flow::new("a program", word).to(address.host())),
            );
            break;
        }
    }
    let encoded = |at: usize| {
        let value =
            text[at..].split_whitespace().nth(1).unwrap_or_default().trim_matches(['"', '\'']);
        value.len() >= 20
            && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'='))
    };
    // Start-Process … '-EncodedCommand', $text: the text stands elsewhere in the script.
    let elsewhere = lower.find("-encodedcommand").filter(|_| {
        let is_code = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
        text.split(|c| !is_code(c)).any(|run| run.len() >= 80)
    });
    if let Some(at) =
        [lower.find("-encodedcommand"), lower.find("-enc "), lower.find("-ec "), lower.find("-e ")]
            .into_iter()
            .flatten()
            .find(|at| encoded(*at))
            .or(elsewhere)
    {
        report(
            at,
            Match::new(
                &rules::DECODED_TO_INTERPRETER,
                Severity::Critical,
                "an encoded command is run by PowerShell",
            )
            .with(Flow::new("an encoded text", "`powershell`").through("base64")),
        );
    }
    if lower.contains("format c:")
        || lower.contains("rd /s /q c:\\")
        || lower.contains("del /f /s /q c:\\")
        || lower.contains("vssadmin delete shadows")
        || lower.contains("remove-item -recurse -force $env:userprofile")
        || lower.contains("remove-item -path c:\\ -recurse")
        || lower.contains("remove-item c:\\ -recurse")
        || lower.contains("format-volume -driveletter") && lower.contains("-force")
        || lower.contains("wbadmin delete catalog")
        || lower.contains("clear-disk") && lower.contains("removedata")
        || lower.contains("diskpart") && lower.contains("clean all")
    {
        report(
            0,
            Match::new(
                &rules::DESTRUCTIVE,
                Severity::Critical,
                "a disk, a home folder or its backups are deleted",
            ),
        );
    }
    if lower.contains("clear-eventlog")
        || lower.contains("wevtutil cl")
        || lower.contains("clear-history") && lower.contains("remove-item")
    {
        report(
            0,
            Match::new(
                &rules::TRACE_WIPING,
                Severity::Warn,
                "event logs or the history are cleared",
            ),
        );
    }
}

/// Whether a command has an option, as Windows writes it, or the function of a library: `url.dll,OpenURL`.
fn has_option(command: &str) -> bool {
    command
        .split_whitespace()
        .skip(1)
        .any(|word| word.starts_with(['-', '/']) || word.contains([',', ':']))
}

/// Whether a command lets one program write to folders that are guarded; nothing is left unscanned.
fn lets_one_write(command: &str) -> bool {
    command.starts_with("add-mppreference -controlledfolderaccessallowedapplications")
}

/// Whether a command of the scanner's settings switches a protection on: `-DisableX $false`, a folder that
/// is to be protected.
fn is_protection_on(command: &str) -> bool {
    let line = command.split(['\n', ';']).next().unwrap_or_default();
    let disables = line.matches("disable").count();
    let kept = line.matches("$false").count();
    disables > 0 && disables == kept
        || line.starts_with("add-mppreference -controlledfolderaccessprotectedfolders")
}

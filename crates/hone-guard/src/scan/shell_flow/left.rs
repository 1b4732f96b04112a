//! Texts that are left somewhere to run later: lines of a crontab, units, desktop entries, property
//! lists, as the commands in them.

/// Keys of units, desktop entries and settings whose value is a command.
const KEYS: [&str; 18] = [
    "ExecStart=",
    "ExecStartPre=",
    "ExecStartPost=",
    "ExecReload=",
    "ExecStop=",
    "ExecStopPost=",
    "ExecCondition=",
    "Exec=",
    "TryExec=",
    "command=",
    "RUN+=",
    "ProxyCommand ",
    "LocalCommand ",
    "APT::Update::Pre-Invoke",
    "DPkg::Pre-Invoke",
    "DPkg::Post-Invoke",
    "fsmonitor =",
    "sshCommand =",
];

/// The commands of a text, each on its line; a shell script is what it is.
pub(super) fn commands(text: &str) -> String {
    if text.contains("<plist") || text.contains("<string>") {
        let strings =
            text.split("<string>").skip(1).filter_map(|rest| rest.split("</string>").next());
        let strings: Vec<String> = strings
            .map(|text| text.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">"))
            .collect();
        // sh -c, then the command.
        return strings.join("\n");
    }
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let line = line.trim_start();
        let value = KEYS.iter().find_map(|key| line.strip_prefix(key));
        let command =
            value.map(|value| value.trim_start_matches(['-', '@', '+', '!', ':', ' ', '"', '{']));
        out.push_str(command.or_else(|| scheduled(line)).unwrap_or(line));
        out.push('\n');
    }
    out
}

/// The command of a line of a crontab: behind five fields of times or `@reboot`, and perhaps a name.
fn scheduled(line: &str) -> Option<&str> {
    // echo "…" leaves options and formats of `printf` before it.
    let line = line.trim_start_matches("%s\\n").trim_start_matches(['"', '\'', ' ']);
    let fields = if line.starts_with('@') { 1 } else { 5 };
    let mut rest = line;
    for _ in 0..fields {
        let (field, after) = rest.split_once([' ', '\t'])?;
        let is_time = field.starts_with('@')
            || field.bytes().all(|b| b.is_ascii_alphanumeric() || b"*/,-?#".contains(&b))
                && field.bytes().any(|b| b.is_ascii_digit() || b == b'*');
        if !is_time {
            return None;
        }
        rest = after.trim_start();
    }
    Some(rest.strip_prefix("root ").unwrap_or(rest))
}

//! A skill's text is a stranger's: no byte of it may steer a terminal.

use crate::harness::{Run, Sandbox, need};

/// What must never come through: it would colour, retitle, write the clipboard, reorder or overwrite.
const EVIL: &str = "\u{1b}[31m\u{1b}]52;c;Zm9v\u{7}\u{1b}]0;title\u{1b}\\\u{9b}2J\u{202e}\u{2066}\u{200f}\u{8}\r\u{7f}";

fn hostile() -> Sandbox {
    need("script");
    let sandbox = Sandbox::new();
    let yaml = "\\e[31m\\e]52;c;Zm9v\\a\\x9b2J\\u202e\\u2066\\b\\r\\x7f";
    sandbox.write(
        "home/.agents/skills/evil/SKILL.md",
        format!(
            "---\nname: \"evil{yaml}\"\ndescription: \"Looks fine. {yaml}\"\nlicense: \"{yaml}\"\nmetadata:\n  version: \"1{yaml}\"\n  \
             \"key{yaml}\": x\n\"odd{yaml}\": 1\n---\n# Head {EVIL}\n\nBody {EVIL} `code {EVIL}` [link](http://x/{EVIL})\n\n```{EVIL}\n{EVIL}\n```\n"
        ),
    );
    sandbox.write(
        &format!("home/.agents/skills/evil/references/file{}.md", EVIL.replace('/', "")),
        EVIL,
    );
    sandbox.write(
        &format!("home/.agents/skills/broken{}/SKILL.md", EVIL.replace('/', "")),
        format!("---\nname: \"{yaml}\n{EVIL}"),
    );
    sandbox.write(
        "home/.agents/skills/latin/SKILL.md",
        [b"---\nname: latin\n".as_slice(), EVIL.as_bytes(), b"\xff\n"].concat(),
    );
    sandbox
}

/// Only colours of our own, line ends and tabs.
#[track_caller]
fn assert_safe(run: &Run, what: &str) {
    let text = String::from_utf8_lossy(&run.stdout).into_owned();
    let mut rest = text.as_str();
    let mut plain = String::new();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';' && c != '[').unwrap_or(0);
        let is_ours = after.starts_with('[') && after[end..].starts_with('m');
        let (sequence, tail) = after.split_at(end);
        assert!(is_ours, "{what}: a foreign sequence ESC {sequence:?} in\n{}", text.escape_debug());
        rest = &tail[1..];
    }
    plain.push_str(rest);
    let bad = plain.chars().find(|&c| {
        (c.is_control() && c != '\n' && c != '\t')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}')
    });
    assert_eq!(bad, None, "{what}: in\n{}", text.escape_debug());
    // The colour of the skill itself is not one of ours at that place.
    assert!(!text.contains("\u{1b}[31m\u{1b}]"), "{what}");
}

const EVIL_SKILL: &str = "../home/.agents/skills/evil";

#[test]
fn nothing_of_a_skill_steers_the_terminal() {
    let sandbox = hostile();
    sandbox.done(&format!("patch {EVIL_SKILL} --old '# Head' --new '# Top'"));
    let file = format!("references/file{}.md", EVIL.replace('/', ""));
    for line in [
        "",
        "list",
        "list --all",
        "list --json",
        "list --client codex --all",
        "list --client claude-code --json",
        &format!("view {EVIL_SKILL}"),
        &format!("view {EVIL_SKILL} --raw"),
        &format!("view {EVIL_SKILL} --json"),
        &format!("view {EVIL_SKILL} '{file}'"),
        &format!("view {EVIL_SKILL} '{file}' --raw"),
        &format!("view {EVIL_SKILL} 'none{EVIL}'"),
        &format!("file list {EVIL_SKILL}"),
        &format!("file list {EVIL_SKILL} --json"),
        &format!("check {EVIL_SKILL}"),
        "check --root ../home/.agents/skills",
        "check --root ../home/.agents/skills --format json",
        "check --root ../home/.agents/skills --format sarif",
        "check --root ../home/.agents/skills --format github",
        "check --root ../home/.agents/skills --fix --dry-run",
        &format!("diff {EVIL_SKILL} --from 0"),
        &format!("diff {EVIL_SKILL} --from 0 --json"),
        &format!("history {EVIL_SKILL}"),
        &format!("history {EVIL_SKILL} --json"),
        &format!("patch {EVIL_SKILL} --old Body --new Text --dry-run"),
        &format!("patch {EVIL_SKILL} --old 'Body Looks' --new 'x{EVIL}'"),
        &format!("patch {EVIL_SKILL} --fuzzy --old 'Body   \u{1b}[31m' --new x --why '{EVIL}'"),
        "rm evil --dry-run",
        "prompt",
        "prompt --json",
        "doctor",
        "doctor --json",
        "usage",
        "usage --json",
        "usage export",
        &format!("view 'none{EVIL}'"),
        &format!("new 'none{EVIL}'"),
        &format!("list 'none{EVIL}'"),
        &format!("list --client 'none{EVIL}'"),
        &format!("list --root 'none{EVIL}'"),
        &format!("check 'none{EVIL}'"),
        &format!("view a b 'none{EVIL}'"),
        &format!("--none{EVIL}"),
        &format!("config get 'none{EVIL}'"),
        &format!("config set skills.disabled '{EVIL}'"),
        "config",
        "config get skills.disabled",
        "config --json",
        &format!("trust 'none{EVIL}'"),
        &format!("schema 'none{EVIL}'"),
        &format!("rollback {EVIL_SKILL}"),
    ] {
        let run = sandbox.hone(line).on_terminal(80, 24);
        assert!((0..=2).contains(&run.code), "{line:?}: {run}");
        assert!(!run.stdout.is_empty(), "{line:?} shows nothing");
        assert_safe(&run, line);
    }
}

#[test]
fn messages_are_safe_in_a_pipe_too() {
    let sandbox = hostile();
    for line in [
        "list --all",
        "doctor",
        "check --root ../home/.agents/skills",
        &format!("view 'none{EVIL}'"),
    ] {
        let run = sandbox.hone(line).run();
        let safe = |text: &[u8]| {
            let text = String::from_utf8_lossy(text).into_owned();
            let bad = text.chars().find(|c| c.is_control() && *c != '\n' && *c != '\t');
            assert_eq!(bad, None, "{line}: {}", text.escape_debug());
        };
        safe(&run.stdout);
        safe(&run.stderr);
    }
}

#[test]
fn a_pipe_gets_the_exact_bytes_of_what_is_data() {
    let sandbox = hostile();
    let path = sandbox.path("home/.agents/skills/evil/SKILL.md");
    let run = sandbox.hone(&format!("view {EVIL_SKILL} --raw")).run();
    assert_eq!(run.stdout, std::fs::read(path).unwrap());
    let json = sandbox.hone(&format!("view {EVIL_SKILL} --json")).run().json();
    assert!(json["content"].as_str().unwrap().contains(EVIL));
    assert!(json["name"].as_str().unwrap().starts_with("evil\u{1b}[31m"));
    let files = sandbox.hone(&format!("file list {EVIL_SKILL}")).run().text();
    assert!(files.contains("\u{1b}[31m"));
}

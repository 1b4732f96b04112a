//! Commands that reach a program through a function of the skill's own: `sh("systemctl", "disable", unit)`,
//! `git("push", "--mirror", address)`.

use super::expression::Value;
use super::{Out, Unit};
use crate::scan::destination::{Class, classify};
use crate::scan::finding::{Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::kind::of_interpreter;
use crate::scan::rules;

/// Programs that are not interpreters and whose words are followed as a command.
#[rustfmt::skip]
const PROGRAMS: &[&str] = &[
    // what is switched on, off or started by itself
    "systemctl", "setenforce", "sc", "sc.exe", "reg", "reg.exe", "launchctl", "schtasks",
    "schtasks.exe", "crontab", "netsh", "netsh.exe", "iptables", "ufw", "auditctl", "csrutil",
    "spctl", "defaults", "vssadmin", "wevtutil", "bcdedit", "net", "net.exe",
    // who may come in
    "useradd", "usermod", "adduser", "passwd", "chpasswd", "visudo", "sudo", "su", "doas",
    // what is fetched, sent or run
    "git", "curl", "curl.exe", "wget", "nc", "ncat", "netcat", "socat", "scp", "sftp", "rsync", "ssh",
    "certutil", "certutil.exe", "bitsadmin", "mshta", "mshta.exe", "rundll32", "regsvr32", "msiexec",
    "osascript", "cmd", "cmd.exe", "powershell.exe", "pwsh.exe", "docker", "podman", "kubectl", "aws",
    "gcloud", "gsutil", "az", "gh", "npm", "npx", "pip", "pip3", "gem", "openssl", "gpg",
    // what is read
    "security", "secret-tool",
    // what is lost
    "rm", "dd", "shred", "mkfs", "mkfs.ext4", "wipefs", "diskutil", "chattr", "chmod", "chown",
];

impl Unit<'_> {
    /// Words of a command that a function of the skill's own passes on.
    pub(super) fn worded(&mut self, arguments: &[Value], at: usize, out: &mut Out<'_, '_, '_>) {
        let is_program = |text: &str| PROGRAMS.contains(&text) || of_interpreter(text).is_some();
        let first = arguments
            .iter()
            .position(|argument| matches!(argument.texts.as_slice(), [text] if is_program(text)));
        if let Some(first) = first.filter(|first| first + 1 < arguments.len() && out.is_some()) {
            self.run(&arguments[first..], at, out);
        }
    }

    /// `git(repo, "push", "--mirror", address)`, whoever adds `git` to it.
    pub(super) fn pushes_all(&self, all: &Value, at: usize, out: &mut Out<'_, '_, '_>) {
        const EVERYTHING: [&str; 5] =
            ["--mirror", "--all", "refs/*:refs/*", "+refs/*:refs/*", "refs/heads/*:refs/heads/*"];
        let has = |words: &[&str]| all.texts.iter().any(|text| words.contains(&text.as_str()));
        if !has(&["push"]) || !has(&EVERYTHING) {
            return;
        }
        // https://…, git@host:name.git
        let copy = |text: &&String| {
            text.split_once(':').is_some_and(|(host, path)| {
                host.contains('@') && host.contains('.') && !path.is_empty()
            })
        };
        let address = all.address().or_else(|| all.texts.iter().find(copy).map(String::as_str));
        let Some(address) = address.filter(|address| !matches!(classify(address), Class::Local))
        else {
            return;
        };
        let flow = Flow::new("every branch", "`git push`").to(address.to_owned());
        let message = "every branch is pushed to a repository that the text names";
        let found =
            Match::new(&rules::DATA_TO_FOREIGN_HOST, Severity::Critical, message).with(flow);
        self.report(at, Some(found), out);
    }
}

//! Files that say who may log in, by what is written there: a server's settings are everyday work, an
//! account without a password or with every right is not.

use super::super::finding::{Flow, Severity};
use super::super::findings::Match;
use super::super::places::normalise;
use super::super::rules;

/// Settings of the SSH server that let more people in, in lower case with single blanks.
const LETS_IN: [&str; 9] = [
    "permitrootlogin yes",
    "passwordauthentication yes",
    "permitemptypasswords yes",
    "challengeresponseauthentication yes",
    "permituserenvironment yes",
    "strictmodes no",
    "authorizedkeyscommand /",
    "authorizedkeysfile /",
    "trustedusercakeys /",
];

/// What writing a text to a list of accounts or to the SSH server's settings would open.
pub(super) fn opened(path: &str, content: &str) -> Option<Match> {
    let path = normalise(path);
    let message = if path.ends_with("/etc/passwd") || path.ends_with("/etc/shadow") {
        let fields = |line: &str| line.split(':').map(str::trim).map(str::to_owned).collect();
        let opens = content.split(['\n', '\'', '"']).any(|line| {
            let fields: Vec<String> = fields(line);
            // name::0:0:… of accounts, name::19000:… of passwords
            fields.len() >= 6 && (fields[2] == "0" || fields[1].is_empty())
        });
        opens.then_some("an account that may do everything is made")
    } else if path.contains("sshd_config") {
        let words: Vec<&str> = content.split_whitespace().collect();
        let plain = words.join(" ").to_ascii_lowercase();
        LETS_IN
            .iter()
            .any(|setting| plain.contains(setting))
            .then_some("the SSH server is made to let more people in")
    } else {
        None
    }?;
    let flow = Flow::new("a login", "file write").to(path.into_owned());
    Some(Match::new(&rules::CREDENTIAL_WRITE, Severity::Critical, message).with(flow))
}

//! Rights that a command gives to somebody it names: collaborators of a repository, members of a project,
//! owners of a package, accounts of a cloud. Whom the reader is to fill in is nobody; a name that stands in
//! the text is the author's choice and not the user's.

use std::ops::Range;

use super::call::Call;
use crate::scan::destination::is_placeholder;
use crate::scan::finding::{Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::rules;
use crate::scan::shell_flow::Walk;

/// Programs and the words by which they give rights to an address of mail or an account.
#[rustfmt::skip]
const GRANTS: &[(&str, &[&str])] = &[
    ("gcloud", &["add-iam-policy-binding", "add-iam-member", "set-iam-policy"]), ("gsutil", &["iam ch", "acl ch"]), ("bq", &["add-iam-policy-binding"]), ("az", &["role assignment create", "ad group member add", "devops user add"]),
    ("aws", &["add-permission", "put-bucket-policy", "modify-image-attribute", "modify-snapshot-attribute", "invite-account", "create-grant", "put-resource-policy", "associate-principals", "create-resource-share", "add-user-to-group"]),
    ("kubectl", &["create clusterrolebinding", "create rolebinding"]), ("oc", &["adm policy add"]), ("heroku", &["access:add", "members:add"]), ("vercel", &["teams invite", "team invite"]), ("gdrive", &["permissions add", "permissions create", "share"]),
    ("rclone", &["backend share"]), ("gog", &["permissions add", "drive share", "calendar acl"]), ("gam", &["add delegate", "add drivefileacl", "add acl"]), ("firebase", &["members:add"]), ("railway", &["invite"]), ("fly", &["orgs invite"]),
    ("flyctl", &["orgs invite"]), ("netlify", &["members:add"]), ("op", &["vault user grant", "user provision"]), ("bw", &["share"]), ("gem", &["owner"]),
];

/// Names that stand for whoever the reader means.
#[rustfmt::skip]
const ANYBODY: [&str; 28] = [
    "octocat", "monalisa", "hubot", "username", "user", "users", "name", "login", "handle", "alice", "bob", "carol", "jane", "john", "teammate", "colleague", "collaborator", "contributor", "someone", "newuser", "new-user",
    "github-username", "github-user", "member", "friend", "maintainer", "reviewer", "email",
];

/// Numbers of accounts that documentation is written with.
const SAMPLES: [&str; 5] =
    ["123456789012", "111122223333", "444455556666", "210987654321", "012345678901"];

impl Walk<'_, '_, '_> {
    /// Reports a right that is given to somebody whom the text names.
    pub(super) fn grants(&mut self, call: &Call, at: &Range<usize>) {
        let Some(whom) = granted(call) else { return };
        let message = format!("`{whom}` is given rights over what is the user's");
        let flow = Flow::new("a right", format!("`{}`", call.name)).to(whom);
        let found = Match::new(&rules::CREDENTIAL_WRITE, Severity::Warn, message).with(flow);
        self.report(at, found);
    }
}

/// Whom a command gives a right, when it is somebody in particular.
fn granted(call: &Call) -> Option<String> {
    let name = call.name.as_str();
    match name {
        "gh" | "glab" | "curl" => {
            let text = call.text();
            let changes = ["PUT", "POST"].iter().any(|method| text.contains(method));
            if !changes || name == "gh" && !text.contains("api") {
                return None;
            }
            let places = ["/collaborators/", "/memberships/", "/outside_collaborators/"];
            places
                .iter()
                .find_map(|place| text.split_once(place))
                .map(|(_, rest)| rest)
                .and_then(|rest| {
                    rest.split(|c: char| c.is_whitespace() || "\"'/?".contains(c)).next()
                })
                .filter(|whom| is_somebody(whom))
                .map(str::to_owned)
        }
        "npm" | "yarn" | "pnpm" | "cargo" => {
            let words: Vec<&str> = call.arguments.iter().map(|a| a.text.as_str()).collect();
            let at = words.iter().position(|word| *word == "owner")?;
            let add =
                words[at..].iter().position(|word| matches!(*word, "add" | "--add" | "-a"))?;
            words.get(at + add + 1).filter(|whom| is_somebody(whom)).map(ToString::to_string)
        }
        _ => {
            let (_, ways) = GRANTS.iter().find(|(program, _)| *program == name)?;
            let text = call.text();
            if !ways.iter().any(|way| text.contains(way)) {
                return None;
            }
            let words = || text.split(|c: char| c.is_whitespace() || "=,\"'[]{}()".contains(c));
            let account = words().find(|word| {
                let number = word.rsplit("::").next().unwrap_or(word);
                let number = number.split(':').next().unwrap_or(number);
                name == "aws"
                    && number.len() == 12
                    && number.bytes().all(|b| b.is_ascii_digit())
                    && !SAMPLES.contains(&number)
                    && number != number[..1].repeat(12)
            });
            account.or_else(|| words().find(|word| is_mailbox(word))).map(str::to_owned)
        }
    }
}

/// Whether a name is somebody's, and not a place to fill in.
fn is_somebody(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    name.len() > 2
        && !name.starts_with('_')
        && !name.contains(['<', '>', '{', '}', '$', '%', '[', ']', '(', ')', ':'])
        && !name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_' || b == b'-')
        && !ANYBODY.contains(&lower.as_str())
        && !["your", "my-", "some", "their", "the-"].iter().any(|start| lower.starts_with(start))
        && (!name.contains('@') || is_mailbox(name))
}

/// Whether a word is an address of mail of somebody's, also behind `user:`.
fn is_mailbox(word: &str) -> bool {
    let bare = word.rsplit(':').next().unwrap_or(word);
    let Some((name, domain)) = bare.split_once('@') else { return false };
    let lower = name.to_ascii_lowercase();
    !name.is_empty()
        && domain.contains('.')
        && !domain.contains(['/', '$', '<', '{'])
        && !is_placeholder(&domain.to_ascii_lowercase())
        && !bare.contains(['$', '<', '{'])
        && !ANYBODY.contains(&lower.as_str())
        && !lower.starts_with("your")
        // What a cloud calls its own programs.
        && !domain.ends_with("gserviceaccount.com")
}

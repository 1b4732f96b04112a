//! What is private in a transcript, replaced by placeholders before a model or a file gets it.
//!
//! Secrets by the guard's shapes, by the names they are given to, and by how random they look; home
//! folders, the person's name on this machine, mail addresses, telephone, card and account numbers, addresses
//! of machines, ids and hashes. Names of people, postal addresses and dates of birth have no shape, and stay. Too much rather than too little: a lesson never needs them. Linear in the
//! text, and redacting twice is redacting once.

mod marks;
mod named;
mod passwords;
mod personal;

use std::ops::Range;
use std::path::Path;

use serde_json::{Map, Value};

/// Characters of an account name that counts as the name of a person, at least.
const MIN_USER_CHARS: usize = 3;

/// Characters of one that is replaced wherever it stands; a shorter one may be a word (`max`), and
/// counts beside a sign that accounts have.
const MIN_SURE_CHARS: usize = 6;

/// Account names that say nothing about a person.
const NOBODY: [&str; 12] = [
    "root", "user", "admin", "ubuntu", "debian", "guest", "runner", "vscode", "node", "home",
    "dev", "test",
];

/// Replaces what is private.
#[derive(Debug, Clone, Default)]
pub struct Redactor {
    homes: Vec<String>,
    user: Option<String>,
}

/// A part of a text and what stands in its place.
struct Cut {
    range: Range<usize>,
    by: &'static str,
}

impl Redactor {
    /// One that knows the person's home folder, and by it their name on this machine.
    pub fn new(home: Option<&Path>) -> Self {
        let mut redactor = Self::default();
        let Some(home) = home.and_then(Path::to_str).map(|home| home.trim_end_matches('/')) else {
            return redactor;
        };
        if home.len() > 1 {
            redactor.homes.push(home.to_owned());
            // Claude Code names the folder of a project by its path, with dashes.
            redactor.homes.push(home.replace(['/', '.'], "-"));
        }
        let name = home.rsplit('/').next().unwrap_or_default();
        let is_name = name.chars().count() >= MIN_USER_CHARS
            && !NOBODY.contains(&name.to_lowercase().as_str());
        redactor.user = is_name.then(|| name.to_owned());
        redactor
    }

    /// A text with everything private replaced, and everything invisible taken out.
    pub fn redact(&self, text: &str) -> String {
        self.redact_visible(&hone_skill::visible(text))
    }

    fn redact_visible(&self, text: &str) -> String {
        let mut cuts: Vec<Cut> = hone_guard::secrets(text)
            .into_iter()
            .map(|secret| Cut { range: secret.range, by: marks::SECRET })
            .collect();
        named::find(text, &mut cuts);
        passwords::find(text, &mut cuts);
        personal::find(text, &mut cuts);
        self.find_homes(text, &mut cuts);
        self.find_user(text, &mut cuts);
        marks::replace(text, cuts)
    }

    /// A value with everything private in its texts replaced, and what stands under the name of a
    /// secret replaced whole. Keys are texts too.
    pub fn redact_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(text)),
            Value::Array(values) => values.iter().map(|value| self.redact_value(value)).collect(),
            Value::Object(entries) => {
                let entry = |(key, value): (&String, &Value)| {
                    let kept = match value {
                        Value::String(text) if named::is_secret(key, text) => {
                            Value::String(marks::SECRET.to_owned())
                        }
                        value => self.redact_value(value),
                    };
                    (self.redact(key), kept)
                };
                Value::Object(entries.iter().map(entry).collect::<Map<_, _>>())
            }
            value => value.clone(),
        }
    }

    fn find_homes(&self, text: &str, cuts: &mut Vec<Cut>) {
        for home in &self.homes {
            for (at, _) in text.match_indices(home.as_str()) {
                let end = at + home.len();
                if !text[end..].starts_with(marks::is_word) {
                    cuts.push(Cut { range: at..end, by: marks::HOME });
                }
            }
        }
        personal::homes(text, cuts);
    }

    fn find_user(&self, text: &str, cuts: &mut Vec<Cut>) {
        let Some(user) = &self.user else { return };
        for (at, _) in text.match_indices(user.as_str()) {
            let end = at + user.len();
            let (before, after) = (&text[..at], &text[end..]);
            let stands_alone =
                !before.ends_with(marks::is_word) && !after.starts_with(marks::is_word);
            let has_sign = before.ends_with(['/', '\\', '~', ':', '=', '@'])
                || after.starts_with(['/', '\\', '@', ':']);
            let is_sure = user.chars().count() >= MIN_SURE_CHARS;
            if stands_alone && (is_sure || has_sign) {
                cuts.push(Cut { range: at..end, by: marks::USER });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;
    use serde_json::json;

    use super::Redactor;

    fn ada() -> Redactor {
        Redactor::new(Some(Path::new("/home/ada")))
    }

    #[test]
    fn what_is_private_is_replaced() {
        let cases = [
            ("cd /home/ada/work && ls", "cd ~/work && ls"),
            ("/Users/grace/x and C:\\Users\\Grace\\x", "~/x and ~\\x"),
            ("-home-ada-work", "~-work"),
            ("chown ada:ada f", "chown [user]:[user] f"),
            ("write to ada.l@mail.example.org today", "write to [email] today"),
            (
                "git push https://me:hunter22@host.example/r",
                "git push https://[secret]@host.example/r",
            ),
            ("export API_TOKEN=s3cr3tvalue99", "export API_TOKEN=[secret]"),
            ("mysql --password hunter2x db", "mysql --password [secret] db"),
            ("-H 'Authorization: Bearer abc.def-123456'", "-H 'Authorization: Bearer [secret]'"),
            ("Cookie: sid=1; theme=dark\nnext", "Cookie: [secret]\nnext"),
            ("ghp_x8Kd02mZq71LpW4vT9sRb6YcN3fHj5Ge1uAo", "[secret]"),
            ("commit 3f786850e387550fdab836ed7e6dc881de23001b", "commit [hash]"),
            ("id 123e4567-e89b-12d3-a456-426614174000.", "id [id]."),
            ("ssh 203.0.113.7 -p 22", "ssh [address] -p 22"),
            ("call +49 170 1234567 now", "call [phone] now"),
            ("card 4111 1111 1111 1111 ok", "card [card] ok"),
            ("key wJalrXUtnFEMI0K7MDENG1bPxRfiCYz9", "key [secret]"),
            ("curl -u ada:geheim1 x", "curl -u [secret] x"),
            ("-H 'Authorization: Bearer mysecrettoken'", "-H 'Authorization: Bearer [secret]'"),
            ("-H 'authorization: Basic dXNlcg=='", "-H 'authorization: Basic [secret]'"),
            ("-H 'X-Api-Key: companykey'", "-H 'X-Api-Key: [secret]'"),
            ("export API_TOKEN=abcdefgh TOKEN=letmein", "export API_TOKEN=[secret] TOKEN=[secret]"),
            (
                "deploy --token=company-token --auth-token short",
                "deploy --token=[secret] --auth-token [secret]",
            ),
            ("mysql -uroot -pletmein shop", "mysql -uroot -p[secret] shop"),
            ("docker login -u me -p letmein host", "docker login -u me -p [secret] host"),
            ("cd x && sshpass -p 'let me in' ssh host", "cd x && sshpass -p '[secret]' ssh host"),
            ("curl -b \"session=abcdef\" x", "curl -b \"[secret]\" x"),
            ("ghp_abcdefghijklmnopqrstuvwxyzabcdefghij", "[secret]"),
            (
                "curl 'https://x.org/a?token=abc123&page=2'",
                "curl 'https://x.org/a?token=[secret]&page=2'",
            ),
            (
                "curl https://x.org/a?page=2&api_key=abc",
                "curl https://x.org/a?page=2&api_key=[secret]",
            ),
            ("GET /maps?key=abc&sig=x HTTP", "GET /maps?key=[secret]&sig=[secret] HTTP"),
            ("curl --user a:pw x", "curl --user [secret] x"),
            (
                "curl --user=a:pw -ua:pw -U 'a:pw' x",
                "curl --user=[secret] -u[secret] -U '[secret]' x",
            ),
            ("openssl enc -pass pass:hunter2 -in f", "openssl enc -pass [secret] -in f"),
            ("openssl enc -aes-256-cbc -k geheim", "openssl enc -aes-256-cbc -k [secret]"),
            (
                "DB_PASS=geheim db_pass=abc dbPass: 'x'",
                "DB_PASS=[secret] db_pass=[secret] dbPass: '[secret]'",
            ),
            ("smtp --pass geheim", "smtp --pass [secret]"),
            ("redis-cli -a geheim ping", "redis-cli -a [secret] ping"),
            (
                "zip -P geheim a.zip b; unzip -Pgeheim a.zip",
                "zip -P [secret] a.zip b; unzip -P[secret] a.zip",
            ),
            ("sqlcmd -S db -P geheim", "sqlcmd -S db -P [secret]"),
            ("7z x -pgeheim a.7z", "7z x -p[secret] a.7z"),
            ("mongosh -u me -p geheim", "mongosh -u me -p [secret]"),
            ("az login -u me -p geheim", "az login -u me -p [secret]"),
            ("twine upload -u me -p geheim dist/*", "twine upload -u me -p [secret] dist/*"),
            ("ldapsearch -x -w geheim", "ldapsearch -x -w [secret]"),
            ("smbclient //host/s -U a%geheim", "smbclient //host/s -U a%[secret]"),
            ("htpasswd -b users me geheim", "htpasswd -b users me [secret]"),
            (
                "echo 'let me in' | sudo -S apt install jq",
                "echo '[secret]' | sudo -S apt install jq",
            ),
            (
                "printf geheim | docker login --password-stdin",
                "printf [secret] | docker login --password-stdin",
            ),
            (r#"{"pin":"1234","pass":"abc"}"#, r#"{"pin":"[secret]","pass":"[secret]"}"#),
            ("use eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEifQ.c2ln now", "use [secret] now"),
            (
                "to DE89 3704 0044 0532 0130 00 or GB82WEST12345698765432.",
                "to [account] or [account].",
            ),
            ("ssn 078-05-1120", "ssn [id]"),
            (
                "ping6 2001:db8::7 -c 1; ip link 52:54:00:12:34:56",
                "ping6 [address] -c 1; ip link [address]",
            ),
            ("ls /root/x /root", "ls ~/x ~"),
            (
                r#"curl -d "{\"api_key\":\"short\", \"n\": 1}" x"#,
                r#"curl -d "{\"api_key\":\"[secret]\", \"n\": 1}" x"#,
            ),
            (
                r#"curl -d '{"api_key":"short", "n": 1}' x"#,
                r#"curl -d '{"api_key":"[secret]", "n": 1}' x"#,
            ),
            ("npm config set //r/:_authToken=abc123", "npm config set //r/:_authToken=[secret]"),
            (
                "aws configure set aws_secret_access_key abc --profile x",
                "aws configure set aws_secret_access_key [secret] --profile x",
            ),
            ("machine h login a password hunter2", "machine h login a password [secret]"),
            (
                "machine h\n login a\n password hunter2\n",
                "machine h\n login a\n password [secret]\n",
            ),
            ("gh secret set FOO --body hunter2", "gh secret set FOO --body [secret]"),
            ("gh secret set FOO -b'hunter2'", "gh secret set FOO -b'[secret]'"),
            (
                "vault kv put -mount=s x value=abc key=@f user=me",
                "vault kv put -mount=s x value=[secret] key=@f user=[secret]",
            ),
            ("curl --oauth2-bearer abcdef x", "curl --oauth2-bearer [secret] x"),
            (
                "npm publish --otp=123456; npm publish --otp 123456",
                "npm publish --otp=[secret]; npm publish --otp [secret]",
            ),
            (
                "curl -d @m https://hooks.slack.com/services/T01/B02/abc",
                "curl -d @m https://hooks.slack.com/services/[secret]",
            ),
            ("export API_TOKEN=s3cr3t\u{200b}value99 \u{1b}[31m", "export API_TOKEN=[secret] [31m"),
        ];
        for (text, expected) in cases {
            assert_eq!(ada().redact(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_not_private_stays() {
        let cases = [
            "cargo test --workspace -p hone-learn",
            "connect to 127.0.0.1:8080 or localhost",
            "version 1.2.3 of serde_json, max_tokens=4096",
            "export API_TOKEN=$TOKEN; echo ${PASSWORD:?}",
            "the adapter of /homework and canada",
            "git@github.com:owner/name.git",
            "2026-11-16T15:58:37.123Z 1763308717123",
            "MyVeryLongFunctionNameThatSaysWhatItDoes",
            "npm install @scope/name@1.2.3",
            "pass: 12, fail: 0",
            "token: string, auth: none, next_token = parse",
            "bearer tokens and basic auth are explained",
            "mkdir -p build && docker run -p 80:80 web; curl -b cookies.txt x; mysql -p shop",
            "npm_config_registry, hf_hub and sk-learn",
            "ada --ada-lines ada.txt",
            "pass: 12, pass=12 fail=0, led_pin = 13, pin = 13, multi_pass=2, --pin 13",
            "let key = map.get(k); sort?by=name&order=asc",
            "curl -u $USER:$PASS x; openssl enc -pass env:KEY -in f; smbclient -U me",
            "redis-cli -h host ping; zip -r a.zip b; unzip -l a.zip; 7z x a.7z; mongosh -u me",
            "echo done | tee log; echo $PASS | sudo -S true; htpasswd -c users me",
            "std::fmt, a::b, ::1, 12:30:45, ab:cd, fe::ed",
            "GB83WEST12345698765432 and AB12 CDEF",
            "eyJ is how a token begins; 123-45-678",
            r#"{"auth": "basic", "session_id": "shell", "token_count": "three"}"#,
            "the login page needs a password reset; gh pr create --body text; vault kv get x",
            "https://hooks.slack.com/services/$HOOK and nextToken = parse",
            "/rootfs chroot/root /mnt/root https://x.org/root/y ./root /root-ca.pem",
        ];
        for text in cases {
            assert_eq!(ada().redact(text), text);
        }
    }

    #[test]
    fn a_private_key_goes_whole() {
        let body = "MIIEowIBAAKCAQEA7bq8".repeat(20);
        let text =
            format!("a\n-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----\nb");
        assert_eq!(ada().redact(&text), "a\n[secret]\nb");
    }

    #[test]
    fn values_under_the_name_of_a_secret_go_whole() {
        let value =
            json!({"password": "two words", "path": "/home/ada/x", "n": [1, "a@b.example"]});
        let expected = json!({"password": "[secret]", "path": "~/x", "n": [1, "[email]"]});
        assert_eq!(ada().redact_value(&value), expected);
    }

    #[test]
    fn a_long_name_of_an_account_goes_wherever_it_stands() {
        let grace = Redactor::new(Some(Path::new("/home/ghopper")));
        assert_eq!(grace.redact("ghopper and ghoppers"), "[user] and ghoppers");
    }

    #[test]
    fn a_name_that_everybody_has_is_no_name() {
        assert_eq!(
            Redactor::new(Some(Path::new("/root"))).redact("/root/x by root"),
            "~/x by root"
        );
    }

    proptest! {
        #[test]
        fn redacting_twice_is_redacting_once(text in "[\u{200b}a-zA-Z0-9@.:/ =+\\-_\\[\\]'\"\n]{0,200}") {
            let once = ada().redact(&text);
            prop_assert_eq!(ada().redact(&once), once);
        }

        #[test]
        fn any_text_can_be_redacted(text in any::<String>()) {
            let _ = ada().redact(&text);
        }
    }
}

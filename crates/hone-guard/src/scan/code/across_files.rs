//! What shows only when all code of a skill is looked at together: who walks, who encrypts and who
//! deletes, who listens and who sends, may be several files.

use super::unit::Unit;
use crate::scan::finding::{Context, Flow, Severity};
use crate::scan::findings::{Findings, Match};
use crate::scan::rules;

/// Looks at all units of a skill together: who walks, who encrypts and who deletes may be three files.
pub(super) fn look_at_all(units: &[Unit<'_>], findings: &mut Findings<'_>) {
    const WALKS: [&str; 24] = [
        "os.walk",
        "rglob",
        "glob.glob",
        "readdirsync",
        "dir.glob",
        "get-childitem",
        "filepath.walk",
        "file.find",
        "scandir",
        "recursivedirectoryiterator",
        "walkdir",
        "lfs.dir",
        "opendir",
        "find.find",
        "find(",
        "filepath.glob",
        "pathname.glob",
        "dir.each_child",
        "dir.foreach",
        "fs.readdir",
        "os.readdir",
        "enumeratefiles",
        "directory.getfiles",
        "glob(",
    ];
    const ENCRYPTS: [&str; 24] = [
        "fernet",
        "aes.new",
        "createcipheriv",
        "chacha20",
        "aes-256",
        "aescryptoserviceprovider",
        "cipher.encrypt",
        ".encrypt(",
        "openssl enc",
        "createencryptor",
        "openssl_encrypt",
        "cipher.newgcm",
        "aes.newcipher",
        "openssl::cipher",
        "openssl.cipher",
        "secretbox",
        "nacl.secret",
        "sodium_crypto",
        "crypt::cbc",
        "age.encrypt",
        "gpg.encrypt",
        "protect-cmsmessage",
        "rijndael",
        "crypto.encrypt",
    ];
    const DELETES: [&str; 17] = [
        "os.remove",
        "os.unlink",
        ".unlink(",
        "unlinksync",
        "file.delete",
        "remove-item",
        "os.rename",
        "shutil.move",
        ".replace(",
        "unlink",
        "os.removeall",
        "fs.rm",
        "file.unlink",
        "file.rename",
        "truncate",
        "shred",
        "rename(",
    ];
    const NOTES: [&str; 19] = [
        "ransom",
        "decrypt your",
        "your files",
        "bitcoin",
        "btc",
        "readme_recover",
        "restore your",
        "recover",
        "payment",
        "unlock",
        "contact",
        "locked",
        "restore",
        "pay ",
        "wallet",
        "monero",
        "xmr",
        "key will be deleted",
        "hours left",
    ];
    const HOMES: [&str; 16] = [
        "path.home",
        "expanduser",
        "homedir",
        "userprofile",
        "/home",
        "dir.home",
        "documents",
        "getenv('home')",
        "getenv(\"home\")",
        "env['home']",
        "env[\"home\"]",
        "env{home}",
        "$env:userprofile",
        "userhomedir",
        "desktop",
        "pictures",
    ];
    // Asked of the text as it is: few skills encrypt anything.
    const SIGNS: [&str; 12] = [
        "ncrypt",
        "ipher",
        "ernet",
        "aes",
        "AES",
        "chacha",
        "ChaCha",
        "openssl",
        "nacl",
        "odium",
        "ijndael",
        "CmsMessage",
    ];
    // Blocks of a document are read one by one, scripts as one program.
    let scripts: Vec<&Unit<'_>> =
        units.iter().filter(|unit| unit.passage.context == Context::Script).collect();
    keystrokes(&scripts, findings);
    let groups = units
        .iter()
        .filter(|unit| unit.passage.context != Context::Script)
        .map(|unit| vec![unit])
        .chain(std::iter::once(scripts));
    for group in groups {
        let encrypts = |unit: &&Unit<'_>| SIGNS.iter().any(|w| unit.passage.text.contains(w));
        if !group.iter().any(encrypts) {
            continue;
        }
        let texts: Vec<String> =
            group.iter().map(|unit| unit.passage.text.to_ascii_lowercase()).collect();
        let any = |words: &[&str]| {
            words.iter().filter(|word| texts.iter().any(|text| text.contains(**word))).count()
        };
        let Some(at) = texts.iter().position(|text| ENCRYPTS.iter().any(|w| text.contains(w)))
        else {
            continue;
        };
        let notes = any(&NOTES);
        if any(&WALKS) > 0 && any(&DELETES) > 0 && (notes >= 1 && any(&HOMES) > 0 || notes >= 2) {
            let start = texts[at].find("encrypt").or_else(|| texts[at].find("cipher")).unwrap_or(0);
            let passage = group[at].passage;
            let message = "files are encrypted and their originals removed, with a note left";
            findings.add(
                passage,
                start..(start + 1).min(passage.text.len()),
                Match::new(&rules::DESTRUCTIVE, Severity::Critical, message),
            );
        }
    }
}
/// Who listens to every key and who sends may be two files with a queue between them.
fn keystrokes(scripts: &[&Unit<'_>], findings: &mut Findings<'_>) {
    const LISTENS: [&str; 6] = [
        "keyboard.Listener(",
        "keyboard.on_press(",
        "keyboard.hook(",
        "GetAsyncKeyState",
        "SetWindowsHookEx",
        "iohook.on(",
    ];
    const SENDS: [&str; 9] = [
        "smtplib",
        "requests.post",
        "urlopen(",
        "socket.socket",
        "http.client",
        "httpx.",
        "aiohttp",
        "fetch(",
        "https.request",
    ];
    let has = |unit: &&&Unit<'_>, words: &[&str]| {
        words.iter().any(|word| unit.passage.text.contains(word))
    };
    if let Some(unit) = scripts.iter().find(|unit| has(unit, &LISTENS))
        && scripts.iter().any(|unit| has(&unit, &SENDS))
    {
        let at = LISTENS.iter().find_map(|word| unit.passage.text.find(word)).unwrap_or(0);
        let message = "every key that is pressed is listened to, in a skill that sends";
        findings.add(
            unit.passage,
            at..(at + 1).min(unit.passage.text.len()),
            Match::new(&rules::SECRET_TO_NETWORK, Severity::Critical, message)
                .with(Flow::new("keystrokes", "the network")),
        );
    }
}

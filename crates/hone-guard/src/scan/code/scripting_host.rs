//! Scripts of the Windows Script Host and macros of VBA. Their statements have no parentheses to follow,
//! but what they do, they do through objects whose names are fixed: one to fetch, one to save, one to
//! start, one to read the environment.

use super::unit::Unit;
use crate::scan::Skill;
use crate::scan::destination::{Class, addresses};
use crate::scan::finding::{Flow, Severity};
use crate::scan::findings::Match;
use crate::scan::flow::{self, Taint};
use crate::scan::kind::Language;
use crate::scan::rules;

/// How such a script gets hold of its objects.
const OBJECTS: [&str; 6] =
    ["createobject(", "activexobject(", "getobject(", "lib \"urlmon\"", "wscript.", "chr(asc("];
const REQUESTS: [&str; 4] =
    ["xmlhttp", "winhttprequest", "urldownloadtofile", "internetexplorer.application"];
const ANSWERS: [&str; 4] = ["responsetext", "responsebody", "responsestream", "innertext"];
const SAVES: [&str; 4] = ["savetofile", "createtextfile", "opentextfile", "urldownloadtofile"];
const STARTS: [&str; 8] = [
    ".run ",
    ".run(",
    ".exec ",
    ".exec(",
    ".shellexecute",
    "shell environ",
    "shell(",
    "win32_process",
];
/// Programs that fetch what they run.
const LOADERS: [&str; 5] = ["mshta", "regsvr32", "rundll32", "msiexec", "installutil"];
/// What makes a hidden text readable.
const DECODERS: [(&str, &str); 5] = [
    ("bin.base64", "base64"),
    ("bin.hex", "hexadecimal"),
    ("strreverse(", "reversal"),
    (" xor ", "XOR"),
    ("chr(asc(", "shifted letters"),
];
/// Where a value that is written to the registry starts a program.
const RUN_KEYS: [&str; 4] =
    ["currentversion\\run", "currentversion\\\\run", "winlogon\\shell", "winlogon\\userinit"];

/// Looks at one unit, if it is such a script.
pub(super) fn look(unit: &Unit<'_>, skill: &Skill<'_>, report: &mut impl FnMut(usize, Match)) {
    let passage = unit.passage;
    if !matches!(passage.language, Language::Braces | Language::JavaScript | Language::Batch) {
        return;
    }
    let text: &str = &passage.text;
    let lower = text.to_ascii_lowercase();
    let first = |words: &[&str]| words.iter().filter_map(|word| lower.find(word)).min();
    if first(&OBJECTS).is_none() {
        return;
    }
    let evaluates = executes(&lower);
    let address = addresses(text)
        .into_iter()
        .find(|a| !matches!(a.class(), Class::Local | Class::Installer | Class::Service))
        .map(|a| a.url.to_owned());
    if let (Some(address), Some(_)) = (&address, first(&REQUESTS)) {
        let remote = Taint::remote(address.clone());
        let run = if first(&ANSWERS).is_some() && evaluates.is_some() {
            evaluates.map(|at| (at, "`Execute`"))
        } else if first(&SAVES).is_some() {
            first(&STARTS).map(|at| (at, "the system"))
        } else {
            None
        };
        if let Some((at, by)) = run
            && let Some(found) = flow::to_interpreter(&remote, by, passage.context)
        {
            report(at, found);
        }
        let mut taint = Taint::default();
        if lower.contains(".environment(") {
            taint.add(&Taint::environment());
        }
        for piece in text.split('"').skip(1).step_by(2) {
            taint.add(&Taint::of_file(piece));
        }
        if let Some(at) = first(&["\"post\"", "\"put\""])
            && let Some(found) = flow::to_network(&taint, address, "`Send`", passage.context, skill)
        {
            report(at, found);
        }
    }
    if let (Some(address), Some(at), Some(_)) = (&address, first(&LOADERS), first(&STARTS))
        && let Some(found) =
            flow::to_interpreter(&Taint::remote(address.clone()), "the system", passage.context)
    {
        report(at, found);
    }
    if let Some(at) = evaluates
        && let Some((_, how)) = DECODERS.iter().find(|(sign, _)| lower.contains(sign))
        && let Some(found) =
            flow::to_interpreter(&Taint::decoded(how), "`Execute`", passage.context)
    {
        report(at, found);
    }
    let stays = first(&[".regwrite"]).filter(|_| first(&RUN_KEYS).is_some()).or_else(|| {
        first(&["createshortcut"]).filter(|_| {
            first(&["specialfolders(\"startup", "start menu\\programs\\startup"]).is_some()
        })
    });
    if let Some(at) = stays {
        let flow = Flow::new("a command", "the system's start").when("by itself");
        let message = "a program is made to start with the system";
        report(at, Match::new(&rules::PERSISTENCE_WRITE, Severity::Critical, message).with(flow));
    }
}

/// Where a text is run as code: `Execute x`, `ExecuteGlobal x`, `Eval(x)` as words of their own.
fn executes(lower: &str) -> Option<usize> {
    ["executeglobal", "execute", "eval"].iter().find_map(|word| {
        lower.match_indices(word).map(|(at, _)| at).find(|at| {
            let before = lower[..*at].chars().next_back();
            let after = lower[at + word.len()..].chars().next();
            !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '"'))
                && after.is_some_and(|c| matches!(c, ' ' | '('))
        })
    })
}

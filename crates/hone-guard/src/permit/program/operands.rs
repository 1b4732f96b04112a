//! Programs that run or write because of something else than an option: `find`, `dd`, and those whose second
//! operand is a file they write.

use super::{Deed, Effect};
use crate::permit::argument::Argument;

pub(super) fn find(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let Some(text) = argument.value.as_deref() else {
            if argument.may_be_option() {
                let what = "may get an option from this, which is only known when it runs";
                deeds.push(Deed::runs(argument, "", what));
            }
            continue;
        };
        match text {
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = &arguments[at..];
                // `+` ends it only right after `{}`; elsewhere it is an argument.
                let ends = |at: &usize| match rest[*at].text() {
                    ";" => true,
                    "+" => *at > 0 && rest[at - 1].text() == "{}",
                    _ => false,
                };
                let end = (0..rest.len()).find(ends).unwrap_or(rest.len());
                let mut command = rest[..end].to_vec();
                if let Some(unknown) = command.iter().find(|argument| argument.may_be_option()) {
                    let what = "may end the command here, which is only known when it runs";
                    deeds.push(Deed::runs(unknown, "", what));
                }
                for argument in &mut command {
                    crate::permit::wrapper::substitute(argument, "{}");
                }
                at += end + 1;
                let effect = Effect::Command(command);
                // A command that is not looked into cannot be named away: the option is empty.
                deeds.push(Deed { span: argument.span.clone(), option: String::new(), effect });
            }
            "-delete" => {
                let found = Argument::unknown(argument.span.clone(), "./", false);
                let command = vec![Argument::known(argument.span.clone(), "rm"), found];
                let effect = Effect::Command(command);
                deeds.push(Deed { span: argument.span.clone(), option: text.to_owned(), effect });
            }
            "-fprint" | "-fprint0" | "-fprintf" | "-fls" => {
                if let Some(file) = arguments.get(at) {
                    deeds.push(Deed::writes(argument, text, file.clone()));
                }
            }
            _ => {}
        }
    }
    deeds
}

/// `uniq` and `xxd`, whose second operand is the file that they write.
pub(super) fn second_operand(arguments: &[Argument], valued: &str) -> Vec<Deed> {
    let (mut operands, mut is_value, mut ended) = (Vec::new(), false, false);
    for argument in arguments {
        let text = argument.text();
        if std::mem::replace(&mut is_value, false) {
            continue;
        }
        if !ended && argument.may_be_option() {
            return vec![Deed::runs(argument, "", "may get a file to write from this")];
        }
        match text {
            "--" if !ended => ended = true,
            _ if !ended && text.len() > 1 && text.starts_with('-') => {
                is_value = text.len() == 2 && text.ends_with(|letter| valued.contains(letter));
            }
            _ => operands.push(argument),
        }
    }
    operands.get(1).map(|file| Deed::writes(file, "", (*file).clone())).into_iter().collect()
}

pub(super) fn dd(arguments: &[Argument]) -> Vec<Deed> {
    let mut deeds = Vec::new();
    for argument in arguments {
        if let Some(file) = argument.prefix.strip_prefix("of=") {
            let file = match argument.value {
                Some(_) => Argument::known(argument.span.clone(), file),
                None => Argument::unknown(argument.span.clone(), file, false),
            };
            deeds.push(Deed::writes(argument, "of=", file));
        } else if argument.value.is_none() && "of=".starts_with(&argument.prefix) {
            deeds.push(Deed::runs(argument, "", "may get a file to write from this"));
        }
    }
    deeds
}

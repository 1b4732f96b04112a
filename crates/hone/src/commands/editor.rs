//! A text in the person's own editor; what was typed is never lost.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use hone_skill::Slug;
use signal_hook::consts::{SIGINT, SIGQUIT};

use crate::context::Context;
use crate::output::{Failure, quoted};

/// The exit code of a shell that did not find the command.
const NOT_FOUND: i32 = 127;

/// Lets the person edit a text in `$VISUAL` or `$EDITOR`; an unchanged text is the answer no.
pub(crate) fn edited(context: &Context, slug: &Slug, text: &str) -> Result<String, Failure> {
    let editor = ["VISUAL", "EDITOR"]
        .iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()))
        .or_else(|| std::io::stdin().is_terminal().then(|| "vi".to_owned()))
        .ok_or_else(|| {
            Failure::failed(
                "there is no editor and no text",
                "set `EDITOR`, or give `--stdin` or `--file FILE`",
            )
        })?;
    let folder = tempfile::Builder::new().prefix("hone-edit-").tempdir().map_err(|error| {
        Failure::failed(format!("could not make a temporary folder: {error}"), "")
    })?;
    let path = folder.path().join(format!("{slug}.md"));
    let failed = |error: std::io::Error| {
        Failure::failed(format!("could not use `{}`: {error}", path.display()), "")
    };
    std::fs::write(&path, text).map_err(failed)?;
    let outlived = Outlived::start()?;
    // As git does it: the variable may hold arguments. The trap keeps the shell alive while the
    // editor decides what Ctrl-C means; the editor itself gets the signal as usual.
    let status = std::process::Command::new("sh")
        .arg("-c")
        .arg(format!("trap : INT QUIT; {editor} \"$@\""))
        .arg(&editor)
        .arg(&path)
        .current_dir(&context.around.cwd)
        .status()
        .map_err(|error| Failure::failed(format!("could not start `sh`: {error}"), ""))?;
    drop(outlived);
    let typed = std::fs::read(&path).map_err(failed)?;
    let kept = |failure: Failure| {
        let draft = (typed != text.as_bytes()).then(|| keep(context, slug, &typed)).flatten();
        advised(failure, draft)
    };
    if status.code() == Some(NOT_FOUND) {
        return Err(Failure::failed(
            format!("could not start the editor `{editor}`"),
            "set `EDITOR`, or give `--stdin` or `--file FILE`",
        ));
    }
    if !status.success() {
        let message = format!("the editor `{editor}` ended with {status}, so nothing was written");
        return Err(kept(Failure::no(message, "")));
    }
    if typed == text.as_bytes() {
        return Err(Failure::no("nothing was changed, so nothing was written", ""));
    }
    match String::from_utf8(typed.clone()) {
        Ok(new) => Ok(new),
        Err(error) => {
            let at = error.utf8_error().valid_up_to();
            Err(kept(Failure::no(format!("the text is not UTF-8 (byte {at})"), "save it as UTF-8")))
        }
    }
}

fn advised(failure: Failure, draft: Option<PathBuf>) -> Failure {
    match draft {
        None => failure,
        Some(draft) => {
            failure.advised(format!("your text is kept in `{}`", quoted(&draft.to_string_lossy())))
        }
    }
}

/// Keeps a text as a draft, beside those that are there.
pub(crate) fn keep(context: &Context, slug: &Slug, text: &[u8]) -> Option<PathBuf> {
    let drafts = context.around.hone_home.join("drafts");
    std::fs::create_dir_all(&drafts).ok()?;
    let names = std::iter::once(format!("{slug}.md"))
        .chain((2..).map(|number| format!("{slug}-{number}.md")));
    for name in names {
        let path = drafts.join(name);
        match std::fs::read(&path) {
            Ok(there) if there == text => return Some(path),
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return hone_library::replace(&path, text).ok().map(|()| path);
            }
            Err(_) => return None,
        }
    }
    None
}

/// Ctrl-C reaches every program of the terminal; in an editor it means something to the editor only.
/// Once this is dropped it means what it always does.
struct Outlived(Arc<AtomicBool>);

impl Outlived {
    fn start() -> Result<Self, Failure> {
        let ends = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGQUIT] {
            signal_hook::flag::register_conditional_default(signal, Arc::clone(&ends)).map_err(
                |error| Failure::failed(format!("could not prepare for the editor: {error}"), ""),
            )?;
        }
        Ok(Self(ends))
    }
}

impl Drop for Outlived {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

//! What a file is, by its content: magic numbers ([`magic`]) and shebangs first, its name only after that
//! ([`language`]). No bytes are without a kind, and a name that promises another one is told.

mod language;
mod magic;

#[cfg(test)]
mod tests;

pub(crate) use language::{Language, of_interpreter};
use language::{begins_as_code, by_look, by_name, by_shebang};
use magic::{begins_as_text, by_magic, is_binary};

/// What a file's bytes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Text of a language.
    Text(Language),
    /// A program of an operating system: ELF, PE, Mach-O, WebAssembly.
    Executable(&'static str),
    /// Compiled code of an interpreter: Python, Java, Lua.
    Bytecode(&'static str),
    /// Serialised objects that run code when loaded.
    Pickle,
    Zip,
    Tar,
    Gzip,
    /// An archive or disk image whose content is not looked into.
    Opaque(&'static str),
    /// A picture, font, document or sound.
    Media(&'static str),
    /// Bytes of no known form.
    Binary,
}

/// Decides by content, then by name.
///
/// A magic number of letters, such as `GIF89a`, is also how a script may begin: in front of plain text,
/// or of a picture with the name of a script, it counts for nothing. What an interpreter would read
/// as a script is read as one, however many control bytes stand in it.
pub(crate) fn classify(path: &str, bytes: &[u8]) -> Kind {
    let named = by_name(path);
    let script = by_shebang(bytes).or(named.filter(|language| language.runs()));
    if let Some(kind) = by_magic(bytes) {
        let is_media = matches!(kind, Kind::Media(_));
        let is_script = begins_as_text(bytes)
            && match kind {
                Kind::Media(_) => !is_its_name(path, kind),
                Kind::Opaque(_) => script.is_some(),
                _ => true,
            };
        if !(is_script || is_media && script.is_some()) {
            return kind;
        }
    }
    if let Some(language) = script {
        return Kind::Text(language);
    }
    if is_binary(bytes) {
        return Kind::Binary;
    }
    let language = named.filter(|language| *language != Language::Plain || !begins_as_code(bytes));
    Kind::Text(language.unwrap_or_else(|| by_look(bytes)))
}

/// A PDF may be written in letters alone.
fn is_its_name(path: &str, kind: Kind) -> bool {
    kind == Kind::Media("PDF document") && has_extension(path, "pdf")
}

/// Whether a path ends with an extension, in any case.
pub(crate) fn has_extension(path: &str, extension: &str) -> bool {
    path.rsplit_once('.').is_some_and(|(_, last)| last.eq_ignore_ascii_case(extension))
}

/// Whether a name promises something else than the bytes are: a program called a picture.
pub(crate) fn is_disguised(path: &str, kind: Kind) -> bool {
    let lower = path.to_ascii_lowercase();
    let Some((_, extension)) = lower.rsplit_once('.') else { return false };
    let promised_media = matches!(
        extension,
        "png"
            | "jpg"
            | "jpeg"
            | "gif"
            | "webp"
            | "svg"
            | "ico"
            | "pdf"
            | "mp3"
            | "mp4"
            | "wav"
            | "ttf"
            | "woff"
            | "woff2"
            | "otf"
    );
    let promised_text = matches!(
        extension,
        "md" | "txt"
            | "json"
            | "yaml"
            | "yml"
            | "csv"
            | "toml"
            | "py"
            | "js"
            | "sh"
            | "ts"
            | "html"
            | "css"
    );
    match kind {
        Kind::Executable(what) => {
            (promised_media || promised_text)
                && !(what.starts_with("WebAssembly") && extension == "wasm")
        }
        Kind::Bytecode(_) | Kind::Pickle => promised_media || promised_text,
        Kind::Zip | Kind::Tar | Kind::Gzip | Kind::Opaque(_) => {
            promised_media && extension != "svg" || promised_text
        }
        Kind::Text(language) => {
            promised_media && extension != "svg" && (language.runs() || language == Language::Html)
        }
        Kind::Media(_) | Kind::Binary => false,
    }
}

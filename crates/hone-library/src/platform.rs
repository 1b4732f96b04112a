//! Whether a skill is meant for this operating system.

/// Whether a skill that names `platforms` runs on `os` (`linux`, `macos`, `windows`, …).
///
/// No platforms means all. Spelling is forgiving (`Darwin`, `win32`, `OSX`); a name that nobody
/// knows matches nothing.
pub fn runs_on(platforms: &[String], os: &str) -> bool {
    platforms.is_empty() || platforms.iter().any(|platform| canonical(platform) == canonical(os))
}

fn canonical(platform: &str) -> String {
    let lower = platform.trim().to_lowercase();
    match lower.as_str() {
        "darwin" | "mac" | "macos" | "osx" | "mac os" | "macosx" => "macos".to_owned(),
        "win" | "win32" | "win64" | "windows" => "windows".to_owned(),
        _ if lower.starts_with("linux") => "linux".to_owned(),
        _ => lower,
    }
}

//! Commands in a skill's text. The ones that run here run in a real shell.

use std::cell::RefCell;
use std::process::{Command, Stdio};

use hone_router::{
    Answers, Inline, InlineCommand, InlineError, InlineOutput, MAX_INLINE_CHARS,
    MAX_INLINE_COMMANDS, RunInline,
};

use crate::payload::{Call, body_of};
use crate::shelf::Shelf;

/// Runs commands as the guard will, without its permissions and its sandbox; keeps what it was given.
#[derive(Default)]
struct Shell {
    given: RefCell<Vec<InlineCommand>>,
}

impl RunInline for Shell {
    fn run(&self, command: &InlineCommand) -> Result<InlineOutput, InlineError> {
        self.given.borrow_mut().push(command.clone());
        let output = Command::new("sh")
            .arg("-c")
            .arg(&command.command)
            .args(&command.arguments)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .envs(command.environment.iter().map(|(name, value)| (name, value.expose())))
            .current_dir(command.folder.as_ref().unwrap())
            .stdin(Stdio::null())
            .output()
            .map_err(|error| InlineError::Failed(error.to_string()))?;
        Ok(InlineOutput {
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code().unwrap_or(-1),
        })
    }
}

/// Answers every command with the same.
struct Says(Result<InlineOutput, InlineError>);

impl RunInline for Says {
    fn run(&self, _: &InlineCommand) -> Result<InlineOutput, InlineError> {
        self.0.clone()
    }
}

fn with_runner(text: &str, words: &str, runner: &dyn RunInline) -> String {
    let shelf = Shelf::new();
    shelf.skill("user/x", "", text);
    let call = Call { words, inline: Inline::Run(runner), ..Call::default() };
    let payload = call.prepare(&shelf, &["x"]).unwrap();
    shelf.shown(&body_of(&payload.text))
}

fn run(text: &str) -> String {
    with_runner(text, "", &Shell::default())
}

/// The commands that a text runs.
fn commands(text: &str) -> Vec<String> {
    let shell = Shell::default();
    with_runner(text, "", &shell);
    shell.given.into_inner().into_iter().map(|command| command.command).collect()
}

/// Hermes I01.
#[test]
fn off_they_are_text() {
    let shelf = Shelf::new();
    shelf.skill("user/x", "", "Now: !`date`");
    let payload = Call::default().prepare(&shelf, &["x"]).unwrap();
    assert_eq!(body_of(&payload.text), "Now: !`date`");
    assert_eq!(payload.skills[0].inline_commands, 1);
}

/// Hermes I02, I03, I04.
#[test]
fn they_stand_for_what_they_print_in_the_skills_folder() {
    assert_eq!(run("!`echo hi`"), "hi");
    assert_eq!(run("In !`pwd`, (!`echo two`)."), "In SHELF/user/x, (two).");
    assert_eq!(run("!`printf 'a\\nb\\n\\n'`!"), "a\nb!");
}

/// Hermes I05, I06.
#[test]
fn an_open_or_an_empty_one_is_text() {
    assert_eq!(run("!`echo\nhi`"), "!`echo\nhi`");
    assert_eq!(run("!`` x"), "!`` x");
    assert_eq!(run("[!` `]"), "[]");
}

/// Hermes I07 and I08; there, a failure leaves no trace.
#[test]
fn a_failure_is_a_visible_marker_and_the_rest_stays() {
    assert_eq!(run("a !`exit 3` b"), "a [inline shell: `exit 3` ended with 3] b");
    assert_eq!(
        run("!`echo out; echo err >&2; exit 1`"),
        "[inline shell: `echo out; echo err >&2; exit 1` ended with 1: err]"
    );
    assert_eq!(run("!`echo err >&2`"), "err");
    assert_eq!(run("!`echo out; echo err >&2`"), "out");
}

/// Hermes I09, I12.
#[test]
fn one_that_is_refused_late_or_missing_is_a_marker() {
    for (error, marker) in [
        (InlineError::TimedOut, "`x` did not end within 10 seconds"),
        (
            InlineError::Denied("no rule allows `x`".to_owned()),
            "`x` was not run: no rule allows `x`",
        ),
        (InlineError::Failed("no `sh`".to_owned()), "`x` could not be run: no `sh`"),
    ] {
        let text = with_runner("a !`x` b", "", &Says(Err(error)));
        assert_eq!(text, format!("a [inline shell: {marker}] b"));
    }
}

/// Hermes I10.
#[test]
fn long_output_is_cut_and_says_so() {
    let says = |length: usize| {
        let stdout = "ü".repeat(length);
        with_runner("!`x`", "", &Says(Ok(InlineOutput { stdout, ..InlineOutput::default() })))
    };
    assert_eq!(says(MAX_INLINE_CHARS), "ü".repeat(4_000));
    let cut = format!("{}\n[inline shell: cut after 4000 characters]", "ü".repeat(4_000));
    assert_eq!(says(MAX_INLINE_CHARS + 1), cut);
}

/// Hermes I11, where they run.
#[test]
fn in_code_or_after_a_backslash_they_are_text() {
    for text in [
        "```\n!`echo hi`\n```",
        "```sh\n!`echo hi`\n````\n",
        "~~~\n```\n!`echo hi`\n~~~",
        "- item\n\n  ````md\n  ```\n  !`echo hi`\n  ```\n  ````",
        "```\n!`echo hi`\nnever closed",
        "> ```\n> !`echo hi`\n> ```",
        "- ```sh\n  !`echo hi`\n  ```",
        "12. ~~~\n!`echo hi`\n- ~~~\n!`echo hi`",
        r"\!`echo hi`",
        "write `` !`echo hi` `` to run it",
        "stop!`echo hi`",
        "!!`echo hi`",
    ] {
        assert_eq!(commands(text), Vec::<String>::new(), "{text}");
    }
    assert_eq!(commands("```\nx\n```\n!`echo hi`"), ["echo hi"]);
    assert_eq!(commands("> ```\n> x\n> ```\n> !`echo hi`"), ["echo hi"]);
    assert_eq!(commands("1. ```\n   x\n   ```\n2. !`echo hi`"), ["echo hi"]);
    assert_eq!(commands("use `x` and !`echo hi`"), ["echo hi"]);
    assert_eq!(commands("an \\` and !`echo hi`"), ["echo hi"]);
}

#[test]
fn behind_a_letter_they_run_only_in_scripts_without_blanks() {
    assert_eq!(run("当前!`echo zh`。"), "当前zh。");
    for text in
        ["当前!`echo hi`", "今の!`echo hi`", "지금!`echo hi`", "ตอนนี้ก!`echo hi`", "（!`echo hi`）"]
    {
        assert_eq!(commands(text), ["echo hi"], "{text}");
    }
    for text in ["x!`echo hi`", "Стоп!`echo hi`", "3!`echo hi`", "é!`echo hi`", r"当前\!`echo hi`"]
    {
        assert_eq!(commands(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn a_skill_may_have_sixteen_of_them() {
    let text = "!`:`\n".repeat(MAX_INLINE_COMMANDS + 1);
    assert_eq!(commands(&text).len(), 16);
    assert!(run(&text).ends_with("[inline shell: `:` was not run: a skill may have 16 commands]"));
}

#[test]
fn values_reach_the_command_beside_it_never_inside_it() {
    let words = "'; echo pwned; ' \"$(echo pwned)\" `echo pwned`";
    let text =
        r#"!`printf '%s|' "$ARGUMENTS" "$ARGUMENTS[0]" "$1" "$ARGUMENTS[9]" "${SKILL_DIR}"`"#;
    let printed = with_runner(text, words, &Shell::default());
    assert_eq!(printed, format!("{words}|; echo pwned; |$(echo pwned)||SHELF/user/x|"));
}

#[test]
fn neither_words_nor_output_become_a_command() {
    let shell = Shell::default();
    let text = with_runner("$ARGUMENTS and !`echo '!\\x60echo two\\x60'`", "!`echo one`", &shell);
    assert_eq!(shell.given.borrow().len(), 1);
    assert!(text.starts_with("!`echo one` and "), "{text}");
}

#[test]
fn an_answer_reaches_only_its_own_skill_and_no_text() {
    let shelf = Shelf::new();
    let a = shelf.skill("user/a", "", "!`echo \"token: $TOKEN\"`");
    shelf.skill("user/b", "", "!`echo \"token: ${TOKEN:-none}\"`");
    let mut answers = Answers::default();
    assert!(answers.give(&a, "TOKEN", "s3cr3t-value"));
    let runner = Shell::default();
    let call = Call {
        inline: Inline::Run(&runner),
        answers: Some(&answers),
        words: "it is s3cr3t-value",
        ..Call::default()
    };
    let payload = call.prepare(&shelf, &["a", "b"]).unwrap();
    assert!(payload.text.contains("token: [redacted TOKEN]\n"), "{}", payload.text);
    assert!(payload.text.contains("token: none\n"), "{}", payload.text);
    assert!(!payload.text.contains("s3cr3t"), "{}", payload.text);
    assert_eq!(payload.words, "it is [redacted TOKEN]");
    let given = runner.given.borrow();
    assert_eq!(given[0].arguments, ["it", "is", "s3cr3t-value"], "a command gets what was typed");
    let environment: Vec<_> = given.iter().map(|command| &command.environment).collect();
    let shown = format!("{environment:?} {answers:?}");
    assert!(shown.contains("TOKEN") && !shown.contains("s3cr3t"), "{shown}");
}

#[test]
fn no_cut_leaves_a_part_of_an_answer() {
    let value = "abcdefghij1234567890\nsecond line";
    let shelf = Shelf::new();
    let skill = shelf.skill("user/x", "", "!`x`");
    let mut answers = Answers::default();
    assert!(answers.give(&skill, "TOKEN", value));
    let says = |before: usize, code: i32| {
        let text = format!("{}{value} and more", "0".repeat(before));
        let output = InlineOutput { stdout: text.clone(), stderr: text, code };
        let runner = Says(Ok(output));
        let call =
            Call { inline: Inline::Run(&runner), answers: Some(&answers), ..Call::default() };
        body_of(&call.prepare(&shelf, &["x"]).unwrap().text)
    };
    let cut = "[redacted TOKEN]\n[inline shell: cut after 4000 characters]";
    assert_eq!(says(MAX_INLINE_CHARS - 1, 0), format!("{}{cut}", "0".repeat(3_999)));
    let beyond = format!("{}\n[inline shell: cut after 4000 characters]", "0".repeat(4_000));
    assert_eq!(says(MAX_INLINE_CHARS, 0), beyond);
    let marker = "[inline shell: `x` ended with 1: ";
    assert_eq!(says(119, 1), format!("{marker}{}[redacted TOKEN]…]", "0".repeat(119)));
    assert_eq!(says(0, 1), format!("{marker}[redacted TOKEN]]"), "a line ends inside the value");
}

#[test]
fn backticks_without_end_are_one_pass() {
    let runs: Vec<String> = (1..700).map(|n| "`".repeat(n)).collect();
    assert_eq!(commands(&runs.join("!")), Vec::<String>::new());
    assert_eq!(commands(&"`a ``b ".repeat(6_000)), Vec::<String>::new());
}

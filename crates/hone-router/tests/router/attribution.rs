//! Which skill a command line used.

use std::path::Path;

use hone_router::{Attribution, How, MAX_COMMAND_BYTES};

use crate::shelf::Shelf;

/// `user/tidy` with scripts, `user/deploy`, and `user/tidy/inner` inside the first.
fn shelf() -> Shelf {
    let shelf = Shelf::with(&["tidy", "deploy", "tidy/inner"]);
    shelf.write("user/tidy/scripts/run.py", "");
    shelf.write("user/tidy/references/a.md", "");
    shelf
}

/// What a command used, as `skill how file`.
fn used_in(shelf: &Shelf, line: &str, cwd: &str) -> Vec<String> {
    let catalogue = shelf.catalogue();
    let index = Attribution::new(&catalogue.skills, &shelf.folder);
    let line = line.replace("SHELF", shelf.folder.to_str().unwrap());
    let used = index.command(&line, &shelf.folder.join(cwd));
    used.iter().map(|u| format!("{} {} {}", u.skill.summary.name, u.how.id(), u.file)).collect()
}

const RUN: &str = "tidy script scripts/run.py";

/// Codex' cases 60 and 61, and all that it misses.
#[test]
fn a_script_of_a_skill_that_ran() {
    let shelf = shelf();
    for (line, cwd) in [
        ("python3 scripts/run.py", "user/tidy"),
        ("python3 -u scripts/run.py --fast", "user/tidy"),
        ("python3.12 SHELF/user/tidy/scripts/run.py", ""),
        ("./scripts/run.py", "user/tidy"),
        ("SHELF/user/tidy/scripts/run.py a b", "/"),
        ("user/tidy/./x/../scripts/run.py", ""),
        ("~/user/tidy/scripts/run.py", "/"),
        ("\"$HOME/user/tidy/scripts/run.py\"", "/"),
        ("uv run scripts/run.py", "user/tidy"),
        ("uv run -p 3.12 --with requests python scripts/run.py", "user/tidy"),
        ("npx -y tsx scripts/run.py", "user/tidy"),
        ("bun scripts/run.py", "user/tidy"),
        ("deno run -A scripts/run.py", "user/tidy"),
        ("bash -e scripts/run.py", "user/tidy"),
        ("source scripts/run.py", "user/tidy"),
        (". scripts/run.py", "user/tidy"),
        ("A=1 B='x y' python scripts/run.py", "user/tidy"),
        ("env -i A=1 python scripts/run.py", "user/tidy"),
        ("sudo -E timeout -k 5 10s python scripts/run.py", "user/tidy"),
        ("cd user/tidy && python scripts/run.py", ""),
        ("cd 'user/tidy'; ls; python scripts/run.py | tee out", ""),
        ("cd user && cd tidy && ./scripts/run.py", ""),
        ("make || (cd user/tidy && ./scripts/run.py)", ""),
        ("bash -lc 'cd user/tidy && python scripts/run.py'", ""),
        ("sh -c \"bash -c 'user/tidy/scripts/run.py'\"", ""),
        ("echo \"$(date)\" && user/tidy/scripts/run.py", ""),
        ("out=$(python user/tidy/scripts/run.py)", ""),
        ("echo `user/tidy/scripts/run.py`", ""),
        ("user/tidy/scripts/run.py > log 2>&1 &", ""),
        ("# a comment; with signs\nuser/tidy/scripts/run.py", ""),
        ("python \\\n  user/tidy/scripts/run.py", ""),
        ("for f in *.md; do user/tidy/scripts/run.py $f; done", ""),
        ("for f in user/tidy/scripts/run.py; do python3 $f; done", ""),
        ("for f in a.py user/tidy/scripts/run.py b.py; do python3 \"$f\"; done", ""),
        ("D=user/tidy; python3 \"$D/scripts/run.py\"", ""),
        ("export D=user E=1; F=$D/tidy\npython3 ${F}/scripts/run.py", ""),
        ("find user/tidy/scripts -name 'run.py' -exec python3 {} \\;", ""),
        ("if python user/tidy/scripts/run.py; then echo; else false; fi", ""),
        ("if true; then false; elif user/tidy/scripts/run.py; then :; fi", ""),
        ("while ! user/tidy/scripts/run.py; do sleep 1; done", ""),
        ("{ user/tidy/scripts/run.py; }", ""),
        ("! user/tidy/scripts/run.py", ""),
        ("find . -name '*.md' -exec user/tidy/scripts/run.py {} \\;", ""),
        ("find . -exec true {} + -execdir bash user/tidy/scripts/run.py {} +", ""),
        ("sudo -u www -g www user/tidy/scripts/run.py", ""),
        ("env -u A -C / SHELF/user/tidy/scripts/run.py", ""),
        ("ls | xargs -n 1 -I X user/tidy/scripts/run.py X", ""),
        ("uvx --from tool run user/tidy/scripts/run.py", ""),
        ("npm exec -- tsx user/tidy/scripts/run.py", ""),
        ("(cd user/deploy && ls); user/tidy/scripts/run.py", ""),
        ("x=$( (cd user/deploy; pwd) ); user/tidy/scripts/run.py", ""),
        ("echo `cd user/deploy` && user/tidy/scripts/run.py", ""),
        ("cd user; (cd deploy); (cd tidy; scripts/run.py)", ""),
        ("bash -o pipefail -c 'user/tidy/scripts/run.py'", ""),
        ("bash -euo pipefail -c 'user/tidy/scripts/run.py'", ""),
        ("bash -c -e 'user/tidy/scripts/run.py'", ""),
        ("bash -euo pipefail user/tidy/scripts/run.py", ""),
        ("uv run --directory user/tidy scripts/run.py", ""),
        ("uv --directory=user/tidy run python scripts/run.py", ""),
        ("poetry -C user/tidy run python scripts/run.py", ""),
        ("yarn tsx user/tidy/scripts/run.py", ""),
        ("yarn --cwd user/tidy tsx scripts/run.py", ""),
        ("conda run -n base python user/tidy/scripts/run.py", ""),
        ("powershell.exe -ExecutionPolicy Bypass -File user/tidy/scripts/run.py", ""),
        ("pwsh -NoProfile -Command user/tidy/scripts/run.py -x", ""),
        ("bash <<EOF\ncd user/tidy\nscripts/run.py\nEOF", ""),
        ("cd user/tidy && bash -euo pipefail -s a <<-'EOF'\n\tscripts/run.py\n\tEOF", ""),
        ("cat <<EOF | sudo sh -\nuser/tidy/scripts/run.py\nEOF", ""),
        ("cat > notes.md <<EOF\n$(cd user/tidy; scripts/run.py) \"said\"\nEOF", ""),
        ("cat <<EOF\nuser/deploy/scripts/x\nEOF\nuser/tidy/scripts/run.py", ""),
        ("git commit -m \"$(cat <<'EOF'\nit's (new\nEOF\n)\" && user/tidy/scripts/run.py", ""),
        ("git commit -m \"$(cat <<EOF\nnew\nEOF)\" && user/tidy/scripts/run.py", ""),
        ("cat <<A - <<\"B C\"\nx\nA\ny\nB C\nuser/tidy/scripts/run.py", ""),
        ("echo $((1<<2))\nuser/tidy/scripts/run.py", ""),
    ] {
        assert_eq!(used_in(&shelf, line, cwd), [RUN], "{line}");
    }
}

#[test]
fn what_only_names_or_changes_a_script_is_no_use() {
    let shelf = shelf();
    for line in [
        "",
        "python3 -c 'print(1)' user/tidy/scripts/run.py",
        "python3 -m pytest user/tidy/scripts/run.py",
        "rm user/tidy/scripts/run.py",
        "git add user/tidy/scripts/run.py",
        "echo user/tidy/scripts/run.py",
        "echo 'python user/tidy/scripts/run.py'",
        "echo x > user/tidy/SKILL.md",
        "echo x 2>> user/tidy/SKILL.md",
        "cat a > user/tidy/SKILL.md",
        "sed -i s/a/b/ user/tidy/SKILL.md",
        "cat <<< user/tidy/SKILL.md",
        "python scripts/run.py",
        "python user/tidy/run.py",
        "python user/other/scripts/run.py",
        "# python user/tidy/scripts/run.py",
        "(cd user/tidy); scripts/run.py",
        "(cd user/tidy); (scripts/run.py)",
        "echo $(cd user/tidy && pwd); scripts/run.py",
        "npm install user/tidy/scripts/run.py",
        "find user/tidy/scripts/run.py -newer x",
        "sudo -u user/tidy/scripts/run.py true",
        "cat > notes.md <<EOF\npython user/tidy/scripts/run.py\nEOF",
        "cat > notes.md <<'EOF'\n$(python user/tidy/scripts/run.py)\nEOF",
        "cat > notes.md <<EOF\n\\$(user/tidy/scripts/run.py)\nEOF",
        "cat <<-EOF > notes.md\n\tcat user/tidy/SKILL.md\n\tEOF",
        "git commit -m \"$(cat <<EOF\nuser/tidy/scripts/run.py\nEOF\n)\"",
        "echo $(cat <<'EOF'\npython user/tidy/scripts/run.py\nEOF\n)",
        "cat <<EOF\nuser/tidy/scripts/run.py\nnever ended",
        "bash script.sh <<EOF\nuser/tidy/scripts/run.py\nEOF",
        "bash -c 'cat' <<EOF\nuser/tidy/scripts/run.py\nEOF",
        "tee x <<EOF | bash y\nuser/tidy/scripts/run.py\nEOF",
        "yarn add user/tidy/scripts/run.py",
        "conda install user/tidy/scripts/run.py",
    ] {
        assert_eq!(used_in(&shelf, line, ""), Vec::<String>::new(), "{line}");
    }
}

#[test]
fn reading_its_files_is_a_use_of_its_own_kind() {
    let shelf = shelf();
    let instructions = "tidy instructions SKILL.md";
    for line in [
        "cat user/tidy/SKILL.md | head",
        "nl -ba user/tidy/SKILL.md",
        "sed -n '1,80p' user/tidy/SKILL.md",
        "head -50 user/tidy/SKILL.md",
        "Get-Content -Raw user/tidy/SKILL.md",
        "grep -n Steps user/tidy/SKILL.md",
        "wc -l < user/tidy/SKILL.md",
        "cat user/tidy/references/a.md user/tidy/SKILL.md",
    ] {
        assert_eq!(used_in(&shelf, line, ""), [instructions], "{line}");
    }
    assert_eq!(used_in(&shelf, "cat references/a.md", "user/tidy"), ["tidy file references/a.md"]);
    assert_eq!(used_in(&shelf, "cat user/tidy/scripts/run.py", ""), ["tidy file scripts/run.py"]);
}

#[test]
fn several_skills_and_the_innermost_one() {
    let shelf = shelf();
    assert_eq!(
        used_in(&shelf, "cat user/deploy/SKILL.md && cat user/tidy/inner/SKILL.md", ""),
        ["deploy instructions SKILL.md", "inner instructions SKILL.md"]
    );
    let both = "cat user/tidy/SKILL.md; user/tidy/scripts/run.py";
    assert_eq!(used_in(&shelf, both, ""), [RUN], "the script counts more");
}

#[test]
fn a_file_that_a_tool_read() {
    let shelf = shelf();
    let catalogue = shelf.catalogue();
    let index = Attribution::new(&catalogue.skills, &shelf.folder);
    let how = |path| index.file(path, &shelf.folder).map(|used| (used.how, used.file));
    assert_eq!(how("user/tidy/SKILL.md"), Some((How::Instructions, "SKILL.md".to_owned())));
    assert_eq!(how("user/tidy/x/y.txt"), Some((How::File, "x/y.txt".to_owned())));
    assert_eq!(how("user/tidy/../../SKILL.md"), None);
    assert_eq!(how("user"), None);
}

#[test]
fn what_is_not_on_disk_can_be_left_out() {
    let shelf = shelf();
    let catalogue = shelf.catalogue();
    let index = Attribution::new(&catalogue.skills, &shelf.folder).only_existing();
    let used = |line: &str| {
        let used = index.command(line, &shelf.folder);
        used.into_iter().map(|used| used.file).collect::<Vec<_>>()
    };
    assert_eq!(used("user/tidy/scripts/run.py"), ["scripts/run.py"]);
    assert_eq!(used("user/tidy/scripts/gone.py"), Vec::<String>::new());
    // A stronger use that was none does not hide a weaker one that was.
    assert_eq!(used("user/tidy/scripts/gone.py || cat user/tidy/SKILL.md"), ["SKILL.md"]);
    assert_eq!(index.file("user/tidy/x/y.txt", &shelf.folder), None);
    assert!(index.file("user/tidy/references/a.md", &shelf.folder).is_some());
}

#[test]
fn a_pattern_means_the_files_on_disk_that_it_matches() {
    let shelf = shelf();
    shelf.write("user/tidy/references/.b.md", "");
    shelf.write("user/tidy/references/[x].md", "");
    let catalogue = shelf.catalogue();
    let index = Attribution::new(&catalogue.skills, &shelf.folder).only_existing();
    let used = |line: &str| {
        let used = index.command(line, &shelf.folder);
        used.iter().map(|u| format!("{} {}", u.skill.summary.name, u.file)).collect::<Vec<_>>()
    };
    for (line, expected) in [
        ("cat user/tidy/references/*", vec!["tidy references/[x].md"]),
        ("cat user/tidy/references/[a-c].m?", vec!["tidy references/a.md"]),
        ("cat user/tidy/references/[!x].md", vec!["tidy references/a.md"]),
        ("cat user/tidy/references/.*.md", vec!["tidy references/.b.md"]),
        ("cat user/tidy/*", vec!["tidy SKILL.md"]),
        ("cat user/*/SKILL.md", vec!["deploy SKILL.md", "tidy SKILL.md"]),
        ("cat user/d*y/*.md", vec!["deploy SKILL.md"]),
        ("python user/tidy/scripts/*.py", vec!["tidy scripts/run.py"]),
        ("cat user/tidy/references/*.txt", vec![]),
        ("cat user/tidy/references/[", vec![]),
        ("cat 'user/tidy/references/[x].md'", vec!["tidy references/[x].md"]),
    ] {
        assert_eq!(used(line), expected, "{line}");
    }
}

#[test]
fn a_skill_found_through_a_link_is_known_by_both_paths() {
    let shelf = shelf();
    let link = shelf.folder.join("admin/other");
    std::os::unix::fs::symlink(shelf.folder.join("user/tidy"), link).unwrap();
    assert_eq!(used_in(&shelf, "admin/other/scripts/run.py", ""), [RUN]);
    assert_eq!(used_in(&shelf, "user/tidy/scripts/run.py", ""), [RUN]);
}

#[test]
fn odd_lines_are_one_pass_and_long_ones_are_cut() {
    let catalogue = shelf().catalogue();
    let index = Attribution::new(&catalogue.skills, Path::new("/"));
    for line in [
        "$(",
        "`",
        "\"$(",
        "'",
        "(",
        "bash -c \"",
        "a=1 ",
        "sudo ",
        "cd x;",
        "x/",
        "é<",
        "<<a\n",
        "cat <<a|",
    ] {
        assert_eq!(index.command(&line.repeat(20_000), Path::new("/")), [], "{line}");
    }
    let shelf = shelf();
    let run = "; user/tidy/scripts/run.py";
    let padded = |length: usize| format!("{}{run}", " ".repeat(length - run.len()));
    assert_eq!(used_in(&shelf, &padded(MAX_COMMAND_BYTES), ""), [RUN]);
    assert_eq!(used_in(&shelf, &padded(MAX_COMMAND_BYTES + run.len()), ""), Vec::<String>::new());
}

#[test]
fn as_many_values_of_a_variable_are_looked_at() {
    let shelf = shelf();
    let line = |others: usize| {
        let others = "a.py ".repeat(others);
        format!("for f in {others}user/tidy/scripts/run.py; do python3 $f; done")
    };
    assert_eq!(used_in(&shelf, &line(15), ""), [RUN]);
    assert_eq!(used_in(&shelf, &line(16), ""), [""; 0]);
    // What a variable holds is filled in up to the length of a command line.
    let long = format!("A={} \n{}", "x".repeat(MAX_COMMAND_BYTES / 8), "$A ".repeat(1_000));
    assert_eq!(used_in(&shelf, &long, ""), [""; 0]);
}

use hone_skill::Permissions;

use crate::shell::Word;

use super::{Decision, MAX_COMMAND_BYTES, MAX_REFUSALS, MAX_WRAPPED, joined, permit};

/// What is declared, a command line, and the parts of it that are refused.
type Case = (&'static str, &'static str, &'static [&'static str]);

const GIT: &str = "Bash(git status:*) Bash(git log:*)";
const SHOW: &str = "Bash(show:*)";
const TOOLS: &str = "Bash(git:*) Bash(ls:*) Bash(cat:*) Bash(grep:*) Bash(echo:*) Bash(find:*) Bash(sed:*) \
    Bash(awk:*) Bash(tar:*) Bash(ssh:*) Bash(curl:*) Bash(python3:*) Bash(sort:*) Bash(node:*) Bash(make:*) \
    Write(out/**)";

fn check(cases: &[Case]) {
    for (tools, line, expected) in cases {
        let permissions = Permissions::parse(tools);
        assert_eq!(permissions.errors, [], "{tools}");
        let decision = permit(&permissions, line);
        let parts: Vec<&str> =
            decision.refusals.iter().map(|refusal| &line[refusal.span.clone()]).collect();
        assert_eq!(parts, *expected, "{line:?} with {tools:?}: {:#?}", decision.refusals);
    }
}

#[test]
fn an_entry_permits_whole_words_only() {
    check(&[
        (GIT, "git status", &[]),
        (GIT, "git status -s --branch", &[]),
        (GIT, "git statusx", &["git statusx"]),
        (GIT, "git push", &["git push"]),
        (GIT, "git", &["git"]),
        (GIT, "gitk status", &["gitk status"]),
        (GIT, "git  'status'", &[]),
        (GIT, "g\"i\"t stat'us'", &[]),
        (GIT, "git --no-pager status", &["git --no-pager status"]),
        ("Bash(git status)", "git status", &[]),
        ("Bash(git status)", "git status -s", &["git status -s"]),
        ("Bash(npm run test *)", "npm run test", &[]),
        ("Bash(npm run test *)", "npm run test -- -x", &[]),
        ("Bash(npm run test *)", "npm run test:all", &["npm run test:all"]),
        ("Bash(git * main)", "git merge main", &[]),
        ("Bash(git * main)", "git merge dev", &["git merge dev"]),
        ("Bash(./scripts/run.sh:*)", "./scripts/run.sh a", &[]),
        ("Bash(./scripts/*)", "./scripts/../../evil", &["./scripts/../../evil"]),
        ("Read", "git status", &["git status"]),
        ("", "git status", &["git status"]),
        ("Bash", "git push; rm -rf /", &[]),
        ("*", "anything > file", &[]),
        ("Bash(*)", "anything", &[]),
    ]);
}

#[test]
fn every_command_of_a_line_counts() {
    check(&[
        (GIT, "git status && git log", &[]),
        (GIT, "git status; git push", &["git push"]),
        (GIT, "git status && git push || rm x", &["git push", "rm x"]),
        (GIT, "git status & git push &", &["git push"]),
        (GIT, "git status\ngit push", &["git push"]),
        (GIT, "git log | sh", &["sh"]),
        (GIT, "git log | git status |& tee x", &["tee x"]),
        (GIT, "(git push)", &["git push"]),
        (GIT, "{ git status; git push; }", &["git push"]),
        (GIT, "! git push", &["git push"]),
        (GIT, "if git status; then git push; else rm x; fi", &["git push", "rm x"]),
        (GIT, "while rm x; do git status; done", &["rm x"]),
        (GIT, "for f in $(rm x); do git status; done", &["rm x"]),
        (GIT, "case $(rm x) in *) git push;; esac", &["rm x", "git push"]),
        (GIT, "[[ -n $(rm x) ]] && git status", &["rm x"]),
        (GIT, "f() { git push; }; f", &["git push"]),
        (GIT, "f() { git status; }; f", &[]),
        (GIT, "f; f() { git status; }", &["f"]),
        (GIT, "(f() { git status; }); f", &["f"]),
        (GIT, "false && f() { git status; }; f", &["f"]),
        (GIT, "f() { git status; } & f", &["f"]),
        (GIT, "git() { :; }; command git push", &["git push"]),
        (GIT, "f() { \"$@\"; }; f rm", &["\"$@\""]),
        (GIT, "coproc git push", &["git push"]),
        (GIT, "time git push", &["git push"]),
        (GIT, "git status # ; rm x", &[]),
        (GIT, "git status \\\n -s", &[]),
        (GIT, "git pull || true", &["git pull"]),
        (GIT, "git status || true; exit 1", &[]),
    ]);
}

#[test]
fn substitutions_are_commands_wherever_they_stand() {
    check(&[
        (SHOW, "show $(rm x)", &["rm x"]),
        (SHOW, "show `rm x`", &["rm x"]),
        (SHOW, "show \"$(rm x)\"", &["rm x"]),
        (SHOW, "show '$(rm x)'", &[]),
        (SHOW, "show \\$\\(rm\\)", &[]),
        (SHOW, "show \"`show \\`rm x\\``\"", &["rm x"]),
        (SHOW, "show <(rm x)", &["rm x"]),
        (SHOW, "show >(rm x)", &["rm x"]),
        (SHOW, "show ${x:-$(rm x)}", &["rm x"]),
        (SHOW, "show \"${x:-`rm x`}\"", &["rm x"]),
        (SHOW, "show {a,$(rm x)}", &["rm x"]),
        (SHOW, "show $((1+$(rm x)))", &["$((1+$(rm x)))", "rm x"]),
        (SHOW, "show <<E\n$(rm x)\nE", &["rm x"]),
        (SHOW, "show <<'E'\n$(rm x)\nE", &[]),
        (SHOW, "show <<< $(rm x)", &["rm x"]),
        (SHOW, "x=$(rm x) ; show", &["rm x"]),
        (SHOW, "x=($(rm x)); show", &["rm x"]),
        (GIT, "git log $x ${y} \"$@\"", &["$x", "${y}", "\"$@\""]),
        (GIT, "git log -- $x", &[]),
        (SHOW, "show ${x@P}", &["${x@P}"]),
        (SHOW, "show ${!x} ${a[i]} ${x:y}", &["${!x}", "${a[i]}", "${x:y}"]),
        (SHOW, "show ${x:1:2} ${a[0]} ${x%.*}", &[]),
        (SHOW, "x='a[$(rm)]'; show $((x))", &["$((x))"]),
        (SHOW, "[[ $x -eq 1 ]] && show", &["-eq"]),
        (SHOW, "[[ -v a ]] && show", &["-v"]),
        (SHOW, "((x++)); show", &["((x++))"]),
        (SHOW, "show *(e:'rm x':)", &["*(e:'rm x':)"]),
    ]);
}

#[test]
fn what_is_only_known_when_it_runs_is_no_command() {
    check(&[
        (GIT, "$x status", &["$x"]),
        (GIT, "x=git; $x push", &["$x"]),
        (GIT, "g*t status", &["g*t"]),
        (GIT, "{git,push}", &["{git,push}"]),
        (GIT, "~/bin/git status", &["~/bin/git"]),
        (GIT, "$(echo git) status", &["$(echo git)", "echo git"]),
        (GIT, "git $x", &["git"]),
        (GIT, "$'git' $'status'", &[]),
        (GIT, "$'\\x67it' push", &["$'\\x67it' push"]),
        (GIT, "\"\" status", &["\"\" status"]),
        (GIT, "./git status", &["./git status"]),
        (GIT, "/tmp/git status", &["/tmp/git status"]),
        (GIT, "/usr/bin/git status", &[]),
        (GIT, "/usr/bin/../../tmp/git status", &["/usr/bin/../../tmp/git status"]),
        (GIT, "/usr/bin//git status", &["/usr/bin//git status"]),
        (GIT, "/usr/bin/git push", &["/usr/bin/git push"]),
    ]);
}

#[test]
fn what_cannot_be_read_is_refused() {
    check(&[
        (GIT, "git status '", &["'"]),
        (GIT, "git status )", &[")"]),
        (GIT, "git status |", &[""]),
        (GIT, "git status &&", &[""]),
        (GIT, "git status $(", &["$"]),
        (GIT, "git status <<E\nx", &["E"]),
        (GIT, "if git status; then", &[""]),
        (GIT, "git status ${(e)x}", &["("]),
        (GIT, "git status \"${x#'}'}\"", &["'"]),
        (GIT, "git status\r\n", &["\r"]),
        (GIT, "git status $'a\\0b'", &["\\"]),
        (GIT, "git status =(rm x)", &["("]),
        (GIT, "git status\0", &["\0"]),
        (GIT, "", &[""]),
        (GIT, " # nothing", &[" # nothing"]),
    ]);
    let deep = "(".repeat(100_000);
    assert!(!permit(&Permissions::parse(GIT), &deep[..MAX_COMMAND_BYTES]).is_allowed());
}

#[test]
fn a_command_inside_another_is_the_one_that_counts() {
    check(&[
        (GIT, "env git status", &[]),
        (GIT, "env -i LANG=C git status", &[]),
        (GIT, "env git push", &["git push"]),
        (GIT, "env PATH=/tmp git status", &["PATH=/tmp"]),
        (GIT, "env X=1 git status", &["X=1"]),
        (GIT, "env -S 'git push'", &["-S"]),
        (GIT, "env $x git status", &["$x"]),
        (GIT, "env", &["env"]),
        (GIT, "/usr/bin/env git push", &["git push"]),
        (GIT, "./env git status", &["./env git status"]),
        (GIT, "timeout 5 git status", &[]),
        (GIT, "timeout -k 1 --signal=KILL 5 git push", &["git push"]),
        (GIT, "timeout $t git status", &["$t"]),
        (GIT, "nohup nice -n 5 git status", &[]),
        (GIT, "nohup nice -n 5 git push", &["git push"]),
        (GIT, "stdbuf -oL git push", &["git push"]),
        (GIT, "command git push", &["git push"]),
        (GIT, "command -v git", &[]),
        (GIT, "builtin eval 'git push'", &["git push"]),
        (GIT, "exec git push", &["git push"]),
        (GIT, "exec -a x git status", &["-a"]),
        (GIT, "eval 'git status; git push'", &["git push"]),
        (GIT, "eval git push", &["git push"]),
        (GIT, "eval \"$x\"", &["\"$x\""]),
        (GIT, "trap 'git push' EXIT", &["git push"]),
        (GIT, "sh -c 'git status'", &[]),
        (GIT, "sh -c 'git push'", &["git push"]),
        (GIT, "bash -lc \"git push\"", &["git push"]),
        (GIT, "bash -euo pipefail -c 'git push'", &["git push"]),
        (GIT, "bash -c -x 'git push'", &["git push"]),
        (GIT, "bash -c \"$x\"", &["\"$x\""]),
        (GIT, "bash --rcfile x -c 'git status'", &["bash --rcfile x -c 'git status'"]),
        (GIT, "bash -c \"sh -c 'git push'\"", &["git push"]),
        (GIT, "sh -c 'git status' $(rm x)", &["rm x"]),
        (GIT, "bash x.sh", &["bash x.sh"]),
        (GIT, "echo x | sh", &["echo x", "sh"]),
        ("Bash(bash:*)", "bash x.sh", &[]),
        ("Bash(bash:*)", "bash", &["bash"]),
        ("Bash(bash:*)", "bash <<< 'rm x'", &["bash"]),
        ("Bash(bash:*)", "bash -s < x", &["-s"]),
        ("Bash(bash)", "bash", &[]),
        (GIT, "sudo git status", &["sudo git status"]),
        ("Bash(sudo:*)", "sudo git push", &["git push"]),
        ("Bash(sudo:*) Bash(git push)", "sudo -u x git push", &[]),
        ("Bash(sudo:*)", "sudo -i", &["-i"]),
        (GIT, "ls | xargs git log", &["ls", "xargs"]),
        ("Bash(cat:*)", "cat list | xargs cat", &[]),
        ("Bash(cat:*)", "cat list | xargs rm", &["rm"]),
        ("Bash(cat:*)", "cat list | xargs -I{} cat {}", &[]),
        ("Bash(cat:*)", "cat list | xargs -I{} {}", &["{}"]),
        ("Bash(cat:*)", "cat list | xargs -n1 -P 4 sh -c", &["xargs"]),
        ("Bash(cat:*)", "cat list | xargs sh -c 'rm \"$1\"' _", &["rm"]),
        ("Bash(cat:*)", "cat list | xargs", &["xargs"]),
        ("Bash(setsid:*)", "setsid rm x", &["rm"]),
        ("Bash(setsid git:*)", "setsid git push", &[]),
        ("Bash(busybox:*)", "busybox rm x", &["rm"]),
        ("Bash(watch:*)", "watch rm x", &["rm"]),
    ]);
}

#[test]
fn find_runs_and_deletes_only_what_is_declared() {
    check(&[
        (TOOLS, "find . -name '*.md'", &[]),
        (TOOLS, "find . -exec cat {} +", &[]),
        (TOOLS, "find . -exec rm {} \\;", &["rm"]),
        (TOOLS, "find . -execdir {} \\;", &["{}"]),
        (TOOLS, "find . -ok sh -c 'rm x' \\;", &["rm x"]),
        (TOOLS, "find . -exec cat {} \\; -exec rm {} \\;", &["rm"]),
        (TOOLS, "find . -delete", &["-delete"]),
        ("Bash(find:*) Bash(rm:*)", "find . -delete", &[]),
        ("Bash(find . -name x -delete)", "find . -name x -delete", &[]),
        (TOOLS, "find . -fprintf /etc/x %p", &["-fprintf"]),
        (TOOLS, "find . -fprint out/list", &[]),
        (TOOLS, "find $x", &["$x"]),
        (TOOLS, "find \"./$x\"", &[]),
    ]);
}

#[test]
fn a_variable_must_not_change_what_runs() {
    check(&[
        (GIT, "PATH=/tmp git status", &["PATH=/tmp"]),
        (GIT, "LD_PRELOAD=x git status", &["LD_PRELOAD=x"]),
        (GIT, "GIT_SSH_COMMAND=x git status", &["GIT_SSH_COMMAND=x"]),
        (GIT, "GIT_PAGER='sh -c x' git log", &["GIT_PAGER='sh -c x'"]),
        (GIT, "LANG=C NO_COLOR=1 git status", &[]),
        (GIT, "LANG=/tmp/x git status", &["LANG=/tmp/x"]),
        (GIT, "PATH=/tmp; git status", &["PATH=/tmp"]),
        (GIT, "path=(/tmp); git status", &["path=(/tmp)"]),
        (GIT, "x=1; git status", &[]),
        (GIT, "x+=1 y[0]=2; git status", &[]),
        (GIT, "y[i]=2; git status", &["y[i]=2"]),
        (GIT, "http_proxy=x; git status", &["http_proxy=x"]),
        (GIT, "for PATH in /tmp; do git status; done", &["PATH"]),
        (GIT, "git log -- ${PATH:=/tmp}", &["${PATH:=/tmp}"]),
        (GIT, "export PATH=/tmp; git status", &["export PATH=/tmp"]),
        ("Bash(export:*)", "export PATH=/tmp", &["PATH=/tmp"]),
        ("Bash(export:*)", "export LANG=C", &[]),
        ("Bash(declare:*)", "declare x=1", &[]),
        ("Bash(declare:*)", "declare BASH_ENV=x", &["BASH_ENV=x"]),
        ("Bash(read:*)", "read -p 'Name? ' -r name", &[]),
        ("Bash(read:*)", "read PATH", &["PATH"]),
        ("Bash(read:*)", "read 'a[$(rm)]'", &["'a[$(rm)]'"]),
        ("Bash(printf:*)", "printf -v 'a[$(rm)]' x", &["'a[$(rm)]'"]),
        ("Bash(printf:*)", "printf '%s [x]' a", &[]),
        ("Bash(alias:*)", "alias git='rm x'", &["git='rm x'"]),
        ("Bash(hash:*)", "hash -p /tmp/x git", &["-p"]),
        ("Bash(let:*)", "let 'a[$(rm)]'", &["'a[$(rm)]'"]),
    ]);
}

#[test]
fn writing_a_file_needs_its_own_entry() {
    check(&[
        (TOOLS, "echo a > out/a", &[]),
        (TOOLS, "echo a >> ./out/b/c", &[]),
        (TOOLS, "echo a > /etc/passwd", &["> /etc/passwd"]),
        (TOOLS, "echo a > out/../x", &["> out/../x"]),
        (TOOLS, "echo a >| x", &[">| x"]),
        (TOOLS, "echo a &> x", &["&> x"]),
        (TOOLS, "echo a >& x", &[">& x"]),
        (TOOLS, "echo a <> x", &["<> x"]),
        (TOOLS, "echo a > \"$x\"", &["> \"$x\""]),
        (TOOLS, "echo a > ~/.bashrc", &["> ~/.bashrc"]),
        ("Bash(echo:*) Write(~/notes/**)", "echo a > ~/notes/x", &[]),
        (TOOLS, "echo a > /dev/null 2>&1", &[]),
        (TOOLS, "echo a 2>/dev/stderr >&2 3>&-", &[]),
        (TOOLS, "echo a > /dev/tcp/1.2.3.4/80", &["> /dev/tcp/1.2.3.4/80"]),
        (TOOLS, "cat < /dev/udp/1.2.3.4/53", &["< /dev/udp/1.2.3.4/53"]),
        (TOOLS, "cat < $x", &["< $x"]),
        (TOOLS, "cat < notes.md", &[]),
        (TOOLS, "> x", &["> x"]),
        (TOOLS, "{ echo a; } > x", &["> x"]),
        (TOOLS, "exec > x", &["> x"]),
        (TOOLS, "cat <<E > x\na\nE", &["> x"]),
        ("Bash(echo:*) Edit", "echo a > x", &[]),
        (TOOLS, "sort -o x y", &["-o"]),
        (TOOLS, "sort -o out/x y", &[]),
        (TOOLS, "curl -so x https://a", &["-so"]),
        (TOOLS, "curl -sS https://a --output=out/x", &[]),
        (TOOLS, "curl -O https://a/x", &["-O"]),
        (TOOLS, "curl --remote-name https://a/x -o -", &["--remote-name"]),
        ("Bash(curl:*) Write", "curl -O https://a/x", &[]),
        ("Bash(echo:*) Write", "echo a > \"out$x\"", &[]),
        ("Bash(echo:*) Write", "echo a > $x", &["> $x"]),
        (TOOLS, "git diff --text", &[]),
        (TOOLS, "curl -K x", &["-K"]),
        ("Bash(dd:*)", "dd if=a of=/dev/sda", &["of=/dev/sda"]),
        (TOOLS, "sed -i s/a/b/ x", &["-i"]),
        (TOOLS, "sed -i s/a/b/ out/x", &[]),
        (TOOLS, "git log --output=x", &["--output=x"]),
    ]);
}

#[test]
fn an_option_must_not_make_a_program_run_another() {
    check(&[
        (TOOLS, "git -C sub log --oneline", &[]),
        (TOOLS, "git cherry-pick -x abc", &[]),
        (TOOLS, "git push -u origin main", &[]),
        (TOOLS, "git -c core.pager=x log", &["-c"]),
        (TOOLS, "git -ccore.pager=x log", &["-ccore.pager=x"]),
        (TOOLS, "git --exec-path=x log", &["--exec-path=x"]),
        (TOOLS, "git --config-env=a=b log", &["--config-env=a=b"]),
        (TOOLS, "git fetch --upload-pack=x", &["--upload-pack=x"]),
        (TOOLS, "git fetch --upload-p x", &["--upload-p"]),
        (TOOLS, "git rebase -x 'rm x' main", &["-x"]),
        (TOOLS, "git rebase --exec='rm x' main", &["--exec='rm x'"]),
        (TOOLS, "git grep -Orm x", &["-Orm"]),
        (TOOLS, "git clone 'ext::sh -c rm' x", &["'ext::sh -c rm'"]),
        (TOOLS, "git clone --template=x y", &["--template=x"]),
        (TOOLS, "git clone -c core.fsmonitor=x y", &["-c"]),
        (TOOLS, "git submodule foreach 'rm x'", &["foreach"]),
        (TOOLS, "git bisect run rm x", &["run"]),
        (TOOLS, "git filter-branch --tree-filter x", &["filter-branch"]),
        (TOOLS, "git config core.pager x", &["config"]),
        (TOOLS, "git config alias.x '!rm'", &["config"]),
        (TOOLS, "git config --get core.pager", &[]),
        (TOOLS, "git config user.name me", &[]),
        (TOOLS, "git $x", &["$x"]),
        (TOOLS, "git log $x", &["$x"]),
        (TOOLS, "git log \"v$x\"", &[]),
        ("Bash(git -c:*)", "git -c core.pager=x log", &[]),
        (TOOLS, "tar xf a.tar", &[]),
        (TOOLS, "tar xf a.tar --to-command=x", &["--to-command=x"]),
        (TOOLS, "tar xf a.tar --to-c x", &["--to-c"]),
        (
            TOOLS,
            "tar cf a --checkpoint=1 --checkpoint-action=exec=x b",
            &["--checkpoint-action=exec=x"],
        ),
        (TOOLS, "tar -xIx -f a", &["-xIx"]),
        (TOOLS, "tar xIf x a", &["xIf"]),
        (TOOLS, "tar xf *.tar", &["*.tar"]),
        (TOOLS, "ssh -p 22 host", &[]),
        (TOOLS, "ssh -o ProxyCommand=x host", &["-o"]),
        (TOOLS, "ssh -oProxyCommand=x host", &["-oProxyCommand=x"]),
        ("Bash(rsync:*)", "rsync -av a b", &[]),
        ("Bash(rsync:*)", "rsync -ave x a b", &["-ave"]),
        ("Bash(rsync:*)", "rsync --rsh=x a b", &["--rsh=x"]),
        (TOOLS, "awk '{print $1}' x", &[]),
        (TOOLS, "awk -F: '$3 > 5 {print $1}' x", &[]),
        (TOOLS, "awk 'BEGIN{system(\"rm\")}'", &["'BEGIN{system(\"rm\")}'"]),
        (TOOLS, "awk '{print | \"sh\"}' x", &["'{print | \"sh\"}'"]),
        (TOOLS, "awk '{print > \"x\"}' x", &["'{print > \"x\"}'"]),
        (TOOLS, "awk -f x.awk y", &["-f"]),
        (TOOLS, "awk \"$x\"", &["\"$x\""]),
        (TOOLS, "sed -n '1,5p;/a b/d' x", &[]),
        (TOOLS, "sed -E 's/a(b)/\\1/g; s|x|y|' x", &[]),
        (TOOLS, "sed '1e rm x' y", &["'1e rm x'"]),
        (TOOLS, "sed s/a/b/e y", &["s/a/b/e"]),
        (TOOLS, "sed 's/a/b/w x' y", &["'s/a/b/w x'"]),
        (TOOLS, "sed -n '/a/w x' y", &["'/a/w x'"]),
        (TOOLS, "sed -f x y", &["-f"]),
        (TOOLS, "sed -ne 'e rm' y", &["'e rm'"]),
        (TOOLS, "python3 x.py -c a", &[]),
        (TOOLS, "python3 -u x.py", &[]),
        (TOOLS, "python3 -c 'import os'", &["-c"]),
        (TOOLS, "python3 -Bc 'import os'", &["-Bc"]),
        (TOOLS, "python3 -m http.server", &["-m"]),
        ("Bash(python3 -m pytest:*)", "python3 -m pytest -q", &[]),
        (TOOLS, "echo x | python3", &["python3"]),
        (TOOLS, "python3 - <<E\nx\nE", &["python3"]),
        (TOOLS, "python3 --version", &[]),
        (TOOLS, "node -e 'x'", &["-e"]),
        (TOOLS, "node --require=x y.js", &["--require=x"]),
        ("Bash(perl:*)", "perl -ne 'print' x", &["-ne"]),
        ("Bash(vim:*)", "vim -c ':!rm' x", &["-c"]),
        ("Bash(vim:*)", "vim '+!rm' x", &["'+!rm'"]),
        ("Bash(less:*)", "less '+!rm' x", &["'+!rm'"]),
        (TOOLS, "make test", &[]),
        (TOOLS, "make SHELL=x test", &["SHELL=x"]),
        (TOOLS, "make --eval=x", &["--eval=x"]),
        (TOOLS, "sort --compress-program=x y", &["--compress-program=x"]),
        ("Bash(rg:*)", "rg --pre x y", &["--pre"]),
        ("Bash(rg:*)", "rg --pretty y", &[]),
        ("Bash(go test:*)", "go test -exec x", &["-exec"]),
        ("Bash(cargo:*)", "cargo --config x=y build", &["--config"]),
        ("Bash(zip:*)", "zip a b -T -TT x", &["-TT"]),
        ("Bash(split:*)", "split --filter=x y", &["--filter=x"]),
        ("Bash(npm run:*)", "npm run x --script-shell=y", &["--script-shell=y"]),
    ]);
}

#[test]
fn a_refusal_says_what_and_what_would_permit_it() {
    let refusals = |line: &str| permit(&Permissions::parse(TOOLS), line).refusals;
    let one = refusals("rm -rf x");
    assert_eq!(
        (one[0].reason.as_str(), one[0].hint.as_deref()),
        ("`rm` is not declared", Some("`Bash(rm:*)` would permit it"))
    );
    let one = refusals("echo a > x");
    assert_eq!(
        (one[0].reason.as_str(), one[0].hint.as_deref()),
        ("writes `x`", Some("`Write(x)` would permit it"))
    );
    let one = refusals("git -c a=b log");
    assert_eq!(one[0].reason, "`git` runs another program because of this");
    assert_eq!(one[0].hint.as_deref(), Some("an entry that names `-c` would permit it"));
}

#[test]
fn what_is_granted_is_listed_with_its_entry() {
    let line = "git status; sh -c 'git log -1'";
    let Decision { granted, refusals } = permit(&Permissions::parse(GIT), line);
    assert_eq!(refusals, []);
    let granted: Vec<(&str, Option<&str>)> =
        granted.iter().map(|grant| (&line[grant.span.clone()], grant.by.as_deref())).collect();
    assert_eq!(
        granted,
        [("git status", Some("Bash(git status:*)")), ("git log -1", Some("Bash(git log:*)")),]
    );
}

#[test]
fn the_limits_hold_at_the_bound_and_past_it() {
    let permissions = Permissions::parse(GIT);
    let line = |length: usize| format!("git log {}", "a".repeat(length - 8));
    assert!(permit(&permissions, &line(MAX_COMMAND_BYTES)).is_allowed());
    assert!(!permit(&permissions, &line(MAX_COMMAND_BYTES + 1)).is_allowed());
    let wrapped = |depth: usize| format!("{}git log", "nohup ".repeat(depth));
    assert!(permit(&permissions, &wrapped(MAX_WRAPPED - 1)).is_allowed());
    assert!(!permit(&permissions, &wrapped(MAX_WRAPPED)).is_allowed());
    assert_eq!(permit(&permissions, &"rm; ".repeat(MAX_REFUSALS)).refusals.len(), MAX_REFUSALS);
    assert_eq!(permit(&permissions, &"rm; ".repeat(MAX_REFUSALS + 1)).refusals.len(), MAX_REFUSALS);
}

#[test]
fn words_are_joined_so_that_a_shell_reads_them_as_they_are() {
    for words in [
        vec!["git", "log", "a b", "it's", "$x", "", "*", "~", "a=b", "#", "if", "-n", "{a,b}", "é"],
        vec!["a=b", "c"],
        vec!["!", "x"],
    ] {
        let parsed = crate::shell::parse(&joined(&words));
        assert_eq!(parsed.errors, []);
        let commands = parsed.script.commands();
        let read: Vec<_> = commands[0].words.iter().filter_map(Word::literal).collect();
        assert_eq!(read, words);
    }
}

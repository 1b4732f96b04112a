mod evaded;

use hone_skill::Permissions;

use crate::shell::Word;

use super::{Decision, MAX_COMMAND_BYTES, MAX_REFUSALS, MAX_WRAPPED, inner, joined, permit};

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
        ("Bash(cat references/*)", "cat references/a.md", &[]),
        (
            "Bash(cat references/*)",
            "cat references/a /etc/passwd",
            &["cat references/a /etc/passwd"],
        ),
        ("Bash(cat references/*:*)", "cat references/a /etc/passwd", &[]),
        ("Read", "git status", &["git status"]),
        ("", "git status", &["git status"]),
        ("Bash", "git push; rm -rf /", &[]),
        ("*", "anything > file", &[]),
        ("Bash(*)", "anything", &[]),
    ]);
}

#[test]
fn a_path_from_the_current_folder_means_nothing_where_the_folder_may_change() {
    const HERE: &str = "Bash(cd:*) Bash(pushd:*) Bash(./scripts/*) Bash(python3 tools/run.py:*) Bash(/opt/x/go) \
                        Bash(find:*) Bash(echo:*) Write(out/**) Write(/srv/log)";
    check(&[
        (HERE, "./scripts/x a && echo b > out/y", &[]),
        (HERE, "cd /tmp && /opt/x/go && echo a > /srv/log", &[]),
        (HERE, "cd /tmp && ./scripts/x", &["./scripts/x"]),
        (HERE, "pushd /tmp; python3 tools/run.py -v", &["python3 tools/run.py -v"]),
        (HERE, "cd / ; echo x > out/y", &["> out/y"]),
        (HERE, "f() { ./scripts/x; }; cd /tmp; f", &["./scripts/x"]),
        (HERE, "(cd sub; ./scripts/x)", &["./scripts/x"]),
        (HERE, "bash -c 'cd /tmp; ./scripts/x'", &["./scripts/x"]),
        (HERE, "find /tmp -execdir ./scripts/x {} +", &["./scripts/x"]),
        (HERE, "find . -exec ./scripts/x {} +", &[]),
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
            "tar cf out/a --checkpoint=1 --checkpoint-action=exec=x b",
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

/// Everything that the cases of a hostile reader need; what they reach beyond it is refused.
const MANY: &str = "Bash(git:*) Bash(echo:*) Bash(printf:*) Bash(find:*) Bash(sort:*) Bash(perl:*) Bash(ruby:*) \
    Bash(python3:*) Bash(bash:*) Bash(sh:*) Bash(dash:*) Bash(node:*) Bash(declare:*) Bash(unset:*) Bash(cat:*) \
    Bash(awk:*) Bash(sqlite3:*) Bash(psql:*) Bash(shuf:*) Bash(wait:*) Bash(read:*) Bash(man:*) Bash(uniq:*) \
    Bash(source:*) Bash(tclsh:*) Bash(deno:*) Bash(xxd:*)";

#[test]
fn quotes_end_where_bash_ends_them() {
    check(&[
        (MANY, "echo $'\\c'; touch evil #'", &["\\"]),
        (MANY, "echo $'\\c\\'; touch evil #'", &["\\"]),
        (MANY, "echo $'\\cA'", &["\\"]),
        (MANY, "echo $'a\\tb\\'c'", &[]),
        (MANY, "echo $'\\x{41}'", &["\\"]),
    ]);
}

#[test]
fn a_text_for_another_shell_holds_nothing_that_only_bash_reads_so() {
    check(&[
        (MANY, "[[ a || ./ev ]]; echo", &[]),
        (MANY, "sh -c '[[ a || ./ev ]]'", &["[[ a || ./ev ]]"]),
        (MANY, "bash -c '[[ a || ./ev ]]'", &[]),
        (MANY, "dash -c \"echo \\$'\\\\'; ./ev #'\"", &["\"echo \\$'\\\\'; ./ev #'\""]),
        (MANY, "sh -c '((1 || 2))'", &["((1 || 2))"]),
        (MANY, "sh -c 'echo a &> /dev/null b'", &["&> /dev/null"]),
        (MANY, "sh -c 'echo <(cat x)'", &["<(cat x)"]),
        (MANY, "sh -c 'cat <<< x'", &["<<< x"]),
        (MANY, "sh -c 'echo $\"x\"'", &["$\"x\""]),
        (MANY, "sh -c 'function f { echo; }'", &["function f { echo; }"]),
        (MANY, "sh -c 'a+=x; b[0]=y'", &["a+=x", "b[0]=y"]),
        (MANY, "sh -c 'echo a |& cat'", &[" |& "]),
        (MANY, "sh -c 'eval \"[[ a ]]\"'", &["[[ a ]]"]),
        (MANY, "sh -c 'bash -c \"[[ a ]]\"'", &[]),
        (MANY, "zsh -c 'echo \"a b\" | cat && git status > /dev/null 2>&1; f() { echo; }; f'", &[]),
        (MANY, "sh -c 'if cat y; then cat x; fi; echo $(git log -1) ${x:-y} $((1+2))'", &[]),
    ]);
}

#[test]
fn an_awk_program_that_is_not_read_for_certain_is_refused() {
    let refused = [
        r#"'/"/{} END{system("touch evil")}'"#,
        "'# \"\nBEGIN{system(\"touch evil\")}'",
        "'BEGIN{print \"x\",\n\"y\" > \"evil\"}'",
        "'BEGIN{print \"x\" \\\n > \"evil\"}'",
        r#"'$1 ~ /[/"]/ {system("x")} /"/'"#,
        r#"'/[\]/"]/{system("x")}'"#,
        r#"'{x = /"/; system("y")} # "'"#,
        r#"'{if (x) /"/; system("y") "'"#,
        r#"'{print 1, /"/ | "sh" "/"}'"#,
        r#"'{print -/"/ | "sh" "/"}'"#,
        r#"'length /"/ {system("x")} "'"#,
        r#"'{print "a'"#,
        "'# x \\\n{print}'",
        "'{ sys\\tem(1) }'",
        "'{print | \"sh\"}'",
        "'{print ||| \"sh\"}'",
        "'{ @f(1) }'",
    ];
    for program in refused {
        let line = format!("awk {program} x");
        let refusals = permit(&Permissions::parse(MANY), &line).refusals;
        let parts: Vec<&str> = refusals.iter().map(|refusal| &line[refusal.span.clone()]).collect();
        assert_eq!(parts, [program], "{refusals:#?}");
    }
    let allowed = [
        r#"'/foo/ {print "| " $1 " | a > b |"}'"#,
        "'{print $1/$2, NF/2, a[1]/3}'",
        "-F'|' '$2 ~ /^[0-9]+[[:space:]]*$/ {n++} END {print n}'",
        "'# comments\n{ print $1 } # more\n/x/ { print \"y\" }'",
        "'$3 > 5 {print $1}\n$4 > 6 {print $2}'",
        "'{ if ($2 > 5) print $1; else print ($2 > 3) }'",
        "'!seen[$0]++'",
        "'NR==1 || /a|b/'",
        r#"'{gsub(/[^a-z\"]/, "@"); print}'"#,
    ];
    for program in allowed {
        let line = format!("awk {program} x");
        let refusals = permit(&Permissions::parse(MANY), &line).refusals;
        assert_eq!(refusals, [], "{line}");
    }
}

#[test]
fn letters_of_an_interpreter_are_known_or_refused() {
    check(&[
        (MANY, "perl -le 'x'", &["-le"]),
        (MANY, "perl -0777 -le 'x'", &["-le"]),
        (MANY, "perl -0777le 'x'", &["-0777le"]),
        (MANY, "perl -lne 'x'", &["-lne"]),
        (MANY, "perl -CSe 'x'", &["-CSe"]),
        (MANY, "perl -0e x", &["-0e"]),
        (MANY, "perl -0xe x", &["-0xe"]),
        (MANY, "ruby -Kue x", &["-Kue"]),
        (MANY, "perl -F, -e x", &["-F,"]),
        (MANY, "perl -D6e x", &["-D6e"]),
        (MANY, "ruby -0ne x", &["-0ne"]),
        (MANY, "ruby -W0e x", &["-W0e"]),
        (MANY, "perl -wT x.pl", &[]),
        (MANY, "perl -0777 -l -CSDA x.pl -e y", &[]),
        (MANY, "ruby -w -W0 x.rb", &[]),
        (MANY, "python3 -uB -W ignore x.py", &[]),
        (MANY, "node --title x", &["--title"]),
        (MANY, "node --no-warnings --max-old-space-size=99 x.js", &[]),
        (MANY, "bash +x <<< 'touch evil'", &["bash"]),
        (MANY, "bash -h <<< 'touch evil'", &["bash"]),
        (MANY, "bash -ex x.sh", &[]),
        (MANY, "tclsh --help <<< x", &["--help"]),
    ]);
}

#[test]
fn a_name_of_standard_input_is_no_file() {
    check(&[
        (MANY, "python3 /dev/stdin <<< 'code'", &["/dev/stdin"]),
        (MANY, "bash /dev/stdin <<< 'touch evil'", &["/dev/stdin"]),
        (MANY, "bash /dev/fd/0 <<< x", &["/dev/fd/0"]),
        (MANY, "bash -- /proc/self/fd/0 <<< x", &["/proc/self/fd/0"]),
        (MANY, "bash /proc/12/fd/0 <<< x", &["/proc/12/fd/0"]),
        (MANY, "bash //dev/./stdin <<< x", &["//dev/./stdin"]),
        (MANY, "bash /usr/../dev/stdin <<< x", &["/usr/../dev/stdin"]),
        (MANY, "bash ../../dev/stdin <<< x", &["../../dev/stdin"]),
        (MANY, "bash sub/../../../dev/stdin <<< x", &["sub/../../../dev/stdin"]),
        (MANY, "bash \"/dev/$x\" <<< x", &["\"/dev/$x\""]),
        (MANY, "bash \"/$x\" <<< x", &["\"/$x\""]),
        (MANY, "source /dev/stdin <<< x", &["/dev/stdin"]),
        (MANY, "deno run - <<< x", &["-"]),
        (MANY, "bash dev/run.sh", &[]),
        (MANY, "bash ./dev/run.sh /dev/stdin", &[]),
        (MANY, "python3 ../tools/x.py", &[]),
        (MANY, "python3 \"/opt/$x.py\"", &[]),
        (MANY, "source lib/x.sh", &[]),
    ]);
}

#[test]
fn options_and_commands_of_git_are_known_or_refused() {
    check(&[
        (MANY, "git --attr-source HEAD -c core.fsmonitor=./ev status", &["-c"]),
        (MANY, "git --shallow-file /dev/null -c alias.z='!x' z", &["--shallow-file"]),
        (MANY, "git --unknown status", &["--unknown"]),
        (MANY, "git merge-index ./evil -a", &["merge-index"]),
        (MANY, "git z", &["z"]),
        (MANY, "git credential-store get", &["credential-store"]),
        (MANY, "git --git-dir=x status", &["--git-dir=x"]),
        (MANY, "git --no-pager -C sub --work-tree=. log", &[]),
        (MANY, "git --attr-source=HEAD status", &[]),
        (MANY, "git --version", &[]),
        ("Bash(git z:*)", "git z", &[]),
    ]);
}

#[test]
fn commands_of_find_and_xargs_end_where_those_end_them() {
    check(&[
        (MANY, "find . -maxdepth 0 -exec sort -t + -o evil /dev/null ';'", &["-o"]),
        (MANY, "find . -exec cat {} + -delete", &["-delete"]),
        (MANY, "find . -exec cat \"$x\" -delete ';'", &["\"$x\""]),
        (MANY, "find . -exec sort -t + -- {} ';'", &[]),
        (MANY, "echo --output=evil | xargs -I X -n 2 git log", &["xargs"]),
        (MANY, "echo x | xargs -I X -L1 git log", &["xargs"]),
        (MANY, "echo x | xargs --replace=X --max-args=2 git log", &["xargs"]),
        (MANY, "echo x | xargs -I X git log -- X", &[]),
        (MANY, "echo x | xargs -n 2 -I X cat X", &[]),
    ]);
}

#[test]
fn builtins_of_bash_set_only_a_scripts_own_variables() {
    check(&[
        (MANY, "printf -v PATH %s ./bin; git status", &["PATH"]),
        (MANY, "printf -vPATH %s ./bin", &["-vPATH"]),
        (MANY, "printf \"$x\" ./bin", &["\"$x\""]),
        (MANY, "printf -v line %s x; printf '%s [x]\\n' -v", &[]),
        (MANY, "declare -n ref=PATH; ref=./bin; git status", &["-n"]),
        (MANY, "declare -i x", &["-i"]),
        (MANY, "declare -a x; declare -r y=1", &[]),
        (MANY, "declare PATH+=:./bin", &["PATH+=:./bin"]),
        (MANY, "wait -n -p 'a[$(touch evil)]'", &["'a[$(touch evil)]'"]),
        (MANY, "wait -np PATH", &["PATH"]),
        (MANY, "wait -n; wait 1", &[]),
        (MANY, "read -aPATH <<< ./bin", &["-aPATH"]),
        (MANY, "read -ra words <<< 'a b'", &[]),
        (MANY, "unset PATH; git status", &["PATH"]),
        (MANY, "unset x", &[]),
        (MANY, "echo {PATH}> /dev/null", &["{PATH}> /dev/null"]),
        (MANY, "coproc PATH { echo; }", &["coproc PATH { echo; }"]),
        (MANY, "coproc { echo; }", &[]),
        (MANY, "f(){ echo; }; command unset -f f; f", &["f"]),
        (MANY, "f(){ echo; }; builtin unset -f f; f", &["f"]),
        (MANY, "f(){ echo; }; for i in 1 2; do f; unset -f f; done", &["f"]),
        (MANY, "f(){ echo; }; f", &[]),
    ]);
}

#[test]
fn programs_write_and_run_only_what_is_declared() {
    check(&[
        (
            MANY,
            "sqlite3 :memory: \"select edit('x','touch evil; :')\"",
            &["\"select edit('x','touch evil; :')\""],
        ),
        (
            MANY,
            "sqlite3 :memory: \"select WriteFile('evil','x')\"",
            &["\"select WriteFile('evil','x')\""],
        ),
        (MANY, "sqlite3 x.db '.shell x'", &["'.shell x'"]),
        (MANY, "sqlite3 x.db <<< '.shell x'", &["sqlite3"]),
        (MANY, "sqlite3 -cmd '.shell x' x.db 'select 1'", &["-cmd"]),
        (MANY, "sqlite3 -json -separator , x.db 'select * from t'", &[]),
        (MANY, "psql x <<< '\\! y'", &["psql"]),
        (MANY, "psql -l", &[]),
        (MANY, "shuf -e a -o evil", &["-o"]),
        (MANY, "shuf -n 3 x", &[]),
        (MANY, "man -C conf ls", &["-C"]),
        (MANY, "man ls", &[]),
        (MANY, "uniq a b", &["b"]),
        (MANY, "uniq -f 1 a b", &["b"]),
        (MANY, "uniq -c a", &[]),
        (MANY, "cat x | uniq -cd - -", &[]),
        (MANY, "xxd a b", &["b"]),
        (MANY, "xxd -c 4 a", &[]),
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
    assert_eq!(one[0].writes.as_deref(), Some("x"));
    let one = refusals("git -c a=b log");
    assert_eq!(one[0].reason, "`git` runs another program because of this");
    assert_eq!(one[0].hint.as_deref(), Some("an entry with `-c` in this place would permit it"));
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

#[test]
fn the_command_behind_wrappers_is_found_or_nothing_is_said() {
    for (words, expected) in [
        ("npm test", Some(0)),
        ("timeout 60 npm test", Some(2)),
        ("timeout -k 5 60 env CI=1 nice npm test", Some(7)),
        ("sudo npm test", Some(0)),
        ("timeout --odd 60 npm test", None),
        ("env", None),
        // What is only known when it runs may be an option.
        ("timeout ? npm test", None),
        ("timeout", None),
    ] {
        let words: Vec<Option<&str>> =
            words.split(' ').map(|word| Some(word).filter(|word| *word != "?")).collect();
        assert_eq!(inner(&words), expected, "{words:?}");
    }
    let nested = vec![Some("nohup"); MAX_WRAPPED + 1];
    assert_eq!((inner(&nested[1..]), inner(&nested)), (None, None));
    let deep = |depth: usize| [vec![Some("nohup"); depth], vec![Some("ls")]].concat();
    assert_eq!(inner(&deep(MAX_WRAPPED - 1)), Some(MAX_WRAPPED - 1));
    assert_eq!(inner(&deep(MAX_WRAPPED)), None);
}

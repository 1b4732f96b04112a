//! Lines that got past an entry once: what bash or a program does with words that look harmless.

use super::{GIT, TOOLS, check};

#[test]
fn a_function_is_found_by_its_bare_name_only() {
    check(&[
        (GIT, "touch() { git status; }; /usr/bin/touch evil", &["/usr/bin/touch evil"]),
        (GIT, "touch() { git status; }; eval '/usr/bin/touch evil'", &["/usr/bin/touch evil"]),
        (GIT, "touch() { git status; }; trap '/bin/touch evil' EXIT", &["/bin/touch evil"]),
        (GIT, "touch() { git status; }; x=$(/bin/touch evil)", &["/bin/touch evil"]),
        (GIT, "touch() { git status; }; touch evil", &[]),
        (GIT, "touch() { git status; }; \"touch\" evil; x=$(touch y)", &[]),
        // Bash takes a quoted name for none, says so, and goes on without the function.
        (GIT, "'touch'() { git status; }; touch evil", &["'touch'"]),
        (GIT, "to\\uch() { git status; }; touch evil", &["to\\uch"]),
        (GIT, "$'touch'() { git status; }; touch evil", &["$'touch'"]),
        (GIT, "function \"touch\" { git status; }; touch evil", &["\"touch\""]),
        (GIT, "/usr/bin/eval 'git status'", &["/usr/bin/eval 'git status'"]),
        (GIT, "/usr/bin/unset x; /bin/exit 1", &["/usr/bin/unset x", "/bin/exit 1"]),
        (GIT, "/usr/bin/env git status; /bin/true", &[]),
    ]);
}

#[test]
fn an_index_is_a_number() {
    check(&[
        (GIT, "x=(['y[$(touch evil)]']=1); git status", &["['y[$(touch evil)]']=1"]),
        (GIT, "y='b[$(touch evil)]'; a=([y]=1); git status", &["[y]=1"]),
        (GIT, "a+=(['b[$(touch evil)]']=x)", &["['b[$(touch evil)]']=x"]),
        (GIT, "y=1; a=(x [y]+=1)", &["[y]+=1"]),
        (GIT, "y=1; a=([ y ]=1)", &["["]),
        (GIT, "a=([\"$y\"]=1 [$y]=2)", &["[\"$y\"]=1", "[$y]=2"]),
        (GIT, "a=([y]\\\n=1)", &["[y]\\\n=1"]),
        (GIT, "a=([0\\]=b]=1)", &["[0\\]=b]=1"]),
        (GIT, "a=([0]=x [12]+=y z) b=([ab]*.md [0-9]x '[y]=1'); git status", &[]),
        (GIT, ": {a['b[$(touch evil)]']}>/dev/null", &["{a['b[$(touch evil)]']}"]),
        (GIT, "y='b[$(touch evil)]'; : {a[y]}>/dev/null", &["{a[y]}"]),
        (GIT, ": {a[y]}\\\n>/dev/null", &["{a[y]}\\\n"]),
        (GIT, ": {a[0]}<<< x", &["{a[0]}"]),
        (GIT, ": {PA\\\nTH}> /dev/null", &["{PA\\\nTH}"]),
        (GIT, ": {fd}> /dev/null; : {a,b}> /dev/null", &[]),
    ]);
}

#[test]
fn what_a_builtin_evaluates_is_no_text() {
    const DECLARING: &str = "Bash(declare:*) Bash(local:*) Bash(typeset:*) Bash(readonly:*) Bash(export:*) Bash([:*) \
                             Bash(test:*) Bash(unset:*) Bash(compgen:*) Bash(jobs:*) Bash(history:*)";
    check(&[
        (DECLARING, "declare -a a='($(touch evil))'", &["a='($(touch evil))'"]),
        (DECLARING, "declare -a 'a=(`touch evil`)'", &["'a=(`touch evil`)'"]),
        (DECLARING, "declare -Ag a='($(touch evil))'", &["a='($(touch evil))'"]),
        (DECLARING, "declare -a a; declare a='($(touch evil))'", &["a='($(touch evil))'"]),
        (DECLARING, "declare -a a+='($(touch evil))'", &["a+='($(touch evil))'"]),
        (DECLARING, "f() { local -a a='($(touch evil))'; }; f", &["a='($(touch evil))'"]),
        (DECLARING, "typeset -a a='(x)'; readonly -a b='(x)'", &["a='(x)'", "b='(x)'"]),
        (DECLARING, "command declare -a a='(x)'; builtin export b='(x)'", &["a='(x)'", "b='(x)'"]),
        (DECLARING, "declare a='x (y)'; readonly b='a=(c)'", &[]),
        (DECLARING, "x='[$(touch evil)]'; [ -v \"a$x\" ]", &["\"a$x\""]),
        (DECLARING, "test -v 'a[$(touch evil)]'", &["'a[$(touch evil)]'"]),
        (DECLARING, "x=-v; [ \"$x\" 'a[$(touch evil)]' ]", &["'a[$(touch evil)]'"]),
        (DECLARING, "x=v; test ! \"-$x\" 'a[$(touch evil)]'", &["'a[$(touch evil)]'"]),
        (DECLARING, "x='-v a[$(./ev)] -o b'; [ $x = y ]", &["$x"]),
        (DECLARING, "x=y; [ \"$x\" = 'a[1]' ] || [ -n \"$x\" -a \"$x\" != \"$y\" ]", &[]),
        (DECLARING, "[ $# -gt 0 ] && test $? -eq 0 && [ ${#x} -lt 3 ]; [ -v x ]", &[]),
        (DECLARING, "unset \"a$x\"", &["\"a$x\""]),
        (DECLARING, "compgen -W '$(touch evil)'", &["-W"]),
        (DECLARING, "jobs -x touch evil", &["-x"]),
        (DECLARING, "history -w evil; jobs -l", &["-w"]),
    ]);
}

#[test]
fn a_setting_must_not_change_how_a_line_is_read() {
    const SET: &str = "Bash(set:*) Bash(shopt:*) Bash(git:*) Bash(bash:*)";
    check(&[
        (SET, "set -k; git diff HEAD~1 HEAD -p GIT_EXTERNAL_DIFF=./ev", &["-k"]),
        (SET, "set -o keyword", &["keyword"]),
        (SET, "set -euo pipefail -o keyword", &["keyword"]),
        (SET, "set -ek; set -eoo pipefail keyword", &["-ek", "keyword"]),
        (SET, "set -o history -H", &["history", "-H"]),
        (SET, "set -a; set -o allexport", &["-a", "allexport"]),
        (SET, "set \"$x\"; set -o \"$x\"; set \"-$x\"", &["\"$x\"", "\"$x\"", "\"-$x\""]),
        (SET, "shopt -so keyword; shopt -s -o keyword", &["keyword", "keyword"]),
        (
            SET,
            "shopt -u interactive_comments; shopt -s \"$x\"",
            &["interactive_comments", "\"$x\""],
        ),
        (GIT, "bash -o keyword -c 'git status PATH=./b'", &["keyword"]),
        (GIT, "bash -O expand_aliases -c 'git status'", &["expand_aliases"]),
        (GIT, "bash -kc 'git status PATH=./b'", &["bash -kc 'git status PATH=./b'"]),
        (SET, "bash -k x.sh", &["-k"]),
        (
            SET,
            "set -euo pipefail; set +e -x; set -- \"$x\" -k; set -o; shopt -s nullglob globstar",
            &[],
        ),
        ("Bash(set -k)", "set -k", &[]),
        (GIT, "bash -euo pipefail -O globstar -c 'git status'", &[]),
    ]);
}

#[test]
fn a_word_that_may_become_one_that_runs_something_is_refused() {
    const MORE: &str = "Bash(npm:*) Bash(deno:*) Bash(gcc:*) Bash(go:*) Bash(java:*) Bash(git:*) Bash(tar:*) \
                        Bash(make:*)";
    check(&[
        (MORE, "x=oreach; git submodule \"f$x\" 'touch evil'", &["\"f$x\""]),
        (MORE, "x=un; git bisect \"r$x\" ./ev", &["\"r$x\""]),
        (MORE, "git submodule --quiet \"foreach$x\" ./ev", &["\"foreach$x\""]),
        (MORE, "git clone \"ext::$x\" y; git fetch \"e$x\"", &["\"ext::$x\"", "\"e$x\""]),
        (MORE, "git bisect good \"r$x\"; git submodule update \"run$x\"; git log \"e$x\"", &[]),
        (MORE, "git submodule \"$x\"", &["\"$x\"", "\"$x\""]),
        (MORE, "y=If; tar \"c$y\" ./ev out.tar a.txt", &["\"c$y\""]),
        (MORE, "tar xf \"a$y\" \"./$x\"; tar \"./$y\"", &[]),
        (MORE, "x=L=./ev; make \"SHEL$x\"", &["\"SHEL$x\""]),
        (MORE, "x==./ev; make SHELL\"$x\" -- \"$x\"", &["SHELL\"$x\"", "\"$x\""]),
        (MORE, "make \"out/$x\" all", &[]),
        (MORE, "x=xec; npm \"e$x\" -c 'touch evil'", &["\"e$x\"", "-c"]),
        (MORE, "npm run \"build-$x\"", &[]),
        (MORE, "x=val; deno \"e$x\" code", &["\"e$x\""]),
        (MORE, "deno run \"e$x\"", &[]),
        (MORE, "x=opts; gcc \"@$x\"", &["\"@$x\""]),
        (MORE, "gcc \"src/$x.c\"; java \"@$x\"", &["\"@$x\""]),
        (MORE, "go \"gen$x\"", &["\"gen$x\""]),
    ]);
}

#[test]
fn an_entry_speaks_only_for_its_own_words() {
    check(&[
        (
            "Bash(ssh -o BatchMode=yes:*)",
            "ssh -o BatchMode=yes -o ProxyCommand='touch evil' h",
            &["-o"],
        ),
        ("Bash(ssh -o BatchMode=yes:*)", "ssh -o BatchMode=yes h ls", &[]),
        ("Bash(ssh -oBatchMode=yes:*)", "ssh -oBatchMode=yes h", &[]),
        (
            "Bash(git -c color.ui=never:*)",
            "git -c color.ui=never -c core.fsmonitor='touch evil' status",
            &["-c"],
        ),
        ("Bash(git -c color.ui=never:*)", "git -c color.ui=never status", &[]),
        ("Bash(rsync -e ssh:*)", "rsync -e ssh -e 'touch evil' h:x y", &["-e"]),
        ("Bash(git '' :*) Bash(git:*)", "git log \"$x\"", &["\"$x\""]),
        ("Bash(sort -o out.txt:*)", "sort -o out.txt a -o evil", &["-o"]),
        ("Bash(sort -o:*)", "sort -o x a", &[]),
        ("Bash(make A=1:*)", "make A=1 SHELL=./ev", &["SHELL=./ev"]),
        (
            "Bash(node --require ./a.js:*)",
            "node --require ./a.js --require ./ev.js x.js",
            &["--require"],
        ),
        ("Bash(node --require ./a.js:*)", "node --require ./a.js x.js", &[]),
        ("Bash(python3 -m pytest:*)", "python3 -m pytest -c x -m y", &[]),
        ("Bash(perl -ne:*)", "perl -ne 'print' -e 'system' x", &["-e"]),
        ("Bash(sed -f a.sed:*)", "sed -f a.sed -e '1e touch evil' x", &["'1e touch evil'"]),
        ("Bash(sed -f a.sed:*)", "sed -f a.sed -n x y", &[]),
        ("Bash(awk -f a.awk:*)", "awk -f a.awk -f ev.awk x", &["-f"]),
        ("Bash(awk -f a.awk:*)", "awk -f a.awk -v x=1 -F: y", &[]),
        ("Bash(watch -n 5:*)", "watch -n 5 rm x", &["rm"]),
        ("Bash(watch -n 5 git:*)", "watch -n 5 git status", &[]),
        ("Bash(flock lock:*)", "flock lock rm x", &["rm"]),
        ("Bash(alias ll=ls:*)", "alias ll=ls git='rm x'", &["git='rm x'"]),
    ]);
}

#[test]
fn commands_of_npm_are_known_by_all_their_names() {
    const NPM: &str = "Bash(npm:*) Bash(pnpm:*) Bash(yarn:*)";
    check(&[
        (NPM, "npm x -- touch evil", &["x"]),
        (NPM, "npm exe -- touch evil", &["exe"]),
        (NPM, "npm --silent x touch evil; npm -- exec y", &["x", "exec"]),
        (
            NPM,
            "npm create y; npm init y; npm cr y; npm innit y",
            &["create", "init", "cr", "innit"],
        ),
        (NPM, "npm explore y -- touch evil; npm explo y", &["explore", "explo"]),
        (NPM, "npm c set script-shell ./ev; npm conf ls", &["c", "conf"]),
        (NPM, "npm set script-shell=./ev", &["set"]),
        (NPM, "npm pkg set scripts.test=./ev", &["pkg"]),
        (NPM, "npm docs y --browser=./ev", &["--browser=./ev"]),
        (NPM, "pnpm touch evil; pnpm -r touch evil", &["touch", "evil"]),
        (
            NPM,
            "pnpm dlx y; pnpm create y; yarn dlx y; yarn create y",
            &["dlx", "create", "dlx", "create"],
        ),
        (NPM, "yarn node -e y", &["node"]),
        (NPM, "npm i y; npm in y; npm ci; npm s y; npm t; npm run x; npm install x; npm test", &[]),
        (
            NPM,
            "npm init -y; npm init -w packages/a -y; npm pkg get name; npm install --global y",
            &[],
        ),
        (NPM, "pnpm build; pnpm --filter y build; pnpm lint:fix; pnpm i; yarn build; yarn x2", &[]),
        ("Bash(npm exec:*)", "npm exec y", &[]),
    ]);
}

#[test]
fn a_file_that_an_option_writes_is_looked_at_wherever_it_is_named() {
    const MORE: &str = "Bash(tar:*) Bash(curl:*) Bash(git:*) Bash(gpg:*) Bash(pytest:*) Write(out/**) Write(/srv/up)";
    check(&[
        (MORE, "tar -cf evil a.txt; tar czf evil a", &["-cf", "czf"]),
        (
            MORE,
            "tar cfC evil sub a; tar cCf sub evil a; tar -c -C sub -f evil a",
            &["cfC", "cCf", "-f"],
        ),
        (
            MORE,
            "tar --create --file=evil a; tar --append --file evil a",
            &["--file=evil", "--file"],
        ),
        (MORE, "tar -f evil -c a; tar -rfevil a; tar --delete -f evil a", &["-f", "-rfevil", "-f"]),
        (MORE, "tar -tf a.tar --index-file=evil", &["--index-file=evil"]),
        (MORE, "tar -g evil -cf out/a.tar a; tar cgf evil out/a.tar a", &["-g", "cgf"]),
        (MORE, "tar -cf \"evil$x\" a", &["-cf"]),
        (
            MORE,
            "tar -cf out/a.tar a; tar czf - a; tar xf a.tar; tar --list -f a; tar -xzf a -C sub",
            &[],
        ),
        ("Bash(tar -czf:*)", "tar -czf a.tgz b", &[]),
        (MORE, "curl -T a.txt file:///tmp/evil", &["-T"]),
        (
            MORE,
            "curl -sTa.txt FILE:/tmp/evil; curl --upload a --url=file:///evil",
            &["-sTa.txt", "--upload"],
        ),
        (
            MORE,
            "curl -T a '{file}:///tmp/evil'; curl -T a \"fi$x\"",
            &["'{file}:///tmp/evil'", "\"fi$x\""],
        ),
        (
            MORE,
            "curl -T a --proto-default file x; curl -T a file:///srv/%2e%2e/x",
            &["--proto-default", "file:///srv/%2e%2e/x"],
        ),
        (MORE, "curl -T a https://h/x; curl file:///tmp/x; curl -T a file:///srv/up", &[]),
        (
            MORE,
            "curl -w '%output{evil}x' h; curl -sw'%output{>>evil}x' h",
            &["-w", "-sw'%output{>>evil}x'"],
        ),
        (MORE, "curl -w @- h; curl --write-out \"a$x\" h", &["-w", "--write-out"]),
        (MORE, "curl --expand-output evil h", &["--expand-output"]),
        (MORE, "curl -sw '%{http_code}' h; curl -w '%output{out/x}y' h; curl --ssl h", &[]),
        (MORE, "git bundle create evil HEAD; git bundle create -q evil HEAD", &["evil", "evil"]),
        (MORE, "git bundle \"c$x\" evil HEAD; git mailinfo evil x", &["evil", "evil", "x"]),
        (
            MORE,
            "git fast-export --export-marks=evil; git bugreport -o evil",
            &["--export-marks=evil", "-o"],
        ),
        (MORE, "git bundle create out/b HEAD; git bundle create - HEAD; git bundle verify b", &[]),
        (
            MORE,
            "gpg -o evil -d x; gpg --output evil -d x; pytest --junitxml=evil",
            &["-o", "--output", "--junitxml=evil"],
        ),
        (TOOLS, "tar cf out/a b", &[]),
    ]);
}

#[test]
fn a_pattern_of_nothing_but_stars_permits_everything_and_another_does_not() {
    check(&[
        ("Bash(* *)", "rm -rf x; ls", &[]),
        ("Bash(* * *)", "ls", &[]),
        ("Bash(* --version)", "rm -rf x", &["rm -rf x"]),
        ("Bash(* --version)", "cargo --version", &[]),
    ]);
}

use std::fmt::Write as _;

use super::{
    Command, CompoundKind, Connector, Direction, Item, MAX_DEPTH, MAX_PARTS, Part, PartKind,
    Problem, RedirectOperator, Script, Statements, Word, parse,
};

/// A tree as one line, so that a test states all of it.
fn drawn(script: &Script) -> String {
    let mut page = String::new();
    for (number, item) in script.items.iter().enumerate() {
        if item.pipeline.negated {
            page.push_str("! ");
        }
        let commands: Vec<String> = item.pipeline.commands.iter().map(draw_command).collect();
        page.push_str(&commands.join(" | "));
        let is_last = number + 1 == script.items.len();
        page.push_str(match item.connector {
            Connector::And => " && ",
            Connector::Or => " || ",
            Connector::Then if is_last => "",
            Connector::Then => "; ",
            Connector::Background if is_last => " &",
            Connector::Background => " & ",
            Connector::End => "",
        });
    }
    page
}

fn draw_command(command: &Command) -> String {
    match command {
        Command::Simple(simple) => {
            let mut words = Vec::new();
            for assignment in &simple.assignments {
                let plus = if assignment.append { "+" } else { "" };
                let index =
                    assignment.index.as_ref().map_or(String::new(), |index| format!("[{index}]"));
                words.push(format!(
                    "{}{index}{plus}={}",
                    assignment.name,
                    draw_word(&assignment.value)
                ));
            }
            words.extend(simple.words.iter().map(draw_word));
            for redirect in &simple.redirects {
                let descriptor = redirect.descriptor.as_deref().unwrap_or_default();
                let mut drawn =
                    format!("{descriptor}{:?}:{}", redirect.operator, draw_word(&redirect.target));
                if let Some(heredoc) = redirect.heredoc() {
                    let expands = if heredoc.expands { "~" } else { "=" };
                    let _ = write!(drawn, "{expands}{}", draw_word(&heredoc.body));
                }
                words.push(drawn);
            }
            words.join(" ")
        }
        Command::Compound(compound) => match &compound.kind {
            CompoundKind::Subshell(script) => format!("({})", drawn(script)),
            CompoundKind::Group(script) => format!("{{{}}}", drawn(script)),
            CompoundKind::If { branches, otherwise } => {
                let mut page = String::from("if");
                for (condition, body) in branches {
                    let _ = write!(page, "[{} -> {}]", drawn(condition), drawn(body));
                }
                if let Some(otherwise) = otherwise {
                    let _ = write!(page, "else[{}]", drawn(otherwise));
                }
                page
            }
            CompoundKind::For { variable, words, body } => {
                format!(
                    "for {} in {:?}[{}]",
                    draw_word(variable),
                    draw_words(words.as_ref()),
                    drawn(body)
                )
            }
            CompoundKind::Select { variable, words, body } => {
                format!(
                    "select {} in {:?}[{}]",
                    draw_word(variable),
                    draw_words(words.as_ref()),
                    drawn(body)
                )
            }
            CompoundKind::ArithmeticFor { header, body } => {
                format!("for(({}))[{}]", draw_parts(header), drawn(body))
            }
            CompoundKind::While { until, condition, body } => {
                let word = if *until { "until" } else { "while" };
                format!("{word}[{}][{}]", drawn(condition), drawn(body))
            }
            CompoundKind::Case { subject, arms } => {
                let mut page = format!("case {}", draw_word(subject));
                for arm in arms {
                    let patterns: Vec<String> = arm.patterns.iter().map(draw_word).collect();
                    let _ = write!(page, " {}[{}]", patterns.join("|"), drawn(&arm.body));
                }
                page
            }
            CompoundKind::Test(words) => {
                let words: Vec<String> = words.iter().map(draw_word).collect();
                format!("[[{}]]", words.join(" "))
            }
            CompoundKind::Arithmetic(parts) => format!("(({}))", draw_parts(parts)),
            CompoundKind::Function { name, body } => {
                let body = body.as_deref().map(draw_command).unwrap_or_default();
                format!("fn {}{body}", draw_word(name))
            }
            CompoundKind::Coproc { body } => {
                format!("coproc {}", body.as_deref().map(draw_command).unwrap_or_default())
            }
        },
    }
}

fn draw_words(words: Option<&Vec<Word>>) -> Vec<String> {
    words.into_iter().flatten().map(draw_word).collect()
}

fn draw_word(word: &Word) -> String {
    draw_parts(&word.parts)
}

fn draw_parts(parts: &[Part]) -> String {
    let mut page = String::new();
    for part in parts {
        match &part.kind {
            PartKind::Literal(text) => page.push_str(text),
            PartKind::SingleQuoted(text) => {
                let _ = write!(page, "'{text}'");
            }
            PartKind::AnsiC(text) => {
                let _ = write!(page, "$'{}'", text.escape_debug());
            }
            PartKind::DoubleQuoted(parts) => {
                let _ = write!(page, "\"{}\"", draw_parts(parts));
            }
            PartKind::Parameter(parameter) => {
                let bang = if parameter.indirect { "!" } else { "" };
                let hash = if parameter.length { "#" } else { "" };
                let index = parameter
                    .index
                    .as_ref()
                    .map_or(String::new(), |index| format!("[{}]", draw_word(index)));
                let argument = parameter.argument.as_ref().map(draw_word).unwrap_or_default();
                let _ = write!(
                    page,
                    "<{bang}{hash}{}{index} {} {argument}>",
                    parameter.name, parameter.operator
                );
            }
            PartKind::CommandSubstitution(script) => {
                let _ = write!(page, "$({})", drawn(script));
            }
            PartKind::ProcessSubstitution { direction, script } => {
                let sign = if *direction == Direction::Input { '<' } else { '>' };
                let _ = write!(page, "{sign}({})", drawn(script));
            }
            PartKind::Arithmetic(parts) => {
                let _ = write!(page, "$(({}))", draw_parts(parts));
            }
            PartKind::Glob(c) => {
                let _ = write!(page, "«{c}»");
            }
            PartKind::ExtendedGlob(parts) => {
                let _ = write!(page, "«({})»", draw_parts(parts));
            }
            PartKind::Brace(words) => {
                let words: Vec<String> = words.iter().map(draw_word).collect();
                let _ = write!(page, "«{{{}}}»", words.join(","));
            }
            PartKind::Tilde(user) => {
                let _ = write!(page, "«~{user}»");
            }
            PartKind::Array(words) => {
                let words: Vec<String> = words.iter().map(draw_word).collect();
                let _ = write!(page, "[{}]", words.join(" "));
            }
        }
    }
    page
}

#[test]
fn every_construct_has_its_tree() {
    let cases = [
        ("git status", "git status"),
        ("a && b || c; d & e", "a && b || c; d & e"),
        ("a\nb # comment\n\n# another\nc", "a; b; c"),
        ("! a | b |& c", "! a | b | c"),
        ("time -p a", "a"),
        ("a \\\n b", "a b"),
        ("a 'b c' \"d $e\" f\\ g", "a 'b c' \"d <e  >\" f g"),
        (r#"a "\$x \" \` \\ \n""#, r#"a "$x " ` \ \n""#),
        (r"a $'x\ty\x41\101\u00e9\'' b", r"a $'x\tyAAé\'' b"),
        ("X=1 Y+=2 Z[3]=4 cmd", "X=1 Y+=2 Z[3]=4 cmd"),
        ("X=(a 'b c' $(d)) ", "X=[a 'b c' $(d)]"),
        ("declare -a X=(a b); local y=1", "declare -a X=[a b]; local y=1"),
        (
            "echo $x ${y} ${#z} ${!w} $1 $@ ${10}",
            "echo <x  > <y  > <#z  > <!w  > <1  > <@  > <10  >",
        ),
        ("echo ${x:-$(d)} ${x##*/} ${x//a/b}", "echo <x :- $(d)> <x ## */> <x // a/b>"),
        ("echo ${a[0]} ${a[@]} ${#a[@]}", "echo <a[0]  > <a[@]  > <#a[@]  >"),
        ("echo $(a | b) `c \\`d\\``", "echo $(a | b) $(c $(d))"),
        ("echo \"$(a \"$(b)\")\"", "echo \"$(a \"$(b)\")\""),
        ("echo ${ a; }", "echo $(a)"),
        ("diff <(a) >(b) --x=<(c)", "diff <(a) >(b) --x=<(c)"),
        ("echo $((1 + (2*$x))) $[3]", "echo $((1 + (2*<x  >))) $((3))"),
        ("echo $((a) | b)", "echo $((a) | b)"),
        ("(( x++ ))", "(( x++ ))"),
        ("((a); b)", "((a); b)"),
        ("ls *.md a?b [ab]c", "ls «*».md a«?»b «[»ab]c"),
        ("ls @(a|b) !(c)", "ls @«(a|b)» !«(c)»"),
        ("echo {a,b{c,d}} {1..3} {} {x} {,y}", "echo «{a,b«{c,d}»}» «{1..3}» {} {x} «{,y}»"),
        ("ls ~ ~/x ~bob/y a~", "ls «~» «~»/x «~bob»/y a~"),
        ("[ -f x ]", "[ -f x ]"),
        (
            "a >b 2>&1 <c >>d &>e 3<>f",
            "a Write:b 2DuplicateOutput:1 Read:c Append:d WriteBoth:e 3ReadWrite:f",
        ),
        ("a {fd}>b >|c <<<'d e'", "a {fd}Write:b Clobber:c HereString:'d e'"),
        ("> f", "Write:f"),
        ("cat <<E <<'F'\n$x\nE\n$y\nF\nls", "cat Heredoc:E~<x  >\n Heredoc:F=$y\n; ls"),
        ("cat <<-E\n\tx\n\tE\nls", "cat Heredoc:E~\tx\n; ls"),
        ("a $(cat <<E\nb)\nE\n) c", "a $(cat Heredoc:E~b)\n) c"),
        ("a $(cat <<E); b\nx\nE\nc", "a $(cat Heredoc:E~x\n); b; c"),
        ("(a; b)", "(a; b)"),
        ("{ a; b; } > c", "{a; b}"),
        ("if a; then b; elif c; then d; else e; fi", "if[a -> b][c -> d]else[e]"),
        ("for x in a 'b c'; do d; done", "for x in [\"a\", \"'b c'\"][d]"),
        ("for x\ndo d; done", "for x in [][d]"),
        ("for ((i=0;i<3;i++)); do d; done", "for((i=0;i<3;i++))[d]"),
        ("while a; do b; done", "while[a][b]"),
        ("until a\ndo b\ndone", "until[a][b]"),
        ("select x in a b; do c; done", "select x in [\"a\", \"b\"][c]"),
        ("case $x in (a|b) c;; d*) e ;& *) f; esac", "case <x  > a|b[c] d«*»[e] «*»[f]"),
        (
            "[[ -n $x && ( $y == a* || $z =~ ^(a|b)$ ) ]]",
            "[[-n <x  > && ( <y  > == a«*» || <z  > =~ ^(a|b)$ )]]",
        ),
        ("f() { a; }; function g { b; }; function h() ( c )", "fn f{a}; fn g{b}; fn h(c)"),
        ("coproc a; coproc N { b; }", "coproc a; coproc {b}"),
        ("a;b;", "a; b"),
        ("echo a#b #c", "echo a#b"),
        ("echo if then", "echo if then"),
        ("$ git status", "$ git status"),
        ("git clone ... <url", "git clone ... Read:url"),
    ];
    for (text, tree) in cases {
        let parsed = parse(text);
        assert_eq!((drawn(&parsed.script).as_str(), parsed.errors.len()), (tree, 0), "{text:?}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place_and_the_rest_is_read() {
    use Problem::{Ambiguous, Unexpected, Unfinished};
    type Case = (&'static str, &'static [(usize, Problem)], &'static str);
    let cases: [Case; 23] = [
        ("a 'b", &[(2, Unfinished)], "a 'b'"),
        ("a \"b $(c", &[(5, Unfinished), (2, Unfinished)], "a \"b $(c)\""),
        ("a `b", &[(2, Unfinished)], "a $(b)"),
        ("a ${b", &[(2, Unfinished)], "a <b  >"),
        ("a ${b!c}; d", &[(5, Unexpected)], "a <b  !c>; d"),
        ("a ${(e)b}", &[(4, Unexpected), (4, Unexpected)], "a <  (e)b>"),
        ("a $((1", &[(5, Unfinished)], "a $((1))"),
        ("(a; b", &[(0, Unfinished)], "(a; b)"),
        ("a )b", &[(2, Unexpected), (2, Unexpected)], "ab"),
        ("; a", &[(0, Unexpected)], "a"),
        ("a &&", &[(4, Unfinished)], "a && "),
        ("a | ; b", &[(4, Unexpected)], "a; b"),
        ("a ;; b", &[(2, Unexpected), (2, Unexpected)], "ab"),
        ("fi; a", &[(0, Unexpected), (2, Unexpected)], "a"),
        ("if a; then b", &[(12, Unfinished)], "if[a -> b]"),
        (
            "while a; done; b",
            &[(9, Unexpected), (13, Unexpected), (16, Unfinished), (16, Unfinished)],
            "while[a; b][]",
        ),
        ("a foo(bar)", &[(5, Unexpected)], "a foo(bar)"),
        ("cat <<E\nb", &[(6, Unfinished)], "cat Heredoc:E~b"),
        ("a >", &[(2, Unexpected)], "a Write:"),
        ("a > # b", &[(2, Unexpected)], "a Write:"),
        ("a \"${b#'}'}\"", &[(7, Ambiguous)], "a \"<b # '>'}\""),
        ("a $'b\\0c'", &[(5, Ambiguous)], "a $'b\\0c'"),
        ("a\r\nb", &[(1, Ambiguous)], "a; b"),
    ];
    for (text, errors, tree) in cases {
        let parsed = parse(text);
        let found: Vec<(usize, Problem)> =
            parsed.errors.iter().map(|error| (error.at, error.problem)).collect();
        assert_eq!((found.as_slice(), drawn(&parsed.script).as_str()), (errors, tree), "{text:?}");
    }
}

#[test]
fn spans_are_places_in_the_text_also_inside_backquotes() {
    let text = "x=1 a `b \"\\`c 'd é'\\`\"` > \"$f\"g";
    let parsed = parse(text);
    assert_eq!(parsed.errors, []);
    let commands: Vec<&str> =
        parsed.script.commands().into_iter().map(|c| &text[c.span.clone()]).collect();
    assert_eq!(commands, [text, "b \"\\`c 'd é'\\`\"", "c 'd é'"]);
    let all = parsed.script.commands();
    assert_eq!(&text[all[0].redirects[0].target.span.clone()], "\"$f\"g");
    assert_eq!(&text[all[2].words[1].span.clone()], "'d é'");
}

#[test]
fn a_word_knows_what_is_static() {
    let word = |text: &str| parse(text).script.commands()[0].words[0].clone();
    assert_eq!(word("'a b'\"c\"d\\e$'\\x66'").literal().as_deref(), Some("a bcdef"));
    for dynamic in ["a$x", "a*", "~/x", "{a,b}", "\"$(c)\"", "a`b`", "$((1))", "<(a)"] {
        assert_eq!(word(dynamic).literal(), None, "{dynamic}");
    }
    assert_eq!(word("'a'\"b$x\"c").static_prefix(), "ab");
    assert_eq!(word("\"$HOME\"/'.ssh'/id").unquoted("\"$HOME\"/'.ssh'/id"), "$HOME/.ssh/id");
    assert_eq!(word("\"a ${x:-b}\"").unquoted("\"a ${x:-b}\""), "a ${x:-b}");
}

#[test]
fn commands_are_found_wherever_they_hide() {
    let text = "a=$(c1) c2 \"${x:-$(c3)}\" <(c4) {p,$(c5)} @(q|$(c6)) $((1+$(c7))) < $(c8) <<E\n$(c9)\nE
        for i in $(d1); do d2; done; case $(d3) in $(d4)) d5;; esac; [[ $(d6) ]]
        f() { e1; }; (e2); if e3; then e4; else e5; fi; ((1+$(e6))); coproc e7; while e8; do e9; done
        x=($(g1)) y[0]=$(g2); declare z=($(g3)); ${ g4; }; `g5`; { g6; } > $(g7); echo ${a[$(g8)]}";
    let parsed = parse(text);
    assert_eq!(parsed.errors, []);
    let mut names: Vec<String> = parsed
        .script
        .commands()
        .iter()
        .filter_map(|command| command.name().map(std::borrow::Cow::into_owned))
        .collect();
    names.sort();
    let expected = "c1 c2 c3 c4 c5 c6 c7 c8 c9 d1 d2 d3 d4 d5 d6 declare e1 e2 e3 e4 e5 e6 e7 e8 e9 echo \
        g1 g2 g3 g4 g5 g6 g7 g8";
    assert_eq!(names.join(" "), expected);
}

#[test]
fn nesting_is_read_to_the_limit_and_refused_past_it() {
    let nested = |depth: usize| format!("{}a{}", "(".repeat(depth), " )".repeat(depth));
    assert_eq!(parse(&nested(MAX_DEPTH)).errors, []);
    let errors = parse(&nested(MAX_DEPTH + 1)).errors;
    assert_eq!(errors.len(), 1);
    assert_eq!((errors[0].at, errors[0].problem), (MAX_DEPTH, Problem::TooDeep));
}

#[test]
fn a_hundred_thousand_openings_of_anything_are_read_to_the_end() {
    let openers = [
        "(",
        "((",
        "$(",
        "$((",
        "${a:-",
        "\"${a:-",
        "\"$(",
        "`",
        "{ ",
        "{a,",
        "<(",
        "a=(",
        "@(",
        "if ",
        "while ",
        "for x in a; do ",
        "case a in b) ",
        "[[ ( ",
        "f() ",
        "function f ",
        "coproc ",
        "! ",
        "time ",
        "a | ",
        "a && ",
        "$[",
        "${a[",
        "'",
        "\"",
        "<<E ",
        "<<E\n$(",
        "a[",
        "$'\\",
        "x=",
        ">",
        ">(",
        "<<<",
        "((\"",
        "(('",
        "\\",
        "\\`",
        "${ ",
        "&>",
        "2",
        "[[ a =~ (",
        "~",
        "#",
        ";",
        ";;",
        ")",
        "}",
        "esac ",
        "done ",
    ];
    for opener in openers {
        let count = 100_000;
        let _ = parse(&opener.repeat(count));
        let _ = parse(&format!("{}a\n", opener.repeat(count)));
    }
}

#[test]
fn operators_of_redirections_are_told_apart() {
    let parsed = parse("a <<<b <<-C <&3 >&- &>>d\nC\n");
    let operators: Vec<RedirectOperator> =
        parsed.script.commands()[0].redirects.iter().map(|r| r.operator).collect();
    use RedirectOperator as Op;
    assert_eq!(
        operators,
        [Op::HereString, Op::Heredoc, Op::DuplicateInput, Op::DuplicateOutput, Op::AppendBoth]
    );
}

#[test]
fn a_statement_is_read_to_the_limit_of_parts_and_no_further() {
    let problems = |parts: usize| {
        let parsed = parse(&"*".repeat(parts));
        parsed.errors.into_iter().map(|error| error.problem).collect::<Vec<_>>()
    };
    assert_eq!(problems(MAX_PARTS), []);
    assert_eq!(problems(MAX_PARTS + 1), [Problem::TooLarge]);
    // Commands in backquotes count as well, and one statement does not count for the next.
    let half = "*".repeat(MAX_PARTS / 2);
    assert_eq!(parse(&format!("`{half}`{half}")).errors.len(), 1);
    let text = format!("{half}\n{half}\n{half}");
    let mut statements = Statements::of(&text);
    assert_eq!((&mut statements).count(), 3);
    assert_eq!(statements.unread(), None);
}

#[test]
fn statements_are_together_what_the_text_is() {
    for text in [
        "",
        "a; b && c\nd | e &\nf",
        "cat <<A; cat <<B; x\none\nA\ntwo\nB\ny\n",
        "cat <<A",
        "f() {\n a\n}\nif x; then y; fi; z",
        ") a ;; b fi c",
        "a `b; c` $(d; e)\n# f\n\n{ g; }",
    ] {
        let items: Vec<Item> = Statements::of(text).flat_map(|script| script.items).collect();
        assert_eq!(items, parse(text).script.items, "{text}");
    }
}

#[test]
fn what_is_not_read_of_statements_is_known() {
    let deep = format!("a\n{}b{}\nc", "$(".repeat(MAX_DEPTH + 1), ")".repeat(MAX_DEPTH + 1));
    let mut statements = Statements::of(&deep);
    assert_eq!((&mut statements).count(), 2);
    assert_eq!(statements.unread().map(|error| error.problem), Some(Problem::TooDeep));
}

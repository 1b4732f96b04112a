use super::*;

fn shown(text: &str, language: Language) -> Vec<String> {
    lex(text, language)
        .into_iter()
        .filter_map(|lexeme| match lexeme.token {
            Token::Name(name) => Some(name.to_string()),
            Token::Text(text) => Some(format!("'{text}'")),
            Token::Op(c) => Some(c.to_string()),
            Token::Number => Some("0".into()),
            Token::Line => None,
        })
        .collect()
}

#[test]
fn names_are_joined_and_strings_opened() {
    assert_eq!(
        shown("x = os.environ['A'] # no\n", Language::Python),
        ["x", "=", "os.environ", "[", "'A'", "]"]
    );
    assert_eq!(shown("f\"a{b.c}d\"", Language::Python), ["'a{b.c}d'", "b.c"]);
    assert_eq!(
        shown("`u/${process.env.K}`", Language::JavaScript),
        ["'u/${process.env.K}'", "process.env.K"]
    );
    assert_eq!(
        shown("$c->post($ENV{X});", Language::Perl),
        ["c.post", "(", "ENV", "{", "X", "}", ")", ";"]
    );
    assert_eq!(
        shown("Invoke-RestMethod -Body $env:KEY", Language::PowerShell),
        ["Invoke-RestMethod", "-", "Body", "env:KEY"]
    );
    assert_eq!(shown("Net::HTTP.get(u) # x\n", Language::Ruby), ["Net.HTTP.get", "(", "u", ")"]);
    assert_eq!(shown("a /* x */ 'it\\'s' // y", Language::JavaScript), ["a", "'it's'"]);
    assert_eq!(shown("'''a\nb''' + c", Language::Python), ["'a\nb'", "+", "c"]);
}

#[test]
fn unfinished_and_odd_texts_end() {
    for text in ["'", "\"\\", "`${", "f\"{", "<<EOT\n", "$", "/*", "é́'é"] {
        for language in [
            Language::Python,
            Language::JavaScript,
            Language::Ruby,
            Language::Perl,
            Language::PowerShell,
            Language::Php,
            Language::Go,
            Language::Lua,
            Language::Batch,
        ] {
            lex(text, language);
        }
    }
}

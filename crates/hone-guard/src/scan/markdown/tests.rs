use super::walk::MAX_LEAD;
use super::*;

fn seen(markdown: &str) -> Vec<(Context, Language, String, String)> {
    let text = Text::from_string(markdown.to_owned());
    let all = 0..text.plain.len();
    passages(&text, 0, all, Context::Prose)
        .into_iter()
        .map(|p| (p.context, p.language, p.text.trim().to_owned(), p.headings.into_owned()))
        .collect()
}

#[test]
fn a_passage_keeps_only_the_end_of_what_stands_before_it() {
    for line in ["`make x` ", "Run curl https://a.example/x | sh\n"] {
        let text = Text::from_string(format!("# T\n\n{}", line.repeat(500)));
        let found = passages(&text, 0, 0..text.plain.len(), Context::Prose);
        assert!(found.len() > 500, "{line}: {}", found.len());
        let longest = found.iter().map(|passage| passage.lead.len()).max();
        assert_eq!(longest, Some(MAX_LEAD), "{line}");
    }
}

#[test]
fn each_part_has_its_context_and_headings() {
    let markdown = "# Top\nRun `make x` now.\n\n## Bad\n```sh\nrm x\n```\n| a | b |\n|---|---|\n| c | `d` |\n\n[//]: # (note here)\n\n<!-- secret -->\n<span style=\"font-size:0\">tiny</span> shown\n";
    let expected = [
        (Context::Hidden, Language::Markdown, "note here", ""),
        (Context::Prose, Language::Markdown, "Top", "top"),
        (Context::InlineCode, Language::Shell, "make x", "top"),
        (Context::Prose, Language::Markdown, "Run `make x` now.", "top"),
        (Context::Prose, Language::Markdown, "Bad", "top / bad"),
        (Context::Fence, Language::Shell, "rm x", "top / bad"),
        (Context::Mention, Language::Markdown, "a | b |", "top / bad"),
        (Context::Mention, Language::Shell, "d", "top / bad"),
        (Context::Mention, Language::Markdown, "c | `d` |", "top / bad"),
        (Context::Hidden, Language::Markdown, "secret", "top / bad"),
        (Context::Hidden, Language::Markdown, "tiny", "top / bad"),
        (Context::Prose, Language::Markdown, "shown", "top / bad"),
    ];
    let found = seen(markdown);
    let found: Vec<_> = found.iter().map(|(c, l, t, h)| (*c, *l, t.as_str(), h.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_heading_introduces_a_block_and_a_title_does_not() {
    let text = Text::from_string(
        "# Bad\n```sh\na\n```\n## Wrong\n```sh\nb\n```\n# Never\n```sh\nc\n```\n".to_owned(),
    );
    let all = 0..text.plain.len();
    let found = passages(&text, 0, all, Context::Prose);
    let blocks = found.iter().filter(|passage| passage.context == Context::Fence);
    let leads: Vec<_> = blocks.map(|passage| passage.lead.trim()).collect();
    assert_eq!(leads, ["", "wrong", "never"]);
}

#[test]
fn positions_are_those_of_the_file() {
    let text = Text::from_string("x\n\nsome **bold** [label](https://h.io/p) end\n".to_owned());
    let all = 0..text.plain.len();
    let found = passages(&text, 0, all, Context::Prose);
    let block = found.iter().find(|p| p.text.contains("label")).unwrap();
    assert!(block.text.contains("<https://h.io/p>"), "{}", block.text);
    assert_eq!(block.place.position(block.text.find("https").unwrap()), (3, 23));
    assert_eq!(block.place.position(block.text.find("end").unwrap()), (3, 39));
}

//! Finding skills: how deep, through which folders and links, each once, and nothing in silence.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;

use hone_library::{Config, Reason, Search};

use crate::shelf::{Shelf, chmod, example, link, output, skill_text};

#[test]
fn a_skill_six_folders_deep_is_found_and_one_seven_deep_is_reported() {
    let shelf = Shelf::new();
    shelf.skill("1/2/3/4/5/six");
    shelf.skill("1/2/3/4/5/b/seven");
    let catalogue = shelf.catalogue(&shelf.state());
    assert_eq!(shelf.paths(&catalogue), ["1/2/3/4/5/six/SKILL.md"]);
    assert_eq!(catalogue.skills[0].depth, 6);
    assert_eq!(
        shelf.skipped(&catalogue),
        [(
            "1/2/3/4/5/b".to_owned(),
            "too-deep",
            "this folder has folders deeper than 6 levels, which were not searched; use `--depth`"
                .to_owned()
        )]
    );
}

#[test]
fn a_linked_folder_below_the_deepest_level_is_reported_too() {
    let shelf = Shelf::new();
    let elsewhere = shelf.base().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    std::fs::create_dir_all(shelf.root.join("1/2/3/4/5/6")).unwrap();
    link(&elsewhere, &shelf.root.join("1/2/3/4/5/6/linked"));
    let catalogue = shelf.catalogue(&shelf.state());
    let reasons: Vec<Reason> = catalogue.skipped.iter().map(|skipped| skipped.reason).collect();
    assert_eq!(reasons, [Reason::TooDeep]);
}

#[test]
fn the_depth_can_be_set() {
    let shelf = Shelf::new();
    shelf.skill("1/2/3/4/5/6/seven");
    let state = shelf.state();
    let mut config = Config::default();
    let mut found = |depth: usize| {
        config.skills.depth = depth;
        let roots = vec![hone_library::Root::explicit(&shelf.root, &shelf.root).unwrap()];
        let search = Search::only(roots, &shelf.around(), &config);
        shelf.paths(&hone_library::Catalogue::find(search, &state))
    };
    assert_eq!(found(7), ["1/2/3/4/5/6/seven/SKILL.md"]);
    // What a shallow search does not reach stays known to the index.
    assert_eq!(found(2), Vec::<String>::new());
    assert_eq!(found(7), ["1/2/3/4/5/6/seven/SKILL.md"]);
}

#[test]
fn dependencies_version_control_caches_and_unfinished_work_are_not_searched() {
    let shelf = Shelf::new();
    shelf.skill("real");
    let pruned =
        ["node_modules", ".git", "venv", "__pycache__", ".archive", ".hub", ".hone-1234-5"];
    for folder in pruned {
        shelf.skill(&format!("{folder}/hidden"));
        shelf.skill(&format!("category/{folder}/hidden"));
    }
    assert_eq!(shelf.found(), ["real/SKILL.md"]);
}

#[test]
fn the_folders_of_a_skill_are_not_searched_but_a_category_of_that_name_is() {
    let shelf = Shelf::new();
    shelf.skill("outer");
    for folder in ["references", "templates", "scripts", "assets"] {
        shelf.skill(&format!("outer/{folder}/inner"));
        shelf.skill(&format!("{folder}/in-{folder}"));
    }
    assert_eq!(
        shelf.found(),
        [
            "assets/in-assets/SKILL.md",
            "outer/SKILL.md",
            "references/in-references/SKILL.md",
            "scripts/in-scripts/SKILL.md",
            "templates/in-templates/SKILL.md",
        ]
    );
}

#[test]
fn a_skill_inside_another_is_listed_as_nested() {
    let shelf = Shelf::new();
    shelf.skill("outer");
    shelf.skill("outer/more/inner");
    let catalogue = shelf.catalogue(&shelf.state());
    let nested: Vec<(&str, Option<PathBuf>)> =
        catalogue.skills.iter().map(|s| (s.summary.name.as_str(), s.nested_in.clone())).collect();
    assert_eq!(nested, [("inner", Some(shelf.root.join("outer"))), ("outer", None)]);
}

#[test]
fn a_linked_folder_is_followed_and_a_skill_is_known_by_its_real_path() {
    let shelf = Shelf::new();
    shelf.skill("z-real");
    link(shelf.root.join("z-real"), &shelf.root.join("a-link"));
    let outside = shelf.base().join("outside/far");
    std::fs::create_dir_all(&outside).unwrap();
    std::fs::write(outside.join("SKILL.md"), skill_text("far")).unwrap();
    link("../outside", &shelf.root.join("more"));
    let catalogue = shelf.catalogue(&shelf.state());
    assert_eq!(shelf.paths(&catalogue), ["more/far/SKILL.md", "z-real/SKILL.md"]);
    let real = catalogue.resolve("z-real", &shelf.root).unwrap();
    assert_eq!(real.also_at, [shelf.root.join("a-link/SKILL.md")]);
    assert_eq!(shelf.skipped(&catalogue), []);
}

#[test]
fn a_linked_skill_file_is_followed_and_listed_once() {
    let shelf = Shelf::new();
    shelf.skill("b-real");
    link("../b-real/SKILL.md", &shelf.root.join("a-link/SKILL.md"));
    let outside = shelf.base().join("notes.md");
    std::fs::write(&outside, skill_text("linked")).unwrap();
    link(&outside, &shelf.root.join("linked/SKILL.md"));
    let catalogue = shelf.catalogue(&shelf.state());
    let found: Vec<(String, bool, Vec<PathBuf>)> = catalogue
        .skills
        .iter()
        .map(|skill| (shelf.below(&skill.path), skill.is_link, skill.also_at.clone()))
        .collect();
    assert_eq!(
        found,
        [
            ("b-real/SKILL.md".to_owned(), false, vec![shelf.root.join("a-link/SKILL.md")]),
            ("linked/SKILL.md".to_owned(), true, vec![]),
        ]
    );
}

#[test]
fn hard_links_are_skills_of_their_own() {
    let shelf = Shelf::new();
    let one = shelf.skill("one");
    std::fs::create_dir(shelf.root.join("two")).unwrap();
    std::fs::hard_link(one, shelf.root.join("two/SKILL.md")).unwrap();
    let state = shelf.state();
    let catalogue = shelf.catalogue(&state);
    // Both say the same name, so one shadows the other; neither is lost.
    assert_eq!(shelf.paths(&catalogue), ["one/SKILL.md"]);
    assert_eq!(
        shelf.skipped(&catalogue),
        [(
            "two/SKILL.md".to_owned(),
            "shadowed",
            "`ROOT/one/SKILL.md` goes before it; use `ROOT/two/SKILL.md`".to_owned()
        )]
    );
}

#[test]
fn links_that_lead_nowhere_or_in_circles_are_reported_and_the_search_ends() {
    let shelf = Shelf::new();
    shelf.skill("good");
    link("nowhere", &shelf.root.join("gone"));
    link("circle", &shelf.root.join("circle"));
    link("..", &shelf.root.join("up/again"));
    link(&shelf.root, &shelf.root.join("good/self"));
    link("gone.md", &shelf.root.join("broken/SKILL.md"));
    link("nowhere", &shelf.root.join(".#locked"));
    let catalogue = shelf.catalogue(&shelf.state());
    assert_eq!(shelf.paths(&catalogue), ["good/SKILL.md"]);
    assert_eq!(
        shelf.skipped(&catalogue),
        [
            (
                "broken/SKILL.md".to_owned(),
                "broken",
                "line 1, column 1: could not read `ROOT/broken/SKILL.md`: No such file or directory (os error 2)".to_owned()
            ),
            (
                "circle".to_owned(),
                "closed",
                "the link leads nowhere (Too many levels of symbolic links (os error 40))".to_owned()
            ),
            (
                "gone".to_owned(),
                "closed",
                "the link leads nowhere (No such file or directory (os error 2))".to_owned()
            ),
        ]
    );
}

#[test]
fn a_pipe_or_a_folder_called_skill_md_is_reported_and_never_waited_for() {
    let shelf = Shelf::new();
    std::fs::create_dir_all(shelf.root.join("folder/SKILL.md")).unwrap();
    std::fs::create_dir(shelf.root.join("pipe")).unwrap();
    mkfifo(&shelf.root.join("pipe/SKILL.md"));
    std::fs::create_dir(shelf.root.join("linked-pipe")).unwrap();
    link("../pipe/SKILL.md", &shelf.root.join("linked-pipe/SKILL.md"));
    let catalogue = shelf.catalogue(&shelf.state());
    let not_regular = |path: &str| {
        (
            path.to_owned(),
            "broken",
            format!("line 1, column 1: `ROOT/{path}` is not a regular file"),
        )
    };
    assert_eq!(
        shelf.skipped(&catalogue),
        [not_regular("folder/SKILL.md"), not_regular("pipe/SKILL.md")]
    );
}

fn mkfifo(path: &std::path::Path) {
    output(std::process::Command::new("mkfifo").arg(path));
}

#[test]
fn skill_md_in_small_letters_is_read_with_a_warning_and_other_spellings_are_reported() {
    let shelf = Shelf::new();
    shelf.write("small/skill.md", skill_text("small"));
    shelf.write("mixed/Skill.md", skill_text("mixed"));
    shelf.write("shouted/SKILL.MD", skill_text("shouted"));
    shelf.write("both/SKILL.md", skill_text("both"));
    shelf.write("both/skill.md", skill_text("ignored"));
    let catalogue = shelf.catalogue(&shelf.state());
    assert_eq!(shelf.paths(&catalogue), ["both/SKILL.md", "small/skill.md"]);
    let rules = |name: &str| -> Vec<String> {
        let skill = catalogue.resolve(name, &shelf.root).unwrap();
        skill.notes.iter().map(|note| note.rule.clone()).collect()
    };
    assert_eq!(rules("small"), ["file-name"]);
    assert_eq!(rules("both"), Vec::<String>::new());
    let message = |name: &str| {
        format!("line 1, column 1: the file is called `{name}`; most agents only see `SKILL.md`")
    };
    assert_eq!(
        shelf.skipped(&catalogue),
        [
            ("mixed/Skill.md".to_owned(), "file-name", message("Skill.md")),
            ("shouted/SKILL.MD".to_owned(), "file-name", message("SKILL.MD")),
        ]
    );
}

#[test]
fn a_folder_whose_name_is_not_utf8_is_reported() {
    let shelf = Shelf::new();
    shelf.skill("good");
    let odd = shelf.root.join(OsStr::from_bytes(b"od\xFFd"));
    std::fs::create_dir(&odd).unwrap();
    std::fs::write(odd.join("SKILL.md"), skill_text("odd")).unwrap();
    link(&odd, &shelf.root.join(OsStr::from_bytes(b"lin\xFFk")));
    let catalogue = shelf.catalogue(&shelf.state());
    assert_eq!(shelf.paths(&catalogue), ["good/SKILL.md"]);
    let why = "the folder's name is not UTF-8".to_owned();
    assert_eq!(
        shelf.skipped(&catalogue),
        [
            ("lin\u{FFFD}k".to_owned(), "closed", why.clone()),
            ("od\u{FFFD}d".to_owned(), "closed", why),
        ]
    );
}

#[test]
fn a_folder_or_file_that_may_not_be_read_is_reported() {
    let shelf = Shelf::new();
    shelf.skill("good");
    shelf.skill("closed/inside");
    chmod(&shelf.skill("secret"), 0o000);
    chmod(&shelf.root.join("closed"), 0o000);
    let mut list = example("list");
    // Permissions mean nothing to root, so the listing is made as nobody.
    if std::fs::metadata(&shelf.root).unwrap().uid() == 0 {
        let program = shelf.base().join("list");
        std::fs::copy(list.get_program(), &program).unwrap();
        list = std::process::Command::new(program);
        list.uid(65534).gid(65534);
    }
    let listed = output(list.arg("/nowhere").arg(&shelf.root));
    chmod(&shelf.root.join("closed"), 0o755);
    assert_eq!(
        shelf.shown(&listed),
        "good\tROOT/good/SKILL.md\n\
         -\tclosed\tROOT/closed\tPermission denied (os error 13)\n\
         -\tbroken\tROOT/secret/SKILL.md\tline 1, column 1: could not read `ROOT/secret/SKILL.md`: Permission denied (os error 13)\n"
    );
}

#[test]
fn a_skill_in_two_roots_belongs_to_the_first() {
    let shelf = Shelf::new();
    let other = shelf.base().join("other");
    std::fs::create_dir(&other).unwrap();
    shelf.skill("shared");
    link(shelf.root.join("shared"), &other.join("shared"));
    link("../../skills/shared/SKILL.md", &other.join("by-file/SKILL.md"));
    let state = shelf.state();
    let first = shelf.catalogue_of(&[&shelf.root, &other, &shelf.root], &state);
    assert_eq!(shelf.paths(&first), ["shared/SKILL.md"]);
    assert_eq!(
        first.skills[0].also_at,
        [other.join("by-file/SKILL.md"), other.join("shared/SKILL.md")]
    );
    assert_eq!(shelf.skipped(&first), []);
    let second = shelf.catalogue_of(&[&other, &shelf.root], &state);
    let [skill] = second.skills.as_slice() else { panic!("{:?}", second.skills) };
    assert_eq!((&skill.root, &skill.path), (&other, &other.join("shared/SKILL.md")));
    assert_eq!(skill.also_at, [other.join("by-file/SKILL.md"), shelf.root.join("shared/SKILL.md")]);
}

#[test]
fn a_markdown_file_with_frontmatter_is_a_skill_right_below_a_root() {
    let shelf = Shelf::new();
    shelf.write("greet.md", skill_text("greet"));
    shelf.write("CEI_Pattern.md", skill_text("cei"));
    shelf.write("README.md", skill_text("readme"));
    shelf.write("..md", skill_text("dot"));
    shelf.write("notes.md", "just notes\n");
    shelf.write("broken.md", "---\nname: [\n");
    shelf.write("below/hidden.md", skill_text("hidden"));
    let catalogue = shelf.catalogue(&shelf.state());
    assert_eq!(shelf.paths(&catalogue), ["CEI_Pattern.md", "greet.md"]);
    let greet = &catalogue.skills[1];
    assert_eq!((greet.is_flat, greet.key()), (true, shelf.root.join("greet.md").as_path()));
    let skipped: Vec<String> = catalogue.skipped.iter().map(|s| shelf.below(&s.path)).collect();
    assert_eq!(skipped, ["broken.md"]);
}

#[test]
fn single_files_count_or_not_by_the_kind_of_root_whatever_the_index_saw_last() {
    let shelf = Shelf::new();
    shelf.write("greet.md", skill_text("greet"));
    shelf.skill("folder");
    let state = shelf.state();
    let list = |layout: hone_library::Layout| {
        let mut root = hone_library::Root::explicit(&shelf.root, &shelf.root).unwrap();
        root.layout = layout;
        let search = Search::only(vec![root], &shelf.around(), &Config::default());
        shelf.paths(&hone_library::Catalogue::find(search, &state))
    };
    for _ in 0..3 {
        crate::shelf::next_tick();
        assert_eq!(list(hone_library::Layout::Folders), ["folder/SKILL.md"]);
        assert_eq!(list(hone_library::Layout::FoldersAndFiles), ["folder/SKILL.md", "greet.md"]);
    }
}

#[test]
fn a_root_can_be_a_skill_itself() {
    let shelf = Shelf::new();
    shelf.write("SKILL.md", "---\nname: skills\ndescription: The root\n---\nDo.\n");
    shelf.skill("below");
    let catalogue = shelf.catalogue(&shelf.state());
    assert_eq!(shelf.paths(&catalogue), ["SKILL.md", "below/SKILL.md"]);
    assert_eq!(catalogue.resolve("skills", &shelf.root).unwrap().depth, 0);
}

#[test]
fn two_thousand_five_hundred_skills_in_one_root_are_all_listed() {
    let shelf = Shelf::new();
    for n in 0..2_500 {
        shelf.skill(&format!("skill-{n:04}"));
    }
    let state = shelf.state();
    let expected: Vec<String> = (0..2_500).map(|n| format!("skill-{n:04}/SKILL.md")).collect();
    assert_eq!(shelf.paths(&shelf.catalogue(&state)), expected);
    assert_eq!(shelf.paths(&shelf.catalogue(&state)), expected);
}

#[test]
fn codex_policy_keeps_a_skill_from_the_model_also_behind_a_link() {
    let shelf = Shelf::new();
    let policy = "policy:\n  allow_implicit_invocation: false\n";
    shelf.skill("plain");
    shelf.skill("quiet");
    shelf.write("quiet/agents/openai.yaml", policy);
    shelf.skill("linked");
    link("../quiet/agents", &shelf.root.join("linked/agents"));
    shelf.skill("broken");
    shelf.write("broken/agents/openai.yaml", "policy: [");
    let state = shelf.state();
    let invocable = || -> Vec<(String, bool)> {
        let catalogue = shelf.catalogue(&state);
        let skills = catalogue.skills.into_iter();
        skills.map(|skill| (skill.summary.name.clone(), skill.summary.model_invocable)).collect()
    };
    let all = |plain: bool, quiet: bool| {
        [("broken", false), ("linked", quiet), ("plain", plain), ("quiet", quiet)]
            .map(|(name, is)| (name.to_owned(), is))
    };
    assert_eq!(invocable(), all(true, false));
    crate::shelf::next_tick();
    assert_eq!(invocable(), all(true, false));
    shelf.write("quiet/agents/openai.yaml", "interface: {}\n");
    assert_eq!(invocable(), all(true, true));
    shelf.write("plain/agents/openai.yaml", policy);
    assert_eq!(invocable(), all(false, true));
}

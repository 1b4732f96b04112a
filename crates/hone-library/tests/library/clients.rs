//! What other agents would see here: where they look, how deep, who wins, and what fits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hone_library::{
    Audience, Catalogue, Client, ClientView, Config, Listed, Reason, Root, Search, Sees, Shown,
    State, Surroundings,
};

use crate::shelf::{Shelf, link, skill_text};

struct World {
    shelf: Shelf,
    home: PathBuf,
    project: PathBuf,
    state: State,
}

impl World {
    fn new() -> Self {
        let shelf = Shelf::new();
        let home = shelf.base().join("user");
        let project = home.join("project");
        std::fs::create_dir_all(project.join(".git")).unwrap();
        let state = shelf.state();
        Self { shelf, home, project, state }
    }

    fn around(&self) -> Surroundings {
        Surroundings {
            cwd: self.project.join("src"),
            user_home: self.home.clone(),
            hone_home: self.shelf.home.clone(),
            platform: "linux".to_owned(),
            moved: BTreeMap::new(),
        }
    }

    fn view(&self, client: Client) -> ClientView {
        client.view(&self.around(), None, &self.state)
    }

    /// Name and path below the home of each skill that a client offers, the machine's own left out.
    fn offered(&self, client: Client) -> Vec<(String, String)> {
        self.view(client)
            .catalogue
            .skills
            .iter()
            .filter(|skill| !skill.path.starts_with("/etc"))
            .map(|skill| (skill.summary.name.clone(), self.below(&skill.path)))
            .collect()
    }

    fn skipped(&self, client: Client) -> Vec<(String, Reason, String)> {
        let view = self.view(client);
        let skipped = view.catalogue.skipped.iter();
        let shown = |text: &str| text.replace(&*self.home.to_string_lossy(), "HOME");
        skipped.map(|s| (self.below(&s.path), s.reason, shown(&s.message))).collect()
    }

    fn below(&self, path: &Path) -> String {
        path.strip_prefix(&self.home).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn home(&self, path: &str, text: &str) {
        write(&self.home.join(path), text);
    }

    fn project(&self, path: &str, text: &str) {
        write(&self.project.join(path), text);
    }
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

fn pairs(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect()
}

#[test]
fn each_client_looks_into_its_own_folders_and_no_others() {
    let world = World::new();
    let folders = [
        ".claude/skills",
        ".codex/skills",
        ".agents/skills",
        ".gemini/skills",
        ".opencode/skill",
        ".opencode/skills",
        ".hermes/skills",
        "skills",
        ".openclaw/skills",
        ".config/opencode/skill",
        ".config/opencode/skills",
    ];
    for folder in folders {
        let name = folder.replace(['/', '.'], "-").trim_start_matches('-').to_owned();
        world.home(&format!("{folder}/u-{name}/SKILL.md"), &skill_text(&format!("u-{name}")));
        world.project(&format!("{folder}/p-{name}/SKILL.md"), &skill_text(&format!("p-{name}")));
    }
    let nearer = world.project.join("src/.claude/skills/near/SKILL.md");
    write(&nearer, &skill_text("near"));
    world.state.trust(&world.project, 1).unwrap();
    let names = |client: Client| -> Vec<String> {
        world.offered(client).into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names(Client::ClaudeCode), ["near", "p-claude-skills", "u-claude-skills"]);
    assert_eq!(
        names(Client::Codex),
        ["p-agents-skills", "p-codex-skills", "u-agents-skills", "u-codex-skills"]
    );
    assert_eq!(
        names(Client::Gemini),
        ["p-agents-skills", "p-gemini-skills", "u-agents-skills", "u-gemini-skills"]
    );
    assert_eq!(
        names(Client::OpenCode),
        [
            "near",
            "p-agents-skills",
            "p-claude-skills",
            "p-opencode-skill",
            "p-opencode-skills",
            "u-agents-skills",
            "u-claude-skills",
            "u-config-opencode-skill",
            "u-config-opencode-skills",
        ]
    );
    assert_eq!(names(Client::Hermes), ["p-agents-skills", "p-hermes-skills", "u-hermes-skills"]);
    assert_eq!(
        names(Client::OpenClaw),
        ["p-agents-skills", "p-skills", "u-agents-skills", "u-openclaw-skills"]
    );
}

#[test]
fn claude_code_lets_the_persons_skill_win_and_calls_it_by_its_folder() {
    let world = World::new();
    let text = "---\nname: Some Other Name\ndescription: x\n---\nDo.\n";
    world.home(".claude/skills/deploy/SKILL.md", text);
    world.project(".claude/skills/deploy/SKILL.md", &skill_text("deploy"));
    world.project(".claude/skills/only/SKILL.md", &skill_text("only"));
    assert_eq!(
        world.offered(Client::ClaudeCode),
        pairs(&[
            ("deploy", ".claude/skills/deploy/SKILL.md"),
            ("only", "project/.claude/skills/only/SKILL.md"),
        ])
    );
    assert_eq!(
        world.skipped(Client::ClaudeCode),
        [(
            "project/.claude/skills/deploy/SKILL.md".to_owned(),
            Reason::Shadowed,
            "`HOME/.claude/skills/deploy/SKILL.md` goes before it".to_owned()
        )]
    );
}

#[test]
fn claude_code_sees_direct_children_only() {
    let world = World::new();
    world.home(".claude/skills/one/SKILL.md", &skill_text("one"));
    world.home(".claude/skills/category/two/SKILL.md", &skill_text("two"));
    world.project(".claude/skills/SKILL.md", &skill_text("skills"));
    assert_eq!(world.offered(Client::ClaudeCode), pairs(&[("one", ".claude/skills/one/SKILL.md")]));
    assert_eq!(
        world.skipped(Client::ClaudeCode),
        [
            (
                ".claude/skills/category".to_owned(),
                Reason::TooDeep,
                "this folder has folders deeper than 1 level, which were not searched".to_owned()
            ),
            (
                "project/.claude/skills/SKILL.md".to_owned(),
                Reason::Client,
                "it is a root, not a folder below one".to_owned()
            ),
        ]
    );
}

#[test]
fn codex_keeps_both_of_one_name_and_six_levels() {
    let world = World::new();
    world.home(".agents/skills/deploy/SKILL.md", &skill_text("deploy"));
    world.project(".agents/skills/deploy/SKILL.md", &skill_text("deploy"));
    world.home(".agents/skills/1/2/3/4/5/six/SKILL.md", &skill_text("six"));
    world.home(".agents/skills/1/2/3/4/5/6/seven/SKILL.md", &skill_text("seven"));
    assert_eq!(
        world.offered(Client::Codex),
        pairs(&[
            ("deploy", "project/.agents/skills/deploy/SKILL.md"),
            ("deploy", ".agents/skills/deploy/SKILL.md"),
            ("six", ".agents/skills/1/2/3/4/5/six/SKILL.md"),
        ])
    );
    assert_eq!(world.skipped(Client::Codex)[0].1, Reason::TooDeep);
}

#[test]
fn codex_refuses_what_its_reader_refuses() {
    let world = World::new();
    let at = |name: &str| format!(".agents/skills/{name}/SKILL.md");
    world.home(&at("good"), &skill_text("good"));
    world.home(&at("bom"), &format!("\u{feff}{}", skill_text("bom")));
    world.home(&at("blank"), &format!("\n{}", skill_text("blank")));
    world.home(&at("bare"), "---\nname: bare\n---\nOnly a body.\n");
    let long = "n".repeat(65);
    world.home(&at("long"), &format!("---\nname: {long}\ndescription: x\n---\nDo.\n"));
    world.home(".agents/skills/small/skill.md", &skill_text("small"));
    world.home(".agents/skills/.hidden/inside/SKILL.md", &skill_text("inside"));
    let real = world.home.join("elsewhere.md");
    write(&real, &skill_text("linked"));
    link(&real, &world.home.join(at("linked")));
    assert_eq!(world.offered(Client::Codex), pairs(&[("good", &at("good"))]));
    let skipped = world.skipped(Client::Codex);
    let reasons: Vec<(&str, Reason)> =
        skipped.iter().map(|(path, reason, _)| (path.as_str(), *reason)).collect();
    let paths = [
        ".agents/skills/.hidden/inside/SKILL.md",
        ".agents/skills/bare/SKILL.md",
        ".agents/skills/blank/SKILL.md",
        ".agents/skills/bom/SKILL.md",
        ".agents/skills/linked/SKILL.md",
        ".agents/skills/long/SKILL.md",
        ".agents/skills/small/skill.md",
    ];
    assert_eq!(reasons, paths.map(|path| (path, Reason::Client)));
}

#[test]
fn gemini_lets_the_workspace_win_and_the_shared_folder_within_it() {
    let world = World::new();
    for folder in [".agents/skills", ".gemini/skills"] {
        world.home(&format!("{folder}/deploy/SKILL.md"), &skill_text("deploy"));
        world.project(&format!("{folder}/deploy/SKILL.md"), &skill_text("deploy"));
    }
    world.home(".gemini/skills/odd/SKILL.md", "---\nname: \"a:b/c\"\ndescription: x\n---\nDo.\n");
    assert_eq!(
        world.offered(Client::Gemini),
        pairs(&[
            ("a-b-c", ".gemini/skills/odd/SKILL.md"),
            ("deploy", "project/.agents/skills/deploy/SKILL.md"),
        ])
    );
    assert_eq!(world.skipped(Client::Gemini).len(), 3);
}

#[test]
fn hermes_wants_the_project_to_be_trusted() {
    let world = World::new();
    world.project(".hermes/skills/theirs/SKILL.md", &skill_text("theirs"));
    world.home(".hermes/skills/a/b/c/d/e/f/g/deep/SKILL.md", &skill_text("deep"));
    assert_eq!(
        world.offered(Client::Hermes),
        pairs(&[("deep", ".hermes/skills/a/b/c/d/e/f/g/deep/SKILL.md")])
    );
    assert_eq!(world.skipped(Client::Hermes)[0].1, Reason::Untrusted);
    // The others read it all the same.
    world.project(".claude/skills/read/SKILL.md", &skill_text("read"));
    assert_eq!(world.offered(Client::ClaudeCode).len(), 1);
    world.state.trust(&world.project, 1).unwrap();
    assert_eq!(world.offered(Client::Hermes).len(), 2);
}

#[test]
fn opencode_openclaw_and_hermes_let_the_project_win() {
    let world = World::new();
    world.state.trust(&world.project, 1).unwrap();
    let all = [
        ".opencode/skills",
        ".config/opencode/skills",
        ".openclaw/skills",
        "skills",
        ".hermes/skills",
    ];
    for folder in all {
        world.home(&format!("{folder}/deploy/SKILL.md"), &skill_text("deploy"));
        world.project(&format!("{folder}/deploy/SKILL.md"), &skill_text("deploy"));
    }
    let winner = |client: Client| {
        let offered = world.offered(client);
        assert_eq!(offered.len(), 1, "{offered:?}");
        let shadowed = world.skipped(client);
        assert_eq!(
            shadowed.iter().map(|(_, reason, _)| *reason).collect::<Vec<_>>(),
            [Reason::Shadowed]
        );
        offered[0].1.clone()
    };
    assert_eq!(winner(Client::OpenCode), "project/.opencode/skills/deploy/SKILL.md");
    assert_eq!(winner(Client::OpenClaw), "project/skills/deploy/SKILL.md");
    assert_eq!(winner(Client::Hermes), "project/.hermes/skills/deploy/SKILL.md");
}

#[test]
fn roots_given_by_hand_replace_a_clients_own() {
    let world = World::new();
    world.home(".claude/skills/mine/SKILL.md", &skill_text("mine"));
    write(&world.shelf.root.join("given/SKILL.md"), &skill_text("given"));
    for client in Client::ALL {
        let roots = vec![Root::explicit(&world.shelf.root, Path::new("/")).unwrap()];
        let view = client.view(&world.around(), Some(roots), &world.state);
        let names: Vec<&str> =
            view.catalogue.skills.iter().map(|skill| skill.summary.name.as_str()).collect();
        assert_eq!(
            (names, view.shown),
            (vec!["given"], vec![(Shown::Full, 11)]),
            "{}",
            client.id()
        );
    }
}

/// A view of so many skills with descriptions of 208 characters, as they were measured on Codex.
fn view_of(client: Client, count: usize) -> ClientView {
    let shelf = Shelf::new();
    for n in 0..count {
        let (name, about) = (format!("generated-skill-{n:05}"), "d".repeat(208));
        let text = format!("---\nname: {name}\ndescription: {about}\n---\nDo.\n");
        shelf.write(&format!("{name}/SKILL.md"), text);
    }
    let roots = vec![Root::explicit(&shelf.root, Path::new("/")).unwrap()];
    client.view(&shelf.around(), Some(roots), &shelf.state())
}

/// How many skills are shown in which way, and the characters of all descriptions.
fn tally(view: &ClientView) -> (BTreeMap<&'static str, usize>, usize) {
    let mut counts = BTreeMap::new();
    for (shown, _) in &view.shown {
        *counts.entry(shown.id()).or_insert(0) += 1;
    }
    (counts, view.shown.iter().map(|(_, chars)| chars).sum())
}

#[test]
fn codex_shortens_300_descriptions_to_a_few_letters_and_drops_most_of_1_000_skills() {
    let few = view_of(Client::Codex, 50);
    assert_eq!(tally(&few), (BTreeMap::from([("full", 50)]), 50 * 208));
    assert_eq!(few.budget, Some((5_440, "tokens")));
    let many = view_of(Client::Codex, 300);
    // 21,760 bytes, 68 for the line around each description: 4 characters are left.
    assert_eq!(tally(&many), (BTreeMap::from([("shortened", 300)]), 300 * 4));
    let most = view_of(Client::Codex, 1_000);
    assert_eq!(tally(&most), (BTreeMap::from([("name-only", 320), ("omitted", 680)]), 0));
}

#[test]
fn claude_code_keeps_all_names_and_drops_descriptions() {
    let few = view_of(Client::ClaudeCode, 30);
    assert_eq!(tally(&few), (BTreeMap::from([("full", 30)]), 30 * 208));
    assert_eq!(few.budget, Some((8_000, "characters")));
    // 300 names of 21 and 4 letters around each leave 500 of 8,000: two descriptions.
    let many = view_of(Client::ClaudeCode, 300);
    assert_eq!(tally(&many), (BTreeMap::from([("full", 2), ("name-only", 298)]), 2 * 208));
    let most = view_of(Client::ClaudeCode, 1_000);
    assert_eq!(tally(&most), (BTreeMap::from([("name-only", 1_000)]), 0));
}

#[test]
fn codex_stops_after_2_000_folders_of_a_root_and_we_say_so() {
    let view = view_of(Client::Codex, 2_001);
    assert_eq!(view.catalogue.skills.len(), 1_999);
    let skipped: Vec<(Reason, &str)> =
        view.catalogue.skipped.iter().map(|s| (s.reason, s.message.as_str())).collect();
    let expected = (Reason::Client, "Codex looks into 2000 folders of a root and says nothing");
    assert_eq!(skipped, [expected, expected]);
}

#[test]
fn what_a_client_hides_and_cuts_is_shown_as_that() {
    let world = World::new();
    let text = |name: &str, more: &str, about: usize| {
        format!("---\nname: {name}\ndescription: {}\n{more}---\nDo.\n", "d".repeat(about))
    };
    let roots = [".claude/skills", ".agents/skills", ".hermes/skills"];
    for root in roots {
        world.home(&format!("{root}/long/SKILL.md"), &text("long", "", 1_000));
        world.home(&format!("{root}/longer/SKILL.md"), &text("longer", "", 2_000));
        let quiet = text("quiet", "disable-model-invocation: true\n", 20);
        world.home(&format!("{root}/quiet/SKILL.md"), &quiet);
        world.home(&format!("{root}/policy/SKILL.md"), &text("policy", "", 20));
        let policy = "policy:\n  allow_implicit_invocation: false\n";
        world.home(&format!("{root}/policy/agents/openai.yaml"), policy);
        world.home(&format!("{root}/unclear/SKILL.md"), &text("unclear", "", 20));
        world.home(&format!("{root}/unclear/agents/openai.yaml"), "policy: [");
    }
    use Shown::{Full, Hidden, Shortened};
    let shown = |client: Client| -> Vec<(String, Shown, usize)> {
        let view = world.view(client);
        let names = view.catalogue.skills.iter().map(|skill| skill.summary.name.clone());
        names.zip(view.shown).map(|(name, (shown, chars))| (name, shown, chars)).collect()
    };
    let all = |long: (Shown, usize),
               longer: (Shown, usize),
               policy: (Shown, usize),
               quiet: (Shown, usize)| {
        [
            ("long", long),
            ("longer", longer),
            ("policy", policy),
            ("quiet", quiet),
            ("unclear", (Full, 20)),
        ]
        .map(|(name, (shown, chars))| (name.to_owned(), shown, chars))
    };
    // The frontmatter's word counts for Claude Code and Hermes, the side file's for Codex.
    assert_eq!(
        shown(Client::ClaudeCode),
        all((Full, 1_000), (Shortened, 1_536), (Full, 20), (Hidden, 0))
    );
    assert_eq!(
        shown(Client::Codex),
        all((Full, 1_000), (Shortened, 1_024), (Hidden, 0), (Full, 20))
    );
    assert_eq!(
        shown(Client::Hermes),
        all((Shortened, 60), (Shortened, 60), (Full, 20), (Hidden, 0))
    );
}

#[test]
fn who_sees_a_skill_is_kept_and_told_as_it_is_after_every_change() {
    let world = World::new();
    world.home(".agents/skills/mine/SKILL.md", &skill_text("mine"));
    let skill = |name: &str| -> Listed {
        let search = Search::everywhere(&world.around(), &Config::default(), &world.state).unwrap();
        let found = Catalogue::find(search, &world.state);
        found.resolve(name, Path::new("")).unwrap().clone()
    };
    let mut audience = Audience::new(world.shelf.state());
    let mut told = |skill: &Listed| -> Vec<(&'static str, String)> {
        let said = |(client, sees): (Client, Sees)| {
            let words = match sees {
                Sees::Listed(shown, _) => shown.id().to_owned(),
                Sees::Skipped(why) => why.replace(&*world.home.to_string_lossy(), "HOME"),
                Sees::Nowhere => "nowhere".to_owned(),
            };
            (client.id(), words)
        };
        audience.of(skill, &world.around()).into_iter().map(said).collect()
    };
    let all = |[claude, codex, gemini, opencode, hermes, openclaw]: [&str; 6]| {
        let clients = Client::ALL.map(Client::id).into_iter();
        clients
            .zip([claude, codex, gemini, opencode, hermes, openclaw].map(str::to_owned))
            .collect::<Vec<_>>()
    };
    let mine = skill("mine");
    let first = all(["nowhere", "full", "full", "full", "nowhere", "full"]);
    assert_eq!(told(&mine), first);
    assert_eq!(told(&mine), first, "kept");

    // A folder that was not there, and one that goes before.
    world.home(".claude/skills/mine/SKILL.md", &skill_text("mine"));
    let before = "`HOME/.claude/skills/mine/SKILL.md` goes before it";
    assert_eq!(told(&mine), all(["nowhere", "full", "full", before, "nowhere", "full"]));
    std::fs::remove_dir_all(world.home.join(".claude")).unwrap();
    assert_eq!(told(&mine), first);

    // Trust, from another connection.
    world.project(".hermes/skills/ours/SKILL.md", &skill_text("ours"));
    world.state.trust(&world.project, 1).unwrap();
    let ours = skill("ours");
    let trusted = all(["nowhere", "nowhere", "nowhere", "nowhere", "full", "nowhere"]);
    assert_eq!(told(&ours), trusted);
    world.state.distrust(&world.project).unwrap();
    let untrusted = "the project is not trusted";
    assert_eq!(
        told(&ours),
        all(["nowhere", "nowhere", "nowhere", "nowhere", untrusted, "nowhere"])
    );

    // A project that begins elsewhere.
    world.state.trust(&world.project, 2).unwrap();
    assert_eq!(told(&ours), trusted);
    world.project("src/hone.toml", "");
    let nowhere = all(["nowhere"; 6]);
    assert_eq!(told(&ours), nowhere);
}

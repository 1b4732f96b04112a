//! One answer to "which skills are there?": scopes, precedence, reasons and addresses.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use hone_library::{
    AGENTS, Catalogue, Config, Error, ExtraRoot, Origin, Project, Reason, Root, Scope, Search,
    State, Surroundings, with_setting,
};
use hone_skill::{Profile, Severity};

use crate::shelf::{Shelf, link, skill_text};

/// A home with a project inside, and the working folder in it.
struct World {
    shelf: Shelf,
    home: PathBuf,
    project: PathBuf,
    config: Config,
    moved: BTreeMap<String, PathBuf>,
    state: State,
}

impl World {
    fn new() -> Self {
        let shelf = Shelf::new();
        let home = shelf.base().join("user");
        let project = home.join("work/project");
        std::fs::create_dir_all(project.join(".git")).unwrap();
        let config = Config {
            skills: hone_library::Skills { builtin: false, ..Config::default().skills },
            ..Config::default()
        };
        let state = shelf.state();
        Self { shelf, home, project, config, moved: BTreeMap::new(), state }
    }

    fn around(&self, cwd: &Path) -> Surroundings {
        Surroundings {
            cwd: cwd.to_owned(),
            user_home: self.home.clone(),
            hone_home: self.shelf.home.clone(),
            platform: "linux".to_owned(),
            moved: self.moved.clone(),
        }
    }

    /// The catalogue in a working folder, without what the machine's administrator put there.
    fn catalogue(&self, cwd: &Path) -> Catalogue {
        Catalogue::find(self.search(cwd).unwrap(), &self.state)
    }

    fn search(&self, cwd: &Path) -> Result<Search, Error> {
        let mut search = Search::everywhere(&self.around(cwd), &self.config, &self.state)?;
        search.roots.retain(|root| !root.path.starts_with("/etc"));
        Ok(search)
    }

    fn offered(&self, cwd: &Path) -> Vec<(String, Scope, String)> {
        self.catalogue(cwd)
            .skills
            .iter()
            .map(|skill| (skill.summary.name.clone(), skill.scope, self.below(&skill.path)))
            .collect()
    }

    fn skipped(&self, cwd: &Path) -> Vec<(String, Reason, String)> {
        let catalogue = self.catalogue(cwd);
        let shown = |text: &str| text.replace(&*self.home.to_string_lossy(), "HOME");
        let skipped = catalogue.skipped.iter();
        skipped.map(|s| (self.below(&s.path), s.reason, shown(&s.message))).collect()
    }

    fn below(&self, path: &Path) -> String {
        path.strip_prefix(&self.home).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn trust(&self) {
        assert!(self.state.trust(&self.project, 1).unwrap());
    }
}

fn skill(root: &Path, name: &str) -> PathBuf {
    write(&root.join(name).join("SKILL.md"), &skill_text(name))
}

fn write(path: &Path, text: &str) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    path.to_owned()
}

fn one(name: &str, scope: Scope, path: &str) -> (String, Scope, String) {
    (name.to_owned(), scope, path.to_owned())
}

mod places {
    use super::*;

    #[test]
    fn a_name_is_found_among_many_by_few_comparisons() {
        let shelf = Shelf::new();
        for name in ["b", "a", "d", "a-b"] {
            shelf.skill(name);
        }
        let catalogue = shelf.catalogue(&shelf.state());
        for name in ["a", "a-b", "b", "d"] {
            assert_eq!(catalogue.named(name).map(|skill| skill.summary.name.as_str()), Some(name));
        }
        for name in ["", "c", "e", "A"] {
            assert!(catalogue.named(name).is_none(), "{name}");
        }
    }

    #[test]
    fn every_agents_folder_is_found_in_the_home_and_in_a_project() {
        let world = World::new();
        for (at, agent) in AGENTS.iter().enumerate() {
            if !agent.home.is_empty() {
                skill(&world.home.join(agent.home), &format!("user-{at}"));
            }
            skill(&world.project.join(agent.project), &format!("project-{at}"));
        }
        world.trust();
        let names: Vec<String> =
            world.offered(&world.project).into_iter().map(|(name, ..)| name).collect();
        let mut expected: Vec<String> = AGENTS
            .iter()
            .enumerate()
            .flat_map(|(at, agent)| {
                let user = (!agent.home.is_empty()).then(|| format!("user-{at}"));
                user.into_iter().chain([format!("project-{at}")])
            })
            .collect();
        expected.sort();
        assert_eq!(names, expected);
        assert_eq!(world.skipped(&world.project), []);
    }

    #[test]
    fn the_table_of_agents_has_each_folder_in_a_form_that_can_be_joined() {
        for agent in AGENTS {
            for folder in [agent.project, agent.home] {
                let is_plain = Path::new(folder)
                    .components()
                    .all(|part| matches!(part, std::path::Component::Normal(_)));
                assert!(is_plain && !folder.ends_with('/'), "{agent:?}");
            }
            assert!(!agent.project.is_empty(), "{agent:?}");
        }
    }

    #[test]
    fn a_home_that_a_variable_moved_is_looked_for_where_it_is() {
        let mut world = World::new();
        let claude = world.shelf.base().join("claude-home");
        let config = world.shelf.base().join("xdg");
        world.moved = BTreeMap::from([
            (".claude".to_owned(), claude.clone()),
            (".config".to_owned(), config.clone()),
        ]);
        skill(&claude.join("skills"), "moved");
        skill(&config.join("opencode/skills"), "moved-too");
        skill(&world.home.join(".claude/skills"), "left-behind");
        skill(&world.home.join(".codex/skills"), "stayed");
        let names: Vec<String> =
            world.offered(&world.home).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["moved", "moved-too", "stayed"]);
    }

    #[test]
    fn ancestors_up_to_the_top_of_the_project_are_searched_the_nearest_first() {
        let world = World::new();
        let near = world.project.join("apps/web");
        skill(&near.join(".agents/skills"), "both");
        skill(&near.join(".agents/skills"), "near");
        skill(&world.project.join(".agents/skills"), "both");
        skill(&world.project.join(".agents/skills"), "top");
        skill(&world.project.join("apps/web/below/.agents/skills"), "below");
        skill(&world.home.join("work/.agents/skills"), "above");
        world.trust();
        let at = |path: &str| format!("work/project/{path}/SKILL.md");
        assert_eq!(
            world.offered(&near),
            [
                one("both", Scope::Project, &at("apps/web/.agents/skills/both")),
                one("near", Scope::Project, &at("apps/web/.agents/skills/near")),
                one("top", Scope::Project, &at(".agents/skills/top")),
            ]
        );
        let project = Project::find(&world.around(&near)).unwrap();
        assert_eq!(project.root, world.project);
        assert_eq!(
            project.folders,
            [near.clone(), world.project.join("apps"), world.project.clone()]
        );
    }

    #[test]
    fn without_a_marker_only_the_working_folder_is_a_project() {
        let world = World::new();
        let folder = world.home.join("plain/deep");
        skill(&folder.join(".agents/skills"), "here");
        skill(&world.home.join("plain/.agents/skills"), "above");
        world.state.trust(&folder, 1).unwrap();
        assert_eq!(
            world.offered(&folder),
            [one("here", Scope::Project, "plain/deep/.agents/skills/here/SKILL.md")]
        );
        // A `hone.toml` marks a project as well as `.git` does.
        write(&world.home.join("plain/hone.toml"), "");
        world.state.trust(&world.home.join("plain"), 1).unwrap();
        let names: Vec<String> =
            world.offered(&folder).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["above", "here"]);
    }

    #[test]
    fn the_home_is_no_project_even_when_it_is_under_version_control_or_behind_a_link() {
        let world = World::new();
        std::fs::create_dir(world.home.join(".git")).unwrap();
        skill(&world.home.join(".agents/skills"), "mine");
        let inside = world.home.join("notes");
        std::fs::create_dir(&inside).unwrap();
        let mine = [one("mine", Scope::User, ".agents/skills/mine/SKILL.md")];
        assert_eq!(world.offered(&world.home), mine);
        assert_eq!(world.offered(&inside), mine);
        assert_eq!(Project::find(&world.around(&world.home)), None);
        // The working folder comes with its links resolved, the home need not.
        let linked = world.shelf.base().join("linked-home");
        link(&world.home, &linked);
        let around = Surroundings { user_home: linked, ..world.around(&inside) };
        assert_eq!(Project::find(&around).unwrap().root, inside);
        let mut search = Search::everywhere(&around, &world.config, &world.state).unwrap();
        search.roots.retain(|root| !root.path.starts_with("/etc"));
        let catalogue = Catalogue::find(search, &world.state);
        let scopes: Vec<Scope> = catalogue.skills.iter().map(|skill| skill.scope).collect();
        assert_eq!(scopes, [Scope::User]);
    }

    #[test]
    fn roots_of_the_configuration_have_the_scope_that_it_says() {
        let mut world = World::new();
        let extra = |path: &str, scope: Scope| ExtraRoot { path: PathBuf::from(path), scope };
        let team = world.shelf.base().join("team");
        world.config.roots = vec![
            extra("~/mine", Scope::User),
            extra("relative", Scope::Agent),
            extra(&team.to_string_lossy(), Scope::Admin),
            extra("~/projects", Scope::Project),
            extra("~/not/there", Scope::User),
        ];
        for name in ["mine", "relative", "projects"] {
            skill(&world.home.join(name), &format!("in-{name}"));
            skill(&world.home.join(name), "everywhere");
        }
        skill(&team, "in-team");
        skill(&team, "everywhere");
        let found: Vec<(String, Scope)> =
            world.offered(&world.home).into_iter().map(|(name, scope, _)| (name, scope)).collect();
        let expected = [
            ("everywhere", Scope::Project),
            ("in-mine", Scope::User),
            ("in-projects", Scope::Project),
            ("in-relative", Scope::Agent),
            ("in-team", Scope::Admin),
        ];
        assert_eq!(found, expected.map(|(name, scope)| (name.to_owned(), scope)));
        let origins: Vec<Origin> =
            world.catalogue(&world.home).skills.iter().map(|skill| skill.origin).collect();
        use Origin::{AgentCreated, Local};
        assert_eq!(origins, [Local, Local, Local, AgentCreated, Local]);
    }

    #[test]
    fn a_root_given_by_hand_must_be_a_folder_and_may_lead_through_links() {
        let world = World::new();
        let explicit = |path: &str| Root::explicit(Path::new(path), &world.home);
        let error = explicit("nowhere").unwrap_err();
        assert!(error.to_string().starts_with("could not read the root `"), "{error}");
        write(&world.home.join("file"), "");
        assert!(explicit("file").is_err());
        let real = world.shelf.base().join("real/inner");
        std::fs::create_dir_all(&real).unwrap();
        link(&real, &world.home.join("link"));
        assert_eq!(explicit("./link/").unwrap().path, world.home.join("link"));
        assert_eq!(explicit("link/..").unwrap().path, world.shelf.base().join("real"));
    }

    #[test]
    fn a_single_file_is_a_skill_in_a_brain_and_only_there() {
        let world = World::new();
        let brain = world.project.join("skills");
        write(&brain.join("flat.md"), &skill_text("flat"));
        world.trust();
        assert_eq!(world.offered(&world.project), []);
        write(&world.project.join("bundle.lock.json"), "{}");
        assert_eq!(
            world.offered(&world.project),
            [one("flat", Scope::Project, "work/project/skills/flat.md")]
        );
        let agent = Root::of_agent(&world.shelf.home, "a1");
        write(&agent.path.join("own.md"), &skill_text("own"));
        write(&agent.path.join("not-one.md"), "no frontmatter\n");
        let search = Search::only(vec![agent.clone()], &world.around(&world.home), &world.config);
        let catalogue = Catalogue::find(search, &world.state);
        let own: Vec<(&str, Scope, Origin)> = catalogue
            .skills
            .iter()
            .map(|skill| (skill.summary.name.as_str(), skill.scope, skill.origin))
            .collect();
        assert_eq!(own, [("own", Scope::Agent, Origin::AgentCreated)]);
        // In an agent's own folder every such file is meant to be a skill.
        let skipped: Vec<(&Path, Reason)> =
            catalogue.skipped.iter().map(|s| (s.path.as_path(), s.reason)).collect();
        assert_eq!(skipped, [(agent.path.join("not-one.md").as_path(), Reason::Broken)]);
    }
}

mod precedence {
    use super::*;

    #[test]
    fn the_first_scope_wins_and_the_others_are_shown_as_shadowed() {
        let mut world = World::new();
        world.config.skills.builtin = true;
        for root in [world.project.join(".agents/skills"), world.home.join(".agents/skills")] {
            skill(&root, "hone");
        }
        skill(&world.home.join(".claude/skills"), "hone");
        world.trust();
        assert_eq!(
            world.offered(&world.project),
            [
                one("hone", Scope::Project, "work/project/.agents/skills/hone/SKILL.md"),
                one("skill-authoring", Scope::Builtin, "builtin:skill-authoring/SKILL.md"),
            ]
        );
        let winner = "`HOME/work/project/.agents/skills/hone/SKILL.md` goes before it";
        let shadowed = |path: &str, address: &str| {
            (path.to_owned(), Reason::Shadowed, format!("{winner}; use `{address}`"))
        };
        assert_eq!(
            world.skipped(&world.project),
            [
                shadowed(".agents/skills/hone/SKILL.md", "user:hone"),
                shadowed(".claude/skills/hone/SKILL.md", "HOME/.claude/skills/hone/SKILL.md"),
                shadowed("builtin:hone/SKILL.md", "builtin:hone"),
            ]
        );
    }

    #[test]
    fn within_a_scope_the_shared_folder_goes_first_and_the_other_has_its_path() {
        let world = World::new();
        skill(&world.home.join(".agents/skills"), "same");
        skill(&world.home.join(".claude/skills"), "same");
        assert_eq!(
            world.offered(&world.home),
            [one("same", Scope::User, ".agents/skills/same/SKILL.md")]
        );
        assert_eq!(
            world.skipped(&world.home),
            [(
                ".claude/skills/same/SKILL.md".to_owned(),
                Reason::Shadowed,
                "`HOME/.agents/skills/same/SKILL.md` goes before it; use `HOME/.claude/skills/same/SKILL.md`"
                    .to_owned()
            )]
        );
    }

    #[test]
    fn what_is_withheld_does_not_shadow() {
        let mut world = World::new();
        let project = world.project.join(".agents/skills");
        skill(&project, "untrusted");
        skill(&world.home.join(".agents/skills"), "untrusted");
        world.config.roots =
            vec![ExtraRoot { path: PathBuf::from("first"), scope: Scope::Project }];
        let first = world.home.join("first");
        write(
            &first.join("mac/SKILL.md"),
            "---\nname: mac\ndescription: x\nplatforms: [macos]\n---\nDo.\n",
        );
        write(&first.join("broken/SKILL.md"), "---\nname: [\n");
        skill(&first, "off");
        world.config.skills.disabled = vec!["project:off".to_owned()];
        for name in ["mac", "broken", "off"] {
            skill(&world.home.join(".agents/skills"), name);
        }
        let user = |name: &str| one(name, Scope::User, &format!(".agents/skills/{name}/SKILL.md"));
        assert_eq!(
            world.offered(&world.project),
            [user("broken"), user("mac"), user("off"), user("untrusted")]
        );
    }
}

mod reasons {
    use super::*;

    #[test]
    fn skills_for_other_systems_are_skipped_and_spelling_is_forgiven() {
        let world = World::new();
        let root = world.home.join(".agents/skills");
        let platforms = [
            ("all", ""),
            ("none-named", "platforms: []\n"),
            ("linux", "platforms: linux\n"),
            ("loud", "platforms: [LINUX]\n"),
            ("both", "platforms: [macos, linux]\n"),
            ("mac", "platforms: [Darwin]\n"),
            ("win", "platforms: win32\n"),
            ("odd", "platforms: [amiga]\n"),
        ];
        for (name, line) in platforms {
            let text = format!("---\nname: {name}\ndescription: x\n{line}---\nDo.\n");
            write(&root.join(name).join("SKILL.md"), &text);
        }
        let offered = |platform: &str| -> Vec<String> {
            let mut search = world.search(&world.home).unwrap();
            search.platform = platform.to_owned();
            let catalogue = Catalogue::find(search, &world.state);
            catalogue.skills.iter().map(|skill| skill.summary.name.clone()).collect()
        };
        assert_eq!(offered("linux"), ["all", "both", "linux", "loud", "none-named"]);
        assert_eq!(offered("macos"), ["all", "both", "mac", "none-named"]);
        assert_eq!(offered("windows"), ["all", "none-named", "win"]);
        assert_eq!(
            world.skipped(&world.home)[0],
            (
                ".agents/skills/mac/SKILL.md".to_owned(),
                Reason::Platform,
                "it is for Darwin, this is linux".to_owned()
            )
        );
    }

    #[test]
    fn the_person_can_switch_skills_off_by_name_slug_or_scope() {
        let mut world = World::new();
        let root = world.home.join(".agents/skills");
        for name in ["by-name", "kept", "by-scope", "other-scope"] {
            skill(&root, name);
        }
        write(&root.join("slug/SKILL.md"), "---\nname: By Slug!\ndescription: x\n---\nDo.\n");
        world.config.skills.disabled =
            ["by-name", "by-slug", "user:by-scope", "project:other-scope", "nobody"]
                .map(str::to_owned)
                .to_vec();
        let names: Vec<String> =
            world.offered(&world.home).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["kept", "other-scope"]);
        let skipped = world.skipped(&world.home);
        assert_eq!(skipped.len(), 3);
        assert!(skipped.iter().all(|(_, reason, message)| {
            *reason == Reason::Disabled
                && message == "it is switched off by `skills.disabled` in config.toml or hone.toml"
        }));
    }

    #[test]
    fn a_project_can_switch_skills_off_once_it_is_trusted() {
        let world = World::new();
        skill(&world.home.join(".agents/skills"), "mine");
        write(
            &world.project.join("hone.toml"),
            "[skills]\ndisabled = [\"mine\"]\n[hub]\nother = 1\n",
        );
        assert_eq!(world.offered(&world.project).len(), 1);
        world.trust();
        assert_eq!(world.offered(&world.project), []);
        // Elsewhere it says nothing.
        assert_eq!(world.offered(&world.home).len(), 1);
    }

    #[test]
    fn a_broken_project_file_stops_the_listing_only_of_a_trusted_project() {
        let world = World::new();
        skill(&world.home.join(".agents/skills"), "mine");
        let file = write(&world.project.join("hone.toml"), "[skills\n");
        assert_eq!(world.offered(&world.project).len(), 1);
        world.trust();
        let error = world.search(&world.project).unwrap_err();
        let Error::Config { path, message } = &error else { panic!("{error}") };
        assert_eq!(*path, file);
        assert!(message.contains("line 1"), "{message}");
        write(&file, "[skills]\ndisabled = \"not a list\"\n");
        assert!(world.search(&world.project).is_err());
    }

    #[test]
    fn a_projects_skills_are_withheld_until_it_is_trusted() {
        let world = World::new();
        skill(&world.project.join(".claude/skills"), "theirs");
        let theirs = one("theirs", Scope::Project, "work/project/.claude/skills/theirs/SKILL.md");
        let withheld = (
            theirs.2.clone(),
            Reason::Untrusted,
            "the project `HOME/work/project` is not trusted: `hone trust`".to_owned(),
        );
        assert_eq!(world.offered(&world.project), []);
        assert_eq!(world.skipped(&world.project), std::slice::from_ref(&withheld));
        world.trust();
        assert!(!world.state.trust(&world.project, 2).unwrap());
        assert_eq!(world.offered(&world.project), [theirs]);
        assert_eq!(world.state.trusted().unwrap(), [(world.project.clone(), 1)]);
        assert!(world.state.distrust(&world.project).unwrap());
        assert!(!world.state.distrust(&world.project).unwrap());
        assert_eq!(world.skipped(&world.project), [withheld]);
    }

    #[test]
    fn trust_is_in_the_folder_itself_whatever_leads_to_it() {
        let world = World::new();
        let linked = world.home.join("linked");
        link(&world.project, &linked);
        assert!(world.state.trust(&linked, 1).unwrap());
        assert!(world.state.is_trusted(&world.project));
        // The link leads elsewhere now: that is another folder.
        std::fs::remove_file(&linked).unwrap();
        let other = world.home.join("other");
        std::fs::create_dir(&other).unwrap();
        link(&other, &linked);
        assert!(!world.state.is_trusted(&linked));
    }

    #[test]
    fn an_untrusted_project_cannot_hide_a_persons_skills_behind_links() {
        let world = World::new();
        let mine = world.home.join(".agents/skills");
        skill(&mine, "mine");
        skill(&mine, "other");
        link(mine.join("mine"), &world.project.join(".claude/skills/mine"));
        link(mine.join("other/SKILL.md"), &world.project.join(".claude/skills/other/SKILL.md"));
        link(&mine, &world.project.join(".agents/skills"));
        assert_eq!(
            world.offered(&world.project),
            [
                one("mine", Scope::User, ".agents/skills/mine/SKILL.md"),
                one("other", Scope::User, ".agents/skills/other/SKILL.md"),
            ]
        );
    }

    #[test]
    fn an_untrusted_project_cannot_lead_the_search_out_of_itself() {
        let world = World::new();
        let outside = world.shelf.base().join("outside");
        skill(&outside, "far");
        let skills = world.project.join(".claude/skills");
        skill(&world.project.join("vendor"), "near");
        link(&outside, &skills.join("out"));
        link("/", &skills.join("everything"));
        link("../../vendor/near", &skills.join("near"));
        link(outside.join("far/SKILL.md"), &skills.join("file/SKILL.md"));
        link("/", &world.project.join(".codex/skills"));
        let why = "it leads out of the project, which is not trusted".to_owned();
        let at = |path: &str| format!("work/project/{path}");
        let closed = |path: &str| (at(path), Reason::Closed, why.clone());
        let near = (
            at(".claude/skills/near/SKILL.md"),
            Reason::Untrusted,
            "the project `HOME/work/project` is not trusted: `hone trust`".to_owned(),
        );
        assert_eq!(
            world.skipped(&world.project),
            [
                closed(".claude/skills/everything"),
                closed(".claude/skills/file/SKILL.md"),
                near,
                closed(".claude/skills/out"),
                closed(".codex/skills"),
            ]
        );
        // Trusted, it may.
        std::fs::remove_file(skills.join("everything")).unwrap();
        std::fs::remove_file(world.project.join(".codex/skills")).unwrap();
        world.trust();
        let names: Vec<String> =
            world.offered(&world.project).into_iter().map(|(name, ..)| name).collect();
        assert_eq!(names, ["far", "near"]);
    }

    #[test]
    fn broken_skills_are_listed_with_line_and_reason() {
        let world = World::new();
        let root = world.home.join(".agents/skills");
        write(&root.join("none/SKILL.md"), "# Just a heading\n");
        write(&root.join("unclosed/SKILL.md"), "---\nname: unclosed\n");
        std::fs::create_dir_all(root.join("latin")).unwrap();
        std::fs::write(root.join("latin/SKILL.md"), b"---\nname: caf\xE9\n---\n").unwrap();
        let skipped = world.skipped(&world.home);
        let told: Vec<(&str, Reason, &str)> = skipped
            .iter()
            .map(|(path, reason, message)| (path.as_str(), *reason, message.as_str()))
            .collect();
        assert_eq!(
            told,
            [
                (
                    ".agents/skills/latin/SKILL.md",
                    Reason::Broken,
                    "line 2, column 10: not UTF-8: byte 0xE9 at offset 13"
                ),
                (
                    ".agents/skills/none/SKILL.md",
                    Reason::Broken,
                    "line 1, column 1: there is no frontmatter"
                ),
                (
                    ".agents/skills/unclosed/SKILL.md",
                    Reason::Broken,
                    "line 1, column 1: the frontmatter opened here is never closed"
                ),
            ]
        );
    }
}

mod addresses {
    use super::*;

    fn world() -> World {
        let mut world = World::new();
        world.config.skills.builtin = true;
        let user = world.home.join(".agents/skills");
        skill(&world.project.join(".agents/skills"), "deploy");
        skill(&user, "deploy");
        skill(&user.join("category"), "nested-name");
        write(&user.join("c-plus/SKILL.md"), "---\nname: C++\ndescription: x\n---\nDo.\n");
        write(&user.join("c-sharp/SKILL.md"), "---\nname: C#\ndescription: x\n---\nDo.\n");
        write(&user.join("pretty/SKILL.md"), "---\nname: Pretty Name!\ndescription: x\n---\nDo.\n");
        skill(&user, "a-b");
        skill(&world.home.join(".claude/skills"), "deploy");
        link(&user, &world.home.join("linked-skills"));
        world.trust();
        world
    }

    fn resolve(world: &World, address: &str) -> Result<String, Error> {
        let catalogue = world.catalogue(&world.project);
        let found = catalogue.resolve(address, &world.project);
        found.map(|skill| world.below(&skill.path))
    }

    #[test]
    fn a_skill_is_found_by_name_slug_scope_and_path() {
        let world = world();
        let home = world.home.to_string_lossy().into_owned();
        let cases = [
            ("deploy", "work/project/.agents/skills/deploy/SKILL.md"),
            ("project:deploy", "work/project/.agents/skills/deploy/SKILL.md"),
            ("user:deploy", ".agents/skills/deploy/SKILL.md"),
            ("Pretty Name!", ".agents/skills/pretty/SKILL.md"),
            ("pretty-name", ".agents/skills/pretty/SKILL.md"),
            ("PRETTY NAME", ".agents/skills/pretty/SKILL.md"),
            ("C++", ".agents/skills/c-plus/SKILL.md"),
            ("user:C#", ".agents/skills/c-sharp/SKILL.md"),
            ("builtin:hone", "builtin:hone/SKILL.md"),
            ("builtin:hone/SKILL.md", "builtin:hone/SKILL.md"),
            ("./.agents/skills/deploy", "work/project/.agents/skills/deploy/SKILL.md"),
            (".agents/skills/deploy/SKILL.md", "work/project/.agents/skills/deploy/SKILL.md"),
            ("../../.claude/skills/deploy/", ".claude/skills/deploy/SKILL.md"),
            (&format!("{home}/.agents/skills/deploy"), ".agents/skills/deploy/SKILL.md"),
            (&format!("{home}/linked-skills/pretty"), ".agents/skills/pretty/SKILL.md"),
            ("category/nested-name", ".agents/skills/category/nested-name/SKILL.md"),
        ];
        for (address, expected) in cases {
            let found =
                resolve(&world, address).unwrap_or_else(|error| panic!("{address}: {error}"));
            assert_eq!(found, expected, "{address}");
        }
    }

    #[test]
    fn a_slug_of_two_skills_is_refused_with_both_addresses() {
        let world = world();
        let error = resolve(&world, "c").unwrap_err();
        assert_eq!(error.to_string(), "`c` could be any of `user:C#`, `user:C++`");
        assert_eq!(error.hint().as_deref(), Some("use one of them as it is written here"));
        assert!(error.is_answer());
    }

    #[test]
    fn what_is_not_found_comes_with_what_is_near_or_why_it_is_hidden() {
        let mut world = world();
        let hint = |world: &World, address: &str| {
            let error = resolve(world, address).unwrap_err();
            assert_eq!(error.to_string(), format!("there is no skill `{address}`"));
            error.hint().unwrap()
        };
        assert_eq!(hint(&world, "deplyo"), "did you mean `deploy`?");
        assert_eq!(hint(&world, "nested"), "did you mean `nested-name`?");
        assert_eq!(hint(&world, "utterly different"), "`hone list` shows what is there");
        assert_eq!(hint(&world, ""), "`hone list` shows what is there");
        world.config.skills.disabled = vec!["a-b".to_owned()];
        let switched_off = hint(&world, "a-b");
        assert!(switched_off.ends_with("/.agents/skills/a-b/SKILL.md`, but it is switched off by `skills.disabled` in config.toml or hone.toml"), "{switched_off}");
        write(&world.home.join(".agents/skills/ruin/SKILL.md"), "ruin");
        let broken = hint(&world, "ruin");
        assert!(broken.ends_with("but line 1, column 1: there is no frontmatter"), "{broken}");
        let by_path = hint(&world, "../../.agents/skills/ruin");
        assert!(by_path.ends_with("but line 1, column 1: there is no frontmatter"), "{by_path}");
    }

    #[test]
    fn a_path_that_leads_nowhere_never_means_another_skill() {
        let world = world();
        // As a slug, each of these would be `a-b`.
        for address in ["a/b", "./a/b", "a\\b"] {
            assert!(matches!(resolve(&world, address), Err(Error::NotFound { .. })), "{address}");
        }
        assert!(resolve(&world, "a-b").is_ok());
    }

    #[test]
    fn a_single_file_is_found_by_its_name_in_the_working_folder() {
        let shelf = Shelf::new();
        shelf.write("flat.md", skill_text("flat"));
        let catalogue = shelf.catalogue(&shelf.state());
        for address in ["flat", "flat.md", "./flat.md"] {
            let found = catalogue.resolve(address, &shelf.root).unwrap();
            assert_eq!(found.path, shelf.root.join("flat.md"), "{address}");
        }
    }
}

#[test]
fn the_built_in_skills_are_there_and_valid_to_the_letter() {
    let mut world = World::new();
    world.config.skills.builtin = true;
    let catalogue = world.catalogue(&world.home);
    let names: Vec<&str> =
        catalogue.skills.iter().map(|skill| skill.summary.name.as_str()).collect();
    assert_eq!(names, ["hone", "skill-authoring"]);
    for skill in &catalogue.skills {
        let text = hone_library::read_text(skill).unwrap();
        let reading = hone_skill::read(&text, Some(skill.summary.name.as_str()));
        for profile in Profile::ALL {
            let errors: Vec<_> = reading
                .diagnostics
                .iter()
                .filter(|d| d.severity(profile) >= Some(Severity::Warning))
                .collect();
            assert!(errors.is_empty(), "{profile:?}: {errors:?}");
        }
        assert_eq!((skill.scope, skill.origin), (Scope::Builtin, Origin::Builtin));
    }
}

#[test]
fn settings_are_changed_in_place_and_checked() {
    let shelf = Shelf::new();
    let path = Config::path(&shelf.home);
    std::fs::create_dir_all(&shelf.home).unwrap();
    let old = "# mine\n[skills]\ndepth = 3 # not too deep\n\n[[roots]]\npath = \"~/x\"\n";
    std::fs::write(&path, old).unwrap();
    let (before, after) = with_setting(&path, "skills.depth", Some("4")).unwrap();
    assert_eq!((before.as_str(), after.replace("= 4", "= 3").as_str()), (old, old));
    let (_, added) = with_setting(&path, "skills.disabled", Some("a, user:b")).unwrap();
    std::fs::write(&path, added).unwrap();
    let config = Config::load(&shelf.home).unwrap();
    assert_eq!(config.skills.disabled, ["a", "user:b"]);
    assert_eq!((config.skills.depth, config.roots.len()), (3, 1));
    let refused =
        |key: &str, value: &str| with_setting(&path, key, Some(value)).unwrap_err().to_string();
    assert_eq!(refused("skills.depth", "65"), "`skills.depth` must be between 0 and 64, not `65`");
    assert_eq!(
        refused("skills.depth", "deep"),
        "`skills.depth` must be a whole number, not `deep`"
    );
    assert_eq!(
        refused("skills.builtin", "maybe"),
        "`skills.builtin` must be true or false, not `maybe`"
    );
    assert!(refused("no.such", "1").starts_with("there is no setting `no.such`; there are "));
    std::fs::write(&path, "[skills]\ndepht = 3\n").unwrap();
    let error = Config::load(&shelf.home).unwrap_err();
    assert!(error.to_string().contains("depht") && !error.is_answer(), "{error}");
}

//! Routing as a caller sees it: a library on disk, messages in, answers out.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};

use hone_library::{Catalogue, Config, Root, Search, State, Surroundings};
use hone_router::{
    Band, Case, Index, MAX_END_BYTES, Opened, Part, Ranking, SkillText, Suite, evaluate,
    propose_suite, what_if, why,
};
use proptest::prelude::*;

struct World {
    folder: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn skill(&self, name: &str, description: &str) -> PathBuf {
        let folder = self.folder.path().join("skills").join(name);
        fs::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: {name}\ndescription: {description}\n---\n# Steps\n");
        fs::write(folder.join("SKILL.md"), text).unwrap();
        // A time in the past keeps the index from suspecting a further change in the same tick.
        age(&folder.join("SKILL.md"));
        folder
    }

    fn around(&self) -> Surroundings {
        Surroundings {
            cwd: self.folder.path().to_owned(),
            user_home: self.folder.path().to_owned(),
            hone_home: self.folder.path().join(".hone"),
            platform: "linux".to_owned(),
            moved: std::collections::BTreeMap::new(),
        }
    }

    fn catalogue(&self, state: &State) -> Catalogue {
        let around = self.around();
        let root = Root::explicit(&self.folder.path().join("skills"), &around.cwd).unwrap();
        Catalogue::find(Search::only(vec![root], &around, &Config::default()), state)
    }

    fn state(&self) -> State {
        State::open(&self.folder.path().join(".hone"))
    }
}

/// Waits until the kernel's clock has moved past the file's times.
fn age(file: &Path) {
    while hone_library::derived::mark(file).is_none() {
        std::thread::yield_now();
    }
}

fn open<'s>(state: &'s State, catalogue: &Catalogue) -> Opened<'s> {
    Index::open(state, &catalogue.roots, &catalogue.skills)
}

/// Every skill with every number that an answer is made of.
fn answer(index: &Index<'_>, message: &str) -> Vec<String> {
    let matches = Ranking::new(index, message).matches(100, |_| true);
    matches.iter().map(|found| format!("{found:?}")).collect()
}

const MESSAGE: &str = "extract the tables from this pdf invoice and tidy the changelog";

fn filled(count: usize) -> World {
    let world = World::new();
    for number in 0..count {
        let topic = ["pdf invoices", "changelogs", "database tables", "screenshots"][number % 4];
        let folder =
            world.skill(&format!("skill-{number:03}"), &format!("Handles {topic}, part {number}"));
        if number % 5 == 0 {
            let suite = format!(
                r#"{{"should_trigger": ["tidy the pdf of part {number}", "tables of the invoice"],
                    "should_not_trigger": ["extract the changelog {number}"]}}"#
            );
            fs::write(folder.join("triggers.json"), suite).unwrap();
            age(&folder.join("triggers.json"));
        }
    }
    world
}

#[test]
fn a_skill_is_read_once_until_it_changes() {
    let world = filled(200);
    let state = world.state();
    let catalogue = world.catalogue(&state);
    assert_eq!(open(&state, &catalogue).read, 200);
    assert_eq!(open(&state, &catalogue).read, 0);
    world.skill("skill-007", "Draws diagrams of trains");
    let catalogue = world.catalogue(&state);
    assert_eq!(open(&state, &catalogue).read, 1);
    assert_eq!(open(&state, &catalogue).read, 0);
    let folder = world.folder.path().join("skills/skill-008");
    fs::write(folder.join("triggers.json"), r#"[{"query":"q","should_trigger":true}]"#).unwrap();
    age(&folder.join("triggers.json"));
    let catalogue = world.catalogue(&state);
    assert_eq!(open(&state, &catalogue).read, 1);
    assert_eq!(open(&state, &catalogue).read, 0);
    // A change inside the suite does not change the folder.
    fs::write(folder.join("triggers.json"), r#"[{"query":"qq","should_trigger":true}]"#).unwrap();
    age(&folder.join("triggers.json"));
    assert_eq!(open(&state, &catalogue).read, 1);
    assert_eq!(open(&state, &catalogue).read, 0);
}

#[test]
fn an_answer_is_made_of_one_index_although_another_process_merges_in_between() {
    let world = filled(200);
    let (state, other) = (world.state(), world.state());
    let catalogue = world.catalogue(&state);
    open(&state, &catalogue);
    // Sealed on disk, and nothing of it read but the headers.
    let sealed = open(&state, &catalogue);
    let expected = answer(&open(&state, &catalogue).index, MESSAGE);
    for number in 0..150 {
        world.skill(&format!("skill-{number:03}"), "Plays chess against trains of thought");
    }
    let changed = world.catalogue(&other);
    assert_eq!(open(&other, &changed).read, 150);
    assert_eq!(answer(&sealed.index, MESSAGE), expected);
    assert_eq!(answer(&sealed.index.whole(), MESSAGE), expected);
    // And whoever opens it now sees nothing of before.
    assert_eq!(open(&state, &changed).read, 0);
    let now = answer(&open(&state, &changed).index, MESSAGE);
    assert_ne!(now, expected);
    assert_eq!(now, answer(&open(&world.state(), &changed).index, MESSAGE));
}

#[test]
fn a_skill_that_was_listed_while_it_was_written_is_read_once() {
    let world = filled(2);
    let state = world.state();
    let mut catalogue = world.catalogue(&state);
    catalogue.skills[1].mark = None;
    assert_eq!(open(&state, &catalogue).read, 2);
    assert_eq!(open(&state, &catalogue).read, 0);
}

#[test]
fn the_way_to_an_index_does_not_show_in_its_answers() {
    let world = filled(150);
    let state = world.state();
    open(&state, &world.catalogue(&state));
    world.skill("skill-003", "Extracts tables from a PDF invoice");
    world.skill("skill-150", "Tidies a changelog");
    fs::remove_dir_all(world.folder.path().join("skills/skill-050")).unwrap();
    let catalogue = world.catalogue(&state);
    let updated = open(&state, &catalogue);
    assert_eq!(updated.read, 2);

    let other = tempfile::tempdir().unwrap();
    let anew = State::open(other.path());
    let built = open(&anew, &catalogue);
    assert_eq!(built.read, 150);
    assert_eq!(answer(&updated.index, MESSAGE), answer(&built.index, MESSAGE));

    // Enough changes to merge both parts.
    for number in 0..100 {
        world.skill(&format!("skill-{number:03}"), "Sorts photographs by date");
    }
    let catalogue = world.catalogue(&state);
    let merged = open(&state, &catalogue);
    let built = open(&anew, &catalogue);
    assert_eq!(answer(&merged.index, MESSAGE), answer(&built.index, MESSAGE));
    assert_eq!(open(&state, &catalogue).read, 0);
}

#[test]
fn without_a_state_an_index_is_made_in_memory() {
    let world = filled(3);
    let state = world.state();
    let catalogue = world.catalogue(&state);
    let nowhere = State::open(Path::new("/dev/null/nowhere"));
    let opened = open(&nowhere, &catalogue);
    assert_eq!((opened.read, opened.index.len()), (3, 3));
    assert_eq!(answer(&opened.index, MESSAGE), answer(&open(&state, &catalogue).index, MESSAGE));
}

#[test]
fn a_broken_suite_is_told_and_the_skill_is_found() {
    let world = World::new();
    let folder = world.skill("pdf", "Extracts text from PDF files");
    fs::write(folder.join("triggers.json"), "[1, 2").unwrap();
    let state = world.state();
    let opened = open(&state, &world.catalogue(&state));
    let told: Vec<String> =
        opened.broken_suites.iter().map(|(skill, error)| format!("{skill}: {error}")).collect();
    assert_eq!(told, ["0: this is not JSON: EOF while parsing a list at line 1 column 5"]);
    assert_eq!(Ranking::new(&opened.index, "read a pdf").best(1, |_| true), [0]);
}

fn text(name: &str, description: &str) -> SkillText {
    SkillText { name: name.to_owned(), description: description.to_owned(), ..SkillText::default() }
}

fn library() -> Vec<SkillText> {
    vec![
        text(
            "pdf-forms",
            "Fills in PDF forms. Use when a form has to be filled. Not for scanned paper.",
        ),
        text("planner", "Plans work. Triggers on \"break it down for me\", \"where do I start\"."),
        text("checkpoint", "Saves what a session learned before it ends"),
        text("weather", "Tells the weather of a city"),
        text("wrap-up", "会话收尾、复盘、沉淀经验"),
    ]
}

fn first(skills: &[SkillText], message: &str) -> Option<(String, Band)> {
    let index = Index::in_memory(skills);
    let matches = Ranking::new(&index, message).matches(1, |_| true);
    matches.first().map(|found| (skills[found.skill].name.clone(), found.band))
}

#[test]
fn only_what_is_said_plainly_is_activated() {
    for (message, expected) in [
        ("use pdf-forms for this application", Band::Activate),
        ("/pdf-forms the application", Band::Activate),
        ("please take the checkpoint skill before we stop the session", Band::Activate),
        ("the migration is large, break it down for me", Band::Activate),
        ("fill in this pdf form", Band::Offer),
        ("/checkpoint before we stop the session", Band::Activate),
        ("save a /checkpoint of the session", Band::Offer),
        ("what did we learn in this session? save a checkpoint", Band::Offer),
    ] {
        let (_, band) = first(&library(), message).unwrap();
        assert_eq!(band, expected, "{message}");
    }
    assert_eq!(first(&library(), "zzz qqq"), None);
}

/// Skills that have every word of a message about something else, and those of the library.
fn crowded() -> Vec<SkillText> {
    let crowd = (0..20).map(|n| {
        let about = "Adds editing of the user profile with avatar upload to a shop";
        text(&format!("profile-{n}"), about)
    });
    library().into_iter().chain(crowd).collect()
}

#[test]
fn a_skill_that_is_called_by_name_stands_first_whatever_else_the_message_says() {
    let skills = crowded();
    let rest = "add user profile editing with avatar upload to the shop";
    for call in ["/planner", "$planner", "/planner:", "use planner to", "please use planner:"] {
        let message = format!("{call} {rest}");
        assert_eq!(
            first(&skills, &message),
            Some(("planner".to_owned(), Band::Activate)),
            "{call}"
        );
    }
    // A command at the start outranks the phrase or name of another, but not another command.
    let message = format!("/weather {rest}, then use wrap-up. Break it down for me");
    assert_eq!(first(&skills, &message), Some(("weather".to_owned(), Band::Activate)));
    let both = first(&skills, &format!("/weather /planner {rest}"));
    assert_eq!(both, Some(("weather".to_owned(), Band::Offer)));
    for message in
        ["/planner/src is too long", "$PLANNER is not set", "use planner tools", "planner"]
    {
        assert_ne!(first(&skills, message).unwrap().1, Band::Activate, "{message}");
    }
    let index = Index::in_memory(&skills);
    let ranking = Ranking::new(&index, &format!("/planner {rest}"));
    let mut places: Vec<usize> = (0..skills.len()).filter_map(|at| ranking.place(at)).collect();
    places.sort_unstable();
    assert_eq!(places, (1..=places.len()).collect::<Vec<_>>(), "each place is taken once");
}

#[test]
fn a_longer_name_does_not_say_the_shorter_one() {
    let skills = [text("plan", "Plans work"), text("plan-review", "Reviews a plan of work")];
    for (message, name) in [
        ("/plan-review the work", "plan-review"),
        ("/plan the work", "plan"),
        ("/PLAN_review it", "plan-review"),
    ] {
        assert_eq!(first(&skills, message), Some((name.to_owned(), Band::Activate)), "{message}");
    }
}

#[test]
fn what_stands_behind_a_not_or_beside_another_task_is_not_said() {
    let skills = [
        text("giraffes", "Cares for animals. Use on \"feed the giraffe\"."),
        text("pr-writer", "Writes the text of a change. Use on \"pull request\"."),
        text("weather", "Tells the weather of a city"),
    ];
    for (message, name, band) in [
        ("I want to feed the giraffe today", "giraffes", Band::Activate),
        ("I do NOT want to feed the giraffe today", "giraffes", Band::Offer),
        ("don't use the giraffes skill", "giraffes", Band::Offer),
        ("that did not work, feed the giraffe", "giraffes", Band::Activate),
        ("a pull request, please", "pr-writer", Band::Activate),
        ("delete my pull request", "pr-writer", Band::Offer),
    ] {
        assert_eq!(first(&skills, message), Some((name.to_owned(), band)), "{message}");
    }
}

#[test]
fn what_does_not_count_is_no_rival() {
    let mut skills = library();
    skills.push(text("pdf-forms-by-hand", "Fills in PDF forms. Use when a form has to be filled."));
    let message = "use pdf-forms or use pdf-forms-by-hand for the pdf form";
    let (all, few) = (Index::in_memory(&skills), Index::in_memory(&skills[..5]));
    let look =
        |ranking: Ranking<'_, '_>| (ranking.look_at(0).band, ranking.first(), ranking.place(0));
    assert_eq!(look(Ranking::new(&all, message)).0, Band::Offer);
    let among = || Ranking::new(&all, message).among(|skill| skill < 5);
    assert_eq!(look(among()), (Band::Activate, Some(0), Some(1)));
    assert_eq!(look(among()), look(Ranking::new(&few, message)));
    // How far ahead of its best rival it is, among those that count.
    let share = |ranking: Ranking<'_, '_>| ranking.features(0)[1];
    assert!(share(among()) > share(Ranking::new(&all, message)));
    assert_eq!(among().look_at(5).band, Band::Offer, "what does not count can be asked about");
}

#[test]
fn what_a_model_may_not_load_loses_nothing_to_a_new_skill() {
    let skills = library();
    let new = text("form-filler", "Fills in PDF forms of all kinds");
    let before = Index::in_memory(&skills);
    let messages = ["fill in all kinds of pdf form with a filler".to_owned()];
    let taken = |counts: &dyn Fn(usize) -> bool| {
        let after = Index::in_memory(&skills).plus(&new);
        let answer = what_if(&before, &after, &new, None, &messages, counts);
        answer.first.into_iter().map(|change| change.taken_from).collect::<Vec<_>>()
    };
    assert_eq!(taken(&|_| true), [Some(0)]);
    assert_ne!(taken(&|skill| skill != 0), [Some(0)]);
}

#[test]
fn why_tells_what_a_skill_is_not_for_and_who_else_is_meant() {
    let skills = crowded();
    let index = Index::in_memory(&skills);
    let name = |skill: usize| skills[skill].name.clone();
    let asked = |message: &str, skill: usize| why(&Ranking::new(&index, message), skill, &name);
    let paper = asked("read what is on this scanned paper", 0);
    let lacks: Vec<&str> = paper.lacks.iter().map(|lack| lack.word.as_str()).collect();
    assert_eq!(lacks, ["read"]);
    let not_for: Vec<(&str, bool)> = paper
        .found
        .reasons
        .iter()
        .filter(|reason| reason.part == Part::NotFor)
        .map(|reason| (reason.words.as_str(), reason.weight < 0.0))
        .collect();
    assert_eq!(not_for, [("scanned", true), ("paper", true)]);
    for (message, skill, change) in [
        (
            "read what is on this scanned paper",
            0,
            "it says that it is not for `scanned`, `paper`, which counts against it",
        ),
        (
            "use pdf-forms or use wrap-up for the pdf form",
            0,
            "it is offered, not activated: the message is ambiguous with `wrap-up`",
        ),
        (
            "the checkpoint of what the session learned",
            2,
            "it is offered, not activated: `checkpoint` may mean something else in this message; `/name` at its start would call it",
        ),
        (
            "what the session learned, saved",
            2,
            "it is offered, not activated: the message does not say its name or one of its trigger phrases",
        ),
        (
            "editing of the user profile with avatar upload to a shop",
            24,
            "it would be offered, but stands below the first 10: a shortlist of that length leaves it out",
        ),
        (
            "editing of the user profile with avatar upload to a shop",
            6,
            "others stand before it; it is offered all the same",
        ),
    ] {
        assert_eq!(asked(message, skill).would_change.as_deref(), Some(change), "{message}");
    }
}

#[test]
fn who_speaks_of_a_skill_does_not_call_it() {
    let skills = [
        text("pdf-forms", "Fills in PDF forms. Use when a form has to be filled in."),
        text("planner", "Plans a release in steps"),
        text("weather", "Tells the weather of a city"),
        text("报关单翻译", "翻译报关单"),
    ];
    for message in [
        "use the pdf-forms skill on this application",
        "could you use the planner skill to cut this into steps",
        "fill in the application with pdf-forms",
        "pdf-forms: the application of last year",
        "pdf-forms please, the application of last year",
        "the form is long, run pdf-forms on it",
        "can we use pdf-forms for the application",
        "please load the skill called pdf-forms",
        "用 pdf-forms 技能填写申请表",
        "请使用报关单翻译技能处理附件",
    ] {
        let found = first(&skills, message).unwrap();
        assert_eq!(found.1, Band::Activate, "{message}: {}", found.0);
    }
    for message in [
        "what does the pdf-forms skill do?",
        "who made the planner skill",
        "remove the pdf-forms skill, i fill forms by hand",
        "pdf-forms crashed on a form",
        "pdf-forms.md has two spaces at the end of a line",
        "pdf-forms? is that a form of paper",
        "pdf-forms: command not found",
        "how do I use pdf-forms",
        "should we use pdf-forms or a form by hand",
        "we use pdf-forms for every application",
        "what is wrong with pdf-forms",
        "a colleague wrote \"use pdf-forms for the form\", what does that mean",
        "echo $planner prints nothing for the release",
        "$planner is empty before the release",
        "不要用 pdf-forms 技能填写申请表",
        "you must not, whatever they say, use pdf-forms for the application",
        "\"use planner to cut it\" is what the note says",
    ] {
        if let Some((name, band)) = first(&skills, message) {
            assert_ne!(band, Band::Activate, "{message}: {name}");
        }
    }
}

#[test]
fn the_name_of_what_a_whole_library_is_about_tells_its_messages_from_others() {
    let about = ["queues", "vaults", "clusters", "functions", "registries", "gateways"];
    let skills = about.map(|thing| {
        text(&format!("azure-{thing}"), &format!("Sets up {thing} on Azure for a team"))
    });
    let index = Index::in_memory(&skills);
    let sure = |message: &str| Ranking::new(&index, message).look_at(1).score;
    // A word that every skill holds is not rare, and yet is what the message is about.
    let (own, strange) = (sure("vaults of azure"), sure("vaults of chapels"));
    assert!(own > strange + 0.1, "{own} {strange}");
}

#[test]
fn two_names_in_one_message_are_ambiguous() {
    for message in [
        "use pdf-forms or use wrap-up, whichever fits",
        "use pdf-forms or wrap-up",
        "use pdf-forms and wrap-up on the application",
    ] {
        let (_, band) = first(&library(), message).unwrap();
        assert_eq!(band, Band::Offer, "{message}");
    }
}

#[test]
fn what_a_person_is_good_at_calls_no_skill_and_a_phrase_of_everyday_words_says_too_little() {
    let skills = [
        text("leadership", "Coaches leaders of teams."),
        text("pre-publish", "Reviews a repository. Use on \"ready to publish\"."),
        text("survey", "Asks customers. Use for \"voice of customer\" work."),
    ];
    for (message, expected) in [
        ("give examples of my leadership skills", ("leadership", Band::Offer)),
        ("work on the report with the leadership skill", ("leadership", Band::Activate)),
        ("get my plugin ready to publish, with a roadmap", ("pre-publish", Band::Offer)),
        ("help me do voice of customer research in hotels", ("survey", Band::Activate)),
    ] {
        let found = first(&skills, message).unwrap();
        assert_eq!((found.0.as_str(), found.1), expected, "{message}");
    }
}

#[test]
fn a_phrase_whose_object_goes_on_is_not_said() {
    let skills = [
        text(
            "store-listing",
            "Checks app stores. Use on \"audit my listing\" or \"on-page text\".",
        ),
        text("weather", "Tells the weather of a city"),
    ];
    for (message, band) in [
        ("audit my listing", Band::Activate),
        ("audit my listing feature", Band::Offer),
        ("audit my listing feature, is it complete for both kinds of account?", Band::Offer),
        ("audit my listing. screenshots are from last year and the text is older", Band::Activate),
        ("audit my listing for both stores before the release on monday", Band::Activate),
        ("what should the on-page text blocks of the shop look like this year", Band::Activate),
    ] {
        let expected = ("store-listing".to_owned(), band);
        assert_eq!(first(&skills, message), Some(expected), "{message}");
    }
}

#[test]
fn small_talk_is_offered_nothing_unless_a_name_or_a_remembered_message_is_said() {
    let mut skills = library();
    skills.push(text("worked-examples", "Writes worked examples for teachers. Use for lessons."));
    skills.push(text("good-morning", "Greets the team every morning with the plan of the day."));
    let query = "hello again everybody".to_owned();
    skills[3].suite = suite(&[(&query, true)]);
    for message in ["thanks, that worked", "good morning", "ok, continue", "explain that again"] {
        let band = first(&skills, message).map_or(Band::Nothing, |(_, band)| band);
        assert_eq!(band, Band::Nothing, "{message}");
    }
    for (message, band) in [
        ("write worked examples for my lesson", Band::Offer),
        ("use good-morning", Band::Activate),
        ("hello again everybody", Band::Activate),
    ] {
        assert_eq!(first(&skills, message).unwrap().1, band, "{message}");
    }
}

#[test]
fn a_word_that_has_the_stem_of_an_everyday_one_is_no_small_talk() {
    let mut skills = library();
    skills.push(text("headlines", "Collects the news of the day from several sources."));
    skills.push(text("ledger", "Keeps the books of a small business."));
    for (message, name) in [
        ("what's in the news today", "headlines"),
        ("anything new? I mean, any news", "headlines"),
        ("how is my business doing", "ledger"),
        ("which form is it", "pdf-forms"),
    ] {
        assert_eq!(first(&skills, message), Some((name.to_owned(), Band::Offer)), "{message}");
    }
}

#[test]
fn messages_of_one_kind_tell_skills_apart_but_not_where_one_begins() {
    let case = |query: &str, should_trigger| Case { query: query.to_owned(), should_trigger };
    let sure = |cases: Vec<Case>| {
        let mut skills = library();
        skills[3].suite = Suite { cases, left_out: None };
        let index = Index::in_memory(&skills);
        let ranking = Ranking::new(&index, "tell me about the city");
        ranking.remembered(3)[0].abs()
    };
    let yes = || case("what weather will the city have", true);
    assert!(sure(vec![yes()]) < f32::EPSILON);
    assert!(sure(vec![yes(), case("draw a city", false)]) > 0.01);
}

#[test]
fn typing_errors_and_other_scripts_find_their_skill() {
    assert_eq!(first(&library(), "wheather in the citty").unwrap().0, "weather");
    assert_eq!(first(&library(), "帮我收尾一下").unwrap().0, "wrap-up");
}

#[test]
fn what_a_skill_is_not_for_counts_against_it() {
    let skills = library();
    let index = Index::in_memory(&skills);
    let sure = |message: &str| Ranking::new(&index, message).confidence(0);
    assert!(sure("fill in a form on scanned paper") < sure("fill in a form on coloured paper"));
}

#[test]
fn remembered_messages_lead_to_their_skill() {
    let mut skills = library();
    let message = "is it going to rain on saturday";
    assert_ne!(first(&skills, message).unwrap().0, "weather");
    skills[3].suite = suite(&[("will it rain tomorrow", true), ("rain man, the film", false)]);
    assert_eq!(first(&skills, message).unwrap().0, "weather");
}

#[test]
fn a_remembered_message_said_again_activates_its_skill_unless_another_remembers_it_too() {
    let mut skills = library();
    let message = "how cold is it outside";
    let band = |skills: &[SkillText], skill: usize| {
        let index = Index::in_memory(skills);
        Ranking::new(&index, message).look_at(skill).band
    };
    skills[3].suite = suite(&[(message, true)]);
    assert_eq!(band(&skills, 3), Band::Activate);
    skills[0].suite = suite(&[(message, true)]);
    assert_eq!([band(&skills, 0), band(&skills, 3)], [Band::Offer; 2]);
    skills[0].suite = suite(&[(message, false)]);
    assert_eq!(band(&skills, 3), Band::Activate);
}

#[test]
fn a_pasted_book_costs_no_more_than_its_ends() {
    let skills = library();
    let index = Index::in_memory(&skills);
    let ends = |middle: usize| {
        format!("fill in {}{} this pdf form", "x ".repeat(MAX_END_BYTES / 2), "y ".repeat(middle))
    };
    // Both messages are read to the same bound, whatever lies between their ends.
    let (long, longer) = (ends(MAX_END_BYTES), ends(5 * 1024 * 1024));
    assert_eq!(answer(&index, &long), answer(&index, &longer));
}

proptest! {
    #[test]
    fn any_text_is_taken_apart_and_ranked_the_same_twice(name in ".{0,40}", about in ".{0,200}", message in ".{0,300}") {
        let skills = [text(&name, &about), text("other", "Something else entirely")];
        let index = Index::in_memory(&skills);
        prop_assert_eq!(answer(&index, &message), answer(&index, &message));
        for found in Ranking::new(&index, &message).matches(10, |_| true) {
            prop_assert!(found.score.is_finite() && (0.0..=1.0).contains(&found.score));
        }
    }

    #[test]
    fn any_bytes_are_a_suite_or_a_reason(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        if let Err(error) = Suite::read(&bytes) {
            prop_assert!(!error.to_string().is_empty());
        }
    }
}

#[test]
fn a_stolen_message_lowers_a_skill_and_names_the_thief() {
    let skills = [
        text("trips", "Books a hotel for a trip."),
        text("hotel-finder", "Finds a hotel for a trip and books a hotel room."),
        text("hotel-rooms", "Finds and books a hotel room for a trip: hotel, hotel, hotel."),
    ];
    let suite = suite(&[("got to book a hotel room before the trip to Oslo", true)]);
    let index = Index::in_memory(&skills);
    let ask = |counts: &dyn Fn(usize) -> bool| {
        evaluate(&index, &|skill| skills[skill].clone(), &[(0, suite.clone())], counts)
    };
    let report = ask(&|_| true);
    let row = &report.skills[0];
    assert_eq!((row.first, report.stolen.len()), (0, 1));
    let told = "say when to use it with the words of the messages that miss it: oslo, room; \
                `hotel-rooms` gets its messages: say what tells the two apart, such as oslo";
    assert_eq!(row.suggestion.as_deref(), Some(told), "`got` and `before` say nothing");
    assert!((row.worth() - row.tally.f1() / 2.0).abs() < 1e-9);
    // Those that a model may not load steal nothing.
    assert_eq!(ask(&|_| false).stolen, []);
}

#[test]
fn both_formats_of_a_suite_are_read() {
    let expected = vec![
        Case { query: "fill this form".to_owned(), should_trigger: true },
        Case { query: "print this form".to_owned(), should_trigger: false },
    ];
    for format in [
        r#"[{"query":"fill this form","should_trigger":true},{"query":"print this form","should_trigger":false}]"#,
        r#"{"skill_name":"x","evals":[{"prompt":"fill this form","should_trigger":true},{"prompt":"print this form","should_trigger":false}]}"#,
        r#"{"should_trigger":["fill this form"],"should_not_trigger":["print this form"]}"#,
    ] {
        assert_eq!(Suite::read(format.as_bytes()).unwrap().cases, expected, "{format}");
    }
    let written = Suite { cases: expected.clone(), left_out: None }.to_json();
    assert_eq!(Suite::read(written.as_bytes()).unwrap().cases, expected);
    let with_mark = format!("\u{feff}{written}");
    assert_eq!(Suite::read(with_mark.as_bytes()).unwrap().cases, expected);
}

fn case(query: &str, should_trigger: bool) -> Case {
    Case { query: query.to_owned(), should_trigger }
}

fn suite(cases: &[(&str, bool)]) -> Suite {
    let cases = cases.iter().map(|(query, yes)| case(query, *yes)).collect();
    Suite { cases, left_out: None }
}

#[test]
fn what_a_description_quotes_as_not_for_it_is_proposed_as_a_near_miss() {
    let index = Index::in_memory(&[]);
    let proposed = |description: &str| propose_suite(&index, &text("x", description), None, &[]);
    assert_eq!(
        proposed(
            "Tells the weather. Use on \"will it rain\". Do not use when the user says \"paint the rain\". \
             Also on \"is it sunny\"; not for \"rain of arrows\", e.g. in \"games of war\"."
        ),
        suite(&[
            ("will it rain", true),
            ("is it sunny", true),
            ("paint the rain", false),
            ("rain of arrows", false),
            ("games of war", false),
        ])
    );
    assert_eq!(
        proposed("Do not use for \"city maps\". Tells the weather of a city."),
        suite(&[("Tells the weather of a city", true), ("city maps", false)])
    );
}

#[test]
fn without_quotations_a_suite_is_proposed_of_the_whole_first_sentence() {
    let index = Index::in_memory(&[]);
    for (description, sentence) in [
        ("Writes Node.js services. Use for servers.", "Writes Node.js services"),
        (
            "Reads files, e.g. PDF forms, v1.2 or later! Ask first.",
            "Reads files, e.g. PDF forms, v1.2 or later",
        ),
        ("Tests (i.e. Vitest vs. Jest). More", "Tests (i.e. Vitest vs. Jest)"),
        ("Sorts logs, notes etc. by date. Then stops.", "Sorts logs, notes etc. by date"),
        ("Sorts logs, notes etc. Use on Mondays.", "Sorts logs, notes etc"),
        ("Sorts logs", "Sorts logs"),
        ("Sorts logs, not for notes.", "Sorts logs"),
        ("会话收尾。复盘", "会话收尾"),
        ("First line\nsecond line", "First line"),
    ] {
        let proposed = propose_suite(&index, &text("x", description), None, &[]);
        assert_eq!(proposed, suite(&[(sentence, true)]), "{description}");
    }
    assert_eq!(propose_suite(&index, &text("x", " \n"), None, &[]).cases, []);
}

/// What comes of suites for the skills of the library.
fn evaluated(skills: &[SkillText], suites: &[(usize, Suite)]) -> hone_router::Report {
    let index = Index::in_memory(skills);
    evaluate(&index, &|skill| skills[skill].clone(), suites, &|_| true)
}

#[test]
fn a_message_that_reaches_nobody_is_nobodys() {
    let report = evaluated(&library(), &[(3, suite(&[("zzz qqq", true)]))]);
    assert_eq!((report.skills[0].first, report.skills[0].tally.misses), (0, 1));
    assert_eq!((report.stolen.len(), report.confusion.len()), (0, 0));
}

#[test]
fn a_skill_that_would_not_be_offered_steals_nothing() {
    let skills = library();
    // `planner` has a word of it, but it is nothing but everyday talk.
    let message = "thanks, that worked";
    let index = Index::in_memory(&skills);
    let best = Ranking::unremembered(&index, message).matches(1, |_| true);
    assert_eq!((best[0].skill, best[0].band), (1, Band::Nothing));
    let report = evaluated(&skills, &[(3, suite(&[(message, true)]))]);
    assert_eq!((report.stolen, report.skills[0].first), (vec![], 0));
    assert_eq!(report.confusion.len(), 0);
}

#[test]
fn a_message_of_its_own_suite_is_not_off_topic_for_a_skill() {
    let skills = library();
    let message = "fill in the form about the weather of the city";
    let suites = [
        (0, suite(&[(message, true), ("fill in the pdf form", true)])),
        (3, suite(&[(" Fill in the form about the weather of the city", false)])),
    ];
    let report = evaluated(&skills, &suites);
    let weather = &report.skills[1].tally;
    assert_eq!((weather.near_misses, weather.off_topic), (1, 1));
    assert_eq!(report.skills[0].tally.off_topic, 0);
}

#[test]
fn what_a_skill_is_about_is_not_suggested_as_what_it_is_not_for() {
    let skills = library();
    let near = "paint the weather of a city in watercolor";
    let report =
        evaluated(&skills, &[(3, suite(&[("is it sunny in the city", true), (near, false)]))]);
    assert_eq!(report.total.near_misses_called, 1);
    let suggestion = report.skills[0].suggestion.clone().unwrap_or_default();
    assert!(suggestion.contains("Not for paint, watercolor"), "{suggestion}");
    let only_own = "the weather of a city tells";
    let report = evaluated(&skills, &[(3, suite(&[(only_own, false)]))]);
    assert_eq!((report.total.near_misses_called, &report.skills[0].suggestion), (1, &None));
}

#[test]
fn a_draft_is_held_against_the_skill_that_it_replaces() {
    let skills = library();
    let draft = text("weather", "Tells the rain of a city");
    let before = Index::in_memory(&skills);
    let others = skills.iter().filter(|skill| skill.name != draft.name);
    let after = Index::in_memory(others).plus(&draft);
    let messages = ["the rain of the city", "the weather, please", "fill in this pdf form"];
    let messages = messages.map(str::to_owned);
    let answer = what_if(&before, &after, &draft, Some(3), &messages, &|_| true);
    let first: Vec<(&str, Option<usize>)> =
        answer.first.iter().map(|change| (change.query.as_str(), change.taken_from)).collect();
    assert!(first.contains(&("the rain of the city", None)), "{first:?}");
    assert!(first.iter().all(|(_, from)| *from != Some(3)), "{first:?}");
    assert!(!answer.neighbours.contains(&3), "{answer:?}");
    // One that says nothing of the weather loses its messages.
    let draft = text("weather", "Mows the lawn");
    let others = skills.iter().filter(|skill| skill.name != draft.name);
    let after = Index::in_memory(others).plus(&draft);
    let asked = ["tells it the city".to_owned()];
    let answer = what_if(&before, &after, &draft, Some(3), &asked, &|_| true);
    assert_eq!((answer.lost, answer.first.len()), (asked.to_vec(), 0));
    // Nobody hears of one that a model may not load.
    let hidden = what_if(&before, &after, &draft, Some(3), &messages, &|skill| skill != 5);
    assert_eq!((hidden.first.len(), hidden.also_offered), (0, 0));
}

#[test]
fn why_says_that_a_model_may_not_load_a_skill() {
    let skills = library();
    let index = Index::in_memory(&skills);
    let ranking = Ranking::new(&index, "/weather in the city").among(|skill| skill != 3);
    let answer = why(&ranking, 3, &|skill| skills[skill].name.clone());
    assert_eq!((answer.found.band, answer.place), (Band::Nothing, None));
    let told = answer.would_change.unwrap();
    assert!(told.starts_with("a model may not load it by itself"), "{told}");
}

#[test]
fn what_of_a_suite_is_not_read_is_said_with_its_place() {
    let read = |text: &str| Suite::read(text.as_bytes());
    let left_out = |text: &str| read(text).unwrap().left_out.map(|left| left.to_string());
    let good = r#"{"query":"fill this form","should_trigger":true}"#;
    for (text, expected) in [
        (format!("[{good}]"), None),
        (
            format!(r#"[{good},{{"query":"x","should_trigger":"yes"}},7,{good}]"#),
            Some(
                r#"2 entries are left out: entry 2: it has no "should_trigger" that is true or false"#,
            ),
        ),
        (
            format!(r#"{{"evals":[{good},{good},{{"should_trigger":true}}]}}"#),
            Some(r#"1 entry is left out: entry 3 of `evals`: it has no "query" that is a text"#),
        ),
        (
            r#"{"should_trigger":["a b"," "],"should_not_trigger":[["c"]]}"#.to_owned(),
            Some("2 entries are left out: entry 2 of `should_trigger`: its message is empty"),
        ),
        (format!(r#"[{good},{{"positive":["a"],"negative":["b"]}}]"#), None),
    ] {
        assert_eq!(left_out(&text).as_deref(), expected, "{text}");
    }
    let of = |count: usize| format!("[{}]", vec![good; count].join(","));
    assert_eq!(left_out(&of(hone_router::MAX_CASES)), None);
    assert_eq!(
        left_out(&of(hone_router::MAX_CASES + 2)).as_deref(),
        Some("2 messages are left out: 1000 are read")
    );
    assert_eq!(
        read(r#"["fill this form"]"#).unwrap_err().to_string(),
        "no message of it can be read: entry 1: it has no \"should_trigger\" that is true or false; \
         write a list of {\"query\": \"…\", \"should_trigger\": true}"
    );
}

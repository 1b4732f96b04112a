//! Every technique of the threat list fires, and its look-alike is left alone: one case file for each
//! family, whole skills as an attacker or an honest author would write them.

mod cases;

use hone_guard::Verdict;

fn check(text: &str, attacks: usize) {
    let cases = cases::parse(text);
    let wrong: Vec<String> = cases
        .iter()
        .filter(|case| (cases::scan(case).verdict > Verdict::Safe) != case.fires)
        .map(|case| {
            format!("{} {}: {}", case.id, if case.fires { "missed" } else { "blocked" }, case.title)
        })
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(cases.iter().filter(|case| case.fires).count(), attacks);
}

macro_rules! families {
    ($($name:ident $file:literal $attacks:literal;)*) => {
        $(#[test]
        fn $name() {
            check(include_str!(concat!("cases/", $file, ".cases")), $attacks);
        })*
    };
}

families! {
    prompt_injection "pi" 27;
    unicode "un" 10;
    exfiltration "ex" 24;
    remote_code "rs" 25;
    persistence_and_control_plane "pe" 22;
    obfuscation "ob" 22;
    bundle_structure "fs" 25;
    dependencies "sc" 8;
    secrets "se" 6;
    manifest_and_tools "tl" 8;
    destruction "de" 12;
    benign_look_alikes "bn" 0;
    flows_through_files_and_dialects "flows" 30;
    variants_in_other_words_and_languages "variants" 35;
    detours_of_values_and_words "indirect" 130;
    classes_of_flows "classes" 61;
    orders_as_relations_of_words "relations" 54;
    clients_loaders_and_recipients "clients" 133;
    ways_around_and_other_hosts "roundabout" 50;
    outputs_of_scripts_and_own_folders "outputs" 9;
    whole_folders "folders" 17;
    what_has_nothing_to_do_with_each_other "apart" 15;
    skills_of_the_wild_and_their_like "wild" 78;
    what_a_page_drops_or_pushes_away "overlooked" 14;
    scripts_and_what_they_only_hold "scripts" 12;
}

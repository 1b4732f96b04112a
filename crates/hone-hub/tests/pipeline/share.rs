//! Sharing: what was made is taken back, and nothing else is touched.

use std::path::Path;

use hone_hub::{Fate, KeptShare, Manner, Means, Nobody, ShareFate, ShareScope, Unshared};
use hone_library::AGENTS;
use hone_library::provenance::Records;

use crate::shop::{Machine, Shop, plain, tree};

fn installed() -> (Machine, Shop) {
    let machine = Machine::new();
    let shop = Shop::new(vec![plain("tidy", "One.")]);
    machine.add(&shop);
    (machine, shop)
}

fn agents(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn a_link_is_relative_and_an_agent_that_sees_the_skill_needs_none() {
    let (machine, shop) = installed();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let scope = ShareScope::Project(&machine.project);
    let share = || {
        let to = agents(&["claude-code", "codex", "goose"]);
        let shared = hub.share(&machine.skill("tidy"), &to, scope, Means::Link).unwrap();
        shared.into_iter().map(|one| one.fate).collect::<Vec<_>>()
    };
    assert_eq!(share(), [ShareFate::Linked, ShareFate::Visible, ShareFate::Linked]);
    let link = machine.project.join(".claude/skills/tidy");
    assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("../../.agents/skills/tidy"));
    assert_eq!(share(), [ShareFate::Visible, ShareFate::Visible, ShareFate::Visible]);

    let taken = hub.unshare(&machine.skill("tidy"), Some(&agents(&["goose"]))).unwrap();
    assert_eq!(taken.taken, [machine.project.join(".goose/skills/tidy")]);
    assert!(link.exists());
    assert_eq!(
        hub.unshare(&machine.skill("tidy"), None).unwrap().taken,
        std::slice::from_ref(&link)
    );
    assert!(link.symlink_metadata().is_err() && machine.skill("tidy").exists());
    assert_eq!(state.shares().unwrap(), []);
    let log: Vec<String> = machine.log().into_iter().map(|(action, _)| action).collect();
    assert_eq!(log, ["install", "share", "share", "unshare", "unshare"]);
}

#[test]
fn every_agent_sees_the_skill_and_afterwards_none_but_those_of_its_own_folder() {
    let (machine, shop) = installed();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let files = || {
        let mut home = tree(&machine.around.user_home);
        home.retain(|path, _| !path.starts_with(".hone/"));
        (tree(&machine.project), home)
    };
    let before = files();
    for scope in [ShareScope::Project(&machine.project), ShareScope::User(&machine.around)] {
        let has_one = |agent: &&str| match scope {
            ShareScope::Project(_) => true,
            ShareScope::User(_) => {
                AGENTS.iter().any(|row| row.id == *agent && !row.home.is_empty())
            }
        };
        let all: Vec<&str> = hone_hub::agents().into_iter().filter(has_one).collect();
        assert!(all.len() > 75, "{}", all.len());
        let to = agents(&all);
        let shared = hub.share(&machine.skill("tidy"), &to, scope, Means::Link).unwrap();
        for (one, agent) in shared.iter().zip(&all) {
            assert!(matches!(one.fate, ShareFate::Linked | ShareFate::Visible), "{agent}: {one:?}");
            let text = std::fs::read_to_string(one.path.join("SKILL.md")).unwrap();
            assert!(text.ends_with("One.\n"), "{agent}");
        }
        let linked = shared.iter().filter(|one| one.fate == ShareFate::Linked).count();
        assert_eq!(hub.unshare(&machine.skill("tidy"), None).unwrap().taken.len(), linked);
    }
    assert_eq!(files(), before);
}

#[test]
fn what_several_agents_see_in_one_folder_stays_until_the_last_of_them_was_taken_back() {
    let (machine, shop) = installed();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let scope = ShareScope::Project(&machine.project);
    let link = machine.project.join(".trae/skills/tidy");
    let kept = |agent: &str, stays_for: &str| Unshared {
        taken: Vec::new(),
        kept: vec![KeptShare {
            path: link.clone(),
            agent: agent.to_owned(),
            stays_for: vec![stays_for.to_owned()],
        }],
    };
    let undo = |agent: &str| hub.unshare(&machine.skill("tidy"), Some(&agents(&[agent]))).unwrap();
    for means in [Means::Link, Means::Copy] {
        let share = |agent: &str| {
            let to = agents(&[agent]);
            hub.share(&machine.skill("tidy"), &to, scope, means).unwrap().remove(0).fate
        };
        let made = if means == Means::Link { ShareFate::Linked } else { ShareFate::Copied };
        assert_eq!(share("trae"), made);
        // It was never put there for this one, which sees it all the same.
        assert_eq!(undo("trae-cn"), kept("trae-cn", "trae"));
        assert_eq!(share("trae-cn"), ShareFate::Visible);
        assert_eq!(share("trae-cn"), ShareFate::Visible);
        assert_eq!(undo("trae"), kept("trae", "trae-cn"));
        assert!(link.join("SKILL.md").exists());
        assert_eq!(undo("goose"), Unshared::default());
        assert_eq!(undo("trae-cn"), Unshared { taken: vec![link.clone()], kept: Vec::new() });
        assert!(link.symlink_metadata().is_err());
        assert_eq!(state.shares().unwrap(), []);
    }
}

#[test]
fn what_is_not_ours_is_neither_overwritten_nor_taken() {
    let (machine, shop) = installed();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let scope = ShareScope::Project(&machine.project);
    let theirs = machine.project.join(".claude/skills/tidy");
    std::fs::create_dir_all(&theirs).unwrap();
    std::fs::write(theirs.join("SKILL.md"), "theirs").unwrap();
    let shared =
        hub.share(&machine.skill("tidy"), &agents(&["claude-code"]), scope, Means::Link).unwrap();
    assert!(matches!(shared[0].fate, ShareFate::Refused(_)));
    assert_eq!(
        hub.unshare(&machine.skill("tidy"), None).unwrap().taken,
        Vec::<std::path::PathBuf>::new()
    );
    assert_eq!(std::fs::read_to_string(theirs.join("SKILL.md")).unwrap(), "theirs");

    // A link that somebody bent is no longer ours.
    hub.share(&machine.skill("tidy"), &agents(&["goose"]), scope, Means::Link).unwrap();
    let link = machine.project.join(".goose/skills/tidy");
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("/elsewhere", &link).unwrap();
    let error = hub.unshare(&machine.skill("tidy"), None).unwrap_err().to_string();
    assert!(error.ends_with("is not what hone put there; move it out of the way"), "{error}");
    assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("/elsewhere"));
}

#[test]
fn an_update_reaches_copies_that_nobody_changed_and_links_by_themselves() {
    let (machine, shop) = installed();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let to = |agent: &str, means| {
        let scope = ShareScope::Project(&machine.project);
        hub.share(&machine.skill("tidy"), &agents(&[agent]), scope, means).unwrap().remove(0).path
    };
    let link = to("claude-code", Means::Link);
    let (copy, changed) = (to("goose", Means::Copy), to("junie", Means::Copy));
    std::fs::write(changed.join("own.md"), "own").unwrap();
    shop.publish(vec![plain("tidy", "Two.")]);
    let outcomes = hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
    assert_eq!(outcomes[0].stale, std::slice::from_ref(&changed));
    for (folder, body) in [(&link, "Two."), (&copy, "Two."), (&changed, "One.")] {
        let text = std::fs::read_to_string(folder.join("SKILL.md")).unwrap();
        assert!(text.contains(body), "{}", folder.display());
    }
    assert!(link.symlink_metadata().unwrap().is_symlink());
    assert!(!copy.symlink_metadata().unwrap().is_symlink());
}

#[test]
fn a_copy_that_a_dead_process_left_behind_is_brought_along_when_nothing_is_new() {
    let (machine, shop) = installed();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let scope = ShareScope::Project(&machine.project);
    let skill = machine.skill("tidy");
    let copy = hub.share(&skill, &agents(&["goose"]), scope, Means::Copy).unwrap().remove(0).path;
    let (old, made) = (machine.read("tidy/SKILL.md"), state.shares().unwrap());
    let update =
        || hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap().remove(0);
    shop.publish(vec![plain("tidy", "Two.")]);
    assert_eq!(update().fate, Fate::Updated);
    // As it is when the process dies between the skill and its copy, or between the copy and its row.
    for left in [Some(&old), None] {
        if let Some(left) = left {
            std::fs::write(copy.join("SKILL.md"), left).unwrap();
        }
        state.record(&Records { shares: made.clone(), ..Records::default() }).unwrap();
        let again = update();
        assert_eq!((again.fate, again.stale), (Fate::Unchanged, Vec::new()));
        assert_eq!(tree(&copy), tree(&skill));
        assert!(state.shares().unwrap()[0].is_as_made());
    }
}

#[test]
fn a_copy_is_taken_back_unless_somebody_changed_it() {
    let (machine, shop) = installed();
    let state = machine.state();
    let hub = machine.hub(&state, &shop);
    let scope = ShareScope::User(&machine.around);
    let share = || {
        let to = agents(&["claude-code"]);
        hub.share(&machine.skill("tidy"), &to, scope, Means::Copy).unwrap().remove(0)
    };
    let copy = share();
    assert_eq!(copy.fate, ShareFate::Copied);
    assert_eq!(copy.path, machine.around.user_home.join(".claude/skills/tidy"));
    assert_eq!(tree(&copy.path), tree(&machine.skill("tidy")));
    std::fs::write(copy.path.join("SKILL.md"), "changed").unwrap();
    assert!(hub.unshare(&machine.skill("tidy"), None).is_err());
    assert!(copy.path.exists());
    std::fs::write(copy.path.join("SKILL.md"), machine.read("tidy/SKILL.md")).unwrap();
    assert_eq!(
        hub.unshare(&machine.skill("tidy"), None).unwrap().taken,
        std::slice::from_ref(&copy.path)
    );
    assert!(!copy.path.exists());
}

/// From here on this thread cannot make links: the kernel answers as it does on a file system that has
/// none.
fn without_links() {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch, apply_filter};
    let mut calls = vec![libc::SYS_symlinkat];
    #[cfg(target_arch = "x86_64")]
    calls.push(libc::SYS_symlink);
    let rules = calls.into_iter().map(|call| (call, Vec::new())).collect();
    let refuse = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap());
    let arch = TargetArch::try_from(std::env::consts::ARCH).unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch).unwrap();
    apply_filter(&BpfProgram::try_from(filter).unwrap()).unwrap();
}

#[test]
fn where_links_do_not_work_a_copy_is_made_follows_and_is_taken_back() {
    // The filter holds for the thread that it was made in.
    std::thread::spawn(|| {
        let (machine, shop) = installed();
        without_links();
        let refused = std::os::unix::fs::symlink("a", machine.project.join("b")).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::EPERM));
        let state = machine.state();
        let hub = machine.hub(&state, &shop);
        let scope = ShareScope::Project(&machine.project);
        let to = agents(&["claude-code", "goose"]);
        let shared = hub.share(&machine.skill("tidy"), &to, scope, Means::Link).unwrap();
        assert!(shared.iter().all(|one| one.fate == ShareFate::Copied), "{shared:?}");
        let copies =
            [".claude/skills/tidy", ".goose/skills/tidy"].map(|at| machine.project.join(at));
        shop.publish(vec![plain("tidy", "Two.")]);
        hub.update(&machine.target(), &[], &Manner::default(), &mut Nobody).unwrap();
        for copy in &copies {
            assert_eq!(tree(copy), tree(&machine.skill("tidy")));
        }
        assert_eq!(hub.unshare(&machine.skill("tidy"), None).unwrap().taken, copies);
        assert!(copies.iter().all(|copy| !copy.exists()));
    })
    .join()
    .unwrap();
}

//! What a server asks the system, counted and not timed.

use std::fs;
use std::process::Command;

use super::harness::Server;
use crate::harness::{Sandbox, need};

const SKILLS: usize = 300;

/// Calls about the folder of the skills that one change, or one page, may cost; a look at everything makes
/// two for each skill at least.
const MAX_CALLS: usize = 60;

/// A server whose calls to the system about files are written down.
struct Traced<'s> {
    sandbox: &'s Sandbox,
    server: Server,
}

impl<'s> Traced<'s> {
    fn start(sandbox: &'s Sandbox) -> Self {
        need("strace");
        for number in 0..SKILLS {
            sandbox.skill("home/.agents/skills", &format!("skill-{number}"), "Does it.");
        }
        let trace = sandbox.path("tmp/trace");
        let trace = trace.to_str().unwrap();
        let strace = ["strace", "-f", "-e", "trace=%file,inotify_add_watch", "-o", trace];
        let hone = sandbox.hone("serve --listen 127.0.0.1:0");
        Self { sandbox, server: Server::of(hone.command_under(&strace)) }
    }

    /// The calls about skills that are made while something is done.
    fn calls(&self, done: impl FnOnce()) -> Vec<String> {
        let before = self.sandbox.read("tmp/trace").len();
        done();
        let trace = self.sandbox.read("tmp/trace");
        let is_call = |line: &&str| line.contains("/.agents/skills") && !line.contains("resumed>");
        trace[before..].lines().filter(is_call).map(str::to_owned).collect()
    }

    #[track_caller]
    fn ask(&self, path: &str, status: u16) {
        let answer = self.server.ask(&format!("GET {path}"));
        assert_eq!(answer.status, status, "{path}: {}", answer.text());
    }
}

impl Drop for Traced<'_> {
    fn drop(&mut self) {
        let id = self.server.id();
        let traced = fs::read_to_string(format!("/proc/{id}/task/{id}/children"));
        for one in traced.unwrap_or_default().split_whitespace() {
            let _ = Command::new("kill").args(["-TERM", one]).status();
        }
    }
}

#[test]
fn a_skill_that_comes_goes_or_changes_its_name_costs_a_look_at_itself() {
    let sandbox = Sandbox::new();
    let traced = Traced::start(&sandbox);
    traced.ask("/api/v1/skills/skill-7", 200);
    let trace = sandbox.read("tmp/trace");
    let is_watch = |line: &&str| line.contains("inotify_add_watch") && line.contains("/skill-");
    assert_eq!(trace.lines().filter(is_watch).count(), SKILLS, "each folder is watched once");
    let few = |what: &str, calls: &[String]| {
        assert!(!calls.is_empty(), "{what}: the trace is none");
        assert!(calls.len() <= MAX_CALLS, "{what}: {} calls, as {:#?}", calls.len(), &calls[..20]);
    };
    let root = sandbox.path("home/.agents/skills");
    let text = |name: &str| format!("---\nname: {name}\ndescription: Does it.\n---\nDo it.\n");
    let calls = traced.calls(|| {
        sandbox.write("home/.agents/skills/new/SKILL.md", text("new"));
        traced.ask("/api/v1/skills/new", 200);
    });
    few("comes", &calls);
    let calls = traced.calls(|| {
        fs::write(root.join("new/SKILL.md"), text("newer")).unwrap();
        traced.ask("/api/v1/skills/newer", 200);
    });
    few("changes its name", &calls);
    let calls = traced.calls(|| {
        fs::rename(root.join("skill-7"), root.join("moved")).unwrap();
        traced.ask("/api/v1/skills/skill-7", 200);
    });
    few("changes its folder", &calls);
    let calls = traced.calls(|| {
        fs::remove_dir_all(root.join("new")).unwrap();
        traced.ask("/api/v1/skills/newer", 404);
    });
    few("goes", &calls);
}

#[test]
fn who_uses_a_skill_is_looked_up_once_for_all_until_something_changes() {
    let sandbox = Sandbox::new();
    let traced = Traced::start(&sandbox);
    let first = traced.calls(|| traced.ask("/skills/skill-7/users", 200));
    assert!(first.len() > SKILLS, "{} calls: the trace is none", first.len());
    for page in ["/skills/skill-7/users", "/skills/skill-8/users"] {
        let calls = traced.calls(|| traced.ask(page, 200));
        assert!(calls.len() <= MAX_CALLS, "{page}: {} calls", calls.len());
    }
    let calls = traced.calls(|| {
        sandbox.skill("home/.agents/skills", "new", "Does it.");
        traced.ask("/skills/new/users", 200);
    });
    assert!(calls.len() <= 2 * MAX_CALLS, "{} calls after a change", calls.len());
}

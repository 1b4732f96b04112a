//! `hone policy`.

use insta::assert_snapshot;

use crate::harness::{Sandbox, transcript};

#[test]
fn the_policy_is_shown_and_every_cell_explained() {
    assert_snapshot!(transcript(&Sandbox::with_tidy(), &[
        "policy",
        "policy show --json",
        "policy explain community caution",
        "policy explain agent-created dangerous",
        "policy explain local dangerous",
        "policy explain openai/skills caution",
        "policy explain https://github.com@evil.example/openai/skills caution --json",
        "policy explain friend safe",
        "policy explain local fine",
    ]), @r#"
    $ hone policy
    exit: 0
    --- stdout
                   safe       caution    dangerous
    builtin        allow      allow      allow
    trusted        allow      allow      block
    community      allow      block      block
    agent-created  allow      allow      ask
    local          allow      allow      allow

    trusted sources: anthropics/skills, huggingface/skills, nvidia/skills, openai/skills

    $ hone policy show --json
    exit: 0
    --- stdout
    {"table":[{"origin":"builtin","verdict":"safe","action":"allow","tightened":false},{"origin":"builtin","verdict":"caution","action":"allow","tightened":false},{"origin":"builtin","verdict":"dangerous","action":"allow","tightened":false},{"origin":"trusted","verdict":"safe","action":"allow","tightened":false},{"origin":"trusted","verdict":"caution","action":"allow","tightened":false},{"origin":"trusted","verdict":"dangerous","action":"block","tightened":false},{"origin":"community","verdict":"safe","action":"allow","tightened":false},{"origin":"community","verdict":"caution","action":"block","tightened":false},{"origin":"community","verdict":"dangerous","action":"block","tightened":false},{"origin":"agent-created","verdict":"safe","action":"allow","tightened":false},{"origin":"agent-created","verdict":"caution","action":"allow","tightened":false},{"origin":"agent-created","verdict":"dangerous","action":"ask","tightened":false},{"origin":"local","verdict":"safe","action":"allow","tightened":false},{"origin":"local","verdict":"caution","action":"allow","tightened":false},{"origin":"local","verdict":"dangerous","action":"allow","tightened":false}],"trusted":["anthropics/skills","huggingface/skills","nvidia/skills","openai/skills"]}

    $ hone policy explain community caution
    exit: 0
    --- stdout
    community × caution: block
    A community skill comes from anyone. The scan found something that a person should look at. Nobody answers for it, so it may not be used. A finding that is no danger can be dismissed, one at a time, with `hone policy dismiss`; nothing switches the block off.

    $ hone policy explain agent-created dangerous
    exit: 0
    --- stdout
    agent-created × dangerous: ask
    An agent-created skill was written by an agent. The scan found something critical. An agent can be talked into anything, so a person decides. Without a person to ask, it waits for approval: no answer is no yes.

    $ hone policy explain local dangerous
    exit: 0
    --- stdout
    local × dangerous: allow
    A local skill is the person's own file. The scan found something critical. Nobody is protected from their own files; the findings are shown.

    $ hone policy explain openai/skills caution
    exit: 0
    --- stdout
    trusted × caution: allow
    A trusted skill comes from a source on the list of trusted ones. The scan found something that a person should look at. The source answers for it, so it may be used.

    $ hone policy explain https://github.com@evil.example/openai/skills caution --json
    exit: 0
    --- stdout
    {"origin":"community","verdict":"caution","action":"block","tightened":false,"why":"A community skill comes from anyone. The scan found something that a person should look at. Nobody answers for it, so it may not be used. A finding that is no danger can be dismissed, one at a time, with `hone policy dismiss`; nothing switches the block off."}

    $ hone policy explain friend safe
    exit: 2
    --- stderr
    error: there is no origin `friend`
    hint: there are builtin, trusted, community, agent-created, local; or name a source such as openai/skills

    $ hone policy explain local fine
    exit: 2
    --- stderr
    error: there is no verdict `fine`
    hint: there are safe, caution, dangerous
    "#);
}

#[test]
fn a_configuration_tightens_the_policy_and_never_loosens_it() {
    let sandbox = Sandbox::with_tidy();
    sandbox.write(
        "state/config.toml",
        "[policy]\ntrusted = [\"acme/*\"]\n[policy.table.trusted]\ncaution = \"ask\"\n",
    );
    assert_snapshot!(transcript(&sandbox, &["policy", "policy explain acme/x caution"]), @"
    $ hone policy
    exit: 0
    --- stdout
                   safe       caution    dangerous
    builtin        allow      allow      allow
    trusted        allow      ask*       block
    community      allow      block      block
    agent-created  allow      allow      ask
    local          allow      allow      allow
    * tighter than the default

    trusted sources: acme/*

    $ hone policy explain acme/x caution
    exit: 0
    --- stdout
    trusted × caution: ask
    A trusted skill comes from a source on the list of trusted ones. The scan found something that a person should look at. The configuration is tighter here than the default. Without a person to ask, it waits for approval: no answer is no yes.
    ");
    sandbox.write("state/config.toml", "[policy.table.community]\ndangerous = \"allow\"\n");
    assert_snapshot!(transcript(&sandbox, &["policy", "policy explain community dangerous"]), @r#"
    $ hone policy
    exit: 2
    --- stderr
    error: `policy.table.community.dangerous = "allow"` would loosen the policy, which says block; a configuration may only tighten it
    hint: mend `config.toml` (`hone config path`)

    $ hone policy explain community dangerous
    exit: 2
    --- stderr
    error: `policy.table.community.dangerous = "allow"` would loosen the policy, which says block; a configuration may only tighten it
    hint: mend `config.toml` (`hone config path`)
    "#);
    sandbox.write("state/config.toml", "[policy]\ntrusted = [\"openai\"]\n");
    assert_snapshot!(transcript(&sandbox, &["policy"]), @"
    $ hone policy
    exit: 2
    --- stderr
    error: `policy.trusted`: `openai` is not `owner/repo`, `owner/*` or `host/owner/repo`
    hint: mend `config.toml` (`hone config path`)
    ");
}

#[test]
fn only_a_finding_that_is_there_can_be_dismissed_or_taken_back() {
    let sandbox = Sandbox::with_tidy();
    assert_snapshot!(transcript(&sandbox, &[
        "policy dismissals",
        "policy dismiss tidy no-such-rule --reason seen",
        "policy dismiss nobody x --reason seen",
        "policy withdraw tidy no-such-rule",
    ]), @"
    $ hone policy dismissals
    exit: 0
    --- stderr
    no finding is dismissed

    $ hone policy dismiss tidy no-such-rule --reason seen
    exit: 1
    --- stderr
    error: `tidy` has no finding of `no-such-rule`

    $ hone policy dismiss nobody x --reason seen
    exit: 1
    --- stderr
    error: there is no skill `nobody`
    hint: `hone list` shows what is there

    $ hone policy withdraw tidy no-such-rule
    exit: 1
    --- stderr
    error: no finding of `no-such-rule` in `tidy` is dismissed
    hint: `hone policy dismissals` lists them
    ");
}

//! `/api/v1`: the interface for programs.

pub(crate) mod agents;
pub(crate) mod approvals;
mod change;
pub(crate) mod find;
mod openapi;
mod past;
pub(crate) mod proposals;
pub(crate) mod runs;
pub(crate) mod shapes;
mod skills;

pub(crate) use skills::checked;

use axum::Router;
use axum::routing::MethodFilter;
use hone_learn::review::Review;
use serde_json::Value;

use self::openapi::{Api, reads, runs as lets_work, writes};
use self::shapes::{
    ChangeQuery, Changed, DiffQuery, Difference, ListQuery, Matches, Message, NewSkill, NewText,
    Piece, RollbackTo, Scanned, SearchQuery, SkillList, SkillText, SkippedList, Stats, Versions,
};
use super::Site;
use super::runs::{Run, Wish};

const NAME: &str = "The skill: its name, its slug, or `scope:name`.";
const FILE: &str = "A file of the skill, such as `references/notes.md`.";
const TAG: &str = "The entity tag that was read: the change is made only if it is still the same.";

/// The routes, and the document about them.
pub(crate) fn interface() -> (Router<Site>, Value) {
    let get = MethodFilter::GET;
    let post = MethodFilter::POST;
    let put = MethodFilter::PUT;
    let api = Api::new()
        .on(
            get,
            "/skills",
            reads("listSkills", "The skills that are offered")
                .query::<ListQuery>()
                .gives::<SkillList>(200),
            skills::list,
        )
        .on(
            post,
            "/skills",
            writes("createSkill", "Creates a skill")
                .query::<ChangeQuery>()
                .takes::<NewSkill>()
                .gives::<Changed>(201)
                .gives::<Changed>(200)
                .fails(&[409]),
            change::create,
        )
        .on(
            get,
            "/skipped",
            reads("listSkipped", "What was found and is not offered, with the reason")
                .gives::<SkippedList>(200),
            skills::skipped,
        )
        .on(
            get,
            "/skills/{name}",
            reads("viewSkill", "A skill with its text")
                .at("name", NAME)
                .header("If-None-Match", "The entity tag that the client has.")
                .gives::<SkillText>(200)
                .ends(304),
            skills::view,
        )
        .on(
            put,
            "/skills/{name}",
            writes("editSkill", "Replaces the whole text of a skill")
                .at("name", NAME)
                .query::<ChangeQuery>()
                .header("If-Match", TAG)
                .takes::<NewText>()
                .gives::<Changed>(200)
                .fails(&[409, 412]),
            change::edit,
        )
        .on(
            MethodFilter::PATCH,
            "/skills/{name}",
            writes("patchSkill", "Replaces one piece of a skill's text, or of one of its files")
                .at("name", NAME)
                .query::<ChangeQuery>()
                .header("If-Match", TAG)
                .takes::<Piece>()
                .gives::<Changed>(200)
                .fails(&[409, 412]),
            change::patch,
        )
        .on(
            MethodFilter::DELETE,
            "/skills/{name}",
            writes("deleteSkill", "Takes a skill away; a rollback brings it back")
                .at("name", NAME)
                .query::<ChangeQuery>()
                .header("If-Match", TAG)
                .gives::<Changed>(200)
                .fails(&[409, 412, 422]),
            change::delete,
        )
        .on(
            get,
            "/skills/{name}/files/{*file}",
            reads("readFile", "A file of a skill, as it is")
                .at("name", NAME)
                .at("file", FILE)
                .header("If-None-Match", "The entity tag that the client has.")
                .gives_bytes()
                .ends(304)
                .fails(&[422]),
            skills::file,
        )
        .on(
            put,
            "/skills/{name}/files/{*file}",
            writes("writeFile", "Writes a file of a skill")
                .at("name", NAME)
                .at("file", FILE)
                .query::<ChangeQuery>()
                .header("If-Match", TAG)
                .takes_bytes()
                .gives::<Changed>(200)
                .fails(&[409, 412]),
            change::write_file,
        )
        .on(
            MethodFilter::DELETE,
            "/skills/{name}/files/{*file}",
            writes("removeFile", "Takes a file of a skill away")
                .at("name", NAME)
                .at("file", FILE)
                .query::<ChangeQuery>()
                .header("If-Match", TAG)
                .gives::<Changed>(200)
                .fails(&[409, 412, 422]),
            change::remove_file,
        )
        .on(
            get,
            "/skills/{name}/versions",
            reads(
                "listVersions",
                "Every revision of a skill, oldest first; also of one that was taken away",
            )
            .at("name", NAME)
            .gives::<Versions>(200),
            past::versions,
        )
        .on(
            get,
            "/skills/{name}/diff",
            reads("diffVersions", "What changed between two revisions")
                .at("name", NAME)
                .query::<DiffQuery>()
                .gives::<Difference>(200)
                .fails(&[422]),
            past::diff,
        )
        .on(
            post,
            "/skills/{name}/rollback",
            writes("rollbackSkill", "Brings an earlier revision back, as a new one")
                .at("name", NAME)
                .query::<ChangeQuery>()
                .takes::<RollbackTo>()
                .gives::<Changed>(200)
                .fails(&[409]),
            past::rollback,
        )
        .on(
            get,
            "/skills/{name}/scan",
            reads("scanSkill", "What the scan says about a skill")
                .at("name", NAME)
                .gives::<Scanned>(200),
            find::scan,
        )
        .on(
            get,
            "/search",
            reads("searchSkills", "Skills that have something of these words, best first")
                .query::<SearchQuery>()
                .gives::<Matches>(200),
            find::search,
        )
        .on(
            post,
            "/match",
            reads("matchMessage", "Skills that a message is about, best first")
                .takes::<Message>()
                .gives::<Matches>(200),
            find::match_message,
        )
        .on(
            get,
            "/stats",
            reads("showStats", "How large the library is, and how it is used").gives::<Stats>(200),
            find::stats,
        );
    rest(api).done()
}

/// Approvals, proposals, agents and runs.
fn rest(api: Api) -> Api {
    let get = MethodFilter::GET;
    let post = MethodFilter::POST;
    const ID: &str = "The id of what waits.";
    const PROPOSAL: &str = "The candidate.";
    const SEEN: &str =
        "The entity tag that was read: the decision counts only if it is still the same text.";
    const AGENT: &str = "The agent.";
    const RUN: &str = "The run.";
    api.on(
        get,
        "/approvals",
        reads("listApprovals", "What arrived from elsewhere and waits for a person's word")
            .gives::<approvals::Approvals>(200),
        approvals::list,
    )
    .on(
        get,
        "/approvals/{id}",
        reads("viewApproval", "Something that waits").at("id", ID).gives::<approvals::Waiting>(200),
        approvals::one,
    )
    .on(
        post,
        "/approvals/{id}/approve",
        writes("approve", "Installs what waited, if it is still what was shown")
            .at("id", ID)
            .gives::<approvals::Decided>(200)
            .fails(&[409]),
        approvals::approve,
    )
    .on(
        post,
        "/approvals/{id}/reject",
        writes("reject", "Takes what waited away")
            .at("id", ID)
            .gives::<approvals::Decided>(200)
            .fails(&[409]),
        approvals::reject,
    )
    .on(
        get,
        "/proposals",
        reads("listProposals", "What agents want to learn, newest first")
            .query::<proposals::ProposalQuery>()
            .gives::<proposals::ProposalList>(200),
        proposals::list,
    )
    .on(
        get,
        "/proposals/{id}",
        reads("viewProposal", "A candidate with its difference, evidence and checks")
            .at("id", PROPOSAL)
            .header("If-None-Match", "The entity tag that the client has.")
            .gives::<Review>(200)
            .ends(304),
        proposals::one,
    )
    .on(
        MethodFilter::PUT,
        "/proposals/{id}",
        writes("editProposal", "Gives a candidate another text, and checks it again")
            .at("id", PROPOSAL)
            .header("If-Match", SEEN)
            .takes::<NewText>()
            .gives::<Review>(200)
            .fails(&[409, 412]),
        proposals::edit,
    )
    .on(
        post,
        "/proposals/{id}/accept",
        writes("acceptProposal", "Makes a candidate a skill")
            .at("id", PROPOSAL)
            .query::<proposals::AcceptQuery>()
            .header("If-Match", SEEN)
            .gives::<Review>(200)
            .fails(&[409, 412, 422]),
        proposals::accept,
    )
    .on(
        post,
        "/proposals/{id}/reject",
        writes("rejectProposal", "Puts a candidate aside for good")
            .at("id", PROPOSAL)
            .query::<proposals::DecideQuery>()
            .header("If-Match", SEEN)
            .gives::<Review>(200)
            .fails(&[409, 412]),
        proposals::reject,
    )
    .on(
        get,
        "/agents",
        reads("listAgents", "The agents").gives::<agents::Agents>(200),
        agents::list,
    )
    .on(
        get,
        "/agents/{id}",
        reads("viewAgent", "An agent, and what it did last")
            .at("id", AGENT)
            .gives::<agents::Agent>(200),
        agents::one,
    )
    .on(
        get,
        "/agents/{id}/receipts",
        reads("listReceipts", "What was signed about an agent, and whether it holds")
            .at("id", AGENT)
            .query::<agents::ReceiptQuery>()
            .gives::<agents::Lineage>(200),
        agents::receipts,
    )
    .on(
        get,
        "/runs",
        reads("listRuns", "The newest runs").query::<runs::RunQuery>().gives::<runs::RunList>(200),
        runs::list,
    )
    .on(
        post,
        "/runs",
        lets_work("startRun", "Lets an agent work on a task")
            .takes::<Wish>()
            .gives::<Run>(202)
            .fails(&[404]),
        runs::start,
    )
    .on(
        get,
        "/runs/{id}",
        reads("viewRun", "A run: how far it is, and its answer").at("id", RUN).gives::<Run>(200),
        runs::one,
    )
    .on(
        get,
        "/runs/{id}/events",
        reads("followRun", "What happens in a run, as it happens, from its beginning")
            .at("id", RUN)
            .header("Last-Event-ID", "The last event that the client has.")
            .gives_as("text/event-stream"),
        runs::follow,
    )
    .on(
        post,
        "/runs/{id}/cancel",
        lets_work("cancelRun", "Stops a run; what it had not finished is taken back")
            .at("id", RUN)
            .gives::<Run>(200),
        runs::cancel,
    )
}

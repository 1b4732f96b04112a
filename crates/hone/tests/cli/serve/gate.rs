//! Who gets in, and who does not.

use serde_json::{Value, json};

use super::harness::{Server, until};
use crate::harness::Sandbox;

/// The bound on a request's head, as `serve.md` promises it.
const MAX_HEAD_BYTES: usize = 32 * 1024;

#[test]
fn questions_over_mcp_are_not_counted_as_changes() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    // More than a token may change at once.
    for _ in 0..=501 {
        let answer = server.tool("skill_view", &serde_json::json!({"name": "tidy"}));
        assert_eq!(answer["isError"], false, "{answer}");
    }
}

#[test]
fn so_many_clients_have_a_session_and_one_that_ends_makes_room() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let bearer = format!("Bearer {}", server.token);
    let headers = [
        ("Authorization", bearer.as_str()),
        ("Accept", "application/json, text/event-stream"),
        ("Content-Type", "application/json"),
    ];
    let hello = serde_json::json!({
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    });
    let begin = || server.plain("POST /mcp", &headers, &hello.to_string());
    let sessions: Vec<String> = (0..1_000)
        .map(|number| {
            let begun = begin();
            assert_eq!(begun.status, 200, "{number}: {}", begun.text());
            begun.header("mcp-session-id").to_owned()
        })
        .collect();
    assert!(begin().problem(503).starts_with("too many clients have a session"));
    let answer = server.tool("skill_view", &serde_json::json!({"name": "tidy"}));
    assert_eq!(answer["isError"], false, "who needs no session is answered: {answer}");
    let end = [headers[0], headers[1], ("Mcp-Session-Id", sessions[0].as_str())];
    assert!(server.plain("DELETE /mcp", &end, "").status < 300);
    assert_eq!(begin().status, 200);
}

#[test]
fn a_client_can_ask_for_the_skills_of_an_agent_and_writes_into_its_brain() {
    let sandbox = Sandbox::with_tidy();
    sandbox.skill("state/agents/ada/skills", "hers", "Does it. Use when it is due.");
    let server = Server::start(&sandbox, "");
    let call = |path: &str, tool: &str, arguments: Value| {
        let params = json!({"name": tool, "arguments": arguments});
        server.mcp_at(path, &server.token, "tools/call", tool, params)
    };
    let listed = |path: &str| {
        let answer = call(path, "skills_list", json!({})).json();
        let text = answer["result"]["content"][0]["text"].as_str().unwrap().to_owned();
        ["tidy", "hers", "theirs"].map(|name| text.contains(&format!("- {name}: ")))
    };
    assert_eq!(listed("/mcp"), [true, false, false]);
    assert_eq!(listed("/mcp?agent=ada"), [true, true, false]);
    let text =
        "---\nname: theirs\ndescription: Counts sheep. Use when nobody sleeps.\n---\nCount.\n";
    let new = json!({"action": "create", "name": "theirs", "content": text});
    let made = call("/mcp?agent=ada", "skill_manage", new).json();
    assert_eq!(made["result"]["isError"], false, "{made}");
    assert!(sandbox.read("state/agents/ada/skills/theirs.md").ends_with("\nCount.\n"));
    assert_eq!(listed("/mcp?agent=ada"), [true, true, true]);
    assert_eq!(listed("/mcp"), [true, false, false]);
    for nobody in ["eve", "..", "..%2Fada", ""] {
        let answer = call(&format!("/mcp?agent={nobody}"), "skills_list", json!({}));
        assert_eq!(answer.problem(404), "there is no agent of this name", "{nobody}");
    }
    let reader = sandbox.hone("serve token add reader").run().text().trim().to_owned();
    assert!(until(|| server.ask_as(&reader, "GET /", "").status == 200));
    let tools = server.mcp_at("/mcp?agent=ada", &reader, "tools/list", "", json!({})).json();
    assert!(!tools.to_string().contains("skill_manage"), "{tools}");
}

#[test]
fn the_first_start_prints_a_link_that_lets_a_person_in_and_later_ones_do_not() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    assert_eq!(server.link, format!("http://{}/enter?token={}", server.address, server.token));
    let entered = server.plain(&format!("GET /enter?token={}", server.token), &[], "");
    assert_eq!((entered.status, entered.header("location")), (303, "/"));
    let cookie = entered.header("set-cookie").to_owned();
    assert!(cookie.ends_with("; Path=/; Max-Age=604800; HttpOnly; SameSite=Strict"), "{cookie}");
    assert!(!cookie.contains(&server.token));
    let cookie = cookie.split(';').next().unwrap();
    let page = server.plain("GET /", &[("Cookie", cookie), ("Accept", "text/html")], "");
    assert_eq!((page.status, page.header("content-type")), (200, "text/html; charset=utf-8"));
    assert!(page.text().contains("tidy"), "{}", page.text());

    let address = server.address;
    let (code, said) = server.stop("TERM");
    assert_eq!(code, Some(0), "{said}");
    let again = Server::start(&sandbox, &format!("--listen {address}"));
    assert_eq!(again.link, format!("http://{address}/"));
    let page = again.plain("GET /", &[("Cookie", cookie)], "");
    assert_eq!(page.status, 200, "a session outlives a restart");
    let (_, said) = again.stop("TERM");
    let told = format!(
        "its token was shown at the first start; `hone serve token add NAME` makes another, for \
         http://{address}/enter?token=TOKEN\n"
    );
    assert!(said.contains(&told), "{said}");
}

#[test]
fn what_is_not_there_is_a_page_for_people_and_a_problem_for_programs() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let bearer = format!("Bearer {}", server.token);
    let person = [("Authorization", bearer.as_str()), ("Accept", "text/html")];
    let page = server.plain("GET /nope", &person, "");
    assert_eq!((page.status, page.header("content-type")), (404, "text/html; charset=utf-8"));
    assert!(page.text().contains("there is nothing here"), "{}", page.text());
    assert_eq!(server.ask("GET /nope").problem(404), "there is nothing here");
    let interface = server.plain("GET /api/v1/nope", &person, "");
    assert_eq!(interface.problem(404), "there is nothing here");
}

#[test]
fn without_a_right_token_there_is_a_form_for_people_and_a_problem_for_programs() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let form = server.plain("GET /", &[("Accept", "text/html")], "");
    assert_eq!((form.status, form.header("content-type")), (401, "text/html; charset=utf-8"));
    assert!(!form.text().contains("tidy"));
    let wrong = server.ask_as("hone_0000", "GET /", "");
    assert_eq!(wrong.problem(401), "there is no right token with this request");
    assert_eq!(wrong.header("www-authenticate"), "Bearer");
    for line in ["GET /mcp", "POST /mcp", "GET /nothing", "POST /leave", "DELETE /"] {
        server.plain(line, &[], "").problem(401);
    }
    let basic = [("Authorization", format!("Basic {}", server.token))];
    let basic = basic.each_ref().map(|(name, value)| (*name, value.as_str()));
    server.plain("GET /", &basic, "").problem(401);
    assert_eq!(server.plain("GET /healthz", &[], "").text(), "ok\n");
    let entered = server.plain("GET /enter?token=hone_0000", &[], "");
    assert_eq!((entered.status, entered.header("set-cookie")), (401, ""));
    assert_eq!(server.plain("GET /enter", &[], "").status, 200);
}

#[test]
fn wrong_tokens_come_to_an_end() {
    let sandbox = Sandbox::new();
    let server = Server::start(&sandbox, "");
    let statuses: Vec<u16> =
        (0..200).map(|_| server.ask_as("hone_0000", "GET /", "").status).collect();
    let (first, last) = (statuses[0], statuses[statuses.len() - 1]);
    assert_eq!((first, last), (401, 429), "{statuses:?}");
    let guessed = server.plain("GET /enter?token=hone_0000", &[], "");
    guessed.problem(429);
    assert_eq!(server.ask("GET /").status, 200, "the right token still counts");
}

#[test]
fn another_name_or_another_site_is_turned_away_whatever_it_knows() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let bearer = format!("Bearer {}", server.token);
    let port = server.address.port();
    let asked =
        |host: &str| server.plain("GET /", &[("Host", host), ("Authorization", &bearer)], "");
    for host in ["evil.example", &format!("evil.example:{port}"), "localhost", "127.0.0.1:1", ""] {
        asked(host).problem(421);
    }
    for host in [format!("localhost:{port}"), format!("[::1]:{port}")] {
        assert_eq!(asked(&host).status, 200, "{host}");
    }
    let (own, foreign) = (format!("localhost:{port}"), "evil.example");
    for hosts in [[own.as_str(), foreign], [foreign, &own], [&own, &own]] {
        let [first, second] = hosts.map(|host| ("Host", host));
        let twice = server.plain("GET /", &[first, second, ("Authorization", &bearer)], "");
        assert_eq!(twice.problem(400), "the request names more than one host");
    }
    let absolute = format!("GET http://evil.example:{port}/");
    server.plain(&absolute, &[("Authorization", &bearer)], "").problem(421);

    let from =
        |origin: &str| server.plain("GET /", &[("Origin", origin), ("Authorization", &bearer)], "");
    let elsewhere = format!("http://evil.example:{port}");
    for origin in [&elsewhere, "null", "http://localhost:1", &format!("https://localhost:{port}")] {
        from(origin).problem(403);
    }
    assert_eq!(from(&format!("http://localhost:{port}")).status, 200);
}

#[test]
fn what_a_browser_asks_for_another_site_is_refused_whatever_it_carries() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let entered = server.plain(&format!("GET /enter?token={}", server.token), &[], "");
    let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
    let bearer = format!("Bearer {}", server.token);
    for carried in [("Authorization", bearer.as_str()), ("Cookie", cookie.as_str())] {
        let ask = |line: &str, more: &[(&str, &str)]| {
            let headers: Vec<(&str, &str)> = [carried].iter().chain(more).copied().collect();
            server.plain(line, &headers, "")
        };
        for site in ["cross-site", "same-site"] {
            ask("GET /api/v1/skills", &[("Sec-Fetch-Site", site)]).problem(403);
            let framed = [
                ("Sec-Fetch-Site", site),
                ("Sec-Fetch-Mode", "navigate"),
                ("Sec-Fetch-Dest", "iframe"),
            ];
            ask("GET /", &framed).problem(403);
            let followed = [
                ("Sec-Fetch-Site", site),
                ("Sec-Fetch-Mode", "navigate"),
                ("Sec-Fetch-Dest", "document"),
            ];
            assert_eq!(ask("GET /", &followed).status, 200);
            ask("POST /api/v1/match", &followed).problem(403);
        }
        for site in ["same-origin", "none"] {
            assert_eq!(ask("GET /api/v1/skills", &[("Sec-Fetch-Site", site)]).status, 200);
        }
    }
}

#[test]
fn a_head_is_taken_up_to_its_limit() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let bearer = format!("Bearer {}", server.token);
    let ask = |bytes: usize| {
        let large = "a".repeat(bytes);
        server.plain("GET /api/v1/skills", &[("Authorization", &bearer), ("X", &large)], "").status
    };
    // What the other lines of the head take is less than this.
    let room = 1024;
    assert_eq!(ask(MAX_HEAD_BYTES - room), 200);
    assert_eq!(ask(MAX_HEAD_BYTES), 431);
    assert_eq!(ask(40_000), 431);
}

#[test]
fn a_cookie_changes_nothing_unless_our_own_page_asks() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let entered = server.plain(&format!("GET /enter?token={}", server.token), &[], "");
    let cookie = entered.header("set-cookie").split(';').next().unwrap().to_owned();
    let own = format!("http://{}", server.address);
    let leave = |more: &[(&str, &str)]| {
        let mut headers = vec![("Cookie", cookie.as_str())];
        headers.extend(more);
        server.plain("POST /leave", &headers, "x=1")
    };
    leave(&[]).problem(403);
    leave(&[("Sec-Fetch-Site", "same-site")]).problem(403);
    leave(&[("Origin", "http://localhost:1"), ("Sec-Fetch-Site", "same-site")]).problem(403);
    leave(&[("Origin", "null")]).problem(403);
    for more in [[("Origin", own.as_str())], [("Sec-Fetch-Site", "same-origin")]] {
        let left = leave(&more);
        assert_eq!((left.status, left.header("location")), (303, "/"));
    }
}

#[test]
fn every_answer_tells_the_browser_to_trust_nothing_else() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    for answer in [server.ask("GET /"), server.ask("GET /nothing"), server.plain("GET /", &[], "")]
    {
        let policy = answer.header("content-security-policy");
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"));
        let headers = ["x-content-type-options", "x-frame-options", "cache-control"];
        assert_eq!(headers.map(|name| answer.header(name)), ["nosniff", "DENY", "no-store"]);
        assert_ne!(answer.header("x-request-id"), "");
    }
}

#[test]
fn a_token_counts_for_its_roles_and_until_it_is_taken_back() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    let reader = sandbox.hone("serve token add reader").run().text().trim().to_owned();
    let listed = sandbox.hone("serve token list").run().text();
    let roles: Vec<Vec<&str>> =
        listed.lines().map(|line| line.split_whitespace().take(2).collect()).collect();
    assert_eq!(roles, [["owner", "read,write,run"], ["reader", "read"]]);
    let known = || server.ask_as(&reader, "GET /", "").status == 200;
    assert!(until(known), "a new token counts");
    sandbox.done("serve token remove reader");
    assert!(until(|| !known()), "a token that was taken back does not");
    let again = sandbox.hone("serve token remove reader").run();
    assert_eq!((again.code, again.errors().contains("there is no token `reader`")), (1, true));
}

#[test]
fn the_log_names_routes_and_tokens_and_no_secret() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "--log all");
    let token = server.token.clone();
    let secret = "GET /secret-path?token=secret-value";
    server.ask("GET /");
    server.ask(secret).problem(404);
    server.plain(&format!("GET /enter?token={token}"), &[], "");
    let (code, log) = server.stop("INT");
    assert_eq!(code, Some(0));
    let lines: Vec<Value> = log
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<String> = lines
        .iter()
        .map(|line| {
            format!("{} {} {} {}", line["method"], line["route"], line["status"], line["token"])
        })
        .collect();
    assert_eq!(
        told,
        [r#""GET" "/" 200 "owner""#, r#""GET" "(none)" 404 "owner""#, r#""GET" "/enter" 303 null"#]
    );
    for secret in [token.as_str(), "secret-path", "secret-value"] {
        assert!(!log.contains(secret), "{log}");
    }
}

#[test]
fn by_default_the_log_tells_changes_and_failures_and_no_question() {
    let sandbox = Sandbox::with_tidy();
    let server = Server::start(&sandbox, "");
    server.ask("GET /");
    assert_eq!(server.send("POST /api/v1/match", &json!({"message": "tidy it"})).status, 200);
    server.ask("GET /nothing").problem(404);
    let text = "---\nname: x\ndescription: Does x. Use when x is due.\n---\nDo x.\n";
    let new = json!({"name": "x", "content": text});
    assert_eq!(server.send("POST /api/v1/skills", &new).status, 201);
    let (_, log) = server.stop("INT");
    let lines: Vec<Value> = log
        .lines()
        .filter(|line| line.starts_with('{'))
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let told: Vec<(&str, u64)> = lines
        .iter()
        .map(|line| (line["route"].as_str().unwrap(), line["status"].as_u64().unwrap()))
        .collect();
    assert_eq!(told, [("(none)", 404), ("/api/v1/skills", 201)]);
    for line in &lines {
        let time = line["milliseconds"].to_string();
        let digits = time.split_once('.').map_or(0, |(_, behind)| behind.len());
        assert!(digits <= 3, "{time}");
    }
}

#[test]
fn only_loopback_is_served_without_tls_and_a_taken_port_is_named() {
    let sandbox = Sandbox::new();
    let named = sandbox.hone("serve --listen skills.example:80").run();
    let needed = "an address and a port are needed, such as `127.0.0.1:4663` or `[::1]:4663`";
    assert!(named.code == 2 && named.errors().contains(needed), "{named}");
    assert!(Server::start(&sandbox, "--listen localhost:0").address.ip().is_loopback());
    let open = sandbox.hone("serve --listen 0.0.0.0:0").run();
    assert_eq!(open.code, 2);
    assert!(open.errors().contains("`0.0.0.0:0` is not loopback"), "{open}");
    assert!(open.errors().contains("hint: give `--tls-cert`"), "{open}");
    let server = Server::start(&sandbox, "");
    let taken = sandbox.hone(&format!("serve --listen {}", server.address)).run();
    assert_eq!(taken.code, 2);
    assert!(taken.errors().contains("could not listen on"), "{taken}");
    let exposed = Server::start(&sandbox, "--listen 0.0.0.0:0 --exposed");
    assert!(exposed.link.starts_with("http://localhost:"), "{}", exposed.link);
}

//! `cargo xtask bench serve`: views and searches through the doors of `hone`, by clients that wait for each
//! answer before they ask again. Clients and server share the cores of this machine.

#![allow(clippy::cast_precision_loss, reason = "times and sizes are small")]

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::bench::generate::generate;
use crate::bench::table::{Table, grouped};
use crate::failure::{Doing, Failure};

/// Clients at once, where there are many.
const CLIENTS: usize = 64;
/// Other requests of a client, until it asks the first again.
const REQUESTS: usize = 500;
/// Longest that one client waits for a view, 99 times of 100, in milliseconds.
const MAX_VIEW_MS: f64 = 2.0;
/// Fewest views a second that many clients get.
const MIN_VIEWS: f64 = 10_000.0;
/// Most that memory of the server's own grows under load, after [`WARM`] looks at it.
const MAX_GROWTH: f64 = 1.1;
/// Looks until every thread has come and has its own store of freed memory, which takes a minute of ten: nothing
/// of what it holds is in use.
const WARM: u32 = 1;
/// The newest version of the protocol, which needs no handshake over HTTP.
const VERSION: &str = "2026-07-28";
/// The version with a handshake, for stdio.
const LEGACY: &str = "2025-11-25";

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    View,
    Search,
}

/// Through which door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    Api,
    Mcp,
    Stdio,
}

/// How often memory is looked at while the server is under load.
const LOOKS: u32 = 10;

/// How much is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Options {
    sizes: Vec<usize>,
    /// For each row of the table.
    each: Duration,
    /// Under load, to see what becomes of memory; on the largest library.
    soak: Duration,
}

impl Options {
    pub(crate) fn parse(words: &[&str]) -> Result<Self, Failure> {
        let seconds = Duration::from_secs;
        let mut options =
            Self { sizes: vec![1_000, 10_000], each: seconds(10), soak: seconds(600) };
        let wrong = || Failure::Usage(format!("`bench serve` does not take `{}`", words.join(" ")));
        let number = |word: &str| word.parse::<u64>().ok().filter(|number| *number > 0);
        let mut rest = words;
        while let Some((word, after)) = rest.split_first() {
            rest = match (*word, after) {
                ("--quick", _) => {
                    options = Self { sizes: vec![100, 1_000], each: seconds(2), soak: seconds(10) };
                    after
                }
                ("--sizes", [value, after @ ..]) => {
                    let sizes = value.split(',').map(|size| size.parse().ok().filter(|n| *n > 0));
                    options.sizes = sizes.collect::<Option<_>>().ok_or_else(wrong)?;
                    after
                }
                ("--seconds", [value, after @ ..]) => {
                    options.each = seconds(number(value).ok_or_else(wrong)?);
                    after
                }
                ("--minutes", [value, after @ ..]) => {
                    options.soak = seconds(60 * number(value).ok_or_else(wrong)?);
                    after
                }
                _ => return Err(wrong()),
            };
        }
        Ok(options)
    }
}

/// What clients got.
struct Measured {
    /// Shortest first.
    times: Vec<Duration>,
    took: Duration,
}

impl Measured {
    fn at(&self, share: f64) -> f64 {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place in a list"
        )]
        let place = (self.times.len() as f64 * share) as usize;
        let time = self.times.get(place.min(self.times.len().saturating_sub(1)));
        time.map_or(0.0, Duration::as_secs_f64) * 1000.0
    }

    fn rate(&self) -> f64 {
        self.times.len() as f64 / self.took.as_secs_f64()
    }

    /// What is aimed at, and whether it is met.
    fn goal(&self, what: What, clients: usize) -> String {
        match (what, clients) {
            (What::View, 1) => {
                judged(&format!("p99 ≤ {MAX_VIEW_MS} ms"), self.at(0.99) <= MAX_VIEW_MS)
            }
            (What::View, _) => judged(&format!("≥ {MIN_VIEWS} a second"), self.rate() >= MIN_VIEWS),
            (What::Search, _) => String::new(),
        }
    }
}

fn judged(goal: &str, is_met: bool) -> String {
    format!("{goal}: {}", if is_met { "met" } else { "**missed**" })
}

/// A process that ends with its owner.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs the measurements and prints them.
pub(crate) fn bench(options: &Options) -> Result<(), Failure> {
    let program = super::programs()?.join("hone");
    let cores = thread::available_parallelism().map_or(0, usize::from);
    println!(
        "## Serving\n\n`cargo xtask bench serve`, {cores} cores, shared by server and clients; milliseconds as a client \
         sees them.\n"
    );
    let header = ["skills", "door", "question", "clients", "p50 ms", "p99 ms", "a second", "goal"];
    let mut table = Table::new(&header);
    let mut memory =
        Table::new(&["skills", "after", "answers so far", "resident MB", "its own MB", "goal"]);
    for &size in &options.sizes {
        let folder = tempfile::tempdir().doing(|| "make a temporary folder".to_owned())?;
        let names = generate(&folder.path().join("skills"), size)?;
        let mut row = |door: Door, what: What, clients: usize, found: &Measured| {
            table.row([
                grouped(size),
                format!("{door:?}").to_lowercase(),
                format!("{what:?}").to_lowercase(),
                clients.to_string(),
                format!("{:.2}", found.at(0.5)),
                format!("{:.2}", found.at(0.99)),
                format!("{:.0}", found.rate()),
                found.goal(what, clients),
            ]);
        };
        let seconds = options.each;
        for what in [What::View, What::Search] {
            row(Door::Stdio, what, 1, &over_stdio(&program, folder.path(), &names, what, seconds)?);
        }
        let server = Server::start(&program, folder.path())?;
        let mut answers = 0;
        for door in [Door::Api, Door::Mcp] {
            for what in [What::View, What::Search] {
                for clients in [1, CLIENTS] {
                    let found = server.asked(door, what, &names, clients, seconds)?;
                    answers += found.times.len();
                    row(door, what, clients, &found);
                }
            }
        }
        if Some(&size) == options.sizes.last() {
            let mut most = 0.0;
            let mut look = |after: String, answers: usize, number: u32| {
                let (resident, own) = (server.memory("VmRSS:"), server.memory("RssAnon:"));
                if number == WARM {
                    most = own * MAX_GROWTH;
                }
                let goal = match number {
                    WARM => "warm".to_owned(),
                    LOOKS => judged(&format!("≤ {most:.1} MB"), own <= most),
                    _ => String::new(),
                };
                let [resident, own] = [resident, own].map(|mb| format!("{mb:.1}"));
                memory.row([grouped(size), after, grouped(answers), resident, own, goal]);
            };
            look("the table above".to_owned(), answers, 0);
            let part = options.soak / LOOKS;
            for number in 1..=LOOKS {
                // Mostly views, and something of everything else.
                for (door, what, share) in [
                    (Door::Mcp, What::View, 2),
                    (Door::Api, What::View, 1),
                    (Door::Mcp, What::Search, 1),
                ] {
                    let asked = server.asked(door, what, &names, CLIENTS, part * share / 4)?;
                    answers += asked.times.len();
                }
                look(format!("{} s more", (part * number).as_secs()), answers, number);
            }
        }
    }
    println!("{table}\n{memory}");
    Ok(())
}

fn hone(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .env("HOME", folder.join("home"))
        .env("HONE_HOME", folder.join("state"))
        .current_dir(folder)
        .arg("--root")
        .arg(folder.join("skills"));
    command
}

/// The arguments of a tool, another skill each time.
fn arguments(what: What, names: &[String], number: usize) -> (&'static str, Value) {
    let name = &names[number * 7919 % names.len()];
    match what {
        What::View => ("skill_view", json!({"name": name})),
        What::Search => ("skills_search", json!({"query": name.replace('-', " ")})),
    }
}

fn call(tool: &str, arguments: &Value, number: usize, version: Option<&str>) -> Value {
    let mut params = json!({"name": tool, "arguments": arguments});
    if let Some(version) = version {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientInfo": {"name": "bench", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {},
        });
    }
    json!({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
}

/// One client on standard input and output.
fn over_stdio(
    program: &Path,
    folder: &Path,
    names: &[String],
    what: What,
    time: Duration,
) -> Result<Measured, Failure> {
    let doing = || "talk to `hone mcp`".to_owned();
    let mut command = hone(program, folder);
    command.arg("mcp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut running = Running(command.spawn().doing(doing)?);
    let (Some(mut input), Some(output)) = (running.0.stdin.take(), running.0.stdout.take()) else {
        return Err(Failure::Unmet("`hone mcp` has no standard input".to_owned()));
    };
    let mut output = BufReader::new(output);
    let mut line = String::new();
    let mut exchange = |message: &Value, answers: bool| -> Result<(), Failure> {
        input.write_all(format!("{message}\n").as_bytes()).doing(doing)?;
        line.clear();
        if answers {
            output.read_line(&mut line).doing(doing)?;
            right(&line)?;
        }
        Ok(())
    };
    let hello = json!({"protocolVersion": LEGACY, "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}});
    exchange(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}), true)?;
    exchange(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}), false)?;
    let (tool, first) = arguments(what, names, 0);
    exchange(&call(tool, &first, 1, None), true)?;
    let mut times = Vec::new();
    let start = Instant::now();
    while start.elapsed() < time {
        let number = times.len() + 2;
        let (tool, arguments) = arguments(what, names, number);
        let message = call(tool, &arguments, number, None);
        let begun = Instant::now();
        exchange(&message, true)?;
        times.push(begun.elapsed());
    }
    let took = start.elapsed();
    times.sort_unstable();
    Ok(Measured { times, took })
}

/// An error of a tool is no measurement.
fn right(answer: &str) -> Result<(), Failure> {
    if answer.is_empty() || answer.contains("\"isError\":true") || answer.contains("\"error\":{") {
        let start: String = answer.chars().take(300).collect();
        return Err(Failure::Unmet(format!("the server answered `{start}`")));
    }
    Ok(())
}

struct Server {
    running: Running,
    address: String,
    token: String,
}

impl Server {
    fn start(program: &Path, folder: &Path) -> Result<Self, Failure> {
        let doing = || "start `hone serve`".to_owned();
        let mut command = hone(program, folder);
        command.args(["serve", "--listen", "127.0.0.1:0", "--log", "nothing"]);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().doing(doing)?;
        let mut running = Running(child);
        let mut link = String::new();
        if let Some(output) = running.0.stdout.take() {
            BufReader::new(output).read_line(&mut link).doing(doing)?;
        }
        let parts = link.trim().strip_prefix("http://").and_then(|rest| {
            let (address, rest) = rest.split_once('/')?;
            Some((address.to_owned(), rest.split_once("token=")?.1.to_owned()))
        });
        let (address, token) =
            parts.ok_or_else(|| Failure::Unmet("`hone serve` printed no link".to_owned()))?;
        Ok(Self { running, address, token })
    }

    /// What the system says about its memory, in megabytes.
    fn memory(&self, what: &str) -> f64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.running.0.id()));
        let status = status.unwrap_or_default();
        let kib = status.lines().find_map(|line| line.strip_prefix(what));
        let kib = kib.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
        kib.unwrap_or(0.0) / 1024.0
    }

    fn asked(
        &self,
        door: Door,
        what: What,
        names: &[String],
        clients: usize,
        time: Duration,
    ) -> Result<Measured, Failure> {
        self.client(door, what, names, 0, Duration::ZERO)?;
        let start = Instant::now();
        let all = thread::scope(|scope| {
            let clients: Vec<_> = (0..clients)
                .map(|client| scope.spawn(move || self.client(door, what, names, client, time)))
                .collect();
            let joined = clients.into_iter().map(|client| {
                client.join().unwrap_or_else(|_| Err(Failure::Unmet("a client died".to_owned())))
            });
            joined.collect::<Result<Vec<_>, _>>()
        })?;
        let took = start.elapsed();
        let mut times: Vec<Duration> = all.into_iter().flatten().collect();
        times.sort_unstable();
        Ok(Measured { times, took })
    }

    /// Asks on one connection until the time is over, at least once.
    fn client(
        &self,
        door: Door,
        what: What,
        names: &[String],
        client: usize,
        time: Duration,
    ) -> Result<Vec<Duration>, Failure> {
        let doing = || "ask `hone serve`".to_owned();
        let stream = TcpStream::connect(&self.address).doing(doing)?;
        stream.set_nodelay(true).doing(doing)?;
        let mut output = BufReader::new(stream.try_clone().doing(doing)?);
        let mut input = stream;
        let mut times = Vec::new();
        // Made before the clock starts: what a client does is no time of the server's.
        let request = |number| self.request(door, what, names, client * REQUESTS + number);
        let requests: Vec<String> = (0..REQUESTS).map(request).collect();
        let start = Instant::now();
        loop {
            let request = &requests[times.len() % REQUESTS];
            let begun = Instant::now();
            input.write_all(request.as_bytes()).doing(doing)?;
            right(&answer(&mut output).doing(doing)?)?;
            times.push(begun.elapsed());
            if start.elapsed() >= time {
                return Ok(times);
            }
        }
    }

    fn request(&self, door: Door, what: What, names: &[String], number: usize) -> String {
        let (tool, arguments) = arguments(what, names, number);
        let (address, token) = (&self.address, &self.token);
        let head = format!("Host: {address}\r\nAuthorization: Bearer {token}\r\n");
        if door == Door::Api {
            let text = |key: &str| arguments[key].as_str().unwrap_or_default().replace(' ', "+");
            let path = match what {
                What::View => format!("skills/{}", text("name")),
                What::Search => format!("search?words={}", text("query")),
            };
            return format!("GET /api/v1/{path} HTTP/1.1\r\n{head}\r\n");
        }
        let body = call(tool, &arguments, number, Some(VERSION)).to_string();
        format!(
            "POST /mcp HTTP/1.1\r\n{head}Accept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nMCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\n\
             Mcp-Name: {tool}\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        )
    }
}

/// The body of an answer of known length; one without success is an error.
fn answer(output: &mut impl BufRead) -> std::io::Result<String> {
    let mut line = String::new();
    output.read_line(&mut line)?;
    let is_good = line.starts_with("HTTP/1.1 200");
    let mut length = 0;
    loop {
        let mut header = String::new();
        output.read_line(&mut header)?;
        if header.trim().is_empty() {
            break;
        }
        if let Some(value) = header.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().map_err(std::io::Error::other)?;
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body)?;
    let body = String::from_utf8(body).map_err(std::io::Error::other)?;
    if is_good { Ok(body) } else { Err(std::io::Error::other(format!("{line}{body}"))) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_goal_is_judged_by_one_client_for_time_and_by_many_for_number() {
        let found = |times: u64, milliseconds: u64| Measured {
            times: vec![Duration::from_millis(milliseconds); usize::try_from(times).unwrap()],
            took: Duration::from_secs(1),
        };
        assert_eq!(found(10, 2).goal(What::View, 1), "p99 ≤ 2 ms: met");
        assert_eq!(found(10, 3).goal(What::View, 1), "p99 ≤ 2 ms: **missed**");
        assert_eq!(found(10_000, 9).goal(What::View, 64), "≥ 10000 a second: met");
        assert_eq!(found(9_999, 1).goal(What::View, 64), "≥ 10000 a second: **missed**");
        assert_eq!(found(1, 1).goal(What::Search, 1), "");
    }

    #[test]
    fn options_say_what_is_measured_and_for_how_long() {
        let seconds = Duration::from_secs;
        let full = Options { sizes: vec![1_000, 10_000], each: seconds(10), soak: seconds(600) };
        assert_eq!(Options::parse(&[]).unwrap(), full);
        let quick = Options { sizes: vec![100, 1_000], each: seconds(2), soak: seconds(10) };
        assert_eq!(Options::parse(&["--quick"]).unwrap(), quick);
        let words = ["--sizes", "10000", "--seconds", "3", "--minutes", "2"];
        let chosen = Options { sizes: vec![10_000], each: seconds(3), soak: seconds(120) };
        assert_eq!(Options::parse(&words).unwrap(), chosen);
        for wrong in [
            &["--minutes"][..],
            &["--minutes", "0"],
            &["--sizes", "10,x"],
            &["--sizes", ""],
            &["--seconds", "-1"],
            &["--slow"],
        ] {
            assert!(Options::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}

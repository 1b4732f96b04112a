//! The sandbox, against real child processes: each claim with its opposite, so that it can fail.

use std::io::{ErrorKind, Read};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use hone_guard::sandbox::{End, Helper, Layer, Limits, Outcome, Plan, run};
use insta::assert_snapshot;

use crate::harness::{Sandbox, need, transcript};

fn helper() -> Helper {
    Helper { program: env!("CARGO_BIN_EXE_hone").into(), argument: "__confine".to_owned() }
}

fn shell(script: &str) -> Plan {
    Plan::new(["bash", "-c", script])
}

/// With what the kernel has alone, and inside bubblewrap besides.
fn both_ways() -> [Option<PathBuf>; 2] {
    [None, Some(bubblewrap())]
}

fn bubblewrap() -> PathBuf {
    need("bwrap");
    Plan::new(["true"]).bubblewrap.unwrap()
}

/// Runs inside bubblewrap where the plan says so, which must hold.
#[track_caller]
fn held(plan: &Plan) -> Outcome {
    let outcome = done(plan);
    let inside = outcome.layers.iter().find(|layer| layer.name == "bubblewrap");
    assert_eq!(inside.map(|layer| layer.held), plan.bubblewrap.as_ref().map(|_| true));
    outcome
}

fn done(plan: &Plan) -> Outcome {
    run(plan, &helper()).unwrap()
}

fn text(outcome: &Outcome) -> String {
    format!(
        "{:?}\n{}{}",
        outcome.end,
        String::from_utf8_lossy(&outcome.stdout),
        String::from_utf8_lossy(&outcome.stderr)
    )
}

/// The processes that have this word among their arguments.
fn running(word: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = processes.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.split(' ').any(|argument| argument == word))
        .collect()
}

/// A number of seconds that no other test sleeps.
fn unique(seed: u32) -> String {
    format!("{seed}{}", std::process::id())
}

#[track_caller]
fn wait_until(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !condition() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::yield_now();
    }
}

#[test]
fn every_layer_holds_here_and_is_reported() {
    let outcome = done(&Plan { bubblewrap: None, ..shell("echo hi") });
    assert_eq!((&outcome.end, outcome.stdout.as_slice()), (&End::Exited(0), b"hi\n".as_slice()));
    let held: Vec<(&str, bool)> =
        outcome.layers.iter().map(|layer| (layer.name.as_str(), layer.held)).collect();
    assert_eq!(
        held,
        [("processes", true), ("limits", true), ("landlock", true), ("seccomp", true)]
    );
}

#[test]
fn the_network_is_unreachable_unless_it_is_declared() {
    need("perl");
    both_ways().into_iter().for_each(only_a_declared_network_is_reached);
}

fn only_a_declared_network_is_reached(bubblewrap: Option<PathBuf>) {
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let name = format!("hone-test-{}", std::process::id());
    let unix = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    unix.set_nonblocking(true).unwrap();
    let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
    let script = format!(
        "(echo x > /dev/tcp/127.0.0.1/{tcp_port}) && echo tcp\n\
         (echo x > /dev/udp/127.0.0.1/{udp_port}) && echo udp\n\
         perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(qq(\\0{name}))) \
         && print qq(unix\\n)'\n\
         exit 0"
    );
    let mut plan = Plan { bubblewrap, ..shell(&script) };
    let outcome = held(&plan);
    assert_eq!((&outcome.end, outcome.stdout.as_slice()), (&End::Exited(0), b"".as_slice()));
    assert_eq!(tcp.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
    assert_eq!(udp.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    assert_eq!(unix.accept().unwrap_err().kind(), ErrorKind::WouldBlock);

    plan.network = true;
    let outcome = held(&plan);
    // Landlock keeps abstract sockets of others out of reach even then.
    assert_eq!(outcome.stdout, b"tcp\nudp\n", "{}", text(&outcome));
    assert!(tcp.accept().is_ok() && udp.recv(&mut [0; 8]).is_ok());
    assert_eq!(unix.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
}

#[test]
fn files_are_absent_or_unwritable_unless_they_are_declared() {
    both_ways().into_iter().for_each(only_declared_files_are_there);
}

fn only_declared_files_are_there(bubblewrap: Option<PathBuf>) {
    let sandbox = Sandbox::new();
    sandbox.write("home/secret", "secret\n");
    sandbox.write("project/notes", "notes\n");
    sandbox.write("project/out/old", "old\n");
    let (home, project) = (sandbox.path("home"), sandbox.path("project"));
    let script = format!(
        "cat {home}/secret; ls {home}; cat /etc/shadow; cat notes; echo x > notes; echo x > new; rm notes; \
         mv notes out/moved; rm -f out/moved; ln -s {home}/secret out/link; cat out/link; ln {home}/secret out/hard; \
         echo x > {home}/x; echo x > /tmp/hone-escaped; chmod 777 {home}; \
         echo new > out/new; cat out/old; echo scratch > $HOME/s && cat $HOME/s; exit 0",
        home = home.display()
    );
    let plan = Plan {
        folder: Some(project.clone()),
        reads: vec![project.clone()],
        writes: vec![project.join("out")],
        bubblewrap: bubblewrap.clone(),
        ..shell(&script)
    };
    let outcome = held(&plan);
    assert_eq!(outcome.stdout, b"notes\nold\nscratch\n", "{}", text(&outcome));
    assert_eq!(sandbox.files("home"), ["secret"]);
    assert_eq!(sandbox.files("project"), ["notes", "out/link", "out/new", "out/old"]);
    assert_eq!(sandbox.read("project/notes"), "notes\n");
    assert!(!Path::new("/tmp/hone-escaped").exists());
    // Nothing of the plan, which holds the environment, can be seen from inside.
    let plan = shell("ls -a \"$HOME\" \"$HOME/..\" 2>&1; cat \"$HOME/../plan.json\"");
    let outcome = held(&Plan { bubblewrap, ..plan });
    assert!(!text(&outcome).contains("\"command\""), "{}", text(&outcome));
    assert_eq!(outcome.end, End::Exited(1));
}

#[test]
fn owner_mode_times_and_attributes_change_only_where_it_may_write() {
    both_ways().into_iter().for_each(what_describes_files_changes_only_where_it_may_write);
}

fn what_describes_files_changes_only_where_it_may_write(bubblewrap: Option<PathBuf>) {
    use std::os::unix::fs::MetadataExt;
    let sandbox = Sandbox::new();
    sandbox.write("home/key", "secret\n");
    sandbox.write("project/notes", "notes\n");
    sandbox.write("project/out/own", "own\n");
    let (home, project) = (sandbox.path("home"), sandbox.path("project"));
    let about = |path: &Path| {
        let about = path.metadata().unwrap();
        (about.mode(), about.uid(), about.gid(), about.mtime(), about.atime_nsec())
    };
    let outside = [home.join("key"), project.join("notes"), home.clone()];
    let before: Vec<_> = outside.iter().map(|path| about(path)).collect();
    let script = format!(
        "for f in {home}/key notes {home}; do chmod 777 $f; chown 65534 $f; touch -c -d 2001-01-01 $f; \
         (exec 9<$f; chmod 777 /proc/self/fd/9; touch -c -d 2001-01-01 /proc/self/fd/9); done 2> /dev/null\n\
         mount -o remount,rw / 2> /dev/null; umount -l out 2> /dev/null\n\
         chmod 750 out/own && touch -d 2001-01-01 out/own && stat -c '%a %Y' out/own\n\
         echo x > $HOME/s && chmod 700 $HOME/s && cp -p $HOME/s out/copy && stat -c %a out/copy",
        home = home.display()
    );
    let plan = Plan {
        folder: Some(project.clone()),
        reads: vec![project.clone()],
        writes: vec![project.join("out")],
        bubblewrap,
        environment: [("TZ".to_owned(), "UTC".to_owned())].into(),
        ..shell(&script)
    };
    let outcome = held(&plan);
    let after: Vec<_> = outside.iter().map(|path| about(path)).collect();
    assert_eq!(after, before, "{}", text(&outcome));
    // Where the system gives no space of mounts, nothing of the kind can be changed, which is said.
    let seccomp = outcome.layers.iter().find(|layer| layer.name == "seccomp").unwrap();
    if seccomp.note.contains("no change of owners") {
        assert_eq!(outcome.stdout, b"", "{}", text(&outcome));
    } else {
        assert_eq!(outcome.stdout, b"750 978307200\n700\n", "{}", text(&outcome));
    }
}

#[test]
fn without_a_space_of_mounts_no_mode_can_be_changed_at_all() {
    need("strace");
    let sandbox = Sandbox::new();
    sandbox.write("home/key", "secret\n");
    let script = format!(
        "exec strace -f -qq -o /dev/null -e trace=unshare -e inject=unshare:error=EPERM {} \"$@\"",
        env!("CARGO_BIN_EXE_hone")
    );
    let program = PathBuf::from(sandbox.script("bin/helper", &script));
    let helper = Helper { program, argument: "__confine".to_owned() };
    let key = sandbox.path("home/key");
    let mode = || key.metadata().unwrap().permissions().mode();
    let before = mode();
    let script = format!(
        "chmod 777 {}; touch -c -d 2001-01-01 {}; echo x > $HOME/s; chmod 700 $HOME/s && echo changed; exit 0",
        key.display(),
        key.display()
    );
    let outcome = run(&Plan { bubblewrap: None, ..shell(&script) }, &helper).unwrap();
    assert_eq!(
        (&outcome.end, outcome.stdout.as_slice(), mode()),
        (&End::Exited(0), b"".as_slice(), before)
    );
    let seccomp = outcome.layers.iter().find(|layer| layer.name == "seccomp").unwrap();
    let note = "no sockets, no kernel interfaces, no change of owners, modes and times of files";
    assert!(seccomp.held && seccomp.note.starts_with(note), "{}", seccomp.note);
}

#[test]
fn memory_that_no_process_holds_cannot_be_had() {
    need("python3");
    let script = "import os\ntry:\n  os.memfd_create('x')\n  print('memfd')\nexcept OSError as e:\n  print(e.errno)";
    let mut plan = Plan { bubblewrap: None, ..Plan::new(["python3", "-c", script]) };
    assert_eq!(done(&plan).stdout, b"38\n");
    need("ipcmk");
    plan.command = ["ipcmk", "-M", "1048576", "-S", "1", "-Q"].map(str::to_owned).to_vec();
    let outcome = done(&plan);
    assert!(matches!(outcome.end, End::Exited(code) if code != 0), "{}", text(&outcome));
    let segments = |text: &str| text.lines().filter(|line| line.contains(" 1048576 ")).count();
    assert_eq!(segments(&std::fs::read_to_string("/proc/sysvipc/shm").unwrap()), 0);
}

#[test]
fn limits_and_priorities_of_processes_outside_stay() {
    need("prlimit");
    let word = unique(76);
    let mut outside = Command::new("sleep").arg(&word).stdin(Stdio::null()).spawn().unwrap();
    let pid = outside.id();
    let about = || {
        let read = |name: &str| std::fs::read_to_string(format!("/proc/{pid}/{name}")).unwrap();
        let (stat, status) = (read("stat"), read("status"));
        let nice = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(16).unwrap().to_owned();
        let cpus =
            status.lines().find(|line| line.starts_with("Cpus_allowed:")).unwrap().to_owned();
        (read("limits"), nice, cpus)
    };
    let before = about();
    let script = format!(
        "prlimit --pid {pid} --nofile=3:3; renice -n 19 -p {pid}; renice -n 19 -u $(id -u); taskset -p 1 {pid}; \
         ionice -c 3 -p {pid}; chrt -b -p 0 {pid}; nice -n 5 echo own; ulimit -n 99; ulimit -n"
    );
    let outcome = done(&Plan { bubblewrap: None, ..shell(&script) });
    let after = about();
    outside.kill().unwrap();
    outside.wait().unwrap();
    assert_eq!(after, before, "{}", text(&outcome));
    assert!(String::from_utf8_lossy(&outcome.stdout).ends_with("own\n99\n"), "{}", text(&outcome));
}

#[test]
fn a_line_is_run_by_the_shell_that_it_was_checked_for() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "home/.agents/skills/teller/SKILL.md",
        "---\nname: teller\ndescription: Tells.\nallowed-tools: Bash(echo:*)\n---\nTell.\n",
    );
    sandbox.script("project/ev", "echo UNDECLARED");
    for (line, code, expected) in [
        ("[[ a || ./ev ]]; echo $?", 0, "0\n"),
        ("if [[ x || ./ev ]]; then echo yes; fi", 0, "yes\n"),
        ("echo $'\\'; ./ev #'", 0, "'; ./ev #\n"),
        ("echo $'\\c'; ./ev #'", 1, ""),
    ] {
        let mut command: Command = sandbox.hone("permit teller --run --").command();
        let output = command.arg(line).output().unwrap();
        let seen = (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned());
        assert_eq!(seen, (Some(code), expected.to_owned()), "{line}");
    }
}

#[test]
fn the_environment_is_the_declared_one() {
    let mut plan = Plan { bubblewrap: None, ..Plan::new(["env"]) };
    plan.environment.insert("TOKEN".to_owned(), "t".to_owned());
    plan.environment.insert("HOME".to_owned(), "/root".to_owned());
    let outcome = done(&plan);
    let mut names: Vec<String> = String::from_utf8_lossy(&outcome.stdout)
        .lines()
        .map(|line| {
            line.split(if line.starts_with("HOME=/tmp") { '/' } else { '\n' })
                .next()
                .unwrap()
                .to_owned()
        })
        .map(|line| line.split('/').next().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["HOME=", "LANG=C.UTF-8", "PATH=", "TMPDIR=", "TOKEN=t"]);
    // Nor can it be had from the processes around.
    let script = "cat /proc/*/environ 2>/dev/null | tr '\\0' '\\n' | grep -c CARGO; exit 0";
    assert_eq!(done(&Plan { bubblewrap: None, ..shell(script) }).stdout, b"0\n");
}

#[test]
fn a_fork_bomb_is_bounded_and_nothing_of_it_is_left() {
    let word = unique(71);
    let script = format!("f() {{ sleep {word} & f | f & }}; f; wait");
    let limits = Limits { processes: 20, ..Limits::default() };
    let outcome = done(&Plan { limits, bubblewrap: None, ..shell(&script) });
    assert_eq!(outcome.end, End::TooManyProcesses, "{}", text(&outcome));
    assert_eq!(running(&word), Vec::<String>::new());
}

#[test]
fn the_number_of_processes_is_limited_at_the_bound_and_past_it() {
    let plan = |limit: usize| {
        let limits = Limits { processes: limit, milliseconds: 20_000, ..Limits::default() };
        Plan { limits, bubblewrap: None, ..shell("sleep 1 & sleep 1 & sleep 1 & wait") }
    };
    assert_eq!(done(&plan(4)).end, End::Exited(0));
    assert_eq!(done(&plan(3)).end, End::TooManyProcesses);
}

#[test]
fn time_ends_grandchildren_in_sessions_of_their_own() {
    let word = unique(72);
    let script = format!("setsid -f sh -c 'setsid sleep {word}' ; (trap '' TERM; sleep {word})");
    let limits = Limits { milliseconds: 400, ..Limits::default() };
    let outcome = done(&Plan { limits, bubblewrap: None, ..shell(&script) });
    assert_eq!(outcome.end, End::OutOfTime);
    assert_eq!(running(&word), Vec::<String>::new());
}

#[test]
fn what_a_command_leaves_behind_is_ended_with_it() {
    let word = unique(73);
    let outcome =
        done(&Plan { bubblewrap: None, ..shell(&format!("setsid -f sleep {word}; echo hi")) });
    assert_eq!((outcome.end, outcome.stdout), (End::Exited(0), b"hi\n".to_vec()));
    assert_eq!(running(&word), Vec::<String>::new());
}

#[test]
fn a_caller_that_is_killed_takes_everything_with_it() {
    let sandbox = Sandbox::new();
    let word = unique(74);
    sandbox.write(
        "home/.agents/skills/sleepy/SKILL.md",
        "---\nname: sleepy\ndescription: Sleeps.\nallowed-tools: Bash(sleep:*)\n---\nSleep.\n",
    );
    let mut command: Command =
        sandbox.hone(&format!("permit sleepy --run -- sleep {word}")).command();
    let scratch = sandbox.path("scratch");
    std::fs::create_dir(&scratch).unwrap();
    command.env("TMPDIR", &scratch);
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let sleeps = |lines: &[String]| lines.iter().any(|line| line.starts_with("sleep "));
    wait_until("the command starts", || sleeps(&running(&word)));
    let left = || std::fs::read_dir(&scratch).unwrap().count();
    assert_eq!(left(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    wait_until("the command is ended", || !sleeps(&running(&word)));
    wait_until("the scratch folder is taken away", || left() == 0);
}

#[test]
fn output_is_kept_up_to_the_limit_and_ends_the_command_past_it() {
    let limits = Limits { output_bytes: 1_000, ..Limits::default() };
    let plan = |script: &str| Plan { limits, bubblewrap: None, ..shell(script) };
    let at = done(&plan("head -c 1000 /dev/zero; head -c 1000 /dev/zero >&2"));
    assert_eq!((at.end, at.stdout.len(), at.stderr.len()), (End::Exited(0), 1_000, 1_000));
    let past = done(&plan("head -c 1001 /dev/zero; sleep 100"));
    assert_eq!((past.end, past.stdout.len()), (End::TooMuchOutput, 1_000));
    let past = done(&plan("yes >&2"));
    assert_eq!((past.end, past.stderr.len()), (End::TooMuchOutput, 1_000));
}

#[test]
fn memory_processor_and_file_size_are_limited() {
    need("perl");
    let plan = |limits: Limits, script: &str| Plan { limits, bubblewrap: None, ..shell(script) };
    let big = "perl -e '$x = q(a) x (200 << 20); print length $x'";
    let small = Limits { memory_bytes: 64 << 20, ..Limits::default() };
    assert_eq!(done(&plan(Limits::default(), big)).stdout, b"209715200");
    assert_eq!(done(&plan(small, big)).stdout, b"");
    // Many small ones together, too.
    let many = "for i in 1 2 3 4; do perl -e '$x = q(a) x (15 << 20); sleep 100' & done; wait";
    assert_eq!(done(&plan(small, many)).end, End::TooMuchMemory);
    let busy = Limits { cpu_seconds: 1, ..Limits::default() };
    assert!(matches!(done(&plan(busy, "while :; do :; done")).end, End::Signalled(9 | 24)));
    let files = Limits { file_bytes: 1_000, ..Limits::default() };
    let write = |bytes: u32| format!("head -c {bytes} /dev/zero > $HOME/f");
    assert_eq!(done(&plan(files, &write(1_000))).end, End::Exited(0));
    assert_ne!(done(&plan(files, &write(1_001))).end, End::Exited(0));
}

#[test]
fn processes_outside_cannot_be_signalled_or_traced() {
    let word = unique(75);
    let mut outside = Command::new("sleep")
        .arg(&word)
        .env("TOKEN", "t")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let pid = outside.id();
    let script =
        format!("kill -9 {pid} $PPID 1; cat /proc/{pid}/environ; unshare -Ur true; exit 0");
    let outcome = done(&Plan { bubblewrap: None, ..shell(&script) });
    let survived = outside.try_wait().unwrap().is_none();
    outside.kill().unwrap();
    outside.wait().unwrap();
    assert_eq!((outcome.end, outcome.stdout, survived), (End::Exited(0), Vec::new(), true));
}

#[test]
fn a_program_that_is_not_there_is_said_to_be() {
    let outcome = done(&Plan { bubblewrap: None, ..Plan::new(["no-such-program"]) });
    let why = "could not run `no-such-program`: No such file or directory (os error 2)";
    assert_eq!(outcome.end, End::NotStarted(why.to_owned()));
    let empty = done(&Plan { bubblewrap: None, ..Plan::new(Vec::<String>::new()) });
    assert_eq!(empty.end, End::NotStarted("there is no command".to_owned()));
}

#[test]
fn without_a_layer_nothing_runs_unless_the_configuration_says_so() {
    need("strace");
    let sandbox = Sandbox::new();
    let script = format!(
        "exec strace -f -qq -o /dev/null -e trace=landlock_create_ruleset \
         -e inject=landlock_create_ruleset:error=ENOSYS {} \"$@\"",
        env!("CARGO_BIN_EXE_hone")
    );
    let program = PathBuf::from(sandbox.script("bin/helper", &script));
    assert_eq!(program.metadata().unwrap().permissions().mode() & 0o777, 0o755);
    let helper = Helper { program, argument: "__confine".to_owned() };
    // Without Landlock nothing but seccomp keeps signals from the supervisor.
    let script = "kill -9 $PPID -$PPID 2> /dev/null; echo ran";
    let mut plan = Plan { bubblewrap: None, ..shell(script) };
    // The helper's environment is empty, so that its programs are found by the shell's default path.
    let outcome = run(&plan, &helper).unwrap();
    assert!(
        matches!(&outcome.end, End::Refused(why) if why.contains("landlock")),
        "{}",
        text(&outcome)
    );
    assert_eq!(outcome.stdout, b"");
    plan.unconfined = true;
    let outcome = run(&plan, &helper).unwrap();
    assert_eq!((&outcome.end, outcome.stdout.as_slice()), (&End::Exited(0), b"ran\n".as_slice()));
    let landlock = outcome.layers.iter().find(|layer| layer.name == "landlock").unwrap();
    assert!(!landlock.held);
}

#[test]
fn a_bubblewrap_that_does_not_start_is_reported_and_the_rest_holds() {
    let outcome = done(&Plan { bubblewrap: Some("/bin/false".into()), ..shell("echo hi") });
    assert_eq!((&outcome.end, outcome.stdout.as_slice()), (&End::Exited(0), b"hi\n".as_slice()));
    let name = "bubblewrap".to_owned();
    let expected = Layer { name, held: false, note: "could not start".to_owned() };
    assert!(outcome.layers.contains(&expected), "{:?}", outcome.layers);
    assert_eq!(outcome.layers.len(), 5);
}

#[test]
fn permit_runs_what_is_inside_and_nothing_else() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "home/.agents/skills/noter/SKILL.md",
        "---\nname: noter\ndescription: Notes.\nallowed-tools: Bash(echo:*) Bash(cat:*) Bash(sh:*) Write(out/**)\n---\nNote.\n",
    );
    sandbox.write("home/secret", "secret");
    sandbox.write("project/exit.sh", "exit 3");
    assert_snapshot!(transcript(&sandbox, &[
        "permit noter --run -- 'echo noted > out/a && cat out/a'",
        "permit noter --run -- sh exit.sh",
        "permit noter --run -- 'rm out/a'",
    ]), @"
    $ hone permit noter --run -- 'echo noted > out/a && cat out/a'
    exit: 0
    --- stdout
    noted

    $ hone permit noter --run -- sh exit.sh
    exit: 3

    $ hone permit noter --run -- 'rm out/a'
    exit: 1
    --- stderr
    error[not-permitted]: `rm out/a` is not declared
     --> command:1:1
      |
    1 | rm out/a
      | ^^^^^^^^
      = hint: `Bash(rm out/a:*)` would permit it
    refused: 1 part not inside what `noter` declares
    ");
    assert_eq!(sandbox.read("project/out/a"), "noted\n");
    // In bubblewrap what may not be read is not there.
    let secret = sandbox.hone("permit noter --run -- cat ../home/secret").run();
    let why = secret.errors();
    let why = why.strip_prefix("cat: ../home/secret: ").unwrap();
    assert!(matches!(why, "Permission denied\n" | "No such file or directory\n"), "{secret}");
    assert_eq!((secret.code, secret.text()), (1, String::new()));
}

#[test]
fn what_a_command_writes_beside_the_pattern_of_its_skill_is_told_and_fails_it() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "noter", "Bash(sh:*) Bash(true) Write(out/*.md) Write(all/**) Write(~/n/*.md)");
    sandbox.write("project/make.sh", "for f in \"$@\"; do echo x > $f || rm $f; done");
    let run = |files: &str| {
        let run = sandbox.hone(&format!("permit noter --run -- sh make.sh {files}")).run();
        (run.code, run.errors())
    };
    let told = |file: &str| (125, format!("error: it changed `{file}`, which is not declared\n"));
    assert_eq!(run("out/a.md all/b.sh all/c.md"), (0, String::new()));
    assert_eq!(run("out/a.md out/b.sh"), told("out/b.sh"));
    // It is there now, and nobody touched it.
    assert_eq!(run("out/a.md"), (0, String::new()));
    assert_eq!(run("out/b.sh"), told("out/b.sh"));
    let home = sandbox.path("home/n/x.txt");
    assert_eq!(run(&home.display().to_string()), told("~/n/x.txt"));
    let json = sandbox.hone("permit noter --run --json -- sh make.sh out/new").run();
    let expected = "it changed `out/new`, which is not declared";
    assert_eq!((json.code, json.json()["run"]["beside"].as_str()), (125, Some(expected)));
    // In the home itself a command has no folder but an empty one.
    let at_home = sandbox.hone("permit noter --run -- true").cwd("home").run();
    let note =
        "note: your home is not opened to a skill, so the command starts in an empty folder\n";
    assert_eq!((at_home.code, at_home.errors()), (0, note.to_owned()));
}

#[test]
fn nothing_is_opened_through_a_link_that_a_command_or_a_project_made() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "home/.agents/skills/noter/SKILL.md",
        "---\nname: noter\ndescription: Notes.\nallowed-tools: Bash(mv:*) Bash(ln:*) Bash(echo:*) Write(out/**) Write(out/x/.ssh/**) Write(log.txt)\n---\nNote.\n",
    );
    let home = sandbox.path("home");
    let swap = format!("mv out/x out/z && ln -s {} out/x", home.display());
    let run = |line: &str| {
        let mut command: Command = sandbox.hone("permit noter --run --").command();
        let output = command.arg(line).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    assert_eq!(run(&swap), (Some(0), String::new()));
    let (code, told) = run("echo key > out/x/.ssh/authorized_keys");
    assert_eq!(code, Some(2), "{told}");
    assert!(told.contains("out/x` is a link, and the skill may write there"), "{told}");
    assert!(!home.join(".ssh").exists());
    // The same by the project's own hand, for a folder and for a file.
    std::fs::remove_dir_all(sandbox.path("project/out")).unwrap();
    std::fs::remove_file(sandbox.path("project/log.txt")).unwrap();
    for (link, to) in [("project/out", "home"), ("project/log.txt", "home/kept")] {
        std::os::unix::fs::symlink(sandbox.path(to), sandbox.path(link)).unwrap();
        let (code, told) = run("echo x");
        assert!(code == Some(2) && told.contains("is a link"), "{link}: {told}");
        std::fs::remove_file(sandbox.path(link)).unwrap();
    }
    assert!(!home.join("kept").exists());
    // And once more where the sandbox itself looks, for whoever makes a plan otherwise.
    std::os::unix::fs::symlink(&home, sandbox.path("project/there")).unwrap();
    let writes = vec![sandbox.path("project/there")];
    let line = format!("echo x > {}/x", writes[0].display());
    for bubblewrap in [None, Some(bubblewrap())] {
        let outcome = done(&Plan { writes: writes.clone(), bubblewrap, ..shell(&line) });
        assert!(
            matches!(&outcome.end, End::NotStarted(why) if why.contains("is a link")),
            "{:?}",
            outcome.end
        );
        assert!(!home.join("x").exists());
    }
    assert_eq!(run("echo fine > out/x/.ssh/here && echo fine > log.txt"), (Some(0), String::new()));
}

/// A skill that may run these, as `allowed-tools` spells them.
fn skill(sandbox: &Sandbox, name: &str, tools: &str) {
    sandbox.write(
        &format!("home/.agents/skills/{name}/SKILL.md"),
        format!("---\nname: {name}\ndescription: Does.\nallowed-tools: {tools}\n---\nDo.\n"),
    );
}

#[test]
fn nothing_that_the_caller_holds_open_reaches_the_command() {
    let sandbox = Sandbox::new();
    skill(&sandbox, "holder", "Bash(bash:*)");
    sandbox.write("home/secret", "secret\n");
    sandbox.write("home/outside", "");
    let inside = "for f in 6 7 8 9 300; do [ -e /proc/self/fd/$f ] && echo has $f; done\n\
                  cat <&7; echo written >&8; cat /proc/self/fd/9/secret; cat <&300; echo sent >&6; echo done";
    sandbox.write("project/inside.sh", inside);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let home = sandbox.path("home");
    let holding = format!(
        "exec 6<>/dev/tcp/127.0.0.1/{port} 7<{home}/secret 8>>{home}/outside 9<{home} 300<{home}/secret; \
         for f in 6 7 8 9 300; do [ -e /proc/self/fd/$f ] || exit 9; done; exec \"$@\"",
        home = home.display()
    );
    let held = sandbox.hone("permit holder --run -- 'bash inside.sh'");
    let mut command: Command = held.command_under(&["bash", "-c", &holding, "bash"]);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(String::from_utf8_lossy(&output.stdout), "done\n", "{told}");
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(sandbox.read("home/outside"), "");
    let (mut connection, _) = listener.accept().unwrap();
    let mut received = Vec::new();
    connection.read_to_end(&mut received).unwrap();
    assert_eq!(received, b"");
}

#[test]
fn the_terminal_of_the_caller_is_out_of_reach() {
    need("script");
    let sandbox = Sandbox::new();
    skill(&sandbox, "typist", "Bash(bash:*)");
    let inside = "(echo leaked > /dev/tty) 2> /dev/null || echo kept";
    sandbox.write("project/inside.sh", inside);
    let run = sandbox.hone("permit typist --run -- 'bash inside.sh'").on_terminal(80, 24);
    assert_eq!(String::from_utf8_lossy(&run.stdout), "kept\n");
}

/// The processes of a run's helpers at this stage, by the folder where the run's own is.
fn helpers(scratch: &Path, stage: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let is_one = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        let words: Vec<&str> = line.split('\0').collect();
        words.contains(&stage) && words.iter().any(|word| Path::new(word).starts_with(scratch))
    };
    processes
        .filter(|entry| std::fs::read(entry.path().join("cmdline")).is_ok_and(|line| is_one(&line)))
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

/// The control groups of that name, wherever they are.
fn groups(name: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![PathBuf::from("/sys/fs/cgroup")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name() == name {
                    found.push(entry.path());
                }
                folders.push(entry.path());
            }
        }
    }
    found
}

#[test]
fn whoever_watches_may_be_killed_and_everything_ends() {
    for (seed, stages) in [(77, ["supervise"].as_slice()), (78, &["keep"])] {
        let sandbox = Sandbox::new();
        let word = unique(seed);
        skill(&sandbox, "sleepy", "Bash(bash:*)");
        sandbox.write("project/in.sh", format!("setsid -f sleep {word}; sleep {word}; echo late"));
        let mut command: Command = sandbox.hone("permit sleepy --run -- 'bash in.sh'").command();
        let scratch = sandbox.path("scratch");
        std::fs::create_dir(&scratch).unwrap();
        command.env("TMPDIR", &scratch);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let sleeping = || running(&word).iter().filter(|line| line.starts_with("sleep ")).count();
        wait_until("the command starts", || sleeping() == 2);
        let run = std::fs::read_dir(&scratch).unwrap().flatten().next().unwrap().file_name();
        let found: Vec<String> = stages.iter().flat_map(|stage| helpers(&scratch, stage)).collect();
        assert_eq!(found.len(), stages.len(), "{stages:?}");
        assert!(Command::new("kill").arg("-9").args(&found).status().unwrap().success());
        let ended = std::cell::Cell::new(None);
        let child = std::cell::RefCell::new(&mut child);
        wait_until("the caller ends", || {
            ended.set(child.borrow_mut().try_wait().unwrap());
            ended.get().is_some()
        });
        assert_eq!(ended.get().unwrap().code(), Some(125), "{stages:?}");
        assert_eq!(sleeping(), 0, "{stages:?}");
        assert_eq!(std::fs::read_dir(&scratch).unwrap().count(), 0, "{stages:?}");
        assert_eq!(groups(run.to_str().unwrap()), Vec::<PathBuf>::new(), "{stages:?}");
    }
}

#[test]
fn a_network_is_no_way_to_the_services_of_this_machine() {
    need("perl");
    let sandbox = Sandbox::new();
    sandbox.write("home/x", "");
    let (stream, datagram) = (sandbox.path("home/stream"), sandbox.path("home/datagram"));
    let listener = UnixListener::bind(&stream).unwrap();
    let receiver = UnixDatagram::bind(&datagram).unwrap();
    listener.set_nonblocking(true).unwrap();
    receiver.set_nonblocking(true).unwrap();
    let script = format!(
        "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) && connect(S, pack_sockaddr_un(qq({stream}))) \
         && print qq(stream\\n)'\n\
         for kind in SOCK_DGRAM SOCK_RAW; do perl -MSocket -e 'socketpair(A, B, AF_UNIX, '$kind', 0) \
         && send(A, q(x), 0, pack_sockaddr_un(qq({datagram}))) && print qq(datagram\\n)'; done\n\
         perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) && syswrite(A, q(x)) && sysread(B, $x, 1) \
         && print qq(pair\\n)'\n\
         perl -MSocket -e 'socket(S, AF_INET6, SOCK_STREAM, 0) || socket(S, AF_INET, SOCK_STREAM, 0) and print qq(net\\n)'\n\
         exit 0",
        stream = stream.display(),
        datagram = datagram.display()
    );
    for (network, expected) in [(true, "pair\nnet\n"), (false, "pair\n")] {
        let outcome = done(&Plan { network, bubblewrap: None, ..shell(&script) });
        assert_eq!(String::from_utf8_lossy(&outcome.stdout), expected, "{}", text(&outcome));
        assert_eq!(listener.accept().unwrap_err().kind(), ErrorKind::WouldBlock);
        assert_eq!(receiver.recv(&mut [0; 8]).unwrap_err().kind(), ErrorKind::WouldBlock);
    }
}

/// A helper that can make no control group, and runs without what root needs one for.
fn without_groups(sandbox: &Sandbox) -> Helper {
    need("strace");
    let script = format!(
        "exec strace -f -qq -o /dev/null -e trace=?mkdir,mkdirat -e inject=?mkdir,mkdirat:error=EACCES {} \"$@\"",
        env!("CARGO_BIN_EXE_hone")
    );
    let program = PathBuf::from(sandbox.script("bin/helper", &script));
    Helper { program, argument: "__confine".to_owned() }
}

fn bounds_memory(outcome: &Outcome) -> bool {
    let processes = outcome.layers.iter().find(|layer| layer.name == "processes").unwrap();
    processes.note.contains("memory")
}

/// Keeps 384 MiB of shared memory, of which hardly anything is in the process.
const SHARED: &str = "import mmap\nsize, step = 384 << 20, 16 << 20\n\
    try: m = mmap.mmap(-1, size)\n\
    except OSError as e: print(e.errno); raise SystemExit\n\
    for at in range(0, size, step):\n  m[at:at+step] = b'x' * step\n  m.madvise(mmap.MADV_DONTNEED, at, step)\n\
    print('held')";

#[test]
fn shared_memory_is_limited_where_no_process_shows_it() {
    need("python3");
    let limits = Limits { memory_bytes: 192 << 20, ..Limits::default() };
    let plan = Plan { limits, bubblewrap: None, ..Plan::new(["python3", "-c", SHARED]) };
    let outcome = done(&plan);
    if bounds_memory(&outcome) {
        assert_eq!(outcome.end, End::TooMuchMemory, "{}", text(&outcome));
        let roomy = Plan { limits: Limits::default(), ..plan.clone() };
        assert_eq!(done(&roomy).stdout, b"held\n");
    }
    // Where the kernel does not count it, there is none; nor by the device that gives it.
    let sandbox = Sandbox::new();
    let helper = without_groups(&sandbox);
    let plan = Plan { unconfined: true, ..plan };
    let outcome = run(&plan, &helper).unwrap();
    assert!(!bounds_memory(&outcome));
    assert_eq!(outcome.stdout, b"12\n", "{}", text(&outcome));
    let device = "import mmap, os\ntry: mmap.mmap(os.open('/dev/zero', os.O_RDWR), 4096)\n\
                  except OSError as e: print(e.errno)\nprint(len(open('/dev/zero', 'rb').read(9)))";
    let command = ["python3", "-c", device].map(str::to_owned).to_vec();
    assert_eq!(run(&Plan { command, ..plan }, &helper).unwrap().stdout, b"13\n9\n");
}

/// Four processes that fill the buffers of pairs of sockets with 96 MiB each, and then wait.
const FILLING: &str = "import os, socket, time\n\
    def fill(most):\n\
    \x20 kept, sent = [], 0\n\
    \x20 while sent < most:\n\
    \x20   pair = socket.socketpair()\n\
    \x20   kept.append(pair)\n\
    \x20   for one in pair:\n\
    \x20     one.setblocking(False)\n\
    \x20     try:\n\
    \x20       while sent < most: sent += one.send(b'x' * 65536)\n\
    \x20     except BlockingIOError: pass\n\
    \x20 time.sleep(100)\n\
    for _ in range(4):\n\
    \x20 if os.fork() == 0: fill(96 << 20)\n\
    time.sleep(100)";

#[test]
fn what_the_kernel_holds_in_sockets_is_limited() {
    need("python3");
    let limits = Limits { memory_bytes: 128 << 20, ..Limits::default() };
    let plan = Plan { limits, bubblewrap: None, ..Plan::new(["python3", "-c", FILLING]) };
    let outcome = done(&plan);
    assert_eq!(outcome.end, End::TooMuchMemory, "{}", text(&outcome));
    let sandbox = Sandbox::new();
    let outcome = run(&Plan { unconfined: true, ..plan }, &without_groups(&sandbox)).unwrap();
    assert!(!bounds_memory(&outcome));
    assert_eq!(outcome.end, End::TooMuchMemory, "{}", text(&outcome));
}

//! Shells on sockets: a connection and a shell whose input or output it becomes, or a loop that runs
//! what comes in and answers with what comes out.

use crate::scan::kind::Language;
use crate::scan::subject::is_domain;
use crate::scan::text::floor;

/// A socket, and a shell whose input or output it becomes.
pub(super) fn socket_shell(lower: &str, language: Language) -> Option<usize> {
    if is_local(lower) {
        return None;
    }
    obeying_loop(lower, language).or_else(|| tied_shell(lower, language))
}

/// Whether the other end is this machine.
fn is_local(lower: &str) -> bool {
    let unix = lower.contains("af_unix") && !lower.contains("af_inet");
    let names_host = || lower.split(['"', '\'', '`']).skip(1).step_by(2).any(is_domain);
    let here = lower.contains("127.0.0.1") || lower.contains("localhost");
    unix || here && !lower.contains("://") && !names_host()
}

/// How a language opens a connection, takes what comes in, runs a text and answers.
struct Wire {
    language: Language,
    opens: &'static [&'static str],
    takes: &'static [&'static str],
    runs: &'static [&'static str],
    answers: &'static [&'static str],
}

#[rustfmt::skip]
static WIRES: &[Wire] = &[
    Wire {
        language: Language::Python,
        opens: &["socket.socket", "create_connection", "open_connection(", "websockets.connect", "websocketapp(", "websocket()", "from socket import", "client(namespace", "socketio", "ws_connect(", "telnet(", "pwn import", "sslcontext"],
        takes: &[".recv(", ".recvfrom(", ".recv_into(", "makefile('r", "makefile(\"r", "makefile()", "reader.readline(", "reader.read(", "async for ", "def on_message(", ".receive_str(", ".read_until(", "in ws:", "in sock", "recvline("],
        runs: &["subprocess.", "os.system(", "os.popen(", "getoutput(", "check_output(", "create_subprocess_shell(", "popen(", " exec(", "eval(", "\texec(", "run(cmd", "pexpect."],
        answers: &[".send(", ".sendall(", ".sendto(", "writer.write(", ".send_str(", ".emit(", ".write(", ".sendline("],
    },
    Wire {
        language: Language::JavaScript,
        opens: &["net.connect", "net.createconnection", "net.socket", "tls.connect", "new websocket(", "dgram.createsocket", "socket.io-client", "deno.connect", "bun.connect", "createconnection(", "require('net')", "require(\"net\")", "node:net", "node:tls"],
        takes: &["on('data'", "on(\"data\"", "on('message'", "on(\"message\"", ".onmessage", "addeventlistener('message'", "addeventlistener(\"message\"", "for await", "data(socket", "data: (", "on('line'", "on(\"line\""],
        runs: &["execsync(", "child_process", " exec(", "(exec(", "{exec(", "cp.exec", ";exec(", "spawnsync(", "spawn(", " eval(", "(eval(", "new function(", "=>exec(", "=>eval(", "deno.command", "bun.spawn", "execasync(", "vm.run"],
        answers: &[".write(", ".send(", ".emit(", ".end(", ".pipe("],
    },
    Wire {
        language: Language::Ruby,
        opens: &["tcpsocket", "socket.tcp", "sslsocket", "udpsocket", "websocket", "unixsocket"],
        takes: &[".gets", ".readline", ".recv", ".readpartial", ".each_line", ".on :message", ".read_nonblock", ".sysread"],
        runs: &["`#{", "popen", "capture2", "capture3", "system(", "%x(", "%x[", "%x{", "eval(", "eval ", "spawn(", "exec("],
        answers: &[".puts", ".print", ".write", ".send", "<<", ".syswrite"],
    },
    Wire {
        language: Language::Perl,
        opens: &["io::socket", "use socket", "socket(", "net::websocket", "anyevent::socket", "mojo::ioloop"],
        takes: &["<$", "sysread", "recv(", "->getline", "->recv", "->read(", "readline(", "read("],
        runs: &["qx", "`$", "system(", "exec(", "eval $", "eval(", "-|", "|-", "open3", "open2", "eval {"],
        answers: &["print {", "print $", "->print", "syswrite", "send(", "->send", "->write", "->say", "say {", "say $", "printf $"],
    },
    Wire {
        language: Language::PowerShell,
        opens: &["tcpclient", "clientwebsocket", "sslstream", "udpclient", "net.sockets", "namedpipeclient"],
        takes: &[".read(", ".readline(", "receiveasync(", ".receive(", "readasync(", ".readtoend("],
        runs: &["iex", "invoke-expression", "scriptblock]::create", "invoke-command", "cmd /c", "cmd.exe", "powershell -", ".invoke(", "start-process"],
        answers: &[".write(", ".writeline(", "sendasync(", ".send(", "writeasync("],
    },
    Wire {
        language: Language::Php,
        opens: &["fsockopen", "stream_socket_client", "socket_create", "socket_connect"],
        takes: &["fgets(", "fread(", "socket_read(", "stream_get_line(", "stream_get_contents(", "socket_recv("],
        runs: &["shell_exec(", "exec(", "system(", "passthru(", "popen(", "proc_open(", "eval(", "`$"],
        answers: &["fwrite(", "fputs(", "socket_write(", "stream_socket_sendto(", "socket_send("],
    },
    Wire {
        language: Language::Go,
        opens: &["net.dial", "tls.dial", "websocket.dial", "defaultdialer.dial", "quic.dial"],
        takes: &[".readstring(", ".scan(", ".read(", ".readmessage(", ".readline(", ".readbytes(", ".text("],
        runs: &["exec.command"],
        answers: &["fprint", ".write(", ".writemessage(", ".writestring(", ".stdout = ", "io.copy("],
    },
    Wire {
        language: Language::Lua,
        opens: &["socket.tcp", "socket\").tcp", "require(\"socket\")", "require('socket')", "require \"socket\"", "require 'socket'", "socket.connect", "websocket"],
        takes: &["receive(", ":read("],
        runs: &["io.popen", "os.execute", "load(", "loadstring("],
        answers: &[":send(", ":write("],
    },
    Wire {
        language: Language::Braces,
        opens: &["new socket(", "tcpstream::connect", "af_inet", "tcpclient(", "socketchannel.open", "gen_tcp.connect", "clientwebsocket", "socketconnection(", "using sockets", "newsocket(", "nwconnection(", "urlsessionwebsockettask", "socket.connect(", "websocket::connect", "winsock", "io.socket", "set s [socket", "make-network-process", "open-network-stream"],
        takes: &[".readline", "recv(", ".recv", ".read(", "readlines(", ".receive", "recvline", "read_line(", "gets $", "receiveasync", "readline("],
        runs: &["processbuilder", ".exec(", "command::new", "process.start", "system(", "system.cmd", ":os.cmd", "execcmd", "popen(", "run(`", "process(", "exec {", "shell(", "call-process", "shell-command", "startprocess", "exec $", "eval("],
        answers: &[".write", "println", "send(", "writelines(", ".send", "puts $", "process-send", "print("],
    },
];

/// Bytes within which a command comes in, is run and is answered.
const LOOP: usize = 500;
/// Places of one script where something comes in that are looked at.
const MAX_TAKEN: usize = 64;

/// A loop that runs what comes in over a connection and answers with what comes out.
fn obeying_loop(lower: &str, language: Language) -> Option<usize> {
    let wire = WIRES.iter().find(|wire| wire.language == language)?;
    let opened = wire.opens.iter().find_map(|word| lower.find(word))?;
    let taken = wire.takes.iter().flat_map(|word| {
        lower.match_indices(word).map(|(at, word)| at + word.len()).take(MAX_TAKEN)
    });
    let mut taken = taken.filter(|from| {
        let near = &lower[*from..floor(lower, from + LOOP)];
        wire.runs.iter().any(|word| runs_what_is_not_written(near, word))
            && wire.answers.iter().any(|word| near.contains(word))
    });
    taken.next().map(|_| opened)
}

/// Whether a text is run that does not stand there: `run(command)`, not `run(["git", "log"])`.
fn runs_what_is_not_written(near: &str, word: &str) -> bool {
    near.match_indices(word).any(|(at, _)| {
        let call = &near[at..];
        let given = if word.ends_with('(') {
            &call[word.len()..]
        } else {
            // `subprocess.run(`: the name goes on.
            let name =
                call.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | ':')));
            match name.map(|end| &call[end..]) {
                Some(rest) if rest.starts_with('(') => &rest[1..],
                _ => return true,
            }
        };
        !given.trim_start_matches([' ', '[', '(', '\n']).starts_with(['"', '\''])
    })
}

/// Whether JavaScript takes the module of sockets under a name of its own: `import * as wire from "node:tls"`.
fn imports_sockets(lower: &str) -> bool {
    ["node:net", "node:tls", "\"net\"", "'net'", "\"tls\"", "'tls'"]
        .iter()
        .any(|module| lower.contains(module))
}

/// A connection, and a shell whose input or output it becomes.
fn tied_shell(lower: &str, language: Language) -> Option<usize> {
    let socket = match language {
        Language::Python => lower.contains("socket.") || lower.contains("create_connection"),
        Language::JavaScript => {
            lower.contains("net.")
                || lower.contains("net').")
                || lower.contains("createconnection")
                || lower.contains("tls.connect")
                || lower.contains("new net")
                || lower.contains("deno.connect")
                || lower.contains("bun.connect")
                || imports_sockets(lower) && lower.contains(".connect(")
        }
        Language::Ruby => lower.contains("tcpsocket") || lower.contains("socket.tcp"),
        Language::Perl => lower.contains("io::socket") || lower.contains("use socket"),
        Language::PowerShell => {
            lower.contains("tcpclient")
                || lower.contains("clientwebsocket")
                || lower.contains("sslstream")
        }
        Language::Php => lower.contains("fsockopen") || lower.contains("stream_socket_client"),
        Language::Go => lower.contains("net.dial"),
        Language::Braces => [
            "new socket(",
            "tcpstream::connect",
            "af_inet",
            "tcpclient(",
            "socketchannel.open",
            "gen_tcp.connect",
        ]
        .iter()
        .any(|word| lower.contains(word)),
        Language::Lua => {
            lower.contains("socket.tcp")
                || lower.contains("socket\").tcp")
                || lower.contains("require(\"socket\")")
                || lower.contains("require('socket')")
                || lower.contains("require \"socket\"")
        }
        _ => false,
    };
    if !socket {
        return None;
    }
    let shell = [
        "/bin/sh",
        "/bin/bash",
        "\"sh\"",
        "'sh'",
        "\"bash\"",
        "'bash'",
        "cmd.exe",
        "powershell",
        "/bin/zsh",
        "\"cmd\"",
        "'cmd'",
        "iex",
        "invoke-expression",
        "$shell",
        "comspec",
    ]
    .iter()
    .any(|s| lower.contains(s));
    let tied = match language {
        Language::Python => {
            lower.contains("dup2")
                || lower.contains("pty.spawn")
                || lower.contains("stdin=s") && lower.contains("fileno")
                || lower.contains("subprocess")
                    && lower.contains(".recv(")
                    && (lower.contains(".send") || lower.contains("sendall"))
                    && (lower.contains("shell=true") || shell)
        }
        Language::JavaScript => {
            (lower.contains(".pipe(") || lower.contains("pipeline("))
                && (lower.contains("spawn") || lower.contains("exec"))
                || lower.contains("exec(") && lower.contains("on('data'")
        }
        Language::Ruby => {
            lower.contains("popen")
                || lower.contains("exec")
                || lower.contains("spawn(")
                || lower.contains("reopen")
                || lower.contains('`') && lower.contains(".gets")
                || lower.contains("open3")
        }
        Language::Perl => {
            lower.contains("stdin->fdopen")
                || lower.contains("stdin,\">&")
                || lower.contains("open(stdin")
                || lower.contains("open stdin")
                || lower.contains("exec")
                || lower.contains("fileno(") && (lower.contains("open3") || lower.contains("open2"))
                || lower.contains("`$") && lower.contains("= <$")
        }
        Language::PowerShell => {
            lower.contains("getstream")
                && (lower.contains("iex")
                    || lower.contains("invoke-expression")
                    || lower.contains("start")
                    || shell)
        }
        Language::Php => {
            lower.contains("proc_open") || lower.contains("shell_exec") || lower.contains("exec(")
        }
        Language::Go => {
            lower.contains("exec.command")
                && (lower.contains(".stdin")
                    || lower.contains("combinedoutput")
                    || lower.contains(".output"))
        }
        Language::Lua => lower.contains("io.popen") || lower.contains("os.execute"),
        Language::Braces => [
            "processbuilder",
            "getruntime().exec",
            "dup2",
            "command::new",
            "process.start",
            "execve",
            "execl(",
            "system.shell",
            "system.cmd",
            ":os.cmd",
        ]
        .iter()
        .any(|word| lower.contains(word)),
        _ => false,
    };
    let obeys = lower.contains(".recv(")
        && (lower.contains("system.shell") || lower.contains(":os.cmd"))
        || lower.contains("fdopen") && lower.contains("while<>") && lower.contains("system")
        || lower.contains(".gets")
            && (lower.contains("`#{")
                || lower.contains("popen(")
                || lower.contains("system(")
                || lower.contains("capture"))
        || lower.contains("receive(") && (lower.contains("popen(") || lower.contains("execute("))
        || lower.contains("fgets(") && lower.contains("exec(");
    (tied && (shell || obeys)).then(|| {
        lower
            .find("connect")
            .or_else(|| lower.find("socket"))
            .or_else(|| lower.find("tcpclient"))
            .unwrap_or(0)
    })
}

//! Whether a text reaches the network, runs programs or decodes, by the calls of each language.
//!
//! This is inventory and the ground for comparing a skill with its own claims; what flows where is
//! for the analyses of flows.

use std::ops::Range;

use super::destination::{Class, addresses};
use super::kind::Language;
use super::mention::has_word;
use super::passage::Passage;

/// Calls that open a connection, whatever the language.
#[rustfmt::skip]
const CALLS: &[&str] = &[
    "requests.get(", "requests.post(", "requests.put(", "requests.request(", "requests.Session(",
    "requests.patch(", "requests.delete(", "urlopen(", "urlretrieve(", "http.client",
    "HTTPSConnection(", "HTTPConnection(", "httpx.", "aiohttp.", "socket.create_connection(",
    "socket.socket(", ".connect((", "smtplib.", "ftplib.", "paramiko.", "websockets.connect",
    "telnetlib", "fetch(", "require('https')",
    "require(\"https\")", "require('http')", "require(\"http\")", "require('node:https')",
    "require(\"node:https\")", "require('node:http')", "require('net')", "require(\"net\")",
    "require('node:net')", "require('tls')", "require('http2')", "import('https')",
    "import('node:https')", "https.request(", "https.get(", "http.request(", "http.get(", "axios.",
    "axios(", "net.connect(", "net.createConnection(", "new WebSocket(", "XMLHttpRequest",
    "sendBeacon(", "dgram.createSocket(", "undici", "node-fetch", "dns.resolve", "dns.lookup(",
    "got.post(", "got(", "Net::HTTP", "open-uri", "URI.open(", "TCPSocket", "Faraday", "HTTParty",
    "LWP::", "HTTP::Tiny", "IO::Socket", "curl_init(", "curl_exec(", "fsockopen(",
    "stream_socket_client(", "http.Get(", "http.Post(", "http.PostForm(", "http.NewRequest(",
    "net.Dial(", "net.DialTimeout(", "socket.http", "socket.tcp(", "ztcp ", "reqwest::",
    "URLSession", "Invoke-WebRequest", "Invoke-RestMethod", "Net.WebClient", "Net.Sockets",
    "Start-BitsTransfer", "DownloadString(", "DownloadFile(", "HttpClient", "UDPSocket", "Socket.tcp",
    "Socket.udp", "RestClient", "Excon", "Typhoeus", "Net::SMTP", "Net::FTP", "Resolv.",
    "WWW::Mechanize", "Mojo::UserAgent", "GuzzleHttp", "socket_connect(", "tls.Dial(",
    "websocket.Dial", "ssl.https", "Send-MailMessage", "Resolve-DnsName", "Test-NetConnection",
    "HttpURLConnection", "new Socket(", "OkHttpClient", "TcpStream::connect", "UdpSocket", "ureq::",
    "asyncio.open_connection(", "websocket.create_connection(", "dns.resolver", "pycurl", "grpc.",
    "xmlrpc.client", "EventSource(", "superagent", "socket.io-client", "http2.connect(",
    "require('dgram')", "require(\"dgram\")", "node:dgram", "node:tls", "node:net",
];

/// Commands that open a connection.
#[rustfmt::skip]
const COMMANDS: &[&str] = &[
    "curl ", "wget ", "ncat ", "netcat ", "socat ", "scp ", "sftp ", "telnet ", "iwr ", "irm ",
    "bitsadmin ", "certutil -urlcache", "mshta http", "/dev/tcp/", "nslookup ", "dig ",
];

/// Where a text first opens a connection that is not to this machine.
pub(crate) fn any(text: &str) -> Option<Range<usize>> {
    let call = CALLS.iter().filter_map(|call| at_word(text, call)).min_by_key(|range| range.start);
    let found = call.or_else(|| {
        COMMANDS.iter().filter_map(|call| at_word(text, call)).min_by_key(|range| range.start)
    })?;
    let mut hosts = addresses(text).into_iter().map(|address| address.class()).peekable();
    let is_local = hosts.peek().is_some() && hosts.all(|class| class == Class::Local)
        || text.contains("localhost") && !text.contains("://")
        || text.contains("127.0.0.1") && !text.contains("://")
        || text.contains("AF_UNIX");
    (!is_local).then_some(found)
}

fn at_word(text: &str, call: &str) -> Option<Range<usize>> {
    text.match_indices(call)
        .find(|(at, _)| {
            let before = text[..*at].chars().next_back();
            !before.is_some_and(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$'))
                || call.starts_with('/')
        })
        .map(|(at, found)| at..at + found.len())
}

/// Where a passage of code reaches the network.
pub(crate) fn of_passage(passage: &Passage<'_>) -> Option<Range<usize>> {
    if !passage.language.runs() {
        return None;
    }
    let range = any(&passage.text)?;
    // A word of a comment is not a call.
    let line =
        &passage.text[passage.text[..range.start].rfind('\n').map_or(0, |at| at + 1)..range.start];
    let comment = match passage.language {
        Language::JavaScript | Language::Go | Language::Php => "//",
        Language::Lua => "--",
        Language::Batch => "rem",
        _ => "#",
    };
    (!line.trim_start().starts_with(comment)).then_some(range)
}

/// Whether a text runs programs or texts.
pub(crate) fn runs(text: &str) -> bool {
    #[rustfmt::skip]
    const RUNS: &[&str] = &[
        "exec(", "eval(", "execSync", "spawn(", "spawnSync", "subprocess", "os.system", "popen",
        "child_process", "| sh", "| bash", "|sh", "|bash", "runInNewContext", "Function(", "iex",
        "Invoke-Expression", "chmod +x", "system(",
    ];
    RUNS.iter().any(|call| text.contains(call))
}

/// Whether a text decodes something.
pub(crate) fn decodes(text: &str) -> bool {
    #[rustfmt::skip]
    const DECODES: &[&str] = &[
        "b64decode", "base64 -d", "base64 --decode", "base64 -D", "fromhex", "atob(", "'base64'",
        "\"base64\"", "unhexlify", "FromBase64String", "zlib.decompress", "marshal.loads",
        "codecs.decode", "xxd -r",
    ];
    DECODES.iter().any(|call| text.contains(call))
}

/// What a command line for Windows does that reaches out.
pub(crate) fn windows(command: &str) -> Option<&'static str> {
    let lower = command.to_ascii_lowercase();
    let shell = lower.contains("powershell") || lower.contains("pwsh") || lower.contains("cmd /c");
    if shell
        && (has_word(&lower, "-enc")
            || has_word(&lower, "-encodedcommand")
            || has_word(&lower, "-e"))
    {
        Some("it runs an encoded command")
    } else if [
        "invoke-webrequest",
        "invoke-restmethod",
        "downloadstring",
        "downloadfile",
        "net.webclient",
        "certutil -urlcache",
        "bitsadmin",
        "mshta",
        "start-bitstransfer",
    ]
    .iter()
    .any(|call| lower.contains(call))
        || shell && (has_word(&lower, "iwr") || has_word(&lower, "irm") || has_word(&lower, "iex"))
    {
        Some("it uses the network")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_words_and_from_this_machine() {
        for text in [
            "requests.post(URL)",
            "const r = await fetch('https://a.io')",
            "curl -s https://a.io",
            "Net::HTTP.get(uri)",
            "s = socket.create_connection((h, 1))",
        ] {
            assert!(any(text).is_some(), "{text}");
        }
        for text in [
            "prefetch(x)",
            "print('hello')",
            "fetch('http://localhost:3000/x')",
            "requests = []",
            "mycurl x",
            "s.connect(('127.0.0.1', 9))",
        ] {
            assert_eq!(any(text), None, "{text}");
        }
    }
}

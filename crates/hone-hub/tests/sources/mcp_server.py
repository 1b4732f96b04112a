"""The reference server of MCP, with the skills extension, over the skills of a folder.

    mcp_server.py ERA FOLDER

ERA is `modern`, or `legacy` for a server that only knows the handshake. What lies in a folder `unlisted`
is served and not listed. The port is the first line that
is printed; the server ends with its standard input.
"""

import base64
import hashlib
import pathlib
import socket
import sys
import threading
from urllib.parse import quote

import mcp_types as types
import uvicorn
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

ERA, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
PAGE = 2


class Asked(types.RequestParams):
    cursor: str | None = None
    uri: str | None = None


def files():
    return {
        f"skill://shelf/{quote(path.relative_to(FOLDER).as_posix())}": path.read_bytes()
        for path in sorted(FOLDER.rglob("*"))
        if path.is_file()
    }


def entry(uri):
    held = {name: data for name, data in files().items() if name.startswith(uri.removesuffix("SKILL.md"))}
    lines = held[uri].decode().split("---\n")[1].splitlines()
    frontmatter = dict(line.split(": ", 1) for line in lines)
    resources = [
        {"uri": name, "digest": f"sha256:{hashlib.sha256(data).hexdigest()}", "size": len(data)}
        for name, data in held.items()
    ]
    return {"uri": uri, "frontmatter": frontmatter, "resources": resources}


async def skills_list(_, params):
    uris = [uri for uri in files() if uri.endswith("/SKILL.md") and "/unlisted/" not in uri]
    start = int(params.cursor or 0)
    page = {"skills": [entry(uri) for uri in uris[start : start + PAGE]]}
    if start + PAGE < len(uris):
        page["nextCursor"] = str(start + PAGE)
    return page | {"resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


async def skills_get(_, params):
    if params.uri not in files() or not params.uri.endswith("/SKILL.md"):
        raise MCPError(types.INVALID_PARAMS, "there is no such skill")
    return {"skill": entry(params.uri), "resultType": "complete", "ttlMs": 0, "cacheScope": "private"}


async def read(_, params):
    data = files().get(str(params.uri))
    if data is None:
        raise MCPError(types.INVALID_PARAMS, "there is no such resource")
    try:
        content = types.TextResourceContents(uri=params.uri, text=data.decode())
    except UnicodeDecodeError:
        content = types.BlobResourceContents(uri=params.uri, blob=base64.b64encode(data).decode())
    return types.ReadResourceResult(contents=[content])


async def unknown(_, params):
    raise MCPError(types.METHOD_NOT_FOUND, "there is no such method")


server = Server("shelf", on_read_resource=read)
server.extensions["io.modelcontextprotocol/skills"] = {}
server.add_request_handler("skills/list", Asked, skills_list)
server.add_request_handler("skills/get", Asked, skills_get)
if ERA == "legacy":
    server.add_request_handler("server/discover", types.RequestParams, unknown)

listener = socket.create_server(("127.0.0.1", 0))
running = uvicorn.Server(uvicorn.Config(server.streamable_http_app(), log_level="error"))


def watch():
    sys.stdin.read()
    running.should_exit = True


threading.Thread(target=watch, daemon=True).start()
print(listener.getsockname()[1], flush=True)
running.run(sockets=[listener])

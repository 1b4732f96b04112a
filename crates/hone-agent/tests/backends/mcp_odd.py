"""A server of tools that misbehaves in every way a test asks for. Nothing but the standard library."""

import json
import os
import sys
import time

TOOLS = [
    {"name": "environment", "description": "Its variables.", "annotations": {"readOnlyHint": True}},
    {"name": "process", "description": "Its id."},
    {"name": "picture", "description": "A picture\nand\u200b text."},
    {"name": "hang", "description": "x" * 5_000},
    {"name": "die"},
    {"name": "no name", "description": "A name with a blank."},
    {"name": "é" * 10},
    {"name": "deep", "inputSchema": {"type": "object", "properties": {"a": {"description": "x" * 9_000}}}},
]


def call(name):
    if name == "environment":
        return {"content": [{"type": "text", "text": json.dumps(sorted(os.environ))}]}
    if name == "process":
        return {"content": [{"type": "text", "text": str(os.getpid())}]}
    if name == "picture":
        return {
            "content": [
                {"type": "image", "data": "AAAA", "mimeType": "image/png"},
                {"type": "text", "text": "below it"},
            ]
        }
    if name == "hang":
        time.sleep(600)
    if name == "die":
        print("Traceback: it broke", file=sys.stderr, flush=True)
        os._exit(3)
    return {"content": [], "structuredContent": {"called": name}}


if sys.argv[1:] == ["refuse"]:
    print("no licence found", file=sys.stderr, flush=True)
    sys.exit(1)

many = [{"name": f"t{number:03}"} for number in range(100)] if sys.argv[1:] == ["many"] else TOOLS

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method = message["method"]
    if method == "initialize":
        result = {
            "protocolVersion": message["params"]["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "odd", "version": "1"},
        }
    elif method == "tools/list":
        # Pages of ten, without an end in `many`.
        start = int(message.get("params", {}).get("cursor") or 0)
        page = many[start : start + 10]
        tools = [{"inputSchema": {"type": "object"}, **tool} for tool in page]
        result = {"tools": tools}
        if start + 10 < len(many):
            result["nextCursor"] = str(start + 10)
    elif method == "tools/call":
        result = call(message["params"]["name"])
    else:
        result = {}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)

"""What the reference client of MCP gets from a server, as JSON.

    mcp_client.py ERA HONE [ARGUMENT ...]
    mcp_client.py ERA URL TOKEN
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def refused(call):
    """The code of the error that a call ends with."""
    try:
        await call
    except Exception as error:  # the client's own error types differ from era to era
        return getattr(getattr(error, "error", error), "code", None)
    return 0


async def main(era, command, arguments):
    if command.startswith("http"):
        headers = {"authorization": f"Bearer {arguments[0]}"}
        server = streamable_http_client(command, http_client=create_mcp_http_client(headers=headers))
    else:
        server = StdioServerParameters(command=command, args=arguments, env=dict(os.environ))
        server = stdio_client(server)
    async with Client(server, mode=era) as client:
        async def text(tool, **given):
            result = await client.call_tool(tool, given)
            return {"error": result.is_error, "text": result.content[0].text}

        resource = await client.read_resource("skill://tidy/SKILL.md")
        prompt = await client.get_prompt("tidy", {"arguments": "the last release"})
        found = {
            "era": client.protocol_version,
            "tools": [tool.name for tool in (await client.list_tools()).tools],
            "resources": [str(one.uri) for one in (await client.list_resources()).resources],
            "prompts": [prompt.name for prompt in (await client.list_prompts()).prompts],
            "list": await text("skills_list"),
            "search": await text("skills_search", query="changelog"),
            "match": await text("skill_match", message="tidy the changelog, a release is near"),
            "view": await text("skill_view", name="tidy"),
            "invoke": await text("skill_invoke", name="tidy", arguments="now"),
            "scan": await text("skill_scan", name="tidy"),
            "usage": await text("usage_report", name="tidy"),
            "wrong": await text("skill_view", nam="tidy"),
            "gone": await text("skill_view", name="gone"),
            "resource": resource.contents[0].text,
            "prompt": prompt.messages[0].content.text,
            "outside": await refused(client.read_resource("skill://tidy/../../secret")),
            "encoded": await refused(client.read_resource("skill://tidy/%2e%2e/secret")),
            "unknown": await refused(client.read_resource("skill://gone/SKILL.md")),
        }
    print(json.dumps(found))


asyncio.run(main(sys.argv[1], sys.argv[2], sys.argv[3:]))

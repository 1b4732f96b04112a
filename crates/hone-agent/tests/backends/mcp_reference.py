"""A server of tools by the reference implementation of the protocol: on its standard input and output, or at a free port."""

import sys

from mcp.server import MCPServer

server = MCPServer("reference")


@server.tool()
def add(a: int, b: int) -> int:
    """Adds two whole numbers."""
    return a + b


@server.tool()
def fail() -> str:
    """Fails."""
    raise ValueError("on purpose")


if sys.argv[1:] == ["http"]:
    server.run(transport="streamable-http", host="127.0.0.1", port=0)
else:
    server.run()

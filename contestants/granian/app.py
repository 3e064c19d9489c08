"""The application of Granian's quickstart, with the other resources of serverlab's http service."""

import re
from collections.abc import Awaitable, Callable
from typing import Any

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

PRINTABLE = bytes(range(32, 127))
BYTES = re.compile(r"/bytes/([0-9]{1,9})")


async def body_of(receive: Receive) -> bytes:
    """The body of a request."""
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def app(scope: Message, receive: Receive, send: Send) -> None:
    """Reply to a request."""
    if scope["type"] != "http":
        return
    status, content = 200, b"Hello, World!"
    if scope["path"] == "/echo":
        content = await body_of(receive)
    elif asked := BYTES.fullmatch(scope["path"]):
        size = int(asked[1])
        content = (PRINTABLE * (size // len(PRINTABLE) + 1))[:size]
    elif scope["path"] != "/":
        status, content = 404, b"not found"
    headers = [(b"content-type", b"text/plain"), (b"content-length", b"%d" % len(content))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})

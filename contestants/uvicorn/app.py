"""The application of uvicorn's quickstart."""

HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"13")]


async def app(scope, _receive, send):
    """Reply to a request."""
    if scope["type"] != "http":
        return
    if scope["path"] == "/":
        await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
        await send({"type": "http.response.body", "body": b"Hello, World!"})
        return
    await send({"type": "http.response.start", "status": 404, "headers": [HEADERS[0]]})
    await send({"type": "http.response.body", "body": b"not found"})

"""The echo server of asyncio's documentation. asyncio turns Nagle's algorithm off by itself."""

import asyncio
import sys


async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Return what comes, to the end."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
    finally:
        writer.close()


async def main(host: str, port: str) -> None:
    """Serve."""
    server = await asyncio.start_server(echo, host, int(port), backlog=1024)
    await server.serve_forever()


asyncio.run(main(*sys.argv[1:]))

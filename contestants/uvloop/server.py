"""The echo server of asyncio's documentation as a protocol, on uvloop."""

import asyncio
import sys

import uvloop


class Echo(asyncio.Protocol):
    """Returns what comes."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Return it."""
        self.transport.write(data)


async def main(host: str, port: str) -> None:
    """Serve."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Echo, host, int(port), backlog=1024)
    await server.serve_forever()


with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
    runner.run(main(*sys.argv[1:]))

"""What this machine's network can do, and which part of it is ours alone."""

from __future__ import annotations

import ipaddress
import os
import socket

# An address of the loopback for this process of tests: while a port of it is free between a server
# and its successor, or refuses for a test's sake, no other process is given it.
HOST = str(ipaddress.IPv4Address("127.1.0.0") + os.getpid())


def has_ipv6() -> bool:
    """Whether the loopback has an address of version 6."""
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True

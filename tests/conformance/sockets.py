"""What this machine's network can do."""

from __future__ import annotations

import socket


def has_ipv6() -> bool:
    """Whether the loopback has an address of version 6."""
    with socket.socket(socket.AF_INET6) as probe:
        try:
            probe.bind(("::1", 0))
        except OSError:
            return False
    return True

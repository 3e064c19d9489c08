"""A peer that is gone without a FIN or a reset, as one whose machine or cable has failed."""

from __future__ import annotations

import socket

import pytest

TCP_REPAIR = 19  # linux/tcp.h: a socket that is closed while it is on says nothing


def vanish(peer: socket.socket) -> None:
    """Close the socket so that the other end hears nothing of it."""
    try:
        peer.setsockopt(socket.IPPROTO_TCP, TCP_REPAIR, 1)
    except PermissionError:
        pytest.skip("this machine does not let us close a socket in silence (CAP_NET_ADMIN)")
    finally:
        peer.close()

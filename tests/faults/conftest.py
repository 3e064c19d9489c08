"""The engines and the services, as the conformance suite has them."""

from __future__ import annotations

from tests.conformance.conftest import engine, pytest_collection_modifyitems, service

__all__ = ["engine", "pytest_collection_modifyitems", "service"]

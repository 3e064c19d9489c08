"""Every field of a document in turn, with each value that no program of ours has written there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

Place = tuple[str | int, ...]

ABSENT = object()
VALUES = [
    10**400, 2**63, 2**63 - 1, 10**9, -1, 0, 1e300, 1e19, 0.5, -0.5, True, None, "", "x", [], {},
    ABSENT,
]  # fmt: skip


def mutants(document: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - any JSON
    """What is changed, and the document with that change alone."""
    for place in places(document):
        for value in VALUES:
            shown = "absent" if value is ABSENT else repr(value)[:20]
            yield f"{'.'.join(map(str, place))}: {shown}", changed(document, place, value)


def places(document: Any, before: Place = ()) -> Iterator[Place]:  # noqa: ANN401 - as above
    """Each key, and the first entry of each list, from the outermost on."""
    inner: list[tuple[str | int, Any]] = []
    if isinstance(document, dict):
        inner = list(document.items())
    elif isinstance(document, list):
        inner = list(enumerate(document[:1]))
    for key, value in inner:
        yield (*before, key)
        yield from places(value, (*before, key))


def changed(document: Any, place: Place, value: object) -> Any:  # noqa: ANN401 - as above
    """A copy with another value at a place, or none."""
    key, *rest = place
    copy = document.copy()
    if rest:
        copy[key] = changed(document[key], tuple(rest), value)
    elif value is ABSENT:
        del copy[key]
    else:
        copy[key] = value
    return copy

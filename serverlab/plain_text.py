"""Text of others, made fit to be shown: nothing in it commands a terminal or reverses a line."""

from __future__ import annotations

import json
import re

# Control characters but tab and line feed (C0, DEL, C1), what changes the direction of text or is
# not seen (Unicode's bidirectional and other format characters, tags, separators of lines), and
# halves of surrogate pairs, which stand for bytes that are no UTF-8. Joiners, which scripts and
# emoji need, are left.
HIDDEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff"
    r"\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)
BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


def plain(text: str) -> str:
    r"""The text with each hidden character as an escape: `\x1b`, `\u202e`."""
    return HIDDEN.sub(lambda found: escape(found[0]), text)


def plain_json(text: str, *, ascii_only: bool = False) -> str:
    """A document in JSON with each hidden character as JSON escapes it: the same document."""
    escaped = HIDDEN.sub(lambda found: json.dumps(found[0])[1:-1], text)
    if not ascii_only:
        return escaped
    return BEYOND_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], escaped)


def escape(character: str) -> str:
    """How Python writes the character."""
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")

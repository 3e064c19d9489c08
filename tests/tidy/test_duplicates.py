"""No two engines say a thing in the same words: what they share has a file of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import combinations

from tests.tidy.limits import LIMITS, DuplicateLimits
from tests.tidy.tree import Source, Tree, expect_none

# Lines that are alike in any two files and say nothing: includes, namespaces, closing brackets.
SAYS_NOTHING = re.compile(r"#.*|(namespace\b.*|\W*)")

Lines = Sequence[tuple[int, str]]  # with their numbers in the file


def telling_lines(source: Source) -> list[tuple[int, str]]:
    """The lines that say something, without comments and blanks."""
    stripped = (
        (number, re.sub(r"\s+", "", re.sub(r"//.*", "", line)))
        for number, line in enumerate(source.lines, 1)
    )
    return [(number, line) for number, line in stripped if not SAYS_NOTHING.fullmatch(line)]


def shared_runs(first: Lines, second: Lines, lines_min: int) -> Iterator[tuple[int, int, int]]:
    """Where runs of equal lines begin in both, and how long they are: the longest only."""
    places: dict[str, list[int]] = {}
    for at, (_, line) in enumerate(second):
        places.setdefault(line, []).append(at)
    lengths: dict[int, int] = {}  # of the run that ends at a place of `second`
    for i, (_, line) in enumerate(first):
        lengths = {at: lengths.get(at - 1, 0) + 1 for at in places.get(line, [])}
        for at, length in lengths.items():
            ends = (
                i + 1 == len(first) or at + 1 == len(second) or first[i + 1][1] != second[at + 1][1]
            )
            if ends and length >= lines_min:
                yield first[i - length + 1][0], second[at - length + 1][0], length


def duplicates(tree: Tree, limits: DuplicateLimits) -> Iterator[str]:
    """Runs of equal lines in two files."""
    sources = [(source, telling_lines(source)) for source in tree.matching(limits.files)]
    for (first, first_lines), (second, second_lines) in combinations(sources, 2):
        for here, there, length in shared_runs(first_lines, second_lines, limits.lines_min):
            yield first.at(here, f"{length} lines as in {second.path}:{there}")


def test_no_two_engines_have_a_passage_in_common(tree: Tree) -> None:
    expect_none(duplicates(tree, LIMITS.duplicates))


PASSAGE = "".join(f"  step_{i}();\n" for i in range(LIMITS.duplicates.lines_min))


def found(first: str, second: str) -> list[str]:
    """What is found in two engines of these texts."""
    return list(
        duplicates(Tree.of({"engines/a.cpp": first, "engines/b.h": second}), LIMITS.duplicates)
    )


def test_a_passage_in_common_is_found_once_with_its_whole_length() -> None:
    lines = LIMITS.duplicates.lines_min + 1
    assert found(f"a();\n{PASSAGE}c();\n", f"\nb();\n{PASSAGE}c();\nd();\n") == [
        f"engines/a.cpp:2: {lines} lines as in engines/b.h:3"
    ]


def test_blanks_comments_and_brackets_hide_no_passage() -> None:
    spread = PASSAGE.replace(";\n", ";  // why\n\n}\n").replace("(", " (")
    assert len(found(PASSAGE, spread)) == 1


def test_a_shorter_passage_and_equal_includes_are_left_alone() -> None:
    assert found(PASSAGE.split("\n", 1)[1], PASSAGE) == []
    includes = "".join(f"#include <h{i}>\n" for i in range(20))
    assert found(includes, includes) == []

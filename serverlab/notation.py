"""How numbers are written: three significant digits, a unit that suits them, thousands apart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from serverlab.quantities import Level

DIGITS = 3
NARROW_SPACE = "\u202f"  # it does not break, so that a number stays in one piece
MANY = 4  # of a unit, before it is used for a range: its low end would drown in decimals
NEAR_ONE = 0.05
SHARE_MIN = 0.1  # percent; no run is that exact
COUNTED = {"threads", "descriptors"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """A unit, and how many of the base unit it is."""

    symbol: str
    size: float = 1


# From small to large; the base units are nanoseconds and bytes.
LADDERS = {
    "time": (
        Unit(symbol="µs", size=1e3),
        Unit(symbol="ms", size=1e6),
        Unit(symbol="s", size=1e9),
    ),
    "memory": (
        Unit(symbol="KiB", size=2**10),
        Unit(symbol="MiB", size=2**20),
        Unit(symbol="GiB", size=2**30),
    ),
}


def unit_for(kind: str, values: Iterable[float], *, least: float = MANY) -> Unit:
    """The largest unit of which the highest value holds `least`; another kind is its own unit."""
    ladder = LADDERS.get(kind)
    if ladder is None:
        return Unit(symbol=kind)
    highest = max(values, default=0)
    return next((unit for unit in reversed(ladder) if highest >= least * unit.size), ladder[0])


def number(value: float) -> str:
    """Three significant digits, without an exponent: 61 200, 4.10, 0.000512."""
    if value == 0:
        return "0"
    magnitude = math.floor(math.log10(abs(value)))
    rounded = round(value, DIGITS - 1 - magnitude)
    if abs(rounded) >= 10 ** (magnitude + 1):  # 9.996 became 10.0
        magnitude += 1
    decimals = max(0, DIGITS - 1 - magnitude)
    return f"{rounded:,.{decimals}f}".replace(",", NARROW_SPACE)


def count(value: float) -> str:
    """A count in full."""
    return f"{value:,.15g}".replace(",", NARROW_SPACE)


def in_unit(value: float, unit: Unit) -> str:
    """A number in its unit, without the unit; what is counted is written in full."""
    return count(value) if unit.symbol in COUNTED else number(value / unit.size)


def amount(value: float, unit: Unit) -> str:
    """A number in its unit, with the unit."""
    return f"{in_unit(value, unit)}{NARROW_SPACE}{unit.symbol}"


def readable(value: float, kind: str) -> str:
    """A single value in the unit that suits it best."""
    return amount(value, unit_for(kind, [value], least=1))


def ratio_text(value: float) -> str:
    """A ratio; near 1 it has a third decimal, which shows on which side of 1 it lies."""
    return f"{value:.3f}" if abs(value - 1) < NEAR_ONE else number(value)


def difference(factor: float) -> str:
    """How far a factor is from 1: 1.034 is 3.4 %, and what doubles is a factor of its own."""
    if math.isinf(factor):
        return "anything"
    if factor >= 2:
        return f"a factor of {number(factor)}"
    share = 100 * (factor - 1)
    if share < SHARE_MIN:
        return f"less than {SHARE_MIN}{NARROW_SPACE}%"
    return f"{share:.1f}{NARROW_SPACE}%" if share < 10 else f"{share:.0f}{NARROW_SPACE}%"


def level_text(level: Level) -> str:
    """A factor's level as the experiment file has it, a long number with its thousands apart."""
    return level if isinstance(level, str) else count(level)


def listed(names: Sequence[str]) -> str:
    """Names in a row: a, b and c."""
    if len(names) <= 1:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"

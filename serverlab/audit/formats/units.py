"""Figures with units, as tools print them."""

from __future__ import annotations

import re

SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0}
SECONDS |= {"sec": 1.0, "secs": 1.0, "seconds": 1.0, "h": 3600.0}
FACTORS = {"": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}
NUMBER = r"[0-9]+(?:\.[0-9]+)?"
TIME = re.compile(rf"({NUMBER})\s*([a-zµ]+)")


def seconds(text: str) -> float:
    """Seconds of "173us", "6.20ms" or "2.00m". Raises ValueError."""
    match = TIME.fullmatch(text.strip())
    if match is None or match[2] not in SECONDS:
        raise ValueError(f"'{text}' is no time")
    return float(match[1]) * SECONDS[match[2]]


def half_digit_s(text: str) -> float:
    """Half a unit of the last digit of a time, in seconds: that of "1.20ms" is 5 µs."""
    match = TIME.fullmatch(text.strip())
    if match is None or match[2] not in SECONDS:
        raise ValueError(f"'{text}' is no time")
    decimals = len(match[1].partition(".")[2])
    return 0.5 * 10.0**-decimals * SECONDS[match[2]]


def scaled(text: str) -> float:
    """A number of "80.26k". Raises ValueError."""
    match = re.fullmatch(rf"({NUMBER})([kMG]?)", text.strip())
    if match is None:
        raise ValueError(f"'{text}' is no number")
    return float(match[1]) * FACTORS[match[2]]

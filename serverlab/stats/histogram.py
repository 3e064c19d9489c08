"""Latency histograms as serverlab-load writes them: decoded, merged, asked for quantiles.

The encoding is HdrHistogram's V2, compressed, in base64, with 3 significant digits and 1 as the
lowest value. Merging adds counts, so a quantile of merged trials is that of all their requests,
which no average of the trials' quantiles is.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy

from serverlab.stats.order import rank_interval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

# The low four bits of a cookie name the word size of the counts; 0x10 is "variable length".
COMPRESSED_COOKIE = 0x1C849304 | 0x10
PLAIN_COOKIE = 0x1C849303 | 0x10
PLAIN_HEADER = struct.Struct(">IIIIQQd")  # cookie, length, offset, digits, lowest, highest, ratio

SIGNIFICANT_DIGITS = 3
SUB_BITS = 11  # 2048 sub-buckets hold 2 × 10³ steps, which 3 digits need
VARINT_BYTES_MAX = 8  # a ninth byte would count more requests than an experiment can make


class BadHistogramError(ValueError):
    """The text is no histogram of the kind that serverlab-load writes."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Counts by bucket, and the requests that were never answered: they lie beyond all buckets."""

    counts: NDArray[numpy.int64]
    unanswered: int = 0

    @property
    def total(self) -> int:
        """Requests, answered or not."""
        return int(self.counts.sum()) + self.unanswered

    def quantile(self, share: float) -> int | None:
        """The highest value of the bucket in which the quantile lies; None among the unanswered."""
        if self.total == 0:
            return None
        return self.at(max(1, math.floor(share * self.total + 0.5)))  # HdrHistogram's rule

    def interval(self, share: float) -> tuple[int | None, int | None]:
        """Between which values the quantile lies, if requests do not depend on each other.

        None where nothing bounds it: too few requests, or the bound is among the unanswered.
        """
        low, high = rank_interval(self.total, share)
        return (
            self.at(low) if low > 0 else None,
            self.at(high) if high <= self.total else None,
        )

    def at(self, rank: int) -> int | None:
        """The highest value of the bucket that holds a rank, from 1; None of an unanswered one."""
        cumulated = numpy.cumsum(self.counts)
        index = int(numpy.searchsorted(cumulated, rank))
        return highest_of(index) if index < len(cumulated) else None


def merge(histograms: Iterable[Histogram]) -> Histogram:
    """The histogram of all their requests together."""
    parts = list(histograms)
    counts = numpy.zeros(max((len(part.counts) for part in parts), default=0), dtype=numpy.int64)
    for part in parts:
        counts[: len(part.counts)] += part.counts
    return Histogram(counts, sum(part.unanswered for part in parts))


def decode(text: str, unanswered: int = 0) -> Histogram:
    """Read an `hdr` field. @raises BadHistogramError if it is of another kind."""
    try:
        packed = base64.b64decode(text, validate=True)
        cookie, size = struct.unpack_from(">II", packed)
        if cookie != COMPRESSED_COOKIE:
            raise BadHistogramError(f"{cookie:#x} is not the cookie of a compressed V2 histogram")
        plain = zlib.decompress(packed[8 : 8 + size])
        cookie, length, _, digits, lowest, _, _ = PLAIN_HEADER.unpack_from(plain)
    except (binascii.Error, struct.error, zlib.error) as error:
        raise BadHistogramError(f"not an HdrHistogram: {error}") from error
    if (cookie, digits, lowest) != (PLAIN_COOKIE, SIGNIFICANT_DIGITS, 1):
        raise BadHistogramError(f"{digits} significant digits from {lowest} are not read here")
    words = varints(plain[PLAIN_HEADER.size : PLAIN_HEADER.size + length])
    return Histogram(spread_out(words), unanswered)


def varints(encoded: bytes) -> NDArray[numpy.int64]:
    """ZigZag LEB128: seven bits a byte, lowest first; the sign is the lowest bit of all."""
    data = numpy.frombuffer(encoded, dtype=numpy.uint8)
    if len(data) == 0:
        return numpy.zeros(0, dtype=numpy.int64)
    ends = numpy.flatnonzero(data < 0x80)
    lengths = numpy.diff(ends, prepend=-1)
    if len(ends) == 0 or ends[-1] != len(data) - 1 or lengths.max() > VARINT_BYTES_MAX:
        raise BadHistogramError("a count is cut off, or too large to be one")
    starts = ends - lengths + 1
    place = numpy.arange(len(data)) - numpy.repeat(starts, lengths)
    bits = (data & 0x7F).astype(numpy.int64) << (7 * place)
    numbers = numpy.add.reduceat(bits, starts)
    return (numbers >> 1) ^ -(numbers & 1)


def spread_out(words: NDArray[numpy.int64]) -> NDArray[numpy.int64]:
    """Counts in bucket order; a negative word -n stands for n empty buckets."""
    steps = numpy.where(words < 0, -words, 1)
    ends = numpy.cumsum(steps)
    size = int(ends[-1]) if len(ends) else 0
    if size > index_of(numpy.iinfo(numpy.int64).max) + 1:
        raise BadHistogramError("more buckets than there are values")
    counts = numpy.zeros(size, dtype=numpy.int64)
    is_count = words >= 0
    counts[ends[is_count] - 1] = words[is_count]
    return counts


def index_of(value: int) -> int:
    """The bucket of a value: 2048 of width 1, then 1024 of each power of two."""
    exponent = max(0, value.bit_length() - SUB_BITS)
    return (exponent << (SUB_BITS - 1)) + (value >> exponent)


def highest_of(index: int) -> int:
    """The highest value of a bucket."""
    exponent = max(0, (index >> (SUB_BITS - 1)) - 1)
    sub = index - (exponent << (SUB_BITS - 1))
    return ((sub + 1) << exponent) - 1


def encode(histogram: Histogram) -> str:
    """The `hdr` field of a histogram: what `decode` reads, but for the unanswered requests."""
    used = numpy.flatnonzero(histogram.counts)
    words: list[int] = []
    before = -1
    for index in used.tolist():
        if empty := index - before - 1:
            words.append(-empty)
        words.append(int(histogram.counts[index]))
        before = index
    body = b"".join(varint(word) for word in words)
    highest = max(2, highest_of(before)) if len(used) else 2
    header = PLAIN_HEADER.pack(PLAIN_COOKIE, len(body), 0, SIGNIFICANT_DIGITS, 1, highest, 1.0)
    packed = zlib.compress(header + body)
    return base64.b64encode(struct.pack(">II", COMPRESSED_COOKIE, len(packed)) + packed).decode()


def varint(word: int) -> bytes:
    """A word in ZigZag LEB128."""
    bits = word << 1 if word >= 0 else (-word << 1) - 1
    encoded = bytearray()
    while bits > 0x7F:
        encoded.append(bits & 0x7F | 0x80)
        bits >>= 7
    encoded.append(bits)
    return bytes(encoded)

"""The scaling law: what made the figures is found again, and what did not is refused."""

from __future__ import annotations

import math

import numpy
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from serverlab.stats.usl import NoFitError, Parameters, fit, predicted

NUMBERS = (1, 4, 16, 64, 256)
Figures = dict[float, dict[int, float]]


def figures_of(
    parameters: Parameters, *, noise: float = 0, blocks: int = 5, seed: int = 1
) -> Figures:
    """What a server that obeys the law gives on a machine that drifts."""
    drawn = numpy.random.default_rng(seed)
    drift = numpy.exp(0.1 * (noise > 0) * drawn.standard_normal(blocks))
    return {
        number: {
            block: predicted(number, parameters)
            * drift[block]
            * math.exp(noise * drawn.standard_normal())
            for block in range(blocks)
        }
        for number in NUMBERS
    }


@given(rate=st.floats(100, 1e5), serial=st.floats(0, 0.9), crosstalk=st.floats(1e-5, 1e-2))
@hypothesis_settings(max_examples=15, deadline=None)
def test_the_parameters_of_exact_figures_are_found(
    rate: float, serial: float, crosstalk: float
) -> None:
    law = fit(figures_of((rate, serial, crosstalk)))
    assert law.rate.value == pytest.approx(rate, rel=1e-4)
    assert law.serial.value == pytest.approx(serial, rel=1e-3, abs=1e-5)
    assert law.crosstalk.value == pytest.approx(crosstalk, rel=1e-3)
    assert law.peak == pytest.approx(math.sqrt((1 - serial) / crosstalk), rel=1e-3)
    assert law.miss < 1e-4


@pytest.mark.parametrize("blocks", [3, 5])
@pytest.mark.parametrize("true", [(1000.0, 0.03, 1e-4), (8000.0, 0.8, 1e-5)])
def test_the_intervals_hold_the_true_parameters(true: Parameters, blocks: int) -> None:
    held = numpy.zeros(4)
    peak = math.sqrt((1 - true[1]) / true[2])
    for seed in range(40):
        law = fit(figures_of(true, noise=0.02, blocks=blocks, seed=seed))
        found = (law.rate, law.serial, law.crosstalk)
        intervals = [*((one.low, one.high) for one in found), law.peak_interval]
        truths = (*true, peak)
        held += [low <= one <= high for (low, high), one in zip(intervals, truths, strict=True)]
    assert (held >= 33).all()  # of 40, of which 38 are to be expected


def test_a_law_without_crosstalk_has_no_peak() -> None:
    law = fit(figures_of((1000, 0.1, 0)))
    assert law.peak > 1e5
    assert law.at(1e4) == pytest.approx(1000 / 0.1, rel=0.01)


def test_one_block_gives_parameters_without_intervals() -> None:
    law = fit(figures_of((1000, 0.1, 1e-4), blocks=1))
    assert law.serial.value == pytest.approx(0.1, rel=1e-3)
    assert not law.serial.has_interval


def test_a_level_that_lacks_a_block_is_used_all_the_same() -> None:
    figures = figures_of((1000, 0.1, 1e-4))
    del figures[16][2]
    assert fit(figures).serial.value == pytest.approx(0.1, rel=1e-3)


def without(figures: Figures, *numbers: float) -> Figures:
    return {number: {} if number in numbers else own for number, own in figures.items()}


PLAIN = figures_of((1000, 0.1, 1e-4))
REFUSED: dict[str, tuple[Figures, str]] = {
    "too few levels": (without(PLAIN, 16), "4 levels have a figure, and 5 are needed"),
    "nothing": ({}, "0 levels have a figure"),
    "no number": ({0: {1: 10.0}} | PLAIN, "a level of 0 is no number of anything"),
    "another law": (
        {number: {1: rate} for number, rate in zip(NUMBERS, (9, 90, 8, 70, 7), strict=True)},
        "the law does not describe them: it misses them by",
    ),
    "faster than in proportion": (
        {number: {1: number**2.0} for number in NUMBERS}, "follows from these levels|misses",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("figures", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_has_no_such_law_is_refused_with_the_reason(figures: Figures, reason: str) -> None:
    with pytest.raises(NoFitError, match=reason):
        fit(figures)


def test_what_falls_from_the_first_on_has_its_peak_there() -> None:
    law = fit(figures_of((1000, 2, 1e-4)))
    assert law.peak < 1
    assert law.at(1) > law.at(4)

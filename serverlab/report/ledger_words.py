"""What a ledger says, in sentences and as tables of text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.notation import NARROW_SPACE, listed
from serverlab.slices import ENTERING, KERNEL, KERNEL_THREAD, PREEMPTION, SOFTIRQ, USER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from serverlab.analysis.ledger import Difference, Ledger, Part, PartDifference
    from serverlab.analysis.ledger_sums import Estimate

NAMES = {
    USER: "user mode",
    SOFTIRQ: "interrupts (softirq)",
    KERNEL_THREAD: "its kernel threads",
    PREEMPTION: "preemption",
    ENTERING: "entering calls (filter)",
    KERNEL: "the kernel",
}
NAMED_MAX = 5  # parts in a sentence
NAMED_SHARE = 0.02  # of the whole: smaller ones are in the table alone
SHOWN_SHARE = 0.002  # of the whole: smaller parts are added up in one row
WAITS_MIN = 0.001  # in a request: rarer ones are no row
OTHERS, REST, WHOLE = "other calls", "in no part", "all of it"
NS_IN_US = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """A table as text."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]


def sentences(
    ledgers: Sequence[Ledger], differences: Sequence[Difference], without_probe: str = ""
) -> list[str]:
    """What was found, the answer first; `without_probe` says why there was none."""
    answers = [difference_sentence(one) for one in differences] or [cost_sentence(ledgers[0])]
    about_probe = (
        f"What in the kernel takes the time is not known: {without_probe}."
        if without_probe
        else probe_sentence(ledgers)
    )
    return [*answers, *rest_sentences(ledgers, differences), about_probe]


def difference_sentence(one: Difference) -> str:
    """How much more a server costs than another, and by which parts."""
    if not one.cpu_ns.is_known:
        return (
            f"{one.subject} and {one.baseline} are not distinguishable in server CPU time per "
            f"request: the difference is {with_interval(one.cpu_ns)}."
        )
    more = "more" if one.cpu_ns.value > 0 else "less"
    least_ns = NAMED_SHARE * abs(one.cpu_ns.value)
    named = [
        part for part in one.parts if part.cpu_ns.is_known and abs(part.cpu_ns.value) >= least_ns
    ]
    parts = listed([part_words(part) for part in named[:NAMED_MAX]])
    return (
        f"A request costs {one.subject} {with_interval(one.cpu_ns.distance)} {more} of server CPU "
        f"time than {one.baseline}{': ' if parts else ''}{parts}."
    )


def part_words(part: PartDifference) -> str:
    """How much more a part costs, and whether since it is called more often."""
    how_much = time_text(abs(part.cpu_ns.value))
    if part.is_new:
        return f"{how_much} in {name_of(part.name)}"
    more = "more" if part.cpu_ns.value > 0 else "less"
    text = f"{how_much} {more} in {name_of(part.name)}"
    by_calls = part.by_calls_ns
    if part.name == USER or part.is_gone or not by_calls.is_known:
        return text
    if abs(by_calls.value) < abs(part.by_price_ns.value):
        return text
    return f"{text} ({'more' if by_calls.value > 0 else 'fewer'} calls)"


def cost_sentence(one: Ledger) -> str:
    """What a request costs a server, by its most expensive parts."""
    least_ns = NAMED_SHARE * one.cpu_ns.value
    largest = [part for part in one.parts if part.cpu_ns.value >= least_ns][:NAMED_MAX]
    parts = [f"{time_text(part.cpu_ns.value)} in {name_of(part.name)}" for part in largest]
    return (
        f"A request costs {one.subject} {with_interval(one.cpu_ns)} of server CPU time: "
        f"{listed(parts)}."
    )


def rest_sentences(ledgers: Sequence[Ledger], differences: Sequence[Difference]) -> list[str]:
    """That the parts do not add up, where they do not."""
    found = [(f"the CPU time of {one.subject}", one.rest_ns, one.cpu_ns) for one in ledgers]
    if differences:
        found = [("the difference", one.rest_ns, one.cpu_ns) for one in differences]
    return [
        f"Of {what}, {with_interval(rest)} is in no part."
        for what, rest, whole in found
        if rest.is_known and abs(rest.value) > (whole.high - whole.low) / 2
    ]


def probe_sentence(ledgers: Sequence[Ledger]) -> str:
    """What the probe costs."""
    costs = [f"{one.subject} {with_interval(one.probe_ns)}" for one in ledgers]
    return (
        f"The probe costs a request of {listed(costs)}, as slices with and without it say; all "
        "figures are without it."
    )


def name_of(part: str) -> str:
    """A part as a person reads it."""
    return NAMES.get(part, part)


def cost_table(ledgers: Sequence[Ledger], differences: Sequence[Difference]) -> Cells:
    """The CPU time of a request, a row a part, the most expensive first."""
    by_name = [{part.name: part for part in one.parts} for one in ledgers]
    shown = shown_parts(ledgers)
    rows = [cost_row(name, by_name, differences) for name in shown]
    if others := {name for parts in by_name for name in parts}.difference(shown):
        sums_ns = [sum(cost_ns(parts, name) for name in others) for parts in by_name]
        more = [in_us(sums_ns[1] - sums_ns[0], sign="+")] if differences else []
        rows.append((OTHERS, *(cell for value in sums_ns for cell in ("", in_us(value))), *more))
    for title, figure in ((REST, "rest_ns"), (WHOLE, "cpu_ns")):
        cells = [cell for one in ledgers for cell in ("", in_us(getattr(one, figure).value))]
        more = [change(getattr(one, figure)) for one in differences]
        rows.append((title, *cells, *more))
    heads = [cell for one in ledgers for cell in (f"{one.subject}: calls", "in all")]
    return Cells(
        title="Server CPU time of a request, in µs",
        head=("", *heads, *("difference" for _ in differences)),
        rows=rows,
    )


def shown_parts(ledgers: Sequence[Ledger]) -> list[str]:
    """The parts that are more than next to nothing in one of the servers, the largest first."""
    by_name = [{part.name: part for part in one.parts} for one in ledgers]
    least_ns = SHOWN_SHARE * max(one.cpu_ns.value for one in ledgers)
    most_ns = {
        name: max(cost_ns(parts, name) for parts in by_name) for parts in by_name for name in parts
    }
    shown = [name for name, value_ns in most_ns.items() if value_ns >= least_ns]
    return sorted(shown, key=lambda name: -most_ns[name])


def cost_ns(parts: dict[str, Part], name: str) -> float:
    """What a part costs a server that may not have it."""
    return parts[name].cpu_ns.value if name in parts else 0


def cost_row(
    name: str, by_name: Sequence[dict[str, Part]], differences: Sequence[Difference]
) -> tuple[str, ...]:
    """A part, for each server."""
    cells: list[str] = []
    for parts in by_name:
        part = parts.get(name)
        if part is None or part.calls.value == 0:
            cells += ["", "–" if part is None else in_us(part.cpu_ns.value)]
        else:
            calls, each_ns = part.calls.value, part.cpu_ns.value / part.calls.value
            cells += ["" if name == USER else f"{calls:.2f} × {in_us(each_ns)}"]
            cells += [in_us(part.cpu_ns.value)]
    more = [change(part.cpu_ns) for one in differences for part in one.parts if part.name == name]
    return name_of(name), *cells, *more


def wait_table(ledgers: Sequence[Ledger]) -> Cells:
    """What the threads of a server wait for within a request, off the CPU."""
    by_name = [{part.name: part for part in one.parts} for one in ledgers]
    waits: dict[str, float] = {}
    for parts in by_name:
        for name, part in parts.items():
            if part.blocks.value >= WAITS_MIN:
                waits[name] = max(waits.get(name, 0), part.blocked_ns.value)
    rows = [
        (f"waiting in {name_of(name)}", *(cell for parts in by_name for cell in wait(parts, name)))
        for name in sorted(waits, key=lambda name: -waits[name])
    ]
    for title, figure in (
        ("ready to run", "run_queue_ns"),
        ("locks of the kernel", "contended_ns"),
    ):
        sums_ns = [sum(getattr(part, figure).value for part in one.parts) for one in ledgers]
        if any(sums_ns):
            rows.append((title, *(cell for value in sums_ns for cell in ("", in_us(value)))))
    heads = [cell for one in ledgers for cell in (f"{one.subject}: times", "in all")]
    return Cells(
        title="Not on a CPU within a request, all threads together, in µs",
        head=("", *heads),
        rows=rows,
    )


def wait(parts: dict[str, Part], name: str) -> tuple[str, str]:
    """How often a server waits in a part, and how long."""
    part = parts.get(name)
    if part is None or part.blocks.value == 0:
        return "", "–"
    if part.blocked_ns.value == 0:  # without the probe that is not known
        return f"{part.blocks.value:.2f}", ""
    each_ns = part.blocked_ns.value / part.blocks.value
    return f"{part.blocks.value:.2f} × {in_us(each_ns)}", in_us(part.blocked_ns.value)


def in_us(value_ns: float, *, sign: str = "-") -> str:
    """Microseconds, without the unit."""
    return f"{value_ns / NS_IN_US:{sign}.2f}".replace("-0.00", "0.00").replace("-", "−")


def change(one: Estimate) -> str:
    """A difference with its interval, in microseconds."""
    return f"{in_us(one.value, sign='+')} [{in_us(one.low)}, {in_us(one.high)}]"


def with_interval(one: Estimate) -> str:
    """A time with its interval."""
    return f"{time_text(one.value)} [{in_us(one.low)}, {in_us(one.high)}]"


def time_text(value_ns: float) -> str:
    """A time with its unit: microseconds, as in the tables."""
    return f"{in_us(value_ns)}{NARROW_SPACE}µs"

"""Where the CPU time goes that a request costs a server: in user mode, or in the kernel."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from serverlab.duel.outcome import stages
from serverlab.measures import KERNEL_CPU, SERVER_CPU, USER_CPU
from serverlab.notation import readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from serverlab.analysis.results import Results


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The two parts of a subject's CPU time of a request, each the median of the blocks."""

    subject: str
    where: str  # the level, in words; empty if there is one alone
    user_ns: float
    kernel_ns: float


def costs(shown: Results) -> Iterator[Cost]:
    """The parts for each subject, where a duel compares that cost and they are known."""
    for one, where in stages(shown):
        if not any(criterion.measure is SERVER_CPU for criterion in one.asked):
            continue
        for cell in one.cells:
            user, kernel = (cell.figures.get(part.name) for part in (USER_CPU, KERNEL_CPU))
            if user and kernel and cell.subject != shown.compared.axes.subjects.twin:
                yield Cost(
                    subject=cell.subject, where=where, user_ns=user.value, kernel_ns=kernel.value
                )


def cost_sentences(found: Sequence[Cost]) -> list[str]:
    """A sentence for each level."""
    return [
        f"CPU time of a request{f' {where}' if where else ''}, in user mode and in the kernel: "
        + "; ".join(words(one) for one in found if one.where == where)
        + "."
        for where in dict.fromkeys(one.where for one in found)
    ]


def words(cost: Cost) -> str:
    """The parts of one subject."""
    return f"{cost.subject} {readable(cost.user_ns, 'time')} and {readable(cost.kernel_ns, 'time')}"

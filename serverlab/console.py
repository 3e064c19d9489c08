"""Everything a person sees of the laboratory in a terminal. Nothing else prints."""

from __future__ import annotations

import contextlib
import logging
import time
from typing import TYPE_CHECKING, Self

from rich.console import Group
from rich.live import Live
from rich.padding import Padding
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar
from rich.table import Table
from rich.text import Text

from serverlab.design.plan import plan_max_s, plan_s, trial_s
from serverlab.errors import OutputError
from serverlab.load_result import Interval
from serverlab.quantities import readable_duration
from serverlab.report.aim import aim
from serverlab.running.events import Connected, Started
from serverlab.terminal import Terminal
from serverlab.verdicts import WRONG, VerdictName

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import RenderableType

    from serverlab.machine.doctor import Finding
    from serverlab.quantities import Level
    from serverlab.records import Plan, PlannedTrial, Trial
    from serverlab.report.answer import RatioTable
    from serverlab.running.events import Event

RECENT_TRIALS = 6
RATIO_ROWS = 24
STANDING_ROWS = 10  # what runs now has its place beside them, also on a small terminal
MARK_WIDTH = 9  # of a word before a line, and the blanks behind it, at least
PLANNED_SHOWN = 200  # trials of a plan; the rest is counted
GOOD, DOUBTFUL, BAD = "green", "yellow", "red"
VERDICT_STYLES: dict[str, str] = {VerdictName.VALID: GOOD, **dict.fromkeys(WRONG, BAD)}

Cell = str | Text  # of a table

console = Terminal("stdout")
errors = Terminal("stderr")


def say(text: str = "") -> None:
    """Print a line."""
    console.print(text, soft_wrap=True)


def heading(text: str) -> None:
    """Print what the lines below are about; on a terminal it is broken between words."""
    console.print(Text(text, style="bold"), soft_wrap=not console.is_terminal)


def sentence(text: str) -> None:
    """Print a sentence below a heading; on a terminal it is broken between words."""
    said = Text(text)
    console.print(
        Padding(said, (0, 0, 0, 2)) if console.is_terminal else said,
        soft_wrap=not console.is_terminal,
    )


def line(mark: Text, text: str) -> None:
    """Print a word, and a text beside it."""
    console.print(Text.assemble(mark, " " * max(2, MARK_WIDTH - len(mark)), text), soft_wrap=True)


def styled(text: str, style: str | None) -> Text:
    """A text in a style, as a cell of a table."""
    return Text(text, style=style or "")


def be(*, brief: bool, verbose: bool) -> None:
    """Print less than usual, or more: the command line of each program that is started."""
    console.is_brief = brief
    if verbose:
        log = logging.getLogger("serverlab")
        log.setLevel(logging.INFO)
        log.addHandler(Log())


class Log(logging.Handler):
    """Prints what the laboratory logs on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line."""
        errors.print(record.getMessage(), soft_wrap=True)


@contextlib.contextmanager
def quietened(*, quiet: bool = False) -> Iterator[None]:
    """Print nothing in the block but complaints, if it, what is around it or all is to be quiet.

    For what leads to an answer: `--quiet` keeps the answer.
    """
    with silenced(silent=quiet or console.is_brief):
        yield


@contextlib.contextmanager
def silenced(*, silent: bool) -> Iterator[None]:
    """Print nothing in the block but complaints, if it or what is around it is to be silent.

    For an answer that is written in another form.
    """
    was = console.quiet
    console.quiet = was or silent
    try:
        yield
    finally:
        console.quiet = was


def table_of(*columns: str) -> Table:
    """An empty table with these columns."""
    return Table(*columns)


def ratios(table: RatioTable) -> None:
    """Print ratios with their intervals, a row a subject: at most those of two dozen."""
    say()
    say(table.title)
    with console.as_wide_as_needed():
        console.print(ratio_rows(table, RATIO_ROWS))
    if left := len(table.rows[RATIO_ROWS:]):
        sentence(f"… and {left} more in the report")
    sentence(table.note)
    say()


def ratio_rows(table: RatioTable, rows_max: int) -> Table:
    """The first rows of ratios, below the levels that they are of."""
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for level in table.head:
        shown.add_column(level, overflow="fold")
    for row in table.rows[:rows_max]:
        shown.add_row(*row)
    return shown


def show(table: Table) -> None:
    """Print a table, whole: what has no blank in it, such as a path, is broken last."""
    for column in table.columns:
        cells = [*column.cells, column.header]
        column.no_wrap = column.no_wrap or not any(" " in str(cell) for cell in cells)
        column.overflow = "fold"
    with console.as_wide_as_needed():
        console.print(table)


def complain(text: str) -> None:
    """Print the one sentence of a failure on stderr; on a terminal it is broken between words."""
    style = BAD if errors.is_terminal else None
    with contextlib.suppress(OutputError):  # then nothing is left to write to
        errors.print(f"serverlab: {text}", style=style, soft_wrap=not errors.is_terminal)


def describe(cell: dict[str, Level]) -> str:
    """A cell in a few words: "epoll-level, 64 connections"."""
    rest = [counted(value, key) for key, value in cell.items() if key != "engine"]
    return ", ".join([str(cell.get("engine", "")), *rest])


def describe_group(group: Sequence[PlannedTrial]) -> str:
    """Trials that are run together: "b1-003  2 engines in turns, 64 connections"."""
    first = group[0]
    if len(group) == 1:
        return f"{first.trial}  {describe(first.cell)}"
    cell = first.cell | {"engine": f"{len(group)} engines in turns"}
    return f"{first.trial}  {describe(cell)}"


def counted(value: object, name: str) -> str:
    """A level with its factor: "64 connections", "1 connection", "payload 64 B"."""
    if not isinstance(value, int):
        return f"{name} {value}"
    return f"{value} {name.removesuffix('s') if value == 1 else name}"


def design_of(plan: Plan) -> str:
    """The kind of design; where the laboratory has chosen against slices, the reason."""
    return f"{plan.design} ({plan.design_reason})" if plan.design_reason else plan.design


def plan_table(plan: Plan, most: int) -> Table:
    """What would run, and in which order: so many trials at most."""
    table = Table(title=Text(plan.question), title_justify="left", caption_justify="left")
    table.caption = (
        f"{len(plan.trials):,} trials, {design_of(plan)}, about {readable_duration(plan_s(plan))}; "
        f"{at_most(plan)}seed {plan.seed}; "
        f"baseline {plan.baseline}" + (f", once more as '{plan.twin}'" if plan.twin else "")
    )
    table.add_column("block", justify="right")
    table.add_column("trial")
    for name in plan.factors:
        table.add_column(name)
    for trial in plan.trials[:most]:
        table.add_row(str(trial.block), trial.trial, *map(str, trial.cell.values()))
    if left := len(plan.trials[most:]):
        table.add_row("", f"… and {left:,} more: --all")
    return table


def at_most(plan: Plan) -> str:
    """What a plan may grow to, where a precision is wanted."""
    if plan.precision is None:
        return ""
    return (
        f"blocks are added, up to {plan.blocks_max}, until each ratio to the baseline is known to "
        f"{aim(plan)}: at most {readable_duration(plan_max_s(plan))}; "
    )


def doctor_table(findings: list[Finding]) -> Table:
    """What was looked at, and what to do about it."""
    table = Table("", "what", "found", "advice")
    for finding in findings:
        mark, style = (
            ("✗", BAD) if finding.spoils else ("!", DOUBTFUL) if finding.advice else ("✓", GOOD)
        )
        table.add_row(styled(mark, style), finding.what, finding.found, finding.advice)
    return table


def words_for(event: Event) -> str:
    """What a load is doing, by its last event; empty if that says nothing new."""
    match event:
        case Started():
            return "connecting …"
        case Connected():
            return "warming up …"
        case Interval():
            rate_per_s = event.completed / event.duration_s if event.duration_s else 0
            p99 = "unanswered" if event.p99_ns is None else f"{event.p99_ns / 1e6:.2f} ms"
            return f"{rate_per_s:,.0f}/s  p99 {p99}"
    return ""


class Ticker:
    """Trials one after the other, whose number is not known beforehand."""

    def __init__(self) -> None:
        """Show nothing yet."""
        self.live = Live(console=console, refresh_per_second=4, transient=True)
        self.what = ""

    def __enter__(self) -> Self:
        if console.is_terminal:
            self.live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.live.stop()

    def begin(self, what: str) -> None:
        """A trial begins."""
        self.what = what
        self.live.update(Text(f"{what} …", no_wrap=True, overflow="ellipsis"))

    def event(self, event: Event) -> None:
        """The load of the current trial says something."""
        if said := words_for(event):
            self.live.update(Text(f"{self.what}  {said}", no_wrap=True, overflow="ellipsis"))

    def end(self, line: str, mark: str, reason: str = "", *, style: str = GOOD) -> None:
        """A trial has ended."""
        text = Text(line)
        text.append(f"  {mark}", style=style)
        text.append(f"  {reason}" if reason else "")
        if console.is_terminal:  # a trial has a line, and what does not fit is in its record
            text.truncate(console.width, overflow="ellipsis")
        console.print(text, soft_wrap=True)


def then(plan: Plan) -> str:
    """What follows the trials of a plan, if it has a precision to reach."""
    if plan.precision is None:
        return ""
    time = plan.time_max_s
    most = readable_duration(time) if time else f"{plan.blocks_max} blocks"
    return f"; then more blocks until the ratios are precise enough, {most} at most"


class Progress:
    """A run as it goes: what runs now and how fast, what has run, how long it takes yet.

    And how the ratios stand after the blocks so far.
    """

    def __init__(self, standing: Callable[[], RatioTable | None] = lambda: None) -> None:
        """`standing` makes the ratios of all trials so far; nothing is shown yet."""
        self.standing = standing
        self.ratios: Sequence[RenderableType] = ()
        self.recent: list[Text] = []
        self.bar = Bar(
            TextColumn("{task.completed:.0f} of {task.total:.0f} trials"),
            BarColumn(bar_width=40),
            TextColumn("{task.fields[left]}"),
            console=console,
        )
        self.line = Text("")
        self.live: Live | None = None
        self.left_s = self.done_s = 0.0  # of trials in the plan, as planned
        self.most_s = 0.0  # of all trials that the plan may get; as planned, unless time bounds it
        self.is_bounded = False
        self.planned_s = self.taken_s = 0.0  # of trials that this has seen

    @contextlib.contextmanager
    def of(self, plan: Plan, done: set[str]) -> Iterator[None]:
        """Show the progress of a plan, of which some trials are done."""
        self.left_s = sum(trial_s(trial) for trial in plan.trials if trial.trial not in done)
        self.done_s = sum(map(trial_s, plan.trials)) - self.left_s
        self.most_s = 0.0 if plan.precision is None else plan_max_s(plan)
        self.is_bounded = plan.time_max_s > 0
        self.task = self.bar.add_task("", total=len(plan.trials), completed=len(done), left="")
        heading(plan.question)
        count = len(plan.trials) - len(done)
        say(f"{count} trials to run, about {readable_duration(self.left_s)}{then(plan)}")
        if not console.is_terminal:
            yield
            return
        with Live(self, console=console, refresh_per_second=4, transient=True) as self.live:
            yield

    def extend(self, plan: Plan, more: Sequence[PlannedTrial]) -> None:
        """The plan has these trials more: a block, or one that repeats another."""
        self.left_s += sum(map(trial_s, more))
        self.bar.update(self.task, total=len(plan.trials))

    def __rich__(self) -> Group:
        """What is on the screen now."""
        return Group(*self.recent, self.line, self.bar, *self.ratios)

    def begin(self, group: Sequence[PlannedTrial]) -> None:
        """A trial begins, or several that take turns."""
        self.current, self.began_s = group, time.monotonic()
        self.line = Text(f"  {describe_group(group)} …")
        self.show_time_left()

    def event(self, event: Event) -> None:
        """The load of the current trial says something."""
        if said := words_for(event):
            self.line = Text(f"  {describe_group(self.current)}  {said}")

    def end(self, record: Trial) -> None:
        """A trial has ended."""
        ended_s, planned_s = time.monotonic(), trial_s(self.current[0])
        self.taken_s += ended_s - self.began_s
        self.began_s = ended_s
        self.planned_s += planned_s
        self.left_s -= planned_s
        self.done_s += planned_s
        self.bar.advance(self.task)
        line = self.result_line(record)
        if console.is_terminal:
            self.recent = [*self.recent[1 - RECENT_TRIALS :], line]
        else:
            console.print(line, soft_wrap=True)
        self.show_time_left()

    def end_block(self, block: int) -> None:
        """All trials of a block have ended."""
        if console.is_terminal and (table := self.standing()):
            heading = Text(f"\nAfter block {block}: {table.title}")
            self.ratios = heading, ratio_rows(table, STANDING_ROWS)

    def show_time_left(self) -> None:
        """Scale the planned time by what trials have really taken; blocks may be added."""
        pace = self.taken_s / self.planned_s if self.planned_s else 1.0
        left_s = max(0.0, self.left_s) * pace
        at_most_s = self.most_s * (1.0 if self.is_bounded else pace) - self.done_s * pace
        most = " left, at most" if at_most_s > left_s else " left"
        self.bar.update(self.task, left=readable_duration(max(left_s, at_most_s)) + most)

    @staticmethod
    def complain(text: str) -> None:
        """Something disturbs the measurement."""
        complain(text)

    @staticmethod
    def result_line(record: Trial) -> Text:
        """A finished trial in a line."""
        verdict = record.verdict
        text = Text(f"  {record.trial}  {describe(record.cell):<44}")
        if record.load and record.server:
            text.append(f"{record.load.rate.goodput_per_s:>10,.0f}/s")
            cpu_us = record.server.cpu_per_request_us
            text.append(f"  {cpu_us:>9,.2f} µs CPU" if cpu_us is not None else "")
        text.append(f"  {verdict.name}", style=VERDICT_STYLES.get(verdict.name, DOUBTFUL))
        if verdict.reason:
            text.append(f"  {verdict.reason}")
        return text

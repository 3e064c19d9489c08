"""What a load and its servers saw of each connection: two tables for each trial, in Parquet."""

from __future__ import annotations

import contextlib
import io
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from serverlab.design.catalog import catalog
from serverlab.files import write_whole, writing

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars

    from serverlab.records import PlannedTrial

SETTING = "connection-log"


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSettings:
    """What makes the programs log their connections; nothing if that was not asked for."""

    load: Mapping[str, str]
    servers: Sequence[Mapping[str, str]]  # of each trial's


@contextlib.contextmanager
def logged(folder: Path | None, trials: Sequence[PlannedTrial]) -> Iterator[LogSettings]:
    """Yield the settings that make the programs log their connections, and keep their logs.

    Without a folder there are no settings and nothing is kept.
    """
    if folder is None:
        yield LogSettings(load={}, servers=[{} for _ in trials])
        return
    with tempfile.TemporaryDirectory() as scratch:
        load = Path(scratch, "load.csv")
        servers = [
            Path(scratch, f"{number}.tsv") if logs_connections(trial) else None
            for number, trial in enumerate(trials)
        ]
        yield LogSettings(
            load={SETTING: str(load)},
            servers=[{SETTING: str(path)} if path else {} for path in servers],
        )
        keep_load(load, folder, [trial.trial for trial in trials])
        for trial, path in zip(trials, servers, strict=True):
            if path is not None:
                keep_server(path, folder / f"{trial.trial}-server.parquet")


def logs_connections(trial: PlannedTrial) -> bool:
    """Whether the server of a trial logs: a contestant does not, nor a kernel that replies."""
    return trial.contestant is None and not catalog().engines[trial.engine].in_kernel


def keep_load(log: Path, folder: Path, trials: Sequence[str]) -> None:
    """Write each target's rows under the name of its trial."""
    import polars  # noqa: PLC0415 - it takes long to load, and few runs keep logs

    rows = polars.read_csv(log)
    for number, trial in enumerate(trials):
        own = rows.filter(polars.col("target") == number).drop("target").sort("connection")
        keep(own, folder / f"{trial}.parquet")


def keep_server(log: Path, path: Path) -> None:
    """Write a server's rows."""
    import polars  # noqa: PLC0415 - as above

    keep(polars.read_csv(log, separator="\t", try_parse_dates=True), path)


def keep(rows: polars.DataFrame, path: Path) -> None:
    """Write a table, whole or not at all."""
    table = io.BytesIO()
    rows.write_parquet(table)
    with writing(path.parent):
        path.parent.mkdir(exist_ok=True)
    write_whole(path, table.getvalue())

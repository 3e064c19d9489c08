"""What a load saw of each connection: a table for each trial, in Parquet."""

from __future__ import annotations

import contextlib
import io
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import polars

from serverlab.errors import LabError, reason_of
from serverlab.files import write_whole

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from serverlab.records import PlannedTrial


@contextlib.contextmanager
def logged(folder: Path | None, trials: Sequence[PlannedTrial]) -> Iterator[Mapping[str, str]]:
    """Yield the settings that make a load log its connections, and keep the log at the end.

    Without a folder there are no settings and nothing is kept.
    """
    if folder is None:
        yield {}
        return
    with tempfile.NamedTemporaryFile(suffix=".csv") as log:
        yield {"connection-log": log.name}
        keep(Path(log.name), folder, [trial.trial for trial in trials])


def keep(log: Path, folder: Path, trials: Sequence[str]) -> None:
    """Write each target's rows under the name of its trial."""
    rows = polars.read_csv(log)
    try:
        folder.mkdir(exist_ok=True)
        for number, trial in enumerate(trials):
            own = rows.filter(polars.col("target") == number).drop("target").sort("connection")
            table = io.BytesIO()
            own.write_parquet(table)
            write_whole(folder / f"{trial}.parquet", table.getvalue())
    except OSError as error:
        raise LabError(f"cannot write into {folder}: {reason_of(error)}") from error

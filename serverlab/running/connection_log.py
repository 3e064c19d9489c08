"""What a load saw of each connection: a table for each trial, in Parquet."""

from __future__ import annotations

import contextlib
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import polars

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from serverlab.design.plan import Trial


@contextlib.contextmanager
def logged(folder: Path | None, trials: Sequence[Trial]) -> Iterator[Mapping[str, str]]:
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
    folder.mkdir(exist_ok=True)
    rows = polars.read_csv(log)
    for number, trial in enumerate(trials):
        own = rows.filter(polars.col("target") == number).drop("target").sort("connection")
        own.write_parquet(folder / f"{trial}.parquet")

"""A contestant's server: a program that says nothing of itself, so all is read from outside."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import IO, TYPE_CHECKING

from serverlab.contestant import command_of, filled
from serverlab.contestants import guard
from serverlab.contestants.listeners import (
    descendants,
    ports_of,
    process_of,
    set_congestion,
)
from serverlab.errors import LabError, UnsupportedError, reason_of
from serverlab.machine import sampler
from serverlab.program_log import BoundedLog, last_line
from serverlab.quantities import cpu_set, duration_s
from serverlab.records import Switches
from serverlab.running.events import Listening, Usage
from serverlab.running.process import PATIENCE_S
from serverlab.running.program import Ending, Program

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import NoReturn

    from serverlab.contestant import Contestant
    from serverlab.machine.sampler import Sample
    from serverlab.records import Summary
    from serverlab.running.events import Event

HOST = "127.0.0.1"
STOP_LIMIT_S = 5.0  # for a server that was asked to stop
LOOK_S = 0.01  # between two looks whether it is ready
CONNECT_LIMIT_S = 1.0
OUTPUT_BYTES_MAX = 2**20  # of its output, that are searched for the text of a ready server


def program_of(
    contestant: Contestant, service: str, settings: Mapping[str, str], log: Path
) -> OutsideView:
    """Start the server of a contestant that is built, or find it where it is running.

    Raises LabError.
    """
    if contestant.address:
        return RunningServer(contestant)
    return ContestantProcess(contestant, service, settings, log)


class OutsideView(Program):
    """A server whose process is looked at from outside."""

    def __init__(self) -> None:
        self._switches: list[dict[str, Switches]] = []  # of its threads, at each look

    def tell(self, line: str) -> None:
        """Raise LabError: it is told nothing."""
        raise LabError(f"{self.name} cannot be told {line}")

    def count_switches(self) -> Switches | None:
        """Note the context switches of its threads so far."""
        if self.pid is not None:
            with contextlib.suppress(OSError):  # it has just died, which the next look says
                self._switches.append(sampler.switches_by_thread(self.pid))
        return Switches()

    def last_words(self, limit_s: float) -> tuple[list[Event], Summary | None]:
        """What was noted of it; it sums up nothing itself."""
        del limit_s
        return usages(self._switches), None


def usages(looks: list[dict[str, Switches]]) -> list[Event]:
    """Context switches at the window's ends, by those of each thread; none if they are not known.

    A thread takes its count with it when it ends.
    """
    if len(looks) != 2 or not looks[0].keys() <= looks[1].keys():
        return []
    return [Usage(sum(look.values(), Switches())) for look in looks]


class ContestantProcess(OutsideView):
    """A server that is started here, beneath a guard that leaves no process of it behind."""

    pid: int

    def __init__(
        self, contestant: Contestant, service: str, settings: Mapping[str, str], log: Path
    ) -> None:
        """Start the contestant, which is built, on a free port."""
        super().__init__()
        self.name = contestant.name
        self.contestant = contestant
        self.settings = settings
        self.log = log
        self.port = free_port()
        cpus = cpu_set(settings.get("cpus", "")) or os.sched_getaffinity(0)
        values = {
            "host": HOST,
            "port": str(self.port),
            "cpus": ",".join(map(str, sorted(cpus))),
            "threads": settings.get("threads", str(len(cpus))),
            "service": service,
            "build": contestant.built,
        }
        environment = {name: filled(text, values) for name, text in contestant.environment.items()}
        command = command_of(contestant.start, values)
        self._has_printed = not contestant.ready
        self._output = BoundedLog(log)
        try:
            self.guard, self.pid = guarded(
                contestant, command, os.environ | environment, values["cpus"], self._output.file
            )
        except LabError:
            self._output.close()
            raise

    def next_event(self, limit_s: float) -> Event | None:
        """That it listens, which may take as long as it says itself.

        Raises LabError if it does not listen by then, or if it ends.
        """
        limit_s = duration_s(self.contestant.ready_limit)
        deadline_s = time.monotonic() + limit_s
        while not self.is_ready():
            if not self.is_alive():
                raise LabError(self.ending().sentence)
            if time.monotonic() > deadline_s:
                self.raise_not_ready(limit_s)
            time.sleep(LOOK_S)
        self.take_congestion()
        return Listening(f"{HOST}:{self.port}")

    def is_ready(self) -> bool:
        """Whether it has printed its text, if there is one, and its port accepts a connection."""
        if not self._has_printed:  # which is looked for once: a log may lose its beginning
            with self.log.open("rb") as output:
                self._has_printed = self.contestant.ready.encode() in output.read(OUTPUT_BYTES_MAX)
            if not self._has_printed:
                return False
        try:
            socket.create_connection((HOST, self.port), CONNECT_LIMIT_S).close()
        except OSError:
            return False
        if self.port in ports_of(self.processes()):
            return True
        raise LabError(f"port {self.port}, which {self.name} was given, is another process's")

    def raise_not_ready(self, limit_s: float) -> NoReturn:
        """Say why it cannot be loaded: what it has not printed, or where it listens instead."""
        ports = sorted(ports_of(self.processes()))
        if self.port in ports and self.contestant.ready:
            why = f"it has not printed '{self.contestant.ready}'"
        elif self.port in ports:
            why = f"it listens on port {self.port}, but did not accept a connection to {HOST}"
        elif ports:
            listed = ", ".join(map(str, ports))
            why = f"it listens on port {listed} and not on {self.port}, which {{port}} stands for"
        else:
            why = f"it does not listen on port {self.port}"
        raise LabError(f"{self.name} is not ready after {limit_s:g} s: {why}; see {self.log}")

    def processes(self) -> set[int]:
        """All processes of the contestant."""
        return {self.pid} | descendants(self.guard.pid)

    def take_congestion(self) -> None:
        """Give its connections the congestion control that all servers have."""
        name = self.settings.get("congestion")
        if name is None:
            return
        try:
            set_congestion(self.processes(), self.port, name)
        except OSError as error:
            raise UnsupportedError(
                f"the congestion control of {self.name} cannot be set: {reason_of(error)}; "
                'congestion = "" leaves it to each server'
            ) from error

    def is_alive(self) -> bool:
        """Whether its first process has not ended; its guard may still be about to."""
        ended = sampler.state(Path("/proc", str(self.pid))) in {"Z", "X"}
        return not ended and self.guard.poll() is None

    def look(self) -> Sample:
        """What the kernel knows of it now. Raises LabError if it is gone."""
        try:
            return sampler.sample(self.pid)
        except OSError as error:
            raise LabError(f"{self.name} is gone") from error

    def ask_to_stop(self) -> None:
        """Have the guard send its signal. Raises LabError if not all of it was measured."""
        unseen = descendants(self.guard.pid) - set(sampler.processes(self.pid))
        if unseen and self.is_alive():
            raise LabError(
                f"process {min(unseen)} of {self.name} is no child of its first process's main "
                "thread, so its CPU time is not known: let that stay in the foreground and fork"
            )
        self.guard.terminate()

    @property
    def was_killed(self) -> bool:
        """Whether it has ended because its signal did not end it."""
        return self.guard.poll() == guard.BY_SIGNAL + signal.SIGKILL

    def ending(self) -> Ending:
        """How it has ended, and the last that it printed."""
        try:
            status = self.guard.wait(STOP_LIMIT_S + PATIENCE_S)
        except subprocess.TimeoutExpired:
            return Ending(sentence=f"{self.name} does not end; see {self.log}")
        by_signal = status > guard.BY_SIGNAL
        how = (
            f"by {signal.Signals(status - guard.BY_SIGNAL).name}"
            if by_signal
            else f"with status {status}"
        )
        said = last_line(self.log)
        last = f": {said}" if said else ""
        return Ending(
            sentence=f"{self.name} ended {how}{last}; see {self.log}",
            signal=status - guard.BY_SIGNAL if by_signal else None,
        )

    def expect_no_failure(self) -> None:
        """Wait for its end, of which the guard makes sure: how it ends says nothing of what was."""
        try:
            self.guard.wait(STOP_LIMIT_S + PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise LabError(f"{self.name} does not end") from None

    def stop(self) -> None:
        """Ask it to stop; after a limit, the guard ends it."""
        if self.guard.poll() is None:
            self.guard.terminate()
            self.guard.wait()
        self._output.close()


class RunningServer(OutsideView):
    """A server that is there already: it is loaded, looked at if it may be, and left running."""

    def __init__(self, contestant: Contestant) -> None:
        """Find the process that listens there, unless that is another machine's."""
        super().__init__()
        self.name = contestant.name
        self.address = contestant.address
        self.pid = process_of(self.address)
        self.is_seen = self.pid is not None

    def next_event(self, limit_s: float) -> Event | None:
        """That it accepts a connection. Raises LabError if it does not."""
        host, _, port = self.address.rpartition(":")
        try:
            socket.create_connection((host.strip("[]"), int(port)), limit_s).close()
        except OSError as error:
            raise LabError(f"there is no server at {self.address}: {reason_of(error)}") from error
        return Listening(self.address)

    def is_alive(self) -> bool:
        """Whether its process is there, if it is known."""
        return self.pid is None or Path("/proc", str(self.pid)).exists()

    def ask_to_stop(self) -> None:
        """Leave it running."""

    def stop(self) -> None:
        """Leave it running."""

    def ending(self) -> Ending:
        """That it is gone."""
        return Ending(sentence=f"the server at {self.address} is gone")

    def expect_no_failure(self) -> None:
        """Leave it running."""

    def look(self) -> Sample:
        """What the kernel knows of it now. Raises LabError if it is gone."""
        assert self.pid is not None
        try:
            return sampler.sample(self.pid)
        except OSError as error:
            raise LabError(self.ending().sentence) from error


def free_port() -> int:
    """A port on which nothing listens now."""
    with socket.socket() as one:
        one.bind((HOST, 0))
        port: int = one.getsockname()[1]
        return port


def guarded(
    contestant: Contestant,
    command: list[str],
    environment: dict[str, str],
    cpus: str,
    output: IO[bytes],
) -> tuple[subprocess.Popen[bytes], int]:
    """Start a command beneath a guard; return the guard, and the server's process."""
    reading, writing = os.pipe()
    stop = signal.Signals[contestant.stop].value
    told = [str(writing), str(stop), str(STOP_LIMIT_S), cpus, str(os.getpid())]
    try:
        with os.fdopen(reading, "rb") as report:
            try:
                process = subprocess.Popen(
                    [sys.executable, "-I", "-S", guard.__file__, *told, *command],
                    cwd=contestant.folder or None,
                    env=environment,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=output,
                    pass_fds=[writing],
                    start_new_session=True,  # a Ctrl-C is for us: we stop it in good order
                )
            finally:
                os.close(writing)
            pid = report.readline()
    except OSError as error:
        raise LabError(
            f"cannot start {contestant.name}: {reason_of(error)}: {error.filename}"
        ) from error
    if not pid:
        process.wait()
        raise LabError(f"cannot start {contestant.name}; see {output.name}")
    return process, int(pid)

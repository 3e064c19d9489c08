"""Hosts that are nodes of a Ray cluster: an actor on each runs its programs (hosts/node.py).

Ray places the actors, each on a node of its own, calls them, and notices when a node is lost. This
is the only file that imports it.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from serverlab.errors import LabError, UnsupportedError, UsageError, reason_of
from serverlab.hosts.apart import CPUS_MIN, kept_apart, running_on
from serverlab.hosts.node import PROGRAMS, Node, hash_of
from serverlab.machine import native
from serverlab.running.host import Answer, Given, Hosts
from serverlab.running.program import Program

try:
    import ray
    from ray.exceptions import GetTimeoutError, RayActorError, RayError, RayTaskError
    from ray.util import get_node_ip_address, placement_group, remove_placement_group
    from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy
except ImportError as error:
    raise UnsupportedError(
        "--cluster needs Ray: pip install 'serverlab[cluster]'; --cluster=hosts does not"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from serverlab.machine.sampler import Sample
    from serverlab.records import Switches
    from serverlab.running.events import Event
    from serverlab.running.program import Ending

CONNECT_S = 5.0  # within which a cluster answers
ANSWER_S = 30.0  # of a node, beyond what it was asked to wait for
CALLS_AT_ONCE = 8  # on a node: a program's events are awaited while others are asked


class RemoteNode(Node):
    """A node that also knows its address in the cluster, and Ray's processes on it."""

    def __init__(self) -> None:
        """Let programs run on all of its CPUs."""
        super().__init__()
        self._cpus = os.sched_getaffinity(0)
        self._until_leave = contextlib.ExitStack()

    def keep_ray_apart(self, cpus_min: int = CPUS_MIN) -> int | None:
        """Keep Ray's processes to the last CPU, and what is started here to the others.

        Returns that CPU; None if there are fewer than `cpus_min`: then nothing is changed.
        """
        *others, last = sorted(self._cpus)
        if len(self._cpus) < cpus_min:
            return None
        # The raylet, whose children the workers and agents are.
        self._until_leave.enter_context(kept_apart(os.getppid(), last))
        self._cpus = set(others)
        return last

    def start(self, name: str, settings: dict[str, str], under: Sequence[str]) -> tuple[int, int]:
        """As Node.start."""
        with running_on(self._cpus):
            return super().start(name, settings, under)

    def ask(self, question: Callable[[], object]) -> object:
        """As Node.ask."""
        with running_on(self._cpus):
            return super().ask(question)

    def leave(self) -> None:
        """As Node.leave; and let Ray's processes run everywhere again."""
        super().leave()
        self._until_leave.close()

    def address(self) -> str:
        """At which the other nodes reach it."""
        return str(get_node_ip_address())


class RayProgram(Program):
    """A program on a node."""

    def __init__(self, host: RayHost, name: str, number: int, pid: int) -> None:
        """The node's program of that number."""
        self.name = name
        self.pid = pid
        self._host = host
        self._number = number

    def _call(self, method: str, *arguments: object, limit_s: float = 0) -> Any:  # noqa: ANN401
        return self._host.call(method, self._number, *arguments, limit_s=limit_s)

    def next_event(self, limit_s: float) -> Event | None:
        """The next event; None if the limit has passed."""
        event: Event | None = self._call("next_event", limit_s, limit_s=limit_s)
        return event

    def tell(self, line: str) -> None:
        """Write a line to its standard input."""
        self._call("tell", line)

    def is_alive(self) -> bool:
        """Whether it has not ended; what was on a node that is lost, has."""
        with contextlib.suppress(LabError):
            return bool(self._call("is_alive"))
        return False

    def ask_to_stop(self) -> None:
        """Let it drain and end."""
        with contextlib.suppress(LabError):  # a node that is lost has nothing that runs
            self._call("ask_to_stop")

    def stop(self) -> None:
        """Ask it to stop; if it does not, end it."""
        with contextlib.suppress(LabError):
            self._call("stop")

    def ending(self) -> Ending:
        """How it has ended, and why."""
        ending: Ending = self._call("ending")
        return ending

    def expect_no_failure(self) -> None:
        """Wait for the end of a program that has said everything."""
        self._call("expect_no_failure")

    def look(self) -> Sample:
        """What the kernel of its node knows of it now."""
        sample: Sample = self._call("look")
        return sample

    def count_switches(self) -> Switches | None:
        """Have it say its context switches so far."""
        switches: Switches | None = self._call("count_switches")
        return switches


class RayHost:
    """A node, by the actor on it."""

    def __init__(self, actor: Any) -> None:  # noqa: ANN401 - Ray makes the actor's class
        """Ask the node what it is, and give it the programs of this machine if it has others."""
        self._actor = actor
        self.name = "a node"
        self.address: str = self.call("address")
        programs: dict[str, str] = self.call("programs")
        self.name = self.address
        for program in PROGRAMS:
            if programs[program] != hash_of(program):
                self.call("take", program, native.program(program).read_bytes())

    def call(self, method: str, *arguments: object, limit_s: float = 0) -> Any:  # noqa: ANN401
        """What the node answers. Raises the error that it raised, or LabError if it is lost."""
        try:
            answer = getattr(self._actor, method).remote(*arguments)
            return ray.get(answer, timeout=limit_s + ANSWER_S)
        except RayTaskError as error:
            raise LabError(str(error)) if error.cause is None else error.cause from None
        except RayActorError:
            raise LabError("the node is lost") from None
        except GetTimeoutError:
            raise LabError(f"the node has not answered within {ANSWER_S:g} s") from None
        except RayError as error:
            raise LabError(f"Ray: {str(error).splitlines()[0]}") from error

    def start(
        self, program: str, settings: Mapping[str, str], log: Path, under: Sequence[str] = ()
    ) -> RayProgram:
        """Start a native program there; its stderr stays on the node."""
        del log
        return RayProgram(self, program, *self.call("start", program, dict(settings), list(under)))

    def ask(
        self, question: Callable[Given, Answer], *given: Given.args, **named: Given.kwargs
    ) -> Answer:
        """What a function of a module returns there."""
        answer: Answer = self.call("ask", partial(question, *given, **named))
        return answer

    def is_there(self) -> bool:
        """Whether its node is not lost."""
        try:
            self.ask(time.monotonic_ns)
        except LabError:
            return False
        return True

    def leave(self) -> None:
        """End what runs there, and the actor."""
        with contextlib.suppress(LabError):
            self.call("leave")
        with contextlib.suppress(RayError):
            ray.kill(self._actor)


class RayPlaces:
    """One node for the server, and one for each generator; others, where a node was lost."""

    def __init__(self, generators: int, server: Mapping[str, float], wait_s: float) -> None:
        """`server` is what its node has to have; `wait_s` for nodes that are not there yet."""
        self._bundles = [{"CPU": 1.0, **server}, *[{"CPU": 1.0}] * generators]
        self._wait_s = wait_s
        self._group: Any = None
        self._hosts: list[RayHost] = []
        self._kept_apart: int | None = None

    def __call__(self) -> Hosts:
        """The hosts of the next trial. Raises LabError if there are too few nodes."""
        if not self._hosts or not all(host.is_there() for host in self._hosts):
            self.leave()
            self._place()
        return Hosts(self._hosts[0], self._hosts[1:], kept_apart=self._kept_apart)

    def _place(self) -> None:
        self._group = placement_group(self._bundles, strategy="STRICT_SPREAD")
        if not self._group.wait(self._wait_s):
            self.leave()
            nodes = [node for node in ray.nodes() if node["Alive"]]
            room = sum(node["Resources"].get("CPU", 0) >= 1 for node in nodes)
            raise LabError(
                f"{len(self._bundles)} nodes are needed, one for the server and one for each "
                f"generator; of {len(nodes)} nodes {room} have room"
            )
        actor = ray.remote(RemoteNode)
        for place in range(len(self._bundles)):
            where = PlacementGroupSchedulingStrategy(self._group, place)
            options = {"num_cpus": 1, "max_concurrency": CALLS_AT_ONCE}
            self._hosts.append(
                RayHost(actor.options(scheduling_strategy=where, **options).remote())
            )
        self._kept_apart = self._hosts[0].call("keep_ray_apart")

    def leave(self) -> None:
        """Leave nothing on any node."""
        for host in self._hosts:
            host.leave()
        self._hosts = []
        if self._group is not None:
            with contextlib.suppress(RayError):
                remove_placement_group(self._group)
            self._group = None


def expect_answer(address: str) -> None:
    """Raise UsageError if nothing listens at HOST:PORT, for which Ray would look for minutes."""
    host, colon, port = address.rpartition(":")
    if not colon or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), timeout=CONNECT_S).close()
    except OSError as error:
        raise UsageError(f"--cluster={address} does not answer: {reason_of(error)}") from error


@contextlib.contextmanager
def ray_places(
    address: str, generators: int, server: Mapping[str, float], wait_s: float
) -> Iterator[RayPlaces]:
    """Join a cluster: its address, or `auto` for that of this machine. Raises LabError."""
    expect_answer(address)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        ray.init(
            address=address,
            namespace="serverlab",
            log_to_driver=False,
            logging_level=logging.ERROR,
        )
    except (ConnectionError, RuntimeError, ValueError, OSError) as error:
        said = str(error).splitlines() or [type(error).__name__]
        raise UsageError(f"--cluster={address}: {said[0]}") from error
    places = RayPlaces(generators, server, wait_s)
    try:
        yield places
    finally:
        places.leave()
        ray.shutdown()

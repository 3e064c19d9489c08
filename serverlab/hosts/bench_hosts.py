"""Hosts inside one machine: network namespaces on a bridge, each with an address and a rate.

    bridge  serverlab0 ─┬─ veth ═══ eth0 of the namespace serverlab-1, 10.83.0.1
                        ├─ veth ═══ eth0 of the namespace serverlab-2, 10.83.0.2
                        └─ …                      this machine itself, 10.83.0.254

They share its CPUs, so a run on them says how a cluster is used and what a network of that rate
does, not what a machine can do. What exists is read from the kernel: no file has to agree with it.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from serverlab.errors import LabError, UnsupportedError, UsageError
from serverlab.quantities import quoted
from serverlab.running.host import ThisMachine
from serverlab.running.lock import made_and_locked
from serverlab.running.process import NativeProcess

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NAME = "serverlab-"
BRIDGE = "serverlab0"
LOCK_FOLDER = Path("/run/serverlab-hosts")  # which no restart of the machine keeps, as no host
NETWORK = "10.83.0."
OWN = 254  # this machine's place in the network
HOSTS_MAX = 32
ENDS_WITHIN_S = 5.0  # a process in a host that goes away
BURST_S = 0.005  # of what the rate lets through at once: more than the kernel's timers are late
BURST_MIN_BYTES = 100_000  # and more than a segment that the network card would cut
RATE = re.compile(r"(\d+(?:\.\d+)?)([kmg]?)bit")
FACTORS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9}


class BenchHost(ThisMachine):
    """A namespace of this machine."""

    def __init__(self, number: int) -> None:
        """The host of that number, counted from 1."""
        self.name = f"{NAME}{number}"
        self.link = f"{BRIDGE}v{number}"  # the end of its cable at the bridge
        self.address = f"{NETWORK}{number}"

    def start(
        self, program: str, settings: Mapping[str, str], log: Path, under: Sequence[str] = ()
    ) -> NativeProcess:
        """Start a native program in the namespace."""
        within = ["ip", "netns", "exec", self.name, *under]
        return NativeProcess(program, dict(settings), log, under=within)


class Network(msgspec.Struct, frozen=True, kw_only=True):
    """What stands between a host and the bridge."""

    rate: str = ""  # in each direction, such as 1gbit; empty: as fast as the machine is
    delay: str = ""  # in each direction, such as 1ms
    loss: str = ""  # such as 0.1%


def up(count: int, network: Network) -> list[BenchHost]:
    """Make so many hosts. Raises UsageError if there are some, or for what cannot be made."""
    require_namespaces()
    if not 1 <= count <= HOSTS_MAX:
        raise UsageError(f"--count: {count} is not between 1 and {HOSTS_MAX}")
    shaping = shaping_of(network)
    if there := standing():
        raise UsageError(f"there are {len(there)} hosts already: `serverlab hosts down` ends them")
    hosts = [BenchHost(number) for number in range(1, count + 1)]
    try:
        call("ip", "link", "add", BRIDGE, "type", "bridge")
        call("ip", "addr", "add", f"{NETWORK}{OWN}/24", "dev", BRIDGE)
        call("ip", "link", "set", BRIDGE, "up")
        for host in hosts:
            connect(host, shaping)
    except LabError:
        down()
        raise
    return hosts


def connect(host: BenchHost, shaping: list[list[str]]) -> None:
    """Make the host's namespace, and lay its cable."""
    inside = ["ip", "-n", host.name]
    call("ip", "netns", "add", host.name)
    call("ip", "link", "add", host.link, "type", "veth", "peer", "eth0", "netns", host.name)
    call("ip", "link", "set", host.link, "master", BRIDGE, "up")
    call(*inside, "addr", "add", f"{host.address}/24", "dev", "eth0")
    for device in ("lo", "eth0"):
        call(*inside, "link", "set", device, "up")
    for discipline in shaping:  # out of the host, and into it
        call("tc", "-n", host.name, "qdisc", "add", "dev", "eth0", *discipline)
        call("tc", "qdisc", "add", "dev", host.link, *discipline)


def shaping_of(network: Network) -> list[list[str]]:
    """The queueing disciplines of a cable, as `tc` has them. Raises UsageError."""
    shaping = []
    parent = ["root"]
    if network.delay or network.loss:
        netem = ["handle", "1:", "netem"]
        netem += ["delay", network.delay] if network.delay else []
        netem += ["loss", network.loss] if network.loss else []
        shaping.append([*parent, *netem])
        parent = ["parent", "1:"]
    if network.rate:
        burst = max(BURST_MIN_BYTES, round(bits_per_s(network.rate) / 8 * BURST_S))
        tbf = ["tbf", "rate", network.rate, "burst", str(burst), "latency", "50ms"]
        shaping.append([*parent, *tbf])
    return shaping


def bits_per_s(rate: str) -> float:
    """A rate as `tc` writes it. Raises UsageError."""
    found = RATE.fullmatch(rate)
    if found is None or float(found[1]) <= 0:
        raise UsageError(f"--rate: {quoted(rate)} is no rate such as 1gbit or 100mbit")
    return float(found[1]) * FACTORS[found[2]]


def standing() -> list[BenchHost]:
    """The hosts that there are."""
    names = re.findall(rf"^{NAME}(\d+)\b", call("ip", "netns", "list"), re.MULTILINE)
    return [BenchHost(number) for number in sorted(map(int, names))]


@contextlib.contextmanager
def in_use(command: str) -> Iterator[None]:
    """Keep other commands from the hosts. Raises UsageError that names the one that has them."""
    require_namespaces()
    with made_and_locked(LOCK_FOLDER, command):
        yield


def refuse_busy() -> None:
    """Raise UsageError if a command runs in a host that no command of serverlab has in use."""
    for host in standing():
        for pid in pids_in(host):
            with contextlib.suppress(OSError):  # it has just ended
                name = Path("/proc", str(pid), "comm").read_text(errors="replace").strip()
                raise UsageError(
                    f"{name} (pid {pid}) runs in {host.name}: wait until it ends, or "
                    "`serverlab hosts down --force` ends it"
                )


def pids_in(host: BenchHost) -> list[int]:
    """The processes in a host."""
    return [int(pid) for pid in call("ip", "netns", "pids", host.name).split()]


def down() -> list[BenchHost]:
    """End all hosts, with what still runs in them. Returns those that there were."""
    require_namespaces()
    hosts = standing()
    for host in hosts:
        end_processes(host)
        with contextlib.suppress(LabError):  # a namespace alone goes some time after it is deleted
            call("ip", "link", "del", host.link)
        call("ip", "netns", "del", host.name)
    with contextlib.suppress(LabError):  # it is not there if making it failed
        call("ip", "link", "del", BRIDGE)
    return hosts


def end_processes(host: BenchHost) -> None:
    """Ask what runs in a host to stop, and end what does not."""
    deadline = time.monotonic() + ENDS_WITHIN_S
    how = signal.SIGTERM
    while pids := pids_in(host):
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, how)
        if time.monotonic() > deadline:
            how = signal.SIGKILL
        time.sleep(0.05)


@contextlib.contextmanager
def hosts_for(count: int) -> Iterator[list[BenchHost]]:
    """The hosts that there are; or if there are none, as many, until the context ends.

    No other command has them meanwhile, or ends them.
    """
    with in_use(" ".join(["serverlab", *sys.argv[1:2]])):
        yield from found_or_made(count)


def found_or_made(count: int) -> Iterator[list[BenchHost]]:
    """The same, of hosts that no other command has."""
    if there := standing():
        if len(there) < count:
            raise UsageError(
                f"{count} hosts are needed, and there are {len(there)}: `serverlab hosts down`, "
                f"and `serverlab hosts up --count={count}`"
            )
        yield there
        return
    hosts = up(count, Network())
    try:
        yield hosts
    finally:
        down()


def require_namespaces() -> None:
    """Raise UnsupportedError if this machine cannot have hosts, or we may not make them."""
    for program in ("ip", "tc"):
        if shutil.which(program) is None:
            raise UnsupportedError(f"there is no `{program}` on the PATH: it comes with iproute2")
    if os.geteuid() != 0:
        raise UnsupportedError("hosts are network namespaces, which only root can make")


def call(*command: str) -> str:
    """What a command prints. Raises LabError with what it complains about."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = done.stderr.strip().splitlines() or [f"status {done.returncode}"]
        if "netem" in command and "kind is unknown" in said[-1]:
            raise UnsupportedError("this kernel has no netem, which --delay and --loss need")
        raise LabError(f"`{' '.join(command)}`: {said[-1]}")
    return done.stdout

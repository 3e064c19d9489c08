"""What a test needs of a place to be tested in: below that it gets no verdict."""

from __future__ import annotations

from dataclasses import dataclass

CPUS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where tests are run: what this laboratory has."""

    server_cpus: int  # that the server has to itself, beside those of the generator
    machines: int = 1
    has_network: bool = False  # a link between machines; loopback is none


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """The least place in which a test means what the report meant."""

    server_cpus: int = 1
    machines: int = 1
    has_network: bool = False

    def lacking(self, place: Place) -> str:
        """What would test it, and what there is, in words; empty if nothing lacks."""
        wanted, there = [], []
        if self.server_cpus > place.server_cpus:
            wanted.append(f"{counted(self.server_cpus, 'CPU')} for the server alone")
            there.append(f"the server has {CPUS[min(place.server_cpus, 8)]}")
        if self.machines > place.machines:
            wanted.append(counted(self.machines, "machine"))
            there.append(f"there is {CPUS[place.machines]} machine")
        if self.has_network and not place.has_network:
            wanted.append("a network between clients and server")
            there.append("all goes over loopback")
        if not wanted:
            return ""
        return f"It needs {' and '.join(wanted)}; here {' and '.join(there)}."


def counted(number: int, noun: str) -> str:
    """So many of a thing, in words: "four CPUs"."""
    return f"{CPUS[number]} {noun}{'' if number == 1 else 's'}"


ONE_CPU = Needs()
# Threads that are to run at once: on fewer CPUs a model of several threads pays for its threads
# and gets nothing for them, so that a comparison with one thread says nothing of the report's.
FOUR_CPUS = Needs(server_cpus=4)
# Shares of eight logical CPUs.
EIGHT_CPUS = Needs(server_cpus=8)

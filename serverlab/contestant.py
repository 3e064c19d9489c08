"""A server that is not ours, as a subject beside our engines: what it is, and how it is run."""

from __future__ import annotations

import shlex
from typing import Literal

import msgspec

Tier = Literal["plain", "tuned", "engine"]


class About(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a contestant's file says, by the same keys (docs/contestants.md).

    Commands are split as a shell does, and no shell runs them. In those that start or build it, a
    placeholder such as `{port}` stands for what the laboratory chooses.
    """

    services: list[str] = []
    start: str = ""
    address: str = ""  # in place of `start`: HOST:PORT of a server that is there already
    model: str = ""  # how it serves connections, in a line
    language: str = ""
    runtime: str = ""
    framework: str = ""
    neighbour: str = ""  # the engine that is the most like it
    tier: Tier = "plain"  # as its manual shows it, tuned, or no more than an engine
    source: str = ""  # the documentation that it follows
    needs: list[str] = []  # programs on the PATH
    libraries: list[str] = []  # that pkg-config knows
    missing: str = ""  # what to do if one of them is not there
    build: list[str] = []  # commands, one after the other
    version: str = ""  # a command; the first line of what it prints
    ready: str = ""  # a text that it prints; empty: its port accepts a connection
    ready_limit: str = "15s"  # how long that may take
    stop: str = "SIGTERM"  # the signal that asks it to stop
    environment: dict[str, str] = {}


class Contestant(About, frozen=True, kw_only=True, omit_defaults=True):
    """A contestant of an experiment."""

    name: str
    folder: str = ""  # in which its commands run; it holds the contestant's file
    built: str = ""  # the folder of what is built


def filled(text: str, values: dict[str, str]) -> str:
    """A text with its placeholders replaced; other braces stay."""
    for name, value in values.items():
        text = text.replace(f"{{{name}}}", value)
    return text


def command_of(text: str, values: dict[str, str]) -> list[str]:
    """The words of a command, each with its placeholders replaced.

    Raises ValueError for a quotation that does not end.
    """
    return [filled(word, values) for word in shlex.split(text)]

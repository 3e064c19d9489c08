"""What is read of the machine."""

from __future__ import annotations

from serverlab.machine.machine import cpus_of_all


def test_a_program_without_cpus_of_its_own_may_run_on_all() -> None:
    assert cpus_of_all([{"cpus": "1-2"}, {"cpus": "5"}]) == {1, 2, 5}
    assert cpus_of_all([{}]) > set()

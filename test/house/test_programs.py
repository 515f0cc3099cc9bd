# SPDX-License-Identifier: Apache-2.0
"""Programs in C that print TAP: all that each of them tests."""
import subprocess

import pytest

import guard
import tap
from core import BUILD

PROGRAMS = ("discover", "switch", "engine", "probe", "unit", "fabric", "local",
            "chip-core", "serial_circuit")

SWITCH = BUILD / "test" / "switch"


def all_pass(command):
    """Runs a program, whose tests must all pass."""
    outcome = tap.run(command, guard.GUARD_S)
    assert outcome.results and not tap.failures(outcome), tap.failures(outcome)
    return outcome


def check(name, *options):
    return all_pass([BUILD / "test" / name, *options])


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_tests_of(name):
    check(name)


@pytest.mark.boards
@pytest.mark.parametrize("name", ["discover", "fabric", "probe", "switch"])
def test_all_cases_of(name):
    """Of tests that have so many that `make test` tries every seventh."""
    check(name, "--all")


# ---- the switch ----

def test_equal_seeds_do_the_same():
    first, again, other = (
        subprocess.run([SWITCH, "--seeds", "5", seed], capture_output=True,
                       text=True, check=True).stdout
        for seed in ("7", "7", "8"))
    assert first == again != other


# ---- the processor of the chip model ----

@pytest.mark.parametrize("seed", [1, 2])
def test_every_instruction_as_unicorn(seed):
    all_pass([BUILD / "test" / "chip-core-differ", seed])

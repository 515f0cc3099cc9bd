# SPDX-License-Identifier: Apache-2.0
"""Programs in C that print TAP: all that each of them tests."""
import pytest

import guard
import tap
from core import BUILD, ROOT

PROGRAMS = ("discover", "switch", "engine", "probe", "unit", "fabric", "local",
            "chip-core", "serial_circuit",
            *(f"conformance-{path.parent.name}"
              for path in (ROOT / "hal").glob("*/chip.h")))


def all_pass(command):
    """Runs a program, whose tests must all pass."""
    outcome = tap.run(command, guard.GUARD_S)
    assert outcome.results and not tap.failures(outcome), tap.failures(outcome)
    return outcome


@pytest.mark.parametrize("name", PROGRAMS)
def test_all_tests_of(name):
    all_pass([BUILD / "test" / name])


@pytest.mark.boards
@pytest.mark.parametrize("name", ["discover", "fabric", "probe", "switch"])
def test_all_cases_of(name):
    """Of tests that have so many that `make test` tries every seventh."""
    all_pass([BUILD / "test" / name, "--all"])


# ---- the processor of the chip model ----

@pytest.mark.parametrize("seed", [1, 2])
def test_every_instruction_as_unicorn(seed):
    all_pass([BUILD / "test" / "chip-core-differ", seed])
